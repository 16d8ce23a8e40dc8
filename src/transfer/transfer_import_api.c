/*-------------------------------------------------------------------------
 *
 * transfer_import_api.c
 *	  ImportTable, DescribeImport, ListImports.
 *
 * ImportTable makes the table and a job that fills it (transfer_import.c).
 * The table is there, and CREATING, when the request has been answered.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "transfer/transfer_job.h"
#include "transfer/transfer_load.h"

#define PART			"import"
#define MAX_IMPORTS		50		/* at the same time */
#define PAGE			25
#define TOKEN_HOURS		8		/* that a ClientToken is known */

/* ImportTable */
typedef struct ImportRequest
{
	const char *token;
	json_t	   *source;
	int			format;
	json_t	   *options;
	int			compression;
	json_t	   *table;
} ImportRequest;

/* DescribeImport, ListImports */
typedef struct FindRequest
{
	const char *arn;
	const char *table_arn;
	WireInteger limit;
	const char *next_token;
} FindRequest;

static const char *const formats[] = {"DYNAMODB_JSON", "ION", "CSV", NULL};
static const char *const compressions[] = {"ZSTD", "NONE", "GZIP", NULL};

#define FORMAT_CSV	3			/* as wire_fill() counts */

static bool is_delimiter(const char *text);

static const WireShape format_shape = {.kind = WIRE_STRING, .choices = formats};
static const WireShape compression_shape = {
	.kind = WIRE_STRING, .choices = compressions
};
static const WireShape bucket_shape = {.kind = WIRE_STRING, WIRE_MAX(255)};
static const WireShape prefix_shape = {.kind = WIRE_STRING, WIRE_MAX(1024)};
static const WireShape delimiter_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 1),
	.matches = is_delimiter,.matches_pattern = "[,;:|\\t ]"
};
static const WireShape header_shape = {
	.kind = WIRE_STRING, .attribute = true, WIRE_BETWEEN(1, 65536)
};
static const WireShape headers_shape = {
	.kind = WIRE_LIST, .element = &header_shape, WIRE_BETWEEN(1, 255)
};
static const WireShape page_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, PAGE)};
static const WireShape token_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(112, 1024)};

WIRE_STRUCT_SHAPE(source_shape, "S3BucketSource",
				  CONTROL_MEMBER("S3BucketOwner", transfer_owner_shape),
				  CONTROL_REQUIRED("S3Bucket", bucket_shape),
				  CONTROL_MEMBER("S3KeyPrefix", prefix_shape));
WIRE_STRUCT_SHAPE(csv_shape, "CsvOptions",
				  CONTROL_MEMBER("Delimiter", delimiter_shape),
				  CONTROL_MEMBER("HeaderList", headers_shape));
WIRE_STRUCT_SHAPE(options_shape, "InputFormatOptions",
				  CONTROL_MEMBER("Csv", csv_shape));

WIRE_REQUEST_SHAPE(transfer_import_table_shape, ImportRequest, "ImportTableInput",
				   WIRE_FIELD("ClientToken", transfer_token_shape, ImportRequest, token),
				   WIRE_REQUIRED("S3BucketSource", source_shape, ImportRequest, source),
				   WIRE_REQUIRED("InputFormat", format_shape, ImportRequest, format),
				   WIRE_FIELD("InputFormatOptions", options_shape, ImportRequest, options),
				   WIRE_FIELD("InputCompressionType", compression_shape, ImportRequest, compression),
				   WIRE_REQUIRED("TableCreationParameters", control_table_parameters_shape, ImportRequest, table));
WIRE_REQUEST_SHAPE(transfer_describe_import_shape, FindRequest, "DescribeImportInput",
				   WIRE_REQUIRED("ImportArn", control_job_arn_shape, FindRequest, arn));
WIRE_REQUEST_SHAPE(transfer_list_imports_shape, FindRequest, "ListImportsInput",
				   WIRE_FIELD("TableArn", control_table_arn_shape, FindRequest, table_arn),
				   WIRE_FIELD("PageSize", page_shape, FindRequest, limit),
				   WIRE_FIELD("NextToken", token_shape, FindRequest, next_token));

static char *request_text(const ImportRequest *r);
static void append_source(StringInfo out, const json_t *source);
static bool is_repeated(const ImportRequest *r, StringInfo out);
static void check_options(const ImportRequest *r);
static void append_description(StringInfo out, const Job *job);
static void append_counts(StringInfo out, const Job *job);
static void append_summary(StringInfo out, const Job *job);

static const TransferListing listing = {
	.page = {
		.operation = "ListImports", .member = "ImportSummaryList",
		.arn = "ImportArn",
		.newest_first = true
	},
	.kind = JOB_IMPORT, .part = PART, .append = append_summary
};

void
transfer_import_table(DynamoRequest *request, StringInfo out)
{
	const ImportRequest *r = request->input;
	ControlCreateTable create = {0};
	char	   *text = request_text(r);
	const TableDef *def;
	Job			job = {0};

	if (is_repeated(r, out))
		return;
	check_options(r);
	if (job_count_unfinished(JOB_IMPORT) >= MAX_IMPORTS)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED,
					 SUBSCRIBER_LIMIT "Only %d import operations can be done simultaneously",
					 MAX_IMPORTS);
	wire_fill(&control_table_parameters_shape, r->table, &create);
	def = control_make_table(&create);
	job.kind = JOB_IMPORT;
	job.table_name = pstrdup(def->name);
	job.relid = def->relid;
	job.token = r->token ? pstrdup(r->token) : NULL;
	job.request = unconstify(char *, control_settings_set(text, "TableId",
														  psprintf("\"%s\"", def->table_id)));
	job_submit(&job);
	append_description(out, &job);
}

/*
 * One that is empty is but too short.
 */
static bool
is_delimiter(const char *text)
{
	return text[0] == '\0' || bucket_is_delimiter(text);
}

/*
 * The request as its job keeps it, and as it is described: the bucket is of
 * the account, and files are not compressed, unless something else is said.
 */
static char *
request_text(const ImportRequest *r)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	append_source(&out, r->source);
	wire_string_member(&out, "InputFormat", formats[r->format - 1]);
	if (r->options != NULL)
	{
		wire_member(&out, "InputFormatOptions");
		wire_append_canonical_json(&out, r->options);
	}
	wire_string_member(&out, "InputCompressionType", r->compression == 0 ?
					   "NONE" : compressions[r->compression - 1]);
	wire_member(&out, "TableCreationParameters");
	wire_append_canonical_json(&out, r->table);
	appendStringInfoChar(&out, '}');
	transfer_drop_nul(out.data);
	return out.data;
}

static void
append_source(StringInfo out, const json_t *source)
{
	wire_member(out, "S3BucketSource");
	appendStringInfoChar(out, '{');
	transfer_append_job_member(out, source, "S3Bucket");
	transfer_append_job_member(out, source, "S3KeyPrefix");
	if (wire_json_get(source, "S3BucketOwner") != NULL)
		transfer_append_job_member(out, source, "S3BucketOwner");
	else
		wire_string_member(out, "S3BucketOwner", wire_account_id);
	appendStringInfoChar(out, '}');
}

/*
 * A request with a token that was used for an import of the same table is
 * answered with that, whatever else it asks for.
 */
static bool
is_repeated(const ImportRequest *r, StringInfo out)
{
	const char *table = wire_json_text(wire_json_get(r->table, "TableName"));
	const Job  *job = r->token == NULL ? NULL :
		job_find_token(JOB_IMPORT, r->token, GetCurrentTimestamp() -
					   TOKEN_HOURS * USECS_PER_HOUR);

	if (job == NULL)
		return false;
	if (strcmp(job->table_name, table) != 0)
		dynamo_error(DYNAMO_IMPORT_CONFLICT,
					 "Import conflict: Duplicate request detected with conflicting parameters");
	append_description(out, job);
	return true;
}

static void
check_options(const ImportRequest *r)
{
	const json_t *csv = wire_json_get(r->options, "Csv");

	if (csv != NULL && r->format != FORMAT_CSV)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Unsupported InputFormatOptions for the given input format: %s.",
					 formats[r->format - 1]);
}

void
transfer_describe_import(DynamoRequest *request, StringInfo out)
{
	const FindRequest *r = request->input;
	const char *id = transfer_job_id(r->arn, PART);
	const Job  *job;

	if (id == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Import ARN");
	job = job_find(JOB_IMPORT, id);
	if (job == NULL && transfer_job_elsewhere(request, id))
		return;
	if (job == NULL || strcmp(transfer_job_arn(job, PART), r->arn) != 0)
		dynamo_error(DYNAMO_IMPORT_NOT_FOUND,
					 "Import not found: Import not found: %s", r->arn);
	append_description(out, job);
}

static void
append_description(StringInfo out, const Job *job)
{
	static const char *const members[] = {
		"S3BucketSource", "InputFormat", "InputFormatOptions",
		"InputCompressionType", "TableCreationParameters"
	};
	json_t	   *request = control_settings(job->request);

	appendStringInfoChar(out, '{');
	wire_member(out, "ImportTableDescription");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "ImportArn", transfer_job_arn(job, PART));
	wire_string_member(out, "ImportStatus", transfer_job_status(job));
	wire_string_member(out, "TableArn", wire_table_arn(job->table_name));
	transfer_append_job_member(out, request, "TableId");
	if (job->token != NULL)
		wire_string_member(out, "ClientToken", job->token);
	for (int i = 0; i < lengthof(members); i++)
		transfer_append_job_member(out, request, members[i]);
	transfer_append_job_times(out, job);
	append_counts(out, job);
	if (job_is_finished(job) && job->failure_code != NULL)
		transfer_append_job_failure(out, job);
	appendStringInfoString(out, "}}");
}

static void
append_counts(StringInfo out, const Job *job)
{
	TransferState state;

	transfer_state_read(job, &state);
	wire_integer_member(out, "ErrorCount", state.failed);
	wire_integer_member(out, "ProcessedSizeBytes", state.bytes);
	wire_integer_member(out, "ProcessedItemCount", state.processed);
	wire_integer_member(out, "ImportedItemCount", state.taken);
}

void
transfer_list_imports(DynamoRequest *request, StringInfo out)
{
	const FindRequest *r = request->input;

	transfer_list_jobs(request, out, &listing, r->table_arn ?
					   wire_table_name(r->table_arn) : NULL, r->next_token,
					   r->limit.given ? r->limit.value : PAGE);
}

static void
append_summary(StringInfo out, const Job *job)
{
	json_t	   *request = control_settings(job->request);

	appendStringInfoChar(out, '{');
	wire_string_member(out, "ImportArn", transfer_job_arn(job, PART));
	wire_string_member(out, "ImportStatus", transfer_job_status(job));
	wire_string_member(out, "TableArn", wire_table_arn(job->table_name));
	transfer_append_job_member(out, request, "S3BucketSource");
	transfer_append_job_member(out, request, "InputFormat");
	transfer_append_job_times(out, job);
	appendStringInfoChar(out, '}');
}
