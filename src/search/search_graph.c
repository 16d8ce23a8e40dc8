/*-------------------------------------------------------------------------
 *
 * search_graph.c
 *	  Items in the order of a graph (vector_graph.c), nearly the nearest first.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "base/base_budget.h"
#include "base/compat.h"
#include "executor/tuptable.h"
#include "search/search.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "vector/vector.h"

/*
 * Fewer vectors are compared in less time than a graph takes, and so are those of
 * a filter that few meet: an item that is read takes as long as this many vectors.
 */
#define LEAST_VECTORS	10000
#define ITEM_COST		20

/* How far the graph looks around: what a user has set, but no less. */
#define LEAST_EF_SEARCH	150

struct SearchGraph
{
	EngineTable *table;
	DynamoRequest *request;
	Relation	rel;			/* of the table */
	VectorGraph graph;
	int			dimensions;
	int			nitems;			/* that are expected to be asked for, if all
								 * meet the condition */
	bool		filtered;		/* there is one */
	Relation	index;
	Snapshot	snapshot;		/* registered */
	IndexScanDesc scan;
	TupleTableSlot *slot;
	int			settings;		/* nest level */
};

static bool has_graph(SearchGraph *walk, const IndexDef *index);
static bool is_worth_it(const IndexDef *index, const VectorWanted *wanted,
						int nitems);
static void settle(SearchGraph *walk);
static void set(const char *name, const char *value);

/*
 * Find a graph that serves a search in which so many items are expected to be
 * read if all meet the condition; NULL: there is none, or it would not pay.
 */
SearchGraph *
search_graph_find(DynamoRequest *request, EngineTable *table,
				  const IndexDef *index, const VectorWanted *wanted,
				  int nitems)
{
	SearchGraph *walk = palloc0(sizeof(SearchGraph));

	walk->request = request;
	walk->table = table;
	walk->dimensions = index->dimensions;
	walk->nitems = nitems;
	for (int i = 0; i < index->nhash + index->nrange; i++)
		walk->filtered = walk->filtered || wanted->is_wanted[i];
	if (engine_vectors_snapshot(table, index) == NULL ||
		!has_graph(walk, index) || !is_worth_it(index, wanted, nitems))
	{
		pfree(walk);
		return NULL;
	}
	return walk;
}

static bool
has_graph(SearchGraph *walk, const IndexDef *index)
{
	Relation	rel = table_open(engine_def(walk->table)->relid, NoLock);
	bool		has = vector_graph_find(rel, index, &walk->graph);

	table_close(rel, NoLock);
	return has;
}

static bool
is_worth_it(const IndexDef *index, const VectorWanted *wanted, int nitems)
{
	Relation	rel = index_open(index->relid, AccessShareLock);
	double		all;
	double		vectors = vector_scan_estimate(rel, index, wanted, &all);

	index_close(rel, NoLock);
	return vectors >= LEAST_VECTORS &&
		nitems * (all / vectors) * ITEM_COST <= vectors;
}

const char *
search_graph_name(const SearchGraph *walk)
{
	return get_rel_name(walk->graph.relid);
}

/*
 * Begin to read those nearest to this vector; false: the graph cannot serve the
 * snapshot.  One snapshot, and the table stays open, as for engine_scan_begin().
 */
bool
search_graph_begin(SearchGraph *walk, const IndexDef *index,
				   const float *elements)
{
	Snapshot	snapshot = engine_vectors_snapshot(walk->table, index);
	ScanKeyData nearness = {.sk_flags = SK_ORDER_BY,.sk_attno = 1,
	.sk_strategy = 1};

	walk->index = index_open(walk->graph.relid, AccessShareLock);
	if (snapshot == NULL ||
		engine_index_lacks_versions(walk->index, snapshot))
	{
		index_close(walk->index, NoLock);
		return false;
	}
	walk->rel = table_open(engine_def(walk->table)->relid, NoLock);
	walk->snapshot = RegisterSnapshot(snapshot);
	settle(walk);
	nearness.sk_argument = vector_graph_query(&walk->graph, walk->dimensions,
											  elements);
	walk->slot = table_slot_create(walk->rel, NULL);
	walk->scan = compat_index_begin_ordered(walk->rel, walk->index,
											walk->snapshot);
	index_rescan(walk->scan, NULL, 0, &nearness, 1);
	return true;
}

/*
 * The graph is to look far enough, and further if a condition leaves out what it
 * finds first: a quarter of the time more, and pgvector before 0.8 cannot.
 */
static void
settle(SearchGraph *walk)
{
	const char *ef_search = GetConfigOption("hnsw.ef_search", true, false);
	const char *iterative = GetConfigOption("hnsw.iterative_scan", true, false);
	int			least = Max(LEAST_EF_SEARCH, 2 * walk->nitems);

	walk->settings = NewGUCNestLevel();
	if (ef_search != NULL && atoi(ef_search) < least)
		set("hnsw.ef_search", psprintf("%d", least));
	if (walk->filtered && iterative != NULL && strcmp(iterative, "off") == 0)
		set("hnsw.iterative_scan", "strict_order");
}

static void
set(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/*
 * The next item, which lives until the next call or in the current context; NULL:
 * the graph leads to no more.
 */
const Item *
search_graph_next(SearchGraph *walk)
{
	dynamo_budget_spend(walk->request, BLCKSZ);
	if (!index_getnext_slot(walk->scan, ForwardScanDirection, walk->slot))
		return NULL;
	return engine_vectors_item(walk->table, walk->slot);
}

void
search_graph_end(SearchGraph *walk)
{
	index_endscan(walk->scan);
	AtEOXact_GUC(true, walk->settings);
	ExecDropSingleTupleTableSlot(walk->slot);
	UnregisterSnapshot(walk->snapshot);
	index_close(walk->index, NoLock);
	table_close(walk->rel, NoLock);
}
