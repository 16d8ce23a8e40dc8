/*-------------------------------------------------------------------------
 *
 * journal_row.c
 *	  Point-in-time recovery: rows of dynamo_internal.recovery.
 *
 * A table with recovery on has a row, which is part of its definition, and the
 * triggers of a relation whose changes are recorded.  When DeleteTable puts the
 * relation away, the row stays with it, and it goes when the relation does.
 *
 * Rows are dumped, the journal is not.  So what the journal covers stands in a
 * table that is not dumped either, dynamo_internal.recovery_windows: since when,
 * and in which transaction that began.  A recovery that has no row there was
 * restored from a dump, and its window is to begin anew.  The row of number 0
 * is of the journal as a whole: older parts of it have been trimmed.
 *
 * Locks: as schema_ddl.c has them, and then these tables, to the end of the
 * transaction.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "commands/sequence.h"
#include "journal/journal_internal.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

/* Columns of dynamo_internal.recovery. */
#define RECOVERY_ID				1
#define RECOVERY_RELATION		2
#define RECOVERY_DAYS			3
#define RECOVERY_KEPT_FROM		4
#define RECOVERY_ENDED			5
#define RECOVERY_HASH			6
#define RECOVERY_HASH_TYPE		7
#define RECOVERY_RANGE			8
#define RECOVERY_RANGE_TYPE		9
#define RECOVERY_NATTS			9

/* Columns of dynamo_internal.recovery_windows. */
#define WINDOWS_ID				1
#define WINDOWS_BEGAN			2
#define WINDOWS_XID				3
#define WINDOWS_NATTS			3

static const DynamoColumn recovery_columns[] = {
	{INT4OID, true}, {REGCLASSOID, true}, {INT4OID, true},
	{TIMESTAMPTZOID, true}, {TIMESTAMPTZOID}, {TEXTOID, true},
	{CHAROID, true}, {TEXTOID}, {CHAROID}
};

static const DynamoColumn windows_columns[] = {
	{INT4OID, true}, {TIMESTAMPTZOID, true}, {XID8OID, true}
};

StaticAssertDecl(lengthof(recovery_columns) == RECOVERY_NATTS &&
				 lengthof(windows_columns) == WINDOWS_NATTS,
				 "each column has its type");

static DynamoIndex recovery_indexes[] = {
	{1, {RECOVERY_RELATION}},
};

static DynamoIndex windows_indexes[] = {
	{1, {WINDOWS_ID}},
};

#define RECOVERY_BY_RELATION	(&recovery_indexes[0])
#define WINDOWS_BY_ID			(&windows_indexes[0])

static DynamoMember recovery_member =
DYNAMO_INTERNAL_TABLE("recovery", recovery_columns,
					  DYNAMO_INDEXES(recovery_indexes),
					  .forgotten = meta_definitions_gone);
static DynamoMember windows_member =
DYNAMO_INTERNAL_TABLE("recovery_windows", windows_columns,
					  DYNAMO_INDEXES(windows_indexes));

static DynamoMember recovery_ids = DYNAMO_SEQUENCE("recovery_ids");
static DynamoMember journal_sequence = DYNAMO_SEQUENCE("journal_sequence");

static void update_row(Oid relid, MetaRow *row);
static void scan_window(MetaScan *scan, int32 id, LOCKMODE lockmode);
static void *read_row(Relation rel, HeapTuple tuple);

const RecoveryDef *
journal_find(Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, RECOVERY_RELATION, relid);
	return meta_first(&recovery_member, RECOVERY_BY_RELATION, 1, &key,
					  read_row);
}

/*
 * All of them, also of relations that have been put away.
 */
List *
journal_list(void)
{
	return meta_all(&recovery_member, NULL, 0, NULL, read_row);
}

/*
 * What the journal has of a recovery; number 0: of any.  False: it has not
 * begun, since it comes from a dump; or nothing has been trimmed.
 */
bool
journal_find_window(int32 id, JournalWindow *window)
{
	MetaScan	scan;
	bool		found;
	bool		isnull;

	scan_window(&scan, id, AccessShareLock);
	found = meta_next(&scan);
	if (found)
	{
		window->began_at =
			DatumGetTimestampTz(meta_column(scan.tuple, WINDOWS_BEGAN,
											scan.rel, &isnull));
		window->xid =
			DatumGetFullTransactionId(meta_column(scan.tuple, WINDOWS_XID,
												  scan.rel, &isnull));
	}
	meta_end(&scan);
	return found;
}

/*
 * From then on the journal is complete, for those who see that transaction,
 * which is the current one.  The next marker is to be taken when it has been
 * committed, and not when something changes.
 */
void
journal_begin_window(int32 id, TimestampTz began_at, FullTransactionId xid)
{
	MetaRow		row;
	ScanKeyData key;

	meta_init_row(&row);
	meta_set_column(&row, WINDOWS_ID, Int32GetDatum(id));
	meta_set_column(&row, WINDOWS_BEGAN, TimestampTzGetDatum(began_at));
	meta_set_column(&row, WINDOWS_XID, FullTransactionIdGetDatum(xid));
	meta_int4_key(&key, WINDOWS_ID, id);
	meta_put(&windows_member, WINDOWS_BY_ID, 1, &key, &row);
	journal_ledger_window_begins();
}

/*
 * Keep everybody else from beginning or ending windows, to the end of the
 * transaction.  False when somebody is at it.
 */
bool
journal_lock_windows(void)
{
	Relation	rel = dynamo_table_find(&windows_member, AccessShareLock);
	bool		locked;

	if (rel == NULL)
		return false;
	locked = ConditionalLockRelation(rel, ShareRowExclusiveLock);
	table_close(rel, AccessShareLock);
	return locked;
}

int64
journal_draw_entry(void)
{
	return nextval_internal(dynamo_member_get(&journal_sequence), false);
}

/*
 * The last number that was drawn, by whoever.
 */
int64
journal_last_entry(void)
{
	return meta_sequence_last(&journal_sequence, false);
}

int32
journal_row_insert(const TableDef *def, int days)
{
	int32		id = (int32) nextval_internal(dynamo_member_get(&recovery_ids),
											  false);
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, RECOVERY_ID, Int32GetDatum(id));
	meta_set_column(&row, RECOVERY_RELATION, ObjectIdGetDatum(def->relid));
	meta_set_column(&row, RECOVERY_DAYS, Int32GetDatum(days));
	meta_set_column(&row, RECOVERY_KEPT_FROM,
					TimestampTzGetDatum(GetCurrentTimestamp()));
	meta_set_column(&row, RECOVERY_HASH,
					CStringGetTextDatum(def->hash.name));
	meta_set_column(&row, RECOVERY_HASH_TYPE, CharGetDatum(def->hash.type));
	if (def->range.name != NULL)
	{
		meta_set_column(&row, RECOVERY_RANGE,
						CStringGetTextDatum(def->range.name));
		meta_set_column(&row, RECOVERY_RANGE_TYPE,
						CharGetDatum(def->range.type));
	}
	meta_insert(&recovery_member, &row);
	return id;
}

/*
 * Recovery of a relation ends, for whatever reason: with its window, if there
 * is one.
 */
void
journal_row_delete(Oid relid)
{
	MetaScan	scan;
	ScanKeyData key;

	meta_oid_key(&key, RECOVERY_RELATION, relid);
	meta_scan(&scan, &recovery_member, RowExclusiveLock, RECOVERY_BY_RELATION,
			  1, &key);
	while (meta_next(&scan))
	{
		const RecoveryDef *recovery = read_row(scan.rel, scan.tuple);
		MetaScan	window;

		scan_window(&window, recovery->id, RowExclusiveLock);
		if (meta_next(&window))
			meta_delete(&window);
		meta_end(&window);
		meta_delete(&scan);
	}
	meta_end(&scan);
}

void
journal_row_set_days(Oid relid, int days, TimestampTz kept_from)
{
	MetaRow		row = {{0}};

	meta_set_column(&row, RECOVERY_DAYS, Int32GetDatum(days));
	meta_set_column(&row, RECOVERY_KEPT_FROM, TimestampTzGetDatum(kept_from));
	update_row(relid, &row);
}

void
journal_row_set_ended(Oid relid, TimestampTz when)
{
	MetaRow		row = {{0}};

	meta_set_column(&row, RECOVERY_ENDED, TimestampTzGetDatum(when));
	update_row(relid, &row);
}

static void
update_row(Oid relid, MetaRow *row)
{
	MetaScan	scan;
	ScanKeyData key;

	meta_oid_key(&key, RECOVERY_RELATION, relid);
	meta_scan(&scan, &recovery_member, RowExclusiveLock, RECOVERY_BY_RELATION,
			  1, &key);
	if (meta_next(&scan))
		meta_change(&scan, row);
	meta_end(&scan);
}

static void
scan_window(MetaScan *scan, int32 id, LOCKMODE lockmode)
{
	ScanKeyData key;

	meta_int4_key(&key, WINDOWS_ID, id);
	meta_scan(scan, &windows_member, lockmode, WINDOWS_BY_ID, 1, &key);
}

static void *
read_row(Relation rel, HeapTuple tuple)
{
	RecoveryDef *recovery = palloc0(sizeof(RecoveryDef));
	Datum		value;
	bool		isnull;

	recovery->id = DatumGetInt32(meta_column(tuple, RECOVERY_ID, rel,
											 &isnull));
	recovery->relid = DatumGetObjectId(meta_column(tuple, RECOVERY_RELATION,
												   rel, &isnull));
	recovery->days = DatumGetInt32(meta_column(tuple, RECOVERY_DAYS, rel,
											   &isnull));
	recovery->kept_from =
		DatumGetTimestampTz(meta_column(tuple, RECOVERY_KEPT_FROM, rel,
										&isnull));
	value = meta_column(tuple, RECOVERY_ENDED, rel, &isnull);
	recovery->ended_at = isnull ? 0 : DatumGetTimestampTz(value);
	recovery->hash.name = meta_text_column(tuple, RECOVERY_HASH, rel);
	recovery->hash.type = DatumGetChar(meta_column(tuple, RECOVERY_HASH_TYPE,
												   rel, &isnull));
	recovery->range.name = meta_text_column(tuple, RECOVERY_RANGE, rel);
	if (recovery->range.name != NULL)
		recovery->range.type =
			DatumGetChar(meta_column(tuple, RECOVERY_RANGE_TYPE, rel,
									 &isnull));
	return recovery;
}
