/*-------------------------------------------------------------------------
 *
 * api_table.c
 *	  CreateTable, DescribeTable, ListTables, DeleteTable; the limits and
 *	  endpoints of the service.
 *
 * A table is there when CreateTable returns and gone when DeleteTable returns.
 * It is not deleted while one of its indexes is being built.
 * The answers still say CREATING and DELETING, as clients expect before they
 * begin to poll DescribeTable, which says ACTIVE at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_table.h"

typedef struct TableRequest
{
	const char *table_name;
} TableRequest;

typedef struct ListRequest
{
	const char *start;
	ApiInteger	limit;
} ListRequest;

#define MAX_LIST	100

static void create_table(const void *request, StringInfo out);
static void describe_table(const void *request, StringInfo out);
static void delete_table(const void *request, StringInfo out);
static void list_tables(const void *request, StringInfo out);
static void describe_limits(const void *request, StringInfo out);
static void describe_endpoints(const void *request, StringInfo out);

static const ApiShape limit_shape = {.kind = API_INTEGER, API_BETWEEN(1, MAX_LIST)};

static const ApiField table_fields[] = {
	API_FIELD("TableName", api_control_name_shape, TableRequest, table_name),
	API_FIELDS_END
};
static const ApiShape describe_table_shape = {
	.kind = API_STRUCT, .name = "DescribeTableInput", .fields = table_fields
};
static const ApiShape delete_table_shape = {
	.kind = API_STRUCT, .name = "DeleteTableInput", .fields = table_fields
};

static const ApiField list_fields[] = {
	API_FIELD("ExclusiveStartTableName", api_name_shape, ListRequest, start),
	API_FIELD("Limit", limit_shape, ListRequest, limit),
	API_FIELDS_END
};
static const ApiShape list_tables_shape = {
	.kind = API_STRUCT, .name = "ListTablesInput", .fields = list_fields
};

static const ApiField no_fields[] = {API_FIELDS_END};
static const ApiShape empty_shape = {
	.kind = API_STRUCT, .name = "Input", .fields = no_fields
};

const ApiOperation api_table_operations[] = {
	{"CreateTable", &api_create_table_shape, sizeof(ApiCreateTable), create_table, API_CONFLICT_RESOURCE},
	{"DescribeTable", &describe_table_shape, sizeof(TableRequest), describe_table},
	{"UpdateTable", &api_update_table_shape, sizeof(ApiUpdateTable), api_update_table, API_CONFLICT_RESOURCE},
	{"DeleteTable", &delete_table_shape, sizeof(TableRequest), delete_table, API_CONFLICT_RESOURCE},
	{"ListTables", &list_tables_shape, sizeof(ListRequest), list_tables},
	{"TagResource", &api_tag_resource_shape, sizeof(ApiTagRequest), api_tag_resource, API_CONFLICT_RESOURCE},
	{"UntagResource", &api_untag_resource_shape, sizeof(ApiTagRequest), api_untag_resource, API_CONFLICT_RESOURCE},
	{"ListTagsOfResource", &api_list_tags_shape, sizeof(ApiTagRequest), api_list_tags},
	{"DescribeLimits", &empty_shape, 1, describe_limits},
	{"DescribeEndpoints", &empty_shape, 1, describe_endpoints},
	{NULL}
};

/*
 * TableName must be there, which no shape says: it has a text of its own.
 */
void
api_require_table(const char *name_or_arn)
{
	if (name_or_arn == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "The parameter 'TableName' is required but was not present in the request");
}

/*
 * The definition behind a TableName, which may be an ARN.
 */
const TableDef *
api_find_table(const char *name_or_arn)
{
	const TableDef *def;
	const char *name;

	api_require_table(name_or_arn);
	name = api_table_name(name_or_arn);
	def = schema_find_table(name);
	if (def == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Table: %s not found", name);
	return def;
}

static void
create_table(const void *request, StringInfo out)
{
	const ApiCreateTable *r = request;
	TableSpec	spec = {0};
	ApiTableChange change = {.warm = api_is_given(r->warm)};

	api_require_table(r->table_name);
	spec.name = api_table_name(r->table_name);
	api_check_create_table(r, &spec);
	spec.created_at = GetCurrentTimestamp();
	spec.settings = api_create_settings(r, spec.created_at);
	api_check_create_quotas(r);
	schema_create_table(&spec);
	if (r->stream && api_is_true(r->stream, "StreamEnabled"))
		api_change_stream(r->stream, spec.name);

	appendStringInfoChar(out, '{');
	api_append_table(out, "TableDescription", schema_find_table(spec.name),
					 API_TABLE_CREATING, &change);
	appendStringInfoChar(out, '}');
}

static void
describe_table(const void *request, StringInfo out)
{
	const TableRequest *r = request;

	appendStringInfoChar(out, '{');
	api_append_table(out, "Table", api_find_table(r->table_name),
					 API_TABLE_ACTIVE, NULL);
	appendStringInfoChar(out, '}');
}

static void
delete_table(const void *request, StringInfo out)
{
	const TableRequest *r = request;
	const TableDef *def = api_find_table(r->table_name);

	schema_lock_definition(def->name);
	def = api_find_table(r->table_name);	/* as it is now */
	if (json_is_true(json_object_get(api_settings(def->settings),
									 "DeletionProtectionEnabled")))
		dynamo_error(DYNAMO_VALIDATION,
					 "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.");
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].building)
			dynamo_error(DYNAMO_RESOURCE_IN_USE,
						 IN_USE "Cannot delete table while indexes are being created, updated, or deleted.");
	}
	appendStringInfoChar(out, '{');
	api_append_table(out, "TableDescription", def, API_TABLE_DELETING, NULL);
	appendStringInfoChar(out, '}');
	schema_drop_table(def->name);
}

/*
 * Reads one name more than it tells, to know whether there are more.
 */
static void
list_tables(const void *request, StringInfo out)
{
	const ListRequest *r = request;
	int			limit = r->limit.given ? r->limit.value : MAX_LIST;
	List	   *names = schema_list_tables(r->start, limit + 1);
	int			told = Min(list_length(names), limit);

	appendStringInfoChar(out, '{');
	api_member(out, "TableNames");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < told; i++)
	{
		api_element(out);
		api_append_string(out, list_nth(names, i));
	}
	appendStringInfoChar(out, ']');
	if (list_length(names) > told)
		api_string_member(out, "LastEvaluatedTableName",
						  list_nth(names, told - 1));
	appendStringInfoChar(out, '}');
}

static void
describe_limits(const void *request, StringInfo out)
{
	appendStringInfoChar(out, '{');
	api_integer_member(out, "AccountMaxReadCapacityUnits", 80000);
	api_integer_member(out, "AccountMaxWriteCapacityUnits", 80000);
	api_integer_member(out, "TableMaxReadCapacityUnits", 40000);
	api_integer_member(out, "TableMaxWriteCapacityUnits", 40000);
	appendStringInfoChar(out, '}');
}

static void
describe_endpoints(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"Endpoints\":[{");
	api_string_member(out, "Address", api_host ? api_host :
					  psprintf("dynamodb.%s.amazonaws.com", api_region));
	api_integer_member(out, "CachePeriodInMinutes", 1440);
	appendStringInfoString(out, "}]}");
}
