/*-------------------------------------------------------------------------
 *
 * sql_query.c
 *	  The SQL functions query and scan.
 *
 * In SQL there are no pages: a Query or Scan hands out item after item for as
 * long as it is asked.  The functions here give one item a call.  In a FROM
 * clause core would collect all of them before the first is used; so what
 * users call are SQL functions with the body SELECT dynamo_internal.query(...),
 * which the planner inlines, and the call becomes a ProjectSet that stops
 * where a LIMIT, or a client, stops it.
 *
 * The open scan holds a relation, a snapshot and buffer pins between calls.
 * They belong to the resource owner of the portal, which releases them when
 * the query fails.  When it ends well, or is rescanned, the callback on its
 * ExprContext closes the scan: then the query may have read all, or given up
 * anywhere before.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"
#include "nodes/execnodes.h"
#include "sql/sql.h"

/* A Query or Scan under way. */
typedef struct ItemStream
{
	ApiReader  *query;
	bool		limited;
	int64		remaining;		/* if limited: items still to be returned */
} ItemStream;

typedef void (*InputFiller) (FunctionCallInfo fcinfo, ApiQueryInput *input,
							 ItemStream *stream);

PG_FUNCTION_INFO_V1(dynamo_query);
PG_FUNCTION_INFO_V1(dynamo_scan);

static Datum stream_items(FunctionCallInfo fcinfo, InputFiller fill);
static void fill_query(FunctionCallInfo fcinfo, ApiQueryInput *input,
					   ItemStream *stream);
static void fill_scan(FunctionCallInfo fcinfo, ApiQueryInput *input,
					  ItemStream *stream);
static void begin_stream(FunctionCallInfo fcinfo, FuncCallContext *funcctx,
						 InputFiller fill);
static void end_stream(Datum arg);

/*
 * _query(table_name, key_condition_expression, expression_attribute_values,
 *		  index_name, filter_expression, projection_expression,
 *		  expression_attribute_names, scan_index_forward, max_items,
 *		  exclusive_start_key)
 */
Datum
dynamo_query(PG_FUNCTION_ARGS)
{
	return stream_items(fcinfo, fill_query);
}

/*
 * _scan(table_name, filter_expression, expression_attribute_values,
 *		 index_name, projection_expression, expression_attribute_names,
 *		 max_items, exclusive_start_key, segment, total_segments)
 */
Datum
dynamo_scan(PG_FUNCTION_ARGS)
{
	return stream_items(fcinfo, fill_scan);
}

/*
 * One call: the next item, in the caller's context.
 */
static Datum
stream_items(FunctionCallInfo fcinfo, InputFiller fill)
{
	FuncCallContext *funcctx;
	ItemStream *stream;
	const Item *item = NULL;

	if (SRF_IS_FIRSTCALL())
		begin_stream(fcinfo, SRF_FIRSTCALL_INIT(), fill);

	funcctx = SRF_PERCALL_SETUP();
	stream = funcctx->user_fctx;
	if (!stream->limited || stream->remaining-- > 0)
		item = api_reader_next(stream->query);
	if (item == NULL)
	{
		ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

		UnregisterExprContextCallback(rsinfo->econtext, end_stream,
									  PointerGetDatum(stream));
		end_stream(PointerGetDatum(stream));
		SRF_RETURN_DONE(funcctx);
	}
	SRF_RETURN_NEXT(funcctx, PointerGetDatum(item));
}

/*
 * The callback must run before the one of init_MultiFuncCall(), which frees
 * the memory of the stream: callbacks run last registered, first called.
 */
static void
begin_stream(FunctionCallInfo fcinfo, FuncCallContext *funcctx,
			 InputFiller fill)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;
	ApiQueryInput input = {0};
	ItemStream *stream;

	old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
	stream = palloc0(sizeof(ItemStream));
	fill(fcinfo, &input, stream);
	stream->query = api_reader_begin(&input);
	MemoryContextSwitchTo(old);

	RegisterExprContextCallback(rsinfo->econtext, end_stream,
								PointerGetDatum(stream));
	funcctx->user_fctx = stream;
}

static void
end_stream(Datum arg)
{
	ItemStream *stream = (ItemStream *) DatumGetPointer(arg);

	api_reader_end(stream->query);
}

/*
 * Argument max_items; null is no limit.
 */
static void
limit_stream(FunctionCallInfo fcinfo, int n, ItemStream *stream)
{
	if (PG_ARGISNULL(n))
		return;
	stream->limited = true;
	stream->remaining = PG_GETARG_INT64(n);
	if (stream->remaining < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_items must not be negative")));
}

/*
 * Values make sense in a filter and in a key condition, names in a projection
 * too.
 */
static ExprBindings *
query_bindings(FunctionCallInfo fcinfo, int values, int names,
			   const ApiQueryInput *input, const char *without)
{
	bool		with_values = input->key_condition_expression != NULL ||
	input->filter_expression != NULL;

	return sql_bindings_arg(fcinfo, values, names,
							with_values || input->projection_expression != NULL,
							with_values ? NULL : without);
}

static void
fill_query(FunctionCallInfo fcinfo, ApiQueryInput *input, ItemStream *stream)
{
	input->table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	input->key_condition_expression = sql_text_arg(fcinfo, 1);
	input->index_name = sql_text_arg(fcinfo, 3);
	input->filter_expression = sql_text_arg(fcinfo, 4);
	input->projection_expression = sql_text_arg(fcinfo, 5);
	input->bindings = query_bindings(fcinfo, 2, 6, input,
									 "FilterExpression and KeyConditionExpression are null");
	input->backward = !PG_ARGISNULL(7) && !PG_GETARG_BOOL(7);
	limit_stream(fcinfo, 8, stream);
	input->exclusive_start_key = sql_item_arg(fcinfo, 9);
}

static void
fill_scan(FunctionCallInfo fcinfo, ApiQueryInput *input, ItemStream *stream)
{
	input->scan = true;
	input->table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	input->filter_expression = sql_text_arg(fcinfo, 1);
	input->index_name = sql_text_arg(fcinfo, 3);
	input->projection_expression = sql_text_arg(fcinfo, 4);
	input->bindings = query_bindings(fcinfo, 2, 5, input,
									 "FilterExpression is null");
	limit_stream(fcinfo, 6, stream);
	input->exclusive_start_key = sql_item_arg(fcinfo, 7);
	input->segment = sql_integer_arg(fcinfo, 8, &api_segment_shape, "segment");
	input->total_segments = sql_integer_arg(fcinfo, 9,
											&api_total_segments_shape,
											"totalSegments");
}
