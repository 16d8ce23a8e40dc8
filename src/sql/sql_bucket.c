/*-------------------------------------------------------------------------
 *
 * sql_bucket.c
 *	  create_bucket, drop_bucket, grant_bucket, revoke_bucket, bucket_items.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "sql/sql.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define ITEMS_COLUMNS	5

/* bucket_items() under way. */
typedef struct ItemsCall
{
	Bucket	   *bucket;
	BucketSource source;
	List	   *files;			/* BucketFile *, still to be read */
	BucketInput *input;			/* the first one's, or NULL */
} ItemsCall;

PG_FUNCTION_INFO_V1(dynamo_create_bucket);
PG_FUNCTION_INFO_V1(dynamo_drop_bucket);
PG_FUNCTION_INFO_V1(dynamo_bucket_validator);
PG_FUNCTION_INFO_V1(dynamo_grant_bucket);
PG_FUNCTION_INFO_V1(dynamo_revoke_bucket);
PG_FUNCTION_INFO_V1(dynamo_bucket_items);

static void append_option(StringInfo out, const char *name, const char *value);
static void run_statement(const char *statement);
static void check_grantor(const char *bucket);
static int	read_uses(ArrayType *privileges);
static char **read_texts(ArrayType *array, const char *name, int *count);
static ItemsCall *begin_items(FunctionCallInfo fcinfo);
static void read_csv_options(FunctionCallInfo fcinfo, BucketSource *source);
static void read_columns(ArrayType *array, BucketSource *source);
static bool next_item(ItemsCall *call, BucketRecord *record);
static Datum item_row(FuncCallContext *funcctx, const BucketRecord *record);

/*
 * create_bucket(bucket, endpoint, region, store_bucket, path_style, ca_file)
 *
 * The same as CREATE SERVER, whose privileges it needs.
 */
Datum
dynamo_create_bucket(PG_FUNCTION_ARGS)
{
	char	   *bucket = sql_required_text_arg(fcinfo, 0, "bucket");
	char	   *endpoint = sql_required_text_arg(fcinfo, 1, "endpoint");
	char	   *region = sql_text_arg(fcinfo, 2);
	char	   *store_bucket = sql_text_arg(fcinfo, 3);
	char	   *ca_file = sql_text_arg(fcinfo, 5);
	StringInfoData statement;

	PreventCommandIfReadOnly("create_bucket()");
	if (!bucket_is_name(bucket) || strlen(bucket) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("invalid name of a bucket: \"%s\"", bucket)));
	if (bucket_folder_exists(bucket))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("bucket \"%s\" already exists", bucket),
				 errdetail("It is a folder in \"dynamo.bucket_directory\".")));
	initStringInfo(&statement);
	appendStringInfo(&statement,
					 "CREATE SERVER %s FOREIGN DATA WRAPPER dynamo_bucket OPTIONS (endpoint %s",
					 quote_identifier(bucket), quote_literal_cstr(endpoint));
	append_option(&statement, "region", region);
	append_option(&statement, "bucket", store_bucket);
	append_option(&statement, "path_style",
				  PG_ARGISNULL(4) || PG_GETARG_BOOL(4) ? NULL : "false");
	append_option(&statement, "ca_file", ca_file);
	appendStringInfoChar(&statement, ')');
	run_statement(statement.data);
	PG_RETURN_VOID();
}

static void
append_option(StringInfo out, const char *name, const char *value)
{
	if (value != NULL)
		appendStringInfo(out, ", %s %s", name, quote_literal_cstr(value));
}

static void
run_statement(const char *statement)
{
	SPI_connect();
	(void) SPI_execute(statement, false, 0);
	SPI_finish();
}

/*
 * drop_bucket(bucket text)
 *
 * Grants go with it, or else the next bucket of that name would have them; but
 * those of its name are not about the bucket of a role that is no superuser, which
 * may have any name.
 */
Datum
dynamo_drop_bucket(PG_FUNCTION_ARGS)
{
	char	   *bucket = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid			server;
	bool		granted;

	PreventCommandIfReadOnly("drop_bucket()");
	server = bucket_server_find(bucket);
	if (!OidIsValid(server))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no bucket \"%s\" with an endpoint", bucket)));
	granted = superuser_arg(bucket_server_owner(server));
	run_statement(psprintf("DROP SERVER %s CASCADE", quote_identifier(bucket)));
	if (granted)
		bucket_revoke_all(bucket);
	PG_RETURN_VOID();
}

/*
 * bucket_validator(options text[], catalog oid)
 */
Datum
dynamo_bucket_validator(PG_FUNCTION_ARGS)
{
	bucket_check_options(PG_GETARG_DATUM(0), PG_GETARG_OID(1));
	PG_RETURN_VOID();
}

/*
 * grant_bucket(bucket text, role regrole, privileges text[])
 */
Datum
dynamo_grant_bucket(PG_FUNCTION_ARGS)
{
	char	   *bucket = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid			role = PG_GETARG_OID(1);

	PreventCommandIfReadOnly("grant_bucket()");
	check_grantor(bucket);
	(void) GetUserNameFromId(role, false);
	bucket_grant(bucket, role, read_uses(PG_GETARG_ARRAYTYPE_P(2)));
	PG_RETURN_VOID();
}

/*
 * revoke_bucket(bucket text, role regrole, privileges text[])
 */
Datum
dynamo_revoke_bucket(PG_FUNCTION_ARGS)
{
	char	   *bucket = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid			role = PG_GETARG_OID(1);

	PreventCommandIfReadOnly("revoke_bucket()");
	check_grantor(bucket);
	if (!bucket_revoke(bucket, role, read_uses(PG_GETARG_ARRAYTYPE_P(2))))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" has no such privilege for bucket \"%s\"",
						GetUserNameFromId(role, true), bucket)));
	PG_RETURN_VOID();
}

static void
check_grantor(const char *bucket)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to grant or revoke the use of a bucket")));
	if (!bucket_is_name(bucket))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("invalid name of a bucket: \"%s\"", bucket)));
}

/*
 * BucketUse, or-ed.
 */
static int
read_uses(ArrayType *privileges)
{
	int			count;
	char	  **names = read_texts(privileges, "privileges", &count);
	int			uses = 0;

	for (int i = 0; i < count; i++)
	{
		if (pg_strcasecmp(names[i], "read") == 0)
			uses |= BUCKET_READ;
		else if (pg_strcasecmp(names[i], "write") == 0)
			uses |= BUCKET_WRITE;
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unrecognized privilege for a bucket: \"%s\"", names[i]),
					 errhint("Privileges are \"read\" and \"write\".")));
	}
	return uses;
}

/*
 * The texts of an array without nulls.
 */
static char **
read_texts(ArrayType *array, const char *name, int *count)
{
	Datum	   *elements;
	bool	   *nulls;
	char	  **texts;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements,
					  &nulls, count);
	texts = palloc(sizeof(char *) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not have nulls", name)));
		texts[i] = TextDatumGetCString(elements[i]);
	}
	return texts;
}

/*
 * bucket_items(bucket, prefix, input_format, input_compression, delimiter,
 *				header, columns)
 *
 * What it has open belongs to the context of the call, and is closed with it
 * whether the query reads all, stops, or fails.
 */
Datum
dynamo_bucket_items(PG_FUNCTION_ARGS)
{
	FuncCallContext *funcctx;
	BucketRecord record;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext caller;

		funcctx = SRF_FIRSTCALL_INIT();
		caller = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &funcctx->tuple_desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		funcctx->tuple_desc = BlessTupleDesc(funcctx->tuple_desc);
		funcctx->user_fctx = begin_items(fcinfo);
		MemoryContextSwitchTo(caller);
	}
	funcctx = SRF_PERCALL_SETUP();
	if (!next_item(funcctx->user_fctx, &record))
		SRF_RETURN_DONE(funcctx);
	SRF_RETURN_NEXT(funcctx, item_row(funcctx, &record));
}

static ItemsCall *
begin_items(FunctionCallInfo fcinfo)
{
	ItemsCall  *call = palloc0(sizeof(ItemsCall));
	char	   *bucket = sql_required_text_arg(fcinfo, 0, "bucket");
	char	   *prefix = sql_text_arg(fcinfo, 1);
	char	   *format = sql_required_text_arg(fcinfo, 2, "input_format");
	char	   *compression = sql_required_text_arg(fcinfo, 3, "input_compression");

	if (!bucket_find_format(format, &call->source.format))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized input_format: \"%s\"", format),
				 errhint("Formats are DYNAMODB_JSON, ION and CSV.")));
	if (!bucket_find_compression(compression, &call->source.compression))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized input_compression: \"%s\"", compression),
				 errhint("Compressions are NONE, GZIP and ZSTD.")));
	read_csv_options(fcinfo, &call->source);
	call->bucket = bucket_open(bucket, BUCKET_READ);
	call->files = bucket_list_data(call->bucket, prefix ? prefix : "");
	return call;
}

static void
read_csv_options(FunctionCallInfo fcinfo, BucketSource *source)
{
	char	   *delimiter = sql_required_text_arg(fcinfo, 4, "delimiter");

	if (!bucket_is_delimiter(delimiter))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid delimiter: \"%s\"", delimiter),
				 errhint("Delimiters are comma, semicolon, colon, vertical bar, tab and space.")));
	source->delimiter = delimiter[0];
	if (!PG_ARGISNULL(5))
	{
		int			count;
		char	  **names = read_texts(PG_GETARG_ARRAYTYPE_P(5), "header", &count);

		for (int i = 0; i < count; i++)
			source->header = lappend(source->header, names[i]);
	}
	if (!PG_ARGISNULL(6))
		read_columns(PG_GETARG_ARRAYTYPE_P(6), source);
}

/*
 * Columns with their types, as "price N".
 */
static void
read_columns(ArrayType *array, BucketSource *source)
{
	BucketColumn *columns;
	char	  **names = read_texts(array, "columns", &source->ncolumns);

	columns = palloc(sizeof(BucketColumn) * Max(source->ncolumns, 1));
	source->columns = columns;
	for (int i = 0; i < source->ncolumns; i++)
	{
		char	   *blank = strrchr(names[i], ' ');

		if (blank == NULL || strlen(blank) != 2 ||
			!item_key_type(blank[1], &columns[i].type))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid column: \"%s\"", names[i]),
					 errhint("Write the name of the column and S, N or B.")));
		*blank = '\0';
		columns[i].name = names[i];
	}
}

/*
 * The next record of the files.
 */
static bool
next_item(ItemsCall *call, BucketRecord *record)
{
	while (call->files != NIL)
	{
		BucketFile *file = linitial(call->files);

		CHECK_FOR_INTERRUPTS();
		if (call->input == NULL)
		{
			MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(call));

			call->input = bucket_input_open(call->bucket, file->key,
											&call->source);
			MemoryContextSwitchTo(caller);
		}
		if (bucket_input_next(call->input, record))
			return true;
		bucket_input_close(call->input);
		call->input = NULL;
		call->files = list_delete_first(call->files);
	}
	return false;
}

static Datum
item_row(FuncCallContext *funcctx, const BucketRecord *record)
{
	ItemsCall  *call = funcctx->user_fctx;
	BucketFile *file = linitial(call->files);
	Datum		values[ITEMS_COLUMNS] = {0};
	bool		nulls[ITEMS_COLUMNS] = {0};

	values[0] = CStringGetTextDatum(file->key);
	values[1] = Int64GetDatum(record->number);
	values[2] = Int64GetDatum(record->line);
	values[3] = PointerGetDatum(record->item);
	nulls[3] = record->item == NULL;
	if (record->problem)
		values[4] = CStringGetTextDatum(record->problem);
	nulls[4] = record->problem == NULL;
	return HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values, nulls));
}
