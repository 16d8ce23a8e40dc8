/*-------------------------------------------------------------------------
 *
 * archive_window.c
 *	  DescribeContinuousBackups, UpdateContinuousBackups: point-in-time
 *	  recovery.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive_internal.h"
#include "backup/backup_window.h"
#include "journal/journal.h"
#include "recall/recall.h"
#include "shard/shard.h"

typedef struct RecoveryRequest
{
	const char *table;			/* TableName */
	json_t	   *recovery;		/* PointInTimeRecoverySpecification */
} RecoveryRequest;

static void tell_recovery(const char *table, StringInfo out);
static TimestampTz told_earliest(const BackupWindow *window);

static const WireShape days_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, JOURNAL_MAX_DAYS)
};

static const WireField recovery_fields[] = {
	{.name = "PointInTimeRecoveryEnabled", .shape = &wire_boolean_shape, .required = true},
	{.name = "RecoveryPeriodInDays", .shape = &days_shape},
	WIRE_FIELDS_END
};
static const WireShape recovery_shape = {
	.kind = WIRE_STRUCT, .name = "PointInTimeRecoverySpecification",
	.fields = recovery_fields
};

WIRE_REQUEST_SHAPE(archive_describe_continuous_backups_shape, RecoveryRequest, "DescribeContinuousBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, RecoveryRequest, table));
WIRE_REQUEST_SHAPE(archive_update_continuous_backups_shape, RecoveryRequest, "UpdateContinuousBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, RecoveryRequest, table),
				   WIRE_REQUIRED("PointInTimeRecoverySpecification", recovery_shape, RecoveryRequest, recovery));

void
archive_describe_continuous_backups(DynamoRequest *request, StringInfo out)
{
	const RecoveryRequest *r = request->input;

	control_require_table(r->table);
	tell_recovery(control_find_source(r->table, "DescribeContinuousBackups",
									  false), out);
}

void
archive_update_continuous_backups(DynamoRequest *request, StringInfo out)
{
	const RecoveryRequest *r = request->input;
	json_t	   *days = wire_json_get(r->recovery, "RecoveryPeriodInDays");
	bool		enable = wire_json_is_true(r->recovery,
										   "PointInTimeRecoveryEnabled");
	const char *table;

	if (days && !enable)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
	control_require_table(r->table);
	table = control_find_source(r->table, "UpdateContinuousBackups", false);
	if (enable)
		journal_enable(table, days ? (int) wire_json_integer(days) :
					   JOURNAL_MAX_DAYS);
	else
		journal_disable(table);
	tell_recovery(table, out);
}

/*
 * The service makes backups of every table that is ACTIVE possible, a few
 * seconds later.  Recovery to a point in time is another matter.
 */
static void
tell_recovery(const char *table, StringInfo out)
{
	const TableDef *def = schema_find_table(table);
	BackupWindow window;
	bool		on = def != NULL && archive_window(def, &window);

	appendStringInfoString(out,
						   "{\"ContinuousBackupsDescription\":{"
						   "\"ContinuousBackupsStatus\":\"ENABLED\","
						   "\"PointInTimeRecoveryDescription\":{"
						   "\"PointInTimeRecoveryStatus\":");
	if (!on)
		appendStringInfoString(out, "\"DISABLED\"");
	else
	{
		appendStringInfo(out, "\"ENABLED\",\"RecoveryPeriodInDays\":%d",
						 window.days);
		if (window.earliest != 0)
			appendStringInfo(out,
							 ",\"EarliestRestorableDateTime\":%s"
							 ",\"LatestRestorableDateTime\":%s",
							 wire_epoch(told_earliest(&window)),
							 wire_epoch(window.latest));
	}
	appendStringInfoString(out, "}}}");
}

/*
 * As the service's, a whole second where there is one in the window: clients cut
 * off fractions of what they send, and would ask for a time before it.
 */
static TimestampTz
told_earliest(const BackupWindow *window)
{
	TimestampTz second = window->earliest + USECS_PER_SEC - 1;

	second -= second % USECS_PER_SEC;
	return second <= window->latest ? second : window->earliest;
}

/*
 * The times that a table can be brought back to; false: recovery is off.  Of a
 * distributed one the coordinator knows.
 */
bool
archive_window(const TableDef *def, BackupWindow *window)
{
	if (!def->distributed)
		return backup_window(def->relid, window);
	if (def->recovery != NULL && shard_is_worker())
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_COORDINATOR,
						  "Table %s is distributed by Citus: the coordinator knows its recovery",
						  def->name);
	return recall_window(def, window);
}

/* "table" has no point-in-time recovery. */
void
archive_refuse_recovery(const char *table)
{
	dynamo_error(DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
				 "Point in time recovery is not enabled for table '%s'",
				 table);
}
