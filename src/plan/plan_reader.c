/*-------------------------------------------------------------------------
 *
 * plan_reader.c
 *	  The SQL functions that return items: get_item, batch_get, query, scan,
 *	  partiql, search_vectors.
 *
 * In SQL there are no pages: a Query or Scan hands out item after item for as
 * long as it is asked.  A call becomes a PlanReader, made from the function's
 * arguments.  In a FROM clause the reader belongs to a plan node of our own
 * (plan_node.c); anywhere else, as in a target list, the functions here give
 * one item a call.
 *
 * The reader of a Query or Scan holds a relation, a snapshot and buffer pins
 * between calls.  They belong to the resource owner of the portal, which
 * releases them when the query fails.  When it ends well, or is rescanned, the
 * callback on its ExprContext ends the reader: then the query may have read
 * all, or given up anywhere before.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "plan/plan.h"
#include "search/search.h"
#include "sql/sql.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* A call under way. */
struct PlanReader
{
	/* query, scan */
	ApiReader  *query;			/* NULL: get_item, batch_get */
	bool		limited;
	int64		remaining;		/* if limited: items still to be returned */

	/* get_item, batch_get */
	ApiGetInput get;			/* without the key */
	Datum	   *keys;
	bool	   *nulls;			/* of the keys */
	int			nkeys;
	int			next;			/* which key is next */
	MemoryContext key_context;	/* what one of several needs; NULL: no reset */
	int64		count;			/* items read */

	/* partiql */
	StatementRun *statement;	/* NULL: another function */

	/* search_vectors */
	Search	   *search;			/* NULL: another function */
	bool		searched;
	int			hit;			/* how many have been returned */

	DynamoRequest request;
	StatsRequest stats;
	bool		counted;		/* it was asked for an item */
};

PG_FUNCTION_INFO_V1(dynamo_get_item);
PG_FUNCTION_INFO_V1(dynamo_batch_get);
PG_FUNCTION_INFO_V1(dynamo_query);
PG_FUNCTION_INFO_V1(dynamo_scan);
PG_FUNCTION_INFO_V1(dynamo_partiql);
PG_FUNCTION_INFO_V1(dynamo_search_vectors);

static void begin_get(FunctionCallInfo fcinfo, PlanReader *reader);
static void begin_get_bare(FunctionCallInfo fcinfo, PlanReader *reader);
static void begin_batch_get(FunctionCallInfo fcinfo, PlanReader *reader);
static void begin_query(FunctionCallInfo fcinfo, PlanReader *reader);
static void begin_scan(FunctionCallInfo fcinfo, PlanReader *reader);
static void begin_partiql(FunctionCallInfo fcinfo, PlanReader *reader);
static void begin_search(FunctionCallInfo fcinfo, PlanReader *reader);
static const TimestampTz *as_of_arg(FunctionCallInfo fcinfo, int n);
static const Item *counted_item(PlanReader *reader);
static const Item *next_item(PlanReader *reader);
static const Item *next_of_keys(PlanReader *reader);
static const Item *next_hit(PlanReader *reader);
static Datum return_items(FunctionCallInfo fcinfo, PlanReaderKind kind);
static Datum item_and_score(FuncCallContext *funcctx, const Item *item);
static PlanReader *begin_call(FunctionCallInfo fcinfo, PlanReaderKind kind);
static void end_call(Datum arg);

static const struct
{
	PGFunction	function;
	void		(*begin) (FunctionCallInfo fcinfo, PlanReader *reader);
	const char *operation;		/* as the statistics count it */
}			kinds[PLAN_READER_KINDS] = {
	[PLAN_GET_ITEM] = {dynamo_get_item, begin_get, "GetItem"},
	[PLAN_BATCH_GET] = {dynamo_batch_get, begin_batch_get, "BatchGetItem"},
	[PLAN_QUERY] = {dynamo_query, begin_query, "Query"},
	[PLAN_SCAN] = {dynamo_scan, begin_scan, "Scan"},
	[PLAN_PARTIQL] = {dynamo_partiql, begin_partiql, "ExecuteStatement"},
	[PLAN_SEARCH] = {dynamo_search_vectors, begin_search, "SearchVectors"},
};

const PlanReaderArgs plan_reader_args[PLAN_READER_KINDS] = {
	[PLAN_GET_ITEM] = {.count = 5, .key = 1, .condition = -1, .values = -1, .index = -1,
	.filter = -1, .forward = -1, .limit = -1, .segments = -1,.as_of = 4},
	[PLAN_BATCH_GET] = {.count = 2, .key = 1, .condition = -1, .values = -1, .index = -1,
	.filter = -1, .forward = -1, .limit = -1, .segments = -1,.as_of = -1},
	[PLAN_QUERY] = {.count = 11, .key = 1, .condition = -1, .values = 2, .index = 3,
	.filter = 4, .forward = 7, .limit = 8, .segments = -1,.as_of = 10},
	[PLAN_SCAN] = {.count = 11, .key = -1, .condition = -1, .values = 2, .index = 3,
	.filter = 1, .forward = -1, .limit = 6, .segments = 9,.as_of = 10},
	[PLAN_PARTIQL] = {.count = 1, .key = -1, .condition = -1, .values = -1, .index = -1,
	.filter = -1, .forward = -1, .limit = -1, .segments = -1,.as_of = -1},
	[PLAN_SEARCH] = {.count = 9, .key = -1, .condition = 4, .values = 5,
		.index = 1, .filter = -1, .forward = -1, .limit = 3, .segments = -1,
	.as_of = 8},
};

/*
 * get_item(table_name, key, projection_expression, expression_attribute_names,
 *			as_of)
 * get_item(table_name, partition_key)
 * get_item(table_name, partition_key, sort_key)
 *
 * A set of one item or none; none for a null key, as in "key = NULL".
 */
Datum
dynamo_get_item(PG_FUNCTION_ARGS)
{
	return return_items(fcinfo, PLAN_GET_ITEM);
}

/*
 * batch_get(table_name, VARIADIC keys)
 *
 * The items of the keys, in the order of the keys, read one by one as they are
 * asked for; a key without an item, or null, gives no row.
 */
Datum
dynamo_batch_get(PG_FUNCTION_ARGS)
{
	return return_items(fcinfo, PLAN_BATCH_GET);
}

/*
 * query(table_name, key_condition_expression, expression_attribute_values,
 *		 index_name, filter_expression, projection_expression,
 *		 expression_attribute_names, scan_index_forward, max_items,
 *		 exclusive_start_key, as_of)
 */
Datum
dynamo_query(PG_FUNCTION_ARGS)
{
	return return_items(fcinfo, PLAN_QUERY);
}

/*
 * scan(table_name, filter_expression, expression_attribute_values,
 *		index_name, projection_expression, expression_attribute_names,
 *		max_items, exclusive_start_key, segment, total_segments, as_of)
 */
Datum
dynamo_scan(PG_FUNCTION_ARGS)
{
	return return_items(fcinfo, PLAN_SCAN);
}

/*
 * partiql(statement, VARIADIC parameters)
 *
 * The items that a statement reads, or that RETURNING asks for.
 */
Datum
dynamo_partiql(PG_FUNCTION_ARGS)
{
	return return_items(fcinfo, PLAN_PARTIQL);
}

/*
 * search_vectors(table_name, index_name, search_vector, top_k,
 *				  search_condition_expression, expression_attribute_values,
 *				  projection_expression, expression_attribute_names, as_of)
 *
 * The nearest items and their scores, best first.
 */
Datum
dynamo_search_vectors(PG_FUNCTION_ARGS)
{
	return return_items(fcinfo, PLAN_SEARCH);
}

/*
 * Which of the functions is this?  It is told by the C function it calls:
 * names prove nothing.  False also if it is called through a wrapper, because
 * it has settings of its own.
 */
bool
plan_reader_kind(Oid function, PlanReaderKind *kind)
{
	FmgrInfo	info;

	if (!OidIsValid(get_func_support(function)))
		return false;
	fmgr_info(function, &info);
	for (int i = 0; i < PLAN_READER_KINDS; i++)
	{
		if (info.fn_addr == kinds[i].function)
		{
			*kind = i;
			return true;
		}
	}
	return false;
}

/*
 * Begin to read what a call asks for; checks the arguments.  The reader lies
 * in the current context.
 */
PlanReader *
plan_reader_begin(PlanReaderKind kind, FunctionCallInfo fcinfo)
{
	static const Operation *operations[PLAN_READER_KINDS];
	PlanReader *reader = palloc0(sizeof(PlanReader));

	if (operations[kind] == NULL)
		operations[kind] = operation_find(kinds[kind].operation);
	dynamo_request_init(&reader->request, operations[kind]);
	operation_stat_begin(&reader->request, &reader->stats);
	reader->get.request = &reader->request;
	PG_TRY();
	{
		kinds[kind].begin(fcinfo, reader);
	}
	PG_CATCH();
	{
		operation_stat_fail(&reader->request);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return reader;
}

/*
 * The next item; NULL at the end.  It lives until the next call, or as long as
 * the current context if that ends first.
 */
const Item *
plan_reader_next(PlanReader *reader)
{
	if (reader->counted && reader->next == reader->nkeys)
		return next_item(reader);	/* no more keys, or never any */
	return counted_item(reader);
}

/*
 * In the statistics a call is a request that takes until its first item is
 * there.  What is read later is added: key by key, or at the end.
 */
static const Item *
counted_item(PlanReader *reader)
{
	const Item *item;

	PG_TRY();
	{
		item = next_item(reader);
	}
	PG_CATCH();
	{
		if (reader->counted)
			stats_add_on(&reader->stats);
		else
			operation_stat_fail(&reader->request);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (reader->counted)
		stats_add_on(&reader->stats);
	else
		stats_end(&reader->stats, STATS_SUCCESS, NULL, NULL);
	reader->counted = true;
	return item;
}

static const Item *
next_item(PlanReader *reader)
{
	if (reader->statement != NULL)
		return statement_next(reader->statement);
	if (reader->search != NULL)
		return next_hit(reader);
	if (reader->query == NULL)
		return next_of_keys(reader);
	if (reader->limited && reader->remaining-- <= 0)
		return NULL;
	return api_reader_next(reader->query);
}

/*
 * There may be any number of keys without an item, all passed over in one call.
 */
static const Item *
next_of_keys(PlanReader *reader)
{
	MemoryContext caller = CurrentMemoryContext;

	while (reader->next < reader->nkeys)
	{
		ApiGetInput input = reader->get;
		ApiGetOutput output = {0};
		int			n = reader->next++;

		CHECK_FOR_INTERRUPTS();
		if (reader->nulls && reader->nulls[n])
			continue;
		if (reader->key_context != NULL)
		{
			MemoryContextReset(reader->key_context);
			MemoryContextSwitchTo(reader->key_context);
		}
		input.key = DatumGetItemP(reader->keys[n]);
		api_get(&input, &output);
		MemoryContextSwitchTo(caller);
		if (output.item != NULL)
		{
			reader->count++;
			return output.item;
		}
	}
	return NULL;
}

/*
 * A search is over before its first hit is returned.
 */
static const Item *
next_hit(PlanReader *reader)
{
	const SearchResult *result = search_result(reader->search);

	if (!reader->searched)
		search_run(reader->search);
	reader->searched = true;
	return reader->hit < result->nhits ? result->hits[reader->hit++].item : NULL;
}

double
plan_reader_score(const PlanReader *reader)
{
	return search_result(reader->search)->hits[reader->hit - 1].score;
}

/*
 * Does a function of this kind return scores, too?
 */
bool
plan_reader_scores(PlanReaderKind kind)
{
	return kind == PLAN_SEARCH;
}

/*
 * How many items have been read, whether a filter has let them pass or not.
 */
int64
plan_reader_count(const PlanReader *reader)
{
	if (reader->statement != NULL)
		return statement_count(reader->statement);
	if (reader->search != NULL)
		return search_result(reader->search)->read;
	return reader->query ? api_reader_count(reader->query) : reader->count;
}

/*
 * How many vectors a search has compared with its own.
 */
int64
plan_reader_compared(const PlanReader *reader)
{
	return reader->search ? search_result(reader->search)->compared : 0;
}

/*
 * By which graph a search is approximate; NULL: it is exact.
 */
const char *
plan_reader_graph(const PlanReader *reader)
{
	return reader->search ? search_result(reader->search)->graph : NULL;
}

/*
 * What is read, for EXPLAIN.  False: several keys, or none.
 */
bool
plan_reader_plan(const PlanReader *reader, ApiPlan *plan)
{
	if (reader->statement != NULL)
		return statement_plan(reader->statement, plan);
	if (reader->query != NULL)
		api_plan_reader(reader->query, plan);
	else if (reader->search != NULL)
		plan->key = search_partition(reader->search);
	else if (reader->nkeys == 1 && !(reader->nulls && reader->nulls[0]))
		api_plan_get(reader->get.table_name, DatumGetItemP(reader->keys[0]),
					 plan);
	else
		return false;
	return true;
}

/*
 * Begin again without doing it again; false: it has to be done again.
 */
bool
plan_reader_rewind(PlanReader *reader)
{
	return reader->statement != NULL &&
		statement_rewind(reader->statement);
}

bool
plan_reader_writes(const PlanReader *reader)
{
	return reader->statement != NULL &&
		statement_writes(reader->statement);
}

void
plan_reader_end(PlanReader *reader)
{
	if (reader->counted && reader->nkeys == 0)
	{
		if (reader->statement != NULL)
			statement_tell(reader->statement);
		if (reader->query != NULL)
			api_reader_tell(reader->query);
		stats_add_on(&reader->stats);
	}
	if (reader->statement != NULL)
		statement_end(reader->statement);
	if (reader->query != NULL)
		api_reader_end(reader->query);
	if (reader->search != NULL)
		search_end(reader->search);
}

static void
begin_get(FunctionCallInfo fcinfo, PlanReader *reader)
{
	ApiGetInput *get = &reader->get;

	if (PG_NARGS() != plan_reader_args[PLAN_GET_ITEM].count)
	{
		begin_get_bare(fcinfo, reader);
		return;
	}
	if (PG_ARGISNULL(1))
		return;
	get->projection_expression = sql_text_arg(fcinfo, 2);
	get->table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	reader->keys = palloc(sizeof(Datum));
	reader->keys[0] = PointerGetDatum(sql_item_arg(fcinfo, 1));
	reader->nkeys = 1;
	get->bindings = sql_bindings_arg(fcinfo, -1, 3,
									 get->projection_expression != NULL, NULL);
	get->as_of = as_of_arg(fcinfo, 4);
}

static void
begin_get_bare(FunctionCallInfo fcinfo, PlanReader *reader)
{
	ApiGetInput *get = &reader->get;
	char	   *projection;
	Item	   *key;

	get->table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	key = sql_bare_key_arg(&reader->request, fcinfo, ENGINE_READ, &projection);
	if (key == NULL)
		return;
	get->projection_expression = projection;
	reader->keys = palloc(sizeof(Datum));
	reader->keys[0] = PointerGetDatum(key);
	reader->nkeys = 1;
}

static void
begin_batch_get(FunctionCallInfo fcinfo, PlanReader *reader)
{
	reader->get.table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	if (!PG_ARGISNULL(1))
	{
		ArrayType  *keys = PG_GETARG_ARRAYTYPE_P_COPY(1);

		deconstruct_array(keys, ARR_ELEMTYPE(keys), -1, false, TYPALIGN_INT,
						  &reader->keys, &reader->nulls, &reader->nkeys);
		reader->key_context = AllocSetContextCreate(CurrentMemoryContext,
													"dynamo batch key",
													ALLOCSET_SMALL_SIZES);
	}
}

/*
 * Argument as_of; null is the present.
 */
static const TimestampTz *
as_of_arg(FunctionCallInfo fcinfo, int n)
{
	TimestampTz *when;

	if (PG_ARGISNULL(n))
		return NULL;
	when = palloc(sizeof(TimestampTz));
	*when = PG_GETARG_TIMESTAMPTZ(n);
	return when;
}

/*
 * Argument max_items; null is no limit.
 */
static void
limit_reader(FunctionCallInfo fcinfo, int n, PlanReader *reader)
{
	if (PG_ARGISNULL(n))
		return;
	reader->limited = true;
	reader->remaining = PG_GETARG_INT64(n);
	if (reader->remaining < 0)
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
begin_query(FunctionCallInfo fcinfo, PlanReader *reader)
{
	ApiQueryInput input = {.request = &reader->request};

	input.table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	input.key_condition_expression = sql_text_arg(fcinfo, 1);
	input.index_name = sql_text_arg(fcinfo, 3);
	input.filter_expression = sql_text_arg(fcinfo, 4);
	input.projection_expression = sql_text_arg(fcinfo, 5);
	input.bindings = query_bindings(fcinfo, 2, 6, &input,
									"FilterExpression and KeyConditionExpression are null");
	input.backward = !PG_ARGISNULL(7) && !PG_GETARG_BOOL(7);
	limit_reader(fcinfo, 8, reader);
	input.exclusive_start_key = sql_item_arg(fcinfo, 9);
	input.as_of = as_of_arg(fcinfo, 10);
	reader->query = api_reader_begin(&input);
}

static void
begin_scan(FunctionCallInfo fcinfo, PlanReader *reader)
{
	ApiQueryInput input = {.request = &reader->request};

	input.scan = true;
	input.table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	input.filter_expression = sql_text_arg(fcinfo, 1);
	input.index_name = sql_text_arg(fcinfo, 3);
	input.projection_expression = sql_text_arg(fcinfo, 4);
	input.bindings = query_bindings(fcinfo, 2, 5, &input,
									"FilterExpression is null");
	limit_reader(fcinfo, 6, reader);
	input.exclusive_start_key = sql_item_arg(fcinfo, 7);
	input.segment = sql_integer_arg(fcinfo, 8, &api_segment_shape, "segment");
	input.total_segments = sql_integer_arg(fcinfo, 9,
										   &api_total_segments_shape,
										   "totalSegments");
	input.as_of = as_of_arg(fcinfo, 10);
	reader->query = api_reader_begin(&input);
}

static void
begin_partiql(FunctionCallInfo fcinfo, PlanReader *reader)
{
	const char *statement = sql_required_text_arg(fcinfo, 0, "statement");
	int			nparameters;
	ItemValue  *parameters = sql_parameters(fcinfo, &nparameters);

	reader->statement = statement_begin(&reader->request, statement,
										nparameters, parameters);
}

static void
begin_search(FunctionCallInfo fcinfo, PlanReader *reader)
{
	SearchInput input = {.request = &reader->request};

	input.table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	input.index_name = sql_required_text_arg(fcinfo, 1, "index_name");
	sql_check_given(fcinfo, 3, "top_k");
	input.top_k = sql_integer_arg(fcinfo, 3, &search_top_k_shape, "topK").value;
	search_check_top_k(input.top_k);
	input.vector = sql_vector_arg(fcinfo, 2, "search_vector",
								  &input.dimensions);
	input.condition = sql_text_arg(fcinfo, 4);
	input.projection = sql_text_arg(fcinfo, 6);
	input.bindings = sql_bindings_arg(fcinfo, 5, 7, input.condition != NULL ||
									  input.projection != NULL,
									  input.condition ? NULL :
									  "SearchConditionExpression is null");
	input.as_of = as_of_arg(fcinfo, 8);
	reader->search = search_begin(&input);
}

/*
 * One call as a set-returning function: the next item, in the caller's
 * context.
 */
static Datum
return_items(FunctionCallInfo fcinfo, PlanReaderKind kind)
{
	FuncCallContext *funcctx;
	const Item *item;

	if (SRF_IS_FIRSTCALL())
	{
		funcctx = SRF_FIRSTCALL_INIT();
		funcctx->user_fctx = begin_call(fcinfo, kind);
	}

	funcctx = SRF_PERCALL_SETUP();
	item = plan_reader_next(funcctx->user_fctx);
	if (item == NULL)
	{
		ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

		UnregisterExprContextCallback(rsinfo->econtext, end_call,
									  PointerGetDatum(funcctx->user_fctx));
		end_call(PointerGetDatum(funcctx->user_fctx));
		SRF_RETURN_DONE(funcctx);
	}
	SRF_RETURN_NEXT(funcctx, plan_reader_scores(kind) ?
					item_and_score(funcctx, item) :
					PointerGetDatum(item_copy(item)));
}

static Datum
item_and_score(FuncCallContext *funcctx, const Item *item)
{
	Datum		values[2];
	bool		nulls[2] = {false, false};

	values[0] = PointerGetDatum(item);
	values[1] = Float8GetDatum(plan_reader_score(funcctx->user_fctx));
	return HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values,
											 nulls));
}

/*
 * The callback must run before the one of init_MultiFuncCall(), which frees
 * the memory of the reader: callbacks run last registered, first called.
 */
static PlanReader *
begin_call(FunctionCallInfo fcinfo, PlanReaderKind kind)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	FuncCallContext *funcctx = SRF_PERCALL_SETUP();
	MemoryContext old;
	PlanReader *reader;

	old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
	reader = plan_reader_begin(kind, fcinfo);
	if (plan_reader_scores(kind))
	{
		(void) get_call_result_type(fcinfo, NULL, &funcctx->tuple_desc);
		(void) BlessTupleDesc(funcctx->tuple_desc);
	}
	MemoryContextSwitchTo(old);

	RegisterExprContextCallback(rsinfo->econtext, end_call,
								PointerGetDatum(reader));
	return reader;
}

static void
end_call(Datum arg)
{
	plan_reader_end((PlanReader *) DatumGetPointer(arg));
}
