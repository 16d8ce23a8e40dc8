/*-------------------------------------------------------------------------
 *
 * monitor_view.c
 *	  ListJobs, ListEventSourceMappings and ListWorkers: views, as JSON.
 *
 * They run as the requester, so the views decide which rows that role sees, and
 * SELECT on them whether it sees any.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "meta/meta.h"
#include "monitor/monitor.h"
#include "policy/policy.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* Seconds since 1970, as the API has times. */
#define EPOCH(column)	"round(extract(epoch FROM " column "), 3)"

/* The newest are enough to see what goes on. */
#define JOBS \
	"WITH newest AS (SELECT * FROM dynamo.jobs " \
	"WHERE kind = ANY ($1) ORDER BY job DESC LIMIT 100) " \
	"SELECT json_agg(json_strip_nulls(json_build_object('JobId', j.job, " \
	"'Kind', j.kind, 'Status', j.status, 'TableName', j.table_name, " \
	"'Owner', j.owner, 'CreationDateTime', " EPOCH("j.created_at") ", " \
	"'StartDateTime', " EPOCH("j.started_at") ", " \
	"'EndDateTime', " EPOCH("j.ended_at") ", " \
	"'FailureCode', j.failure_code, 'FailureMessage', j.failure_message, " \
	"'ProcessedItems', coalesce(p.items_processed::numeric, " \
	"(j.position ->> 'Processed')::numeric, " \
	"(j.position ->> 'Items')::numeric), " \
	"'ProcessedBytes', coalesce(p.bytes_processed::numeric, " \
	"(j.position ->> 'DoneBytes')::numeric, " \
	"(j.position ->> 'Bytes')::numeric), " \
	"'TotalBytes', coalesce(nullif(p.bytes_total, 0)::numeric, " \
	"nullif((j.position ->> 'TotalBytes')::numeric, -1)))) " \
	"ORDER BY j.job DESC)::text " \
	"FROM newest AS j LEFT JOIN dynamo.stat_progress_job AS p ON p.job = j.job"

#define MAPPINGS \
	"SELECT json_agg(json_strip_nulls(json_build_object('Mapping', mapping, " \
	"'TableName', table_name, 'StreamLabel', stream_label, " \
	"'FunctionName', function, 'Owner', owner, 'Enabled', enabled, " \
	"'BatchSize', batch_size, 'FilterCriteria', filter_criteria, " \
	"'Handled', handled, 'Discarded', discarded, " \
	"'LastProcessingResult', last_processing_result, " \
	"'LastDateTime', " EPOCH("last_at") ", " \
	"'RetryDateTime', " EPOCH("retry_at") ", " \
	"'LagSeconds', " EPOCH("lag") ")) ORDER BY mapping)::text " \
	"FROM dynamo.event_source_mappings"

#define WORKERS \
	"SELECT json_agg(json_strip_nulls(json_build_object('ProcessId', pid, " \
	"'Kind', kind, 'Database', database, 'Service', service, " \
	"'State', state, 'SinceDateTime', " EPOCH("since") ", " \
	"'Waiting', waiting, 'Activity', activity)) ORDER BY pid)::text " \
	"FROM dynamo.stat_workers"

static bool may_list(DynamoRequest *request, const char *action);
static void append_view(StringInfo out, const char *member, const char *query,
						int nargs, Oid *types, Datum *values);

/*
 * Kinds that have an operation of the API which lists them are left out where
 * policies deny that.
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
	Datum		seen[lengthof(kinds)];
	int			n = 0;
	Oid			type = TEXTARRAYOID;
	Datum		value;

	for (int i = 0; i < lengthof(kinds); i++)
	{
		if (kinds[i].action == NULL || may_list(request, kinds[i].action))
			seen[n++] = CStringGetTextDatum(kinds[i].kind);
	}
	value = PointerGetDatum(construct_array(seen, n, TEXTOID, -1, false,
											TYPALIGN_INT));
	append_view(out, "Jobs", JOBS, 1, &type, &value);
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
 * FROM view AS the API shows it: {"member": [...]}, which is empty if there is
 * no row.
 */
static void
append_view(StringInfo out, const char *member, const char *query, int nargs,
			Oid *types, Datum *values)
{
	const char *rows = meta_query_text(query, nargs, types, values);

	if (rows == NULL)
		rows = "[]";
	appendStringInfoChar(out, '{');
	wire_member(out, member);
	appendStringInfoString(out, pg_server_to_any(rows, strlen(rows), PG_UTF8));
	appendStringInfoChar(out, '}');
}

void
monitor_list_mappings(DynamoRequest *request, StringInfo out)
{
	append_view(out, "EventSourceMappings", MAPPINGS, 0, NULL, NULL);
}

/*
 * Processes work in all databases, so it takes what the view takes: the
 * privileges of pg_read_all_stats.
 */
void
monitor_list_workers(DynamoRequest *request, StringInfo out)
{
	append_view(out, "Workers", WORKERS, 0, NULL, NULL);
}
