/*-------------------------------------------------------------------------
 *
 * partiql.h
 *	  PartiQL statements: from a text to the trees of the expressions.
 *
 * partiql_parse() reads a text; what it gives depends on nothing else, so it
 * is kept by the process and must not be changed.  partiql_bind() puts
 * parameters in and makes conditions, projections and updates of it.  Both
 * raise ValidationException with the texts of the service, and need no table.
 * What the keys of a table have to do with a condition, is for its caller to
 * ask (expr_reads()).
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_PARTIQL_H
#define DYNAMO_PARTIQL_H

#include "postgres.h"

#include "expr/expr.h"
#include "item/item.h"
#include "nodes/pg_list.h"

#define PARTIQL_MAX_STATEMENT	8192	/* characters */

typedef enum PartiqlVerb
{
	PARTIQL_NONE,
	PARTIQL_SELECT,
	PARTIQL_INSERT,
	PARTIQL_UPDATE,
	PARTIQL_DELETE,
	PARTIQL_EXISTS				/* a SELECT inside EXISTS() */
} PartiqlVerb;

typedef enum PartiqlReturning
{
	PARTIQL_RETURNING_NOTHING,
	PARTIQL_RETURNING_ALL_OLD,
	PARTIQL_RETURNING_ALL_NEW,
	PARTIQL_RETURNING_MODIFIED_OLD,
	PARTIQL_RETURNING_MODIFIED_NEW
} PartiqlReturning;

/* A statement as parsed: private to src/partiql */
typedef struct PartiqlStatement PartiqlStatement;

/* A member of ORDER BY */
typedef struct PartiqlOrder
{
	const char *name;			/* terminated */
	bool		descending;
} PartiqlOrder;

/* A statement with its parameters in place. */
typedef struct PartiqlBound
{
	PartiqlVerb verb;
	const char *table_name;
	const char *index_name;		/* or NULL */
	const ExprCondition *where; /* or NULL */
	const ExprProjection *projection;	/* SELECT; NULL: all */
	const char *bad_column;		/* place of a call in the SELECT list, which
								 * ranks after the table; or NULL */
	List	   *order;			/* SELECT: PartiqlOrder * */
	const Item *item;			/* INSERT */
	const ExprUpdate *update;	/* UPDATE */
	PartiqlReturning returning;
} PartiqlBound;

/* partiql_parse.c: the statement lives as long as the current context */
extern const PartiqlStatement *partiql_parse(const char *text);

/* partiql_parse.c */
extern PartiqlVerb partiql_verb(const PartiqlStatement *statement);

/*
 * partiql_bind.c
 *
 * Fewer parameters than the statement has are refused, more are not.
 */
extern PartiqlBound *partiql_bind(const PartiqlStatement *statement,
								  int nparameters,
								  const ItemValue *parameters);

#endif							/* DYNAMO_PARTIQL_H */
