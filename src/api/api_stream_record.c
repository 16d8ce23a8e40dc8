/*-------------------------------------------------------------------------
 *
 * api_stream_record.c
 *	  Records of streams in JSON.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_stream.h"

static const char *event_name(char event);
static void append_image(StringInfo out, const char *member,
						 const Item *image, Size *size);

/*
 * The StreamViewType behind a letter of StreamDef.
 */
const char *
api_stream_view(char view)
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
api_append_record(StringInfo out, const StreamDef *stream,
				  const EngineStreamRecord *record, Size *size)
{
	*size = 0;
	appendStringInfoChar(out, '{');
	api_string_member(out, "eventID", api_event_id(stream, record->number));
	api_string_member(out, "eventName", event_name(record->event));
	api_string_member(out, "eventVersion", "1.1");
	api_string_member(out, "eventSource", "aws:dynamodb");
	api_string_member(out, "awsRegion", api_region);

	api_member(out, "dynamodb");
	appendStringInfoChar(out, '{');
	api_integer_member(out, "ApproximateCreationDateTime",
					   api_milliseconds(record->created_at) / 1000);
	append_image(out, "Keys", record->keys, size);
	append_image(out, "NewImage", record->new_image, size);
	append_image(out, "OldImage", record->old_image, size);
	api_string_member(out, "SequenceNumber",
					  api_sequence_number(record->number));
	api_integer_member(out, "SizeBytes", *size);
	api_string_member(out, "StreamViewType", api_stream_view(stream->view));
	appendStringInfoChar(out, '}');

	if (record->service)
	{
		api_member(out, "userIdentity");
		appendStringInfoString(out, "{\"PrincipalId\":\"dynamodb.amazonaws.com\",\"Type\":\"Service\"}");
	}
	appendStringInfoChar(out, '}');
}

static void
append_image(StringInfo out, const char *member, const Item *image, Size *size)
{
	if (image == NULL)
		return;
	api_item_member(out, member, image);
	*size += item_size(image);
}
