/*-------------------------------------------------------------------------
 *
 * expr_build.c
 *	  Trees made by hand, for a language that has a grammar of its own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

static int	count_operators(const ExprNode *node);
static ExprCondition *condition_of(ExprNode *root);
static ExprNode *missing(const char *attribute);

/*
 * An operator or a function.  Chains of AND, and of OR, become one node.
 */
ExprNode *
expr_build(ExprOp op, List *args)
{
	ExprNode   *left = args == NIL ? NULL : linitial(args);
	ExprNode   *node;

	if ((op == EXPR_OP_AND || op == EXPR_OP_OR) && left->op == op)
	{
		left->args = list_concat(left->args, list_copy_tail(args, 1));
		return left;
	}
	node = expr_make(op, args);
	if (expr_op_is_function(op))
		node->text = expr_op_name(op);
	return node;
}

ExprNode *
expr_build_value(const ItemValue *value)
{
	ExprNode   *node = expr_make(EXPR_OP_VALUE, NIL);

	node->value = *value;
	return node;
}

ExprNode *
expr_build_path(ExprPath *path)
{
	return expr_make_path(path);
}

ExprAction *
expr_build_action(ExprActionKind kind, ExprPath *target, ExprNode *operand)
{
	ExprAction *action = palloc(sizeof(ExprAction));

	action->kind = kind;
	action->target = target;
	action->operand = operand;
	return action;
}

/*
 * The condition that a tree is, with the checks that a parsed one gets.
 */
ExprCondition *
expr_build_condition(ExprNode *root)
{
	ExprParser	parser = {.kind = EXPR_STATEMENT, .condition = root};

	parser.operators = count_operators(root);
	expr_check_condition(&parser);
	return condition_of(root);
}

/*
 * A List of ExprAction *.
 */
ExprUpdate *
expr_build_update(List *actions)
{
	ExprParser	parser = {.kind = EXPR_STATEMENT, .actions = actions};
	ExprUpdate *update = palloc0(sizeof(ExprUpdate));
	ListCell   *lc;

	foreach(lc, actions)
	{
		const ExprAction *action = lfirst(lc);

		if (action->operand)
			parser.operators += count_operators(action->operand);
	}
	expr_check_update(&parser);
	update->actions = actions;
	expr_fragment_build(&update->targets, expr_update_paths(update));
	return update;
}

/*
 * Attributes of their own, each a part of the item; ExprColumn *.
 */
ExprProjection *
expr_build_columns(List *columns)
{
	ExprParser	parser = {.kind = EXPR_STATEMENT};
	ExprProjection *projection = palloc0(sizeof(ExprProjection));
	ListCell   *lc;

	projection->columns = columns;
	foreach(lc, columns)
		projection->paths = lappend(projection->paths,
									unconstify(ExprPath *, ((ExprColumn *) lfirst(lc))->path));
	parser.paths = projection->paths;
	expr_check_projection(&parser);
	return projection;
}

/*
 * One that holds where the attribute is missing.
 */
ExprCondition *
expr_missing(const char *attribute)
{
	return condition_of(missing(attribute));
}

/*
 * One that holds where the attribute is missing, or "condition" is met.
 */
ExprCondition *
expr_unless_missing(const char *attribute, const ExprCondition *condition)
{
	return condition_of(expr_make(EXPR_OP_OR,
								  list_make2(missing(attribute),
											 condition->root)));
}

static ExprNode *
missing(const char *attribute)
{
	return expr_make(EXPR_OP_ATTRIBUTE_NOT_EXISTS,
					 list_make1(expr_make_path(expr_path_of_name(attribute))));
}

static ExprCondition *
condition_of(ExprNode *root)
{
	ExprCondition *condition = palloc(sizeof(ExprCondition));

	condition->root = root;
	return condition;
}

/*
 * A chain of n operands has n - 1 operators.
 */
static int
count_operators(const ExprNode *node)
{
	int			n = 0;
	ListCell   *lc;

	check_stack_depth();
	if (node->op == EXPR_OP_AND || node->op == EXPR_OP_OR)
		n = list_length(node->args) - 1;
	else if (node->op != EXPR_OP_PATH && node->op != EXPR_OP_VALUE)
		n = 1;
	foreach(lc, node->args)
		n += count_operators(lfirst(lc));
	return n;
}
