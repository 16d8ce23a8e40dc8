/*-------------------------------------------------------------------------
 *
 * operation_policy.c
 *	  Policies at the doors: what a request names, and whether it may be used.
 *
 * Operations on items are checked later, where their tables are open
 * (api_policy.c).  All others are checked here, before they run, on what their
 * requests name (OperationChecked, WireShape.names).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control.h"
#include "operation/operation_internal.h"

/* An operation that is checked by what it names. */
typedef struct Named
{
	PolicyRequest *request;
	const Operation *op;
	PolicyResource resource;	/* the last; .arn NULL: none yet */
} Named;

static void check_names(Named *named, const WireShape *shape,
						const json_t *body);
static void check_beside(const Named *named, const WireShape *shape,
						 const json_t *body);
static const char *action_of(const Operation *op);
static void check_resource(const Named *named, const char *action,
						   const PolicyResource *resource);

/*
 * Check an operation before it runs, with its body, unless it is about items.
 */
void
operation_check_policies(PolicyRequest *request, const Operation *op,
						 const json_t *body)
{
	const json_t *capacity = wire_json_get(body, "ReturnConsumedCapacity");
	const PolicyResource all = {.arn = "*"};
	Named		named = {request, op};

	policy_set_reach(request, op->reach);
	if (op->checked == OPERATION_CHECKED_LATER || op->checked == OPERATION_CHECKED_BY_PARTS)
	{
		policy_set_items(request, json_is_string(capacity) ?
						 wire_json_text(capacity) : "NONE",
						 op->checked == OPERATION_CHECKED_BY_PARTS);
		return;
	}
	if (op->checked == OPERATION_CHECKED_BY_NAMES)
	{
		check_names(&named, op->shape, body);
		check_beside(&named, op->shape, body);
	}
	if (named.resource.arn == NULL)
		check_resource(&named, action_of(op), &all);
}

/*
 * Check the operation on each resource that its request names.  Members that
 * its shape does not have are passed over, as the operation does.
 */
static void
check_names(Named *named, const WireShape *shape, const json_t *body)
{
	for (const WireField *field = shape->fields; field->name; field++)
	{
		const json_t *value = wire_json_get(body, field->name);
		const char *text = json_is_string(value) ? wire_json_text(value) : NULL;
		WireResource name;
		const TableDef *def;

		if (field->shape->kind == WIRE_STRUCT && json_is_object(value))
			check_names(named, field->shape, value);
		if (text == NULL || field->shape->names != WIRE_NAMES_RESOURCE)
			continue;
		wire_resource(field->shape->table ? wire_table_name(text) : text,
					  &name);
		memset(&named->resource, 0, sizeof(PolicyResource));
		named->resource.arn = name.arn;
		def = name.table ? schema_find_table(name.table) : NULL;
		if (def)
		{
			named->resource.table = def->name;
			named->resource.table_id = def->table_id;
			if (name.part && strcmp(name.part, "stream") == 0)
				named->resource.label = name.id;
		}
		check_resource(named, action_of(named->op), &named->resource);
	}
}

/*
 * The same of an index of the table that was named, and of what else the
 * operation is to do with it.
 */
static void
check_beside(const Named *named, const WireShape *shape, const json_t *body)
{
	for (const WireField *field = shape->fields; field->name; field++)
	{
		const json_t *value = wire_json_get(body, field->name);
		PolicyResource resource = named->resource;

		if (value == NULL || resource.arn == NULL)
			continue;
		if (field->shape->action &&
			!(json_is_array(value) && json_array_size(value) == 0))
			check_resource(named, field->shape->action, &resource);
		if (field->shape->names != WIRE_NAMES_INDEX || !json_is_string(value))
			continue;
		resource.arn = psprintf("%s/index/%s", resource.arn,
								wire_json_text(value));
		check_resource(named, action_of(named->op), &resource);
	}
}

/*
 * What policies take an operation for.
 */
static const char *
action_of(const Operation *op)
{
	return op->action ? op->action : op->name;
}

static void
check_resource(const Named *named, const char *action,
			   const PolicyResource *resource)
{
	PolicyCheck check;

	policy_check_begin(named->request, &check, action, resource);
	policy_require(&check, action);
}
