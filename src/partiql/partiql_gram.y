%{
/*-------------------------------------------------------------------------
 *
 * partiql_gram.y
 *	  Grammar of PartiQL, as far as the service has it.
 *
 * Expressions are read as PartiQL has them, whatever they stand for; what
 * makes no condition or value is refused when the statement is bound.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "partiql/partiql_internal.h"
#include "partiql/partiql_gram.h"

/* Bison's stacks die with the memory context, also on error. */
#define YYMALLOC palloc
#define YYFREE	 pfree

#define NODE partiql_operator
#define BINARY(kind, a, b) partiql_operator(kind, list_make2(a, b))

static const char *term_error(int token);
static bool awaits_term(const PartiqlParser *parser);
static bool is_infix(int token);
static bool awaits_clause(const PartiqlParser *parser);
%}

%define api.pure
%expect 0
%name-prefix="partiql_yy"
%parse-param {PartiqlParser *parser}
%lex-param {PartiqlParser *parser}

%union
{
	PartiqlToken token;
	PartiqlKind kind;
	PartiqlNode *node;
	List	   *list;
	const char *text;
	bool		flag;
}

%token	<token>	NAME QUOTED STRING NUMBER KEYWORD
%token	<token>	AND AS ASC BETWEEN BY DELETE DESC EXISTS FALSE_P FROM IN INSERT
%token	<token>	INTO IS LIKE MISSING NOT NULL_P OR ORDER REMOVE RETURNING SELECT
%token	<token>	SET TRUE_P UPDATE VALUE WHERE
%token	<token>	NE LE GE BAG_OPEN BAG_CLOSE CONCAT
%token	<token>	'=' '<' '>' '(' ')' '[' ']' '{' '}' ':' ',' '.' '+' '-' '*' '/'
%token	<token>	'%' '?' ';'

%left OR
%left AND
%right NOT

%type	<token>	name function word
%type	<kind>	comparator
%type	<node>	path column condition comparison sum product unary term literal
%type	<node>	call
%type	<list>	columns list items members
%type	<text>	type
%type	<flag>	direction

%%

start:
	statement end		{ (void) yynerrs; }		/* Bison counts, nobody asks */
	;

end:
	/* nothing */
	| ';'
	;

statement:
	select					{ parser->statement->verb = PARTIQL_SELECT; }
	| EXISTS '(' select ')'	{ parser->statement->verb = PARTIQL_EXISTS; }
	| insert
	| update
	| delete
	| path IS type
		{ partiql_later(parser, "Unsupported operation: IsType"); }
	| path IS NOT type
		{ partiql_later(parser, "Unsupported operation: IsType"); }
	;

/* Reading */

select:
	select_verb projection FROM source where order
	;

/* A verb is noted before the rest is read: errors depend on it. */
select_verb:
	SELECT					{ parser->statement->verb = PARTIQL_SELECT; }
	;

projection:
	'*'
	| columns				{ parser->statement->columns = $1; }
	;

columns:
	column					{ $$ = list_make1($1); }
	| columns ',' column	{ $$ = lappend($1, $3); }
	;

column:
	path
	| path AS name			{ $$ = $1; parser->aliased = true; }
	| call
	;

source:
	table alias
	;

table:
	name					{ partiql_table(parser, $1); }
	| table '.' name		{ partiql_table(parser, $3); }
	;

alias:
	/* none */
	| AS name				{ parser->aliased = true; }
	| name					{ parser->aliased = true; }
	;

where:
	/* none */
	| WHERE condition		{ parser->statement->where = $2; }
	;

order:
	/* none */
	| ORDER BY orders
	;

orders:
	one_order
	| orders ',' one_order
	;

one_order:
	path direction			{ partiql_order(parser, $1, $2); }
	;

direction:
	/* none */				{ $$ = false; }
	| ASC					{ $$ = false; }
	| DESC					{ $$ = true; }
	;

/* Writing */

insert:
	insert_verb INTO table VALUE sum
		{ parser->statement->value = $5; }
	;

insert_verb:
	INSERT					{ parser->statement->verb = PARTIQL_INSERT; }
	;

update:
	update_verb source clauses where returning
	| from_verb source where clauses returning
	;

update_verb:
	UPDATE					{ parser->statement->verb = PARTIQL_UPDATE; }
	;

from_verb:
	FROM					{ parser->statement->verb = PARTIQL_UPDATE; }
	;

clauses:
	clause
	| clauses clause
	;

clause:
	set assignments
	| remove path			{ partiql_clause(parser, $2, NULL); }
	;

set:
	SET						{ parser->assigning = true; }
	;

remove:
	REMOVE					{ parser->assigning = true; }
	;

assignments:
	assignment
	| assignments ',' assignment
	;

assignment:
	path '=' sum			{ partiql_clause(parser, $1, $3); }
	;

delete:
	delete_verb FROM source where returning
	;

delete_verb:
	DELETE					{ parser->statement->verb = PARTIQL_DELETE; }
	;

returning:
	/* none */
	| RETURNING word word '*'	{ partiql_returning(parser, $2, $3); }
	;

word:
	NAME
	| KEYWORD
	;

/* Conditions */

condition:
	condition OR condition		{ $$ = BINARY(PARTIQL_OR, $1, $3); }
	| condition AND condition	{ $$ = BINARY(PARTIQL_AND, $1, $3); }
	| NOT condition
		{ $$ = NODE(PARTIQL_NOT, list_make1($2)); }
	| comparison
	;

comparison:
	sum
	| comparison comparator sum		{ $$ = BINARY($2, $1, $3); }
	| comparison IS type
		{ $$ = partiql_is(parser, $1, false, $3); }
	| comparison IS NOT type
		{ $$ = partiql_is(parser, $1, true, $4); }
	| comparison LIKE sum			{ $$ = BINARY(PARTIQL_LIKE, $1, $3); }
	| comparison BETWEEN sum AND sum
		{ $$ = NODE(PARTIQL_BETWEEN, list_make3($1, $3, $5)); }
	| comparison IN '(' items ')'	{ $$ = NODE(PARTIQL_IN, lcons($1, $4)); }
	| comparison IN '[' items ']'	{ $$ = NODE(PARTIQL_IN, lcons($1, $4)); }
	;

comparator:
	'='				{ $$ = PARTIQL_EQ; }
	| NE			{ $$ = PARTIQL_NE; }
	| '<'			{ $$ = PARTIQL_LT; }
	| LE			{ $$ = PARTIQL_LE; }
	| '>'			{ $$ = PARTIQL_GT; }
	| GE			{ $$ = PARTIQL_GE; }
	;

type:
	NAME			{ $$ = partiql_type(parser, $1, NULL); }
	| KEYWORD		{ $$ = partiql_type(parser, $1, NULL); }
	| KEYWORD KEYWORD	{ $$ = partiql_type(parser, $1, &$2); }
	| NULL_P		{ $$ = "NULL"; }
	| MISSING		{ $$ = "MISSING"; }
	;

/* Operands */

sum:
	product
	| sum '+' product		{ $$ = BINARY(PARTIQL_PLUS, $1, $3); }
	| sum '-' product		{ $$ = BINARY(PARTIQL_MINUS, $1, $3); }
	| sum CONCAT product	{ $$ = BINARY(PARTIQL_CONCAT, $1, $3); }
	;

product:
	unary
	| product '*' unary		{ $$ = BINARY(PARTIQL_TIMES, $1, $3); }
	| product '/' unary		{ $$ = BINARY(PARTIQL_DIVIDE, $1, $3); }
	| product '%' unary		{ $$ = BINARY(PARTIQL_MODULO, $1, $3); }
	;

unary:
	term
	| '-' unary				{ $$ = partiql_sign($2, $1.place, true); }
	| '+' unary				{ $$ = partiql_sign($2, $1.place, false); }
	;

term:
	literal
	| path
	| call
	| '?'					{ $$ = partiql_parameter(parser, $1.place); }
	| '(' condition ')'		{ $$ = $2; }
	;

literal:
	STRING			{ $$ = partiql_literal(PARTIQL_STRING, $1); }
	| NUMBER		{ $$ = partiql_literal(PARTIQL_NUMBER, $1); }
	| TRUE_P		{ $$ = partiql_literal(PARTIQL_TRUE, $1); }
	| FALSE_P		{ $$ = partiql_literal(PARTIQL_FALSE, $1); }
	| NULL_P		{ $$ = partiql_literal(PARTIQL_NULL, $1); }
	| MISSING		{ $$ = partiql_literal(PARTIQL_MISSING, $1); }
	| '[' list ']'	{ $$ = partiql_node(PARTIQL_LIST, $1.place, $2); }
	| BAG_OPEN list BAG_CLOSE
		{ $$ = partiql_node(PARTIQL_BAG, $1.place, $2); }
	| '{' '}'		{ $$ = partiql_node(PARTIQL_MAP, $1.place, NIL); }
	| '{' members '}'
		{ $$ = partiql_node(PARTIQL_MAP, $1.place, $2); }
	;

list:
	/* none */		{ $$ = NIL; }
	| items
	;

items:
	condition				{ $$ = list_make1($1); }
	| items ',' condition	{ $$ = lappend($1, $3); }
	;

members:
	STRING ':' condition
		{ $$ = list_make2(partiql_literal(PARTIQL_STRING, $1), $3); }
	| members ',' STRING ':' condition
		{ $$ = lappend(lappend($1, partiql_literal(PARTIQL_STRING, $3)), $5); }
	;

call:
	function '(' list ')'	{ $$ = partiql_call(parser, $1, $3); }
	| function '(' '*' ')'
		{
			$$ = partiql_call(parser, $1,
							  list_make1(partiql_node(PARTIQL_STAR, $3.place,
													  NIL)));
		}
	;

function:
	NAME
	| EXISTS
	;

path:
	name				{ $$ = partiql_path($1); }
	| path '.' name		{ $$ = partiql_path_name($1, $3); }
	| path '[' NUMBER ']'
		{ $$ = partiql_path_position(parser, $1, $3, false); }
	| path '[' '-' NUMBER ']'
		{ $$ = partiql_path_position(parser, $1, $4, true); }
	;

name:
	NAME
	| QUOTED
	;

%%

/*
 * The parser meets a token it has no use for.  The service's words depend on
 * what could stand there.
 */
void
partiql_yyerror(PartiqlParser *parser, const char *message)
{
	PartiqlVerb verb = parser->statement->verb;
	int			token = parser->current;

	if (verb == PARTIQL_NONE && parser->previous != IS)
		partiql_malformed("Expected data manipulation");
	if (awaits_clause(parser))
		partiql_malformed("Expected data manipulation");
	switch (parser->previous)
	{
		case UPDATE:
		case INTO:
			partiql_malformed("Expected identifier for simple path");
		case FROM:
			if (verb != PARTIQL_SELECT)
				partiql_malformed("Expected identifier for simple path");
			break;
		case '.':
			partiql_malformed("Invalid path dot component");
		case IS:
			partiql_malformed("Expected type name");
		default:
			break;
	}
	if (token == 0 && is_infix(parser->previous))
		partiql_malformed("Missing right-hand side expression of infix operator");
	if (awaits_term(parser))
		partiql_malformed(term_error(token));
	partiql_malformed("Unexpected token after expression");
}

/*
 * Does an UPDATE lack its first SET or REMOVE, and nothing else before it?
 */
static bool
awaits_clause(const PartiqlParser *parser)
{
	const PartiqlStatement *statement = parser->statement;

	return statement->verb == PARTIQL_UPDATE && statement->clauses == NIL &&
		statement->table_name != NULL && parser->previous != SET &&
		parser->previous != REMOVE && parser->previous != '.' &&
		parser->previous != IS && !awaits_term(parser) && !parser->assigning;
}

/*
 * What is said of a token where a term should begin.
 */
static const char *
term_error(int token)
{
	switch (token)
	{
		case 0:
		case ';':
		case ')':
		case ']':
		case '}':
		case ',':
		case ':':
		case '.':
		case BAG_CLOSE:
			return "Unexpected term";
		case IS:
		case LIKE:
		case IN:
		case AND:
		case OR:
		case BETWEEN:
		case NOT:
		case '*':
		case '/':
		case '%':
		case '=':
		case '<':
		case '>':
		case NE:
		case LE:
		case GE:
		case CONCAT:
			return "Unexpected operator";
		case NAME:
		case QUOTED:
		case STRING:
		case NUMBER:
			return "Unexpected token after expression";
		default:
			return "Unexpected keyword";
	}
}

/*
 * Is a term due after the last token?
 */
static bool
awaits_term(const PartiqlParser *parser)
{
	switch (parser->previous)
	{
		case WHERE:
		case NOT:
		case SELECT:
		case FROM:
		case VALUE:
		case SET:
		case REMOVE:
		case BY:
		case IN:
		case '(':
		case '[':
		case '{':
		case ',':
		case ':':
		case BAG_OPEN:
			return true;
		default:
			return is_infix(parser->previous);
	}
}

static bool
is_infix(int token)
{
	switch (token)
	{
		case AND:
		case OR:
		case LIKE:
		case BETWEEN:
		case '=':
		case '<':
		case '>':
		case NE:
		case LE:
		case GE:
		case '+':
		case '-':
		case '/':
		case '%':
		case CONCAT:
			return true;
		default:
			return false;
	}
}
