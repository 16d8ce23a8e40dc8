/*-------------------------------------------------------------------------
 *
 * partiql_bind.c
 *	  A parsed statement and its parameters, as trees of the expressions.
 *
 * The parsed statement is shared by all that have its text, so nothing is
 * changed in it: the trees are made anew for each execution, and refer to its
 * names and texts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "partiql/partiql_internal.h"

/* Functions of conditions */
static const struct
{
	const char *name;
	ExprOp		op;
}			functions[] = {
	{"attribute_exists", EXPR_OP_ATTRIBUTE_EXISTS},
	{"attribute_not_exists", EXPR_OP_ATTRIBUTE_NOT_EXISTS},
	{"attribute_type", EXPR_OP_ATTRIBUTE_TYPE},
	{"begins_with", EXPR_OP_BEGINS_WITH},
	{"contains", EXPR_OP_CONTAINS},
	{"size", EXPR_OP_SIZE},
};

static void bind_columns(const PartiqlStatement *statement,
						 PartiqlBound *bound);
static ExprColumn *make_column(const PartiqlNode *node);
static const ExprUpdate *bind_update(const PartiqlStatement *statement,
									 const ItemValue *parameters);
static ExprAction *make_action(const PartiqlClause *clause,
							   const ItemValue *parameters);
static ExprAction *make_set_action(const PartiqlClause *clause, bool add,
								   const ItemValue *parameters);
static ExprNode *make_assigned(const PartiqlNode *node,
							   const ItemValue *parameters);
static ExprNode *make_condition(const PartiqlNode *node,
								const ItemValue *parameters);
static ExprNode *make_comparison(const PartiqlNode *node, ExprOp op,
								 const ItemValue *parameters);
static bool is_truth(const PartiqlNode *node, const ItemValue *parameters,
					 bool *truth);
static bool is_condition(const PartiqlNode *node);
static ExprNode *make_is(const PartiqlNode *node,
						 const ItemValue *parameters);
static ExprNode *make_call(const PartiqlNode *node,
						   const ItemValue *parameters);
static ExprNode *make_operand(const PartiqlNode *node,
							  const ItemValue *parameters);
static List *make_operands(const PartiqlNode *node,
						   const ItemValue *parameters);
static bool is_function(const PartiqlNode *node, const char *name);
static void refuse_operation(const PartiqlNode *node) pg_attribute_noreturn();
static void refuse_function(const PartiqlNode *node) pg_attribute_noreturn();

/*
 * Fewer parameters than the statement has are refused, more are not.
 */
PartiqlBound *
partiql_bind(const PartiqlStatement *statement, int nparameters,
			 const ItemValue *parameters)
{
	PartiqlBound *bound = palloc0(sizeof(PartiqlBound));

	if (nparameters < statement->nparameters)
		dynamo_error(DYNAMO_VALIDATION,
					 "Number of parameters in request and statement don't match.");
	bound->verb = statement->verb;
	bound->table_name = statement->table_name;
	bound->index_name = statement->index_name;
	bound->order = statement->order;
	bound->returning = statement->returning;
	bind_columns(statement, bound);
	if (statement->value)
		bound->item = partiql_item(statement->value, parameters);
	if (statement->clauses)
		bound->update = bind_update(statement, parameters);
	if (statement->where)
		bound->where = expr_build_condition(make_condition(statement->where,
														   parameters));
	return bound;
}

/*
 * SELECT: each column is an attribute of the result.
 */
static void
bind_columns(const PartiqlStatement *statement, PartiqlBound *bound)
{
	List	   *columns = NIL;
	const char **names;
	int			n = 0;
	ListCell   *lc;

	if (statement->columns == NIL)
		return;
	names = palloc(sizeof(char *) * list_length(statement->columns));
	foreach(lc, statement->columns)
	{
		const PartiqlNode *node = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (node->kind != PARTIQL_PATH)
		{
			if (bound->bad_column == NULL)
				bound->bad_column = partiql_place(node->place);
			continue;
		}
		if (node->path->nsteps > DYNAMO_MAX_PATH_DEPTH)
			dynamo_error(DYNAMO_VALIDATION,
						 "The document path has too many nesting levels; nesting levels: %d",
						 node->path->nsteps);
		columns = lappend(columns, make_column(node));
		names[n++] = ((ExprColumn *) llast(columns))->name;
	}
	if (n > 0)
	{
		int			twice = dynamo_first_duplicate(names, n);

		if (twice >= 0)
			dynamo_error(DYNAMO_VALIDATION,
						 "Duplicate identifiers in select clause: %s",
						 names[twice]);
		bound->projection = expr_build_columns(columns);
	}
}

/*
 * A column is named by the last name of its path and what follows that.
 */
static ExprColumn *
make_column(const PartiqlNode *node)
{
	ExprColumn *column = palloc(sizeof(ExprColumn));
	const ExprPath *path = node->path;
	int			from = path->nsteps - 1;
	StringInfoData name;

	while (path->steps[from].name == NULL)
		from--;
	initStringInfo(&name);
	appendBinaryStringInfo(&name, path->steps[from].name,
						   path->steps[from].namelen);
	for (int i = from + 1; i < path->nsteps; i++)
		appendStringInfo(&name, "[%u]", path->steps[i].position);
	column->name = name.data;
	column->namelen = name.len;
	column->path = path;
	return column;
}

/*
 * UPDATE
 */

static const ExprUpdate *
bind_update(const PartiqlStatement *statement, const ItemValue *parameters)
{
	List	   *actions = NIL;
	ListCell   *lc;

	foreach(lc, statement->clauses)
	{
		CHECK_FOR_INTERRUPTS();
		actions = lappend(actions, make_action(lfirst(lc), parameters));
	}
	return expr_build_update(actions);
}

static ExprAction *
make_action(const PartiqlClause *clause, const ItemValue *parameters)
{
	ExprPath   *target = clause->target->path;

	if (clause->value == NULL)
		return expr_build_action(EXPR_ACTION_REMOVE, target, NULL);
	for (int i = 0; i < target->nsteps; i++)
	{
		if (target->steps[i].name != NULL)
			codec_check_name(target->steps[i].name, target->steps[i].namelen);
	}
	if (is_function(clause->value, "set_add"))
		return make_set_action(clause, true, parameters);
	if (is_function(clause->value, "set_delete"))
		return make_set_action(clause, false, parameters);
	return expr_build_action(EXPR_ACTION_SET, target,
							 make_assigned(clause->value, parameters));
}

/*
 * "a = set_add(a, set)" is ADD, set_delete() is DELETE.
 */
static ExprAction *
make_set_action(const PartiqlClause *clause, bool add,
				const ItemValue *parameters)
{
	const PartiqlNode *call = clause->value;
	const char *name = add ? "SET_ADD" : "SET_DELETE";
	const PartiqlNode *first;
	const PartiqlNode *second;
	ItemValue	set;

	if (list_length(call->args) != 2)
		dynamo_error(DYNAMO_VALIDATION,
					 "%s must have exactly two arguments at %s", name,
					 partiql_place(call->place));
	first = linitial(call->args);
	second = lsecond(call->args);
	if (first->kind != PARTIQL_PATH ||
		!expr_path_equal(first->path, clause->target->path))
		dynamo_error(DYNAMO_VALIDATION,
					 "The first argument to %s must equal the assignment value at %s",
					 name, partiql_place(call->place));
	if (second->kind == PARTIQL_BAG || second->kind == PARTIQL_PARAMETER)
		set = partiql_value(second, parameters);
	if ((second->kind != PARTIQL_BAG && second->kind != PARTIQL_PARAMETER) ||
		(set.type != ITEM_SS && set.type != ITEM_NS && set.type != ITEM_BS))
		dynamo_error(DYNAMO_VALIDATION,
					 "The second argument to %s must be a value with type SET at %s",
					 name, partiql_place(first->place));
	return expr_build_action(add ? EXPR_ACTION_ADD : EXPR_ACTION_DELETE,
							 clause->target->path, expr_build_value(&set));
}

/*
 * The right-hand side of SET.
 */
static ExprNode *
make_assigned(const PartiqlNode *node, const ItemValue *parameters)
{
	ExprOp		op = EXPR_OP_LIST_APPEND;
	List	   *args = NIL;
	ListCell   *lc;

	if (node->kind == PARTIQL_PATH)
		return expr_build_path(node->path);
	if (node->kind == PARTIQL_PLUS || node->kind == PARTIQL_MINUS)
		op = node->kind == PARTIQL_PLUS ? EXPR_OP_PLUS : EXPR_OP_MINUS;
	else if (node->kind == PARTIQL_CALL)
	{
		if (!is_function(node, "list_append"))
			refuse_function(node);
	}
	else
	{
		ItemValue	value = partiql_value(node, parameters);

		return expr_build_value(&value);
	}
	foreach(lc, node->args)
	{
		const PartiqlNode *arg = lfirst(lc);

		if (arg->kind == PARTIQL_CALL)
			refuse_function(arg);
		if (arg->kind == PARTIQL_PLUS || arg->kind == PARTIQL_MINUS)
			refuse_operation(arg);
		args = lappend(args, make_assigned(arg, parameters));
	}
	return expr_build(op, args);
}

/*
 * WHERE
 */

static ExprNode *
make_condition(const PartiqlNode *node, const ItemValue *parameters)
{
	List	   *args = NIL;
	ListCell   *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (node->kind)
	{
		case PARTIQL_AND:
		case PARTIQL_OR:
		case PARTIQL_NOT:
			foreach(lc, node->args)
				args = lappend(args, make_condition(lfirst(lc), parameters));
			return expr_build(node->kind == PARTIQL_AND ? EXPR_OP_AND :
							  node->kind == PARTIQL_OR ? EXPR_OP_OR :
							  EXPR_OP_NOT, args);
		case PARTIQL_EQ:
			return make_comparison(node, EXPR_OP_EQ, parameters);
		case PARTIQL_NE:
			return make_comparison(node, EXPR_OP_NE, parameters);
		case PARTIQL_LT:
			return make_comparison(node, EXPR_OP_LT, parameters);
		case PARTIQL_LE:
			return make_comparison(node, EXPR_OP_LE, parameters);
		case PARTIQL_GT:
			return make_comparison(node, EXPR_OP_GT, parameters);
		case PARTIQL_GE:
			return make_comparison(node, EXPR_OP_GE, parameters);
		case PARTIQL_BETWEEN:
			return expr_build(EXPR_OP_BETWEEN, make_operands(node, parameters));
		case PARTIQL_IN:
			return expr_build(EXPR_OP_IN, make_operands(node, parameters));
		case PARTIQL_IS:
			return make_is(node, parameters);
		case PARTIQL_CALL:
			return make_call(node, parameters);
		default:
			refuse_operation(node);
	}
}

/*
 * A comparison of operands, or of a condition with TRUE or FALSE.
 */
static ExprNode *
make_comparison(const PartiqlNode *node, ExprOp op,
				const ItemValue *parameters)
{
	const PartiqlNode *left = linitial(node->args);
	const PartiqlNode *right = lsecond(node->args);
	ExprNode   *condition;
	bool		truth;

	if (is_condition(right))
	{
		left = lsecond(node->args);
		right = linitial(node->args);
	}
	if (!is_condition(left))
		return expr_build(op, make_operands(node, parameters));
	condition = make_condition(left, parameters);
	if ((op != EXPR_OP_EQ && op != EXPR_OP_NE) ||
		!is_truth(right, parameters, &truth))
		refuse_operation(node);
	if (truth == (op == EXPR_OP_EQ))
		return condition;
	return expr_build(EXPR_OP_NOT, list_make1(condition));
}

static bool
is_truth(const PartiqlNode *node, const ItemValue *parameters, bool *truth)
{
	ItemValue	value;

	if (node->kind != PARTIQL_TRUE && node->kind != PARTIQL_FALSE &&
		node->kind != PARTIQL_PARAMETER)
		return false;
	value = partiql_value(node, parameters);
	if (value.type != ITEM_BOOL)
		return false;
	*truth = value.data[0] != 0;
	return true;
}

static bool
is_condition(const PartiqlNode *node)
{
	if (node->kind == PARTIQL_CALL)
		return !is_function(node, "size");
	return node->kind >= PARTIQL_AND && node->kind <= PARTIQL_IS;
}

/*
 * IS MISSING, or of a type.
 */
static ExprNode *
make_is(const PartiqlNode *node, const ItemValue *parameters)
{
	const char *type = strcmp(node->text, "NULL") == 0 ? "NULL" :
		strcmp(node->text, "BOOL") == 0 ? "BOOL" :
		strcmp(node->text, "STRING") == 0 ? "S" : NULL;
	ExprNode   *operand = make_operand(linitial(node->args), parameters);
	ItemValue	name;

	if (strcmp(node->text, "MISSING") == 0)
		return expr_build(EXPR_OP_ATTRIBUTE_NOT_EXISTS, list_make1(operand));
	if (type == NULL)
		refuse_operation(node);
	name = item_string(type, strlen(type));
	return expr_build(EXPR_OP_ATTRIBUTE_TYPE,
					  list_make2(operand, expr_build_value(&name)));
}

static ExprNode *
make_call(const PartiqlNode *node, const ItemValue *parameters)
{
	for (int i = 0; i < lengthof(functions); i++)
	{
		if (is_function(node, functions[i].name))
		{
			ExprNode   *call = expr_build(functions[i].op,
										  make_operands(node, parameters));

			return call;
		}
	}
	refuse_function(node);
}

static List *
make_operands(const PartiqlNode *node, const ItemValue *parameters)
{
	List	   *operands = NIL;
	ListCell   *lc;

	foreach(lc, node->args)
	{
		CHECK_FOR_INTERRUPTS();
		operands = lappend(operands, make_operand(lfirst(lc), parameters));
	}
	return operands;
}

static ExprNode *
make_operand(const PartiqlNode *node, const ItemValue *parameters)
{
	ItemValue	value;

	check_stack_depth();
	if (node->kind == PARTIQL_PATH)
		return expr_build_path(node->path);
	if (node->kind == PARTIQL_CALL)
		return make_call(node, parameters);
	if (node->kind >= PARTIQL_STAR || node->kind == PARTIQL_MISSING)
		refuse_operation(node);
	value = partiql_value(node, parameters);
	return expr_build_value(&value);
}

static bool
is_function(const PartiqlNode *node, const char *name)
{
	return node->kind == PARTIQL_CALL && strcmp(node->text, name) == 0;
}

static void
refuse_operation(const PartiqlNode *node)
{
	dynamo_error(DYNAMO_VALIDATION, "Unsupported operation: %s",
				 partiql_kind_name(node));
}

static void
refuse_function(const PartiqlNode *node)
{
	dynamo_error(DYNAMO_VALIDATION, "Unrecognized function: %s at %s",
				 node->text, partiql_place(node->place));
}
