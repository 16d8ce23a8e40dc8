/*-------------------------------------------------------------------------
 *
 * sql_item.c
 *	  The SQL functions that write one item: put_item, update_item,
 *	  delete_item.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "sql/sql.h"

PG_FUNCTION_INFO_V1(dynamo_put_item);
PG_FUNCTION_INFO_V1(dynamo_update_item);
PG_FUNCTION_INFO_V1(dynamo_delete_item);
PG_FUNCTION_INFO_V1(dynamo_delete_item_bare);

static Datum put_or_delete(FunctionCallInfo fcinfo, EngineAction action,
						   const char *name);
static Datum write_item(FunctionCallInfo fcinfo, ApiWrite *w);
static void check_and_write(void *w);

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
 * delete_item(table_name, partition_key), delete_item(table_name,
 * partition_key, sort_key): bare values
 */
Datum
dynamo_delete_item_bare(PG_FUNCTION_ARGS)
{
	ApiWrite	w = {.write.action = ENGINE_DELETE};
	char	   *condition;

	w.table_name = sql_required_text_arg(fcinfo, 0, "table_name");
	w.write.item = sql_bare_key_arg(NULL, fcinfo, ENGINE_DELETE_ITEM,
									&condition);
	if (w.write.item == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null",
						PG_ARGISNULL(1) ? "key" : "sort_key")));
	w.condition_expression = condition;
	return write_item(fcinfo, &w);
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
	w.bindings = sql_bindings_arg(fcinfo, 3, 4, w.condition_expression != NULL,
								  w.condition_expression ? NULL : "");
	w.return_values = sql_choice_arg(fcinfo, 5, &api_return_values_shape,
									 "returnValues");
	return write_item(fcinfo, &w);
}

static Datum
write_item(FunctionCallInfo fcinfo, ApiWrite *w)
{
	static const Operation *operations[ENGINE_DELETE + 1];
	const Operation **operation = &operations[w->write.action];
	DynamoRequest request;

	if (*operation == NULL)
		*operation = operation_find(w->write.action == ENGINE_PUT ? "PutItem" :
									w->write.action == ENGINE_UPDATE ?
									"UpdateItem" : "DeleteItem");
	dynamo_request_init(&request, *operation);
	w->request = &request;
	operation_counted(&request, check_and_write, w);
	if (w->attributes == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(w->attributes);
}

static void
check_and_write(void *w)
{
	api_check_write(w);
	api_write(w);
}
