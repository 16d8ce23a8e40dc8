/*-------------------------------------------------------------------------
 *
 * control_backup.c
 *	  Operations about backups, point-in-time recovery and exports: we have
 *	  none.
 *
 * They are not unknown operations, because tools call them for each table, and
 * the service has answers for a backup that does not exist.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

typedef struct BackupRequest
{
	const char *table;			/* TableName, or SourceTableName */
	const char *table_arn;		/* TableArn, or SourceTableArn */
	const char *target;			/* TargetTableName */
	const char *arn;			/* BackupArn, ExportArn */
	const char *bucket;			/* S3Bucket */
	json_t	   *recovery;		/* PointInTimeRecoverySpecification */
	WireInteger limit;
} BackupRequest;

static const char *find_table(const char *name_or_arn, const char *action,
							  bool echo);
static void tell_recovery(const char *table, const char *action,
						  StringInfo out);
static void refuse_recovery(const char *table);

static const WireShape arn_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(37, 1024)};
static const WireShape table_arn_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 1024)
};
static const WireShape limit_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, 100)};
static const WireShape page_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, 25)};
static const WireShape days_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, 35)};

static const WireField recovery_fields[] = {
	{.name = "PointInTimeRecoveryEnabled", .shape = &wire_boolean_shape, .required = true},
	{.name = "RecoveryPeriodInDays", .shape = &days_shape},
	WIRE_FIELDS_END
};
static const WireShape recovery_shape = {
	.kind = WIRE_STRUCT, .name = "PointInTimeRecoverySpecification",
	.fields = recovery_fields
};

WIRE_REQUEST_SHAPE(control_describe_continuous_backups_shape, BackupRequest, "DescribeContinuousBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, BackupRequest, table));
WIRE_REQUEST_SHAPE(control_update_continuous_backups_shape, BackupRequest, "UpdateContinuousBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, BackupRequest, table),
				   WIRE_REQUIRED("PointInTimeRecoverySpecification", recovery_shape, BackupRequest, recovery));
WIRE_REQUEST_SHAPE(control_list_backups_shape, BackupRequest, "ListBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, BackupRequest, table),
				   WIRE_FIELD("Limit", limit_shape, BackupRequest, limit));
WIRE_REQUEST_SHAPE(control_backup_shape, BackupRequest, "BackupInput",
				   WIRE_REQUIRED("BackupArn", arn_shape, BackupRequest, arn));
WIRE_REQUEST_SHAPE(control_restore_from_backup_shape, BackupRequest, "RestoreTableFromBackupInput",
				   WIRE_REQUIRED("TargetTableName", wire_name_shape, BackupRequest, target),
				   WIRE_REQUIRED("BackupArn", arn_shape, BackupRequest, arn));
WIRE_REQUEST_SHAPE(control_restore_to_time_shape, BackupRequest, "RestoreTableToPointInTimeInput",
				   WIRE_REQUIRED("TargetTableName", wire_name_shape, BackupRequest, target),
				   WIRE_FIELD("SourceTableName", wire_name_shape, BackupRequest, table),
				   WIRE_FIELD("SourceTableArn", table_arn_shape, BackupRequest, table_arn));
WIRE_REQUEST_SHAPE(control_export_table_shape, BackupRequest, "ExportTableToPointInTimeInput",
				   WIRE_REQUIRED("TableArn", table_arn_shape, BackupRequest, table_arn),
				   WIRE_REQUIRED("S3Bucket", wire_string_shape, BackupRequest, bucket));
WIRE_REQUEST_SHAPE(control_list_exports_shape, BackupRequest, "ListExportsInput",
				   WIRE_FIELD("TableArn", table_arn_shape, BackupRequest, table_arn),
				   WIRE_FIELD("MaxResults", page_shape, BackupRequest, limit));
WIRE_REQUEST_SHAPE(control_describe_export_shape, BackupRequest, "DescribeExportInput",
				   WIRE_REQUIRED("ExportArn", arn_shape, BackupRequest, arn));
WIRE_REQUEST_SHAPE(control_list_imports_shape, BackupRequest, "ListImportsInput",
				   WIRE_FIELD("TableArn", table_arn_shape, BackupRequest, table_arn),
				   WIRE_FIELD("PageSize", page_shape, BackupRequest, limit));

void
control_describe_continuous_backups(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	tell_recovery(r->table, "DescribeContinuousBackups", out);
}

void
control_update_continuous_backups(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	control_refuse("PointInTimeRecoverySpecification",
				   control_is_true(r->recovery, "PointInTimeRecoveryEnabled"));
	if (wire_json_get(r->recovery, "RecoveryPeriodInDays"))
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
	tell_recovery(r->table, "UpdateContinuousBackups", out);
}

/*
 * The service makes backups of every table that is ACTIVE possible, a few
 * seconds later.  Recovery to a point in time is another matter.
 */
static void
tell_recovery(const char *table, const char *action, StringInfo out)
{
	control_require_table(table);
	(void) find_table(table, action, false);
	appendStringInfoString(out,
						   "{\"ContinuousBackupsDescription\":{"
						   "\"ContinuousBackupsStatus\":\"ENABLED\","
						   "\"PointInTimeRecoveryDescription\":{"
						   "\"PointInTimeRecoveryStatus\":\"DISABLED\"}}}");
}

void
control_list_backups(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"BackupSummaries\":[]}");
}

void
control_find_backup(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (strncmp(r->arn, "arn:", 4) != 0 || strstr(r->arn, "/backup/") == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Backup ARN");
	dynamo_error(DYNAMO_BACKUP_NOT_FOUND, "Backup not found: %s", r->arn);
}

void
control_restore_to_time(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (r->table && r->table_arn)
		dynamo_error(DYNAMO_VALIDATION,
					 "Must provide exactly one of: sourceTableArn, sourceTableName");
	if (!r->table_arn)
		control_require_table(r->table);
	refuse_recovery(find_table(r->table ? r->table : r->table_arn,
							   "RestoreTableToPointInTime", false));
}

void
control_export_table(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (strncmp(r->table_arn, "arn:", 4) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "tableArn is not a valid ARN");
	refuse_recovery(find_table(r->table_arn, "ExportTableToPointInTime",
							   true));
}

void
control_list_exports(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"ExportSummaries\":[]}");
}

void
control_find_export(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (strncmp(r->arn, "arn:", 4) != 0 || strstr(r->arn, "/export/") == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Export ARN");
	dynamo_error(DYNAMO_EXPORT_NOT_FOUND,
				 "Export not found: Export not found: %s", r->arn);
}

void
control_list_imports(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"ImportSummaryList\":[]}");
}

/*
 * The name of a table, which must exist.  The error names it, or echoes what
 * was given.
 */
static const char *
find_table(const char *name_or_arn, const char *action, bool echo)
{
	const char *name = wire_table_name(name_or_arn);
	const TableDef *def = schema_find_table(name);

	if (def == NULL || !engine_check_use(def, action))
		dynamo_error(DYNAMO_TABLE_NOT_FOUND, "Table not found: %s",
					 echo ? name_or_arn : name);
	return name;
}

static void
refuse_recovery(const char *table)
{
	dynamo_error(DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
				 "Point in time recovery is not enabled for table '%s'",
				 table);
}
