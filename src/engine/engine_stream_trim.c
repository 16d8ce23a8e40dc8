/*-------------------------------------------------------------------------
 *
 * engine_stream_trim.c
 *	  Stream records: throwing away what is older than 24 hours.
 *
 * Seven pieces of the ring hold the present period and the six before it, 24
 * to 28 hours.  The eighth held the period before these and is the next to be
 * used; while the present period lasts, four hours, it can be truncated at any
 * time.  Nobody writes to it and nobody should be reading it; whoever has it
 * locked nevertheless (a transaction that is older than a day, prepared
 * perhaps) is not waited for, and trimming is tried again.
 *
 * If it was not truncated in time, the piece takes new records beside the old
 * ones, and all of them go when its turn comes again.
 *
 * Of each stream that loses records the greatest number lost is noted, or
 * else a consumer that was away too long would not learn that it has missed
 * something, or one whose stream was quiet would be told that it has.  These
 * numbers are read off the index without reading the records: the greatest
 * number of each stream and shard.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* A record's place in the index of its piece. */
typedef struct Place
{
	int32		stream;
	int16		shard;
	int64		number;
} Place;

/* What to look for: everything, a stream's smaller shards, smaller streams. */
typedef enum Search
{
	SEARCH_ALL,
	SEARCH_SHARDS,
	SEARCH_STREAMS
} Search;

static bool trim_piece(Oid piece);
static bool is_empty(Oid piece);
static void note_trimmed(Relation piece, Relation index);
static bool find_last(Relation piece, Relation index, Snapshot snapshot,
					  Search search, Place *place);

/*
 * Truncate the piece that is free at time "now", and forget streams disabled a
 * day before.  Returns how many pieces were truncated.
 */
int
engine_stream_trim(TimestampTz now)
{
	StreamRing	ring;
	int			n = engine_stream_piece(now + STREAM_PERIOD);
	int			trimmed = 0;

	PreventCommandIfReadOnly("trimming streams");
	PreventCommandIfParallelMode("trimming streams");
	if (!schema_stream_ring(&ring) || !schema_lock_streams())
		return 0;
	if (trim_piece(ring.pieces[n]))
		trimmed++;
	schema_forget_streams(now - STREAM_RETENTION);
	return trimmed;
}

static bool
trim_piece(Oid piece)
{
	Relation	rel;
	Relation	index;
	bool		trim;

	/* Mostly it has been done: then readers are not to be stopped. */
	if (is_empty(piece) ||
		!ConditionalLockRelationOid(piece, AccessExclusiveLock))
		return false;
	rel = table_open(piece, NoLock);

	/* A query of this session may be at it: TRUNCATE would refuse. */
	trim = rel->rd_refcnt == 1 && RelationGetNumberOfBlocks(rel) > 0;
	if (trim)
	{
		index = engine_stream_index(rel);
		note_trimmed(rel, index);
		index_close(index, NoLock);
	}
	table_close(rel, NoLock);
	if (trim)
		schema_truncate(piece);
	return trim;
}

static bool
is_empty(Oid piece)
{
	Relation	rel;
	bool		empty;

	if (!ConditionalLockRelationOid(piece, AccessShareLock))
		return false;
	rel = table_open(piece, NoLock);
	empty = RelationGetNumberOfBlocks(rel) == 0;
	table_close(rel, AccessShareLock);
	return empty;
}

/*
 * Go down the index from stream to stream and shard to shard.
 */
static void
note_trimmed(Relation piece, Relation index)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	Place		place;
	bool		found = find_last(piece, index, snapshot, SEARCH_ALL, &place);

	while (found)
	{
		int32		stream = place.stream;
		int64		greatest = place.number;

		while (find_last(piece, index, snapshot, SEARCH_SHARDS, &place))
			greatest = Max(greatest, place.number);
		schema_set_trimmed(stream, greatest);
		found = find_last(piece, index, snapshot, SEARCH_STREAMS, &place);
	}
	UnregisterSnapshot(snapshot);
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
					F_INT2LT, Int16GetDatum(place->shard));
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
		place->shard = DatumGetInt16(slot_getattr(slot, STREAM_SHARD,
												  &isnull));
		place->number = DatumGetInt64(slot_getattr(slot, STREAM_NUMBER,
												   &isnull));
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return found;
}
