/*-------------------------------------------------------------------------
 *
 * sql_import.c
 *	  The SQL functions that load items from files.
 *
 * They make the request of the API's operation from their arguments, and
 * return the ARN that it answers with.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "sql/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dynamo_import_table);
PG_FUNCTION_INFO_V1(dynamo_bulk_put_items);

static void append_location(StringInfo out, const char *member,
							const char *bucket, const char *prefix);
static void append_csv(StringInfo out, FunctionCallInfo fcinfo);
static void append_header(StringInfo out, ArrayType *header);
static void append_table(StringInfo out, FunctionCallInfo fcinfo);
static void append_attribute(StringInfo out, const char *name,
							 const char *member, const char *value);
static text *run_import(const char *operation, StringInfo request,
						 const char *description, const char *member);

/*
 * import_table(table_name, bucket, partition_key, sort_key,
 * partition_key_type, sort_key_type, prefix, input_format, input_compression,
 * delimiter, header)
 */
Datum
dynamo_import_table(PG_FUNCTION_ARGS)
{
	StringInfoData request;
	char	   *format = sql_required_text_arg(fcinfo, 7, "input_format");
	char	   *compression = sql_text_arg(fcinfo, 8);

	initStringInfo(&request);
	appendStringInfoChar(&request, '{');
	append_location(&request, "S3BucketSource",
					sql_required_text_arg(fcinfo, 1, "bucket"),
					sql_text_arg(fcinfo, 6));
	appendStringInfoChar(&request, '}');
	wire_string_member(&request, "InputFormat", format);
	if (compression != NULL)
		wire_string_member(&request, "InputCompressionType", compression);
	if (strcmp(format, "CSV") == 0)
		append_csv(&request, fcinfo);
	append_table(&request, fcinfo);
	appendStringInfoChar(&request, '}');
	PG_RETURN_TEXT_P(run_import("ImportTable", &request,
								"ImportTableDescription",
								"ImportArn"));
}

/*
 * bulk_put_items(table_name, bucket, prefix, input_format, input_compression,
 * report_bucket, report_prefix, max_write_request_units)
 */
Datum
dynamo_bulk_put_items(PG_FUNCTION_ARGS)
{
	StringInfoData request;
	char	   *bucket = sql_required_text_arg(fcinfo, 1, "bucket");
	char	   *compression = sql_text_arg(fcinfo, 4);
	char	   *report = sql_text_arg(fcinfo, 5);

	initStringInfo(&request);
	appendStringInfoChar(&request, '{');
	wire_string_member(&request, "TableName",
					   sql_required_text_arg(fcinfo, 0, "table_name"));
	append_location(&request, "InputS3Configuration", bucket,
					sql_text_arg(fcinfo, 2));
	wire_string_member(&request, "InputFormat",
					   sql_required_text_arg(fcinfo, 3, "input_format"));
	if (compression != NULL)
		wire_string_member(&request, "InputCompressionType", compression);
	appendStringInfoChar(&request, '}');
	append_location(&request, "OutputS3Configuration",
					report ? report : bucket, sql_text_arg(fcinfo, 6));
	wire_member(&request, "OutputType");
	appendStringInfoString(&request, report ?
						   "[\"ERROR\",\"CONDITION_CHECK_FAILURE\"]}" :
						   "[]}");
	if (!PG_ARGISNULL(7))
		wire_integer_member(&request, "MaxWriteRequestUnits",
							PG_GETARG_INT64(7));
	appendStringInfoChar(&request, '}');
	PG_RETURN_TEXT_P(run_import("StartBulkPutItems", &request,
								"BulkOperationDescription", "BulkOperationArn"));
}

/* The caller ends the object. */
static void
append_location(StringInfo out, const char *member, const char *bucket,
				const char *prefix)
{
	wire_member(out, member);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "S3Bucket", bucket);
	if (prefix != NULL && prefix[0] != '\0')
		wire_string_member(out, "S3KeyPrefix", prefix);
}

static void
append_csv(StringInfo out, FunctionCallInfo fcinfo)
{
	wire_member(out, "InputFormatOptions");
	appendStringInfoString(out, "{\"Csv\":{");
	wire_string_member(out, "Delimiter",
					   sql_required_text_arg(fcinfo, 9, "delimiter"));
	if (!PG_ARGISNULL(10))
		append_header(out, PG_GETARG_ARRAYTYPE_P(10));
	appendStringInfoString(out, "}}");
}

static void
append_header(StringInfo out, ArrayType *header)
{
	Datum	   *names;
	bool	   *nulls;
	int			n;

	deconstruct_array(header, TEXTOID, -1, false, TYPALIGN_INT, &names,
					  &nulls, &n);
	wire_member(out, "HeaderList");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("header must not contain nulls")));
		wire_element(out);
		wire_append_string(out, TextDatumGetCString(names[i]));
	}
	appendStringInfoChar(out, ']');
}

static void
append_table(StringInfo out, FunctionCallInfo fcinfo)
{
	char	   *hash = sql_required_text_arg(fcinfo, 2, "partition_key");
	char	   *range = sql_text_arg(fcinfo, 3);

	wire_member(out, "TableCreationParameters");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName",
					   sql_required_text_arg(fcinfo, 0, "table_name"));
	wire_string_member(out, "BillingMode", "PAY_PER_REQUEST");
	wire_member(out, "AttributeDefinitions");
	appendStringInfoChar(out, '[');
	append_attribute(out, hash, "AttributeType",
					 sql_required_text_arg(fcinfo, 4, "partition_key_type"));
	if (range != NULL)
		append_attribute(out, range, "AttributeType",
						 sql_required_text_arg(fcinfo, 5, "sort_key_type"));
	appendStringInfoChar(out, ']');
	wire_member(out, "KeySchema");
	appendStringInfoChar(out, '[');
	append_attribute(out, hash, "KeyType", "HASH");
	if (range != NULL)
		append_attribute(out, range, "KeyType", "RANGE");
	appendStringInfoString(out, "]}");
}

static void
append_attribute(StringInfo out, const char *name, const char *member,
				 const char *value)
{
	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "AttributeName", name);
	wire_string_member(out, member, value);
	appendStringInfoChar(out, '}');
}

/*
 * A text of the description that an operation answers with.
 */
static text *
run_import(const char *operation, StringInfo request, const char *description,
		   const char *member)
{
	StringInfo	answer = operation_call_unchecked(operation_find(operation),
												  request->data, request->len);
	json_error_t error;
	json_t	   *object = codec_load(answer->data, answer->len, &error);
	json_t	   *arn = json_object_get(json_object_get(object, description),
									  member);

	return cstring_to_text(wire_json_text(arn));
}
