/*-------------------------------------------------------------------------
 *
 * api_legacy.c
 *	  The parameters that expressions have replaced: AttributesToGet,
 *	  Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter.
 *
 * Each compiles to the tree its successor parses to.  Values are read for all
 * members before the shape of any is judged, as the service does it: the
 * functions come in pairs, one that reads and one that compiles.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"

/* ExpectedAttributeValue, and Condition with fewer members */
typedef struct ConditionRequest
{
	json_t	   *value_list;		/* AttributeValueList */
	int			comparison;
	WireBoolean exists;
	json_t	   *value;
} ConditionRequest;

/* AttributeValueUpdate */
typedef struct UpdateRequest
{
	json_t	   *value;
	int			action;
} UpdateRequest;

struct ApiLegacyConditions
{
	int			count;
	ExprLegacyCondition *conditions;
	ConditionRequest *requests;
};

struct ApiLegacyUpdates
{
	int			count;
	ExprLegacyUpdate *updates;
};

static const char *const actions[] = {"ADD", "DELETE", "PUT", NULL};

static const WireShape value_list_shape = {
	.kind = WIRE_LIST, .element = &wire_value_shape
};
static const WireShape action_shape = {.kind = WIRE_STRING, .choices = actions};

static const WireField condition_fields[] = {
	WIRE_FIELD("AttributeValueList", value_list_shape, ConditionRequest, value_list),
	WIRE_REQUIRED("ComparisonOperator", api_comparison_operator_shape, ConditionRequest, comparison),
	WIRE_FIELDS_END
};
static const WireField expected_fields[] = {
	WIRE_FIELD("AttributeValueList", value_list_shape, ConditionRequest, value_list),
	WIRE_FIELD("ComparisonOperator", api_comparison_operator_shape, ConditionRequest, comparison),
	WIRE_FIELD("Exists", wire_boolean_shape, ConditionRequest, exists),
	WIRE_FIELD("Value", wire_value_shape, ConditionRequest, value),
	WIRE_FIELDS_END
};
static const WireField update_fields[] = {
	WIRE_FIELD("Value", wire_value_shape, UpdateRequest, value),
	WIRE_FIELD("Action", action_shape, UpdateRequest, action),
	WIRE_FIELDS_END
};

static const WireShape condition_shape = {
	.kind = WIRE_STRUCT, .name = "Condition", .fields = condition_fields
};
static const WireShape expected_value_shape = {
	.kind = WIRE_STRUCT, .name = "ExpectedAttributeValue", .fields = expected_fields
};
static const WireShape update_shape = {
	.kind = WIRE_STRUCT, .name = "AttributeValueUpdate", .fields = update_fields
};

const WireShape api_conditions_shape = {
	.kind = WIRE_MAP, .element = &condition_shape
};
const WireShape api_expected_shape = {
	.kind = WIRE_MAP, .element = &expected_value_shape
};
const WireShape api_attribute_updates_shape = {
	.kind = WIRE_MAP, .element = &update_shape
};

static void read_condition_values(const ConditionRequest *request,
								  ItemWording wording,
								  ExprLegacyCondition *condition);
static void check_expected(const char *name, const ConditionRequest *request);
static ExprLegacyOp comparison_op(int choice);
static ItemValue read_legacy_value(const json_t *value, ItemWording wording);

/*
 * AttributesToGet as a projection.
 */
ExprProjection *
api_legacy_projection(const json_t *attributes)
{
	int			count = json_array_size(attributes);
	const char **names = palloc(sizeof(char *) * count);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		names[i] = wire_json_text(json_array_get(attributes, i));
		codec_check_name(names[i], strlen(names[i]));
	}
	return expr_legacy_projection(count, names);
}

/*
 * The values of KeyConditions, QueryFilter, ScanFilter or Expected.
 */
ApiLegacyConditions *
api_legacy_read_conditions(const WireShape *shape, const json_t *map,
						   ItemWording wording)
{
	ApiLegacyConditions *all = palloc0(sizeof(ApiLegacyConditions));
	int			room = json_object_size(map) + 1;
	const char *name;
	json_t	   *member;

	all->conditions = palloc0(sizeof(ExprLegacyCondition) * room);
	all->requests = palloc0(sizeof(ConditionRequest) * room);
	json_object_foreach((json_t *) map, name, member)
	{
		ConditionRequest *request = &all->requests[all->count];

		CHECK_FOR_INTERRUPTS();
		codec_check_name(name, strlen(name));
		wire_fill(shape->element, member, request);
		all->conditions[all->count].name = name;
		read_condition_values(request, wording,
							  &all->conditions[all->count]);
		all->count++;
	}
	return all;
}

static void
read_condition_values(const ConditionRequest *request, ItemWording wording,
					  ExprLegacyCondition *condition)
{
	int			count = json_array_size(request->value_list);
	ItemValue  *values = palloc0(sizeof(ItemValue) * (count + 1));

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		values[condition->nvalues++] =
			read_legacy_value(json_array_get(request->value_list, i), wording);
	}
	if (request->value)
	{
		ItemValue	value = read_legacy_value(request->value, wording);

		if (count == 0)
			values[condition->nvalues++] = value;
	}
	condition->values = values;
}

/*
 * Expected as a condition: the older form says Exists and Value, the newer one
 * ComparisonOperator.
 */
ExprCondition *
api_legacy_expected(ApiLegacyConditions *all, int conditional_operator)
{
	for (int i = 0; i < all->count; i++)
	{
		const ConditionRequest *request = &all->requests[i];
		ExprLegacyCondition *condition = &all->conditions[i];

		check_expected(condition->name, request);
		if (request->comparison)
			condition->op = comparison_op(request->comparison);
		else
			condition->op = request->exists == WIRE_FALSE ?
				EXPR_LEGACY_NULL : EXPR_LEGACY_EQ;
		expr_legacy_check_condition(condition);
	}
	return api_legacy_filter(all, conditional_operator);
}

/*
 * The members that one condition of Expected may have together: Exists and
 * Value, or ComparisonOperator with Value or AttributeValueList.
 */
static void
check_expected(const char *name, const ConditionRequest *request)
{
	bool		takes_none = false;

	if (request->value && request->value_list)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
						  DYNAMO_INVALID "Value and AttributeValueList cannot be used together for Attribute: %s",
						  name);
	if (request->comparison)
	{
		ExprLegacyOp op = comparison_op(request->comparison);

		takes_none = op == EXPR_LEGACY_NULL || op == EXPR_LEGACY_NOT_NULL;
		if (request->exists != WIRE_BOOLEAN_UNSET)
			dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
							  DYNAMO_INVALID "Exists and ComparisonOperator cannot be used together for Attribute: %s",
							  name);
		if (!takes_none && !request->value && !request->value_list)
			dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
							  DYNAMO_INVALID "Value or AttributeValueList must be used with ComparisonOperator: %s for Attribute: %s",
							  api_comparison_operator_shape.choices[request->comparison - 1],
							  name);
		return;
	}
	if (request->value_list)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
						  DYNAMO_INVALID "AttributeValueList can only be used with a ComparisonOperator for Attribute: %s",
						  name);
	if (request->exists == WIRE_FALSE && request->value)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
						  DYNAMO_INVALID "Value cannot be used when Exists is false for Attribute: %s",
						  name);
	if (request->exists != WIRE_FALSE && !request->value)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
						  DYNAMO_INVALID "Value must be provided when Exists is %s for Attribute: %s",
						  request->exists == WIRE_TRUE ? "true" : "null", name);
}

/*
 * Set the operators of KeyConditions, QueryFilter or ScanFilter and check
 * their arguments.
 */
void
api_legacy_check_conditions(ApiLegacyConditions *all)
{
	for (int i = 0; i < all->count; i++)
	{
		all->conditions[i].op = comparison_op(all->requests[i].comparison);
		expr_legacy_check_condition(&all->conditions[i]);
	}
}

/*
 * A checked filter or Expected as a condition; NULL when it is empty.
 */
ExprCondition *
api_legacy_filter(const ApiLegacyConditions *all, int conditional_operator)
{
	if (conditional_operator && all->count < 2)
		dynamo_error(DYNAMO_VALIDATION,
					 "ConditionalOperator can only be used when Filter or Expected has two or more elements");
	if (all->count == 0)
		return NULL;
	return expr_legacy_condition(all->count, all->conditions,
								 conditional_operator == API_OR);
}

ExprKeyCondition *
api_legacy_key_condition(const ApiLegacyConditions *all)
{
	return expr_legacy_key_condition(all->count, all->conditions);
}

/*
 * The values of AttributeUpdates.
 */
ApiLegacyUpdates *
api_legacy_read_updates(const json_t *map, ItemWording wording)
{
	ApiLegacyUpdates *all = palloc0(sizeof(ApiLegacyUpdates));
	const char *name;
	json_t	   *member;

	all->updates = palloc0(sizeof(ExprLegacyUpdate) *
						   (json_object_size(map) + 1));
	json_object_foreach((json_t *) map, name, member)
	{
		ExprLegacyUpdate *update = &all->updates[all->count++];
		UpdateRequest request = {0};

		CHECK_FOR_INTERRUPTS();
		codec_check_name(name, strlen(name));
		wire_fill(&update_shape, member, &request);
		update->name = name;
		update->action = request.action == 1 ? EXPR_LEGACY_ADD :
			request.action == 2 ? EXPR_LEGACY_DELETE : EXPR_LEGACY_PUT;
		if (request.value)
		{
			ItemValue  *value = palloc(sizeof(ItemValue));

			*value = read_legacy_value(request.value, wording);
			update->value = value;
		}
	}
	return all;
}

/*
 * AttributeUpdates as an update; NULL when it is empty.
 */
ExprUpdate *
api_legacy_update(const ApiLegacyUpdates *all)
{
	if (all->count == 0)
		return NULL;
	return expr_legacy_update(all->count, all->updates);
}

/*
 * A filled comparison operator as the expression layer knows it.
 */
static ExprLegacyOp
comparison_op(int choice)
{
	ExprLegacyOp op;

	if (!expr_legacy_op_from_name(api_comparison_operator_shape.choices[choice - 1],
								  &op))
		elog(ERROR, "unknown comparison operator %d", choice);
	return op;
}

static ItemValue
read_legacy_value(const json_t *value, ItemWording wording)
{
	ItemNode	node;

	codec_read_value(value, wording, &node);
	return item_pack_value(&node);
}
