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

static void append_answer(HeapTuple row, TupleDesc desc, void *arg);

/*
 * A node that is asked by another one answers for itself alone.
 */
void
shard_append_answers(const DynamoRequest *request, StringInfo out,
					 const char *operation)
{
	wire_member(out, "OtherNodes");
	appendStringInfoChar(out, '[');
	if (!request->client.is_node)
		shard_ask_rest(shard_question(operation, request->body,
									  request->body_len, false),
					   append_answer, out);
	appendStringInfoChar(out, ']');
}

static void
append_answer(HeapTuple row, TupleDesc desc, void *arg)
{
	StringInfo	out = arg;
	char	   *answer = SPI_getvalue(row, desc, 2);
	ErrorData  *error = answer ? dynamo_message_text_error(answer) : NULL;
	int			len;

	if (error != NULL)
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
