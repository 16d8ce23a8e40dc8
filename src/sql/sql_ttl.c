/*-------------------------------------------------------------------------
 *
 * sql_ttl.c
 *	  SQL functions about time to live.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "sql/sql.h"

PG_FUNCTION_INFO_V1(dynamo_enable_ttl);
PG_FUNCTION_INFO_V1(dynamo_disable_ttl);
PG_FUNCTION_INFO_V1(dynamo_expire_items);

static void check_enabled(const TableDef *def);
static void update_ttl(const char *table, const char *attribute, bool enable);

Datum
dynamo_enable_ttl(PG_FUNCTION_ARGS)
{
	update_ttl(sql_text_arg(fcinfo, 0), sql_text_arg(fcinfo, 1), true);
	PG_RETURN_VOID();
}

Datum
dynamo_disable_ttl(PG_FUNCTION_ARGS)
{
	char	   *name = sql_text_arg(fcinfo, 0);
	const TableDef *def = schema_find_table(sql_table_name(name));

	/* What is refused is refused whatever the attribute. */
	update_ttl(name, def && def->ttl_attribute ? def->ttl_attribute : "ttl",
			   false);
	PG_RETURN_VOID();
}

/*
 * expire_items(table_name, max_items)
 */
Datum
dynamo_expire_items(PG_FUNCTION_ARGS)
{
	char	   *name = sql_required_text_arg(fcinfo, 0, "table_name");
	int64		max_items = PG_ARGISNULL(1) ? PG_INT64_MAX : PG_GETARG_INT64(1);
	EngineTable *table;
	EngineExpiry from = {0};
	int64		deleted;

	if (max_items < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_items must not be negative")));
	table = engine_open(NULL, sql_table_name(name), ENGINE_DELETE_ITEM);
	check_enabled(engine_def(table));
	deleted = engine_expire(table, max_items, PG_INT64_MAX, &from);
	engine_close(table);
	PG_RETURN_INT64(deleted);
}

/*
 * Refuse to find nothing where nothing can be found.
 */
static void
check_enabled(const TableDef *def)
{
	if (def->ttl_attribute == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("time to live is not enabled for table \"%s\"",
						def->name),
				 errhint("Enable it with dynamo.enable_ttl().")));
	if (!OidIsValid(def->ttl_relid) && !def->ttl_taken)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index of expiring items of table \"%s\" is missing",
						def->name),
				 errhint("Disable time to live and enable it again.")));
}

/*
 * Send the request that a client of the API would send.
 */
static void
update_ttl(const char *table, const char *attribute, bool enable)
{
	StringInfoData request;

	initStringInfo(&request);
	appendStringInfoString(&request, "{\"TableName\":");
	codec_append_string(&request, table, strlen(table));
	appendStringInfo(&request,
					 ",\"TimeToLiveSpecification\":{\"Enabled\":%s,\"AttributeName\":",
					 enable ? "true" : "false");
	codec_append_string(&request, attribute, strlen(attribute));
	appendStringInfoString(&request, "}}");
	(void) operation_call_unchecked(operation_find("UpdateTimeToLive"), request.data, request.len);
}
