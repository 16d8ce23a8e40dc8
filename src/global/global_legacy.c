/*-------------------------------------------------------------------------
 *
 * global_legacy.c
 *	  Operations on global tables of the version of 2017, and on replicas.
 *
 * The service has ended that version: it makes none any more, and finds none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"

#define MAX_LIST			100

/* Whatever these operations ask about. */
typedef struct LegacyRequest
{
	const char *table;			/* TableName, or GlobalTableName */
	WireInteger limit;
} LegacyRequest;

static const WireShape limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_LIST)
};

static const WireShape global_name_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE
};

WIRE_REQUEST_SHAPE(global_scaling_shape, LegacyRequest, "TableInput",
				   WIRE_FIELD("TableName", control_table_name_shape, LegacyRequest, table));
WIRE_REQUEST_SHAPE(global_list_legacy_shape, LegacyRequest, "ListGlobalTablesInput",
				   WIRE_FIELD("Limit", limit_shape, LegacyRequest, limit));
WIRE_REQUEST_SHAPE(global_legacy_shape, LegacyRequest, "GlobalTableInput",
				   WIRE_REQUIRED("GlobalTableName", global_name_shape, LegacyRequest, table));

void
global_refuse_legacy(DynamoRequest *request, StringInfo out)
{
	const LegacyRequest *r = request->input;

	control_check_old_name("TableName", "globalTableName", r->table);
	dynamo_error(DYNAMO_VALIDATION,
				 DYNAMO_INVALID "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
}

void
global_find_legacy(DynamoRequest *request, StringInfo out)
{
	const LegacyRequest *r = request->input;

	control_check_old_name("TableName", "globalTableName", r->table);
	dynamo_error(DYNAMO_GLOBAL_TABLE_NOT_FOUND,
				 "Global table with name: '%s' does not exist.", r->table);
}

void
global_find_replicas(DynamoRequest *request, StringInfo out)
{
	const LegacyRequest *r = request->input;

	control_require_table(r->table);
	dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
				 "Global table with name: '%s' does not exist.",
				 wire_table_name(r->table));
}

void
global_list_legacy(DynamoRequest *request, StringInfo out)
{
	appendStringInfoString(out, "{\"GlobalTables\":[]}");
}
