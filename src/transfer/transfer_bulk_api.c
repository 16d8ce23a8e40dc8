/*-------------------------------------------------------------------------
 *
 * transfer_bulk_api.c
 *	  StartBulkPutItems, DescribeBulkOperation, ListBulkOperations,
 *	  CancelBulkOperation.  transfer_bulk.c does the work.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "transfer/transfer_job.h"
#include "transfer/transfer_load.h"

#define PART			"bulk-operation"
#define MAX_PAGE		25
#define PAGE			10		/* where the request does not say */
#define MAX_OPERATIONS	50		/* at the same time */
#define TOKEN_HOURS		8		/* that a ClientToken is known */

/* StartBulkPutItems */
typedef struct StartRequest
{
	const char *token;
	json_t	   *input;
	json_t	   *output;
	const char *table_name;
	WireInteger max_units;
	int			tier;
} StartRequest;

/* The others. */
typedef struct BulkRequest
{
	const char *arn;
	WireInteger limit;
	const char *next_token;
} BulkRequest;

static const char *const formats[] = {"DYNAMODB_JSON", "ION", NULL};
static const char *const compressions[] = {"ZSTD", "NONE", "GZIP", NULL};
static const char *const encryptions[] = {"AES256", "KMS", NULL};
static const char *const output_types[] = {
	"ERROR", "CONDITION_CHECK_FAILURE", NULL
};
static const char *const tiers[] = {"STANDARD", "ACCELERATED", NULL};

static const WireShape format_shape = {.kind = WIRE_STRING, .choices = formats};
static const WireShape compression_shape = {
	.kind = WIRE_STRING, .choices = compressions
};
static const WireShape encryption_shape = {
	.kind = WIRE_STRING, .choices = encryptions
};
static const WireShape output_type_shape = {
	.kind = WIRE_STRING, .choices = output_types
};
static const WireShape output_types_shape = {
	.kind = WIRE_LIST, .element = &output_type_shape
};
static const WireShape tier_shape = {.kind = WIRE_STRING, .choices = tiers};
static const WireShape units_shape = {.kind = WIRE_LONG, WIRE_MIN(1024)};
static const WireShape bucket_shape = {.kind = WIRE_STRING, WIRE_MAX(255)};
static const WireShape prefix_shape = {.kind = WIRE_STRING, WIRE_MAX(1024)};
static const WireShape kms_key_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(1, 2048)};
static const WireShape page_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_PAGE)};
static const WireShape token_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(1, 1024)};

WIRE_STRUCT_SHAPE(input_shape, "InputS3Configuration",
				  CONTROL_MEMBER("S3BucketOwner", transfer_owner_shape),
				  CONTROL_REQUIRED("S3Bucket", bucket_shape),
				  CONTROL_MEMBER("S3KeyPrefix", prefix_shape),
				  CONTROL_REQUIRED("InputFormat", format_shape),
				  CONTROL_MEMBER("InputCompressionType", compression_shape));
WIRE_STRUCT_SHAPE(output_shape, "OutputS3Configuration",
				  CONTROL_MEMBER("S3BucketOwner", transfer_owner_shape),
				  CONTROL_REQUIRED("S3Bucket", bucket_shape),
				  CONTROL_MEMBER("S3KeyPrefix", prefix_shape),
				  CONTROL_MEMBER("S3SseAlgorithm", encryption_shape),
				  CONTROL_MEMBER("S3SseKmsKeyId", kms_key_shape),
				  CONTROL_REQUIRED("OutputType", output_types_shape));

WIRE_REQUEST_SHAPE(transfer_start_bulk_put_items_shape, StartRequest, "StartBulkPutItemsInput",
				   WIRE_FIELD("ClientToken", transfer_token_shape, StartRequest, token),
				   WIRE_REQUIRED("InputS3Configuration", input_shape, StartRequest, input),
				   WIRE_REQUIRED("OutputS3Configuration", output_shape, StartRequest, output),
				   WIRE_FIELD("TableName", control_table_name_shape, StartRequest, table_name),
				   WIRE_FIELD("MaxWriteRequestUnits", units_shape, StartRequest, max_units),
				   WIRE_FIELD("PerformanceTier", tier_shape, StartRequest, tier));
WIRE_REQUEST_SHAPE(transfer_bulk_operation_shape, BulkRequest, "BulkOperationInput",
				   WIRE_REQUIRED("BulkOperationArn", control_job_arn_shape, BulkRequest, arn));
WIRE_REQUEST_SHAPE(transfer_list_bulk_operations_shape, BulkRequest, "ListBulkOperationsInput",
				   WIRE_FIELD("MaxResults", page_shape, BulkRequest, limit),
				   WIRE_FIELD("NextToken", token_shape, BulkRequest, next_token));

static char *request_text(const DynamoRequest *request, const TableDef *def);
static bool is_repeated(const StartRequest *r, const char *text,
						StringInfo out);
static const Job *find_operation(DynamoRequest *request);
static void append_description(StringInfo out, const Job *job);
static void append_table(StringInfo out, const Job *job, json_t *request);
static void append_counts(StringInfo out, const Job *job);
static void append_usage(StringInfo out, const Job *job, int64 size);
static void append_summary(StringInfo out, const Job *job);

static const TransferListing listing = {
	.page = {
		.operation = "ListBulkOperations",
		.member = "BulkOperationsSummaryList", .arn = "BulkOperationArn",
		.newest_first = true
	},
	.kind = JOB_BULK, .part = PART, .append = append_summary
};

void
transfer_start_bulk_put_items(DynamoRequest *request, StringInfo out)
{
	const StartRequest *r = request->input;
	const TableDef *def = control_find_table(r->table_name,
											 "StartBulkPutItems");
	char	   *text = request_text(request, def);
	Job			job = {0};

	control_refuse_filling(def);

	/* The right to write. */
	engine_close(engine_open(request, def->name, ENGINE_PUT_ITEM));
	if (is_repeated(r, text, out))
		return;
	if (job_count_unfinished(JOB_BULK) >= MAX_OPERATIONS)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED,
					 SUBSCRIBER_LIMIT "Only %d bulk operations can be done simultaneously",
					 MAX_OPERATIONS);
	job.kind = JOB_BULK;
	job.table_name = pstrdup(def->name);
	job.relid = def->relid;
	job.token = r->token ? pstrdup(r->token) : NULL;
	job.request = text;
	job_submit(&job);
	append_description(out, &job);
}

/*
 * The request as its job keeps it: what is equal has the same text.
 */
static char *
request_text(const DynamoRequest *request, const TableDef *def)
{
	const StartRequest *r = request->input;
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "TableId", def->table_id);
	wire_member(&out, "InputS3Configuration");
	wire_append_canonical_json(&out, r->input);
	wire_member(&out, "OutputS3Configuration");
	wire_append_canonical_json(&out, r->output);
	if (r->max_units.given)
		wire_integer_member(&out, "MaxWriteRequestUnits", r->max_units.value);
	wire_string_member(&out, "PerformanceTier",
					   tiers[r->tier == 0 ? 0 : r->tier - 1]);
	if (request->door)
		transfer_append_client(&out, request);
	appendStringInfoChar(&out, '}');
	transfer_drop_nul(out.data);
	return out.data;
}

/*
 * The same request again, with the same token, is answered with the operation
 * there is.
 */
static bool
is_repeated(const StartRequest *r, const char *text, StringInfo out)
{
	const Job  *job = r->token == NULL ? NULL :
		job_find_token(JOB_BULK, r->token, GetCurrentTimestamp() -
					   TOKEN_HOURS * USECS_PER_HOUR);

	if (job == NULL)
		return false;
	if (strcmp(control_settings_remove(job->request, TRANSFER_CLIENT),
			   control_settings_remove(text, TRANSFER_CLIENT)) != 0)
		dynamo_error(DYNAMO_IDEMPOTENT_PARAMETER_MISMATCH,
					 "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical");
	append_description(out, job);
	return true;
}

void
transfer_describe_bulk_operation(DynamoRequest *request, StringInfo out)
{
	const Job  *job = find_operation(request);

	if (job != NULL)
		append_description(out, job);
}

/*
 * One that has ended stays as it is.
 */
void
transfer_cancel_bulk_operation(DynamoRequest *request, StringInfo out)
{
	const Job  *job = find_operation(request);

	if (job == NULL)
		return;
	if (job_cancel(job))
		job = job_find(JOB_BULK, job->id);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "BulkOperationArn", transfer_job_arn(job, PART));
	wire_string_member(out, "BulkOperationStatus", transfer_job_status(job));
	appendStringInfoChar(out, '}');
}

/*
 * NULL: another node has it.
 */
static const Job *
find_operation(DynamoRequest *request)
{
	const BulkRequest *r = request->input;
	const char *id = transfer_job_id(r->arn, PART);
	const Job  *job;

	if (id == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid BulkOperation ARN");
	job = job_find(JOB_BULK, id);
	if (job == NULL && transfer_job_elsewhere(request, id))
		return NULL;
	if (job == NULL || strcmp(transfer_job_arn(job, PART), r->arn) != 0)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "BulkOperation: %s not found", r->arn);
	return job;
}

static void
append_description(StringInfo out, const Job *job)
{
	json_t	   *request = control_settings(job->request);

	appendStringInfoChar(out, '{');
	wire_member(out, "BulkOperationDescription");
	append_summary(out, job);
	out->len--;					/* goes on */
	append_table(out, job, request);
	if (job->token != NULL)
		wire_string_member(out, "ClientToken", job->token);
	transfer_append_job_member(out, request, "InputS3Configuration");
	transfer_append_job_member(out, request, "OutputS3Configuration");
	append_counts(out, job);
	if (job->status == JOB_FAILED && job->failure_code != NULL)
		transfer_append_job_failure(out, job);
	transfer_append_job_member(out, request, "MaxWriteRequestUnits");
	transfer_append_job_member(out, request, "PerformanceTier");
	appendStringInfoString(out, "}}");
}

static void
append_table(StringInfo out, const Job *job, json_t *request)
{
	wire_member(out, "TableDetails");
	appendStringInfoString(out, "[{");
	wire_string_member(out, "TableName", job->table_name);
	transfer_append_job_member(out, request, "TableId");
	appendStringInfoString(out, "}]");
}

static void
append_counts(StringInfo out, const Job *job)
{
	TransferState state;

	transfer_state_read(job, &state);
	wire_integer_member(out, "ProcessedItemCount", state.processed);
	wire_integer_member(out, "ProcessedInputBytes", state.bytes);
	if (state.total_bytes >= 0)
		wire_integer_member(out, "TotalInputBytes", state.total_bytes);
	append_usage(out, job, state.size);
	wire_integer_member(out, "FailedItemCount", state.failed);
}

/*
 * Indexes take nothing of their own here.
 */
static void
append_usage(StringInfo out, const Job *job, int64 size)
{
	wire_member(out, "BulkOperationUsage");
	appendStringInfoString(out, "[{");
	wire_string_member(out, "TableName", job->table_name);
	wire_integer_member(out, "BulkPutBytes", size);
	wire_member(out, "Table");
	appendStringInfoChar(out, '{');
	wire_integer_member(out, "BulkPutBytes", size);
	appendStringInfoString(out, "}}]");
}

void
transfer_list_bulk_operations(DynamoRequest *request, StringInfo out)
{
	const BulkRequest *r = request->input;

	transfer_list_jobs(request, out, &listing, NULL, r->next_token,
					   r->limit.given ? r->limit.value : PAGE);
}

static void
append_summary(StringInfo out, const Job *job)
{
	appendStringInfoChar(out, '{');
	wire_string_member(out, "BulkOperationArn", transfer_job_arn(job, PART));
	wire_string_member(out, "BulkOperationStatus", transfer_job_status(job));
	transfer_append_job_times(out, job);
	appendStringInfoChar(out, '}');
}
