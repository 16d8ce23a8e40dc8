/*-------------------------------------------------------------------------
 *
 * control_absent.c
 *	  Operations about replicas, which a table does not have here.
 *
 * Tools that create a table then ask which of these it has.  The answer is the
 * truth in the service's words: none.  Making one is an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"

#define MAX_LIST			100

/* Whatever these operations ask about. */
typedef struct AbsentRequest
{
	const char *table;			/* TableName, or GlobalTableName */
	WireInteger limit;
} AbsentRequest;

static void refuse_replica(const char *region, bool create);

static const WireShape limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_LIST)
};

static const WireShape global_name_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE
};

WIRE_REQUEST_SHAPE(control_absent_table_shape, AbsentRequest, "TableInput",
				   WIRE_FIELD("TableName", control_table_name_shape, AbsentRequest, table));
WIRE_REQUEST_SHAPE(control_list_global_tables_shape, AbsentRequest, "ListGlobalTablesInput",
				   WIRE_FIELD("Limit", limit_shape, AbsentRequest, limit));
WIRE_REQUEST_SHAPE(control_global_table_shape, AbsentRequest, "GlobalTableInput",
				   WIRE_REQUIRED("GlobalTableName", global_name_shape, AbsentRequest, table));

/*
 * ReplicaUpdates: there are no replicas, and no region but this one.
 */
void
control_check_replicas(json_t *updates)
{
	static const char *const actions[] = {"Create", "Update", "Delete"};
	int			made = 0;
	size_t		i;
	json_t	   *update;

	json_array_foreach(updates, i, update)
	{
		CHECK_FOR_INTERRUPTS();
		if (wire_json_get(update, "Disassociate"))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Disassociate is not supported");
		if (!wire_json_get(update, "Create") && !wire_json_get(update, "Update") &&
			!wire_json_get(update, "Delete"))
			dynamo_error(DYNAMO_VALIDATION,
						 "There are no actions specified in the Replica Update Action of the request.");
		made += !wire_json_get(update, "Update");
	}
	if (made > 1)
		dynamo_error(DYNAMO_VALIDATION,
					 "Update table operation with more than one create or delete replica actions not allowed");

	json_array_foreach(updates, i, update)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < lengthof(actions); j++)
		{
			json_t	   *action = wire_json_get(update, actions[j]);

			if (action)
				refuse_replica(wire_json_text(json_object_get(action, "RegionName")),
							   j == 0);
		}
	}
}

static void
refuse_replica(const char *region, bool create)
{
	if (strcmp(region, wire_region) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.");
	if (create)
		dynamo_error(DYNAMO_VALIDATION,
					 "Region %s is not supported. The latest version of global tables are only supported in the following regions: [%s]",
					 region, wire_region);
	dynamo_error(DYNAMO_VALIDATION,
				 "Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [%s].",
				 region);
}

void
control_refuse_global_table(DynamoRequest *request, StringInfo out)
{
	const AbsentRequest *r = request->input;

	control_check_old_name("TableName", "globalTableName", r->table);
	dynamo_error(DYNAMO_VALIDATION,
				 DYNAMO_INVALID "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
}

void
control_find_global_table(DynamoRequest *request, StringInfo out)
{
	const AbsentRequest *r = request->input;

	control_check_old_name("TableName", "globalTableName", r->table);
	dynamo_error(DYNAMO_GLOBAL_TABLE_NOT_FOUND,
				 "Global table with name: '%s' does not exist.", r->table);
}

void
control_find_replicas(DynamoRequest *request, StringInfo out)
{
	const AbsentRequest *r = request->input;

	control_require_table(r->table);
	dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
				 "Global table with name: '%s' does not exist.",
				 wire_table_name(r->table));
}

void
control_list_global_tables(DynamoRequest *request, StringInfo out)
{
	appendStringInfoString(out, "{\"GlobalTables\":[]}");
}
