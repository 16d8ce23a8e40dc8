/*-------------------------------------------------------------------------
 *
 * http_long.c
 *	  A long worker: the process that executes long requests.
 *
 * It has no clients.  It takes jobs (http_job.c) one after the other, and
 * executes each as the worker would that has the connection: authentication,
 * role, limits, timeouts are the same code (http_call.c).  The signature is
 * checked again, since the key may have gone while the request waited; the
 * hash of the body comes with the job.  A commit is on disk before the answer
 * is given back.
 *
 * Others can do without it: their requests take longer then.  So it ends when
 * others want its process (max_worker_processes) and no request waits for it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

/* Milliseconds without a job after which counters are reported. */
#define STATS_DELAY		1000

/* Milliseconds in which parts of a request are tried again, and between tries. */
#define PATIENCE		5000
#define FIRST_DELAY		2
#define LAST_DELAY		50

static int	others;				/* a descriptor; peer_init() */

static bool run_one(MemoryContext context);
static HttpResult run_elsewhere(HttpRequest *request, bool last,
								HttpReply *reply);
static HttpResult await_nodes(HttpRequest *request, bool last,
							  HttpReply *reply);
static void wait_for_nodes(long timeout);

void
http_long_main(Datum arg)
{
	MemoryContext context;
	MemoryContext call_context;
	long		stats_due = 0;

	pqsignal(SIGTERM, die);
	context = http_process_begin(0, NULL, http_job_lose);
	call_context = AllocSetContextCreate(context, "dynamo http request",
										 ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(context);
	others = peer_init(context, &http_request_timeout,
					   &http_sessions_per_node);
	http_job_join();
	for (;;)
	{
		bool		any;

		http_housekeeping(false);
		if (dynamo_processes_are_short() && http_job_may_leave())
			proc_exit(0);
		any = run_one(call_context);
		stats_due = pgstat_report_stat(false);
		if (any)
			continue;
		wait_for_nodes(stats_due > 0 ? STATS_DELAY : -1);
	}
}

/*
 * Execute the next request, in this memory context.  False: there is none.
 */
static bool
run_one(MemoryContext context)
{
	static XLogRecPtr flushed = InvalidXLogRecPtr;
	static uint64 executed = 0;
	MemoryContext old = MemoryContextSwitchTo(context);
	HttpRequest request;
	HttpReply	reply = {0};
	HttpResult	result;
	bool		last;
	bool		any = http_job_take(&request, &last);

	if (any)
	{
		result = http_execute(&request, last, &reply);
		if (result == HTTP_AWAY)
			result = run_elsewhere(&request, last, &reply);
		if (http_last_commit() != flushed)
			dynamo_flush(http_last_commit());
		flushed = http_last_commit();
		http_job_finish(result, &reply);
		dynamo_worker_tell(0, ++executed);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(context);
	return any;
}

/*
 * Other nodes execute the request.  What is left of one in parts is tried again
 * here: the worker that it came from does not know what was done.  Each try takes many
 * times the memory of the body, and there may be a hundred.
 */
static HttpResult
run_elsewhere(HttpRequest *request, bool last, HttpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	int64		end = dynamo_clock() + PATIENCE;
	long		delay = FIRST_DELAY;
	HttpResult	result = await_nodes(request, last, reply);

	while (request->scatter != NULL &&
		   (result == HTTP_WAITS || result == HTTP_AWAY))
	{
		if (result == HTTP_WAITS)
		{
			pg_usleep(delay * 1000);
			delay = Min(delay * 2, LAST_DELAY);
			last = dynamo_clock() >= end;
			MemoryContextSwitchTo(context); /* an error has left it */
			MemoryContextReset(context);
			result = http_execute(request, last, reply);
		}
		else
			result = await_nodes(request, last, reply);
	}
	http_scatter_forget(request);
	return result;
}

static HttpResult
await_nodes(HttpRequest *request, bool last, HttpReply *reply)
{
	HttpResult	result;

	peer_push();
	(void) http_execute_part(request);
	while (!http_forward_is_done(request))
		wait_for_nodes(-1);
	result = http_conclude(request, last, reply);
	http_forward_forget(request);
	return result;
}

/*
 * Until something has come from another node, or the latch is set, or it is
 * time for either.
 */
static void
wait_for_nodes(long timeout)
{
	long		patience = peer_timeout();

	if (timeout < 0 || (patience >= 0 && patience < timeout))
		timeout = patience;
	(void) WaitLatchOrSocket(MyLatch,
							 WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH |
							 (timeout >= 0 ? WL_TIMEOUT : 0),
							 others, timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	peer_run();
	peer_settle();
}
