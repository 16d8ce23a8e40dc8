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
 * One fixed array, each collection with one place in it, the later one wins.
 * The array is not cleaned up after anything: what it says is tested against
 * the page, and a wrong answer puts one tuple on a page with room elsewhere.
 * A relation that was truncated or rewritten has a new file and so new places.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "am/am_internal.h"
#include "base/compat.h"
#include "common/hashfn.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define MEMO_ENTRIES	65536	/* a power of two; 512 kB, touched as used */

typedef struct MemoEntry
{
	uint32		tag;
	BlockNumber block_plus_1;	/* 0: unused */
} MemoEntry;

static MemoEntry *memo = NULL;

/*
 * The place of a collection, by its am_collection_hash().
 */
static MemoEntry *
memo_entry(Relation rel, uint32 collection, uint32 *tag)
{
	*tag = hash_combine(collection,
						murmurhash32((uint32) compat_relfilenumber(rel)));
	if (memo == NULL)
		memo = MemoryContextAllocZero(TopMemoryContext,
									  sizeof(MemoEntry) * MEMO_ENTRIES);
	return &memo[*tag & (MEMO_ENTRIES - 1)];
}

BlockNumber
am_memo_recall(Relation rel, uint32 collection)
{
	uint32		tag;
	MemoEntry  *entry = memo_entry(rel, collection, &tag);

	if (entry->tag != tag)
		return InvalidBlockNumber;
	return entry->block_plus_1 - 1; /* 0 gives InvalidBlockNumber */
}

void
am_memo_store(Relation rel, uint32 collection, BlockNumber block)
{
	uint32		tag;
	MemoEntry  *entry = memo_entry(rel, collection, &tag);

	entry->tag = tag;
	entry->block_plus_1 = block + 1;
}
