/*-------------------------------------------------------------------------
 *
 * api_item.c
 *	  GetItem, PutItem, UpdateItem, DeleteItem.
 *
 * A write goes through three steps that transactions take one by one:
 * parse (what needs no table), bind (keys and paths against the table), and
 * the engine's write.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"

typedef struct GetRequest
{
	const char *table_name;
	json_t	   *key;
	json_t	   *attributes_to_get;
	ApiBoolean	consistent_read;
	int			return_capacity;
	const char *projection_expression;
	json_t	   *names;
} GetRequest;

typedef ApiWriteRequest WriteRequest;

static const ApiField get_fields[] = {
	API_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, GetRequest, return_capacity),
	API_FIELD("AttributesToGet", api_attributes_to_get_shape, GetRequest, attributes_to_get),
	API_REQUIRED("TableName", api_table_name_shape, GetRequest, table_name),
	API_REQUIRED("Key", api_item_shape, GetRequest, key),
	API_FIELD("ConsistentRead", api_boolean_shape, GetRequest, consistent_read),
	API_FIELD("ProjectionExpression", api_string_shape, GetRequest, projection_expression),
	API_FIELD("ExpressionAttributeNames", api_names_shape, GetRequest, names),
	API_FIELDS_END
};

static const ApiField put_fields[] = {
	API_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, WriteRequest, return_capacity),
	API_REQUIRED("TableName", api_table_name_shape, WriteRequest, table_name),
	API_REQUIRED("Item", api_item_shape, WriteRequest, item),
	API_FIELD("ConditionalOperator", api_conditional_operator_shape, WriteRequest, conditional_operator),
	API_FIELD("Expected", api_expected_shape, WriteRequest, expected),
	API_FIELD("ReturnValues", api_return_values_shape, WriteRequest, return_values),
	API_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, WriteRequest, return_metrics),
	API_WRITE_EXPRESSION_FIELDS,
	API_FIELDS_END
};

static const ApiField update_fields[] = {
	API_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, WriteRequest, return_capacity),
	API_REQUIRED("TableName", api_table_name_shape, WriteRequest, table_name),
	API_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, WriteRequest, return_metrics),
	API_FIELD("ReturnValues", api_return_values_shape, WriteRequest, return_values),
	API_REQUIRED("Key", api_item_shape, WriteRequest, item),
	API_FIELD("ConditionalOperator", api_conditional_operator_shape, WriteRequest, conditional_operator),
	API_FIELD("Expected", api_expected_shape, WriteRequest, expected),
	API_FIELD("AttributeUpdates", api_attribute_updates_shape, WriteRequest, attribute_updates),
	API_FIELD("UpdateExpression", api_string_shape, WriteRequest, update_expression),
	API_WRITE_EXPRESSION_FIELDS,
	API_FIELDS_END
};

static const ApiField delete_fields[] = {
	API_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, WriteRequest, return_capacity),
	API_REQUIRED("TableName", api_table_name_shape, WriteRequest, table_name),
	API_FIELD("ReturnValues", api_return_values_shape, WriteRequest, return_values),
	API_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, WriteRequest, return_metrics),
	API_REQUIRED("Key", api_item_shape, WriteRequest, item),
	API_FIELD("ConditionalOperator", api_conditional_operator_shape, WriteRequest, conditional_operator),
	API_FIELD("Expected", api_expected_shape, WriteRequest, expected),
	API_WRITE_EXPRESSION_FIELDS,
	API_FIELDS_END
};

static const ApiShape get_shape = {
	.kind = API_STRUCT, .name = "GetItemInput", .fields = get_fields
};
static const ApiShape put_shape = {
	.kind = API_STRUCT, .name = "PutItemInput", .fields = put_fields
};
static const ApiShape update_shape = {
	.kind = API_STRUCT, .name = "UpdateItemInput", .fields = update_fields
};
static const ApiShape delete_shape = {
	.kind = API_STRUCT, .name = "DeleteItemInput", .fields = delete_fields
};

static void handle_get(const void *request, StringInfo out);
static void handle_put(const void *request, StringInfo out);
static void handle_update(const void *request, StringInfo out);
static void handle_delete(const void *request, StringInfo out);
static void handle_write(const WriteRequest *request, EngineAction action,
						 StringInfo out);
static void check_write_mixing(const WriteRequest *request);
static void check_placeholders_given(const WriteRequest *request,
									 EngineAction action);
static void check_return_values(EngineAction action,
								ApiReturnValues return_values);
static void raise_condition_failed(const ApiWriteInput *input,
								   const Item *item);
static const Item *returned_attributes(const ApiWritePlan *plan);

const ApiOperation api_item_operations[] = {
	{"GetItem", &get_shape, sizeof(GetRequest), handle_get, API_CONFLICT_NONE},
	{"PutItem", &put_shape, sizeof(WriteRequest), handle_put, API_CONFLICT_WRITE},
	{"UpdateItem", &update_shape, sizeof(WriteRequest), handle_update, API_CONFLICT_WRITE},
	{"DeleteItem", &delete_shape, sizeof(WriteRequest), handle_delete, API_CONFLICT_WRITE},
	{NULL}
};

/*
 * GetItem: without an item the response has no member Item.
 */
static void
handle_get(const void *data, StringInfo out)
{
	const GetRequest *request = data;
	const ApiParameter parameters[] = {
		{"AttributesToGet", request->attributes_to_get != NULL, false},
		{"ProjectionExpression", request->projection_expression != NULL, true},
	};
	ApiGetInput input = {0};
	ApiGetOutput output;

	api_check_mixing(parameters, lengthof(parameters));
	expr_check_given(request->names != NULL, false,
					 request->projection_expression != NULL, NULL);
	input.table_name = request->table_name;
	input.key = item_json_read_map(request->key);
	input.consistent_read = request->consistent_read == API_TRUE;
	if (request->attributes_to_get)
		input.projection = api_legacy_projection(request->attributes_to_get);
	input.projection_expression = request->projection_expression;
	input.bindings = api_read_bindings(request->names, NULL);
	api_get(&input, &output);

	appendStringInfoChar(out, '{');
	if (output.item)
		api_item_member(out, "Item", output.item);
	if (api_wants_capacity(request->return_capacity))
	{
		ApiConsumed *consumed = api_consumed(request->table_name, output.def);

		api_charge_get(consumed, output.stored,
					   input.consistent_read ? 1 : 0.5);
		api_consumed_member(out, request->return_capacity, consumed);
	}
	appendStringInfoChar(out, '}');
}

/*
 * Read one item.  See api.h.
 */
void
api_get(const ApiGetInput *input, ApiGetOutput *output)
{
	const ExprProjection *projection = input->projection;
	EngineTable *table;
	EngineKey  *key;

	if (input->projection_expression)
		projection = expr_parse_projection(input->projection_expression,
										   input->bindings);
	if (input->bindings)
		expr_check_unused(input->bindings);

	table = engine_open(api_table_name(input->table_name), ENGINE_READ);
	output->def = engine_def(table);
	key = engine_key(output->def, input->key);
	if (projection)
		api_check_key_paths(output->def, expr_projection_paths(projection));
	output->stored = engine_get(table, key);
	output->item = output->stored;
	if (output->stored && projection)
		output->item = expr_project(projection, output->stored);
	engine_close(table);
}

static void
handle_put(const void *request, StringInfo out)
{
	handle_write(request, ENGINE_PUT, out);
}

static void
handle_update(const void *request, StringInfo out)
{
	handle_write(request, ENGINE_UPDATE, out);
}

static void
handle_delete(const void *request, StringInfo out)
{
	handle_write(request, ENGINE_DELETE, out);
}

static void
handle_write(const WriteRequest *request, EngineAction action, StringInfo out)
{
	ApiWriteInput input = {0};
	ApiWriteOutput output;

	check_write_mixing(request);
	check_placeholders_given(request, action);
	api_read_write(request, action, &input);
	api_write(&input, &output);

	appendStringInfoChar(out, '{');
	if (output.attributes)
		api_item_member(out, "Attributes", output.attributes);
	if (api_wants_capacity(request->return_capacity))
	{
		ApiConsumed *consumed = api_consumed(request->table_name, output.def);

		api_charge_write(consumed, output.old_item, output.new_item, 1);
		api_consumed_member(out, request->return_capacity, consumed);
	}
	if (request->return_metrics == API_METRICS_SIZE && output.def->nlocal > 0)
	{
		api_member(out, "ItemCollectionMetrics");
		api_append_metrics(out, output.def, input.item);
	}
	appendStringInfoChar(out, '}');
}

/*
 * From a checked write request to what api_write() takes, in the order in
 * which the service reads and refuses in a transaction.  A single write looks
 * first at what goes together at all.
 */
void
api_read_write(const WriteRequest *request, EngineAction action,
			   ApiWriteInput *input)
{
	ApiLegacyConditions *expected = NULL;
	ApiLegacyUpdates *updates = NULL;

	input->action = action;
	input->table_name = request->table_name;
	input->item = item_json_read_map(request->item);
	if (request->expected)
		expected = api_legacy_read_conditions(&api_expected_shape,
											  request->expected);
	if (request->attribute_updates)
		updates = api_legacy_read_updates(request->attribute_updates);

	input->return_values = request->return_values;
	check_return_values(action, input->return_values);
	if (action == ENGINE_PUT)
		item_check_size(input->item, ITEM_TOO_LARGE);

	if (updates)
		input->update = api_legacy_update(updates);
	if (expected)
		input->condition = api_legacy_expected(expected,
											   request->conditional_operator);
	else if (request->conditional_operator)
		dynamo_error(DYNAMO_VALIDATION,
					 "ConditionalOperator cannot be used without Filter or Expected");

	input->condition_expression = request->condition_expression;
	input->update_expression = request->update_expression;
	input->item_on_failure = request->on_failure == API_ON_FAILURE_ALL_OLD;
	check_placeholders_given(request, action);
	input->bindings = api_read_bindings(request->names, request->values);
}

static void
check_write_mixing(const WriteRequest *request)
{
	const ApiParameter parameters[] = {
		{"AttributeUpdates", request->attribute_updates != NULL, false},
		{"Expected", request->expected != NULL, false},
		{"UpdateExpression", request->update_expression != NULL, true},
		{"ConditionExpression", request->condition_expression != NULL, true},
	};

	api_check_mixing(parameters, lengthof(parameters));
}

static void
check_placeholders_given(const WriteRequest *request, EngineAction action)
{
	bool		any_expression = request->condition_expression != NULL ||
		request->update_expression != NULL;
	const char *without = action == ENGINE_UPDATE ?
		"UpdateExpression and ConditionExpression are null" :
		"ConditionExpression is null";

	expr_check_given(request->names != NULL, request->values != NULL,
					 any_expression, any_expression ? NULL : without);
}

static void
check_return_values(EngineAction action, ApiReturnValues return_values)
{
	if (action != ENGINE_UPDATE &&
		return_values != API_RETURN_UNSET &&
		return_values != API_RETURN_NONE &&
		return_values != API_RETURN_ALL_OLD)
		dynamo_error(DYNAMO_VALIDATION,
					 "ReturnValues can only be ALL_OLD or NONE");
}

/*
 * Write one item.  See api.h.
 */
void
api_write(const ApiWriteInput *input, ApiWriteOutput *output)
{
	static const EngineAccess access[] = {
		[ENGINE_PUT] = ENGINE_PUT_ITEM,
		[ENGINE_UPDATE] = ENGINE_UPDATE_ITEM,
		[ENGINE_DELETE] = ENGINE_DELETE_ITEM,
	};
	ApiWritePlan plan;
	EngineTable *table;

	api_write_parse(input, &plan);
	table = engine_open(api_table_name(input->table_name),
						access[input->action]);
	api_write_bind(&plan, table);
	if (api_write_shows(input))
		engine_check_read(table);
	engine_write(&plan.write);
	if (plan.write.condition_failed)
		raise_condition_failed(input, plan.write.old_item);

	output->def = engine_def(table);
	output->old_item = plan.write.old_item;
	output->new_item = plan.write.new_item;
	output->attributes = returned_attributes(&plan);
	engine_close(table);
}

/*
 * The part of a write that needs no table: parse its expressions.
 */
void
api_write_parse(const ApiWriteInput *input, ApiWritePlan *plan)
{
	memset(plan, 0, sizeof(ApiWritePlan));
	plan->input = input;
	plan->write.action = input->action;
	plan->write.item = input->item;
	plan->write.condition = input->condition;
	plan->write.update = input->update;

	check_return_values(input->action, input->return_values);
	if (input->action == ENGINE_PUT)
		item_check_size(input->item, ITEM_TOO_LARGE);
	if (input->update_expression)
		plan->write.update = expr_parse_update(input->update_expression,
											   input->bindings);
	if (input->condition_expression)
		plan->write.condition = expr_parse_condition(EXPR_CONDITION,
													 input->condition_expression,
													 input->bindings);
	if (input->bindings)
		expr_check_unused(input->bindings);
}

/*
 * The part that needs the table's definition: keys, and what the expressions
 * do with key attributes.
 */
void
api_write_bind(ApiWritePlan *plan, EngineTable *table)
{
	const TableDef *def = engine_def(table);
	EngineWrite *write = &plan->write;

	write->table = table;
	if (write->action == ENGINE_PUT)
		write->key = engine_item_key(def, write->item);
	else
		write->key = engine_key(def, write->item);

	if (write->update)
	{
		engine_check_update_targets(def, write->update);
		api_check_key_paths(def, expr_update_paths(write->update));
		api_check_key_paths(def, expr_update_sources(write->update));
	}
	if (write->condition)
		api_check_key_paths(def, expr_condition_paths(write->condition));
}

/*
 * May the answer show what is in the table?
 */
bool
api_write_shows(const ApiWriteInput *input)
{
	return input->item_on_failure ||
		(input->return_values != API_RETURN_UNSET &&
		 input->return_values != API_RETURN_NONE);
}

/*
 * "item" is the item as it is, NULL when there is none.
 */
static void
raise_condition_failed(const ApiWriteInput *input, const Item *item)
{
	StringInfoData fields;

	initStringInfo(&fields);
	if (input->item_on_failure && item)
		api_item_member(&fields, "Item", item);
	dynamo_error_with_fields(DYNAMO_CONDITIONAL_CHECK_FAILED,
							 fields.len > 0 ? fields.data : NULL,
							 "The conditional request failed");
}

/*
 * What ReturnValues asks for; NULL when nothing of it is left.
 */
static const Item *
returned_attributes(const ApiWritePlan *plan)
{
	const EngineWrite *write = &plan->write;

	switch (plan->input->return_values)
	{
		case API_RETURN_ALL_OLD:
			return write->old_item;
		case API_RETURN_ALL_NEW:
			return write->new_item;
		case API_RETURN_UPDATED_OLD:
			if (write->update && write->old_item)
				return expr_updated_part(write->update, write->old_item);
			return NULL;
		case API_RETURN_UPDATED_NEW:
			if (write->update && write->new_item)
				return expr_updated_part(write->update, write->new_item);
			return NULL;
		case API_RETURN_UNSET:
		case API_RETURN_NONE:
			break;
	}
	return NULL;
}
