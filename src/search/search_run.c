/*-------------------------------------------------------------------------
 *
 * search_run.c
 *	  A search: the items of a vector index whose vectors are nearest to one.
 *
 * All vectors of items that meet the condition are compared, so the result is
 * exact.  The search sees what any read of the same moment sees, its own transaction's
 * writes included.
 *
 * Where a user has allowed it and pgvector has a graph of the vectors, the items
 * that it leads to first are looked at instead: then the scores are exact, but
 * better items may be missed.
 *
 * Vectors are read from the index where it can serve: then an item is read only
 * if its vector is among the best so far, and counts as what it is in the table.
 * Else they are taken from the items: of one partition, if the condition names
 * the table's partition key, or of the table.
 *
 * Of a distributed table the shards find their nearest items.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_handler.h"
#include "backup/backup_past.h"
#include "base/base_budget.h"
#include "miscadmin.h"
#include "search/search.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "vector/vector.h"

/* Items that shards are asked for beyond those that are wanted. */
#define MORE_ITEMS		5

/* An entry of the index whose vector may be among the best. */
typedef struct Candidate
{
	ItemPointerData tid;
	double		score;
} Candidate;

/* dynamo.vector_search */
typedef enum SearchWay
{
	SEARCH_EXACT,
	SEARCH_AUTO
} SearchWay;

static int	way = SEARCH_EXACT;

struct Search
{
	SearchInput input;
	SearchResult result;
	const TableDef *def;
	EngineTable *table;
	ExprKeyCondition *condition;
	const ExprProjection *projection;	/* NULL: all that is projected */
	EngineScanSpec spec;
	VectorTarget target;
	float	   *elements;		/* of the item at hand */
	VectorWanted wanted;		/* of the index */
	SearchGraph *graph;			/* NULL: all are compared */
	Candidate  *candidates;
	int			ncandidates;
	MemoryContext context;		/* of the search */
	MemoryContext row_context;	/* what a row needs, reset for each */
};

static void find_index(Search *search);
static void confine(Search *search);
static void choose_tags(Search *search);
static void find_graph(Search *search);
static bool run_over_graph(Search *search);
static bool is_full(const Search *search);
static void forget(Search *search);
static bool go_to_partition(Search *search);
static bool run_over_shards(Search *search);
static bool gather(Search *search, bool by_key);
static const Item *wanted_attributes(const Search *search);
static bool run_over_index(Search *search);
static void run_over_items(Search *search);
static void visit(void *arg, const ItemPointerData *tid, const uint32 *tags,
				  const float *elements);
static bool may_enter(const Search *search, double score);
static void look_at(Search *search, const Item *item);
static void consider(Search *search, const Item *item);
static bool comes_before(const Search *search, const Item *item,
						 const SearchHit *hit, double score);
static void show(Search *search, SearchHit *hit);
static bool names_vector(const Search *search);
static const Item *with_vector(const IndexDef *index, const Item *item,
							   const ItemValue *vector);

void
search_init(void)
{
	static const struct config_enum_entry ways[] = {
		{"exact", SEARCH_EXACT, false},
		{"auto", SEARCH_AUTO, false},
		{NULL, 0, false}
	};

	DefineCustomEnumVariable("dynamo.vector_search",
							 "Sets whether searches of vectors may be approximate.",
							 "exact: never. auto: where an HNSW index of pgvector makes them faster.",
							 &way, SEARCH_EXACT, ways, PGC_USERSET, 0,
							 NULL, NULL, NULL);
}

bool
search_may_be_approximate(void)
{
	return way == SEARCH_AUTO;
}

Search *
search_begin(const SearchInput *input)
{
	Search	   *search = palloc0(sizeof(Search));
	const ExprCondition *condition = NULL;

	search->input = *input;
	if (input->condition)
		condition = expr_parse_condition(EXPR_SEARCH_CONDITION,
										 input->condition, input->bindings);
	if (input->projection)
		search->projection = expr_parse_projection(input->projection,
												   input->bindings);
	if (input->bindings)
		expr_check_unused(input->bindings);

	search->table = engine_open(input->request,
								wire_table_name(input->table_name),
								ENGINE_SEARCH);
	search->def = engine_def(search->table);
	find_index(search);
	search->condition = search_bind_condition(search->result.index, condition);
	if (search->projection)
		engine_check_key_paths(search->def,
							   expr_projection_paths(search->projection));
	api_policy_search(search->table, search->result.index);
	if (input->as_of)
		backup_read_as_of(search->table, *input->as_of);
	confine(search);
	choose_tags(search);
	find_graph(search);
	search->context = CurrentMemoryContext;
	return search;
}

static void
find_index(Search *search)
{
	const SearchInput *input = &search->input;
	const IndexDef *index = schema_find_vector(search->def, input->index_name);

	if (index == NULL)
		dynamo_error_with_help(DYNAMO_VALIDATION,
							   schema_help_indexes(search->def),
							   "The table does not have the specified index: %s",
							   input->index_name);
	if (input->dimensions != index->dimensions)
		dynamo_error(DYNAMO_VALIDATION,
					 "Input search vector dimension %d does not match vector index dimension %d",
					 input->dimensions, index->dimensions);
	search->result.index = index;
}

/*
 * Read one partition of the table alone, if the condition does.
 */
static void
confine(Search *search)
{
	ExprKeyCondition *condition = search->condition;

	for (int i = 0; i < condition->nclauses; i++)
	{
		if (strcmp(condition->clauses[i].name, search->def->hash.name) != 0)
			continue;
		search->spec.nhash = 1;
		search->spec.hash[0] = condition->clauses[i].values[0];
		return;
	}
}

/*
 * The tags of the entries that may meet the condition.
 */
static void
choose_tags(Search *search)
{
	const IndexDef *index = search->result.index;
	const ExprKeyCondition *condition = search->condition;

	for (int i = 0; i < condition->nclauses; i++)
	{
		const ExprKeyClause *clause = &condition->clauses[i];

		for (int j = 0; j < index->nhash + index->nrange; j++)
		{
			const KeyAttr *attr = j < index->nhash ? &index->hash[j] :
				&index->range[j - index->nhash];

			if (strcmp(clause->name, attr->name) != 0)
				continue;
			search->wanted.is_wanted[j] = true;
			search->wanted.tags[j] = vector_tag(&clause->values[0]);
		}
	}
}

/*
 * Look at all that there may be, and keep the best.
 */
void
search_run(Search *search)
{
	MemoryContext caller = MemoryContextSwitchTo(search->context);

	if (!go_to_partition(search))
	{
		MemoryContextSwitchTo(caller);
		return;
	}
	search->row_context = AllocSetContextCreate(search->context,
												"dynamo search row",
												ALLOCSET_DEFAULT_SIZES);
	vector_target(&search->target, search->result.index->distance,
				  search->input.dimensions, search->input.vector);
	search->elements = palloc(sizeof(float) * search->result.index->dimensions);
	if (!run_over_graph(search) && !run_over_shards(search) &&
		!run_over_index(search))
		run_over_items(search);
	for (int i = 0; i < search->result.nhits; i++)
		show(search, &search->result.hits[i]);
	MemoryContextDelete(search->row_context);
	MemoryContextSwitchTo(caller);
}

static void
find_graph(Search *search)
{
	const IndexDef *index = search->result.index;

	if (way == SEARCH_AUTO &&
		(search->spec.nhash == 0 || index->nhash > 0))
		search->graph = search_graph_find(search->input.request,
										  search->table, index,
										  &search->wanted,
										  search->input.top_k);
	if (search->graph)
		search->result.graph = search_graph_name(search->graph);
}

/*
 * False: there is no graph, or it has led to less than there may be.  Then
 * nothing has been found.
 */
static bool
run_over_graph(Search *search)
{
	const Item *item;

	if (search->graph == NULL)
		return false;
	if (search_graph_begin(search->graph, search->result.index,
						   search->input.vector))
	{
		while (search->result.compared < search_graph_items(search->graph))
		{
			MemoryContextReset(search->row_context);
			MemoryContextSwitchTo(search->row_context);
			item = search_graph_next(search->graph);
			MemoryContextSwitchTo(search->context);
			if (item == NULL)
				break;
			look_at(search, item);
		}
		search_graph_end(search->graph);
	}
	if (is_full(search))
		return true;
	forget(search);
	return false;
}

/*
 * Has a graph led to as many as are wanted, and to all that it could?  It has no
 * vectors without a direction, whose score by COSINE is 1.
 */
static bool
is_full(const Search *search)
{
	const SearchResult *result = &search->result;

	return result->nhits == search->input.top_k &&
		(result->index->distance != VECTOR_COSINE ||
		 result->hits[result->nhits - 1].score < 1);
}

static void
forget(Search *search)
{
	SearchResult *result = &search->result;

	while (result->nhits > 0)
		pfree(unconstify(Item *, result->hits[--result->nhits].item));
	result->graph = NULL;
}

/*
 * A search of one partition of a distributed table is one of its shard, where that
 * matters.  False: it is to be run on another node.
 */
static bool
go_to_partition(Search *search)
{
	if (!search->def->distributed || search->spec.nhash == 0)
		return true;
	if (!engine_use_shard(search->table,
						  PointerGetDatum(item_partition_key(&search->spec.hash[0],
															 1))))
		return false;
	search->def = engine_def(search->table);
	search->result.index = schema_find_vector(search->def,
											  search->result.index->name);
	return true;
}

/*
 * The shards of a distributed table find their nearest items.  False: it is none.
 */
static bool
run_over_shards(Search *search)
{
	if (!search->def->distributed)
		return false;
	if (!gather(search, false))
	{
		forget(search);
		(void) gather(search, true);
	}
	return true;
}

/*
 * Without regard to keys, some more items are asked for than are wanted.  False:
 * there may be still more that are as near as the last one that is wanted.
 */
static bool
gather(Search *search, bool by_key)
{
	SearchResult *result = &search->result;
	int			top_k = search->input.top_k;
	SearchNearest wanted = {
		.index = result->index, .elements = search->input.vector,
		.tags = &search->wanted, .condition = wanted_attributes(search),
		.hash = search->spec.nhash > 0 ? &search->spec.hash[0] : NULL,
		.limit = by_key ? top_k : top_k + MORE_ITEMS,
		.by_key = by_key
	};
	MemoryContext context = AllocSetContextCreate(search->context,
												  "dynamo search shards",
												  ALLOCSET_DEFAULT_SIZES);
	const Item **items;
	int			n;
	double		last = 0;

	MemoryContextSwitchTo(context);
	n = search_shards(search->table, &wanted, &items);
	MemoryContextSwitchTo(search->context);
	for (int i = 0; i < n; i++)
	{
		MemoryContextReset(search->row_context);
		look_at(search, items[i]);
		last = vector_score(&search->target, search->elements);
	}
	MemoryContextDelete(context);
	return by_key || n < wanted.limit ||
		vector_is_better(result->index->distance,
						 result->hits[top_k - 1].score, last);
}

/*
 * The condition as an item that has nothing else.
 */
static const Item *
wanted_attributes(const Search *search)
{
	const ExprKeyCondition *condition = search->condition;
	ItemNode	map;

	item_node_init(&map, ITEM_M);
	for (int i = 0; i < condition->nclauses; i++)
	{
		const ExprKeyClause *clause = &condition->clauses[i];

		item_node_leaf(item_node_put(&map, clause->name, strlen(clause->name)),
					   &clause->values[0]);
	}
	return item_pack(&map);
}

/*
 * False: the index cannot serve, and nothing has been read.  An index without a
 * HASH attribute has its vectors in no order, so a partition of the table is
 * read instead.
 */
static bool
run_over_index(Search *search)
{
	const IndexDef *index = search->result.index;
	EngineVectors *vectors = NULL;
	int			batch;

	if (search->spec.nhash == 0 || index->nhash > 0)
		vectors = engine_vectors_begin(search->table, index, &search->wanted,
									   &batch);
	if (vectors == NULL)
		return false;
	search->candidates = palloc(sizeof(Candidate) * batch);
	while (engine_vectors_next(vectors, visit, search))
	{
		for (int i = 0; i < search->ncandidates; i++)
		{
			const Candidate *candidate = &search->candidates[i];
			const Item *item;

			CHECK_FOR_INTERRUPTS();
			if (!may_enter(search, candidate->score))
				continue;
			MemoryContextReset(search->row_context);
			MemoryContextSwitchTo(search->row_context);
			item = engine_vectors_fetch(vectors, &candidate->tid);
			MemoryContextSwitchTo(search->context);
			if (item != NULL)
				look_at(search, item);
		}
		search->ncandidates = 0;
	}
	engine_vectors_end(vectors);
	return true;
}

/*
 * With a page locked: nothing here fails or waits.
 */
static void
visit(void *arg, const ItemPointerData *tid, const uint32 *tags,
	  const float *elements)
{
	Search	   *search = arg;
	double		score = vector_score(&search->target, elements);

	search->result.compared++;
	if (may_enter(search, score))
		search->candidates[search->ncandidates++] = (Candidate)
	{
		.tid = *tid, .score = score
	};
}

/*
 * May an item of this score be among the best?  Of those with the score of the
 * last one the keys decide.
 */
static bool
may_enter(const Search *search, double score)
{
	const SearchResult *result = &search->result;

	return result->nhits < search->input.top_k ||
		!vector_is_better(result->index->distance,
						  result->hits[result->nhits - 1].score, score);
}

static void
run_over_items(Search *search)
{
	EngineScan *scan = engine_scan_begin(search->table, &search->spec);
	const Item *item;

	if (scan == NULL)			/* it is searched elsewhere */
		return;
	while ((item = engine_scan_next(scan)) != NULL)
	{
		MemoryContextReset(search->row_context);
		look_at(search, item);
	}
	engine_scan_end(scan);
}

const SearchResult *
search_result(const Search *search)
{
	return &search->result;
}

const char *
search_partition(const Search *search)
{
	if (search->spec.nhash == 0)
		return NULL;
	return api_plan_partition(search->def, &search->spec.hash[0]);
}

void
search_end(Search *search)
{
	engine_close(search->table);
}

static void
look_at(Search *search, const Item *item)
{
	MemoryContext caller;

	CHECK_FOR_INTERRUPTS();
	dynamo_budget_spend(search->input.request, VARSIZE_ANY(item));
	search->result.read++;
	caller = MemoryContextSwitchTo(search->row_context);
	if (search_meets(search->condition, item) &&
		vector_in_index(search->result.index, item, search->elements))
	{
		if (search->candidates == NULL)
			search->result.compared++;
		consider(search, item);
	}
	MemoryContextSwitchTo(caller);
}

/*
 * Keep an item if it is among the best so far, of those with one score the one
 * whose key comes first.
 */
static void
consider(Search *search, const Item *item)
{
	SearchResult *result = &search->result;
	int			place = result->nhits;
	double		score = vector_score(&search->target, search->elements);
	MemoryContext caller;

	while (place > 0 &&
		   comes_before(search, item, &result->hits[place - 1], score))
		place--;
	if (place == search->input.top_k)
		return;
	if (result->nhits == search->input.top_k)
		pfree(unconstify(Item *, result->hits[--result->nhits].item));
	memmove(&result->hits[place + 1], &result->hits[place],
			sizeof(SearchHit) * (result->nhits - place));
	result->nhits++;
	result->hits[place].score = score;
	caller = MemoryContextSwitchTo(search->context);
	result->hits[place].item = item_copy(item);
	MemoryContextSwitchTo(caller);
}

static bool
comes_before(const Search *search, const Item *item, const SearchHit *hit,
			 double score)
{
	if (score != hit->score)
		return vector_is_better(search->result.index->distance, score,
								hit->score);
	return key_compare(key_stored(search->def, item),
					   key_stored(search->def, hit->item)) < 0;
}

/*
 * What is returned of an item: what the index projects, or what of that is
 * asked for.  The vector is only returned if it is asked for, and then under
 * every type of projection.
 */
static void
show(Search *search, SearchHit *hit)
{
	const IndexDef *index = search->result.index;
	const Item *stored = hit->item;
	const Item *shown = key_index_entry(search->def, index, stored);

	shown = with_vector(index, shown, NULL);
	if (search->projection)
		hit->item = expr_project(search->projection, shown);
	else
		hit->item = shown;
	search->result.bytes += item_size(hit->item);
	if (search->projection && names_vector(search) &&
		vector_in_index(index, stored, search->elements))
	{
		ItemValue	vector = vector_value(search->elements,
										  index->dimensions);

		hit->item = expr_project(search->projection,
								 with_vector(index, shown, &vector));
	}
}

static bool
names_vector(const Search *search)
{
	ListCell   *lc;

	foreach(lc, expr_projection_paths(search->projection))
	{
		CHECK_FOR_INTERRUPTS();
		if (expr_path_starts_with(lfirst(lc), search->result.index->vector))
			return true;
	}
	return false;
}

/*
 * The item with another value for its vector; NULL: without.
 */
static const Item *
with_vector(const IndexDef *index, const Item *item, const ItemValue *vector)
{
	ItemValue	root = item_root(item);
	ItemValue	member;
	ItemIterator it;
	ItemNode	map;

	item_node_init(&map, ITEM_M);
	item_iterate(&root, &it);
	while (item_next(&it, &member))
	{
		if (it.namelen != strlen(index->vector) ||
			memcmp(it.name, index->vector, it.namelen) != 0)
			item_node_leaf(item_node_put(&map, it.name, it.namelen), &member);
	}
	if (vector)
		item_node_leaf(item_node_put(&map, index->vector,
									 strlen(index->vector)), vector);
	return item_pack(&map);
}
