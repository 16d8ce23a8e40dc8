/*-------------------------------------------------------------------------
 *
 * vector_scan.c
 *	  Reading a vector index: all entries that have certain tags.
 *
 * Where the first tag is asked for, only the groups of its buckets are read, one
 * bucket in each generation.  Otherwise the file is read in its order.
 *
 * Entries say nothing about who sees their rows; an entry may be of a row that
 * is not there any more.  One that is made after the scan has begun may be
 * missed: the snapshot of the caller is older.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "vector/vector_internal.h"

/* Bytes that come from memory at once. */
#define CACHE_LINE		64

/* Pages that an estimate looks at, and if all entries have the tags. */
#define MAX_SAMPLES		128
#define FEW_SAMPLES		32

struct VectorScan
{
	Relation	index;
	VectorMeta	meta;
	const VectorWanted *wanted;
	bool		all;			/* in the order of the file */
	BlockNumber next;
	BlockNumber nblocks;		/* all: where the file ended */
	uint32		generation;		/* else: that of the next bucket */
	BufferAccessStrategy strategy;
	float	   *elements;		/* of a vector that is on several pages */
};

static BlockNumber next_group(VectorScan *scan, Buffer *buffer);
static bool is_wanted(const VectorScan *scan, const VectorSlot *slot);
static void fetch_ahead(const VectorScan *scan, const Buffer *buffers,
						int slot);
static const float *elements_of(VectorScan *scan, const Buffer *buffers,
								int slot);

/*
 * NULL: the entries there are others than those of the definition.  "wanted"
 * must live as long as the scan, which is allocated in the current context and
 * belongs to the current resource owner.
 */
VectorScan *
vector_scan_begin(Relation index, const IndexDef *def,
				  const VectorWanted *wanted)
{
	VectorScan *scan = palloc0(sizeof(VectorScan));
	const VectorShape *shape = &scan->meta.shape;

	scan->index = index;
	scan->wanted = wanted;
	vector_read_meta(index, &scan->meta);
	if (shape->dimensions != 0 &&
		(shape->dimensions != def->dimensions ||
		 shape->ntags != def->nhash + def->nrange ||
		 shape->hashed != (def->nhash > 0)))
		return NULL;
	scan->all = !shape->hashed || !wanted->is_wanted[0];
	scan->next = scan->all ? 1 : InvalidBlockNumber;
	scan->nblocks = shape->dimensions == 0 ? 0 :
		RelationGetNumberOfBlocks(index);
	if (scan->all && scan->nblocks > NBuffers / 4)
		scan->strategy = GetAccessStrategy(BAS_BULKREAD);
	scan->elements = palloc(sizeof(float) * Max(shape->dimensions, 1));
	return scan;
}

/*
 * Entries that come at once, at most.
 */
int
vector_scan_batch(const VectorScan *scan)
{
	return Max(scan->meta.shape.nslots, 1);
}

/*
 * Give "visit" the entries of the next group that have the tags; false: there
 * are no more.  It is called with a page locked, so it may do nothing that
 * fails, waits or allocates.
 */
bool
vector_scan_next(VectorScan *scan, VectorVisit visit, void *arg)
{
	const VectorShape *shape = &scan->meta.shape;
	Buffer		buffers[VECTOR_MAX_PAGES];
	BlockNumber block = next_group(scan, &buffers[0]);
	Page		page;

	if (block == InvalidBlockNumber)
		return false;
	for (int i = 1; i < shape->npages; i++)
		buffers[i] = vector_page_read(scan->index, block + i,
									  VECTOR_PAGE_ELEMENTS,
									  BUFFER_LOCK_UNLOCK, scan->strategy);
	LockBuffer(buffers[0], BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffers[0]);
	for (int i = 0; i < shape->nslots; i++)
	{
		const VectorSlot *slot = vector_page_slot(page, shape, i);

		if (i + 1 < shape->nslots &&
			is_wanted(scan, vector_page_slot(page, shape, i + 1)))
			fetch_ahead(scan, buffers, i + 1);
		if (is_wanted(scan, slot))
			visit(arg, &slot->tid, slot->tags, elements_of(scan, buffers, i));
	}
	LockBuffer(buffers[0], BUFFER_LOCK_UNLOCK);
	for (int i = 0; i < shape->npages; i++)
		ReleaseBuffer(buffers[i]);
	return true;
}

void
vector_scan_end(VectorScan *scan)
{
	if (scan->strategy)
		FreeAccessStrategy(scan->strategy);
	pfree(scan->elements);
	pfree(scan);
}

/*
 * About how many entries have the tags, and in *all how many there are; 0 where
 * entries are not those of the definition.  Some pages here and there are looked
 * at, in steps that are uneven: otherwise the first pages of groups could be all
 * of them, or none.
 */
double
vector_scan_estimate(Relation index, const IndexDef *def,
					 const VectorWanted *wanted, double *all)
{
	VectorScan *scan = vector_scan_begin(index, def, wanted);
	BlockNumber nblocks;
	int			nsamples = FEW_SAMPLES;
	double		entries = 0;
	double		found = 0;

	*all = 0;
	if (scan == NULL)
		return 0;
	for (int i = 0; i < scan->meta.shape.ntags; i++)
	{
		if (wanted->is_wanted[i])
			nsamples = MAX_SAMPLES;
	}
	nblocks = scan->nblocks;
	nsamples = Min(nblocks, nsamples);
	for (int i = 0; i < nsamples; i++)
	{
		BlockNumber block = (uint64) nblocks * i / nsamples +
			murmurhash32(i) % Max(scan->meta.shape.npages, 1);
		Buffer		buffer = ReadBuffer(index, Min(block, nblocks - 1));
		Page		page = BufferGetPage(buffer);

		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		for (int j = 0; j < scan->meta.shape.nslots &&
			 vector_page_is(page, VECTOR_PAGE_GROUP); j++)
		{
			const VectorSlot *slot = vector_page_slot(page, &scan->meta.shape, j);

			entries += ItemPointerIsValid(&slot->tid) ? 1 : 0;
			found += is_wanted(scan, slot) ? 1 : 0;
		}
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
	vector_scan_end(scan);
	*all = entries * nblocks / Max(nsamples, 1);
	return found * nblocks / Max(nsamples, 1);
}

/*
 * The first page of the next group, pinned.  The groups of a bucket lead to
 * each other downwards, so each chain ends.
 */
static BlockNumber
next_group(VectorScan *scan, Buffer *buffer)
{
	const VectorMeta *meta = &scan->meta;

	for (;;)
	{
		BlockNumber block = scan->next;
		bool		is_group;

		CHECK_FOR_INTERRUPTS();
		if (scan->all)
		{
			if (block >= scan->nblocks)
				return InvalidBlockNumber;
		}
		else if (block == InvalidBlockNumber)
		{
			Buffer		directory;
			int			n;

			if (scan->generation == meta->ngenerations)
				return InvalidBlockNumber;
			directory = vector_page_bucket(scan->index, meta, scan->generation,
										   scan->wanted->tags[0] %
										   VECTOR_BUCKETS(scan->generation),
										   BUFFER_LOCK_SHARE, &n);
			scan->next = vector_page_buckets(BufferGetPage(directory))[n].head;
			UnlockReleaseBuffer(directory);
			scan->generation++;
			if (scan->next != InvalidBlockNumber &&
				scan->next >= RelationGetNumberOfBlocks(scan->index))
				vector_page_corrupted(scan->index, scan->next);
			continue;
		}
		*buffer = ReadBufferExtended(scan->index, MAIN_FORKNUM, block,
									 RBM_NORMAL, scan->strategy);
		LockBuffer(*buffer, BUFFER_LOCK_SHARE);
		is_group = vector_page_is(BufferGetPage(*buffer), VECTOR_PAGE_GROUP);
		if (scan->all)
			scan->next = block + (is_group ? meta->shape.npages : 1);
		else
		{
			if (is_group)
				scan->next = vector_page_group(BufferGetPage(*buffer))->next;
			if (!is_group || (scan->next != InvalidBlockNumber &&
							  scan->next >= block))
				vector_page_corrupted(scan->index, block);
		}
		LockBuffer(*buffer, BUFFER_LOCK_UNLOCK);
		if (is_group)
			return block;
		ReleaseBuffer(*buffer);
	}
}

static bool
is_wanted(const VectorScan *scan, const VectorSlot *slot)
{
	if (!ItemPointerIsValid(&slot->tid))
		return false;
	for (int i = 0; i < scan->meta.shape.ntags; i++)
	{
		if (scan->wanted->is_wanted[i] && slot->tags[i] != scan->wanted->tags[i])
			return false;
	}
	return true;
}

/*
 * Have the elements of the next slot on their way from memory while those of
 * this one are compared: a fifth of the time, where no cache holds them.
 */
static void
fetch_ahead(const VectorScan *scan, const Buffer *buffers, int slot)
{
	VectorSpan	spans[VECTOR_MAX_SPANS];
	int			n = vector_spans(&scan->meta.shape, slot, spans);

	for (int i = 0; i < n; i++)
	{
		const char *from = BufferGetPage(buffers[spans[i].page]) +
			spans[i].offset;

		for (int at = 0; at < spans[i].len; at += CACHE_LINE)
			__builtin_prefetch(from + at);
	}
}

/*
 * In their place, or copied together.
 */
static const float *
elements_of(VectorScan *scan, const Buffer *buffers, int slot)
{
	VectorSpan	spans[VECTOR_MAX_SPANS];
	int			n = vector_spans(&scan->meta.shape, slot, spans);
	char	   *to = (char *) scan->elements;

	if (n == 1)
		return (const float *) (BufferGetPage(buffers[spans[0].page]) +
								spans[0].offset);
	for (int i = 0; i < n; i++)
	{
		memcpy(to, BufferGetPage(buffers[spans[i].page]) + spans[i].offset,
			   spans[i].len);
		to += spans[i].len;
	}
	return scan->elements;
}
