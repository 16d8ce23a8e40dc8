/*-------------------------------------------------------------------------
 *
 * expr_search.c
 *	  Conditions of searches: equalities of attributes, joined by AND.
 *
 * The grammar is that of conditions.  The result is a list of clauses, as of a
 * key condition, but an attribute may come more than once: two that contradict
 * each other are met by nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

static int	count_clauses(const ExprNode *node);
static void add_clauses(ExprKeyCondition *clauses, const ExprNode *node);
static void refuse_comparator(void) pg_attribute_noreturn();

/*
 * Take a SearchConditionExpression, parsed as a condition, for what it says
 * about attributes.
 */
ExprKeyCondition *
expr_search_condition(const ExprCondition *condition)
{
	ExprKeyCondition *clauses = palloc0(sizeof(ExprKeyCondition));

	clauses->clauses = palloc(sizeof(ExprKeyClause) *
							  count_clauses(condition->root));
	add_clauses(clauses, condition->root);
	return clauses;
}

static int
count_clauses(const ExprNode *node)
{
	int			n = 0;
	ListCell   *lc;

	check_stack_depth();
	if (node->op != EXPR_OP_AND)
		return 1;
	foreach(lc, node->args)
		n += count_clauses(lfirst(lc));
	return n;
}

/*
 * Take a tree apart, from left to right.
 */
static void
add_clauses(ExprKeyCondition *clauses, const ExprNode *node)
{
	ListCell   *lc;
	const ExprNode *left;
	const ExprNode *right;
	const ExprNode *path;
	ExprKeyClause *clause;

	check_stack_depth();
	if (node->op == EXPR_OP_AND)
	{
		foreach(lc, node->args)
			add_clauses(clauses, lfirst(lc));
		return;
	}
	if (node->op != EXPR_OP_EQ)
		refuse_comparator();
	left = linitial(node->args);
	right = lsecond(node->args);
	path = left->op == EXPR_OP_PATH ? left : right;
	if (path->op != EXPR_OP_PATH || path->path->nsteps > 1 ||
		(path == left ? right : left)->op != EXPR_OP_VALUE)
		refuse_comparator();
	clause = &clauses->clauses[clauses->nclauses++];
	clause->name = path->path->steps[0].name;
	clause->op = EXPR_KEY_EQ;
	clause->values[0] = (path == left ? right : left)->value;
}

static void
refuse_comparator(void)
{
	dynamo_error(DYNAMO_VALIDATION,
				 "Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression");
}
