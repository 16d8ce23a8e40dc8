/*-------------------------------------------------------------------------
 *
 * journal_trim.c
 *	  The journal of point-in-time recovery: deleting what no table needs, and
 *	  beginning where there is none.
 *
 * A piece goes when it is older than the longest period of any table by a day.
 * The day is for transactions: what a marker does not see was written before
 * it, by as much as they last.  If one lasts longer, the markers that would
 * need what is gone are no use any more (backup_window.c), since the time is
 * kept from which on the journal is complete.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "journal/journal_internal.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

/* For transactions that last. */
#define KEPT_LONGER		USECS_PER_DAY

/* So many blocks at a piece's end have its youngest rows. */
#define LAST_BLOCKS		64

static TimestampTz end_of(TimestampTz now, int age);
static bool may_go(int n, Relation piece, TimestampTz now);
static TimestampTz youngest(Relation piece, TimestampTz now);
static bool is_seen_by_all(FullTransactionId xid, FullTransactionId *seen);
static FullTransactionId seen_by_all(void);
static TimestampTz needed_from(TimestampTz now);

/*
 * Truncate what is not needed at time "now".  Returns the number of pieces.
 */
int
journal_trim(TimestampTz now)
{
	const MetaRing *ring = &journal_ring;
	MetaTrim	trim = {.may_go = may_go};
	TimestampTz needed = needed_from(now);
	TimestampTz complete = 0;
	JournalWindow window;
	int			trimmed = 0;

	PreventCommandIfReadOnly("trimming the journal");
	PreventCommandIfParallelMode("trimming the journal");
	if (!journal_lock_windows())
		return 0;
	trim.ahead = now - GetCurrentTimestamp();

	/* The piece of "now" is behind all others, which are in turn. */
	for (int age = ring->npieces - 1; age > 0; age--)
	{
		CHECK_FOR_INTERRUPTS();
		if (end_of(now, age) > needed)
			break;
		if (!meta_ring_trim(ring,
							meta_ring_piece(ring, now - age * ring->period),
							&trim))
			continue;
		complete = end_of(now, age);
		trimmed++;
	}
	if (trimmed > 0 &&
		(!journal_find_window(0, &window) || window.began_at < complete ||
		 journal_trimmed_ahead(&window)))
		journal_begin_window(0, complete, ReadNextFullTransactionId());
	return trimmed;
}

/*
 * Was the journal last trimmed by a clock that has been set back since?  Then
 * the time since which it is complete has not come yet, and says nothing.  All
 * that wrote what is gone have an xid before complete->xid.
 */
bool
journal_trimmed_ahead(const JournalWindow *complete)
{
	return complete->began_at > GetCurrentTimestamp() + JOURNAL_SLACK;
}

/*
 * When the period ends that so many follow, the last of which has "now".
 */
static TimestampTz
end_of(TimestampTz now, int age)
{
	TimestampTz period = journal_ring.period;

	now -= age * period;
	return now - now % period + period;
}

/*
 * Is all that it may have still not needed, and what it does have?
 */
static bool
may_go(int n, Relation piece, TimestampTz now)
{
	const MetaRing *ring = &journal_ring;
	int			age = (meta_ring_piece(ring, now) - n + ring->npieces) %
		ring->npieces;

	return age > 0 && end_of(now, age) <= needed_from(now) &&
		youngest(piece, now) < needed_from(now);
}

/*
 * The time of the last rows, but for those in the future: the clock has been
 * set back since then, and all windows begin anew.  But a transaction that had
 * not ended by then may be undone, so its rows are as young as can be.
 */
static TimestampTz
youngest(Relation piece, TimestampTz now)
{
	BlockNumber blocks = RelationGetNumberOfBlocks(piece);
	BlockNumber last = Min(blocks, LAST_BLOCKS);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TupleTableSlot *slot = table_slot_create(piece, NULL);
	TableScanDesc scan = table_beginscan_strat(piece, snapshot, 0, NULL, true,
											   false);
	TimestampTz latest = DT_NOBEGIN;
	FullTransactionId seen = InvalidFullTransactionId;

	heap_setscanlimits(scan, blocks - last, last);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		bool		isnull;
		TimestampTz at = DatumGetTimestampTz(slot_getattr(slot, JOURNAL_AT,
														  &isnull));
		FullTransactionId xid =
			DatumGetFullTransactionId(slot_getattr(slot, JOURNAL_XID, &isnull));

		if (at <= now + JOURNAL_SLACK)
			latest = Max(latest, at);
		else if (!is_seen_by_all(xid, &seen))
			latest = now;
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	return latest;
}

/*
 * What is in the future is rare, so it is looked up when the first such row comes.
 */
static bool
is_seen_by_all(FullTransactionId xid, FullTransactionId *seen)
{
	if (!FullTransactionIdIsValid(*seen))
		*seen = seen_by_all();
	return FullTransactionIdPrecedes(xid, *seen);
}

/*
 * Transactions before this one are seen by the first marker of each window, so by
 * all, and nothing of them is undone.
 */
static FullTransactionId
seen_by_all(void)
{
	FullTransactionId seen = ReadNextFullTransactionId();
	ListCell   *lc;

	PushActiveSnapshot(GetLatestSnapshot());
	foreach(lc, journal_list())
	{
		const RecoveryDef *recovery = lfirst(lc);
		FullTransactionId xmin = FirstNormalFullTransactionId;
		JournalMarkerSearch search = {.forward = true};
		JournalMarker first;
		JournalWindow window;

		if (journal_find_window(recovery->id, &window))
		{
			search.from = window.began_at;
			search.sees = window.xid;
			if (journal_find_marker(&search, &first))
				xmin = journal_marker_xmin(first.snapshot);
		}
		if (FullTransactionIdPrecedes(xmin, seen))
			seen = xmin;
	}
	PopActiveSnapshot();
	return seen;
}

static TimestampTz
needed_from(TimestampTz now)
{
	int			days = 0;
	ListCell   *lc;

	foreach(lc, journal_list())
		days = Max(days, ((const RecoveryDef *) lfirst(lc))->days);
	return now - days * USECS_PER_DAY - KEPT_LONGER;
}
