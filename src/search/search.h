/*-------------------------------------------------------------------------
 *
 * search.h
 *	  Searches of vector indexes: SearchVectors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SEARCH_H
#define DYNAMO_SEARCH_H

#include "postgres.h"

#include "base/base_request.h"
#include "expr/expr.h"
#include "item/item.h"
#include "schema/schema.h"
#include "wire/wire.h"

#define SEARCH_MAX_TOP_K	100

/* What is searched for. */
typedef struct SearchInput
{
	DynamoRequest *request;
	const char *table_name;		/* or an ARN */
	const char *index_name;
	const float *vector;
	int			dimensions;
	int			top_k;			/* 1 to SEARCH_MAX_TOP_K */
	const char *condition;		/* expressions and their names and values; */
	const char *projection;		/* NULL: none */
	ExprBindings *bindings;
} SearchInput;

typedef struct SearchHit
{
	double		score;
	const Item *item;			/* as stored; search_show(): as returned */
} SearchHit;

/* The best items, best first. */
typedef struct SearchResult
{
	const TableDef *def;
	const IndexDef *index;
	int			nhits;
	SearchHit	hits[SEARCH_MAX_TOP_K];
	uint64		bytes;			/* of what is returned, vectors excepted */
} SearchResult;

/*
 * search_run.c: raises ResourceNotFoundException, AccessDeniedException and
 * ValidationException in the order of the service.  The result lives in the
 * current context.
 */
extern void search_run(const SearchInput *input, SearchResult *result);

/* search_condition.c: a condition against an index */
extern const ExprKeyCondition *search_bind_condition(const IndexDef *index,
													 const ExprCondition *condition);
extern bool search_meets(const ExprKeyCondition *condition, const Item *item);

/* search_vectors.c */
extern const WireShape search_vectors_shape;
extern void search_vectors(DynamoRequest *request, StringInfo out);

#endif							/* DYNAMO_SEARCH_H */
