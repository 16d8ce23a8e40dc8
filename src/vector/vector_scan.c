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

#include "base/compat.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/rel.h"
#include "vector/vector_internal.h"

/* Bytes that come from memory at once. */
#define CACHE_LINE		64

/*
 * Have them on their way into the second of the processor's caches: for the first
 * one it can wait for few at a time.
 */
#define FETCH(address)	__builtin_prefetch((address), 0, 2)

/*
 * Pages of an index whose buffers a session remembers, at most: four bytes each,
 * once a scan has read so many.  One scan in so many looks them up all the same,
 * which tells the clock sweep that they are in use.
 */
#define MAX_REMEMBERED	(512 * 1024)
#define MANY_PAGES		64
#define LOOKING_UP		16

/*
 * Pages that an estimate looks at: at most, at least, where all entries are found
 * or only some, and until it has found enough.
 */
#define MAX_SAMPLES		128
#define FEW_SAMPLES		16
#define SOME_SAMPLES	32
#define ENOUGH_FOUND	100

/* Where the pages of an index have been; in its rd_amcache. */
typedef struct Remembered
{
	BlockNumber n;
	Buffer		buffers[FLEXIBLE_ARRAY_MEMBER];
} Remembered;

struct VectorScan
{
	Relation	index;
	VectorMeta	meta;
	const VectorWanted *wanted;
	bool		all;			/* in the order of the file */
	BlockNumber next;
	BlockNumber nblocks;		/* all: where the file ended */
	uint32		nread;			/* pages */
	bool		looks_up;		/* buffers, though they are remembered */
	uint32		generation;		/* else: that of the next bucket */
	BufferAccessStrategy strategy;
	float	   *elements;		/* of a vector that is on several pages */
	BlockNumber block;			/* the group ahead; invalid: none is */
	Buffer		ahead[VECTOR_MAX_PAGES];	/* its pages, pinned */
};

static bool next_group(VectorScan *scan, Buffer *buffers);
static bool pin_ahead(VectorScan *scan);
static Buffer read_page(VectorScan *scan, BlockNumber block);
static Buffer *remembered(VectorScan *scan, BlockNumber block);
static bool next_bucket(VectorScan *scan);
static bool take_group(VectorScan *scan, Buffer *buffers);
static void release(const VectorScan *scan, const Buffer *buffers);
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
	scan->block = InvalidBlockNumber;
	scan->nblocks = shape->dimensions == 0 ? 0 :
		RelationGetNumberOfBlocks(index);
	if (scan->all && scan->nblocks > NBuffers / 4)
		scan->strategy = GetAccessStrategy(BAS_BULKREAD);
	scan->elements = palloc(sizeof(float) * Max(shape->dimensions, 1));
	scan->looks_up = pg_prng_uint32(&pg_global_prng_state) % LOOKING_UP == 0;
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
	Page		page;

	if (!next_group(scan, buffers))
		return false;
	(void) pin_ahead(scan);
	LockBuffer(buffers[0], BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffers[0]);
	for (int i = 0; i < shape->nslots; i++)
	{
		const VectorSlot *slot = vector_page_slot(page, shape, i);

		if (i + 1 == shape->nslots)
		{
			if (BlockNumberIsValid(scan->block))
				fetch_ahead(scan, scan->ahead, 0);
		}
		else if (is_wanted(scan, vector_page_slot(page, shape, i + 1)))
			fetch_ahead(scan, buffers, i + 1);
		if (is_wanted(scan, slot))
			visit(arg, &slot->tid, slot->tags, elements_of(scan, buffers, i));
	}
	LockBuffer(buffers[0], BUFFER_LOCK_UNLOCK);
	release(scan, buffers);
	return true;
}

void
vector_scan_end(VectorScan *scan)
{
	if (BlockNumberIsValid(scan->block))
		release(scan, scan->ahead);
	if (scan->strategy)
		FreeAccessStrategy(scan->strategy);
	pfree(scan->elements);
	pfree(scan);
}

/*
 * About how many entries have the tags, and in *all how many there are; 0 where
 * entries are not those of the definition.  Some pages here and there are looked
 * at, more of them the rarer the tags are.  Their order is that of the golden
 * ratio's multiples: however many are looked at, they are from all over the file,
 * and the first pages of groups are neither all of them nor none.
 */
double
vector_scan_estimate(Relation index, const IndexDef *def,
					 const VectorWanted *wanted, double *all)
{
	VectorScan *scan = vector_scan_begin(index, def, wanted);
	int			nsamples = 0;
	double		entries = 0;
	double		found = 0;
	double		pages;

	*all = 0;
	if (scan == NULL)
		return 0;
	while (nsamples < Min(scan->nblocks, MAX_SAMPLES) &&
		   (found < ENOUGH_FOUND ||
			nsamples < (found < entries ? SOME_SAMPLES : FEW_SAMPLES)))
	{
		uint32		place = nsamples++ * UINT64CONST(2654435769);
		Buffer		buffer = ReadBuffer(index, ((uint64) scan->nblocks * place) >> 32);
		Page		page = BufferGetPage(buffer);
		int			nslots;

		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		nslots = vector_page_is(page, VECTOR_PAGE_GROUP) ?
			scan->meta.shape.nslots : 0;
		for (int i = 0; i < nslots; i++)
		{
			const VectorSlot *slot = vector_page_slot(page, &scan->meta.shape, i);

			entries += ItemPointerIsValid(&slot->tid) ? 1 : 0;
			found += is_wanted(scan, slot) ? 1 : 0;
		}
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
	pages = (double) scan->nblocks / Max(nsamples, 1);
	vector_scan_end(scan);
	*all = entries * pages;
	return found * pages;
}

/*
 * The pages of the next group, pinned; false: there is none.
 */
static bool
next_group(VectorScan *scan, Buffer *buffers)
{
	while (pin_ahead(scan))
	{
		if (take_group(scan, buffers))
			return true;
	}
	return false;
}

/*
 * Pin the pages of what seems to be the next group, and have on their way from
 * memory what tells whether it is one.  False: there is none.
 */
static bool
pin_ahead(VectorScan *scan)
{
	int			npages = scan->meta.shape.npages;

	CHECK_FOR_INTERRUPTS();
	if (BlockNumberIsValid(scan->block))
		return true;
	if (scan->all ? scan->next >= scan->nblocks : !next_bucket(scan))
		return false;
	for (int i = 0; i < npages; i++)
	{
		BlockNumber block = scan->next + i;
		Page		page;

		/* The last pages may be a directory. */
		if (scan->all && block >= scan->nblocks)
		{
			scan->ahead[i] = InvalidBuffer;
			continue;
		}
		scan->ahead[i] = read_page(scan, block);
		page = BufferGetPage(scan->ahead[i]);
		__builtin_prefetch(page);
		__builtin_prefetch(page + VECTOR_PAGE_END);
	}
	scan->block = scan->next;
	return true;
}

/*
 * Pin a page.  Looking for its buffer takes as long as comparing a vector, since
 * no cache holds the server's table of buffers.  So a session first asks whether
 * the page is still where it was.
 */
static Buffer
read_page(VectorScan *scan, BlockNumber block)
{
	Relation	index = scan->index;
	Buffer	   *recent = remembered(scan, block);
	Buffer		buffer;

	if (recent != NULL && BufferIsValid(*recent) && !scan->looks_up &&
		ReadRecentBuffer(compat_file_of(index), MAIN_FORKNUM, block, *recent))
	{
		pgstat_count_buffer_read(index);
		pgstat_count_buffer_hit(index);
		return *recent;
	}
	buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL,
								scan->strategy);

	/* Reading may have emptied the relation's cache. */
	recent = remembered(scan, block);
	if (recent != NULL)
		*recent = buffer;
	return buffer;
}

/*
 * The place to remember the buffer of a page in; NULL: there is none.  An index
 * that has grown much gets a new one.
 */
static Buffer *
remembered(VectorScan *scan, BlockNumber block)
{
	Relation	index = scan->index;
	Remembered *all = index->rd_amcache;

	if (scan->nread++ == MANY_PAGES && scan->nblocks <= MAX_REMEMBERED &&
		(all == NULL || all->n < scan->nblocks - scan->nblocks / 4))
	{
		if (all != NULL)
			pfree(all);
		index->rd_amcache = NULL;
		all = MemoryContextAllocZero(index->rd_indexcxt,
									 offsetof(Remembered, buffers) +
									 sizeof(Buffer) * scan->nblocks);
		all->n = scan->nblocks;
		index->rd_amcache = all;
	}
	return all != NULL && block < all->n ? &all->buffers[block] : NULL;
}

/*
 * Where the chain of a bucket has ended, go on to one that has any.
 */
static bool
next_bucket(VectorScan *scan)
{
	const VectorMeta *meta = &scan->meta;

	while (!BlockNumberIsValid(scan->next))
	{
		Buffer		directory;
		int			n;

		if (scan->generation == meta->ngenerations)
			return false;
		directory = vector_page_bucket(scan->index, meta, scan->generation,
									   scan->wanted->tags[0] %
									   VECTOR_BUCKETS(scan->generation),
									   BUFFER_LOCK_SHARE, &n);
		scan->next = vector_page_buckets(BufferGetPage(directory))[n].head;
		UnlockReleaseBuffer(directory);
		scan->generation++;
		if (BlockNumberIsValid(scan->next) &&
			scan->next >= RelationGetNumberOfBlocks(scan->index))
			vector_page_corrupted(scan->index, scan->next);
	}
	return true;
}

/*
 * Take what is ahead, and find what follows it.  False: it is no group.  The
 * groups of a bucket lead to each other downwards, so each chain ends.
 */
static bool
take_group(VectorScan *scan, Buffer *buffers)
{
	int			npages = scan->meta.shape.npages;
	BlockNumber block = scan->block;
	bool		is_group;

	memcpy(buffers, scan->ahead, sizeof(Buffer) * npages);
	scan->block = InvalidBlockNumber;
	LockBuffer(buffers[0], BUFFER_LOCK_SHARE);
	is_group = vector_page_is(BufferGetPage(buffers[0]), VECTOR_PAGE_GROUP);

	/*
	 * One of which pages were still to be made when the scan began: all its
	 * entries are newer.
	 */
	if (scan->all && npages > scan->nblocks - block)
		is_group = false;
	if (scan->all)
		scan->next = block + (is_group ? npages : 1);
	else if (is_group)
		scan->next = vector_page_group(BufferGetPage(buffers[0]))->next;
	LockBuffer(buffers[0], BUFFER_LOCK_UNLOCK);
	if (!scan->all && (!is_group || (BlockNumberIsValid(scan->next) &&
									 scan->next >= block)))
		vector_page_corrupted(scan->index, block);
	if (!is_group)
	{
		release(scan, buffers);
		return false;
	}
	for (int i = 1; i < npages; i++)
	{
		if (!BufferIsValid(buffers[i]) ||
			!vector_page_is(BufferGetPage(buffers[i]), VECTOR_PAGE_ELEMENTS))
			vector_page_corrupted(scan->index, block + i);
	}
	return true;
}

static void
release(const VectorScan *scan, const Buffer *buffers)
{
	for (int i = 0; i < scan->meta.shape.npages; i++)
	{
		if (BufferIsValid(buffers[i]))
			ReleaseBuffer(buffers[i]);
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
 * this one are compared: a third of the time, where no cache holds them.
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
			FETCH(from + at);
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
