/*-------------------------------------------------------------------------
 *
 * sql_owner.c
 *	  What the HTTP servers of a cluster's other nodes call here.
 *
 * A request comes to the node that has its rows, in a session of the client's
 * role.  Where it came in its policies were checked; here GRANT alone counts,
 * as for the SQL functions, and whoever may connect may call them instead.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "api/api.h"
#include "base/base_budget.h"
#include "base/base_route.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"

PG_FUNCTION_INFO_V1(dynamo_call_at_owner);
PG_FUNCTION_INFO_V1(dynamo_flush_commits);

static void throw_on(void) pg_attribute_noreturn();

/*
 * The transaction does not wait for the disk when it commits.
 */
Datum
dynamo_call_at_owner(PG_FUNCTION_ARGS)
{
	char	   *operation = text_to_cstring(PG_GETARG_TEXT_PP(0));
	text	   *request = PG_GETARG_TEXT_PP(1);
	const ApiOperation *op = api_operation(operation);
	MemoryContext context = CurrentMemoryContext;
	StringInfo	response = NULL;

	(void) set_config_option("synchronous_commit", "off", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	dynamo_budget_grant(DYNAMO_BUDGET);
	dynamo_route_grant(DYNAMO_ROUTE_OWNER);
	PG_TRY();
	{
		response = api_call_unchecked(op, VARDATA_ANY(request),
									  VARSIZE_ANY_EXHDR(request));
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		throw_on();
	}
	PG_END_TRY();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(response->data,
											  response->len));
}

/*
 * An answer of the service to a client is nothing for the log, which shows no
 * others, either, that HTTP servers give.
 */
static void
throw_on(void)
{
	ErrorData  *error = CopyErrorData();
	DynamoException exception;

	FlushErrorState();
	if (dynamo_exception_of(error->sqlerrcode, &exception) ||
		error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		error->output_to_server = false;
	ReThrowError(error);
}

/*
 * Wait for the disk once for all that this session has committed.
 */
Datum
dynamo_flush_commits(PG_FUNCTION_ARGS)
{
	dynamo_flush(XactLastCommitEnd);
	PG_RETURN_VOID();
}
