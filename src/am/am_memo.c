/*-------------------------------------------------------------------------
 *
 * am_memo.c
 *	  Where this backend last put a tuple of a collection.
 *
 * The look at the primary index costs most of what placement costs: the
 * insertion into that index descends it once more, and a leaf's entries are
 * spread over its 8 kB.  A backend that keeps writing to the same collections
 * need not ask again while the page it was sent to has room.  It knows then,
 * too, which memory is going to be read, and has it fetched (am_pin.c).
 *
 * One fixed array, the memory of a backend for all tables.  A collection has
 * WAYS places in it, side by side in one cache line, which it shares with
 * others; with one place each, collections a seventh as many as there are
 * places would evict each other all the time.  The array is not cleaned up
 * after anything: what it says is checked against the page, and a wrong answer
 * puts one tuple on another page with room.  A relation that was truncated
 * or rewritten has a new file and so new places.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "am/am_internal.h"
#include "base/compat.h"
#include "common/hashfn.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define WAYS	4
#define BUCKETS	16384			/* a power of two; 1 MB */

typedef struct MemoEntry
{
	uint32		tag;
	AmMemo		memo;			/* buffer InvalidBuffer: unused */
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
	{
		Size		size = sizeof(MemoEntry) * WAYS * BUCKETS;

		memo = (void *)
			CACHELINEALIGN(MemoryContextAllocZero(TopMemoryContext,
												  size + PG_CACHE_LINE_SIZE));
	}
	return memo[*tag & (BUCKETS - 1)];
}

/*
 * NULL if nothing is remembered.  Good until something is stored.
 */
const AmMemo *
am_memo_recall(Relation rel, uint32 collection)
{
	uint32		tag;
	MemoEntry  *bucket = memo_bucket(rel, collection, &tag);

	for (int i = 0; i < WAYS; i++)
	{
		if (bucket[i].tag == tag && bucket[i].memo.buffer != InvalidBuffer)
			return &bucket[i].memo;
	}
	return NULL;
}

/*
 * Remember the page, pinned by the caller, and the leaf.
 *
 * The entry stored last comes first; the one stored longest ago is forgotten.
 */
void
am_memo_store(Relation rel, uint32 collection, Buffer buffer, Buffer leaf)
{
	uint32		tag;
	MemoEntry  *bucket = memo_bucket(rel, collection, &tag);
	int			i = 0;

	while (i < WAYS - 1 && bucket[i].tag != tag)
		i++;
	memmove(&bucket[1], &bucket[0], sizeof(MemoEntry) * i);
	bucket[0].tag = tag;
	bucket[0].memo.block = BufferGetBlockNumber(buffer);
	bucket[0].memo.buffer = buffer;
	bucket[0].memo.leaf = leaf;
}
