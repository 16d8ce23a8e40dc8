/*-------------------------------------------------------------------------
 *
 * api_stream.c
 *	  ListStreams, DescribeStream.
 *
 * With GetShardIterator and GetRecords (api_stream_read.c) they make up a
 * service of their own, DynamoDB Streams: its target header is another, its
 * exceptions and endpoint are DynamoDB's.
 *
 * A stream has as many shards as it was given when it was enabled.  They have
 * no parents and no children, and are closed all at once when the stream is
 * disabled or its table dropped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_stream.h"
#include "api/api_table.h"

#define MAX_LIST			100

typedef struct ListRequest
{
	const char *table_name;
	const char *start;
	ApiInteger	limit;
} ListRequest;

typedef struct DescribeRequest
{
	const char *arn;
	const char *start;
	ApiInteger	limit;
	json_t	   *filter;
} DescribeRequest;

static void list_streams(const void *request, StringInfo out);
static void describe_stream(const void *request, StringInfo out);
static void append_shards(StringInfo out, const StreamDef *stream,
						  const DescribeRequest *r);
static void append_shard(StringInfo out, const StreamDef *stream, int shard);
static ApiStreamName parse_arn(const char *arn);

static const char *const filter_types[] = {"CHILD_SHARDS", NULL};

const ApiShape api_stream_arn_shape = {
	.kind = API_STRING, API_BETWEEN(37, 1024)
};
const ApiShape api_shard_id_shape = {.kind = API_STRING, API_BETWEEN(28, 65)};
static const ApiShape list_limit_shape = {
	.kind = API_INTEGER, API_BETWEEN(1, MAX_LIST)
};
static const ApiShape filter_type_shape = {
	.kind = API_STRING, .choices = filter_types
};

static const ApiField list_fields[] = {
	API_FIELD("TableName", api_name_shape, ListRequest, table_name),
	API_FIELD("Limit", list_limit_shape, ListRequest, limit),
	API_FIELD("ExclusiveStartStreamArn", api_stream_arn_shape, ListRequest, start),
	API_FIELDS_END
};
static const ApiShape list_streams_shape = {
	.kind = API_STRUCT, .name = "ListStreamsInput", .fields = list_fields
};

/* Read member by member: nothing is filled. */
static const ApiField filter_fields[] = {
	{.name = "Type", .shape = &filter_type_shape, .required = true},
	{.name = "ShardId", .shape = &api_shard_id_shape, .required = true},
	API_FIELDS_END
};
static const ApiShape filter_shape = {
	.kind = API_STRUCT, .name = "ShardFilter", .fields = filter_fields
};
static const ApiField describe_fields[] = {
	API_REQUIRED("StreamArn", api_stream_arn_shape, DescribeRequest, arn),
	API_FIELD("Limit", list_limit_shape, DescribeRequest, limit),
	API_FIELD("ExclusiveStartShardId", api_shard_id_shape, DescribeRequest, start),
	API_FIELD("ShardFilter", filter_shape, DescribeRequest, filter),
	API_FIELDS_END
};
static const ApiShape describe_stream_shape = {
	.kind = API_STRUCT, .name = "DescribeStreamInput", .fields = describe_fields
};

const ApiOperation api_stream_operations[] = {
	{"ListStreams", &list_streams_shape, sizeof(ListRequest), list_streams},
	{"DescribeStream", &describe_stream_shape, sizeof(DescribeRequest), describe_stream},
	{"GetShardIterator", &api_get_shard_iterator_shape, sizeof(ApiIteratorRequest), api_get_shard_iterator},
	{"GetRecords", &api_get_records_shape, sizeof(ApiRecordsRequest), api_get_records},
	{NULL}
};

/*
 * Streams in the order of table name and label.  A full page ends with a
 * cursor even if it is the last; the stream a cursor names may be gone.
 */
static void
list_streams(const void *request, StringInfo out)
{
	const ListRequest *r = request;
	int			limit = r->limit.given ? r->limit.value : MAX_LIST;
	ApiStreamName start = {0};
	const StreamDef *stream = NULL;
	List	   *streams;
	ListCell   *lc;

	if (r->start)
		start = parse_arn(r->start);
	streams = schema_list_streams(r->table_name, start.table, start.label,
								  limit);

	appendStringInfoString(out, "{\"Streams\":[");
	foreach(lc, streams)
	{
		stream = lfirst(lc);
		api_element(out);
		appendStringInfoChar(out, '{');
		api_string_member(out, "StreamArn", api_stream_arn(stream));
		api_string_member(out, "TableName", stream->table_name);
		api_string_member(out, "StreamLabel", stream->label);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
	if (list_length(streams) == limit)
		api_string_member(out, "LastEvaluatedStreamArn",
						  api_stream_arn(stream));
	appendStringInfoChar(out, '}');
}

static void
describe_stream(const void *request, StringInfo out)
{
	const DescribeRequest *r = request;
	const StreamDef *stream = api_find_stream(r->arn);

	appendStringInfoString(out, "{\"StreamDescription\":{");
	api_string_member(out, "StreamArn", api_stream_arn(stream));
	api_string_member(out, "StreamLabel", stream->label);
	api_string_member(out, "StreamStatus",
					  stream->end_number == 0 ? "ENABLED" : "DISABLED");
	api_string_member(out, "StreamViewType", api_stream_view(stream->view));
	api_member(out, "CreationRequestDateTime");
	appendStringInfoString(out, api_epoch(stream->created_at));
	api_string_member(out, "TableName", stream->table_name);
	api_member(out, "KeySchema");
	api_append_keys(out, &stream->hash, 1, &stream->range,
					stream->range.name ? 1 : 0);
	append_shards(out, stream, r);
	appendStringInfoString(out, "}}");
}

/*
 * The page of shards that is asked for.  Nothing follows a shard that is not
 * there, and no shard has children.
 */
static void
append_shards(StringInfo out, const StreamDef *stream,
			  const DescribeRequest *r)
{
	int			limit = r->limit.given ? r->limit.value : MAX_LIST;
	int			first = 0;
	int			end;

	if (r->start)
	{
		first = api_find_shard(stream, r->start) + 1;
		if (first == 0)
			first = stream->nshards;
	}
	if (r->filter)
		first = stream->nshards;
	end = Min(stream->nshards, first + limit);

	api_member(out, "Shards");
	appendStringInfoChar(out, '[');
	for (int i = first; i < end; i++)
	{
		api_element(out);
		append_shard(out, stream, i);
	}
	appendStringInfoChar(out, ']');
	if (end < stream->nshards)
		api_string_member(out, "LastEvaluatedShardId",
						  api_shard_id(stream, end - 1));
}

/*
 * All shards of a stream begin and end with it.
 */
static void
append_shard(StringInfo out, const StreamDef *stream, int shard)
{
	appendStringInfoChar(out, '{');
	api_string_member(out, "ShardId", api_shard_id(stream, shard));
	api_member(out, "SequenceNumberRange");
	appendStringInfoChar(out, '{');
	api_string_member(out, "StartingSequenceNumber",
					  api_sequence_number(stream->start_number));
	if (stream->end_number != 0)
		api_string_member(out, "EndingSequenceNumber",
						  api_sequence_number(stream->end_number));
	appendStringInfoString(out, "}}");
}

/*
 * The stream an ARN names.
 */
const StreamDef *
api_find_stream(const char *arn)
{
	ApiStreamName name = parse_arn(arn);
	const StreamDef *stream = NULL;

	if (name.ours)
		stream = schema_find_stream(name.table, name.label);
	if (stream == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Stream: %s not found", arn);
	return stream;
}

static ApiStreamName
parse_arn(const char *arn)
{
	ApiStreamName name;

	if (!api_parse_stream_arn(arn, &name))
		dynamo_error(DYNAMO_VALIDATION, "Invalid StreamArn");
	return name;
}
