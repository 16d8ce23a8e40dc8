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
 * seconds.  A transaction that may take any time lets go of it at once, and is
 * counted.  Anybody may ask for DROP DATABASE, which waits for that lock before it
 * looks at rights; and who connects would wait behind it.
 *
 * How long they wait for locks and functions of users, and whether they wait
 * for the disk, depends on what they are for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "access/xact.h"
#include "base/base_extension.h"
#include "base/base_session.h"
#include "miscadmin.h"
#include "peer/peer.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "process/process.h"
#include "process/process_watch.h"
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
int			worker_handler_timeout;
bool		worker_put_off = false;
int			worker_error = 0;
char		worker_message[WORKER_MESSAGE];

/* How a kind of work behaves. */
typedef struct Manner
{
	const char *name;			/* application_name */
	const char *lock_timeout;
	const char *synchronous_commit;
	const int  *time_limit;		/* of a transaction, in milliseconds */
} Manner;

static const int no_limit = 0;

/* Owners of distributed tables of whom Citus may keep sessions at other nodes. */
static const int kept_owners = 3;

/*
 * Maintenance is a guest.  Of the others, users wait for what they do: it
 * lasts, and waits for locks as a session does.  A mark waits for no standby.
 * Otherwise one that is away would stop the clock.
 */
static const Manner manners[DYNAMO_SERVICES] = {
	[DYNAMO_MAINTENANCE] = {"dynamo maintenance", "1s", "off", &worker_timeout},
	[DYNAMO_BUILD] = {"dynamo index build", "0", "on", &no_limit},
	[DYNAMO_HANDLER] = {"dynamo handler", "0", "on", &worker_handler_timeout},
	[DYNAMO_JOB] = {"dynamo job", "0", "on", &no_limit},
	[DYNAMO_MARKER] = {"dynamo recovery", "1s", "local", &worker_timeout},
	[DYNAMO_CLUSTER] = {"dynamo cluster", "1s", "local", &worker_timeout},
	[DYNAMO_REPLICA] = {"dynamo replication", "500ms", "local", &worker_timeout}
};
static const Manner *manner = NULL;

/* Its lock_timeout is another. */
static bool waits_less = false;

/* When the turn is over. */
static int64 turn_end;

static void pin_settings(void);
static void set(const char *name, const char *value);
static void is_installed(void *installed);
static void begin_visit(const char *activity, int timeout);
static void commit(void);
static void report(const char *activity, int elevel);

/*
 * Become a process of the database.
 */
void
worker_connect(Oid database)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, dynamo_end_process);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	dynamo_session_init();
	pin_settings();
	peer_bound_kept(&kept_owners, false);
}

/*
 * Is there anything to do for such a process?
 */
bool
worker_is_wanted(void)
{
	bool		installed = false;

	return !DefaultXactReadOnly &&
		worker_begin(DYNAMO_MAINTENANCE, INT_MAX, 0) &&
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
		{"search_path", "pg_catalog, pg_temp"},
		{"session_replication_role", "origin"},
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_deferrable", "off"},
		{"row_security", "on"},
		{"statement_timeout", "0"},
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
 * A turn of such work begins, as one of at most "limit" in this database.  False:
 * so many are at it.  It is to end after so many milliseconds.
 */
bool
worker_begin(DynamoService service, int limit, long duration)
{
	worker_put_off = !dynamo_work_as(service, limit);
	if (worker_put_off)
		return false;
	turn_end = dynamo_clock() + duration;
	if (manner != &manners[service] || waits_less)
	{
		waits_less = false;
		manner = &manners[service];
		set("application_name", manner->name);
		set("lock_timeout", manner->lock_timeout);
		set("synchronous_commit", manner->synchronous_commit);
	}
	return true;
}

/*
 * It waits no longer than that for a lock.
 */
void
worker_wait_at_most(int wait)
{
	char		text[12];

	snprintf(text, sizeof(text), "%d", wait);
	set("lock_timeout", text);
	waits_less = true;
}

static void
set(const char *name, const char *value)
{
	SetConfigOption(name, value, PGC_SUSET, PGC_S_OVERRIDE);
}

static void
is_installed(void *installed)
{
	*(bool *) installed = dynamo_check_installed();
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
	int			timeout = *manner->time_limit;
	volatile bool done = true;

	dynamo_work_begin(activity, timeout);
	PG_TRY();
	{
		worker_housekeeping();
		peer_settle_kept();
		begin_visit(activity, timeout);
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
 * Ends the process when the database is wanted by somebody else, as soon as its
 * work has yielded.
 */
static void
begin_visit(const char *activity, int timeout)
{
	dynamo_obey_cancels();
	pgstat_report_activity(STATE_RUNNING, activity);
	dynamo_transaction_begin();
	if (!dynamo_lock_database(MyDatabaseId))
	{
		if (!dynamo_work_must_yield())
			proc_exit(0);
	}
	else if (timeout <= 0)
		dynamo_unlock_database(MyDatabaseId);
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
 * Milliseconds until such work is due in this process, which has to look at it
 * at a time of dynamo_clock(); 0: now; -1: when somebody asks, since nobody
 * stays for it.
 */
long
worker_due(DynamoService service, bool asked, int64 due)
{
	if (asked)
		return 0;
	if ((dynamo_kept() & DYNAMO_BIT(service)) == 0)
		return -1;
	return Max(due - dynamo_clock(), 0);
}

/*
 * May the turn go on?
 */
bool
worker_has_time(void)
{
	worker_housekeeping();
	return dynamo_clock() < turn_end && !dynamo_worker_is_told_to_leave();
}
