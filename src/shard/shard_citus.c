/*-------------------------------------------------------------------------
 *
 * shard_citus.c
 *	  What Citus' catalogs say: has it taken the relation of a table, and is
 *	  this server its coordinator?
 *
 * Of a relation that Citus distributes, or replicates, the server keeps an
 * empty shell under the old name; the rows are in relations of other names.
 * Citus' planner leads plain SQL to them.  Code that goes to the relation
 * itself would read and write the shell beside them.
 *
 * Such relations stand in Citus' table pg_dist_partition.  Citus sends a
 * relcache message when it puts one there or takes it away, so the answer can
 * be part of a cached definition.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "peer/peer.h"
#include "shard/shard_internal.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define CITUS_EXTENSION		"citus"
#define CITUS_SETTING		"citus.shard_count"
#define CITUS_TABLES		"pg_dist_partition"
#define CITUS_RELATION		"logicalrelid"
#define CITUS_GROUP			"pg_dist_local_group"
#define CITUS_GROUP_ID		"groupid"

/* ... of which we know how it locks its recovery (shard_commit.c) */
#define KNOWN_VERSION		"13."

#define NO_GROUP			(-1)

#define CITUS_SHARDS		"pg_dist_shard"
#define CITUS_SHARDS_INDEX	"pg_dist_shard_shardid_index"
#define CITUS_COMMITS		"pg_dist_transaction"
#define CITUS_COMMIT_GROUP	"groupid"
#define CITUS_COMMIT_NAME	"gid"

#define CITUS_PLACEMENTS	"pg_dist_placement"
#define CITUS_PLACEMENTS_INDEX	"pg_dist_placement_shardid_index"

ShardCallbacks shard_callbacks;

/* What a catalog says of a shard. */
typedef struct ShardScan
{
	Relation	catalog;
	SnapshotData snapshot;
	SysScanDesc scan;
	HeapTuple	row;			/* the current one */
} ShardScan;

static bool begin_shard_scan(ShardScan *scan, const char *catalog,
							 const char *index, int64 shard);
static bool next_of_shard(ShardScan *scan);
static Datum column_of_shard(ShardScan *scan, const char *name, Oid type,
							 bool *isnull);
static void end_shard_scan(ShardScan *scan);
static void take_text(HeapTuple row, TupleDesc desc, void *text);
static Relation open_catalog(const char *name);
static Relation open_catalog_for(const char *name, LOCKMODE lockmode);
static Oid	find_catalog(const char *name);
static AttrNumber catalog_column(Relation catalog, const char *name, Oid type);
static int32 text_number(Datum value);

bool
shard_has_citus(void)
{
	return OidIsValid(get_extension_oid(CITUS_EXTENSION, true));
}

/*
 * Can this database have it at all?  Asks no catalog: Citus works only where it
 * is loaded when the server starts.
 */
bool
shard_may_have_citus(void)
{
	return GetConfigOption(CITUS_SETTING, true, false) != NULL;
}

/*
 * Is the relation one of Citus' tables?
 */
bool
shard_is_distributed(Oid relid)
{
	Relation	tables = open_catalog(CITUS_TABLES);
	AttrNumber	column;
	ScanKeyData key;
	SysScanDesc scan;
	bool		found = false;

	if (tables == NULL)
		return false;
	column = catalog_column(tables, CITUS_RELATION, REGCLASSOID);
	if (column != InvalidAttrNumber)
	{
		/* They are as many as Citus has tables. */
		ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(relid));
		scan = systable_beginscan(tables, InvalidOid, false, NULL, 1, &key);
		found = HeapTupleIsValid(systable_getnext(scan));
		systable_endscan(scan);
	}
	table_close(tables, AccessShareLock);
	return found;
}

/*
 * Citus has the rows, but not as shard_distribute_table() makes it.
 */
void
shard_refuse_foreign(const TableDef *def)
{
	dynamo_error(DYNAMO_VALIDATION,
				 "Table %s is distributed by Citus, but not by dynamo.distribute_table: its rows are not in its own relation",
				 def->name);
}

/*
 * Is this the node where Citus' DDL starts?  False without Citus.
 */
bool
shard_is_coordinator(void)
{
	return shard_node_group() == SHARD_COORDINATOR;
}

/*
 * A statement about the table is about to be run: if Citus runs it, sessions at
 * other nodes may be kept for the current user.
 */
void
shard_note_asker(const TableDef *def)
{
	if (def->distributed)
		peer_note_asker();
}

/*
 * Is this one of the others?
 */
bool
shard_is_worker(void)
{
	return shard_node_group() > SHARD_COORDINATOR;
}

/*
 * Which group of nodes is this one in?  NO_GROUP: there is no Citus.
 */
int32
shard_node_group(void)
{
	Relation	groups = open_catalog(CITUS_GROUP);
	AttrNumber	column;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		isnull;
	int32		group = NO_GROUP;

	if (groups == NULL)
		return NO_GROUP;
	column = catalog_column(groups, CITUS_GROUP_ID, INT4OID);
	if (column != InvalidAttrNumber)
	{
		scan = systable_beginscan(groups, InvalidOid, false, NULL, 0, NULL);
		tuple = systable_getnext(scan);
		if (HeapTupleIsValid(tuple))
			group = DatumGetInt32(heap_getattr(tuple, column,
											   RelationGetDescr(groups),
											   &isnull));
		systable_endscan(scan);
	}
	table_close(groups, AccessShareLock);
	return group;
}

/*
 * This transaction will decide, and whoever holds off such commits (hold_commits())
 * waits for its end.  False: somebody holds them off.  It is locked before anything
 * is prepared, as by Citus.  Otherwise what is prepared would wait for him, who
 * waits for that.
 */
bool
shard_lock_decisions(void)
{
	Oid			relid = find_catalog(CITUS_COMMITS);

	return OidIsValid(relid) &&
		ConditionalLockRelationOid(relid, RowExclusiveLock);
}

/*
 * This transaction decides: when it commits, one that a node has prepared under
 * this name is to be committed there.  False: Citus does not keep that in the
 * way that we know.
 */
bool
shard_note_decision(int32 group, const char *name)
{
	Relation	commits = open_catalog_for(CITUS_COMMITS, RowExclusiveLock);
	AttrNumber	group_column;
	AttrNumber	name_column;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (commits == NULL)
		return false;
	group_column = catalog_column(commits, CITUS_COMMIT_GROUP, INT4OID);
	name_column = catalog_column(commits, CITUS_COMMIT_NAME, TEXTOID);
	if (group_column == InvalidAttrNumber || name_column == InvalidAttrNumber)
	{
		table_close(commits, RowExclusiveLock);
		return false;
	}
	n = RelationGetNumberOfAttributes(commits);
	values = palloc0(sizeof(Datum) * n);
	nulls = palloc(sizeof(bool) * n);
	memset(nulls, true, sizeof(bool) * n);
	values[group_column - 1] = Int32GetDatum(group);
	values[name_column - 1] = CStringGetTextDatum(name);
	nulls[group_column - 1] = nulls[name_column - 1] = false;
	CatalogTupleInsert(commits, heap_form_tuple(RelationGetDescr(commits),
												values, nulls));
	CommandCounterIncrement();
	table_close(commits, NoLock);
	return true;
}

/*
 * Is it a version of Citus whose lock on recovery we know?
 */
bool
shard_knows_recovery(void)
{
	Oid			extension = get_extension_oid(CITUS_EXTENSION, true);
	char	   *version = NULL;

	if (OidIsValid(extension))
		(void) meta_query("SELECT extversion FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'citus'",
						  0, NULL, NULL, take_text, &version);
	return version != NULL && strncmp(version, KNOWN_VERSION, strlen(KNOWN_VERSION)) == 0;
}

static void
take_text(HeapTuple row, TupleDesc desc, void *text)
{
	*(char **) text = SPI_getvalue(row, desc, 1);
}

/*
 * The table that a shard is of, and the hashes it has; InvalidOid: there is no
 * such shard.  One counts that is about to be committed: see below.
 */
Oid
shard_table(int64 shard, int32 *low, int32 *high)
{
	ShardScan	scan;
	Oid			relid = InvalidOid;

	if (!begin_shard_scan(&scan, CITUS_SHARDS, CITUS_SHARDS_INDEX, shard))
		return InvalidOid;
	while (next_of_shard(&scan))
	{
		bool		isnull;
		bool		none;
		Datum		first = column_of_shard(&scan, "shardminvalue", TEXTOID, &isnull);
		Datum		last = column_of_shard(&scan, "shardmaxvalue", TEXTOID, &none);

		if (isnull || none)
			continue;			/* not by hash */
		*low = text_number(first);
		*high = text_number(last);
		relid = DatumGetObjectId(column_of_shard(&scan, CITUS_RELATION,
												 REGCLASSOID, &isnull));
	}
	end_shard_scan(&scan);
	return relid;
}

static int32
text_number(Datum value)
{
	return pg_strtoint32(TextDatumGetCString(value));
}

/*
 * The placement of a shard on this node, by its number here; 0: there is none.
 */
int64
shard_placement_here(int64 shard)
{
	int32		group = shard_node_group();
	ShardScan	scan;
	int64		placement = 0;

	if (!begin_shard_scan(&scan, CITUS_PLACEMENTS, CITUS_PLACEMENTS_INDEX, shard))
		return 0;
	while (next_of_shard(&scan))
	{
		bool		isnull;

		if (DatumGetInt32(column_of_shard(&scan, CITUS_GROUP_ID, INT4OID,
										  &isnull)) == group)
			placement = DatumGetInt64(column_of_shard(&scan, "placementid",
													  INT8OID, &isnull));
	}
	end_shard_scan(&scan);
	return placement;
}

/*
 * Begin to read what a catalog of Citus says of a shard; false: there is no
 * such catalog, and nothing to end.  Citus changes its catalogs on all nodes in
 * one transaction, in two phases.  Other nodes may send writes as soon as they
 * have committed, so a change that this node has not committed counts; one that
 * is to be rolled back has nobody who writes.
 */
static bool
begin_shard_scan(ShardScan *scan, const char *catalog, const char *index,
				 int64 shard)
{
	ScanKeyData key;

	scan->catalog = open_catalog(catalog);
	if (scan->catalog == NULL)
		return false;
	InitDirtySnapshot(scan->snapshot);
	ScanKeyInit(&key, catalog_column(scan->catalog, "shardid", INT8OID),
				BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(shard));
	scan->scan = systable_beginscan(scan->catalog,
									get_relname_relid(index,
													  PG_CATALOG_NAMESPACE),
									true, &scan->snapshot, 1, &key);
	return true;
}

static bool
next_of_shard(ShardScan *scan)
{
	scan->row = systable_getnext(scan->scan);
	return HeapTupleIsValid(scan->row);
}

static Datum
column_of_shard(ShardScan *scan, const char *name, Oid type, bool *isnull)
{
	return meta_column(scan->row, catalog_column(scan->catalog, name, type),
					   scan->catalog, isnull);
}

static void
end_shard_scan(ShardScan *scan)
{
	systable_endscan(scan->scan);
	table_close(scan->catalog, AccessShareLock);
}

/*
 * A table of Citus; NULL where there is none, or Citus is just being dropped.
 * One that has its name only is somebody else's.
 */
static Relation
open_catalog(const char *name)
{
	return open_catalog_for(name, AccessShareLock);
}

/*
 * To look for the extension and its members costs several times what is read, in
 * each request.  A table that was found once is Citus' as long as it is there: when
 * Citus is dropped, its tables go before the extension does.
 */
static Relation
open_catalog_for(const char *name, LOCKMODE lockmode)
{
	static struct
	{
		const char *name;
		Oid			relid;		/* invalid: not found yet */
	}			known[] = {
		{CITUS_TABLES}, {CITUS_GROUP}, {CITUS_SHARDS}, {CITUS_COMMITS},
		{CITUS_PLACEMENTS}
	};
	Relation	catalog = NULL;
	int			n = 0;

	while (strcmp(known[n].name, name) != 0)
	{
		n++;
		Assert(n < lengthof(known));
	}
	if (OidIsValid(known[n].relid))
		catalog = try_table_open(known[n].relid, lockmode);
	if (catalog != NULL)
		return catalog;
	known[n].relid = find_catalog(name);
	return OidIsValid(known[n].relid) ?
		try_table_open(known[n].relid, lockmode) : NULL;
}

/*
 * InvalidOid: there is none.
 */
static Oid
find_catalog(const char *name)
{
	Oid			extension = get_extension_oid(CITUS_EXTENSION, true);
	Oid			relid;

	if (!OidIsValid(extension))
		return InvalidOid;
	relid = get_relname_relid(name, PG_CATALOG_NAMESPACE);
	if (!OidIsValid(relid) ||
		getExtensionOfObject(RelationRelationId, relid) != extension)
		return InvalidOid;
	return relid;
}

/*
 * InvalidAttrNumber: no column has that name and type.
 */
static AttrNumber
catalog_column(Relation catalog, const char *name, Oid type)
{
	AttrNumber	column = get_attnum(RelationGetRelid(catalog), name);

	if (column == InvalidAttrNumber ||
		get_atttype(RelationGetRelid(catalog), column) != type)
		return InvalidAttrNumber;
	return column;
}
