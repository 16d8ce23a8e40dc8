/*-------------------------------------------------------------------------
 *
 * shard_missing.c
 *	  A table that a node has no definition of may be one of its cluster's.
 *
 * Where Citus sends a node its metadata again it makes the relations of all
 * distributed tables anew, with other OIDs.  Then the definitions of the node
 * are of no relation, until the coordinator has sent them again (shard_join.c).
 * A node that has joined has none at first.  Both are known by relations that
 * are distributed as ours are, and that no definition is of.  As long as there
 * are such, the coordinator is asked which tables there are, since a name alone
 * says nothing.  A table that it has is not missing: a client asks again.  What
 * it says is remembered for a second.
 *
 * Where the metadata is sent in several transactions (citus.metadata_sync_mode),
 * there is for a while no relation either.  Then the row of the name is still
 * there, without one.  And what has come since the name was looked up has a row,
 * and no relation is unknown any more.  So the coordinator is asked about a name
 * that has a row, too.
 *
 * Clients choose the names.  One that no table can have is not asked for, and a
 * process asks MOST times a second.  What it does not ask it does not know, so
 * the client is to ask again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "shard/shard_internal.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* For how many milliseconds an answer of it holds. */
#define REMEMBERED	1000

/* How many questions a process asks in that time. */
#define MOST		10

/* Names that it has been asked for; older ones make room for newer. */
#define MOST_NAMES	100

typedef struct Answer
{
	char		name[DYNAMO_MAX_NAME + 1];
	bool		there;			/* does it have such a table? */
	TimestampTz said_at;		/* 0: there is no name */
} Answer;

static Answer answers[MOST_NAMES];
static int	next_answer;

/* When the last questions were asked; the next one takes the oldest's place. */
static TimestampTz asked_at[MOST];
static int	next_question;

static bool is_there(List *names);
static const Answer *find_answer(const char *name);
static bool may_ask(void);
static char *which_are_tables(List *names);
static void note_answers(List *names, const char *tables);
static bool is_past(TimestampTz time);
static bool has_unknown(void);
static bool has_row(List *names);
static bool is_ours(Oid relid);

/*
 * This node has no definitions of tables of those names, a list of char *.
 * Raises an error if the coordinator has one, or does not answer while there
 * are relations that this node has no definition of.
 */
void
shard_check_missing(List *names)
{
	DynamoHelp	help = {.hint = "The coordinator sends this node the definitions of all tables within seconds, unless dynamo.ttl_interval is 0 there."};

	if (shard_may_have_citus() && shard_is_worker() && is_there(names))
		dynamo_error_with_help(DYNAMO_SERVICE_UNAVAILABLE, &help,
							   DYNAMO_UNAVAILABLE);
}

/*
 * May the coordinator have a table of one of the names that is to be sent to
 * this node?
 */
static bool
is_there(List *names)
{
	List	   *unknown = NIL;
	bool		there = false;
	char	   *tables;
	ListCell   *lc;

	/* An answer is looked at once: it may be too old a moment later. */
	foreach(lc, names)
	{
		char	   *name = lfirst(lc);
		const Answer *answer = find_answer(name);

		if (answer != NULL)
			there |= answer->there;
		else if (schema_is_name(name))
			unknown = lappend(unknown, name);
	}
	if (!has_unknown() && !has_row(names))
		return false;
	if (there || unknown == NIL)
		return there;
	tables = may_ask() ? shard_try_coordinator(which_are_tables(unknown)) :
		NULL;
	if (tables == NULL)
		return true;
	note_answers(unknown, tables);
	return tables[0] != '\0';
}

/*
 * What the coordinator has said of a name less than REMEMBERED ago; NULL:
 * nothing.
 */
static const Answer *
find_answer(const char *name)
{
	for (int i = 0; i < MOST_NAMES; i++)
	{
		if (strcmp(answers[i].name, name) == 0 && !is_past(answers[i].said_at))
			return &answers[i];
	}
	return NULL;
}

/*
 * Is there a question left in the last REMEMBERED milliseconds?  It is taken.
 */
static bool
may_ask(void)
{
	if (!is_past(asked_at[next_question]))
		return false;
	asked_at[next_question] = GetCurrentTimestamp();
	next_question = (next_question + 1) % MOST;
	return true;
}

/*
 * The query of those that are tables of the coordinator's.
 */
static char *
which_are_tables(List *names)
{
	StringInfoData query;
	ListCell   *lc;

	initStringInfo(&query);
	appendStringInfoString(&query,
						   "SELECT COALESCE(pg_catalog.string_agg(t.table_name, ' '), '') FROM dynamo.tables AS t "
						   "JOIN pg_catalog.pg_dist_partition AS d ON d.logicalrelid OPERATOR(pg_catalog.=) t.relation "
						   "WHERE t.table_name OPERATOR(pg_catalog.=) ANY (ARRAY[");
	foreach(lc, names)
		appendStringInfo(&query, "%s%s", foreach_current_index(lc) > 0 ? ", " : "",
						 quote_literal_cstr(lfirst(lc)));
	appendStringInfoString(&query, "]::pg_catalog.text[])");
	return query.data;
}

/*
 * Remember which of the names are among those tables, which blanks part.
 */
static void
note_answers(List *names, const char *tables)
{
	char	   *list = psprintf(" %s ", tables);
	ListCell   *lc;

	foreach(lc, names)
	{
		Answer	   *answer = &answers[next_answer];

		strlcpy(answer->name, lfirst(lc), sizeof(answer->name));
		answer->there = strstr(list, psprintf(" %s ", answer->name)) != NULL;
		answer->said_at = GetCurrentTimestamp();
		next_answer = (next_answer + 1) % MOST_NAMES;
	}
}

/*
 * A clock that is set back does not make it last.
 */
static bool
is_past(TimestampTz time)
{
	TimestampTz now = GetCurrentTimestamp();

	return time > now || TimestampDifferenceExceeds(time, now, REMEMBERED);
}

/*
 * Is there a relation that is distributed as ours are, but of no table?
 */
static bool
has_unknown(void)
{
	List	   *relids = NIL;
	ListCell   *lc;

	shard_run_as_owner("SELECT d.logicalrelid::pg_catalog.oid FROM pg_catalog.pg_dist_partition AS d "
					   "WHERE d.partmethod OPERATOR(pg_catalog.=) 'h' AND NOT EXISTS (SELECT FROM dynamo.tables AS t "
					   "WHERE t.relation OPERATOR(pg_catalog.=) d.logicalrelid)",
					   0, NULL, NULL, shard_take_relid, &relids);
	foreach(lc, relids)
	{
		if (is_ours(lfirst_oid(lc)))
			return true;
	}
	return false;
}

/*
 * Has one of the names a definition by now, or one whose relation is gone?
 */
static bool
has_row(List *names)
{
	ListCell   *lc;

	foreach(lc, names)
	{
		if (OidIsValid(schema_row_relation(lfirst(lc))))
			return true;
	}
	return false;
}

/*
 * One that is locked may be made anew just now.
 */
static bool
is_ours(Oid relid)
{
	Relation	rel;
	bool		ours;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return true;
	rel = try_relation_open(relid, NoLock);
	ours = rel != NULL && schema_looks_distributed(rel);
	if (rel != NULL)
		relation_close(rel, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return ours;
}
