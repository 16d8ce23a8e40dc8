%{
/*-------------------------------------------------------------------------
 *
 * expr_gram.y
 *	  Grammar of the expression languages.
 *
 * Three languages share their operands: conditions (which also serve filters
 * and key conditions), projections and updates.  A first token that is in no
 * text picks one.
 *
 * A function call can stand as a condition and as an operand, in parentheses
 * too; which of the two it is shows only behind them.  Hence "called", a call
 * in any parentheses, which becomes either when the parser knows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "expr/expr_gram.h"

/* Bison's stacks die with the memory context, also on error. */
#define YYMALLOC palloc
#define YYFREE	 pfree

#define OPERATOR(op, args) expr_make_operator(parser, op, args)
%}

%define api.pure
%expect 0
%name-prefix="expr_yy"
%parse-param {ExprParser *parser}
%lex-param {ExprParser *parser}

%union
{
	ExprText	text;
	ExprOp		op;
	ExprNode   *node;
	ExprPath   *path;
	List	   *list;
}

%token			START_CONDITION START_PROJECTION START_UPDATE
%token	<text>	NAME NAME_REF VALUE_REF INDEX
%token			BETWEEN IN SET REMOVE ADD DELETE
%token			NE LE GE
%token			BAD

%left OR
%left AND
%right NOT

%type	<text>	name
%type	<op>	comparator sign
%type	<path>	path
%type	<node>	condition predicate operand atom call called value sum
%type	<list>	operands paths

%%

start:
	START_CONDITION condition
		{
			parser->condition = $2;
			(void) yynerrs;		/* Bison counts, and nobody asks */
		}
	| START_PROJECTION paths	{ parser->paths = $2; }
	| START_UPDATE update
	;

/* Conditions */

condition:
	predicate
	| called
	;

predicate:
	condition OR condition
		{ $$ = OPERATOR(EXPR_OP_OR, list_make2($1, $3)); }
	| condition AND condition
		{ $$ = OPERATOR(EXPR_OP_AND, list_make2($1, $3)); }
	| NOT condition
		{ $$ = OPERATOR(EXPR_OP_NOT, list_make1($2)); }
	| operand comparator operand
		{ $$ = OPERATOR($2, list_make2($1, $3)); }
	| operand BETWEEN operand AND operand
		{ $$ = OPERATOR(EXPR_OP_BETWEEN, list_make3($1, $3, $5)); }
	| operand IN '(' operands ')'
		{ $$ = OPERATOR(EXPR_OP_IN, lcons($1, $4)); }
	| '(' predicate ')'
		{ $$ = expr_make_group(parser, $2); }
	;

comparator:
	'='				{ $$ = EXPR_OP_EQ; }
	| NE			{ $$ = EXPR_OP_NE; }
	| '<'			{ $$ = EXPR_OP_LT; }
	| LE			{ $$ = EXPR_OP_LE; }
	| '>'			{ $$ = EXPR_OP_GT; }
	| GE			{ $$ = EXPR_OP_GE; }
	;

/* Operands */

operand:
	atom
	| called
	;

atom:
	path				{ $$ = expr_make_path($1); }
	| VALUE_REF			{ $$ = expr_make_value($1); }
	| '(' atom ')'		{ $$ = expr_make_group(parser, $2); }
	;

called:
	call
	| '(' called ')'	{ $$ = expr_make_group(parser, $2); }
	;

call:
	NAME '(' operands ')'	{ $$ = expr_make_call(parser, $1, $3); }
	;

operands:
	operand					{ $$ = list_make1($1); }
	| operands ',' operand	{ $$ = lappend($1, $3); }
	;

path:
	name					{ $$ = expr_path_begin(parser, $1); }
	| path '.' name			{ $$ = expr_path_name(parser, $1, $3); }
	| path '[' INDEX ']'	{ $$ = expr_path_position(parser, $1, $3); }
	;

name:
	NAME
	| NAME_REF
	;

/* Projections */

paths:
	path				{ $$ = list_make1($1); }
	| paths ',' path	{ $$ = lappend($1, $3); }
	;

/* Updates */

update:
	section
	| update section
	;

section:
	SET sets				{ expr_end_section(parser, EXPR_ACTION_SET); }
	| REMOVE removes		{ expr_end_section(parser, EXPR_ACTION_REMOVE); }
	| ADD adds				{ expr_end_section(parser, EXPR_ACTION_ADD); }
	| DELETE deletes		{ expr_end_section(parser, EXPR_ACTION_DELETE); }
	;

sets:
	set
	| sets ',' set
	;

set:
	path '=' value
		{ expr_add_action(parser, EXPR_ACTION_SET, $1, $3); }
	;

value:
	operand
	| sum
	;

sum:
	operand sign operand	{ $$ = OPERATOR($2, list_make2($1, $3)); }
	| '(' sum ')'			{ $$ = expr_make_group(parser, $2); }
	;

sign:
	'+'				{ $$ = EXPR_OP_PLUS; }
	| '-'			{ $$ = EXPR_OP_MINUS; }
	;

removes:
	path
		{ expr_add_action(parser, EXPR_ACTION_REMOVE, $1, NULL); }
	| removes ',' path
		{ expr_add_action(parser, EXPR_ACTION_REMOVE, $3, NULL); }
	;

adds:
	add
	| adds ',' add
	;

add:
	path VALUE_REF
		{ expr_add_action(parser, EXPR_ACTION_ADD, $1, expr_make_value($2)); }
	;

deletes:
	delete
	| deletes ',' delete
	;

delete:
	path VALUE_REF
		{ expr_add_action(parser, EXPR_ACTION_DELETE, $1, expr_make_value($2)); }
	;

%%

/*
 * The token that opens the language of this kind of expression.
 */
int
expr_start_token(ExprKind kind)
{
	switch (kind)
	{
		case EXPR_PROJECTION:
			return START_PROJECTION;
		case EXPR_UPDATE:
			return START_UPDATE;
		default:
			return START_CONDITION;
	}
}
