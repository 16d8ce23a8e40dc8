/*-------------------------------------------------------------------------
 *
 * control_stream_read.c
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
#include "control/control_internal.h"
#include "miscadmin.h"
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

static void check_place(const ControlIteratorRequest *r);
static int64 place(const StreamDef *stream, int shard,
				   const ControlIteratorRequest *r);

static int64 given_position(const StreamDef *stream, int shard,
							const char *text, bool at);
static void check_trimmed(const StreamDef *stream, int64 after);
static bool find_shard(const StreamDef *stream, const char *shard_id,
					   int *shard);
static bool is_open(const StreamDef *stream, int shard, bool *known);
static void read_position(const StreamDef *stream, int shard,
						  ControlIterator *iterator);
static int64 shard_end(const StreamDef *stream, int shard,
					   const ControlIterator *iterator);
static int64 append_records(StringInfo out, const StreamDef *stream, int shard,
							int64 after, int limit);
static const StreamDef *iterator_stream(const char *text,
										ControlIterator *iterator);

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
	.kind = WIRE_STRING, WIRE_BETWEEN(CONTROL_SEQUENCE_LENGTH, 40)
};
static const WireShape timestamp_shape = {.kind = WIRE_NUMBER};
static const WireShape iterator_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_INSIDE, WIRE_BETWEEN(1, 2048)
};

static const WireField iterator_fields[] = {
	WIRE_REQUIRED("StreamArn", control_stream_arn_shape, ControlIteratorRequest, arn),
	WIRE_REQUIRED("ShardId", control_shard_id_shape, ControlIteratorRequest, shard_id),
	WIRE_REQUIRED("ShardIteratorType", iterator_type_shape, ControlIteratorRequest, type),
	WIRE_FIELD("SequenceNumber", sequence_number_shape, ControlIteratorRequest, sequence_number),
	WIRE_FIELD("Timestamp", timestamp_shape, ControlIteratorRequest, timestamp),
	WIRE_FIELDS_END
};
const WireShape control_get_shard_iterator_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlIteratorRequest), .name = "GetShardIteratorInput",
	.fields = iterator_fields
};

static const WireField records_fields[] = {
	WIRE_REQUIRED("ShardIterator", iterator_shape, ControlRecordsRequest, iterator),
	WIRE_FIELD("Limit", records_limit_shape, ControlRecordsRequest, limit),
	WIRE_FIELDS_END
};
const WireShape control_get_records_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlRecordsRequest), .name = "GetRecordsInput", .fields = records_fields
};

/* Handler of GetShardIterator. */
void
control_get_shard_iterator(const void *request, StringInfo out)
{
	const ControlIteratorRequest *r = request;
	const StreamDef *stream;
	int			shard;
	bool		known = true;

	check_place(r);
	stream = control_find_stream(r->arn, "GetShardIterator");
	engine_check_stream(stream, "GetShardIterator");
	if (!find_shard(stream, r->shard_id, &shard))
		return;
	if (shard >= 0)
		(void) is_open(stream, shard, &known);
	if (shard < 0 || !known)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Shard does not exist");

	appendStringInfoChar(out, '{');
	wire_string_member(out, "ShardIterator",
					   control_iterator(stream, r->shard_id, shard,
										place(stream, shard, r), 0));
	appendStringInfoChar(out, '}');
}

/*
 * Each type of iterator has what it needs, and nothing else.
 */
static void
check_place(const ControlIteratorRequest *r)
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

/* The position that an iterator is asked for. */
static int64
place(const StreamDef *stream, int shard, const ControlIteratorRequest *r)
{
	switch (r->type)
	{
		case AT_SEQUENCE_NUMBER:
		case AFTER_SEQUENCE_NUMBER:
			return given_position(stream, shard, r->sequence_number,
								  r->type == AT_SEQUENCE_NUMBER);
		case AT_TIMESTAMP:
			return engine_stream_before(stream, shard, wire_given_time(r->timestamp));
		case LATEST:
			return engine_stream_horizon(stream);
		default:
			return engine_stream_trimmed(stream);
	}
}

/*
 * The position at, or behind, a sequence number.  A stream's first number is
 * that of no record.
 */
static int64
given_position(const StreamDef *stream, int shard, const char *text, bool at)
{
	int64		number;

	if (!control_read_record_number(stream, shard, text, &number))
		dynamo_error(DYNAMO_VALIDATION, DYNAMO_INVALID "Invalid SequenceNumber");
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
	if (after < engine_stream_trimmed(stream))
		dynamo_error(DYNAMO_TRIMMED_DATA_ACCESS, DYNAMO_TRIMMED);
}

/*
 * What records there are from an iterator on, and where to go on.  Behind the
 * last record of a closed shard there is nowhere to go on.
 */
void
control_get_records(const void *request, StringInfo out)
{
	const ControlRecordsRequest *r = request;
	ControlIterator iterator;
	int			shard;
	const StreamDef *stream = iterator_stream(r->iterator, &iterator);
	int64		position;
	int64		end;

	engine_check_stream(stream, "GetRecords");
	control_check_records(stream);
	if (!find_shard(stream, iterator.shard_id, &shard))
		return;
	read_position(stream, shard, &iterator);
	end = shard_end(stream, shard, &iterator);
	appendStringInfoString(out, "{\"Records\":[");
	position = append_records(out, stream, shard, iterator.after,
							  r->limit.given ? r->limit.value : MAX_RECORDS);
	appendStringInfoChar(out, ']');
	if (end == 0 || position < end)
		wire_string_member(out, "NextShardIterator",
						   control_iterator(stream, iterator.shard_id, shard,
											position,
											stream->nshards != 0 ? 0 : end));
	appendStringInfoChar(out, '}');
}

/*
 * Append up to "limit" records, and no more than MAX_BYTES of them; return the
 * position behind.  One record is never too large.  A horizon may fall behind
 * that of an earlier call (engine_stream_read.c), a position must not.
 */
static int64
append_records(StringInfo out, const StreamDef *stream, int shard,
			   int64 after, int limit)
{
	EngineStreamReader *reader = engine_stream_begin(stream, shard, after);
	const EngineStreamRecord *record = NULL;
	Size		bytes = 0;
	int64		position = after;
	int			count = 0;

	/* Nothing is trimmed while the reader is open. */
	check_trimmed(stream, after);
	while (count < limit && (record = engine_stream_next(reader)) != NULL)
	{
		int			len = out->len;
		Size		size;

		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		control_append_record(out, stream, record, &size);
		dynamo_budget_spend(size);
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
		position = Max(position, engine_stream_position(reader));
	engine_stream_end(reader);
	return position;
}

/*
 * The shard of a name; less than 0: there is none.  False: it is on another
 * node, where the request goes.
 */
static bool
find_shard(const StreamDef *stream, const char *shard_id, int *shard)
{
	int32		group;

	if (stream->nshards != 0)
	{
		*shard = control_find_shard(stream, shard_id);
		return true;
	}
	if (!control_read_place_id(shard_id, shard, &group))
	{
		*shard = -1;
		return true;
	}
	if (group == schema_node_group())
		return true;
	control_leave(group);
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
	return schema_stream_shard_is_open(stream, shard, known);
}

/*
 * What the place in an iterator means.
 */
static void
read_position(const StreamDef *stream, int shard, ControlIterator *iterator)
{
	if (shard < 0 ||
		!control_read_record_number(stream, shard, iterator->number,
									&iterator->after) ||
		iterator->after == CONTROL_BEFORE_ALL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid ShardIterator");
}

/*
 * No record of the shard has a greater number; 0: it is open.  When a shard is
 * found closed all its records have been written, if not committed, so none is
 * behind the last number drawn by then.  The iterator keeps that, or else a
 * reader could run after it for ever.
 */
static int64
shard_end(const StreamDef *stream, int shard, const ControlIterator *iterator)
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
	return open ? 0 : engine_stream_last();
}

/*
 * Read an iterator: the stream it is of.
 */
static const StreamDef *
iterator_stream(const char *text, ControlIterator *iterator)
{
	WireStreamName name;
	const StreamDef *stream;

	if (!control_read_iterator(text, iterator) ||
		!wire_parse_stream_arn(iterator->stream_arn, &name))
		dynamo_error(DYNAMO_VALIDATION, "Invalid ShardIterator");
	stream = control_find_stream(iterator->stream_arn, "GetRecords");
	if (stream->nshards != 0 &&
		control_find_shard(stream, iterator->shard_id) < 0)
		dynamo_error(DYNAMO_VALIDATION, "Invalid ShardIterator");
	if (control_milliseconds(GetCurrentTimestamp()) - iterator->created_at > MAX_AGE)
		dynamo_error(DYNAMO_EXPIRED_ITERATOR,
					 "The provided iterator exceeds the maximum age allowed.");
	return stream;
}
