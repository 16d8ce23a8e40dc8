/*-------------------------------------------------------------------------
 *
 * api_table_backup.c
 *	  Operations about backups, point-in-time recovery and exports: there are
 *	  none of the service's.
 *
 * They are told apart from operations that are unknown: tools ask for them of
 * each table, and the service itself has words for what is not there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_table.h"

typedef struct BackupRequest
{
	const char *table;			/* TableName, or SourceTableName */
	const char *table_arn;		/* TableArn, or SourceTableArn */
	const char *target;			/* TargetTableName */
	const char *arn;			/* BackupArn, ExportArn */
	const char *bucket;			/* S3Bucket */
	json_t	   *recovery;		/* PointInTimeRecoverySpecification */
	ApiInteger	limit;
} BackupRequest;

static void describe_continuous_backups(const void *request, StringInfo out);
static void update_continuous_backups(const void *request, StringInfo out);
static void list_backups(const void *request, StringInfo out);
static void find_backup(const void *request, StringInfo out);
static void restore_to_time(const void *request, StringInfo out);
static void export_table(const void *request, StringInfo out);
static void list_exports(const void *request, StringInfo out);
static void find_export(const void *request, StringInfo out);
static void list_imports(const void *request, StringInfo out);
static const char *find_table(const char *name_or_arn, bool echo);
static void refuse_recovery(const char *table);

static const ApiShape arn_shape = {.kind = API_STRING, API_BETWEEN(37, 1024)};
static const ApiShape table_arn_shape = {
	.kind = API_STRING, API_BETWEEN(1, 1024)
};
static const ApiShape limit_shape = {.kind = API_INTEGER, API_BETWEEN(1, 100)};
static const ApiShape page_shape = {.kind = API_INTEGER, API_BETWEEN(1, 25)};
static const ApiShape days_shape = {.kind = API_INTEGER, API_BETWEEN(1, 35)};

API_STRUCT_SHAPE(recovery_shape, "PointInTimeRecoverySpecification",
				 {.name = "PointInTimeRecoveryEnabled",
				 .shape = &api_boolean_shape, .required = true},
				 {.name = "RecoveryPeriodInDays", .shape = &days_shape});

API_STRUCT_SHAPE(describe_shape, "DescribeContinuousBackupsInput",
				 API_FIELD("TableName", api_control_name_shape, BackupRequest, table));
API_STRUCT_SHAPE(update_shape, "UpdateContinuousBackupsInput",
				 API_FIELD("TableName", api_control_name_shape, BackupRequest, table),
				 API_REQUIRED("PointInTimeRecoverySpecification", recovery_shape, BackupRequest, recovery));
API_STRUCT_SHAPE(list_backups_shape, "ListBackupsInput",
				 API_FIELD("TableName", api_control_name_shape, BackupRequest, table),
				 API_FIELD("Limit", limit_shape, BackupRequest, limit));
API_STRUCT_SHAPE(backup_shape, "BackupInput",
				 API_REQUIRED("BackupArn", arn_shape, BackupRequest, arn));
API_STRUCT_SHAPE(restore_shape, "RestoreTableFromBackupInput",
				 API_REQUIRED("TargetTableName", api_name_shape, BackupRequest, target),
				 API_REQUIRED("BackupArn", arn_shape, BackupRequest, arn));
API_STRUCT_SHAPE(restore_to_time_shape, "RestoreTableToPointInTimeInput",
				 API_REQUIRED("TargetTableName", api_name_shape, BackupRequest, target),
				 API_FIELD("SourceTableName", api_name_shape, BackupRequest, table),
				 API_FIELD("SourceTableArn", table_arn_shape, BackupRequest, table_arn));
API_STRUCT_SHAPE(export_shape, "ExportTableToPointInTimeInput",
				 API_REQUIRED("TableArn", table_arn_shape, BackupRequest, table_arn),
				 API_REQUIRED("S3Bucket", api_string_shape, BackupRequest, bucket));
API_STRUCT_SHAPE(list_exports_shape, "ListExportsInput",
				 API_FIELD("TableArn", table_arn_shape, BackupRequest, table_arn),
				 API_FIELD("MaxResults", page_shape, BackupRequest, limit));
API_STRUCT_SHAPE(describe_export_shape, "DescribeExportInput",
				 API_REQUIRED("ExportArn", arn_shape, BackupRequest, arn));
API_STRUCT_SHAPE(list_imports_shape, "ListImportsInput",
				 API_FIELD("TableArn", table_arn_shape, BackupRequest, table_arn),
				 API_FIELD("PageSize", page_shape, BackupRequest, limit));

const ApiOperation api_backup_operations[] = {
	{"DescribeContinuousBackups", &describe_shape, sizeof(BackupRequest), describe_continuous_backups},
	{"UpdateContinuousBackups", &update_shape, sizeof(BackupRequest), update_continuous_backups},
	{"ListBackups", &list_backups_shape, sizeof(BackupRequest), list_backups},
	{"DescribeBackup", &backup_shape, sizeof(BackupRequest), find_backup},
	{"DeleteBackup", &backup_shape, sizeof(BackupRequest), find_backup},
	{"RestoreTableFromBackup", &restore_shape, sizeof(BackupRequest), find_backup},
	{"RestoreTableToPointInTime", &restore_to_time_shape, sizeof(BackupRequest), restore_to_time},
	{"ExportTableToPointInTime", &export_shape, sizeof(BackupRequest), export_table},
	{"ListExports", &list_exports_shape, sizeof(BackupRequest), list_exports},
	{"DescribeExport", &describe_export_shape, sizeof(BackupRequest), find_export},
	{"ListImports", &list_imports_shape, sizeof(BackupRequest), list_imports},
	{NULL}
};

static void
describe_continuous_backups(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	api_require_table(r->table);
	(void) find_table(r->table, false);
	appendStringInfoString(out,
						   "{\"ContinuousBackupsDescription\":{"
						   "\"ContinuousBackupsStatus\":\"DISABLED\","
						   "\"PointInTimeRecoveryDescription\":{"
						   "\"PointInTimeRecoveryStatus\":\"DISABLED\"}}}");
}

static void
update_continuous_backups(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	api_refuse("PointInTimeRecoverySpecification",
			   api_is_true(r->recovery, "PointInTimeRecoveryEnabled"));
	if (api_json_get(r->recovery, "RecoveryPeriodInDays"))
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
	describe_continuous_backups(request, out);
}

static void
list_backups(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"BackupSummaries\":[]}");
}

static void
find_backup(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (strncmp(r->arn, "arn:", 4) != 0 || strstr(r->arn, "/backup/") == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Backup ARN");
	dynamo_error(DYNAMO_BACKUP_NOT_FOUND, "Backup not found: %s", r->arn);
}

static void
restore_to_time(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (r->table && r->table_arn)
		dynamo_error(DYNAMO_VALIDATION,
					 "Must provide exactly one of: sourceTableArn, sourceTableName");
	if (!r->table_arn)
		api_require_table(r->table);
	refuse_recovery(find_table(r->table ? r->table : r->table_arn, false));
}

static void
export_table(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (strncmp(r->table_arn, "arn:", 4) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "tableArn is not a valid ARN");
	refuse_recovery(find_table(r->table_arn, true));
}

static void
list_exports(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"ExportSummaries\":[]}");
}

static void
find_export(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	if (strncmp(r->arn, "arn:", 4) != 0 || strstr(r->arn, "/export/") == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Export ARN");
	dynamo_error(DYNAMO_EXPORT_NOT_FOUND,
				 "Export not found: Export not found: %s", r->arn);
}

static void
list_imports(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"ImportSummaryList\":[]}");
}

/*
 * The name of a table, which must exist.  The error names it, or echoes what
 * was given.
 */
static const char *
find_table(const char *name_or_arn, bool echo)
{
	const char *name = api_table_name(name_or_arn);

	if (schema_find_table(name) == NULL)
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
