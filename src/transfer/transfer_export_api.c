/*-------------------------------------------------------------------------
 *
 * transfer_export_api.c
 *	  ExportTableToPointInTime, DescribeExport, ListExports.
 *
 * The order of the checks is the service's as far as it is known: the shape,
 * which members go together, the table, its recovery, the times.  Whether the
 * bucket is there and may be written is found by the export itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive.h"
#include "backup/backup_window.h"
#include "bucket/bucket.h"
#include "transfer/transfer_internal.h"
#include "transfer/transfer_job.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* Exports that ListExports shows at a time. */
#define MAX_RESULTS		25

/* How long the time of an incremental export may be. */
#define LEAST_PERIOD	(INT64CONST(15) * 60 * USECS_PER_SEC)
#define MOST_PERIOD		(INT64CONST(24) * 3600 * USECS_PER_SEC)

/* ExportTableToPointInTime */
typedef struct ExportRequest
{
	const char *table_arn;
	json_t	   *time;
	const char *token;
	const char *bucket;
	const char *bucket_owner;
	const char *prefix;
	int			sse_algorithm;
	const char *sse_key;
	int			format;
	int			type;
	json_t	   *incremental;
	json_t	   *filter;
} ExportRequest;

/* IncrementalExportSpecification */
typedef struct IncrementalRequest
{
	json_t	   *from_time;
	json_t	   *to_time;
	int			view;
} IncrementalRequest;

/* DescribeExport, ListExports */
typedef struct ExportsRequest
{
	const char *table_arn;
	const char *arn;
	WireInteger limit;
	const char *next_token;
} ExportsRequest;

/* Values of the choices below: 0 is "not given". */
#define SSE_AES256		1
#define SSE_KMS			2
#define FORMAT_ION		2
#define TYPE_INCREMENTAL 2
#define VIEW_NEW		1

static const WireShape page_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_RESULTS)
};
static const WireShape arn_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE, WIRE_MAX(1024)
};
static const WireShape bucket_shape = {.kind = WIRE_STRING, WIRE_MAX(255)};
static const WireShape prefix_shape = {.kind = WIRE_STRING, WIRE_MAX(1024)};
static const WireShape sse_key_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 2048)
};
static const char *const algorithms[] = {"AES256", "KMS", NULL};
static const char *const formats[] = {"DYNAMODB_JSON", "ION", NULL};
static const char *const types[] = {"FULL_EXPORT", "INCREMENTAL_EXPORT", NULL};
static const char *const views[] = {"NEW_IMAGE", "NEW_AND_OLD_IMAGES", NULL};

static const WireShape algorithm_shape = {.kind = WIRE_STRING, .choices = algorithms};
static const WireShape format_shape = {.kind = WIRE_STRING, .choices = formats};
static const WireShape type_shape = {.kind = WIRE_STRING, .choices = types};
static const WireShape view_shape = {.kind = WIRE_STRING, .choices = views};

static const WireField incremental_fields[] = {
	WIRE_FIELD("ExportFromTime", wire_time_shape, IncrementalRequest, from_time),
	WIRE_FIELD("ExportToTime", wire_time_shape, IncrementalRequest, to_time),
	WIRE_FIELD("ExportViewType", view_shape, IncrementalRequest, view),
	WIRE_FIELDS_END
};
static const WireShape incremental_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(IncrementalRequest),
	.name = "IncrementalExportSpecification", .fields = incremental_fields
};

WIRE_STRUCT_SHAPE(filter_shape, "FilterSpecification",
				  CONTROL_MEMBER("FilterExpression", wire_string_shape),
				  CONTROL_MEMBER("ProjectionExpression", wire_string_shape),
				  CONTROL_MEMBER("KeyConditionExpression", wire_string_shape),
				  CONTROL_MEMBER("ExpressionAttributeNames", wire_names_shape),
				  CONTROL_MEMBER("ExpressionAttributeValues", wire_item_shape));

WIRE_REQUEST_SHAPE(transfer_export_table_shape, ExportRequest, "ExportTableToPointInTimeInput",
				   WIRE_REQUIRED("TableArn", arn_shape, ExportRequest, table_arn),
				   WIRE_FIELD("ExportTime", wire_time_shape, ExportRequest, time),
				   WIRE_FIELD("ClientToken", transfer_token_shape, ExportRequest, token),
				   WIRE_REQUIRED("S3Bucket", bucket_shape, ExportRequest, bucket),
				   WIRE_FIELD("S3BucketOwner", transfer_owner_shape, ExportRequest, bucket_owner),
				   WIRE_FIELD("S3Prefix", prefix_shape, ExportRequest, prefix),
				   WIRE_FIELD("S3SseAlgorithm", algorithm_shape, ExportRequest, sse_algorithm),
				   WIRE_FIELD("S3SseKmsKeyId", sse_key_shape, ExportRequest, sse_key),
				   WIRE_FIELD("ExportFormat", format_shape, ExportRequest, format),
				   WIRE_FIELD("ExportType", type_shape, ExportRequest, type),
				   WIRE_FIELD("IncrementalExportSpecification", incremental_shape, ExportRequest, incremental),
				   WIRE_FIELD("FilterSpecification", filter_shape, ExportRequest, filter));
WIRE_REQUEST_SHAPE(transfer_list_exports_shape, ExportsRequest, "ListExportsInput",
				   WIRE_FIELD("TableArn", arn_shape, ExportsRequest, table_arn),
				   WIRE_FIELD("MaxResults", page_shape, ExportsRequest, limit),
				   WIRE_FIELD("NextToken", wire_string_shape, ExportsRequest, next_token));
WIRE_REQUEST_SHAPE(transfer_describe_export_shape, ExportsRequest, "DescribeExportInput",
				   WIRE_REQUIRED("ExportArn", control_job_arn_shape, ExportsRequest, arn));

static void check_bucket(const char *bucket);
static void check_arn_given(const char *arn);
static void check_members(const ExportRequest *r,
						  const IncrementalRequest *incremental);
static const TableDef *table_of_arn(const char *arn);
static void read_request(const ExportRequest *r,
						 const IncrementalRequest *incremental,
						 TransferExport *export);
static void check_period(const TableDef *def, const TransferExport *export);
static void check_window(const TableDef *def, const TransferExport *export);
static void check_moment(const TableDef *def, TimestampTz time);
static void check_prefix(const char *prefix);
static TimestampTz given_time(const json_t *time);
static void append_export(StringInfo out, const Job *job);
static void append_outcome(StringInfo out, const Job *job);
static void append_asked(StringInfo out, const TransferExport *export);
static void append_time(StringInfo out, const char *member, TimestampTz time);
static const char *status_name(const Job *job);
static const char *type_name(const TransferExport *export);
static const Job *find_export(DynamoRequest *request, const char *arn);
static const char *summary(const Job *job);
static List *find_exports(DynamoRequest *request,
						  const ExportsRequest *r, int limit);
static const char *page_start(DynamoRequest *request,
							  const char *next_token);

static const ShardListing listing = {
	.operation = "ListExports", .member = "ExportSummaries",
	.arn = "ExportArn",
	.newest_first = true
};

void
transfer_export_table(DynamoRequest *request, StringInfo out)
{
	const ExportRequest *r = request->input;
	IncrementalRequest incremental = {0};
	TransferExport export = {0};
	TransferFilter *filter = NULL;
	const TableDef *def;

	check_bucket(r->bucket);
	if (r->incremental)
		wire_fill(&incremental_shape, r->incremental, &incremental);
	check_members(r, &incremental);
	if (r->filter)
		filter = transfer_filter_read(r->filter);
	read_request(r, &incremental, &export);
	def = table_of_arn(r->table_arn);
	if (filter)
		transfer_filter_check(filter, def);
	export.table_name = def->name;
	export.table_id = def->table_id;
	export.filter = filter;
	transfer_check_export(request->policy, &export, def);
	if (export.incremental)
		check_period(def, &export);
	if (def->recovery == NULL)
		archive_refuse_recovery(def->name);
	check_window(def, &export);
	export.without_recovery = def->distributed && export.time == 0 &&
		!export.incremental;
	check_prefix(export.prefix);
	append_export(out, transfer_export_submit(&export, def, request));
}

/*
 * What is asked of the table.
 */
static void
read_request(const ExportRequest *r, const IncrementalRequest *incremental,
			 TransferExport *export)
{
	export->bucket = r->bucket;
	export->bucket_owner = r->bucket_owner;
	export->prefix = r->prefix;
	export->sse_algorithm = r->sse_algorithm == SSE_KMS ? "KMS" : "AES256";
	export->sse_key = r->sse_key;
	export->token = r->token;
	export->format = r->format == FORMAT_ION ? BUCKET_ION :
		BUCKET_DYNAMODB_JSON;
	export->time = given_time(r->time);
	export->incremental = r->type == TYPE_INCREMENTAL;
	export->from_time = given_time(incremental->from_time);
	export->to_time = given_time(incremental->to_time);
	export->old_images = export->incremental && incremental->view != VIEW_NEW;
}

/*
 * A pattern that no shape has.
 */
static void
check_bucket(const char *bucket)
{
	if (!bucket_is_name(bucket))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_COUNTED "Value '%s' at 's3Bucket' failed to satisfy constraint: Member must satisfy regular expression pattern: ^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$",
					 bucket);
}

static void
check_arn_given(const char *arn)
{
	if (arn != NULL && arn[0] == '\0')
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid TableArn: Invalid Table ARN");
}

/*
 * Which members go together.
 */
static void
check_members(const ExportRequest *r, const IncrementalRequest *incremental)
{
	if (r->incremental && r->type == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Export Type expected to be Incremental Export when incremental export specification is provided");
	if (r->incremental && r->type != TYPE_INCREMENTAL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be provided");
	if (r->type == TYPE_INCREMENTAL && !r->incremental)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Incremental Export Specification expected when export type is set as Incremental Export");
	if (r->incremental && !incremental->from_time)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification");
	if (r->sse_key && r->sse_algorithm != SSE_KMS)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: KMS Key Id is not supported for this encryption type");
}

static const TableDef *
table_of_arn(const char *arn)
{
	check_arn_given(arn);
	if (strncmp(arn, "arn:", 4) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "tableArn is not a valid ARN");
	return schema_find_table(control_find_source(arn, "ExportTableToPointInTime",
												 true));
}

/*
 * The period of an incremental export, which is looked at before it is known
 * whether there is a past at all.  It may begin in the second in which the table
 * was made: clients know no more.
 */
static void
check_period(const TableDef *def, const TransferExport *export)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz to = export->to_time != 0 ? export->to_time : now;

	if (export->from_time < def->created_at - def->created_at % USECS_PER_SEC)
		dynamo_error(DYNAMO_INVALID_EXPORT_TIME,
					 "Incremental export period from time cannot be less than the table creation time : %s",
					 wire_seconds_text(def->created_at));
	if (to > now)
		dynamo_error(DYNAMO_INVALID_EXPORT_TIME,
					 "Incremental export period to time cannot be greater than the current time : %s",
					 wire_seconds_text(now));
	if (to - export->from_time < LEAST_PERIOD)
		dynamo_error(DYNAMO_INVALID_EXPORT_TIME,
					 "Difference between export period from time and export period to time is less than 15 minutes");
	if (to - export->from_time > MOST_PERIOD)
		dynamo_error(DYNAMO_INVALID_EXPORT_TIME,
					 "Difference between export period from time and export period to time is greater than 24 hours");
}

/*
 * The times that are given against the window of the table.  Unless its end is
 * given a period ends now, or rather as far as the window reaches.
 */
static void
check_window(const TableDef *def, const TransferExport *export)
{
	if (!export->incremental && export->time != 0 &&
		(export->time > GetCurrentTimestamp() ||
		 export->time < def->created_at))
		dynamo_error(DYNAMO_INVALID_EXPORT_TIME, "Export Time is invalid");
	if (export->incremental)
	{
		check_moment(def, transfer_period_begin(def->relid, export->from_time));
		check_moment(def, export->to_time);
	}
	else
		check_moment(def, export->time);
}

/*
 * Can the table be read as of that time?  0: it is not given.
 */
static void
check_moment(const TableDef *def, TimestampTz time)
{
	if (time != 0 && backup_moment(def->relid, time) == NULL)
		dynamo_error(DYNAMO_INVALID_EXPORT_TIME,
					 "Point in Time Recovery is not available for specified export time");
}

/*
 * It must name files of a bucket.  The service has no such rule, nor a text.
 */
static void
check_prefix(const char *prefix)
{
	const char *fault = prefix ? bucket_prefix_fault(prefix) : NULL;

	if (fault != NULL)
		dynamo_error(DYNAMO_VALIDATION, DYNAMO_INVALID "S3Prefix is no prefix of files in a bucket: %s",
					 fault);
}

/*
 * 0: none is given.  The time that is 0 becomes one that is in no window
 * either.
 */
static TimestampTz
given_time(const json_t *time)
{
	TimestampTz given = time ? wire_given_time(time) : 0;

	return time && given == 0 ? 1 : given;
}

void
transfer_find_export(DynamoRequest *request, StringInfo out)
{
	const ExportsRequest *r = request->input;
	const Job  *job = find_export(request, r->arn);

	if (job != NULL)
		append_export(out, job);
}

/*
 * NULL: another node has it.
 */
static const Job *
find_export(DynamoRequest *request, const char *arn)
{
	const char *part = strstr(arn, "/export/");
	const char *here = psprintf("arn:aws:dynamodb:%s:", wire_region);
	const Job  *job;

	if (strncmp(arn, "arn:", 4) != 0 || part == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Export ARN");
	if (strncmp(arn, here, strlen(here)) != 0)
		dynamo_error(DYNAMO_EXPORT_NOT_FOUND,
					 "Export not found: Invalid export arn");
	job = job_find(JOB_EXPORT, part + strlen("/export/"));
	if (job == NULL &&
		transfer_job_elsewhere(request, part + strlen("/export/")))
		return NULL;
	if (job == NULL || strcmp(transfer_export_arn(job), arn) != 0)
		dynamo_error(DYNAMO_EXPORT_NOT_FOUND,
					 "Export not found: Export not found: %s", arn);
	return job;
}

/*
 * ExportDescription.
 */
static void
append_export(StringInfo out, const Job *job)
{
	TransferExport *export = transfer_export_request(job);

	appendStringInfoString(out, "{\"ExportDescription\":{");
	wire_string_member(out, "ExportArn", transfer_export_arn(job));
	wire_string_member(out, "ExportStatus", status_name(job));
	append_time(out, "StartTime", job->created_at);
	if (job_is_finished(job))
		append_time(out, "EndTime", job->ended_at);
	append_outcome(out, job);
	wire_string_member(out, "TableArn", wire_table_arn(job->table_name));
	wire_string_member(out, "TableId", export->table_id);
	append_asked(out, export);
	appendStringInfoString(out, "}}");
}

/*
 * What is known when it has ended, and of which time the items are.
 */
static void
append_outcome(StringInfo out, const Job *job)
{
	const TransferExport *export = transfer_export_request(job);
	TransferExportState state;

	transfer_export_state(job, &state);
	if (!export->incremental)
		append_time(out, "ExportTime",
					export->time != 0 ? export->time : state.time);
	if (job->status == JOB_COMPLETED)
	{
		wire_string_member(out, "ExportManifest", state.manifest);
		wire_integer_member(out, "BilledSizeBytes", state.bytes);
		wire_integer_member(out, "ItemCount", state.items);
	}
	else if (job->status == JOB_CANCELLED)
	{
		wire_string_member(out, "FailureCode", "Cancelled");
		wire_string_member(out, "FailureMessage", "The export was cancelled.");
	}
	else if (job->status == JOB_FAILED)
		transfer_append_job_failure(out, job);
}

/*
 * What was asked for.
 */
static void
append_asked(StringInfo out, const TransferExport *export)
{
	if (export->token)
		wire_string_member(out, "ClientToken", export->token);
	wire_string_member(out, "S3Bucket", export->bucket);
	if (export->bucket_owner)
		wire_string_member(out, "S3BucketOwner", export->bucket_owner);
	if (export->prefix)
		wire_string_member(out, "S3Prefix", export->prefix);
	wire_string_member(out, "S3SseAlgorithm", export->sse_algorithm);
	if (export->sse_key)
		wire_string_member(out, "S3SseKmsKeyId", export->sse_key);
	wire_string_member(out, "ExportFormat",
					   formats[export->format == BUCKET_ION ? FORMAT_ION - 1 : 0]);
	wire_string_member(out, "DestinationType", "S3");
	if (export->specification)
	{
		wire_member(out, "FilterSpecification");
		wire_append_json(out, export->specification);
	}
	if (!export->incremental)
		return;
	wire_string_member(out, "ExportType", type_name(export));
	wire_member(out, "IncrementalExportSpecification");
	appendStringInfoChar(out, '{');
	append_time(out, "ExportFromTime", export->from_time);
	append_time(out, "ExportToTime", export->to_time);
	wire_string_member(out, "ExportViewType",
					   views[export->old_images ? 1 : 0]);
	appendStringInfoChar(out, '}');
}

static void
append_time(StringInfo out, const char *member, TimestampTz time)
{
	wire_member(out, member);
	appendStringInfoString(out, wire_epoch(time));
}

static const char *
status_name(const Job *job)
{
	if (!job_is_finished(job))
		return "IN_PROGRESS";
	return job->status == JOB_COMPLETED ? "COMPLETED" : "FAILED";
}

static const char *
type_name(const TransferExport *export)
{
	return types[export->incremental ? TYPE_INCREMENTAL - 1 : 0];
}

void
transfer_list_exports(DynamoRequest *request, StringInfo out)
{
	const ExportsRequest *r = request->input;
	int			limit = r->limit.given ? (int) r->limit.value : MAX_RESULTS;
	List	   *listed = NIL;
	ListCell   *lc;
	const char *next;

	foreach(lc, find_exports(request, r, limit + 1))
	{
		const Job  *job = lfirst(lc);

		listed = shard_note_listed(listed, transfer_export_arn(job),
								   summary(job));
	}
	appendStringInfoChar(out, '{');
	next = shard_append_list(request, out, &listing, listed, limit);
	if (next != NULL)
		wire_string_member(out, "NextToken", strrchr(next, '/') + 1);
	appendStringInfoChar(out, '}');
}

/*
 * The request's JSON may take half a gigabyte, and there are several to a page.
 */
static const char *
summary(const Job *job)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo listed export",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	const char *type = type_name(transfer_export_request(job));
	StringInfoData out;

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "ExportArn", transfer_export_arn(job));
	wire_string_member(&out, "ExportStatus", status_name(job));
	wire_string_member(&out, "ExportType", type);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * Exports of a table that is gone belong to nobody who has its name now.
 */
static List *
find_exports(DynamoRequest *request, const ExportsRequest *r, int limit)
{
	const char *before = page_start(request, r->next_token);
	const TableDef *def;

	check_arn_given(r->table_arn);
	if (r->table_arn == NULL)
		return job_list(JOB_EXPORT, NULL, InvalidOid, before, limit);
	def = schema_find_table(wire_table_name(r->table_arn));
	return def == NULL ? NIL :
		job_list(JOB_EXPORT, def->name, def->relid, before, limit);
}

/*
 * The export behind which a page begins; a token is its id.  Another node may have it.
 */
static const char *
page_start(DynamoRequest *request, const char *next_token)
{
	if (next_token && !request->client.is_node &&
		!transfer_job_exists(request, JOB_EXPORT, next_token))
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Provided nextToken is invalid: %s",
					 next_token);
	return next_token;
}
