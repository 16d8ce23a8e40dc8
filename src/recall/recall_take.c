/*-------------------------------------------------------------------------
 *
 * recall_take.c
 *	  The coordinator takes a moment of all nodes.
 *
 *	  on each node, one after the other: nobody begins to commit on several nodes
 *	  on all nodes: what is prepared ends, a snapshot, a row that keeps it
 *	  the clock is read
 *	  on all nodes: COMMIT, which lets the others go on
 *	  here: the moment is kept
 *
 * Where the tables are is read first.  A shard that moves from then on has another
 * place afterwards, and the moment is of no use to its table.  Otherwise what was
 * written between the snapshot and the move would be in the journal of a node that
 * is not asked for it.
 *
 * If anything fails there is no moment, and at most rows on nodes of which nobody
 * has the name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_session.h"
#include "miscadmin.h"
#include "process/process.h"
#include "recall/recall_internal.h"
#include "shard/shard.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

/*
 * Milliseconds for all of it, while commits are held off; a node waits for a lock
 * for a second, and for what is prepared for half of one.
 */
#define HOLD_WAIT		3000

/* ... for a node to say which of so many moments it has. */
#define SEARCH_WAIT		3000
#define SEARCHED		1000

/*
 * A moment lasts no longer.  Otherwise one that lasts for all of the shortest period,
 * a day, would be outside the window, and there would be no other in it.
 */
#define LONGEST			USECS_PER_HOUR

/* Requests have whole milliseconds, and so have moments. */
#define MILLISECOND		1000

/* A table with recovery. */
typedef struct Table
{
	const RecoveryDef *recovery;
	const TableDef *def;
	RecallPlaces places;
} Table;

static List *list_tables(void);
static TimestampTz take(RecallNodes *nodes, List *tables, bool in_any_case);
static void forget_lost(RecallNodes *nodes, List *tables);
static bool note_lost(const RecallNode *node, List *tables);
static bool has_shards_of(int32 group, const Table *table);
static bool lasts(RecallNodes *nodes, List *tables);
static void hold(RecallNodes *nodes, const RecallMoment *moment);
static TimestampTz whole_milliseconds(TimestampTz time);
static List *put_states(const RecallNodes *nodes, List *tables, TimestampTz at);
static const char *begun_on(const RecallNodes *nodes, const Table *table);
static const char *find_begun(const RecallNodes *nodes, int32 group,
							  const char *table);

bool
recall_is_needed(void)
{
	return shard_is_coordinator() && recall_list() != NIL;
}

TimestampTz
recall_take(bool in_any_case)
{
	RecallNodes nodes = {0};
	DynamoUser	before;
	volatile TimestampTz at = 0;
	List	   *volatile tables;

	if (!recall_is_needed() || !recall_lock_moments(in_any_case))
		return 0;
	tables = list_tables();
	if (tables == NIL)
		return 0;
	dynamo_become(&before, recall_owner(), 0);
	PG_TRY();
	{
		recall_nodes_begin(&nodes);
		at = take(&nodes, tables, in_any_case);
	}
	PG_FINALLY();
	{
		recall_nodes_end(&nodes);
	}
	PG_END_TRY();
	dynamo_resume_user(&before);
	return at;
}

static List *
list_tables(void)
{
	List	   *tables = NIL;
	ListCell   *lc;

	foreach(lc, recall_list())
	{
		Table	   *table = palloc(sizeof(Table));

		table->recovery = lfirst(lc);
		table->def = schema_find_sound_relation(table->recovery->relid);
		if (table->def == NULL)
			continue;
		recall_read_places(table->recovery->relid, &table->places);
		tables = lappend(tables, table);
	}
	return tables;
}

static TimestampTz
take(RecallNodes *nodes, List *tables, bool in_any_case)
{
	RecallMoment moment;

	forget_lost(nodes, tables);
	if (!in_any_case && lasts(nodes, tables))
		return 0;
	strlcpy(moment.id,
			DatumGetCString(DirectFunctionCall1(uuid_out,
												DirectFunctionCall1(gen_random_uuid, (Datum) 0))),
			sizeof(moment.id));
	hold(nodes, &moment);
	moment.at = whole_milliseconds(GetCurrentTimestamp());
	recall_nodes_ask(nodes, "COMMIT");
	recall_insert_moment(&moment, put_states(nodes, tables, moment.at));
	return moment.at;
}

/*
 * A server that was behind when it was promoted has lost the last moments.  They are of
 * no use any more to the tables that it has shards of, whose times are answered by the
 * moments before.  As a rule nothing is lost, and the last moment tells that.
 */
static void
forget_lost(RecallNodes *nodes, List *tables)
{
	TimestampTz before = DT_NOEND;
	bool		lost = true;

	for (int most = 1; lost; most = SEARCHED)
	{
		const char *moments = recall_list_moments(most, &before);

		if (moments == NULL)
			return;
		recall_nodes_allow(nodes, SEARCH_WAIT);
		recall_nodes_ask(nodes, psprintf("SELECT pg_catalog.array_agg(i.id) FROM pg_catalog.unnest('%s'::pg_catalog.uuid[]) AS i (id) "
										 "WHERE NOT EXISTS (SELECT FROM dynamo_internal.node_moments AS m "
										 "WHERE m.moment_id OPERATOR(pg_catalog.=) i.id)",
										 moments));
		lost = false;
		for (int i = 0; i < nodes->n; i++)
			lost |= note_lost(&nodes->nodes[i], tables);
	}
}

/*
 * Its answer names moments that it does not know.  False: they are of use to no table,
 * since none of its shards were there then.
 */
static bool
note_lost(const RecallNode *node, List *tables)
{
	bool		lost = false;
	ListCell   *lc;

	foreach(lc, tables)
	{
		const Table *table = lfirst(lc);
		int32		id = table->recovery->id;
		RecallState state;

		if (node->answer != NULL && has_shards_of(node->group, table) &&
			recall_find_state(id, &state) &&
			strcmp(state.placed, table->places.text) == 0)
			lost |= recall_note_lost(id, state.since, node->answer);
	}
	return lost;
}

static bool
has_shards_of(int32 group, const Table *table)
{
	ListCell   *lc;

	foreach(lc, table->places.groups)
	{
		if (((const RecallGroup *) lfirst(lc))->group == group)
			return true;
	}
	return false;
}

/*
 * Has nothing changed since the last moment, which is of use to all tables, and is
 * not old?  Then that is noted.
 */
static bool
lasts(RecallNodes *nodes, List *tables)
{
	TimestampTz now = GetCurrentTimestamp();
	RecallMoment last;
	ListCell   *lc;

	if (!recall_find_moment(0, now - LONGEST, now, false, &last))
		return false;
	foreach(lc, tables)
	{
		const Table *table = lfirst(lc);
		RecallMoment useful;
		RecallState state;

		if (!recall_find_state(table->recovery->id, &state) ||
			strcmp(state.placed, table->places.text) != 0 ||
			!recall_find_moment(table->recovery->id, state.since, now, false,
								&useful) ||
			useful.at != last.at)
			return false;
	}
	recall_nodes_ask(nodes, psprintf("SELECT dynamo_internal.moment_lasts('%s')",
									 last.id));
	for (int i = 0; i < nodes->n; i++)
	{
		if (nodes->nodes[i].answer == NULL ||
			strcmp(nodes->nodes[i].answer, "t") != 0)
			return false;
	}
	last.lasted = now;
	recall_note_lasted(&last);
	return true;
}

/*
 * Have all nodes take their parts, and not commit them yet.
 */
static void
hold(RecallNodes *nodes, const RecallMoment *moment)
{
	recall_nodes_allow(nodes, HOLD_WAIT);
	recall_nodes_ask_in_turn(nodes, "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT dynamo_internal.hold_commits(0)");
	recall_nodes_ask(nodes, psprintf("SELECT dynamo_internal.take_moment('%s')",
									 moment->id));
	for (int i = 0; i < nodes->n; i++)
	{
		if (nodes->nodes[i].answer == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_CONNECTION_FAILURE),
					 errmsg("node %s has taken no part in a moment of the cluster",
							nodes->nodes[i].name)));
	}
}

/*
 * The next one, so that it is not before the snapshots.
 */
static TimestampTz
whole_milliseconds(TimestampTz time)
{
	return (time / MILLISECOND + 1) * MILLISECOND;
}

/*
 * Note where the tables were.  Returns the numbers of those that the moment is of
 * no use to: a node does not have their recovery yet, or something stays prepared.
 */
static List *
put_states(const RecallNodes *nodes, List *tables, TimestampTz at)
{
	List	   *lacking = NIL;
	ListCell   *lc;

	foreach(lc, tables)
	{
		const Table *table = lfirst(lc);
		int32		id = table->recovery->id;
		RecallState state;
		const char *begun = begun_on(nodes, table);

		if (begun == NULL)
		{
			lacking = lappend_int(lacking, id);
			continue;
		}
		if (recall_find_state(id, &state) && state.since <= at &&
			strcmp(state.placed, table->places.text) == 0 &&
			strcmp(state.begun, begun) == 0)
			continue;
		state.placed = table->places.text;
		state.begun = begun;
		state.since = at;
		recall_put_state(id, &state);
	}
	return lacking;
}

/*
 * In which transactions its recovery has begun on the nodes that have its shards;
 * NULL: one of them does not say so.
 */
static const char *
begun_on(const RecallNodes *nodes, const Table *table)
{
	StringInfoData out;
	ListCell   *lc;

	initStringInfo(&out);
	foreach(lc, table->places.groups)
	{
		const RecallGroup *group = lfirst(lc);
		const char *xid = find_begun(nodes, group->group, table->def->name);

		if (xid == NULL)
			return NULL;
		appendStringInfo(&out, "%d:%s ", group->group, xid);
	}
	return out.data;
}

/*
 * What the answer of a node says of a table.
 */
static const char *
find_begun(const RecallNodes *nodes, int32 group, const char *table)
{
	int			len = strlen(table);

	for (int i = 0; i < nodes->n; i++)
	{
		const char *word = nodes->nodes[i].answer;

		while (nodes->nodes[i].group == group && word != NULL && *word != '\0')
		{
			int			end = strcspn(word, " ");

			if (strncmp(word, table, len) == 0 && word[len] == '=')
				return pnstrdup(word + len + 1, end - len - 1);
			word += end + (word[end] == ' ');
		}
	}
	return NULL;
}
