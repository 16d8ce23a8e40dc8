/*-------------------------------------------------------------------------
 *
 * region_replica.c
 *	  Global tables and their replicas: rows of dynamo_internal.global_tables
 *	  and dynamo_internal.replicas.
 *
 * A table with a replica in another region has a row of the first, which is part
 * of its definition, and a row of the second for each other region.  What these
 * say is to be done, the background does, and notes here how far it has come.
 *
 * The triggers of a relation whose changes are recorded (schema_capture.c) are
 * made with the first row and dropped with the last, unless a stream or
 * point-in-time recovery needs them.
 *
 * Locks, in this order, all to the end of the transaction:
 *
 *		the relation	as schema_ddl.c has it, so that one at a time makes or
 *						ends replicas; exclusively to end the last one
 *		the rows		of a table, exclusively to change or to delete them
 *
 * The background notes how far it has come without a lock on the relation, and
 * meets who ends a replica in the rows' lock, not in simple_heap_update(), which
 * cannot wait.  A crash leaves what was committed, so what is to be done.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type_d.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "process/process_turn.h"
#include "process/process_watch.h"
#include "region/region_internal.h"
#include "schema/schema_row.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"

/* The first column of both tables. */
#define RELATION			1

/* Columns of dynamo_internal.global_tables. */
#define GLOBAL_RELATION		RELATION
#define GLOBAL_ID			2
#define GLOBAL_REGION		3
#define GLOBAL_REGION_ID	4
#define GLOBAL_SEED			5
#define GLOBAL_VERSIONED	6
#define GLOBAL_VERSIONED_TO	7
#define GLOBAL_FLOOR		8
#define GLOBAL_NATTS		8

/* Columns of dynamo_internal.replicas. */
#define REPLICAS_RELATION	RELATION
#define REPLICAS_REGION		2
#define REPLICAS_REGION_ID	3
#define REPLICAS_STATUS		4
#define REPLICAS_DESCRIPTION 5
#define REPLICAS_CREATED	6
#define REPLICAS_OVERRIDES	7
#define REPLICAS_SOURCE		8
#define REPLICAS_POSITION	9
#define REPLICAS_SENT		10
#define REPLICAS_HELD		11
#define REPLICAS_SENT_TO	12
#define REPLICAS_RETRY		13
#define REPLICAS_FAILURES	14
#define REPLICAS_OFFERED	15
#define REPLICAS_EPOCH		16
#define REPLICAS_INCARNATION 17
#define REPLICAS_WHOLE		18
#define REPLICAS_LAG		19
#define REPLICAS_CONFIRMED	20
#define REPLICAS_CLOCK		21
#define REPLICAS_UNTIL		22
#define REPLICAS_NATTS		22

/* Nobody has looked for so long that what was noted last is told no more; ms. */
#define STALE_AFTER			30000

static const DynamoColumn global_columns[] = {
	{REGCLASSOID, true}, {INT4OID, true}, {TEXTOID, true}, {INT4OID, true},
	{INT8OID, true}, {BOOLOID, true}, {InvalidOid}, {INT8OID, true}
};

static const DynamoColumn replicas_columns[] = {
	{REGCLASSOID, true}, {TEXTOID, true}, {INT4OID, true}, {TEXTOID, true},
	{TEXTOID}, {TIMESTAMPTZOID, true}, {JSONOID, true}, {BOOLOID, true},
	{INT8OID, true}, {INT8OID, true}, {INT8OID, true}, {TIMESTAMPTZOID},
	{TIMESTAMPTZOID}, {INT4OID, true}, {INT8OID, true}, {INT8OID, true},
	{TEXTOID}, {BOOLOID, true}, {INT8OID, true}, {INT8OID, true},
	{INT8OID, true}, {INT8OID, true}
};

StaticAssertDecl(lengthof(global_columns) == GLOBAL_NATTS &&
				 lengthof(replicas_columns) == REPLICAS_NATTS,
				 "each column has its type");
StaticAssertDecl(REPLICAS_NATTS <= META_MAX_COLUMNS, "a row has room for them");

static DynamoIndex global_indexes[] = {
	{1, {GLOBAL_RELATION}},
};

static DynamoIndex replicas_indexes[] = {
	{2, {REPLICAS_RELATION, REPLICAS_REGION}},
};

static DynamoMember global_tables =
DYNAMO_INTERNAL_TABLE("global_tables", global_columns,
					  DYNAMO_INDEXES(global_indexes),
					  .forgotten = meta_definitions_gone);
static DynamoMember replicas =
DYNAMO_INTERNAL_TABLE("replicas", replicas_columns,
					  DYNAMO_INDEXES(replicas_indexes));
static DynamoMember global_ids = DYNAMO_SEQUENCE("global_table_ids");

static void read_global(TableDef *def);
static void table_gone(Oid relid, Oid owner);
static void forget(Oid relid);
static bool captures(Oid relid);
static const GlobalDef *find_global(Oid relid);
static void *read_global_row(Relation rel, HeapTuple tuple);
static void insert_global(const TableDef *def);
static void insert_replica(const TableDef *def, const Region *region,
						   const char *overrides, ReplicaStatus status);
static ReplicaStatus read_status(Relation rel, HeapTuple tuple);
static void *read_link(Relation rel, HeapTuple tuple);
static void *read_versioned_to(Relation rel, HeapTuple tuple);
static void refuse_leaving(const TableDef *def);
static void forget_protection(const TableDef *def);
static void want_sender(void);
static List *relations_of(DynamoMember *table, int nkeys, ScanKey keys);
static void *read_relation(Relation rel, HeapTuple tuple);
static bool scan_replica(MetaScan *scan, Oid relid, const char *region);
static bool find_link(MetaScan *scan, Oid relid, const char *region);
static bool is_link(MetaScan *scan, const RegionLink *link);
static int64 draw_random(void);
static void change_replica(const char *table, const char *region, int column,
						   Datum value);
static void *read_replica_row(Relation rel, HeapTuple tuple);
static int64 read_lag(Relation rel, HeapTuple tuple);
static int	compare_creation(const ListCell *a, const ListCell *b);
static void delete_rows(DynamoMember *table, const DynamoIndex *index,
						Oid relid);

static const char *const status_names[] = {
	[REPLICA_CREATING] = "CREATING",
	[REPLICA_LEAVING] = "UPDATING",
	[REPLICA_ACTIVE] = "ACTIVE",
	[REPLICA_DELETING] = "DELETING"
};

/*
 * Global tables follow the definitions of their tables.
 */
void
region_replica_init(void)
{
	static const SchemaFollower follower = {
		.read = read_global,
		.gone = table_gone,
		.dropped = forget,
		.captures = captures
	};

	schema_follow(&follower);
}

static void
read_global(TableDef *def)
{
	def->replication = find_global(def->relid);
}

static bool
captures(Oid relid)
{
	return find_global(relid) != NULL;
}

static void
table_gone(Oid relid, Oid owner)
{
	forget(relid);
}

/*
 * The relation is dropped, or put away.
 */
static void
forget(Oid relid)
{
	region_conflict_forget(relid);
	region_lock_rows(relid);
	delete_rows(&replicas, &replicas_indexes[0], relid);
	delete_rows(&global_tables, &global_indexes[0], relid);
	region_claim_forget(relid, NULL);
}

/*
 * Where the extension has lost the table, there are none.
 */
void
region_lock_rows(Oid relid)
{
	Oid			table = dynamo_member_find(&replicas);

	if (OidIsValid(table))
		LockDatabaseObject(table, relid, 0, ExclusiveLock);
}

/*
 * The same, unless it would have to wait.
 */
bool
region_lock_rows_now(Oid relid)
{
	Oid			table = dynamo_member_find(&replicas);
	LOCKTAG		tag;

	if (!OidIsValid(table))
		return true;
	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, table, relid, 0);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return false;
	AcceptInvalidationMessages();
	return true;
}

static void
delete_rows(DynamoMember *table, const DynamoIndex *index, Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, RELATION, relid);
	meta_delete_all(table, index, 1, &key);
}

static const GlobalDef *
find_global(Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, GLOBAL_RELATION, relid);
	return meta_first(&global_tables, &global_indexes[0], 1, &key,
					  read_global_row);
}

static void *
read_global_row(Relation rel, HeapTuple tuple)
{
	GlobalDef  *def = palloc0(sizeof(GlobalDef));
	bool		isnull;

	def->id = DatumGetInt32(meta_column(tuple, GLOBAL_ID, rel, &isnull));
	def->region = meta_text_column(tuple, GLOBAL_REGION, rel);
	def->region_id = DatumGetInt32(meta_column(tuple, GLOBAL_REGION_ID, rel,
											   &isnull));
	def->seed = (uint64) DatumGetInt64(meta_column(tuple, GLOBAL_SEED, rel,
												   &isnull));
	def->versioned = DatumGetBool(meta_column(tuple, GLOBAL_VERSIONED, rel,
											  &isnull));
	def->floor = DatumGetInt64(meta_column(tuple, GLOBAL_FLOOR, rel,
										   &isnull));
	return def;
}

/*
 * No version that this region gives is as old, as of now.
 */
int64
region_floor(Oid relid)
{
	const GlobalDef *def = find_global(relid);

	return def ? def->floor : 0;
}

void
region_set_floor(Oid relid, int64 floor)
{
	MetaScan	scan;
	ScanKeyData key;
	MetaRow		row = {{0}};

	region_lock_rows(relid);
	meta_oid_key(&key, GLOBAL_RELATION, relid);
	meta_scan(&scan, &global_tables, RowExclusiveLock, &global_indexes[0], 1,
			  &key);
	if (meta_next(&scan))
	{
		meta_set_column(&row, GLOBAL_FLOOR, Int64GetDatum(floor));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
	schema_definition_changed(relid);
}

List *
region_global_tables(void)
{
	return relations_of(&global_tables, 0, NULL);
}

/*
 * Of rows of either table, in the order of OIDs.
 */
static List *
relations_of(DynamoMember *table, int nkeys, ScanKey keys)
{
	List	   *oids = NIL;
	ListCell   *lc;

	foreach(lc, meta_all(table, NULL, nkeys, keys, read_relation))
		oids = lappend_oid(oids, *(Oid *) lfirst(lc));
	list_sort(oids, list_oid_cmp);
	return oids;
}

static void *
read_relation(Relation rel, HeapTuple tuple)
{
	Oid		   *relid = palloc(sizeof(Oid));
	bool		isnull;

	*relid = DatumGetObjectId(meta_column(tuple, RELATION, rel, &isnull));
	return relid;
}

bool
region_is_member(Oid relid, const char *region)
{
	MetaScan	scan;
	bool		found = scan_replica(&scan, relid, region);

	meta_end(&scan);
	return found;
}

/*
 * Find a replica; the caller ends the scan.  False: there is none.
 */
static bool
scan_replica(MetaScan *scan, Oid relid, const char *region)
{
	ScanKeyData keys[2];

	meta_oid_key(&keys[0], REPLICAS_RELATION, relid);
	meta_text_key(&keys[1], REPLICAS_REGION, region);
	meta_scan(scan, &replicas, RowExclusiveLock, &replicas_indexes[0], 2,
			  keys);
	return meta_next(scan);
}

void
region_drop(const char *name)
{
	const Region *region = region_find(name);

	region_check_superuser();
	if (region != NULL && (OidIsValid(region->server) ?
						   region_tables(name) != NIL :
						   meta_all(&global_tables, NULL, 0, NULL,
									read_global_row) != NIL))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("region \"%s\" has replicas of tables", name)));
	if (!region_row_delete(name))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("region \"%s\" does not exist", name)));
}

List *
region_tables(const char *name)
{
	ScanKeyData key;

	meta_text_key(&key, REPLICAS_REGION, name);
	return relations_of(&replicas, 1, &key);
}

/*
 * Every change after the transaction that makes the table global has a version:
 * so writers are waited for.
 */
void
region_add_replica(const char *table, const char *region,
				   const char *overrides)
{
	const Region *peer;
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, ShareUpdateExclusiveLock);
	schema_refuse_distributed(def, "have replicas in other regions");
	peer = region_find(region);
	if (peer == NULL || !OidIsValid(peer->server))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("region \"%s\" is not one that replicas can be in",
						region)));
	if (region_is_member(def->relid, region))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" has a replica in region \"%s\" already",
						table, region)));
	if (def->replication == NULL)
	{
		def = schema_open_own_table(table, ShareRowExclusiveLock);
		schema_begin_capture(def);
		insert_global(def);
	}
	insert_replica(def, peer, overrides, REPLICA_CREATING);
	schema_definition_changed(def->relid);
	dynamo_at_commit(want_sender);
}

static void
insert_global(const TableDef *def)
{
	const Region *own = region_own();
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, GLOBAL_RELATION, ObjectIdGetDatum(def->relid));
	meta_set_column(&row, GLOBAL_ID,
					Int32GetDatum((int32) nextval_internal(dynamo_member_get(&global_ids),
														   false)));
	meta_set_column(&row, GLOBAL_REGION, CStringGetTextDatum(own->name));
	meta_set_column(&row, GLOBAL_REGION_ID, Int32GetDatum(own->id));
	meta_set_column(&row, GLOBAL_SEED, Int64GetDatum(draw_random()));
	meta_set_column(&row, GLOBAL_VERSIONED, BoolGetDatum(false));
	meta_set_column(&row, GLOBAL_FLOOR, Int64GetDatum(0));
	meta_insert(&global_tables, &row);
}

static void
insert_replica(const TableDef *def, const Region *region,
			   const char *overrides, ReplicaStatus status)
{
	MetaRow		row;

	refuse_leaving(def);
	meta_init_row(&row);
	meta_set_column(&row, REPLICAS_RELATION, ObjectIdGetDatum(def->relid));
	meta_set_column(&row, REPLICAS_REGION, CStringGetTextDatum(region->name));
	meta_set_column(&row, REPLICAS_REGION_ID, Int32GetDatum(region->id));
	meta_set_column(&row, REPLICAS_STATUS,
					CStringGetTextDatum(status_names[status]));
	meta_set_column(&row, REPLICAS_CREATED,
					TimestampTzGetDatum(GetCurrentTimestamp()));
	meta_set_column(&row, REPLICAS_OVERRIDES,
					CStringGetTextDatum(overrides ? overrides : "{}"));
	meta_set_column(&row, REPLICAS_SOURCE,
					BoolGetDatum(status == REPLICA_CREATING));
	for (int column = REPLICAS_SOURCE + 1; column <= REPLICAS_NATTS; column++)
	{
		if (replicas_columns[column - 1].not_null)
			meta_set_column(&row, column, (Datum) 0);
	}
	meta_set_column(&row, REPLICAS_EPOCH, Int64GetDatum(draw_random()));
	meta_insert(&replicas, &row);

	/* What was claimed of these members before is not true of the new one. */
	region_lock_rows(def->relid);
	if (def->replication != NULL)
		region_claim_withdraw(def->relid, def->replication->region);
}

/*
 * Who leaves has to do with those alone that are there.
 */
static void
refuse_leaving(const TableDef *def)
{
	ListCell   *lc;

	foreach(lc, region_replicas(def->relid))
	{
		if (((const RegionReplica *) lfirst(lc))->status == REPLICA_LEAVING)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_IN_USE),
					 errmsg("table \"%s\" is leaving its global table in this region",
							def->name)));
	}
}

static int64
draw_random(void)
{
	int64		number;

	if (!pg_strong_random(&number, sizeof(number)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not draw a random number")));
	return number;
}

void
region_remove_replica(const char *table, const char *region)
{
	change_replica(table, region, REPLICAS_STATUS,
				   CStringGetTextDatum(status_names[REPLICA_DELETING]));
}

void
region_leave(const char *table, int64 until)
{
	const TableDef *def;
	ListCell   *lc;

	schema_lock_name(table);
	def = schema_open_own_table(table, ShareUpdateExclusiveLock);
	if (def->replication == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no replica in another region", table)));
	foreach(lc, region_replicas(def->relid))
	{
		const char *region = ((const RegionReplica *) lfirst(lc))->region;

		region_link_bound(def->relid, region, until);
		change_replica(table, region, REPLICAS_STATUS,
					   CStringGetTextDatum(status_names[REPLICA_LEAVING]));
	}
	dynamo_at_commit(want_sender);
}

/*
 * A region leaves, this one or the replica's, or both: what is written after that, or
 * after the later of the two, is not the other's any more.
 *
 * Where there are others, all is sent anew: one of them may have parted already from
 * that region, and have replaced here what was not sent there.
 */
void
region_link_bound(Oid relid, const char *region, int64 until)
{
	MetaScan	scan;
	MetaRow		row = {{0}};
	bool		found = find_link(&scan, relid, region);

	if (found)
	{
		meta_set_column(&row, REPLICAS_UNTIL, Int64GetDatum(until));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
	if (found && list_length(region_replicas(relid)) > 1)
		region_link_renew(relid, region, true);
}

void
region_set_overrides(const char *table, const char *region,
					 const char *overrides)
{
	change_replica(table, region, REPLICAS_OVERRIDES,
				   CStringGetTextDatum(overrides));
}

static void
change_replica(const char *table, const char *region, int column, Datum value)
{
	const TableDef *def;
	MetaScan	scan;
	MetaRow		row = {{0}};
	bool		found;

	schema_lock_name(table);
	def = schema_open_own_table(table, ShareUpdateExclusiveLock);
	found = find_link(&scan, def->relid, region);
	if (found)
	{
		meta_set_column(&row, column, value);
		meta_change(&scan, &row);
	}
	meta_end(&scan);
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no replica in region \"%s\"",
						table, region)));
}

const char *
region_status_name(ReplicaStatus status)
{
	return status_names[status];
}

List *
region_replicas(Oid relid)
{
	ScanKeyData key;
	List	   *list;

	meta_oid_key(&key, REPLICAS_RELATION, relid);
	list = meta_all(&replicas, &replicas_indexes[0], 1, &key,
					read_replica_row);
	list_sort(list, compare_creation);
	return list;
}

const RegionReplica *
region_replica(Oid relid, const char *region)
{
	ScanKeyData keys[2];

	meta_oid_key(&keys[0], REPLICAS_RELATION, relid);
	meta_text_key(&keys[1], REPLICAS_REGION, region);
	return meta_first(&replicas, &replicas_indexes[0], 2, keys,
					  read_replica_row);
}

static ReplicaStatus
read_status(Relation rel, HeapTuple tuple)
{
	const char *name = meta_text_column(tuple, REPLICAS_STATUS, rel);

	for (int i = 0; i < lengthof(status_names); i++)
	{
		if (strcmp(name, status_names[i]) == 0)
			return i;
	}
	elog(ERROR, "unknown status of a replica: \"%s\"", name);
}

static void *
read_replica_row(Relation rel, HeapTuple tuple)
{
	RegionReplica *replica = palloc0(sizeof(RegionReplica));
	bool		isnull;

	replica->region = meta_text_column(tuple, REPLICAS_REGION, rel);
	replica->status = read_status(rel, tuple);
	replica->description = meta_text_column(tuple, REPLICAS_DESCRIPTION, rel);
	replica->created_at =
		DatumGetTimestampTz(meta_column(tuple, REPLICAS_CREATED, rel, &isnull));
	replica->overrides = meta_text_column(tuple, REPLICAS_OVERRIDES, rel);
	replica->source = DatumGetBool(meta_column(tuple, REPLICAS_SOURCE, rel,
											   &isnull));
	replica->lag = read_lag(rel, tuple);
	return replica;
}

/*
 * Of the last changes that were sent; or, while that fails or nobody looks, for
 * how long the replica may lack what was written.
 */
static int64
read_lag(Relation rel, HeapTuple tuple)
{
	bool		fails;
	bool		isnull;
	int64		since;
	Datum		sent_to;

	fails = DatumGetInt32(meta_column(tuple, REPLICAS_FAILURES, rel,
									  &isnull)) > 0 ||
		DatumGetInt64(meta_column(tuple, REPLICAS_HELD, rel, &isnull)) > 0;
	sent_to = meta_column(tuple, REPLICAS_SENT_TO, rel, &isnull);
	if (isnull)
		sent_to = meta_column(tuple, REPLICAS_CREATED, rel, &isnull);
	since = (GetCurrentTimestamp() - DatumGetTimestampTz(sent_to)) / 1000;
	if (fails || since > STALE_AFTER)
		return Max(since, 0);
	return DatumGetInt64(meta_column(tuple, REPLICAS_LAG, rel, &isnull));
}

static int
compare_creation(const ListCell *a, const ListCell *b)
{
	const RegionReplica *x = lfirst(a);
	const RegionReplica *y = lfirst(b);

	if (x->created_at != y->created_at)
		return x->created_at < y->created_at ? -1 : 1;
	return strcmp(x->region, y->region);
}

/*
 * All replicas of all tables that something is to be done for by now; *next is
 * when others are, 0 if there are none.  In the current context.
 */
List *
region_links_due(TimestampTz *next)
{
	List	   *due = NIL;
	ListCell   *lc;

	*next = 0;
	foreach(lc, meta_all(&replicas, NULL, 0, NULL, read_link))
	{
		RegionLink *link = lfirst(lc);

		if (!dynamo_turn_waits(link->retry_at))
			due = lappend(due, link);
		else if (*next == 0 || link->retry_at < *next)
			*next = link->retry_at;
	}
	return due;
}

static void *
read_link(Relation rel, HeapTuple tuple)
{
	RegionLink *link = palloc0(sizeof(RegionLink));
	Datum		retry;
	Datum		sent_to;
	bool		isnull;

	link->relid = DatumGetObjectId(meta_column(tuple, REPLICAS_RELATION, rel,
											   &isnull));
	strlcpy(link->region, meta_text_column(tuple, REPLICAS_REGION, rel),
			sizeof(link->region));
	link->status = read_status(rel, tuple);
	link->source = DatumGetBool(meta_column(tuple, REPLICAS_SOURCE, rel,
											&isnull));
	link->failures = DatumGetInt32(meta_column(tuple, REPLICAS_FAILURES, rel,
											   &isnull));
	retry = meta_column(tuple, REPLICAS_RETRY, rel, &isnull);
	link->retry_at = isnull ? 0 : DatumGetTimestampTz(retry);
	link->offered = DatumGetInt64(meta_column(tuple, REPLICAS_OFFERED, rel,
											  &isnull));
	link->epoch = DatumGetInt64(meta_column(tuple, REPLICAS_EPOCH, rel,
											&isnull));
	link->incarnation = meta_text_column(tuple, REPLICAS_INCARNATION, rel);
	link->whole = DatumGetBool(meta_column(tuple, REPLICAS_WHOLE, rel,
										   &isnull));
	sent_to = meta_column(tuple, REPLICAS_SENT_TO, rel, &isnull);
	link->sent_to = isnull ? 0 : DatumGetTimestampTz(sent_to);
	link->position = DatumGetInt64(meta_column(tuple, REPLICAS_POSITION, rel,
											   &isnull));
	link->confirmed = DatumGetInt64(meta_column(tuple, REPLICAS_CONFIRMED, rel,
												&isnull));
	link->clock = DatumGetInt64(meta_column(tuple, REPLICAS_CLOCK, rel,
											&isnull));
	link->until = DatumGetInt64(meta_column(tuple, REPLICAS_UNTIL, rel,
											&isnull));
	return link;
}

/*
 * The same of one, as it is now; NULL: there is none.  In the current context.
 */
const RegionLink *
region_link(Oid relid, const char *region)
{
	ScanKeyData keys[2];

	meta_oid_key(&keys[0], REPLICAS_RELATION, relid);
	meta_text_key(&keys[1], REPLICAS_REGION, region);
	return meta_first(&replicas, &replicas_indexes[0], 2, keys, read_link);
}

/*
 * Find a replica to change it, which is done by one at a time for a table; the
 * caller ends the scan.  False: there is none.
 */
static bool
find_link(MetaScan *scan, Oid relid, const char *region)
{
	region_lock_rows(relid);
	return scan_replica(scan, relid, region);
}

/*
 * Is the row that was found still of what the link was read from, or has it
 * begun anew?
 */
static bool
is_link(MetaScan *scan, const RegionLink *link)
{
	bool		isnull;

	return DatumGetInt64(meta_column(scan->tuple, REPLICAS_EPOCH, scan->rel,
									 &isnull)) == link->epoch;
}

/*
 * Versions up to that number are about to be sent, for the first time.
 */
void
region_link_offer(const RegionLink *link, int64 position)
{
	MetaScan	scan;
	MetaRow		row = {{0}};

	if (position <= link->offered)
		return;
	if (find_link(&scan, link->relid, link->region) && is_link(&scan, link))
	{
		meta_set_column(&row, REPLICAS_OFFERED, Int64GetDatum(position));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * The replica knows the numbers of this incarnation.
 */
void
region_link_settle(const RegionLink *link, const char *incarnation)
{
	MetaScan	scan;
	MetaRow		row = {{0}};

	if (find_link(&scan, link->relid, link->region) && is_link(&scan, link))
	{
		meta_set_column(&row, REPLICAS_INCARNATION,
						CStringGetTextDatum(incarnation));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * What is sent to a replica begins anew; "whole": with versions of all regions, until
 * it has caught up.  What each has claimed is of what the other had.
 */
void
region_link_renew(Oid relid, const char *region, bool whole)
{
	const GlobalDef *def;
	MetaScan	scan;
	MetaRow		row = {{0}};

	if (find_link(&scan, relid, region))
	{
		meta_set_column(&row, REPLICAS_EPOCH, Int64GetDatum(draw_random()));
		meta_set_column(&row, REPLICAS_POSITION, Int64GetDatum(0));
		meta_set_column(&row, REPLICAS_OFFERED, Int64GetDatum(0));
		meta_set_column(&row, REPLICAS_CONFIRMED, Int64GetDatum(0));
		row.replaces[REPLICAS_INCARNATION - 1] = true;
		row.nulls[REPLICAS_INCARNATION - 1] = true;
		if (whole)
			meta_set_column(&row, REPLICAS_WHOLE, BoolGetDatum(true));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
	def = find_global(relid);
	if (def != NULL)
		region_claim_withdraw(relid, def->region);
	region_claim_forget(relid, region);
}

/*
 * Note what has come of a turn, but not of a replica that has begun anew meanwhile.
 */
void
region_link_note(const RegionLink *link, const RegionProgress *progress)
{
	MetaScan	scan;
	MetaRow		row = {{0}};
	bool		isnull;

	if (find_link(&scan, link->relid, link->region) && is_link(&scan, link))
	{
		int64		sent = DatumGetInt64(meta_column(scan.tuple, REPLICAS_SENT,
													 scan.rel, &isnull));
		int64		until = DatumGetInt64(meta_column(scan.tuple,
													  REPLICAS_UNTIL,
													  scan.rel, &isnull));
		int64		position = progress->position;

		/* Who did not know that they are to part has not read all for that. */
		if (until != link->until)
			position = Min(position, until - 1);

		/* Somebody may have asked for its end meanwhile. */
		if (read_status(scan.rel, scan.tuple) == link->status)
			meta_set_column(&row, REPLICAS_STATUS,
							CStringGetTextDatum(status_names[progress->status]));
		meta_set_column(&row, REPLICAS_POSITION, Int64GetDatum(position));
		meta_set_column(&row, REPLICAS_SENT,
						Int64GetDatum(sent + progress->sent));
		meta_set_column(&row, REPLICAS_CONFIRMED,
						Int64GetDatum(Max(progress->confirmed,
										  link->confirmed)));
		meta_set_column(&row, REPLICAS_HELD, Int64GetDatum(progress->held));
		if (progress->clock > 0)
			meta_set_column(&row, REPLICAS_CLOCK,
							Int64GetDatum(progress->clock));
		if (progress->sent > 0)
			meta_set_column(&row, REPLICAS_LAG, Int64GetDatum(progress->lag));
		meta_set_column(&row, REPLICAS_FAILURES, Int32GetDatum(0));
		row.replaces[REPLICAS_DESCRIPTION - 1] = true;
		row.nulls[REPLICAS_DESCRIPTION - 1] = true;
		if (progress->description != NULL)
			meta_set_column(&row, REPLICAS_DESCRIPTION,
							CStringGetTextDatum(progress->description));
		row.replaces[REPLICAS_RETRY - 1] = true;
		row.nulls[REPLICAS_RETRY - 1] = true;
		if (progress->sent_to != 0)
			meta_set_column(&row, REPLICAS_SENT_TO,
							TimestampTzGetDatum(progress->sent_to));
		if (progress->has_all)
			meta_set_column(&row, REPLICAS_WHOLE, BoolGetDatum(false));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * It was in vain, for this reason; it is tried again at that time.
 */
void
region_link_fail(const RegionLink *link, const char *reason,
				 TimestampTz retry_at)
{
	MetaScan	scan;
	MetaRow		row = {{0}};

	if (find_link(&scan, link->relid, link->region))
	{
		meta_set_column(&row, REPLICAS_DESCRIPTION,
						CStringGetTextDatum(reason));
		meta_set_column(&row, REPLICAS_FAILURES,
						Int32GetDatum(link->failures + 1));
		meta_set_column(&row, REPLICAS_RETRY, TimestampTzGetDatum(retry_at));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * The replica is gone.  With the last one the table is global no longer, and
 * its relation is locked against all others for a moment.
 */
void
region_link_end(Oid relid, const char *region)
{
	MetaScan	scan;
	const TableDef *def;
	bool		last;

	LockRelationOid(relid, ShareUpdateExclusiveLock);
	last = region_is_member(relid, region) &&
		list_length(region_replicas(relid)) == 1;
	if (last)
		LockRelationOid(relid, AccessExclusiveLock);
	if (find_link(&scan, relid, region))
		meta_delete(&scan);
	meta_end(&scan);
	region_claim_forget(relid, last ? NULL : region);
	if (!last)
		return;
	def = schema_find_relation(relid);
	delete_rows(&global_tables, &global_indexes[0], relid);
	if (def != NULL && def->stream == NULL && def->recovery == NULL)
		schema_end_capture(relid);
	if (def != NULL && def->settings != NULL)
		forget_protection(def);
	schema_definition_changed(relid);
}

/*
 * Whether a table may leave its global table is said of that one.  In the next it is
 * protected again, as each is at first.
 */
static void
forget_protection(const TableDef *def)
{
	Datum		settings = DirectFunctionCall1(jsonb_in,
											   CStringGetDatum(def->settings));
	Datum		without = DirectFunctionCall2(jsonb_delete, settings,
											  CStringGetTextDatum("DisassociationProtectionEnabled"));

	schema_row_set_settings(def->relid,
							DatumGetCString(DirectFunctionCall1(jsonb_out,
																without)));
}

/*
 * Items have versions up to the one with this key; NULL: all of them.
 */
void
region_set_versioned(Oid relid, const Item *keys)
{
	MetaScan	scan;
	ScanKeyData key;
	MetaRow		row = {{0}};

	region_lock_rows(relid);
	meta_oid_key(&key, GLOBAL_RELATION, relid);
	meta_scan(&scan, &global_tables, RowExclusiveLock, &global_indexes[0], 1,
			  &key);
	if (meta_next(&scan))
	{
		if (keys != NULL)
			meta_set_column(&row, GLOBAL_VERSIONED_TO, PointerGetDatum(keys));
		else
			meta_set_column(&row, GLOBAL_VERSIONED, BoolGetDatum(true));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
	if (keys == NULL)
		schema_definition_changed(relid);
}

/*
 * The key up to which items have versions; NULL: none is known.  In the current
 * context.
 */
const Item *
region_versioned_to(Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, GLOBAL_RELATION, relid);
	return meta_first(&global_tables, &global_indexes[0], 1, &key,
					  read_versioned_to);
}

static void *
read_versioned_to(Relation rel, HeapTuple tuple)
{
	bool		isnull;
	Datum		keys = meta_column(tuple, GLOBAL_VERSIONED_TO, rel, &isnull);

	return isnull ? NULL : PG_DETOAST_DATUM_COPY(keys);
}

/*
 * These regions have replicas of a table of the current user's, which are there
 * already, and have its items from elsewhere: for what another region says.
 */
void
region_join(const char *table, List *regions)
{
	const TableDef *def;
	ListCell   *lc;

	schema_lock_name(table);
	def = schema_open_own_table(table, ShareRowExclusiveLock);
	schema_refuse_distributed(def, "have replicas in other regions");
	foreach(lc, regions)
	{
		const Region *peer = region_find(lfirst(lc));

		if (peer == NULL || !OidIsValid(peer->server))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("region \"%s\" is not one that replicas can be in",
							(char *) lfirst(lc))));
		if (region_is_member(def->relid, peer->name))
			continue;
		if (def->replication == NULL)
		{
			schema_begin_capture(def);
			insert_global(def);
			schema_definition_changed(def->relid);
			def = schema_find_table(table);
		}
		insert_replica(def, peer, NULL, REPLICA_ACTIVE);
	}
	schema_definition_changed(def->relid);
	dynamo_at_commit(want_sender);
}

static void
want_sender(void)
{
	dynamo_want(DYNAMO_REPLICA);
}
