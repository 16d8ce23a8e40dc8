/*-------------------------------------------------------------------------
 *
 * control_scaling.c
 *	  Auto scaling: throughput that follows what is consumed.
 *
 * On AWS this is a service of its own, Application Auto Scaling, with a scaling
 * policy for the reads or the writes of a table or a global index.  Here the
 * policies are among the table's settings, and each round of maintenance acts
 * on them, by UpdateTable.
 *
 * The throughput grows when more than the target was consumed in each of the
 * last two periods, and shrinks when less was in each of the last fifteen.
 * What it becomes is the least that keeps the greatest of these at the target.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "capacity/capacity.h"
#include "control/control_internal.h"

#define SETTING		CONTROL_AUTO_SCALING

/* Periods above the target before the throughput grows. */
#define PERIODS_OUT	2

static const char *const dimensions[CAPACITY_KINDS] = {
	[CAPACITY_READ] = "ReadCapacityUnits",
	[CAPACITY_WRITE] = "WriteCapacityUnits",
};

static void check_policy(const TableDef *def, const ControlScaling *policy);
static void store(const TableDef *def, const char *name, const char *policy);
static bool find_units(const TableDef *def, const char *index,
					   const json_t *policies, int64 *units);
static int64 wanted_units(const json_t *policy, int64 units,
						  const double *history);
static bool all_above(const double *history, int n, double level);
static bool all_below(const double *history, int n, double level);
static double greatest(const double *history, int n);
static void update(const TableDef *def, const char *index,
				   const int64 *units);

/*
 * Add a policy, or replace that of the same table, index and dimension.
 */
void
control_set_scaling(const ControlScaling *policy)
{
	const TableDef *def;

	schema_lock_definition(policy->table);
	def = control_find_table(policy->table, "UpdateTable");
	check_policy(def, policy);
	store(def, control_scaling_name(policy->index, policy->dimension),
		  control_scaling_text(policy));
}

/*
 * A policy as it is kept: JSON text.
 */
const char *
control_scaling_text(const ControlScaling *policy)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	wire_integer_member(&text, "MinCapacity", policy->least);
	wire_integer_member(&text, "MaxCapacity", policy->most);
	wire_member(&text, "TargetValue");
	appendStringInfo(&text, "%g", policy->target);
	wire_boolean_member(&text, "DisableScaleIn", policy->only_out);
	appendStringInfoChar(&text, '}');
	return text.data;
}

/*
 * Remove a policy.  False: there was none.
 */
bool
control_drop_scaling(const char *table, const char *index,
					 const char *dimension)
{
	const TableDef *def;
	const char *name = control_scaling_name(index, dimension);
	json_t	   *policies;

	schema_lock_definition(table);
	def = control_find_table(table, "UpdateTable");
	policies = json_object_get(control_settings(def->settings), SETTING);
	if (json_object_get(policies, name) == NULL)
		return false;
	store(def, name, NULL);
	return true;
}

static void
check_policy(const TableDef *def, const ControlScaling *policy)
{
	bool		known = false;

	for (int i = 0; i < CAPACITY_KINDS; i++)
		known |= strcmp(policy->dimension, dimensions[i]) == 0;
	if (!known)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimension must be \"%s\" or \"%s\"",
						dimensions[CAPACITY_READ],
						dimensions[CAPACITY_WRITE])));
	if (policy->least < 1 || policy->most < policy->least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_capacity must be at least 1, and max_capacity not less")));
	if (!(policy->target >= 20 && policy->target <= 90))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("target_utilization must be between 20 and 90")));
	if (policy->index != NULL)
	{
		const IndexDef *index = schema_find_index(def, policy->index);

		if (index == NULL || index->local)
			dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
								   schema_help_indexes(def),
								   NOT_FOUND "Index %s for table %s",
								   policy->index, def->name);
	}
}

/*
 * As Application Auto Scaling puts it, but for the name of the table:
 * "table:ReadCapacityUnits", "index/ByDate:WriteCapacityUnits".
 */
const char *
control_scaling_name(const char *index, const char *dimension)
{
	return index ? psprintf("index/%s:%s", index, dimension) :
		psprintf("table:%s", dimension);
}

/*
 * Keep the text of a policy in the table's settings; NULL: none any more.
 */
static void
store(const TableDef *def, const char *name, const char *policy)
{
	json_t	   *old = json_object_get(control_settings(def->settings), SETTING);
	const char *policies = old ? wire_json_document(old) : "{}";
	const char *settings;

	policies = policy ? control_settings_set(policies, name, policy) :
		control_settings_remove(policies, name);
	settings = strcmp(policies, "{}") == 0 ?
		control_settings_remove(def->settings, SETTING) :
		control_settings_set(def->settings, SETTING, policies);
	schema_change_table_settings(def->name, settings);
}

/*
 * The tables (char *) that have policies, where anything is to be done for
 * them.
 */
List *
control_scaled_tables(void)
{
	return capacity_enforced ? schema_list_tables_with(SETTING) : NIL;
}

/*
 * Has a table (NULL) or an index a policy for its writes?
 */
bool
control_scales_writes(const json_t *settings, const char *index)
{
	return json_object_get(json_object_get(settings, SETTING),
						   control_scaling_name(index, dimensions[CAPACITY_WRITE])) != NULL;
}

/*
 * Give a table and its indexes the throughput that their policies ask for.  One node
 * does it for all: the coordinator knows what all have taken.
 */
void
control_scale_table(const char *table)
{
	const TableDef *def;
	json_t	   *policies;
	int64		units[CAPACITY_KINDS];

	schema_lock_definition(table);
	def = schema_find_table(table);
	if (def == NULL || capacity_is_on_demand(def) || control_is_busy(def) ||
		(def->distributed && !schema_cluster.is_coordinator()))
		return;
	policies = json_object_get(control_settings(def->settings), SETTING);
	if (find_units(def, NULL, policies, units))
		update(def, NULL, units);
	for (int i = 0; i < def->nindexes; i++)
	{
		if (find_units(def, def->indexes[i].name, policies, units))
			update(def, def->indexes[i].name, units);
	}
}

/*
 * The throughput that a table (NULL) or an index should have.  False: what it
 * has.
 */
static bool
find_units(const TableDef *def, const char *index, const json_t *policies,
		   int64 *units)
{
	const IndexDef *index_def = index ? schema_find_index(def, index) : NULL;
	const char *settings = index_def ? index_def->settings : def->settings;
	bool		may_decrease = control_may_decrease(control_settings(settings));
	bool		changes = false;

	for (int kind = 0; kind < CAPACITY_KINDS; kind++)
	{
		const json_t *policy =
			json_object_get(policies, control_scaling_name(index, dimensions[kind]));
		int64		now = (int64) capacity_limit(def, index_def, kind);
		double		history[CAPACITY_PERIODS];

		units[kind] = now;
		if (policy != NULL && capacity_history(def, index_def, kind, history))
			units[kind] = wanted_units(policy, now, history);
		if (!may_decrease)
			units[kind] = Max(units[kind], now);
		changes |= units[kind] != now;
	}
	return changes;
}

static int64
wanted_units(const json_t *policy, int64 units, const double *history)
{
	double		target =
		json_number_value(json_object_get(policy, "TargetValue")) / 100;
	int64		least =
		json_integer_value(json_object_get(policy, "MinCapacity"));
	int64		most =
		json_integer_value(json_object_get(policy, "MaxCapacity"));
	int			periods = 0;

	if (all_above(history, PERIODS_OUT, units * target))
		periods = PERIODS_OUT;
	else if (!json_is_true(json_object_get(policy, "DisableScaleIn")) &&
			 all_below(history, CAPACITY_PERIODS, units * target))
		periods = CAPACITY_PERIODS;
	if (periods > 0)
		units = (int64) ceil(greatest(history, periods) / target);
	return Min(Max(units, least), most);
}

static bool
all_above(const double *history, int n, double level)
{
	for (int i = 0; i < n; i++)
	{
		if (history[i] <= level)
			return false;
	}
	return true;
}

/* Periods of which nothing is known are not. */
static bool
all_below(const double *history, int n, double level)
{
	for (int i = 0; i < n; i++)
	{
		if (history[i] < 0 || history[i] >= level)
			return false;
	}
	return true;
}

static double
greatest(const double *history, int n)
{
	double		most = 0;

	for (int i = 0; i < n; i++)
		most = Max(most, history[i]);
	return most;
}

/*
 * UpdateTable, as a client would send it.
 */
static void
update(const TableDef *def, const char *index, const int64 *units)
{
	ControlUpdateTable input = {.table_name = def->name};
	DynamoRequest request = {.input = &input};
	StringInfoData text;
	StringInfoData answer;
	json_error_t error;
	json_t	   *json;

	initStringInfo(&text);
	initStringInfo(&answer);
	if (index != NULL)
	{
		appendStringInfoString(&text, "[{\"Update\":{");
		wire_string_member(&text, "IndexName", index);
		wire_member(&text, "ProvisionedThroughput");
	}
	appendStringInfoChar(&text, '{');
	for (int kind = 0; kind < CAPACITY_KINDS; kind++)
		wire_integer_member(&text, dimensions[kind], units[kind]);
	appendStringInfoChar(&text, '}');
	if (index != NULL)
		appendStringInfoString(&text, "}}]");
	json = codec_load(text.data, text.len, &error);
	if (index != NULL)
		input.index_updates = json;
	else
		input.throughput = json;
	control_update_table(&request, &answer);
	ereport(LOG,
			(errmsg("dynamo scaled %s%s%s%s to " INT64_FORMAT " read units and "
					INT64_FORMAT " write units",
					index ? "index " : "", index ? index : "",
					index ? " of table " : "table ", def->name,
					units[CAPACITY_READ], units[CAPACITY_WRITE])));
}
