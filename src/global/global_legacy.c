/*-------------------------------------------------------------------------
 *
 * global_legacy.c
 *	  Operations on global tables of the version of 2017.
 *
 * The service has ended that version: it makes none any more, and finds none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"
#include "miscadmin.h"

#define MAX_LIST			100

#define LEGACY_NOT_FOUND	"Global table with name: '%s' does not exist."

/* Whatever these operations ask about. */
typedef struct LegacyRequest
{
	const char *table;			/* GlobalTableName */
	json_t	   *regions;		/* ReplicationGroup; not read */
	json_t	   *updates;		/* ReplicaUpdates */
	WireInteger limit;
} LegacyRequest;

static const WireShape limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_LIST)
};

static const WireShape global_name_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE
};

WIRE_STRUCT_SHAPE(member, "Replica",
				  CONTROL_MEMBER("RegionName", wire_string_shape));
static const WireShape group_shape = {.kind = WIRE_LIST, .element = &member};
WIRE_STRUCT_SHAPE(member_action, "CreateReplicaAction",
				  CONTROL_REQUIRED("RegionName", wire_string_shape));
WIRE_STRUCT_SHAPE(member_update, "ReplicaUpdate",
				  CONTROL_MEMBER("Create", member_action),
				  CONTROL_MEMBER("Delete", member_action));
static const WireShape updates_shape = {
	.kind = WIRE_LIST, .element = &member_update
};

WIRE_REQUEST_SHAPE(global_list_legacy_shape, LegacyRequest, "ListGlobalTablesInput",
				   WIRE_FIELD("Limit", limit_shape, LegacyRequest, limit));
WIRE_REQUEST_SHAPE(global_legacy_shape, LegacyRequest, "GlobalTableInput",
				   WIRE_REQUIRED("GlobalTableName", global_name_shape, LegacyRequest, table));
WIRE_REQUEST_SHAPE(global_create_legacy_shape, LegacyRequest, "CreateGlobalTableInput",
				   WIRE_REQUIRED("GlobalTableName", global_name_shape, LegacyRequest, table),
				   WIRE_REQUIRED("ReplicationGroup", group_shape, LegacyRequest, regions));
WIRE_REQUEST_SHAPE(global_update_legacy_shape, LegacyRequest, "UpdateGlobalTableInput",
				   WIRE_REQUIRED("GlobalTableName", global_name_shape, LegacyRequest, table),
				   WIRE_REQUIRED("ReplicaUpdates", updates_shape, LegacyRequest, updates));

static void refuse_version(void) pg_attribute_noreturn();

void
global_create_legacy(DynamoRequest *request, StringInfo out)
{
	const LegacyRequest *r = request->input;

	control_check_old_name("TableName", "globalTableName", r->table);
	refuse_version();
}

static void
refuse_version(void)
{
	dynamo_error(DYNAMO_VALIDATION,
				 DYNAMO_INVALID "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
}

/*
 * A table could become global, as long as the service let it.  None is, so no
 * region can leave one.
 */
void
global_update_legacy(DynamoRequest *request, StringInfo out)
{
	const LegacyRequest *r = request->input;
	bool		leaves = false;
	bool		comes = false;
	size_t		i;
	json_t	   *update;

	control_check_old_name("TableName", "globalTableName", r->table);
	json_array_foreach(r->updates, i, update)
	{
		CHECK_FOR_INTERRUPTS();
		comes |= wire_json_get(update, "Create") != NULL;
		leaves |= wire_json_get(update, "Delete") != NULL;
	}
	if (!comes && !leaves)
		dynamo_error(DYNAMO_VALIDATION, "One or more parameter values were invalid");
	if (leaves || schema_find_table(r->table) == NULL)
		dynamo_error(DYNAMO_GLOBAL_TABLE_NOT_FOUND, LEGACY_NOT_FOUND, r->table);
	refuse_version();
}

void
global_describe_legacy(DynamoRequest *request, StringInfo out)
{
	const LegacyRequest *r = request->input;

	control_check_old_name("TableName", "globalTableName", r->table);
	dynamo_error(DYNAMO_GLOBAL_TABLE_NOT_FOUND,
				 "Global table not found: " LEGACY_NOT_FOUND, r->table);
}

/* Both operations on settings. */
void
global_find_legacy(DynamoRequest *request, StringInfo out)
{
	const LegacyRequest *r = request->input;

	control_check_old_name("TableName", "globalTableName", r->table);
	dynamo_error(DYNAMO_GLOBAL_TABLE_NOT_FOUND, LEGACY_NOT_FOUND, r->table);
}

void
global_list_legacy(DynamoRequest *request, StringInfo out)
{
	appendStringInfoString(out, "{\"GlobalTables\":[]}");
}
