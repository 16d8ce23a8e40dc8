/*-------------------------------------------------------------------------
 *
 * transfer_export.c
 *	  Asking for an export, and what is known of one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "backup/backup_window.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "transfer/transfer_internal.h"
#include "transfer/transfer_load.h"
#include "utils/acl.h"
#include "utils/rls.h"
#include "wire/wire.h"

/* So long a token stands for its request. */
#define TOKEN_LIFE	(INT64CONST(8) * 3600 * USECS_PER_SEC)

/* Exports under way at a time. */
#define MAX_EXPORTS	300

static char *request_text(const DynamoRequest *asked,
						  const TransferExport *request);
static bool same_request(const char *a, const char *b);
static bool has_members(const json_t *object, const json_t *other);
static bool is_granted(DynamoRequest *asked, const TableDef *def,
					   const TransferExport *request);
static void settle_end(const TransferExport *request, Oid relid,
					   const DynamoRequest *asked);
static void append_if(StringInfo out, const char *member, const char *text);

/*
 * Submit an export as the current user, who must be allowed to read what it is
 * of; or return the one that the same request, by its token, has started
 * within eight hours.  "asked" is the request (NULL: a SQL function), whose
 * policies are asked again when the work begins.  Raises
 * AccessDeniedException, ExportConflictException for another request with that
 * token, LimitExceededException, and for a prefix that is none.  All else has
 * been checked.
 */
const Job *
transfer_export_submit(const TransferExport *request, const TableDef *def,
					   DynamoRequest *asked)
{
	Job		   *job = palloc0(sizeof(Job));
	const Job  *earlier = NULL;

	transfer_check_reader(asked, def, request);
	if (request->prefix)
		bucket_check_prefix(request->prefix);
	job->kind = JOB_EXPORT;
	job->table_name = pstrdup(def->name);
	job->relid = def->relid;
	job->request = request_text(asked, request);
	if (request->token)
	{
		job->token = pstrdup(request->token);
		earlier = job_find_token(JOB_EXPORT, request->token,
								 GetCurrentTimestamp() - TOKEN_LIFE);
	}
	if (earlier && !same_request(earlier->request, job->request))
		dynamo_error(DYNAMO_EXPORT_CONFLICT,
					 "Export conflict: Duplicate request detected with conflicting parameters");
	if (earlier)
		return earlier;
	if (job_count_unfinished(JOB_EXPORT) >= MAX_EXPORTS)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED,
					 "Subscriber limit exceeded: Only %d export operations can be done simultaneously",
					 MAX_EXPORTS);
	settle_end(request, def->relid, asked);
	job_submit(job);
	return job;
}

/*
 * Have the same marker answer for the end that is asked for from here on.
 * Otherwise the present may do so now, and an older marker for the export that
 * goes on there, which would have some changes again.  In a transaction block
 * others would not see the marker until that ends, and what answers them would
 * change then.  A request by HTTP is in none but its own.
 */
static void
settle_end(const TransferExport *request, Oid relid,
		   const DynamoRequest *asked)
{
	TimestampTz end = request->incremental ? request->to_time : request->time;
	bool		in_block = asked ? asked->in_block : IsTransactionBlock();
	BackupWindow window;

	if (end != 0 && !in_block && backup_window(relid, &window) &&
		end > window.settled)
		(void) journal_mark(true);
}

/*
 * The second in which the window begins stands for its beginning.  All items may
 * have been exported in that second, too, and clients cut off the fraction of the
 * ExportTime that they were told.
 */
TimestampTz
transfer_period_begin(Oid relid, TimestampTz from)
{
	BackupWindow window;

	if (!backup_window(relid, &window) ||
		from < window.earliest - window.earliest % USECS_PER_SEC)
		return from;
	return Max(from, window.earliest);
}

/*
 * Do two requests of jobs ask for the same, wherever they came from?
 */
static bool
same_request(const char *a, const char *b)
{
	const json_t *first = transfer_export_object(a);
	const json_t *second = transfer_export_object(b);

	return has_members(first, second) && has_members(second, first);
}

/*
 * Has an object all members of another, as they are there?
 */
static bool
has_members(const json_t *object, const json_t *other)
{
	const char *key;
	json_t	   *value;

	json_object_foreach((json_t *) other, key, value)
	{
		if (strcmp(key, TRANSFER_CLIENT) != 0 &&
			!json_equal(value, json_object_get(object, key)))
			return false;
	}
	return true;
}

/*
 * AccessDeniedException unless the current user may read all that the export
 * is of: row-level security must hide none of it.
 */
void
transfer_check_reader(DynamoRequest *asked, const TableDef *def,
					  const TransferExport *request)
{
	if (pg_class_aclcheck(def->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
		(check_enable_rls(def->relid, InvalidOid, true) != RLS_ENABLED ||
		 is_granted(asked, def, request)))
		return;
	dynamo_error_with_help(DYNAMO_ACCESS_DENIED, schema_help_table(def->name),
						   "%s", wire_denial("ExportTableToPointInTime",
											 psprintf("table/%s", def->name)));
}

/*
 * Is it the present of a partition that row-level security shows?
 */
static bool
is_granted(DynamoRequest *asked, const TableDef *def,
		   const TransferExport *request)
{
	EngineTable *table;
	bool		granted;

	if (request->filter == NULL || request->filter->clauses == NULL ||
		request->incremental || request->time != 0)
		return false;
	table = engine_open(asked, def->name, ENGINE_QUERY);
	granted = engine_shows(table, &request->filter->range.hash[0]);
	engine_close(table);
	return granted;
}

/*
 * A JSON object.
 */
static char *
request_text(const DynamoRequest *asked, const TransferExport *request)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "Table", request->table_name);
	wire_string_member(&out, "TableId", request->table_id);
	wire_string_member(&out, "Bucket", request->bucket);
	append_if(&out, "BucketOwner", request->bucket_owner);
	append_if(&out, "Prefix", request->prefix);
	append_if(&out, "SseAlgorithm", request->sse_algorithm);
	append_if(&out, "SseKey", request->sse_key);
	append_if(&out, "Token", request->token);
	wire_integer_member(&out, "Format", request->format);
	wire_integer_member(&out, "Time", request->time);
	wire_boolean_member(&out, "Incremental", request->incremental);
	wire_integer_member(&out, "FromTime", request->from_time);
	wire_integer_member(&out, "ToTime", request->to_time);
	wire_boolean_member(&out, "OldImages", request->old_images);
	wire_boolean_member(&out, "WithoutRecovery", request->without_recovery);
	if (request->filter != NULL)
	{
		wire_member(&out, "FilterSpecification");
		wire_append_json(&out, request->filter->specification);
	}
	if (asked != NULL && asked->door)
		transfer_append_client(&out, asked);
	appendStringInfoChar(&out, '}');
	return out.data;
}

static void
append_if(StringInfo out, const char *member, const char *text)
{
	if (text)
		wire_string_member(out, member, text);
}

/*
 * What was asked for, in the current context.
 */
TransferExport *
transfer_export_request(const Job *job)
{
	TransferExport *request = palloc0(sizeof(TransferExport));
	json_t	   *object = transfer_export_object(job->request);

	request->table_name = wire_json_text_in(object, "Table");
	request->table_id = wire_json_text_in(object, "TableId");
	request->bucket = wire_json_text_in(object, "Bucket");
	request->bucket_owner = wire_json_text_in(object, "BucketOwner");
	request->prefix = wire_json_text_in(object, "Prefix");
	request->sse_algorithm = wire_json_text_in(object, "SseAlgorithm");
	request->sse_key = wire_json_text_in(object, "SseKey");
	request->token = wire_json_text_in(object, "Token");
	request->format = (BucketFormat) wire_json_integer_in(object, "Format", 0);
	request->time = wire_json_integer_in(object, "Time", 0);
	request->incremental = json_is_true(json_object_get(object, "Incremental"));
	request->from_time = wire_json_integer_in(object, "FromTime", 0);
	request->to_time = wire_json_integer_in(object, "ToTime", 0);
	if (request->to_time == 0)
	{
		TransferExportState state;

		transfer_export_state(job, &state);
		request->to_time = state.time;
	}
	request->old_images = json_is_true(json_object_get(object, "OldImages"));
	request->without_recovery =
		json_is_true(json_object_get(object, "WithoutRecovery"));
	request->specification = json_object_get(object, "FilterSpecification");
	return request;
}

/*
 * How far it is; all zero, and the time of the request, before the first step.
 */
void
transfer_export_state(const Job *job, TransferExportState *state)
{
	json_t	   *object;

	memset(state, 0, sizeof(TransferExportState));
	state->time = job->created_at;
	if (job->position == NULL)
		return;
	object = transfer_export_object(job->position);
	state->time = wire_json_integer_in(object, "Time", 0);
	state->items = wire_json_integer_in(object, "Items", 0);
	state->bytes = wire_json_integer_in(object, "Bytes", 0);
	state->manifest = wire_json_text_in(object, "Manifest");
}

/*
 * ARN of an export.
 */
char *
transfer_export_arn(const Job *job)
{
	return psprintf("%s/export/%s", wire_table_arn(job->table_name), job->id);
}

/*
 * A request or position that this room has written; an error if it is no
 * object.
 */
json_t *
transfer_export_object(const char *text)
{
	json_error_t error;
	json_t	   *object = codec_load(text, strlen(text), &error);

	if (!json_is_object(object))
		elog(ERROR, "request or position of an export is no JSON object");
	return object;
}
