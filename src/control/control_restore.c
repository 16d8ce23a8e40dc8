/*-------------------------------------------------------------------------
 *
 * control_restore.c
 *	  RestoreTableFromBackup, RestoreTableToPointInTime: there is nothing to
 *	  restore from yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

typedef struct RestoreRequest
{
	const char *table;			/* SourceTableName */
	const char *table_arn;		/* SourceTableArn */
	const char *target;			/* TargetTableName */
	const char *arn;			/* BackupArn */
} RestoreRequest;

static const WireShape table_arn_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 1024)
};

WIRE_REQUEST_SHAPE(control_restore_from_backup_shape, RestoreRequest, "RestoreTableFromBackupInput",
				   WIRE_REQUIRED("TargetTableName", wire_name_shape, RestoreRequest, target),
				   WIRE_REQUIRED("BackupArn", control_backup_arn_shape, RestoreRequest, arn));
WIRE_REQUEST_SHAPE(control_restore_to_time_shape, RestoreRequest, "RestoreTableToPointInTimeInput",
				   WIRE_REQUIRED("TargetTableName", wire_name_shape, RestoreRequest, target),
				   WIRE_FIELD("SourceTableName", wire_name_shape, RestoreRequest, table),
				   WIRE_FIELD("SourceTableArn", table_arn_shape, RestoreRequest, table_arn));

void
control_restore_from_backup(const void *request, StringInfo out)
{
	const RestoreRequest *r = request;

	control_refuse_backup(r->arn);
}

void
control_restore_to_time(const void *request, StringInfo out)
{
	const RestoreRequest *r = request;

	if (r->table && r->table_arn)
		dynamo_error(DYNAMO_VALIDATION,
					 "Must provide exactly one of: sourceTableArn, sourceTableName");
	if (!r->table_arn)
		control_require_table(r->table);
	control_refuse_recovery(control_find_source(r->table ? r->table : r->table_arn,
												"RestoreTableToPointInTime",
												false));
}
