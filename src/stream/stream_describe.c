/*-------------------------------------------------------------------------
 *
 * stream_describe.c
 *	  ListStreams, DescribeStream.
 *
 * With GetShardIterator and GetRecords (stream_records.c) they make up a
 * service of their own, DynamoDB Streams: its target header is another, its
 * exceptions and endpoint are DynamoDB's.
 *
 * A stream has as many shards as it was given when it was enabled.  They have
 * no parents and no children, and are closed all at once when the stream is
 * disabled or its table dropped.  That of a distributed table has one for each
 * shard of Citus' and each place where that was; the coordinator knows them
 * (../shard/shard_stream.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stream/stream_internal.h"

#define MAX_LIST			100

typedef struct ListRequest
{
	const char *table_name;
	const char *start;
	WireInteger limit;
} ListRequest;

typedef struct DescribeRequest
{
	const char *arn;
	const char *start;
	WireInteger limit;
	json_t	   *filter;
} DescribeRequest;

static void append_shards(StringInfo out, const StreamDef *stream,
						  const DescribeRequest *r);
static void append_shard(StringInfo out, const StreamDef *stream, int shard);
static void append_places(StringInfo out, const StreamDef *stream,
						  const DescribeRequest *r);
static void append_place(StringInfo out, const StreamDef *stream,
						 const StreamShard *shard, int32 parent_group);
static bool is_wanted(const DescribeRequest *r,
					  const StreamShard *shard);
static WireStreamName parse_arn(const char *arn);

static const char *const filter_types[] = {"CHILD_SHARDS", NULL};

const WireShape stream_arn_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(37, 1024)
};
const WireShape stream_shard_id_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(28, 65)};
static const WireShape list_limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_LIST)
};
static const WireShape filter_type_shape = {
	.kind = WIRE_STRING, .choices = filter_types
};

static const WireField list_fields[] = {
	WIRE_FIELD("TableName", wire_bare_table_shape, ListRequest, table_name),
	WIRE_FIELD("Limit", list_limit_shape, ListRequest, limit),
	WIRE_FIELD("ExclusiveStartStreamArn", stream_arn_shape, ListRequest, start),
	WIRE_FIELDS_END
};
const WireShape stream_list_streams_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ListRequest), .name = "ListStreamsInput", .fields = list_fields
};

/* Read member by member: nothing is filled. */
static const WireField filter_fields[] = {
	{.name = "Type", .shape = &filter_type_shape, .required = true},
	{.name = "ShardId", .shape = &stream_shard_id_shape, .required = true},
	WIRE_FIELDS_END
};
static const WireShape filter_shape = {
	.kind = WIRE_STRUCT, .name = "ShardFilter", .fields = filter_fields
};
static const WireField describe_fields[] = {
	WIRE_REQUIRED("StreamArn", stream_arn_shape, DescribeRequest, arn),
	WIRE_FIELD("Limit", list_limit_shape, DescribeRequest, limit),
	WIRE_FIELD("ExclusiveStartShardId", stream_shard_id_shape, DescribeRequest, start),
	WIRE_FIELD("ShardFilter", filter_shape, DescribeRequest, filter),
	WIRE_FIELDS_END
};
const WireShape stream_describe_stream_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(DescribeRequest), .name = "DescribeStreamInput", .fields = describe_fields
};

/*
 * Streams that the user may know of, in the order of table name and label.  A full page ends with a
 * cursor even if it is the last; the stream a cursor names may be gone.
 */
void
stream_list_streams(DynamoRequest *request, StringInfo out)
{
	const ListRequest *r = request->input;
	int			limit = r->limit.given ? r->limit.value : MAX_LIST;
	WireStreamName start = {0};
	const StreamDef *stream = NULL;
	List	   *streams;
	ListCell   *lc;

	if (r->start)
		start = parse_arn(r->start);
	streams = stream_list(r->table_name, start.table, start.label,
						  stream_may_use, limit);

	appendStringInfoString(out, "{\"Streams\":[");
	foreach(lc, streams)
	{
		stream = lfirst(lc);
		wire_element(out);
		appendStringInfoChar(out, '{');
		wire_string_member(out, "StreamArn", wire_stream_arn(stream->table_name, stream->label));
		wire_string_member(out, "TableName", stream->table_name);
		wire_string_member(out, "StreamLabel", stream->label);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
	if (list_length(streams) == limit)
		wire_string_member(out, "LastEvaluatedStreamArn",
						   wire_stream_arn(stream->table_name, stream->label));
	appendStringInfoChar(out, '}');
}

void
stream_describe_stream(DynamoRequest *request, StringInfo out)
{
	const DescribeRequest *r = request->input;
	const StreamDef *stream = stream_named(r->arn, "DescribeStream");

	if (stream->nshards == 0 && !stream_cluster.is_coordinator())
	{
		if (!stream_leave(request, STREAM_COORDINATOR))
			dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
		return;
	}
	appendStringInfoString(out, "{\"StreamDescription\":{");
	wire_string_member(out, "StreamArn", wire_stream_arn(stream->table_name, stream->label));
	wire_string_member(out, "StreamLabel", stream->label);
	wire_string_member(out, "StreamStatus",
					   stream->end_number == 0 ? "ENABLED" : "DISABLED");
	wire_string_member(out, "StreamViewType", stream_view(stream->view));
	wire_member(out, "CreationRequestDateTime");
	appendStringInfoString(out, wire_epoch(stream->created_at));
	wire_string_member(out, "TableName", stream->table_name);
	wire_member(out, "KeySchema");
	appendStringInfoChar(out, '[');
	wire_key_element(out, stream->hash.name, "HASH");
	if (stream->range.name)
		wire_key_element(out, stream->range.name, "RANGE");
	appendStringInfoChar(out, ']');
	if (stream->nshards == 0)
		append_places(out, stream, r);
	else
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
		first = stream_find_shard(stream, r->start) + 1;
		if (first == 0)
			first = stream->nshards;
	}
	if (r->filter)
		first = stream->nshards;
	end = Min(stream->nshards, first + limit);

	wire_member(out, "Shards");
	appendStringInfoChar(out, '[');
	for (int i = first; i < end; i++)
	{
		wire_element(out);
		append_shard(out, stream, i);
	}
	appendStringInfoChar(out, ']');
	if (end < stream->nshards)
		wire_string_member(out, "LastEvaluatedShardId",
						   stream_shard_id(stream, end - 1));
}

/*
 * All shards of a stream begin and end with it.
 */
static void
append_shard(StringInfo out, const StreamDef *stream, int shard)
{
	appendStringInfoChar(out, '{');
	wire_string_member(out, "ShardId", stream_shard_id(stream, shard));
	wire_member(out, "SequenceNumberRange");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "StartingSequenceNumber",
					   stream_sequence_number(stream->start_number));
	if (stream->end_number != 0)
		wire_string_member(out, "EndingSequenceNumber",
						   stream_sequence_number(stream->end_number));
	appendStringInfoString(out, "}}");
}

/*
 * The same of a distributed table.  Shards are in the order of their places, so
 * parents come before children.
 */
static void
append_places(StringInfo out, const StreamDef *stream,
			  const DescribeRequest *r)
{
	List	   *shards = stream_cluster.shards(stream);
	int			limit = r->limit.given ? r->limit.value : MAX_LIST;
	const StreamShard *last = NULL;
	bool		more = false;
	int			n = 0;
	ListCell   *lc;

	wire_member(out, "Shards");
	appendStringInfoChar(out, '[');
	foreach(lc, shards)
	{
		const StreamShard *shard = lfirst(lc);
		int32		parent_group = 0;
		ListCell   *other;

		if (!is_wanted(r, shard))
			continue;
		more = n == limit;
		if (more)
			break;
		foreach(other, shards)
		{
			const StreamShard *parent = lfirst(other);

			if (parent->place == shard->parent)
				parent_group = parent->group;
		}
		wire_element(out);
		append_place(out, stream, shard, parent_group);
		last = shard;
		n++;
	}
	appendStringInfoChar(out, ']');
	if (more)
		wire_string_member(out, "LastEvaluatedShardId",
						   stream_place_id(last->place, last->group));
}

/*
 * Is a shard behind the one to start with, and a child of the one that is
 * given?  None is, if there is no such shard.
 */
static bool
is_wanted(const DescribeRequest *r, const StreamShard *shard)
{
	int32		place;
	int32		group;

	if (r->start && (!stream_read_place_id(r->start, &place, &group) ||
					 shard->place <= place))
		return false;
	return !r->filter ||
		(stream_read_place_id(json_string_value(json_object_get(r->filter, "ShardId")),
							  &place, &group) && shard->parent == place);
}

/*
 * Its numbers are drawn by its node: these are the least and the greatest that
 * there can be.
 */
static void
append_place(StringInfo out, const StreamDef *stream,
			 const StreamShard *shard, int32 parent_group)
{
	appendStringInfoChar(out, '{');
	wire_string_member(out, "ShardId",
					   stream_place_id(shard->place, shard->group));
	wire_member(out, "SequenceNumberRange");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "StartingSequenceNumber",
					   stream_record_number(stream, shard->place, 0));
	if (shard->closed)
		wire_string_member(out, "EndingSequenceNumber",
						   stream_last_record_number(stream, shard->place));
	appendStringInfoChar(out, '}');
	if (shard->parent != 0)
		wire_string_member(out, "ParentShardId",
						   stream_place_id(shard->parent, parent_group));
	appendStringInfoChar(out, '}');
}

/*
 * The request is executed on the node of a group: it ends here.  False: the
 * cluster has no such node.
 */
bool
stream_leave(DynamoRequest *request, int32 group)
{
	const char *host;
	int			port;

	if (!stream_cluster.find_node(group, &host, &port))
		return false;
	dynamo_route_leave(request, host, port);
	return true;
}

/*
 * The stream an ARN names, for operation "action".
 */
const StreamDef *
stream_named(const char *arn, const char *action)
{
	WireStreamName name = parse_arn(arn);
	const StreamDef *stream = NULL;

	if (name.ours)
		stream = stream_look_for(&name, action);
	if (stream == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 STREAM_NOT_FOUND "Stream: %s not found", arn);
	return stream;
}

static WireStreamName
parse_arn(const char *arn)
{
	WireStreamName name;

	if (!wire_parse_stream_arn(arn, &name))
		dynamo_error(DYNAMO_VALIDATION, "Invalid StreamArn");
	return name;
}
