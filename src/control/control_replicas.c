/*-------------------------------------------------------------------------
 *
 * control_replicas.c
 *	  What a TableDescription tells of a global table, and what keeps one from
 *	  being changed.
 *
 * A replica has overrides (RegionReplica.overrides): an object as an element of
 * ReplicaUpdates has it, but for RegionName, and with GlobalSecondaryIndexes as
 * an object by the indexes' names; and AutoScaling, as in a table's settings.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"
#include "region/region.h"

static void append_replica(StringInfo out, const TableDef *def,
						   json_t *settings, const RegionReplica *replica);
static void append_override(StringInfo out, const char *member,
							const char *units, const json_t *overrides,
							json_t *base);
static bool says_otherwise(const json_t *override, const char *units,
						   json_t *base);
static void append_indexes(StringInfo out, const TableDef *def,
						   const json_t *overrides);

/*
 * ACTIVE, unless it is being filled, or a replica of it is being made, or it is
 * leaving the others.
 */
ControlTableState
control_state(const TableDef *def)
{
	ListCell   *lc;

	if (def->filling)
		return CONTROL_TABLE_CREATING;
	if (def->replication == NULL)
		return CONTROL_TABLE_ACTIVE;
	foreach(lc, region_replicas(def->relid))
	{
		const RegionReplica *replica = lfirst(lc);

		if (replica->status == REPLICA_CREATING ||
			replica->status == REPLICA_LEAVING)
			return CONTROL_TABLE_UPDATING;
	}
	return CONTROL_TABLE_ACTIVE;
}

/*
 * Is a member coming or going?
 */
bool
control_is_busy(const TableDef *def)
{
	ListCell   *lc;

	if (def->replication == NULL)
		return false;
	foreach(lc, region_replicas(def->relid))
	{
		if (((const RegionReplica *) lfirst(lc))->status != REPLICA_ACTIVE)
			return true;
	}
	return false;
}

/*
 * Refuse to change a table meanwhile.
 */
void
control_refuse_busy(const TableDef *def)
{
	if (control_is_busy(def))
		dynamo_error(DYNAMO_RESOURCE_IN_USE,
					 "The resource which you are attempting to change is in use.");
}

/*
 * Refuse to delete a table from which another region has got its items in the
 * last 24 hours, or does so.
 */
void
control_refuse_source(const TableDef *def)
{
	TimestampTz since = GetCurrentTimestamp() - USECS_PER_DAY;
	ListCell   *lc;

	if (def->replication == NULL)
		return;
	foreach(lc, region_replicas(def->relid))
	{
		const RegionReplica *replica = lfirst(lc);

		if (replica->source && replica->created_at > since)
			dynamo_error(DYNAMO_VALIDATION,
						 "Replica cannot be deleted because it has acted as a source region for new replica(s) being added to the table in the last 24 hours.");
	}
}

/*
 * Append what a global table has beyond others: its replicas (of RegionReplica
 * *) in other regions, and how settings are shared.
 */
void
control_append_replicas(StringInfo out, const TableDef *def, json_t *settings,
						const List *replicas)
{
	ListCell   *lc;

	wire_string_member(out, "GlobalTableVersion", "2019.11.21");
	wire_member(out, "Replicas");
	appendStringInfoChar(out, '[');
	foreach(lc, replicas)
	{
		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		append_replica(out, def, settings, lfirst(lc));
	}
	appendStringInfoChar(out, ']');
	wire_string_member(out, "GlobalTableSettingsReplicationMode",
					   CONTROL_OVERRIDDEN);
	wire_boolean_member(out, "DisassociationProtectionEnabled",
						control_keeps_membership(settings));
}

/*
 * Is the table kept from leaving its global table?  It is unless that has been
 * switched off.
 */
bool
control_keeps_membership(const json_t *settings)
{
	return !json_is_false(json_object_get(settings,
										  "DisassociationProtectionEnabled"));
}

static void
append_replica(StringInfo out, const TableDef *def, json_t *settings,
			   const RegionReplica *replica)
{
	json_t	   *overrides = control_settings(replica->overrides);
	json_t	   *class = json_object_get(overrides, "TableClassOverride");

	appendStringInfoChar(out, '{');
	wire_string_member(out, "RegionName", replica->region);
	wire_string_member(out, "ReplicaStatus", region_status_name(replica->status));
	if (replica->description)
		wire_string_member(out, "ReplicaStatusDescription", replica->description);
	if (wire_json_get(json_object_get(settings, "Encryption"), "KMSMasterKeyId"))
		wire_json_member(out, overrides, "KMSMasterKeyId");
	append_override(out, "ProvisionedThroughput", "ReadCapacityUnits",
					overrides, settings);
	append_override(out, "OnDemandThroughput", "MaxReadRequestUnits",
					overrides, settings);
	wire_json_member(out, settings, "WarmThroughput");
	append_indexes(out, def, overrides);
	if (class)
	{
		wire_member(out, "ReplicaTableClassSummary");
		appendStringInfoChar(out, '{');
		wire_string_member(out, "TableClass", json_string_value(class));
		appendStringInfoChar(out, '}');
	}
	wire_string_member(out, "GlobalTableSettingsReplicationMode",
					   CONTROL_OVERRIDDEN);
	appendStringInfoChar(out, '}');
}

/*
 * Append the override of ProvisionedThroughput or OnDemandThroughput ("member"),
 * if it says something else than the settings do.
 */
static void
append_override(StringInfo out, const char *member, const char *units,
				const json_t *overrides, json_t *base)
{
	char	   *name = psprintf("%sOverride", member);
	json_t	   *override = json_object_get(overrides, name);

	if (!says_otherwise(override, units, json_object_get(base, member)))
		return;
	wire_member(out, name);
	wire_append_json(out, override);
}

static bool
says_otherwise(const json_t *override, const char *units, json_t *base)
{
	json_t	   *mine = json_object_get(override, units);
	json_t	   *theirs = json_object_get(base, units);

	return mine && !(theirs && wire_json_integer(mine) == wire_json_integer(theirs));
}

/*
 * Every global index by its name.
 */
static void
append_indexes(StringInfo out, const TableDef *def, const json_t *overrides)
{
	int			count;
	const IndexDef **order = control_ordered_indexes(def, false, &count);
	json_t	   *all = json_object_get(overrides, "GlobalSecondaryIndexes");

	if (count == 0)
		return;
	wire_member(out, "GlobalSecondaryIndexes");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < count; i++)
	{
		json_t	   *settings = control_settings(order[i]->settings);
		json_t	   *mine = json_object_get(all, order[i]->name);

		wire_element(out);
		appendStringInfoChar(out, '{');
		wire_string_member(out, "IndexName", order[i]->name);
		append_override(out, "ProvisionedThroughput", "ReadCapacityUnits",
						mine, settings);
		append_override(out, "OnDemandThroughput", "MaxReadRequestUnits",
						mine, settings);
		wire_json_member(out, settings, "WarmThroughput");
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}
