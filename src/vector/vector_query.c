/*-------------------------------------------------------------------------
 *
 * vector_query.c
 *	  What is asked of a vector index in SQL: operators on its entries.
 *
 *		entry @@ query		has the entry the tags?
 *		entry <-> query		how far is its vector? The nearest comes first.
 *
 * A query is bytes that vector_make_query() makes.  The search of a distributed
 * table writes one into its statement, and the planner of each shard finds that
 * the index serves it (vector_order.c).  Anybody may write other bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/memutils.h"
#include "vector/vector_internal.h"

PG_FUNCTION_INFO_V1(dynamo_vector_meets);
PG_FUNCTION_INFO_V1(dynamo_vector_nearness);

typedef struct VectorQuery
{
	int32		vl_len_;
	uint16		dimensions;
	uint8		ntags;
	uint8		hashed;
	uint32		distance;
	uint32		wanted;			/* a bit for each tag */
	uint32		words[FLEXIBLE_ARRAY_MEMBER];	/* tags, then elements */
} VectorQuery;

#define QUERY_SIZE(dimensions, ntags) \
	(offsetof(VectorQuery, words) + sizeof(uint32) * ((ntags) + (dimensions)))

/* The last query of a call site. */
typedef struct KeptQuery
{
	MemoryContext context;		/* holds all of it */
	bytea	   *bytes;
	VectorAsked *asked;
} KeptQuery;

static const VectorAsked *asked(FunctionCallInfo fcinfo);
static const KeptQuery *keep_query(FmgrInfo *function, const bytea *bytes);
static bool are_alike(const VectorAsked *query, const VectorEntry *entry);

bytea *
vector_make_query(const IndexDef *index, const VectorWanted *wanted,
				  const float *elements)
{
	int			ntags = index->nhash + index->nrange;
	Size		size = QUERY_SIZE(index->dimensions, ntags);
	VectorQuery *query = palloc0(size);

	SET_VARSIZE(query, size);
	query->dimensions = index->dimensions;
	query->ntags = ntags;
	query->hashed = index->nhash > 0;
	query->distance = index->distance;
	for (int i = 0; i < ntags; i++)
	{
		if (!wanted->is_wanted[i])
			continue;
		query->wanted |= (uint32) 1 << i;
		query->words[i] = wanted->tags[i];
	}
	memcpy(query->words + ntags, elements, sizeof(float) * index->dimensions);
	return (bytea *) query;
}

/*
 * Read one, into the current context.
 */
VectorAsked *
vector_read_query(const bytea *bytes)
{
	const VectorQuery *query = (const VectorQuery *) bytes;
	Size		size = VARSIZE(bytes);
	VectorAsked *result = palloc0(sizeof(VectorAsked));
	const float *elements;
	bool		valid;

	valid = size >= QUERY_SIZE(0, 0) &&
		query->dimensions >= 1 && query->dimensions <= DYNAMO_MAX_DIMENSIONS &&
		query->ntags <= VECTOR_MAX_TAGS && query->ntags >= query->hashed &&
		query->hashed <= 1 && query->distance <= VECTOR_EUCLIDEAN &&
		size == QUERY_SIZE(query->dimensions, query->ntags);
	elements = (const float *) (query->words + (valid ? query->ntags : 0));
	for (int i = 0; valid && i < query->dimensions; i++)
		valid = isfinite(elements[i]);
	if (!valid)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bytes are no query of a vector index")));
	result->shape.dimensions = query->dimensions;
	result->shape.ntags = query->ntags;
	result->shape.hashed = query->hashed;
	for (int i = 0; i < query->ntags; i++)
	{
		result->wanted.is_wanted[i] = (query->wanted & (uint32) 1 << i) != 0;
		result->wanted.tags[i] = query->words[i];
	}
	vector_target(&result->target, (VectorDistance) query->distance,
				  query->dimensions, elements);
	return result;
}

/*
 * How far a vector is: what is better is less.
 */
double
vector_nearness(const VectorAsked *query, const float *elements)
{
	double		score = vector_score(&query->target, elements);

	return query->target.distance == VECTOR_DOT_PRODUCT ? -score : score;
}

Datum
dynamo_vector_meets(PG_FUNCTION_ARGS)
{
	const VectorEntry *entry =
		(const VectorEntry *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	const VectorAsked *query = asked(fcinfo);
	bool		meets = are_alike(query, entry);

	for (int i = 0; meets && i < entry->ntags; i++)
		meets = !query->wanted.is_wanted[i] ||
			query->wanted.tags[i] == entry->words[i];
	PG_RETURN_BOOL(meets);
}

/*
 * NULL: the entry is of another index.
 */
Datum
dynamo_vector_nearness(PG_FUNCTION_ARGS)
{
	const VectorEntry *entry =
		(const VectorEntry *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	const VectorAsked *query = asked(fcinfo);

	if (!are_alike(query, entry))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(vector_nearness(query, (const float *)
									 (entry->words + entry->ntags)));
}

/*
 * The second argument, read once where it is the same for all rows.  PL/pgSQL
 * evaluates an expression again with other values of the same parameters, so the
 * bytes are compared.
 */
static const VectorAsked *
asked(FunctionCallInfo fcinfo)
{
	FmgrInfo   *function = fcinfo->flinfo;
	const bytea *bytes = PG_GETARG_BYTEA_P(1);
	const KeptQuery *kept;

	if (!get_fn_expr_arg_stable(function, 1))
		return vector_read_query(bytes);
	kept = function->fn_extra;
	if (kept == NULL || VARSIZE(kept->bytes) != VARSIZE(bytes) ||
		memcmp(kept->bytes, bytes, VARSIZE(bytes)) != 0)
		kept = keep_query(function, bytes);
	return kept->asked;
}

/*
 * In a context of its own, which goes with the call site or, on error, with the
 * current context.
 */
static const KeptQuery *
keep_query(FmgrInfo *function, const bytea *bytes)
{
	KeptQuery  *kept = function->fn_extra;
	MemoryContext context;
	MemoryContext caller;

	function->fn_extra = NULL;
	if (kept != NULL)
		MemoryContextDelete(kept->context);
	context = AllocSetContextCreate(CurrentMemoryContext, "dynamo vector query",
									ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(context);
	kept = palloc(sizeof(KeptQuery));
	kept->context = context;
	kept->bytes = palloc(VARSIZE(bytes));
	memcpy(kept->bytes, bytes, VARSIZE(bytes));
	kept->asked = vector_read_query(kept->bytes);
	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, function->fn_mcxt);
	function->fn_extra = kept;
	return kept;
}

static bool
are_alike(const VectorAsked *query, const VectorEntry *entry)
{
	return entry->dimensions == query->shape.dimensions &&
		entry->ntags == query->shape.ntags &&
		entry->hashed == query->shape.hashed;
}
