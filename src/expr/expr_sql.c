/*-------------------------------------------------------------------------
 *
 * expr_sql.c
 *	  The expression languages on single items, in SQL.
 *
 * matches(), project() and apply_update() evaluate an expression on an item
 * that a query already holds.  A query calls them with the same expression row
 * after row, so the parsed form is kept with the call site for as long as
 * expression, values and names stay what they were.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "codec/codec.h"
#include "expr/expr_internal.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(dynamo_matches);
PG_FUNCTION_INFO_V1(dynamo_project);
PG_FUNCTION_INFO_V1(dynamo_apply_update);

/* So many names are read without a tree of JSON. */
#define PLAIN_NAMES	8

/* The arguments an expression was parsed from, and what came of them. */
typedef struct ParsedCall
{
	MemoryContext context;		/* holds this and all below */
	struct varlena *args[3];	/* expression, values, names; NULL: not given */
	union
	{
		ExprCondition *condition;
		ExprProjection *projection;
		ExprUpdate *update;
	}			parsed;
} ParsedCall;

static const ParsedCall *parsed_call(FunctionCallInfo fcinfo, ExprKind kind,
									 int values_arg, int names_arg);
static const struct varlena *call_arg(FunctionCallInfo fcinfo, int n);
static bool same_arg(const struct varlena *a, const struct varlena *b);
static ExprName *read_plain_names(const char *p, const char *end, int *nnames);
static const char *plain_string(const char **p, const char *end);
static bool skip_mark(const char **p, const char *end, char mark);
static const char *skip_blanks(const char *p, const char *end);
static void refuse_names(const char *detail);
static ParsedCall *parse_call(FunctionCallInfo fcinfo, ExprKind kind,
							  const struct varlena **args);
static ExprBindings *call_bindings(ParsedCall *call);

/*
 * matches(item, condition_expression, expression_attribute_values,
 * expression_attribute_names): a NULL item is a missing one.
 */
Datum
dynamo_matches(PG_FUNCTION_ARGS)
{
	const ParsedCall *call;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	call = parsed_call(fcinfo, EXPR_CONDITION, 2, 3);
	PG_RETURN_BOOL(expr_test(call->parsed.condition,
							 PG_ARGISNULL(0) ? NULL : PG_GETARG_ITEM_P(0)));
}

/*
 * project(item, projection_expression, expression_attribute_names)
 */
Datum
dynamo_project(PG_FUNCTION_ARGS)
{
	const ParsedCall *call;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	call = parsed_call(fcinfo, EXPR_PROJECTION, -1, 2);
	PG_RETURN_ITEM_P(expr_project(call->parsed.projection, PG_GETARG_ITEM_P(0)));
}

/*
 * apply_update(item, update_expression, expression_attribute_values,
 * expression_attribute_names): a NULL item is a missing one, and NULL comes
 * back when the update does not create it.
 */
Datum
dynamo_apply_update(PG_FUNCTION_ARGS)
{
	const ParsedCall *call;
	Item	   *result;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	call = parsed_call(fcinfo, EXPR_UPDATE, 2, 3);
	result = expr_update(call->parsed.update,
						 PG_ARGISNULL(0) ? NULL : PG_GETARG_ITEM_P(0), NULL);
	if (result == NULL)
		PG_RETURN_NULL();
	item_check_size(result, ITEM_TOO_LARGE_UPDATED);
	PG_RETURN_ITEM_P(result);
}

/*
 * Argument expression_attribute_names; NULL: null.
 */
text *
expr_names_arg(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : PG_GETARG_TEXT_P(n);
}

/*
 * Names as SQL functions take them, JSON of an object of strings; the result
 * lies in the current context.
 */
ExprName *
expr_names_from_json(const text *names, int *nnames)
{
	const char *text = VARDATA_ANY(names);
	size_t		len = VARSIZE_ANY_EXHDR(names);
	json_error_t error;
	const json_t *json;
	ExprName   *array = read_plain_names(text, text + len, nnames);
	const char *placeholder;
	const json_t *name;
	int			n = 0;

	if (array != NULL)
		return array;
	json = codec_load(text, len, &error);
	if (json == NULL)
		refuse_names(psprintf("JSON is malformed at line %d, column %d: %s.",
							  error.line, error.column, error.text));
	if (!json_is_object(json))
		refuse_names(NULL);
	array = palloc(Max(json_object_size(json), 1) * sizeof(ExprName));
	json_object_foreach((json_t *) json, placeholder, name)
	{
		CHECK_FOR_INTERRUPTS();
		if (!json_is_string(name) ||
			strlen(json_string_value(name)) != json_string_length(name))
			refuse_names(NULL);
		array[n].placeholder = placeholder;
		array[n++].name = json_string_value(name);
	}
	*nnames = n;
	return array;
}

/*
 * Names as most are written: a few, each once, without escapes.  NULL: they are
 * others, or wrong.
 */
static ExprName *
read_plain_names(const char *p, const char *end, int *nnames)
{
	ExprName   *names;
	int			n = 0;

	if (!skip_mark(&p, end, '{'))
		return NULL;
	names = palloc(PLAIN_NAMES * sizeof(ExprName));
	do
	{
		if (n == PLAIN_NAMES ||
			(names[n].placeholder = plain_string(&p, end)) == NULL ||
			!skip_mark(&p, end, ':') ||
			(names[n].name = plain_string(&p, end)) == NULL)
			return NULL;
		for (int i = 0; i < n; i++)
		{
			if (strcmp(names[i].placeholder, names[n].placeholder) == 0)
				return NULL;
		}
		n++;
	} while (skip_mark(&p, end, ','));
	if (!skip_mark(&p, end, '}') || skip_blanks(p, end) != end)
		return NULL;
	*nnames = n;
	return names;
}

/* NULL: there is none, or it has escapes. */
static const char *
plain_string(const char **p, const char *end)
{
	const char *text;

	if (!skip_mark(p, end, '"'))
		return NULL;
	text = *p;
	*p = codec_plain_end(text, end);
	if (*p == end || **p != '"')
		return NULL;
	return pnstrdup(text, (*p)++ - text);
}

static bool
skip_mark(const char **p, const char *end, char mark)
{
	*p = skip_blanks(*p, end);
	if (*p == end || **p != mark)
		return false;
	(*p)++;
	return true;
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

static void
refuse_names(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("expression_attribute_names must be a JSON object of strings"),
			 detail ? errdetail_internal("%s", detail) : 0,
			 errhint("Write, for example, {\"#n\": \"name\"}.")));
}

/*
 * The parsed expression of this call, which is argument 1.
 */
static const ParsedCall *
parsed_call(FunctionCallInfo fcinfo, ExprKind kind, int values_arg,
			int names_arg)
{
	ParsedCall *call = fcinfo->flinfo->fn_extra;
	const struct varlena *args[3];

	args[0] = call_arg(fcinfo, 1);
	args[1] = values_arg < 0 ? NULL : call_arg(fcinfo, values_arg);
	args[2] = expr_names_arg(fcinfo, names_arg);

	if (call != NULL)
	{
		if (same_arg(call->args[0], args[0]) &&
			same_arg(call->args[1], args[1]) &&
			same_arg(call->args[2], args[2]))
			return call;
		fcinfo->flinfo->fn_extra = NULL;
		MemoryContextDelete(call->context);
	}
	call = parse_call(fcinfo, kind, args);
	fcinfo->flinfo->fn_extra = call;
	return call;
}

static const struct varlena *
call_arg(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : PG_DETOAST_DATUM(PG_GETARG_DATUM(n));
}

static bool
same_arg(const struct varlena *a, const struct varlena *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return VARSIZE(a) == VARSIZE(b) &&
		memcmp(VARDATA(a), VARDATA(b), VARSIZE(a) - VARHDRSZ) == 0;
}

/*
 * Parse and bind in a context of its own, which goes with the call site or,
 * on error, with the current context.
 */
static ParsedCall *
parse_call(FunctionCallInfo fcinfo, ExprKind kind,
		   const struct varlena **args)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo expression",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ParsedCall *call = palloc0(sizeof(ParsedCall));
	ExprBindings *bindings;
	char	   *expression;

	call->context = context;
	for (int i = 0; i < lengthof(call->args); i++)
	{
		if (args[i])
		{
			call->args[i] = palloc(VARSIZE(args[i]));
			memcpy(call->args[i], args[i], VARSIZE(args[i]));
		}
	}
	expression = text_to_cstring((text *) call->args[0]);
	bindings = call_bindings(call);
	switch (kind)
	{
		case EXPR_PROJECTION:
			call->parsed.projection = expr_parse_projection(expression, bindings);
			break;
		case EXPR_UPDATE:
			call->parsed.update = expr_parse_update(expression, bindings);
			break;
		default:
			call->parsed.condition = expr_parse_condition(kind, expression, bindings);
			break;
	}
	expr_check_unused(bindings);

	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, fcinfo->flinfo->fn_mcxt);
	return call;
}

/*
 * The checked bindings of a call, NULL when it has neither names nor values.
 */
static ExprBindings *
call_bindings(ParsedCall *call)
{
	const Item *values = (const Item *) call->args[1];
	ExprName   *names = NULL;
	int			nnames = 0;

	if (call->args[2])
	{
		names = expr_names_from_json((text *) call->args[2], &nnames);
		expr_check_name_keys(nnames, names);
	}
	if (values)
		expr_check_values(values);
	expr_check_names(nnames, names);
	if (names == NULL && values == NULL)
		return NULL;
	return expr_bindings(nnames, names, values);
}
