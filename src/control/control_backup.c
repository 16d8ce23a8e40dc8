/*-------------------------------------------------------------------------
 *
 * control_backup.c
 *	  Operations about backups: we have none yet.
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
	const char *table;			/* TableName */
	const char *arn;			/* BackupArn */
	WireInteger limit;
} BackupRequest;

static const WireShape limit_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, 100)};

WIRE_REQUEST_SHAPE(control_list_backups_shape, BackupRequest, "ListBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, BackupRequest, table),
				   WIRE_FIELD("Limit", limit_shape, BackupRequest, limit));
WIRE_REQUEST_SHAPE(control_backup_shape, BackupRequest, "BackupInput",
				   WIRE_REQUIRED("BackupArn", control_backup_arn_shape, BackupRequest, arn));

void
control_list_backups(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"BackupSummaries\":[]}");
}

void
control_find_backup(const void *request, StringInfo out)
{
	const BackupRequest *r = request;

	control_refuse_backup(r->arn);
}

/* No backup has this ARN. */
void
control_refuse_backup(const char *arn)
{
	if (strncmp(arn, "arn:", 4) != 0 || strstr(arn, "/backup/") == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Backup ARN");
	dynamo_error(DYNAMO_BACKUP_NOT_FOUND, "Backup not found: %s", arn);
}
