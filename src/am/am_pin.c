/*-------------------------------------------------------------------------
 *
 * am_pin.c
 *	  Pages pinned for a look at their room.
 *
 * The page that placement settles on stays pinned until heap has put the tuple
 * there.  heap takes the pin from a bulk-insert state and need not look the
 * buffer up once more.
 *
 * heap's next page is the one it used last.  Here rows arrive at random, and
 * pages are found at random, so what placement costs is less the work than the
 * wait for memory: the buffer's descriptor, the page's header, the place for
 * the tuple, and the address translation of each.  A backend that remembers
 * the buffers asks for all of it at once, before it needs any.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#define LINE		64			/* bytes that processors fetch at once */
#define LEAF_START	1024		/* header and line pointers of a leaf */
#define USES		2			/* of a buffer that is going to stay */

static void prefetch(const char *start, int size);

/*
 * May this block be read?  A block number from the index or from our own
 * memory can only be wrong after corruption or a truncation.  It is checked
 * all the same.  Otherwise an insert that heap would have done could fail:
 * reading past the end is an error.
 *
 * The length is remembered until am_has_collections() finds that there may
 * have been a truncation.
 */
bool
am_page_exists(Relation rel, BlockNumber block)
{
	AmPlaceState *state = am_place_state(rel);

	if (block >= state->nblocks)
		state->nblocks = RelationGetNumberOfBlocks(rel);
	return block < state->nblocks;
}

/*
 * Begin to fetch what the insert is going to read, in the table and in the
 * primary index: of the leaf, what a binary search reads before it comes to
 * the entries.  Nothing is pinned; if the buffers hold something else by now,
 * nothing is gained.
 */
void
am_page_prefetch(const AmMemo *memo)
{
	if (BufferIsValid(memo->buffer) && !BufferIsLocal(memo->buffer))
	{
		prefetch((char *) GetBufferDescriptor(memo->buffer - 1), LINE);
		prefetch(BufferGetPage(memo->buffer), LINE);
	}
	if (BufferIsValid(memo->leaf) && !BufferIsLocal(memo->leaf))
	{
		Page		leaf = BufferGetPage(memo->leaf);

		prefetch((char *) GetBufferDescriptor(memo->leaf - 1), LINE);
		prefetch(leaf, LEAF_START);
		prefetch(leaf + BLCKSZ - LINE, LINE);
	}
}

static void
prefetch(const char *start, int size)
{
	for (int at = 0; at < size; at += LINE)
		__builtin_prefetch(start + at, 1);
}

/*
 * May the buffer be pinned without a search?  That does not count as a use. So
 * a page that is about to leave its buffer is searched for.  Otherwise pages
 * that take inserts all the time would leave.
 *
 * Never for a temporary table: otherwise rows could go to another table: one
 * whose file has the same number has pages with the same tags in shared
 * buffers.
 */
static bool
may_pin_recent(Relation rel, Buffer recent)
{
	if (RelationUsesLocalBuffers(rel) ||
		!BufferIsValid(recent) || BufferIsLocal(recent))
		return false;
	return compat_buffer_uses(recent) >= USES;
}

/*
 * Pin a block that exists.  It was last seen in buffer "recent", a guess;
 * InvalidBuffer if unknown.
 *
 * Prunes versions that nobody can see any more if there is no room otherwise.
 */
Buffer
am_page_pin(Relation rel, BlockNumber block, Buffer recent)
{
	Buffer		buffer = recent;

	if (!may_pin_recent(rel, recent) ||
		!compat_read_recent_buffer(rel, block, recent))
		buffer = ReadBuffer(rel, block);

	/* Does nothing unless the page is nearly full and has dead versions. */
	compat_prune(rel, buffer);
	return buffer;
}

/*
 * Free bytes of a page, as heap reckons them.
 *
 * Read without a lock, like in heap_page_prune_opt(): it is advice, and heap
 * reckons again under its own.
 */
int
am_page_space(Buffer buffer)
{
	Page		page = BufferGetPage(buffer);

	if (PageIsNew(page))
		return BLCKSZ - SizeOfPageHeaderData - sizeof(ItemIdData);
	return PageGetHeapFreeSpace(page);
}

/*
 * The block pinned, or InvalidBuffer if there is none or it has no room for
 * the first tuple.
 */
Buffer
am_page_with_room(Relation rel, BlockNumber block, Buffer recent,
				  const AmPlacement *p)
{
	Buffer		buffer;
	PageHeader	header;

	if (!am_page_exists(rel, block))
		return InvalidBuffer;
	buffer = am_page_pin(rel, block, recent);
	if (am_page_space(buffer) < p->need)
	{
		ReleaseBuffer(buffer);
		return InvalidBuffer;
	}

	header = (PageHeader) BufferGetPage(buffer);
	prefetch((char *) header + header->pd_lower, LINE);
	prefetch((char *) header + header->pd_upper - p->item, p->item);
	return buffer;
}
