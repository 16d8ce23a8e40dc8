/*-------------------------------------------------------------------------
 *
 * sql_call.c
 *	  The DynamoDB API in SQL: dynamo.call, dynamo.try_call, and
 *	  dynamo_internal.answer_node for the nodes of a Citus cluster.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "operation/operation.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef StringInfo (*CallFunction) (const Operation *op,
									const char *request, size_t len);

static StringInfo answer_later(const Operation *op, const char *request,
							   size_t len);
static StringInfo answer_at_once(const Operation *op, const char *request,
								 size_t len);
static Datum call_operation(FunctionCallInfo fcinfo, CallFunction function);

PG_FUNCTION_INFO_V1(dynamo_call);
PG_FUNCTION_INFO_V1(dynamo_try_call);
PG_FUNCTION_INFO_V1(dynamo_answer_node);

Datum
dynamo_call(PG_FUNCTION_ARGS)
{
	return call_operation(fcinfo, operation_call);
}

Datum
dynamo_try_call(PG_FUNCTION_ARGS)
{
	return call_operation(fcinfo, operation_try_call);
}

Datum
dynamo_answer_node(PG_FUNCTION_ARGS)
{
	return call_operation(fcinfo,
						  PG_GETARG_BOOL(2) ? answer_later : answer_at_once);
}

static StringInfo
answer_later(const Operation *op, const char *request, size_t len)
{
	return operation_answer_node(op, request, len, true);
}

static StringInfo
answer_at_once(const Operation *op, const char *request, size_t len)
{
	return operation_answer_node(op, request, len, false);
}

/*
 * The request runs in a context of its own, which dies with it.  Where the
 * service sends no body, SQL gets an empty object.
 */
static Datum
call_operation(FunctionCallInfo fcinfo, CallFunction function)
{
	char	   *operation = text_to_cstring(PG_GETARG_TEXT_PP(0));
	text	   *request = PG_GETARG_TEXT_PP(1);
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "dynamo request",
												  ALLOCSET_DEFAULT_SIZES);
	StringInfo	response;
	text	   *result;

	MemoryContextSwitchTo(context);
	response = function(operation_find(operation), VARDATA_ANY(request),
						VARSIZE_ANY_EXHDR(request));
	MemoryContextSwitchTo(caller);
	result = response->len == 0 ? cstring_to_text("{}") :
		cstring_to_text_with_len(response->data, response->len);
	MemoryContextDelete(context);
	PG_RETURN_TEXT_P(result);
}
