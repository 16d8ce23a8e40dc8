/*-------------------------------------------------------------------------
 *
 * stream_records.c
 *	  GetShardIterator, GetRecords.
 *
 * A reader has no state here: an iterator says where it is.  The engine's
 * reader says how far it may read without missing what commits late.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/base_budget.h"
#include "miscadmin.h"
#include "stream/stream_internal.h"
#include "utils/timestamp.h"

#define MAX_RECORDS			1000
#define MAX_BYTES			(1024 * 1024)

/* How long an iterator is good, in milliseconds. */
#define MAX_AGE				(15 * 60 * 1000)

/* Values of ShardIteratorType, in the order of the choices below. */
enum
{
	AFTER_SEQUENCE_NUMBER = 1,
	LATEST,
	AT_SEQUENCE_NUMBER,
	TRIM_HORIZON,
	AT_TIMESTAMP
};

static void check_place(const StreamIteratorRequest *r);
static int64 place(const StreamDef *stream, int shard,
				   const StreamIteratorRequest *r);

static int64 given_position(const StreamDef *stream, int shard,
							const char *text, bool at);
static void check_policies(const DynamoRequest *request,
						   const StreamDef *stream);
static void check_trimmed(const StreamDef *stream, int64 after);
static bool find_shard(DynamoRequest *request, const StreamDef *stream,
					   const char *shard_id, int *shard);
static bool is_open(const StreamDef *stream, int shard, bool *known);
static void read_position(const StreamDef *stream, int shard,
						  StreamIterator *iterator);
static int64 shard_end(const StreamDef *stream, int shard,
					   const StreamIterator *iterator);
static int64 append_records(DynamoRequest *request, StringInfo out,
							const StreamDef *stream, int shard, int64 after,
							int limit);
static const StreamDef *iterator_stream(const char *text,
										StreamIterator *iterator);

static const char *const iterator_types[] = {
	"AFTER_SEQUENCE_NUMBER", "LATEST", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON",
	"AT_TIMESTAMP", NULL
};
static const WireShape records_limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_RECORDS)
};
static const WireShape iterator_type_shape = {
	.kind = WIRE_STRING, .choices = iterator_types
};
static const WireShape sequence_number_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(STREAM_SEQUENCE_LENGTH, 40)
};
static const WireShape iterator_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_INSIDE, WIRE_BETWEEN(1, 2048)
};

static const WireField iterator_fields[] = {
	WIRE_REQUIRED("StreamArn", stream_arn_shape, StreamIteratorRequest, arn),
	WIRE_REQUIRED("ShardId", stream_shard_id_shape, StreamIteratorRequest, shard_id),
	WIRE_REQUIRED("ShardIteratorType", iterator_type_shape, StreamIteratorRequest, type),
	WIRE_FIELD("SequenceNumber", sequence_number_shape, StreamIteratorRequest, sequence_number),
	WIRE_FIELD("Timestamp", wire_time_shape, StreamIteratorRequest, timestamp),
	WIRE_FIELDS_END
};
const WireShape stream_get_shard_iterator_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(StreamIteratorRequest), .name = "GetShardIteratorInput",
	.fields = iterator_fields
};

static const WireField records_fields[] = {
	WIRE_REQUIRED("ShardIterator", iterator_shape, StreamRecordsRequest, iterator),
	WIRE_FIELD("Limit", records_limit_shape, StreamRecordsRequest, limit),
	WIRE_FIELDS_END
};
const WireShape stream_get_records_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(StreamRecordsRequest), .name = "GetRecordsInput", .fields = records_fields
};

/* Handler of GetShardIterator. */
void
stream_get_shard_iterator(DynamoRequest *request, StringInfo out)
{
	const StreamIteratorRequest *r = request->input;
	const StreamDef *stream;
	int			shard;
	bool		known = true;

	check_place(r);
	stream = stream_named(r->arn, "GetShardIterator");
	stream_check_read(stream, "GetShardIterator");
	if (!find_shard(request, stream, r->shard_id, &shard))
		return;
	if (shard >= 0)
		(void) is_open(stream, shard, &known);
	if (shard < 0 || !known)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 STREAM_NOT_FOUND "Shard does not exist");

	appendStringInfoChar(out, '{');
	wire_string_member(out, "ShardIterator",
					   stream_iterator(stream, r->shard_id, shard,
									   place(stream, shard, r), 0));
	appendStringInfoChar(out, '}');
}

/*
 * Each type of iterator has what it needs, and nothing else.
 */
static void
check_place(const StreamIteratorRequest *r)
{
	bool		numbered = r->type == AT_SEQUENCE_NUMBER ||
		r->type == AFTER_SEQUENCE_NUMBER;

	if (r->sequence_number && !numbered)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "SequenceNumber should not be passed for this iterator type");
	if (numbered && !r->sequence_number)
		dynamo_error(DYNAMO_VALIDATION, DYNAMO_INVALID "Invalid SequenceNumber");
	if (r->timestamp && r->type != AT_TIMESTAMP)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Timestamp should not be passed for this iterator type");
	if (r->type == AT_TIMESTAMP)
	{
		if (!r->timestamp)
			dynamo_error(DYNAMO_VALIDATION, DYNAMO_INVALID "Invalid Timestamp");
		if (wire_given_time(r->timestamp) > GetCurrentTimestamp())
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Timestamp cannot be in the future");
	}
}

/*
 * The position that an iterator is asked for.  Who writes to many streams holds
 * back this one, too, maybe since before it began.
 */
static int64
place(const StreamDef *stream, int shard, const StreamIteratorRequest *r)
{
	switch (r->type)
	{
		case AT_SEQUENCE_NUMBER:
		case AFTER_SEQUENCE_NUMBER:
			return given_position(stream, shard, r->sequence_number,
								  r->type == AT_SEQUENCE_NUMBER);
		case AT_TIMESTAMP:
			return stream_before(stream, shard, wire_given_time(r->timestamp));
		case LATEST:
			return Max(stream_horizon(stream), stream_trimmed(stream));
		default:
			return stream_trimmed(stream);
	}
}

/*
 * The position at, or behind, a sequence number.  A stream's first number is
 * that of no record.  Nor is 0, with which shards of a distributed table begin:
 * what their node has drawn for the stream is greater.
 */
static int64
given_position(const StreamDef *stream, int shard, const char *text, bool at)
{
	int64		number;

	if (!stream_read_record_number(stream, shard, text, &number))
		dynamo_error(DYNAMO_VALIDATION, DYNAMO_INVALID "Invalid SequenceNumber");
	if (stream->nshards == 0 && number == 0)
		number = stream->start_number;
	if (at && number != stream->start_number)
		number--;
	check_trimmed(stream, number);
	return number;
}

/*
 * Refuse to go on where records are missing.
 */
static void
check_trimmed(const StreamDef *stream, int64 after)
{
	if (after < stream_trimmed(stream))
		dynamo_error(DYNAMO_TRIMMED_DATA_ACCESS, DYNAMO_TRIMMED);
}

/*
 * What records there are from an iterator on, and where to go on.  Behind the
 * last record of a closed shard there is nowhere to go on.
 */
void
stream_get_records(DynamoRequest *request, StringInfo out)
{
	const StreamRecordsRequest *r = request->input;
	StreamIterator iterator;
	int			shard;
	const StreamDef *stream = iterator_stream(r->iterator, &iterator);
	int64		position;
	int64		end;

	stream_check_read(stream, "GetRecords");
	check_policies(request, stream);
	if (!find_shard(request, stream, iterator.shard_id, &shard))
		return;
	read_position(stream, shard, &iterator);
	end = shard_end(stream, shard, &iterator);
	appendStringInfoString(out, "{\"Records\":[");
	position = append_records(request, out, stream, shard, iterator.after,
							  r->limit.given ? r->limit.value : MAX_RECORDS);
	appendStringInfoChar(out, ']');
	if (end == 0 || position < end)
		wire_string_member(out, "NextShardIterator",
						   stream_iterator(stream, iterator.shard_id, shard,
										   position,
										   stream->nshards != 0 ? 0 : end));
	appendStringInfoChar(out, '}');
}

/*
 * Append up to "limit" records, and no more than MAX_BYTES of them; return the
 * position behind.  One record is never too large.  A horizon may fall behind
 * that of an earlier call (stream_read.c), a position must not.
 */
static int64
append_records(DynamoRequest *request, StringInfo out,
			   const StreamDef *stream, int shard, int64 after, int limit)
{
	StreamReader *reader = stream_begin(stream, shard, after);
	const StreamRecord *record = NULL;
	Size		bytes = 0;
	int64		position = after;
	int			count = 0;

	/* Nothing is trimmed while the reader is open. */
	check_trimmed(stream, after);
	while (count < limit && (record = stream_next(reader)) != NULL)
	{
		int			len = out->len;
		Size		size;

		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		stream_append_record(out, stream, record, &size);
		dynamo_budget_spend(request, size);
		bytes += size;
		if (bytes > MAX_BYTES && count > 0)
		{
			out->len = len;
			out->data[len] = '\0';
			break;
		}
		position = record->number;
		count++;
	}
	if (record == NULL)
		position = Max(position, stream_position(reader));
	stream_end(reader);
	return position;
}

/*
 * The shard of a name; less than 0: there is none.  False: it is on another
 * node, where the request goes.  What was on a node that has left the cluster
 * has gone with it.
 */
static bool
find_shard(DynamoRequest *request, const StreamDef *stream,
		   const char *shard_id, int *shard)
{
	int32		group;

	if (stream->nshards != 0)
	{
		*shard = stream_find_shard(stream, shard_id);
		return true;
	}
	if (!stream_read_place_id(shard_id, shard, &group))
	{
		*shard = -1;
		return true;
	}
	if (group == stream_cluster.node_group())
		return true;

	/*
	 * Only the coordinator knows that a node has left, and is not about to
	 * join.
	 */
	if (stream_leave(request, group))
		return false;
	if (stream_cluster.is_coordinator())
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 STREAM_NOT_FOUND "Shard does not exist");
	if (!stream_leave(request, STREAM_COORDINATOR))
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	return false;
}

/*
 * Will a shard have more records?
 */
static bool
is_open(const StreamDef *stream, int shard, bool *known)
{
	*known = true;
	if (stream->nshards != 0)
		return stream->end_number == 0;
	return stream_cluster.is_open(stream, shard, known);
}

/*
 * What the place in an iterator means.
 */
static void
read_position(const StreamDef *stream, int shard, StreamIterator *iterator)
{
	if (shard < 0 ||
		!stream_read_record_number(stream, shard, iterator->number,
								   &iterator->after) ||
		iterator->after == STREAM_BEFORE_ALL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid ShardIterator");
}

/*
 * No record of the shard has a greater number; 0: it is open.  When a shard is
 * found closed all its records have been written, if not committed, so none is
 * behind the last number drawn by then.  The iterator keeps that.  Otherwise a
 * reader could run after it for ever.
 */
static int64
shard_end(const StreamDef *stream, int shard, const StreamIterator *iterator)
{
	bool		known;
	bool		open;

	if (stream->end_number != 0)
		return stream->end_number;
	if (iterator->end != 0)
		return iterator->end;
	open = is_open(stream, shard, &known);
	if (!known)
		dynamo_error(DYNAMO_VALIDATION, "Invalid ShardIterator");
	return open ? 0 : stream_last();
}

/*
 * Read an iterator: the stream it is of.
 */
static const StreamDef *
iterator_stream(const char *text, StreamIterator *iterator)
{
	WireStreamName name;
	const StreamDef *stream;

	if (!stream_read_iterator(text, iterator) ||
		!wire_parse_stream_arn(iterator->stream_arn, &name))
		dynamo_error(DYNAMO_VALIDATION, "Invalid ShardIterator");
	stream = stream_named(iterator->stream_arn, "GetRecords");
	if (stream->nshards != 0 &&
		stream_find_shard(stream, iterator->shard_id) < 0)
		dynamo_error(DYNAMO_VALIDATION, "Invalid ShardIterator");
	if (wire_milliseconds(GetCurrentTimestamp()) - iterator->created_at > MAX_AGE)
		dynamo_error(DYNAMO_EXPIRED_ITERATOR,
					 "The provided iterator exceeds the maximum age allowed.");
	return stream;
}

/*
 * Policies about GetRecords, whose request names its stream in the iterator
 * only.
 */
static void
check_policies(const DynamoRequest *request, const StreamDef *stream)
{
	const TableDef *def;
	PolicyResource resource = {0};
	PolicyCheck check;

	if (request->policy == NULL)
		return;
	def = schema_find_table(stream->table_name);
	resource.arn = wire_stream_arn(stream->table_name, stream->label);
	if (def)
	{
		resource.table = def->name;
		resource.table_id = def->table_id;
		resource.label = stream->label;
	}
	policy_check_begin(request->policy, &check, "GetRecords", &resource);
	policy_require(&check, "GetRecords");
}
