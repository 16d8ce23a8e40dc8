/*-------------------------------------------------------------------------
 *
 * search_run.c
 *	  A search: the items of a vector index whose vectors are nearest to one.
 *
 * All items that meet the condition are looked at, so the result is exact.  It
 * sees what any read of the same moment sees, its own transaction's writes
 * included.  If the condition names the table's partition key, that partition
 * is read, else the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_handler.h"
#include "base/base_budget.h"
#include "miscadmin.h"
#include "search/search.h"
#include "utils/memutils.h"
#include "vector/vector.h"

/* A search on its way. */
typedef struct Search
{
	const SearchInput *input;
	SearchResult *result;
	const ExprKeyCondition *condition;
	const ExprProjection *projection;	/* NULL: all that is projected */
	float	   *elements;		/* of the item at hand */
	MemoryContext context;		/* of the result */
	MemoryContext row_context;	/* what a row needs, reset for each */
} Search;

static void find_index(const EngineTable *table, const SearchInput *input,
					   SearchResult *result);
static void read_table(Search *search, EngineTable *table);
static void confine(const Search *search, EngineScanSpec *spec);
static void consider(Search *search, const Item *item);
static bool goes_before(const Search *search, double score, const Item *item,
						const SearchHit *hit);
static void show(Search *search, SearchHit *hit);
static bool names_vector(const Search *search);
static const Item *with_vector(const IndexDef *index, const Item *item,
							   const ItemValue *vector);

void
search_run(const SearchInput *input, SearchResult *result)
{
	Search		search = {.input = input, .result = result};
	const ExprCondition *condition = NULL;
	EngineTable *table;

	memset(result, 0, sizeof(SearchResult));
	if (input->condition)
		condition = expr_parse_condition(EXPR_SEARCH_CONDITION,
										 input->condition, input->bindings);
	if (input->projection)
		search.projection = expr_parse_projection(input->projection,
												  input->bindings);
	if (input->bindings)
		expr_check_unused(input->bindings);

	table = engine_open(input->request, wire_table_name(input->table_name),
						ENGINE_SEARCH);
	find_index(table, input, result);
	if (input->dimensions != result->index->dimensions)
		dynamo_error(DYNAMO_VALIDATION,
					 "Input search vector dimension %d does not match vector index dimension %d",
					 input->dimensions, result->index->dimensions);
	search.condition = search_bind_condition(result->index, condition);
	if (search.projection)
		engine_check_key_paths(result->def,
							   expr_projection_paths(search.projection));
	api_policy_search(table, result->index);

	search.context = CurrentMemoryContext;
	search.row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "dynamo search row",
											   ALLOCSET_DEFAULT_SIZES);
	search.elements = palloc(sizeof(float) * result->index->dimensions);
	read_table(&search, table);
	for (int i = 0; i < result->nhits; i++)
		show(&search, &result->hits[i]);
	MemoryContextDelete(search.row_context);
	engine_close(table);
}

static void
find_index(const EngineTable *table, const SearchInput *input,
		   SearchResult *result)
{
	result->def = engine_def(table);
	result->index = schema_find_vector(result->def, input->index_name);
	if (result->index == NULL)
		dynamo_error_with_help(DYNAMO_VALIDATION,
							   schema_help_indexes(result->def),
							   "The table does not have the specified index: %s",
							   input->index_name);
}

/*
 * Look at all items that there may be.
 */
static void
read_table(Search *search, EngineTable *table)
{
	EngineScanSpec spec = {0};
	EngineScan *scan;
	const Item *item;

	confine(search, &spec);
	scan = engine_scan_begin(table, &spec);
	if (scan == NULL)
		return;					/* it is searched elsewhere */
	while ((item = engine_scan_next(scan)) != NULL)
	{
		MemoryContext caller;

		CHECK_FOR_INTERRUPTS();
		dynamo_budget_spend(search->input->request, VARSIZE_ANY(item));
		MemoryContextReset(search->row_context);
		caller = MemoryContextSwitchTo(search->row_context);
		if (search_meets(search->condition, item) &&
			vector_in_index(search->result->index, item, search->elements))
			consider(search, item);
		MemoryContextSwitchTo(caller);
	}
	engine_scan_end(scan);
}

/*
 * To one partition of the table, if the condition does.
 */
static void
confine(const Search *search, EngineScanSpec *spec)
{
	for (int i = 0; i < search->condition->nclauses; i++)
	{
		const ExprKeyClause *clause = &search->condition->clauses[i];

		if (strcmp(clause->name, search->result->def->hash.name) != 0)
			continue;
		spec->nhash = 1;
		spec->hash[0] = clause->values[0];
	}
}

/*
 * Keep an item if it is among the best so far.
 */
static void
consider(Search *search, const Item *item)
{
	SearchResult *result = search->result;
	int			place = result->nhits;
	double		score = vector_score(result->index->distance,
									 result->index->dimensions,
									 search->elements,
									 search->input->vector);
	MemoryContext caller;

	while (place > 0 &&
		   goes_before(search, score, item, &result->hits[place - 1]))
		place--;
	if (place == search->input->top_k)
		return;
	if (result->nhits == search->input->top_k)
		pfree(unconstify(Item *, result->hits[--result->nhits].item));
	memmove(&result->hits[place + 1], &result->hits[place],
			sizeof(SearchHit) * (result->nhits - place));
	result->nhits++;
	result->hits[place].score = score;
	caller = MemoryContextSwitchTo(search->context);
	result->hits[place].item = item_copy(item);
	MemoryContextSwitchTo(caller);
}

/*
 * Of two with one score the first is the one whose key comes first.
 */
static bool
goes_before(const Search *search, double score, const Item *item,
			const SearchHit *hit)
{
	const TableDef *def = search->result->def;

	if (score != hit->score)
		return vector_is_better(search->result->index->distance, score,
								hit->score);
	return key_compare(key_stored(def, item), key_stored(def, hit->item)) < 0;
}

/*
 * What is returned of an item: what the index projects, or what of that is
 * asked for.  The vector is only returned if it is asked for, and then under
 * every type of projection.
 */
static void
show(Search *search, SearchHit *hit)
{
	const IndexDef *index = search->result->index;
	const Item *stored = hit->item;
	const Item *shown = key_index_entry(search->result->def, index, stored);

	shown = with_vector(index, shown, NULL);
	if (search->projection)
		hit->item = expr_project(search->projection, shown);
	else
		hit->item = shown;
	search->result->bytes += item_size(hit->item);
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
		if (expr_path_starts_with(lfirst(lc), search->result->index->vector))
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
