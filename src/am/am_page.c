/*-------------------------------------------------------------------------
 *
 * am_page.c
 *	  Pages for newcomers: which page a collection moves on to.
 *
 * A page is meant to be shared by residents that hold about the same number
 * of tuples there, its class: 2^class tuples each.  A collection new to the
 * table goes to a page of class 0, where as many residents are let in as the
 * page takes tuples.  A collection that held h tuples on the page it outgrew
 * goes to a page whose residents are to hold 2h.  So a collection of n tuples
 * lies on about log2(n) shared pages and then on pages of its own, and none
 * of the pages waits for tuples that are unlikely to come:
 *
 *		class 0		a b c d e f g h		8 residents, 1 tuple each
 *		class 1		a a d d f f h h		4 residents, 2 each
 *		class 2		a a a a h h h h		2 residents, 4 each
 *		class 3		h h h h h h h h		1 resident
 *
 * The class is not written anywhere.  Residents find their page through the
 * primary index and need no class; newcomers are let in by the backend that
 * opened the page, which counts them in its own memory, so backends do not
 * queue for one page.  A backend that has not opened a page of a class yet
 * (it has just started, or the relcache entry went) first looks at the last
 * page of the relation and counts the collections there.  A page forgotten
 * by its backend is closed to newcomers until VACUUM enters its room in the
 * free space map; at most AM_CLASSES pages a backend can be in that state.
 *
 * One buffer is locked at a time and nothing here waits for a second one, so
 * there is no order of locks to keep.  What is found is a hint: heap checks
 * the room again under its own lock and looks elsewhere if it has gone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "storage/freespace.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

/* How many pages of the free space map's choice are looked at. */
#define FSM_TRIES	3

static int	class_for(const AmPlacement *p, int held);
static bool enter_open_page(Relation rel, AmOpenPage *open,
							const AmPlacement *p);
static BlockNumber adopt_last_page(Relation rel, const AmPlacement *p,
								   int residents, int *admissions);
static int	count_residents(Relation rel, Page page, AttrNumber partition);
static BlockNumber recycled_page(Relation rel, const AmPlacement *p,
								 int residents, int *admissions);
static BlockNumber new_page(Relation rel);

/*
 * Fill in *p for tuples of "len" bytes, as heap_form_tuple() makes them.
 *
 * Room is reckoned as RelationGetBufferForTuple() does, or else heap would
 * refuse the page chosen here and fall back to one of its own choice.
 */
void
am_placement_init(AmPlacement *p, Relation rel, Size len, int ntuples)
{
	Size		save = RelationGetTargetPageFreeSpace(rel,
													  HEAP_DEFAULT_FILLFACTOR);
	Size		nearly_empty = MaxHeapTupleSize -
	(MaxHeapTuplesPerPage / 8 * sizeof(ItemIdData));

	/* What is longer will be toasted down to about this. */
	if (len > TOAST_TUPLE_THRESHOLD && OidIsValid(rel->rd_rel->reltoastrelid))
		len = TOAST_TUPLE_TARGET;
	len = MAXALIGN(len);

	if (len + save > nearly_empty)
		p->need = Max(len, nearly_empty);
	else
		p->need = len + save;
	p->item = len + sizeof(ItemIdData);
	p->capacity = (BLCKSZ - SizeOfPageHeaderData - save) / p->item;
	p->capacity = Min(Max(p->capacity, 1), MaxHeapTuplesPerPage);
	p->ntuples = ntuples;
}

/*
 * The length of the heap tuple that heap's insert will get from the slot.
 */
Size
am_tuple_length(TupleTableSlot *slot)
{
	Size		len;

	/* These keep the tuple they form for whoever asks next. */
	if (TTS_IS_HEAPTUPLE(slot) || TTS_IS_BUFFERTUPLE(slot))
		return ExecFetchSlotHeapTuple(slot, true, NULL)->t_len;

	slot_getallattrs(slot);
	len = SizeofHeapTupleHeader + BITMAPLEN(slot->tts_nvalid);
	return MAXALIGN(len) + heap_compute_data_size(slot->tts_tupleDescriptor,
												  slot->tts_values,
												  slot->tts_isnull);
}

/*
 * May this block be read?  A block number out of the index or out of our own
 * memory can only be wrong after corruption or a truncation, but reading past
 * the end would be an error.
 *
 * The remembered length holds as long as the smgr relation does that we last
 * inserted through: a truncation closes it and with it goes the target block.
 */
bool
am_page_exists(Relation rel, BlockNumber block)
{
	AmPlaceState *state = am_place_state(rel);

	if (block < state->nblocks &&
		RelationGetTargetBlock(rel) != InvalidBlockNumber)
		return true;
	state->nblocks = RelationGetNumberOfBlocks(rel);
	return block < state->nblocks;
}

/*
 * Free bytes of a page, as heap reckons them; AM_PAGE_BUSY if somebody has it
 * locked and the caller does not want to wait.  Versions nobody can see any
 * more are pruned if they stand between us and room.
 */
int
am_page_space(Relation rel, BlockNumber block, bool wait)
{
	Buffer		buffer = ReadBuffer(rel, block);
	Page		page = BufferGetPage(buffer);
	int			space;

	/* Does nothing unless the page is nearly full and has dead versions. */
	heap_page_prune_opt(rel, buffer);

	if (wait)
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
	else if (!ConditionalLockBuffer(buffer))
	{
		ReleaseBuffer(buffer);
		return AM_PAGE_BUSY;
	}
	if (PageIsNew(page))
		space = BLCKSZ - SizeOfPageHeaderData - sizeof(ItemIdData);
	else
		space = PageGetHeapFreeSpace(page);
	UnlockReleaseBuffer(buffer);

	return space;
}

/*
 * A page for a newcomer whose collection held "held" tuples on the page it
 * outgrew; 0 for a collection new to the table.
 */
BlockNumber
am_page_choose(Relation rel, const AmPlacement *p, int held)
{
	int			class = class_for(p, Max(held, p->ntuples / 2));
	int			residents = Max(p->capacity >> class, 1);
	AmPlaceState *state = am_place_state(rel);
	AmOpenPage	found;

	if (enter_open_page(rel, &state->open[class], p))
		return state->open[class].block;

	found.block = InvalidBlockNumber;
	if (!state->warm[class])
		found.block = adopt_last_page(rel, p, residents, &found.admissions);
	if (found.block == InvalidBlockNumber)
		found.block = recycled_page(rel, p, residents, &found.admissions);
	if (found.block == InvalidBlockNumber)
	{
		found.block = new_page(rel);
		found.admissions = residents;
	}

	/* Extending may have waited for a lock, and the cache may be a new one. */
	state = am_place_state(rel);
	found.admissions--;
	state->open[class] = found;
	state->warm[class] = true;
	return found.block;
}

/*
 * The class whose residents hold twice "held" tuples, to the nearest power of
 * two; or the one that has a page to itself, if that is less.
 */
static int
class_for(const AmPlacement *p, int held)
{
	int			floor;
	int			class;

	if (held == 0)
		return 0;
	floor = pg_leftmost_one_pos32(held);
	class = floor + 1;
	if (held * 5 >= 7 << floor) /* 7/5, near enough to the square root of 2 */
		class++;
	return Min(class, pg_leftmost_one_pos32(p->capacity));
}

/*
 * Let a newcomer into the open page of its class, if there is one.
 */
static bool
enter_open_page(Relation rel, AmOpenPage *open, const AmPlacement *p)
{
	if (open->block == InvalidBlockNumber || open->admissions <= 0)
		return false;
	if (!am_page_exists(rel, open->block) ||
		am_page_space(rel, open->block, true) < p->need)
	{
		open->block = InvalidBlockNumber;
		return false;
	}
	open->admissions--;
	return true;
}

/*
 * Take over the last page of the relation, if it has room for a share of the
 * class and fewer residents than a page of the class is meant to have.
 *
 * Without this, a client that connects for every insert would leave behind a
 * page for each.
 */
static BlockNumber
adopt_last_page(Relation rel, const AmPlacement *p, int residents,
				int *admissions)
{
	AttrNumber	partition = am_place_state(rel)->partition;
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	Size		share = p->item * (p->capacity / residents);
	Buffer		buffer;
	Page		page;

	if (nblocks == 0)
		return InvalidBlockNumber;

	buffer = ReadBuffer(rel, nblocks - 1);
	page = BufferGetPage(buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	if (PageIsNew(page))
		*admissions = residents;
	else if (PageGetHeapFreeSpace(page) < Max(p->need, share))
		*admissions = 0;
	else
		*admissions = residents - count_residents(rel, page, partition);
	UnlockReleaseBuffer(buffer);

	return *admissions > 0 ? nblocks - 1 : InvalidBlockNumber;
}

/*
 * How many collections have tuples on this page?  Caller holds a lock on it.
 * Counted by hash, so seldom one too few.
 */
static int
count_residents(Relation rel, Page page, AttrNumber partition)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Form_pg_attribute att = TupleDescAttr(desc, partition - 1);
	OffsetNumber max = PageGetMaxOffsetNumber(page);
	uint32		seen[MaxHeapTuplesPerPage];
	int			nseen = 0;

	for (OffsetNumber off = FirstOffsetNumber; off <= max; off++)
	{
		ItemId		lp = PageGetItemId(page, off);
		HeapTupleData tuple;
		Datum		value;
		bool		isnull;
		uint32		hash;
		int			i;

		if (!ItemIdIsNormal(lp))
			continue;
		tuple.t_data = (HeapTupleHeader) PageGetItem(page, lp);
		tuple.t_len = ItemIdGetLength(lp);
		tuple.t_tableOid = RelationGetRelid(rel);
		value = heap_getattr(&tuple, partition, desc, &isnull);
		hash = isnull ? 0 : am_image_hash(value, att);
		for (i = 0; i < nseen; i++)
		{
			if (seen[i] == hash)
				break;
		}
		if (i == nseen && nseen < MaxHeapTuplesPerPage)
			seen[nseen++] = hash;
	}
	return nseen;
}

/*
 * A page the free space map knows to be half empty at least, and to have room
 * for a share of the class: room that VACUUM found.
 */
static BlockNumber
recycled_page(Relation rel, const AmPlacement *p, int residents,
			  int *admissions)
{
	Size		share = p->item * (p->capacity / residents);
	Size		want = Max(Max(share, p->need), BLCKSZ * 5 / 8);
	BlockNumber block;

	/* The map is coarse and calls no page emptier than this. */
	want = Max(Min(want, MaxHeapTupleSize - BLCKSZ / 16), p->need);

	block = GetPageWithFreeSpace(rel, want);
	for (int i = 0; i < FSM_TRIES && block != InvalidBlockNumber; i++)
	{
		int			space = 0;

		if (am_page_exists(rel, block))
			space = am_page_space(rel, block, true);
		if (space >= (int) want)
		{
			*admissions = Max(Min(space / share, residents), 1);
			return block;
		}
		block = RecordAndGetPageWithFreeSpace(rel, block, space, want);
	}
	return InvalidBlockNumber;
}

/*
 * Extend the relation by a page.
 *
 * The page is left initialized and unlocked: heap's insert will find it empty
 * and log its initialization with the first tuple.  If we crash or fail in
 * between, an empty page remains, which VACUUM takes care of, as it does after
 * heap's own extensions.
 */
static BlockNumber
new_page(Relation rel)
{
	Buffer		buffer;
	BlockNumber block;

	compat_extend_relation(rel, buffer);
	block = BufferGetBlockNumber(buffer);
	PageInit(BufferGetPage(buffer), BufferGetPageSize(buffer), 0);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);

	return block;
}
