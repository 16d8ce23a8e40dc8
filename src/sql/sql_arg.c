/*-------------------------------------------------------------------------
 *
 * sql_arg.c
 *	  Arguments of the SQL functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "sql/sql.h"
#include "utils/builtins.h"

TimestampTz
sql_finite_time(TimestampTz time)
{
	if (TIMESTAMP_NOT_FINITE(time))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range")));
	return time;
}

char *
sql_text_arg(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n))
		return NULL;
	return text_to_cstring(PG_GETARG_TEXT_PP(n));
}

/*
 * An argument that a call makes no sense without.
 */
void
sql_check_given(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

char *
sql_required_text_arg(FunctionCallInfo fcinfo, int n, const char *name)
{
	sql_check_given(fcinfo, n, name);
	return sql_text_arg(fcinfo, n);
}

/*
 * The table that a name or an ARN means.  The API, which takes ARNs, checks
 * them; what is looked up here is a name.
 */
const char *
sql_table_name(const char *name_or_arn)
{
	const char *slash = strrchr(name_or_arn, '/');

	return slash ? slash + 1 : name_or_arn;
}

Item *
sql_item_arg(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n))
		return NULL;
	return item_copy(PG_GETARG_ITEM_P(n));
}

Item *
sql_required_item_arg(FunctionCallInfo fcinfo, int n, const char *name)
{
	sql_check_given(fcinfo, n, name);
	return sql_item_arg(fcinfo, n);
}

/*
 * A key from the arguments partition_key and, where the function has it,
 * sort_key: bare values, typed by the key of the table in argument table_name.
 *
 * A first value without a type that begins with "{" is a whole key in JSON.
 * What follows it is then not a value but the expression that follows a key in
 * the other function of that name, and goes to *expression.
 */
Item *
sql_bare_key_arg(DynamoRequest *request, FunctionCallInfo fcinfo,
				 EngineAccess access, char **expression)
{
	ItemValue	values[2];
	int			nvalues = PG_NARGS() - 1;
	EngineTable *table;
	Item	   *key;

	*expression = NULL;
	if (PG_ARGISNULL(1))
		return NULL;
	values[0] = codec_key_value(PG_GETARG_VARLENA_PP(1));
	if (nvalues > 1 && !PG_ARGISNULL(2))
		values[1] = codec_key_value(PG_GETARG_VARLENA_PP(2));
	if (values[0].type == ITEM_M)
	{
		if (nvalues > 1 && !PG_ARGISNULL(2))
			*expression = pnstrdup(values[1].data, values[1].len);
		return codec_read_any(values[0].data, values[0].len);
	}
	if (nvalues > 1 && PG_ARGISNULL(2))
		return NULL;
	if (nvalues > 1 && values[1].type == ITEM_M)
		values[1].type = ITEM_S;

	table = engine_open(request, sql_table_name(sql_text_arg(fcinfo, 0)),
						access);
	key = key_of_values(engine_def(table), values, nvalues);
	engine_close(table);
	return key;
}

/*
 * What the arguments expression_attribute_values (number "values", or -1 for a
 * function without it) and expression_attribute_names bind; NULL when both are
 * null.  "any_expression" and "without" are those of expr_check_given().
 */
ExprBindings *
sql_bindings_arg(FunctionCallInfo fcinfo, int values, int names,
				 bool any_expression, const char *without)
{
	ExprName   *bound = NULL;
	int			nbound = 0;
	Item	   *given = values < 0 ? NULL : sql_item_arg(fcinfo, values);
	text	   *json = expr_names_arg(fcinfo, names);

	if (given == NULL && json == NULL)
		return NULL;
	expr_check_given(json != NULL, given != NULL, any_expression, without);
	if (json != NULL)
	{
		bound = expr_names_from_json(json, &nbound);
		expr_check_name_keys(nbound, bound);
	}
	if (given != NULL)
		expr_check_values(given);
	expr_check_names(nbound, bound);
	return expr_bindings(nbound, bound, given);
}

/*
 * An argument that is one of the choices of a member of the API: 0 when null,
 * else 1 + its place among them.
 */
int
sql_choice_arg(FunctionCallInfo fcinfo, int n, const WireShape *shape,
			   const char *member)
{
	const char *text = sql_text_arg(fcinfo, n);
	int			choice = text ? wire_choice(shape, text) : -1;
	StringInfoData json;

	if (text != NULL && choice < 0)
	{
		initStringInfo(&json);
		codec_append_string(&json, text, strlen(text));
		wire_check_argument(shape, member, json.data, json.len);	/* raises */
	}
	return 1 + choice;
}

/*
 * An argument that is an integer member of the API.
 */
WireInteger
sql_integer_arg(FunctionCallInfo fcinfo, int n, const WireShape *shape,
				const char *member)
{
	WireInteger integer = {0};
	const char *json;

	if (PG_ARGISNULL(n))
		return integer;
	json = psprintf("%d", PG_GETARG_INT32(n));
	integer.given = true;
	integer.value = wire_json_integer(wire_check_argument(shape, member, json,
														  strlen(json)));
	return integer;
}
