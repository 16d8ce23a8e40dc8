/*-------------------------------------------------------------------------
 *
 * am_neighbours.c
 *	  The neighbours of a tuple in the primary index.
 *
 * One descent with nbtree's own functions to the leaf where the tuple's entry
 * is going to be, and a look at the entries left and right of that place:
 *
 *		leaf	... (k,1) (k,4) (k,5)  <k,6>  (k,7) (k,9) (l,2) ...
 *					  3		2	  1				 1	   2
 *
 * Only heap TIDs are taken.  An index scan would find the same, but it sets
 * up 33 kB of state and copies out all matching entries of the leaf first,
 * twice if both sides are wanted; that doubled the time of an insert.  The
 * descent is the one that the insertion into this index repeats right after
 * us, so it mostly pays in advance for bringing the pages near.
 *
 * Collections are compared by image.  Images that differ although the values
 * are equal (numeric 1.0 and 1.00) are told apart, and the collection lies on
 * a few pages more.
 *
 * Locks: read locks on index pages, one at a time (nbtree's descent does not
 * couple them), and no heap page meanwhile.  Otherwise two writers, each on
 * the other's page, would wait for ever: LWLocks have no deadlock detector.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "catalog/index.h"
#include "utils/datum.h"
#include "utils/rel.h"

static bool key_values(Relation rel, TupleTableSlot *slot,
					   const AmPlaceState *state, Datum *stored, Datum *plain);
static BTScanInsert make_key(Relation index, const Datum *values);
static OffsetNumber first_not_less(Relation index, BTScanInsert key,
								   Page page);
static void look_left(Relation index, Page page, OffsetNumber from,
					  Datum partition, AmNeighbours *seen);
static void look_right(Relation index, Page page, OffsetNumber from,
					   Datum partition, AmNeighbours *seen);
static bool same_collection(Relation index, Page page, OffsetNumber off,
							Datum partition);
static void add_entry(Page page, OffsetNumber off, AmNeighbours *seen);

/*
 * Fill *seen with the neighbours of the slot's tuple.
 *
 * Entries beyond the leaf are looked at only if the leaf shows none of the
 * collection, and then on one page of either side.
 *
 * The state is a copy: opening relations receives messages.
 */
void
am_neighbours_find(Relation rel, TupleTableSlot *slot, AmNeighbours *seen)
{
	AmPlaceState state = *am_place_state(rel);
	Datum		stored[2];
	Datum		values[2];
	Relation	index;
	BTScanInsert key;
	Buffer		buffer;
	Page		page;
	BTPageOpaque opaque;
	OffsetNumber off;
	BlockNumber left = P_NONE;
	BlockNumber right = P_NONE;

	seen->leaf = InvalidBuffer;
	seen->nentries = 0;
	seen->npages = 0;

	if (ReindexIsProcessingIndex(state.index) ||
		!key_values(rel, slot, &state, stored, values))
		return;

	/* The mode the executor has it open in: found in the local lock table. */
	index = index_open(state.index, RowExclusiveLock);
	key = make_key(index, values);
	compat_bt_search(index, rel, key, &buffer);
	if (BufferIsValid(buffer))
	{
		seen->leaf = buffer;
		page = BufferGetPage(buffer);
		opaque = BTPageGetOpaque(page);
		off = first_not_less(index, key, page);
		look_left(index, page, OffsetNumberPrev(off), values[0], seen);
		look_right(index, page, off, values[0], seen);
		if (seen->nentries == 0)
		{
			if (off == P_FIRSTDATAKEY(opaque))
				left = opaque->btpo_prev;
			if (off > PageGetMaxOffsetNumber(page))
				right = opaque->btpo_next;
		}
		_bt_relbuf(index, buffer);	/* before another is locked */
	}

	/* If the sibling has been split or deleted meanwhile, we see less. */
	if (left != P_NONE)
	{
		buffer = _bt_getbuf(index, left, BT_READ);
		page = BufferGetPage(buffer);
		if (P_ISLEAF(BTPageGetOpaque(page)))
			look_left(index, page, PageGetMaxOffsetNumber(page), values[0],
					  seen);
		_bt_relbuf(index, buffer);
	}
	if (right != P_NONE)
	{
		buffer = _bt_getbuf(index, right, BT_READ);
		page = BufferGetPage(buffer);
		if (P_ISLEAF(BTPageGetOpaque(page)))
			look_right(index, page, P_FIRSTDATAKEY(BTPageGetOpaque(page)),
					   values[0], seen);
		_bt_relbuf(index, buffer);
	}

	pfree(key);
	for (int i = 0; i < 2; i++)
		am_free_plain(values[i], stored[i]);
	index_close(index, RowExclusiveLock);
}

/*
 * Add a neighbour that lies on this heap block.
 */
static void
add_neighbour(AmNeighbours *seen, BlockNumber block)
{
	seen->nentries++;
	for (int i = 0; i < seen->npages; i++)
	{
		if (seen->page[i].block == block)
		{
			seen->page[i].count++;
			return;
		}
	}
	Assert(seen->npages < lengthof(seen->page));
	seen->page[seen->npages].block = block;
	seen->page[seen->npages].count = 1;
	seen->page[seen->npages].tried = false;
	seen->npages++;
}

/*
 * The first two columns of the tuple's key, as they are and plain.  False if
 * one is NULL, which will be refused, but not by us.
 *
 * A value in a TOAST table is fetched here, not by the comparisons.  Otherwise
 * opening that table with an index page locked could wait for ever.
 */
static bool
key_values(Relation rel, TupleTableSlot *slot, const AmPlaceState *state,
		   Datum *stored, Datum *plain)
{
	AttrNumber	columns[2] = {state->partition, state->sort};
	bool		isnull[2];

	for (int i = 0; i < 2; i++)
		stored[i] = slot_getattr(slot, columns[i], &isnull[i]);
	if (isnull[0] || isnull[1])
		return false;
	for (int i = 0; i < 2; i++)
		plain[i] = am_plain(stored[i], TupleDescAttr(RelationGetDescr(rel),
													 columns[i] - 1));
	return true;
}

/*
 * An insertion key of the first two columns.
 */
static BTScanInsert
make_key(Relation index, const Datum *values)
{
	BTScanInsert key = _bt_mkscankey(index, NULL);

	_bt_metaversion(index, &key->heapkeyspace, &key->allequalimage);
	key->anynullkeys = false;
	key->keysz = 2;
	for (int i = 0; i < 2; i++)
	{
		key->scankeys[i].sk_flags &= ~SK_ISNULL;
		key->scankeys[i].sk_argument = values[i];
	}
	return key;
}

/*
 * The first entry of a leaf whose key is not less than ours.
 */
static OffsetNumber
first_not_less(Relation index, BTScanInsert key, Page page)
{
	OffsetNumber low = P_FIRSTDATAKEY(BTPageGetOpaque(page));
	OffsetNumber high = OffsetNumberNext(PageGetMaxOffsetNumber(page));

	while (low < high)
	{
		OffsetNumber mid = low + (high - low) / 2;

		if (_bt_compare(index, key, page, mid) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Add up to AM_WINDOW entries at "from" and left of it.
 *
 * Entries are in order, so if the farthest belongs to the collection, all do.
 */
static void
look_left(Relation index, Page page, OffsetNumber from, Datum partition,
		  AmNeighbours *seen)
{
	OffsetNumber first = P_FIRSTDATAKEY(BTPageGetOpaque(page));
	OffsetNumber last = first;
	bool		all;

	/* The page may be empty, or nothing of ours on it. */
	if (from < first || from > PageGetMaxOffsetNumber(page) ||
		P_IGNORE(BTPageGetOpaque(page)) ||
		!same_collection(index, page, from, partition))
		return;
	if (from - first >= AM_WINDOW)
		last = from - AM_WINDOW + 1;
	all = same_collection(index, page, last, partition);
	for (OffsetNumber off = from; off >= last; off = OffsetNumberPrev(off))
	{
		if (!all && !same_collection(index, page, off, partition))
			break;
		add_entry(page, off, seen);
	}
}

/*
 * The same to the right.
 */
static void
look_right(Relation index, Page page, OffsetNumber from, Datum partition,
		   AmNeighbours *seen)
{
	OffsetNumber max = PageGetMaxOffsetNumber(page);
	OffsetNumber last = max;
	bool		all;

	if (from > max || P_IGNORE(BTPageGetOpaque(page)) ||
		!same_collection(index, page, from, partition))
		return;
	if (max - from >= AM_WINDOW)
		last = from + AM_WINDOW - 1;
	all = same_collection(index, page, last, partition);
	for (OffsetNumber off = from; off <= last; off = OffsetNumberNext(off))
	{
		if (!all && !same_collection(index, page, off, partition))
			break;
		add_entry(page, off, seen);
	}
}

/*
 * Is this entry of the collection whose first key column is "partition"?
 */
static bool
same_collection(Relation index, Page page, OffsetNumber off, Datum partition)
{
	IndexTuple	itup = (IndexTuple) PageGetItem(page, PageGetItemId(page, off));
	TupleDesc	desc = RelationGetDescr(index);
	Form_pg_attribute att = TupleDescAttr(desc, 0);
	bool		isnull;
	Datum		value = index_getattr(itup, 1, desc, &isnull);

	return !isnull && am_same_image(value, partition, att);
}

static void
add_entry(Page page, OffsetNumber off, AmNeighbours *seen)
{
	IndexTuple	itup = (IndexTuple) PageGetItem(page, PageGetItemId(page, off));

	add_neighbour(seen, ItemPointerGetBlockNumber(BTreeTupleGetHeapTID(itup)));
}
