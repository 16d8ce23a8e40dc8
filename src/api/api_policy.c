/*-------------------------------------------------------------------------
 *
 * api_policy.c
 *	  Policies at the doors: which action on which resource a request is, and
 *	  what conditions may ask of it.
 *
 * Operations on items are checked where their tables are open and their
 * expressions are parsed, with the very trees that are carried out: what is
 * checked is what is done.  Policies are those of the request that has opened
 * the table; that of a SQL function has none, so it is not checked, nor is
 * what a trigger does by one. All other operations are checked before they run
 * (operation_policy.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "control/control.h"
#include "miscadmin.h"

static const char *const return_values[] = {
	[API_RETURN_UNSET] = "NONE",
	[API_RETURN_ALL_NEW] = "ALL_NEW",
	[API_RETURN_UPDATED_OLD] = "UPDATED_OLD",
	[API_RETURN_ALL_OLD] = "ALL_OLD",
	[API_RETURN_NONE] = "NONE",
	[API_RETURN_UPDATED_NEW] = "UPDATED_NEW"
};

static PolicyRequest *policies_of(const EngineTable *table);
static PolicyResource table_resource(const TableDef *def,
									 const IndexDef *index);
static void begin_check(PolicyRequest *request, PolicyCheck *check,
						const EngineTable *table, const IndexDef *index);
static void add_keys(PolicyCheck *check, const KeyAttr *attrs, int n);
static void add_select(PolicyCheck *check, const ExprProjection *projection,
					   ApiSelect select, bool index);
static const char *action_of(const PolicyRequest *request,
							 const EngineTable *table);

/*
 * Policies of the request that has opened the table; NULL: there are none.
 */
static PolicyRequest *
policies_of(const EngineTable *table)
{
	const DynamoRequest *request = engine_request(table);

	return request ? request->policy : NULL;
}

/*
 * A table, or one of its indexes, which has the policy of its table.
 */
static PolicyResource
table_resource(const TableDef *def, const IndexDef *index)
{
	PolicyResource resource = {.table = def->name,.table_id = def->table_id};

	resource.arn = wire_table_arn(def->name);
	if (index)
		resource.arn = psprintf("%s/index/%s", resource.arn, index->name);
	return resource;
}

/*
 * Check reads of items by their keys: all of them, from one table.
 */
void
api_policy_get(const EngineTable *table, const ExprProjection *projection,
			   TableKey *const *keys, int nkeys)
{
	PolicyRequest *request = policies_of(table);
	const TableDef *def;
	PolicyCheck check;

	if (request == NULL)
		return;
	def = engine_def(table);
	begin_check(request, &check, table, NULL);
	for (int i = 0; i < nkeys && policy_wants(&check, POLICY_LEADING_KEYS); i++)
		policy_add_value(&check, POLICY_LEADING_KEYS, &keys[i]->hash);
	add_select(&check, projection, API_SELECT_UNSET, false);
	if (policy_wants(&check, POLICY_ATTRIBUTES))
	{
		add_keys(&check, &def->hash, 1);
		add_keys(&check, &def->range, def->range.name ? 1 : 0);
	}
	policy_require(&check, action_of(request, table));
}

/*
 * Check a write, or the condition check of a transaction, whose key and
 * expressions are known.
 */
void
api_policy_write(const ApiWrite *w)
{
	const EngineWrite *write = &w->write;
	PolicyRequest *request = policies_of(write->table);
	PolicyCheck check;

	if (request == NULL)
		return;
	begin_check(request, &check, write->table, NULL);
	if (policy_wants(&check, POLICY_LEADING_KEYS))
		policy_add_value(&check, POLICY_LEADING_KEYS, &write->key->hash);
	if (policy_wants(&check, POLICY_ATTRIBUTES))
	{
		policy_add_item(&check, write->item);
		if (write->update)
		{
			policy_add_paths(&check, expr_update_paths(write->update));
			policy_add_paths(&check, expr_update_sources(write->update));
		}
		if (write->condition)
			policy_add_paths(&check, expr_condition_paths(write->condition));
	}

	/* What a failed condition shows is the whole item, too. */
	policy_add_text(&check, POLICY_RETURN_VALUES,
					w->item_on_failure &&
					w->return_values != API_RETURN_ALL_NEW ? "ALL_OLD" :
					return_values[w->return_values]);
	policy_require(&check, action_of(request, write->table));
}

/*
 * Check the writes of a batch to one table.
 */
void
api_policy_batch(const EngineTable *table, EngineWrite *const *writes,
				 int nwrites)
{
	PolicyRequest *request = policies_of(table);
	PolicyResource resource;
	PolicyCheck check;

	if (request == NULL)
		return;
	resource = table_resource(engine_def(table), NULL);
	policy_check_begin(request, &check, policy_operation(request), &resource);
	for (int i = 0; i < nwrites; i++)
	{
		if (policy_wants(&check, POLICY_LEADING_KEYS))
			policy_add_value(&check, POLICY_LEADING_KEYS,
							 &writes[i]->key->hash);
		if (policy_wants(&check, POLICY_ATTRIBUTES))
			policy_add_item(&check, writes[i]->item);
	}
	policy_require(&check, policy_operation(request));
}

/*
 * Check a Query or Scan.  A read of a SELECT has been checked with it.
 */
void
api_policy_read(const ApiQueryInput *input, const EngineTable *table,
				const ApiTarget *target, const EngineScanSpec *spec,
				const ExprCondition *filter, const ExprProjection *projection)
{
	PolicyRequest *request = policies_of(table);
	PolicyCheck check;

	if (request == NULL || input->statement)
		return;
	begin_check(request, &check, table, target->index);
	for (int i = 0; i < spec->nhash; i++)
		policy_add_value(&check, POLICY_LEADING_KEYS + i, &spec->hash[i]);
	add_select(&check, projection, input->select, target->index != NULL);
	if (policy_wants(&check, POLICY_ATTRIBUTES))
	{
		if (!input->scan)
		{
			add_keys(&check, target->hash, spec->nhash);
			add_keys(&check, target->range,
					 spec->nequal + (spec->op != EXPR_KEY_NONE));
		}
		if (filter)
			policy_add_paths(&check, expr_condition_paths(filter));
	}
	policy_require(&check, action_of(request, table));
}

/*
 * Check a search of a vector index.  It is about all items, and conditions
 * learn nothing of it.
 */
void
api_policy_search(const EngineTable *table, const IndexDef *index)
{
	PolicyRequest *request = policies_of(table);
	PolicyCheck check;

	if (request == NULL)
		return;
	begin_check(request, &check, table, index);
	check.reach = POLICY_ALL_ITEMS;
	policy_require(&check, action_of(request, table));
}

/*
 * Check a SELECT of PartiQL.
 */
void
api_policy_select(const EngineTable *table, const ApiTarget *target,
				  const ExprReads *reads, const PartiqlBound *bound)
{
	PolicyRequest *request = policies_of(table);
	PolicyCheck check;

	if (request == NULL)
		return;
	begin_check(request, &check, table, target->index);
	check.reach = reads->keyed ? POLICY_GIVEN : POLICY_ALL_KEYS;
	for (int i = 0; reads->keyed && i < reads->nreads; i++)
		policy_add_value(&check, POLICY_LEADING_KEYS, &reads->reads[i].hash);
	policy_add_text(&check, POLICY_FULL_TABLE_SCAN,
					reads->keyed ? "false" : "true");
	add_select(&check, bound->projection, API_SELECT_UNSET,
			   target->index != NULL);
	if (policy_wants(&check, POLICY_ATTRIBUTES) && bound->where)
		policy_add_paths(&check, expr_condition_paths(bound->where));
	policy_require(&check, action_of(request, table));
}

/*
 * Check the action that a table has been opened for.
 */
static void
begin_check(PolicyRequest *request, PolicyCheck *check,
			const EngineTable *table, const IndexDef *index)
{
	PolicyResource resource = table_resource(engine_def(table), index);

	policy_check_begin(request, check, action_of(request, table),
					   &resource);
}

/*
 * Statements and members of a transaction are checked as what they are.
 */
static const char *
action_of(const PolicyRequest *request, const EngineTable *table)
{
	return policy_by_parts(request) ? engine_table_action(table) :
		policy_operation(request);
}

static void
add_keys(PolicyCheck *check, const KeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
		policy_add_attribute(check, attrs[i].name, strlen(attrs[i].name));
}

/*
 * What a read returns: its projection, or everything.
 */
static void
add_select(PolicyCheck *check, const ExprProjection *projection,
		   ApiSelect select, bool index)
{
	const char *text = "ALL_ATTRIBUTES";

	if (projection || select == API_SELECT_SPECIFIC_ATTRIBUTES)
		text = "SPECIFIC_ATTRIBUTES";
	else if (select == API_SELECT_COUNT)
		text = "COUNT";
	else if (select == API_SELECT_ALL_PROJECTED ||
			 (select == API_SELECT_UNSET && index))
		text = "ALL_PROJECTED_ATTRIBUTES";
	policy_add_text(check, POLICY_SELECT, text);
	if (projection && policy_wants(check, POLICY_ATTRIBUTES))
		policy_add_paths(check, expr_projection_paths(projection));
}
