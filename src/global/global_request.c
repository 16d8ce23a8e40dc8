/*-------------------------------------------------------------------------
 *
 * global_request.c
 *	  What UpdateTable says of regions: ReplicaUpdates, witnesses, consistency.
 *
 * Everything here is seen in the request alone, before the table is looked up.
 * The order is that of the calls in global_read_updates(): which actions, how
 * many, of which regions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"
#include "miscadmin.h"

#define NO_ACTION \
	"There are no actions specified in the Replica Update Action of the request."
#define SEVERAL_ACTIONS \
	"Update table operation with more than one type of replica actions not allowed"

/* As elements of ReplicaUpdates name them. */
static const char *const actions[GLOBAL_ACTIONS] = {
	[GLOBAL_CREATE] = "Create",
	[GLOBAL_UPDATE] = "Update",
	[GLOBAL_DELETE] = "Delete",
	[GLOBAL_DISASSOCIATE] = "Disassociate",
};

static void check_consistency(const ControlUpdateTable *r);
static GlobalUpdate *read_update(json_t *element);
static bool changes_nothing(const GlobalUpdate *update);
static List *without_repetitions(List *updates);
static void check_number(List *updates, bool strong);
static void check_strong(List *updates, const char *witness);
static const char *region_of(json_t *action);
static void check_regions(List *updates);

/*
 * The elements of ReplicaUpdates (GlobalUpdate *), one for each action on
 * a region, as far as the service carries them out.
 */
List *
global_read_updates(const ControlUpdateTable *r)
{
	json_t	   *witness = json_array_get(r->witnesses, 0);
	bool		strong = r->consistency == CONTROL_STRONG;
	List	   *updates = NIL;
	size_t		i;
	json_t	   *element;

	check_consistency(r);
	json_array_foreach(r->replicas, i, element)
	{
		CHECK_FOR_INTERRUPTS();
		updates = lappend(updates, read_update(element));
	}
	updates = without_repetitions(updates);
	check_number(updates, strong);
	if (strong)
		check_strong(updates, witness ? region_of(wire_json_get(witness, "Create")) : NULL);
	check_regions(updates);
	return updates;
}

/*
 * MultiRegionConsistency goes with Creates.  A witness is made or deleted, and
 * made for STRONG alone.
 */
static void
check_consistency(const ControlUpdateTable *r)
{
	json_t	   *witness = json_array_get(r->witnesses, 0);
	size_t		i;
	json_t	   *element;

	if (witness && !wire_json_get(witness, "Create") &&
		!wire_json_get(witness, "Delete"))
		dynamo_error(DYNAMO_VALIDATION, NO_ACTION);
	if (witness && wire_json_get(witness, "Create") &&
		wire_json_get(witness, "Delete"))
		dynamo_error(DYNAMO_VALIDATION, SEVERAL_ACTIONS);
	if (witness && wire_json_get(witness, "Create") &&
		r->consistency != CONTROL_STRONG)
		dynamo_error(DYNAMO_VALIDATION,
					 "MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is present.");
	if (r->consistency == 0)
		return;
	json_array_foreach(r->replicas, i, element)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < GLOBAL_ACTIONS; j++)
		{
			if (j != GLOBAL_CREATE && wire_json_get(element, actions[j]))
				dynamo_error(DYNAMO_VALIDATION,
							 "Only Replica Create actions are supported when MultiRegionConsistency parameter is provided.");
		}
	}
}

/*
 * One action, that says what it is to do.
 */
static GlobalUpdate *
read_update(json_t *element)
{
	GlobalUpdate *update = palloc0(sizeof(GlobalUpdate));

	for (int i = 0; i < GLOBAL_ACTIONS; i++)
	{
		json_t	   *members = wire_json_get(element, actions[i]);

		if (members == NULL)
			continue;
		if (update->members != NULL)
			dynamo_error(DYNAMO_VALIDATION,
						 SEVERAL_ACTIONS);
		update->action = i;
		update->members = members;
		update->region = region_of(members);
	}
	if (update->members == NULL || changes_nothing(update))
		dynamo_error(DYNAMO_VALIDATION,
					 NO_ACTION);
	return update;
}

/* An Update that names the region and no more. */
static bool
changes_nothing(const GlobalUpdate *update)
{
	static const char *const members[] = {
		"KMSMasterKeyId", "ProvisionedThroughputOverride",
		"OnDemandThroughputOverride", "GlobalSecondaryIndexes",
		"TableClassOverride"
	};

	for (int i = 0; i < lengthof(members); i++)
	{
		if (wire_json_get(update->members, members[i]))
			return false;
	}
	return update->action == GLOBAL_UPDATE;
}

/*
 * What is asked for twice is done once.  ReplicaUpdates may be as long as
 * a request.
 */
static List *
without_repetitions(List *updates)
{
	int			n = list_length(updates);
	const char **names = palloc(Max(n, 1) * sizeof(char *));
	bool	   *again = palloc0(Max(n, 1) * sizeof(bool));
	List	   *kept = NIL;
	int		   *places;

	for (int i = 0; i < n; i++)
	{
		const GlobalUpdate *update = list_nth(updates, i);

		CHECK_FOR_INTERRUPTS();
		names[i] = psprintf("%s %s", actions[update->action], update->region);
	}
	places = dynamo_sort_names(names, n);
	for (int i = 1; i < n; i++)
	{
		const GlobalUpdate *update = list_nth(updates, places[i]);

		CHECK_FOR_INTERRUPTS();
		again[places[i]] = update->action != GLOBAL_UPDATE &&
			strcmp(names[places[i - 1]], names[places[i]]) == 0;
	}
	for (int i = 0; i < n; i++)
	{
		if (!again[i])
			kept = lappend(kept, list_nth(updates, i));
	}
	return kept;
}

/*
 * One region comes or goes at a time, and while it does nothing else is changed.
 */
static void
check_number(List *updates, bool strong)
{
	int			moved = 0;
	int			left = 0;
	ListCell   *lc;

	foreach(lc, updates)
	{
		const GlobalUpdate *update = lfirst(lc);

		moved += update->action == GLOBAL_CREATE ||
			update->action == GLOBAL_DELETE;
		left += update->action == GLOBAL_DISASSOCIATE;
	}
	if (left > 0 && list_length(updates) > left)
		dynamo_error(DYNAMO_VALIDATION,
					 SEVERAL_ACTIONS);
	if (moved + left > 1 && !strong)
		dynamo_error(DYNAMO_VALIDATION,
					 "Update table operation with more than one create or delete replica actions not allowed");
	if (moved > 0 && list_length(updates) > moved)
		dynamo_error(DYNAMO_VALIDATION,
					 SEVERAL_ACTIONS);
}

/*
 * STRONG takes three regions.  No region here can be one of them.
 */
static void
check_strong(List *updates, const char *witness)
{
	StringInfoData regions;
	ListCell   *lc;

	if (list_length(updates) + (witness ? 1 : 0) != 2)
		dynamo_error(DYNAMO_VALIDATION,
					 "Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.");
	if (witness && strcmp(witness, region_own()->name) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Cannot add a witness in the same region as an existing replica when creating a global table with MultiRegionConsistency set to STRONG.");
	initStringInfo(&regions);
	foreach(lc, updates)
	{
		const GlobalUpdate *update = lfirst(lc);

		if (witness && strcmp(update->region, witness) == 0)
			dynamo_error(DYNAMO_VALIDATION,
						 "Cannot target multiple regions with the same action");
		appendStringInfo(&regions, "%s%s", regions.len > 0 ? ", " : "",
						 update->region);
	}
	check_regions(updates);
	if (witness)
		appendStringInfo(&regions, ", %s", witness);
	dynamo_error(DYNAMO_VALIDATION,
				 "Unsupported Region(s) specified for global tables with MultiRegionConsistency set to STRONG: [%s].",
				 regions.data);
}

/* NULL: there is no such action. */
static const char *
region_of(json_t *action)
{
	return action ? wire_json_text(json_object_get(action, "RegionName")) : NULL;
}

/*
 * Only Disassociate is about this region, and about no other.
 */
static void
check_regions(List *updates)
{
	ListCell   *lc;

	foreach(lc, updates)
	{
		const GlobalUpdate *update = lfirst(lc);
		bool		own = strcmp(update->region, region_own()->name) == 0;

		if (update->region[0] == '\0')
			dynamo_error(DYNAMO_ACCESS_DENIED, "Access is denied");
		if (update->action == GLOBAL_DISASSOCIATE && !own)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Disassociate must be sent to the region that leaves the global table: %s",
						 update->region);
		if (update->action != GLOBAL_DISASSOCIATE && own)
			dynamo_error(DYNAMO_VALIDATION,
						 "Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.");
	}
}
