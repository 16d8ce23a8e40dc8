/*-------------------------------------------------------------------------
 *
 * http_call.c
 *	  One request: authentication, a transaction, the operation.
 *
 * The transaction commits without waiting for the disk.  Its caller flushes
 * the log up to http_last_commit() before any answer leaves.
 *
 * The operation runs as the role of the access key, in a security context
 * that keeps user-defined functions (triggers, policies) from becoming the
 * role that owns the process.  What such a function leaves in the session,
 * settings and temporary tables, is gone before another role's request runs:
 * a search_path set by one must not find functions for another.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "commands/async.h"
#include "commands/prepare.h"
#include "commands/sequence.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "replication/syncrep.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/timeout.h"

/* How long a request waits for a lock at a time, in milliseconds. */
#define LOCK_WAIT		1

static bool installed(HttpReply *reply);
static const char *operation_of(HttpRequest *request);
static void begin(const char *operation);
static void execute(HttpRequest *request, const char *operation,
					HttpReply *reply);
static void take_over_session(Oid role, const char *operation);
static Oid	requester(HttpRequest *request, const char *operation,
					  const char *body, size_t len);
static Oid	trusted_role(void);
static void commit(void);
static bool answer_error(const char *operation, bool last, HttpReply *reply);

/* What is being executed: the body unpacked, NULL before, and for whom. */
static const char *current_body;
static size_t current_len;
static Oid	current_role;

/* The state of the process between requests. */
static Oid	own_role;
static int	own_context;
static int	configured_commit;

/* Whose functions may have left something in the session. */
static Oid	session_role = InvalidOid;

/*
 * Execute the request and fill "reply", in the current memory context.
 * Returns false when it would have to wait for a lock, unless this is its
 * last try.  No transaction is left open, and no error leaves this function.
 */
bool
http_call(HttpRequest *request, bool last, HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	const char *volatile operation = operation_of(request);
	volatile bool answered = true;

	PG_TRY();
	{
		begin(operation);
		MemoryContextSwitchTo(context);
		if (installed(reply))
			execute(request, operation, reply);
		commit();
		api_committed();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		answered = answer_error(operation, last, reply);
		synchronous_commit = configured_commit;
		disable_all_timeouts(false);
		QueryCancelPending = false;
		AbortOutOfAnyTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return answered;
}

/*
 * The end of the last commit of this process in the log.
 */
XLogRecPtr
http_last_commit(void)
{
	return XactLastCommitEnd;
}

/*
 * Wait until the log is where synchronous_commit wants it, up to "lsn".
 */
void
http_flush(XLogRecPtr lsn)
{
	if (synchronous_commit == SYNCHRONOUS_COMMIT_OFF)
		return;
	XLogFlush(lsn);
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, true);
	RESUME_INTERRUPTS();
}

/*
 * The operation that the target header names; an empty string when there is
 * none, or its service does not have it.
 */
static const char *
operation_of(HttpRequest *request)
{
	const char *target = http_header(request, "X-Amz-Target");
	const char *operation = target ? api_target_operation(target) : NULL;

	return operation ? operation : "";
}

/*
 * A request is a READ COMMITTED transaction whatever the default is: the
 * service has no other, and its clients would not understand a serialization
 * failure.
 */
static void
begin(const char *operation)
{
	current_body = NULL;
	current_len = 0;
	GetUserIdAndSecContext(&own_role, &own_context);
	configured_commit = synchronous_commit;
	pgstat_report_activity(STATE_RUNNING, operation);
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	XactIsoLevel = XACT_READ_COMMITTED;
	LockTimeout = LOCK_WAIT;
	if (http_request_timeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, http_request_timeout);
}

static void
commit(void)
{
	if (http_request_timeout > 0)
		disable_timeout(STATEMENT_TIMEOUT, false);
	if (synchronous_commit > SYNCHRONOUS_COMMIT_OFF)
		synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
	CommitTransactionCommand();
	synchronous_commit = configured_commit;
	SetUserIdAndSecContext(own_role, own_context);
	pgstat_report_activity(STATE_IDLE, NULL);
}

/*
 * Is the extension there?  If not, the client may try again later.
 */
static bool
installed(HttpReply *reply)
{
	if (http_keys_exist())
		return true;
	reply->status = MHD_HTTP_SERVICE_UNAVAILABLE;
	reply->body = makeStringInfo();
	appendStringInfoString(reply->body,
						   "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ServiceUnavailable\","
						   "\"message\":\"The service is temporarily unavailable.\"}");
	return false;
}

static void
execute(HttpRequest *request, const char *operation, HttpReply *reply)
{
	const char *body;
	size_t		len;
	Oid			role;

	http_unpack_body(request, &body, &len);
	role = requester(request, operation, body, len);
	if (role != session_role)
		take_over_session(role, operation);
	api_host = http_text(http_header(request, "Host"));
	current_role = role;
	current_body = body;
	current_len = len;
	SetUserIdAndSecContext(current_role,
						   own_context | SECURITY_LOCAL_USERID_CHANGE);
	reply->body = api_call(operation, body, len);
}

/*
 * Clear the session for another role, as DISCARD ALL does, but for cached
 * plans.  In a transaction of its own: an error of the request would bring the
 * settings back.
 */
static void
take_over_session(Oid role, const char *operation)
{
	MemoryContext context = CurrentMemoryContext;

	if (OidIsValid(session_role))
	{
		commit();
		begin(operation);
		SetUserIdAndSecContext(session_role,
							   own_context | SECURITY_LOCAL_USERID_CHANGE);
		PortalHashTableDeleteAll();
		ResetAllOptions();
		DropAllPreparedStatements();
		Async_UnlistenAll();
		LockReleaseAll(USER_LOCKMETHOD, true);
		ResetTempTableNamespace();
		ResetSequenceCaches();
		commit();
		begin(operation);
		MemoryContextSwitchTo(context);
	}
	session_role = role;
}

/*
 * The role the request runs as.  A client that is not known is told what is
 * wrong with the request as a whole before it is told that it is not known,
 * as by the service.
 */
static Oid
requester(HttpRequest *request, const char *operation, const char *body,
		  size_t len)
{
	HttpRefusal refusal;
	Oid			role;

	if (http_authentication == HTTP_AUTHENTICATION_TRUST)
		return trusted_role();
	if (!http_authenticate(request, request->body ? request->body : "",
						   request->body_len, &role, &refusal))
	{
		api_check_envelope(operation, body, len);
		dynamo_error(refusal.exception, "%s", refusal.message);
	}
	return role;
}

static Oid
trusted_role(void)
{
	if (http_role[0] == '\0')
		return own_role;
	return get_role_oid(http_role, false);
}

/*
 * Turn the error being handled into a reply, and forget it.  False: it came
 * from waiting for a lock.
 */
static bool
answer_error(const char *operation, bool last, HttpReply *reply)
{
	ErrorData  *error = CopyErrorData();
	int			status;
	bool		answered = true;

	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE && !last)
		answered = false;
	else
	{
		/* It may have come from a function that runs as its owner. */
		if (current_body != NULL)
			SetUserIdAndSecContext(current_role,
								   own_context | SECURITY_LOCAL_USERID_CHANGE);
		reply->body = api_error_json(operation,
									 current_body ? current_body : "",
									 current_len, error, &status);
		reply->status = status;
		if (status >= 500)
			EmitErrorReport();
	}
	FlushErrorState();
	return answered;
}
