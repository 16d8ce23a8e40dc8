/*-------------------------------------------------------------------------
 *
 * control_kinesis.c
 *	  Operations about a table's destinations at Kinesis, of which there are
 *	  none here.
 *
 * Tools ask which a table has as soon as they have created it, and are told
 * that it has none.  To change or to switch off what is not there is refused
 * in the service's words; to switch one on cannot be done.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

typedef struct KinesisRequest
{
	const char *table;
	const char *stream;			/* StreamArn */
	json_t	   *configuration;	/* Update's */
} KinesisRequest;

static void refuse_absent(const KinesisRequest *r, const char *action)
			pg_attribute_noreturn();

static const char *const precisions[] = {"MILLISECOND", "MICROSECOND", NULL};

static const WireShape stream_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(37, 1024)};
static const WireShape precision_shape = {
	.kind = WIRE_STRING, .choices = precisions
};

WIRE_STRUCT_SHAPE(enable_shape, "EnableKinesisStreamingConfiguration",
				  CONTROL_MEMBER("ApproximateCreationDateTimePrecision", precision_shape));
WIRE_STRUCT_SHAPE(update_shape, "UpdateKinesisStreamingConfiguration",
				  CONTROL_MEMBER("ApproximateCreationDateTimePrecision", precision_shape));

WIRE_REQUEST_SHAPE(control_describe_kinesis_shape, KinesisRequest, "DescribeKinesisStreamingDestinationInput",
				   WIRE_FIELD("TableName", control_table_name_shape, KinesisRequest, table));
WIRE_REQUEST_SHAPE(control_kinesis_shape, KinesisRequest, "KinesisStreamingDestinationInput",
				   WIRE_FIELD("TableName", control_table_name_shape, KinesisRequest, table),
				   WIRE_REQUIRED("StreamArn", stream_shape, KinesisRequest, stream),
				   WIRE_FIELD("EnableKinesisStreamingConfiguration", enable_shape, KinesisRequest, configuration));
WIRE_REQUEST_SHAPE(control_update_kinesis_shape, KinesisRequest, "UpdateKinesisStreamingDestinationInput",
				   WIRE_FIELD("TableName", control_table_name_shape, KinesisRequest, table),
				   WIRE_REQUIRED("StreamArn", stream_shape, KinesisRequest, stream),
				   WIRE_FIELD("UpdateKinesisStreamingConfiguration", update_shape, KinesisRequest, configuration));

/*
 * Handler of DescribeKinesisStreamingDestination.
 */
void
control_describe_kinesis(DynamoRequest *request, StringInfo out)
{
	const KinesisRequest *r = request->input;

	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName", control_find_table(r->table, "DescribeKinesisStreamingDestination")->name);
	appendStringInfoString(out, ",\"KinesisDataStreamDestinations\":[]}");
}

/*
 * Handler of EnableKinesisStreamingDestination.
 */
void
control_enable_kinesis(DynamoRequest *request, StringInfo out)
{
	const KinesisRequest *r = request->input;

	(void) control_find_table(r->table, "EnableKinesisStreamingDestination");
	dynamo_rule_error(DYNAMO_UNKNOWN_OPERATION, DYNAMO_RULE_ABSENT,
					  "The operation %s is not available here",
					  "EnableKinesisStreamingDestination");
}

/*
 * Handler of DisableKinesisStreamingDestination.
 */
void
control_disable_kinesis(DynamoRequest *request, StringInfo out)
{
	refuse_absent(request->input, "DisableKinesisStreamingDestination");
}

/*
 * Handler of UpdateKinesisStreamingDestination.
 */
void
control_update_kinesis(DynamoRequest *request, StringInfo out)
{
	const KinesisRequest *r = request->input;

	if (!wire_json_get(r->configuration, "ApproximateCreationDateTimePrecision"))
		dynamo_error(DYNAMO_VALIDATION,
					 "Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values");
	refuse_absent(r, "UpdateKinesisStreamingDestination");
}

static void
refuse_absent(const KinesisRequest *r, const char *action)
{
	const TableDef *def = control_find_table(r->table, action);

	dynamo_error(DYNAMO_VALIDATION,
				 "Table is not in a valid state to enable Kinesis Streaming Destination: No streaming destination with streamArn: %s found for table with tableName: %s",
				 r->stream, def->name);
}
