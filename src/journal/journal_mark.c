/*-------------------------------------------------------------------------
 *
 * journal_mark.c
 *	  The journal of point-in-time recovery: markers.
 *
 * A marker is a time and the snapshot of that time: which transactions were
 * committed.  It is an entry of the journal for recovery 0, whose number is its
 * time, so that they lie in their order in each piece's index.
 *
 * A marker outlives a crash only if all before it in the log does, too: so what
 * it takes for committed is committed.
 *
 * A process takes one each second (../worker), unless nothing has changed
 * since the last one; and so does a transaction that is about to commit
 * changes and finds that this has not been done (journal_ledger.c).  It may be
 * a moment that nobody will ask for; but then what is committed lies between
 * two markers that are not far apart.
 *
 * A marker says since when all has been as it says, as far as that is known.
 *
 * What the snapshot of a marker M does not see was not committed by then, but
 * may have been written long before.  So a reader looks for an earlier marker P
 * at which no transaction that M does not see had begun: the next one of P is not
 * above M's xmin.  Then all that M does not see was written after P.  (The xmax of a
 * snapshot will not do: from there on none had ended, but the last ones may have
 * begun, and written.)
 *
 * The clock.  When markers lie in the future, somebody has set it back: times
 * come twice, and pieces are not in the order of times.  Then all windows begin
 * anew, in a transaction that the markers from before do not see, so that they
 * are of no use any more.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "base/base_pause.h"
#include "executor/tuptable.h"
#include "journal/journal_internal.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

/* A marker's time is at most so long after its snapshot. */
#define MARK_SLACK		(USECS_PER_SEC / 10)

/* How old the last marker may be when somebody commits. */
#define MARK_INTERVAL	USECS_PER_SEC

/* What there is to know of all windows. */
typedef struct Windows
{
	List	   *stale;			/* of RecoveryDef *: they are to begin anew */
	TimestampTz last;			/* marker of use to any of the others; 0: none */
	bool		before_us;		/* one of these began before this transaction */
} Windows;

static TimestampTz take_marker(bool only_if_due, bool may_begin);
static Snapshot take_snapshot(TimestampTz *before, TimestampTz *now);
static TimestampTz last_marker(bool may_begin, bool *begun);
static void look_at_windows(TimestampTz now, Windows *windows);
static bool begin_anew(TimestampTz now, Windows *windows);
static void insert_marker(TimestampTz now, TimestampTz since);
static char *without_own(char *snapshot);
static void search_piece(Relation piece, const JournalMarkerSearch *search,
						 JournalMarker *found);
static bool suits(const JournalMarkerSearch *search, Datum snapshot,
				  FullTransactionId next);

/*
 * Take a marker of this moment, and return its time.  Unless it is to be taken
 * in any case: not if nothing has changed since the last one; then 0.
 */
TimestampTz
journal_mark(bool in_any_case)
{
	bool		same;

	PreventCommandIfReadOnly("marking a point of recovery");
	PreventCommandIfParallelMode("marking a point of recovery");
	(void) journal_ledger_changes(&same);
	if (same && !in_any_case &&
		journal_ledger_marked_at() <= GetCurrentTimestamp() + JOURNAL_SLACK)
		return 0;
	return take_marker(false, true);
}

/*
 * The same for a transaction that is about to commit changes, if nobody has
 * lately.  The first marker of all has to be searched for, which in a
 * serializable transaction could make others fail.  One that is about to be
 * prepared begins no window anew.  Otherwise nobody else could until it ends.
 */
void
journal_mark_if_due(bool prepares)
{
	if (journal_ledger_is_due(GetCurrentTimestamp(), MARK_INTERVAL) &&
		!(IsolationIsSerializable() && journal_ledger_marked_at() == 0))
		(void) take_marker(true, !prepares);
}

/*
 * This transaction has written at a time that is in the future now that it is
 * about to commit: the clock was set back.  If no marker tells that, as none was
 * taken meanwhile, those who see the transaction are to see one of that time.
 * A window that has begun since does not take the time of its entries for
 * known.  False: there was no need.
 */
bool
journal_mark_set_back(TimestampTz written)
{
	Windows		windows;

	PushActiveSnapshot(GetLatestSnapshot());
	look_at_windows(GetCurrentTimestamp(), &windows);
	if (windows.before_us)
		insert_marker(written, 0);
	PopActiveSnapshot();
	return windows.before_us;
}

/*
 * Of two that are at it at a time, one begins again; and so does one that has
 * stood still since it took its snapshot, while others took theirs.  So the
 * markers are in the order of their snapshots.
 */
static TimestampTz
take_marker(bool only_if_due, bool may_begin)
{
	for (;;)
	{
		TimestampTz marked_at = journal_ledger_marked_at();
		bool		same;
		uint64		changes = journal_ledger_changes(&same);
		TimestampTz before;
		TimestampTz now;
		Snapshot	snapshot = take_snapshot(&before, &now);
		bool		begun;
		TimestampTz last = last_marker(may_begin, &begun);
		TimestampTz at = Max(now, last + 1);
		bool		late = last > now && last <= GetCurrentTimestamp();

		dynamo_pause("mark");
		if (!begun && only_if_due)
		{
			UnregisterSnapshot(snapshot);
			return 0;
		}
		if (!late && (!begun || journal_ledger_mark(marked_at, at, changes)))
		{
			journal_ledger_begin(snapshot);
			PushActiveSnapshot(snapshot);
			insert_marker(at, journal_ledger_since(snapshot, before));
			PopActiveSnapshot();
			UnregisterSnapshot(snapshot);
			return at;
		}
		UnregisterSnapshot(snapshot);
		if (only_if_due &&
			!journal_ledger_is_due(GetCurrentTimestamp(), MARK_INTERVAL))
			return 0;
	}
}

/*
 * A snapshot and its time, just after it, so that nothing is in it that was
 * committed later.  A process that was stopped in between takes another one.
 */
static Snapshot
take_snapshot(TimestampTz *before, TimestampTz *now)
{
	for (;;)
	{
		Snapshot	snapshot;

		CHECK_FOR_INTERRUPTS();
		*before = GetCurrentTimestamp();
		snapshot = RegisterSnapshot(GetLatestSnapshot());
		dynamo_pause("snapshot");
		*now = GetCurrentTimestamp();
		if (*now - *before < MARK_SLACK && *now >= *before)
			return snapshot;
		UnregisterSnapshot(snapshot);
	}
}

/*
 * The last marker that is not in the future.  Those that are, by more than the
 * clock may be set back, are not to be used any more.  The clock is asked
 * after the marker was found.  Otherwise a process that stood still would
 * think that it has been set back.  *begun false: windows are still to begin
 * anew.  Then the ledger keeps the time in the future, so that the next one
 * tries again.
 */
static TimestampTz
last_marker(bool may_begin, bool *begun)
{
	TimestampTz last = journal_ledger_marked_at();
	JournalMarkerSearch search = {.from = DT_NOEND};
	JournalMarker marker;
	TimestampTz now = GetCurrentTimestamp();

	*begun = true;
	if (last != 0 && last <= now + JOURNAL_SLACK)
		return last;
	PushActiveSnapshot(GetLatestSnapshot());
	if (journal_find_marker(&search, &marker) &&
		marker.at > (now = GetCurrentTimestamp()) + JOURNAL_SLACK)
	{
		Windows		windows;

		look_at_windows(now, &windows);
		if (windows.stale != NIL)
			*begun = may_begin && begin_anew(now, &windows);
		marker.at = windows.last;
	}
	PopActiveSnapshot();
	return marker.at;
}

/*
 * By the active snapshot, and the windows as they are now.  A marker of use to none,
 * from before the clock was set back, is not the last one.  Otherwise the next ones
 * would lie behind it, and so in the future.
 */
static void
look_at_windows(TimestampTz now, Windows *windows)
{
	FullTransactionId own = GetTopFullTransactionIdIfAny();
	ListCell   *lc;

	memset(windows, 0, sizeof(*windows));
	foreach(lc, journal_list())
	{
		RecoveryDef *recovery = lfirst(lc);
		JournalMarkerSearch search = {.from = now + JOURNAL_SLACK};
		JournalMarker marker;
		JournalWindow window;

		if (!journal_find_window(recovery->id, &window))
			continue;
		if (journal_window_is_stale(&window, now))
		{
			windows->stale = lappend(windows->stale, recovery);
			continue;
		}
		windows->before_us |= FullTransactionIdPrecedes(window.xid, own);
		search.sees = window.xid;
		if (journal_find_marker(&search, &marker))
			windows->last = Max(windows->last, marker.at);
	}
}

/*
 * The clock was set back.  Once a window has begun anew, it has no use for the
 * markers in the future, which stay until they are trimmed.  False: somebody
 * else is at it, and perhaps will not commit that; nor may a subtransaction do
 * it, whose end nobody is told.  Who was at it may have committed by now, so
 * all is looked at again.
 */
static bool
begin_anew(TimestampTz now, Windows *windows)
{
	ListCell   *lc;

	if (GetCurrentTransactionNestLevel() > 1 || !journal_lock_windows())
		return false;
	look_at_windows(now, windows);
	if (windows->stale == NIL)
		return true;
	foreach(lc, windows->stale)
		journal_begin_anew(lfirst(lc), now);
	journal_ledger_begin_anew(now);
	ereport(LOG,
			(errmsg("the clock was set back: point-in-time recovery of all tables begins anew")));
	return true;
}

/*
 * Of the active snapshot.  Its xid is not that of this transaction, but the next one.
 */
static void
insert_marker(TimestampTz now, TimestampTz since)
{
	Datum		values[JOURNAL_NATTS] = {0};
	bool		nulls[JOURNAL_NATTS] = {false};

	values[JOURNAL_SNAPSHOT - 1] =
		DirectFunctionCall1(pg_snapshot_in,
							CStringGetDatum(journal_snapshot_text()));
	values[JOURNAL_RECOVERY - 1] = Int32GetDatum(0);
	values[JOURNAL_HASH - 1] = Int32GetDatum(0);
	values[JOURNAL_NUMBER - 1] = Int64GetDatum(now);
	values[JOURNAL_AT - 1] = TimestampTzGetDatum(now);
	values[JOURNAL_XID - 1] =
		FullTransactionIdGetDatum(ReadNextFullTransactionId());
	nulls[JOURNAL_KEYS - 1] = nulls[JOURNAL_OLD - 1] = true;
	values[JOURNAL_SINCE - 1] = TimestampTzGetDatum(since);
	nulls[JOURNAL_SINCE - 1] = since == 0;
	meta_ring_insert(&journal_ring, now, values, nulls);
}

/*
 * The active snapshot as a pg_snapshot's text.  A session's snapshots see what
 * it has done itself; but that is not committed.
 */
char *
journal_snapshot_text(void)
{
	Datum		snapshot = OidFunctionCall0(F_PG_CURRENT_SNAPSHOT);

	return without_own(DatumGetCString(DirectFunctionCall1(pg_snapshot_out,
														   snapshot)));
}

/*
 * The text is xmin:xmax:xid,xid,... in order; xmin is not above our own xid.
 */
static char *
without_own(char *snapshot)
{
	FullTransactionId own = GetTopFullTransactionIdIfAny();
	char	   *next = strchr(strchr(snapshot, ':') + 1, ':') + 1;
	StringInfoData text;
	bool		done = false;

	if (!FullTransactionIdIsValid(own) ||
		U64FromFullTransactionId(own) >=
		strtou64(strchr(snapshot, ':') + 1, NULL, 10))
		return snapshot;
	initStringInfo(&text);
	appendBinaryStringInfo(&text, snapshot, next - snapshot);
	while (*next != '\0' || !done)
	{
		uint64		xid = *next != '\0' ? strtou64(next, &next, 10) : PG_UINT64_MAX;

		if (!done && xid >= U64FromFullTransactionId(own))
		{
			appendStringInfo(&text, UINT64_FORMAT ",",
							 U64FromFullTransactionId(own));
			done = true;
		}
		if (xid != PG_UINT64_MAX && xid != U64FromFullTransactionId(own))
			appendStringInfo(&text, UINT64_FORMAT ",", xid);
		if (*next == ',')
			next++;
	}
	text.data[text.len - 1] = '\0';
	return text.data;
}

/*
 * Has the clock been set back since the window began, and it has not begun
 * anew?  Then it takes a marker in the future for one of its own, and what is
 * committed now for older than that.
 */
bool
journal_window_is_stale(const JournalWindow *window, TimestampTz now)
{
	JournalMarkerSearch search = {.forward = true};
	JournalMarker marker;

	search.from = now + JOURNAL_SLACK;
	search.sees = window->xid;
	return window->began_at > now + JOURNAL_SLACK ||
		journal_find_marker(&search, &marker);
}

/*
 * The first marker that is searched for: see engine.h.  Markers are seen as of
 * the active snapshot.  What is found lies in the current context.
 */
bool
journal_find_marker(const JournalMarkerSearch *search, JournalMarker *marker)
{
	JournalMarkerSearch rest = *search;

	marker->at = 0;
	for (int n = 0; n < journal_ring.npieces; n++)
	{
		Relation	piece = meta_ring_open(&journal_ring, n,
										   AccessShareLock);
		JournalMarker found = {0};

		if (RelationGetNumberOfBlocks(piece) > 0)
			search_piece(piece, &rest, &found);
		table_close(piece, AccessShareLock);
		if (found.at == 0)
			continue;
		*marker = found;
		if (rest.forward)
			rest.to = found.at - 1;
		else
			rest.to = found.at + 1;
	}
	return marker->at != 0;
}

static void
search_piece(Relation piece, const JournalMarkerSearch *search,
			 JournalMarker *found)
{
	Relation	index = meta_ring_index(&journal_ring, piece);
	TupleTableSlot *slot = table_slot_create(piece, NULL);
	ScanKeyData keys[4];
	int			n = 3;
	IndexScanDesc scan;
	bool		isnull;

	ScanKeyInit(&keys[0], JOURNAL_INDEX_RECOVERY, BTEqualStrategyNumber,
				F_INT4EQ, Int32GetDatum(0));
	ScanKeyInit(&keys[1], JOURNAL_INDEX_HASH, BTEqualStrategyNumber,
				F_INT4EQ, Int32GetDatum(0));
	ScanKeyInit(&keys[2], JOURNAL_INDEX_NUMBER,
				search->forward ? BTGreaterEqualStrategyNumber :
				BTLessEqualStrategyNumber,
				search->forward ? F_INT8GE : F_INT8LE,
				Int64GetDatum(search->from));
	if (search->to != 0)
		ScanKeyInit(&keys[n++], JOURNAL_INDEX_NUMBER,
					search->forward ? BTLessEqualStrategyNumber :
					BTGreaterEqualStrategyNumber,
					search->forward ? F_INT8LE : F_INT8GE,
					Int64GetDatum(search->to));
	scan = compat_index_beginscan(piece, index, GetActiveSnapshot(), n);
	index_rescan(scan, keys, n, NULL, 0);
	while (found->at == 0 &&
		   index_getnext_slot(scan, search->forward ? ForwardScanDirection :
							  BackwardScanDirection, slot))
	{
		Datum		next = slot_getattr(slot, JOURNAL_XID, &isnull);
		Datum		snapshot = slot_getattr(slot, JOURNAL_SNAPSHOT, &isnull);
		Datum		since;

		CHECK_FOR_INTERRUPTS();
		if (isnull ||
			!suits(search, snapshot, DatumGetFullTransactionId(next)))
			continue;
		found->at = DatumGetTimestampTz(slot_getattr(slot, JOURNAL_AT,
													 &isnull));
		found->snapshot = PointerGetDatum(PG_DETOAST_DATUM_COPY(snapshot));
		found->next = DatumGetFullTransactionId(next);
		since = slot_getattr(slot, JOURNAL_SINCE, &isnull);
		found->since = isnull ? found->at : DatumGetTimestampTz(since);
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
}

static bool
suits(const JournalMarkerSearch *search, Datum snapshot, FullTransactionId next)
{
	if (FullTransactionIdIsValid(search->sees) &&
		!DatumGetBool(DirectFunctionCall2(pg_visible_in_snapshot,
										  FullTransactionIdGetDatum(search->sees),
										  snapshot)))
		return false;
	if (FullTransactionIdIsValid(search->xmin) &&
		FullTransactionIdPrecedes(journal_marker_xmin(snapshot), search->xmin))
		return false;
	return !FullTransactionIdIsValid(search->next) ||
		!FullTransactionIdPrecedes(search->next, next);
}

/*
 * All transactions before this one had ended.
 */
FullTransactionId
journal_marker_xmin(Datum snapshot)
{
	return DatumGetFullTransactionId(DirectFunctionCall1(pg_snapshot_xmin,
														 snapshot));
}
