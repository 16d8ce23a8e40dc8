/*-------------------------------------------------------------------------
 *
 * api_reader.c
 *	  A Query or Scan as a stream of rows.
 *
 * api_reader_begin() turns an input into a scan of the engine: parse, open the
 * table, find the index, hold the key condition and ExclusiveStartKey against
 * its keys (api_range.c).  Each step then reads one item, cuts it down to what
 * the index carries, filters, projects.  Pages are made elsewhere
 * (api_query.c): here a stream ends where the range does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "backup/backup_past.h"
#include "base/base_budget.h"
#include "miscadmin.h"
#include "utils/memutils.h"

struct ApiReader
{
	DynamoRequest *request;
	ApiTarget	target;
	EngineTable *table;
	EngineScanSpec spec;
	EngineScan *scan;			/* NULL until the first item is asked for */
	const ExprCondition *filter;
	const ExprProjection *projection;
	bool		whole;			/* rows of an index are read from the table */
	bool		count_only;
	bool		single;			/* one item at most */
	int64		read;			/* items, whether they passed or not */
	ApiTally	tally;			/* of api_reader_next() */
	MemoryContext context;		/* holds the reader */
	MemoryContext row_context;	/* what a row needs, reset for each */
};

static void check_select(const ApiQueryInput *input);
static const char *projecting_parameter(const ApiQueryInput *input);
static void check_segments(const ApiQueryInput *input);
static const ExprKeyCondition *parse_expressions(const ApiQueryInput *input,
												 ApiReader *query);
static void check_index(const EngineTable *table, const ApiQueryInput *input,
						const IndexDef *index);
static void refuse_vector(const TableDef *def, const ApiQueryInput *input);
static void check_projection(const ApiQueryInput *input, ApiReader *query);
static void check_filter_carried(const ApiReader *query);
static char *join_names(List *names, bool sorted);
static List *attributes_not_carried(const ApiTarget *target,
									const List *paths);
static bool carries(const ApiTarget *target, const ExprStep *step);
static bool is_attribute(const ExprStep *step, const char *name);
static int	compare_names(const void *a, const void *b);
static void start_scan(ApiReader *query);

/*
 * Check a Query or Scan.  See api.h.
 */
ApiReader *
api_reader_begin(const ApiQueryInput *input)
{
	ApiReader  *query = palloc0(sizeof(ApiReader));
	EngineScanSpec *spec = &query->spec;
	const ExprKeyCondition *key_condition;

	query->request = input->request;
	query->tally.wanted = stats_counting(input->request->stats);
	check_select(input);
	check_segments(input);
	if (!input->scan && !input->key_condition &&
		!input->key_condition_expression)
		dynamo_error(DYNAMO_VALIDATION,
					 "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
	key_condition = parse_expressions(input, query);
	if (!input->scan)
		engine_check_clauses(key_condition);

	query->table = input->statement ?
		engine_open(input->request, input->table_name,
					ENGINE_SELECT_STATEMENT) :
		engine_open(input->request, wire_table_name(input->table_name),
					input->scan ? ENGINE_SCAN : ENGINE_QUERY);
	api_find_target(query->table, input, &query->target);
	spec->index = query->target.index;
	spec->backward = input->backward;
	if (input->scan)
	{
		spec->segment = input->segment.value;
		spec->total_segments = input->total_segments.given ?
			input->total_segments.value : 0;
		api_range_scan(&query->target, input->exclusive_start_key, spec);
	}
	else
		api_range_query(&query->target, key_condition,
						input->exclusive_start_key, spec);
	if (query->projection)
		engine_check_key_paths(query->target.def,
							   expr_projection_paths(query->projection));
	if (query->filter && !input->scan && !input->statement)
		engine_check_filter_keys(query->target.def, query->target.index,
								 query->filter,
								 input->filter ? "QueryFilter" :
								 "Filter Expression");
	check_projection(input, query);
	if (query->filter)
		engine_check_key_paths(query->target.def,
							   expr_condition_paths(query->filter));
	if (query->filter && !input->scan && !input->alternatives)
		check_filter_carried(query);

	api_policy_read(input, query->table, &query->target, spec, query->filter,
					query->projection);
	if (input->as_of)
		backup_read_as_of(query->table, *input->as_of);
	query->single = !input->scan && spec->index == NULL &&
		query->target.nrange == 0;
	query->count_only = input->select == API_SELECT_COUNT;
	query->context = CurrentMemoryContext;
	query->row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "dynamo query row",
											   ALLOCSET_DEFAULT_SIZES);
	return query;
}

/*
 * Select against the parameters it goes with.
 */
static void
check_select(const ApiQueryInput *input)
{
	static const char *const names[] = {
		[API_SELECT_COUNT] = "only the Count",
		[API_SELECT_ALL_ATTRIBUTES] = "ALL_ATTRIBUTES",
		[API_SELECT_ALL_PROJECTED] = "ALL_PROJECTED_ATTRIBUTES"
	};
	const char *projecting = projecting_parameter(input);

	if (input->select == API_SELECT_SPECIFIC_ATTRIBUTES && !projecting)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_SELECT,
						  "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES");
	if (input->select != API_SELECT_UNSET &&
		input->select != API_SELECT_SPECIFIC_ATTRIBUTES && projecting)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_SELECT,
						  "Cannot specify the %s when choosing to get %s",
						  projecting, names[input->select]);
	if (input->select == API_SELECT_ALL_PROJECTED && !input->index_name)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_SELECT,
						  "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
}

/*
 * The parameter that names the attributes to return; NULL: neither is there.
 */
static const char *
projecting_parameter(const ApiQueryInput *input)
{
	if (input->projection)
		return "AttributesToGet";
	if (input->projection_expression)
		return "ProjectionExpression";
	return NULL;
}

static void
check_segments(const ApiQueryInput *input)
{
	if (input->segment.given && !input->total_segments.given)
		dynamo_error(DYNAMO_VALIDATION,
					 "The TotalSegments parameter is required but was not present in the request when Segment parameter is present");
	if (input->total_segments.given && !input->segment.given)
		dynamo_error(DYNAMO_VALIDATION,
					 "The Segment parameter is required but was not present in the request when parameter TotalSegments is present");
	if (input->segment.given &&
		input->segment.value >= input->total_segments.value)
		dynamo_error(DYNAMO_VALIDATION,
					 "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: "
					 INT64_FORMAT " is not less than TotalSegments: " INT64_FORMAT,
					 input->segment.value, input->total_segments.value);
}

static const ExprKeyCondition *
parse_expressions(const ApiQueryInput *input, ApiReader *query)
{
	ExprCondition *keys = NULL;

	query->filter = input->filter;
	query->projection = input->projection;
	if (input->key_condition_expression)
		keys = expr_parse_condition(EXPR_KEY_CONDITION,
									input->key_condition_expression,
									input->bindings);
	if (input->filter_expression)
		query->filter = expr_parse_condition(EXPR_FILTER,
											 input->filter_expression,
											 input->bindings);
	if (input->projection_expression)
		query->projection = expr_parse_projection(input->projection_expression,
												  input->bindings);
	if (input->bindings)
		expr_check_unused(input->bindings);
	return keys ? expr_key_condition(keys) : input->key_condition;
}

/*
 * What is read: the table, or one of its indexes.
 */
void
api_find_target(const EngineTable *table, const ApiQueryInput *input,
				ApiTarget *target)
{
	const TableDef *def = engine_def(table);
	const IndexDef *index;

	target->def = def;
	target->index = NULL;
	target->nhash = 1;
	target->hash = &def->hash;
	target->nrange = def->range.name ? 1 : 0;
	target->range = &def->range;
	if (!input->index_name)
		return;

	index = schema_find_index(def, input->index_name);
	check_index(table, input, index);
	target->index = index;
	target->nhash = index->nhash;
	target->hash = index->hash;
	target->nrange = index->nrange;
	target->range = index->range;
}

/*
 * May the index (NULL: there is none) be read like this?
 */
static void
check_index(const EngineTable *table, const ApiQueryInput *input,
			const IndexDef *index)
{
	if (index == NULL)
		refuse_vector(engine_def(table), input);
	if (index == NULL && input->statement)
		dynamo_error_with_help(DYNAMO_VALIDATION,
							   schema_help_indexes(engine_def(table)),
							   "The table does not have the specified index");
	if (index == NULL)
		dynamo_error_with_help(DYNAMO_VALIDATION,
							   schema_help_indexes(engine_def(table)),
							   "The table does not have the specified index: %s",
							   input->index_name);
	engine_check_index(table, index);
	if (input->statement && (index->nhash > 1 || index->nrange > 1))
		dynamo_error(DYNAMO_VALIDATION,
					 "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.");
	if (input->consistent_read && !index->local)
		dynamo_error(DYNAMO_VALIDATION, "%s", input->statement ?
					 "Strongly consistent read is not supported on Global Secondary Indexes" :
					 "Consistent reads are not supported on global secondary indexes");
}

/*
 * A vector index is for SearchVectors.
 */
static void
refuse_vector(const TableDef *def, const ApiQueryInput *input)
{
	if (schema_find_vector(def, input->index_name) == NULL)
		return;
	if (input->scan || input->statement)
		dynamo_error(DYNAMO_VALIDATION,
					 "Scan operation not supported on this index type");
	if (input->consistent_read)
		dynamo_error(DYNAMO_VALIDATION,
					 "Consistent reads are not supported on global secondary indexes");
	dynamo_error(DYNAMO_VALIDATION,
				 "Query operation not supported on this index type.");
}

/*
 * The projection against what the index carries, and whether rows need the
 * table's item for what it does not: a local index fetches it, a global one
 * refuses.
 */
static void
check_projection(const ApiQueryInput *input, ApiReader *query)
{
	const IndexDef *index = query->target.index;
	List	   *missing = NIL;

	if (index == NULL || index->projection == PROJECTION_ALL)
		return;

	if (input->select == API_SELECT_ALL_ATTRIBUTES)
	{
		if (!index->local)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL",
						 index->name);
		query->whole = true;
	}
	if (query->projection)
		missing = attributes_not_carried(&query->target,
										 expr_projection_paths(query->projection));
	if (missing != NIL && !index->local)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Global secondary index %s does not project [%s]",
					 index->name, join_names(missing, !input->statement));
	if (missing != NIL)
		query->whole = true;
}

/*
 * A Query's filter must do with what the index carries; a Scan's finds the
 * rest missing.
 */
static void
check_filter_carried(const ApiReader *query)
{
	const IndexDef *index = query->target.index;
	List	   *missing;

	if (index == NULL || index->projection == PROJECTION_ALL)
		return;
	missing = attributes_not_carried(&query->target,
									 expr_condition_paths(query->filter));
	if (missing != NIL)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Secondary index %s does not project one or more filter attributes: [%s]",
					 index->name, join_names(missing, true));
}

/*
 * The names, sorted if that is wanted, each once.
 */
static char *
join_names(List *names, bool sorted)
{
	StringInfoData out;
	const char *before = NULL;
	ListCell   *lc;

	initStringInfo(&out);
	if (sorted)
		dynamo_sort(names->elements, list_length(names), sizeof(ListCell),
					compare_names);
	foreach(lc, names)
	{
		const char *name = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (before == NULL)
			appendStringInfoString(&out, name);
		else if (strcmp(before, name) != 0)
			appendStringInfo(&out, ", %s", name);
		before = name;
	}
	return out.data;
}

/*
 * Names of the attributes that paths begin with and the index does not carry.
 */
static List *
attributes_not_carried(const ApiTarget *target, const List *paths)
{
	List	   *missing = NIL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		const ExprPath *path = lfirst(lc);
		const ExprStep *step = &path->steps[0];

		CHECK_FOR_INTERRUPTS();
		if (!carries(target, step))
			missing = lappend(missing, pnstrdup(step->name, step->namelen));
	}
	return missing;
}

/*
 * Is the attribute in the projection of the index?
 */
static bool
carries(const ApiTarget *target, const ExprStep *step)
{
	const IndexDef *index = target->index;

	if (is_attribute(step, target->def->hash.name) ||
		(target->def->range.name &&
		 is_attribute(step, target->def->range.name)))
		return true;
	for (int i = 0; i < index->nhash; i++)
	{
		if (is_attribute(step, index->hash[i].name))
			return true;
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (is_attribute(step, index->range[i].name))
			return true;
	}
	if (index->projection == PROJECTION_INCLUDE)
	{
		for (int i = 0; i < index->nnonkey; i++)
		{
			if (is_attribute(step, index->nonkey[i]))
				return true;
		}
	}
	return false;
}

static bool
is_attribute(const ExprStep *step, const char *name)
{
	return step->namelen == strlen(name) &&
		memcmp(step->name, name, step->namelen) == 0;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(lfirst((const ListCell *) a), lfirst((const ListCell *) b));
}

/*
 * Read the next item, whatever becomes of it; false at the end.  The row
 * lives until the next call.
 */
bool
api_reader_step(ApiReader *query, ApiRow *row)
{
	const ApiTarget *target = &query->target;
	MemoryContext caller;
	const Item *visible;

	CHECK_FOR_INTERRUPTS();
	if (query->request->explain != NULL)
	{
		ApiExplain *explain = (ApiExplain *) query->request->explain;

		explain->range(explain, query, query->filter != NULL);
		return false;
	}
	if (query->scan == NULL)
		start_scan(query);
	if (query->scan == NULL)
		return false;			/* its request is executed elsewhere */
	MemoryContextReset(query->row_context);
	row->stored = engine_scan_next(query->scan);
	if (row->stored == NULL)
		return false;
	query->read++;

	caller = MemoryContextSwitchTo(query->row_context);
	row->entry = row->stored;
	if (target->index)
		row->entry = key_index_entry(target->def, target->index,
									 row->stored);
	row->fetched = query->whole;
	visible = query->whole ? row->stored : row->entry;
	row->item = NULL;
	if (query->filter == NULL || expr_test(query->filter, visible))
	{
		row->item = visible;
		if (query->projection && !query->count_only)
			row->item = expr_project(query->projection, visible);
	}
	MemoryContextSwitchTo(caller);
	return true;
}

static void
start_scan(ApiReader *query)
{
	MemoryContext caller = MemoryContextSwitchTo(query->context);

	api_count_partition(query->request, &query->target, &query->spec);
	query->scan = engine_scan_begin(query->table, &query->spec);
	MemoryContextSwitchTo(caller);
}

/*
 * A page of so many items is going to be read.  If that is more than the
 * request's budget allows, by what is known without reading, raise at once.
 * Otherwise what is read up to there would be in vain.
 */
void
api_reader_foresee(const ApiReader *query, int64 limit)
{
	int64		budget = query->request->budget;

	if (budget > 0 && query->spec.nhash == 0 &&
		limit > budget / DYNAMO_ITEM_COST &&
		engine_scan_bytes(query->table, &query->spec) > budget)
		dynamo_budget_overdrawn();
}

/*
 * The next item that passes; NULL at the end.
 */
const Item *
api_reader_next(ApiReader *query)
{
	ApiRow		row;

	while (api_reader_step(query, &row))
	{
		api_tally_row(&query->tally, &row, false);
		if (row.item)
			return row.item;
	}
	return NULL;
}

/*
 * Count what has been read for the statistics and the answer.
 */
void
api_reader_tell(const ApiReader *query)
{
	api_count_tally(query->request, &query->tally, &query->target, false);
}

/*
 * What the query reads.
 */
const ApiTarget *
api_reader_target(const ApiReader *query)
{
	return &query->target;
}

const EngineTable *
api_reader_table(const ApiReader *query)
{
	return query->table;
}

/*
 * The part of it that is read.
 */
const EngineScanSpec *
api_reader_spec(const ApiReader *query)
{
	return &query->spec;
}

int64
api_reader_count(const ApiReader *query)
{
	return query->read;
}

/*
 * Is it a Query on a table without sort key?  That cannot be restarted.
 */
bool
api_reader_single(const ApiReader *query)
{
	return query->single;
}

void
api_reader_end(ApiReader *query)
{
	if (query->scan != NULL)
		engine_scan_end(query->scan);
	engine_close(query->table);
	MemoryContextDelete(query->row_context);
}
