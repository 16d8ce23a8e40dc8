/*-------------------------------------------------------------------------
 *
 * operation_dispatch.c
 *	  From an operation and a request's text to the response.
 *
 * What all operations have in common is done here once: parse, shape pass,
 * constraint pass, fill.  A handler sees a request that is well formed by
 * itself and checks what depends on several members or on the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "backup/backup.h"
#include "base/base_budget.h"
#include "base/base_message.h"
#include "bucket/bucket.h"
#include "capacity/capacity.h"
#include "control/control.h"
#include "engine/engine.h"
#include "job/job.h"
#include "operation/operation_internal.h"
#include "search/search.h"
#include "transfer/transfer_export.h"
#include "transfer/transfer_load.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

/* How long a request waits for a lock, if another node waits for its answer. */
#define ASKED_LOCK_WAIT	"1s"

static StringInfo call_counted(DynamoRequest *request);
static void run_counted(void *arg);
static void call_attempted(void *arg);
static json_t *parse_request(const char *request, size_t request_len);
static void check_operation(const Operation *op);

/*
 * Initializes the layers below and gives them what they need of one another.
 */
void
operation_init(void)
{
	stats_init();
	operation_give_names();
	capacity_init();
	job_init();
	transfer_load_init();
	engine_init();
	backup_init();
	schema_callbacks.denial = wire_denial;
	wire_init();
	search_init();
	bucket_init();
	transfer_export_init();
	policy_init(&wire_region, &wire_account_id);
}

void
operation_request(DynamoRequest *request, const Operation *op,
				  const char *body, size_t len)
{
	dynamo_request_init(request, op);
	request->body = body;
	request->body_len = len;
	request->in_block = IsTransactionBlock();
}

StringInfo
operation_call(const Operation *op, const char *body, size_t len)
{
	DynamoRequest request;

	operation_request(&request, op, body, len);
	request.door = true;
	return call_counted(&request);
}

StringInfo
operation_call_unchecked(const Operation *op, const char *body, size_t len)
{
	DynamoRequest request;

	operation_request(&request, op, body, len);
	return call_counted(&request);
}

StringInfo
operation_call_as_owner(const Operation *op, const char *body, size_t len,
						bool is_long, const DynamoClaim *claim)
{
	DynamoRequest request;

	operation_request(&request, op, body, len);
	request.claim = *claim;
	request.budget = is_long ? 0 : DYNAMO_BUDGET;
	request.route = DYNAMO_ROUTE_OWNER;
	return call_counted(&request);
}

/*
 * The same for a part of a transaction of several nodes.
 */
StringInfo
operation_call_part(const char *body, size_t len)
{
	DynamoRequest request;

	operation_request(&request, operation_find("TransactWriteItems"), body, len);
	request.budget = DYNAMO_BUDGET;
	request.route = DYNAMO_ROUTE_OWNER;
	request.is_part = true;
	return call_counted(&request);
}

static StringInfo
call_counted(DynamoRequest *request)
{
	operation_counted(request, run_counted, request);
	return request->answer;
}

static void
run_counted(void *arg)
{
	(void) operation_run(arg);
}

/*
 * The same for a request that the caller has let in, and counts itself.  If
 * its route is DYNAMO_ROUTE_AWAY it may be elsewhere in the end, or its parts.
 * Then it has done nothing, and the caller has those nodes execute it.  Where the service counts what is wrong with a request,
 * some errors of the handler are counted like those that the constraint pass
 * has collected.
 */
StringInfo
operation_run(DynamoRequest *request)
{
	const Operation *op = request->operation;
	MemoryContext context = CurrentMemoryContext;
	bool		forwarded;
	json_t	   *body;
	void	   *input;

	request->answer = makeStringInfo();
	if (op->place != OPERATION_AT_ITEMS)
		request->route = DYNAMO_ROUTE_NONE;
	forwarded = request->route == DYNAMO_ROUTE_AWAY ||
		request->route == DYNAMO_ROUTE_PARTS;
	body = parse_request(request->body, request->body_len);
	stats_note_role(request->stats);
	check_operation(op);
	wire_check_types(op->shape, body);
	wire_check_constraints(op->shape, body);
	if (RecoveryInProgress())
		operation_check_consistent(op, body);
	input = palloc0(op->shape->size);
	wire_fill(op->shape, body, input);
	request->input = input;

	/* Read what is committed now, and what this transaction wrote before. */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (request->door && !policy_absent)
		request->policy = policy_begin(request, op->action ? op->action : op->name);
	if (request->policy)
		operation_check_policies(request->policy, op, body);
	policy_enter(request->policy);
	request->limited = true;
	PG_TRY();
	{
		if (operation_is_for_coordinator(op))
			operation_run_or_forward(request);
		else
			op->handler(request, request->answer);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		policy_leave(request->policy);
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (!operation_counts_error(op, error))
			PG_RE_THROW();
		FlushErrorState();
		error->message = psprintf(DYNAMO_COUNTED "%s", error->message);
		ReThrowError(error);
	}
	PG_END_TRY();
	request->limited = false;
	policy_leave(request->policy);
	if (request->elsewhere && !forwarded)
	{
		operation_ask_node(request);
		request->elsewhere = NULL;
	}
	PopActiveSnapshot();
	return request->answer;
}

void
operation_check_envelope(const Operation *op, const char *request,
						 size_t request_len)
{
	if (request != NULL)
		(void) parse_request(request, request_len);
	check_operation(op);
}

static json_t *
parse_request(const char *request, size_t request_len)
{
	json_error_t error;
	json_t	   *body = codec_load(request, request_len, &error);

	if (body == NULL)
		wire_refuse_text();
	return body;
}

static void
check_operation(const Operation *op)
{
	DynamoHelp	help = {NULL};
	const char *similar;

	if (op->handler != NULL)
		return;
	if (op->service != NULL)
		dynamo_rule_error(DYNAMO_UNKNOWN_OPERATION, DYNAMO_RULE_ABSENT,
						  "The operation %s is not available here",
						  op->name);
	similar = operation_similar(op->name);
	if (similar != NULL)
		help.hint = psprintf("Did you mean \"%s\"?", similar);
	dynamo_error_with_help(DYNAMO_UNKNOWN_OPERATION, &help,
						   "unknown operation \"%s\"", op->name);
}

/*
 * The error body of an error that was caught while the operation ran, and
 * the HTTP status that goes with it.
 */
StringInfo
operation_error_json(const Operation *op, const char *request,
					 size_t request_len, const ErrorData *error, int *http_status)
{
	return wire_error_body(error, op->conflict, op->name, request, request_len,
						   http_status);
}

/*
 * Run one operation in a subtransaction.  Where it raises, undo what it did
 * and return the error body instead of the response.
 */
StringInfo
operation_try_call(const Operation *op, const char *body, size_t len)
{
	DynamoRequest request;
	ErrorData  *error;
	int			http_status;

	operation_request(&request, op, body, len);
	request.door = true;
	error = api_attempt(call_attempted, &request);
	if (error)
		return operation_error_json(op, body, len, error, &http_status);
	return request.answer;
}

/*
 * "later": who asks repeats a request that has met a lock, or goes on without its
 * answer.  It waits in a transaction, and who builds an index there waits for that,
 * with the table locked here: a deadlock of two nodes, which nobody would see.
 */
StringInfo
operation_answer_node(const Operation *op, const char *body, size_t len,
					  bool later)
{
	DynamoRequest request;
	StringInfo	out = makeStringInfo();
	ErrorData  *error;

	if (later)
		(void) set_config_option("lock_timeout", ASKED_LOCK_WAIT, PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0,
								 false);
	operation_request(&request, op, body, len);
	request.door = true;
	request.client.asks_later = later;
	request.client.is_node = true;
	error = api_attempt(call_attempted, &request);
	if (error)
		dynamo_message_refuse_text(out, error);
	else
		dynamo_message_answer_text(out, request.answer->data,
								   request.answer->len);
	return out;
}

static void
call_attempted(void *arg)
{
	(void) call_counted(arg);
}
