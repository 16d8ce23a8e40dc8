/*-------------------------------------------------------------------------
 *
 * archive_restore.c
 *	  RestoreTableFromBackup, RestoreTableToPointInTime.
 *
 * By HTTP a job makes the table, and until then its name is taken
 * (control_pending.c).  Otherwise it is made in the calling transaction.  A
 * table that is to be distributed is made so on the coordinator, whichever node
 * is asked, and whichever has the backup.  In all cases it is the caller's
 * table, who needs CREATE on the schema of tables and SELECT on what it is made
 * of.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "archive/archive_internal.h"
#include "backup/backup.h"
#include "backup/backup_past.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "recall/recall.h"
#include "shard/shard.h"
#include "stats/stats.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#define MAX_RESTORES	50

/* What a table is made of. */
typedef struct Source
{
	const Backup *backup;		/* NULL: of the past of a table */
	const char *table;			/* its name */
	const char *table_id;
	Oid			relid;			/* its items' */
	const char *definition;
	TimestampTz when;			/* RestoreDateTime */
	bool		latest;			/* the present is asked for */
} Source;

static void check_old_target(const char *target);
static void check_cross_region(const ControlRestore *r);
static void check_source_owner(const ControlRestore *r);
static bool may_read(const Backup *backup);
static void find_source(const ControlRestore *r, Source *source);
static void keep_deleted(const Backup *backup);
static const TableDef *find_distributed(const char *name,
										const char *table_id);
static const Backup *last_deleted(const char *name,
								  const char *table_id);
static bool is_deleted(const Backup *backup, void *arg);
static void check_time(const ControlRestore *r);
static void pin_present(Source *source);
static bool is_for_later(const DynamoRequest *request);
static void restore(const DynamoRequest *request, const Source *source,
					StringInfo out);
static void check_target(const char *target);
static char *restore_request(const ControlRestore *r, const Source *source);
static bool run_job(Job *job);
static const TableDef *past_of_distributed(const json_t *request);
static const char *items_query(const json_t *request);
static void refuse_backup(const char *id) pg_attribute_noreturn();
static const char *past_query(const json_t *request);

static const JobHandler restore_handler = {
	.kind = JOB_RESTORE, .step = run_job
};

/*
 * Tell the jobs how backups and restores are made.
 */
void
archive_restore_init(void)
{
	job_register(&archive_backup_handler);
	job_register(&restore_handler);
}

void
archive_restore_from_backup(DynamoRequest *request, StringInfo out)
{
	const ControlRestore *r = request->input;
	bool		creating;
	const Backup *backup;
	Source		source = {0};

	check_old_target(r->target);
	shard_check_new(r->target);
	backup = archive_find_backup(request, r->backup, "RestoreTableFromBackup",
								 &creating);
	if (archive_is_elsewhere(r->backup))
		check_cross_region(r);
	source.backup = backup;
	source.table = backup->table_name;
	source.table_id = backup->table_id;
	source.relid = backup->relid;
	if (creating)
		dynamo_error(DYNAMO_BACKUP_IN_USE, "Backup is being created: %s",
					 r->backup);
	if (!may_read(backup))
		dynamo_error(DYNAMO_ACCESS_DENIED, "%s",
					 wire_denial_on("RestoreTableFromBackup", r->backup));
	if (!backup->elsewhere)
	{
		/* Who deletes it has done so, or finds the job. */
		LockRelationOid(backup->relid, AccessShareLock);
		if (backup_read(backup->id) == NULL)
			dynamo_error(DYNAMO_BACKUP_NOT_FOUND, "Backup not found: %s",
						 r->backup);
		(void) backup_items_query(backup);
	}
	if (control_restore_of_backup(backup->id) != NULL)
		dynamo_error(DYNAMO_BACKUP_IN_USE,
					 "Backup is being used to restore another table: %s",
					 r->backup);
	source.definition = backup->definition;
	source.when = backup->created_at;
	restore(request, &source, out);
}

static bool
may_read(const Backup *backup)
{
	return backup->elsewhere ? backup->readable :
		pg_class_aclcheck(backup->relid, GetUserId(),
						  ACL_SELECT) == ACLCHECK_OK;
}

/*
 * On a worker, a table that is not known here may be the coordinator's.  One
 * that is known is here alone, and its past cannot be read from there.
 */
void
archive_restore_to_time(DynamoRequest *request, StringInfo out)
{
	const ControlRestore *r = request->input;
	DynamoHelp	help = {.hint = "Make a backup of it and restore that, or set dynamo.distribute_new_tables to off."};
	Source		source = {0};
	BackupWindow window;
	const TableDef *spread;

	if (r->source && r->source_arn)
		dynamo_error(DYNAMO_VALIDATION,
					 "Must provide exactly one of: sourceTableArn, sourceTableName");
	if (!r->source_arn)
		control_require_table(r->source);
	else if (strncmp(r->source_arn, "arn:", 4) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "sourceTableArn is not a valid ARN");
	check_time(r);
	if (r->source_arn)
		check_source_owner(r);
	find_source(r, &source);
	spread = find_distributed(source.table, source.table_id);
	if (!(spread ? archive_window(spread, &window) :
		  backup_window(source.relid, &window)))
		archive_refuse_recovery(source.table);
	if (pg_class_aclcheck(source.relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		dynamo_error(DYNAMO_ACCESS_DENIED, "%s",
					 wire_denial("RestoreTableToPointInTime",
								 psprintf("table/%s", source.table)));
	backup_check_rows(source.relid);
	source.when = r->time ? wire_given_time(r->time) : window.latest;
	if (spread)
		recall_check_time(spread, source.when);
	else if (r->time && backup_moment(source.relid, source.when) == NULL)
		backup_refuse_time(source.relid, source.table, source.when);
	source.latest = r->time == NULL && !spread;
	if (source.latest && is_for_later(request))
		pin_present(&source);
	if (shard_is_worker() && shard_distributes_new())
		dynamo_error_with_help(DYNAMO_VALIDATION, &help,
							   "Table %s is on this node alone, and %s is to be distributed",
							   source.table, r->target);
	restore(request, &source, out);
}

/*
 * The length of a target's name is told in older words here, if it has none.
 */
static void
check_old_target(const char *target)
{
	if (target[0] == '\0')
		control_check_old_name("TableName", "targetTableName", target);
}

/*
 * There is one region here; another one's key must be named at least.
 */
static void
check_cross_region(const ControlRestore *r)
{
	if (r->encryption == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 CONTROL_INVALID "sseSpecificationOverride must be provided for cross-region restores");
}

static void
check_source_owner(const ControlRestore *r)
{
	bool		region_ours;
	bool		account_ours;

	if (!wire_owner(r->source_arn, &region_ours, &account_ours))
		return;
	if (!account_ours)
		dynamo_error(DYNAMO_VALIDATION, WIRE_OTHER_ACCOUNT);
	if (!region_ours)
		check_cross_region(r);
}

/*
 * The table of that name; if there is none, the last that had it and was
 * deleted with recovery on.
 */
static void
find_source(const ControlRestore *r, Source *source)
{
	const char *name_or_arn = r->source ? r->source : r->source_arn;
	const char *name = wire_table_name(name_or_arn);
	const TableDef *def = schema_find_table(name);
	const Backup *backup = def ? NULL : last_deleted(name, NULL);

	if (def == NULL && backup == NULL)
		shard_check_new(r->target);
	if (backup == NULL)
	{
		source->table = control_find_source(name_or_arn,
											"RestoreTableToPointInTime",
											false);
		def = schema_find_table(source->table);
		source->table_id = def->table_id;
		source->relid = def->relid;
		source->definition = control_definition(def);
		return;
	}
	if (may_read(backup))
		keep_deleted(backup);
	source->table = backup->table_name;
	source->table_id = backup->table_id;
	source->relid = backup->relid;
	source->definition = backup->definition;
}

/*
 * Maintenance has dropped it, or finds the job.
 */
static void
keep_deleted(const Backup *backup)
{
	LockRelationOid(backup->relid, AccessShareLock);
	if (backup_read(backup->id) == NULL)
		dynamo_error(DYNAMO_TABLE_NOT_FOUND, "Table not found: %s",
					 backup->table_name);
}

/*
 * The distributed table with that name and id; NULL: there is none.
 */
static const TableDef *
find_distributed(const char *name, const char *table_id)
{
	const TableDef *def = schema_find_table(name);

	return def != NULL && def->distributed &&
		strcmp(def->table_id, table_id) == 0 ? def : NULL;
}

/*
 * The last backup that DeleteTable has left of a table with that name and id
 * (NULL: any); NULL: there is none that the user may use.  The user's own go
 * first.  Otherwise somebody could put another in their way.
 */
static const Backup *
last_deleted(const char *name, const char *table_id)
{
	Backup		wanted = {.table_name = unconstify(char *, name)};
	List	   *found;

	if (table_id != NULL)
		strlcpy(wanted.table_id, table_id, sizeof(wanted.table_id));
	found = backup_list(NULL, is_deleted, &wanted, 0);
	for (int i = list_length(found) - 1; i >= 0; i--)
	{
		const Backup *backup = list_nth(found, i);

		if (compat_relation_owner(backup->relid, GetUserId()))
			return backup;
	}
	return found != NIL ? llast(found) : NULL;
}

static bool
is_deleted(const Backup *backup, void *arg)
{
	const Backup *wanted = arg;

	return backup->system &&
		strcmp(backup->table_name, wanted->table_name) == 0 &&
		(wanted->table_id[0] == '\0' ||
		 strcmp(backup->table_id, wanted->table_id) == 0) &&
		schema_may_use(backup->relid);
}

static void
check_time(const ControlRestore *r)
{
	bool		latest = r->latest == WIRE_TRUE;

	if (!latest && !r->time)
		dynamo_error(DYNAMO_VALIDATION,
					 CONTROL_INVALID "Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both");
	if (latest && r->time)
		dynamo_error(DYNAMO_VALIDATION,
					 CONTROL_INVALID "Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please use only one of them");
}

/*
 * The present is asked for, by a job that may come late: what is written until
 * then is no part of it.  Where no marker is of use, as of a table that was
 * deleted, it takes what there is.
 */
static void
pin_present(Source *source)
{
	TimestampTz now = journal_mark(true);

	CommandCounterIncrement();
	if (backup_moment(source->relid, now) == NULL)
		return;
	source->when = now;
	source->latest = false;
}

/* By a job, in the background? */
static bool
is_for_later(const DynamoRequest *request)
{
	return request->client.builds_later || request->client.asks_later;
}

/*
 * Begin to make the table, or make it.
 */
static void
restore(const DynamoRequest *request, const Source *source, StringInfo out)
{
	const ControlRestore *r = request->input;
	Job			job = {.kind = JOB_RESTORE};

	job.table_name = unconstify(char *, r->target);
	job.request = restore_request(r, source);
	check_target(r->target);	/* its maker has its name's lock */
	schema_lock_name(r->target);
	check_target(r->target);
	schema_check_may_create(r->target);
	stats_makes(request->stats, r->target);
	if (job_count_unfinished(JOB_RESTORE) >= MAX_RESTORES)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED,
					 SUBSCRIBER_LIMIT "Only %d restore operations can be done simultaneously",
					 MAX_RESTORES);
	if (is_for_later(request))
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
	if (backup != NULL && job_find(JOB_RESTORE, pending->id) != NULL)
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
	appendStringInfoString(&out, archive_restored_table(r, definition));
	wire_string_member(&out, "TableId", schema_new_table_id());
	wire_string_member(&out, "SourceTable", source->table);
	wire_string_member(&out, "SourceTableId", source->table_id);
	if (source->backup != NULL)
		wire_string_member(&out, "BackupId", source->backup->id);
	if (source->backup != NULL && source->backup->elsewhere)
		wire_integer_member(&out, "Group", source->backup->group);
	if (source->backup == NULL && !source->latest)
		wire_integer_member(&out, "At", source->when);
	wire_member(&out, "RestoreDateTime");
	appendStringInfoString(&out, wire_epoch(source->when));
	appendStringInfoChar(&out, '}');
	(void) control_pending_spec(control_settings(out.data), 0);
	return out.data;
}

/* The one step of a job. */
static bool
run_job(Job *job)
{
	json_t	   *request = control_settings(job->request);
	json_t	   *group = json_object_get(request, "Group");
	TableSpec  *spec = control_pending_spec(request, job->created_at);
	const TableDef *spread = past_of_distributed(request);
	const char *id;

	if (spread != NULL)
	{
		recall_restore(spec, spread,
					   json_integer_value(json_object_get(request, "At")));
		return true;
	}
	if (group == NULL)
	{
		(void) backup_restore(spec, items_query(request));
		return true;
	}
	id = wire_json_text_in(request, "BackupId");
	if (!backup_restore_from(spec, json_integer_value(group),
							 psprintf("SELECT dynamo_internal.backup_query(%s)",
									  quote_literal_cstr(id))))
		refuse_backup(id);
	return true;
}

/*
 * The distributed table whose past the request of a job is about; NULL: it is about
 * something else.
 */
static const TableDef *
past_of_distributed(const json_t *request)
{
	if (json_object_get(request, "BackupId") != NULL ||
		json_object_get(request, "At") == NULL)
		return NULL;
	return find_distributed(wire_json_text_in(request, "SourceTable"),
							wire_json_text_in(request, "SourceTableId"));
}

/* The items that the request of a job is about. */
static const char *
items_query(const json_t *request)
{
	json_t	   *id = json_object_get(request, "BackupId");
	const char *query;

	if (id == NULL)
		return past_query(request);
	query = archive_backup_query(wire_json_text(id));
	if (query == NULL)
		refuse_backup(wire_json_text(id));
	return query;
}

/*
 * Is a restore, of whatever owner, still to read a backup?  One of a table's past
 * reads the backup that DeleteTable has left of it.
 */
bool
archive_is_wanted(const Backup *backup)
{
	ListCell   *lc;

	foreach(lc, job_list_unfinished(JOB_RESTORE))
	{
		const Job  *job = lfirst(lc);
		json_t	   *request = control_settings(job->request);
		const char *id = wire_json_text_in(request, "BackupId");
		const char *table_id = wire_json_text_in(request, "SourceTableId");

		CHECK_FOR_INTERRUPTS();
		if (id != NULL && strcmp(id, backup->id) == 0)
			return true;
		if (id == NULL && table_id != NULL &&
			strcmp(table_id, backup->table_id) == 0)
			return true;
	}
	return false;
}

/*
 * The query of the items of a backup of this node; NULL: it is not there.
 */
const char *
archive_backup_query(const char *id)
{
	const Backup *backup = backup_read(id);

	return backup ? backup_items_query(backup) : NULL;
}

static void
refuse_backup(const char *id)
{
	job_fail("BackupNotFound", "Backup not found: %s", id);
}

/*
 * The same of a table's past.  The table may have been deleted since the job
 * was asked for, and another may have its name.  The query names the relation, which
 * keeps its name and columns from here on: otherwise its owner could give the name to
 * a view, whose functions would run as the role that restores.
 */
static const char *
past_query(const json_t *request)
{
	const char *table = wire_json_text(json_object_get(request, "SourceTable"));
	const char *id = wire_json_text(json_object_get(request, "SourceTableId"));
	json_t	   *at = json_object_get(request, "At");
	const TableDef *def = schema_find_table(table);
	const BackupMoment *moment;
	Oid			relid;

	if (def != NULL && strcmp(def->table_id, id) == 0)
		relid = def->relid;
	else
	{
		const Backup *backup = last_deleted(table, id);

		if (backup == NULL)
			job_fail("TableNotFound", "Table not found: %s", table);
		relid = backup->relid;
	}
	LockRelationOid(relid, AccessShareLock);
	if (schema_find_relation(relid) == NULL && !backup_is_relation(relid))
		job_fail("TableNotFound", "Table not found: %s", table);
	moment = at ? backup_moment(relid, json_integer_value(at)) :
		backup_moment_latest(relid);
	if (moment == NULL && at)
		backup_refuse_time(relid, table, json_integer_value(at));
	if (moment == NULL)
		archive_refuse_recovery(table);
	return backup_past_query(moment);
}
