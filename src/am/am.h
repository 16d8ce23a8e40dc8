/*-------------------------------------------------------------------------
 *
 * am.h
 *	  The table access method "dynamo".
 *
 * Heap, with two decisions changed: where a new tuple goes, and whether an
 * update may be HOT.  Both can be left to the access method alone; the hint
 * below only spares it work that its caller has done already.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_AM_H
#define DYNAMO_AM_H

#include "postgres.h"

#include "access/genam.h"
#include "access/sdir.h"
#include "executor/tuptable.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/*
 * am_hot.c
 *
 * The caller knows whether the next update of "rel" changes any attribute or
 * expression that an index (predicate included) reads.  Valid for the next
 * update of that relation only.
 *
 * "false" must be true of every index that RelationGetIndexList() gives at
 * that time, those of other makers and those still being built included.
 * Otherwise indexes are corrupted.  A caller that knows of its own indexes
 * only says nothing where there are others.
 */
extern void am_update_hint(Relation rel, bool index_keys_change);

/*
 * am_state.c, am_watch.c
 *
 * Changes to some relations are told to a layer above.  "watches" says whether
 * a relation may be one of them; the answer is kept with the relcache entry.
 * "inserted" is called after new rows were stored, and before they have index
 * entries: another transaction may still delete a row of the same key, and these
 * wait for it.  When it is called the next time in the transaction, they have them.
 * "changed" is called after a row was stored anew or deleted, while it is locked;
 * NULL: there is none.  "emptied" is called before TRUNCATE, when all rows can still
 * be read.
 */
typedef struct AmWatch
{
	bool		(*watches) (Relation rel);
	void		(*inserted) (Relation rel, TupleTableSlot **slots, int n);
	void		(*changed) (Relation rel, TupleTableSlot *old_slot,
							TupleTableSlot *new_slot);
	void		(*emptied) (Relation rel);
} AmWatch;

extern const AmWatch *am_watch; /* NULL: nobody is */

/*
 * am_ahead.c
 *
 * Pages of the table that a scan of a btree is about to need.  To be called when
 * the scan has come to the row "tid", once a page was not in shared buffers;
 * "wanted" tells that it was called.  Zeroes begin a scan.
 */
typedef struct AmAhead
{
	bool		wanted;			/* the following are set */
	int			most;			/* so many pages are asked for at a time */
	int			distance;		/* ... by now */
	int			pending;		/* asked for, and not come to yet */
	BlockNumber current;		/* where the scan is */
	BlockNumber asked;			/* the last that was looked at */
	BlockNumber leaf;			/* page of the index of which ... */
	int			entry;			/* ... this is the next to be looked at */
} AmAhead;

extern void am_look_ahead(AmAhead *ahead, IndexScanDesc scan,
						  ScanDirection direction,
						  const ItemPointerData *tid);

/*
 * am_check.c
 *
 * Reads all pages of a table, whose lock the caller holds, without trusting
 * them.  "problem" is told what is wrong, with the line on the page, or
 * InvalidOffsetNumber.  "row" is given what is sound and visible to the
 * snapshot, in a context that lives as long as the page's turn; "page_read",
 * which may be NULL, is called after the rows of a page.
 */
typedef struct AmCheck
{
	Relation	rel;			/* of our access method, or heap's */
	Snapshot	snapshot;		/* registered */
	void		(*problem) (struct AmCheck *check, BlockNumber block,
							OffsetNumber line, const char *text);
	void		(*row) (struct AmCheck *check, HeapTuple tuple);
	void		(*page_read) (struct AmCheck *check, BlockNumber block);
	/* counted */
	int64		pages;
	int64		hidden;			/* sound tuples that the snapshot does not see */
	int64		free;			/* bytes that take new tuples */
} AmCheck;

extern void am_check(AmCheck *check);

/* am_handler.c */
extern bool am_is_of(Relation rel);

extern void am_init(void);

#endif							/* DYNAMO_AM_H */
