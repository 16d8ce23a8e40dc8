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
 * Others can do without it: their requests take longer then.  So it ends when a
 * worker that is needed finds no process (max_worker_processes).
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

static bool run_one(MemoryContext context);

void
http_long_main(Datum arg)
{
	MemoryContext context;
	MemoryContext call_context;
	long		stats_due = 0;

	pqsignal(SIGTERM, die);
	context = http_process_begin(NULL, http_job_lose);
	call_context = AllocSetContextCreate(context, "dynamo http request",
										 ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(context);
	http_job_join();
	for (;;)
	{
		bool		any;

		http_housekeeping(false);
		if (dynamo_processes_are_short())
			proc_exit(0);
		any = run_one(call_context);
		stats_due = pgstat_report_stat(false);
		if (any)
			continue;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
						 (stats_due > 0 ? WL_TIMEOUT : 0),
						 STATS_DELAY, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
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
