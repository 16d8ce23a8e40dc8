/*-------------------------------------------------------------------------
 *
 * am_place.c
 *	  Placement: a new tuple goes where its collection is.
 *
 * A relation has collections if its primary key is a btree index of two or
 * more columns: the rows that share the first column are one collection.  Any
 * other relation is left to heap.
 *
 * Before an insert we look at the neighbours in the primary index and at the
 * pages they lie on.  If one of these has room it becomes the target block,
 * with which heap's insert begins its search; if none has, the collection
 * moves on to a page that am_page.c finds.
 *
 *		primary index	... (k,1) (k,4)  <k,6>  (k,7) (l,2) ...
 *								|	 |			 |
 *		pages looked at			12	 31 first	 12
 *
 * Most tuples arrive in order, so the predecessor's page usually is the one
 * the collection grows on and a single look decides.  If they arrive at
 * random, the predecessor's page is often an old, full one: then up to WINDOW
 * entries on either side are gathered and the TRIES newest pages tried.
 *
 * All of it is advice.  Index entries may be dead or of transactions under
 * way or aborted; they still say where tuples of the collection were put.
 * An entry cannot point past the end of the relation: VACUUM removes entries
 * before it truncates, and cannot truncate while we hold our lock on the
 * relation.  am_page_exists() is asked nevertheless.  Nothing here depends on
 * visibility, so no snapshot is needed; SnapshotAny also keeps the scan from
 * taking predicate locks.
 *
 * Nothing that happens here may fail an insert which heap would have done.
 * What remains is what the insert itself would run into: comparing keys,
 * reading a page, extending the relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/relscan.h"
#include "am/am.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "catalog/index.h"
#include "catalog/pg_am_d.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define WINDOW	32				/* index entries looked at on either side */
#define TRIES	3				/* pages tried among these */

typedef enum PageTry
{
	UNTRIED,
	FULL,
	BUSY
} PageTry;

/*
 * The neighbours' blocks, each once, that of the nearest neighbour first.
 */
typedef struct Neighbours
{
	int			nentries;
	int			nblocks;
	struct
	{
		BlockNumber block;
		int			count;		/* neighbours there */
		PageTry		tried;
	}			page[2 * WINDOW];
} Neighbours;

/* GUC dynamo.placement */
bool		am_placement = true;

/* What am_place_hint() was told. */
static Oid	hint_relid = InvalidOid;
static Neighbours hint;

static void place_state_fill(AmPlaceState *state, Relation rel);
static void key_fill(ScanKey key, Relation index, AttrNumber attno,
					 StrategyNumber strategy);
static BlockNumber place(Relation rel, TupleTableSlot *slot,
						 const AmPlacement *p);
static void neighbours_scan(Relation rel, TupleTableSlot *slot,
							Neighbours *seen, const AmPlacement *p,
							BlockNumber *target);
static bool scan_side(IndexScanDesc scan, ScanDirection direction,
					  Neighbours *seen);
static void neighbours_add(Neighbours *seen, BlockNumber block);
static BlockNumber try_newest(Relation rel, Neighbours *seen,
							  const AmPlacement *p);
static bool has_room(Relation rel, Neighbours *seen, int i,
					 const AmPlacement *p, bool wait);

/*
 * See am.h.
 */
void
am_place_hint(Relation rel, const ItemPointerData *neighbours, int nneighbours)
{
	hint_relid = RelationGetRelid(rel);
	hint.nentries = 0;
	hint.nblocks = 0;
	for (int i = 0; i < Min(nneighbours, 2 * WINDOW); i++)
		neighbours_add(&hint, ItemPointerGetBlockNumber(&neighbours[i]));
}

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

	if (!am_has_collections(rel) || !am_page_exists(rel, block))
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
		key_fill(&state->same, index, 1, BTEqualStrategyNumber);
		key_fill(&state->before, index, 2, BTLessEqualStrategyNumber);
		key_fill(&state->after, index, 2, BTGreaterStrategyNumber);
		if (OidIsValid(state->same.sk_func.fn_oid) &&
			OidIsValid(state->before.sk_func.fn_oid) &&
			OidIsValid(state->after.sk_func.fn_oid))
			state->index = indexoid;
	}
	index_close(index, RowExclusiveLock);
}

/*
 * A scan key without argument.  Its FmgrInfo outlives the relcache entry, so
 * it must never be called itself, only copied: fn_extra stays NULL.
 */
static void
key_fill(ScanKey key, Relation index, AttrNumber attno,
		 StrategyNumber strategy)
{
	Oid			type = index->rd_opcintype[attno - 1];
	Oid			operator = get_opfamily_member(index->rd_opfamily[attno - 1],
											   type, type, strategy);
	RegProcedure function = OidIsValid(operator) ? get_opcode(operator) :
	InvalidOid;

	if (OidIsValid(function))
		ScanKeyEntryInitialize(key, 0, attno, strategy, InvalidOid,
							   index->rd_indcollation[attno - 1], function,
							   (Datum) 0);
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
	Neighbours	seen;
	BlockNumber target = InvalidBlockNumber;
	bool		hinted = hint_relid == RelationGetRelid(rel);
	int			held = 0;

	if (hinted)
	{
		hint_relid = InvalidOid;
		seen = hint;
		if (seen.nentries > 0)
			target = try_newest(rel, &seen, p);
	}
	if (!hinted ||
		(target == InvalidBlockNumber && seen.nentries > 0 &&
		 seen.nentries < 2 * WINDOW))
		neighbours_scan(rel, slot, &seen, p, &target);
	if (target != InvalidBlockNumber)
		return target;

	for (int i = 0; i < seen.nblocks; i++)
		held = Max(held, seen.page[i].count);
	return am_page_choose(rel, p, held);
}

/*
 * Gather the neighbours of the slot's key in the primary index, and set
 * *target if a page of theirs has room.
 */
static void
neighbours_scan(Relation rel, TupleTableSlot *slot, Neighbours *seen,
				const AmPlacement *p, BlockNumber *target)
{
	AmPlaceState state = *am_place_state(rel);
	ScanKeyData keys[2];
	Datum		partition,
				sort;
	bool		partition_null,
				sort_null;
	Relation	index;
	IndexScanDesc scan;

	seen->nentries = 0;
	seen->nblocks = 0;

	partition = slot_getattr(slot, state.partition, &partition_null);
	sort = slot_getattr(slot, state.sort, &sort_null);
	if (partition_null || sort_null || ReindexIsProcessingIndex(state.index))
		return;

	index = index_open(state.index, RowExclusiveLock);
	scan = index_beginscan(rel, index, SnapshotAny, 2, 0);

	keys[0] = state.same;
	keys[0].sk_func.fn_mcxt = CurrentMemoryContext;
	keys[0].sk_argument = partition;
	keys[1] = state.before;
	keys[1].sk_func.fn_mcxt = CurrentMemoryContext;
	keys[1].sk_argument = sort;
	index_rescan(scan, keys, 2, NULL, 0);

	/* The predecessor's page first: if it has room, that is all. */
	if (scan_side(scan, BackwardScanDirection, seen))
		*target = try_newest(rel, seen, p);

	if (*target == InvalidBlockNumber)
	{
		keys[1] = state.after;
		keys[1].sk_func.fn_mcxt = CurrentMemoryContext;
		keys[1].sk_argument = sort;
		index_rescan(scan, keys, 2, NULL, 0);
		if (scan_side(scan, ForwardScanDirection, seen))
			*target = try_newest(rel, seen, p);
	}

	index_endscan(scan);
	index_close(index, RowExclusiveLock);
}

/*
 * Add up to WINDOW entries of one side.  False if there is none.
 */
static bool
scan_side(IndexScanDesc scan, ScanDirection direction, Neighbours *seen)
{
	ItemPointer tid;
	int			n = 0;

	while (n < WINDOW && (tid = index_getnext_tid(scan, direction)) != NULL)
	{
		neighbours_add(seen, ItemPointerGetBlockNumber(tid));
		n++;
	}
	return n > 0;
}

static void
neighbours_add(Neighbours *seen, BlockNumber block)
{
	seen->nentries++;
	for (int i = 0; i < seen->nblocks; i++)
	{
		if (seen->page[i].block == block)
		{
			seen->page[i].count++;
			return;
		}
	}
	seen->page[seen->nblocks].block = block;
	seen->page[seen->nblocks].count = 1;
	seen->page[seen->nblocks].tried = UNTRIED;
	seen->nblocks++;
}

/*
 * The nearest neighbour's page, or one of the newest others, if it has room.
 *
 * A page somebody else is working on is passed over at first, so that the
 * writers of a busy collection spread over its pages.
 */
static BlockNumber
try_newest(Relation rel, Neighbours *seen, const AmPlacement *p)
{
	if (has_room(rel, seen, 0, p, false))
		return seen->page[0].block;

	for (int try = 0; try < TRIES; try++)
	{
		int			newest = -1;

		for (int i = 0; i < seen->nblocks; i++)
		{
			if (seen->page[i].tried == UNTRIED &&
				(newest < 0 || seen->page[i].block > seen->page[newest].block))
				newest = i;
		}
		if (newest < 0)
			break;
		if (has_room(rel, seen, newest, p, false))
			return seen->page[newest].block;
	}

	for (int i = 0; i < seen->nblocks; i++)
	{
		if (seen->page[i].tried == BUSY && has_room(rel, seen, i, p, true))
			return seen->page[i].block;
	}
	return InvalidBlockNumber;
}

static bool
has_room(Relation rel, Neighbours *seen, int i, const AmPlacement *p,
		 bool wait)
{
	BlockNumber block = seen->page[i].block;
	int			space;

	if (seen->page[i].tried == FULL || !am_page_exists(rel, block))
		return false;
	space = am_page_space(rel, block, wait);
	seen->page[i].tried = space == AM_PAGE_BUSY ? BUSY : FULL;
	return space >= p->need;
}
