/*-------------------------------------------------------------------------
 *
 * control_restore.c
 *	  RestoreTableFromBackup, RestoreTableToPointInTime.
 *
 * By HTTP a job makes the table, and until then its name is taken
 * (control_pending.c).  Otherwise it is made in the calling transaction.  In
 * both cases it is the caller's table, who needs CREATE on the schema of tables
 * and SELECT on what it is made of.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup.h"
#include "control/control_internal.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/timestamp.h"

#define MAX_RESTORES	50

/* What a table is made of. */
typedef struct Source
{
	const SchemaBackup *backup; /* NULL: of the past of a table */
	const char *table;			/* its name */
	const char *definition;
	TimestampTz when;			/* RestoreDateTime */
} Source;

static void restore(const ControlRestore *r, const Source *source,
					StringInfo out);
static void check_target(const char *target);
static char *restore_request(const ControlRestore *r, const Source *source);
static bool run_job(Job *job);
static const char *items_query(const json_t *request);

static const JobHandler restore_handler = {
	.kind = JOB_RESTORE, .step = run_job
};

/*
 * Tell the jobs how backups and restores are made.
 */
void
control_restore_init(void)
{
	job_register(&control_backup_handler);
	job_register(&restore_handler);
}

void
control_restore_from_backup(const void *request, StringInfo out)
{
	const ControlRestore *r = request;
	bool		creating;
	const SchemaBackup *backup = control_find_backup(r->backup,
													 "RestoreTableFromBackup",
													 &creating);
	Source		source = {.backup = backup, .table = backup->table_name};

	if (creating)
		dynamo_error(DYNAMO_BACKUP_IN_USE, "Backup is being created: %s",
					 r->backup);
	if (pg_class_aclcheck(backup->relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		dynamo_error(DYNAMO_ACCESS_DENIED, "%s",
					 wire_denial_on("RestoreTableFromBackup", r->backup));
	(void) backup_items_query(backup);
	if (control_restore_of_backup(backup->id) != NULL)
		dynamo_error(DYNAMO_BACKUP_IN_USE,
					 "Backup is being used to restore another table: %s",
					 r->backup);
	source.definition = backup->definition;
	source.when = backup->created_at;
	restore(r, &source, out);
}

void
control_restore_to_time(const void *request, StringInfo out)
{
	const ControlRestore *r = request;

	if (r->source && r->source_arn)
		dynamo_error(DYNAMO_VALIDATION,
					 "Must provide exactly one of: sourceTableArn, sourceTableName");
	if (!r->source_arn)
		control_require_table(r->source);
	control_refuse_recovery(control_find_source(r->source ? r->source : r->source_arn,
												"RestoreTableToPointInTime",
												false));
}

/*
 * Begin to make the table, or make it.
 */
static void
restore(const ControlRestore *r, const Source *source, StringInfo out)
{
	Job			job = {.kind = JOB_RESTORE};

	job.table_name = unconstify(char *, r->target);
	job.request = restore_request(r, source);
	schema_lock_name(r->target);
	check_target(r->target);
	schema_check_may_create();
	if (job_count_unfinished(JOB_RESTORE) >= MAX_RESTORES)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED,
					 SUBSCRIBER_LIMIT "Only %d restore operations can be done simultaneously",
					 MAX_RESTORES);
	if (control_build_later)
		job_submit(&job);
	else
		job_run_now(&job);

	appendStringInfoChar(out, '{');
	control_append_pending(out, "TableDescription", &job);
	appendStringInfoChar(out, '}');
}

static void
check_target(const char *target)
{
	const Job  *pending;
	json_t	   *backup;
	json_t	   *request;

	if (schema_find_table(target) != NULL)
		dynamo_error_with_help(DYNAMO_TABLE_ALREADY_EXISTS,
							   schema_help_table(target),
							   "Table already exists: %s", target);
	pending = job_pending_for(target);
	if (pending == NULL)
		return;
	request = control_settings(pending->request);
	backup = json_object_get(request, "BackupId");
	if (backup != NULL)
		dynamo_error(DYNAMO_TABLE_IN_USE,
					 "Table: %s is already being restored from backup: %s",
					 target,
					 wire_backup_arn(wire_json_text(json_object_get(request, "SourceTable")),
									 wire_json_text(backup)));
	dynamo_error(DYNAMO_TABLE_IN_USE, "Table is being used: %s", target);
}

/*
 * The request of the job: see control_pending.c.
 */
static char *
restore_request(const ControlRestore *r, const Source *source)
{
	json_t	   *definition = control_settings(source->definition);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_member(&out, "Table");
	appendStringInfoString(&out, control_restored_table(r, definition));
	wire_string_member(&out, "TableId", schema_new_table_id());
	wire_string_member(&out, "SourceTable", source->table);
	if (source->backup != NULL)
		wire_string_member(&out, "BackupId", source->backup->id);
	wire_member(&out, "RestoreDateTime");
	appendStringInfoString(&out, control_epoch(source->when));
	appendStringInfoChar(&out, '}');
	(void) control_pending_spec(control_settings(out.data), 0);
	return out.data;
}

/* The one step of a job. */
static bool
run_job(Job *job)
{
	json_t	   *request = control_settings(job->request);

	(void) backup_restore(control_pending_spec(request, job->created_at),
						  items_query(request));
	return true;
}

/* The items that the request of a job is about. */
static const char *
items_query(const json_t *request)
{
	json_t	   *id = json_object_get(request, "BackupId");
	const SchemaBackup *backup = schema_backup_read(wire_json_text(id));

	if (backup == NULL)
		job_fail("BackupNotFound", "Backup not found: %s",
				 wire_json_text(id));
	return backup_items_query(backup);
}
