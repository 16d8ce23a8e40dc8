/*-------------------------------------------------------------------------
 *
 * sql_table.c
 *	  SQL functions that create and drop tables and indexes.
 *
 * Each writes the request that a client of the API would send, and sends it:
 * nothing here is worth a second way through the many rules of CreateTable and
 * UpdateTable.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "control/control.h"
#include "miscadmin.h"
#include "sql/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

/* Key attributes as the arguments give them. */
typedef struct Keys
{
	int			count;
	char	  **names;
	char	  **types;
	const char *key_type;		/* HASH or RANGE */
} Keys;

PG_FUNCTION_INFO_V1(dynamo_create_table);
PG_FUNCTION_INFO_V1(dynamo_drop_table);
PG_FUNCTION_INFO_V1(dynamo_attach_table);
PG_FUNCTION_INFO_V1(dynamo_detach_table);
PG_FUNCTION_INFO_V1(dynamo_create_index);
PG_FUNCTION_INFO_V1(dynamo_create_index_multi);
PG_FUNCTION_INFO_V1(dynamo_drop_index);
PG_FUNCTION_INFO_V1(dynamo_relation);
PG_FUNCTION_INFO_V1(dynamo_may_use);

static void create_index(FunctionCallInfo fcinfo, const Keys *keys);
static Keys one_key(FunctionCallInfo fcinfo, int name, int type,
					const char *key_type);
static Keys several_keys(FunctionCallInfo fcinfo, int names, int types,
						 const char *key_type);
static void split_type(char *name, char **type);
static char **text_array_arg(FunctionCallInfo fcinfo, int n, int *count);
static void append_throughput(StringInfo out, const char *table);
static void append_definitions(StringInfo out, const Keys *keys);
static void append_key_schema(StringInfo out, const Keys *keys);
static void append_string(StringInfo out, const char *text);
static void run_operation(const char *operation, StringInfo request);

/*
 * create_table(table_name, partition_key, sort_key, partition_key_type,
 * sort_key_type)
 */
Datum
dynamo_create_table(PG_FUNCTION_ARGS)
{
	char	   *name = sql_required_text_arg(fcinfo, 0, "table_name");
	Keys		keys[2];
	StringInfoData request;
	const TableDef *def;

	(void) sql_required_text_arg(fcinfo, 1, "partition_key");
	keys[0] = one_key(fcinfo, 1, 3, "HASH");
	keys[1] = one_key(fcinfo, 2, 4, "RANGE");
	initStringInfo(&request);
	appendStringInfoString(&request, "{\"TableName\":");
	append_string(&request, name);
	appendStringInfoString(&request, ",\"BillingMode\":\"PAY_PER_REQUEST\"");
	append_definitions(&request, keys);
	append_key_schema(&request, keys);
	appendStringInfoChar(&request, '}');
	run_operation("CreateTable", &request);

	def = schema_find_table(sql_table_name(name));
	if (def == NULL)
		elog(ERROR, "table \"%s\" is not there after its creation", name);
	PG_RETURN_OID(def->relid);
}

Datum
dynamo_drop_table(PG_FUNCTION_ARGS)
{
	StringInfoData request;

	initStringInfo(&request);
	appendStringInfoString(&request, "{\"TableName\":");
	append_string(&request, sql_text_arg(fcinfo, 0));
	appendStringInfoChar(&request, '}');
	run_operation("DeleteTable", &request);
	PG_RETURN_VOID();
}

/*
 * attach_table(relation, table_name); without a name, that of the relation
 */
Datum
dynamo_attach_table(PG_FUNCTION_ARGS)
{
	Oid			relid;
	char	   *name = sql_text_arg(fcinfo, 1);
	TimestampTz now = GetCurrentTimestamp();

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", "relation")));
	relid = PG_GETARG_OID(0);
	if (name == NULL)
		name = get_rel_name(relid);
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid)));
	schema_attach_table(relid, name, control_attached_settings(false, now),
						control_attached_settings(true, now), now);
	PG_RETURN_TEXT_P(cstring_to_text(name));
}

/*
 * detach_table(table_name)
 */
Datum
dynamo_detach_table(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(schema_detach_table(sql_table_name(sql_text_arg(fcinfo, 0))));
}

/*
 * create_index(table_name, index_name, partition_key, sort_key,
 * partition_key_type, sort_key_type, projection, non_key_attributes)
 */
Datum
dynamo_create_index(PG_FUNCTION_ARGS)
{
	Keys		keys[2];

	(void) sql_required_text_arg(fcinfo, 2, "partition_key");
	keys[0] = one_key(fcinfo, 2, 4, "HASH");
	keys[1] = one_key(fcinfo, 3, 5, "RANGE");
	create_index(fcinfo, keys);
	PG_RETURN_VOID();
}

/* The same with arrays in the place of the keys and their types. */
Datum
dynamo_create_index_multi(PG_FUNCTION_ARGS)
{
	Keys		keys[2];

	keys[0] = several_keys(fcinfo, 2, 4, "HASH");
	keys[1] = several_keys(fcinfo, 3, 5, "RANGE");
	create_index(fcinfo, keys);
	PG_RETURN_VOID();
}

Datum
dynamo_drop_index(PG_FUNCTION_ARGS)
{
	StringInfoData request;

	initStringInfo(&request);
	appendStringInfoString(&request, "{\"TableName\":");
	append_string(&request, sql_text_arg(fcinfo, 0));
	appendStringInfoString(&request, ",\"GlobalSecondaryIndexUpdates\":[{\"Delete\":{\"IndexName\":");
	append_string(&request, sql_text_arg(fcinfo, 1));
	appendStringInfoString(&request, "}}]}");
	run_operation("UpdateTable", &request);
	PG_RETURN_VOID();
}

Datum
dynamo_relation(PG_FUNCTION_ARGS)
{
	char	   *name = sql_text_arg(fcinfo, 0);
	const TableDef *def = schema_find_table(sql_table_name(name));

	if (def == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(name),
							   "Requested resource not found: Table: %s not found",
							   name);
	PG_RETURN_OID(def->relid);
}

/*
 * _may_use(relation), for policies on the definition tables
 */
Datum
dynamo_may_use(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(schema_may_use(PG_GETARG_OID(0)));
}

static void
create_index(FunctionCallInfo fcinfo, const Keys *keys)
{
	char	   *table = sql_required_text_arg(fcinfo, 0, "table_name");
	char	   *index = sql_required_text_arg(fcinfo, 1, "index_name");
	char	   *projection = sql_text_arg(fcinfo, 6);
	int			nnonkey;
	char	  **nonkey = text_array_arg(fcinfo, 7, &nnonkey);
	StringInfoData request;

	initStringInfo(&request);
	appendStringInfoString(&request, "{\"TableName\":");
	append_string(&request, table);
	append_definitions(&request, keys);
	appendStringInfoString(&request, ",\"GlobalSecondaryIndexUpdates\":[{\"Create\":{\"IndexName\":");
	append_string(&request, index);
	append_key_schema(&request, keys);
	append_throughput(&request, table);
	appendStringInfoString(&request, ",\"Projection\":{\"ProjectionType\":");
	append_string(&request, projection ? projection : "ALL");
	if (nonkey != NULL)
	{
		appendStringInfoString(&request, ",\"NonKeyAttributes\":[");
		for (int i = 0; i < nnonkey; i++)
		{
			appendStringInfoString(&request, i > 0 ? "," : "");
			append_string(&request, nonkey[i]);
		}
		appendStringInfoChar(&request, ']');
	}
	appendStringInfoString(&request, "}}}]}");
	run_operation("UpdateTable", &request);
}

static Keys
one_key(FunctionCallInfo fcinfo, int name, int type, const char *key_type)
{
	Keys		keys = {0};

	keys.key_type = key_type;
	if (PG_ARGISNULL(name))
		return keys;
	keys.count = 1;
	keys.names = palloc(sizeof(char *));
	keys.types = palloc(sizeof(char *));
	keys.names[0] = sql_text_arg(fcinfo, name);
	keys.types[0] = sql_text_arg(fcinfo, type);
	split_type(keys.names[0], &keys.types[0]);
	return keys;
}

static Keys
several_keys(FunctionCallInfo fcinfo, int names, int types,
			 const char *key_type)
{
	Keys		keys;
	int			ntypes;

	keys.key_type = key_type;
	keys.names = text_array_arg(fcinfo, names, &keys.count);
	keys.types = text_array_arg(fcinfo, types, &ntypes);
	if (keys.types == NULL)
		keys.types = palloc0(sizeof(char *) * Max(keys.count, 1));
	else if (ntypes != keys.count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("number of types does not match number of key attributes"),
				 errdetail("There are %d key attributes and %d types.",
						   keys.count, ntypes)));
	for (int i = 0; i < keys.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		split_type(keys.names[i], &keys.types[i]);
	}
	return keys;
}

/*
 * 'PK N' is a name and a type, if the type argument leaves that open: it is
 * null or has its default.  'PK text' is a name, but hardly the one meant.
 */
static void
split_type(char *name, char **type)
{
	size_t		len = strlen(name);

	if (*type != NULL && strcmp(*type, "S") != 0)
		return;
	*type = "S";
	if (len > 2 && name[len - 2] == ' ' && strchr("SNB", name[len - 1]))
	{
		*type = pstrdup(name + len - 1);
		name[len - 2] = '\0';
	}
	else if (strchr(name, ' ') != NULL)
		ereport(NOTICE,
				(errmsg("the key attribute is named \"%s\"", name),
				 errhint("A type that follows the name is one of the letters S, N and B.")));
}

static char **
text_array_arg(FunctionCallInfo fcinfo, int n, int *count)
{
	Datum	   *elements;
	char	  **texts;

	*count = 0;
	if (PG_ARGISNULL(n))
		return NULL;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, NULL, count);
	texts = palloc(sizeof(char *) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		texts[i] = TextDatumGetCString(elements[i]);
	}
	return texts;
}

/*
 * An index of a PROVISIONED table needs throughput of its own: the table's.
 */
static void
append_throughput(StringInfo out, const char *table)
{
	const TableDef *def = schema_find_table(sql_table_name(table));
	json_error_t error;
	json_t	   *settings;
	json_t	   *mode;
	json_t	   *now;

	if (def == NULL)
		return;
	settings = codec_load(def->settings, strlen(def->settings), &error);
	mode = json_object_get(settings, "BillingMode");
	now = json_object_get(settings, "ProvisionedThroughput");
	if (!json_is_string(mode) || strcmp(json_string_value(mode), "PROVISIONED") != 0)
		return;
	appendStringInfo(out, ",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":%lld,\"WriteCapacityUnits\":%lld}",
					 (long long) json_integer_value(json_object_get(now, "ReadCapacityUnits")),
					 (long long) json_integer_value(json_object_get(now, "WriteCapacityUnits")));
}

/* AttributeDefinitions of the HASH and the RANGE keys. */
static void
append_definitions(StringInfo out, const Keys *keys)
{
	const char *comma = "";

	appendStringInfoString(out, ",\"AttributeDefinitions\":[");
	for (int i = 0; i < 2; i++)
	{
		for (int j = 0; j < keys[i].count; j++)
		{
			CHECK_FOR_INTERRUPTS();
			appendStringInfo(out, "%s{\"AttributeName\":", comma);
			append_string(out, keys[i].names[j]);
			appendStringInfoString(out, ",\"AttributeType\":");
			append_string(out, keys[i].types[j]);
			appendStringInfoChar(out, '}');
			comma = ",";
		}
	}
	appendStringInfoChar(out, ']');
}

static void
append_key_schema(StringInfo out, const Keys *keys)
{
	const char *comma = "";

	appendStringInfoString(out, ",\"KeySchema\":[");
	for (int i = 0; i < 2; i++)
	{
		for (int j = 0; j < keys[i].count; j++)
		{
			CHECK_FOR_INTERRUPTS();
			appendStringInfo(out, "%s{\"AttributeName\":", comma);
			append_string(out, keys[i].names[j]);
			appendStringInfo(out, ",\"KeyType\":\"%s\"}", keys[i].key_type);
			comma = ",";
		}
	}
	appendStringInfoChar(out, ']');
}

static void
append_string(StringInfo out, const char *text)
{
	codec_append_string(out, text, strlen(text));
}

static void
run_operation(const char *operation, StringInfo request)
{
	(void) operation_call_unchecked(operation_find(operation), request->data, request->len);
}
