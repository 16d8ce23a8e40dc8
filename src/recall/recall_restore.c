/*-------------------------------------------------------------------------
 *
 * recall_restore.c
 *	  Making a table of what a distributed table had.
 *
 * Each node that has shards gives the items that these had at the moment.  It reads
 * them, and its journal, under a snapshot of its own, whenever that is: what the
 * journal undoes is all that came after the moment, so nodes need not agree on the
 * present.  But all shards must be where they were up to then.  So that is looked
 * at, under a snapshot that is later than theirs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "recall/recall_internal.h"
#include "shard/shard.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* What is read. */
typedef struct Source
{
	const TableDef *def;
	RecallPlaces places;
	RecallMoment moment;
	int			n;				/* of nodes that have shards */
	ShardSession **sessions;
	char	  **queries;
} Source;

static bool read_items(ShardTakeItem take, void *load, void *source);
static void begin_reading(Source *source);
static void check_places(const Source *source);

void
recall_restore(const TableSpec *spec, const TableDef *def, TimestampTz when)
{
	Source		source = {.def = def};

	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("the past of a distributed table is restored in READ COMMITTED")));
	recall_read_places(def->relid, &source.places);
	recall_choose(def, &source.places, when, &source.moment);
	(void) backup_restore_with(spec, read_items, &source);
}

static bool
read_items(ShardTakeItem take, void *load, void *arg)
{
	Source	   *source = arg;

	source->n = list_length(source->places.groups);
	source->sessions = palloc0(source->n * sizeof(ShardSession *));
	source->queries = palloc0(source->n * sizeof(char *));
	PG_TRY();
	{
		begin_reading(source);
		check_places(source);
		for (int i = 0; i < source->n; i++)
		{
			shard_session_items(source->sessions[i], source->queries[i], take, load);
			shard_session_run(source->sessions[i], "COMMIT");
		}
	}
	PG_FINALLY();
	{
		for (int i = 0; i < source->n; i++)
		{
			if (source->sessions[i] != NULL)
				shard_session_end(source->sessions[i]);
		}
	}
	PG_END_TRY();
	return true;
}

/*
 * The first statement takes the snapshot, and locks the shards.  Then a session
 * waits until those before it have been read, however long that takes.
 */
static void
begin_reading(Source *source)
{
	for (int i = 0; i < source->n; i++)
	{
		const RecallGroup *group = list_nth(source->places.groups, i);

		source->sessions[i] = shard_session_begin(group->group);
		shard_session_run(source->sessions[i],
						  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
						  "SET LOCAL row_security = off");
		shard_session_last(source->sessions[i]);
		source->queries[i] =
			shard_session_ask(source->sessions[i],
							  psprintf("SELECT dynamo_internal.moment_query(%s, '%s', '%s')",
									   quote_literal_cstr(source->def->name),
									   source->moment.id, group->shards));
	}
}

static void
check_places(const Source *source)
{
	RecallPlaces now;

	recall_read_places(source->def->relid, &now);
	if (strcmp(now.text, source->places.text) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("a shard of table \"%s\" has moved, or was split, meanwhile",
						source->def->name)));
}
