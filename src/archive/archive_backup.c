/*-------------------------------------------------------------------------
 *
 * archive_backup.c
 *	  CreateBackup, DescribeBackup, ListBackups, DeleteBackup.
 *
 * A backup that is still being made is a job (src/job), and has no row.  A
 * role that may use the relation of a backup is told of it, and its owner may
 * delete it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "archive/archive_internal.h"
#include "backup/backup.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/timestamp.h"

typedef struct BackupRequest
{
	const char *table;			/* TableName */
	const char *name;			/* BackupName */
	const char *arn;			/* BackupArn */
} BackupRequest;

static const TableDef *own_table(const char *name_or_arn);
static bool run_job(Job *job);
static void refuse_restoring(const Backup *backup, const char *arn);

WIRE_REQUEST_SHAPE(archive_create_backup_shape, BackupRequest, "CreateBackupInput",
				   WIRE_FIELD("TableName", control_table_name_shape, BackupRequest, table),
				   WIRE_REQUIRED("BackupName", wire_name_shape, BackupRequest, name));
WIRE_REQUEST_SHAPE(archive_backup_shape, BackupRequest, "BackupInput",
				   WIRE_REQUIRED("BackupArn", control_backup_arn_shape, BackupRequest, arn));

const JobHandler archive_backup_handler = {
	.kind = JOB_BACKUP, .step = run_job
};

/*
 * The owner alone may ask, and only if no policy hides an item.
 */
void
archive_create_backup(DynamoRequest *request, StringInfo out)
{
	const BackupRequest *r = request->input;
	const TableDef *def;
	StringInfoData asked;
	Backup		backup = {{0}};
	Job			job = {.kind = JOB_BACKUP};
	double		tuples;
	double		pages;

	control_require_table(r->table);
	def = own_table(r->table);
	if (request->client.builds_later)
	{
		/* Who deletes the table has done so, or finds the job. */
		schema_lock_definition(def->name);
		def = own_table(r->table);
	}
	backup_check_rows(def->relid);
	if (!key_relation_counts(def->relid, &tuples, &pages))
		tuples = pages = 0;

	initStringInfo(&asked);
	appendStringInfoChar(&asked, '{');
	wire_string_member(&asked, "BackupName", r->name);
	wire_string_member(&asked, "TableId", def->table_id);
	wire_integer_member(&asked, "ItemCount", (int64) tuples);
	wire_integer_member(&asked, "SizeBytes", (int64) pages * BLCKSZ);
	wire_member(&asked, "Definition");
	appendStringInfoString(&asked, control_definition(def));
	appendStringInfoChar(&asked, '}');

	job.table_name = def->name;
	job.relid = def->relid;
	job.request = asked.data;
	if (request->client.builds_later)
		job_submit(&job);
	else
		job_run_now(&job);

	archive_backup_of_job(&job, &backup);
	appendStringInfoChar(out, '{');
	archive_append_backup(out, "BackupDetails", &backup,
						  wire_backup_arn(backup.table_name, backup.id),
						  "CREATING");
	appendStringInfoChar(out, '}');
}

static const TableDef *
own_table(const char *name_or_arn)
{
	const TableDef *def = schema_find_table(control_find_source(name_or_arn,
																"CreateBackup",
																false));

	schema_check_owner(def);
	return def;
}

/* The one step of a job. */
static bool
run_job(Job *job)
{
	json_t	   *asked = control_settings(job->request);
	const TableDef *def = schema_find_table(job->table_name);
	Backup		backup;

	if (def == NULL ||
		strcmp(def->table_id,
			   wire_json_text(json_object_get(asked, "TableId"))) != 0)
		job_fail("TableNotFound", "Table not found: %s", job->table_name);
	archive_backup_of_job(job, &backup);
	backup_create(def, &backup);
	return true;
}

void
archive_describe_backup(DynamoRequest *request, StringInfo out)
{
	const BackupRequest *r = request->input;
	bool		creating;
	const Backup *backup = archive_find_backup(request, r->arn, "DescribeBackup",
											   &creating);

	if (backup->elsewhere)
	{
		shard_execute_at(backup->group, request);
		return;
	}
	appendStringInfoChar(out, '{');
	archive_append_description(out, backup, r->arn,
							   creating ? "CREATING" : "AVAILABLE");
	appendStringInfoChar(out, '}');
}

/*
 * A backup is gone when this returns; the answer says DELETED.
 */
void
archive_delete_backup(DynamoRequest *request, StringInfo out)
{
	const BackupRequest *r = request->input;
	bool		creating;
	const Backup *backup = archive_find_backup(request, r->arn, "DeleteBackup",
											   &creating);

	if (backup->elsewhere)
	{
		shard_execute_at(backup->group, request);
		return;
	}
	if (creating)
		dynamo_error(DYNAMO_BACKUP_IN_USE, "Backup is being created: %s",
					 r->arn);
	if (!compat_relation_owner(backup->relid, GetUserId()))
		dynamo_error(DYNAMO_ACCESS_DENIED, "%s",
					 wire_denial_on("DeleteBackup", r->arn));
	if (backup->system)
		dynamo_error(DYNAMO_VALIDATION,
					 CONTROL_INVALID "User is not allowed to delete the system backup with arn %s. It will automatically expire on %s",
					 r->arn, wire_seconds_text(backup->expires_at));
	PreventCommandIfReadOnly("deleting a backup");
	refuse_restoring(backup, r->arn);
	LockRelationOid(backup->relid, AccessExclusiveLock);
	backup = archive_find_backup(request, r->arn, "DeleteBackup", &creating);	/* as it is now */
	refuse_restoring(backup, r->arn);	/* nor has it begun meanwhile */
	appendStringInfoChar(out, '{');
	archive_append_description(out, backup, r->arn, "DELETED");
	appendStringInfoChar(out, '}');
	backup_drop(backup);
}

/* Somebody may need it yet. */
static void
refuse_restoring(const Backup *backup, const char *arn)
{
	if (control_restore_of_backup(backup->id) != NULL ||
		archive_is_restored(backup))
		dynamo_error(DYNAMO_BACKUP_IN_USE,
					 "Backup is being used to restore table: %s", arn);
}
