/*-------------------------------------------------------------------------
 *
 * sql_table.c
 *	  SQL functions for tables and indexes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dynamo_create_table);
PG_FUNCTION_INFO_V1(dynamo_drop_table);
PG_FUNCTION_INFO_V1(dynamo_create_index);
PG_FUNCTION_INFO_V1(dynamo_drop_index);
PG_FUNCTION_INFO_V1(dynamo_relation);

static KeyAttr key_attribute(char *name, char *type);
static char *text_argument(FunctionCallInfo fcinfo, int n);

/*
 * create_table(table_name, partition_key, sort_key, partition_key_type,
 * sort_key_type)
 */
Datum
dynamo_create_table(PG_FUNCTION_ARGS)
{
	TableSpec	spec = {0};

	spec.name = text_argument(fcinfo, 0);
	spec.hash = key_attribute(text_argument(fcinfo, 1),
							  text_argument(fcinfo, 3));
	if (!PG_ARGISNULL(2))
		spec.range = key_attribute(text_argument(fcinfo, 2),
								   text_argument(fcinfo, 4));
	spec.settings = "{\"BillingMode\":\"PAY_PER_REQUEST\"}";
	PG_RETURN_OID(schema_create_table(&spec));
}

Datum
dynamo_drop_table(PG_FUNCTION_ARGS)
{
	schema_drop_table(text_argument(fcinfo, 0));
	PG_RETURN_VOID();
}

/*
 * create_index(table_name, index_name, partition_key, sort_key,
 * partition_key_type, sort_key_type, projection, non_key_attributes)
 */
Datum
dynamo_create_index(PG_FUNCTION_ARGS)
{
	IndexDef	index = {0};
	KeyAttr		hash;
	KeyAttr		range;

	index.name = text_argument(fcinfo, 1);
	hash = key_attribute(text_argument(fcinfo, 2), text_argument(fcinfo, 4));
	index.nhash = 1;
	index.hash = &hash;
	if (!PG_ARGISNULL(3))
	{
		range = key_attribute(text_argument(fcinfo, 3),
							  text_argument(fcinfo, 5));
		index.nrange = 1;
		index.range = &range;
	}
	schema_create_index(text_argument(fcinfo, 0), &index);
	PG_RETURN_VOID();
}

Datum
dynamo_drop_index(PG_FUNCTION_ARGS)
{
	schema_drop_index(text_argument(fcinfo, 0), text_argument(fcinfo, 1));
	PG_RETURN_VOID();
}

Datum
dynamo_relation(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0);
	const TableDef *def = schema_find_table(name);

	if (def == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 "Requested resource not found: Table: %s not found",
					 name);
	PG_RETURN_OID(def->relid);
}

/*
 * A key attribute.  'PK S' is a name and a type if the type argument leaves
 * that open.
 */
static KeyAttr
key_attribute(char *name, char *type)
{
	KeyAttr		key;
	size_t		len = strlen(name);

	key.name = name;
	key.type = type ? *type : 'S';
	if (key.type == 'S' && len > 2 && name[len - 2] == ' ' &&
		strchr("SNB", name[len - 1]) != NULL)
	{
		key.type = name[len - 1];
		name[len - 2] = '\0';
	}
	return key;
}

static char *
text_argument(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}
