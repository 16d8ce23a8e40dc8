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
 * these has room it becomes the target block, with which heap's insert begins
 * its search; if none has, the collection moves on to a page that am_page.c
 * finds.
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
 * All of it is advice.  Index entries may be dead or of transactions under
 * way or aborted; they still say where tuples of the collection were put.
 * An entry cannot point past the end of the relation: VACUUM removes entries
 * before it truncates, and cannot truncate while we hold our lock on the
 * relation.  am_page_exists() is asked nevertheless.  Nothing here depends on
 * visibility, so no snapshot is needed and no predicate lock taken.
 *
 * Nothing that happens here may fail an insert which heap would have done.
 * What remains is what the insert itself would run into: comparing keys,
 * reading a page, extending the relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "catalog/pg_am_d.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define TRIES	3				/* pages tried */

/* GUC dynamo.placement */
bool		am_placement = true;

static void place_state_fill(AmPlaceState *state, Relation rel);
static BlockNumber place(Relation rel, TupleTableSlot *slot,
						 const AmPlacement *p);
static BlockNumber page_by_neighbours(Relation rel, TupleTableSlot *slot,
									  const AmPlacement *p);
static BlockNumber page_among(Relation rel, AmNeighbours *seen,
							  const AmPlacement *p);
static int	next_page(const AmNeighbours *seen, int ntried);
static bool has_room(Relation rel, BlockNumber block, const AmPlacement *p,
					 bool wait, bool *busy);

/*
 * Steer heap's next insert of the slot's tuple into "rel".  False: heap goes
 * its own way.  A caller with a BulkInsertState must not pass it on if true,
 * or else heap would look at the page pinned there.
 */
bool
am_place_tuple(Relation rel, TupleTableSlot *slot)
{
	AmPlacement p;
	BlockNumber block;

	if (!am_has_collections(rel))
		return false;
	am_placement_init(&p, rel, am_tuple_length(slot), 1);
	block = place(rel, slot, &p);
	if (block == InvalidBlockNumber)
		return false;
	RelationSetTargetBlock(rel, block);
	return true;
}

/*
 * Steer the new version of the tuple at "otid" if heap is not going to keep
 * it on its page.
 */
void
am_place_new_version(Relation rel, ItemPointer otid, TupleTableSlot *slot)
{
	Size		len;
	BlockNumber block = ItemPointerGetBlockNumber(otid);

	if (!am_has_collections(rel))
		return;
	len = am_tuple_length(slot);
	if (am_page_space(rel, block, true) < (int) MAXALIGN(len))
		am_place_tuple(rel, slot);
}

/*
 * Steer heap's insert of several tuples of one collection.  Returns how many
 * of them go to the target block; the caller comes back for the others.  0:
 * heap goes its own way.
 */
int
am_place_several(Relation rel, TupleTableSlot **slots, int nslots)
{
	AmPlacement p;
	BlockNumber block;
	int			space;
	int			n = 1;

	am_placement_init(&p, rel, am_tuple_length(slots[0]), nslots);
	block = place(rel, slots[0], &p);
	if (block == InvalidBlockNumber)
		return 0;
	RelationSetTargetBlock(rel, block);
	if (nslots == 1)
		return 1;

	/* As heap_multi_insert() reckons. */
	space = am_page_space(rel, block, true) - p.item;
	for (; n < nslots; n++)
	{
		am_placement_init(&p, rel, am_tuple_length(slots[n]), nslots);
		if (space < p.need)
			break;
		space -= p.item;
	}
	return n;
}

/*
 * What is known about the relation.  The pointer is good until the next call
 * that may receive invalidation messages: opening a relation, taking a lock.
 */
AmPlaceState *
am_place_state(Relation rel)
{
	AmPlaceState state;

	if (rel->rd_amcache == NULL)
	{
		memset(&state, 0, sizeof(state));
		for (int i = 0; i < AM_CLASSES; i++)
			state.open[i].block = InvalidBlockNumber;
		place_state_fill(&state, rel);
		if (rel->rd_amcache == NULL)
			rel->rd_amcache = MemoryContextAlloc(CacheMemoryContext,
												 sizeof(state));
		memcpy(rel->rd_amcache, &state, sizeof(state));
	}
	return (AmPlaceState *) rel->rd_amcache;
}

static void
place_state_fill(AmPlaceState *state, Relation rel)
{
	Oid			indexoid;
	Relation	index;

	if (!rel->rd_rel->relhasindex)
		return;
	indexoid = compat_primary_key_index(rel);
	if (!OidIsValid(indexoid))
		return;

	index = index_open(indexoid, RowExclusiveLock);
	if (index->rd_rel->relam == BTREE_AM_OID &&
		IndexRelationGetNumberOfKeyAttributes(index) >= 2)
	{
		state->partition = index->rd_index->indkey.values[0];
		state->sort = index->rd_index->indkey.values[1];
		state->index = indexoid;
	}
	index_close(index, RowExclusiveLock);
}

/*
 * Is there anything to place here?
 */
bool
am_has_collections(Relation rel)
{
	return am_placement && OidIsValid(am_place_state(rel)->index);
}

/*
 * The page for tuples of the slot's collection, InvalidBlockNumber if heap
 * had better decide.
 */
static BlockNumber
place(Relation rel, TupleTableSlot *slot, const AmPlacement *p)
{
	uint32		collection = am_collection_hash(rel, slot);
	BlockNumber block = am_memo_recall(rel, collection);

	if (block != InvalidBlockNumber && has_room(rel, block, p, true, NULL))
		return block;
	block = page_by_neighbours(rel, slot, p);
	am_memo_store(rel, collection, block);
	return block;
}

static BlockNumber
page_by_neighbours(Relation rel, TupleTableSlot *slot, const AmPlacement *p)
{
	AmNeighbours seen;
	BlockNumber block;
	int			held = 0;

	am_neighbours_find(rel, slot, &seen);
	block = page_among(rel, &seen, p);
	if (block != InvalidBlockNumber)
		return block;

	for (int i = 0; i < seen.npages; i++)
		held = Max(held, seen.page[i].count);
	return am_page_choose(rel, p, held);
}

/*
 * A neighbours' page that has room: the newest, the nearest neighbour's, or
 * the next newest.
 *
 * A page somebody else is working on is passed over at first, so that the
 * writers of a busy collection spread over its pages.
 */
static BlockNumber
page_among(Relation rel, AmNeighbours *seen, const AmPlacement *p)
{
	BlockNumber waiting = InvalidBlockNumber;

	for (int ntried = 0; ntried < TRIES; ntried++)
	{
		int			i = next_page(seen, ntried);
		bool		busy = false;

		if (i < 0)
			break;
		seen->page[i].tried = true;
		if (has_room(rel, seen->page[i].block, p, false, &busy))
			return seen->page[i].block;
		if (busy && waiting == InvalidBlockNumber)
			waiting = seen->page[i].block;
	}
	if (waiting != InvalidBlockNumber && has_room(rel, waiting, p, true, NULL))
		return waiting;
	return InvalidBlockNumber;
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

static bool
has_room(Relation rel, BlockNumber block, const AmPlacement *p, bool wait,
		 bool *busy)
{
	int			space;

	if (!am_page_exists(rel, block))
		return false;
	space = am_page_space(rel, block, wait);
	if (space == AM_PAGE_BUSY)
		*busy = true;
	return space >= p->need;
}
