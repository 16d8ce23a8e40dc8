/*-------------------------------------------------------------------------
 *
 * control_recovery.c
 *	  DescribeContinuousBackups, UpdateContinuousBackups: no table has
 *	  point-in-time recovery yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

typedef struct RecoveryRequest
{
	const char *table;			/* TableName */
	json_t	   *recovery;		/* PointInTimeRecoverySpecification */
} RecoveryRequest;

static void tell_recovery(const char *table, const char *action,
						  StringInfo out);

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

WIRE_REQUEST_SHAPE(control_describe_continuous_backups_shape, RecoveryRequest, "DescribeContinuousBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, RecoveryRequest, table));
WIRE_REQUEST_SHAPE(control_update_continuous_backups_shape, RecoveryRequest, "UpdateContinuousBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, RecoveryRequest, table),
				   WIRE_REQUIRED("PointInTimeRecoverySpecification", recovery_shape, RecoveryRequest, recovery));

void
control_describe_continuous_backups(const void *request, StringInfo out)
{
	const RecoveryRequest *r = request;

	tell_recovery(r->table, "DescribeContinuousBackups", out);
}

void
control_update_continuous_backups(const void *request, StringInfo out)
{
	const RecoveryRequest *r = request;

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
	(void) control_find_source(table, action, false);
	appendStringInfoString(out,
						   "{\"ContinuousBackupsDescription\":{"
						   "\"ContinuousBackupsStatus\":\"ENABLED\","
						   "\"PointInTimeRecoveryDescription\":{"
						   "\"PointInTimeRecoveryStatus\":\"DISABLED\"}}}");
}

/* "table" has no point-in-time recovery. */
void
control_refuse_recovery(const char *table)
{
	dynamo_error(DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
				 "Point in time recovery is not enabled for table '%s'",
				 table);
}
