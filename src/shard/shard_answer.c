/*-------------------------------------------------------------------------
 *
 * shard_answer.c
 *	  What each of the other nodes of a cluster answers to a request.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_budget.h"
#include "base/base_message.h"
#include "executor/spi.h"
#include "shard/shard_internal.h"

static void append_answer(HeapTuple row, TupleDesc desc, void *arg);

/*
 * A node that is asked by another one answers for itself alone.  It may take long to
 * ask, which is not for a process that others wait for.  A node waits no longer for a
 * lock than for an HTTP worker that asks.
 */
void
shard_append_answers(DynamoRequest *request, StringInfo out,
					 const char *operation)
{
	wire_member(out, "OtherNodes");
	appendStringInfoChar(out, '[');
	if (!request->client.is_node)
	{
		dynamo_budget_spend(request, DYNAMO_BUDGET);
		shard_ask_rest(shard_question(operation, request->body,
									  request->body_len, true),
					   append_answer, out);
	}
	appendStringInfoChar(out, ']');
}

static void
append_answer(HeapTuple row, TupleDesc desc, void *arg)
{
	StringInfo	out = arg;
	char	   *answer = SPI_getvalue(row, desc, 2);
	ErrorData  *error = answer ? dynamo_message_text_error(answer) : NULL;
	int			len;

	if (error != NULL && error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		answer = NULL;
	else if (error != NULL)
		ThrowErrorData(error);
	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Node", SPI_getvalue(row, desc, 1));
	if (answer != NULL)
	{
		answer = unconstify(char *, dynamo_message_body(answer, strlen(answer), &len));
		wire_member(out, "Answer");
		appendBinaryStringInfo(out, answer, len);
	}
	appendStringInfoChar(out, '}');
}
