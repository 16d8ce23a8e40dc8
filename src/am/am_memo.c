/*-------------------------------------------------------------------------
 *
 * am_memo.c
 *	  Where this backend last put a tuple of a collection.
 *
 * The look at the primary index costs most of what placement costs: the
 * insertion into that index descends it once more, and a leaf's entries are
 * spread over its 8 kB.  A backend that keeps writing to the same collections
 * need not ask again while the page it was sent to has room.
 *
 * One fixed array.  A collection has WAYS places in it, side by side, which it
 * shares with others; with one place each, collections a seventh as many as
 * there are places would evict each other all the time.  The array is not
 * cleaned up after anything: what it says is tested against the page, and a
 * wrong answer puts one tuple on a page with room elsewhere.  A relation that
 * was truncated or rewritten has a new file and so new places.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "am/am_internal.h"
#include "base/compat.h"
#include "common/hashfn.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define WAYS	4
#define BUCKETS	16384			/* a power of two; 512 kB, touched as used */

typedef struct MemoEntry
{
	uint32		tag;
	BlockNumber block_plus_1;	/* 0: unused */
} MemoEntry;

static MemoEntry (*memo)[WAYS] = NULL;

/*
 * The places of a collection, by its am_collection_hash().
 */
static MemoEntry *
memo_bucket(Relation rel, uint32 collection, uint32 *tag)
{
	*tag = hash_combine(collection,
						murmurhash32((uint32) compat_relfilenumber(rel)));
	if (memo == NULL)
		memo = MemoryContextAllocZero(TopMemoryContext,
									  sizeof(MemoEntry) * WAYS * BUCKETS);
	return memo[*tag & (BUCKETS - 1)];
}

BlockNumber
am_memo_recall(Relation rel, uint32 collection)
{
	uint32		tag;
	MemoEntry  *bucket = memo_bucket(rel, collection, &tag);

	for (int i = 0; i < WAYS; i++)
	{
		if (bucket[i].tag == tag && bucket[i].block_plus_1 != 0)
			return bucket[i].block_plus_1 - 1;
	}
	return InvalidBlockNumber;
}

/*
 * The entry stored last comes first; the one stored longest ago is forgotten.
 */
void
am_memo_store(Relation rel, uint32 collection, BlockNumber block)
{
	uint32		tag;
	MemoEntry  *bucket = memo_bucket(rel, collection, &tag);
	int			i = 0;

	while (i < WAYS - 1 && bucket[i].tag != tag)
		i++;
	memmove(&bucket[1], &bucket[0], sizeof(MemoEntry) * i);
	bucket[0].tag = tag;
	bucket[0].block_plus_1 = block + 1;
}
