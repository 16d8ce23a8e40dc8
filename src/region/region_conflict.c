/*-------------------------------------------------------------------------
 *
 * region_conflict.c
 *	  Logs of conflicts: rows of dynamo_internal.conflict_logs, which say of which
 *	  tables there are any, and of dynamo_internal.conflicts.
 *
 * Two regions write one item, and neither has seen what the other wrote: one of
 * the writes is lost.  Who applies what comes from there notices it, and adds a row
 * in that transaction (../replica/replica_apply.c).  A local write notices nothing,
 * and costs what it does without a log.
 *
 * A log is bounded by its number of rows, which the batch that has added some
 * sees to, and by their age, which the background does.  Both do so one at
 * a time for a table, by a lock to the end of their transaction that is the
 * last one they take; adding a row takes none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type_d.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "region/region_internal.h"
#include "schema/schema_row.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

/* Columns of dynamo_internal.conflict_logs. */
#define LOGS_RELATION		1
#define LOGS_DAYS			2
#define LOGS_ENTRIES		3
#define LOGS_NATTS			3

/* Columns of dynamo_internal.conflicts. */
#define CONFLICTS_RELATION	1
#define CONFLICTS_NUMBER	2
#define CONFLICTS_LOGGED	3
#define CONFLICTS_KEYS		4
#define CONFLICTS_LOST_REGION 5
#define CONFLICTS_LOST_TIME	6
#define CONFLICTS_LOST_ITEM	7
#define CONFLICTS_WON_REGION 8
#define CONFLICTS_WON_TIME	9
#define CONFLICTS_WON_ITEM	10
#define CONFLICTS_NATTS		10

static const DynamoColumn logs_columns[] = {
	{REGCLASSOID, true}, {INT4OID, true}, {INT4OID, true}
};

static const DynamoColumn conflicts_columns[] = {
	{REGCLASSOID, true}, {INT8OID, true}, {TIMESTAMPTZOID, true},
	{InvalidOid, true}, {TEXTOID, true}, {INT8OID, true}, {InvalidOid},
	{TEXTOID, true}, {INT8OID, true}, {InvalidOid}
};

StaticAssertDecl(lengthof(logs_columns) == LOGS_NATTS &&
				 lengthof(conflicts_columns) == CONFLICTS_NATTS,
				 "each column has its type");

static DynamoIndex logs_indexes[] = {
	{1, {LOGS_RELATION}},
};

static DynamoIndex conflicts_indexes[] = {
	{2, {CONFLICTS_RELATION, CONFLICTS_NUMBER}},
};

static DynamoMember logs =
DYNAMO_INTERNAL_TABLE("conflict_logs", logs_columns,
					  DYNAMO_INDEXES(logs_indexes));
static DynamoMember conflicts =
DYNAMO_INTERNAL_TABLE("conflicts", conflicts_columns,
					  DYNAMO_INDEXES(conflicts_indexes));
static DynamoMember numbers = DYNAMO_SEQUENCE("conflict_numbers");

#define MAX_DAYS	3650

typedef struct ConflictLog
{
	Oid			relid;
	int			days;
	int			entries;
} ConflictLog;

static const ConflictLog *find_log(Oid relid);
static void *read_log(Relation rel, HeapTuple tuple);
static void set_log(Oid relid, int days, int entries);
static void lock_log(Oid relid);
static bool lock_log_now(Oid relid);
static void set_side(MetaRow *row, int column, const RegionSide *side);
static const char *region_name(int32 id);
static void delete_up_to(Oid relid, int64 last);
static int64 last_beyond(Oid relid, int entries);
static int64 trim_log(const ConflictLog *log, int64 limit);

/*
 * A log goes with its table.
 */
void
region_conflict_forget(Oid relid)
{
	ScanKeyData key;

	if (find_log(relid) == NULL)
		return;
	lock_log(relid);

	/* The relation is the first column of both. */
	meta_oid_key(&key, LOGS_RELATION, relid);
	meta_delete_all(&logs, &logs_indexes[0], 1, &key);
	meta_delete_all(&conflicts, &conflicts_indexes[0], 1, &key);
}

void
region_log_conflicts(const char *table, int days, int entries)
{
	const TableDef *def;

	if (days < 0 || days > MAX_DAYS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("conflicts are kept for 0 to %d days, not %d",
						MAX_DAYS, days)));
	if (entries < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the number of conflicts that are kept is 1 or more, not %d",
						entries)));
	PreventCommandIfReadOnly("dynamo.log_conflicts()");
	schema_lock_name(table);
	def = schema_open_own_table(table, ShareUpdateExclusiveLock);
	if (days == 0)
		region_conflict_forget(def->relid);
	else
		set_log(def->relid, days, entries);
}

static void
set_log(Oid relid, int days, int entries)
{
	MetaRow		row;
	ScanKeyData key;

	lock_log(relid);
	meta_init_row(&row);
	meta_set_column(&row, LOGS_RELATION, ObjectIdGetDatum(relid));
	meta_set_column(&row, LOGS_DAYS, Int32GetDatum(days));
	meta_set_column(&row, LOGS_ENTRIES, Int32GetDatum(entries));
	meta_oid_key(&key, LOGS_RELATION, relid);
	meta_put(&logs, &logs_indexes[0], 1, &key, &row);
}

static const ConflictLog *
find_log(Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, LOGS_RELATION, relid);
	return meta_first(&logs, &logs_indexes[0], 1, &key, read_log);
}

static void *
read_log(Relation rel, HeapTuple tuple)
{
	ConflictLog *log = palloc(sizeof(ConflictLog));
	bool		isnull;

	log->relid = DatumGetObjectId(meta_column(tuple, LOGS_RELATION, rel,
											  &isnull));
	log->days = DatumGetInt32(meta_column(tuple, LOGS_DAYS, rel, &isnull));
	log->entries = DatumGetInt32(meta_column(tuple, LOGS_ENTRIES, rel,
											 &isnull));
	return log;
}

/*
 * To the end of the transaction.
 */
static void
lock_log(Oid relid)
{
	LockDatabaseObject(dynamo_member_get(&conflicts), relid, 0,
					   ExclusiveLock);
}

/*
 * The same, unless it would have to wait.
 */
static bool
lock_log_now(Oid relid)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, dynamo_member_get(&conflicts), relid,
					   0);
	return LockAcquire(&tag, ExclusiveLock, false, true) !=
		LOCKACQUIRE_NOT_AVAIL;
}

bool
region_logs_conflicts(Oid relid)
{
	return find_log(relid) != NULL;
}

/*
 * Of these two writes of an item the second is the item.
 */
void
region_conflict(const TableDef *def, const Item *keys, const RegionSide *lost,
				const RegionSide *won)
{
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, CONFLICTS_RELATION, ObjectIdGetDatum(def->relid));
	meta_set_column(&row, CONFLICTS_NUMBER,
					Int64GetDatum(nextval_internal(dynamo_member_get(&numbers),
												   false)));
	meta_set_column(&row, CONFLICTS_LOGGED,
					TimestampTzGetDatum(GetCurrentTimestamp()));
	meta_set_column(&row, CONFLICTS_KEYS, PointerGetDatum(keys));
	set_side(&row, CONFLICTS_LOST_REGION, lost);
	set_side(&row, CONFLICTS_WON_REGION, won);
	meta_insert(&conflicts, &row);
}

/*
 * Three columns, of which this is the first.
 */
static void
set_side(MetaRow *row, int column, const RegionSide *side)
{
	meta_set_column(row, column,
					CStringGetTextDatum(region_name(side->version.region)));
	meta_set_column(row, column + 1, Int64GetDatum(side->version.time));
	if (side->item != NULL)
		meta_set_column(row, column + 2, PointerGetDatum(side->item));
}

/*
 * Of a region that is not known here, its number.
 */
static const char *
region_name(int32 id)
{
	const Region *own = region_own();
	ListCell   *lc;

	if (own->id == id)
		return own->name;
	foreach(lc, region_list())
	{
		const Region *region = lfirst(lc);

		if (region->id == id)
			return region->name;
	}
	return psprintf("%d", id);
}

/*
 * Rows have been added: as many of the oldest go as are too many.
 */
void
region_limit_conflicts(Oid relid)
{
	const ConflictLog *log;

	lock_log(relid);
	log = find_log(relid);
	delete_up_to(relid, last_beyond(relid, log ? log->entries : 0));
}

/*
 * Rows with numbers up to this; 0: none.
 */
static void
delete_up_to(Oid relid, int64 last)
{
	ScanKeyData keys[2];

	if (last == 0)
		return;
	meta_oid_key(&keys[0], CONFLICTS_RELATION, relid);
	ScanKeyInit(&keys[1], CONFLICTS_NUMBER, BTLessEqualStrategyNumber,
				F_INT8LE, Int64GetDatum(last));
	meta_delete_all(&conflicts, &conflicts_indexes[0], 2, keys);
}

/*
 * The greatest number but for so many that are greater; 0: there are not as many.
 */
static int64
last_beyond(Oid relid, int entries)
{
	MetaScan	scan;
	ScanKeyData key;
	int64		last = 0;
	bool		isnull;

	meta_oid_key(&key, CONFLICTS_RELATION, relid);
	meta_scan_ordered(&scan, &conflicts, &conflicts_indexes[0],
					  BackwardScanDirection, 1, &key);
	while (entries-- > 0 && meta_next(&scan))
		;
	if (entries < 0 && meta_next(&scan))
		last = DatumGetInt64(meta_column(scan.tuple, CONFLICTS_NUMBER,
										 scan.rel, &isnull));
	meta_end(&scan);
	return last;
}

/*
 * Forget rows that are older than their tables' logs keep them.  Returns how many
 * went, "limit" at most.  For the background.
 */
int64
region_trim_conflicts(int64 limit)
{
	int64		trimmed = 0;
	ListCell   *lc;

	foreach(lc, meta_all(&logs, NULL, 0, NULL, read_log))
		trimmed += trim_log(lfirst(lc), limit - trimmed);
	return trimmed;
}

/*
 * Rows are about as old as their numbers say.  So those that go come first, and none is
 * read behind them.  A log that somebody is at can wait: tombstones are forgotten in
 * this transaction, too.
 */
static int64
trim_log(const ConflictLog *log, int64 limit)
{
	TimestampTz oldest = GetCurrentTimestamp() - log->days * USECS_PER_DAY;
	MetaScan	scan;
	ScanKeyData key;
	int64		last = 0;
	int64		trimmed = 0;
	bool		isnull;

	if (!lock_log_now(log->relid))
		return 0;
	meta_oid_key(&key, CONFLICTS_RELATION, log->relid);
	meta_scan_ordered(&scan, &conflicts, &conflicts_indexes[0],
					  ForwardScanDirection, 1, &key);
	while (trimmed < limit && meta_next(&scan) &&
		   DatumGetTimestampTz(meta_column(scan.tuple, CONFLICTS_LOGGED,
										   scan.rel, &isnull)) < oldest)
	{
		last = DatumGetInt64(meta_column(scan.tuple, CONFLICTS_NUMBER,
										 scan.rel, &isnull));
		trimmed++;
	}
	meta_end(&scan);
	delete_up_to(log->relid, last);
	return trimmed;
}
