/*-------------------------------------------------------------------------
 *
 * api_table_absent.c
 *	  Operations about what a table does not have here: replicas, policies,
 *	  Kinesis streams, Contributor Insights.
 *
 * Tools that create a table ask next what it has of these.  They are told the
 * truth in the service's words, that it has none, and who asks to switch one
 * off is told that it is off.  To ask for one is an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_stream.h"
#include "api/api_table.h"

#define MAX_LIST			100

/* Whatever these operations ask about. */
typedef struct AbsentRequest
{
	const char *table;			/* TableName, or GlobalTableName */
	const char *index;
	const char *arn;			/* ResourceArn */
	const char *revision;		/* ExpectedRevisionId */
	ApiInteger	limit;
} AbsentRequest;

static void refuse_replica(const char *region, bool create);
static void describe_kinesis(const void *request, StringInfo out);
static void describe_insights(const void *request, StringInfo out);
static void get_policy(const void *request, StringInfo out);
static void delete_policy(const void *request, StringInfo out);
static void refuse_global_table(const void *request, StringInfo out);
static void find_global_table(const void *request, StringInfo out);
static void find_replicas(const void *request, StringInfo out);
static void list_global_tables(const void *request, StringInfo out);
static void find_policy_holder(const char *arn);

static const ApiShape limit_shape = {
	.kind = API_INTEGER, API_BETWEEN(1, MAX_LIST)
};

API_STRUCT_SHAPE(table_shape, "TableInput",
				 API_FIELD("TableName", api_control_name_shape, AbsentRequest, table));
API_STRUCT_SHAPE(list_shape, "ListGlobalTablesInput",
				 API_FIELD("Limit", limit_shape, AbsentRequest, limit));
API_STRUCT_SHAPE(insights_shape, "DescribeContributorInsightsInput",
				 API_FIELD("TableName", api_control_name_shape, AbsentRequest, table),
				 API_FIELD("IndexName", api_name_shape, AbsentRequest, index));
API_STRUCT_SHAPE(policy_shape, "ResourcePolicyInput",
				 API_REQUIRED("ResourceArn", api_resource_arn_shape, AbsentRequest, arn),
				 API_FIELD("ExpectedRevisionId", api_string_shape, AbsentRequest, revision));
API_STRUCT_SHAPE(global_shape, "GlobalTableInput",
				 API_REQUIRED("GlobalTableName", api_name_shape, AbsentRequest, table));

const ApiOperation api_absent_operations[] = {
	{"DescribeKinesisStreamingDestination", &table_shape, sizeof(AbsentRequest), describe_kinesis},
	{"DescribeContributorInsights", &insights_shape, sizeof(AbsentRequest), describe_insights},
	{"GetResourcePolicy", &policy_shape, sizeof(AbsentRequest), get_policy},
	{"DeleteResourcePolicy", &policy_shape, sizeof(AbsentRequest), delete_policy},
	{"DescribeTableReplicaAutoScaling", &table_shape, sizeof(AbsentRequest), find_replicas},
	{"UpdateTableReplicaAutoScaling", &table_shape, sizeof(AbsentRequest), find_replicas},
	{"CreateGlobalTable", &global_shape, sizeof(AbsentRequest), refuse_global_table},
	{"UpdateGlobalTable", &global_shape, sizeof(AbsentRequest), refuse_global_table},
	{"DescribeGlobalTable", &global_shape, sizeof(AbsentRequest), find_global_table},
	{"DescribeGlobalTableSettings", &global_shape, sizeof(AbsentRequest), find_global_table},
	{"UpdateGlobalTableSettings", &global_shape, sizeof(AbsentRequest), find_global_table},
	{"ListGlobalTables", &list_shape, sizeof(AbsentRequest), list_global_tables},
	{NULL}
};

/*
 * Refuse a member that asks for what there is not, rather than pass over it.
 */
void
api_refuse(const char *member, bool given)
{
	if (given)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "%s is not supported", member);
}

/*
 * ReplicaUpdates: there are no replicas, and no region but this one.
 */
void
api_check_replicas(json_t *updates)
{
	static const char *const actions[] = {"Create", "Update", "Delete"};
	int			made = 0;
	size_t		i;
	json_t	   *update;

	json_array_foreach(updates, i, update)
	{
		if (!api_json_get(update, "Create") && !api_json_get(update, "Update") &&
			!api_json_get(update, "Delete"))
			dynamo_error(DYNAMO_VALIDATION,
						 "There are no actions specified in the Replica Update Action of the request.");
		made += !api_json_get(update, "Update");
	}
	if (made > 1)
		dynamo_error(DYNAMO_VALIDATION,
					 "Update table operation with more than one create or delete replica actions not allowed");

	json_array_foreach(updates, i, update)
	{
		for (int j = 0; j < lengthof(actions); j++)
		{
			json_t	   *action = api_json_get(update, actions[j]);

			if (action)
				refuse_replica(api_json_text(json_object_get(action, "RegionName")),
							   j == 0);
		}
	}
}

static void
refuse_replica(const char *region, bool create)
{
	if (strcmp(region, api_region) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.");
	if (create)
		dynamo_error(DYNAMO_VALIDATION,
					 "Region %s is not supported. The latest version of global tables are only supported in the following regions: [%s]",
					 region, api_region);
	dynamo_error(DYNAMO_VALIDATION,
				 "Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [%s].",
				 region);
}

static void
describe_kinesis(const void *request, StringInfo out)
{
	const AbsentRequest *r = request;

	appendStringInfoChar(out, '{');
	api_string_member(out, "TableName", api_find_table(r->table)->name);
	appendStringInfoString(out, ",\"KinesisDataStreamDestinations\":[]}");
}

static void
describe_insights(const void *request, StringInfo out)
{
	const AbsentRequest *r = request;
	const TableDef *def = api_find_table(r->table);
	const IndexDef *index = r->index ? schema_find_index(def, r->index) : NULL;

	if (r->index && (index == NULL || index->local))
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Index: %s not found for table: %s",
					 r->index, def->name);
	appendStringInfoChar(out, '{');
	api_string_member(out, "TableName", def->name);
	if (r->index)
		api_string_member(out, "IndexName", r->index);
	api_string_member(out, "ContributorInsightsStatus", "DISABLED");
	appendStringInfoChar(out, '}');
}

static void
get_policy(const void *request, StringInfo out)
{
	const AbsentRequest *r = request;

	find_policy_holder(r->arn);
	dynamo_error(DYNAMO_POLICY_NOT_FOUND,
				 "Resource-based policy not found for the provided ResourceArn: %s",
				 r->arn);
}

/*
 * There is none to delete, which is an error only for who expects one.
 */
static void
delete_policy(const void *request, StringInfo out)
{
	const AbsentRequest *r = request;

	if (r->revision)
		get_policy(request, out);
	find_policy_holder(r->arn);
	appendStringInfoString(out, "{}");
}

static void
refuse_global_table(const void *request, StringInfo out)
{
	dynamo_error(DYNAMO_VALIDATION,
				 DYNAMO_INVALID "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).");
}

static void
find_global_table(const void *request, StringInfo out)
{
	const AbsentRequest *r = request;

	dynamo_error(DYNAMO_GLOBAL_TABLE_NOT_FOUND,
				 "Global table with name: '%s' does not exist.", r->table);
}

static void
find_replicas(const void *request, StringInfo out)
{
	const AbsentRequest *r = request;

	api_require_table(r->table);
	dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
				 "Global table with name: '%s' does not exist.",
				 api_table_name(r->table));
}

static void
list_global_tables(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"GlobalTables\":[]}");
}

/*
 * A table or a stream must exist to be without a policy.
 */
static void
find_policy_holder(const char *arn)
{
	ApiStreamName stream;

	if (!api_parse_stream_arn(arn, &stream) || !stream.ours)
		(void) api_find_table(api_resource_table(arn));
	else if (schema_find_stream(stream.table, stream.label) == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Stream: %s not found for Table: %s",
					 stream.label, stream.table);
}
