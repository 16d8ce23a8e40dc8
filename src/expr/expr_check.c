/*-------------------------------------------------------------------------
 *
 * expr_check.c
 *	  What a well-formed expression can be refused for without an item, in
 *	  the order in which the service looks at it.
 *
 * Conditions: list positions, functions (unknown ones, then those out of
 * place), reserved words; then comparison by comparison and call by call, from
 * left to right: placeholders, number and kind of operands, equal operands,
 * types; the number of operators last.
 *
 * Updates: list positions, reserved words, functions, sections that come
 * twice; then over the whole expression: names, values, paths that overlap,
 * paths that conflict, operands of ADD and DELETE, operands of functions and
 * arithmetic, the number of operators.
 *
 * Redundant parentheses are refused by the grammar's actions already.
 *
 * Types are those of constants, and of functions whose result has one type; a
 * path has none before there is an item.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#define TYPE_BIT(type)	(1 << (type))

/* Sets of types that operators take. */
#define ORDERED_TYPES	(TYPE_BIT(ITEM_S) | TYPE_BIT(ITEM_N) | TYPE_BIT(ITEM_B))
#define PREFIX_TYPES	(TYPE_BIT(ITEM_S) | TYPE_BIT(ITEM_B))
#define SET_TYPES		(TYPE_BIT(ITEM_SS) | TYPE_BIT(ITEM_NS) | TYPE_BIT(ITEM_BS))
#define SIZED_TYPES		(PREFIX_TYPES | SET_TYPES | TYPE_BIT(ITEM_L) | TYPE_BIT(ITEM_M))

/* What attribute_type() is told when its second operand is a path. */
#define ANY_TYPE_NAMES		"{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
#define VALID_TYPE_NAMES	"{S,SS,N,NS,B,BS,BOOL,NULL,L,M}"

static void check_positions(const ExprParser *parser);
static void check_known_functions(const ExprParser *parser);
static void check_reserved(const ExprParser *parser);
static void check_operator_count(const ExprParser *parser);
static void check_condition_places(const ExprParser *parser, const ExprNode *node);
static void check_operand_places(const ExprParser *parser, const ExprNode *node);
static void check_predicate(const ExprParser *parser, ExprNode *node);
static void check_comparison(const ExprParser *parser, ExprNode *node);
static void check_in(const ExprParser *parser, const ExprNode *node);
static void check_between(const ExprParser *parser, const ExprNode *node);
static void check_function(const ExprParser *parser, const ExprNode *node);
static void check_attribute_type(const ExprParser *parser, const ExprNode *node);
static void check_distinct(const ExprParser *parser, const ExprNode *node);
static void check_types(const ExprParser *parser, const ExprNode *node,
						int allowed);
static void check_arity(const ExprParser *parser, const ExprNode *node, int arity);
static void check_first_is_path(const ExprParser *parser, const ExprNode *node);
static bool static_type(const ExprNode *node, ItemType *type);
static char *value_text(const ItemValue *value);
static void check_value_places(const ExprParser *parser, const ExprNode *node,
							   bool whole);
static void check_section_once(const ExprParser *parser);
static void check_overlaps(const ExprParser *parser, const List *paths);
static void check_set_operand(const ExprParser *parser, const ExprAction *action);
static void check_value(const ExprParser *parser, const ExprNode *node);
static void bind_node(const ExprParser *parser, ExprNode *node, bool names,
					  bool values);
static void bind_path(const ExprParser *parser, ExprPath *path);
static void check_path_depth(const ExprParser *parser, const ExprPath *path);
static void check_node_depth(const ExprParser *parser, const ExprNode *node);

/*
 * Resolve and check parser->condition.
 */
void
expr_check_condition(ExprParser *parser)
{
	check_positions(parser);
	check_known_functions(parser);
	check_condition_places(parser, parser->condition);
	check_reserved(parser);
	check_predicate(parser, parser->condition);
	check_operator_count(parser);
}

/*
 * Resolve and check parser->paths.
 */
void
expr_check_projection(ExprParser *parser)
{
	ListCell   *lc;

	check_positions(parser);
	check_reserved(parser);
	foreach(lc, parser->paths)
		bind_path(parser, lfirst(lc));
	foreach(lc, parser->paths)
		check_path_depth(parser, lfirst(lc));
	check_overlaps(parser, parser->paths);
}

/*
 * Resolve and check parser->actions.
 */
void
expr_check_update(ExprParser *parser)
{
	List	   *targets = NIL;
	ListCell   *lc;

	check_positions(parser);
	check_reserved(parser);
	check_known_functions(parser);
	foreach(lc, parser->actions)
		check_value_places(parser, ((ExprAction *) lfirst(lc))->operand, true);
	check_section_once(parser);

	foreach(lc, parser->actions)
	{
		ExprAction *action = lfirst(lc);

		bind_path(parser, action->target);
		bind_node(parser, action->operand, true, false);
		targets = lappend(targets, action->target);
	}
	foreach(lc, parser->actions)
		bind_node(parser, ((ExprAction *) lfirst(lc))->operand, false, true);
	foreach(lc, parser->actions)
	{
		check_path_depth(parser, ((ExprAction *) lfirst(lc))->target);
		check_node_depth(parser, ((ExprAction *) lfirst(lc))->operand);
	}
	check_overlaps(parser, targets);
	foreach(lc, parser->actions)
		check_set_operand(parser, lfirst(lc));
	foreach(lc, parser->actions)
		check_value(parser, ((ExprAction *) lfirst(lc))->operand);
	check_operator_count(parser);
}

/*
 * Checks of the whole expression
 */

static void
check_positions(const ExprParser *parser)
{
	if (parser->bad_index)
		expr_error(parser, "List index is not within the allowable range; index: [%s]",
				   parser->bad_index);
}

/*
 * Functions nobody knows, and those of the other language.
 */
static void
check_known_functions(const ExprParser *parser)
{
	const ExprNode *call = parser->bad_function;

	if (call == NULL)
		return;
	if (call->op == EXPR_OP_UNKNOWN_FUNCTION)
		expr_error(parser, "Invalid function name; function: %s", call->text);
	expr_error(parser, "The function is not allowed in %s expression; function: %s",
			   parser->kind == EXPR_UPDATE ? "an update" : "a condition",
			   call->text);
}

static void
check_reserved(const ExprParser *parser)
{
	if (parser->reserved)
		expr_hint_error(parser,
						psprintf("Write #%s instead, and say in expression_attribute_names what it stands for: {\"#%s\": \"%s\"}.",
								 parser->reserved, parser->reserved,
								 parser->reserved),
						"Attribute name is a reserved keyword; reserved keyword: %s",
						parser->reserved);
}

static void
check_operator_count(const ExprParser *parser)
{
	if (parser->operators > DYNAMO_MAX_OPERATORS)
		expr_error(parser, "The expression contains too many operators; operator count: %d",
				   DYNAMO_MAX_OPERATORS + 1);
}

static void
refuse_place(const ExprParser *parser, const ExprNode *call)
{
	expr_error(parser, "The function is not allowed to be used this way in an expression; function: %s",
			   call->text);
}

/*
 * size() gives a value, the other functions of conditions give a truth: each
 * only where it fits.
 */
static void
check_condition_places(const ExprParser *parser, const ExprNode *node)
{
	ListCell   *lc;

	check_stack_depth();
	if (node->op == EXPR_OP_SIZE)
		refuse_place(parser, node);
	foreach(lc, node->args)
	{
		if (node->op == EXPR_OP_AND || node->op == EXPR_OP_OR ||
			node->op == EXPR_OP_NOT)
			check_condition_places(parser, lfirst(lc));
		else
			check_operand_places(parser, lfirst(lc));
	}
}

static void
check_operand_places(const ExprParser *parser, const ExprNode *node)
{
	ListCell   *lc;

	check_stack_depth();
	if (expr_op_is_function(node->op) && node->op != EXPR_OP_SIZE)
		refuse_place(parser, node);
	foreach(lc, node->args)
		check_operand_places(parser, lfirst(lc));
}

/*
 * Conditions
 */

static void
check_predicate(const ExprParser *parser, ExprNode *node)
{
	ListCell   *lc;

	check_stack_depth();
	switch (node->op)
	{
		case EXPR_OP_AND:
		case EXPR_OP_OR:
		case EXPR_OP_NOT:
			foreach(lc, node->args)
				check_predicate(parser, lfirst(lc));
			break;
		default:
			check_comparison(parser, node);
			break;
	}
}

/*
 * One comparison, BETWEEN, IN or call, with all that is in it.
 */
static void
check_comparison(const ExprParser *parser, ExprNode *node)
{
	ListCell   *lc;

	bind_node(parser, node, true, true);
	check_node_depth(parser, node);
	foreach(lc, node->args)
	{
		if (expr_op_is_function(((ExprNode *) lfirst(lc))->op))
			check_function(parser, lfirst(lc));
	}
	switch (node->op)
	{
		case EXPR_OP_EQ:
		case EXPR_OP_NE:
			check_distinct(parser, node);
			break;
		case EXPR_OP_LT:
		case EXPR_OP_LE:
		case EXPR_OP_GT:
		case EXPR_OP_GE:
			check_distinct(parser, node);
			check_types(parser, node, ORDERED_TYPES);
			break;
		case EXPR_OP_BETWEEN:
			check_distinct(parser, node);
			check_types(parser, node, ORDERED_TYPES);
			check_between(parser, node);
			break;
		case EXPR_OP_IN:
			check_in(parser, node);
			break;
		default:
			check_function(parser, node);
			break;
	}
}

static void
check_in(const ExprParser *parser, const ExprNode *node)
{
	int			count = list_length(node->args) - 1;

	check_distinct(parser, node);
	if (count > DYNAMO_MAX_IN_OPERANDS)
		expr_error(parser, "The IN operator is provided with too many operands; number of operands: %d",
				   count);
}

/*
 * Constant bounds must have one type and the right order.
 */
static void
check_between(const ExprParser *parser, const ExprNode *node)
{
	const ExprNode *low = lsecond(node->args);
	const ExprNode *high = lthird(node->args);

	if (low->op != EXPR_OP_VALUE || high->op != EXPR_OP_VALUE)
		return;
	if (low->value.type != high->value.type)
		expr_error(parser, "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: %s, upper bound operand: AttributeValue: %s",
				   value_text(&low->value), value_text(&high->value));
	if (item_value_compare(&low->value, &high->value) > 0)
		expr_error(parser, "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: %s, upper bound operand: AttributeValue: %s",
				   value_text(&low->value), value_text(&high->value));
}

/*
 * A call of a condition's function, those inside first.
 */
static void
check_function(const ExprParser *parser, const ExprNode *node)
{
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, node->args)
	{
		if (expr_op_is_function(((ExprNode *) lfirst(lc))->op))
			check_function(parser, lfirst(lc));
	}
	switch (node->op)
	{
		case EXPR_OP_ATTRIBUTE_EXISTS:
		case EXPR_OP_ATTRIBUTE_NOT_EXISTS:
			check_arity(parser, node, 1);
			check_first_is_path(parser, node);
			break;
		case EXPR_OP_ATTRIBUTE_TYPE:
			check_arity(parser, node, 2);
			check_distinct(parser, node);
			check_attribute_type(parser, node);
			break;
		case EXPR_OP_BEGINS_WITH:
			check_arity(parser, node, 2);
			check_distinct(parser, node);
			check_types(parser, node, PREFIX_TYPES);
			break;
		case EXPR_OP_CONTAINS:
			check_arity(parser, node, 2);
			check_distinct(parser, node);
			break;
		case EXPR_OP_SIZE:
			check_arity(parser, node, 1);
			check_types(parser, node, SIZED_TYPES);
			break;
		default:
			break;
	}
}

static void
refuse_type(const ExprParser *parser, const ExprNode *node, const char *type)
{
	expr_error(parser, "Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
			   expr_op_name(node->op), type);
}

/*
 * The second operand of attribute_type() names a type.
 */
static void
check_attribute_type(const ExprParser *parser, const ExprNode *node)
{
	const ExprNode *name = lsecond(node->args);
	char	   *text;
	ItemType	type;

	if (!static_type(name, &type))
		refuse_type(parser, node, ANY_TYPE_NAMES);
	if (type != ITEM_S)
		refuse_type(parser, node, item_type_name(type));
	text = pnstrdup(name->value.data, name->value.len);
	if (!item_type_from_name(text, &type))
		expr_error(parser, "Invalid attribute type name found; type: %s, valid types: %s",
				   text, VALID_TYPE_NAMES);
}

/*
 * The first operand, if a path, must not come again.
 */
static void
check_distinct(const ExprParser *parser, const ExprNode *node)
{
	const ExprNode *first = linitial(node->args);
	ListCell   *lc;

	if (first->op != EXPR_OP_PATH)
		return;
	for_each_from(lc, node->args, 1)
	{
		const ExprNode *other = lfirst(lc);

		if (other->op == EXPR_OP_PATH &&
			expr_path_equal(first->path, other->path))
			expr_error(parser, "The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s",
					   expr_op_name(node->op), expr_path_text(first->path));
	}
}

static void
check_types(const ExprParser *parser, const ExprNode *node, int allowed)
{
	ListCell   *lc;

	foreach(lc, node->args)
	{
		ItemType	type;

		if (static_type(lfirst(lc), &type) && !(allowed & TYPE_BIT(type)))
			refuse_type(parser, node, item_type_name(type));
	}
}

static void
check_arity(const ExprParser *parser, const ExprNode *node, int arity)
{
	if (list_length(node->args) != arity)
		expr_error(parser, "Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d",
				   expr_op_name(node->op), list_length(node->args));
}

static void
check_first_is_path(const ExprParser *parser, const ExprNode *node)
{
	if (((ExprNode *) linitial(node->args))->op != EXPR_OP_PATH)
		expr_error(parser, "Operator or function requires a document path; operator or function: %s",
				   expr_op_name(node->op));
}

/*
 * The type a node has whatever the item; false when it depends.
 */
static bool
static_type(const ExprNode *node, ItemType *type)
{
	switch (node->op)
	{
		case EXPR_OP_VALUE:
			*type = node->value.type;
			return true;
		case EXPR_OP_SIZE:
		case EXPR_OP_PLUS:
		case EXPR_OP_MINUS:
			*type = ITEM_N;
			return true;
		case EXPR_OP_LIST_APPEND:
			*type = ITEM_L;
			return true;
		default:
			return false;
	}
}

/*
 * A constant S, N or B as errors of BETWEEN show it.
 */
static char *
value_text(const ItemValue *value)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "{%s:", item_type_name(value->type));
	if (value->type == ITEM_N)
		item_number_append(&out, value);
	else if (value->type == ITEM_S)
		appendBinaryStringInfo(&out, value->data, value->len);
	else
		item_base64_append(&out, value->data, value->len);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * Updates
 */

/*
 * list_append() is a whole right-hand side; if_not_exists() may stand in it,
 * in another if_not_exists() and in arithmetic.  "whole" is true at the top.
 */
static void
check_value_places(const ExprParser *parser, const ExprNode *node, bool whole)
{
	ListCell   *lc;

	if (node == NULL)
		return;
	check_stack_depth();
	if (node->op == EXPR_OP_LIST_APPEND && !whole)
		refuse_place(parser, node);
	foreach(lc, node->args)
		check_value_places(parser, lfirst(lc), false);
}

static void
check_section_once(const ExprParser *parser)
{
	if (parser->has_repeated)
		expr_error(parser, "The \"%s\" section can only be used once in an update expression;",
				   expr_action_name(parser->repeated));
}

/*
 * No path may equal another or be the beginning of another, and two paths may
 * not use the same thing as a map and as a list.
 */
static void
check_overlaps(const ExprParser *parser, const List *paths)
{
	const ExprPath *clash[2] = {NULL, NULL};
	int			count = list_length(paths);

	for (int i = 1; i < count; i++)
	{
		const ExprPath *later = list_nth(paths, i);

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i; j++)
		{
			const ExprPath *earlier = list_nth(paths, j);
			bool		conflict;

			if (expr_path_overlap(earlier, later, &conflict))
				expr_error(parser, "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: %s, path two: %s",
						   expr_path_text(earlier), expr_path_text(later));
			if (conflict && clash[0] == NULL)
			{
				clash[0] = earlier;
				clash[1] = later;
			}
		}
	}
	if (clash[0])
		expr_error(parser, "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: %s, path two: %s",
				   expr_path_text(clash[0]), expr_path_text(clash[1]));
}

/*
 * The constant of ADD or DELETE.  The text differs from that of functions, and
 * so do the names of types in it.
 */
static void
check_set_operand(const ExprParser *parser, const ExprAction *action)
{
	static const char *const long_names[] = {
		[ITEM_S] = "STRING",
		[ITEM_N] = "NUMBER",
		[ITEM_B] = "BINARY",
		[ITEM_BOOL] = "BOOLEAN",
		[ITEM_NULL] = "NULL",
		[ITEM_L] = "LIST",
		[ITEM_M] = "MAP"
	};
	ItemType	type;

	if (action->kind != EXPR_ACTION_ADD && action->kind != EXPR_ACTION_DELETE)
		return;
	type = action->operand->value.type;
	if ((SET_TYPES & TYPE_BIT(type)) ||
		(action->kind == EXPR_ACTION_ADD && type == ITEM_N))
		return;
	expr_error(parser, "Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_ADD_OPERAND",
			   expr_action_name(action->kind), long_names[type]);
}

/*
 * A right-hand side, what is inside first.
 */
static void
check_value(const ExprParser *parser, const ExprNode *node)
{
	ListCell   *lc;

	if (node == NULL)
		return;
	check_stack_depth();
	foreach(lc, node->args)
		check_value(parser, lfirst(lc));
	switch (node->op)
	{
		case EXPR_OP_PLUS:
		case EXPR_OP_MINUS:
			check_types(parser, node, TYPE_BIT(ITEM_N));
			break;
		case EXPR_OP_IF_NOT_EXISTS:
			check_arity(parser, node, 2);
			check_first_is_path(parser, node);
			check_distinct(parser, node);
			break;
		case EXPR_OP_LIST_APPEND:
			check_arity(parser, node, 2);
			check_types(parser, node, TYPE_BIT(ITEM_L));
			break;
		default:
			break;
	}
}

/*
 * Placeholders
 */

/*
 * Resolve the names, the values or both of a tree, from left to right.  A
 * statement has no placeholders: "#a" is a name there.
 */
static void
bind_node(const ExprParser *parser, ExprNode *node, bool names, bool values)
{
	ListCell   *lc;

	if (node == NULL || parser->kind == EXPR_STATEMENT)
		return;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (node->op == EXPR_OP_PATH && names)
		bind_path(parser, node->path);
	if (node->op == EXPR_OP_VALUE && values &&
		!expr_bound_value(parser->bindings, node->text, &node->value))
		expr_error(parser, "An expression attribute value used in expression is not defined; attribute value: %s",
				   node->text);
	foreach(lc, node->args)
		bind_node(parser, lfirst(lc), names, values);
}

/*
 * Resolve the names of a path; once only, as a name may look like a
 * placeholder.
 */
static void
bind_path(const ExprParser *parser, ExprPath *path)
{
	if (parser->kind == EXPR_STATEMENT)
		return;
	for (int i = 0; i < path->nsteps; i++)
	{
		ExprStep   *step = &path->steps[i];
		const char *name;

		if (step->name == NULL || step->name[0] != '#')
			continue;
		name = expr_bound_name(parser->bindings, step->name);
		if (name == NULL)
			expr_error(parser, "An expression attribute name used in the document path is not defined; attribute name: %s",
					   step->name);
		step->name = name;
		step->namelen = strlen(name);
	}
}

static void
check_path_depth(const ExprParser *parser, const ExprPath *path)
{
	if (path->nsteps > DYNAMO_MAX_PATH_DEPTH)
		expr_error(parser, "The document path has too many nesting levels; nesting levels: %d",
				   path->nsteps);
}

static void
check_node_depth(const ExprParser *parser, const ExprNode *node)
{
	ListCell   *lc;

	if (node == NULL)
		return;
	check_stack_depth();
	if (node->op == EXPR_OP_PATH)
		check_path_depth(parser, node->path);
	foreach(lc, node->args)
		check_node_depth(parser, lfirst(lc));
}
