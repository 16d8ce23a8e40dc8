/*-------------------------------------------------------------------------
 *
 * stream_record.c
 *	  Records of streams in JSON.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stream/stream_internal.h"

static const char *event_name(char event);
static void append_change(StringInfo out, const StreamDef *stream,
						  const StreamRecord *record, Size *size);
static void append_image(StringInfo out, const char *member,
						 const Item *image, Size *size);

/*
 * The StreamViewType behind a letter of StreamDef.
 */
const char *
stream_view(char view)
{
	switch (view)
	{
		case 'K':
			return "KEYS_ONLY";
		case 'N':
			return "NEW_IMAGE";
		case 'O':
			return "OLD_IMAGE";
		case 'B':
			return "NEW_AND_OLD_IMAGES";
		default:
			elog(ERROR, "unknown view type of a stream: %d", view);
	}
}

static const char *
event_name(char event)
{
	switch (event)
	{
		case 'I':
			return "INSERT";
		case 'M':
			return "MODIFY";
		case 'R':
			return "REMOVE";
		default:
			elog(ERROR, "unknown event of a stream: %d", event);
	}
}

/*
 * Append one record; *size is its SizeBytes.
 */
void
stream_append_record(StringInfo out, const StreamDef *stream,
					 const StreamRecord *record, Size *size)
{
	append_change(out, stream, record, size);
	if (record->service)
	{
		wire_member(out, "userIdentity");
		appendStringInfoString(out, "{\"PrincipalId\":\"dynamodb.amazonaws.com\",\"Type\":\"Service\"}");
	}
	appendStringInfoChar(out, '}');
}

/*
 * Append one record as an event of AWS Lambda has it.
 */
void
stream_append_event(StringInfo out, const StreamDef *stream,
					const StreamRecord *record)
{
	Size		size;

	append_change(out, stream, record, &size);
	if (record->service)
	{
		wire_member(out, "userIdentity");
		appendStringInfoString(out, "{\"principalId\":\"dynamodb.amazonaws.com\",\"type\":\"Service\"}");
	}
	wire_string_member(out, "eventSourceARN",
					   wire_stream_arn(stream->table_name, stream->label));
	appendStringInfoChar(out, '}');
}

/*
 * What records have in common everywhere, the object's end left open.
 */
static void
append_change(StringInfo out, const StreamDef *stream,
			  const StreamRecord *record, Size *size)
{
	*size = 0;
	appendStringInfoChar(out, '{');
	wire_string_member(out, "eventID", stream_event_id(stream, record->shard, record->number));
	wire_string_member(out, "eventName", event_name(record->event));
	wire_string_member(out, "eventVersion", "1.1");
	wire_string_member(out, "eventSource", "aws:dynamodb");
	wire_string_member(out, "awsRegion", wire_region);

	wire_member(out, "dynamodb");
	appendStringInfoChar(out, '{');
	wire_integer_member(out, "ApproximateCreationDateTime",
						wire_milliseconds(record->created_at) / 1000);
	append_image(out, "Keys", record->keys, size);
	append_image(out, "NewImage", record->new_image, size);
	append_image(out, "OldImage", record->old_image, size);
	wire_string_member(out, "SequenceNumber",
					   stream_record_number(stream, record->shard, record->number));
	wire_integer_member(out, "SizeBytes", *size);
	wire_string_member(out, "StreamViewType", stream_view(stream->view));
	appendStringInfoChar(out, '}');
}

static void
append_image(StringInfo out, const char *member, const Item *image, Size *size)
{
	if (image == NULL)
		return;
	wire_item_member(out, member, image);
	*size += item_size(image);
}
