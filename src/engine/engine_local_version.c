/*-------------------------------------------------------------------------
 *
 * engine_local_version.c
 *	  Versions of items, and locks on them, for those who read on several nodes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/subtrans.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "engine/engine_internal.h"
#include "storage/procarray.h"
#include "utils/snapmgr.h"

static bool is_prepared(TransactionId xid);

/*
 * Has a transaction that is prepared changed the item?
 */
bool
engine_in_doubt(EngineTable *shard, const TableKey *key)
{
	TupleTableSlot *slot = table_slot_create(shard->rel, NULL);
	SnapshotData dirty;
	IndexScanDesc scan;
	bool		found = false;

	InitDirtySnapshot(dirty);
	scan = engine_local_probe(shard, key, &dirty);
	while (!found && index_getnext_slot(scan, ForwardScanDirection, slot))
		found = is_prepared(dirty.xmin) || is_prepared(dirty.xmax);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return found;
}

/*
 * It was running a moment ago; who is in no process is prepared, or has ended.
 */
static bool
is_prepared(TransactionId xid)
{
	return TransactionIdIsValid(xid) &&
		!TransactionIdIsCurrentTransactionId(xid) &&
		BackendXidGetPid(SubTransGetTopmostTransaction(xid)) == 0;
}

/*
 * The item under the active snapshot, in the current context, if its version is
 * not *version.  *version becomes that: the transaction that has stored it, and
 * the relation, which tells it from versions of other nodes; 0: there is none.
 */
const Item *
engine_read_version(EngineTable *shard, const TableKey *key, uint64 *version)
{
	TupleTableSlot *slot = table_slot_create(shard->rel, NULL);
	IndexScanDesc scan = engine_local_probe(shard, key, GetActiveSnapshot());
	uint64		found = 0;
	const Item *item = NULL;
	bool		isnull;

	if (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		found = (uint64) RelationGetRelid(shard->rel) << 32 |
			DatumGetTransactionId(slot_getsysattr(slot, MinTransactionIdAttributeNumber,
												  &isnull));
		if (found != *version)
			item = item_copy(engine_local_item(shard, slot, false));
	}
	*version = found;
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return item;
}

/*
 * Lock the item as a check of it does, if it is there and nobody is changing it.
 */
void
engine_try_hold(EngineTable *shard, const TableKey *key)
{
	EngineRow	row;

	shard->no_wait = true;
	engine_local_store.fetch(shard, key, &row);
	if (row.item != NULL)
		(void) engine_local_store.lock(shard, key, ENGINE_LOCK_CHECK, &row);
}
