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
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "vector/vector.h"

/*
 * How far the graph looks around: as far as a user has told it, this far otherwise.
 * With a condition it is the least; otherwise the graph would have to go on for most
 * of those that meet it.
 */
#define EF_SEARCH		100

/*
 * What takes how long, in vectors of 128 elements compared, where a graph begins to
 * pay: each of ef_search in a graph, an item that is read, and an entry that an exact
 * search passes over for its filter's sake.
 */
#define LOOK_COST		150
#define ITEM_COST		40
#define PASSED_COST		0.25

/* Items that are read of halves beyond those that are wanted, at least. */
#define MORE_OF_HALVES	5

/*
 * So many times ef_search are read at most.  What is asked for is further away than
 * all that by then, and a graph misses much of it.
 */
#define PATIENCE		4

struct SearchGraph
{
	EngineTable *table;
	DynamoRequest *request;
	Relation	rel;			/* of the table */
	VectorGraph graph;
	int			dimensions;
	int			nitems;			/* to be read of those that meet the condition */
	bool		filtered;		/* there is one */
	int			ef_search;
	int			nread;
	Relation	index;
	Snapshot	snapshot;		/* registered */
	IndexScanDesc scan;
	TupleTableSlot *slot;
	int			settings;		/* nest level */
};

static bool has_graph(SearchGraph *walk, const IndexDef *index, int top_k);
static bool is_worth_it(const SearchGraph *walk, const IndexDef *index,
						const VectorWanted *wanted);
static int	items_to_read(const VectorGraph *graph, int top_k);
static int	ef_search(const SearchGraph *walk);
static void settle(SearchGraph *walk);
static void set(const char *name, const char *value);

/*
 * Find a graph that serves a search for so many items; NULL: there is none, or it
 * would not pay.
 */
SearchGraph *
search_graph_find(DynamoRequest *request, EngineTable *table,
				  const IndexDef *index, const VectorWanted *wanted,
				  int top_k)
{
	SearchGraph *walk = palloc0(sizeof(SearchGraph));

	walk->request = request;
	walk->table = table;
	walk->dimensions = index->dimensions;
	for (int i = 0; i < index->nhash + index->nrange; i++)
		walk->filtered = walk->filtered || wanted->is_wanted[i];
	if (engine_vectors_snapshot(table, index) == NULL ||
		!has_graph(walk, index, top_k) || !is_worth_it(walk, index, wanted))
	{
		pfree(walk);
		return NULL;
	}
	return walk;
}

static bool
has_graph(SearchGraph *walk, const IndexDef *index, int top_k)
{
	Relation	rel = table_open(engine_def(walk->table)->relid, NoLock);
	bool		has = vector_graph_find(rel, index, &walk->graph);

	table_close(rel, NoLock);
	if (has)
	{
		walk->nitems = items_to_read(&walk->graph, top_k);
		walk->ef_search = ef_search(walk);
	}
	return has;
}

/*
 * Some more than are wanted, because the graph's distances are rounded: of two that
 * are as far to a float4 the further one may come first, of halves more.
 */
static int
items_to_read(const VectorGraph *graph, int top_k)
{
	return top_k + (graph->halves ? Max(top_k / 4, MORE_OF_HALVES) : 1);
}

/*
 * What it is to be; pgvector has been loaded.
 */
static int
ef_search(const SearchGraph *walk)
{
	const struct config_generic *setting = compat_setting("hnsw.ef_search");
	int			ef = EF_SEARCH;

	if (setting != NULL && setting->source != PGC_S_DEFAULT)
	{
		ef = atoi(GetConfigOption("hnsw.ef_search", false, false));
		if (walk->filtered)
			ef = Max(ef, EF_SEARCH);
	}
	return Max(ef, 2 * walk->nitems);
}

/*
 * Are as many as are wanted, of those that meet the condition, among what the graph
 * looks at, and is that less than all vectors?
 */
static bool
is_worth_it(const SearchGraph *walk, const IndexDef *index,
			const VectorWanted *wanted)
{
	Relation	rel = index_open(index->relid, AccessShareLock);
	double		all;
	double		vectors = vector_scan_estimate(rel, index, wanted, &all);
	double		exact = vectors;
	double		items;

	index_close(rel, NoLock);
	if (vectors == 0)
		return false;
	items = walk->nitems * (all / vectors);
	/* Entries of other values of a HASH attribute lie elsewhere. */
	if (index->nhash == 0 || !wanted->is_wanted[0])
		exact += (all - vectors) * PASSED_COST;
	return items <= walk->ef_search &&
		walk->ef_search * LOOK_COST + items * ITEM_COST <= exact;
}

/*
 * How many items are to be read of those that meet the condition.
 */
int
search_graph_items(const SearchGraph *walk)
{
	return walk->nitems;
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
		schema_index_lacks_versions(walk->index, snapshot))
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
	const char *iterative = GetConfigOption("hnsw.iterative_scan", true, false);

	walk->settings = NewGUCNestLevel();
	set("hnsw.ef_search", psprintf("%d", walk->ef_search));
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
 * the graph leads to no more, or should be asked for no more.
 */
const Item *
search_graph_next(SearchGraph *walk)
{
	dynamo_budget_spend(walk->request, BLCKSZ);
	if (walk->nread++ >= PATIENCE * walk->ef_search ||
		!index_getnext_slot(walk->scan, ForwardScanDirection, walk->slot))
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
