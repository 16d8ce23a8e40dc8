/*-------------------------------------------------------------------------
 *
 * sql_transfer.c
 *	  export_table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup_window.h"
#include "miscadmin.h"
#include "sql/sql.h"
#include "transfer/transfer_export.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dynamo_export_table);

static const TableDef *find_exported(const char *name);
static TransferFilter *filter_args(FunctionCallInfo fcinfo, int n);
static TimestampTz time_arg(FunctionCallInfo fcinfo, int n);
static void check_export_times(const TableDef *def, TransferExport *export);
static void check_moment(const TableDef *def, TimestampTz time);

/*
 * export_table(table_name, bucket, prefix, export_format, as_of, from_time,
 *				to_time, export_view_type, key_condition_expression,
 *				filter_expression, projection_expression,
 *				expression_attribute_values, expression_attribute_names)
 *
 * What the export itself would find is checked here, too: somebody waits for
 * the answer.
 */
Datum
dynamo_export_table(PG_FUNCTION_ARGS)
{
	TransferExport export = {0};
	TransferFilter *filter = filter_args(fcinfo, 8);
	const TableDef *def = find_exported(sql_required_text_arg(fcinfo, 0,
															  "table_name"));
	char	   *format = sql_required_text_arg(fcinfo, 3, "export_format");
	char	   *view = sql_required_text_arg(fcinfo, 7, "export_view_type");

	PreventCommandIfReadOnly("export_table()");
	export.table_name = def->name;
	export.table_id = def->table_id;
	export.bucket = sql_required_text_arg(fcinfo, 1, "bucket");
	export.prefix = sql_text_arg(fcinfo, 2);
	export.sse_algorithm = "AES256";
	if (!bucket_find_format(format, &export.format) ||
		export.format == BUCKET_CSV)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized export_format: \"%s\"", format),
				 errhint("Formats are DYNAMODB_JSON and ION.")));
	export.old_images = strcmp(view, "NEW_AND_OLD_IMAGES") == 0;
	if (!export.old_images && strcmp(view, "NEW_IMAGE") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized export_view_type: \"%s\"", view),
				 errhint("Views are NEW_IMAGE and NEW_AND_OLD_IMAGES.")));
	export.time = time_arg(fcinfo, 4);
	export.from_time = time_arg(fcinfo, 5);
	export.to_time = time_arg(fcinfo, 6);
	if (filter)
		transfer_filter_check(filter, def);
	export.filter = filter;
	check_export_times(def, &export);
	bucket_close(bucket_open(export.bucket, BUCKET_WRITE));
	PG_RETURN_TEXT_P(cstring_to_text(transfer_export_arn(transfer_export_submit(&export,
																				def, NULL))));
}

static const TableDef *
find_exported(const char *name)
{
	const TableDef *def = schema_find_table(sql_table_name(name));

	if (def == NULL || def->filling)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(sql_table_name(name)),
							   "Requested resource not found: Table: %s not found",
							   name);
	return def;
}

/*
 * What argument "n" and the four that follow it say of the items that are
 * wanted; NULL: nothing, or they are not there in the version of the SQL
 * objects.
 */
static TransferFilter *
filter_args(FunctionCallInfo fcinfo, int n)
{
	static const char *const members[] = {
		"KeyConditionExpression", "FilterExpression", "ProjectionExpression"
	};
	StringInfoData json;
	json_error_t error;
	text	   *names;
	int			nnames;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int i = 0; i < lengthof(members); i++)
	{
		if (!PG_ARGISNULL(n + i))
			wire_string_member(&json, members[i], sql_text_arg(fcinfo, n + i));
	}
	n += lengthof(members);
	if (!PG_ARGISNULL(n))
		wire_item_member(&json, "ExpressionAttributeValues",
						 PG_GETARG_ITEM_P(n));
	names = expr_names_arg(fcinfo, n + 1);
	if (names != NULL)
	{
		(void) expr_names_from_json(names, &nnames);
		wire_member(&json, "ExpressionAttributeNames");
		appendBinaryStringInfo(&json, VARDATA_ANY(names),
							   VARSIZE_ANY_EXHDR(names));
	}
	appendStringInfoChar(&json, '}');
	if (json.len == 2)
		return NULL;
	return transfer_filter_read(codec_load(json.data, json.len, &error));
}

/*
 * 0: null.  The time that is 0 becomes one that is in no window either.
 */
static TimestampTz
time_arg(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n))
		return 0;
	return PG_GETARG_TIMESTAMPTZ(n) != 0 ? PG_GETARG_TIMESTAMPTZ(n) : 1;
}

/*
 * Unlike the API's, a period may have any length.
 */
static void
check_export_times(const TableDef *def, TransferExport *export)
{
	TimestampTz to = export->to_time != 0 ? export->to_time :
		GetCurrentTimestamp();

	export->incremental = export->from_time != 0;
	export->old_images = export->old_images && export->incremental;
	export->without_recovery = (def->recovery == NULL || def->distributed) &&
		export->time == 0 && !export->incremental;
	if ((export->incremental && export->time != 0) ||
		(!export->incremental && export->to_time != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an export is of one time, as_of, or of the changes from from_time to to_time")));
	if (export->time != 0)
		check_moment(def, export->time);
	if (!export->incremental)
		return;
	if (export->from_time >= to)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("from_time must be before to_time")));
	check_moment(def, export->from_time);
	if (export->to_time != 0)
		check_moment(def, to);
}

static void
check_moment(const TableDef *def, TimestampTz time)
{
	if (def->recovery == NULL)
		dynamo_error_with_help(DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
							   schema_help_table(def->name),
							   "Point in time recovery is not enabled for table '%s'",
							   def->name);
	if (time > GetCurrentTimestamp() ||
		backup_moment(def->relid, time) == NULL)
		dynamo_error_with_help(DYNAMO_INVALID_EXPORT_TIME,
							   schema_help_table(def->name),
							   "Point in Time Recovery is not available for specified export time");
}
