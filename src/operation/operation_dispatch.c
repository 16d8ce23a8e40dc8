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
#include "backup/backup.h"
#include "base/base_budget.h"
#include "base/base_message.h"
#include "base/base_route.h"
#include "bucket/bucket.h"
#include "capacity/capacity.h"
#include "control/control.h"
#include "engine/engine.h"
#include "job/job.h"
#include "operation/operation_internal.h"
#include "transfer/transfer_export.h"
#include "transfer/transfer_load.h"
#include "utils/snapmgr.h"

/* What is left of a call for its handler */
typedef struct Run
{
	const Operation *op;
	const void *request;
	PolicyRequest *policy;
	bool		door;
	bool		in_block;
	StringInfo	out;
} Run;

/* A call, and its answer */
typedef struct Call
{
	const Operation *op;
	const char *request;
	size_t		request_len;
	bool		door;
	bool		in_block;		/* the caller is in a transaction block */
	StringInfo	out;
} Call;

static StringInfo count(const Operation *op, const char *request,
						size_t request_len, bool door, bool in_block);
static void run_counted(void *arg);
static void run_call(void *arg);
static StringInfo execute(const Operation *op, const char *request,
						  size_t request_len, bool door, bool in_block);
static void run_here_or_there(Run *here, const char *request,
							  size_t request_len);
static void run_here(void *arg);
static void run(const Run *here);
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
	bucket_init();
	transfer_export_init();
	policy_init(&wire_region, &wire_account_id);
}

/*
 * The response is in the current memory context, and so is all that was
 * needed to make it: run each request in a context of its own.
 */
StringInfo
operation_call(const Operation *op, const char *request, size_t request_len)
{
	return count(op, request, request_len, true, IsTransactionBlock());
}

StringInfo
operation_call_unchecked(const Operation *op, const char *request,
						 size_t request_len)
{
	return count(op, request, request_len, false, IsTransactionBlock());
}

/*
 * For who counts requests himself, and gives each a transaction of its own.
 */
StringInfo
operation_run(const Operation *op, const char *request, size_t request_len)
{
	return execute(op, request, request_len, true, false);
}

static StringInfo
count(const Operation *op, const char *request, size_t request_len,
	  bool door, bool in_block)
{
	Call		call = {op, request, request_len, door, in_block};

	operation_counted(op, run_counted, &call);
	return call.out;
}

static void
run_counted(void *arg)
{
	Call	   *call = arg;

	call->out = execute(call->op, call->request, call->request_len,
						call->door, call->in_block);
}

/*
 * "door": the current user's policies are checked, if there are any.
 */
static StringInfo
execute(const Operation *op, const char *request, size_t request_len,
		bool door, bool in_block)
{
	Run			here = {.op = op, .door = door,.in_block = in_block, .out = makeStringInfo()};
	json_t	   *body;
	void	   *filled;

	/* What was granted is for this request, even if it cannot be read. */
	dynamo_budget_begin();
	dynamo_route_begin(op->place == OPERATION_AT_ITEMS);
	body = parse_request(request, request_len);
	stats_note_role();
	check_operation(op);
	wire_check_types(op->shape, body);
	wire_check_constraints(op->shape, body);

	filled = palloc0(op->shape->size);
	wire_fill(op->shape, body, filled);

	/* Read what is committed now, and what this transaction wrote before. */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (door && !policy_absent)
		here.policy = policy_begin(op->name);
	if (here.policy)
		operation_check_policies(here.policy, op, body);
	here.request = filled;
	run_here_or_there(&here, request, request_len);
	PopActiveSnapshot();
	return here.out;
}

static void
run_here_or_there(Run *here, const char *request, size_t request_len)
{
	if (operation_is_for_coordinator(here->op))
		operation_run_or_forward(here->op, request, request_len, here->in_block,
								 run_here, here, here->out);
	else
		run_here(here);
	if (dynamo_route_left())
		operation_ask_node(here->op, dynamo_route_found(), request, request_len,
						   here->out);
}

static void
run_here(void *arg)
{
	run(arg);
}

/*
 * Run the handler, which checks the policies there are; a trigger may run another request meanwhile.  Some of its errors are
 * counted like those that the constraint pass has collected.
 */
static void
run(const Run *here)
{
	MemoryContext context = CurrentMemoryContext;
	PolicyOuter outer = policy_enter(here->policy, here->door);

	api_limit_begin();
	PG_TRY();
	{
		here->op->handler(here->request, here->out);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		policy_leave(here->policy, outer);
		api_limit_end();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (!operation_counts_error(here->op, error))
			PG_RE_THROW();
		FlushErrorState();
		error->message = psprintf(DYNAMO_COUNTED "%s", error->message);
		ReThrowError(error);
	}
	PG_END_TRY();
	api_limit_end();
	policy_leave(here->policy, outer);
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
operation_try_call(const Operation *op, const char *request, size_t request_len)
{
	Call		call = {op, request, request_len, !policy_absent,
	IsTransactionBlock()};
	ErrorData  *error = api_attempt(run_call, &call);
	int			http_status;

	if (error)
		return operation_error_json(op, request, request_len, error, &http_status);
	return call.out;
}

StringInfo
operation_answer_node(const Operation *op, const char *request,
					  size_t request_len, bool later)
{
	Call		call = {op, request, request_len, !policy_absent,
	IsTransactionBlock()};
	bool		outer = control_asked_later;
	StringInfo	out = makeStringInfo();
	ErrorData  *error;

	control_asked_later = later;
	PG_TRY();
	{
		error = api_attempt(run_call, &call);
	}
	PG_FINALLY();
	{
		control_asked_later = outer;
	}
	PG_END_TRY();
	if (error)
		dynamo_message_refuse_text(out, error);
	else
		dynamo_message_answer_text(out, call.out->data, call.out->len);
	return out;
}

static void
run_call(void *arg)
{
	Call	   *call = arg;

	call->out = count(call->op, call->request, call->request_len, call->door,
					  call->in_block);
}
