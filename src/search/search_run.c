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
#include "backup/backup_past.h"
#include "base/base_budget.h"
#include "miscadmin.h"
#include "search/search.h"
#include "utils/memutils.h"
#include "vector/vector.h"

struct Search
{
	SearchInput input;
	SearchResult result;
	const TableDef *def;
	EngineTable *table;
	ExprKeyCondition *condition;	/* what is left to be tested */
	const ExprProjection *projection;	/* NULL: all that is projected */
	EngineScanSpec spec;
	VectorTarget target;
	float	   *elements;		/* of the item at hand */
	MemoryContext context;		/* of the search */
	MemoryContext row_context;	/* what a row needs, reset for each */
};

static void find_index(Search *search);
static void confine(Search *search);
static void look_at(Search *search, const Item *item);
static void consider(Search *search, const Item *item);
static void show(Search *search, SearchHit *hit);
static bool names_vector(const Search *search);
static const Item *with_vector(const IndexDef *index, const Item *item,
							   const ItemValue *vector);

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
 * Read one partition of the table alone, if the condition does.  What is read
 * then meets that clause.
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
		condition->clauses[i] = condition->clauses[--condition->nclauses];
		return;
	}
}

/*
 * Look at all items that there may be, and keep the best.
 */
void
search_run(Search *search)
{
	MemoryContext caller = MemoryContextSwitchTo(search->context);
	EngineScan *scan;
	const Item *item;

	search->row_context = AllocSetContextCreate(search->context,
												"dynamo search row",
												ALLOCSET_DEFAULT_SIZES);
	vector_target(&search->target, search->result.index->distance,
				  search->input.dimensions, search->input.vector);
	search->elements = palloc(sizeof(float) * search->result.index->dimensions);
	scan = engine_scan_begin(search->table, &search->spec);
	if (scan != NULL)			/* NULL: it is searched elsewhere */
	{
		while ((item = engine_scan_next(scan)) != NULL)
			look_at(search, item);
		engine_scan_end(scan);
	}
	for (int i = 0; i < search->result.nhits; i++)
		show(search, &search->result.hits[i]);
	MemoryContextDelete(search->row_context);
	MemoryContextSwitchTo(caller);
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
	MemoryContextReset(search->row_context);
	caller = MemoryContextSwitchTo(search->row_context);
	if (search_meets(search->condition, item) &&
		vector_in_index(search->result.index, item, search->elements))
		consider(search, item);
	MemoryContextSwitchTo(caller);
}

/*
 * Keep an item if it is among the best so far.  Items come in the order of their
 * keys, so of those with one score the first is the one whose key is first.
 */
static void
consider(Search *search, const Item *item)
{
	SearchResult *result = &search->result;
	int			place = result->nhits;
	double		score = vector_score(&search->target, search->elements);
	MemoryContext caller;

	result->compared++;
	while (place > 0 &&
		   vector_is_better(result->index->distance, score,
							result->hits[place - 1].score))
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
