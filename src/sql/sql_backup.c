/*-------------------------------------------------------------------------
 *
 * sql_backup.c
 *	  SQL functions that make, delete and restore backups.
 *
 * Each sends the request that a client of the API would send.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive.h"
#include "datatype/timestamp.h"
#include "sql/sql.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dynamo_create_backup);
PG_FUNCTION_INFO_V1(dynamo_delete_backup);
PG_FUNCTION_INFO_V1(dynamo_restore_table);
PG_FUNCTION_INFO_V1(dynamo_backup_query);

static void append_time(StringInfo out, TimestampTz time);

/*
 * create_backup(table_name, backup_name)
 */
Datum
dynamo_create_backup(PG_FUNCTION_ARGS)
{
	StringInfoData request;
	StringInfo	answer;
	json_error_t error;
	json_t	   *details;

	initStringInfo(&request);
	appendStringInfoChar(&request, '{');
	wire_string_member(&request, "TableName",
					   sql_required_text_arg(fcinfo, 0, "table_name"));
	wire_string_member(&request, "BackupName",
					   sql_required_text_arg(fcinfo, 1, "backup_name"));
	appendStringInfoChar(&request, '}');
	answer = operation_call_unchecked(operation_find("CreateBackup"), request.data,
									  request.len);
	details = json_object_get(codec_load(answer->data, answer->len, &error),
							  "BackupDetails");
	PG_RETURN_TEXT_P(cstring_to_text(wire_json_text(json_object_get(details, "BackupArn"))));
}

/*
 * delete_backup(backup_arn)
 */
Datum
dynamo_delete_backup(PG_FUNCTION_ARGS)
{
	StringInfoData request;

	initStringInfo(&request);
	appendStringInfoChar(&request, '{');
	wire_string_member(&request, "BackupArn",
					   sql_required_text_arg(fcinfo, 0, "backup_arn"));
	appendStringInfoChar(&request, '}');
	(void) operation_call_unchecked(operation_find("DeleteBackup"), request.data,
									request.len);
	PG_RETURN_VOID();
}

/*
 * restore_table(target_table_name, source_table_name, as_of, backup_arn)
 */
Datum
dynamo_restore_table(PG_FUNCTION_ARGS)
{
	char	   *target = sql_required_text_arg(fcinfo, 0, "target_table_name");
	bool		from_backup = !PG_ARGISNULL(3);
	StringInfoData request;
	const TableDef *def;

	if (from_backup ? !PG_ARGISNULL(1) || !PG_ARGISNULL(2) : PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("either source_table_name or backup_arn must be given"),
				 errdetail("A time goes with source_table_name alone.")));
	initStringInfo(&request);
	appendStringInfoChar(&request, '{');
	wire_string_member(&request, "TargetTableName", target);
	if (from_backup)
		wire_string_member(&request, "BackupArn", sql_text_arg(fcinfo, 3));
	else
	{
		char	   *source = sql_text_arg(fcinfo, 1);

		wire_string_member(&request, strncmp(source, "arn:", 4) == 0 ?
						   "SourceTableArn" : "SourceTableName", source);
		if (PG_ARGISNULL(2))
			appendStringInfoString(&request, ",\"UseLatestRestorableTime\":true");
		else
			append_time(&request, PG_GETARG_TIMESTAMPTZ(2));
	}
	appendStringInfoChar(&request, '}');
	(void) operation_call_unchecked(operation_find(from_backup ?
												   "RestoreTableFromBackup" :
												   "RestoreTableToPointInTime"),
									request.data, request.len);

	/* In a process that serves HTTP, a job makes it. */
	def = schema_find_table(target);
	if (def == NULL)
		PG_RETURN_NULL();
	PG_RETURN_OID(def->relid);
}

/* Seconds since 1970, to the microsecond. */
static void
append_time(StringInfo out, TimestampTz time)
{
	wire_member(out, "RestoreDateTime");
	appendStringInfo(out, "%.6f", (double) sql_finite_time(time) / USECS_PER_SEC +
					 (double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY);
}

/*
 * backup_query(backup_id)
 */
Datum
dynamo_backup_query(PG_FUNCTION_ARGS)
{
	const char *query = archive_backup_query(text_to_cstring(PG_GETARG_TEXT_PP(0)));

	if (query == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(query));
}
