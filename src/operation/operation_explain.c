/*-------------------------------------------------------------------------
 *
 * operation_explain.c
 *	  What an operation on items would do.
 *
 * The operation itself runs, so that everything is checked that would be: the
 * request, the tables, privileges and policies.  But where it would read or
 * write, it tells us instead (EngineExplain, and ApiExplain for ranges),
 * and finds nothing.  Its answer is thrown away.
 *
 * Figures are estimates from the statistics of ANALYZE.  A role that may not
 * read the table does not see them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "operation/operation_internal.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* A request that is explained. */
typedef struct Explain
{
	ApiExplain	api;			/* must be first */
	const Operation *op;
	const json_t *body;
	MemoryContext context;		/* holds the steps */
	List	   *steps;			/* of MonitorStep * */
} Explain;

static List *explain_named(const char *name, const char *body, size_t len);
static void explain_item(EngineExplain *told, const EngineTable *table,
						 const char *action, const TableKey *key,
						 const Item *item);
static void explain_range(ApiExplain *told, const ApiReader *query,
						  bool filtered);
static MonitorStep *add_step(Explain *explain, const EngineTable *table,
							 const char *action);
static void estimate_item(const Explain *explain, MonitorStep *step,
						  const TableDef *def, const Item *item);
static double index_units(const TableDef *def, const Item *item);
static void estimate_range(const Explain *explain, MonitorStep *step,
						   const ApiReader *query, bool filtered);
static void shape_of(const EngineScanSpec *spec, ExprKeyShape *shape);
static bool is_consistent(const Explain *explain, const TableDef *def);
static bool may_know(const TableDef *def);

void
operation_explain_init(void)
{
	monitor_explain = explain_named;
}

/*
 * For a client of the API, in the words of the API.
 */
static List *
explain_named(const char *name, const char *body, size_t len)
{
	const Operation *op = operation_find(name);

	if (op->handler != NULL && !op->explained)
		dynamo_error(DYNAMO_VALIDATION,
					 "Operation %s has no plan: those that read or write items have one",
					 op->name);
	return operation_explain(op, body, len);
}

/*
 * What a request would do, as a List of MonitorStep *: it is parsed, checked
 * and bound as if it were made, and does nothing.  Raises what it would raise
 * by then, and ValidationException for an operation that is not explained.
 */
List *
operation_explain(const Operation *op, const char *body, size_t len)
{
	Explain		explain = {{{explain_item}, explain_range}, op, NULL,
	CurrentMemoryContext, NIL};
	DynamoRequest request;
	json_error_t error;

	operation_check_envelope(op, body, len);
	if (!op->explained)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("operation %s cannot be explained", op->name),
				 errdetail("Operations that read or write items can.")));
	explain.body = codec_load(body, len, &error);
	operation_request(&request, op, body, len);
	request.door = true;
	request.explain = &explain.api.engine;
	(void) operation_run(&request);
	return explain.steps;
}

/*
 * One item would be read or written by its key.
 */
static void
explain_item(EngineExplain *told, const EngineTable *table,
			 const char *action, const TableKey *key, const Item *item)
{
	Explain    *explain = (Explain *) told;
	const TableDef *def = engine_def(table);
	MemoryContext caller = MemoryContextSwitchTo(explain->context);
	MonitorStep *step = add_step(explain, table, action);

	step->access = "key";
	step->relation = def->primary_relid;
	step->condition = api_plan_key(def, key);
	estimate_item(explain, step, def, item);
	MemoryContextSwitchTo(caller);
}

static MonitorStep *
add_step(Explain *explain, const EngineTable *table, const char *action)
{
	MonitorStep *step = palloc0(sizeof(MonitorStep));
	const char *reason = engine_slow_reason(table);

	step->action = action;
	step->table_name = pstrdup(engine_def(table)->name);
	step->slow_reason = reason ? pstrdup(reason) : NULL;
	explain->steps = lappend(explain->steps, step);
	return step;
}

/*
 * There is one item at most.  What a PUT stores is known, and what it replaces
 * is taken to be as large.
 */
static void
estimate_item(const Explain *explain, MonitorStep *step,
			  const TableDef *def, const Item *item)
{
	double		bytes = may_know(def) ? key_estimate_item(def) : 0;
	bool		get = strcmp(step->action, "Get") == 0;
	double		unit = get ? 4096 : 1024;
	double		factor = explain->op->parts == OPERATION_TRANSACTION ? 2 :
		get && !is_consistent(explain, def) ? 0.5 : 1;
	double		units = Max(1, ceil(bytes / unit));

	step->estimated = true;
	step->read = 1;
	step->returned = get ? 1 : 0;
	if (get)
	{
		step->read_units = factor * units;
		return;
	}
	if (item != NULL)
		units = capacity_write_units(NULL, item);
	step->write_units = factor * units + index_units(def, item);
}

/*
 * What a new item would cost in the indexes.
 */
static double
index_units(const TableDef *def, const Item *item)
{
	CapacityConsumed *consumed;
	double		units = 0;

	if (item == NULL || def->nindexes == 0)
		return 0;
	consumed = capacity_consumed(def->name, def);
	capacity_charge_write(consumed, NULL, item, 1);
	for (int i = 0; i < def->nindexes; i++)
		units += consumed->indexes[i];
	return units;
}

/*
 * A range would be read.
 */
static void
explain_range(ApiExplain *told, const ApiReader *query, bool filtered)
{
	Explain    *explain = (Explain *) told;
	const EngineScanSpec *spec = api_reader_spec(query);
	const ApiTarget *target = api_reader_target(query);
	MemoryContext caller = MemoryContextSwitchTo(explain->context);
	MonitorStep *step = add_step(explain, api_reader_table(query),
								 spec->nhash > 0 ? "Query" : "Scan");
	ApiPlan		plan;

	api_plan_reader(query, &plan);
	step->access = spec->nhash > 0 ? "range" :
		spec->total_segments > 1 ? "segment" : "scan";
	step->index_name = target->index ? pstrdup(target->index->name) : NULL;
	step->relation = plan.index;
	step->condition = plan.key;
	step->backward = spec->backward;
	estimate_range(explain, step, query, filtered);
	MemoryContextSwitchTo(caller);
}

/*
 * A page ends with Limit, or with 1 MB.
 */
static void
estimate_range(const Explain *explain, MonitorStep *step,
			   const ApiReader *query, bool filtered)
{
	const EngineScanSpec *spec = api_reader_spec(query);
	const ApiTarget *target = api_reader_target(query);
	const json_t *limit = wire_json_get(explain->body, "Limit");
	double		bytes = key_estimate_item(target->def);
	double		tuples;
	double		pages;
	ExprKeyShape shape;

	if (!may_know(target->def) ||
		!key_relation_counts(target->index ? target->index->relid :
							 target->def->relid, &tuples, &pages))
		return;
	shape_of(spec, &shape);
	step->read = spec->nhash == 0 ? tuples :
		key_estimate_query(target->def, target->index, tuples, &shape);
	if (spec->total_segments > 1)
		step->read /= spec->total_segments;
	if (bytes > 0)
		step->read = Min(step->read, ceil(DYNAMO_MAX_PAGE / bytes));
	if (json_is_number(limit))
		step->read = Min(step->read, wire_json_integer(limit));
	step->read = rint(Max(step->read, 1));
	step->returned = filtered ? rint(Max(step->read * KEY_FILTER_SEL, 1)) :
		step->read;
	step->read_units = (is_consistent(explain, target->def) ? 1 : 0.5) *
		Max(1, ceil(step->read * bytes / 4096));
	step->estimated = true;
}

/*
 * The kinds of clauses of a key condition.
 */
static void
shape_of(const EngineScanSpec *spec, ExprKeyShape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->equal = spec->nhash + spec->nequal;
	switch (spec->op)
	{
		case EXPR_KEY_NONE:
			break;
		case EXPR_KEY_EQ:
			shape->equal++;
			break;
		case EXPR_KEY_BETWEEN:
		case EXPR_KEY_BEGINS_WITH:
			shape->ranges++;
			break;
		default:
			shape->inequalities++;
			break;
	}
}

/*
 * BatchGetItem says so for each table, a batch of statements for each of them: which
 * one is told is not known here, so all have to.
 */
static bool
is_consistent(const Explain *explain, const TableDef *def)
{
	json_t	   *tables = wire_json_get(explain->body, "RequestItems");
	json_t	   *statements = wire_json_get(explain->body, "Statements");
	const char *name;
	size_t		i;
	json_t	   *one;

	json_object_foreach(tables, name, one)
	{
		if (strcmp(wire_table_name(name), def->name) == 0)
			return wire_json_is_true(one, "ConsistentRead");
	}
	json_array_foreach(statements, i, one)
	{
		if (!wire_json_is_true(one, "ConsistentRead"))
			return false;
	}
	return statements != NULL ||
		wire_json_is_true(explain->body, "ConsistentRead");
}

/*
 * May the user know what statistics tell of the table's data?
 */
static bool
may_know(const TableDef *def)
{
	return pg_class_aclcheck(def->relid, GetUserId(),
							 ACL_SELECT) == ACLCHECK_OK;
}
