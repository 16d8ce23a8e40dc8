/*-------------------------------------------------------------------------
 *
 * engine_local.c
 *	  The local item store: a plain table, reached without the planner and
 *	  the executor.
 *
 * Finding a row is a scan of the primary index for its one entry.  Its MVCC
 * snapshot makes the scan what a SELECT would be, predicate locks of
 * SERIALIZABLE included.
 *
 * Inserting is INSERT ... ON CONFLICT's speculative insertion: the row is
 * stored with a token that says it may be withdrawn, then entered into the
 * primary index, which shows whether somebody else has the key.  If so, our
 * row is killed at once, so that nobody waits for our transaction because of
 * it.  Only then do we wait for the other one.  If two insert one key at the
 * same time, exactly one finds the other's entry, since both must enter the
 * same leaf page.  So they cannot kill each other for ever.
 *
 * Updating and deleting rest on heap's own test: the version at row->tid must
 * be the newest; otherwise the result is not TM_Ok.
 *
 * Order of locks: relation, primary index, other indexes, then rows.  No lock
 * on a page is held here when any other is waited for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "engine/engine_internal.h"
#include "executor/executor.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

static void local_fetch(EngineTable *table, const TableKey *key,
						EngineRow *row);
static bool local_lock(EngineTable *table, const TableKey *key,
					   EngineLock purpose, EngineRow *row);
static bool local_insert(EngineTable *table, const TableKey *key,
						 const Item *item, EngineRow *row);
static bool local_update(EngineTable *table, const TableKey *key,
						 EngineRow *row, const Item *item);
static bool local_remove(EngineTable *table, const TableKey *key,
						 EngineRow *row);
static EngineReserve local_reserve(EngineTable *table, const TableKey *key,
								   const Item *item, EngineRow *row);
static void local_prepare(EngineTable *table);
static void local_close(EngineTable *table);
static TupleTableSlot *old_slot(EngineTable *table);
static TupleTableSlot *new_slot(EngineTable *table);
static TupleTableSlot *make_row(EngineTable *table, const TableKey *key,
								const Item *item);
static bool has_key(EngineTable *table, TupleTableSlot *slot,
					const TableKey *key);
static void await_other(EngineTable *table, const TableKey *key);
static void check_other(EngineTable *table, TupleTableSlot *slot);
static bool version_is_newest(EngineTable *table, TM_Result result);

const EngineStore engine_local_store = {
	.optimistic = true,
	.undoes = true,
	.fetch = local_fetch,
	.lock = local_lock,
	.insert = local_insert,
	.update = local_update,
	.remove = local_remove,
	.reserve = local_reserve,
	.release = local_remove,
	.prepare = local_prepare,
	.begin = engine_local_begin,
	.next = engine_local_next,
	.end = engine_local_end,
	.close = local_close,
};

/*
 * EngineStore.fetch
 *
 * The key is unique in the primary index, so one snapshot sees at most one
 * row.  row->tid says where that version lies.  We keep no pin and no lock on
 * it.  What makes the address good later is the active snapshot: while it is
 * active it holds back the horizon of pruning and vacuum, so the line pointer
 * is not given to another row, even if somebody deletes the version now.  So
 * the snapshot has to stay until row->tid has been locked, updated or removed;
 * from the lock on, the lock does.
 *
 * The item is copied: its page may be pruned as soon as the slot is empty.
 */
static void
local_fetch(EngineTable *table, const TableKey *key, EngineRow *row)
{
	TupleTableSlot *slot = old_slot(table);
	IndexScanDesc scan = engine_local_probe(table, key, GetActiveSnapshot());

	row->item = NULL;
	row->refreshed = false;
	if (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		row->item = engine_local_item(table, slot, true);
		row->tid = slot->tts_tid;
	}
	index_endscan(scan);
	ExecClearTuple(slot);
}

/*
 * EngineStore.lock
 *
 * Waits for whoever holds the row in a conflicting mode, and then follows the
 * chain of updates to its end.  Those who wait queue on heap's lock of the
 * tuple, so the first to come is the first to get it.  With no_wait a row in
 * somebody's hands counts as changed.
 *
 * The modes are those that SQL takes for the same: an update of other columns
 * than the key's, a delete.  A check takes SHARE: checks of one item do not
 * wait for each other, but writers wait for them.
 *
 * The lock is xmax in the tuple: it is in the log, it lasts to the end of the
 * (sub)transaction, and after a crash it is that of a transaction that is gone.
 */
static bool
local_lock(EngineTable *table, const TableKey *key, EngineLock purpose,
		   EngineRow *row)
{
	TupleTableSlot *slot = old_slot(table);
	LockTupleMode mode = purpose == ENGINE_LOCK_CHECK ? LockTupleShare :
		(purpose == ENGINE_LOCK_UPDATE ? LockTupleNoKeyExclusive :
		 LockTupleExclusive);
	TM_FailureData tmfd;
	TM_Result	result;
	bool		ours;

	/*
	 * In REPEATABLE READ a newer version is of no use: without the flag heap
	 * reports it, and version_is_newest() raises 40001.
	 */
	result = table_tuple_lock(table->rel, &row->tid, GetActiveSnapshot(),
							  slot, GetCurrentCommandId(true), mode,
							  table->no_wait ? LockWaitSkip :
							  LockWaitBlock,
							  IsolationUsesXactSnapshot() ? 0 :
							  TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &tmfd);
	if (!version_is_newest(table, result))
	{
		ExecClearTuple(slot);
		return false;
	}

	/*
	 * Plain SQL may have given the row another key while we waited.  Look:
	 * otherwise we would write one item into another's row.
	 */
	ours = !tmfd.traversed || has_key(table, slot, key);
	if (ours && tmfd.traversed)
	{
		row->item = engine_local_item(table, slot, true);
		row->refreshed = true;
	}
	row->tid = slot->tts_tid;
	ExecClearTuple(slot);
	return ours;
}

/*
 * EngineStore.insert
 *
 * The steps and what others see between them:
 *
 *		token		a lock on our transaction's insertion.  Whoever finds the
 *					row waits for this lock only, not for our transaction
 *		row			stored with the token; no other session's snapshot sees
 *					it, and vacuum leaves a row of a running transaction alone
 *		entries		the primary index first.  From here on, another insert of
 *					the key finds us
 *		complete	alone: the row is one like any other.  Not alone: it is
 *					killed, dead for everybody at once
 *		release		those who wait for the token look again
 *
 * An error or a crash at any line leaves a row of an aborted transaction, and
 * entries that lead to it; vacuum removes both.  The end of the transaction
 * releases the token.
 */
static bool
local_insert(EngineTable *table, const TableKey *key, const Item *item,
			 EngineRow *row)
{
	TupleTableSlot *slot = make_row(table, key, item);
	TransactionId xid = GetCurrentTransactionId();
	uint32		token = SpeculativeInsertionLockAcquire(xid);
	bool		alone;

	table_tuple_insert_speculative(table->rel, slot,
								   GetCurrentCommandId(true), 0, NULL, token);
	alone = engine_local_index(table, key, item, slot, ENGINE_INDEX_INSERT,
							   NULL);
	table_tuple_complete_speculative(table->rel, slot, token, alone);
	SpeculativeInsertionLockRelease(xid);
	row->tid = slot->tts_tid;
	ExecClearTuple(slot);

	/* Ours is killed by now.  Otherwise two would wait for each other here. */
	if (!alone)
		await_other(table, key);
	return alone;
}

/*
 * Store a new row as command "cid".  If the key is there, the primary index
 * raises the error of a unique constraint; if another transaction is about to
 * insert or delete it, the index waits for that transaction first.
 *
 * The row is stored for good before its entries are made, as the executor
 * does.  If one of the entries fails, the statement fails, and the row is one
 * of an aborted (sub)transaction.
 */
void
engine_local_add(EngineTable *table, const TableKey *key, const Item *item,
				 CommandId cid)
{
	TupleTableSlot *slot = make_row(table, key, item);

	table_tuple_insert(table->rel, slot, cid, 0, NULL);
	(void) engine_local_index(table, key, item, slot, ENGINE_INDEX_ADD, NULL);
	ExecClearTuple(slot);
}

/*
 * EngineStore.update
 *
 * Heap asks whether the version at row->tid is still the newest.  If another
 * transaction has it locked or is changing it, heap waits for that one to end:
 * if it has changed the row, the result is TM_Updated or TM_Deleted, and
 * nothing was written; if not, or if it was rolled back, heap goes on.
 *
 * The entries follow the version.  Between the two, the new version has no
 * entry in any index, unless it is HOT; nobody misses it, since nobody else
 * sees it before we commit, and our own next snapshot is taken later.
 */
static bool
local_update(EngineTable *table, const TableKey *key, EngineRow *row,
			 const Item *item)
{
	TupleTableSlot *slot = make_row(table, key, item);
	TM_FailureData tmfd;
	LockTupleMode lockmode;
	compat_update_indexes indexes;
	TM_Result	result;

	engine_local_hint(table, row->update, row->item, item);
	result = compat_tuple_update(table->rel, &row->tid, slot,
								 GetCurrentCommandId(true),
								 GetActiveSnapshot(), &tmfd, &lockmode,
								 &indexes);
	if (result == TM_Ok && indexes)
		(void) engine_local_index(table, key, item, slot,
								  compat_summarizing_only(indexes) ?
								  ENGINE_INDEX_SUMMARIZE :
								  ENGINE_INDEX_UPDATE, row->item);
	ExecClearTuple(slot);
	return version_is_newest(table, result);
}

/*
 * EngineStore.remove, and release
 *
 * As update, but with no_wait a row in somebody's hands is TM_BeingModified.
 * Entries stay where they are: older snapshots need them until vacuum.
 *
 * It also takes back a row that this transaction has inserted (undo of a round
 * in engine_transact.c).  Its key stays ours: the entry is there, and another
 * insert of the key finds a row whose inserter and deleter are in progress.
 */
static bool
local_remove(EngineTable *table, const TableKey *key, EngineRow *row)
{
	TM_FailureData tmfd;

	return version_is_newest(table,
							 compat_tuple_delete(table->rel, &row->tid,
												 GetCurrentCommandId(true),
												 GetActiveSnapshot(),
												 !table->no_wait, &tmfd));
}

/*
 * EngineStore.reserve
 *
 * An insert like any other, entries in all indexes included, though only the
 * one in the primary index keeps others away.  The row has the attributes of
 * the key alone, so few of the other indexes have an entry for it.
 */
static EngineReserve
local_reserve(EngineTable *table, const TableKey *key, const Item *item,
			  EngineRow *row)
{
	return local_insert(table, key, item, row) ? ENGINE_RESERVED : ENGINE_TAKEN;
}

/*
 * Make now what is otherwise made when first needed: it belongs to the
 * resource owner of that time, and a subtransaction's would end too early.
 */
static void
local_prepare(EngineTable *table)
{
	(void) engine_local_primary(table);
	(void) old_slot(table);
	(void) new_slot(table);
}

/*
 * EngineStore.close
 *
 * Gives back slots, which hold pins on the relation's descriptor, and the
 * EState; the lock on the primary index stays to the end of the transaction,
 * as that on the relation does.  After an error nobody calls this: the
 * resource owner drops what is pinned, the context goes with the request.
 */
static void
local_close(EngineTable *table)
{
	if (table->old_slot)
		ExecDropSingleTupleTableSlot(table->old_slot);
	if (table->new_slot)
		ExecDropSingleTupleTableSlot(table->new_slot);
	if (table->estate)
		FreeExecutorState(table->estate);
	if (table->primary)
		index_close(table->primary, NoLock);
}

/*
 * The slot that rows are read into: of the relation's own kind, so that a row
 * stays in its page, which the slot pins.
 */
static TupleTableSlot *
old_slot(EngineTable *table)
{
	if (table->old_slot == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(engine_context(table));

		table->old_slot = table_slot_create(table->rel, NULL);
		MemoryContextSwitchTo(caller);
	}
	return table->old_slot;
}

/*
 * The slot that rows are written from: a tuple in memory, which each use frees
 * and replaces.
 */
static TupleTableSlot *
new_slot(EngineTable *table)
{
	if (table->new_slot == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(engine_context(table));

		table->new_slot = MakeSingleTupleTableSlot(RelationGetDescr(table->rel),
												   &TTSOpsHeapTuple);
		MemoryContextSwitchTo(caller);
	}
	return table->new_slot;
}

/*
 * The row of an item, in the slot for new ones.  The executor would compute
 * the generated columns from the item; we have their values at hand.
 */
static TupleTableSlot *
make_row(EngineTable *table, const TableKey *key, const Item *item)
{
	TupleDesc	desc = RelationGetDescr(table->rel);
	Datum		values[3];
	bool		nulls[3] = {false, false, false};
	TupleTableSlot *slot;
	int			n = 0;

	values[n++] = PointerGetDatum(key->pk);
	if (key->sk != NULL)
		values[n++] = PointerGetDatum(key->sk);
	values[n++] = PointerGetDatum(item);
	Assert(n == desc->natts);

	slot = new_slot(table);
	ExecStoreHeapTuple(heap_form_tuple(desc, values, nulls), slot, true);
	slot->tts_tableOid = RelationGetRelid(table->rel);
	return slot;
}

/*
 * A scan of the primary index for one key.  The caller ends it.  With an MVCC
 * snapshot it takes the predicate locks that SERIALIZABLE needs, of the leaf
 * pages it reads and of the row found; with a dirty one it takes none.
 */
IndexScanDesc
engine_local_probe(EngineTable *table, const TableKey *key, Snapshot snapshot)
{
	Relation	index = engine_local_primary(table);
	ScanKeyData scankeys[2];
	IndexScanDesc scan;
	int			n = 0;

	engine_local_key(&scankeys[n++], 1, BTEqualStrategyNumber, PointerGetDatum(key->pk));
	if (key->sk != NULL)
		engine_local_key(&scankeys[n++], 2, BTEqualStrategyNumber,
						 PointerGetDatum(key->sk));
	scan = compat_index_beginscan(table->rel, index, snapshot, n);
	index_rescan(scan, scankeys, n, NULL, 0);
	return scan;
}

/*
 * Has the row in "slot" this key?  The columns are compared, not the item: it
 * is the columns by which everybody finds it.
 */
static bool
has_key(EngineTable *table, TupleTableSlot *slot, const TableKey *key)
{
	TableKey	has = {{0}};
	bool		isnull;

	has.pk = PG_DETOAST_DATUM_PACKED(slot_getattr(slot, SCHEMA_ATTR_PK,
												  &isnull));
	if (key->sk != NULL)
		has.sk = PG_DETOAST_DATUM_PACKED(slot_getattr(slot,
													  SCHEMA_ATTR_SK(table->def),
													  &isnull));
	return key_compare(&has, key) == 0;
}

/*
 * Somebody else has entered this key into the primary index.  If that
 * transaction, or its insertion, is not decided yet, wait until it is.
 *
 * The dirty snapshot sees what is not decided yet, and says whose it is: xmin
 * of a row that is being inserted, xmax of one that is being deleted or
 * replaced.  The scan is ended before we wait: no pin and no lock of ours but
 * those on relations is held meanwhile, and our own row is dead.  Between the
 * scan and the wait the other one may end; then there is nothing to wait for.
 *
 * What we waited for may have ended either way.  So this returns nothing: the
 * caller begins anew with a new snapshot.
 */
static void
await_other(EngineTable *table, const TableKey *key)
{
	TupleTableSlot *slot = old_slot(table);
	SnapshotData dirty;
	IndexScanDesc scan;
	TransactionId xwait = InvalidTransactionId;
	ItemPointerData tid;

	InitDirtySnapshot(dirty);
	scan = engine_local_probe(table, key, &dirty);
	while (!TransactionIdIsValid(xwait) &&
		   index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		xwait = TransactionIdIsValid(dirty.xmin) ? dirty.xmin : dirty.xmax;
		tid = slot->tts_tid;
		if (!TransactionIdIsValid(xwait))
			check_other(table, slot);
	}
	index_endscan(scan);
	ExecClearTuple(slot);

	if (!TransactionIdIsValid(xwait))
		return;
	if (dirty.speculativeToken)
		SpeculativeInsertionWait(dirty.xmin, dirty.speculativeToken);
	else
		XactLockTableWait(xwait, table->rel, &tid, XLTW_InsertIndex);
}

/*
 * A committed row with our key that fetch() did not see.  In READ COMMITTED
 * the next snapshot sees it; in REPEATABLE READ none ever will.
 */
static void
check_other(EngineTable *table, TupleTableSlot *slot)
{
	if (IsolationUsesXactSnapshot() &&
		!table_tuple_satisfies_snapshot(table->rel, slot, GetActiveSnapshot()))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update")));
}

/*
 * Judge the result of locking, updating or deleting a version.  True: it was
 * the newest, and the deed is done.  False: it was not, nothing was done, and
 * in READ COMMITTED the caller begins anew.  Above that it is an error, as for
 * SQL: no later snapshot of this transaction would see the newer version.
 */
static bool
version_is_newest(EngineTable *table, TM_Result result)
{
	switch (result)
	{
		case TM_Ok:
			return true;
		case TM_Updated:
		case TM_Deleted:
			if (IsolationUsesXactSnapshot())
				ereport(ERROR,
						(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						 result == TM_Updated ?
						 errmsg("could not serialize access due to concurrent update") :
						 errmsg("could not serialize access due to concurrent delete")));
			return false;
		case TM_SelfModified:

			/*
			 * The running command has changed the row, and it began after us:
			 * a function that we evaluate has called it.
			 */
			ereport(ERROR,
					(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
					 errmsg("item to be written was already modified by an operation triggered by the current command")));
			break;
		case TM_BeingModified:
		case TM_WouldBlock:
			Assert(table->no_wait);
			return false;
		default:
			elog(ERROR, "unexpected result %d of accessing a row", result);
	}
	return false;
}
