/*-------------------------------------------------------------------------
 *
 * am_page.c
 *	  Pages for newcomers: which page a collection moves on to.
 *
 * A page is shared by residents that are expected to hold about the same
 * number of tuples there, its class: 1, 2, 3, 6, 12, 24, ... tuples each.  A
 * collection new to the table goes to a page of class 0, where as many
 * residents are let in as the page takes tuples.  A collection of n tuples that
 * has outgrown its page goes to one whose residents are to hold about n more.
 * So it lies on about log2(n) shared pages and then on pages of its own, and
 * none of the pages waits for tuples that are unlikely to come:
 *
 *		class 0		a b c d e f g h i j k l		12 residents, 1 tuple each
 *		class 1		a a d d f f h h i i l l		6 residents, 2 each
 *		class 2		a a a h h h i i i l l l		4 residents, 3 each
 *		class 3		h h h h h h i i i i i i		2 residents, 6 each
 *		class 4		h h h h h h h h h h h h		1 resident
 *
 * The first steps are small, for most collections stay small, and each step
 * that is taken in vain leaves room unused.
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

#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "storage/bufmgr.h"
#include "storage/freespace.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

/* How many pages of the free space map's choice are looked at. */
#define FSM_TRIES	3

/*
 * Pages added in a row by a backend that is taken for the only writer; as many
 * more if it has met another, for two that share a processor take long turns.
 */
#define ALONE	64
#define WARY	1000

static int	class_share(int class);
static int	class_for(const AmPlacement *p, int share);
static int	residents_of(const AmPlacement *p, int class);
static Buffer enter_open_page(Relation rel, AmOpenPage *open,
							  const AmPlacement *p);
static Buffer adopt_last_page(Relation rel, const AmPlacement *p,
							  int residents, int *admissions);
static int	count_residents(Relation rel, Page page, AttrNumber partition);
static Buffer recycled_page(Relation rel, const AmPlacement *p,
							int residents, int *admissions);
static Buffer new_page(Relation rel);

/*
 * Fill in *p for tuples of "len" bytes, as heap_form_tuple() makes them.
 *
 * Room is reckoned as RelationGetBufferForTuple() does.  Otherwise heap would
 * refuse the page chosen here and fall back to one of its own choice.  Where
 * fillfactor asks for any room to be left, it is at least that of one tuple,
 * up to a tenth of a page.  Otherwise the first update of a long one would
 * find none.
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
	if (save > 0)
		save = Max(save, Min(len, BLCKSZ / 10));

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

	/* These keep the tuple they form for later callers. */
	if (TTS_IS_HEAPTUPLE(slot) || TTS_IS_BUFFERTUPLE(slot))
		return ExecFetchSlotHeapTuple(slot, true, NULL)->t_len;

	slot_getallattrs(slot);
	len = SizeofHeapTupleHeader + BITMAPLEN(slot->tts_nvalid);
	return MAXALIGN(len) + heap_compute_data_size(slot->tts_tupleDescriptor,
												  slot->tts_values,
												  slot->tts_isnull);
}

/*
 * A page for a newcomer that is expected to bring "share" tuples, 1 or more, or
 * three quarters of those it brings now.  It is returned pinned.
 */
Buffer
am_page_choose(Relation rel, const AmPlacement *p, int share)
{
	int			class = class_for(p, Max(share, p->ntuples * 3 / 4));
	int			residents = residents_of(p, class);
	AmPlaceState *state = am_place_state(rel);
	Buffer		buffer = enter_open_page(rel, &state->open[class], p);
	int			admissions = residents;

	if (BufferIsValid(buffer))
		return buffer;

	if (!state->warm[class])
		buffer = adopt_last_page(rel, p, residents, &admissions);
	if (!BufferIsValid(buffer))
		buffer = recycled_page(rel, p, residents, &admissions);
	if (!BufferIsValid(buffer))
	{
		buffer = new_page(rel);
		admissions = residents;
	}

	/* Extending may have waited for a lock, and the cache may be a new one. */
	state = am_place_state(rel);
	state->open[class].block = BufferGetBlockNumber(buffer);
	state->open[class].buffer = buffer;
	state->open[class].admissions = admissions - 1;
	state->warm[class] = true;
	return buffer;
}

/*
 * Is nobody else putting tuples into the relation?  Others who do add pages, too.
 */
bool
am_page_alone(Relation rel)
{
	return am_place_state(rel)->alone >= ALONE;
}

/*
 * How many tuples a resident of a page of this class is expected to hold.
 */
static int
class_share(int class)
{
	return class < 2 ? class + 1 : 3 << (class - 2);
}

/*
 * The class whose share is nearest, by ratio; or the one that has a page to
 * itself, if that is less.
 */
static int
class_for(const AmPlacement *p, int share)
{
	int			class = 0;

	while (class < AM_CLASSES - 1 && class_share(class + 1) <= p->capacity &&
		   share * share > class_share(class) * class_share(class + 1))
		class++;
	return class;
}

/*
 * How many residents a page of this class is meant to have.  Where shares are
 * small, a remainder is given to one more of them, for not all will come.
 * Tuples that have come already are counted as they are.
 */
static int
residents_of(const AmPlacement *p, int class)
{
	int			share = class_share(class);
	int			remainder = share <= 3 ? share - 1 : 0;

	if (p->ntuples > share)
		return Max(p->capacity / p->ntuples, 1);
	return Max((p->capacity + remainder) / share, 1);
}

/*
 * Let a newcomer into the open page of its class, if there is one.
 */
static Buffer
enter_open_page(Relation rel, AmOpenPage *open, const AmPlacement *p)
{
	Buffer		buffer;

	if (open->block == InvalidBlockNumber || open->admissions <= 0)
		return InvalidBuffer;
	buffer = am_page_with_room(rel, open->block, open->buffer, p);
	if (BufferIsValid(buffer))
		open->admissions--;
	else
		open->block = InvalidBlockNumber;
	return buffer;
}

/*
 * Take over the last page of the relation, if it has room for a share of the
 * class and fewer residents than a page of the class is meant to have.
 *
 * Without this, a client that connects for every insert would leave behind a
 * page for each.
 */
static Buffer
adopt_last_page(Relation rel, const AmPlacement *p, int residents,
				int *admissions)
{
	AttrNumber	partition = am_place_state(rel)->partition;
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	Size		share = p->item * (p->capacity / residents);
	Buffer		buffer;
	Page		page;

	if (nblocks == 0)
		return InvalidBuffer;

	buffer = ReadBuffer(rel, nblocks - 1);
	page = BufferGetPage(buffer);

	/* We hold no other lock on a buffer: see am_neighbours.c. */
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	if (PageIsNew(page))
		*admissions = residents;
	else if (PageGetHeapFreeSpace(page) < Max(p->need, share))
		*admissions = 0;
	else
		*admissions = residents - count_residents(rel, page, partition);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	if (*admissions > 0)
		return buffer;
	ReleaseBuffer(buffer);
	return InvalidBuffer;
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
static Buffer
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
		{
			Buffer		buffer = am_page_pin(rel, block, InvalidBuffer);

			space = am_page_space(buffer);
			if (space >= (int) want)
			{
				*admissions = Max(Min(space / share, residents), 1);
				return buffer;
			}
			ReleaseBuffer(buffer);
		}
		block = RecordAndGetPageWithFreeSpace(rel, block, space, want);
	}
	return InvalidBuffer;
}

/*
 * Extend the relation by a page.
 *
 * The page is left initialized and unlocked: heap's insert will find it empty
 * and log its initialization with the first tuple.  If we crash or fail in
 * between, an empty page remains, which VACUUM takes care of, as it does after
 * heap's own extensions.
 */
static Buffer
new_page(Relation rel)
{
	AmPlaceState *state;
	Buffer		buffer;
	BlockNumber block;

	compat_extend_relation(rel, buffer);
	PageInit(BufferGetPage(buffer), BufferGetPageSize(buffer), 0);
	MarkBufferDirty(buffer);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	state = am_place_state(rel);
	block = BufferGetBlockNumber(buffer);
	if (state->extended != InvalidBlockNumber)
		state->alone = (block == state->extended + 1) ?
			Min(state->alone + 1, ALONE) : -WARY;
	state->extended = block;
	return buffer;
}
