/*-------------------------------------------------------------------------
 *
 * process_launcher.c
 *	  The launcher: the one process that starts all others.
 *
 * It starts with the server, where that preloads us, and is connected to no
 * database.  It does not run before the server takes reads, nor while
 * pg_upgrade works on it.  On a standby it runs on when that is promoted, and
 * so do the processes that it has started.
 *
 * What it does is registered by the rooms above: the HTTP server's workers,
 * and the processes that work in the background.  Each is called whenever
 * something has happened, and after the time that it has asked for.  None of
 * them may wait.  Otherwise the others would.  An error in one is logged and
 * leaves the others alone.
 *
 * The processes that it has started end with it, so that the next launcher
 * finds none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_session.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/sinval.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#define NAME			"dynamo launcher"
#define MAX_TENDERS		4

/* Seconds after which the server starts another one. */
#define RESTART_TIME	5

/* Milliseconds after which what has failed is tried again. */
#define RETRY_INTERVAL	1000

static const DynamoTender *tenders[MAX_TENDERS];
static int	ntenders = 0;

static void doze(long timeout);
static bool take_settings(void);
static long tend_all(bool reloaded);
static long tend_one(const DynamoTender *tender, bool reloaded);
static void stop_on_exit(int code, Datum arg);

/*
 * To be called once a process, by init functions.  It must stay where it is.
 */
void
dynamo_launcher_register(const DynamoTender *tender)
{
	Assert(ntenders < MAX_TENDERS);
	tenders[ntenders++] = tender;
}

/*
 * Without effect unless the server is preloading us.
 */
void
dynamo_launcher_init(void)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_ConsistentState,
		.bgw_restart_time = RESTART_TIME,
		.bgw_name = NAME,
		.bgw_type = NAME,
		.bgw_library_name = "dynamo",
		.bgw_function_name = "dynamo_launcher_main"
	};

	if (process_shared_preload_libraries_in_progress && !IsBinaryUpgrade)
		RegisterBackgroundWorker(&worker);
}

void
dynamo_launcher_main(Datum arg)
{
	bool		reloaded = true;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	/* A standby refuses to read catalogs in a serializable transaction. */
	SetConfigOption("default_transaction_isolation", "read committed",
					PGC_SUSET, PGC_S_OVERRIDE);
	dynamo_session_init();
	pgstat_report_appname(NAME);
	dynamo_workers_attend();
	before_shmem_exit(stop_on_exit, (Datum) 0);
	for (;;)
	{
		long		timeout = tend_all(reloaded);

		doze(timeout);
		reloaded = take_settings();
	}
}

/*
 * Wait until something happens, but no longer than "timeout" milliseconds
 * (-1: for ever).
 */
static void
doze(long timeout)
{
	(void) WaitLatch(MyLatch,
					 WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
					 (timeout >= 0 ? WL_TIMEOUT : 0),
					 timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);

	/* Quietly; not 0, since nobody would start us again then. */
	if (ProcDiePending)
		proc_exit(1);
	CHECK_FOR_INTERRUPTS();
	if (catchupInterruptPending)
		ProcessCatchupInterrupt();
}

static bool
take_settings(void)
{
	if (!ConfigReloadPending)
		return false;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	return true;
}

static long
tend_all(bool reloaded)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, NAME,
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	long		timeout = -1;

	dynamo_workers_tend();
	for (int i = 0; i < ntenders; i++)
	{
		long		next = tend_one(tenders[i], reloaded);

		MemoryContextSwitchTo(context);
		if (next >= 0 && (timeout < 0 || next < timeout))
			timeout = next;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return timeout;
}

static long
tend_one(const DynamoTender *tender, bool reloaded)
{
	volatile long next = RETRY_INTERVAL;

	PG_TRY();
	{
		next = tender->tend(reloaded);
	}
	PG_CATCH();
	{
		EmitErrorReport();
		AbortOutOfAnyTransaction();
		FlushErrorState();
	}
	PG_END_TRY();
	return next;
}

static void
stop_on_exit(int code, Datum arg)
{
	for (int i = 0; i < ntenders; i++)
		tenders[i]->stop();
}
