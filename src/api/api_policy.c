/*-------------------------------------------------------------------------
 *
 * api_policy.c
 *	  Policies at the doors: which action on which resource a request is, and
 *	  what conditions may ask of it.
 *
 * Operations on items are checked where their tables are open and their
 * expressions are parsed, with the very trees that are carried out: what is
 * checked is what is done.  Each has the request in its input; a SQL function
 * has none there, so it is not checked, nor is what a trigger does by one.
 * All other operations are checked by their names before they run.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "control/control.h"
#include "miscadmin.h"

static const char *const checks_itself[] = {
	"BatchExecuteStatement", "BatchGetItem", "BatchWriteItem", "DeleteItem",
	"ExecuteStatement", "ExecuteTransaction", "GetItem", "GetRecords",
	"PutItem", "Query", "Scan", "TransactGetItems", "TransactWriteItems",
	"UpdateItem"
};

static const char *const return_values[] = {
	[API_RETURN_UNSET] = "NONE",
	[API_RETURN_ALL_NEW] = "ALL_NEW",
	[API_RETURN_UPDATED_OLD] = "UPDATED_OLD",
	[API_RETURN_ALL_OLD] = "ALL_OLD",
	[API_RETURN_NONE] = "NONE",
	[API_RETURN_UPDATED_NEW] = "UPDATED_NEW"
};

static PolicyResource table_resource(const TableDef *def,
									 const IndexDef *index);
static PolicyResource named_resource(const WireShape *shape,
									 const json_t *body);
static const char *created_table(const WireShape *shape, const json_t *body);
static const char *member(const WireShape *shape, const json_t *body,
						  const char *name);
static void begin(PolicyRequest *request, PolicyCheck *check,
				  const EngineTable *table, const IndexDef *index);
static void add_name(PolicyCheck *check, const char *name, uint32 len);
static void add_paths(PolicyCheck *check, const List *paths);
static void add_keys(PolicyCheck *check, const KeyAttr *attrs, int n);
static void add_item(PolicyCheck *check, const Item *item);
static void add_select(PolicyCheck *check, const ExprProjection *projection,
					   ApiSelect select, bool index);
static const char *action_of(const PolicyRequest *request,
							 const EngineTable *table);

/*
 * Check an operation that is about no item, with its body and its shape.
 */
void
api_policy_operation(PolicyRequest *request, const WireShape *shape,
					 const json_t *body)
{
	const char *operation = policy_operation(request);
	const json_t *capacity = wire_json_get(body, "ReturnConsumedCapacity");
	PolicyResource resource = {.arn = "*"};
	PolicyCheck check;

	for (int i = 0; i < lengthof(checks_itself); i++)
	{
		if (strcmp(checks_itself[i], operation) != 0)
			continue;
		policy_set_capacity(request, json_is_string(capacity) ?
							wire_json_text(capacity) : "NONE");
		return;
	}
	if (strncmp(operation, "List", 4) != 0 ||
		strcmp(operation, "ListTagsOfResource") == 0)
		resource = named_resource(shape, body);
	policy_check_begin(request, &check, operation, &resource);
	control_policy_decide(&check, operation);
}

/*
 * What an operation is about; "*": nothing that has a name.  Members that its
 * shape does not have are passed over here too, or else a request could name
 * one table to the check and another to the operation.
 */
static PolicyResource
named_resource(const WireShape *shape, const json_t *body)
{
	static const char *const names[] = {
		"TableName", "SourceTableName", "GlobalTableName"
	};
	static const char *const arns[] = {
		"ResourceArn", "StreamArn", "TableArn", "SourceTableArn", "BackupArn",
		"ExportArn", "ImportArn", "BulkOperationArn"
	};
	PolicyResource resource = {.arn = "*"};
	const TableDef *def = NULL;
	WireStreamName stream;

	for (int i = 0; i < lengthof(arns); i++)
	{
		const char *arn = member(shape, body, arns[i]);

		if (arn == NULL)
			continue;
		resource.arn = arn;
		if (wire_parse_stream_arn(resource.arn, &stream))
		{
			def = stream.ours ? schema_find_table(stream.table) : NULL;
			resource.label = stream.label;
		}
		else if (strstr(resource.arn, ":table/") &&
				 strchr(strstr(resource.arn, ":table/") + 7, '/') == NULL)
			def = schema_find_table(wire_resource_table(resource.arn));
		break;
	}
	for (int i = 0; i < lengthof(names) && strcmp(resource.arn, "*") == 0; i++)
	{
		const char *name = member(shape, body, names[i]);

		if (name == NULL)
			name = created_table(shape, body);
		if (name == NULL)
			continue;
		resource.arn = wire_table_arn(wire_table_name(name));
		def = schema_find_table(wire_table_name(name));
	}
	if (def)
	{
		resource.table = def->name;
		resource.table_id = def->table_id;
	}
	return resource;
}

/*
 * The table that ImportTable is to make; NULL: there is none.
 */
static const char *
created_table(const WireShape *shape, const json_t *body)
{
	for (const WireField *field = shape->fields; field->name; field++)
	{
		if (strcmp(field->name, "TableCreationParameters") == 0)
			return member(field->shape, wire_json_get(body, field->name),
						  "TableName");
	}
	return NULL;
}

/*
 * A text of the body that the operation reads, too; NULL: there is none.
 */
static const char *
member(const WireShape *shape, const json_t *body, const char *name)
{
	for (const WireField *field = shape->fields; field->name; field++)
	{
		const json_t *value = strcmp(field->name, name) == 0 ?
			wire_json_get(body, name) : NULL;

		if (json_is_string(value))
			return wire_json_text(value);
	}
	return NULL;
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
api_policy_get(PolicyRequest *request, const EngineTable *table,
			   const ExprProjection *projection, EngineKey *const *keys,
			   int nkeys)
{
	const TableDef *def;
	PolicyCheck check;

	if (request == NULL)
		return;
	def = engine_def(table);
	begin(request, &check, table, NULL);
	for (int i = 0; i < nkeys && policy_wants(&check, POLICY_LEADING_KEYS); i++)
		policy_add_value(&check, POLICY_LEADING_KEYS, &keys[i]->hash);
	add_select(&check, projection, API_SELECT_UNSET, false);
	if (policy_wants(&check, POLICY_ATTRIBUTES))
	{
		add_keys(&check, &def->hash, 1);
		add_keys(&check, &def->range, def->range.name ? 1 : 0);
	}
	control_policy_decide(&check, action_of(request, table));
}

/*
 * Check a write, or the condition check of a transaction, whose key and
 * expressions are known.
 */
void
api_policy_write(PolicyRequest *request, const ApiWrite *w)
{
	const EngineWrite *write = &w->write;
	PolicyCheck check;

	if (request == NULL)
		return;
	begin(request, &check, write->table, NULL);
	if (policy_wants(&check, POLICY_LEADING_KEYS))
		policy_add_value(&check, POLICY_LEADING_KEYS, &write->key->hash);
	if (policy_wants(&check, POLICY_ATTRIBUTES))
	{
		add_item(&check, write->item);
		if (write->update)
		{
			add_paths(&check, expr_update_paths(write->update));
			add_paths(&check, expr_update_sources(write->update));
		}
		if (write->condition)
			add_paths(&check, expr_condition_paths(write->condition));
	}

	/* What a failed condition shows is the whole item, too. */
	policy_add_text(&check, POLICY_RETURN_VALUES,
					w->item_on_failure &&
					w->return_values != API_RETURN_ALL_NEW ? "ALL_OLD" :
					return_values[w->return_values]);
	control_policy_decide(&check, action_of(request, write->table));
}

/*
 * Check the writes of a batch to one table.
 */
void
api_policy_batch(PolicyRequest *request, const EngineTable *table,
				 EngineWrite *const *writes, int nwrites)
{
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
			add_item(&check, writes[i]->item);
	}
	control_policy_decide(&check, policy_operation(request));
}

/*
 * Check a Query or Scan.
 */
void
api_policy_read(const ApiQueryInput *input, const EngineTable *table,
				const ApiTarget *target, const EngineScanSpec *spec,
				const ExprCondition *filter, const ExprProjection *projection)
{
	PolicyCheck check;

	if (input->policy == NULL)
		return;
	begin(input->policy, &check, table, target->index);
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
			add_paths(&check, expr_condition_paths(filter));
	}
	control_policy_decide(&check, action_of(input->policy, table));
}

/*
 * Check a SELECT of PartiQL.
 */
void
api_policy_select(PolicyRequest *request, const EngineTable *table,
				  const ApiTarget *target, const ExprReads *reads,
				  const PartiqlBound *bound)
{
	PolicyCheck check;

	if (request == NULL)
		return;
	begin(request, &check, table, target->index);
	for (int i = 0; reads->keyed && i < reads->nreads; i++)
		policy_add_value(&check, POLICY_LEADING_KEYS, &reads->reads[i].hash);
	policy_add_text(&check, POLICY_FULL_TABLE_SCAN,
					reads->keyed ? "false" : "true");
	add_select(&check, bound->projection, API_SELECT_UNSET,
			   target->index != NULL);
	if (policy_wants(&check, POLICY_ATTRIBUTES) && bound->where)
		add_paths(&check, expr_condition_paths(bound->where));
	control_policy_decide(&check, action_of(request, table));
}

/*
 * Check the action that a table has been opened for.
 */
static void
begin(PolicyRequest *request, PolicyCheck *check, const EngineTable *table,
	  const IndexDef *index)
{
	PolicyResource resource = table_resource(engine_def(table), index);

	policy_check_begin(request, check, action_of(request, table),
					   &resource);
}

/*
 * Members of a batch are checked as the batch, others as what they are.
 */
static const char *
action_of(const PolicyRequest *request, const EngineTable *table)
{
	const char *operation = policy_operation(request);

	return strcmp(operation, "BatchGetItem") == 0 ? operation :
		engine_table_action(table);
}

static void
add_name(PolicyCheck *check, const char *name, uint32 len)
{
	const PolicyValues *names = &check->values[POLICY_ATTRIBUTES];

	for (int i = 0; i < names->n; i++)
	{
		if (names->texts[i].len == len &&
			memcmp(names->texts[i].data, name, len) == 0)
			return;
	}
	policy_add(check, POLICY_ATTRIBUTES, name, len);
}

/*
 * A nested path counts as the attribute it begins with.
 */
static void
add_paths(PolicyCheck *check, const List *paths)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		const ExprStep *step = &((const ExprPath *) lfirst(lc))->steps[0];

		CHECK_FOR_INTERRUPTS();
		add_name(check, step->name, step->namelen);
	}
}

static void
add_keys(PolicyCheck *check, const KeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
		add_name(check, attrs[i].name, strlen(attrs[i].name));
}

static void
add_item(PolicyCheck *check, const Item *item)
{
	ItemValue	root = item_root(item);
	ItemIterator it;
	ItemValue	member;

	item_iterate(&root, &it);
	while (item_next(&it, &member))
		policy_add(check, POLICY_ATTRIBUTES, it.name, it.namelen);
}

/*
 * What a read returns: its projection, or else everything.
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
		add_paths(check, expr_projection_paths(projection));
}
