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
#include "engine/engine.h"
#include "expr/expr.h"
#include "item/item.h"
#include "schema/schema.h"
#include "vector/vector.h"
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
	const TimestampTz *as_of;	/* NULL: now */
} SearchInput;

typedef struct SearchHit
{
	double		score;
	const Item *item;
} SearchHit;

/* What a search has found. */
typedef struct SearchResult
{
	const IndexDef *index;
	const char *graph;			/* NULL: the search is exact */
	int			nhits;
	SearchHit	hits[SEARCH_MAX_TOP_K]; /* best first */
	uint64		bytes;			/* of what is returned, vectors excepted */
	int64		read;			/* items looked at */
	int64		compared;		/* vectors among them that could be hits */
} SearchResult;

typedef struct Search Search;

/*
 * search_run.c
 *
 * The first checks a search and reads nothing; it raises
 * ResourceNotFoundException, AccessDeniedException and ValidationException in
 * the order of the service.  What is in the input must live as long as the
 * search, which lies in the current context, as does what it finds.  The second
 * runs it; until then nothing is in the result but the index.
 */
extern void search_init(void);
extern bool search_may_be_approximate(void);	/* does the user allow it? */
extern Search *search_begin(const SearchInput *input);
extern void search_run(Search *search);
extern const SearchResult *search_result(const Search *search);

/* The partition of the table that is read, for EXPLAIN; NULL: all of it */
extern const char *search_partition(const Search *search);
extern void search_end(Search *search);

/*
 * search_graph.c: items in the order of a graph of pgvector's.
 */
typedef struct SearchGraph SearchGraph;

extern SearchGraph *search_graph_find(DynamoRequest *request,
									  EngineTable *table,
									  const IndexDef *index,
									  const VectorWanted *wanted, int top_k);
extern int	search_graph_items(const SearchGraph *walk);
extern const char *search_graph_name(const SearchGraph *walk);
extern bool search_graph_begin(SearchGraph *walk, const IndexDef *index,
							   const float *elements);
extern const Item *search_graph_next(SearchGraph *walk);
extern void search_graph_end(SearchGraph *walk);

/* search_shards.c: those of a distributed table, by its shards */
typedef struct SearchNearest
{
	const IndexDef *index;
	const float *elements;		/* nearest to this vector */
	const VectorWanted *tags;
	const Item *condition;		/* attributes that they have */
	const ItemValue *hash;		/* in this partition; NULL: in all */
	int			limit;			/* so many at most, */
	bool		by_key;			/* of those that are as near the ones whose
								 * keys come first; else any */
} SearchNearest;

extern int	search_shards(EngineTable *table, const SearchNearest *wanted,
						  const Item ***items);

/* search_condition.c: a condition against an index */
extern ExprKeyCondition *search_bind_condition(const IndexDef *index,
											   const ExprCondition *condition);
extern bool search_meets(const ExprKeyCondition *condition, const Item *item);

/* search_vectors.c */
extern const WireShape search_vectors_shape;
extern const WireShape search_top_k_shape;
extern void search_vectors(DynamoRequest *request, StringInfo out);

/* Both raise ValidationException */
extern void search_check_top_k(int64 top_k);
extern void search_check_dimensions(int dimensions);
extern void search_refuse_vector(void) pg_attribute_noreturn();

#endif							/* DYNAMO_SEARCH_H */
