/*-------------------------------------------------------------------------
 *
 * am_check.c
 *	  A walk through the pages of a table that believes nothing it reads.
 *
 * The pages are heap's, but core's tools look at the access method's name and
 * pass ours by (pg_amcheck) or refuse them (pgstattuple).  So this is a check
 * of our own: of the page's header, of each line pointer, of each tuple's
 * header and of the extent of its columns.  What is sound and visible to the
 * caller's snapshot is handed on, copied; nobody else has to read a page.
 *
 * Locking: AccessShareLock on the table, the caller's, and the share lock of
 * one page at a time.  Writers go on, and so does VACUUM: it removes nothing
 * that the snapshot sees.
 *
 * Transaction IDs are compared with the table's horizons before anybody looks
 * them up, since the lookup of one that is out of range fails.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/transam.h"
#include "am/am.h"
#include "base/base.h"
#include "base/base_pause.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

/* The page being read. */
typedef struct PageWalk
{
	AmCheck    *check;
	BufferAccessStrategy strategy;
	BlockNumber block;
	Buffer		buffer;			/* pinned, locked to share */
	Page		page;
	OffsetNumber line;			/* the one at hand */
	List	   *rows;			/* HeapTuples, copied */
} PageWalk;

static bool walk_page(void *arg);
static void read_lines(PageWalk *walk);
static bool line_sound(PageWalk *walk);
static bool redirect_sound(PageWalk *walk, ItemId id);
static bool header_sound(PageWalk *walk, HeapTupleHeader tuple, uint32 len);
static bool xids_sound(PageWalk *walk, HeapTupleHeader tuple);
static bool was_withdrawn(HeapTupleHeader tuple);
static bool multi_sound(PageWalk *walk, HeapTupleHeader tuple);
static bool xid_sound(PageWalk *walk, const char *name, TransactionId xid);
static bool columns_sound(PageWalk *walk, HeapTupleHeader tuple, uint32 len);
static bool problem(PageWalk *walk, const char *fmt,...)
			pg_attribute_printf(2, 3);

/*
 * Read every page of check->rel and call "problem" for each piece of damage
 * and "row" for each sound row that the snapshot sees; "pages", "hidden" and
 * "free" count.  The caller holds a lock on the relation.  A page that cannot
 * be read is a problem, too, no error.
 */
void
am_check(AmCheck *check)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(check->rel);
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo table check",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);

	check->pages = nblocks;
	for (BlockNumber block = 0; block < nblocks; block++)
	{
		PageWalk	walk = {.check = check, .strategy = strategy,
		.block = block};
		ErrorData  *error;
		ListCell   *lc;

		CHECK_FOR_INTERRUPTS();

		/* A page that cannot be read, or a transaction without a status. */
		error = dynamo_attempt(walk_page, &walk);
		if (error != NULL)
		{
			dynamo_attempt_pass(error);
			walk.line = InvalidOffsetNumber;
			(void) problem(&walk, "%s", error->message);
			walk.rows = NIL;
		}
		foreach(lc, walk.rows)
			check->row(check, lfirst(lc));
		if (check->page_read != NULL)
			check->page_read(check, block);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

static bool
walk_page(void *arg)
{
	PageWalk   *walk = arg;
	AmCheck    *check = walk->check;

	dynamo_pause("check");
	walk->buffer = ReadBufferExtended(check->rel, MAIN_FORKNUM, walk->block,
									  RBM_NORMAL, walk->strategy);
	LockBuffer(walk->buffer, BUFFER_LOCK_SHARE);
	walk->page = BufferGetPage(walk->buffer);
	if (!PageIsNew(walk->page))
	{
		check->free += PageGetHeapFreeSpace(walk->page);
		read_lines(walk);
	}
	UnlockReleaseBuffer(walk->buffer);
	return true;
}

/*
 * A page cannot have more lines than tuples of nothing but a header would fill
 * it: callers rely on that.
 */
static void
read_lines(PageWalk *walk)
{
	AmCheck    *check = walk->check;
	OffsetNumber last = PageGetMaxOffsetNumber(walk->page);

	if (last > MaxHeapTuplesPerPage)
	{
		(void) problem(walk, "page has %u lines, and room for %u", last,
					   (unsigned int) MaxHeapTuplesPerPage);
		return;
	}
	for (OffsetNumber line = FirstOffsetNumber; line <= last; line++)
	{
		HeapTupleData tuple;
		ItemId		id = PageGetItemId(walk->page, line);

		walk->line = line;
		if (!line_sound(walk) || !ItemIdIsNormal(id))
			continue;
		tuple.t_data = (HeapTupleHeader) PageGetItem(walk->page, id);
		tuple.t_len = ItemIdGetLength(id);
		tuple.t_tableOid = RelationGetRelid(check->rel);
		ItemPointerSet(&tuple.t_self, walk->block, line);
		if (HeapTupleSatisfiesVisibility(&tuple, check->snapshot,
										 walk->buffer))
			walk->rows = lappend(walk->rows, heap_copytuple(&tuple));
		else
			check->hidden++;
	}
}

/*
 * Can what this line points to be read?  Unused and dead lines can.
 */
static bool
line_sound(PageWalk *walk)
{
	ItemId		id = PageGetItemId(walk->page, walk->line);
	uint32		start = ItemIdGetOffset(id);
	uint32		len = ItemIdGetLength(id);
	HeapTupleHeader tuple;

	if (!ItemIdIsUsed(id) || ItemIdIsDead(id))
		return true;
	if (ItemIdIsRedirected(id))
		return redirect_sound(walk, id);
	if (start != MAXALIGN(start) ||
		start < ((PageHeader) walk->page)->pd_upper ||
		start + len > ((PageHeader) walk->page)->pd_special)
		return problem(walk, "line pointer leads to bytes %u to %u, which hold no tuples",
					   start, start + len);
	if (len < SizeofHeapTupleHeader)
		return problem(walk, "tuple of %u bytes is too short for its header",
					   len);
	tuple = (HeapTupleHeader) PageGetItem(walk->page, id);
	return header_sound(walk, tuple, len) && xids_sound(walk, tuple) &&
		columns_sound(walk, tuple, len);
}

/*
 * A redirection leads to the first version of a row that is still there.
 */
static bool
redirect_sound(PageWalk *walk, ItemId id)
{
	OffsetNumber target = ItemIdGetRedirect(id);
	OffsetNumber last = PageGetMaxOffsetNumber(walk->page);

	if (target < FirstOffsetNumber || target > last)
		return problem(walk, "line pointer redirects to line %u of %u",
					   target, last);
	if (!ItemIdIsNormal(PageGetItemId(walk->page, target)))
		return problem(walk, "line pointer redirects to line %u, which has no tuple",
					   target);
	return true;
}

static bool
header_sound(PageWalk *walk, HeapTupleHeader tuple, uint32 len)
{
	int			natts = HeapTupleHeaderGetNatts(tuple);
	int			ncolumns = RelationGetDescr(walk->check->rel)->natts;
	uint32		header = SizeofHeapTupleHeader;

	if (natts > ncolumns)
		return problem(walk, "tuple has %d columns, the table %d", natts,
					   ncolumns);
	if (tuple->t_infomask & HEAP_HASNULL)
		header += BITMAPLEN(natts);
	if (tuple->t_hoff != MAXALIGN(header) || tuple->t_hoff > len)
		return problem(walk, "tuple of %u bytes has its columns at byte %u instead of %u",
					   len, tuple->t_hoff, (uint32) MAXALIGN(header));

	/* To follow that to the next version would never end. */
	if (HeapTupleHeaderIsHotUpdated(tuple) &&
		(ItemPointerGetBlockNumberNoCheck(&tuple->t_ctid) != walk->block ||
		 ItemPointerGetOffsetNumberNoCheck(&tuple->t_ctid) == walk->line))
		return problem(walk, "tuple was updated on its page, but its next version is (%u,%u)",
					   ItemPointerGetBlockNumberNoCheck(&tuple->t_ctid),
					   ItemPointerGetOffsetNumberNoCheck(&tuple->t_ctid));
	return true;
}

static bool
xids_sound(PageWalk *walk, HeapTupleHeader tuple)
{
	TransactionId xmax = HeapTupleHeaderGetRawXmax(tuple);

	if (!HeapTupleHeaderXminFrozen(tuple) && !was_withdrawn(tuple) &&
		!xid_sound(walk, "xmin", HeapTupleHeaderGetRawXmin(tuple)))
		return false;
	if (tuple->t_infomask & HEAP_XMAX_INVALID)
		return true;
	if (tuple->t_infomask & HEAP_XMAX_IS_MULTI)
		return multi_sound(walk, tuple);
	return xmax == InvalidTransactionId || xid_sound(walk, "xmax", xmax);
}

/*
 * Of a row that was inserted while somebody else inserted its key, and was taken
 * back, heap wipes out the inserter, up to the next pruning.  Nobody sees it.
 */
static bool
was_withdrawn(HeapTupleHeader tuple)
{
	return HeapTupleHeaderGetRawXmin(tuple) == InvalidTransactionId &&
		!HeapTupleHeaderXminCommitted(tuple);
}

/*
 * One that does more than lock has an updater, on which visibility depends.
 */
static bool
multi_sound(PageWalk *walk, HeapTupleHeader tuple)
{
	MultiXactId multi = HeapTupleHeaderGetRawXmax(tuple);

	if (MultiXactIdPrecedes(multi, walk->check->rel->rd_rel->relminmxid) ||
		!MultiXactIdPrecedes(multi, ReadNextMultiXactId()))
		return problem(walk, "xmax is multitransaction %u, which is not one of this table's",
					   multi);
	return HEAP_XMAX_IS_LOCKED_ONLY(tuple->t_infomask) ||
		xid_sound(walk, "updater", HeapTupleGetUpdateXid(tuple));
}

static bool
xid_sound(PageWalk *walk, const char *name, TransactionId xid)
{
	FullTransactionId next = ReadNextFullTransactionId();

	if (!TransactionIdIsNormal(xid))
		return xid != InvalidTransactionId ||
			problem(walk, "tuple has no %s", name);
	if (TransactionIdPrecedes(xid, walk->check->rel->rd_rel->relfrozenxid))
		return problem(walk, "%s is transaction %u, before the table's oldest, %u",
					   name, xid, walk->check->rel->rd_rel->relfrozenxid);
	if (!TransactionIdPrecedes(xid, XidFromFullTransactionId(next)))
		return problem(walk, "%s is transaction %u, which has not begun",
					   name, xid);
	return true;
}

/*
 * Does each column end within the tuple?
 */
static bool
columns_sound(PageWalk *walk, HeapTupleHeader tuple, uint32 len)
{
	TupleDesc	desc = RelationGetDescr(walk->check->rel);
	int			natts = HeapTupleHeaderGetNatts(tuple);
	char	   *data = (char *) tuple + tuple->t_hoff;
	uint32		space = len - tuple->t_hoff;
	uint32		offset = 0;

	for (int i = 0; i < natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		uint32		left;
		uint32		size;

		if ((tuple->t_infomask & HEAP_HASNULL) && att_isnull(i, tuple->t_bits))
			continue;

		/* Only a byte that is there can tell whether a varlena is aligned. */
		if (att->attlen == -1 && offset < space)
			offset = att_align_pointer(offset, att->attalign, -1,
									   data + offset);
		else
			offset = att_align_nominal(offset, att->attalign);
		left = offset < space ? space - offset : 0;
		if (att->attlen >= 0)
			size = att->attlen;
		else if (att->attlen == -2)
			size = strnlen(data + offset, left) + 1;
		else if (left == 0 || (!VARATT_IS_1B(data + offset) && left < VARHDRSZ))
			size = left + 1;
		else if (VARATT_IS_EXTERNAL(data + offset))
		{
			/* VARSIZE_ANY() knows no other tag. */
			if (left < VARHDRSZ_EXTERNAL ||
				VARTAG_EXTERNAL(data + offset) != VARTAG_ONDISK)
				return problem(walk, "column %d has a pointer that is none of TOAST's",
							   i + 1);
			size = VARSIZE_EXTERNAL(data + offset);
		}
		else
		{
			size = VARSIZE_ANY(data + offset);
			if (size < (VARATT_IS_1B(data + offset) ? VARHDRSZ_SHORT : VARHDRSZ))
				return problem(walk, "column %d is shorter than its own length",
							   i + 1);
		}
		if (size > left)
			return problem(walk, "column %d ends behind the tuple", i + 1);
		offset += size;
	}
	return true;
}

/*
 * Report one.  Returns false, for callers to return.
 */
static bool
problem(PageWalk *walk, const char *fmt,...)
{
	va_list		args;
	char	   *text;

	va_start(args, fmt);
	text = dynamo_format(fmt, args);
	va_end(args);
	walk->check->problem(walk->check, walk->block, walk->line, text);
	return false;
}
