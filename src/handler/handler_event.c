/*-------------------------------------------------------------------------
 *
 * handler_event.c
 *	  What goes to a function and what comes back, in the shapes of AWS Lambda.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

static void append_time(StringInfo out, const char *name, TimestampTz time,
						bool fraction);
static bool has_nul(const char *json);
static int	find_number(const HandlerBatch *batch, int64 number);
static void refuse_response(const char *what) pg_attribute_noreturn();

char *
handler_event(const HandlerBatch *batch)
{
	return psprintf("{\"Records\":[%s]}", batch->records.data);
}

/*
 * What is kept of records that are given up: what Lambda sends to its
 * destination on failure, and as "payload" the event.  jsonb has no NUL, so an
 * event that contains one is left out.
 */
char *
handler_failure(const StreamMapping *mapping, const StreamDef *stream,
				int shard, const HandlerBatch *batch, int attempts)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_member(&out, "requestContext");
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "requestId",
					   DatumGetCString(DirectFunctionCall1(uuid_out,
														   DirectFunctionCall1(gen_random_uuid, (Datum) 0))));
	wire_string_member(&out, "functionArn", handler_function_text(mapping));
	wire_string_member(&out, "condition", batch->expired ?
					   "RecordAgeExceeded" : "RetryAttemptsExhausted");
	wire_integer_member(&out, "approximateInvokeCount", attempts);
	appendStringInfoChar(&out, '}');
	if (!batch->expired)
	{
		wire_member(&out, "responseContext");
		appendStringInfoString(&out, "{\"statusCode\":200,\"executedVersion\":\"$LATEST\",\"functionError\":\"Unhandled\"}");
	}
	wire_string_member(&out, "version", "1.0");
	append_time(&out, "timestamp", GetCurrentTimestamp(), true);

	wire_member(&out, "DDBStreamBatchInfo");
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "shardId", stream_shard_id(stream, shard));
	wire_string_member(&out, "startSequenceNumber",
					   stream_sequence_number(batch->numbers[0]));
	wire_string_member(&out, "endSequenceNumber",
					   stream_sequence_number(batch->numbers[batch->count - 1]));
	append_time(&out, "approximateArrivalOfFirstRecord", batch->first_at,
				false);
	append_time(&out, "approximateArrivalOfLastRecord", batch->last_at, false);
	wire_integer_member(&out, "batchSize", batch->count);
	wire_string_member(&out, "streamArn",
					   wire_stream_arn(stream->table_name, stream->label));
	appendStringInfoChar(&out, '}');
	if (!has_nul(batch->records.data))
	{
		wire_member(&out, "payload");
		appendStringInfoString(&out, handler_event(batch));
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * A time as 2019-11-14T00:38:06.021Z, whatever the time zone.
 */
static void
append_time(StringInfo out, const char *name, TimestampTz time, bool fraction)
{
	struct pg_tm tm;
	fsec_t		fsec;
	char		text[64];

	if (timestamp2tm(time, NULL, &tm, &fsec, NULL, NULL) != 0)
		elog(ERROR, "time of a record is out of range");
	snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year,
			 tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (fraction)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%03d",
				 (int) (fsec / 1000));
	strlcat(text, "Z", sizeof(text));
	wire_string_member(out, name, text);
}

static bool
has_nul(const char *json)
{
	for (const char *c = json; *c != '\0'; c++)
	{
		if (*c == '\\' && strncmp(++c, "u0000", 5) == 0)
			return true;
	}
	return false;
}

/*
 * The place in the batch of the first record that the function could not
 * handle, by its response; -1: it has handled all.
 */
int
handler_first_failed(const char *response, const HandlerBatch *batch)
{
	json_error_t error;
	const json_t *given;
	const json_t *failures;
	int			first = -1;

	if (response == NULL)
		return -1;
	given = codec_load(response, strlen(response), &error);
	if (given == NULL)
		refuse_response("it cannot be read");
	failures = wire_json_get(given, "batchItemFailures");
	if (failures == NULL)
		return -1;
	if (!json_is_array(failures))
		refuse_response("batchItemFailures is not an array");
	for (size_t i = 0; i < json_array_size(failures); i++)
	{
		const json_t *id = json_object_get(json_array_get(failures, i),
										   "itemIdentifier");
		int64		number;
		int			n;

		CHECK_FOR_INTERRUPTS();
		if (!json_is_string(id) ||
			!stream_read_sequence_number(wire_json_text(id), &number))
			refuse_response("an itemIdentifier is not a sequence number");
		n = find_number(batch, number);
		if (n < 0)
			refuse_response("an itemIdentifier is not of this batch");
		first = first < 0 ? n : Min(first, n);
	}
	return first;
}

/*
 * The place of a record in the batch, whose numbers ascend; -1: it has none.
 */
static int
find_number(const HandlerBatch *batch, int64 number)
{
	int			low = 0;
	int			high = batch->count;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (batch->numbers[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < batch->count && batch->numbers[low] == number ? low : -1;
}

static void
refuse_response(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the function's response is not valid"),
			 errdetail_internal("%s", what)));
}
