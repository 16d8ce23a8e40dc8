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

#include "base/base_message.h"
#include "http/http_internal.h"

static void raise_lost(HttpRequest *request) pg_attribute_noreturn();

/*
 * Send the request, whose body is unpacked, to the owner of its rows, or its
 * parts to theirs.  Not in
 * a transaction.
 */
HttpSent
http_forward_send(HttpRequest *http, const DynamoRequest *request)
{
	StringInfoData message;

	if (request->parts != NIL)
		return http_scatter_send(http, request);
	if (request->reaching)
	{
		http->by_citus = peer_reach(request->elsewhere) == PEER_NO_WAY;
		return HTTP_NO_ROOM;
	}
	http->has_token = request->has_token;
	http->notes = request->noting != NULL;
	initStringInfo(&message);
	if (http->notes)
		dynamo_message_call(&message, DYNAMO_NOTE_TOKEN, false, NULL,
							request->noting, strlen(request->noting));
	else
		dynamo_message_call(&message, operation_name(request->operation),
							http->connection == NULL, &request->claim,
							request->body, request->body_len);
	switch (peer_send(request->elsewhere, message.data, message.len,
					  !http->notes && operation_writes(request->operation),
					  &http->call))
	{
		case PEER_SENT:
			return HTTP_SENT;
		case PEER_NO_ROOM:
			return HTTP_NO_ROOM;
		default:
			return HTTP_NO_WAY;
	}
}

/*
 * The answer, in the current context.  Raises what the owner has raised.
 */
StringInfo
http_forward_answer(HttpRequest *request)
{
	int			len;
	const char *answer = peer_call_answer(request->call, &len);
	ErrorData  *error;
	StringInfo	body;

	if (answer == NULL)
		raise_lost(request);
	error = dynamo_message_error(answer, len);
	if (error != NULL)
		ThrowErrorData(error);
	body = makeStringInfo();
	answer = dynamo_message_body(answer, len, &len);
	appendBinaryStringInfo(body, answer, len);
	return body;
}

/*
 * The node that has a token's row has noted the request, and it is to be
 * executed; or it cannot be executed at one node, and leaves to Citus.
 */
void
http_forward_take_note(HttpRequest *request)
{
	StringInfo	note = http_forward_answer(request);

	if (!dynamo_message_read_claim(note->data, &request->claim))
		request->by_citus = true;
}

bool
http_forward_is_done(const HttpRequest *request)
{
	return request->scatter ? http_scatter_is_done(request->scatter) :
		peer_call_is_done(request->call);
}

/*
 * The connection was lost.  What reads can be tried again; what writes may have
 * been done.
 */
static void
raise_lost(HttpRequest *request)
{
	if (!peer_call_writes(request->call))
		dynamo_rule_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_RULE_OWNER,
						  DYNAMO_UNAVAILABLE);
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("the connection to the node that executed the request was lost")));
}

/*
 * Nobody waits for the answer any more, or all is known.
 */
void
http_forward_forget(HttpRequest *request)
{
	if (request->call != NULL)
		peer_forget(request->call);
	request->call = NULL;
}
