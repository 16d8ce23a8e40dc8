/*-------------------------------------------------------------------------
 *
 * vector_order.c
 *	  Plans that read a vector index: rows whose entries meet a query, the nearest
 *	  first (vector_query.c).
 *
 * No entry is known to be the nearest before all have been compared.  So a pass
 * over the index keeps the nearest ones, and another pass those that follow,
 * should the plan ask for more.  Searches do not, as a rule: the first pass keeps
 * as many as any of them returns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relscan.h"
#include "base/compat.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "vector/vector_internal.h"

/* Entries of the first pass, and how many times as many each next one keeps. */
#define FIRST_PASS		128
#define MORE_EACH_PASS	8
#define MOST_EACH_PASS	(INT_MAX / 4)	/* whatever work_mem is: places are
										 * counted by int, and twice that by
										 * sink() */

typedef struct Place
{
	double		distance;		/* 0 in a scan without an order */
	ItemPointerData tid;
} Place;

typedef struct Ordered
{
	MemoryContext context;		/* of what follows */
	const VectorAsked *meets;
	const VectorAsked *near;	/* NULL: in no order */
	Place	   *places;			/* in a pass a heap, the furthest first */
	int			size;			/* of it */
	int			n;
	int			next;
	bool		more;			/* entries were left for another pass */
	bool		passed;			/* there was one; */
	Place		last;			/* where it ended */
} Ordered;

static const VectorAsked *read_argument(const ScanKeyData *key);
static bool are_alike(const VectorShape *a, const VectorShape *b);
static void pass(IndexScanDesc scan, Ordered *ordered);
static void visit(void *arg, const ItemPointerData *tid, const uint32 *tags,
				  const float *elements);
static void rise(Place *places, int at);
static void sink(Place *places, int n, Place place);
static int	compare(const void *a, const void *b);

/*
 * amcostestimate: a plan that this scan does not understand is to lose.  All
 * vectors are compared before the first row.
 */
void
vector_estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count,
					 Cost *startup_cost, Cost *total_cost,
					 Selectivity *selectivity, double *correlation,
					 double *pages)
{
	GenericCosts costs = {0};

	if (list_length(path->indexclauses) != 1 ||
		list_length(path->indexorderbys) > 1)
	{
		*startup_cost = *total_cost = get_float8_infinity();
		compat_disable_path(path);
		*selectivity = 1;
		*correlation = 0;
		*pages = 0;
		return;
	}
	genericcostestimate(root, path, loop_count, &costs);
	*startup_cost = path->indexinfo->pages * cpu_tuple_cost +
		path->indexinfo->tuples * cpu_operator_cost;
	*total_cost = *startup_cost + costs.numIndexTuples * cpu_index_tuple_cost;
	*selectivity = costs.indexSelectivity;
	*correlation = 0;
	*pages = path->indexinfo->pages;
}

IndexScanDesc
vector_begin_ordered(Relation index, int nkeys, int norderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
	Ordered    *ordered = palloc0(sizeof(Ordered));

	if (norderbys > 0)
	{
		scan->xs_orderbyvals = palloc0(sizeof(Datum) * norderbys);
		scan->xs_orderbynulls = palloc0(sizeof(bool) * norderbys);
	}
	ordered->context = AllocSetContextCreate(CurrentMemoryContext,
											 "dynamo vectors in order",
											 ALLOCSET_DEFAULT_SIZES);
	scan->opaque = ordered;
	return scan;
}

void
vector_restart_ordered(IndexScanDesc scan, ScanKey keys, int nkeys,
					   ScanKey orderbys, int norderbys)
{
	Ordered    *ordered = scan->opaque;
	MemoryContext context = ordered->context;
	MemoryContext caller;

	if (scan->numberOfKeys != 1 || scan->numberOfOrderBys > 1)
		elog(ERROR, "index \"%s\" is asked for what it cannot find",
			 RelationGetRelationName(scan->indexRelation));
	if (keys != NULL)
		scan->keyData[0] = keys[0];
	if (orderbys != NULL && scan->numberOfOrderBys > 0)
		scan->orderByData[0] = orderbys[0];
	MemoryContextReset(context);
	*ordered = (Ordered)
	{
		.context = context, .more = true
	};
	caller = MemoryContextSwitchTo(context);
	ordered->meets = read_argument(&scan->keyData[0]);
	if (scan->numberOfOrderBys > 0)
	{
		ordered->near = read_argument(&scan->orderByData[0]);
		if (ordered->near != NULL && ordered->meets != NULL &&
			!are_alike(&ordered->near->shape, &ordered->meets->shape))
			ordered->near = NULL;
	}
	MemoryContextSwitchTo(caller);
}

/*
 * NULL: it is NULL.
 */
static const VectorAsked *
read_argument(const ScanKeyData *key)
{
	return key->sk_flags & SK_ISNULL ? NULL :
		vector_read_query(DatumGetByteaP(key->sk_argument));
}

/*
 * Otherwise there is no distance.
 */
static bool
are_alike(const VectorShape *a, const VectorShape *b)
{
	return a->dimensions == b->dimensions && a->ntags == b->ntags &&
		a->hashed == b->hashed;
}

bool
vector_next_ordered(IndexScanDesc scan, ScanDirection direction)
{
	Ordered    *ordered = scan->opaque;
	const Place *place;

	if (ordered->next == ordered->n && ordered->more && ordered->meets != NULL)
		pass(scan, ordered);
	if (ordered->next == ordered->n)
		return false;
	place = &ordered->places[ordered->next++];
	scan->xs_heaptid = place->tid;
	scan->xs_recheck = false;
	if (scan->numberOfOrderBys > 0)
	{
		scan->xs_recheckorderby = false;
		scan->xs_orderbyvals[0] = Float8GetDatum(place->distance);
		scan->xs_orderbynulls[0] = ordered->near == NULL;
	}
	return true;
}

void
vector_end_ordered(IndexScanDesc scan)
{
	Ordered    *ordered = scan->opaque;

	MemoryContextDelete(ordered->context);
	pfree(ordered);
}

/*
 * Find the nearest of the entries that have not been returned.
 */
static void
pass(IndexScanDesc scan, Ordered *ordered)
{
	const VectorAsked *meets = ordered->meets;
	IndexDef	def = {
		.dimensions = meets->shape.dimensions, .nhash = meets->shape.hashed,
		.nrange = meets->shape.ntags - meets->shape.hashed
	};
	MemoryContext caller = MemoryContextSwitchTo(ordered->context);
	Size		most = Max((Size) work_mem * 1024 / sizeof(Place), FIRST_PASS);
	VectorScan *vectors;

	if (!ordered->passed)
	{
		pgstat_count_index_scan(scan->indexRelation);
		compat_count_search(scan);
	}
	else
	{
		ordered->last = ordered->places[ordered->n - 1];
		pfree(ordered->places);
	}
	ordered->size = ordered->passed ?
		Min((Size) ordered->size * MORE_EACH_PASS, Min(most, MOST_EACH_PASS)) :
		FIRST_PASS;
	ordered->places = palloc_extended(sizeof(Place) * ordered->size,
									  MCXT_ALLOC_HUGE);
	ordered->n = 0;
	ordered->next = 0;
	ordered->more = false;
	vectors = vector_scan_begin(scan->indexRelation, &def, &meets->wanted);
	while (vectors != NULL && vector_scan_next(vectors, visit, ordered))
		;
	if (vectors != NULL)
		vector_scan_end(vectors);
	qsort(ordered->places, ordered->n, sizeof(Place), compare);
	ordered->passed = true;
	MemoryContextSwitchTo(caller);
}

/*
 * With a page locked: nothing here fails or waits.
 */
static void
visit(void *arg, const ItemPointerData *tid, const uint32 *tags,
	  const float *elements)
{
	Ordered    *ordered = arg;
	Place		place = {.tid = *tid};

	if (ordered->near != NULL)
		place.distance = vector_nearness(ordered->near, elements);
	if (ordered->passed && compare(&place, &ordered->last) <= 0)
		return;
	if (ordered->n < ordered->size)
	{
		ordered->places[ordered->n++] = place;
		rise(ordered->places, ordered->n - 1);
		return;
	}
	ordered->more = true;
	if (compare(&place, &ordered->places[0]) < 0)
		sink(ordered->places, ordered->n, place);
}

static void
rise(Place *places, int at)
{
	Place		place = places[at];

	while (at > 0 && compare(&place, &places[(at - 1) / 2]) > 0)
	{
		places[at] = places[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	places[at] = place;
}

/*
 * In place of the furthest.
 */
static void
sink(Place *places, int n, Place place)
{
	int			at = 0;

	for (;;)
	{
		int			child = 2 * at + 1;

		if (child + 1 < n && compare(&places[child + 1], &places[child]) > 0)
			child++;
		if (child >= n || compare(&places[child], &place) <= 0)
			break;
		places[at] = places[child];
		at = child;
	}
	places[at] = place;
}

/*
 * Of entries that are as far, in the order of their rows: it only has to be the
 * same in each pass.
 */
static int
compare(const void *a, const void *b)
{
	const Place *left = a;
	const Place *right = b;

	if (left->distance != right->distance)
		return left->distance < right->distance ? -1 : 1;
	return ItemPointerCompare(unconstify(ItemPointerData *, &left->tid),
							  unconstify(ItemPointerData *, &right->tid));
}
