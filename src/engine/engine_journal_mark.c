/*-------------------------------------------------------------------------
 *
 * engine_journal_mark.c
 *	  The journal of point-in-time recovery: markers.
 *
 * A marker is a time and the snapshot of that time: which transactions were
 * committed.  It is an entry of the journal for recovery 0, whose number is its
 * time, so that they lie in their order in each piece's index.
 *
 * A marker outlives a crash only if all before it in the log does, too: so what
 * it takes for committed is committed.
 *
 * A process takes one each second (worker_marker.c), unless nothing has changed
 * since the last one.  It knows that from two things.  The last number of the
 * journal is the same, so nobody has written.  And of the transactions that
 * were in progress when it had just become so, which may have written, none has
 * ended since.  Others that begin later, or go on, write no entry, or the
 * number would be another.
 *
 * What the snapshot of a marker M does not see was not committed by then, but
 * may have been written long before.  So a reader looks for an earlier marker P
 * at which no transaction that M does not see had begun: P's xmax is not above
 * M's xmin.  Then all that M does not see was written after P.
 *
 * The clock.  When markers lie in the future, somebody has set it back: times
 * come twice, and pieces are not in the order of times.  Then all windows begin
 * anew.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "engine/engine_internal.h"
#include "executor/tuptable.h"
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

/* Transactions in progress that are told apart. */
#define MAX_WRITERS		1000000

static Snapshot take_snapshot(int64 *number, TransactionId *next,
							  TimestampTz *now);
static bool is_same(const EngineMarking *marking, int64 number,
					Snapshot snapshot);
static void note_writers(EngineMarking *marking, int64 number,
						 TransactionId next, Snapshot snapshot);
static void insert_marker(TimestampTz now, TimestampTz seen_at);
static void begin_anew(TimestampTz now);
static void search_piece(Relation piece, const EngineMarkerSearch *search,
						 EngineMarker *found);
static bool suits(const EngineMarkerSearch *search, Datum snapshot);

/*
 * Take a marker of this moment, and return its time.  "marking" is what this
 * process knows of the last one it took, {0} at first: if nothing has changed
 * since, none is taken, and 0 returned.  NULL: take one in any case.
 */
TimestampTz
engine_mark(EngineMarking *marking)
{
	int64		number;
	TransactionId next;
	TimestampTz now;
	Snapshot	snapshot;
	EngineMarkerSearch newest = {.from = DT_NOEND};
	EngineMarker last;

	PreventCommandIfReadOnly("marking a point of recovery");
	PreventCommandIfParallelMode("marking a point of recovery");

	snapshot = take_snapshot(&number, &next, &now);
	if (marking != NULL && is_same(marking, number, snapshot))
	{
		marking->seen_at = now;
		UnregisterSnapshot(snapshot);
		return 0;
	}
	if (engine_find_marker(&newest, &last))
	{
		if (last.at > now + JOURNAL_SLACK)
			begin_anew(now);
		else
			now = Max(now, last.at + 1);
	}
	PushActiveSnapshot(snapshot);
	insert_marker(now, marking != NULL ? marking->seen_at : 0);
	PopActiveSnapshot();
	if (marking != NULL)
	{
		note_writers(marking, number, next, snapshot);
		marking->seen_at = now;
	}
	UnregisterSnapshot(snapshot);
	return now;
}

/*
 * A snapshot and its time, just after it, so that nothing is in it that was
 * committed later; and before it the last number of the journal, and after that
 * the next xid, which is greater than that of whoever has drawn the number.  A
 * process that was stopped in between takes another one.
 */
static Snapshot
take_snapshot(int64 *number, TransactionId *next, TimestampTz *now)
{
	for (;;)
	{
		Snapshot	snapshot;
		TimestampTz before;

		CHECK_FOR_INTERRUPTS();
		*number = schema_last_entry();
		*next = ReadNextTransactionId();
		before = GetCurrentTimestamp();
		snapshot = RegisterSnapshot(GetLatestSnapshot());
		*now = GetCurrentTimestamp();
		if (*now - before < MARK_SLACK)
			return snapshot;
		UnregisterSnapshot(snapshot);
	}
}

/*
 * Has nothing that the journal knows of been committed since?
 */
static bool
is_same(const EngineMarking *marking, int64 number, Snapshot snapshot)
{
	if (!marking->taken || number != marking->number)
		return false;
	for (int i = 0; i < marking->nwriters; i++)
	{
		if (!XidInMVCCSnapshot(marking->writers[i], snapshot))
			return false;
	}
	return true;
}

/*
 * Keep those in progress that may have written up to that number.  A snapshot
 * lists those below its xmax only; all from there on are in progress.  If these
 * are too many to keep, the next marker is taken whatever happens.
 */
static void
note_writers(EngineMarking *marking, int64 number, TransactionId next,
			 Snapshot snapshot)
{
	TransactionId xid = snapshot->xmax;
	int32		nlater = Max((int32) (next - xid), 0);
	int			n = 0;

	if (marking->taken && number == marking->number)
	{
		for (int i = 0; i < marking->nwriters; i++)
		{
			if (XidInMVCCSnapshot(marking->writers[i], snapshot))
				marking->writers[n++] = marking->writers[i];
		}
		marking->nwriters = n;
		return;
	}
	if (marking->writers != NULL)
		pfree(marking->writers);
	marking->writers = NULL;
	marking->taken = nlater <= MAX_WRITERS;
	if (!marking->taken)
		return;
	marking->writers = MemoryContextAlloc(TopMemoryContext,
										  sizeof(TransactionId) *
										  (snapshot->xcnt + nlater + 1));
	memcpy(marking->writers, snapshot->xip,
		   sizeof(TransactionId) * snapshot->xcnt);
	n = snapshot->xcnt;
	for (; nlater > 0 && xid != next; n++)
	{
		marking->writers[n] = xid;
		TransactionIdAdvance(xid);
	}
	marking->nwriters = n;
	marking->number = number;
}

/*
 * Of the active snapshot.
 */
static void
insert_marker(TimestampTz now, TimestampTz seen_at)
{
	Datum		values[JOURNAL_NATTS] = {0};
	bool		nulls[JOURNAL_NATTS] = {false};

	values[JOURNAL_SNAPSHOT - 1] =
		OidFunctionCall0(F_PG_CURRENT_SNAPSHOT);
	values[JOURNAL_RECOVERY - 1] = Int32GetDatum(0);
	values[JOURNAL_HASH - 1] = Int32GetDatum(0);
	values[JOURNAL_NUMBER - 1] = Int64GetDatum(now);
	values[JOURNAL_AT - 1] = TimestampTzGetDatum(now);
	values[JOURNAL_XID - 1] =
		FullTransactionIdGetDatum(GetTopFullTransactionId());
	nulls[JOURNAL_KEYS - 1] = nulls[JOURNAL_OLD - 1] = true;
	values[JOURNAL_SEEN - 1] = TimestampTzGetDatum(seen_at);
	nulls[JOURNAL_SEEN - 1] = seen_at == 0;
	engine_ring_insert(&engine_journal_ring, now, values, nulls);
}

/*
 * The clock was set back.
 */
static void
begin_anew(TimestampTz now)
{
	ListCell   *lc;

	if (!schema_lock_windows())
		return;					/* with the next marker */
	foreach(lc, schema_list_recoveries())
	{
		const RecoveryDef *recovery = lfirst(lc);
		SchemaWindow window;

		if (schema_find_window(recovery->id, &window))
			schema_begin_window(recovery->id, now, GetTopFullTransactionId());
	}
	ereport(LOG,
			(errmsg("the clock was set back: point-in-time recovery of all tables begins anew")));
}

/*
 * The first marker that is searched for: see engine.h.  Markers are seen as of
 * the active snapshot.  What is found lies in the current context.
 */
bool
engine_find_marker(const EngineMarkerSearch *search, EngineMarker *marker)
{
	EngineMarkerSearch rest = *search;

	marker->at = 0;
	for (int n = 0; n < engine_journal_ring.npieces; n++)
	{
		Relation	piece = engine_ring_open(&engine_journal_ring, n,
											 AccessShareLock);
		EngineMarker found = {0};

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
search_piece(Relation piece, const EngineMarkerSearch *search,
			 EngineMarker *found)
{
	Relation	index = engine_ring_index(&engine_journal_ring, piece);
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
		Datum		snapshot = slot_getattr(slot, JOURNAL_SNAPSHOT, &isnull);
		Datum		seen_at;

		CHECK_FOR_INTERRUPTS();
		if (isnull || !suits(search, snapshot))
			continue;
		found->at = DatumGetTimestampTz(slot_getattr(slot, JOURNAL_AT,
													 &isnull));
		found->snapshot = PointerGetDatum(PG_DETOAST_DATUM_COPY(snapshot));
		seen_at = slot_getattr(slot, JOURNAL_SEEN, &isnull);
		found->seen_at = isnull ? 0 : DatumGetTimestampTz(seen_at);
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
}

static bool
suits(const EngineMarkerSearch *search, Datum snapshot)
{
	if (FullTransactionIdIsValid(search->sees) &&
		!DatumGetBool(DirectFunctionCall2(pg_visible_in_snapshot,
										  FullTransactionIdGetDatum(search->sees),
										  snapshot)))
		return false;
	if (FullTransactionIdIsValid(search->xmin) &&
		FullTransactionIdPrecedes(engine_marker_xmin(snapshot), search->xmin))
		return false;
	return !FullTransactionIdIsValid(search->xmax) ||
		!FullTransactionIdPrecedes(search->xmax, engine_marker_xmax(snapshot));
}

/*
 * All transactions before this one had ended; no transaction from that one on
 * had begun.
 */
FullTransactionId
engine_marker_xmin(Datum snapshot)
{
	return DatumGetFullTransactionId(DirectFunctionCall1(pg_snapshot_xmin,
														 snapshot));
}

FullTransactionId
engine_marker_xmax(Datum snapshot)
{
	return DatumGetFullTransactionId(DirectFunctionCall1(pg_snapshot_xmax,
														 snapshot));
}
