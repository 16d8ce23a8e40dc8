/*-------------------------------------------------------------------------
 *
 * http_forward.c
 *	  Requests that another node of a cluster executes.
 *
 * A request that is sent has passed all checks that come before its rows are
 * looked for.  Policies are among them, which only this node can check: it
 * knows the client's address.  The other node executes the body as it came, in
 * a session of the client's role.  What comes back is the answer, or the error
 * that the request has raised there.  That one is raised here again, so it is
 * answered, or the request is tried again, as if it had been raised here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"

#define NVALUES			2

static void lost(HttpRequest *request) pg_attribute_noreturn();
static int	sqlstate_of(const PGresult *result);
static char *field(const PGresult *result, int code);

/*
 * Send the request, whose body is unpacked, to the owner of its rows.  Not in
 * a transaction.
 */
HttpSent
http_forward_send(HttpRequest *request, const ApiOperation *operation,
				  const char *body, size_t len, const DynamoNode *owner)
{
	const char *values[NVALUES] = {
		api_operation_name(operation),
		pnstrdup(body, len)
	};

	return http_node_send(owner, values, NULL, NVALUES,
						  api_operation_writes(operation), &request->call);
}

/*
 * The answer, in the current context.  Raises what the owner has raised.
 */
StringInfo
http_forward_answer(HttpRequest *request)
{
	const PGresult *result = http_call_result(request->call);
	StringInfo	body;

	if (result == NULL || PQresultStatus(result) == PGRES_PIPELINE_ABORTED)
		lost(request);
	if (PQresultStatus(result) == PGRES_FATAL_ERROR)
	{
		ErrorData	error = {0};

		if (PQresultErrorField(result, PG_DIAG_SQLSTATE) == NULL)
			lost(request);

		error.elevel = ERROR;
		error.sqlerrcode = sqlstate_of(result);
		error.message = field(result, PG_DIAG_MESSAGE_PRIMARY);
		error.detail = field(result, PG_DIAG_MESSAGE_DETAIL);
		error.hint = field(result, PG_DIAG_MESSAGE_HINT);
		error.context = field(result, PG_DIAG_CONTEXT);
		error.constraint_name = field(result, PG_DIAG_CONSTRAINT_NAME);
		error.assoc_context = CurrentMemoryContext;
		ThrowErrorData(&error);
	}
	if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("unexpected answer of a node")));
	body = makeStringInfo();
	appendBinaryStringInfo(body, PQgetvalue(result, 0, 0),
						   PQgetlength(result, 0, 0));
	return body;
}

/*
 * The connection was lost.  What reads can be tried again; what writes may have
 * been done.
 */
static void
lost(HttpRequest *request)
{
	if (!http_call_writes(request->call))
		dynamo_rule_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_RULE_OWNER,
						  DYNAMO_UNAVAILABLE);
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("the connection to the node that executed the request was lost")));
}

static int
sqlstate_of(const PGresult *result)
{
	const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	if (strlen(code) != 5)
		return ERRCODE_PROTOCOL_VIOLATION;
	return MAKE_SQLSTATE(code[0], code[1], code[2], code[3], code[4]);
}

static char *
field(const PGresult *result, int code)
{
	const char *value = PQresultErrorField(result, code);

	return value ? pstrdup(value) : NULL;
}

/*
 * Nobody waits for the answer any more, or all is known.
 */
void
http_forward_forget(HttpRequest *request)
{
	http_node_forget(request->call);
	request->call = NULL;
}
