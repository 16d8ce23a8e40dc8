/*-------------------------------------------------------------------------
 *
 * expr_legacy.c
 *	  The legacy parameters: Expected, filters, KeyConditions,
 *	  AttributeUpdates, AttributesToGet.
 *
 * They come without a grammar, as lists of one operator and its values per
 * top-level attribute, and compile to the trees of the expressions.  Their
 * operators are checked by a table of their own, with texts of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

#define TYPE_BIT(type)	(1 << (type))
#define ANY_TYPE		(~0)
#define ORDERED_TYPES	(TYPE_BIT(ITEM_S) | TYPE_BIT(ITEM_N) | TYPE_BIT(ITEM_B))
#define PREFIX_TYPES	(TYPE_BIT(ITEM_S) | TYPE_BIT(ITEM_B))
#define MEMBER_TYPES	(ORDERED_TYPES | TYPE_BIT(ITEM_BOOL) | TYPE_BIT(ITEM_NULL))
#define SET_TYPES		(TYPE_BIT(ITEM_SS) | TYPE_BIT(ITEM_NS) | TYPE_BIT(ITEM_BS))
#define ADD_TYPES		(SET_TYPES | TYPE_BIT(ITEM_N) | TYPE_BIT(ITEM_L))

typedef struct LegacyOperator
{
	const char *name;
	int			min_values;
	int			max_values;
	int			types;			/* that its values may have */
	ExprOp		op;				/* but see NOT_CONTAINS */
} LegacyOperator;

static const LegacyOperator operators[] = {
	[EXPR_LEGACY_EQ] = {"EQ", 1, 1, ANY_TYPE, EXPR_OP_EQ},
	[EXPR_LEGACY_NE] = {"NE", 1, 1, ANY_TYPE, EXPR_OP_NE},
	[EXPR_LEGACY_LE] = {"LE", 1, 1, ORDERED_TYPES, EXPR_OP_LE},
	[EXPR_LEGACY_LT] = {"LT", 1, 1, ORDERED_TYPES, EXPR_OP_LT},
	[EXPR_LEGACY_GE] = {"GE", 1, 1, ORDERED_TYPES, EXPR_OP_GE},
	[EXPR_LEGACY_GT] = {"GT", 1, 1, ORDERED_TYPES, EXPR_OP_GT},
	[EXPR_LEGACY_IN] = {"IN", 1, PG_INT32_MAX, ORDERED_TYPES, EXPR_OP_IN},
	[EXPR_LEGACY_BETWEEN] = {"BETWEEN", 2, 2, ORDERED_TYPES, EXPR_OP_BETWEEN},
	[EXPR_LEGACY_BEGINS_WITH] = {"BEGINS_WITH", 1, 1, PREFIX_TYPES, EXPR_OP_BEGINS_WITH},
	[EXPR_LEGACY_CONTAINS] = {"CONTAINS", 1, 1, MEMBER_TYPES, EXPR_OP_CONTAINS},
	[EXPR_LEGACY_NOT_CONTAINS] = {"NOT_CONTAINS", 1, 1, MEMBER_TYPES, EXPR_OP_CONTAINS},
	[EXPR_LEGACY_NULL] = {"NULL", 0, 0, ANY_TYPE, EXPR_OP_ATTRIBUTE_NOT_EXISTS},
	[EXPR_LEGACY_NOT_NULL] = {"NOT_NULL", 0, 0, ANY_TYPE, EXPR_OP_ATTRIBUTE_EXISTS}
};

static ExprNode *compile_condition(const ExprLegacyCondition *condition);
static ExprNode *compile_in(const ExprLegacyCondition *condition);
static ExprNode *value_node(const ItemValue *value);
static ExprNode *path_node(const char *name);
static ExprKeyOp key_op(ExprLegacyOp op);
static ExprAction *compile_update(const ExprLegacyUpdate *update);

/*
 * The operator of this name; false when there is none.
 */
bool
expr_legacy_op_from_name(const char *name, ExprLegacyOp *op)
{
	for (int i = 0; i < lengthof(operators); i++)
	{
		if (strcmp(operators[i].name, name) == 0)
		{
			*op = (ExprLegacyOp) i;
			return true;
		}
	}
	return false;
}

/*
 * Can the operator have these values?
 */
void
expr_legacy_check_condition(const ExprLegacyCondition *condition)
{
	const LegacyOperator *operator = &operators[condition->op];
	const ItemValue *values = condition->values;

	CHECK_FOR_INTERRUPTS();
	if (condition->nvalues < operator->min_values ||
		condition->nvalues > operator->max_values)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
						  DYNAMO_INVALID "Invalid number of argument(s) for the %s ComparisonOperator",
						  operator->name);
	for (int i = 1; i < condition->nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (values[i].type != values[0].type)
			dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
							  DYNAMO_INVALID "AttributeValues inside AttributeValueList must be of same type");
	}
	if (condition->nvalues > 0 &&
		!(operator->types & TYPE_BIT(values[0].type)))
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
						  DYNAMO_INVALID "ComparisonOperator %s is not valid for %s AttributeValue type",
						  operator->name, item_type_name(values[0].type));
	if (condition->op == EXPR_LEGACY_BETWEEN &&
		item_value_compare(&values[0], &values[1]) > 0)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_LEGACY_CONDITION,
						  "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
}

/*
 * Expected, QueryFilter or ScanFilter as a condition; NULL when it is empty.
 */
ExprCondition *
expr_legacy_condition(int nconditions, const ExprLegacyCondition *conditions,
					  bool any)
{
	ExprCondition *result = palloc(sizeof(ExprCondition));
	List	   *nodes = NIL;

	if (nconditions == 0)
		return NULL;
	for (int i = 0; i < nconditions; i++)
		expr_legacy_check_condition(&conditions[i]);
	for (int i = 0; i < nconditions; i++)
	{
		CHECK_FOR_INTERRUPTS();
		nodes = lappend(nodes, compile_condition(&conditions[i]));
	}
	result->root = expr_make(any ? EXPR_OP_OR : EXPR_OP_AND, nodes);
	return result;
}

/*
 * KeyConditions as a key condition.
 */
ExprKeyCondition *
expr_legacy_key_condition(int nconditions,
						  const ExprLegacyCondition *conditions)
{
	ExprKeyCondition *keys = palloc(sizeof(ExprKeyCondition));

	for (int i = 0; i < nconditions; i++)
		expr_legacy_check_condition(&conditions[i]);
	keys->nclauses = nconditions;
	keys->clauses = palloc0(Max(nconditions, 1) * sizeof(ExprKeyClause));
	for (int i = 0; i < nconditions; i++)
	{
		ExprKeyClause *clause = &keys->clauses[i];

		CHECK_FOR_INTERRUPTS();
		clause->name = conditions[i].name;
		clause->op = key_op(conditions[i].op);
		for (int v = 0; v < Min(conditions[i].nvalues, lengthof(clause->values)); v++)
			clause->values[v] = conditions[i].values[v];
	}
	return keys;
}

/*
 * AttributeUpdates as an update.
 */
ExprUpdate *
expr_legacy_update(int nupdates, const ExprLegacyUpdate *updates)
{
	ExprUpdate *update = palloc(sizeof(ExprUpdate));

	update->actions = NIL;
	update->legacy = true;
	for (int i = 0; i < nupdates; i++)
	{
		CHECK_FOR_INTERRUPTS();
		update->actions = lappend(update->actions, compile_update(&updates[i]));
	}
	expr_fragment_build(&update->targets, expr_update_paths(update));
	return update;
}

/*
 * AttributesToGet as a projection.
 */
ExprProjection *
expr_legacy_projection(int nnames, const char *const *names)
{
	ExprProjection *projection = palloc(sizeof(ExprProjection));
	List	   *paths = NIL;

	for (int i = 0; i < nnames; i++)
	{
		CHECK_FOR_INTERRUPTS();
		paths = lappend(paths, expr_path_of_name(names[i]));
	}
	projection->paths = paths;
	projection->columns = NIL;
	expr_fragment_build(&projection->root, paths);

	/* Every name has a child of its own, unless it came twice. */
	if (projection->root.nchildren < nnames)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Duplicate value in attribute name: %s",
					 names[dynamo_first_duplicate(names, nnames)]);
	return projection;
}

static ExprNode *
compile_condition(const ExprLegacyCondition *condition)
{
	List	   *args = list_make1(path_node(condition->name));
	ExprNode   *node;

	if (condition->op == EXPR_LEGACY_IN)
		return compile_in(condition);
	for (int i = 0; i < condition->nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		args = lappend(args, value_node(&condition->values[i]));
	}
	node = expr_make(operators[condition->op].op, args);
	if (condition->op != EXPR_LEGACY_NOT_CONTAINS)
		return node;

	/* A missing attribute contains nothing, and yet NOT_CONTAINS is false. */
	return expr_make(EXPR_OP_AND,
					 list_make2(expr_make(EXPR_OP_ATTRIBUTE_EXISTS,
										  list_make1(path_node(condition->name))),
								expr_make(EXPR_OP_NOT, list_make1(node))));
}

/*
 * IN may have a million values, and a page thousands of items: their order is
 * that of a search.
 */
static ExprNode *
compile_in(const ExprLegacyCondition *condition)
{
	ExprNode   *node = expr_make(EXPR_OP_IN,
								 list_make1(path_node(condition->name)));
	Size		size = sizeof(ItemValue) * condition->nvalues;

	node->sorted = memcpy(palloc(size), condition->values, size);
	node->nsorted = condition->nvalues;
	item_values_sort(node->sorted, node->nsorted);
	return node;
}

static ExprNode *
value_node(const ItemValue *value)
{
	ExprNode   *node = expr_make(EXPR_OP_VALUE, NIL);

	node->value = *value;
	return node;
}

static ExprNode *
path_node(const char *name)
{
	return expr_make_path(expr_path_of_name(name));
}

static ExprKeyOp
key_op(ExprLegacyOp op)
{
	switch (op)
	{
		case EXPR_LEGACY_EQ:
			return EXPR_KEY_EQ;
		case EXPR_LEGACY_LT:
			return EXPR_KEY_LT;
		case EXPR_LEGACY_LE:
			return EXPR_KEY_LE;
		case EXPR_LEGACY_GT:
			return EXPR_KEY_GT;
		case EXPR_LEGACY_GE:
			return EXPR_KEY_GE;
		case EXPR_LEGACY_BETWEEN:
			return EXPR_KEY_BETWEEN;
		case EXPR_LEGACY_BEGINS_WITH:
			return EXPR_KEY_BEGINS_WITH;
		default:
			return EXPR_KEY_OTHER;
	}
}

/*
 * One attribute's update: PUT is SET; DELETE without a value is REMOVE.
 */
static ExprAction *
compile_update(const ExprLegacyUpdate *update)
{
	ExprAction *action = palloc0(sizeof(ExprAction));

	action->target = expr_path_of_name(update->name);
	if (update->value == NULL)
	{
		if (update->action != EXPR_LEGACY_DELETE)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Only DELETE action is allowed when no attribute value is specified");
		action->kind = EXPR_ACTION_REMOVE;
		return action;
	}
	switch (update->action)
	{
		case EXPR_LEGACY_PUT:
			action->kind = EXPR_ACTION_SET;
			break;
		case EXPR_LEGACY_ADD:
			if (!(ADD_TYPES & TYPE_BIT(update->value->type)))
				dynamo_error(DYNAMO_VALIDATION,
							 DYNAMO_INVALID "ADD action is not supported for the type %s",
							 item_type_name(update->value->type));
			action->kind = EXPR_ACTION_ADD;
			break;
		case EXPR_LEGACY_DELETE:
			if (!(SET_TYPES & TYPE_BIT(update->value->type)))
				dynamo_error(DYNAMO_VALIDATION,
							 DYNAMO_INVALID "DELETE action with value is not supported for the type %s",
							 item_type_name(update->value->type));
			action->kind = EXPR_ACTION_DELETE;
			break;
	}
	action->operand = value_node(update->value);
	return action;
}
