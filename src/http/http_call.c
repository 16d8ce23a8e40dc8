/*-------------------------------------------------------------------------
 *
 * http_call.c
 *	  One request: authentication, a transaction, the operation.
 *
 * The transaction commits without waiting for the disk.  Its caller flushes
 * the log up to http_last_commit() before any answer leaves.
 *
 * The operation runs in the session of the access key's role (base_session.c).
 *  The next request finds nothing that it, or a function of a user, leaves
 * there.  Otherwise one role could change what another's do.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_budget.h"
#include "base/base_request.h"
#include "base/base_session.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process_watch.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/timeout.h"

/* How long a request waits for a lock at a time, in milliseconds. */
#define LOCK_WAIT		1

/*
 * What changes a definition queues for its lock so long, in a long worker.
 * All that comes meanwhile queues behind it.
 */
#define QUEUE_WAIT		1000

/* How long the last time, if it has to tell for whom; and how often it does. */
#define HOLDER_WAIT		20
#define HOLDER_INTERVAL	1000

/* What is parsed for a client that is not known, in bytes. */
#define STRANGERS_BODY	4096

/* Bodies from here on are for a long worker: any, and of many items. */
#define LONG_BODY		(32 * 1024)
#define MANY_BODY		(4 * 1024)

/* How often nodes may meet locks when they execute parts of a transaction. */
#define MAX_SPLITS		3

/* How many times as large a body may be when it is unpacked. */
#define UNPACKED		8

/* A request in execution. */
typedef struct Call
{
	HttpRequest *http;
	DynamoRequest request;
	StatsRequest stats;
	bool		is_sts;			/* it is one to the other service */
	Oid			role;			/* invalid: not known yet */
	bool		may_leave;		/* for a long worker */

	/* Settings between requests. */
	int			deadlock_timeout;
	bool		log_waits;		/* log_lock_waits */
} Call;

static XLogRecPtr last_commit = InvalidXLogRecPtr;

static HttpResult execute_transaction(HttpRequest *http, bool last,
									  HttpReply *reply);
static HttpResult take_owners_answer(HttpRequest *http, bool last,
									 HttpReply *reply);
static void execute_part(HttpRequest *http, int n);
static void lose_error(void);
static HttpResult answer_owners_error(HttpRequest *http, ErrorData *error,
									  bool last, HttpReply *reply);
static bool installed(HttpReply *reply);
static void note_commit(XLogRecPtr end);
static void begin_transaction(Call *call, bool last);
static void look_for_holder(void);
static HttpResult execute_operation(Call *call, bool last, HttpReply *reply);
static bool may_route(const Call *call);
static void set_client(Call *call);
static Oid	requester(Call *call);
static void check_strangers_request(Call *call);
static void admit(Oid role);
static void restore_settings(const Call *call);
static bool is_long(const Call *call);
static HttpResult answer_error(Call *call, bool last, HttpReply *reply);
static HttpResult split_failed(HttpRequest *http, const ErrorData *error);
static HttpResult send_away(Call *call, bool last, HttpReply *reply);
static void leave_to_citus(HttpRequest *http, const ErrorData *error);
static bool can_wait(const ErrorData *error);
static bool is_refusal(const ErrorData *error);

/*
 * Execute the request and fill "reply", in the current memory context; it has
 * no body if memory is short.  A request that would have to wait for a lock
 * waits, unless this is its last try.  No transaction is left open, and no
 * error leaves this function.
 */
HttpResult
http_execute(HttpRequest *http, bool last, HttpReply *reply)
{
	volatile HttpResult result = HTTP_ANSWERED;

	PG_TRY();
	{
		if (!http_answer_plainly(http, reply))
			result = execute_transaction(http, last, reply);
		if (result == HTTP_ANSWERED)
			http_finish(http, reply);
	}
	PG_CATCH();
	{
		lose_error();
		reply->body = NULL;
		result = HTTP_ANSWERED;
	}
	PG_END_TRY();
	return result;
}

/*
 * The same for a request that another node has executed.
 */
HttpResult
http_conclude(HttpRequest *http, bool last, HttpReply *reply)
{
	volatile HttpResult result = HTTP_ANSWERED;

	reply->status = MHD_HTTP_OK;
	reply->content_type = http_answer_type(http);
	PG_TRY();
	{
		result = take_owners_answer(http, last, reply);
		if (result == HTTP_ANSWERED)
			http_finish(http, reply);
	}
	PG_CATCH();
	{
		lose_error();
		reply->body = NULL;
		result = HTTP_ANSWERED;
	}
	PG_END_TRY();
	return result;
}

/*
 * Execute what this node is to do of a request that has left in parts, as another
 * node does its part: in a transaction of its own.  In the current memory context.
 * No error leaves this function.  False: there is nothing to do.
 */
bool
http_execute_part(HttpRequest *http)
{
	int			n = http->scatter ? http_scatter_due(http->scatter) : -1;

	if (n < 0)
		return false;
	PG_TRY();
	{
		execute_part(http, n);
	}
	PG_CATCH();
	{
		lose_error();
		http_scatter_take(http->scatter, n, NULL, NULL);
	}
	PG_END_TRY();
	return true;
}

static void
execute_part(HttpRequest *http, int n)
{
	static const DynamoClaim none = {0};
	MemoryContext context = CurrentMemoryContext;
	const Operation *operation =
		operation_of_target(http_header(http, "X-Amz-Target"));
	StringInfo	body = http_scatter_body(http->scatter, n);
	Call	   *call = palloc0(sizeof(Call));
	StringInfo volatile answer = NULL;
	ErrorData  *volatile error = NULL;

	call->http = http;
	operation_request(&call->request, operation, NULL, 0);
	set_client(call);
	dynamo_work_begin(operation_name(operation), http_request_timeout);
	dynamo_request_enter(&call->request);
	PG_TRY();
	{
		StringInfo	text;

		dynamo_request_begin(http_request_timeout);
		LockTimeout = LOCK_WAIT;
		MemoryContextSwitchTo(context);
		dynamo_session_user(http->role);
		dynamo_session_show_client(http_client(http));
		admit(http->role);
		dynamo_session_enter(http->role, 0);
		text = operation_call_as_owner(operation, body->data, body->len,
									   http->connection == NULL, &none);
		dynamo_session_leave();
		note_commit(dynamo_request_commit());
		dynamo_request_leave(&call->request);
		MemoryContextSwitchTo(http_scatter_context(http->scatter));
		answer = makeStringInfo();
		appendBinaryStringInfo(answer, text->data, text->len);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		dynamo_ignore_cancels();
		dynamo_request_leave(&call->request);
		MemoryContextSwitchTo(http_scatter_context(http->scatter));
		error = CopyErrorData();
		FlushErrorState();
		dynamo_request_abort();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	dynamo_session_settle();
	dynamo_work_end();
	pgstat_report_activity(STATE_IDLE, NULL);
	MemoryContextSwitchTo(context);
	http_scatter_take(http->scatter, n, answer, error);
}

/*
 * Not even an error can be answered.
 */
static void
lose_error(void)
{
	HOLD_INTERRUPTS();
	dynamo_ignore_cancels();
	EmitErrorReport();
	FlushErrorState();
	dynamo_request_abort();
	RESUME_INTERRUPTS();
	dynamo_session_settle();
	dynamo_work_end();
}

/*
 * An error is answered in a transaction, as in execute_transaction(); it was
 * counted where the request was executed.
 */
static HttpResult
take_owners_answer(HttpRequest *http, bool last, HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	volatile HttpResult result = HTTP_ANSWERED;

	PG_TRY();
	{
		if (http->notes)
		{
			http_forward_take_note(http);
			result = HTTP_AGAIN;
		}
		else
		{
			reply->body = http->scatter ? http_scatter_answer(http, last) :
				http_forward_answer(http);
			if (reply->body == NULL)
				result = HTTP_WAITS;
		}
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		result = answer_owners_error(http, error, last, reply);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return result;
}

static HttpResult
answer_owners_error(HttpRequest *http, ErrorData *error, bool last,
					HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	const Operation *operation =
		operation_of_target(http_header(http, "X-Amz-Target"));
	int			status;

	if (dynamo_breaks(error, DYNAMO_RULE_BUDGET))
	{
		http_scatter_forget(http);
		http->is_long = true;
		http->stays = false;
		return HTTP_WAITS;
	}
	leave_to_citus(http, error);
	if (can_wait(error) && !last)
		return HTTP_WAITS;
	StartTransactionCommand();
	MemoryContextSwitchTo(context);
	SetUserIdAndSecContext(http->role, SECURITY_LOCAL_USERID_CHANGE);
	reply->body = operation_error_json(operation, http->body ? http->body : "",
									   http->body_len, error, &status);
	reply->status = status;
	if (status >= 500 && !is_refusal(error))
		dynamo_log_caught("a request failed at the node that executed it: ",
						  error);
	AbortOutOfAnyTransaction();
	MemoryContextSwitchTo(context);
	return HTTP_ANSWERED;
}

static HttpResult
execute_transaction(HttpRequest *http, bool last, HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	Call	   *call = palloc0(sizeof(Call));	/* an error leaves it as it is */
	const Operation *operation =
		operation_of_target(http_header(http, "X-Amz-Target"));
	volatile HttpResult result = HTTP_ANSWERED;

	call->http = http;
	operation_request(&call->request, operation, NULL, 0);
	call->deadlock_timeout = DeadlockTimeout;
	call->log_waits = log_lock_waits;
	call->is_sts = operation_name(operation)[0] == '\0' && http_sts_asked(http);
	if (!call->is_sts && !http_metrics_asked(http))
		operation_stat_begin(&call->request, &call->stats);
	if (INSTR_TIME_IS_ZERO(http->called))
		http->called = call->stats.began;
	else
		call->stats.began = http->called;
	call->may_leave = !http->stays && http->connection != NULL &&
		http_job_possible();
	dynamo_work_begin(operation_name(operation), http_request_timeout);
	peer_settle_kept();

	/* Up to the commit, since it may execute functions of users, too. */
	dynamo_request_enter(&call->request);
	PG_TRY();
	{
		begin_transaction(call, last);
		MemoryContextSwitchTo(context);
		if (!installed(reply))
			;
		else if (http_metrics_asked(http))
			http_metrics_page(http, reply);
		else if (call->is_sts)
			http_sts_answer(http, reply);
		else
			result = execute_operation(call, last, reply);
		note_commit(dynamo_request_commit());
		call->request.is_split = false;
		restore_settings(call);
		dynamo_request_leave(&call->request);
		if (result == HTTP_ANSWERED)
			stats_end(&call->stats, STATS_SUCCESS, http_request_id, http);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		dynamo_ignore_cancels();
		dynamo_request_leave(&call->request);
		MemoryContextSwitchTo(context);
		restore_settings(call);
		result = answer_error(call, last, reply);
		dynamo_request_abort();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	dynamo_session_settle();
	dynamo_work_end();
	MemoryContextSwitchTo(context);
	if (result == HTTP_AWAY)
		result = send_away(call, last, reply);
	pgstat_report_activity(STATE_IDLE, NULL);
	MemoryContextSwitchTo(context);
	return result;
}

/*
 * Invalid: the answer waits for nothing.
 */
static void
note_commit(XLogRecPtr end)
{
	last_commit = Max(last_commit, end);
}

/*
 * The end of the last commit of this process in the log.
 */
XLogRecPtr
http_last_commit(void)
{
	return last_commit;
}

/*
 * A request that has to get a table for itself queues for its lock, or it
 * would never find it free beside writers that take turns.
 */
static void
begin_transaction(Call *call, bool last)
{
	dynamo_request_begin(http_request_timeout);
	LockTimeout = operation_queues(call->request.operation) &&
		call->http->connection == NULL ? QUEUE_WAIT : LOCK_WAIT;

	/* Core has autovacuum make way when it looks for a deadlock, not before. */
	if (LockTimeout == QUEUE_WAIT)
		DeadlockTimeout = Min(DeadlockTimeout, QUEUE_WAIT / 2);
	if (last)
		look_for_holder();
}

/*
 * A request is about to give up.  Have core tell in the log whom it waits for,
 * once in a while: it does so when it looks for a deadlock.
 */
static void
look_for_holder(void)
{
	static int64 next = 0;
	int64		now = dynamo_clock();

	if (now < next)
		return;
	next = now + HOLDER_INTERVAL;
	DeadlockTimeout = LOCK_WAIT;
	LockTimeout = Max(LockTimeout, HOLDER_WAIT);
	log_lock_waits = true;
}

static void
restore_settings(const Call *call)
{
	DeadlockTimeout = call->deadlock_timeout;
	log_lock_waits = call->log_waits;
}

/*
 * Is the extension there?  If not, the client may try again later.
 */
static bool
installed(HttpReply *reply)
{
	if (identity_keys_exist())
		return true;
	http_refuse(reply, MHD_HTTP_SERVICE_UNAVAILABLE,
				DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	return false;
}

/*
 * Nothing has been unpacked or parsed when a request is found to be long.
 */
static HttpResult
execute_operation(Call *call, bool last, HttpReply *reply)
{
	DynamoRequest *request = &call->request;
	StringInfo	rest;

	call->role = requester(call);
	call->http->role = call->role;
	identity_role_check_connect(call->role);
	if (call->may_leave && is_long(call))
		return HTTP_LONG;

	/* Its role may see who asks, and that of the request before may not. */
	dynamo_session_user(call->role);
	dynamo_session_show_client(http_client(call->http));
	admit(call->role);
	if (call->may_leave)
		request->budget = DYNAMO_BUDGET;
	if (may_route(call))
		request->route = call->http->scatter ? DYNAMO_ROUTE_PARTS :
			DYNAMO_ROUTE_AWAY;
	request->splits = request->route == DYNAMO_ROUTE_AWAY && !last &&
		call->http->splits < MAX_SPLITS;
	request->tries_again = !last;
	request->claim = call->http->claim;
	http_unpack_body(call->http, &request->body, &request->body_len);
	rest = http_scatter_rest(call->http);
	if (rest != NULL)
	{
		request->body = rest->data;
		request->body_len = rest->len;
	}
	set_client(call);
	dynamo_session_enter(call->role, 0);
	reply->body = operation_run(request);
	dynamo_session_leave();
	if (dynamo_is_elsewhere(request))
		return HTTP_AWAY;
	if (call->http->scatter != NULL)
		reply->body = http_scatter_complete(call->http, reply->body);
	return HTTP_ANSWERED;
}

/*
 * May the request be executed by other nodes?  A long worker has nobody who
 * waits behind what it has them do; it sends batches, and leaves all else that
 * is long to Citus.
 */
static bool
may_route(const Call *call)
{
	if (!peer_possible() || call->http->by_citus)
		return false;
	return call->http->connection != NULL ? !call->http->is_long :
		operation_has_parts(call->request.operation);
}

/*
 * May the request take long, by what is known of it before any work?  What a
 * packed body will be is not known.
 */
static bool
is_long(const Call *call)
{
	HttpRequest *http = call->http;
	size_t		len = http->body_len;

	if (http->is_long)
		return true;
	if (len <= MANY_BODY / UNPACKED)
		return false;
	if (http_body_is_packed(http))
		len *= UNPACKED;
	return len > (operation_is_many(call->request.operation) ? MANY_BODY :
				  LONG_BODY);
}

/*
 * What operations and policies ask of a request beside its body.
 */
static void
set_client(Call *call)
{
	DynamoClient *client = &call->request.client;
	const char *confirm =
		http_header(call->http, "x-amz-confirm-remove-self-resource-access");

	client->host = wire_text(http_header(call->http, "Host"));
	client->transport = http_is_secure(call->http) ? DYNAMO_TRANSPORT_SECURE :
		DYNAMO_TRANSPORT_PLAIN;
	client->confirmed = confirm != NULL && strcmp(confirm, "true") == 0;
	client->builds_later = true;
	call->request.door = true;
}

/*
 * The role the request runs as.  The signature covers the body as sent, so
 * nothing is unpacked or parsed before the client is known.
 */
static Oid
requester(Call *call)
{
	IdentityRefusal refusal;
	Oid			role;

	if (!http_authenticate(call->http, identity_dynamodb, &role, &refusal))
	{
		check_strangers_request(call);
		dynamo_error(refusal.exception, "%s", refusal.message);
	}
	return role;
}

/*
 * As AWS does, report first what is wrong with an unknown client's request as
 * a whole, and only then that the client is unknown.  Not for a large or
 * packed body: otherwise anybody could make us work.
 */
static void
check_strangers_request(Call *call)
{
	HttpRequest *http = call->http;
	bool		small = http->body_len <= STRANGERS_BODY &&
		!http_body_is_packed(http);

	operation_check_envelope(call->request.operation,
							 !small ? NULL : http->body ? http->body : "",
							 http->body_len);
}

/*
 * May a worker be the role's now?  Raises if not.
 */
static void
admit(Oid role)
{
	if (!dynamo_work_for(role))
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	if (!dynamo_work_claim(http_workers_per_role))
		dynamo_rule_error(DYNAMO_THROTTLING, DYNAMO_RULE_SHARE,
						  HTTP_THROTTLED);
}

/*
 * Turn the error being handled into a reply, and forget it, unless the request
 * is to be tried again.
 */
static HttpResult
answer_error(Call *call, bool last, HttpReply *reply)
{
	const Operation *operation = call->request.operation;
	ErrorData  *error = CopyErrorData();
	int			status;
	HttpResult	result = HTTP_ANSWERED;

	if (call->is_sts)
	{
		http_sts_fail(call->http, error, reply);
		if (reply->status >= 500)
			EmitErrorReport();
		FlushErrorState();
		return HTTP_ANSWERED;
	}
	call->http->has_token = call->request.has_token;
	leave_to_citus(call->http, error);
	if (dynamo_breaks(error, DYNAMO_RULE_BUDGET) && call->may_leave)
		result = HTTP_LONG;
	else if (call->request.is_split)
		result = split_failed(call->http, error);
	else if (can_wait(error) && !last)
		result = call->may_leave && operation_queues(operation) ? HTTP_LONG :
			HTTP_WAITS;
	if (result == HTTP_ANSWERED)
	{
		StringInfo	done = http_scatter_give_up(call->http);

		stats_end(&call->stats, operation_outcome(operation, error),
				  http_request_id, call->http);
		/* It may have come from a function that runs as its owner. */
		if (OidIsValid(call->role))
			SetUserIdAndSecContext(call->role, SECURITY_LOCAL_USERID_CHANGE);
		reply->body = operation_error_json(operation,
										   call->request.body ?
										   call->request.body : "",
										   call->request.body_len, error,
										   &status);
		if (status >= 500 && !is_refusal(error))
			EmitErrorReport();
		if (done != NULL)
			reply->body = done;
		else
			reply->status = status;
	}
	FlushErrorState();
	return result;
}

/*
 * Nodes have executed parts of the request, and all of it is undone.  What it is
 * to be answered, if it was not for a lock, is found by Citus.
 */
static HttpResult
split_failed(HttpRequest *http, const ErrorData *error)
{
	http->splits++;
	if (error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE)
		http->by_citus = true;
	return HTTP_WAITS;
}

/*
 * Have the node execute the request that has its rows.  The request has done
 * nothing here, and its transaction has ended.
 */
static HttpResult
send_away(Call *call, bool last, HttpReply *reply)
{
	HttpSent	sent = http_forward_send(call->http, &call->request);

	if (sent == HTTP_SENT)
		return HTTP_AWAY;
	if (sent == HTTP_NO_ROOM && !last)
		return HTTP_WAITS;
	http_refuse(reply, MHD_HTTP_SERVICE_UNAVAILABLE,
				DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	return HTTP_ANSWERED;
}

/*
 * A request with a token whose rows, or whose token's row, are not where they
 * were looked for: Citus finds all of them.
 */
static void
leave_to_citus(HttpRequest *http, const ErrorData *error)
{
	if (http->has_token && dynamo_breaks(error, DYNAMO_RULE_OWNER))
		http->by_citus = true;
}

/*
 * Does the request wait for a lock, for a worker of the role's share, or for
 * the owner of its rows?
 */
static bool
can_wait(const ErrorData *error)
{
	return error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ||
		dynamo_breaks(error, DYNAMO_RULE_OWNER) ||
		dynamo_breaks(error, DYNAMO_RULE_SHARE);
}

/*
 * Is the work refused for a while?  The log has a WARNING about it already.
 */
static bool
is_refusal(const ErrorData *error)
{
	DynamoException e;

	return dynamo_exception_of(error->sqlerrcode, &e) &&
		e == DYNAMO_SERVICE_UNAVAILABLE;
}
