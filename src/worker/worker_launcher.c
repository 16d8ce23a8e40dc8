/*-------------------------------------------------------------------------
 *
 * worker_launcher.c
 *	  Sends a maintenance worker through all databases.
 *
 * The loop promises: while dynamo.ttl_interval is not 0, a round begins every
 * interval, and in a round each database is visited by a worker, one after
 * the other.  A visit ends when there is nothing left to do, or after
 * WORKER_VISIT milliseconds, so that a database with much to do does not keep
 * the others waiting; then the next round begins at once.  Whatever becomes of
 * a worker, the launcher goes on with the next database; what was not done is
 * done in the next round.
 *
 * The first round begins one interval after the start.  Or else, should a
 * worker crash the server, it would do so again without leaving anybody the
 * time to change the setting.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "access/xact.h"
#include "base/base_process.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/sinval.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "worker/worker_internal.h"

/* Milliseconds after which a worker that could not be started is tried again. */
#define RETRY_INTERVAL	1000

int			worker_ttl_interval;

/* The worker that runs. */
static BackgroundWorkerHandle *worker = NULL;

static bool make_round(void);
static bool visit(const DynamoDatabase *database);
static bool is_free(Oid database);
static void start(const DynamoDatabase *database);
static void doze(long timeout);
static void stop_on_exit(int code, Datum arg);

void
worker_init(void)
{
	DefineCustomIntVariable("dynamo.ttl_interval",
							"Time between two searches for expired items.",
							"0 searches for none. Needs dynamo in shared_preload_libraries.",
							&worker_ttl_interval, 60, 0, INT_MAX / 1000,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
	dynamo_register_launcher("worker_launcher_main",
							 "dynamo maintenance launcher");
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
	pgstat_report_appname("dynamo maintenance");
	before_shmem_exit(stop_on_exit, (Datum) 0);

	began = worker_clock();
	for (;;)
	{
		int64		left = began + worker_ttl_interval * INT64CONST(1000) -
			worker_clock();

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

	foreach(cell, dynamo_databases())
	{
		const DynamoDatabase *database = lfirst(cell);

		if (worker_ttl_interval > 0 && database->connectable &&
			is_free(database->oid))
			unfinished |= visit(database);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return unfinished;
}

/*
 * Does nobody drop, rename or copy the database?  A worker would wait for him
 * while it connects, and all other databases with it.
 */
static bool
is_free(Oid database)
{
	MemoryContext context = CurrentMemoryContext;
	bool		locked;

	StartTransactionCommand();
	locked = worker_lock_database(database);
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return locked;
}

/*
 * Start a worker and wait until it is gone.  Did it leave work behind?
 */
static bool
visit(const DynamoDatabase *database)
{
	int64		began;

	while (start(database), worker == NULL)
	{
		doze(RETRY_INTERVAL);
		if (worker_ttl_interval == 0)
			return false;
	}

	began = worker_clock();
	for (;;)
	{
		pid_t		pid;

		/* Before the latch is waited for: its end sets it. */
		if (GetBackgroundWorkerPid(worker, &pid) == BGWH_STOPPED)
			break;
		doze(-1);
	}
	pfree(worker);
	worker = NULL;
	return worker_clock() - began >= WORKER_VISIT;
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
 * The worker is the launcher's own: the next launcher shall find none.
 */
static void
stop_on_exit(int code, Datum arg)
{
	if (worker != NULL)
		TerminateBackgroundWorker(worker);
}
