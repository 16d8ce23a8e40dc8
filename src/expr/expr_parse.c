/*-------------------------------------------------------------------------
 *
 * expr_parse.c
 *	  From the text of an expression to its checked tree.
 *
 * The entry points, and the actions of the grammar.  Errors that rank after a
 * syntax error must wait until the whole text has proven to be well-formed, so
 * the actions only note them; redundant parentheses alone do not wait.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

static void parse(ExprParser *parser, ExprKind kind, const char *text,
				  ExprBindings *bindings);
static const void *parse_text(int kind, const char *text);
static void check_size(const ExprParser *parser);
static ExprNode *copy_node(const ExprNode *node);
static ExprPath *copy_path(const ExprPath *path);
static List *copy_paths(const List *paths);
static List *copy_actions(const List *actions);

/* Parsers that have come to the end of a text, by the kind of expression */
static DynamoParsedCache texts = {.parse = parse_text};

/*
 * Parse a condition, a filter or the condition a key condition is made of.
 */
ExprCondition *
expr_parse_condition(ExprKind kind, const char *text, ExprBindings *bindings)
{
	ExprCondition *condition = palloc(sizeof(ExprCondition));
	ExprParser	parser;

	parse(&parser, kind, text, bindings);
	expr_check_condition(&parser);
	condition->root = parser.condition;
	return condition;
}

/*
 * Only what the text says: names and values are placeholders still, and only
 * the syntax has been checked.
 */
ExprCondition *
expr_parse_outline(ExprKind kind, const char *text)
{
	ExprCondition *condition = palloc(sizeof(ExprCondition));
	ExprParser	parser;

	parse(&parser, kind, text, NULL);
	condition->root = parser.condition;
	return condition;
}

ExprProjection *
expr_parse_projection(const char *text, ExprBindings *bindings)
{
	ExprProjection *projection = palloc(sizeof(ExprProjection));
	ExprParser	parser;

	parse(&parser, EXPR_PROJECTION, text, bindings);
	expr_check_projection(&parser);
	projection->paths = parser.paths;
	projection->columns = NIL;
	expr_fragment_build(&projection->root, projection->paths);
	return projection;
}

ExprUpdate *
expr_parse_update(const char *text, ExprBindings *bindings)
{
	ExprUpdate *update = palloc(sizeof(ExprUpdate));
	ExprParser	parser;

	parse(&parser, EXPR_UPDATE, text, bindings);
	expr_check_update(&parser);
	update->actions = parser.actions;
	update->legacy = false;
	expr_fragment_build(&update->targets, expr_update_paths(update));
	return update;
}

void
expr_check_syntax(ExprKind kind, const char *text)
{
	ExprParser	parser;

	parse(&parser, kind, text, NULL);
}

/*
 * Parse, or copy what a parse of this text has given before: what follows puts
 * names and values in their places.
 */
static void
parse(ExprParser *parser, ExprKind kind, const char *text,
	  ExprBindings *bindings)
{
	memset(parser, 0, sizeof(ExprParser));
	parser->kind = kind;
	parser->text = text;
	parser->length = (int) strlen(text);
	check_size(parser);

	*parser = *(const ExprParser *) dynamo_parsed(&texts, kind, text);
	parser->bindings = bindings;
	parser->condition = copy_node(parser->condition);
	parser->paths = copy_paths(parser->paths);
	parser->actions = copy_actions(parser->actions);
}

/*
 * Parse a text of a size that was checked.
 */
static const void *
parse_text(int kind, const char *text)
{
	ExprParser *parser = palloc0(sizeof(ExprParser));

	parser->kind = kind;
	parser->text = text;
	parser->length = (int) strlen(text);
	parser->start = expr_start_token(kind);
	expr_scan_begin(parser);
	(void) expr_yyparse(parser);
	expr_scan_end(parser);
	return parser;
}

/*
 * The size comes first: it bounds all that follows, bison's stack included.
 */
static void
check_size(const ExprParser *parser)
{
	if (parser->length == 0)
		expr_error(parser, "The expression can not be empty;");
	if (parser->length <= DYNAMO_MAX_EXPRESSION)
		return;
	if (parser->kind == EXPR_UPDATE || parser->kind == EXPR_PROJECTION)
		expr_error(parser, "Expression size has exceeded the maximum allowed size;");
	expr_error(parser, "Expression size has exceeded the maximum allowed size; expression size: %d",
			   parser->length);
}

/*
 * Copies of what binding changes.  They share the texts.
 */

static ExprNode *
copy_node(const ExprNode *node)
{
	ExprNode   *copy;
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	check_stack_depth();
	copy = palloc(sizeof(ExprNode));
	*copy = *node;
	if (node->path)
		copy->path = copy_path(node->path);
	if (node->args)
	{
		copy->args = list_copy(node->args);
		foreach(lc, copy->args)
			lfirst(lc) = copy_node(lfirst(lc));
	}
	return copy;
}

static ExprPath *
copy_path(const ExprPath *path)
{
	ExprPath   *copy = palloc(sizeof(ExprPath));

	copy->nsteps = path->nsteps;
	copy->steps = palloc(sizeof(ExprStep) * path->nsteps);
	memcpy(copy->steps, path->steps, sizeof(ExprStep) * path->nsteps);
	return copy;
}

static List *
copy_paths(const List *paths)
{
	List	   *copy = list_copy(paths);
	ListCell   *lc;

	foreach(lc, copy)
		lfirst(lc) = copy_path(lfirst(lc));
	return copy;
}

static List *
copy_actions(const List *actions)
{
	List	   *copy = list_copy(actions);
	ListCell   *lc;

	foreach(lc, copy)
	{
		ExprAction *action = palloc(sizeof(ExprAction));

		*action = *(const ExprAction *) lfirst(lc);
		action->target = copy_path(action->target);
		action->operand = copy_node(action->operand);
		lfirst(lc) = action;
	}
	return copy;
}

/*
 * Actions of the grammar
 */

ExprNode *
expr_make(ExprOp op, List *args)
{
	ExprNode   *node = palloc0(sizeof(ExprNode));

	node->op = op;
	node->args = args;
	return node;
}

/*
 * An operator.  A chain of AND, or of OR, becomes one node with many
 * arguments: trees stay flat.
 */
ExprNode *
expr_make_operator(ExprParser *parser, ExprOp op, List *args)
{
	ExprNode   *left = linitial(args);

	parser->operators++;
	if ((op == EXPR_OP_AND || op == EXPR_OP_OR) &&
		left->op == op && !left->grouped)
	{
		left->args = lappend(left->args, lsecond(args));
		return left;
	}
	return expr_make(op, args);
}

ExprNode *
expr_make_value(ExprText text)
{
	ExprNode   *node = expr_make(EXPR_OP_VALUE, NIL);

	node->text = pnstrdup(text.start, text.length);
	return node;
}

ExprNode *
expr_make_path(ExprPath *path)
{
	ExprNode   *node = expr_make(EXPR_OP_PATH, NIL);

	node->path = path;
	return node;
}

/*
 * A call of a function.  Names are case-sensitive.  Calls come here from the
 * inside out; of those that cannot be, the first in the text is noted.
 */
ExprNode *
expr_make_call(ExprParser *parser, ExprText name, List *args)
{
	ExprNode   *node = expr_make(EXPR_OP_UNKNOWN_FUNCTION, args);
	bool		wrong_language;

	node->text = pnstrdup(name.start, name.length);
	for (ExprOp op = EXPR_OP_ATTRIBUTE_EXISTS; op < EXPR_OP_UNKNOWN_FUNCTION; op++)
	{
		if (strcmp(expr_op_name(op), node->text) == 0)
			node->op = op;
	}
	wrong_language = (node->op >= EXPR_OP_IF_NOT_EXISTS) !=
		(parser->kind == EXPR_UPDATE);
	if ((node->op == EXPR_OP_UNKNOWN_FUNCTION || wrong_language) &&
		(parser->bad_function == NULL || name.start < parser->bad_function_at))
	{
		parser->bad_function = node;
		parser->bad_function_at = name.start;
	}
	parser->operators++;
	return node;
}

/*
 * A node in parentheses.  A group that holds nothing but a group is refused,
 * even before a syntax error further on.
 */
ExprNode *
expr_make_group(ExprParser *parser, ExprNode *node)
{
	if (node->grouped)
		expr_error(parser, "The expression has redundant parentheses;");
	node->grouped = true;
	return node;
}

ExprPath *
expr_path_begin(ExprParser *parser, ExprText name)
{
	return expr_path_name(parser, palloc0(sizeof(ExprPath)), name);
}

/*
 * A further name, or a placeholder for one, in a path.
 */
ExprPath *
expr_path_name(ExprParser *parser, ExprPath *path, ExprText name)
{
	ExprStep   *step = expr_path_extend(path);

	step->name = pnstrdup(name.start, name.length);
	step->namelen = name.length;
	if (parser->reserved == NULL && expr_is_reserved(name.start, name.length))
		parser->reserved = step->name;
	return path;
}

/*
 * A list position in a path.
 */
ExprPath *
expr_path_position(ExprParser *parser, ExprPath *path, ExprText index)
{
	ExprStep   *step = expr_path_extend(path);
	uint64		position = 0;

	for (int i = 0; i < index.length && position <= PG_INT32_MAX; i++)
		position = position * 10 + (index.start[i] - '0');
	if (position > PG_INT32_MAX && parser->bad_index == NULL)
		parser->bad_index = pnstrdup(index.start, index.length);
	step->position = (uint32) position;
	return path;
}

/*
 * Room for one more step.  Space doubles when the number of steps in use is a
 * power of two.
 */
ExprStep *
expr_path_extend(ExprPath *path)
{
	int			n = path->nsteps;

	if (n == 0)
		path->steps = palloc(sizeof(ExprStep));
	else if ((n & (n - 1)) == 0)
		path->steps = repalloc(path->steps, 2 * n * sizeof(ExprStep));
	memset(&path->steps[n], 0, sizeof(ExprStep));
	path->nsteps++;
	return &path->steps[n];
}

void
expr_add_action(ExprParser *parser, ExprActionKind kind, ExprPath *target,
				ExprNode *operand)
{
	ExprAction *action = palloc(sizeof(ExprAction));

	action->kind = kind;
	action->target = target;
	action->operand = operand;
	parser->actions = lappend(parser->actions, action);
}

/*
 * A section of an update is complete; each may come once.
 */
void
expr_end_section(ExprParser *parser, ExprActionKind kind)
{
	if (parser->sections[kind] && !parser->has_repeated)
	{
		parser->has_repeated = true;
		parser->repeated = kind;
	}
	parser->sections[kind] = true;
}
