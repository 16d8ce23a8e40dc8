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
#include "backup/backup_past.h"

#define BAD_RETURN_VALUES	"ReturnValues can only be ALL_OLD or NONE"

typedef struct GetRequest
{
	const char *table_name;
	json_t	   *key;
	json_t	   *attributes_to_get;
	WireBoolean consistent_read;
	int			return_capacity;
	const char *projection_expression;
	json_t	   *names;
} GetRequest;

typedef struct GetAsOfRequest
{
	const char *table_name;
	json_t	   *key;
	json_t	   *as_of;
} GetAsOfRequest;

typedef ApiWriteRequest WriteRequest;

static const WireField get_fields[] = {
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, GetRequest, return_capacity),
	WIRE_FIELD("AttributesToGet", api_attributes_to_get_shape, GetRequest, attributes_to_get),
	WIRE_REQUIRED("TableName", wire_table_name_shape, GetRequest, table_name),
	WIRE_REQUIRED("Key", wire_item_shape, GetRequest, key),
	WIRE_FIELD("ConsistentRead", wire_boolean_shape, GetRequest, consistent_read),
	WIRE_FIELD("ProjectionExpression", wire_string_shape, GetRequest, projection_expression),
	WIRE_FIELD("ExpressionAttributeNames", wire_names_shape, GetRequest, names),
	WIRE_FIELDS_END
};

static const WireField get_as_of_fields[] = {
	WIRE_REQUIRED("TableName", wire_table_name_shape, GetAsOfRequest, table_name),
	WIRE_REQUIRED("Key", wire_item_shape, GetAsOfRequest, key),
	WIRE_REQUIRED("AsOf", wire_time_shape, GetAsOfRequest, as_of),
	WIRE_FIELDS_END
};

static const WireField put_fields[] = {
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, WriteRequest, return_capacity),
	WIRE_REQUIRED("TableName", wire_table_name_shape, WriteRequest, table_name),
	WIRE_REQUIRED("Item", wire_item_shape, WriteRequest, item),
	WIRE_FIELD("ConditionalOperator", api_conditional_operator_shape, WriteRequest, conditional_operator),
	WIRE_FIELD("Expected", api_expected_shape, WriteRequest, expected),
	WIRE_FIELD("ReturnValues", api_return_values_shape, WriteRequest, return_values),
	WIRE_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, WriteRequest, return_metrics),
	API_WRITE_EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};

static const WireField update_fields[] = {
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, WriteRequest, return_capacity),
	WIRE_REQUIRED("TableName", wire_table_name_shape, WriteRequest, table_name),
	WIRE_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, WriteRequest, return_metrics),
	WIRE_FIELD("ReturnValues", api_return_values_shape, WriteRequest, return_values),
	WIRE_FIELD("ConditionalOperator", api_conditional_operator_shape, WriteRequest, conditional_operator),
	WIRE_REQUIRED("Key", wire_item_shape, WriteRequest, item),
	WIRE_FIELD("Expected", api_expected_shape, WriteRequest, expected),
	WIRE_FIELD("AttributeUpdates", api_attribute_updates_shape, WriteRequest, attribute_updates),
	WIRE_FIELD("UpdateExpression", wire_string_shape, WriteRequest, update_expression),
	API_WRITE_EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};

static const WireField delete_fields[] = {
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, WriteRequest, return_capacity),
	WIRE_REQUIRED("TableName", wire_table_name_shape, WriteRequest, table_name),
	WIRE_FIELD("ReturnValues", api_return_values_shape, WriteRequest, return_values),
	WIRE_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, WriteRequest, return_metrics),
	WIRE_REQUIRED("Key", wire_item_shape, WriteRequest, item),
	WIRE_FIELD("ConditionalOperator", api_conditional_operator_shape, WriteRequest, conditional_operator),
	WIRE_FIELD("Expected", api_expected_shape, WriteRequest, expected),
	API_WRITE_EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};

const WireShape api_get_item_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(GetRequest), .name = "GetItemInput", .fields = get_fields
};
const WireShape api_get_item_as_of_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(GetAsOfRequest), .name = "GetItemAsOfInput", .fields = get_as_of_fields
};
const WireShape api_put_item_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(WriteRequest), .name = "PutItemInput",
	.fields = put_fields, .told = WIRE_TOLD_NAME
};
const WireShape api_update_item_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(WriteRequest), .name = "UpdateItemInput",
	.fields = update_fields, .told = WIRE_TOLD_FIRST
};
const WireShape api_delete_item_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(WriteRequest), .name = "DeleteItemInput", .fields = delete_fields
};

static void read_alone(DynamoRequest *request, EngineAction action,
					   ApiWrite *w);
static void append_write(const WriteRequest *given, const ApiWrite *w,
						 StringInfo out);
static Item *read_transact_item(const WriteRequest *request,
								EngineAction action);
static void refuse_empty_name(const json_t *item) pg_attribute_noreturn();
static void check_write_mixing(const WriteRequest *request);
static void check_placeholders_given(const WriteRequest *request,
									 EngineAction action, bool alone);
static bool good_return_values(const ApiWrite *w);
static bool shows_item(const ApiWrite *w);
static void raise_condition_failed(const ApiWrite *w);
static const Item *returned_attributes(const ApiWrite *w);

/*
 * GetItem: without an item the response has no member Item.
 */
void
api_get_item(DynamoRequest *request, StringInfo out)
{
	const GetRequest *given = request->input;
	const ApiParameter parameters[] = {
		{"AttributesToGet", given->attributes_to_get != NULL, false},
		{"ProjectionExpression", given->projection_expression != NULL, true},
	};
	ApiGetInput input = {0};
	ApiGetOutput output;

	api_check_mixing(parameters, lengthof(parameters));
	expr_check_given(given->names != NULL, false,
					 given->projection_expression != NULL, NULL);
	input.request = request;
	input.table_name = given->table_name;
	input.key = codec_read_map(given->key, ITEM_CURRENT);
	input.consistent_read = given->consistent_read == WIRE_TRUE;
	if (given->attributes_to_get)
		input.projection = api_legacy_projection(given->attributes_to_get);
	input.projection_expression = given->projection_expression;
	input.bindings = wire_bindings(given->names, NULL, NULL, ITEM_CURRENT);
	api_get(&input, &output);
	if (dynamo_is_elsewhere(request))
		return;

	appendStringInfoChar(out, '{');
	if (output.item)
		wire_item_member(out, "Item", output.item);
	if (capacity_is_wanted(given->return_capacity))
	{
		CapacityConsumed *consumed = capacity_consumed(given->table_name,
													   output.def);

		capacity_charge_get(consumed, output.stored,
							input.consistent_read ? 1 : 0.5);
		capacity_consumed_member(out, given->return_capacity, consumed);
	}
	appendStringInfoChar(out, '}');
}

/*
 * GetItemAsOf: GetItem of a moment in the recovery window, in seconds since
 * 1970.  It is ours, so it has no capacity and no projection.
 */
void
api_get_item_as_of(DynamoRequest *request, StringInfo out)
{
	const GetAsOfRequest *given = request->input;
	TimestampTz as_of = wire_given_time(given->as_of);
	ApiGetInput input = {
		.request = request,
		.table_name = given->table_name,
		.key = codec_read_map(given->key, ITEM_CURRENT),
		.as_of = &as_of
	};
	ApiGetOutput output;

	api_get(&input, &output);
	appendStringInfoChar(out, '{');
	if (output.item)
		wire_item_member(out, "Item", output.item);
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
	TableKey   *key;

	if (input->projection_expression)
		projection = expr_parse_projection(input->projection_expression,
										   input->bindings);
	if (input->bindings)
		expr_check_unused(input->bindings);

	table = engine_open(input->request, wire_table_name(input->table_name),
						ENGINE_READ);
	output->def = engine_def(table);
	key = key_given(output->def, input->key);
	if (projection)
		engine_check_key_paths(output->def, expr_projection_paths(projection));
	api_policy_get(table, projection, &key, 1);
	if (input->as_of)
		backup_read_as_of(table, *input->as_of);
	output->stored = engine_get(table, key);
	if (!dynamo_is_elsewhere(input->request))
	{
		double		factor = input->consistent_read ? 1 : 0.5;

		api_limit_get(input->request, output->def, key, output->stored, factor);
		api_count_get(input->request, output->def, key, output->stored, factor);
	}
	output->item = output->stored;
	if (output->stored && projection)
		output->item = expr_project(projection, output->stored);
	engine_close(table);
}

void
api_put_item(DynamoRequest *request, StringInfo out)
{
	ApiWrite	w;

	read_alone(request, ENGINE_PUT, &w);
	api_write(&w);
	append_write(request->input, &w, out);
}

void
api_update_item(DynamoRequest *request, StringInfo out)
{
	ApiWrite	w;

	read_alone(request, ENGINE_UPDATE, &w);
	api_write(&w);
	append_write(request->input, &w, out);
}

void
api_delete_item(DynamoRequest *request, StringInfo out)
{
	ApiWrite	w;

	read_alone(request, ENGINE_DELETE, &w);
	api_write(&w);
	append_write(request->input, &w, out);
}

static void
read_alone(DynamoRequest *request, EngineAction action, ApiWrite *w)
{
	memset(w, 0, sizeof(ApiWrite));
	w->request = request;
	w->write.action = action;
	api_read_write(request->input, true, w);
}

/*
 * The answer of a write, unless another node does it.
 */
static void
append_write(const WriteRequest *given, const ApiWrite *w, StringInfo out)
{
	if (dynamo_is_elsewhere(w->request))
		return;
	appendStringInfoChar(out, '{');
	if (w->attributes)
		wire_item_member(out, "Attributes", w->attributes);
	if (capacity_is_wanted(given->return_capacity))
	{
		CapacityConsumed *consumed = capacity_consumed(given->table_name,
													   w->def);

		capacity_charge_write(consumed, w->write.old_item, w->write.new_item,
							  1);
		capacity_consumed_member(out, given->return_capacity, consumed);
	}
	if (given->return_metrics == API_METRICS_SIZE && w->def->nlocal > 0)
	{
		wire_member(out, "ItemCollectionMetrics");
		capacity_append_metrics(out, w->def, w->write.item);
	}
	appendStringInfoChar(out, '}');
}

/*
 * From a write request to what api_write() takes, in the order in which the
 * service reads and refuses.  A write that is a request of its own is asked
 * first what goes together at all; one of a transaction, last.
 */
void
api_read_write(const WriteRequest *request, bool alone, ApiWrite *w)
{
	ApiLegacyConditions *expected = NULL;
	ApiLegacyUpdates *updates = NULL;
	ItemWording wording = alone ? ITEM_CURRENT : ITEM_CLASSIC;

	if (alone)
	{
		check_write_mixing(request);
		check_placeholders_given(request, w->write.action, alone);
	}
	w->table_name = request->table_name;
	w->write.item = alone ? codec_read_map(request->item, wording) :
		read_transact_item(request, w->write.action);
	if (request->expected)
		expected = api_legacy_read_conditions(&api_expected_shape,
											  request->expected, wording);
	if (request->attribute_updates)
		updates = api_legacy_read_updates(request->attribute_updates, wording);

	w->return_values = request->return_values;
	if (w->write.action == ENGINE_DELETE && !good_return_values(w) &&
		codec_too_deep(request->values))
		dynamo_error(DYNAMO_VALIDATION, BAD_RETURN_VALUES); /* not counted */
	api_check_write(w);

	if (updates)
		w->write.update = api_legacy_update(updates);
	if (expected)
		w->write.condition = api_legacy_expected(expected,
												 request->conditional_operator);
	else if (request->conditional_operator)
		dynamo_error(DYNAMO_VALIDATION,
					 "ConditionalOperator cannot be used without Filter or Expected");

	w->condition_expression = request->condition_expression;
	w->update_expression = request->update_expression;
	w->item_on_failure = request->on_failure == API_ON_FAILURE_ALL_OLD;
	if (!alone)
		check_placeholders_given(request, w->write.action, alone);
	w->bindings = wire_bindings(request->names, request->values,
								request->values ?
								api_given_item(request->given, request->values) :
								NULL, wording);
}

/*
 * The Item or Key of an action of a transaction.  Some of what can be wrong
 * with it comes in an order of its own: an empty name of a put goes before a
 * value that is too deep, unless the name is nested itself; and before such a
 * value in the key of a delete goes the syntax of the condition.  Reading
 * touches nothing but memory, so its error needs no subtransaction.
 */
static Item *
read_transact_item(const WriteRequest *request, EngineAction action)
{
	MemoryContext context = CurrentMemoryContext;
	Item	   *volatile item = api_given_item(request->given, request->item);

	if (item != NULL)
		return item;
	PG_TRY();
	{
		item = codec_read_map(request->item, ITEM_CLASSIC);
	}
	PG_CATCH();
	{
		ErrorData  *error = dynamo_caught(DYNAMO_VALIDATION, context);
		bool		unnamed = dynamo_breaks(error, DYNAMO_RULE_NAME);
		bool		deep = dynamo_breaks(error, DYNAMO_RULE_NESTING);

		if (!unnamed && !deep)
			PG_RE_THROW();
		FlushErrorState();
		if (action == ENGINE_PUT &&
			(unnamed || json_object_get(request->item, "") != NULL))
			refuse_empty_name(request->item);
		if (action == ENGINE_DELETE && deep && request->condition_expression)
			expr_check_syntax(EXPR_CONDITION, request->condition_expression);
		ReThrowError(error);
	}
	PG_END_TRY();
	return item;
}

static void
refuse_empty_name(const json_t *item)
{
	if (json_object_get(item, "") == NULL)
		codec_check_nesting_of(item);
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_NAME,
					  "Empty attribute name");
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
check_placeholders_given(const WriteRequest *request, EngineAction action,
						 bool alone)
{
	bool		any_expression = request->condition_expression != NULL ||
		request->update_expression != NULL;
	const char *without = alone ? "" : action == ENGINE_UPDATE ?
		"UpdateExpression and ConditionExpression are null" :
		"ConditionExpression is null";

	expr_check_given(request->names != NULL, request->values != NULL,
					 any_expression, any_expression ? NULL : without);
}

/*
 * What can be wrong with a write once its item has been read.
 */
void
api_check_write(const ApiWrite *w)
{
	if (!good_return_values(w))
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_RETURN_VALUES,
						  BAD_RETURN_VALUES);
	if (w->write.action == ENGINE_PUT)
		item_check_size(w->write.item, ITEM_TOO_LARGE);
}

/* Can the write return what it is to return? */
static bool
good_return_values(const ApiWrite *w)
{
	return w->write.action == ENGINE_UPDATE ||
		w->return_values == API_RETURN_UNSET ||
		w->return_values == API_RETURN_NONE ||
		w->return_values == API_RETURN_ALL_OLD;
}

/*
 * Do a write that has been checked.  See api.h.
 */
void
api_write(ApiWrite *w)
{
	static const EngineAccess access[] = {
		[ENGINE_PUT] = ENGINE_PUT_ITEM,
		[ENGINE_UPDATE] = ENGINE_UPDATE_ITEM,
		[ENGINE_DELETE] = ENGINE_DELETE_ITEM,
	};
	EngineTable *table;

	api_write_parse(w);
	table = engine_open(w->request, wire_table_name(w->table_name),
						access[w->write.action]);
	api_write_run(w, table);
	engine_close(table);
}

/*
 * Do a write whose expressions have been parsed.
 */
void
api_write_run(ApiWrite *w, EngineTable *table)
{
	api_write_bind(w, table);
	api_policy_write(w);
	engine_write(&w->write);
	if (dynamo_is_elsewhere(w->request))
		return;
	w->def = engine_def(table);
	api_limit_write(w->request, &w->write);
	api_count_write(w->request, w->def, w->write.key, w->write.old_item,
					w->write.new_item, 1);
	if (w->write.condition_failed)
		raise_condition_failed(w);
	w->attributes = returned_attributes(w);
}

/*
 * The part of a write that needs no table: parse its expressions.
 */
void
api_write_parse(ApiWrite *w)
{
	w->write.shown = shows_item(w);
	if (w->update_expression)
		w->write.update = expr_parse_update(w->update_expression,
											w->bindings);
	if (w->condition_expression)
		w->write.condition = expr_parse_condition(EXPR_CONDITION,
												  w->condition_expression,
												  w->bindings);
	if (w->bindings)
		expr_check_unused(w->bindings);
}

/*
 * The part that needs the table's definition: keys, and what the expressions
 * do with key attributes.
 */
void
api_write_bind(ApiWrite *w, EngineTable *table)
{
	const TableDef *def = engine_def(table);
	EngineWrite *write = &w->write;

	write->table = table;
	if (write->action == ENGINE_PUT)
		write->key = key_of_item(def, write->item);
	else
		write->key = key_given(def, write->item);

	if (write->update)
	{
		key_check_update_targets(def, write->update);
		key_check_update_values(def, write->update);
		engine_check_key_paths(def, expr_update_paths(write->update));
		engine_check_key_paths(def, expr_update_sources(write->update));
	}
	if (write->condition)
		engine_check_key_paths(def, expr_condition_paths(write->condition));
}

/*
 * May the answer show what is in the table?
 */
static bool
shows_item(const ApiWrite *w)
{
	return w->item_on_failure ||
		(w->return_values != API_RETURN_UNSET &&
		 w->return_values != API_RETURN_NONE);
}

static void
raise_condition_failed(const ApiWrite *w)
{
	StringInfoData fields;

	if (w->insert)
		dynamo_error(DYNAMO_DUPLICATE_ITEM, API_DUPLICATE_ITEM);
	initStringInfo(&fields);
	if (w->item_on_failure && w->write.old_item)
		wire_item_member(&fields, "Item", w->write.old_item);
	dynamo_error_with_fields(DYNAMO_CONDITIONAL_CHECK_FAILED,
							 fields.len > 0 ? fields.data : NULL,
							 schema_help_table(w->def->name),
							 "The conditional request failed");
}

/*
 * What ReturnValues asks for; NULL when nothing of it is left.
 */
static const Item *
returned_attributes(const ApiWrite *w)
{
	const EngineWrite *write = &w->write;

	switch (w->return_values)
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
