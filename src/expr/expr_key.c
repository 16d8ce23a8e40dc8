/*-------------------------------------------------------------------------
 *
 * expr_key.c
 *	  Key conditions: conditions of a restricted form.
 *
 * The grammar is that of conditions.  The result is a list of clauses joined
 * by AND, one for each attribute.  Callers that know the table decide which
 * attributes are keys, and which clauses a key can take.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

#define INVALID		"Invalid KeyConditionExpression: "

static void add_clauses(ExprKeyCondition *keys, const ExprNode *node);
static void check_operator(const ExprNode *node);
static void add_clause(ExprKeyCondition *keys, const ExprNode *node);
static void count_clauses(const ExprNode *node, ExprKeyShape *shape);
static ExprKeyOp key_op(ExprOp op, bool flipped);

/*
 * Take a KeyConditionExpression, parsed as a condition, for what it says about
 * keys.
 */
ExprKeyCondition *
expr_key_condition(const ExprCondition *condition)
{
	ExprKeyCondition *keys = palloc0(sizeof(ExprKeyCondition));

	add_clauses(keys, condition->root);
	return keys;
}

/*
 * Take a tree apart, from left to right.
 */
static void
add_clauses(ExprKeyCondition *keys, const ExprNode *node)
{
	ListCell   *lc;

	check_stack_depth();
	check_operator(node);
	if (node->op != EXPR_OP_AND)
	{
		add_clause(keys, node);
		return;
	}
	foreach(lc, node->args)
		add_clauses(keys, lfirst(lc));
}

/*
 * Operators that no key condition has, and operands that come first in those
 * it may have.
 */
static void
check_operator(const ExprNode *node)
{
	switch (node->op)
	{
		case EXPR_OP_OR:
		case EXPR_OP_NOT:
		case EXPR_OP_IN:
		case EXPR_OP_NE:
		case EXPR_OP_ATTRIBUTE_EXISTS:
		case EXPR_OP_ATTRIBUTE_NOT_EXISTS:
		case EXPR_OP_ATTRIBUTE_TYPE:
		case EXPR_OP_CONTAINS:
			dynamo_error(DYNAMO_VALIDATION,
						 "Invalid operator used in KeyConditionExpression: %s",
						 expr_op_name(node->op));
			break;
		case EXPR_OP_BETWEEN:
		case EXPR_OP_BEGINS_WITH:
			if (((ExprNode *) linitial(node->args))->op != EXPR_OP_PATH)
				dynamo_error(DYNAMO_VALIDATION,
							 "Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand",
							 expr_op_name(node->op));
			break;
		default:
			break;
	}
}

/*
 * One clause: an attribute and constants.
 */
static void
add_clause(ExprKeyCondition *keys, const ExprNode *node)
{
	ExprKeyClause clause;
	int			nvalues = 0;
	bool		flipped = false;
	ListCell   *lc;

	memset(&clause, 0, sizeof(clause));
	foreach(lc, node->args)
	{
		const ExprNode *arg = lfirst(lc);

		if (arg->op == EXPR_OP_SIZE)
			dynamo_error(DYNAMO_VALIDATION,
						 "KeyConditionExpressions cannot contain nested operations");
		if (arg->op == EXPR_OP_VALUE)
		{
			if (nvalues < lengthof(clause.values))
				clause.values[nvalues++] = arg->value;
			continue;
		}
		if (clause.name)
			dynamo_error(DYNAMO_VALIDATION,
						 "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
		if (arg->path->nsteps > 1)
			dynamo_error(DYNAMO_VALIDATION,
						 INVALID "KeyConditionExpressions cannot have conditions on nested attributes");
		clause.name = arg->path->steps[0].name;
		flipped = nvalues > 0;
	}
	if (clause.name == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid condition in KeyConditionExpression: No key attribute specified");
	for (int i = 0; i < keys->nclauses; i++)
	{
		if (strcmp(keys->clauses[i].name, clause.name) == 0)
			dynamo_error(DYNAMO_VALIDATION,
						 INVALID "KeyConditionExpressions must only contain one condition per key");
	}

	clause.op = key_op(node->op, flipped);
	if (keys->clauses == NULL)
		keys->clauses = palloc(sizeof(ExprKeyClause));
	else
		keys->clauses = repalloc(keys->clauses,
								 (keys->nclauses + 1) * sizeof(ExprKeyClause));
	keys->clauses[keys->nclauses++] = clause;
}

/*
 * An operator as one on keys; ":v < a" is "a > :v".
 */
static ExprKeyOp
key_op(ExprOp op, bool flipped)
{
	switch (op)
	{
		case EXPR_OP_EQ:
			return EXPR_KEY_EQ;
		case EXPR_OP_LT:
			return flipped ? EXPR_KEY_GT : EXPR_KEY_LT;
		case EXPR_OP_LE:
			return flipped ? EXPR_KEY_GE : EXPR_KEY_LE;
		case EXPR_OP_GT:
			return flipped ? EXPR_KEY_LT : EXPR_KEY_GT;
		case EXPR_OP_GE:
			return flipped ? EXPR_KEY_LE : EXPR_KEY_GE;
		case EXPR_OP_BETWEEN:
			return EXPR_KEY_BETWEEN;
		case EXPR_OP_BEGINS_WITH:
			return EXPR_KEY_BEGINS_WITH;
		default:
			elog(ERROR, "unexpected operator %d in key condition", (int) op);
	}
	return EXPR_KEY_EQ;			/* keep compiler quiet */
}

void
expr_key_shape(const ExprCondition *condition, ExprKeyShape *shape)
{
	memset(shape, 0, sizeof(ExprKeyShape));
	count_clauses(condition->root, shape);
}

/*
 * Operators that no key condition has do not count: they are refused later.
 */
static void
count_clauses(const ExprNode *node, ExprKeyShape *shape)
{
	ListCell   *lc;

	check_stack_depth();
	switch (node->op)
	{
		case EXPR_OP_AND:
			foreach(lc, node->args)
				count_clauses(lfirst(lc), shape);
			break;
		case EXPR_OP_EQ:
			shape->equal++;
			break;
		case EXPR_OP_LT:
		case EXPR_OP_LE:
		case EXPR_OP_GT:
		case EXPR_OP_GE:
			shape->inequalities++;
			break;
		case EXPR_OP_BETWEEN:
		case EXPR_OP_BEGINS_WITH:
			shape->ranges++;
			break;
		default:
			break;
	}
}
