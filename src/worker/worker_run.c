/*-------------------------------------------------------------------------
 *
 * worker_run.c
 *	  A process in one database, and its transactions.
 *
 * DROP DATABASE and the like wait some seconds for others to leave a database.
 * They ask autovacuum's workers to leave, but not us.  So each transaction
 * first checks whether somebody has locked the database or waits to lock it.
 * It then holds the lock that a connecting session holds, so that such a
 * command waits for its end, and finds us leaving when it starts to count the
 * seconds.
 *
 * By default transactions behave like a guest.  They commit without waiting
 * for the disk: what a crash takes back is done again.  They wait for a locked
 * table or a user's function no longer than defined below.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_extension.h"
#include "base/base_process.h"
#include "base/base_session.h"
#include "base/base_watch.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "worker/worker_internal.h"

int			worker_ttl_interval;
int			worker_timeout;
int			worker_error = 0;
char		worker_message[WORKER_MESSAGE];

/* The setting that limits the time of a transaction, in milliseconds. */
static const int no_limit = 0;
static const int *time_limit = &worker_timeout;

/* When the visit to this database is over. */
static int64 visit_end;

static void pin_settings(void);
static void last(int wait);
static void is_installed(void *installed);
static void begin(const char *activity, int timeout);
static void commit(void);
static void report(const char *activity, int elevel);

/*
 * Become a process of the database.
 */
void
worker_connect(Oid database)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	dynamo_session_init();
	pin_settings();
}

/*
 * Is there anything to do for such a process?
 */
bool
worker_is_wanted(void)
{
	bool		installed = false;

	return !DefaultXactReadOnly &&
		worker_run("look for the extension", WARNING, is_installed,
				   &installed) &&
		installed;
}

/*
 * Whatever has been set for sessions of this database.
 */
static void
pin_settings(void)
{
	static const char *const settings[][2] = {
		{"application_name", "dynamo maintenance"},
		{"search_path", "pg_catalog, pg_temp"},
		{"session_replication_role", "origin"},
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_deferrable", "off"},
		{"row_security", "on"},
		{"synchronous_commit", "off"},
		{"lock_timeout", "1s"},
		{"statement_timeout", "0"},
		{"transaction_timeout", "0"},	/* since PostgreSQL 17 */
		{"idle_in_transaction_session_timeout", "0"}
	};

	for (int i = 0; i < lengthof(settings); i++)
	{
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET,
							PGC_S_OVERRIDE);
	}
}

/*
 * From now on transactions take the time they take, and last.  They wait for
 * others for so many milliseconds at a time (0: for ever).
 */
void
worker_be_patient(int wait)
{
	time_limit = &no_limit;
	last(wait);
}

/*
 * From now on transactions are work that users wait for: they last, wait for
 * locks as others do, and are limited by that setting.
 */
void
worker_serve(const int *limit)
{
	time_limit = limit;
	last(0);
}

static void
last(int wait)
{
	SetConfigOption("lock_timeout", psprintf("%d", wait), PGC_SUSET,
					PGC_S_OVERRIDE);
	SetConfigOption("synchronous_commit", "on", PGC_SUSET, PGC_S_OVERRIDE);
}

static void
is_installed(void *installed)
{
	*(bool *) installed = dynamo_is_installed();
}

/*
 * What signals have asked for.  No transaction is open: to end here is no
 * failure.
 */
void
worker_housekeeping(void)
{
	if (ProcDiePending)
		proc_exit(0);
	dynamo_ignore_cancels();
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
	(void) pgstat_report_stat(false);
}

/*
 * Do "work" in a transaction.  On false it was rolled back, and the log says
 * why, at that level.  Allocations of "work" are gone either way.
 */
bool
worker_run(const char *activity, int elevel, void (*work) (void *arg),
		   void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	int			timeout = *time_limit;
	volatile bool done = true;

	dynamo_work_begin(activity, timeout);
	PG_TRY();
	{
		worker_housekeeping();
		begin(activity, timeout);
		work(arg);
		commit();
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		dynamo_ignore_cancels();
		disable_all_timeouts(false);
		MemoryContextSwitchTo(context);
		worker_error = geterrcode();
		report(activity, elevel);
		AbortOutOfAnyTransaction();
		FlushErrorState();
		RESUME_INTERRUPTS();
		done = false;
	}
	PG_END_TRY();
	dynamo_session_settle();
	dynamo_work_end();
	MemoryContextSwitchTo(context);
	pgstat_report_activity(STATE_IDLE, NULL);
	return done;
}

/*
 * Ends the process when the database is wanted by somebody else.
 */
static void
begin(const char *activity, int timeout)
{
	dynamo_obey_cancels();
	pgstat_report_activity(STATE_RUNNING, activity);
	dynamo_transaction_begin();
	if (!dynamo_lock_database(MyDatabaseId))
		proc_exit(0);
	PushActiveSnapshot(GetTransactionSnapshot());
	if (timeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, timeout);
}

static void
commit(void)
{
	if (ActiveSnapshotSet())
		PopActiveSnapshot();	/* not after a concurrent build */
	dynamo_transaction_commit();
	dynamo_ignore_cancels();
}

/*
 * Report the error being handled.  A lock that was not to be had is no news:
 * there will be another visit.
 */
static void
report(const char *activity, int elevel)
{
	ErrorData  *error = CopyErrorData();

	strlcpy(worker_message, error->message, sizeof(worker_message));
	ereport(error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ? DEBUG1 : elevel,
			(errcode(error->sqlerrcode),
			 errmsg("dynamo could not %s: %s", activity, error->message),
			 error->detail ? errdetail_internal("%s", error->detail) : 0,
			 error->hint ? errhint("%s", error->hint) : 0,
			 error->context ? errcontext("%s", error->context) : 0));
	FreeErrorData(error);
}

/*
 * A visit has so many milliseconds.
 */
void
worker_begin_visit(long duration)
{
	visit_end = worker_clock() + duration;
}

/*
 * May the visit go on?  Waits "rest" milliseconds before it answers.
 */
bool
worker_rest(long rest)
{
	if (rest > 0)
	{
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 rest, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	worker_housekeeping();
	return worker_ttl_interval > 0 && worker_clock() < visit_end;
}
