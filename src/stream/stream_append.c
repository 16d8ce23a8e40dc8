/*-------------------------------------------------------------------------
 *
 * stream_append.c
 *	  Stream records: writing them.
 *
 * A change of an item of a table with a stream appends a record in the same
 * transaction, so record and change are seen together or not at all.
 *
 * The ring.  All streams of a database write into one ring of eight tables
 * (meta_ring.c).  A piece takes the records of four hours, then the next one
 * does; what is older than 24 hours fills at most one piece, which is truncated
 * before it is used again (stream_trim.c).
 *
 * The order.  A record's number is drawn from a sequence while the changed row
 * is locked.  Otherwise two changes of one item could be numbered in the wrong
 * order.  Among items, numbers say nothing about which commits first.
 *
 * A record's time is read just before its number is drawn, STREAM_SLACK before
 * at most; if a process was stopped in between, it draws another number.  So
 * numbers are in the order of times but for STREAM_SLACK, as long as the clock
 * is not set back: let m < n, then m was drawn first, and
 *
 *		time(m) <= draw(m) < draw(n) <= time(n) + STREAM_SLACK
 *
 * By this a reader finds a time among the numbers (stream_read.c).
 *
 * Late commits.  A reader must not pass a number whose transaction is still in
 * progress.  Otherwise it would never see that record.  So a transaction
 * claims its numbers of a stream before it draws the first one
 * (stream_claim.c).
 *
 * Order of locks: the row is locked already; then the sequence, the piece and
 * its index, with locks on which writers do not conflict.  We wait for one
 * only while a piece is being truncated.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_extension.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "stream/stream_internal.h"
#include "utils/timestamp.h"

static const DynamoColumn record_columns[] = {
	{INT8OID, true}, {TIMESTAMPTZOID, true}, {INT4OID, true},
	{INT4OID, true}, {CHAROID, true}, {BOOLOID, true},
	{InvalidOid}, {InvalidOid}, {InvalidOid}
};

StaticAssertDecl(lengthof(record_columns) == STREAM_NATTS,
				 "each column has its type");

/* The ring. */
#define PIECE(n)	\
	DYNAMO_INTERNAL_TABLE("stream_records_" #n, record_columns)

static DynamoMember pieces[] = {
	PIECE(0), PIECE(1), PIECE(2), PIECE(3),
	PIECE(4), PIECE(5), PIECE(6), PIECE(7)
};

StaticAssertDecl(lengthof(pieces) == STREAM_PIECES,
				 "the ring has all its pieces");

const MetaRing stream_ring = {
	.npieces = lengthof(pieces),
	.pieces = pieces,
	.period = STREAM_PERIOD,
	.order = {3, {STREAM_ID, STREAM_SHARD, STREAM_NUMBER}},
	.columns = "stream, shard, number"
};

static int64 draw_number(TimestampTz *now);
static void refuse_number(const StreamDef *stream);
static Datum image(const Item *item, bool wanted, bool *isnull);

/*
 * Append the record of one change of a table with a stream: "old_item" is NULL
 * for an insertion, "new_item" for a removal.  The caller has the row locked
 * and is about to increment the command counter.
 */
void
stream_append(const TableDef *def, int shard,
			  const Item *old_item, const Item *new_item, bool service)
{
	const StreamDef *stream = def->stream;
	TimestampTz now;
	Datum		values[STREAM_NATTS];
	bool		nulls[STREAM_NATTS] = {false};
	int64		number;

	stream_claim(stream);
	number = draw_number(&now);
	if (number <= stream->start_number)
		refuse_number(stream);

	values[STREAM_NUMBER - 1] = Int64GetDatum(number);
	values[STREAM_CREATED - 1] = TimestampTzGetDatum(now);
	values[STREAM_ID - 1] = Int32GetDatum(stream->id);
	values[STREAM_SHARD - 1] = Int32GetDatum(shard);
	values[STREAM_EVENT - 1] = CharGetDatum(old_item == NULL ? 'I' :
											(new_item == NULL ? 'R' : 'M'));
	values[STREAM_SERVICE - 1] = BoolGetDatum(service);
	values[STREAM_OLD - 1] = image(old_item,
								   stream->view == 'O' || stream->view == 'B',
								   &nulls[STREAM_OLD - 1]);
	values[STREAM_NEW - 1] = image(new_item,
								   stream->view == 'N' || stream->view == 'B',
								   &nulls[STREAM_NEW - 1]);
	nulls[STREAM_KEYS - 1] = !nulls[STREAM_OLD - 1] || !nulls[STREAM_NEW - 1];
	values[STREAM_KEYS - 1] = nulls[STREAM_KEYS - 1] ? (Datum) 0 :
		PointerGetDatum(stream_keys(stream,
									new_item ? new_item : old_item));
	meta_ring_insert(&stream_ring, now, values, nulls);
	stats_stream_recorded(def->stats);
}

/*
 * The stream has been restored without the sequence.  No reader would ever
 * look at the record.
 */
static void
refuse_number(const StreamDef *stream)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("sequence \"%s\" is behind the stream of table \"%s\"",
					"dynamo_internal.stream_sequence", stream->table_name),
			 errhint("Set it to a number above " INT64_FORMAT ", or disable the stream.",
					 stream->start_number)));
}

/*
 * The number of a record, and its time.  Otherwise a reader that looks for a
 * time could skip records: see above.
 */
static int64
draw_number(TimestampTz *now)
{
	int64		number;

	do
	{
		CHECK_FOR_INTERRUPTS();
		*now = GetCurrentTimestamp();
		number = stream_draw_number();
	} while (GetCurrentTimestamp() - *now > STREAM_SLACK);
	return number;
}

/*
 * The shard of an item of a table that is not distributed: hashes are dealt out
 * in equal ranges.
 */
int
stream_shard_of(const StreamDef *stream, const ItemPartitionKey *key)
{
	uint64		high = item_partition_key_hash(key) >> 32;

	return (int) ((high * stream->nshards) >> 32);
}

/*
 * The key of an item.
 */
Item *
stream_keys(const StreamDef *stream, const Item *item)
{
	TableDef	def = {0};

	def.hash = stream->hash;
	def.range = stream->range;
	return key_as_item(&def, NULL, item);
}

static Datum
image(const Item *item, bool wanted, bool *isnull)
{
	*isnull = item == NULL || !wanted;
	return *isnull ? (Datum) 0 : PointerGetDatum(item);
}
