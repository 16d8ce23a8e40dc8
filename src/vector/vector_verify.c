/*-------------------------------------------------------------------------
 *
 * vector_verify.c
 *	  Are the pages of a vector index what they say of each other?
 *
 * Beside writers: what they add meanwhile may be seen or not, and groups and
 * entries never move.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "vector/vector_internal.h"

typedef struct Verify
{
	Relation	index;
	VectorMeta	meta;
	VectorProblem problem;
	void	   *arg;
	BlockNumber nblocks;		/* groups behind are newer than the check */
	uint64		reached;		/* groups that their buckets lead to */
} Verify;

static uint64 count_groups(Verify *verify);
static void verify_bucket(Verify *verify, uint32 generation, uint32 bucket);
static BlockNumber verify_group(Verify *verify, BlockNumber block,
								uint32 generation, uint32 bucket);
static const char *group_problem(const Verify *verify, Page page,
								 BlockNumber block, uint32 generation,
								 uint32 bucket);

/*
 * "problem" is told which block is wrong, and how.  Raises where a page is none
 * of the kind that it should be.
 */
void
vector_verify(Relation index, VectorProblem problem, void *arg)
{
	Verify		verify = {.index = index, .problem = problem, .arg = arg};
	uint64		groups;

	/* In this order: the groups that are counted are of these generations. */
	verify.nblocks = RelationGetNumberOfBlocks(index);
	vector_read_meta(index, &verify.meta);
	groups = count_groups(&verify);
	for (uint32 i = 0; i < verify.meta.ngenerations; i++)
	{
		uint32		nbuckets = verify.meta.shape.hashed ?
			VECTOR_BUCKETS(i) : 1;

		for (uint32 bucket = 0; bucket < nbuckets; bucket++)
			verify_bucket(&verify, i, bucket);
	}
	if (verify.reached < groups)
		problem(arg, 0, "some groups of vectors are in no bucket");
}

static uint64
count_groups(Verify *verify)
{
	uint64		groups = 0;

	for (BlockNumber block = 1; block < verify->nblocks; block++)
	{
		Buffer		buffer = ReadBuffer(verify->index, block);

		CHECK_FOR_INTERRUPTS();
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		if (vector_page_is(BufferGetPage(buffer), VECTOR_PAGE_GROUP))
			groups++;
		UnlockReleaseBuffer(buffer);
	}
	return groups;
}

static void
verify_bucket(Verify *verify, uint32 generation, uint32 bucket)
{
	int			n;
	Buffer		directory = vector_page_bucket(verify->index, &verify->meta,
											   generation, bucket,
											   BUFFER_LOCK_SHARE, &n);
	BlockNumber block =
		vector_page_buckets(BufferGetPage(directory))[n].head;

	UnlockReleaseBuffer(directory);
	while (block != InvalidBlockNumber)
	{
		CHECK_FOR_INTERRUPTS();
		block = verify_group(verify, block, generation, bucket);
	}
}

/*
 * Returns the next one of its bucket; none behind one that is wrong.
 */
static BlockNumber
verify_group(Verify *verify, BlockNumber block, uint32 generation,
			 uint32 bucket)
{
	Buffer		buffer = vector_page_follow(verify->index, block,
											VECTOR_PAGE_GROUP,
											BUFFER_LOCK_SHARE);
	Page		page = BufferGetPage(buffer);
	BlockNumber next = vector_page_group(page)->next;
	const char *text = group_problem(verify, page, block, generation, bucket);

	UnlockReleaseBuffer(buffer);
	if (block < verify->nblocks)
		verify->reached++;
	for (int i = 1; i < verify->meta.shape.npages; i++)
		ReleaseBuffer(vector_page_read(verify->index, block + i,
									   VECTOR_PAGE_ELEMENTS,
									   BUFFER_LOCK_UNLOCK, NULL));
	if (text == NULL)
		return next;
	verify->problem(verify->arg, block, text);
	return InvalidBlockNumber;
}

static const char *
group_problem(const Verify *verify, Page page, BlockNumber block,
			  uint32 generation, uint32 bucket)
{
	const VectorShape *shape = &verify->meta.shape;
	const VectorGroup *group = vector_page_group(page);
	int			used = 0;

	if (group->generation != generation || group->bucket != bucket)
		return "group of vectors is in the wrong bucket";
	if (group->next != InvalidBlockNumber && group->next >= block)
		return "group of vectors leads to a later one";
	for (int i = 0; i < shape->nslots; i++)
	{
		const VectorSlot *slot = vector_page_slot(page, shape, i);

		if (!ItemPointerIsValid(&slot->tid))
		{
			if (i < group->first_free)
				return "group of vectors has a free slot before the first";
			continue;
		}
		used++;
		if (shape->hashed &&
			slot->tags[0] % VECTOR_BUCKETS(generation) != bucket)
			return "vector is in the wrong bucket";
	}
	if (used != group->used)
		return "group of vectors counts its entries wrongly";
	return NULL;
}
