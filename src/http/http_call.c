/*-------------------------------------------------------------------------
 *
 * http_call.c
 *	  One request: authentication, a transaction, the operation.
 *
 * The transaction commits without waiting for the disk.  Its caller flushes
 * the log up to http_last_commit() before any answer leaves.
 *
 * The operation runs in the session of the access key's role
 * (base_session.c).  The next request finds nothing that it, or a function of
 * a user, leaves there, or else one role could change what another's do.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <netinet/in.h>

#include "access/xact.h"
#include "base/base_budget.h"
#include "base/base_request.h"
#include "base/base_session.h"
#include "base/base_watch.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "policy/policy.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/timeout.h"

/* How long a request waits for a lock at a time, in milliseconds. */
#define LOCK_WAIT		1

/*
 * What changes a definition queues for its lock so long, in a long worker.
 * Whoever comes meanwhile queues behind it.
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

/* How many times as large a body may be when it is unpacked. */
#define UNPACKED		8

/* A request in execution. */
typedef struct Call
{
	HttpRequest *request;
	const Operation *operation;
	bool		is_sts;			/* it is one to the other service */
	Oid			role;			/* invalid: not known yet */
	const char *body;			/* unpacked; NULL: not yet */
	size_t		len;
	bool		may_leave;		/* for a long worker */
	bool		away;			/* the rows are on another node */

	/* Settings between requests. */
	int			deadlock_timeout;
	bool		log_waits;		/* log_lock_waits */

	StatsRequest stats;
} Call;

static XLogRecPtr last_commit = InvalidXLogRecPtr;

static HttpResult guard(HttpResult (*work) (HttpRequest *request, bool last,
											HttpReply *reply),
						HttpRequest *request, bool last, HttpReply *reply);
static HttpResult execute_here(HttpRequest *request, bool last,
							   HttpReply *reply);
static HttpResult run(HttpRequest *request, bool last, HttpReply *reply);
static HttpResult take_answer(HttpRequest *request, bool last,
							  HttpReply *reply);
static HttpResult answer_owners_error(HttpRequest *request, ErrorData *error,
									  bool last, HttpReply *reply);
static bool installed(HttpReply *reply);
static void begin(Call *call, bool last);
static bool queues(const Call *call);
static void look_for_holder(void);
static void show_client(HttpRequest *request);
static HttpResult execute(Call *call, HttpReply *reply);
static void tell_policies(HttpRequest *request);
static Oid	requester(Call *call);
static void check_strangers_request(Call *call);
static void admit(Oid role);
static void commit(Call *call);
static void restore(const Call *call);
static void give_up(Call *call);
static bool is_long(const Call *call);
static HttpResult answer_error(Call *call, bool last, HttpReply *reply);
static HttpResult send_away(Call *call, bool last, HttpReply *reply);
static bool can_wait(const ErrorData *error);
static bool is_refusal(const ErrorData *error);

/*
 * Execute the request and fill "reply", in the current memory context; it has
 * no body if memory is short.  A request that would have to wait for a lock
 * waits, unless this is its last try.  No transaction is left open, and no
 * error leaves this function.
 */
HttpResult
http_execute(HttpRequest *request, bool last, HttpReply *reply)
{
	return guard(execute_here, request, last, reply);
}

/*
 * The same for a request that another node has executed.
 */
HttpResult
http_conclude(HttpRequest *request, bool last, HttpReply *reply)
{
	reply->status = MHD_HTTP_OK;
	reply->content_type = http_answer_type(request);
	return guard(take_answer, request, last, reply);
}

/*
 * Fill "reply" by that work, whatever happens.
 */
static HttpResult
guard(HttpResult (*work) (HttpRequest *request, bool last, HttpReply *reply),
	  HttpRequest *request, bool last, HttpReply *reply)
{
	volatile HttpResult result = HTTP_ANSWERED;

	PG_TRY();
	{
		result = work(request, last, reply);
		if (result == HTTP_ANSWERED)
			http_finish(request, reply);
	}
	PG_CATCH();
	{
		EmitErrorReport();
		FlushErrorState();
		AbortOutOfAnyTransaction();
		result = HTTP_ANSWERED;
		reply->body = NULL;
	}
	PG_END_TRY();
	return result;
}

static HttpResult
execute_here(HttpRequest *request, bool last, HttpReply *reply)
{
	return http_answer_plainly(request, reply) ? HTTP_ANSWERED :
		run(request, last, reply);
}

/*
 * An error is answered in a transaction, as in run(); it was counted where the
 * request was executed.
 */
static HttpResult
take_answer(HttpRequest *request, bool last, HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	volatile HttpResult result = HTTP_ANSWERED;

	PG_TRY();
	{
		reply->body = http_forward_answer(request);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		result = answer_owners_error(request, error, last, reply);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return result;
}

static HttpResult
answer_owners_error(HttpRequest *request, ErrorData *error, bool last,
					HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	const Operation *operation =
		operation_of_target(http_header(request, "X-Amz-Target"));
	int			status;

	if (dynamo_breaks(error, DYNAMO_RULE_BUDGET))
	{
		request->is_long = true;
		return HTTP_WAITS;
	}
	if (can_wait(error) && !last)
		return HTTP_WAITS;
	StartTransactionCommand();
	MemoryContextSwitchTo(context);
	SetUserIdAndSecContext(request->role, SECURITY_LOCAL_USERID_CHANGE);
	reply->body = operation_error_json(operation,
									   request->body ? request->body : "",
									   request->body_len, error, &status);
	reply->status = status;
	if (status >= 500 && !is_refusal(error))
		ereport(LOG,
				(errcode(error->sqlerrcode),
				 errmsg("a request failed at another node: %s",
						error->message)));
	AbortOutOfAnyTransaction();
	MemoryContextSwitchTo(context);
	return HTTP_ANSWERED;
}

static HttpResult
run(HttpRequest *request, bool last, HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	Call	   *call = palloc0(sizeof(Call));	/* an error leaves it as it is */
	volatile HttpResult result = HTTP_ANSWERED;

	call->request = request;
	call->operation = operation_of_target(http_header(request,
													  "X-Amz-Target"));
	call->deadlock_timeout = DeadlockTimeout;
	call->log_waits = log_lock_waits;
	call->is_sts = operation_name(call->operation)[0] == '\0' &&
		http_sts_asked(request);
	if (!call->is_sts && !http_metrics_asked(request))
		operation_stat_begin(&call->stats, call->operation);
	if (INSTR_TIME_IS_ZERO(request->called))
		request->called = call->stats.began;
	else
		call->stats.began = request->called;
	call->may_leave = !request->stays && request->connection != NULL &&
		http_job_possible();
	dynamo_work_begin(operation_name(call->operation), http_request_timeout);
	PG_TRY();
	{
		begin(call, last);
		MemoryContextSwitchTo(context);
		if (!installed(reply))
			;
		else if (http_metrics_asked(request))
			http_metrics_page(request, reply);
		else if (call->is_sts)
			http_sts_answer(request, reply);
		else
			result = execute(call, reply);
		commit(call);
		if (result == HTTP_ANSWERED)
			stats_end(&call->stats, STATS_SUCCESS, http_request_id, request);
		else
			stats_drop(&call->stats);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		dynamo_ignore_cancels();
		MemoryContextSwitchTo(context);
		result = answer_error(call, last, reply);
		give_up(call);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	dynamo_session_settle();
	dynamo_work_end();
	MemoryContextSwitchTo(context);
	if (call->away)
		result = send_away(call, last, reply);
	pgstat_report_activity(STATE_IDLE, NULL);
	MemoryContextSwitchTo(context);
	return result;
}

/*
 * The end of the last commit of this process in the log.
 */
XLogRecPtr
http_last_commit(void)
{
	return last_commit;
}

static void
begin(Call *call, bool last)
{
	show_client(call->request);
	dynamo_request_begin(http_request_timeout);
	LockTimeout = queues(call) && call->request->connection == NULL ?
		QUEUE_WAIT : LOCK_WAIT;
	if (last)
		look_for_holder();
}

/*
 * Does the request queue for a lock?  One that has to get a table for itself
 * would never find it free beside writers that take turns.
 */
static bool
queues(const Call *call)
{
	return call->operation != NULL &&
		operation_queues(call->operation);
}

/*
 * A request is about to give up.  Have core tell in the log whom it waits for,
 * once in a while: it does so when it looks for a deadlock.
 */
static void
look_for_holder(void)
{
	static TimestampTz next = 0;
	TimestampTz now = GetCurrentTimestamp();

	if (now < next)
		return;
	next = TimestampTzPlusMilliseconds(now, HOLDER_INTERVAL);
	DeadlockTimeout = LOCK_WAIT;
	LockTimeout = Max(LockTimeout, HOLDER_WAIT);
	log_lock_waits = true;
}

/*
 * Show the client's address in pg_stat_activity.  It stays there until another
 * client's request.
 */
static void
show_client(HttpRequest *request)
{
	volatile PgBackendStatus *entry = MyBEEntry;
	const struct sockaddr *address = http_client(request);
	PgBackendStatus *shown;
	size_t		len;

	if (entry == NULL || address == NULL)
		return;
	len = address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
		sizeof(struct sockaddr_in);
	shown = unvolatize(PgBackendStatus *, entry);
	if (memcmp(&shown->st_clientaddr.addr, address, len) == 0)
		return;
	PGSTAT_BEGIN_WRITE_ACTIVITY(entry);
	memcpy(&shown->st_clientaddr.addr, address, len);
	shown->st_clientaddr.salen = len;
	PGSTAT_END_WRITE_ACTIVITY(entry);
}

static void
commit(Call *call)
{
	XLogRecPtr	lsn = dynamo_request_commit();

	if (!XLogRecPtrIsInvalid(lsn))
		last_commit = lsn;
	restore(call);
}

static void
give_up(Call *call)
{
	restore(call);
	dynamo_request_abort();
}

static void
restore(const Call *call)
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
	if (http_keys_exist())
		return true;
	http_refuse(reply, MHD_HTTP_SERVICE_UNAVAILABLE,
				DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	return false;
}

/*
 * Nothing has been unpacked or parsed when a request is found to be long.
 */
static HttpResult
execute(Call *call, HttpReply *reply)
{
	const char *body;
	size_t		len;

	call->role = requester(call);
	call->request->role = call->role;
	http_role_check_connect(call->role);
	if (call->may_leave && is_long(call))
		return HTTP_LONG;
	admit(call->role);
	dynamo_budget_grant(call->may_leave ? DYNAMO_BUDGET : 0);
	dynamo_route_grant(http_node_possible() && !call->request->is_long ?
					   DYNAMO_ROUTE_AWAY : DYNAMO_ROUTE_NONE);
	http_unpack_body(call->request, &body, &len);
	call->body = body;
	call->len = len;
	control_host = http_text(http_header(call->request, "Host"));
	tell_policies(call->request);
	dynamo_session_enter(call->role, 0);
	reply->body = operation_run(call->operation, body, len);
	dynamo_session_leave();
	return HTTP_ANSWERED;
}

/*
 * May the request take long, by what is known of it before any work?  What a
 * packed body will be is not known.
 */
static bool
is_long(const Call *call)
{
	HttpRequest *request = call->request;
	size_t		len = request->body_len;

	if (request->is_long)
		return true;
	if (len <= MANY_BODY / UNPACKED)
		return false;
	if (http_body_is_packed(request))
		len *= UNPACKED;
	return len > (operation_is_many(call->operation) ? MANY_BODY : LONG_BODY);
}

/*
 * What policies ask of a request beside its body.
 */
static void
tell_policies(HttpRequest *request)
{
	const char *confirm =
		http_header(request, "x-amz-confirm-remove-self-resource-access");

	policy_transport = http_is_secure(request) ?
		POLICY_TRANSPORT_SECURE : POLICY_TRANSPORT_PLAIN;
	control_confirm = confirm != NULL && strcmp(confirm, "true") == 0;
}

/*
 * The role the request runs as.  The signature covers the body as sent, so
 * nothing is unpacked or parsed before the client is known.
 */
static Oid
requester(Call *call)
{
	HttpRequest *request = call->request;
	HttpRefusal refusal;
	Oid			role;

	if (!http_authenticate(request, http_dynamodb, &role, &refusal))
	{
		check_strangers_request(call);
		dynamo_error(refusal.exception, "%s", refusal.message);
	}
	return role;
}

/*
 * As AWS does, report first what is wrong with an unknown client's request as
 * a whole, and only then that the client is unknown.  Not for a large or
 * packed body, or else anybody could make us work.
 */
static void
check_strangers_request(Call *call)
{
	HttpRequest *request = call->request;
	bool		small = request->body_len <= STRANGERS_BODY &&
		!http_body_is_packed(request);

	operation_check_envelope(call->operation,
							 !small ? NULL : request->body ? request->body : "",
							 request->body_len);
}

/*
 * May a worker be the role's now?  Raises if not.
 */
static void
admit(Oid role)
{
	if (!dynamo_work_for(role))
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	if (!dynamo_work_claim(http_role_limit))
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
	ErrorData  *error = CopyErrorData();
	int			status;
	HttpResult	result = HTTP_ANSWERED;

	if (call->is_sts)
	{
		http_sts_fail(call->request, error, reply);
		if (reply->status >= 500)
			EmitErrorReport();
		FlushErrorState();
		return HTTP_ANSWERED;
	}
	if (dynamo_breaks(error, DYNAMO_RULE_BUDGET) && call->may_leave)
		result = HTTP_LONG;
	else if (dynamo_breaks(error, DYNAMO_RULE_ELSEWHERE))
	{
		call->away = true;
		result = HTTP_AWAY;
	}
	else if (can_wait(error) && !last)
		result = call->may_leave && queues(call) ? HTTP_LONG : HTTP_WAITS;
	if (result != HTTP_ANSWERED)
		stats_drop(&call->stats);
	else
	{
		stats_end(&call->stats, operation_outcome(call->operation, error),
				  http_request_id, call->request);
		/* It may have come from a function that runs as its owner. */
		if (OidIsValid(call->role))
			SetUserIdAndSecContext(call->role, SECURITY_LOCAL_USERID_CHANGE);
		reply->body = operation_error_json(call->operation,
										   call->body ? call->body : "",
										   call->len, error, &status);
		reply->status = status;
		if (status >= 500 && !is_refusal(error))
			EmitErrorReport();
	}
	FlushErrorState();
	return result;
}

/*
 * Have the node execute the request that has its rows.  The request has done
 * nothing here, and its transaction has ended.
 */
static HttpResult
send_away(Call *call, bool last, HttpReply *reply)
{
	HttpSent	sent = http_forward_send(call->request, call->operation,
										 call->body, call->len,
										 dynamo_route_found());

	if (sent == HTTP_SENT)
		return HTTP_AWAY;
	if (sent == HTTP_NO_ROOM && !last)
		return HTTP_WAITS;
	http_refuse(reply, MHD_HTTP_SERVICE_UNAVAILABLE,
				DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	return HTTP_ANSWERED;
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
