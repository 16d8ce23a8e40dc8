/*-------------------------------------------------------------------------
 *
 * shard_answer.c
 *	  What each of the other nodes of a cluster answers to a request.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_message.h"
#include "executor/spi.h"
#include "shard/shard_internal.h"

/* What takes the answers. */
typedef struct Taker
{
	ShardTakeAnswer take;
	void	   *arg;
} Taker;

static void take_text(HeapTuple row, TupleDesc desc, void *taker);
static void append_answer(const char *node, const char *body, int len,
						  void *out);

/*
 * Give "take" the answer of each other node to the request, which it answers for
 * itself alone, as the current user.  A node waits no longer for a lock than for an
 * HTTP worker that asks; one that would has no answer.  Raises what it has raised
 * otherwise.
 */
void
shard_ask_same(DynamoRequest *request, const char *operation,
			   ShardTakeAnswer take, void *arg)
{
	Taker		taker = {take, arg};

	if (!request->client.is_node)
		shard_ask_rest(request,
					   shard_question(operation, request->body,
									  request->body_len, true),
					   take_text, &taker);
}

static void
take_text(HeapTuple row, TupleDesc desc, void *arg)
{
	const Taker *taker = arg;
	const char *answer = SPI_getvalue(row, desc, 2);
	ErrorData  *error = answer ? dynamo_message_text_error(answer) : NULL;
	int			len = 0;

	if (error != NULL && error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		answer = NULL;
	else if (error != NULL)
		ThrowErrorData(error);
	if (answer != NULL)
		answer = dynamo_message_body(answer, strlen(answer), &len);
	taker->take(SPI_getvalue(row, desc, 1), answer, len, taker->arg);
}

void
shard_append_answers(DynamoRequest *request, StringInfo out,
					 const char *operation)
{
	wire_member(out, "OtherNodes");
	appendStringInfoChar(out, '[');
	shard_ask_same(request, operation, append_answer, out);
	appendStringInfoChar(out, ']');
}

static void
append_answer(const char *node, const char *body, int len, void *arg)
{
	StringInfo	out = arg;

	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Node", node);
	if (body != NULL)
	{
		wire_member(out, "Answer");
		appendBinaryStringInfo(out, body, len);
	}
	appendStringInfoChar(out, '}');
}
