/*-------------------------------------------------------------------------
 *
 * partiql_parse.c
 *	  From the text of a statement to its tree.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "partiql/partiql_internal.h"

static const void *parse_text(int kind, const char *text);
static void check_source(const PartiqlParser *parser);

static DynamoParsedCache statements = {.parse = parse_text};

/*
 * The statement lives as long as the current context.
 */
const PartiqlStatement *
partiql_parse(const char *text)
{
	return dynamo_parsed(&statements, 0, text);
}

/*
 * Parse a text, into the current memory context.
 */
static const void *
parse_text(int kind, const char *text)
{
	PartiqlParser parser = {0};

	parser.text = text;
	parser.length = strlen(text);
	parser.statement = palloc0(sizeof(PartiqlStatement));
	parser.current = -1;
	partiql_scan_begin(&parser);
	(void) partiql_yyparse(&parser);
	partiql_scan_end(&parser);
	check_source(&parser);
	if (parser.later)
		dynamo_error(DYNAMO_VALIDATION, "%s", parser.later);
	return parser.statement;
}

PartiqlVerb
partiql_verb(const PartiqlStatement *statement)
{
	return statement->verb;
}

/*
 * What a statement reads or writes: a table, or an index of one.
 */
static void
check_source(const PartiqlParser *parser)
{
	PartiqlVerb verb = parser->statement->verb;

	if (parser->aliased)
		dynamo_error(DYNAMO_VALIDATION, "Aliasing is not supported");
	if (parser->components > 2)
		dynamo_error(DYNAMO_VALIDATION,
					 "A path may contain at most 2 components in the FROM clause");
	if (parser->empty_component)
		dynamo_error(DYNAMO_VALIDATION,
					 "Path component cannot be an empty string");
	if (parser->components < 2)
		return;
	if (verb == PARTIQL_INSERT)
		dynamo_error(DYNAMO_VALIDATION,
					 "FROM clause may only contain a single table name in data manipulation statements");
	if (verb == PARTIQL_UPDATE || verb == PARTIQL_DELETE)
		dynamo_error(DYNAMO_VALIDATION,
					 "This operation is not supported on an index");
}
