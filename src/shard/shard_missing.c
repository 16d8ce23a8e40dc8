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
 * says nothing.  A table that it has is not missing: a client asks again.  That
 * it has none is remembered for a second.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "shard/shard_internal.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* For how many milliseconds its answer that there is no such table holds. */
#define REMEMBERED	1000

/*
 * The last one: a client that asks again for a table that is not there does not
 * make the coordinator work for it each time.
 */
static struct
{
	char	   *query;			/* NULL: there was none */
	TimestampTz said_at;
}			none;

static char *which_are_tables(List *names);
static bool is_known_to_be_none(const char *query);
static void note_none(const char *query);
static bool has_unknown(void);
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
	char	   *query;
	char	   *answer;

	if (!shard_may_have_citus() || !shard_is_worker())
		return;
	query = which_are_tables(names);
	if (is_known_to_be_none(query) || !has_unknown())
		return;
	answer = shard_try_coordinator(query);
	if (answer == NULL || pg_strtoint32(answer) > 0)
		dynamo_error_with_help(DYNAMO_SERVICE_UNAVAILABLE, &help,
							   DYNAMO_UNAVAILABLE);
	note_none(query);
}

/*
 * The query of how many of them are tables of the coordinator's.
 */
static char *
which_are_tables(List *names)
{
	StringInfoData query;
	ListCell   *lc;

	initStringInfo(&query);
	appendStringInfoString(&query,
						   "SELECT pg_catalog.count(*) FROM dynamo.tables AS t "
						   "JOIN pg_catalog.pg_dist_partition AS d ON d.logicalrelid OPERATOR(pg_catalog.=) t.relation "
						   "WHERE t.table_name OPERATOR(pg_catalog.=) ANY (ARRAY[");
	foreach(lc, names)
		appendStringInfo(&query, "%s%s", foreach_current_index(lc) > 0 ? ", " : "",
						 quote_literal_cstr(lfirst(lc)));
	appendStringInfoString(&query, "]::pg_catalog.text[])");
	return query.data;
}

/*
 * Has the coordinator said so less than REMEMBERED ago?
 */
static bool
is_known_to_be_none(const char *query)
{
	return none.query != NULL && strcmp(none.query, query) == 0 &&
		!TimestampDifferenceExceeds(none.said_at, GetCurrentTimestamp(),
									REMEMBERED);
}

static void
note_none(const char *query)
{
	char	   *copy = MemoryContextStrdup(TopMemoryContext, query);

	if (none.query != NULL)
		pfree(none.query);
	none.query = copy;
	none.said_at = GetCurrentTimestamp();
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
