/*-------------------------------------------------------------------------
 *
 * sql_item.c
 *	  The SQL functions that read and write one item: get_item, put_item,
 *	  update_item, delete_item; and batch_get, which reads several.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "sql/sql.h"
#include "utils/array.h"

/* What batch_get keeps between two rows. */
typedef struct BatchGet
{
	char	   *table_name;
	Datum	   *keys;
	bool	   *nulls;
	int			nkeys;
	int			next;
} BatchGet;

PG_FUNCTION_INFO_V1(dynamo_get_item);
PG_FUNCTION_INFO_V1(dynamo_put_item);
PG_FUNCTION_INFO_V1(dynamo_update_item);
PG_FUNCTION_INFO_V1(dynamo_delete_item);
PG_FUNCTION_INFO_V1(dynamo_batch_get);

static const Item *get_item(const char *table_name, const Item *key,
							const char *projection_expression,
							ExprBindings *bindings);
static Datum put_or_delete(FunctionCallInfo fcinfo, EngineAction action,
						   const char *name);
static ExprBindings *condition_bindings(FunctionCallInfo fcinfo, int values,
										int names, const char *condition);
static Datum write_item(FunctionCallInfo fcinfo, ApiWrite *w);
static BatchGet *begin_batch_get(FunctionCallInfo fcinfo);

/*
 * get_item(table_name, key, projection_expression, expression_attribute_names)
 *
 * A set of one item or none; none for a null key, as in "key = NULL".
 */
Datum
dynamo_get_item(PG_FUNCTION_ARGS)
{
	FuncCallContext *funcctx;
	const Item *item;

	if (SRF_IS_FIRSTCALL())
	{
		funcctx = SRF_FIRSTCALL_INIT();
		if (!PG_ARGISNULL(1))
		{
			MemoryContext old;
			char	   *projection;

			old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
			projection = sql_text_arg(fcinfo, 2);
			item = get_item(sql_required_text_arg(fcinfo, 0, "table_name"),
							sql_item_arg(fcinfo, 1), projection,
							sql_bindings_arg(fcinfo, -1, 3,
											 projection != NULL, NULL));
			funcctx->user_fctx = unconstify(Item *, item);
			MemoryContextSwitchTo(old);
		}
	}

	funcctx = SRF_PERCALL_SETUP();
	if (funcctx->user_fctx == NULL)
		SRF_RETURN_DONE(funcctx);
	item = item_copy(funcctx->user_fctx);
	funcctx->user_fctx = NULL;
	SRF_RETURN_NEXT(funcctx, PointerGetDatum(item));
}

/*
 * put_item(table_name, item, condition_expression,
 *			expression_attribute_values, expression_attribute_names,
 *			return_values)
 */
Datum
dynamo_put_item(PG_FUNCTION_ARGS)
{
	return put_or_delete(fcinfo, ENGINE_PUT, "item");
}

/*
 * update_item(table_name, key, update_expression,
 *			   expression_attribute_values, condition_expression,
 *			   expression_attribute_names, return_values)
 */
Datum
dynamo_update_item(PG_FUNCTION_ARGS)
{
	ApiWrite	w = {.write.action = ENGINE_UPDATE};
	bool		expression;

	w.table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	w.write.item = sql_required_item_arg(fcinfo, 1, "key");
	w.update_expression = sql_text_arg(fcinfo, 2);
	w.condition_expression = sql_text_arg(fcinfo, 4);
	expression = w.update_expression != NULL ||
		w.condition_expression != NULL;
	w.bindings = sql_bindings_arg(fcinfo, 3, 5, expression, expression ? NULL :
									  "UpdateExpression and ConditionExpression are null");
	w.return_values = sql_choice_arg(fcinfo, 6, &api_return_values_shape,
									 "returnValues");
	return write_item(fcinfo, &w);
}

/*
 * delete_item(table_name, key, condition_expression,
 *			   expression_attribute_values, expression_attribute_names,
 *			   return_values)
 */
Datum
dynamo_delete_item(PG_FUNCTION_ARGS)
{
	return put_or_delete(fcinfo, ENGINE_DELETE, "key");
}

/*
 * put_item and delete_item differ in what their second argument is called.
 */
static Datum
put_or_delete(FunctionCallInfo fcinfo, EngineAction action, const char *name)
{
	ApiWrite	w = {.write.action = action};

	w.table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	w.write.item = sql_required_item_arg(fcinfo, 1, name);
	w.condition_expression = sql_text_arg(fcinfo, 2);
	w.bindings = condition_bindings(fcinfo, 3, 4,
										w.condition_expression);
	w.return_values = sql_choice_arg(fcinfo, 5, &api_return_values_shape,
									 "returnValues");
	return write_item(fcinfo, &w);
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
	FuncCallContext *funcctx;
	BatchGet   *batch;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		funcctx = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		funcctx->user_fctx = begin_batch_get(fcinfo);
		MemoryContextSwitchTo(old);
	}

	funcctx = SRF_PERCALL_SETUP();
	batch = funcctx->user_fctx;
	while (batch->next < batch->nkeys)
	{
		const Item *item;
		int			n = batch->next++;

		CHECK_FOR_INTERRUPTS();
		if (batch->nulls[n])
			continue;
		item = get_item(batch->table_name, DatumGetItemP(batch->keys[n]),
						NULL, NULL);
		if (item != NULL)
			SRF_RETURN_NEXT(funcctx, PointerGetDatum(item));
	}
	SRF_RETURN_DONE(funcctx);
}

static const Item *
get_item(const char *table_name, const Item *key,
		 const char *projection_expression, ExprBindings *bindings)
{
	ApiGetInput input = {0};
	ApiGetOutput output = {0};

	input.table_name = table_name;
	input.key = key;
	input.projection_expression = projection_expression;
	input.bindings = bindings;
	api_get(&input, &output);
	return output.item;
}

/*
 * The bindings of a request whose only expression is a condition, or NULL.
 */
static ExprBindings *
condition_bindings(FunctionCallInfo fcinfo, int values, int names,
				   const char *condition)
{
	return sql_bindings_arg(fcinfo, values, names, condition != NULL,
							condition != NULL ? NULL : "");
}

static Datum
write_item(FunctionCallInfo fcinfo, ApiWrite *w)
{
	api_check_write(w);
	api_write(w);
	if (w->attributes == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(w->attributes);
}

static BatchGet *
begin_batch_get(FunctionCallInfo fcinfo)
{
	BatchGet   *batch = palloc0(sizeof(BatchGet));

	batch->table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	if (!PG_ARGISNULL(1))
	{
		ArrayType  *keys = PG_GETARG_ARRAYTYPE_P_COPY(1);

		deconstruct_array(keys, ARR_ELEMTYPE(keys), -1, false, TYPALIGN_INT,
						  &batch->keys, &batch->nulls, &batch->nkeys);
	}
	return batch;
}
