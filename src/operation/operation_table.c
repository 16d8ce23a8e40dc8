/*-------------------------------------------------------------------------
 *
 * operation_table.c
 *	  The table of commands: one row an operation, and all that is known of it.
 *
 * There is no other list of operations: what policies, statistics, EXPLAIN, the
 * cluster and tests need to know of one stands in its row (Operation), and
 * is given to layers below when the module is loaded.  test/check-layers holds
 * that.
 *
 * The rows are sorted by name; a target header adds the name of the service
 * the operation belongs to.  A row without a handler is an operation that
 * DynamoDB has and we have not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive.h"
#include "control/control.h"
#include "global/global.h"
#include "monitor/monitor.h"
#include "operation/operation_internal.h"
#include "search/search.h"
#include "stream/stream.h"
#include "transfer/transfer_api.h"

#define DYNAMODB	"DynamoDB_20120810."
#define STREAMS		"DynamoDBStreams_20120810."

/* Ours, which AWS has not.  The console asks for them. */
#define OWN			"Dynamo_20261201."

static const Operation commands[] = {
	{"BatchExecuteStatement", DYNAMODB, &statement_batch_shape, statement_batch, WIRE_CONFLICT_WRITE, .writes = true, .parts = OPERATION_BATCH, .checked = OPERATION_CHECKED_BY_PARTS, .explained = true},
	{"BatchGetItem", DYNAMODB, &api_batch_get_item_shape, api_batch_get_item, WIRE_CONFLICT_NONE, .place = OPERATION_AT_ITEMS, .parts = OPERATION_BATCH, .checked = OPERATION_CHECKED_LATER, .explained = true},
	{"BatchWriteItem", DYNAMODB, &api_batch_write_item_shape, api_batch_write_item, WIRE_CONFLICT_WRITE, .writes = true, .place = OPERATION_AT_ITEMS, .parts = OPERATION_BATCH, .checked = OPERATION_CHECKED_LATER, .explained = true},
	{"CancelBulkOperation", DYNAMODB, &transfer_bulk_operation_shape, transfer_cancel_bulk_operation, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"CreateBackup", DYNAMODB, &archive_create_backup_shape, archive_create_backup, WIRE_CONFLICT_NONE, .writes = true, .reach = POLICY_ALL_ITEMS},
	{"CreateGlobalTable", DYNAMODB, &global_create_legacy_shape, global_create_legacy, WIRE_CONFLICT_NONE, .writes = true},
	{"CreateTable", DYNAMODB, &control_create_table_shape, control_create_table, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"DeleteBackup", DYNAMODB, &archive_backup_shape, archive_delete_backup, WIRE_CONFLICT_NONE, .writes = true, .reach = POLICY_ALL_ITEMS},
	{"DeleteItem", DYNAMODB, &api_delete_item_shape, api_delete_item, WIRE_CONFLICT_WRITE, .writes = true, .place = OPERATION_AT_ITEMS, .checked = OPERATION_CHECKED_LATER, .explained = true, .counts = OPERATION_COUNTS_DELETE},
	{"DeleteResourcePolicy", DYNAMODB, &control_policy_shape, control_delete_policy, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR, .reach = POLICY_ALL_ITEMS},
	{"DeleteTable", DYNAMODB, &control_delete_table_shape, control_delete_table, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR, .reach = POLICY_ALL_ITEMS},
	{"DescribeBackup", DYNAMODB, &archive_backup_shape, archive_describe_backup, WIRE_CONFLICT_NONE},
	{"DescribeBulkOperation", DYNAMODB, &transfer_bulk_operation_shape, transfer_describe_bulk_operation, WIRE_CONFLICT_NONE},
	{"DescribeContinuousBackups", DYNAMODB, &archive_describe_continuous_backups_shape, archive_describe_continuous_backups, WIRE_CONFLICT_NONE, .place = OPERATION_AT_COORDINATOR},
	{"DescribeContributorInsights", DYNAMODB, &control_insights_shape, control_describe_insights, WIRE_CONFLICT_NONE},
	{"DescribeEndpoints", DYNAMODB, &control_empty_shape, control_describe_endpoints, WIRE_CONFLICT_NONE},
	{"DescribeExport", DYNAMODB, &transfer_describe_export_shape, transfer_find_export, WIRE_CONFLICT_NONE},
	{"DescribeGlobalTable", DYNAMODB, &global_legacy_shape, global_describe_legacy, WIRE_CONFLICT_NONE},
	{"DescribeGlobalTableSettings", DYNAMODB, &global_legacy_shape, global_find_legacy, WIRE_CONFLICT_NONE},
	{"DescribeHotKeys", OWN, &monitor_keys_shape, monitor_describe_keys, WIRE_CONFLICT_NONE, .reach = POLICY_ALL_ITEMS, .action = "Scan"},
	{"DescribeImport", DYNAMODB, &transfer_describe_import_shape, transfer_describe_import, WIRE_CONFLICT_NONE},
	{"DescribeKinesisStreamingDestination", DYNAMODB, &control_describe_kinesis_shape, control_describe_kinesis, WIRE_CONFLICT_NONE},
	{"DescribeLimits", DYNAMODB, &control_empty_shape, control_describe_limits, WIRE_CONFLICT_NONE},
	{"DescribePlan", OWN, &monitor_plan_shape, monitor_describe_plan, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_BY_PARTS},
	{"DescribeStatistics", OWN, &monitor_statistics_shape, monitor_describe_statistics, WIRE_CONFLICT_NONE, .action = "DescribeTable"},
	{"DescribeStream", STREAMS, &stream_describe_stream_shape, stream_describe_stream, WIRE_CONFLICT_NONE, .place = OPERATION_AT_ITEMS},
	{"DescribeTable", DYNAMODB, &control_describe_table_shape, control_describe_table, WIRE_CONFLICT_NONE},
	{"DescribeTableReplicaAutoScaling", DYNAMODB, &global_describe_scaling_shape, global_describe_scaling, WIRE_CONFLICT_NONE},
	{"DescribeTimeToLive", DYNAMODB, &control_describe_ttl_shape, control_describe_ttl, WIRE_CONFLICT_NONE},
	{"DisableKinesisStreamingDestination", DYNAMODB, &control_kinesis_shape, control_disable_kinesis, WIRE_CONFLICT_NONE, .writes = true},
	{"EnableKinesisStreamingDestination", DYNAMODB, &control_kinesis_shape, control_enable_kinesis, WIRE_CONFLICT_NONE, .writes = true},
	{"ExecuteStatement", DYNAMODB, &statement_execute_shape, statement_execute, WIRE_CONFLICT_WRITE, .writes = true, .checked = OPERATION_CHECKED_BY_PARTS, .explained = true},
	{"ExecuteTransaction", DYNAMODB, &statement_transact_shape, statement_transact, WIRE_CONFLICT_TRANSACTION, .writes = true, .parts = OPERATION_TRANSACTION, .checked = OPERATION_CHECKED_BY_PARTS, .explained = true},
	{"ExportTableToPointInTime", DYNAMODB, &transfer_export_table_shape, transfer_export_table, WIRE_CONFLICT_NONE, .writes = true, .reach = POLICY_LATER},
	{"GetFilterMatches", OWN, &monitor_filter_shape, monitor_filter_matches, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"GetItem", DYNAMODB, &api_get_item_shape, api_get_item, WIRE_CONFLICT_NONE, .place = OPERATION_AT_ITEMS, .checked = OPERATION_CHECKED_LATER, .explained = true},
	{"GetItemAsOf", OWN, &api_get_item_as_of_shape, api_get_item_as_of, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_LATER, .action = "GetItem"},
	{"GetRecords", STREAMS, &stream_get_records_shape, stream_get_records, WIRE_CONFLICT_NONE, .place = OPERATION_AT_ITEMS, .checked = OPERATION_CHECKED_LATER, .reach = POLICY_ALL_ITEMS},
	{"GetResourcePolicy", DYNAMODB, &control_policy_shape, control_get_policy, WIRE_CONFLICT_NONE},
	{"GetShardIterator", STREAMS, &stream_get_shard_iterator_shape, stream_get_shard_iterator, WIRE_CONFLICT_NONE, .place = OPERATION_AT_ITEMS},
	{"ImportTable", DYNAMODB, &transfer_import_table_shape, transfer_import_table, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"ListBackups", DYNAMODB, &archive_list_backups_shape, archive_list_backups, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListBulkOperations", DYNAMODB, &transfer_list_bulk_operations_shape, transfer_list_bulk_operations, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListContributorInsights", DYNAMODB, &control_list_insights_shape, control_list_insights, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListEventSourceMappings", OWN, &control_empty_shape, monitor_list_mappings, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListExports", DYNAMODB, &transfer_list_exports_shape, transfer_list_exports, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListGlobalTables", DYNAMODB, &global_list_legacy_shape, global_list_legacy, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListImports", DYNAMODB, &transfer_list_imports_shape, transfer_list_imports, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListJobs", OWN, &monitor_list_jobs_shape, monitor_list_jobs, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListStreams", STREAMS, &stream_list_streams_shape, stream_list_streams, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListTables", DYNAMODB, &control_list_tables_shape, control_list_tables, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"ListTagsOfResource", DYNAMODB, &control_list_tags_shape, control_list_tags, WIRE_CONFLICT_NONE},
	{"ListWorkers", OWN, &control_empty_shape, monitor_list_workers, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_ON_ALL},
	{"PutItem", DYNAMODB, &api_put_item_shape, api_put_item, WIRE_CONFLICT_WRITE, .writes = true, .place = OPERATION_AT_ITEMS, .checked = OPERATION_CHECKED_LATER, .explained = true, .counts = OPERATION_COUNTS_PUT},
	{"PutResourcePolicy", DYNAMODB, &control_policy_shape, control_put_policy, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR, .reach = POLICY_ALL_ITEMS},
	{"Query", DYNAMODB, &api_query_shape, api_query, WIRE_CONFLICT_NONE, .place = OPERATION_AT_ITEMS, .checked = OPERATION_CHECKED_LATER, .explained = true, .counts = OPERATION_COUNTS_QUERY},
	{"RestoreTableFromBackup", DYNAMODB, &control_restore_from_backup_shape, archive_restore_from_backup, WIRE_CONFLICT_NONE, .writes = true, .place = OPERATION_AT_COORDINATOR, .reach = POLICY_ALL_ITEMS},
	{"RestoreTableToPointInTime", DYNAMODB, &control_restore_to_time_shape, archive_restore_to_time, WIRE_CONFLICT_NONE, .writes = true, .place = OPERATION_AT_COORDINATOR, .reach = POLICY_ALL_ITEMS},
	{"Scan", DYNAMODB, &api_scan_shape, api_scan, WIRE_CONFLICT_NONE, .checked = OPERATION_CHECKED_LATER, .explained = true, .reach = POLICY_ALL_KEYS},
	{"SearchVectors", DYNAMODB, &search_vectors_shape, search_vectors, WIRE_CONFLICT_NONE, .place = OPERATION_AT_ITEMS, .checked = OPERATION_CHECKED_LATER, .reach = POLICY_ALL_ITEMS},
	{"StartBulkPutItems", DYNAMODB, &transfer_start_bulk_put_items_shape, transfer_start_bulk_put_items, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR, .reach = POLICY_LATER},
	{"TagResource", DYNAMODB, &control_tag_resource_shape, control_tag_resource, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"TransactGetItems", DYNAMODB, &api_transact_get_items_shape, api_transact_get_items, WIRE_CONFLICT_TRANSACTION, .place = OPERATION_AT_ITEMS, .parts = OPERATION_TRANSACTION, .checked = OPERATION_CHECKED_BY_PARTS, .explained = true},
	{"TransactWriteItems", DYNAMODB, &api_transact_write_items_shape, api_transact_write_items, WIRE_CONFLICT_TRANSACTION, .writes = true, .place = OPERATION_AT_ITEMS, .parts = OPERATION_TRANSACTION, .checked = OPERATION_CHECKED_BY_PARTS, .explained = true},
	{"UntagResource", DYNAMODB, &control_untag_resource_shape, control_untag_resource, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"UpdateContinuousBackups", DYNAMODB, &archive_update_continuous_backups_shape, archive_update_continuous_backups, WIRE_CONFLICT_NONE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"UpdateContributorInsights", DYNAMODB, &control_update_insights_shape, control_update_insights, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"UpdateEventSourceMapping", OWN, &monitor_update_mapping_shape, monitor_update_mapping, WIRE_CONFLICT_RESOURCE, .writes = true, .checked = OPERATION_CHECKED_ON_ALL},
	{"UpdateGlobalTable", DYNAMODB, &global_update_legacy_shape, global_update_legacy, WIRE_CONFLICT_NONE, .writes = true},
	{"UpdateGlobalTableSettings", DYNAMODB, &global_legacy_shape, global_find_legacy, WIRE_CONFLICT_NONE, .writes = true},
	{"UpdateItem", DYNAMODB, &api_update_item_shape, api_update_item, WIRE_CONFLICT_WRITE, .writes = true, .place = OPERATION_AT_ITEMS, .checked = OPERATION_CHECKED_LATER, .explained = true, .counts = OPERATION_COUNTS_UPDATE},
	{"UpdateKinesisStreamingDestination", DYNAMODB, &control_update_kinesis_shape, control_update_kinesis, WIRE_CONFLICT_NONE, .writes = true},
	{"UpdateTable", DYNAMODB, &control_update_table_shape, global_update_table, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR},
	{"UpdateTableReplicaAutoScaling", DYNAMODB, &global_update_scaling_shape, global_update_scaling, WIRE_CONFLICT_RESOURCE, .writes = true},
	{"UpdateTimeToLive", DYNAMODB, &control_update_ttl_shape, control_update_ttl, WIRE_CONFLICT_RESOURCE, .writes = true, .place = OPERATION_AT_COORDINATOR, .reach = POLICY_ALL_ITEMS},
};

/* What a target names that is no operation of its service. */
static const Operation unknown = {""};

static void add_paths(OperationFacts *facts, const WireShape *shape,
					  const char *path);
static const Operation *find_operation(const char *name);
static int	compare_name(const void *name, const void *command);

const Operation *
operation_find(const char *name)
{
	const Operation *op = find_operation(name);
	Operation  *missing;

	if (op != NULL)
		return op;
	missing = palloc0(sizeof(Operation));
	missing->name = pstrdup(name);
	return missing;
}

const Operation *
operation_of_target(const char *target)
{
	const char *dot = target ? strchr(target, '.') : NULL;
	const Operation *op = dot ? find_operation(dot + 1) : NULL;

	if (op == NULL || strncmp(target, op->service, dot + 1 - target) != 0)
		return &unknown;
	return op;
}

/*
 * What is no operation has the number after the last.
 */
int
operation_number(const Operation *op)
{
	return op >= commands && op < commands + lengthof(commands) ?
		op - commands : lengthof(commands);
}

StaticAssertDecl(lengthof(commands) < STATS_MAX_OPERATIONS,
				 "each operation has a number in the statistics");
StaticAssertDecl(lengthof(commands) <= POLICY_MAX_OPERATIONS,
				 "each operation is an action for policies");

/*
 * Tell the layers below which operations there are.  Called once a process.
 */
void
operation_give_names(void)
{
	static const char *names[lengthof(commands) + 1];

	for (int i = 0; i < lengthof(commands); i++)
		names[i] = commands[i].name;
	names[lengthof(commands)] = "Unknown";
	stats_name_operations(names, lengthof(names));
	policy_name_operations(names, lengthof(commands));
}

/*
 * What is known of the operation with that number, from 0, for SQL; NULL:
 * there is no such number.
 */
const OperationFacts *
operation_facts(int number)
{
	static const char *const places[] = {"any node", "items", "coordinator"};
	static const char *const parts[] = {"one", "batch", "transaction"};
	static const char *const checked[] = {"names", "all", "later", "parts"};
	static const char *const reaches[] = {
		"given", "all keys", "all attributes", "all items", "later"
	};
	const Operation *op;
	OperationFacts *facts;

	if (number < 0 || number >= lengthof(commands))
		return NULL;
	op = &commands[number];
	facts = palloc0(sizeof(OperationFacts));
	facts->name = op->name;
	facts->service = pnstrdup(op->service, strlen(op->service) - 1);
	facts->available = op->handler != NULL;
	facts->writes = op->writes;
	facts->place = places[op->place];
	facts->parts = parts[op->parts];
	facts->checked = checked[op->checked];
	facts->reach = reaches[op->reach];
	facts->explained = op->explained;
	if (op->shape)
		add_paths(facts, op->shape, "");
	return facts;
}

/*
 * Add the paths of what is inside a value: a member of a list is "[]", a key of
 * a map "{}".
 */
static void
add_paths(OperationFacts *facts, const WireShape *shape, const char *path)
{
	if (shape->names != WIRE_NAMES_NOTHING)
		facts->names = lappend(facts->names, pstrdup(path));
	if (shape->kind == WIRE_UNSERVED)
		facts->refused = lappend(facts->refused, pstrdup(path));
	else if (path[0] != '\0')
		facts->members = lappend(facts->members, pstrdup(path));
	if (shape->key)
		add_paths(facts, shape->key, psprintf("%s{}", path));
	if (shape->element)
		add_paths(facts, shape->element, psprintf("%s[]", path));
	for (const WireField *field = shape->fields; field && field->name; field++)
		add_paths(facts, field->shape, psprintf("%s%s%s", path,
												*path ? "." : "", field->name));
}

const char *
operation_name(const Operation *op)
{
	return op->name;
}

bool
operation_writes(const Operation *op)
{
	return op->writes;
}

/*
 * Does it take locks that all who write to a table conflict with?
 */
bool
operation_queues(const Operation *op)
{
	return op->conflict == WIRE_CONFLICT_RESOURCE;
}

bool
operation_is_many(const Operation *op)
{
	return op->parts != OPERATION_ONE;
}

bool
operation_has_parts(const Operation *op)
{
	return op->parts == OPERATION_BATCH && op->place == OPERATION_AT_ITEMS;
}

/*
 * An operation whose name differs in case only; NULL: there is none.
 */
const char *
operation_similar(const char *name)
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
static const Operation *
find_operation(const char *name)
{
	return bsearch(name, commands, lengthof(commands), sizeof(Operation),
				   compare_name);
}

static int
compare_name(const void *name, const void *command)
{
	return strcmp(name, ((const Operation *) command)->name);
}
