/*-------------------------------------------------------------------------
 *
 * partiql_internal.h
 *	  The tree of a statement, and what scanner, grammar and binding share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_PARTIQL_INTERNAL_H
#define DYNAMO_PARTIQL_INTERNAL_H

#include "postgres.h"

#include "codec/codec.h"
#include "partiql/partiql.h"

/* Where a token stands, and how long it is: characters, from 1 */
typedef struct PartiqlPlace
{
	int			line;
	int			column;
	int			length;
} PartiqlPlace;

/* A token */
typedef struct PartiqlToken
{
	const char *text;			/* terminated; names and strings without
								 * quotes */
	int			length;
	bool		quoted;
	PartiqlPlace place;
} PartiqlToken;

typedef enum PartiqlKind
{
	/* operands */
	PARTIQL_PATH,
	PARTIQL_PARAMETER,
	PARTIQL_STRING,
	PARTIQL_NUMBER,
	PARTIQL_TRUE,
	PARTIQL_FALSE,
	PARTIQL_NULL,
	PARTIQL_MISSING,
	PARTIQL_LIST,
	PARTIQL_BAG,
	PARTIQL_MAP,				/* args: names and values in turn */
	PARTIQL_CALL,
	PARTIQL_STAR,				/* of COUNT(*) */
	/* operators */
	PARTIQL_AND,
	PARTIQL_OR,
	PARTIQL_NOT,
	PARTIQL_EQ,
	PARTIQL_NE,
	PARTIQL_LT,
	PARTIQL_LE,
	PARTIQL_GT,
	PARTIQL_GE,
	PARTIQL_BETWEEN,
	PARTIQL_IN,
	PARTIQL_LIKE,
	PARTIQL_IS,
	PARTIQL_PLUS,
	PARTIQL_MINUS,
	PARTIQL_TIMES,
	PARTIQL_DIVIDE,
	PARTIQL_MODULO,
	PARTIQL_CONCAT,
	PARTIQL_NEGATE,
	PARTIQL_POSITIVE
} PartiqlKind;

typedef struct PartiqlNode
{
	PartiqlKind kind;
	PartiqlPlace place;			/* of the first token */
	const char *text;			/* STRING, NUMBER, CALL (lower case), IS
								 * (type, upper case) */
	int			length;
	ExprPath   *path;			/* PATH */
	int			parameter;		/* PARAMETER: which, from 0 */
	List	   *args;			/* PartiqlNode * */
} PartiqlNode;

/* SET target = value, or REMOVE target (value NULL) */
typedef struct PartiqlClause
{
	PartiqlNode *target;
	PartiqlNode *value;
} PartiqlClause;

struct PartiqlStatement
{
	PartiqlVerb verb;
	const char *table_name;
	const char *index_name;		/* or NULL */
	List	   *columns;		/* SELECT: PartiqlNode *; NIL: all */
	PartiqlNode *where;			/* or NULL */
	List	   *order;			/* PartiqlOrder * */
	PartiqlNode *value;			/* INSERT */
	List	   *clauses;		/* UPDATE: PartiqlClause * */
	PartiqlReturning returning;
	int			nparameters;
};

/*
 * A text being parsed.  The grammar notes what ranks after a syntax error.
 */
typedef struct PartiqlParser
{
	const char *text;
	int			length;

	/* scanner */
	void	   *scanner;
	int			position;		/* bytes consumed */
	int			line;
	int			column;
	int			previous;		/* token before the current one; 0: none */
	int			current;

	/* noted by the grammar */
	bool		assigning;		/* SET or REMOVE has come */
	bool		aliased;
	int			components;		/* of the table's path */
	bool		empty_component;
	const char *later;			/* first other error */

	PartiqlStatement *statement;
} PartiqlParser;

#define PARTIQL_NOT_WELL_FORMED \
	"Statement wasn't well formed, can't be processed: "

/* partiql_scan.l */
union YYSTYPE;
extern void partiql_scan_begin(PartiqlParser *parser);
extern void partiql_scan_end(PartiqlParser *parser);
extern int	partiql_yylex(union YYSTYPE *lvalp, PartiqlParser *parser);

/* partiql_gram.y */
extern int	partiql_yyparse(PartiqlParser *parser);
extern void partiql_yyerror(PartiqlParser *parser, const char *message)
			pg_attribute_noreturn();

/* partiql_tree.c: the grammar's actions */
extern PartiqlNode *partiql_node(PartiqlKind kind, PartiqlPlace place,
								 List *args);
extern PartiqlNode *partiql_operator(PartiqlKind kind, List *args);
extern PartiqlNode *partiql_literal(PartiqlKind kind, PartiqlToken token);
extern PartiqlNode *partiql_parameter(PartiqlParser *parser,
									  PartiqlPlace place);
extern PartiqlNode *partiql_call(PartiqlParser *parser, PartiqlToken name,
								 List *args);
extern PartiqlNode *partiql_sign(PartiqlNode *node, PartiqlPlace place,
								 bool negative);
extern PartiqlNode *partiql_path(PartiqlToken name);
extern PartiqlNode *partiql_path_name(PartiqlNode *node, PartiqlToken name);
extern PartiqlNode *partiql_path_position(PartiqlParser *parser,
										  PartiqlNode *node,
										  PartiqlToken index, bool negative);
extern PartiqlNode *partiql_is(PartiqlParser *parser, PartiqlNode *node,
							   bool negated, const char *type);
extern const char *partiql_type(PartiqlParser *parser, PartiqlToken first,
								const PartiqlToken *second);
extern void partiql_table(PartiqlParser *parser, PartiqlToken name);
extern void partiql_clause(PartiqlParser *parser, PartiqlNode *target,
						   PartiqlNode *value);
extern void partiql_order(PartiqlParser *parser, PartiqlNode *path,
						  bool descending);
extern void partiql_returning(PartiqlParser *parser, PartiqlToken scope,
							  PartiqlToken image);
extern void partiql_later(PartiqlParser *parser, const char *fmt,...)
			pg_attribute_printf(2, 3);
extern char *partiql_place(PartiqlPlace place);

extern void partiql_malformed(const char *what) pg_attribute_noreturn();

/* partiql_reserved.c */
extern bool partiql_is_reserved(const char *word, int length);
extern bool partiql_is_type(const char *type);


/* partiql_value.c */
extern ItemValue partiql_value(const PartiqlNode *node,
							   const ItemValue *parameters);
extern Item *partiql_item(const PartiqlNode *node,
						  const ItemValue *parameters);
extern const char *partiql_kind_name(const PartiqlNode *node);

#endif							/* DYNAMO_PARTIQL_INTERNAL_H */
