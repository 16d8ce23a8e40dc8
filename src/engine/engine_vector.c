/*-------------------------------------------------------------------------
 *
 * engine_vector.c
 *	  Items by the entries of a vector index, which say where rows lie; who sees
 *	  them is found out here, for those that the caller asks for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "base/base_budget.h"
#include "engine/engine_internal.h"
#include "storage/predicate.h"
#include "utils/snapmgr.h"

struct EngineVectors
{
	EngineTable *table;
	Relation	index;
	Snapshot	snapshot;		/* registered */
	VectorScan *scan;
	IndexFetchTableData *fetch;
	TupleTableSlot *slot;
};

/*
 * Begin to read the entries of a vector index that have these tags; NULL: it
 * cannot serve this table, user or snapshot, and the table is to be scanned.
 *
 * One snapshot, and the table stays open, as for engine_scan_begin(); "wanted"
 * must live as long.  *batch: so many entries are visited at once, at most.
 */
EngineVectors *
engine_vectors_begin(EngineTable *table, const IndexDef *index,
					 const VectorWanted *wanted, int *batch)
{
	EngineVectors *vectors = palloc0(sizeof(EngineVectors));
	Snapshot	snapshot = engine_vectors_snapshot(table, index);

	if (snapshot == NULL)
		return NULL;
	vectors->index = index_open(index->relid, AccessShareLock);

	/* First: what is stored behind the end that the scan sees is to conflict. */
	PredicateLockRelation(vectors->index, snapshot);
	if (!schema_index_lacks_versions(vectors->index, snapshot))
		vectors->scan = vector_scan_begin(vectors->index, index, wanted);
	if (vectors->scan == NULL)
	{
		index_close(vectors->index, NoLock);
		return NULL;
	}
	*batch = vector_scan_batch(vectors->scan);
	vectors->table = table;
	vectors->snapshot = RegisterSnapshot(snapshot);
	vectors->fetch = compat_table_index_fetch_begin(table->rel);
	vectors->slot = table_slot_create(table->rel, NULL);
	return vectors;
}

/*
 * The snapshot that a vector index is to be read with; NULL: the table is to be
 * scanned.
 */
Snapshot
engine_vectors_snapshot(const EngineTable *table, const IndexDef *index)
{
	Snapshot	snapshot = ActiveSnapshotSet() ? GetActiveSnapshot() :
		GetTransactionSnapshot();

	if (!OidIsValid(index->relid) || table->past != NULL ||
		table->store != &engine_local_store || table->leading != NIL ||
		table->def->distributed || !IsMVCCSnapshot(snapshot))
		return NULL;
	return snapshot;
}

/*
 * As vector_scan_next().
 */
bool
engine_vectors_next(EngineVectors *vectors, VectorVisit visit, void *arg)
{
	dynamo_budget_spend(vectors->table->request, BLCKSZ);
	return vector_scan_next(vectors->scan, visit, arg);
}

/*
 * The item that an entry leads to; NULL: the snapshot sees none.  It lives until
 * the next call, or in the current context.
 */
const Item *
engine_vectors_fetch(EngineVectors *vectors, const ItemPointerData *tid)
{
	ItemPointerData at = *tid;
	bool		again = false;

	if (!table_index_fetch_tuple(vectors->fetch, &at, vectors->snapshot,
								 vectors->slot, &again, NULL))
		return NULL;
	return engine_vectors_item(vectors->table, vectors->slot);
}

/*
 * The item of a row that was found otherwise, by that snapshot.
 */
const Item *
engine_vectors_item(EngineTable *table, TupleTableSlot *slot)
{
	return engine_local_item(table, slot, false);
}

void
engine_vectors_end(EngineVectors *vectors)
{
	ExecDropSingleTupleTableSlot(vectors->slot);
	table_index_fetch_end(vectors->fetch);
	vector_scan_end(vectors->scan);
	UnregisterSnapshot(vectors->snapshot);
	index_close(vectors->index, NoLock);
}
