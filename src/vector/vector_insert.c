/*-------------------------------------------------------------------------
 *
 * vector_insert.c
 *	  New entries of vector indexes, and the room for them.
 *
 * An entry goes into a group of its bucket that has a free slot; if there is
 * none, the bucket gets a new group.  Once the buckets of the newest generation
 * have some pages each, the next generation is opened, and takes the entries
 * from then on.  No entry ever moves.
 *
 * Locks on pages are taken in this order: directory, first page of a group, its
 * other pages, meta.  Who makes the file longer holds the meta page, so that the
 * pages of a group are in a row.  Each change that others could see is one
 * record of the log.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "base/compat.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "vector/vector_internal.h"

/* Pages a bucket should have before there are more buckets. */
#define BUCKET_PAGES	32

static bool put_in_generation(Relation index, const VectorMeta *meta,
							  uint32 generation, const VectorEntry *entry,
							  const ItemPointerData *tid);
static void begin_index(Relation index, const VectorEntry *entry);
static void check_shape(Relation index, const VectorShape *shape,
						const VectorEntry *entry);
static bool put_in_group(Relation index, const VectorMeta *meta, BlockNumber block,
						 const VectorEntry *entry, const ItemPointerData *tid);
static void copy_elements(Page *pages, const VectorSpan *spans, int nspans,
						  const VectorEntry *entry);
static void close_full(Relation index, const VectorMeta *meta,
					   uint32 generation, uint32 bucket, BlockNumber block);
static bool open_new(Relation index, const VectorMeta *meta, uint32 bucket);
static bool add_group(Relation index, const VectorMeta *meta, Buffer directory,
					  int n, uint32 bucket);
static BlockNumber extend(Relation index, int npages, VectorPageKind rest,
						  Buffer *first);
static void add_generation(Relation index, uint32 ngenerations);
static BlockNumber add_directory(Relation index, uint32 generation,
								 Buffer *first);
static void init_directory(Page page);

/*
 * Store an entry.  Raises for one of another shape than those that are there.
 *
 * Older generations take entries where VACUUM has found much room.
 */
void
vector_insert(Relation index, const VectorEntry *entry,
			  const ItemPointerData *tid)
{
	for (;;)
	{
		VectorMeta	meta;

		CHECK_FOR_INTERRUPTS();
		vector_read_meta(index, &meta);
		if (meta.ngenerations == 0)
		{
			begin_index(index, entry);
			continue;
		}
		check_shape(index, &meta.shape, entry);
		for (uint32 generation = 0; generation < meta.ngenerations; generation++)
		{
			if ((generation == meta.ngenerations - 1 ||
				 (meta.roomy & (1 << generation)) != 0) &&
				put_in_generation(index, &meta, generation, entry, tid))
				return;
		}
	}
}

/*
 * Store the entry in a group of its bucket; false: there is none with room, or
 * there is another generation by now.
 */
static bool
put_in_generation(Relation index, const VectorMeta *meta, uint32 generation,
				  const VectorEntry *entry, const ItemPointerData *tid)
{
	uint32		bucket = entry->hashed ?
		entry->words[0] % VECTOR_BUCKETS(generation) : 0;

	for (;;)
	{
		int			n;
		Buffer		directory = vector_page_bucket(index, meta, generation,
												   bucket, BUFFER_LOCK_SHARE,
												   &n);
		BlockNumber open =
			vector_page_buckets(BufferGetPage(directory))[n].open;

		UnlockReleaseBuffer(directory);
		CHECK_FOR_INTERRUPTS();
		if (open != InvalidBlockNumber)
		{
			if (put_in_group(index, meta, open, entry, tid))
				return true;
			close_full(index, meta, generation, bucket, open);
		}
		else if (generation < meta->ngenerations - 1 ||
				 open_new(index, meta, bucket))
			return false;
	}
}

/*
 * The first entry says what all are like.
 */
static void
begin_index(Relation index, const VectorEntry *entry)
{
	Buffer		buffer = vector_page_read(index, 0, VECTOR_PAGE_META,
										  BUFFER_LOCK_EXCLUSIVE, NULL);

	if (vector_page_meta(BufferGetPage(buffer))->ngenerations == 0)
	{
		Buffer		directory;
		BlockNumber block = add_directory(index, 0, &directory);
		GenericXLogState *state = GenericXLogStart(index);
		VectorMeta *meta = vector_page_meta(GenericXLogRegisterBuffer(state,
																	  buffer, 0));

		init_directory(GenericXLogRegisterBuffer(state, directory,
												 GENERIC_XLOG_FULL_IMAGE));
		meta->shape = (VectorShape)
		{
			.dimensions = entry->dimensions, .ntags = entry->ntags,
				.hashed = entry->hashed
		};
		vector_lay_out(&meta->shape);
		meta->directories[0] = block;
		meta->ngenerations = 1;
		GenericXLogFinish(state);
		UnlockReleaseBuffer(directory);
	}
	UnlockReleaseBuffer(buffer);
}

static void
check_shape(Relation index, const VectorShape *shape, const VectorEntry *entry)
{
	if (entry->dimensions == shape->dimensions &&
		entry->ntags == shape->ntags && entry->hashed == shape->hashed)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("index \"%s\" has vectors of %d dimensions and %d attributes, not %d and %d",
					RelationGetRelationName(index), shape->dimensions,
					shape->ntags, entry->dimensions, entry->ntags)));
}

/*
 * Store the entry in a group; false: it is full.
 */
static bool
put_in_group(Relation index, const VectorMeta *meta, BlockNumber block,
			 const VectorEntry *entry, const ItemPointerData *tid)
{
	const VectorShape *shape = &meta->shape;
	Buffer		buffers[1 + VECTOR_MAX_SPANS];
	int			nbuffers = 1;
	Page		pages[1 + VECTOR_MAX_SPANS];
	VectorSpan	spans[VECTOR_MAX_SPANS];
	int			nspans;
	GenericXLogState *state;
	VectorGroup *group;
	VectorSlot *slot;
	int			n;

	buffers[0] = vector_page_follow(index, block, VECTOR_PAGE_GROUP,
									BUFFER_LOCK_EXCLUSIVE);
	group = vector_page_group(BufferGetPage(buffers[0]));
	if (group->used >= shape->nslots)
	{
		UnlockReleaseBuffer(buffers[0]);
		return false;
	}
	for (n = group->first_free; n < shape->nslots; n++)
	{
		slot = vector_page_slot(BufferGetPage(buffers[0]), shape, n);
		if (!ItemPointerIsValid(&slot->tid))
			break;
	}
	if (n >= shape->nslots)
		vector_page_corrupted(index, block);

	nspans = vector_spans(shape, n, spans);
	for (int i = 0; i < nspans; i++)
	{
		if (spans[i].page > 0)
			buffers[nbuffers++] =
				vector_page_read(index, block + spans[i].page,
								 VECTOR_PAGE_ELEMENTS, BUFFER_LOCK_EXCLUSIVE,
								 NULL);
	}
	state = GenericXLogStart(index);
	for (int i = 0; i < nbuffers; i++)
		pages[i] = GenericXLogRegisterBuffer(state, buffers[i], 0);
	group = vector_page_group(pages[0]);
	group->used++;
	group->first_free = n + 1;
	slot = vector_page_slot(pages[0], shape, n);
	slot->tid = *tid;
	memcpy(slot->tags, entry->words, sizeof(uint32) * shape->ntags);
	copy_elements(pages, spans, nspans, entry);
	GenericXLogFinish(state);
	for (int i = nbuffers - 1; i >= 0; i--)
		UnlockReleaseBuffer(buffers[i]);
	return true;
}

/*
 * "pages" has the first one of the group, and then those of the spans.  What is
 * behind the last bytes in use is not logged.
 */
static void
copy_elements(Page *pages, const VectorSpan *spans, int nspans,
			  const VectorEntry *entry)
{
	const char *from = (const char *) &entry->words[entry->ntags];

	for (int i = 0; i < nspans; i++)
	{
		Page		page = spans[i].page == 0 ? *pages :
			*(pages += 1);
		PageHeader	header = (PageHeader) page;

		memcpy(page + spans[i].offset, from, spans[i].len);
		header->pd_lower = Max(header->pd_lower,
							   spans[i].offset + spans[i].len);
		from += spans[i].len;
	}
}

/*
 * Take the open group of a bucket off its list, if it still is full.
 */
static void
close_full(Relation index, const VectorMeta *meta, uint32 generation,
		   uint32 bucket, BlockNumber block)
{
	int			n;
	Buffer		directory = vector_page_bucket(index, meta, generation, bucket,
											   BUFFER_LOCK_EXCLUSIVE, &n);

	if (vector_page_buckets(BufferGetPage(directory))[n].open == block)
	{
		Buffer		buffer = vector_page_read(index, block, VECTOR_PAGE_GROUP,
											  BUFFER_LOCK_EXCLUSIVE, NULL);
		VectorGroup *group = vector_page_group(BufferGetPage(buffer));

		if (group->used >= meta->shape.nslots)
		{
			GenericXLogState *state = GenericXLogStart(index);
			Page		page = GenericXLogRegisterBuffer(state, directory, 0);

			group = vector_page_group(GenericXLogRegisterBuffer(state, buffer, 0));
			vector_page_buckets(page)[n].open = group->open_next;
			group->open_next = InvalidBlockNumber;
			group->listed = false;
			GenericXLogFinish(state);
		}
		UnlockReleaseBuffer(buffer);
	}
	UnlockReleaseBuffer(directory);
}

/*
 * Give a bucket of the newest generation a group with room, unless somebody has.
 * Returns whether there is another generation after that.
 */
static bool
open_new(Relation index, const VectorMeta *meta, uint32 bucket)
{
	int			n;
	Buffer		directory = vector_page_bucket(index, meta,
											   meta->ngenerations - 1, bucket,
											   BUFFER_LOCK_EXCLUSIVE, &n);
	bool		enough = false;

	if (vector_page_buckets(BufferGetPage(directory))[n].open == InvalidBlockNumber)
		enough = add_group(index, meta, directory, n, bucket);
	UnlockReleaseBuffer(directory);
	if (enough)
		add_generation(index, meta->ngenerations);
	return enough;
}

/*
 * Give a bucket a new group.  Returns whether the buckets of its generation have
 * pages enough.
 *
 * The pages are logged before the group is, so after a crash there is none of
 * which pages are missing; some at the end may belong to nobody.
 */
static bool
add_group(Relation index, const VectorMeta *meta, Buffer directory, int n,
		  uint32 bucket)
{
	const VectorShape *shape = &meta->shape;
	uint32		generation = meta->ngenerations - 1;
	Buffer		meta_buffer = vector_page_read(index, 0, VECTOR_PAGE_META,
											   BUFFER_LOCK_EXCLUSIVE, NULL);
	Buffer		first;
	BlockNumber block = extend(index, shape->npages, VECTOR_PAGE_ELEMENTS,
							   &first);
	GenericXLogState *state = GenericXLogStart(index);
	Page		page = GenericXLogRegisterBuffer(state, first,
												 GENERIC_XLOG_FULL_IMAGE);
	VectorGroup *group = vector_page_group(page);
	VectorBucket *entry =
		&vector_page_buckets(GenericXLogRegisterBuffer(state, directory, 0))[n];
	VectorMeta *changed =
		vector_page_meta(GenericXLogRegisterBuffer(state, meta_buffer, 0));
	bool		enough = false;

	vector_page_init(page, VECTOR_PAGE_GROUP, sizeof(VectorGroup) +
					 VECTOR_SLOT_SIZE(shape) * shape->nslots);
	*group = (VectorGroup)
	{
		.next = entry->head,.open_next = InvalidBlockNumber,
			.bucket = bucket, .generation = generation, .listed = true
	};
	for (int i = 0; i < shape->nslots; i++)
		ItemPointerSetInvalid(&vector_page_slot(page, shape, i)->tid);
	entry->head = entry->open = block;
	if (changed->ngenerations == meta->ngenerations)
	{
		changed->groups++;
		enough = shape->hashed &&
			meta->ngenerations < VECTOR_MAX_GENERATIONS &&
			(uint64) changed->groups * shape->npages >=
			(uint64) BUCKET_PAGES * VECTOR_BUCKETS(generation);
	}
	GenericXLogFinish(state);
	UnlockReleaseBuffer(first);
	UnlockReleaseBuffer(meta_buffer);
	return enough;
}

/*
 * Make the file longer by pages in a row.  All but the first are initialized
 * and logged; that one is returned, locked, for the caller to do the same.
 */
static BlockNumber
extend(Relation index, int npages, VectorPageKind rest, Buffer *first)
{
	BlockNumber block = InvalidBlockNumber;

	for (int i = 0; i < npages; i++)
	{
		Buffer		buffer;

		compat_extend_relation(index, buffer);
		if (i == 0)
		{
			*first = buffer;
			block = BufferGetBlockNumber(buffer);
		}
		else
		{
			GenericXLogState *state = GenericXLogStart(index);
			Page		page = GenericXLogRegisterBuffer(state, buffer,
														 GENERIC_XLOG_FULL_IMAGE);

			/* The callers have the first page locked: nobody else extends it. */
			Assert(BufferGetBlockNumber(buffer) == block + i);
			if (rest == VECTOR_PAGE_DIRECTORY)
				init_directory(page);
			else
				vector_page_init(page, rest, 0);
			GenericXLogFinish(state);
			UnlockReleaseBuffer(buffer);
		}
	}
	return block;
}

/*
 * Open the generation after so many, unless somebody has.
 */
static void
add_generation(Relation index, uint32 ngenerations)
{
	Buffer		buffer = vector_page_read(index, 0, VECTOR_PAGE_META,
										  BUFFER_LOCK_EXCLUSIVE, NULL);

	if (vector_page_meta(BufferGetPage(buffer))->ngenerations == ngenerations)
	{
		Buffer		directory;
		BlockNumber block = add_directory(index, ngenerations, &directory);
		GenericXLogState *state = GenericXLogStart(index);
		VectorMeta *meta = vector_page_meta(GenericXLogRegisterBuffer(state,
																	  buffer, 0));

		init_directory(GenericXLogRegisterBuffer(state, directory,
												 GENERIC_XLOG_FULL_IMAGE));
		meta->directories[ngenerations] = block;
		meta->ngenerations++;
		meta->groups = 0;
		GenericXLogFinish(state);
		UnlockReleaseBuffer(directory);
	}
	UnlockReleaseBuffer(buffer);
}

/*
 * The pages of a directory, of which the caller initializes the first.
 */
static BlockNumber
add_directory(Relation index, uint32 generation, Buffer *first)
{
	int			npages = (VECTOR_BUCKETS(generation) + VECTOR_PAGE_BUCKETS - 1) /
		VECTOR_PAGE_BUCKETS;

	return extend(index, npages, VECTOR_PAGE_DIRECTORY, first);
}

static void
init_directory(Page page)
{
	VectorBucket *buckets = vector_page_buckets(page);

	vector_page_init(page, VECTOR_PAGE_DIRECTORY,
					 sizeof(VectorBucket) * VECTOR_PAGE_BUCKETS);
	for (int i = 0; i < VECTOR_PAGE_BUCKETS; i++)
		buckets[i].head = buckets[i].open = InvalidBlockNumber;
}
