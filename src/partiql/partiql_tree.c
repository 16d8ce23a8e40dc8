/*-------------------------------------------------------------------------
 *
 * partiql_tree.c
 *	  The grammar's actions: nodes of a statement.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "partiql/partiql_internal.h"

/*
 * Refuse a statement as a whole; "what" may be empty.
 */
void
partiql_malformed(const char *what)
{
	dynamo_error(DYNAMO_VALIDATION, PARTIQL_NOT_WELL_FORMED "%s", what);
}

/*
 * Note an error that ranks after a syntax error.  The first one counts.
 */
void
partiql_later(PartiqlParser *parser, const char *fmt,...)
{
	va_list		args;

	if (parser->later)
		return;
	va_start(args, fmt);
	parser->later = dynamo_format(fmt, args);
	va_end(args);
}

/*
 * A place as errors show it.
 */
char *
partiql_place(PartiqlPlace place)
{
	return psprintf("%d:%d:%d", place.line, place.column, place.length);
}

PartiqlNode *
partiql_node(PartiqlKind kind, PartiqlPlace place, List *args)
{
	PartiqlNode *node = palloc0(sizeof(PartiqlNode));

	node->kind = kind;
	node->place = place;
	node->args = args;
	return node;
}

/*
 * An operator; it stands where its first operand does.  A chain of AND, or of
 * OR, becomes one node, however it is grouped.
 */
PartiqlNode *
partiql_operator(PartiqlKind kind, List *args)
{
	PartiqlNode *left = linitial(args);
	PartiqlNode *right;

	if (kind != PARTIQL_AND && kind != PARTIQL_OR)
		return partiql_node(kind, left->place, args);
	right = lsecond(args);
	args = right->kind == kind ? right->args : list_make1(right);
	if (left->kind != kind)
		return partiql_node(kind, left->place, lcons(left, args));
	left->args = list_concat(left->args, args);
	return left;
}

PartiqlNode *
partiql_literal(PartiqlKind kind, PartiqlToken token)
{
	PartiqlNode *node = partiql_node(kind, token.place, NIL);

	node->text = token.text;
	node->length = token.length;
	return node;
}

PartiqlNode *
partiql_parameter(PartiqlParser *parser, PartiqlPlace place)
{
	PartiqlNode *node = partiql_node(PARTIQL_PARAMETER, place, NIL);

	node->parameter = parser->statement->nparameters++;
	return node;
}

/*
 * A call.  Names of functions have no case.
 */
PartiqlNode *
partiql_call(PartiqlParser *parser, PartiqlToken name, List *args)
{
	PartiqlNode *node = partiql_node(PARTIQL_CALL, name.place, args);
	char	   *text = pstrdup(name.text);

	for (char *p = text; *p; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	node->text = text;
	node->length = name.length;
	return node;
}

/*
 * A sign: part of a number's text, if it stands before one.
 */
PartiqlNode *
partiql_sign(PartiqlNode *node, PartiqlPlace place, bool negative)
{
	if (node->kind != PARTIQL_NUMBER)
		return partiql_node(negative ? PARTIQL_NEGATE : PARTIQL_POSITIVE,
							place, list_make1(node));
	if (!negative)
		return node;
	node->text = node->text[0] == '-' ? node->text + 1 :
		psprintf("-%s", node->text);
	node->length = strlen(node->text);
	node->place = place;
	return node;
}

PartiqlNode *
partiql_path(PartiqlToken name)
{
	PartiqlNode *node = partiql_node(PARTIQL_PATH, name.place, NIL);

	node->path = palloc0(sizeof(ExprPath));
	return partiql_path_name(node, name);
}

PartiqlNode *
partiql_path_name(PartiqlNode *node, PartiqlToken name)
{
	ExprStep   *step = expr_path_extend(node->path);

	step->name = name.text;
	step->namelen = name.length;
	return node;
}

/*
 * A list position; one out of range is noted.
 */
PartiqlNode *
partiql_path_position(PartiqlParser *parser, PartiqlNode *node,
					  PartiqlToken index, bool negative)
{
	ExprStep   *step = expr_path_extend(node->path);
	uint64		position = 0;

	for (int i = 0; i < index.length; i++)
	{
		int			digit = index.text[i] - '0';

		if (digit < 0 || digit > 9)
			partiql_malformed("Invalid path dot component");
		position = Min(position * 10 + digit, PG_UINT32_MAX);
	}
	if (negative || position > PG_INT32_MAX)
		partiql_later(parser, "List index is not within the allowable range; index: [%s%s] at %s",
					  negative ? "-" : "", index.text,
					  partiql_place(index.place));
	step->position = (uint32) position;
	return node;
}

/*
 * "x IS type", or IS NOT.
 */
PartiqlNode *
partiql_is(PartiqlParser *parser, PartiqlNode *node, bool negated,
		   const char *type)
{
	PartiqlNode *is = partiql_operator(PARTIQL_IS, list_make1(node));

	is->text = type;
	is->length = strlen(type);
	return negated ? partiql_operator(PARTIQL_NOT, list_make1(is)) : is;
}

/*
 * A type of one word or two, in capitals.
 */
const char *
partiql_type(PartiqlParser *parser, PartiqlToken first,
			 const PartiqlToken *second)
{
	char	   *type = second ? psprintf("%s %s", first.text, second->text) :
		pstrdup(first.text);

	for (char *p = type; *p; p++)
		*p = pg_ascii_toupper((unsigned char) *p);
	if (!partiql_is_type(type))
		partiql_malformed("Expected type name");
	return type;
}

/*
 * A component of what a statement reads or writes: table, index.
 */
void
partiql_table(PartiqlParser *parser, PartiqlToken name)
{
	parser->components++;
	if (name.length == 0)
		parser->empty_component = true;
	if (parser->components == 1)
		parser->statement->table_name = name.text;
	else
		parser->statement->index_name = name.text;
}

/*
 * SET or REMOVE of one path.
 */
void
partiql_clause(PartiqlParser *parser, PartiqlNode *target, PartiqlNode *value)
{
	PartiqlClause *clause = palloc(sizeof(PartiqlClause));

	clause->target = target;
	clause->value = value;
	parser->statement->clauses = lappend(parser->statement->clauses, clause);
}

void
partiql_order(PartiqlParser *parser, PartiqlNode *path, bool descending)
{
	PartiqlOrder *order = palloc(sizeof(PartiqlOrder));

	order->name = path->path->steps[0].name;
	order->descending = descending;
	if (path->path->nsteps > 1)
		partiql_later(parser, "Variable reference %s in ORDER BY clause must be part of the primary key",
					  order->name);
	parser->statement->order = lappend(parser->statement->order, order);
}

void
partiql_returning(PartiqlParser *parser, PartiqlToken scope,
				  PartiqlToken image)
{
	bool		modified = pg_strcasecmp(scope.text, "modified") == 0;
	bool		new = pg_strcasecmp(image.text, "new") == 0;

	if ((!modified && pg_strcasecmp(scope.text, "all") != 0) ||
		(!new && pg_strcasecmp(image.text, "old") != 0))
		partiql_malformed("Unexpected token after expression");
	if (parser->statement->verb == PARTIQL_DELETE && (modified || new))
		partiql_later(parser, "Invalid returning clause: RETURNING %s %s *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
					  scope.text, image.text);
	parser->statement->returning = modified ?
		(new ? PARTIQL_RETURNING_MODIFIED_NEW : PARTIQL_RETURNING_MODIFIED_OLD) :
		(new ? PARTIQL_RETURNING_ALL_NEW : PARTIQL_RETURNING_ALL_OLD);
}
