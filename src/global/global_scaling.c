/*-------------------------------------------------------------------------
 *
 * global_scaling.c
 *	  DescribeTableReplicaAutoScaling, UpdateTableReplicaAutoScaling.
 *
 * Policies for writes are the table's, in all regions.  Policies for reads are
 * those of a region: of this one among the table's settings, too
 * (control_scaling.c); of another among what its replica has instead.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"
#include "miscadmin.h"

#define READS	"ReadCapacityUnits"
#define WRITES	"WriteCapacityUnits"

typedef struct DescribeRequest
{
	const char *table;
} DescribeRequest;

typedef struct UpdateRequest
{
	const char *table;
	json_t	   *indexes;		/* GlobalSecondaryIndexUpdates */
	json_t	   *writes;			/* ProvisionedWriteCapacityAutoScalingUpdate */
	json_t	   *replicas;		/* ReplicaUpdates */
} UpdateRequest;

static const WireShape units_shape = {.kind = WIRE_LONG, WIRE_MIN(1)};
static const WireShape target_shape = {.kind = WIRE_NUMBER};

WIRE_STRUCT_SHAPE(target_tracking, "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate",
				  CONTROL_MEMBER("DisableScaleIn", wire_boolean_shape),
				  WIRE_REFUSED("ScaleInCooldown"),
				  WIRE_REFUSED("ScaleOutCooldown"),
				  CONTROL_REQUIRED("TargetValue", target_shape));
WIRE_STRUCT_SHAPE(scaling_policy, "AutoScalingPolicyUpdate",
				  WIRE_REFUSED("PolicyName"),
				  CONTROL_REQUIRED("TargetTrackingScalingPolicyConfiguration", target_tracking));
WIRE_STRUCT_SHAPE(scaling, "AutoScalingSettingsUpdate",
				  CONTROL_MEMBER("MinimumUnits", units_shape),
				  CONTROL_MEMBER("MaximumUnits", units_shape),
				  CONTROL_MEMBER("AutoScalingDisabled", wire_boolean_shape),
				  WIRE_REFUSED("AutoScalingRoleArn"),
				  CONTROL_MEMBER("ScalingPolicyUpdate", scaling_policy));
WIRE_STRUCT_SHAPE(index_writes, "GlobalSecondaryIndexAutoScalingUpdate",
				  CONTROL_MEMBER("IndexName", wire_name_shape),
				  CONTROL_MEMBER("ProvisionedWriteCapacityAutoScalingUpdate", scaling));
WIRE_STRUCT_SHAPE(index_reads, "ReplicaGlobalSecondaryIndexAutoScalingUpdate",
				  CONTROL_MEMBER("IndexName", wire_name_shape),
				  CONTROL_MEMBER("ProvisionedReadCapacityAutoScalingUpdate", scaling));
static const WireShape several_index_writes = {
	.kind = WIRE_LIST, .element = &index_writes, WIRE_MIN(1)
};
static const WireShape several_index_reads = {
	.kind = WIRE_LIST, .element = &index_reads
};
WIRE_STRUCT_SHAPE(replica_scaling, "ReplicaAutoScalingUpdate",
				  CONTROL_REQUIRED("RegionName", wire_string_shape),
				  CONTROL_MEMBER("ReplicaGlobalSecondaryIndexUpdates", several_index_reads),
				  CONTROL_MEMBER("ReplicaProvisionedReadCapacityAutoScalingUpdate", scaling));
static const WireShape several_replicas = {
	.kind = WIRE_LIST, .element = &replica_scaling, WIRE_MIN(1)
};

WIRE_REQUEST_SHAPE(global_describe_scaling_shape, DescribeRequest, "DescribeTableReplicaAutoScalingInput",
				   WIRE_FIELD("TableName", control_table_name_shape, DescribeRequest, table));
WIRE_REQUEST_SHAPE(global_update_scaling_shape, UpdateRequest, "UpdateTableReplicaAutoScalingInput",
				   WIRE_FIELD("TableName", control_table_name_shape, UpdateRequest, table),
				   WIRE_FIELD("GlobalSecondaryIndexUpdates", several_index_writes, UpdateRequest, indexes),
				   WIRE_FIELD("ProvisionedWriteCapacityAutoScalingUpdate", scaling, UpdateRequest, writes),
				   WIRE_FIELD("ReplicaUpdates", several_replicas, UpdateRequest, replicas));

static const TableDef *find_global(const char *name, const char *action);
static void append_scaling(StringInfo out, const TableDef *def,
						   ControlTableState state);
static void append_replica(StringInfo out, const TableDef *def,
						   const char *region, const char *status,
						   const json_t *reads);
static void append_settings(StringInfo out, const char *member,
							const json_t *policies, const char *index,
							const char *dimension);
static void change_replica(const TableDef *def, json_t *update);
static void change(const TableDef *def, const char *region, const char *index,
				   const char *dimension, json_t *update);
static void store_elsewhere(const TableDef *def, const char *region,
							const char *name, const char *policy);
static const char *checked_index(const TableDef *def, json_t *update);
static ControlScaling merged(const json_t *old, json_t *update);
static json_t *policies_of(const char *settings);
static int	compare_names(const ListCell *a, const ListCell *b);

void
global_describe_scaling(DynamoRequest *request, StringInfo out)
{
	const DescribeRequest *r = request->input;
	const TableDef *def = find_global(r->table, "DescribeTable");

	append_scaling(out, def, control_state(def));
}

/*
 * The answer shows what was before.
 */
void
global_update_scaling(DynamoRequest *request, StringInfo out)
{
	const UpdateRequest *r = request->input;
	const TableDef *def;
	size_t		i;
	json_t	   *update;

	control_require_table(r->table);
	schema_lock_definition(wire_table_name(r->table));
	def = find_global(r->table, "UpdateTable");
	control_refuse_busy(def);
	append_scaling(out, def, CONTROL_TABLE_UPDATING);
	if (r->writes)
		change(def, NULL, NULL, WRITES, r->writes);
	json_array_foreach(r->indexes, i, update)
	{
		json_t	   *writes = wire_json_get(update, "ProvisionedWriteCapacityAutoScalingUpdate");

		CHECK_FOR_INTERRUPTS();
		if (writes)
			change(def, NULL, checked_index(def, update), WRITES, writes);
	}
	json_array_foreach(r->replicas, i, update)
	{
		CHECK_FOR_INTERRUPTS();
		change_replica(def, update);
	}
}

/*
 * A table that has replicas.
 */
static const TableDef *
find_global(const char *name, const char *action)
{
	const TableDef *def;

	control_require_table(name);
	def = schema_find_table(wire_table_name(name));
	if (def == NULL || !schema_check_use(def, action) ||
		def->replication == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 "Global table with name: '%s' does not exist.",
					 wire_table_name(name));
	return def;
}

/*
 * All regions by name, this one too.
 */
static void
append_scaling(StringInfo out, const TableDef *def, ControlTableState state)
{
	const char *own = region_own()->name;
	List	   *names = list_make1(unconstify(char *, own));
	ListCell   *lc;

	foreach(lc, region_replicas(def->relid))
		names = lappend(names, ((const RegionReplica *) lfirst(lc))->region);
	list_sort(names, compare_names);

	appendStringInfoString(out, "{\"TableAutoScalingDescription\":{");
	wire_string_member(out, "TableName", def->name);
	wire_string_member(out, "TableStatus", control_state_name(state));
	wire_member(out, "Replicas");
	appendStringInfoChar(out, '[');
	foreach(lc, names)
	{
		const char *name = lfirst(lc);
		const RegionReplica *replica = region_replica(def->relid, name);

		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		append_replica(out, def, name, replica ?
					   region_status_name(replica->status) : "ACTIVE",
					   policies_of(replica ? replica->overrides : def->settings));
	}
	appendStringInfoString(out, "]}}");
}

/*
 * "reads": the policies that the region has for its reads.
 */
static void
append_replica(StringInfo out, const TableDef *def, const char *region,
			   const char *status, const json_t *reads)
{
	const json_t *writes = policies_of(def->settings);
	int			count;
	const IndexDef **order = control_ordered_indexes(def, false, &count);

	appendStringInfoChar(out, '{');
	wire_string_member(out, "RegionName", region);
	wire_member(out, "GlobalSecondaryIndexes");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < count; i++)
	{
		wire_element(out);
		appendStringInfoChar(out, '{');
		wire_string_member(out, "IndexName", order[i]->name);
		wire_string_member(out, "IndexStatus",
						   OidIsValid(order[i]->relid) ? "ACTIVE" : "CREATING");
		append_settings(out, "ProvisionedReadCapacityAutoScalingSettings",
						reads, order[i]->name, READS);
		append_settings(out, "ProvisionedWriteCapacityAutoScalingSettings",
						writes, order[i]->name, WRITES);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
	append_settings(out, "ReplicaProvisionedReadCapacityAutoScalingSettings",
					reads, NULL, READS);
	append_settings(out, "ReplicaProvisionedWriteCapacityAutoScalingSettings",
					writes, NULL, WRITES);
	wire_string_member(out, "ReplicaStatus", status);
	appendStringInfoChar(out, '}');
}

static void
append_settings(StringInfo out, const char *member, const json_t *policies,
				const char *index, const char *dimension)
{
	const char *name = control_scaling_name(index, dimension);
	json_t	   *policy = json_object_get(policies, name);

	wire_member(out, member);
	appendStringInfoChar(out, '{');
	if (policy != NULL)
	{
		wire_integer_member(out, "MinimumUnits",
							wire_json_integer_in(policy, "MinCapacity", 0));
		wire_integer_member(out, "MaximumUnits",
							wire_json_integer_in(policy, "MaxCapacity", 0));
	}
	else
		wire_boolean_member(out, "AutoScalingDisabled", true);
	wire_member(out, "ScalingPolicies");
	appendStringInfoChar(out, '[');
	if (policy != NULL)
	{
		appendStringInfoChar(out, '{');
		wire_string_member(out, "PolicyName", name);
		appendStringInfoString(out, ",\"TargetTrackingScalingPolicyConfiguration\":{");
		wire_boolean_member(out, "DisableScaleIn",
							json_is_true(json_object_get(policy, "DisableScaleIn")));
		wire_json_member(out, policy, "TargetValue");
		appendStringInfoString(out, "}}");
	}
	appendStringInfoString(out, "]}");
}

/*
 * The reads of a region, and of indexes there.
 */
static void
change_replica(const TableDef *def, json_t *update)
{
	const char *region = wire_json_text(json_object_get(update, "RegionName"));
	json_t	   *reads = wire_json_get(update, "ReplicaProvisionedReadCapacityAutoScalingUpdate");
	size_t		i;
	json_t	   *index;

	if (strcmp(region, region_own()->name) == 0)
		region = NULL;
	else if (region_replica(def->relid, region) == NULL)
		global_refuse_missing("replicas", region);
	if (reads)
		change(def, region, NULL, READS, reads);
	json_array_foreach(wire_json_get(update, "ReplicaGlobalSecondaryIndexUpdates"), i, index)
	{
		CHECK_FOR_INTERRUPTS();
		reads = wire_json_get(index, "ProvisionedReadCapacityAutoScalingUpdate");
		if (reads)
			change(def, region, checked_index(def, index), READS, reads);
	}
}

/*
 * Set one policy, or drop it: of this region (NULL), or of another.
 */
static void
change(const TableDef *def, const char *region, const char *index,
	   const char *dimension, json_t *update)
{
	const char *name = control_scaling_name(index, dimension);
	json_t	   *old;
	ControlScaling policy;

	def = schema_find_table(def->name); /* with what was changed before */
	if (wire_json_is_true(update, "AutoScalingDisabled"))
	{
		if (region == NULL)
			control_drop_scaling(def->name, index, dimension);
		else
			store_elsewhere(def, region, name, NULL);
		return;
	}
	old = json_object_get(policies_of(region ?
									  region_replica(def->relid, region)->overrides :
									  def->settings), name);
	policy = merged(old, update);
	policy.table = def->name;
	policy.index = index;
	policy.dimension = dimension;
	if (region == NULL)
		control_set_scaling(&policy);
	else
		store_elsewhere(def, region, name, control_scaling_text(&policy));
}

/* "policy": JSON text; NULL: there is none any more */
static void
store_elsewhere(const TableDef *def, const char *region, const char *name,
				const char *policy)
{
	const char *overrides = region_replica(def->relid, region)->overrides;
	json_t	   *old = policies_of(overrides);
	const char *policies = old ? wire_json_document(old) : "{}";

	policies = policy ? control_settings_set(policies, name, policy) :
		control_settings_remove(policies, name);
	region_set_overrides(def->name, region,
						 control_settings_set(overrides, CONTROL_AUTO_SCALING,
											  policies));
}

/* The index that an element names. */
static const char *
checked_index(const TableDef *def, json_t *update)
{
	json_t	   *name = wire_json_get(update, "IndexName");
	const char *text = name ? wire_json_text(name) : "";
	const IndexDef *index = schema_find_index(def, text);

	if (index == NULL || index->local)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_indexes(def),
							   NOT_FOUND "Index %s for table %s", text,
							   def->name);
	return text;
}

/*
 * The policy there is (NULL: none), with what an update changes.
 */
static ControlScaling
merged(const json_t *old, json_t *update)
{
	json_t	   *tracking = wire_json_get(wire_json_get(update, "ScalingPolicyUpdate"),
										 "TargetTrackingScalingPolicyConfiguration");
	json_t	   *target = wire_json_get(tracking, "TargetValue");
	json_t	   *only_out = wire_json_get(tracking, "DisableScaleIn");
	json_t	   *least = wire_json_get(update, "MinimumUnits");
	json_t	   *most = wire_json_get(update, "MaximumUnits");
	ControlScaling policy = {
		.least = wire_json_integer_in(old, "MinCapacity", 0),
		.most = wire_json_integer_in(old, "MaxCapacity", 0),
		.target = json_number_value(json_object_get(old, "TargetValue")),
		.only_out = json_is_true(json_object_get(old, "DisableScaleIn"))
	};

	if (least)
		policy.least = wire_json_integer(least);
	if (most)
		policy.most = wire_json_integer(most);
	if (target)
		policy.target = json_number_value(target);
	if (only_out)
		policy.only_out = wire_json_is_true(tracking, "DisableScaleIn");
	if (policy.least < 1 || policy.most < policy.least)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "MinimumUnits and MaximumUnits are required, and MaximumUnits must not be less than MinimumUnits");
	if (!(policy.target >= 20 && policy.target <= 90))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "TargetValue is required, and must be between 20 and 90");
	return policy;
}

static json_t *
policies_of(const char *settings)
{
	return json_object_get(control_settings(settings), CONTROL_AUTO_SCALING);
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}
