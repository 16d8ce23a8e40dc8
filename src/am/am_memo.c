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
 * A load of many small collections in any order would still descend for two
 * rows of three, for such a collection moves on after its first, its third and
 * its sixth row.  So a transaction that has placed LOAD tuples counts on the
 * number of tuples remembered while it is small, and asks the index only about
 * collections it does not remember; if it is alone (am_page_alone()), for the
 * number knows nothing of what others have put elsewhere, and each of several
 * writers would open a page of its own for a collection.
 *
 * One array, the memory of a backend for all tables: 1 MB, and up to work_mem if
 * a load finds it too small.  A collection has WAYS places in it, side by side in
 * one cache line, which it shares with others; with one place each, collections
 * a seventh as many as there are places would evict each other all the time.
 * The array is not cleaned up after anything: what it says is checked against
 * the page, and a wrong answer puts one tuple on another page with room.  A
 * relation that was truncated or rewritten has a new file and so new places.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define WAYS	4
#define BITS	14				/* of a bucket's number, at first: 1 MB */
#define TAG(hash) ((hash) >> 8) /* tells entries of a bucket apart */
#define LOAD	1000			/* tuples that make a transaction a load */
#define FEW		8				/* tuples of a collection worth counting */

typedef AmMemo Bucket[WAYS];	/* buffer InvalidBuffer: unused */

/* Bucket number n has the entries of hashes that end with the bits of n. */
static Bucket *memo = NULL;
static void *memo_chunk;		/* what memo was allocated as */
static int	bits;				/* there are 1 << bits buckets */
static int	nevicted;			/* by loads, since it has this size */

/* The transaction that places tuples, and how many it has placed, up to LOAD. */
static TransactionId transaction = InvalidTransactionId;
static int	nplaced = 0;

/*
 * Make the memory, or double it.  Without memory for that it stays as it is.
 */
static void
memo_resize(int new_bits)
{
	Size		size = sizeof(Bucket) << new_bits;
	void	   *chunk = MemoryContextAllocExtended(TopMemoryContext,
												   size + PG_CACHE_LINE_SIZE,
												   MCXT_ALLOC_HUGE |
												   MCXT_ALLOC_NO_OOM |
												   MCXT_ALLOC_ZERO);
	Bucket	   *made = (Bucket *) CACHELINEALIGN(chunk);

	nevicted = 0;
	if (chunk == NULL)
		return;
	if (memo != NULL)
	{
		for (uint32 b = 0; b < (uint32) 1 << bits; b++)
		{
			int			filled[2] = {0, 0};

			for (int i = 0; i < WAYS; i++)
			{
				int			half = (memo[b][i].tag >> (bits - 8)) & 1;

				made[b | half << bits][filled[half]++] = memo[b][i];
			}
		}
		pfree(memo_chunk);
	}
	memo = made;
	memo_chunk = chunk;
	bits = new_bits;
}

/*
 * What the entry of a collection is found by, from its am_collection_hash().
 */
static uint32
memo_hash(Relation rel, uint32 collection)
{
	return hash_combine(collection,
						murmurhash32((uint32) compat_relfilenumber(rel)));
}

static AmMemo *
memo_bucket(uint32 hash)
{
	return memo[hash & (((uint32) 1 << bits) - 1)];
}

/*
 * What is remembered about a collection that is going to get a tuple; NULL if
 * nothing.  Good until something is stored.
 */
AmMemo *
am_memo_recall(Relation rel, uint32 collection)
{
	uint32		hash = memo_hash(rel, collection);
	AmMemo	   *bucket;

	if (transaction != GetTopTransactionIdIfAny())
	{
		transaction = GetTopTransactionIdIfAny();
		nplaced = 0;
	}
	nplaced = Min(nplaced + 1, LOAD);

	if (memo == NULL)
		return NULL;
	bucket = memo_bucket(hash);
	for (int i = 0; i < WAYS; i++)
	{
		if (bucket[i].tag == TAG(hash) && bucket[i].buffer != InvalidBuffer)
			return &bucket[i];
	}
	return NULL;
}

/*
 * How many tuples the collection has, if this is a load and they are few; 0 if
 * the index must be asked.
 */
int
am_memo_count(const AmMemo *entry)
{
	return nplaced == LOAD && entry->ntuples <= FEW ? entry->ntuples : 0;
}

/*
 * Tuples have been added to the collection.
 */
void
am_memo_add(AmMemo *entry, int ntuples)
{
	entry->ntuples = Min(entry->ntuples + ntuples, PG_UINT8_MAX);
}

/*
 * Remember the page, pinned by the caller, the leaf, and how many tuples the
 * collection has.  Returns the entry, good until something else is stored; NULL
 * if there is no memory.
 *
 * The entry stored last comes first; the one stored longest ago is forgotten.
 */
AmMemo *
am_memo_store(Relation rel, uint32 collection, Buffer buffer, Buffer leaf,
			  int ntuples)
{
	uint32		hash = memo_hash(rel, collection);
	AmMemo	   *bucket;
	int			i = 0;

	if (memo == NULL)
		memo_resize(BITS);
	else if (nevicted >= WAYS << (bits - 3) &&
			 sizeof(Bucket) << (bits + 1) <= work_mem * (Size) 1024)
		memo_resize(bits + 1);
	if (memo == NULL)
		return NULL;

	bucket = memo_bucket(hash);
	while (i < WAYS - 1 && bucket[i].tag != TAG(hash))
		i++;
	if (nplaced == LOAD && bucket[i].tag != TAG(hash) &&
		bucket[i].buffer != InvalidBuffer)
		nevicted++;
	memmove(&bucket[1], &bucket[0], sizeof(AmMemo) * i);
	bucket[0].tag = TAG(hash);
	bucket[0].ntuples = Min(ntuples, PG_UINT8_MAX);
	bucket[0].block = BufferGetBlockNumber(buffer);
	bucket[0].buffer = buffer;
	bucket[0].leaf = leaf;
	return &bucket[0];
}
