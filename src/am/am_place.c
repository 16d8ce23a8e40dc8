/*-------------------------------------------------------------------------
 *
 * am_place.c
 *	  Placement: a new tuple goes where its collection is.
 *
 * A relation has collections if its primary key is a btree index of two or
 * more columns: the rows that share the first column are one collection.  Any
 * other relation is left to heap.
 *
 * Before an insert we look at the neighbours in the primary index, up to
 * AM_WINDOW entries on either side, and at the pages they lie on.  If one of
 * these has room it is handed to heap, whose own search begins with it; if
 * none has, the collection moves on to a page that am_page.c finds.
 *
 *		primary index	... (k,1) (k,4)  <k,6>  (k,7) (l,2) ...
 *								|	 |			 |
 *		on page					12	 31	first	 12
 *
 * The newest page comes first: a collection grows there, whether its tuples
 * arrive in order or at random, while its nearest neighbour is often on an
 * old page filled long ago.  Were only the neighbours next to the tuple asked,
 * half the tuples that arrive at random would see none of a page just opened,
 * open another, and leave pages nearly empty.
 *
 * All of it is advice, and heap checks again under its own lock.  Otherwise
 * each case below would need a lock or a message.  Index entries may be dead,
 * or of transactions that are in progress or aborted; they still say where
 * tuples of the collection were put. An entry cannot point past the end of the
 * relation: VACUUM removes entries before it truncates, and cannot truncate
 * while we hold our lock on the relation.  am_page_exists() is asked
 * nevertheless.  Nothing here depends on visibility, so no snapshot is needed
 * and no predicate lock taken.
 *
 * Nothing that happens here may fail an insert which heap would have done.
 * What remains is what the insert itself would run into: comparing keys,
 * reading a page, extending the relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/hio.h"
#include "am/am_internal.h"
#include "storage/bufmgr.h"
#include "storage/freespace.h"
#include "utils/rel.h"

#define TRIES	3				/* pages tried at least */

/* GUC dynamo.placement */
bool		am_placement = true;

static AmMemo *choose(Relation rel, TupleTableSlot *slot, int ntuples,
					  AmPlacement *p, BulkInsertState place);
static Buffer page_by_neighbours(Relation rel, TupleTableSlot *slot,
								 const AmPlacement *p, Buffer *leaf,
								 int *nothers);
static Buffer page_among(Relation rel, AmNeighbours *seen,
						 const AmPlacement *p);
static int	tries(const AmPlacement *p);
static int	next_page(const AmNeighbours *seen, int ntried);
static bool is_busy(Buffer buffer);

/*
 * Choose a page for the slot's tuple and put it, pinned, into *place, for heap
 * to begin with.  False: heap goes its own way.
 *
 * The caller hands *place to heap in place of its own state, if it has one,
 * and gives the pin back by ReleaseBulkInsertStatePin().
 */
bool
am_place_tuple(Relation rel, TupleTableSlot *slot, BulkInsertState place)
{
	AmPlacement p;
	AmMemo	   *memo;

	if (!am_has_collections(rel))
		return false;
	memo = choose(rel, slot, 1, &p, place);
	if (memo != NULL)
		am_memo_add(memo, 1);
	return BufferIsValid(place->current_buf);
}

/*
 * Steer the new version of the tuple at "otid" if heap is not going to keep
 * it on its page.
 */
void
am_place_new_version(Relation rel, ItemPointer otid, TupleTableSlot *slot)
{
	BulkInsertStateData place;
	Buffer		buffer;
	int			space;

	if (!am_has_collections(rel))
		return;
	buffer = am_page_pin(rel, ItemPointerGetBlockNumber(otid), InvalidBuffer);
	space = am_page_space(buffer);
	ReleaseBuffer(buffer);
	if (space >= (int) MAXALIGN(am_tuple_length(slot)))
		return;
	if (am_place_tuple(rel, slot, &place))
	{
		RelationSetTargetBlock(rel, BufferGetBlockNumber(place.current_buf));
		ReleaseBulkInsertStatePin(&place);
	}
}

/*
 * The same for several tuples of one collection.  Returns how many of them go
 * to that page; the caller comes back for the others.  If there is none, heap
 * goes its own way with one.
 */
int
am_place_several(Relation rel, TupleTableSlot **slots, int nslots,
				 BulkInsertState place)
{
	AmPlacement p;
	AmMemo	   *memo = choose(rel, slots[0], nslots, &p, place);
	int			space;
	int			n;

	if (!BufferIsValid(place->current_buf))
		return 1;

	/* As heap_multi_insert() reckons. */
	space = am_page_space(place->current_buf) - p.item;
	for (n = 1; n < nslots; n++)
	{
		am_placement_init(&p, rel, am_tuple_length(slots[n]), nslots);
		if (space < p.need)
			break;
		space -= p.item;
	}
	if (memo != NULL)
		am_memo_add(memo, n);
	return n;
}

/*
 * Is there anything to place here?
 *
 * Called before each insert and update, whether placement is on or not.  A
 * truncation closes the smgr relation, and the target block goes with it.  So
 * without a target block the remembered length may be wrong, and we forget it
 * before heap sets the next target block.  Otherwise we would read past the
 * end.
 */
bool
am_has_collections(Relation rel)
{
	AmPlaceState *state = am_place_state(rel);

	if (RelationGetTargetBlock(rel) == InvalidBlockNumber)
		state->nblocks = 0;
	return am_placement && OidIsValid(state->index);
}

/*
 * Choose a page for one of "ntuples" tuples of the slot's collection.  There
 * is none for a tuple too big for any, which heap is going to refuse.
 * Returns what is remembered about the collection, NULL if nothing.
 *
 * What is remembered comes first, so that the page is on its way while the
 * tuple is measured.
 */
static AmMemo *
choose(Relation rel, TupleTableSlot *slot, int ntuples, AmPlacement *p,
	   BulkInsertState place)
{
	uint32		collection = am_collection_hash(rel, slot);
	AmMemo	   *memo = am_memo_recall(rel, collection);
	Buffer		buffer = InvalidBuffer;
	Buffer		leaf = InvalidBuffer;
	int			nothers = 0;

	if (memo != NULL)
		am_page_prefetch(memo);
	am_placement_init(p, rel, am_tuple_length(slot), ntuples);
	if (p->need > (int) MaxHeapTupleSize)
	{
		compat_bulk_insert_pinned(place, InvalidBuffer);
		return NULL;
	}

	if (memo != NULL)
	{
		buffer = am_page_with_room(rel, memo->block, memo->buffer, p);
		leaf = memo->leaf;
		nothers = am_page_alone(rel) ? am_memo_count(memo) : 0;
	}
	if (!BufferIsValid(buffer))
	{
		if (nothers > 0)
			buffer = am_page_choose(rel, p, nothers + 1);
		else
			buffer = page_by_neighbours(rel, slot, p, &leaf, &nothers);
		memo = am_memo_store(rel, collection, buffer, leaf, nothers);
	}
	compat_bulk_insert_pinned(place, buffer);
	return memo;
}

/*
 * A page for a tuple that looks at its neighbours.  Sets *leaf to where they
 * were found and *nothers to how many.
 */
static Buffer
page_by_neighbours(Relation rel, TupleTableSlot *slot, const AmPlacement *p,
				   Buffer *leaf, int *nothers)
{
	AmNeighbours seen;
	Buffer		buffer;
	int			share;

	am_neighbours_find(rel, slot, &seen);
	*leaf = seen.leaf;
	*nothers = seen.nentries;
	buffer = page_among(rel, &seen, p);
	if (BufferIsValid(buffer))
		return buffer;

	/* As many again as there are; if not all were seen, as on the fullest. */
	share = seen.nentries + 1;
	for (int i = 0; seen.nentries >= AM_WINDOW && i < seen.npages; i++)
		share = Max(share, 2 * seen.page[i].count);
	return am_page_choose(rel, p, share);
}

/*
 * A neighbours' page that has room: the newest, the nearest neighbour's, or
 * the next newest.
 *
 * A page that somebody else is working on is skipped at first, so that the
 * writers of a busy collection spread over its pages.
 */
static Buffer
page_among(Relation rel, AmNeighbours *seen, const AmPlacement *p)
{
	Buffer		busy = InvalidBuffer;

	for (int ntried = 0; ntried < tries(p); ntried++)
	{
		int			i = next_page(seen, ntried);
		Buffer		buffer;

		if (i < 0)
			break;
		seen->page[i].tried = true;
		if (ntried >= TRIES &&
			GetRecordedFreeSpace(rel, seen->page[i].block) < p->need)
			continue;
		buffer = am_page_with_room(rel, seen->page[i].block, InvalidBuffer, p);
		if (!BufferIsValid(buffer))
			continue;
		if (!is_busy(buffer))
		{
			if (BufferIsValid(busy))
				ReleaseBuffer(busy);
			return buffer;
		}
		if (BufferIsValid(busy))
			ReleaseBuffer(buffer);
		else
			busy = buffer;
	}
	return busy;
}

/*
 * How many pages are tried before the collection moves on.
 *
 * Where rows are deleted and come back, the room is on old pages.  Were only a
 * few tried, it would stay empty, and collections move on to new pages all the
 * time.  So after the first ones others are tried, for every third tuple that a
 * page takes one.  Of these, pages are left alone that the free space map calls
 * full: it is VACUUM that makes the room and enters it there.  Otherwise all
 * would be read, each time that none has room.
 */
static int
tries(const AmPlacement *p)
{
	return Max(p->capacity / 3, TRIES);
}

/*
 * Never waits: the caller may hold another page's pin, not its lock.
 */
static bool
is_busy(Buffer buffer)
{
	if (!ConditionalLockBuffer(buffer))
		return true;
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return false;
}

/*
 * The page to try after "ntried" others, -1 if there is no more.
 */
static int
next_page(const AmNeighbours *seen, int ntried)
{
	int			newest = -1;

	if (ntried == 1 && seen->npages > 0 && !seen->page[0].tried)
		return 0;
	for (int i = 0; i < seen->npages; i++)
	{
		if (!seen->page[i].tried &&
			(newest < 0 || seen->page[i].block > seen->page[newest].block))
			newest = i;
	}
	return newest;
}
