/*-------------------------------------------------------------------------
 *
 * api_command.c
 *	  The table of commands: one row an operation.
 *
 * The rows are sorted by name; a target header adds the name of the service
 * the operation belongs to.  A row without a handler is an operation that
 * DynamoDB has and we have not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "control/control.h"

#define DYNAMODB	"DynamoDB_20120810."
#define STREAMS		"DynamoDBStreams_20120810."

static const ApiOperation commands[] = {
	{"BatchExecuteStatement", DYNAMODB, &api_batch_execute_statement_shape, api_batch_execute_statement, WIRE_CONFLICT_WRITE, .many = true},
	{"BatchGetItem", DYNAMODB, &api_batch_get_item_shape, api_batch_get_item, WIRE_CONFLICT_NONE, .many = true},
	{"BatchWriteItem", DYNAMODB, &api_batch_write_item_shape, api_batch_write_item, WIRE_CONFLICT_WRITE, .many = true},
	{"CancelBulkOperation", DYNAMODB, &control_bulk_operation_shape, control_cancel_bulk_operation, WIRE_CONFLICT_RESOURCE},
	{"CreateBackup", DYNAMODB, &control_create_backup_shape, control_create_backup, WIRE_CONFLICT_NONE},
	{"CreateGlobalTable", DYNAMODB, &control_global_table_shape, control_refuse_global_table, WIRE_CONFLICT_NONE},
	{"CreateTable", DYNAMODB, &control_create_table_shape, control_create_table, WIRE_CONFLICT_RESOURCE},
	{"DeleteBackup", DYNAMODB, &control_backup_shape, control_delete_backup, WIRE_CONFLICT_NONE},
	{"DeleteItem", DYNAMODB, &api_delete_item_shape, api_delete_item, WIRE_CONFLICT_WRITE, API_COUNTS_DELETE, .routed = true},
	{"DeleteResourcePolicy", DYNAMODB, &control_policy_shape, control_delete_policy, WIRE_CONFLICT_RESOURCE},
	{"DeleteTable", DYNAMODB, &control_delete_table_shape, control_delete_table, WIRE_CONFLICT_RESOURCE},
	{"DescribeBackup", DYNAMODB, &control_backup_shape, control_describe_backup, WIRE_CONFLICT_NONE},
	{"DescribeBulkOperation", DYNAMODB, &control_bulk_operation_shape, control_describe_bulk_operation, WIRE_CONFLICT_NONE},
	{"DescribeContinuousBackups", DYNAMODB, &control_describe_continuous_backups_shape, control_describe_continuous_backups, WIRE_CONFLICT_NONE},
	{"DescribeContributorInsights", DYNAMODB, &control_insights_shape, control_describe_insights, WIRE_CONFLICT_NONE},
	{"DescribeEndpoints", DYNAMODB, &control_empty_shape, control_describe_endpoints, WIRE_CONFLICT_NONE},
	{"DescribeExport", DYNAMODB, &control_describe_export_shape, control_find_export, WIRE_CONFLICT_NONE},
	{"DescribeGlobalTable", DYNAMODB, &control_global_table_shape, control_find_global_table, WIRE_CONFLICT_NONE},
	{"DescribeGlobalTableSettings", DYNAMODB, &control_global_table_shape, control_find_global_table, WIRE_CONFLICT_NONE},
	{"DescribeImport", DYNAMODB, &control_describe_import_shape, control_describe_import, WIRE_CONFLICT_NONE},
	{"DescribeKinesisStreamingDestination", DYNAMODB, &control_absent_table_shape, control_describe_kinesis, WIRE_CONFLICT_NONE},
	{"DescribeLimits", DYNAMODB, &control_empty_shape, control_describe_limits, WIRE_CONFLICT_NONE},
	{"DescribeStream", STREAMS, &control_describe_stream_shape, control_describe_stream, WIRE_CONFLICT_NONE, .routed = true},
	{"DescribeTable", DYNAMODB, &control_describe_table_shape, control_describe_table, WIRE_CONFLICT_NONE},
	{"DescribeTableReplicaAutoScaling", DYNAMODB, &control_absent_table_shape, control_find_replicas, WIRE_CONFLICT_NONE},
	{"DescribeTimeToLive", DYNAMODB, &control_describe_ttl_shape, control_describe_ttl, WIRE_CONFLICT_NONE},
	{"DisableKinesisStreamingDestination", DYNAMODB},
	{"EnableKinesisStreamingDestination", DYNAMODB},
	{"ExecuteStatement", DYNAMODB, &api_execute_statement_shape, api_execute_statement, WIRE_CONFLICT_WRITE},
	{"ExecuteTransaction", DYNAMODB, &api_execute_transaction_shape, api_execute_transaction, WIRE_CONFLICT_TRANSACTION, .many = true},
	{"ExportTableToPointInTime", DYNAMODB, &control_export_table_shape, control_export_table, WIRE_CONFLICT_NONE},
	{"GetItem", DYNAMODB, &api_get_item_shape, api_get_item, WIRE_CONFLICT_NONE, .routed = true},
	{"GetRecords", STREAMS, &control_get_records_shape, control_get_records, WIRE_CONFLICT_NONE, .routed = true},
	{"GetResourcePolicy", DYNAMODB, &control_policy_shape, control_get_policy, WIRE_CONFLICT_NONE},
	{"GetShardIterator", STREAMS, &control_get_shard_iterator_shape, control_get_shard_iterator, WIRE_CONFLICT_NONE, .routed = true},
	{"ImportTable", DYNAMODB, &control_import_table_shape, control_import_table, WIRE_CONFLICT_RESOURCE},
	{"ListBackups", DYNAMODB, &control_list_backups_shape, control_list_backups, WIRE_CONFLICT_NONE},
	{"ListBulkOperations", DYNAMODB, &control_list_bulk_operations_shape, control_list_bulk_operations, WIRE_CONFLICT_NONE},
	{"ListContributorInsights", DYNAMODB, &control_list_insights_shape, control_list_insights, WIRE_CONFLICT_NONE},
	{"ListExports", DYNAMODB, &control_list_exports_shape, control_list_exports, WIRE_CONFLICT_NONE},
	{"ListGlobalTables", DYNAMODB, &control_list_global_tables_shape, control_list_global_tables, WIRE_CONFLICT_NONE},
	{"ListImports", DYNAMODB, &control_list_imports_shape, control_list_imports, WIRE_CONFLICT_NONE},
	{"ListStreams", STREAMS, &control_list_streams_shape, control_list_streams, WIRE_CONFLICT_NONE},
	{"ListTables", DYNAMODB, &control_list_tables_shape, control_list_tables, WIRE_CONFLICT_NONE},
	{"ListTagsOfResource", DYNAMODB, &control_list_tags_shape, control_list_tags, WIRE_CONFLICT_NONE},
	{"PutItem", DYNAMODB, &api_put_item_shape, api_put_item, WIRE_CONFLICT_WRITE, API_COUNTS_PUT, .routed = true},
	{"PutResourcePolicy", DYNAMODB, &control_policy_shape, control_put_policy, WIRE_CONFLICT_RESOURCE},
	{"Query", DYNAMODB, &api_query_shape, api_query, WIRE_CONFLICT_NONE, API_COUNTS_QUERY, .routed = true},
	{"RestoreTableFromBackup", DYNAMODB, &control_restore_from_backup_shape, control_restore_from_backup, WIRE_CONFLICT_NONE},
	{"RestoreTableToPointInTime", DYNAMODB, &control_restore_to_time_shape, control_restore_to_time, WIRE_CONFLICT_NONE},
	{"Scan", DYNAMODB, &api_scan_shape, api_scan, WIRE_CONFLICT_NONE},
	{"StartBulkPutItems", DYNAMODB, &control_start_bulk_put_items_shape, control_start_bulk_put_items, WIRE_CONFLICT_RESOURCE},
	{"TagResource", DYNAMODB, &control_tag_resource_shape, control_tag_resource, WIRE_CONFLICT_RESOURCE},
	{"TransactGetItems", DYNAMODB, &api_transact_get_items_shape, api_transact_get_items, WIRE_CONFLICT_TRANSACTION, .many = true, .routed = true},
	{"TransactWriteItems", DYNAMODB, &api_transact_write_items_shape, api_transact_write_items, WIRE_CONFLICT_TRANSACTION, .many = true},
	{"UntagResource", DYNAMODB, &control_untag_resource_shape, control_untag_resource, WIRE_CONFLICT_RESOURCE},
	{"UpdateContinuousBackups", DYNAMODB, &control_update_continuous_backups_shape, control_update_continuous_backups, WIRE_CONFLICT_NONE},
	{"UpdateContributorInsights", DYNAMODB, &control_update_insights_shape, control_update_insights, WIRE_CONFLICT_RESOURCE},
	{"UpdateGlobalTable", DYNAMODB, &control_global_table_shape, control_refuse_global_table, WIRE_CONFLICT_NONE},
	{"UpdateGlobalTableSettings", DYNAMODB, &control_global_table_shape, control_find_global_table, WIRE_CONFLICT_NONE},
	{"UpdateItem", DYNAMODB, &api_update_item_shape, api_update_item, WIRE_CONFLICT_WRITE, API_COUNTS_UPDATE, .routed = true},
	{"UpdateKinesisStreamingDestination", DYNAMODB},
	{"UpdateTable", DYNAMODB, &control_update_table_shape, control_update_table, WIRE_CONFLICT_RESOURCE},
	{"UpdateTableReplicaAutoScaling", DYNAMODB, &control_absent_table_shape, control_find_replicas, WIRE_CONFLICT_NONE},
	{"UpdateTimeToLive", DYNAMODB, &control_update_ttl_shape, control_update_ttl, WIRE_CONFLICT_RESOURCE},
};

/* What a target names that is no operation of its service. */
static const ApiOperation unknown = {""};

static const ApiOperation *find(const char *name);
static int	compare_name(const void *name, const void *command);

const ApiOperation *
api_operation(const char *name)
{
	const ApiOperation *op = find(name);
	ApiOperation *missing;

	if (op != NULL)
		return op;
	missing = palloc0(sizeof(ApiOperation));
	missing->name = pstrdup(name);
	return missing;
}

const ApiOperation *
api_target_operation(const char *target)
{
	const char *dot = target ? strchr(target, '.') : NULL;
	const ApiOperation *op = dot ? find(dot + 1) : NULL;

	if (op == NULL || strncmp(target, op->service, dot + 1 - target) != 0)
		return &unknown;
	return op;
}

/*
 * What is no operation has the number after the last.
 */
int
api_operation_number(const ApiOperation *op)
{
	return op >= commands && op < commands + lengthof(commands) ?
		op - commands : lengthof(commands);
}

StaticAssertDecl(lengthof(commands) < STATS_MAX_OPERATIONS,
				 "each operation has a number in the statistics");

/*
 * Called once a process.
 */
void
api_name_operations(void)
{
	const char *names[lengthof(commands) + 1];

	for (int i = 0; i < lengthof(commands); i++)
		names[i] = commands[i].name;
	names[lengthof(commands)] = "Unknown";
	stats_name_operations(names, lengthof(names));
}

const char *
api_operation_name(const ApiOperation *op)
{
	return op->name;
}

bool
api_operation_writes(const ApiOperation *op)
{
	return op->conflict != WIRE_CONFLICT_NONE;
}

bool
api_operation_is_many(const ApiOperation *op)
{
	return op->many;
}

/*
 * An operation whose name differs in case only; NULL: there is none.
 */
const char *
api_similar_operation(const char *name)
{
	for (int i = 0; i < lengthof(commands); i++)
	{
		if (pg_strcasecmp(commands[i].name, name) == 0)
			return commands[i].name;
	}
	return NULL;
}

/*
 * The row of that name; NULL: there is none.
 */
static const ApiOperation *
find(const char *name)
{
	return bsearch(name, commands, lengthof(commands), sizeof(ApiOperation),
				   compare_name);
}

static int
compare_name(const void *name, const void *command)
{
	return strcmp(name, ((const ApiOperation *) command)->name);
}
