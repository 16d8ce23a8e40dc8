/*-------------------------------------------------------------------------
 *
 * global_update.c
 *	  UpdateTable: members of a global table come, change and go.
 *
 * What is asked for is noted in the calling transaction, and done by the
 * background after it.  The answer shows the replicas as they were, as the
 * service does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"
#include "miscadmin.h"
#include "stream/stream.h"

/* The stream that a global table gets if it has none. */
#define STREAM_VIEW		'B'

static void check_regions(const List *updates, const TableDef *def);
static void check_members(const ControlUpdateTable *r, const List *updates,
						  const TableDef *def);
static void check_capacity(const TableDef *def);
static void carry_out(const GlobalUpdate *update, const TableDef *def);

/*
 * Handler of UpdateTable.  A request about replicas changes nothing else.
 */
void
global_update_table(DynamoRequest *request, StringInfo out)
{
	const ControlUpdateTable *r = request->input;
	ControlTableChange change = {.regions = true};
	const TableDef *def;
	List	   *updates;
	ListCell   *lc;

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
	def = control_find_table(r->table_name, "UpdateTable");
	check_regions(updates, def);
	global_check_policies(request, updates, def);
	control_refuse_busy(def);
	check_members(r, updates, def);
	change.replicas = region_replicas(def->relid);
	foreach(lc, updates)
		carry_out(lfirst(lc), def);

	def = schema_find_table(def->name);
	appendStringInfoChar(out, '{');
	control_append_table(out, "TableDescription", def, CONTROL_TABLE_UPDATING,
						 &change);
	appendStringInfoChar(out, '}');
}

/*
 * Replicas can be made in the regions that are known.  A replica that is being
 * made has no say.
 */
static void
check_regions(const List *updates, const TableDef *def)
{
	ListCell   *lc;

	foreach(lc, updates)
	{
		const GlobalUpdate *update = lfirst(lc);

		if (update->action == GLOBAL_CREATE && !global_is_region(update->region))
			dynamo_error(DYNAMO_VALIDATION,
						 "Region %s is not supported. The latest version of global tables are only supported in the following regions: [%s]",
						 update->region, global_list_regions());
	}
	if (def->filling && def->replication)
		dynamo_error(DYNAMO_VALIDATION,
					 "Create/Update/Delete of replica is not allowed while the replica is being added to table with name: \342\200\230%s\342\200\231 in region: \342\200\230%s\342\200\231.",
					 def->name, region_own()->name);
	control_refuse_filling(def);
}

/*
 * What the table is: who its members are, how its capacity is given, which keys
 * it has.
 */
static void
check_members(const ControlUpdateTable *r, const List *updates,
			  const TableDef *def)
{
	json_t	   *witness = wire_json_get(json_array_get(r->witnesses, 0), "Delete");
	ListCell   *lc;

	if (def->replication && r->consistency)
		dynamo_error(DYNAMO_VALIDATION,
					 "MultiRegionConsistency parameter is unsupported on existing global table");
	foreach(lc, updates)
	{
		const GlobalUpdate *update = lfirst(lc);
		bool		member = def->replication &&
			(update->action == GLOBAL_DISASSOCIATE ||
			 region_replica(def->relid, update->region) != NULL);

		if (update->action != GLOBAL_CREATE && !member)
			global_refuse_missing("replicas", update->region);
		if (update->action == GLOBAL_CREATE && member)
			dynamo_error(DYNAMO_VALIDATION,
						 "Failed to create a the new replica of table with name: \342\200\230%s\342\200\231 because one or more replicas already existed as tables.",
						 def->name);
		if (update->action == GLOBAL_CREATE)
			check_capacity(def);
		if (update->action == GLOBAL_DISASSOCIATE &&
			control_keeps_membership(control_settings(def->settings)))
			dynamo_error(DYNAMO_VALIDATION,
						 "Cannot disassociate table %s in region %s because it has disassociation protection enabled. Disable disassociation protection first.",
						 def->name, update->region);
		global_check_overrides(update, def);
	}
	if (witness)
		global_refuse_missing("witnesses",
							  wire_json_text(json_object_get(witness, "RegionName")));
}

void
global_refuse_missing(const char *what, const char *region)
{
	dynamo_error(DYNAMO_VALIDATION,
				 "Update global table operation failed because one or more %s were not part of the global table. Please retry the request without these %s: [%s].",
				 what, what, region);
}

/*
 * All regions write as much as any does: so what is provisioned has to follow.
 */
static void
check_capacity(const TableDef *def)
{
	json_t	   *settings = control_settings(def->settings);

	if (control_is_on_demand(settings))
		return;
	if (!control_scales_writes(settings, NULL))
		dynamo_error(DYNAMO_VALIDATION,
					 "Table write capacity should either be Pay-Per-Request or AutoScaled.");
	for (int i = 0; i < def->nindexes; i++)
	{
		if (!def->indexes[i].local &&
			!control_scales_writes(settings, def->indexes[i].name))
			dynamo_error(DYNAMO_VALIDATION,
						 "GSI write capacity should either be Pay-Per-Request or AutoScaled.");
	}
}

static void
carry_out(const GlobalUpdate *update, const TableDef *def)
{
	switch (update->action)
	{
		case GLOBAL_CREATE:
			if (def->stream == NULL)
				stream_enable(def->name, STREAM_VIEW);
			region_add_replica(def->name, update->region,
							   global_merge_overrides("{}", update->members));
			(void) global_share_settings(schema_find_table(def->name), true);
			break;
		case GLOBAL_UPDATE:
			region_set_overrides(def->name, update->region,
								 global_merge_overrides(region_replica(def->relid, update->region)->overrides,
														update->members));
			break;
		case GLOBAL_DELETE:
			region_remove_replica(def->name, update->region);
			break;
		case GLOBAL_DISASSOCIATE:
			region_leave(def->name, stream_feed_last(def));
			break;
	}
}
