/*-------------------------------------------------------------------------
 *
 * control_pending.c
 *	  Tables that a restore is to make.
 *
 * Until the job is done there is no table, but its name is taken, and it is
 * described as CREATING.  The request of such a job has the members Table, a
 * CreateTable request, TableId, and what RestoreSummary is made of:
 * SourceTable, RestoreDateTime, and BackupId if there is a backup.  Of a
 * table's past there is SourceTableId, and At unless the present is meant; of a
 * backup that another node has, Group, by which the cluster knows that node.
 *
 * Tables that are distributed are restored on the coordinator.  So a worker asks
 * it about a name that it does not know.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "schema/schema_row.h"
#include "shard/shard.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* For how many days a restore that has failed is told of. */
#define TOLD_DAYS	1

/*
 * What the coordinator has of a name: P, a table that it is to make for all
 * nodes; T, one that it has made; F and the failure, one that it could not make;
 * or nothing.
 */
#define NAMED_SO	"j.kind OPERATOR(pg_catalog.=) 'RESTORE' AND j.table_name OPERATOR(pg_catalog.=) %s"
#define ASK \
	"SELECT COALESCE((SELECT 'P' FROM dynamo.jobs AS j WHERE " NAMED_SO " AND j.ended_at IS NULL " \
	"AND COALESCE(pg_catalog.current_setting('dynamo.distribute_new_tables', true), '') OPERATOR(pg_catalog.<>) 'off' LIMIT 1), " \
	"(SELECT 'T' FROM dynamo.tables AS t JOIN pg_catalog.pg_dist_partition AS d " \
	"ON d.logicalrelid OPERATOR(pg_catalog.=) t.relation WHERE t.table_name OPERATOR(pg_catalog.=) %s), " \
	"(SELECT CASE WHEN l.status OPERATOR(pg_catalog.=) 'FAILED' AND " \
	"l.ended_at OPERATOR(pg_catalog.>) (pg_catalog.now() OPERATOR(pg_catalog.-) '%d days'::pg_catalog.interval) " \
	"THEN 'F' OPERATOR(pg_catalog.||) l.failure_message END FROM (" \
	"SELECT j.status, j.ended_at, j.failure_message FROM dynamo.jobs AS j WHERE " NAMED_SO " " \
	"ORDER BY j.job DESC LIMIT 1) AS l), '')"

static const char *ask_coordinator(const char *name);
static const char *last_failure(const char *name);
static char *restore_summary(const json_t *request);

/*
 * What the table is to be, checked by the rules of CreateTable.
 */
TableSpec *
control_pending_spec(const json_t *request, TimestampTz created_at)
{
	const json_t *table = json_object_get(request, "Table");
	ControlCreateTable create = {0};
	TableSpec  *spec = palloc0(sizeof(TableSpec));

	wire_fill(&control_create_table_shape, table, &create);
	spec->name = create.table_name;
	control_check_create_table(&create, spec);
	spec->created_at = created_at;
	spec->table_id = wire_json_text(json_object_get(request, "TableId"));
	spec->settings = control_create_settings(&create, created_at);
	control_check_create_quotas(&create);
	return spec;
}

/*
 * Append a member that describes the table of a job.
 */
void
control_append_pending(StringInfo out, const char *member, const Job *job)
{
	json_t	   *request = control_settings(job->request);
	TableSpec  *spec = control_pending_spec(request, job->created_at);
	ControlTableChange change = {0};
	TableDef	def = {0};

	def.name = unconstify(char *, spec->name);
	def.hash = spec->hash;
	def.range = spec->range;
	def.nindexes = spec->nindexes;
	def.indexes = spec->indexes;
	for (int i = 0; i < def.nindexes; i++)
		def.indexes[i].ordinal = i + 1;
	def.nvectors = spec->nvectors;
	def.vectors = spec->vectors;
	for (int i = 0; i < def.nvectors; i++)
		def.vectors[i].ordinal = i + 1;
	strlcpy(def.table_id, spec->table_id, sizeof(def.table_id));
	def.created_at = spec->created_at;
	def.settings = unconstify(char *, spec->settings);
	if (job->kind == JOB_RESTORE)
		change.restore = restore_summary(request);
	control_append_table(out, member, &def, CONTROL_TABLE_CREATING, &change);
}

static char *
restore_summary(const json_t *request)
{
	const char *source = wire_json_text(json_object_get(request, "SourceTable"));
	json_t	   *backup = json_object_get(request, "BackupId");
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	if (backup != NULL)
		wire_string_member(&out, "SourceBackupArn",
						   wire_backup_arn(source, wire_json_text(backup)));
	wire_string_member(&out, "SourceTableArn", wire_table_arn(source));
	wire_member(&out, "RestoreDateTime");
	wire_append_json(&out, json_object_get(request, "RestoreDateTime"));
	wire_boolean_member(&out, "RestoreInProgress", true);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * The restore that is to make the table, if the current user may know of it.
 */
const Job *
control_pending_restore(const char *name_or_arn)
{
	const char *name = name_or_arn ? wire_table_name(name_or_arn) : NULL;
	const Job  *job;

	if (name == NULL || schema_find_table(name) != NULL)
		return NULL;
	job = job_pending_for(name);
	return job ? job_find(JOB_RESTORE, job->id) : NULL;
}

/*
 * There is no such table here.  Returns if the coordinator is to describe it,
 * which restores one of that name, or has made it just now.  Else tells whether a
 * restore has failed.  Otherwise the table that clients wait for would be gone
 * without a word.
 */
void
control_describe_missing(DynamoRequest *request, const char *name)
{
	const char *answer = ask_coordinator(name);
	const char *failure;

	if (answer == NULL)
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	if (answer[0] == 'P' || answer[0] == 'T')
	{
		shard_execute_at(SHARD_COORDINATOR, request);
		return;
	}
	failure = answer[0] == 'F' ? answer + 1 : last_failure(name);
	if (failure != NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Table: %s not found. Its restore has failed: %s",
					 name, failure);
	(void) control_find_table(name, "DescribeTable");
}

/*
 * See ASK; NULL: it does not answer.
 */
static const char *
ask_coordinator(const char *name)
{
	char	   *quoted = quote_literal_cstr(name);

	if (!shard_is_worker() || !schema_is_name(name))
		return "";
	return shard_try_coordinator(psprintf(ASK, quoted, quoted, TOLD_DAYS, quoted));
}

/*
 * Why the last restore of that name has failed; NULL: it has not, of late.
 */
static const char *
last_failure(const char *name)
{
	List	   *jobs = job_list(JOB_RESTORE, name, InvalidOid, NULL, 1);
	const Job  *job = jobs != NIL ? linitial(jobs) : NULL;

	if (job == NULL || job->status != JOB_FAILED ||
		job->ended_at < GetCurrentTimestamp() - TOLD_DAYS * USECS_PER_DAY)
		return NULL;
	return job->failure_message;
}

/*
 * Refuse to change or delete a table that is being made.
 */
void
control_refuse_pending(const char *name_or_arn)
{
	const char *name = name_or_arn ? wire_table_name(name_or_arn) : NULL;
	const char *answer;

	if (name == NULL || schema_find_table(name) != NULL)
		return;
	answer = job_pending_for(name) ? "P" : ask_coordinator(name);
	if (answer != NULL && answer[0] == 'P')
		dynamo_error(DYNAMO_RESOURCE_IN_USE,
					 IN_USE "Table is being created: %s", name);
}

/*
 * The job that restores the backup with that id, of whatever owner; NULL:
 * there is none.
 */
const Job *
control_restore_of_backup(const char *id)
{
	ListCell   *lc;

	foreach(lc, job_list_unfinished(JOB_RESTORE))
	{
		const Job  *job = lfirst(lc);
		json_t	   *backup = json_object_get(control_settings(job->request),
											 "BackupId");

		CHECK_FOR_INTERRUPTS();
		if (backup != NULL && strcmp(wire_json_text(backup), id) == 0)
			return job;
	}
	return NULL;
}
