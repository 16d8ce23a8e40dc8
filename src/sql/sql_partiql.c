/*-------------------------------------------------------------------------
 *
 * sql_partiql.c
 *	  Arguments of dynamo.partiql(): a statement, and parameters of any type.
 *
 * A parameter becomes the attribute value that it is by nature: a text S, a
 * number N, and so on.  jsonb is read as an attribute of a JSON item is, typed
 * or plain; an item is a map.  Other types have no such nature and are refused.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_extension.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "sql/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static DynamoMember item_type = DYNAMO_TYPE("item");

static ItemValue *array_parameters(Datum array, int *n);
static ItemValue parameter(int number, Oid type, Datum value, bool isnull);
static ItemValue text_value(const char *text);
static ItemValue json_value(const char *json);
static char *output(Oid type, Datum value);

/*
 * All parameters of a call: its arguments from the second on, or the elements
 * of one array given by VARIADIC.
 */
ItemValue *
sql_parameters(FunctionCallInfo fcinfo, int *n)
{
	int			nargs = PG_NARGS() - 1;
	ItemValue  *values = palloc0(sizeof(ItemValue) * (nargs + 1));

	*n = 0;
	if (nargs > 0 && get_fn_expr_variadic(fcinfo->flinfo))
		return PG_ARGISNULL(1) ? values :
			array_parameters(PG_GETARG_DATUM(1), n);
	for (int i = 1; i <= nargs; i++)
		values[(*n)++] = parameter(i, get_fn_expr_argtype(fcinfo->flinfo, i),
								   PG_GETARG_DATUM(i), PG_ARGISNULL(i));
	return values;
}

static ItemValue *
array_parameters(Datum array, int *n)
{
	ArrayType  *elements = DatumGetArrayTypePCopy(array);
	Oid			type = ARR_ELEMTYPE(elements);
	ItemValue  *values;
	Datum	   *datums;
	bool	   *nulls;
	int16		len;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array(elements, type, len, byval, align, &datums, &nulls, n);
	values = palloc0(sizeof(ItemValue) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		values[i] = parameter(i + 1, type, datums[i], nulls[i]);
	}
	return values;
}

/*
 * One parameter as a value, in the current context.
 */
static ItemValue
parameter(int number, Oid type, Datum value, bool isnull)
{
	ItemValue	result = {ITEM_NULL, 0, NULL};
	struct varlena *bytes;

	if (isnull)
		return result;
	type = getBaseType(type);
	switch (type)
	{
		case UNKNOWNOID:
			return text_value(DatumGetCString(value));
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case NAMEOID:
			return text_value(output(type, value));
		case BOOLOID:
			return item_bool(DatumGetBool(value));
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			{
				const char *text = output(type, value);

				return item_number(text, strlen(text), ITEM_PARAMETER);
			}
		case BYTEAOID:
			bytes = PG_DETOAST_DATUM_COPY(value);
			result.type = ITEM_B;
			result.len = VARSIZE(bytes) - VARHDRSZ;
			result.data = VARDATA(bytes);
			return result;
		case JSONOID:
		case JSONBOID:
			return json_value(output(type, value));
		default:
			break;
	}
	if (type == dynamo_member_find(&item_type))
	{
		result = item_root(item_copy(DatumGetItemP(value)));

		/* As a value it stands one level deeper than an item does. */
		if (item_value_depth(&result) > DYNAMO_MAX_NESTING)
			dynamo_error(DYNAMO_VALIDATION,
						 "Nesting Levels have exceeded supported limits");
		return result;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("parameter %d has type %s, which is no attribute value",
					number, format_type_be(type)),
			 errhint("Cast it to text, numeric, boolean, bytea, jsonb or dynamo.item.")));
}

static ItemValue
text_value(const char *text)
{
	char	   *copy = pstrdup(pg_server_to_any(text, strlen(text), PG_UTF8));

	return item_string(copy, strlen(copy));
}

/*
 * A JSON value as the attribute of an item.
 */
static ItemValue
json_value(const char *json)
{
	char	   *text = psprintf("{\"p\":%s}", json);
	Item	   *item = codec_read_any(text, strlen(text));
	ItemValue	value;

	if (!item_get(item, "p", 1, &value))
		elog(ERROR, "could not read a parameter");
	return value;
}

static char *
output(Oid type, Datum value)
{
	Oid			function;
	bool		varlena;

	getTypeOutputInfo(type, &function, &varlena);
	return OidOutputFunctionCall(function, value);
}
