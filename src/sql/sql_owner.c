/*-------------------------------------------------------------------------
 *
 * sql_owner.c
 *	  What the HTTP servers of a cluster's other nodes call here.
 *
 * A request comes to the node that has its rows, in a session of the client's
 * role.  Where it came in its policies were checked; here GRANT alone counts,
 * as for the SQL functions, and a user who may connect may call them instead.
 *
 * The session executes one statement, serve_calls(), for as long as it lives.
 * It takes calls and gives answers as messages (base_message.c), without what a
 * statement costs: a plan, a portal, an executor, a system call to send its
 * result.  Each call is a transaction, and between calls there is none.  When
 * no more calls are there, one flush of the log covers all that have written,
 * and then the answers leave together.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

/* Of GSSAPI, which libpq/libpq.h has in its types, nothing is needed here. */
#undef ENABLE_GSS

#include "access/twophase.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "base/base_message.h"
#include "base/base_request.h"
#include "base/base_session.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "libpq/libpq.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "operation/operation.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/sinval.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "token/token.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/wait_event.h"

/* Answers, and bytes of them, that wait while more calls are there. */
#define MAX_HELD		128
#define MAX_HELD_BYTES	(64 * 1024)

/* Memory that stays from call to call; most take no more. */
#define CALL_MEMORY		(64 * 1024)

/* The answers that have not been sent. */
typedef struct Held
{
	int			n;
	StringInfoData bytes;		/* each after its length */
	XLogRecPtr	lsn;			/* must be on disk first, if valid */
} Held;

PG_FUNCTION_INFO_V1(dynamo_serve_calls);

static void check_session(Node *context);
static void serve_messages(MemoryContext context);
static void begin_stream(void);
static bool next_message(int *type);
static bool is_end(int type);
static void answer_call(StringInfo call, Held *held, MemoryContext context);
static const char *execute_call(StringInfo call, StringInfo out);
static StringInfo execute_part(const char *request, const char **prepares);
static StringInfo end_part(const char *request, bool commits);
static void append_refusal(StringInfo out);
static void begin_answer(Held *held);
static void end_answer(Held *held, int start);
static void send_held(Held *held);
static void shrink(StringInfo buffer);
static void wait_for_calls(void);
static void housekeeping(void);

/*
 * Returns when the client says that no more calls come.
 */
Datum
dynamo_serve_calls(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context;

	check_session(fcinfo->context);

	/* The statement's own transaction ends, as with COMMIT in a procedure. */
	ForgetPortalSnapshots();
	CommitTransactionCommand();
	context = AllocSetContextCreate(PortalContext, "dynamo calls",
									ALLOCSET_DEFAULT_SIZES);
	dynamo_ignore_cancels();
	serve_messages(context);
	dynamo_obey_cancels();
	StartTransactionCommand();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	PG_RETURN_VOID();
}

/*
 * It takes the place of the session's own loop, so nothing may be around it
 * that expects a transaction, or messages of the protocol.
 */
static void
check_session(Node *context)
{
	if (MyProcPort == NULL || whereToSendOutput != DestRemote ||
		context == NULL || !IsA(context, CallContext) ||
		castNode(CallContext, context)->atomic ||
		SPI_inside_nonatomic_context())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("calls are served by a session's own statement, outside of transaction blocks")));
}

static void
serve_messages(MemoryContext context)
{
	MemoryContext call_context = AllocSetContextCreate(context, "dynamo call",
													   CALL_MEMORY, CALL_MEMORY,
													   ALLOCSET_DEFAULT_MAXSIZE);
	StringInfoData message;
	Held		held = {0};
	int			type;

	MemoryContextSwitchTo(context);
	initStringInfo(&message);
	initStringInfo(&held.bytes);
	begin_stream();
	for (;;)
	{
		if (!next_message(&type))
		{
			send_held(&held);
			wait_for_calls();
			continue;
		}
		if (pq_getmessage(&message, PQ_LARGE_MESSAGE_LIMIT) != 0)
			proc_exit(0);
		if (type == 'd')
			answer_call(&message, &held, call_context);
		else
		{
			send_held(&held);
			if (is_end(type))
				break;
		}
		MemoryContextSwitchTo(context);
		MemoryContextReset(call_context);
		shrink(&message);
		if (held.n >= MAX_HELD || held.bytes.len >= MAX_HELD_BYTES)
			send_held(&held);
	}
	send_held(&held);
	pq_putemptymessage('c');
}

/*
 * Messages from here on are CopyData, in both directions.
 */
static void
begin_stream(void)
{
	StringInfoData out;

	pq_beginmessage(&out, 'W');
	pq_sendbyte(&out, 0);
	pq_sendint16(&out, 0);
	pq_endmessage(&out);
	pq_flush();
}

/*
 * Has a message begun to arrive?  A client that is gone ends the session.
 */
static bool
next_message(int *type)
{
	unsigned char byte;
	int			got;

	pq_startmsgread();
	got = pq_getbyte_if_available(&byte);
	if (got == EOF)
		proc_exit(0);
	if (got == 0)
	{
		pq_endmsgread();
		return false;
	}
	*type = byte;
	return true;
}

/*
 * Does a message that is no call say that no more come?  As in COPY, what a
 * library sends out of habit is no error.
 */
static bool
is_end(int type)
{
	switch (type)
	{
		case 'c':
			return true;
		case 'H':
		case 'S':
			return false;
		case 'X':
			proc_exit(0);
		default:
			ereport(ERROR,
					(errcode(ERRCODE_PROTOCOL_VIOLATION),
					 errmsg("unexpected message type 0x%02X among calls",
							type)));
	}
}

/*
 * Execute a call, in a transaction, and hold its answer.
 */
static void
answer_call(StringInfo call, Held *held, MemoryContext context)
{
	int			start = held->bytes.len;

	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		const char *name;
		XLogRecPtr	lsn;

		dynamo_request_begin(StatementTimeout);
		MemoryContextSwitchTo(context);
		begin_answer(held);
		name = execute_call(call, &held->bytes);
		if (name != NULL)
		{
			dynamo_request_prepare(name);
			held->lsn = Max(held->lsn, dynamo_standbys_end());
		}
		else
		{
			lsn = dynamo_request_commit();
			held->lsn = Max(held->lsn, lsn);
		}
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		dynamo_ignore_cancels();
		MemoryContextSwitchTo(context);
		held->bytes.len = start;
		begin_answer(held);
		append_refusal(&held->bytes);
		dynamo_request_abort();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	end_answer(held, start);
}

/*
 * The name under which the transaction is to be prepared; NULL: it is to be
 * committed.
 */
static const char *
execute_call(StringInfo call, StringInfo out)
{
	const char *request;
	int			len;
	bool		is_long;
	DynamoClaim claim;
	const char *name = dynamo_message_read(call, &is_long, &claim, &request,
										   &len);
	const char *prepares = NULL;
	StringInfo	body;

	if (strcmp(name, DYNAMO_NOTE_TOKEN) == 0)
		body = token_note(pnstrdup(request, len));
	else if (strcmp(name, DYNAMO_PREPARE_PART) == 0)
		body = execute_part(pnstrdup(request, len), &prepares);
	else if (strcmp(name, DYNAMO_COMMIT_PART) == 0)
		body = end_part(pnstrdup(request, len), true);
	else if (strcmp(name, DYNAMO_ABORT_PART) == 0)
		body = end_part(pnstrdup(request, len), false);
	else
		body = operation_call_as_owner(operation_find(name), request, len,
									   is_long, &claim);
	dynamo_message_answer(out, body->data, body->len);
	return prepares;
}

/*
 * A part of a transaction of several nodes: its name, a blank, the request.  Any
 * user may leave a transaction of his prepared, under any name.
 */
static StringInfo
execute_part(const char *request, const char **prepares)
{
	const char *body = strchr(request, ' ');

	if (body == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("unexpected request of a node")));
	*prepares = pnstrdup(request, body - request);
	body++;
	return operation_call_part(body, strlen(body));
}

/*
 * One of the user's own, as COMMIT PREPARED does.
 */
static StringInfo
end_part(const char *name, bool commits)
{
	XLogRecPtr	lsn;

	PreventCommandDuringRecovery("COMMIT PREPARED");
	FinishPreparedTransaction(name, commits);
	lsn = dynamo_standbys_end();
	if (!XLogRecPtrIsInvalid(lsn))
		dynamo_answer_asks(lsn);
	return makeStringInfo();
}

/*
 * The error that is being handled is the answer.  One of the service to its
 * client is nothing for the log, which shows no others, either, that HTTP
 * servers give.
 */
static void
append_refusal(StringInfo out)
{
	ErrorData  *error = CopyErrorData();
	DynamoException exception;

	FlushErrorState();
	dynamo_message_refuse(out, error);
	if (dynamo_exception_of(error->sqlerrcode, &exception) ||
		dynamo_breaks(error, DYNAMO_RULE_BUDGET) ||
		error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return;
	dynamo_log_caught("", error);
}

/*
 * An answer begins with its length, which is known when it ends.
 */
static void
begin_answer(Held *held)
{
	appendStringInfoSpaces(&held->bytes, sizeof(int));
}

static void
end_answer(Held *held, int start)
{
	int			len = held->bytes.len - start - sizeof(int);

	memcpy(held->bytes.data + start, &len, sizeof(int));
	held->n++;
}

/*
 * Send what is held, when all of it is on disk.
 */
static void
send_held(Held *held)
{
	if (held->n == 0)
		return;
	if (!XLogRecPtrIsInvalid(held->lsn))
		dynamo_flush(held->lsn);
	for (int at = 0; at < held->bytes.len;)
	{
		int			len;

		memcpy(&len, held->bytes.data + at, sizeof(int));
		at += sizeof(int);
		(void) pq_putmessage('d', held->bytes.data + at, len);
		at += len;
	}
	(void) pq_flush();
	resetStringInfo(&held->bytes);
	shrink(&held->bytes);
	held->n = 0;
	held->lsn = InvalidXLogRecPtr;
}

/*
 * Keep no more memory than most calls need.
 */
static void
shrink(StringInfo buffer)
{
	if (buffer->maxlen <= 2 * MAX_HELD_BYTES)
		return;
	pfree(buffer->data);
	initStringInfo(buffer);
}

/*
 * Nothing is there: be idle.  Counters that are too fresh to be reported wait
 * for a while without calls.
 */
static void
wait_for_calls(void)
{
	static bool quiet = false;
	long		timeout = pgstat_report_stat(quiet);
	WaitEvent	event;

	pgstat_report_activity(STATE_IDLE, NULL);
	ModifyWaitEvent(FeBeWaitSet, FeBeWaitSetSocketPos, WL_SOCKET_READABLE,
					NULL);
	quiet = WaitEventSetWait(FeBeWaitSet, timeout > 0 ? timeout : -1, &event,
							 1, WAIT_EVENT_CLIENT_READ) == 0;
	if (quiet)
		return;
	if (event.events & WL_POSTMASTER_DEATH)
		proc_exit(1);
	if (event.events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	housekeeping();
	pgstat_report_activity(STATE_RUNNING, NULL);
}

/*
 * What signals have asked for.
 */
static void
housekeeping(void)
{
	dynamo_ignore_cancels();
	CHECK_FOR_INTERRUPTS();
	if (catchupInterruptPending)
		ProcessCatchupInterrupt();
	if (!ConfigReloadPending)
		return;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
}
