/*-------------------------------------------------------------------------
 *
 * control_update.c
 *	  UpdateTable.
 *
 * What may go together in one request is checked before the table is looked
 * up, then everything is checked against the table, then all is applied in the
 * calling transaction.  A new index is built there, too, unless the process
 * has asked for it to be built later: then the index is CREATING until a
 * background worker has done so.  The answer shows throughput and the like as
 * they were, as the service does, whose changes take effect later.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#define ONE_ONLINE_INDEX \
	SUBSCRIBER_LIMIT "Only 1 online index can be created or deleted simultaneously per table"

/* One of GlobalSecondaryIndexUpdates. */
typedef struct IndexUpdate
{
	const char *name;
	json_t	   *create;			/* one of these three */
	json_t	   *update;
	json_t	   *delete;
} IndexUpdate;

/* A request on its way, and the table that it changes as it was before. */
typedef struct TableUpdate
{
	const ControlUpdateTable *request;
	int			nindexes;
	IndexUpdate *indexes;
	IndexDef	created;		/* where one is to be created */
	const char *vector;			/* a vector index to be created or deleted */
	bool		vector_created; /* the former */
	const TableDef *def;
	bool		later;			/* its indexes are left to a worker */
	bool		was_on_demand;
	bool		on_demand;		/* from now on */
	const char *settings;		/* of the table, from now on */
	const char **index_settings;	/* of def->indexes, from now on */
} TableUpdate;

static void check_update(TableUpdate *u);
static ControlTableChange begun_change(const TableUpdate *u);
static bool makes_busy(const ControlUpdateTable *r, const ControlTableChange *change);
static void make_settings(TableUpdate *u);
static const TableDef *told_before(const TableUpdate *u);
static const TableDef *told_after(const TableUpdate *u, const TableDef *now);
static IndexDef told_index(const TableUpdate *u, int i);
static void apply_update(const TableUpdate *u);
static void check_only_regions(const ControlUpdateTable *r, int changes);
static void refuse_nothing(const ControlUpdateTable *r)
			pg_attribute_noreturn();
static void check_only(bool given, int changes, const char *what);
static const char *updated_index(json_t *update);
static IndexUpdate *read_index_updates(json_t *list, int *n);
static const char *read_vector_updates(TableUpdate *u);
static void check_vector_update(TableUpdate *u);
static void check_builds(const TableUpdate *u, const char *changed);
static void check_table_changes(const TableUpdate *u);
static void check_throughput(const TableUpdate *u, json_t *settings);
static void check_to_provisioned(const TableUpdate *u);
static bool says_throughput(const TableUpdate *u, const IndexDef *index);
static void check_index_update(const IndexUpdate *u, const TableDef *def,
							   bool on_demand);
static const char *changed_settings(const ControlUpdateTable *r,
									const char *settings);
static const char *index_settings(const TableUpdate *u, const IndexDef *index);
static const char *changed_index_settings(const IndexUpdate *u,
										  const char *settings);

/* Handler of UpdateTable. */
void
control_update_table(DynamoRequest *request, StringInfo out)
{
	const ControlUpdateTable *r = request->input;
	TableUpdate u = {.request = r};
	const char *name;
	ControlTableState state;
	bool		told_late;
	ControlTableChange change;

	control_require_table(r->table_name);
	control_check_update(r);
	u.indexes = read_index_updates(r->index_updates, &u.nindexes);
	u.vector = read_vector_updates(&u);

	schema_lock_definition(wire_table_name(r->table_name));
	control_refuse_pending(r->table_name);
	u.def = control_find_table(r->table_name, "UpdateTable");
	control_refuse_filling(u.def);
	control_refuse_busy(u.def);
	name = u.def->name;
	u.later = control_builds_later(request, u.def);
	u.was_on_demand = control_is_on_demand(control_settings(u.def->settings));
	u.on_demand = r->billing_mode ? r->billing_mode == CONTROL_BILLING_ON_DEMAND :
		u.was_on_demand;
	check_update(&u);
	change = begun_change(&u);
	check_builds(&u, change.index);

	/* The answer shows the stream's ARN already. */
	if (r->stream)
		stream_change(r->stream, name);

	make_settings(&u);
	state = makes_busy(r, &change) ? CONTROL_TABLE_UPDATING : CONTROL_TABLE_ACTIVE;
	told_late = r->protection || change.billing || control_is_given(r->on_demand) ||
		(change.index && change.index_state == CONTROL_TABLE_CREATING);
	appendStringInfoChar(out, '{');
	if (!told_late)
		control_append_table(out, "TableDescription", told_before(&u), state,
							 &change);
	apply_update(&u);
	if (told_late)
		control_append_table(out, "TableDescription",
							 told_after(&u, schema_find_table(name)), state,
							 &change);
	appendStringInfoChar(out, '}');
}

/*
 * The table as an answer tells it that shows what there was.
 */
static const TableDef *
told_before(const TableUpdate *u)
{
	TableDef   *told = palloc(sizeof(TableDef));

	*told = *u->def;
	told->settings = unconstify(char *,
								control_changing_throughput(u->def->settings,
															u->settings));
	told->indexes = palloc(sizeof(IndexDef) * Max(told->nindexes, 1));
	for (int i = 0; i < told->nindexes; i++)
		told->indexes[i] = told_index(u, i);
	return told;
}

/*
 * The same of one that shows what there is now.  A maximum that was removed is
 * told as it was sent, and the time of a change to PAY_PER_REQUEST not yet.  An
 * index that was deleted is still told, and one that was created is the last.
 */
static const TableDef *
told_after(const TableUpdate *u, const TableDef *now)
{
	const char *settings = now->settings;
	TableDef   *told = palloc(sizeof(TableDef));

	if (control_is_given(u->request->on_demand))
		settings = control_told_on_demand(settings, u->request->on_demand);
	if (u->on_demand && !u->was_on_demand)
		settings = control_settings_set(settings, "BillingModeSummary",
										"{\"BillingMode\":\"PAY_PER_REQUEST\"}");
	*told = *now;
	told->settings = unconstify(char *, settings);
	if (u->vector && !u->vector_created)
	{
		told->nvectors = u->def->nvectors;
		told->vectors = u->def->vectors;
	}
	told->nindexes = 0;
	told->indexes = palloc(sizeof(IndexDef) * (u->def->nindexes + now->nindexes + 1));
	for (int i = 0; i < u->def->nindexes; i++)
	{
		const IndexDef *kept = schema_find_index(now, u->def->indexes[i].name);

		told->indexes[told->nindexes++] = kept && u->on_demand != u->was_on_demand ?
			*kept : told_index(u, i);
	}
	for (int i = 0; i < now->nindexes; i++)
	{
		if (schema_find_index(u->def, now->indexes[i].name) == NULL)
			told->indexes[told->nindexes++] = now->indexes[i];
	}
	return told;
}

/*
 * An index as it was, but for the times of what is changed.
 */
static IndexDef
told_index(const TableUpdate *u, int i)
{
	IndexDef	told = u->def->indexes[i];

	if (!told.local)
		told.settings = unconstify(char *,
								   control_changing_throughput(told.settings,
															   u->index_settings[i]));
	return told;
}

/*
 * Check everything against the table.  Fills in the index to be created.
 */
static void
check_update(TableUpdate *u)
{
	check_table_changes(u);
	if (u->was_on_demand && !u->on_demand)
		check_to_provisioned(u);
	if (u->vector)
		check_vector_update(u);
	for (int i = 0; i < u->nindexes; i++)
	{
		if (u->indexes[i].create)
		{
			ControlIndexRequest index = {0};

			wire_fill(&control_index_shape, u->indexes[i].create, &index);
			control_check_new_index(&index, u->request, u->def, &u->created);
		}
		else
			check_index_update(&u->indexes[i], u->def, u->on_demand);
	}
}

/*
 * Against the table: the vector index to be created, filled in, or deleted.
 */
static void
check_vector_update(TableUpdate *u)
{
	json_t	   *update = json_array_get(u->request->vector_updates, 0);

	if (u->vector_created)
		control_check_new_vector(wire_json_get(update, "Create"), u->request,
								 u->def, u->on_demand, &u->created);
	else if (schema_find_vector(u->def, u->vector) == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_indexes(u->def),
							   NOT_FOUND "Index %s for table %s", u->vector,
							   u->def->name);
}

/*
 * What the answer shows as being changed.
 */
static ControlTableChange
begun_change(const TableUpdate *u)
{
	ControlTableChange change = {
		.warm = control_is_given(u->request->warm),
		.encryption = u->request->encryption != NULL,
		.billing = u->on_demand != u->was_on_demand
	};

	if (u->vector)
	{
		change.index = u->vector;
		change.index_state = u->vector_created ?
			CONTROL_TABLE_CREATING : CONTROL_TABLE_DELETING;
	}
	change.updated = palloc(sizeof(char *) * Max(u->nindexes, 1));
	for (int i = 0; i < u->nindexes; i++)
	{
		const IndexUpdate *index = &u->indexes[i];

		if (index->update)
			change.updated[change.nupdated++] = index->name;
		else
		{
			change.index = index->name;
			change.index_state = index->create ?
				CONTROL_TABLE_CREATING : CONTROL_TABLE_DELETING;
		}
	}
	return change;
}

/*
 * Deletion protection, encryption, WarmThroughput, OnDemandThroughput and an
 * index's throughput are changed while the table is ACTIVE.
 */
static bool
makes_busy(const ControlUpdateTable *r, const ControlTableChange *change)
{
	return r->throughput || r->billing_mode || r->stream || r->table_class ||
		change->index;
}

/*
 * Of other tables nobody has asked it: a node that sends a request on has none.
 * So a session cannot have its indexes built by the worker, whose settings
 * are not its own.
 */
bool
control_builds_later(const DynamoRequest *request, const TableDef *def)
{
	return request->client.builds_later ||
		(request->client.asks_later && def->distributed);
}

static void
apply_update(const TableUpdate *u)
{
	const char *name = u->def->name;

	if (u->settings != u->def->settings)
		schema_change_table_settings(name, u->settings);
	for (int i = 0; i < u->def->nindexes; i++)
	{
		const IndexDef *index = &u->def->indexes[i];

		if (u->index_settings[i] != index->settings)
			schema_change_index_settings(name, index->name,
										 u->index_settings[i]);
	}
	for (int i = 0; i < u->nindexes; i++)
	{
		if (u->indexes[i].create)
			schema_create_index(name, &u->created, u->later);
		else if (u->indexes[i].delete)
			schema_drop_index(name, u->indexes[i].name, u->later);
	}
	if (u->vector && u->vector_created)
		schema_create_vector(name, &u->created, u->later);
	else if (u->vector)
		schema_drop_vector(name, u->vector, u->later);
}

/*
 * What needs no table.
 */
void
control_check_update(const ControlUpdateTable *r)
{
	bool		vectors = json_array_size(r->vector_updates) > 0;
	bool		indexes = json_array_size(r->index_updates) > 0;
	bool		warm = control_is_given(r->warm);
	bool		limits = control_is_given(r->on_demand);
	bool		one_online = vectors;
	int			changes = (r->throughput != NULL) + (r->billing_mode != 0) +
		indexes + vectors + (r->stream != NULL) + (r->encryption != NULL) +
		(r->replicas != NULL) + (r->table_class != NULL) +
		(r->protection != WIRE_BOOLEAN_UNSET) + (r->settings_mode != 0) +
		(r->membership_protection != WIRE_BOOLEAN_UNSET) + limits + warm;
	size_t		i;
	json_t	   *update;

	json_array_foreach(r->index_updates, i, update)
	{
		CHECK_FOR_INTERRUPTS();
		one_online |= wire_json_get(update, "Create") || wire_json_get(update, "Delete");
	}

	if (changes == 0)
		refuse_nothing(r);
	if (r->index_updates && !indexes)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "List of GlobalSecondaryIndexUpdates is empty");
	check_only(r->encryption != NULL, changes, "Server-Side Encryption modification");
	check_only(r->table_class != NULL, changes, "TableClass modification");
	check_only(r->protection != WIRE_BOOLEAN_UNSET, changes,
			   "DeletionProtection modification");
	check_only(r->membership_protection != WIRE_BOOLEAN_UNSET, changes,
			   "DisassociationProtection modification");
	if (warm && one_online)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Create global secondary index cannot be specified when updating WarmThroughput");
	check_only(warm, changes, "WarmThroughput");
	check_only_regions(r, changes);
	if (r->settings_mode == CONTROL_SETTINGS_OVERRIDES)
		dynamo_error(DYNAMO_VALIDATION,
					 "Value 'ENABLED_WITH_OVERRIDES' at 'GlobalTableSettingsReplicationMode' failed to satisfy constraint: Only ENABLED and DISABLED settings replication are allowed");
	if (limits && changes > (r->billing_mode ? 2 : 1))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
	if (r->stream && r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "You cannot modify stream status while updating table IOPS");
	if (one_online && r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "You cannot create or delete index while updating table IOPS");
	if (one_online && r->stream)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "You cannot create or delete index while changing stream status");
	if (r->stream)
		stream_check_change(r->stream);
	control_check_encryption(r->encryption);
	if (r->billing_mode == CONTROL_BILLING_PROVISIONED && !r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
	if (r->billing_mode == CONTROL_BILLING_ON_DEMAND && r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST");
	control_check_bounds(NULL, r->throughput);
}

/*
 * What is said of regions goes with nothing else.  "changes": how many things
 * the request does, ReplicaUpdates being one.
 */
static void
check_only_regions(const ControlUpdateTable *r, int changes)
{
	bool		others = changes > (r->replicas ? 1 : 0);

	if (others && (r->witnesses || r->consistency))
		dynamo_error(DYNAMO_VALIDATION,
					 "Requests that modify replicas or witnesses must not also modify other fields");
	if (others && r->replicas)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Replica modification must be the only operation in the request");
}

/*
 * The request changes nothing.  What it has, but empty, is not listed.
 */
static void
refuse_nothing(const ControlUpdateTable *r)
{
	const struct
	{
		const char *name;
		bool		given;
	}			members[] = {
		{"ProvisionedThroughput"}, {"BillingMode"}, {"UpdateStreamEnabled"},
		{"GlobalSecondaryIndexUpdates", r->index_updates != NULL},
		{"SSESpecification"}, {"ReplicaUpdates"},
		{"MultiAccountReplicaReady"}, {"ReplicaTransitRoleArn"},
		{"MultiRegionConsistency", r->consistency != 0},
		{"DeletionProtectionEnabled"},
		{"OnDemandThroughput", r->on_demand != NULL},
		{"WarmThroughput", r->warm != NULL}
	};
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < lengthof(members); i++)
	{
		if (!members[i].given)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 members[i].name);
	}
	dynamo_error(DYNAMO_VALIDATION,
				 "At least one of %s or TableClass is required", list.data);
}

static void
check_only(bool given, int changes, const char *what)
{
	if (given && changes > 1)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "%s must be the only operation in the request",
					 what);
}

/*
 * The index an update is about; "" when that is not clear, which is another
 * error.
 */
static const char *
updated_index(json_t *update)
{
	static const char *const actions[] = {"Create", "Update", "Delete"};

	for (int i = 0; i < lengthof(actions); i++)
	{
		json_t	   *action = wire_json_get(update, actions[i]);

		if (action)
			return wire_json_text(json_object_get(action, "IndexName"));
	}
	return "";
}

/*
 * The elements of GlobalSecondaryIndexUpdates, each of them one action on an
 * index of its own; *n is their number.
 */
static IndexUpdate *
read_index_updates(json_t *list, int *n)
{
	IndexUpdate *updates = palloc0(sizeof(IndexUpdate) * (json_array_size(list) + 1));
	const char **names = palloc(sizeof(char *) * (json_array_size(list) + 1));
	int			duplicate;
	int			nonline = 0;
	size_t		i;
	json_t	   *element;

	json_array_foreach(list, i, element)
	{
		CHECK_FOR_INTERRUPTS();
		names[i] = updated_index(element);
	}
	duplicate = dynamo_first_duplicate(names, json_array_size(list));

	*n = 0;
	json_array_foreach(list, i, element)
	{
		IndexUpdate *u = &updates[(*n)++];
		int			actions;

		CHECK_FOR_INTERRUPTS();
		u->create = wire_json_get(element, "Create");
		u->update = wire_json_get(element, "Update");
		u->delete = wire_json_get(element, "Delete");
		actions = (u->create != NULL) + (u->update != NULL) + (u->delete != NULL);
		if (actions == 0)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null");
		if (actions > 1)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object");
		u->name = names[i];
		if (u->create || u->update)
			control_check_bounds(u->name,
								 wire_json_get(u->create ? u->create : u->update,
											   "ProvisionedThroughput"));
		if (u->update && wire_json_get(u->update, "WarmThroughput") &&
			!control_is_given(wire_json_get(u->update, "WarmThroughput")))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: %s",
						 u->name);
		nonline += u->update == NULL;
		if ((int) i == duplicate)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Only one global secondary index update per index is allowed simultaneously. Index: %s",
						 u->name);
	}
	if (nonline > 1)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED, ONE_ONLINE_INDEX);
	return updates;
}

/*
 * The vector index that the request is about; NULL: about none.  There is one
 * online change at a time, whatever it is.
 */
static const char *
read_vector_updates(TableUpdate *u)
{
	json_t	   *updates = u->request->vector_updates;
	int			nonline = json_array_size(updates);

	for (int i = 0; nonline > 0 && i < u->nindexes; i++)
		nonline += u->indexes[i].update == NULL;
	if (nonline > 1)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED, ONE_ONLINE_INDEX);
	return control_read_vector_updates(updates, &u->vector_created);
}

/*
 * While an index is being built, no other is created or deleted ("changed",
 * NULL: none is), and throughput and stream stay as they are.
 */
static void
check_builds(const TableUpdate *u, const char *changed)
{
	for (int i = 0; i < u->def->nindexes + u->def->nvectors; i++)
	{
		const IndexDef *index = schema_index_at(u->def, i);

		if (!index->building)
			continue;
		if (changed != NULL && strcmp(changed, index->name) != 0)
			dynamo_error(DYNAMO_LIMIT_EXCEEDED, ONE_ONLINE_INDEX);
		if (u->request->throughput)
			dynamo_error(DYNAMO_RESOURCE_IN_USE,
						 IN_USE "Can't change table IOPS when an index is being created. Table: %s Indexes: [%s]",
						 u->def->name, index->name);
		if (u->request->stream)
			dynamo_error(DYNAMO_RESOURCE_IN_USE,
						 IN_USE "Can't change stream status when an index is being created. Table: %s Indexes: [%s]",
						 u->def->name, index->name);
	}
}

/*
 * What can be refused of the changes to the table itself, in the order of the
 * service.
 */
static void
check_table_changes(const TableUpdate *u)
{
	const ControlUpdateTable *r = u->request;
	json_t	   *settings = control_settings(u->def->settings);

	if (r->throughput)
		check_throughput(u, settings);
	control_check_on_demand(NULL, r->on_demand, u->on_demand);
	if (r->table_class)
		control_check_class(r->table_class);
	if (r->stream)
		stream_check_state(r->stream, u->def);
	if (r->encryption)
		control_check_encryption_change(r->encryption, settings);
	control_check_warm(NULL, r->warm, settings);
}

void
control_check_class(const char *class)
{
	if (strcmp(class, "STANDARD") != 0 &&
		strcmp(class, "STANDARD_INFREQUENT_ACCESS") != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].");
}

static void
check_throughput(const TableUpdate *u, json_t *settings)
{
	json_t	   *throughput = u->request->throughput;
	int64		read;
	int64		write;

	if (u->on_demand)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
	control_check_quota(NULL, throughput);
	if (control_same_throughput(settings, throughput, &read, &write) &&
		u->nindexes == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: " INT64_FORMAT ". Requested ReadCapacityUnits: " INT64_FORMAT ". Current WriteCapacityUnits provisioned for the table: " INT64_FORMAT ". Requested WriteCapacityUnits: " INT64_FORMAT ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
					 read, read, write, write);
	control_check_decrease(settings, throughput);
}

/*
 * A change to PROVISIONED says the throughput of the table, as was seen before,
 * and of every GSI.
 */
static void
check_to_provisioned(const TableUpdate *u)
{
	StringInfoData missing;

	if (u->def->nvectors > 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Vector indexes are only supported for PAY_PER_REQUEST tables");
	initStringInfo(&missing);
	for (int i = 0; i < u->def->nindexes; i++)
	{
		const IndexDef *index = &u->def->indexes[i];

		if (!index->local && !says_throughput(u, index))
			appendStringInfo(&missing, "%s%s", missing.len > 0 ? ", " : "",
							 index->name);
	}
	if (missing.len > 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "ProvisionedThroughput must be specified for index: %s",
					 missing.data);
}

/*
 * Does the request say an index's throughput, or that it needs none?
 */
static bool
says_throughput(const TableUpdate *u, const IndexDef *index)
{
	for (int i = 0; i < u->nindexes; i++)
	{
		const IndexUpdate *update = &u->indexes[i];

		if (strcmp(update->name, index->name) == 0)
			return update->update == NULL ||
				wire_json_get(update->update, "ProvisionedThroughput");
	}
	return false;
}

/*
 * An Update or Delete must name a global index and, if an Update, change it.
 */
static void
check_index_update(const IndexUpdate *u, const TableDef *def, bool on_demand)
{
	const IndexDef *index = schema_find_index(def, u->name);
	json_t	   *throughput;
	int64		read;
	int64		write;

	if (index == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_indexes(def),
							   NOT_FOUND "Index %s for table %s", u->name,
							   def->name);
	if (index->local)
		dynamo_error(DYNAMO_VALIDATION,
					 "Cannot %s an index that is not a GlobalSecondaryIndex: %s",
					 u->delete ? "delete" : "update", u->name);
	if (u->delete)
		return;

	throughput = wire_json_get(u->update, "ProvisionedThroughput");
	if ((on_demand && throughput) ||
		(!throughput && !control_is_given(wire_json_get(u->update, "OnDemandThroughput")) &&
		 !control_is_given(wire_json_get(u->update, "WarmThroughput"))))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "The only Updates for index: %s when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput",
					 u->name);
	control_check_on_demand(u->name, wire_json_get(u->update, "OnDemandThroughput"),
							on_demand);
	control_check_warm(u->name, wire_json_get(u->update, "WarmThroughput"),
					   control_settings(index->settings));
	if (!throughput)
		return;
	control_check_quota(u->name, throughput);
	if (control_same_throughput(control_settings(index->settings), throughput, &read, &write))
		dynamo_error(DYNAMO_VALIDATION,
					 "The provisioned throughput for the index %s will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for index %s: " INT64_FORMAT ". Requested ReadCapacityUnits: " INT64_FORMAT ". Current WriteCapacityUnits provisioned for index %s: " INT64_FORMAT ". Requested WriteCapacityUnits: " INT64_FORMAT ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
					 u->name, u->name, read, read, u->name, write, write);
	control_check_decrease(control_settings(index->settings), throughput);
}

static const char *
changed_settings(const ControlUpdateTable *r, const char *settings)
{
	bool		was_on_demand = control_is_on_demand(control_settings(settings));
	TimestampTz now = GetCurrentTimestamp();

	if (r->billing_mode == CONTROL_BILLING_ON_DEMAND && !was_on_demand)
		settings = control_end_throughput(control_set_billing(settings, true, now),
										  false);
	if (r->billing_mode == CONTROL_BILLING_PROVISIONED && was_on_demand)
		settings = control_settings_remove(control_set_billing(settings, false, now),
										   "OnDemandThroughput");
	if (r->throughput)
		settings = control_set_throughput(settings, r->throughput);
	if (control_is_given(r->on_demand))
		settings = control_set_on_demand(settings, r->on_demand);
	if (control_is_given(r->warm))
		settings = control_set_warm(settings, r->warm);
	if (r->protection != WIRE_BOOLEAN_UNSET)
		settings = control_settings_set(settings, "DeletionProtectionEnabled",
										r->protection == WIRE_TRUE ? "true" : "false");
	if (r->settings_mode)
		settings = control_settings_set(settings, "GlobalTableSettingsReplicationMode",
										r->settings_mode == CONTROL_SETTINGS_ENABLED ?
										"\"ENABLED\"" : "\"DISABLED\"");
	if (r->membership_protection != WIRE_BOOLEAN_UNSET)
		settings = control_settings_set(settings, "DisassociationProtectionEnabled",
										r->membership_protection == WIRE_TRUE ? "true" : "false");
	if (r->encryption)
		settings = control_set_encryption(settings, r->encryption);
	if (r->table_class)
		settings = control_settings_set(settings, "TableClassSummary",
										psprintf("{\"TableClass\":\"%s\",\"LastUpdateDateTime\":%s}",
												 r->table_class,
												 wire_epoch(now)));
	return settings;
}

/*
 * What the settings of the table and of its indexes are to be.
 */
static void
make_settings(TableUpdate *u)
{
	u->settings = changed_settings(u->request, u->def->settings);
	u->index_settings = palloc(sizeof(char *) * Max(u->def->nindexes, 1));
	for (int i = 0; i < u->def->nindexes; i++)
		u->index_settings[i] = index_settings(u, &u->def->indexes[i]);
}

/*
 * Of an index: what follows from a change of the billing mode, then what is
 * asked for.
 */
static const char *
index_settings(const TableUpdate *u, const IndexDef *index)
{
	const char *settings = index->settings;

	if (index->local)
		return settings;
	if (u->on_demand && !u->was_on_demand)
		settings = control_end_throughput(settings, true);
	if (!u->on_demand && u->was_on_demand)
		settings = control_settings_remove(settings, "OnDemandThroughput");
	for (int i = 0; i < u->nindexes; i++)
	{
		const IndexUpdate *update = &u->indexes[i];

		if (update->update && strcmp(update->name, index->name) == 0)
			settings = changed_index_settings(update, settings);
	}
	return settings;
}

static const char *
changed_index_settings(const IndexUpdate *u, const char *settings)
{
	json_t	   *throughput = wire_json_get(u->update, "ProvisionedThroughput");
	json_t	   *on_demand = wire_json_get(u->update, "OnDemandThroughput");
	json_t	   *warm = wire_json_get(u->update, "WarmThroughput");

	if (throughput)
		settings = control_set_throughput(settings, throughput);
	if (on_demand)
		settings = control_set_on_demand(settings, on_demand);
	if (warm)
		settings = control_set_warm(settings, warm);
	return settings;
}
