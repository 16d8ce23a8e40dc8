/*-------------------------------------------------------------------------
 *
 * stream_trim.c
 *	  Stream records: deleting what is older than 24 hours.
 *
 * Seven pieces of the ring hold the present period and the six before it, 24
 * to 28 hours.  The eighth held the period before these and is the next to be
 * used; while the present period lasts, four hours, it can be truncated at any
 * time.  Nobody writes to it, and nobody should be reading it.  If somebody
 * has it locked all the same (a transaction older than a day, perhaps a
 * prepared one), we do not wait, and trimming is tried again.
 *
 * If it was not truncated in time, the piece takes new records beside the old
 * ones, and all of them go when its turn comes again.
 *
 * For each stream that loses records the greatest lost number is kept.
 * Otherwise a consumer that was away too long would not learn that it missed
 * something, or one whose stream was quiet would hear that it did.  These
 * numbers come from the index, without reading the records: the greatest
 * number of each stream and shard.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "stream/stream_internal.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* A record's place in the index of its piece. */
typedef struct Place
{
	int32		stream;
	int32		shard;
	int64		number;
	TimestampTz created_at;
} Place;

/* What to look for: everything, a stream's smaller shards, smaller streams. */
typedef enum Search
{
	SEARCH_ALL,
	SEARCH_SHARDS,
	SEARCH_STREAMS
} Search;

static bool may_go(int n, Relation piece, TimestampTz now);
static void note_trimmed(Relation piece);
static void each_stream(Relation piece,
						void (*each) (const Place *place, void *arg),
						void *arg);
static void find_youngest(const Place *place, void *youngest);
static void set_trimmed(const Place *place, void *unused);
static bool find_last(Relation piece, Relation index, Snapshot snapshot,
					  Search search, Place *place);

/*
 * Truncate the piece that is free at time "now", forget streams disabled a day
 * before, and shards whose records are trimmed.  Returns how many pieces were
 * truncated.
 */
int
stream_trim(TimestampTz now)
{
	int			n = meta_ring_piece(&stream_ring, now + STREAM_PERIOD);
	MetaTrim	trim = {.may_go = may_go, .note = note_trimmed};
	int			trimmed = 0;

	PreventCommandIfReadOnly("trimming streams");
	PreventCommandIfParallelMode("trimming streams");
	if (!stream_lock_all())
		return 0;
	trim.ahead = now - GetCurrentTimestamp();
	if (meta_ring_trim(&stream_ring, n, &trim))
		trimmed++;
	stream_forget(now - STREAM_RETENTION, now - STREAM_SHARDS_KEPT);
	return trimmed;
}

/*
 * Is it still, or again, the free one, without a record of the last 24 hours?
 * If the clock was set back, the records in it may be young.
 */
static bool
may_go(int n, Relation piece, TimestampTz now)
{
	TimestampTz youngest = DT_NOBEGIN;

	if (n != meta_ring_piece(&stream_ring, now + STREAM_PERIOD))
		return false;
	each_stream(piece, find_youngest, &youngest);
	return youngest < now - STREAM_RETENTION;
}

static void
find_youngest(const Place *place, void *youngest)
{
	TimestampTz *latest = youngest;

	*latest = Max(*latest, place->created_at);
}

static void
note_trimmed(Relation piece)
{
	each_stream(piece, set_trimmed, NULL);
}

static void
set_trimmed(const Place *place, void *unused)
{
	stream_row_set_trimmed(place->stream, place->number);
}

/*
 * Go down the index from stream to stream and shard to shard, for the greatest
 * number of a stream and the latest time that goes with the last of a shard.
 */
static void
each_stream(Relation piece, void (*each) (const Place *place, void *arg),
			void *arg)
{
	Relation	index = meta_ring_index(&stream_ring, piece);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	Place		place;
	bool		found = find_last(piece, index, snapshot, SEARCH_ALL, &place);

	while (found)
	{
		Place		greatest = place;

		while (find_last(piece, index, snapshot, SEARCH_SHARDS, &place))
		{
			greatest.number = Max(greatest.number, place.number);
			greatest.created_at = Max(greatest.created_at, place.created_at);
		}
		each(&greatest, arg);
		place.stream = greatest.stream;
		found = find_last(piece, index, snapshot, SEARCH_STREAMS, &place);
	}
	UnregisterSnapshot(snapshot);
	index_close(index, NoLock);
}

/*
 * The last record in the order of the index of those searched for; "place" is
 * where the search before has led to.
 */
static bool
find_last(Relation piece, Relation index, Snapshot snapshot, Search search,
		  Place *place)
{
	ScanKeyData keys[2];
	int			nkeys = 0;
	TupleTableSlot *slot = table_slot_create(piece, NULL);
	IndexScanDesc scan;
	bool		found;
	bool		isnull;

	CHECK_FOR_INTERRUPTS();
	if (search == SEARCH_SHARDS)
	{
		ScanKeyInit(&keys[nkeys++], STREAM_INDEX_ID, BTEqualStrategyNumber,
					F_INT4EQ, Int32GetDatum(place->stream));
		ScanKeyInit(&keys[nkeys++], STREAM_INDEX_SHARD, BTLessStrategyNumber,
					F_INT4LT, Int32GetDatum(place->shard));
	}
	else if (search == SEARCH_STREAMS)
		ScanKeyInit(&keys[nkeys++], STREAM_INDEX_ID, BTLessStrategyNumber,
					F_INT4LT, Int32GetDatum(place->stream));

	scan = compat_index_beginscan(piece, index, snapshot, nkeys);
	index_rescan(scan, keys, nkeys, NULL, 0);
	found = index_getnext_slot(scan, BackwardScanDirection, slot);
	if (found)
	{
		place->stream = DatumGetInt32(slot_getattr(slot, STREAM_ID, &isnull));
		place->shard = DatumGetInt32(slot_getattr(slot, STREAM_SHARD,
												  &isnull));
		place->number = DatumGetInt64(slot_getattr(slot, STREAM_NUMBER,
												   &isnull));
		place->created_at =
			DatumGetTimestampTz(slot_getattr(slot, STREAM_CREATED, &isnull));
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return found;
}
