/*-------------------------------------------------------------------------
 *
 * am_multi.c
 *	  COPY's way of inserting: many tuples in one call.
 *
 * The tuples of a call are taken collection by collection, each collection
 * placed as a whole, for two reasons.  One look at the index serves all of
 * them.  And none could see the others in the index, because their entries are
 * made after the call has returned.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/hio.h"
#include "am/am_internal.h"
#include "miscadmin.h"
#include "utils/rel.h"

/*
 * A tuple of the call.  Tuples of one collection have one hash; should two
 * collections share it, they share a page, and that is all.
 */
typedef struct MultiEntry
{
	uint32		hash;
	int			first;			/* where its collection begins in the call */
	int			position;		/* where it stands itself */
} MultiEntry;

static TupleTableSlot **sort_by_collection(Relation rel,
										   TupleTableSlot **slots, int nslots,
										   int *run_end);
static int	compare_by_collection(const void *a, const void *b);
static int	compare_by_place(const void *a, const void *b);

/*
 * TableAmRoutine.multi_insert of a relation with collections.
 *
 * The caller's bulk-insert state is not passed on: it would send heap to the
 * page pinned there, and its small ring of buffers is meant for pages that are
 * written once.
 */
void
am_multi_insert(Relation rel, TupleTableSlot **slots, int nslots,
				CommandId cid, int options)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();
	int		   *run_end = palloc(sizeof(int) * nslots);
	TupleTableSlot **sorted = sort_by_collection(rel, slots, nslots, run_end);
	int			done = 0;

	while (done < nslots)
	{
		BulkInsertStateData place;
		int			n;

		CHECK_FOR_INTERRUPTS();
		n = am_place_several(rel, &sorted[done], run_end[done] - done, &place);
		if (n == 1)
			heap->tuple_insert(rel, sorted[done], cid, options, &place);
		else
			heap->multi_insert(rel, &sorted[done], n, cid, options, &place);
		ReleaseBulkInsertStatePin(&place);
		done += n;
	}
	pfree(sorted);
	pfree(run_end);
}

/*
 * The slots with those of a collection side by side, in their order, and the
 * collections in the order they first come.  Sets run_end[i] to the end of the
 * run that slot i of the result belongs to.
 */
static TupleTableSlot **
sort_by_collection(Relation rel, TupleTableSlot **slots, int nslots,
				   int *run_end)
{
	MultiEntry *entries = palloc(sizeof(MultiEntry) * nslots);
	TupleTableSlot **sorted = palloc(sizeof(TupleTableSlot *) * nslots);

	for (int i = 0; i < nslots; i++)
	{
		entries[i].hash = am_collection_hash(rel, slots[i]);
		entries[i].position = i;
	}
	qsort(entries, nslots, sizeof(MultiEntry), compare_by_collection);
	for (int i = 0; i < nslots; i++)
	{
		if (i > 0 && entries[i].hash == entries[i - 1].hash)
			entries[i].first = entries[i - 1].first;
		else
			entries[i].first = entries[i].position;
	}
	qsort(entries, nslots, sizeof(MultiEntry), compare_by_place);

	for (int i = nslots - 1; i >= 0; i--)
	{
		sorted[i] = slots[entries[i].position];
		if (i < nslots - 1 && entries[i].first == entries[i + 1].first)
			run_end[i] = run_end[i + 1];
		else
			run_end[i] = i + 1;
	}
	pfree(entries);
	return sorted;
}

static int
compare_by_collection(const void *a, const void *b)
{
	const MultiEntry *x = a;
	const MultiEntry *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->position - y->position;
}

static int
compare_by_place(const void *a, const void *b)
{
	const MultiEntry *x = a;
	const MultiEntry *y = b;

	if (x->first != y->first)
		return x->first - y->first;
	return x->position - y->position;
}
