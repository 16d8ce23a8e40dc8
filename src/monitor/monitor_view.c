/*-------------------------------------------------------------------------
 *
 * monitor_view.c
 *	  ListJobs, ListEventSourceMappings and ListWorkers: views, as JSON; and
 *	  UpdateEventSourceMapping, which shows its row of such a view.
 *
 * They run as the requester, so the views decide which rows that role sees, and
 * SELECT on them whether it sees any.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "handler/handler.h"
#include "job/job.h"
#include "mb/pg_wchar.h"
#include "meta/meta.h"
#include "monitor/monitor.h"
#include "policy/policy.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* Seconds since 1970, as the API has times. */
#define EPOCH(column)	"round(extract(epoch FROM " column "), 3)"

/*
 * A page: of the jobs between two ids, newest first.  A job that has not ended
 * may have a process that reports how far it is.
 */
#define MAX_JOBS	100			/* that a page shows */
#define JOBS_LOOKED 1000		/* that it looks at, whosoever's they are */
#define JOBS \
	"WITH page AS (SELECT * FROM dynamo.jobs " \
	"WHERE job BETWEEN $2 AND $3 AND kind = ANY ($1) " \
	"ORDER BY job DESC LIMIT $4) " \
	"SELECT json_strip_nulls(json_build_object('Jobs', " \
	"coalesce(json_agg(json_build_object('JobId', j.job, " \
	"'Kind', j.kind, 'Status', j.status, 'TableName', j.table_name, " \
	"'Owner', j.owner, 'CreationDateTime', " EPOCH("j.created_at") ", " \
	"'StartDateTime', " EPOCH("j.started_at") ", " \
	"'EndDateTime', " EPOCH("j.ended_at") ", " \
	"'FailureCode', j.failure_code, 'FailureMessage', j.failure_message, " \
	"'ProcessedItems', coalesce(p.tuples_processed::numeric, " \
	"(j.position ->> 'Processed')::numeric, " \
	"(j.position ->> 'Items')::numeric), " \
	"'ProcessedBytes', coalesce(p.bytes_processed::numeric, " \
	"(j.position ->> 'DoneBytes')::numeric, " \
	"(j.position ->> 'Bytes')::numeric), " \
	"'TotalBytes', coalesce(nullif(p.bytes_total, 0)::numeric, " \
	"nullif((j.position ->> 'TotalBytes')::numeric, -1))) " \
	"ORDER BY j.job DESC), '[]'), 'NextToken', " \
	"CASE WHEN count(*) = $4 THEN min(j.job) ELSE nullif($2, '') END))::text " \
	"FROM page AS j " \
	"LEFT JOIN pg_catalog.pg_stat_progress_copy AS p ON p.pid = j.pid"

#define MAPPING \
	"json_strip_nulls(json_build_object('Mapping', mapping, " \
	"'TableName', table_name, 'StreamLabel', stream_label, " \
	"'FunctionName', function, 'Owner', owner, 'Enabled', enabled, " \
	"'BatchSize', batch_size, 'FilterCriteria', filter_criteria, " \
	"'Handled', handled, 'Discarded', discarded, " \
	"'LastProcessingResult', last_processing_result, " \
	"'LastDateTime', " EPOCH("last_called_at") ", " \
	"'RetryDateTime', " EPOCH("retry_at") ", " \
	"'LagSeconds', " EPOCH("lag") "))"

#define MAPPINGS \
	"SELECT json_agg(" MAPPING " ORDER BY mapping)::text " \
	"FROM dynamo.event_source_mappings"

#define ONE_MAPPING \
	"SELECT " MAPPING "::text FROM dynamo.event_source_mappings WHERE mapping = $1"

#define WORKERS \
	"SELECT json_agg(json_strip_nulls(json_build_object('ProcessId', pid, " \
	"'Kind', kind, 'Database', database, 'Service', service, " \
	"'State', state, 'SinceDateTime', " EPOCH("since") ", " \
	"'Waiting', waiting, 'Activity', activity)) ORDER BY pid)::text " \
	"FROM dynamo.stat_workers"

typedef struct JobsRequest
{
	WireInteger limit;			/* jobs */
	const char *next_token;		/* the last id of the page before */
} JobsRequest;

typedef struct MappingRequest
{
	WireInteger mapping;
	WireBoolean enabled;
} MappingRequest;

static const WireShape limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_JOBS)
};
static const WireShape token_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, JOB_ID_LENGTH)
};
static const WireShape mapping_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, PG_INT32_MAX)
};

WIRE_REQUEST_SHAPE(monitor_list_jobs_shape, JobsRequest, "ListJobsInput",
				   WIRE_FIELD("Limit", limit_shape, JobsRequest, limit),
				   WIRE_FIELD("NextToken", token_shape, JobsRequest, next_token));
WIRE_REQUEST_SHAPE(monitor_update_mapping_shape, MappingRequest, "UpdateEventSourceMappingInput",
				   WIRE_REQUIRED("Mapping", mapping_shape, MappingRequest, mapping),
				   WIRE_FIELD("Enabled", wire_boolean_shape, MappingRequest, enabled));

static void append_text(StringInfo out, const char *json);
static bool may_list(DynamoRequest *request, const char *action);
static void append_view(StringInfo out, const char *member, const char *query);
static void append_mapping(StringInfo out, int32 id);

/*
 * Kinds that have an operation of the API which lists them are left out where
 * policies deny that.  A page looks at so many jobs of all roles, so that its cost
 * is bounded for a role that sees few of many: it may be empty, and yet have a
 * NextToken.
 */
void
monitor_list_jobs(DynamoRequest *request, StringInfo out)
{
	static const struct
	{
		const char *kind;
		const char *action;		/* NULL: there is none */
	}			kinds[] = {
		{"BACKUP", "ListBackups"},
		{"RESTORE", NULL},
		{"EXPORT", "ListExports"},
		{"IMPORT", "ListImports"},
		{"BULK_PUT", "ListBulkOperations"},
	};
	const JobsRequest *r = request->input;
	Oid			types[] = {TEXTARRAYOID, TEXTOID, TEXTOID, INT8OID};
	Datum		values[lengthof(types)];
	Datum		seen[lengthof(kinds)];
	int			n = 0;
	char		newest[JOB_ID_LENGTH + 1];
	char		oldest[JOB_ID_LENGTH + 1];

	for (int i = 0; i < lengthof(kinds); i++)
	{
		if (kinds[i].action == NULL || may_list(request, kinds[i].action))
			seen[n++] = CStringGetTextDatum(kinds[i].kind);
	}
	(void) job_reach(r->next_token, JOBS_LOOKED, newest, oldest);
	values[0] = PointerGetDatum(construct_array(seen, n, TEXTOID, -1, false,
												TYPALIGN_INT));
	values[1] = CStringGetTextDatum(oldest);
	values[2] = CStringGetTextDatum(newest);
	values[3] = Int64GetDatum(r->limit.given ? r->limit.value : MAX_JOBS);
	append_text(out, meta_query_text(JOBS, lengthof(types), types, values));
}

static bool
may_list(DynamoRequest *request, const char *action)
{
	const PolicyResource all = {.arn = "*"};
	PolicyCheck check;

	if (request->policy == NULL)
		return true;
	policy_check_begin(request->policy, &check, action, &all);
	return policy_denial(&check, action) == NULL;
}

/*
 * Names of roles and databases have the encodings of the databases that they were
 * made in.
 */
static void
append_text(StringInfo out, const char *json)
{
	json = pg_server_to_any(json, strlen(json), PG_UTF8);
	appendStringInfoString(out, wire_text(json));
}

/*
 * FROM view AS the API shows it: {"member": [...]}, which is empty if there is
 * no row.
 */
static void
append_view(StringInfo out, const char *member, const char *query)
{
	const char *rows = meta_query_text(query, 0, NULL, NULL);

	appendStringInfoChar(out, '{');
	wire_member(out, member);
	append_text(out, rows ? rows : "[]");
	appendStringInfoChar(out, '}');
}

void
monitor_list_mappings(DynamoRequest *request, StringInfo out)
{
	append_view(out, "EventSourceMappings", MAPPINGS);
}

/*
 * Whether it is enabled; and a batch that waits after a failure is tried again at
 * once.  Who may not know of a mapping is told that there is none.
 */
void
monitor_update_mapping(DynamoRequest *request, StringInfo out)
{
	const MappingRequest *r = request->input;
	int32		id = (int32) r->mapping.value;
	const StreamMapping *mapping = stream_mapping_read(id);
	HandlerSettings settings;

	if (mapping == NULL || !handler_may_know(mapping))
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 "Event source mapping %d not found", id);
	mapping = handler_lock(id);
	handler_read_settings(mapping, &settings);
	handler_update(mapping, InvalidOid, &settings, false, InvalidOid,
				   r->enabled == WIRE_BOOLEAN_UNSET ? mapping->enabled :
				   r->enabled == WIRE_TRUE);
	appendStringInfoChar(out, '{');
	wire_member(out, "EventSourceMapping");
	append_mapping(out, id);
	appendStringInfoChar(out, '}');
}

/*
 * The view's snapshot may be older than the mapping, or its table.
 */
static void
append_mapping(StringInfo out, int32 id)
{
	Oid			type = INT4OID;
	Datum		value = Int32GetDatum(id);
	const char *row = meta_query_text(ONE_MAPPING, 1, &type, &value);

	if (row == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access: the event source mapping was made later")));
	append_text(out, row);
}

/*
 * Processes work in all databases, so it takes what the view takes: the
 * privileges of pg_read_all_stats.
 */
void
monitor_list_workers(DynamoRequest *request, StringInfo out)
{
	append_view(out, "Workers", WORKERS);
}
