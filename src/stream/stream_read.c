/*-------------------------------------------------------------------------
 *
 * stream_read.c
 *	  Stream records: reading them.
 *
 * The horizon is a number up to which everything is decided: each record of
 * the stream with such a number is committed or rolled back.  It is found in
 * this order:
 *
 *	1	H, the last number drawn from the sequence;
 *	2	the claims of writers (stream_claim.c): m, the least "my numbers
 *		are greater than" of this stream; the horizon is the lesser of H and m;
 *	3	a new snapshot, whatever the isolation level.
 *
 * A number that is not above H was drawn before step 1, so its transaction had
 * made its claim by then.  If the claim is still there in step 2, m is below
 * the number.  If it is not, the snapshot of step 3 sees the transaction's
 * outcome, since a claim ends after a transaction has become visible.  The
 * order must be this one.  Otherwise a commit could slip through between two
 * steps.
 *
 * A reader hands out records up to the horizon and continues from there.  So
 * it neither skips late commits nor sees them twice.  It waits for no writer,
 * and does not see what its own transaction has written.  The price: all
 * records wait for the longest transaction that writes to their stream.
 *
 * A transaction that commits asynchronously is visible before it is durable.
 * So the log is flushed up to a record's commit before the record is handed
 * out.  Otherwise a crash could take back what a consumer was told.  It is
 * also flushed up to H.  Otherwise a number that a crash took back would be
 * drawn again, for a record that a reader has passed.
 *
 * A time is found among the numbers by halving them.  Numbers are not quite in
 * the order of times, but of two records the one with the greater number is at
 * most STREAM_SLACK older (stream_append.c).  So a record that is more than
 * STREAM_SLACK older than the time looked for proves that all before it are too
 * old.  The greatest such record is found in 48 steps at most, one for each bit
 * of a number.  Every record behind it is at most 2 * STREAM_SLACK older than
 * the time, and they are looked at one by one.  A clock that was set back by
 * more than STREAM_SLACK makes the proof wrong: records written before that, at
 * times that came twice, may be passed over.
 *
 * Records of a shard are in one index order in each piece of the ring.  A
 * reader merges the pieces, and the shards if it wants them all.
 *
 * A standby knows no claims of the primary's writers; reading is refused there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xlog.h"
#include "base/base_request.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "stream/stream_internal.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* Records of one shard in one piece. */
typedef struct Run
{
	IndexScanDesc scan;
	TupleTableSlot *slot;		/* the next record */
	int64		number;			/* its number */
} Run;

struct StreamReader
{
	const StreamDef *stream;
	int			first;			/* the shards to be read */
	int			last;
	int64		horizon;
	int64		position;
	Snapshot	snapshot;		/* registered; NULL: nothing to be read */
	Relation	pieces[STREAM_PIECES];	/* NULL: not opened */
	Relation	indexes[STREAM_PIECES];
	Run		   *runs;			/* those not exhausted */
	int			nruns;
	Run		   *current;		/* the run of "record" */
	MemoryContext home;			/* where the reader is, and its scans */
	MemoryContext context;		/* holds "record" */
	StreamRecord record;
};

static void set_position(StreamReader *reader, int64 after);
static void open_piece(StreamReader *reader, int n);
static void open_runs(StreamReader *reader, int64 after);
static void open_run(StreamReader *reader, int n, int shard,
					 int64 after);
static void go_on(StreamReader *reader);
static bool advance(Run *run);
static void close_runs(StreamReader *reader);
static void close_run(Run *run);
static Run *least_run(StreamReader *reader);
static int64 surely_before(StreamReader *reader, TimestampTz when);
static TimestampTz time_of(Run *run);
static void read_record(StreamReader *reader, TupleTableSlot *slot);
static const Item *item_column(TupleTableSlot *slot, int column);
static void flush_commit(TupleTableSlot *slot);
static void refuse_in_recovery(void);

int64
stream_horizon(const StreamDef *stream)
{
	int64		last;
	int64		least;
	int			pid;

	refuse_in_recovery();

	/* The order matters: see above. */
	last = stream_last_number(false);
	stream_claim_reach(stream, last);
	least = stream_least_claim(stream, &pid);
	return Min(last, least);
}

/*
 * How far readers are behind, and the oldest writer, if one holds them back.
 * False, with all zero: not known on a standby.
 */
bool
stream_lag(const StreamDef *stream, StreamLag *lag)
{
	PGPROC	   *proc;
	int64		least;

	memset(lag, 0, sizeof(*lag));
	if (RecoveryInProgress())
		return false;
	lag->last = stream_last_number(false);
	least = stream_least_claim(stream, &lag->pid);
	lag->horizon = Min(lag->last, least);
	proc = lag->pid != 0 ? BackendPidGetProc(lag->pid) : NULL;
	if (proc != NULL)
		lag->xid = proc->xid;
	return true;
}

/*
 * The last number that was drawn, durable: no record there is has a greater one.
 */
int64
stream_last(void)
{
	return stream_last_number(false);
}

int64
stream_trimmed(const StreamDef *stream)
{
	return stream_row_trimmed(stream);
}

/*
 * Begin to read after number "after", STREAM_OLDEST: with the oldest
 * record there is.  Raises TrimmedDataAccessException if records after that
 * number are gone, even if only since the caller looked.  The reader
 * lives in the current context, its relations and snapshot with the current
 * resource owner.
 */
StreamReader *
stream_begin(const StreamDef *stream, int shard, int64 after)
{
	StreamReader *reader = palloc0(sizeof(StreamReader));

	reader->stream = stream;
	reader->first = shard < 0 ? 0 : shard;
	reader->last = shard < 0 ? stream->nshards - 1 : shard;
	reader->home = CurrentMemoryContext;
	reader->horizon = stream_horizon(stream);
	set_position(reader, after);
	if (reader->horizon <= reader->position)
		return reader;

	/*
	 * After the horizon: otherwise records below it could be missing; the
	 * latest in every isolation level: with an older one we would pass
	 * commits unseen.
	 */
	reader->snapshot = RegisterSnapshot(GetLatestSnapshot());
	reader->context = AllocSetContextCreate(CurrentMemoryContext,
											"dynamo stream record",
											ALLOCSET_DEFAULT_SIZES);
	reader->runs = palloc(sizeof(Run) * STREAM_PIECES *
						  (reader->last - reader->first + 1));
	for (int n = 0; n < STREAM_PIECES; n++)
		open_piece(reader, n);

	/* No piece can be truncated now, but one may have been just before. */
	set_position(reader, after);
	open_runs(reader, reader->position);
	return reader;
}

/*
 * What has been trimmed lies behind the reader.
 */
static void
set_position(StreamReader *reader, int64 after)
{
	const StreamDef *stream = reader->stream;
	int64		trimmed = stream_trimmed(stream);

	if (after != STREAM_OLDEST && after < trimmed &&
		trimmed > stream->start_number)
		dynamo_error(DYNAMO_TRIMMED_DATA_ACCESS, DYNAMO_TRIMMED);

	/* A position never goes back.  Otherwise records would be seen again. */
	reader->position = Max(after, trimmed);
	reader->horizon = Max(reader->horizon, reader->position);
}

/*
 * The next record, NULL at the horizon.
 */
const StreamRecord *
stream_next(StreamReader *reader)
{
	Run		   *run;

	CHECK_FOR_INTERRUPTS();
	go_on(reader);
	run = least_run(reader);
	if (run == NULL)
	{
		reader->position = reader->horizon;
		return NULL;
	}
	flush_commit(run->slot);
	read_record(reader, run->slot);
	reader->current = run;
	reader->position = run->number;
	return &reader->record;
}

int64
stream_position(const StreamReader *reader)
{
	return reader->position;
}

/*
 * Releases the locks, too.  Otherwise trimming the ring would wait for the end
 * of our transaction.
 */
void
stream_end(StreamReader *reader)
{
	close_runs(reader);
	for (int n = 0; n < STREAM_PIECES; n++)
	{
		if (reader->pieces[n] == NULL)
			continue;
		index_close(reader->indexes[n], AccessShareLock);
		table_close(reader->pieces[n], AccessShareLock);
	}
	if (reader->snapshot != NULL)
		UnregisterSnapshot(reader->snapshot);
	if (reader->context != NULL)
		MemoryContextDelete(reader->context);
	pfree(reader);
}

static void
open_piece(StreamReader *reader, int n)
{
	Relation	piece = meta_ring_open(&stream_ring, n, AccessShareLock);

	if (RelationGetNumberOfBlocks(piece) == 0)
	{
		table_close(piece, AccessShareLock);
		return;
	}
	reader->pieces[n] = piece;
	reader->indexes[n] = meta_ring_index(&stream_ring, piece);
}

/*
 * Read on behind "after" in every piece.
 */
static void
open_runs(StreamReader *reader, int64 after)
{
	close_runs(reader);
	for (int n = 0; n < STREAM_PIECES; n++)
	{
		for (int i = reader->first;
			 i <= reader->last && reader->pieces[n] != NULL; i++)
			open_run(reader, n, i, after);
	}
}

static void
open_run(StreamReader *reader, int n, int shard, int64 after)
{
	Run		   *run = &reader->runs[reader->nruns];
	ScanKeyData keys[4];

	ScanKeyInit(&keys[0], STREAM_INDEX_ID, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(reader->stream->id));
	ScanKeyInit(&keys[1], STREAM_INDEX_SHARD, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(shard));
	ScanKeyInit(&keys[2], STREAM_INDEX_NUMBER, BTGreaterStrategyNumber,
				F_INT8GT, Int64GetDatum(after));
	ScanKeyInit(&keys[3], STREAM_INDEX_NUMBER, BTLessEqualStrategyNumber,
				F_INT8LE, Int64GetDatum(reader->horizon));
	run->slot = table_slot_create(reader->pieces[n], NULL);
	run->scan = compat_index_beginscan(reader->pieces[n], reader->indexes[n],
									   reader->snapshot, lengthof(keys));
	index_rescan(run->scan, keys, lengthof(keys), NULL, 0);
	if (advance(run))
		reader->nruns++;
	else
		close_run(run);
}

/*
 * Leave the record handed out.  A scan may allocate what it keeps, so it may
 * not be called in a context that the caller resets between two records.
 */
static void
go_on(StreamReader *reader)
{
	MemoryContext caller = MemoryContextSwitchTo(reader->home);

	if (reader->current != NULL && !advance(reader->current))
	{
		close_run(reader->current);
		*reader->current = reader->runs[--reader->nruns];
	}
	reader->current = NULL;
	MemoryContextSwitchTo(caller);
}

/* Go on to the next record of a run; false: it has no more. */
static bool
advance(Run *run)
{
	bool		isnull;

	if (!index_getnext_slot(run->scan, ForwardScanDirection, run->slot))
		return false;
	run->number = DatumGetInt64(slot_getattr(run->slot, STREAM_NUMBER,
											 &isnull));
	return true;
}

static void
close_runs(StreamReader *reader)
{
	while (reader->nruns > 0)
		close_run(&reader->runs[--reader->nruns]);
	reader->current = NULL;
}

static void
close_run(Run *run)
{
	index_endscan(run->scan);
	ExecDropSingleTupleTableSlot(run->slot);
}

/*
 * The run whose record comes next.  Few runs have anything: mostly the piece
 * of the present, and that of the hours before.
 */
static Run *
least_run(StreamReader *reader)
{
	Run		   *least = NULL;

	for (int i = 0; i < reader->nruns; i++)
	{
		if (least == NULL || reader->runs[i].number < least->number)
			least = &reader->runs[i];
	}
	return least;
}

int64
stream_before(const StreamDef *stream, int shard, TimestampTz when)
{
	StreamReader *reader = stream_begin(stream, shard,
										STREAM_OLDEST);
	int64		before = surely_before(reader, when);
	Run		   *run;

	open_runs(reader, before);
	while ((run = least_run(reader)) != NULL && time_of(run) < when)
	{
		CHECK_FOR_INTERRUPTS();
		before = run->number;
		reader->current = run;
		go_on(reader);
	}
	if (run == NULL)
		before = reader->horizon;
	stream_end(reader);
	return before;
}

/*
 * The number of the last record that is old enough to prove all before it too
 * old; if there is none, where the reader began.
 */
static int64
surely_before(StreamReader *reader, TimestampTz when)
{
	int64		low = reader->position; /* too old, all up to here */
	int64		high = reader->horizon; /* the first record behind proves
										 * nothing */

	while (low < high)
	{
		int64		middle = low + (high - low) / 2;
		Run		   *run;

		CHECK_FOR_INTERRUPTS();
		open_runs(reader, middle);
		run = least_run(reader);
		if (run != NULL && time_of(run) + STREAM_SLACK < when)
			low = run->number;
		else
			high = middle;
	}
	return low;
}

static TimestampTz
time_of(Run *run)
{
	bool		isnull;

	return DatumGetTimestampTz(slot_getattr(run->slot, STREAM_CREATED,
											&isnull));
}

static void
read_record(StreamReader *reader, TupleTableSlot *slot)
{
	StreamRecord *record = &reader->record;
	MemoryContext caller;
	bool		isnull;

	MemoryContextReset(reader->context);
	caller = MemoryContextSwitchTo(reader->context);
	record->number = DatumGetInt64(slot_getattr(slot, STREAM_NUMBER, &isnull));
	record->shard = DatumGetInt32(slot_getattr(slot, STREAM_SHARD, &isnull));
	record->created_at = DatumGetTimestampTz(slot_getattr(slot, STREAM_CREATED,
														  &isnull));
	record->event = DatumGetChar(slot_getattr(slot, STREAM_EVENT, &isnull));
	record->service = DatumGetBool(slot_getattr(slot, STREAM_SERVICE,
												&isnull));
	record->old_image = item_column(slot, STREAM_OLD);
	record->new_image = item_column(slot, STREAM_NEW);
	record->keys = item_column(slot, STREAM_KEYS);
	if (record->keys == NULL)
		record->keys = stream_keys(reader->stream,
								   record->new_image ?
								   record->new_image :
								   record->old_image);
	MemoryContextSwitchTo(caller);
}

/* An item that may lie in the slot, which stays as it is until the next call. */
static const Item *
item_column(TupleTableSlot *slot, int column)
{
	bool		isnull;
	Datum		datum = slot_getattr(slot, column, &isnull);

	return isnull ? NULL : DatumGetItemP(datum);
}

/*
 * Make sure that the record's transaction is durable.  Otherwise a crash could
 * take back what a consumer was told.  For most transactions nothing is known:
 * they were flushed when they committed.
 */
static void
flush_commit(TupleTableSlot *slot)
{
	HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, NULL);
	TransactionId xmin = HeapTupleHeaderGetXmin(tuple->t_data);
	XLogRecPtr	commit = TransactionIdGetCommitLSN(xmin);

	if (XLogRecPtrIsInvalid(commit))
		return;
	XLogFlush(commit);
	dynamo_answer_asks(commit);
}

static void
refuse_in_recovery(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("recovery is in progress"),
				 errdetail("Streams cannot be read during recovery.")));
}
