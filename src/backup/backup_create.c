/*-------------------------------------------------------------------------
 *
 * backup_create.c
 *	  Making backups, and dropping those whose time is over.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "access/tableam.h"
#include "backup/backup.h"
#include "engine/engine.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* Pages in which items are counted when a table is dropped. */
#define COUNTED_PAGES	1024

/* Items on their way into a relation. */
typedef struct Copy
{
	Relation	rel;
	TupleTableSlot *slot;
	int64		items;
} Copy;

static int64 copy_moment(const TableDef *def, Oid relid);
static void store_item(const Item *item, void *copy);
static int64 count_items(Oid relid);
static void describe_last(const TableDef *def, Backup *backup);
static void describe_source(const TableDef *def, Backup *backup);
static bool is_expired(const Backup *backup, void *now);
static bool drop_one(void *backup);

/*
 * Copy the items of the relation that the definition is of.
 */
void
backup_create(const TableDef *def, Backup *backup)
{
	Relation	source;
	const TableDef *now = schema_table_open(def->name, AccessShareLock,
											&source);

	if (now == NULL || strcmp(now->table_id, def->table_id) != 0)
		dynamo_error(DYNAMO_TABLE_NOT_FOUND, "Table not found: %s", def->name);
	schema_check_owner(now);
	describe_source(now, backup);
	backup->relid = backup_relation(backup->id,
									meta_relation_owner(now->relid));
	if (now->distributed && shard_may_read_moment(now))
		backup->items = copy_moment(now, backup->relid);
	else
		backup->items = backup_run_insert(psprintf("INSERT INTO %s (item) SELECT item FROM %s",
												   meta_relation_identity(backup->relid),
												   meta_relation_identity(now->relid)));
	backup->size = DatumGetInt64(DirectFunctionCall1(pg_table_size,
													 ObjectIdGetDatum(backup->relid)));
	backup_insert(backup);
	table_close(source, NoLock);
}

/*
 * Copy what all nodes have at one moment into a relation of one column: how
 * many items.
 */
static int64
copy_moment(const TableDef *def, Oid relid)
{
	Copy		copy = {.rel = table_open(relid, RowExclusiveLock)};

	copy.slot = MakeSingleTupleTableSlot(RelationGetDescr(copy.rel),
										 &TTSOpsVirtual);
	shard_read_moment(def, store_item, &copy);
	ExecDropSingleTupleTableSlot(copy.slot);
	table_close(copy.rel, NoLock);
	return copy.items;
}

static void
store_item(const Item *item, void *arg)
{
	Copy	   *copy = arg;

	ExecClearTuple(copy->slot);
	copy->slot->tts_values[0] = PointerGetDatum(item);
	copy->slot->tts_isnull[0] = item == NULL;
	ExecStoreVirtualTuple(copy->slot);
	table_tuple_insert(copy->rel, copy->slot, GetCurrentCommandId(true), 0,
					   NULL);
	copy->items++;
}

static void
describe_source(const TableDef *def, Backup *backup)
{
	backup->table_name = def->name;
	strlcpy(backup->table_id, def->table_id, sizeof(backup->table_id));
}

/*
 * Make a system backup of a table that is about to be dropped.
 */
void
backup_create_last(const TableDef *def, Backup *backup)
{
	describe_last(def, backup);
	backup_create(def, backup);
}

static void
describe_last(const TableDef *def, Backup *backup)
{
	backup->name = psprintf("%s$DeletedTableBackup", def->name);
	backup->system = true;
	backup->expires_at = backup->created_at +
		BACKUP_SYSTEM_DAYS * USECS_PER_DAY;
}

/*
 * Drop a table, whose relation becomes a system backup.
 */
void
backup_put_away(const TableDef *def, Backup *backup)
{
	describe_source(def, backup);
	describe_last(def, backup);
	backup->relid = backup_take_relation(def->name, backup->id);
	backup->items = count_items(backup->relid);
	backup->size = DatumGetInt64(DirectFunctionCall1(pg_table_size,
													 ObjectIdGetDatum(backup->relid)));
	backup_insert(backup);
}

/*
 * How many items a relation has that is locked: those of its first pages, and
 * of a larger one in proportion.
 */
static int64
count_items(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	double		items = 0;

	if (RELKIND_HAS_TABLE_AM(rel->rd_rel->relkind))
	{
		Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
		TableScanDesc scan = table_beginscan_strat(rel, snapshot, 0, NULL,
												   true, false);
		TupleTableSlot *slot = table_slot_create(rel, NULL);
		BlockNumber pages = RelationGetNumberOfBlocks(rel);

		while (table_scan_getnextslot(scan, ForwardScanDirection, slot) &&
			   ItemPointerGetBlockNumber(&slot->tts_tid) < COUNTED_PAGES)
			items++;
		if (pages > COUNTED_PAGES)
			items *= (double) pages / COUNTED_PAGES;
		ExecDropSingleTupleTableSlot(slot);
		table_endscan(scan);
		UnregisterSnapshot(snapshot);
	}
	else
		items = Max(rel->rd_rel->reltuples, 0);
	table_close(rel, NoLock);
	return (int64) rint(items);
}

/*
 * One that is being restored, or is still to be, waits for the next time.  So does
 * one that cannot be dropped, because its owner has made a view of it, say.
 * Otherwise that would keep those of others.
 *
 * Each takes some ten locks to the end of the transaction.  If many tables were
 * dropped at a time, all their backups at once could take those of everybody, and
 * never go.
 */
int
backup_drop_expired(TimestampTz now, bool (*is_wanted) (const Backup *backup))
{
	List	   *expired = backup_list(NULL, is_expired, &now, 0);
	ListCell   *lc;
	int			dropped = 0;

	foreach(lc, expired)
	{
		Backup	   *backup = lfirst(lc);
		ErrorData  *error;

		CHECK_FOR_INTERRUPTS();
		if (dropped == BACKUP_DROPS)
			break;
		if (!ConditionalLockRelationOid(backup->relid, AccessExclusiveLock))
			continue;
		if (backup_read(backup->id) == NULL)
			continue;			/* somebody was faster */
		if (is_wanted(backup))
			continue;
		error = dynamo_attempt(drop_one, backup);
		if (error == NULL)
			dropped++;
		else if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			ReThrowError(error);
		else
			ereport(WARNING,
					(errcode(error->sqlerrcode),
					 errmsg("could not drop expired backup \"%s\" of table \"%s\": %s",
							backup->id, backup->table_name, error->message),
					 error->detail ? errdetail_internal("%s", error->detail) : 0));
	}
	return dropped;
}

static bool
drop_one(void *backup)
{
	backup_drop(backup);
	return true;
}

static bool
is_expired(const Backup *backup, void *now)
{
	return backup->expires_at != 0 && backup->expires_at <= *(TimestampTz *) now;
}
