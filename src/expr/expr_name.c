/*-------------------------------------------------------------------------
 *
 * expr_name.c
 *	  Names of expressions, operators and actions, and the errors they stand
 *	  in.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"

static const char *const kind_names[] = {
	[EXPR_CONDITION] = "ConditionExpression",
	[EXPR_FILTER] = "FilterExpression",
	[EXPR_KEY_CONDITION] = "KeyConditionExpression",
	[EXPR_SEARCH_CONDITION] = "SearchConditionExpression",
	[EXPR_PROJECTION] = "ProjectionExpression",
	[EXPR_UPDATE] = "UpdateExpression"
};

static const char *const op_names[] = {
	[EXPR_OP_PATH] = "path",
	[EXPR_OP_VALUE] = "value",
	[EXPR_OP_AND] = "AND",
	[EXPR_OP_OR] = "OR",
	[EXPR_OP_NOT] = "NOT",
	[EXPR_OP_EQ] = "=",
	[EXPR_OP_NE] = "<>",
	[EXPR_OP_LT] = "<",
	[EXPR_OP_LE] = "<=",
	[EXPR_OP_GT] = ">",
	[EXPR_OP_GE] = ">=",
	[EXPR_OP_BETWEEN] = "BETWEEN",
	[EXPR_OP_IN] = "IN",
	[EXPR_OP_PLUS] = "+",
	[EXPR_OP_MINUS] = "-",
	[EXPR_OP_ATTRIBUTE_EXISTS] = "attribute_exists",
	[EXPR_OP_ATTRIBUTE_NOT_EXISTS] = "attribute_not_exists",
	[EXPR_OP_ATTRIBUTE_TYPE] = "attribute_type",
	[EXPR_OP_BEGINS_WITH] = "begins_with",
	[EXPR_OP_CONTAINS] = "contains",
	[EXPR_OP_SIZE] = "size",
	[EXPR_OP_IF_NOT_EXISTS] = "if_not_exists",
	[EXPR_OP_LIST_APPEND] = "list_append"
};

static const char *const action_names[] = {
	[EXPR_ACTION_SET] = "SET",
	[EXPR_ACTION_REMOVE] = "REMOVE",
	[EXPR_ACTION_ADD] = "ADD",
	[EXPR_ACTION_DELETE] = "DELETE"
};

/*
 * Raise a ValidationException that names the parameter.
 */
void
expr_error(const ExprParser *parser, const char *fmt,...)
{
	va_list		args;
	char	   *message;

	va_start(args, fmt);
	message = dynamo_format(fmt, args);
	va_end(args);
	if (parser->kind == EXPR_STATEMENT)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_EXPRESSION, "%s",
						  message);
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_EXPRESSION,
					  "Invalid %s: %s", kind_names[parser->kind], message);
}

/*
 * The same with a hint for a user who is connected.
 */
void
expr_hint_error(const ExprParser *parser, const char *hint,
				const char *fmt,...)
{
	DynamoHelp	help = {.hint = hint};
	va_list		args;
	char	   *message;

	va_start(args, fmt);
	message = dynamo_format(fmt, args);
	va_end(args);
	dynamo_rule_error_with_help(DYNAMO_VALIDATION, DYNAMO_RULE_EXPRESSION,
								&help, "Invalid %s: %s",
								kind_names[parser->kind], message);
}

/*
 * An operator or function as errors name it.
 */
const char *
expr_op_name(ExprOp op)
{
	return op_names[op];
}

bool
expr_op_is_function(ExprOp op)
{
	return op >= EXPR_OP_ATTRIBUTE_EXISTS;
}

const char *
expr_action_name(ExprActionKind kind)
{
	return action_names[kind];
}
