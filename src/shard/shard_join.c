/*-------------------------------------------------------------------------
 *
 * shard_join.c
 *	  Nodes of a Citus cluster that lack what the others know are sent it.
 *
 * A node hears of changes from when it has a copy of dynamo_internal.nodes
 * (shard_publish.c).  What was there before is sent to it then, by maintenance
 * on the coordinator (../worker/worker_join.c).  So a node is remembered, in
 * dynamo_internal.known_nodes, by Citus' number of that copy: one that was
 * removed, or disabled, gets another when it comes back.
 *
 * Where Citus sends a node its metadata again, it makes the relations of all
 * distributed tables anew there, and the node's definitions are of none any
 * more (shard_missing.c).  It then also writes the node's row of pg_dist_node.
 * So the version of that row, its xmin, is remembered, too, and a node whose row
 * has another one is told again.
 *
 * A node that cannot be told is tried again after as long as it has waited
 * already, an hour at most.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "shard/shard_internal.h"
#include "utils/builtins.h"

/* It is not as it was when it was met. */
#define IS_ANOTHER \
	"k.placement IS DISTINCT FROM p.placementid OR k.version IS DISTINCT FROM n.xmin"

/* Nodes that do not know what is to be known, in this database's Citus. */
#define STRANGERS \
	"FROM pg_catalog.pg_dist_node AS n " \
	"LEFT JOIN (pg_catalog.pg_dist_placement AS p JOIN pg_catalog.pg_dist_shard AS s " \
	"ON s.shardid OPERATOR(pg_catalog.=) p.shardid " \
	"AND s.logicalrelid OPERATOR(pg_catalog.=) 'dynamo_internal.nodes'::pg_catalog.regclass) " \
	"ON p.groupid OPERATOR(pg_catalog.=) n.groupid " \
	"LEFT JOIN dynamo_internal.known_nodes AS k ON k.node OPERATOR(pg_catalog.=) n.nodeid " \
	"WHERE n.isactive AND n.hasmetadata AND n.groupid OPERATOR(pg_catalog.<>) 0 " \
	"AND n.noderole OPERATOR(pg_catalog.=) 'primary'::pg_catalog.noderole " \
	"AND (k.told IS NOT TRUE OR " IS_ANOTHER ") "

static bool finds(const char *query);
static void note_name(HeapTuple row, TupleDesc desc, void *names);

/*
 * Does this node have others to tell, now or as soon as a table is distributed?
 */
bool
shard_tells_others(void)
{
	return shard_is_coordinator() &&
		(shard_has_nodes() || shard_has_others());
}

/*
 * Does the coordinator know other nodes?
 */
bool
shard_has_others(void)
{
	return finds("SELECT FROM pg_catalog.pg_dist_node AS n WHERE n.groupid OPERATOR(pg_catalog.<>) 0");
}

/*
 * Is there a node to be told, whose time has come, or was noted by a clock that was
 * set back since?  Asks nobody.  For a node that tells others.
 */
bool
shard_has_strangers(void)
{
	return shard_has_nodes() &&
		finds("SELECT " STRANGERS
			  "AND (k.node IS NULL OR k.told OR " IS_ANOTHER
			  " OR pg_catalog.now() OPERATOR(pg_catalog.<) k.tried_at"
			  " OR pg_catalog.now() OPERATOR(pg_catalog.>=) (k.tried_at OPERATOR(pg_catalog.+) "
			  "LEAST(k.tried_at OPERATOR(pg_catalog.-) k.since, '1 hour'::pg_catalog.interval))) LIMIT 1");
}

/*
 * Is this node to be told, whether its time has come or not?
 */
bool
shard_is_stranger(const char *host, int port)
{
	Oid			types[] = {TEXTOID, INT4OID};
	Datum		values[] = {CStringGetTextDatum(host), Int32GetDatum(port)};

	return shard_has_nodes() &&
		shard_run_as_owner("SELECT " STRANGERS
						   "AND n.nodename OPERATOR(pg_catalog.=) $1 "
						   "AND n.nodeport OPERATOR(pg_catalog.=) $2",
						   lengthof(types), types, values, NULL, NULL) > 0;
}

/*
 * Note that these nodes are about to be told.  Those that come later, or get
 * another copy, are not among them.
 */
void
shard_meet_strangers(void)
{
	shard_run_as_owner("INSERT INTO dynamo_internal.known_nodes AS o "
					   "SELECT n.nodeid, p.placementid, false, pg_catalog.now(), pg_catalog.now(), k.failure, n.xmin "
					   STRANGERS
					   "ON CONFLICT (node) DO UPDATE SET placement = excluded.placement, "
					   "version = excluded.version, told = false, "
					   "tried_at = excluded.tried_at, since = CASE "
					   "WHEN o.told OR o.placement IS DISTINCT FROM excluded.placement "
					   "OR o.version IS DISTINCT FROM excluded.version "
					   "THEN excluded.since ELSE LEAST(o.since, excluded.since) END",
					   0, NULL, NULL, NULL, NULL);
}

/*
 * Have Citus copy dynamo_internal.nodes to nodes that lack it.  It copies all
 * reference tables at once, and keeps writers from them meanwhile; so where
 * others have some, too, that is left to them.
 */
void
shard_copy_nodes(void)
{
	if (!finds("SELECT FROM dynamo_internal.known_nodes AS k WHERE NOT k.told AND k.placement IS NULL"))
		return;
	if (finds("SELECT FROM pg_catalog.pg_dist_partition AS d "
			  "WHERE d.partmethod OPERATOR(pg_catalog.=) 'n' AND d.repmodel OPERATOR(pg_catalog.=) 't' "
			  "AND d.logicalrelid OPERATOR(pg_catalog.<>) 'dynamo_internal.nodes'::pg_catalog.regclass"))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a node that has joined lacks the reference tables, and not all of them are dynamo's"),
				 errhint("Call replicate_reference_tables('block_writes').")));
	shard_run_on_nodes("SELECT pg_catalog.replicate_reference_tables('block_writes')",
					   0, NULL, NULL);
}

/*
 * The names of all distributed tables, char *.
 */
List *
shard_tables(void)
{
	List	   *names = NIL;

	shard_run_as_owner("SELECT t.table_name FROM dynamo.tables AS t JOIN pg_catalog.pg_dist_partition AS d "
					   "ON d.logicalrelid OPERATOR(pg_catalog.=) t.relation ORDER BY 1",
					   0, NULL, NULL, note_name, &names);
	return names;
}

/*
 * Send the definition of a table, if it is still there, and its policies.  Its
 * relation is locked here first, as Citus' DDL does, since nodes lock theirs.
 */
void
shard_send_table(const char *name)
{
	const TableDef *def;
	Relation	rel;

	schema_lock_name(name);
	def = schema_table_open(name, AccessShareLock, &rel);
	if (def == NULL)
		return;
	table_close(rel, NoLock);
	if (!def->distributed)
		return;
	shard_publish(def->relid);
}

/*
 * The nodes that were met have been told.  With "failure" they have not, for
 * that reason: is it a new one?
 */
bool
shard_note_strangers(const char *failure)
{
	Oid			type = TEXTOID;
	Datum		value;
	uint64		n = 0;

	shard_run_as_owner("DELETE FROM dynamo_internal.known_nodes AS k WHERE NOT EXISTS ("
					   "SELECT FROM pg_catalog.pg_dist_node AS n WHERE n.nodeid OPERATOR(pg_catalog.=) k.node "
					   "AND n.isactive AND n.hasmetadata)",
					   0, NULL, NULL, NULL, NULL);
	if (failure == NULL)
		shard_run_as_owner("UPDATE dynamo_internal.known_nodes AS k SET told = true, failure = NULL "
						   "WHERE NOT k.told AND k.placement IS NOT NULL",
						   0, NULL, NULL, NULL, NULL);
	else
	{
		value = CStringGetTextDatum(failure);
		n = shard_run_as_owner("UPDATE dynamo_internal.known_nodes AS k SET failure = $1 "
							   "WHERE NOT k.told AND k.failure IS DISTINCT FROM $1",
							   1, &type, &value, NULL, NULL);
	}
	return n > 0;
}

static bool
finds(const char *query)
{
	return shard_run_as_owner(query, 0, NULL, NULL, NULL, NULL) > 0;
}

static void
note_name(HeapTuple row, TupleDesc desc, void *arg)
{
	List	  **names = arg;
	bool		isnull;

	*names = lappend(*names,
					 TextDatumGetCString(heap_getattr(row, 1, desc, &isnull)));
}
