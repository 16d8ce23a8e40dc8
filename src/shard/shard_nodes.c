/*-------------------------------------------------------------------------
 *
 * shard_nodes.c
 *	  A node of a Citus cluster takes the definition of a distributed table.
 *
 * How it is sent says shard_publish.c.  What is taken are rows as text; a
 * regclass in it is a name, read as the OID that it has here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "codec/codec.h"
#include "fmgr.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * Streams whose relation is gone, after those of a table that is there have got
 * the one that it has now: their table was dropped when this node did not know
 * it.
 */
#define END_LOST_STREAMS \
	"UPDATE dynamo.streams AS t SET relation = NULL, " \
	"disabled_at = COALESCE(t.disabled_at, pg_catalog.now()), " \
	"end_number = COALESCE(t.end_number, pg_catalog.nextval('dynamo_internal.stream_sequence')) " \
	"WHERE t.table_name OPERATOR(pg_catalog.=) $1 AND t.shards OPERATOR(pg_catalog.=) 0 " \
	"AND t.relation IS NOT NULL AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c " \
	"WHERE c.oid OPERATOR(pg_catalog.=) t.relation)"

#define NO_POLICIES		"{}"

PG_FUNCTION_INFO_V1(dynamo_take_definition);

static bool finds_as_owner(const char *query, Datum name, Datum rows);
static void run_as_owner(const char *statement, Datum name, Datum rows);
static void take_streams(const char *name, Datum streams, Datum shards);
static void take_policies(const char *name, const char *policies);
static const char *read_others(const char *others, const char **policies,
							   int *days);
static void check_free(const char *name);
static bool has_own(const char *name);
static void check_owner(Oid relid, const char *name);
static void check_taken(const char *name);

/*
 * Have nodes that are there, or may come, take definitions.  For a superuser;
 * done once for a database.  False: it was done.
 */
bool
shard_prepare_nodes(void)
{
	Oid			relid = shard_nodes();

	if (shard_is_distributed(relid))
		return false;
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the first table of a database is distributed by a superuser")));
	shard_run_on_nodes("SELECT pg_catalog.create_reference_table('dynamo_internal.nodes')",
					   0, NULL, NULL);
	shard_run_on_nodes("SELECT pg_catalog.create_distributed_table('dynamo_internal.shared_tokens', 'token', colocate_with => 'none')",
					   0, NULL, NULL);
	shard_callbacks.prepared();
	return true;
}

/*
 * Is there a table by which other nodes are told, and one of tokens?
 */
bool
shard_has_nodes(void)
{
	return shard_is_distributed(shard_nodes());
}

/*
 * take_definition(taken, table_name, row, indexes, streams, others), see above;
 * without a row: the table is no more.
 */
Datum
dynamo_take_definition(PG_FUNCTION_ARGS)
{
	char	   *name;
	const char *policies = NO_POLICIES;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (shard_is_coordinator()) /* it is where they come from */
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	schema_lock_name(name);
	if (PG_ARGISNULL(2) && has_own(name))	/* it was not this one */
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	check_free(name);
	run_as_owner("DELETE FROM dynamo.indexes WHERE table_name OPERATOR(pg_catalog.=) $1",
				 PG_GETARG_DATUM(1), (Datum) 0);
	run_as_owner("DELETE FROM dynamo.tables WHERE table_name OPERATOR(pg_catalog.=) $1",
				 PG_GETARG_DATUM(1), (Datum) 0);
	if (!PG_ARGISNULL(2))
	{
		const char *places = "[]";
		int			days = 0;

		policies = NULL;
		if (!PG_ARGISNULL(5))
			places = read_others(text_to_cstring(PG_GETARG_TEXT_PP(5)), &policies,
								 &days);
		run_as_owner("INSERT INTO dynamo.tables SELECT t.* FROM (SELECT ($2::dynamo.tables).*) AS t "
					 "WHERE t.table_name OPERATOR(pg_catalog.=) $1",
					 PG_GETARG_DATUM(1), PG_GETARG_DATUM(2));
		if (!PG_ARGISNULL(3))
			run_as_owner("INSERT INTO dynamo.indexes SELECT i.* FROM pg_catalog.unnest($2::dynamo.indexes[]) AS i "
						 "WHERE i.table_name OPERATOR(pg_catalog.=) $1",
						 PG_GETARG_DATUM(1), PG_GETARG_DATUM(3));
		check_taken(name);
		journal_forget_lost();
		journal_follow(schema_find_table(name), days, shard_lock);
		if (!PG_ARGISNULL(4))
			take_streams(name, PG_GETARG_DATUM(4), CStringGetTextDatum(places));
	}
	take_policies(name, policies);
	run_as_owner(END_LOST_STREAMS, PG_GETARG_DATUM(1), (Datum) 0);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

#define SENT_STREAMS \
	"pg_catalog.unnest($2::dynamo.streams[]) AS s LEFT JOIN dynamo.streams AS o " \
	"ON o.table_name OPERATOR(pg_catalog.=) s.table_name AND o.label OPERATOR(pg_catalog.=) s.label " \
	"WHERE s.table_name OPERATOR(pg_catalog.=) $1 AND s.shards OPERATOR(pg_catalog.=) 0 " \
	"AND s.relation OPERATOR(pg_catalog.=) (SELECT d.relation FROM dynamo.tables AS d WHERE d.table_name OPERATOR(pg_catalog.=) $1) "

#define NEW_STREAMS \
	SENT_STREAMS "AND o.label IS NULL AND s.end_number IS NULL"

#define ENDED_STREAMS \
	SENT_STREAMS "AND o.end_number IS NULL AND s.end_number IS NOT NULL"

/* That of a table that was dropped stays its owner's, whoever has the name now. */
#define MOVED_STREAMS \
	SENT_STREAMS "AND o.relation IS DISTINCT FROM s.relation " \
	"AND (o.relation IS NOT NULL OR o.owner_oid OPERATOR(pg_catalog.=) " \
	"(SELECT c.relowner FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) s.relation))"

/*
 * Begin the stream of a table that has begun, and end those that have ended.
 * Numbers are this node's: they are drawn while nobody writes to its shards.
 * Others are of the relation that the table has now, which Citus may have made
 * anew.
 */
static void
take_streams(const char *name, Datum streams, Datum shards)
{
	Datum		table = CStringGetTextDatum(name);
	const TableDef *def = schema_find_table(name);

	run_as_owner("UPDATE dynamo.streams AS t SET relation = s.relation FROM "
				 MOVED_STREAMS
				 " AND t.stream_id OPERATOR(pg_catalog.=) o.stream_id",
				 table, streams);
	if (finds_as_owner("SELECT FROM " ENDED_STREAMS " AND o.label IS NOT NULL",
					   table, streams))
	{
		shard_lock(def, AccessExclusiveLock);
		run_as_owner("UPDATE dynamo.streams AS t SET disabled_at = s.disabled_at, "
					 "end_number = pg_catalog.nextval('dynamo_internal.stream_sequence') FROM "
					 ENDED_STREAMS
					 " AND t.stream_id OPERATOR(pg_catalog.=) o.stream_id",
					 table, streams);
	}
	if (finds_as_owner("SELECT FROM " NEW_STREAMS, table, streams))
	{
		shard_lock(def, ShareRowExclusiveLock);
		run_as_owner("INSERT INTO dynamo.streams "
					 "SELECT pg_catalog.nextval('dynamo_internal.stream_ids'), s.relation, s.table_name, s.label, "
					 "s.view_type, s.shards, s.partition_key, s.partition_key_type, s.sort_key, s.sort_key_type, "
					 "s.owner, r.oid, s.created_at, n, n, NULL, NULL FROM "
					 "(SELECT pg_catalog.nextval('dynamo_internal.stream_sequence') OFFSET 0) AS drawn (n), "
					 "pg_catalog.pg_roles AS r, " NEW_STREAMS
					 " AND r.rolname OPERATOR(pg_catalog.=) s.owner",
					 table, streams);
		run_as_owner("INSERT INTO dynamo_internal.stream_shards "
					 "SELECT t.stream_id, s.place, s.shard, s.group_id, s.low, s.high, "
					 SHARD_RELATION("t.relation", "s.shard") "::pg_catalog.oid, "
					 "t.created_at "
					 "FROM pg_catalog.json_to_recordset($2::pg_catalog.json) AS s (place pg_catalog.int4, "
					 "shard pg_catalog.int8, group_id pg_catalog.int4, low pg_catalog.int4, high pg_catalog.int4), "
					 "dynamo.streams AS t, pg_catalog.pg_dist_local_group AS g "
					 "WHERE t.table_name OPERATOR(pg_catalog.=) $1 AND t.end_number IS NULL "
					 "AND s.group_id OPERATOR(pg_catalog.=) g.groupid "
					 "AND " SHARD_RELATION("t.relation", "s.shard") " IS NOT NULL",
					 table, shards);
	}
}

/* By their revisions: a role that was dropped is a number, and another elsewhere. */
#define OLD_POLICIES \
	"dynamo.resource_policies AS o WHERE o.table_name OPERATOR(pg_catalog.=) $1 " \
	"AND NOT EXISTS (SELECT FROM pg_catalog.unnest($2::dynamo.resource_policies[]) AS p " \
	"WHERE p.stream_label OPERATOR(pg_catalog.=) o.stream_label " \
	"AND p.table_id OPERATOR(pg_catalog.=) o.table_id " \
	"AND p.revision_id OPERATOR(pg_catalog.=) o.revision_id)"

#define NEW_POLICIES \
	"pg_catalog.unnest($2::dynamo.resource_policies[]) AS p, dynamo.tables AS t " \
	"WHERE p.table_name OPERATOR(pg_catalog.=) $1 AND t.table_name OPERATOR(pg_catalog.=) $1 " \
	"AND p.table_id OPERATOR(pg_catalog.=) t.table_id::pg_catalog.text " \
	"AND NOT EXISTS (SELECT FROM dynamo.resource_policies AS o " \
	"WHERE o.table_name OPERATOR(pg_catalog.=) p.table_name AND o.stream_label OPERATOR(pg_catalog.=) p.stream_label)"

/*
 * Have the policies of the table and its streams, an array; NULL: nothing is said
 * of them.  Where nothing changes no row is touched, since that has processes read
 * policies again.
 */
static void
take_policies(const char *name, const char *policies)
{
	Datum		table = CStringGetTextDatum(name);
	Datum		rows;

	if (policies == NULL)
		return;
	rows = CStringGetTextDatum(policies);
	if (finds_as_owner("SELECT FROM " OLD_POLICIES, table, rows))
		run_as_owner("DELETE FROM " OLD_POLICIES, table, rows);
	if (finds_as_owner("SELECT FROM " NEW_POLICIES, table, rows))
		run_as_owner("INSERT INTO dynamo.resource_policies SELECT p.* FROM " NEW_POLICIES,
					 table, rows);
}

/*
 * The places of the shards of a stream, as JSON, policies, and the days of
 * point-in-time recovery, 0 for none, of what is sent besides.  A coordinator of
 * an older version sends the places alone; then the others stay as they are.
 */
static const char *
read_others(const char *others, const char **policies, int *days)
{
	json_error_t error;
	json_t	   *json = codec_load(others, strlen(others), &error);
	json_t	   *places = json_object_get(json, "places");
	char	   *text;
	char	   *copy;

	if (!json_is_object(json) || !json_is_array(places))
		return others;
	*policies = json_string_value(json_object_get(json, "policies"));
	if (*policies == NULL)
		*policies = NO_POLICIES;
	*days = (int) json_integer_value(json_object_get(json, "recovery"));
	text = json_dumps(places, JSON_COMPACT);
	if (text == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	copy = pstrdup(text);
	free(text);
	return copy;
}

/*
 * Refuse to replace a table of this node's own, or of somebody else's.
 */
static void
check_free(const char *name)
{
	Oid			relid = schema_row_relation(name);

	if (has_own(name))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("this node has a table \"%s\" of its own", name),
				 errhint("Drop it, or distribute the other one under another name.")));
	if (OidIsValid(relid) && get_rel_name(relid) != NULL)
		check_owner(relid, name);
}

/*
 * Has this node a table of that name that is not distributed?
 */
static bool
has_own(const char *name)
{
	Oid			relid = schema_row_relation(name);

	return OidIsValid(relid) && get_rel_name(relid) != NULL &&
		!shard_is_distributed(relid);
}

static void
check_owner(Oid relid, const char *name)
{
	if (!compat_relation_owner(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, name);
}

/*
 * The definition must be that of the relation that is here.  Citus may be at
 * making it anew: the coordinator commits that before this node does.
 */
static void
check_taken(const char *name)
{
	Oid			relid = schema_row_relation(name);
	const TableDef *def;

	if (OidIsValid(relid))
	{
		LockRelationOid(relid, AccessShareLock);
		if (get_rel_name(relid) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the relation of table \"%s\" was dropped meanwhile",
							name)));
	}
	def = schema_find_table(name);
	if (def == NULL || !def->distributed || !def->checked)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this node has no distributed relation for table \"%s\"",
						name)));
	check_owner(def->relid, name);
}

/*
 * Run a statement on the definition tables as their owner, so that their
 * constraints are checked and their triggers fire.  It is about that table;
 * the rows, 0 for none, may name others, which are nobody's business here.
 */
static void
run_as_owner(const char *statement, Datum name, Datum rows)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {name, rows};

	shard_run_as_owner(statement, rows ? 2 : 1, types, values, NULL, NULL);
}

/*
 * The same of a query: does it give a row?
 */
static bool
finds_as_owner(const char *query, Datum name, Datum rows)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {name, rows};

	return shard_run_as_owner(query, lengthof(values), types, values, NULL,
							  NULL) > 0;
}
