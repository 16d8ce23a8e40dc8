/*-------------------------------------------------------------------------
 *
 * am_ahead.c
 *	  Pages of the relation that an index scan is about to need.
 *
 * nbtree copies all entries of a leaf page that match at once, so it is known
 * which pages of the relation come next.  A collection lies on few pages, but
 * the entries of a secondary index point all over the relation, and each page
 * that is on disk is waited for on its own.  So pages ahead are asked for, as a
 * bitmap scan does: as many as effective_io_concurrency says, one at first and
 * twice as many with each page that the scan comes to, since a scan may end
 * early.
 *
 * Nothing is done until a page was not in shared buffers: where all is in
 * memory this costs a comparison an item.
 *
 * The leaf page may change meanwhile: what is asked for is a hint.  But no page
 * that an entry points to is truncated away, since that takes a lock on the
 * relation that ours stops.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/relscan.h"
#include "am/am.h"
#include "utils/rel.h"
#include "utils/spccache.h"

static void ask_ahead(AmAhead *ahead, IndexScanDesc scan, int step);

void
am_look_ahead(AmAhead *ahead, IndexScanDesc scan, ScanDirection direction,
			  const ItemPointerData *tid)
{
	BlockNumber block = ItemPointerGetBlockNumberNoCheck(tid);

	if (!ahead->wanted)
	{
		ahead->wanted = true;
		ahead->most =
			get_tablespace_io_concurrency(scan->heapRelation->rd_rel->reltablespace);
		ahead->distance = Min(1, ahead->most);
		ahead->leaf = ahead->asked = InvalidBlockNumber;
	}
	else if (block != ahead->current)
	{
		ahead->pending = Max(0, ahead->pending - 1);
		ahead->distance = Min(2 * ahead->distance, ahead->most);
	}
	ahead->current = block;
	if (ahead->pending < ahead->distance)
		ask_ahead(ahead, scan, direction);
}

/*
 * "step" is 1 or -1, as a ScanDirection is.
 */
static void
ask_ahead(AmAhead *ahead, IndexScanDesc scan, int step)
{
	BTScanPos	position = &((BTScanOpaque) scan->opaque)->currPos;

	if (ahead->leaf != position->currPage)
	{
		ahead->leaf = position->currPage;
		ahead->entry = position->itemIndex + step;
	}
	for (; ahead->pending < ahead->distance &&
		 ahead->entry >= position->firstItem &&
		 ahead->entry <= position->lastItem; ahead->entry += step)
	{
		BlockNumber block =
			ItemPointerGetBlockNumber(&position->items[ahead->entry].heapTid);

		if (block == ahead->asked || block == ahead->current)
			continue;
		ahead->asked = block;
		if (PrefetchBuffer(scan->heapRelation, MAIN_FORKNUM, block).initiated_io)
			ahead->pending++;
	}
}
