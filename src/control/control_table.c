/*-------------------------------------------------------------------------
 *
 * control_table.c
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

#include "control/control_internal.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "stats/stats.h"
#include "utils/timestamp.h"

typedef struct TableRequest
{
	const char *table_name;
} TableRequest;

typedef struct ListRequest
{
	const char *start;
	WireInteger limit;
} ListRequest;

#define MAX_LIST	100

/* How the id of a system backup ends. */
#define SYSTEM_BACKUP	"-00000000"

static void check_not_pending(const char *name);
static void refuse_backing_up(const TableDef *def);
static void put_away(const TableDef *def);
static void make_system_id(Backup *backup);

static const WireShape limit_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_LIST)};

static const WireField table_fields[] = {
	WIRE_FIELD("TableName", control_table_name_shape, TableRequest, table_name),
	WIRE_FIELDS_END
};
const WireShape control_describe_table_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(TableRequest), .name = "DescribeTableInput", .fields = table_fields
};
const WireShape control_delete_table_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(TableRequest), .name = "DeleteTableInput", .fields = table_fields
};

static const WireField list_fields[] = {
	WIRE_FIELD("ExclusiveStartTableName", wire_name_shape, ListRequest, start),
	WIRE_FIELD("Limit", limit_shape, ListRequest, limit),
	WIRE_FIELDS_END
};
const WireShape control_list_tables_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ListRequest), .name = "ListTablesInput", .fields = list_fields
};

static const WireField no_fields[] = {WIRE_FIELDS_END};
const WireShape control_empty_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(char), .name = "Input", .fields = no_fields
};

void
control_create_table(DynamoRequest *request, StringInfo out)
{
	const ControlCreateTable *r = request->input;
	ControlTableChange change = {.warm = control_is_given(r->warm)};
	const TableDef *def = control_make_table(r);

	stats_makes(request->stats, def->name);
	appendStringInfoChar(out, '{');
	control_append_table(out, "TableDescription", def, CONTROL_TABLE_CREATING,
						 &change);
	appendStringInfoChar(out, '}');
}

/*
 * The definition of a table that it has made.
 */
const TableDef *
control_make_table(const ControlCreateTable *r)
{
	TableSpec	spec = {0};

	control_require_table(r->table_name);
	spec.name = wire_table_name(r->table_name);
	control_check_create_table(r, &spec);
	spec.created_at = GetCurrentTimestamp();
	spec.settings = control_create_settings(r, spec.created_at);
	control_check_create_quotas(r);
	check_not_pending(spec.name);	/* its maker has its name's lock */
	schema_lock_name(spec.name);
	check_not_pending(spec.name);
	schema_create_table(&spec);
	if (r->stream && wire_json_is_true(r->stream, "StreamEnabled"))
		stream_change(r->stream, spec.name);
	if (r->policy)
		control_attach_new_policy(schema_find_table(spec.name), r->policy);
	return schema_find_table(spec.name);
}

static void
check_not_pending(const char *name)
{
	if (schema_find_table(name) == NULL && job_pending_for(name) != NULL)
		dynamo_error(DYNAMO_RESOURCE_IN_USE,
					 IN_USE "Table is being used: %s", name);
}

void
control_describe_table(DynamoRequest *request, StringInfo out)
{
	const TableRequest *r = request->input;
	const Job  *pending = control_pending_restore(r->table_name);
	const TableDef *def;

	appendStringInfoChar(out, '{');
	if (pending != NULL)
		control_append_pending(out, "Table", pending);
	else if (r->table_name != NULL &&
			 schema_find_table(wire_table_name(r->table_name)) == NULL)
		control_describe_missing(request, wire_table_name(r->table_name));
	else
	{
		def = control_find_table(r->table_name, "DescribeTable");
		control_append_table(out, "Table", def, control_state(def), NULL);
	}
	appendStringInfoChar(out, '}');
}

void
control_delete_table(DynamoRequest *request, StringInfo out)
{
	const TableRequest *r = request->input;
	const TableDef *def;

	control_refuse_pending(r->table_name);
	def = control_find_table(r->table_name, "DeleteTable");
	schema_lock_definition(def->name);
	def = control_find_table(r->table_name, "DeleteTable"); /* as it is now */
	control_refuse_filling(def);
	if (json_is_true(json_object_get(control_settings(def->settings),
									 "DeletionProtectionEnabled")))
		dynamo_error(DYNAMO_VALIDATION,
					 "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.");
	for (int i = 0; i < def->nindexes + def->nvectors; i++)
	{
		if (schema_index_at(def, i)->building)
			dynamo_error(DYNAMO_RESOURCE_IN_USE,
						 IN_USE "Cannot delete table while indexes are being created, updated, or deleted.");
	}
	refuse_backing_up(def);
	control_refuse_busy(def);
	control_refuse_source(def);
	appendStringInfoChar(out, '{');
	control_append_table(out, "TableDescription", def, CONTROL_TABLE_DELETING, NULL);
	appendStringInfoChar(out, '}');
	control_forget_policies(def);
	if (def->recovery != NULL &&
		(!def->distributed || schema_cluster.is_coordinator()))
		put_away(def);
	else
		schema_drop_table(def->name);
}

/*
 * Refuse to delete a table of which a backup is still to be made.
 */
static void
refuse_backing_up(const TableDef *def)
{
	bool		found = def->distributed && shard_backs_up(def->name);
	ListCell   *lc;

	foreach(lc, job_list_unfinished(JOB_BACKUP))
	{
		CHECK_FOR_INTERRUPTS();
		found |= ((const Job *) lfirst(lc))->relid == def->relid;
	}
	if (found)
		dynamo_error(DYNAMO_RESOURCE_IN_USE,
					 IN_USE "Table is being backed up: %s", def->name);
}

/*
 * Drop a table with point-in-time recovery, of which a system backup remains.  The
 * shards of a distributed one cannot be put away: its backup is made of its present,
 * and has no past.
 */
static void
put_away(const TableDef *def)
{
	Backup		backup = {{0}};

	backup.created_at = GetCurrentTimestamp();
	make_system_id(&backup);
	backup.definition = control_definition(def);
	if (!def->distributed)
	{
		backup_put_away(def, &backup);
		return;
	}
	backup_create_last(def, &backup);
	schema_drop_table(def->name);
}

/*
 * The id of a system backup ends in zeroes: nobody else's has that time.
 */
static void
make_system_id(Backup *backup)
{
	TimestampTz time = backup->created_at;

	do
	{
		CHECK_FOR_INTERRUPTS();
		job_make_id(backup->id, time, 0);
		strcpy(strchr(backup->id, '-'), SYSTEM_BACKUP);
		time += USECS_PER_SEC / 1000;
	} while (!backup_claim(backup->id));
}

/*
 * Reads one name more than it tells, to know whether there are more.
 */
void
control_list_tables(DynamoRequest *request, StringInfo out)
{
	const ListRequest *r = request->input;
	int			limit = r->limit.given ? r->limit.value : MAX_LIST;
	List	   *names = job_list_tables(r->start, limit + 1);
	int			told = Min(list_length(names), limit);

	appendStringInfoChar(out, '{');
	wire_member(out, "TableNames");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < told; i++)
	{
		wire_element(out);
		wire_append_string(out, list_nth(names, i));
	}
	appendStringInfoChar(out, ']');
	if (list_length(names) > told)
		wire_string_member(out, "LastEvaluatedTableName",
						   list_nth(names, told - 1));
	appendStringInfoChar(out, '}');
}

void
control_describe_limits(DynamoRequest *request, StringInfo out)
{
	appendStringInfoChar(out, '{');
	wire_integer_member(out, "AccountMaxReadCapacityUnits", 80000);
	wire_integer_member(out, "AccountMaxWriteCapacityUnits", 80000);
	wire_integer_member(out, "TableMaxReadCapacityUnits", 40000);
	wire_integer_member(out, "TableMaxWriteCapacityUnits", 40000);
	appendStringInfoChar(out, '}');
}

void
control_describe_endpoints(DynamoRequest *request, StringInfo out)
{
	appendStringInfoString(out, "{\"Endpoints\":[{");
	wire_string_member(out, "Address", request->client.host ?
					   request->client.host :
					   psprintf("dynamodb.%s.amazonaws.com", wire_region));
	wire_integer_member(out, "CachePeriodInMinutes", 1440);
	appendStringInfoString(out, "}]}");
}
