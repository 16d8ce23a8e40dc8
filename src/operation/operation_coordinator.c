/*-------------------------------------------------------------------------
 *
 * operation_coordinator.c
 *	  Requests that another node of a Citus cluster executes: changes of
 *	  definitions, which the coordinator does, and reading of streams.
 *
 * Distributed tables are created, changed and dropped on the coordinator.  A
 * worker tries such an operation itself, since most of what it refuses, and all
 * tables of its own, need no other node.  What the coordinator must do breaks a
 * rule that says so, before anything is done, and is sent there.  There it is a
 * transaction of its own, and when its answer comes all nodes have the change.
 * A rollback here would not undo it, so it is refused in a transaction block.
 * Nor would anybody see that it waits for a lock of this transaction, which
 * waits for it, so it is refused where there can be such a lock.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_message.h"
#include "control/control.h"
#include "operation/operation_internal.h"
#include "schema/schema.h"
#include "shard/shard.h"
#include "utils/builtins.h"

static void run_handler(void *arg);
static char *question(const DynamoRequest *request, bool later);
static void take_nodes_answer(const char *answer, StringInfo out);

/*
 * May the operation have to be done on the coordinator?
 */
bool
operation_is_for_coordinator(const Operation *op)
{
	return op->place == OPERATION_AT_COORDINATOR && shard_is_worker();
}

/*
 * Run the handler of an operation like that, or have the coordinator do all of
 * it.
 */
void
operation_run_or_forward(DynamoRequest *request)
{
	ErrorData  *error = api_attempt(run_handler, request);
	char	   *asked;

	if (error == NULL)
		return;
	if (!dynamo_breaks(error, DYNAMO_RULE_COORDINATOR))
		ReThrowError(error);
	if (request->in_block)
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("%s of a distributed table cannot run inside a transaction block on a worker",
						request->operation->name),
				 errhint("Connect to the coordinator.")));
	if (shard_holds_tables())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("%s of a distributed table cannot run on a worker in a transaction that has used distributed tables or changed definitions",
						request->operation->name),
				 errdetail("The coordinator would wait for the locks of this transaction."),
				 errhint("Connect to the coordinator.")));
	asked = question(request, request->client.builds_later);
	take_nodes_answer(shard_ask_coordinator(asked), request->answer);
}

static void
run_handler(void *arg)
{
	DynamoRequest *request = arg;

	request->operation->handler(request, request->answer);
}

/*
 * Have the other node do it that has all that is needed, in a transaction of its
 * own.
 */
void
operation_ask_node(DynamoRequest *request)
{
	char	   *answer;

	if (request->in_block && request->operation->writes)
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("%s of what another node has cannot run inside a transaction block",
						request->operation->name),
				 errhint("Connect to that node.")));
	answer = shard_ask_node(request->elsewhere->host,
							request->elsewhere->port,
							question(request, false));
	if (answer == NULL)
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	take_nodes_answer(answer, request->answer);
}

static char *
question(const DynamoRequest *request, bool later)
{
	return shard_question(request->operation->name, request->body,
						  request->body_len, later);
}

/*
 * The answer of the other node becomes ours.  Raises what it has raised.
 */
static void
take_nodes_answer(const char *answer, StringInfo out)
{
	ErrorData  *error = dynamo_message_text_error(answer);
	int			len = strlen(answer);
	const char *body;

	if (error != NULL)
		ThrowErrorData(error);
	body = dynamo_message_body(answer, len, &len);
	resetStringInfo(out);
	appendBinaryStringInfo(out, body, len);
}
