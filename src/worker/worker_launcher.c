/*-------------------------------------------------------------------------
 *
 * worker_launcher.c
 *	  Sends a maintenance worker through all databases.
 *
 * The loop promises: while dynamo.ttl_interval is not 0, a round begins every
 * interval, and in a round each database is visited by a worker, one after
 * the other.  A visit ends when there is nothing left to do, or after
 * WORKER_VISIT milliseconds, so that a database with much to do does not keep
 * the others waiting; then the next round begins at once.  However a worker
 * ends, the launcher goes on with the next database, and unfinished work is
 * done in the next round.  It does not wait for a worker that is lost
 * (base_watch.c), nor for long for one that cannot connect.
 *
 * The first round begins one interval after the start, or else a worker that
 * crashes the server would do so again before anybody could change the
 * setting.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/base_process.h"
#include "base/base_session.h"
#include "base/base_watch.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "schema/schema.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/sinval.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "worker/worker_internal.h"

/*
 * Workers at a time where there is work of each kind: a visit, a handler, a
 * job, a process that takes markers.
 */
#define BUSY_WORKERS	4

/* Milliseconds after which a worker that could not be started is tried again. */
#define RETRY_INTERVAL	1000


/* The worker that runs. */
static BackgroundWorkerHandle *worker = NULL;

static void tend_handlers(void);
static bool make_round(void);
static bool visit(const DynamoDatabase *database);
static bool is_there(bool *connected);
static void end_visit(const DynamoDatabase *database);
static int64 connect_time(void);
static void start(const DynamoDatabase *database);
static void doze(long timeout);
static void stop_on_exit(int code, Datum arg);

void
worker_init(void)
{
	DefineCustomIntVariable("dynamo.ttl_interval",
							"Time between two rounds of maintenance through all databases.",
							"A round deletes expired items, trims streams and resumes builds of indexes. 0 turns maintenance off. Needs dynamo in shared_preload_libraries.",
							&worker_ttl_interval, 60, 0, INT_MAX / 1000,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.maintenance_timeout",
							"Time after which a transaction of maintenance is cancelled.",
							"0 sets no limit. Does not apply to index builds.",
							&worker_timeout, 60000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	schema_callbacks.start_builder = worker_start_builder;
	worker_handler_init();
	worker_job_init();
	worker_marker_init();
	dynamo_register_launcher("worker_launcher_main",
							 "dynamo maintenance launcher", BUSY_WORKERS);
}

void
worker_launcher_main(Datum arg)
{
	int64		began;
	bool		unfinished = false;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	dynamo_ignore_cancels();
	pgstat_report_appname("dynamo maintenance");
	dynamo_workers_attend(DYNAMO_MAINTENANCE);
	dynamo_workers_attend(DYNAMO_HANDLER);
	before_shmem_exit(stop_on_exit, (Datum) 0);

	began = worker_clock();
	for (;;)
	{
		int64		left = began + worker_ttl_interval * INT64CONST(1000) -
			worker_clock();

		tend_handlers();
		if (worker_ttl_interval == 0)
			doze(-1);
		else if (left > 0 && !unfinished)
			doze(left);
		else
		{
			began = worker_clock();
			unfinished = make_round();
			doze(0);
		}
	}
}

/*
 * Hear what has become of the workers that run event source mappings.
 */
static void
tend_handlers(void)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext,
												  "dynamo handlers",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	dynamo_workers_tend(DYNAMO_HANDLER);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/*
 * Visit all databases.  Is work left that should not wait?
 */
static bool
make_round(void)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext,
												  "dynamo maintenance round",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bool		unfinished = false;
	ListCell   *cell;

	/* In one that is not free a worker would hang, and all others with it. */
	foreach(cell, dynamo_databases())
	{
		const DynamoDatabase *database = lfirst(cell);

		if (worker_ttl_interval > 0 && database->connectable &&
			dynamo_database_is_free(database->oid))
			unfinished |= visit(database);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return unfinished;
}

/*
 * Start a worker and wait until it is gone, or lost.  Did it leave work behind?
 */
static bool
visit(const DynamoDatabase *database)
{
	int64		began = worker_clock();
	bool		connected = false;

	while (start(database), worker == NULL)
	{
		doze(RETRY_INTERVAL);
		if (worker_ttl_interval == 0)
			return false;
		if (worker_clock() - began > connect_time())
		{
			dynamo_workers_end_waiting(DYNAMO_BUILD);
			dynamo_workers_end_waiting(DYNAMO_JOB);
		}
		if (worker_clock() - began > 2 * connect_time())
			dynamo_workers_end_one(DYNAMO_HANDLER);
	}

	/* The latch is waited for last: the end of a worker sets it. */
	began = worker_clock();
	while (is_there(&connected))
	{
		int64		left = began + connect_time() - worker_clock();

		if (!connected && left <= 0)
			end_visit(database);
		doze(connected ? -1 : left > 0 ? left : RETRY_INTERVAL);
	}
	dynamo_workers_tend(DYNAMO_MAINTENANCE);
	dynamo_workers_tend(DYNAMO_HANDLER);
	pfree(worker);
	worker = NULL;
	return connected && worker_clock() - began >= WORKER_VISIT;
}

/*
 * Is the worker there, for all we care?  Notes when it has connected.
 */
static bool
is_there(bool *connected)
{
	pid_t		pid;
	BgwHandleStatus status = GetBackgroundWorkerPid(worker, &pid);

	if (status == BGWH_STARTED && dynamo_worker_has_joined(pid))
		*connected = true;
	return status != BGWH_STOPPED &&
		!(*connected && dynamo_worker_is_lost(pid));
}

/*
 * The worker does not get into the database.  It can be ended there.
 */
static void
end_visit(const DynamoDatabase *database)
{
	TerminateBackgroundWorker(worker);
	ereport(WARNING,
			(errcode(ERRCODE_QUERY_CANCELED),
			 errmsg("dynamo could not visit database \"%s\": it could not be connected to in time",
					database->name),
			 errhint("Somebody may have locked a catalog of it.")));
}

/*
 * Milliseconds that a worker has to come and connect.  There is no limit to it
 * by itself, so that who may lock a database's catalogs, its owner, could keep
 * all others from their visits.
 */
static int64
connect_time(void)
{
	int64		limit = (int64) worker_timeout + dynamo_grace_period;

	return worker_timeout > 0 ? Min(limit, WORKER_VISIT) : WORKER_VISIT;
}

static void
start(const DynamoDatabase *database)
{
	char		name[BGW_MAXLEN];

	snprintf(name, sizeof(name), "dynamo maintenance of %s", database->name);
	worker = dynamo_start_worker("worker_visit_main", name,
								 "dynamo maintenance",
								 ObjectIdGetDatum(database->oid));
}

/*
 * Wait until something happens, but no longer than "timeout" milliseconds
 * (-1: for ever), and do what signals have asked for.
 */
static void
doze(long timeout)
{
	(void) WaitLatch(MyLatch,
					 WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
					 (timeout >= 0 ? WL_TIMEOUT : 0),
					 timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);

	/* Quietly; and not 0, or else nobody would start us again. */
	if (ProcDiePending)
		proc_exit(1);
	CHECK_FOR_INTERRUPTS();
	if (catchupInterruptPending)
		ProcessCatchupInterrupt();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

/*
 * The worker ends with its launcher, or else the next launcher would find one.
 */
static void
stop_on_exit(int code, Datum arg)
{
	if (worker != NULL)
		TerminateBackgroundWorker(worker);
}
