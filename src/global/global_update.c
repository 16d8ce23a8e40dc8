/*-------------------------------------------------------------------------
 *
 * global_update.c
 *	  UpdateTable: members of a global table come, change and go.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"

static void check_updates(const ControlUpdateTable *r, List *updates);
static void refuse_missing(const char *what, const char *region)
			pg_attribute_noreturn();

/*
 * Handler of UpdateTable.  A request about replicas changes nothing else.
 */
void
global_update_table(DynamoRequest *request, StringInfo out)
{
	const ControlUpdateTable *r = request->input;
	List	   *updates;

	if (r->replicas == NULL && r->witnesses == NULL)
	{
		control_update_table(request, out);
		return;
	}
	control_require_table(r->table_name);
	control_check_update(r);
	updates = global_read_updates(r);
	schema_lock_definition(wire_table_name(r->table_name));
	control_refuse_pending(r->table_name);
	control_refuse_filling(control_find_table(r->table_name, "UpdateTable"));
	check_updates(r, updates);
}

/*
 * Raises for what cannot be done to the table.  The regions are this one alone.
 */
static void
check_updates(const ControlUpdateTable *r, List *updates)
{
	json_t	   *witness = wire_json_get(json_array_get(r->witnesses, 0), "Delete");
	ListCell   *lc;

	foreach(lc, updates)
	{
		const GlobalUpdate *update = lfirst(lc);

		if (update->action == GLOBAL_CREATE)
			dynamo_error(DYNAMO_VALIDATION,
						 "Region %s is not supported. The latest version of global tables are only supported in the following regions: [%s]",
						 update->region, wire_region);
		refuse_missing("replicas", update->region);
	}
	if (witness)
		refuse_missing("witnesses",
					   wire_json_text(json_object_get(witness, "RegionName")));
}

static void
refuse_missing(const char *what, const char *region)
{
	dynamo_error(DYNAMO_VALIDATION,
				 "Update global table operation failed because one or more %s were not part of the global table. Please retry the request without these %s: [%s].",
				 what, what, region);
}
