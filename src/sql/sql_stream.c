/*-------------------------------------------------------------------------
 *
 * sql_stream.c
 *	  The SQL functions on streams.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "engine/engine.h"
#include "funcapi.h"
#include "nodes/execnodes.h"
#include "sql/sql.h"
#include "stream/stream.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "wire/wire.h"

/* What a sequence number of the API is: record number n as 1, then 20 digits. */
#define SEQUENCE_NUMBER_DIGITS	20

#define STREAM_COLUMNS	7

PG_FUNCTION_INFO_V1(dynamo_enable_stream);
PG_FUNCTION_INFO_V1(dynamo_disable_stream);
PG_FUNCTION_INFO_V1(dynamo_stream_arn);
PG_FUNCTION_INFO_V1(dynamo_stream);
PG_FUNCTION_INFO_V1(dynamo_trim_streams);
PG_FUNCTION_INFO_V1(dynamo_trim_streams_at);

static char view_of(const char *view_type);
static void begin_reading(FunctionCallInfo fcinfo, FuncCallContext *funcctx);
static StreamReader *open_reader(const char *table,
								 const char *after);
static int64 record_number(const char *sequence_number);
static void end_reading(Datum arg);
static Datum record_row(FuncCallContext *funcctx,
						const StreamRecord *record);
static Datum numeric_datum(const char *text);
static Datum item_datum(const Item *item, bool *isnull);

/*
 * enable_stream(table_name, view_type)
 */
Datum
dynamo_enable_stream(PG_FUNCTION_ARGS)
{
	char	   *table = sql_required_text_arg(fcinfo, 0, "table_name");
	char	   *view = sql_required_text_arg(fcinfo, 1, "view_type");

	stream_enable(table, view_of(view));
	PG_RETURN_TEXT_P(cstring_to_text(stream_latest(table)->label));
}

/*
 * disable_stream(table_name)
 */
Datum
dynamo_disable_stream(PG_FUNCTION_ARGS)
{
	stream_disable(sql_required_text_arg(fcinfo, 0, "table_name"));
	PG_RETURN_VOID();
}

/*
 * stream_arn(table_name, label)
 */
Datum
dynamo_stream_arn(PG_FUNCTION_ARGS)
{
	char	   *table = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char	   *label = text_to_cstring(PG_GETARG_TEXT_PP(1));

	PG_RETURN_TEXT_P(cstring_to_text(wire_stream_arn(table, label)));
}

/*
 * stream(table_name, after) of dynamo_internal: a record a call, as a row of a
 * type of its own.  Users call it by an SQL function, which the planner inlines:
 * so records stream, while core would collect all that a function in FROM
 * returns.
 */
Datum
dynamo_stream(PG_FUNCTION_ARGS)
{
	FuncCallContext *funcctx;
	StreamReader *reader;
	const StreamRecord *record;

	if (SRF_IS_FIRSTCALL())
		begin_reading(fcinfo, SRF_FIRSTCALL_INIT());

	funcctx = SRF_PERCALL_SETUP();
	reader = funcctx->user_fctx;
	record = stream_next(reader);
	if (record == NULL)
	{
		ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

		UnregisterExprContextCallback(rsinfo->econtext, end_reading,
									  PointerGetDatum(reader));
		end_reading(PointerGetDatum(reader));
		SRF_RETURN_DONE(funcctx);
	}
	SRF_RETURN_NEXT(funcctx, record_row(funcctx, record));
}

/*
 * trim_streams()
 */
Datum
dynamo_trim_streams(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(stream_trim(GetCurrentTimestamp()));
}

/*
 * _trim_streams(now)
 */
Datum
dynamo_trim_streams_at(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(stream_trim(sql_finite_time(PG_GETARG_TIMESTAMPTZ(0))));
}

static void
begin_reading(FunctionCallInfo fcinfo, FuncCallContext *funcctx)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;
	TupleDesc	desc;
	char	   *table = sql_required_text_arg(fcinfo, 0, "table_name");
	char	   *after = PG_ARGISNULL(1) ? NULL :
	DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(1)));
	StreamReader *reader;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != STREAM_COLUMNS)
		elog(ERROR, "result type of dynamo_internal.stream has changed");

	old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
	funcctx->tuple_desc = BlessTupleDesc(CreateTupleDescCopy(desc));
	reader = open_reader(table, after);
	MemoryContextSwitchTo(old);

	RegisterExprContextCallback(rsinfo->econtext, end_reading,
								PointerGetDatum(reader));
	funcctx->user_fctx = reader;
}

static StreamReader *
open_reader(const char *table, const char *after)
{
	const TableDef *def = schema_find_table(table);
	const StreamDef *stream;

	if (def == NULL || !schema_check_use(def, "GetRecords"))
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(table),
							   "Requested resource not found: Table: %s not found",
							   table);
	stream = stream_latest(table);
	if (stream == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has no stream", table),
				 errhint("Enable one by dynamo.enable_stream() or UpdateTable.")));
	stream_check_read(stream, "GetRecords");
	if (stream->nshards == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the stream of distributed table \"%s\" has no single order",
						table),
				 errhint("Read its shards by dynamo.call() with DescribeStream, GetShardIterator and GetRecords.")));

	return stream_begin(stream, -1, after == NULL ?
						STREAM_OLDEST : record_number(after));
}

/*
 * The record number in a sequence number.
 */
static int64
record_number(const char *sequence_number)
{
	int64		number;
	char	   *end;

	errno = 0;
	number = strtoll(sequence_number + 1, &end, 10);
	if (sequence_number[0] != '1' ||
		strlen(sequence_number) != SEQUENCE_NUMBER_DIGITS + 1 ||
		*end != '\0' || errno != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid sequence number: %s", sequence_number),
				 errdetail("A sequence number has 21 digits and begins with 1.")));
	return number;
}

static void
end_reading(Datum arg)
{
	stream_end((StreamReader *) DatumGetPointer(arg));
}

static Datum
record_row(FuncCallContext *funcctx, const StreamRecord *record)
{
	Datum		values[STREAM_COLUMNS];
	bool		nulls[STREAM_COLUMNS] = {false};
	char		number[32];

	snprintf(number, sizeof(number), "1%0*lld", SEQUENCE_NUMBER_DIGITS,
			 (long long) record->number);
	values[0] = numeric_datum(number);
	values[1] = CStringGetTextDatum(record->event == 'I' ? "INSERT" :
									(record->event == 'M' ? "MODIFY" :
									 "REMOVE"));
	values[2] = TimestampTzGetDatum(record->created_at);
	values[3] = item_datum(record->keys, &nulls[3]);
	values[4] = item_datum(record->old_image, &nulls[4]);
	values[5] = item_datum(record->new_image, &nulls[5]);
	values[6] = BoolGetDatum(record->service);
	return HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values,
											 nulls));
}

static Datum
numeric_datum(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

static Datum
item_datum(const Item *item, bool *isnull)
{
	*isnull = item == NULL;
	return PointerGetDatum(item);
}

static char
view_of(const char *view_type)
{
	static const struct
	{
		const char *name;
		char		view;
	}			views[] = {
		{"KEYS_ONLY", 'K'},
		{"NEW_IMAGE", 'N'},
		{"OLD_IMAGE", 'O'},
		{"NEW_AND_OLD_IMAGES", 'B'},
	};

	for (int i = 0; i < lengthof(views); i++)
	{
		if (strcmp(views[i].name, view_type) == 0)
			return views[i].view;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid view type: \"%s\"", view_type),
			 errhint("Use KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES.")));
}
