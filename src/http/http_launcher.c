/*-------------------------------------------------------------------------
 *
 * http_launcher.c
 *	  Starts the workers, replaces those that end, stops them.
 *
 * The loop promises: while dynamo.http_port is set and the database exists,
 * dynamo.http_workers workers and dynamo.http_long_workers long workers run
 * under the settings of the last reload.  It
 * wakes when a worker ends, on a reload, and once a second.  Then it looks
 * whether somebody is dropping, renaming or copying the database.  If so, the
 * workers leave it, as autovacuum's do, until that is done.  A worker ends when
 * its database goes (DROP DATABASE with FORCE), when a session terminates it, or by an error; none of this is the
 * launcher's business beyond starting another after a moment.  One that is lost
 * to what it executes (base_watch.c) is forgotten and replaced.
 *
 * The workers are its own: they end with it, so that the next launcher finds
 * none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_process.h"
#include "base/base_session.h"
#include "base/base_watch.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* How long a lack is left alone, and one that is reported; milliseconds. */
#define RETRY_INTERVAL	1000
#define REPORT_INTERVAL	10000

/* How long somebody has to keep the database locked before workers leave it. */
#define WANTED_INTERVAL	500

/* How often it looks whether the workers that it stops have gone. */
#define STOP_INTERVAL	100

/* The settings that workers run under. */
typedef struct Settings
{
	int			port;
	int			workers;
	int			long_workers;
	int			authentication;
	bool		tls;
	char	   *addresses;
	char	   *database;
} Settings;

/* Workers, and behind them long workers. */
static BackgroundWorkerHandle **slots;
static int	nslots;

static bool take_settings(Settings *current);
static const DynamoDatabase *find_database(const char *name);
static long tend(const Settings *settings, bool *checked, bool *waiting,
				 VirtualTransactionId *wanted_by);
static void leave_database(const DynamoDatabase *database);
static bool is_missing(const Settings *settings);
static void start_missing(const Settings *settings);
static bool all_run(void);
static BgwHandleStatus status_of(BackgroundWorkerHandle *worker);
static void forget(int slot);
static void stop_workers(void);
static bool any_left(void);
static void stop_on_exit(int code, Datum arg);

/*
 * Called once a process.
 */
void
http_init(void)
{
	http_define_settings();
	http_job_init();
	dynamo_register_launcher("http_launcher_main", "dynamo http launcher",
							 http_port > 0 ? http_workers : 0);
}

void
http_launcher_main(Datum arg)
{
	Settings	settings = {0};
	bool		checked = false;
	bool		waiting = false;
	VirtualTransactionId wanted_by;

	SetInvalidVirtualTransactionId(wanted_by);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	dynamo_workers_attend(DYNAMO_HTTP);
	dynamo_ignore_cancels();
	before_shmem_exit(stop_on_exit, (Datum) 0);
	take_settings(&settings);

	for (;;)
	{
		long		delay = 0;

		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			if (take_settings(&settings))
			{
				stop_workers();
				checked = false;
				waiting = false;
			}
		}
		if (settings.port > 0)
		{
			MemoryContext context = AllocSetContextCreate(TopMemoryContext,
														  "dynamo http launcher",
														  ALLOCSET_SMALL_SIZES);
			MemoryContext old = MemoryContextSwitchTo(context);

			delay = tend(&settings, &checked, &waiting, &wanted_by);
			MemoryContextSwitchTo(old);
			MemoryContextDelete(context);
		}

		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
						 (delay > 0 ? WL_TIMEOUT : 0),
						 delay, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/*
 * Start what is missing and can be started.  Returns when to look again, in
 * milliseconds.  "checked", "waiting" and "wanted_by" say
 * what has been found before.
 */
static long
tend(const Settings *settings, bool *checked, bool *waiting,
	 VirtualTransactionId *wanted_by)
{
	const DynamoDatabase *database;

	dynamo_workers_tend(DYNAMO_HTTP);
	if (!*checked)
		*checked = http_may_listen();
	if (!*checked)
		return REPORT_INTERVAL;
	database = find_database(settings->database);
	if (database == NULL)
	{
		if (!*waiting)
			ereport(LOG,
					(errmsg("dynamo waits for database \"%s\" to be created",
							settings->database)));
		*waiting = true;
		return RETRY_INTERVAL;
	}
	*waiting = false;
	if (dynamo_database_is_wanted(database->oid, wanted_by))
	{
		leave_database(database);
		return RETRY_INTERVAL;
	}
	if (VirtualTransactionIdIsValid(*wanted_by))
		return WANTED_INTERVAL;
	if (is_missing(settings))
	{
		if (!http_tls_ready())
			return REPORT_INTERVAL;
		start_missing(settings);
		if (dynamo_processes_are_short())
			http_job_wake_all();
	}
	(void) all_run();
	return RETRY_INTERVAL;
}

/*
 * Somebody wants the database for himself, and waits for five seconds.
 */
static void
leave_database(const DynamoDatabase *database)
{
	if (nslots == 0)
		return;
	ereport(LOG,
			(errmsg("dynamo leaves database \"%s\", which is being dropped, renamed or copied",
					database->name)));
	stop_workers();
}

/*
 * Take over the settings in force.  Is any other than before?
 */
static bool
take_settings(Settings *current)
{
	if (current->addresses != NULL &&
		current->port == http_port &&
		current->workers == http_workers &&
		current->long_workers == http_long_workers &&
		current->authentication == http_authentication &&
		current->tls == http_tls_wanted() &&
		strcmp(current->addresses, http_listen_addresses) == 0 &&
		strcmp(current->database, http_database) == 0)
		return false;

	if (current->addresses != NULL)
	{
		pfree(current->addresses);
		pfree(current->database);
	}
	current->port = http_port;
	current->workers = http_workers;
	current->long_workers = http_long_workers;
	current->authentication = http_authentication;
	current->tls = http_tls_wanted();
	current->addresses = MemoryContextStrdup(TopMemoryContext,
											 http_listen_addresses);
	current->database = MemoryContextStrdup(TopMemoryContext, http_database);
	return true;
}

/*
 * NULL: there is none of that name.
 */
static const DynamoDatabase *
find_database(const char *name)
{
	ListCell   *cell;

	foreach(cell, dynamo_databases())
	{
		const DynamoDatabase *database = lfirst(cell);

		if (strcmp(database->name, name) == 0)
			return database;
	}
	return NULL;
}

/*
 * Is there a worker to start?
 */
static bool
is_missing(const Settings *settings)
{
	if (nslots == 0)
	{
		nslots = settings->workers + settings->long_workers;
		slots = MemoryContextAllocZero(TopMemoryContext,
									   nslots * sizeof(*slots));
	}
	for (int i = 0; i < nslots; i++)
	{
		if (slots[i] == NULL)
			return true;
	}
	return false;
}

/*
 * Where processes are short, those that serve come first, and those that are
 * wanted elsewhere.
 */
static void
start_missing(const Settings *settings)
{
	for (int i = 0; i < nslots; i++)
	{
		bool		serves = i < settings->workers;
		const char *type = serves ? "dynamo http worker" :
			"dynamo http long worker";
		char		name[BGW_MAXLEN];

		if (slots[i] != NULL || (!serves && dynamo_processes_are_short()))
			continue;
		snprintf(name, sizeof(name), "%s %d", type,
				 serves ? i + 1 : i - settings->workers + 1);
		slots[i] = serves ?
			dynamo_start_worker("http_worker_main", name, type,
								Int32GetDatum(i)) :
			dynamo_start_spare_worker("http_long_main", name, type,
									  Int32GetDatum(i));
		if (slots[i] == NULL)
			break;
	}
}

/*
 * Do all workers run?
 *
 * One that has just been started does not, so that the launcher looks again in
 * a moment; one that has ended is started then, not at once.
 */
static bool
all_run(void)
{
	bool		all = true;

	for (int i = 0; i < nslots; i++)
	{
		BgwHandleStatus status = status_of(slots[i]);

		if (status == BGWH_STARTED)
			continue;
		all = false;
		if (status == BGWH_STOPPED)
			forget(i);
	}
	return all;
}

/*
 * One that is lost has stopped, as far as it matters here.
 */
static BgwHandleStatus
status_of(BackgroundWorkerHandle *worker)
{
	BgwHandleStatus status = BGWH_NOT_YET_STARTED;
	pid_t		pid;

	if (worker != NULL)
		status = GetBackgroundWorkerPid(worker, &pid);
	if (status == BGWH_STARTED && dynamo_worker_is_lost(pid))
		status = BGWH_STOPPED;
	return status;
}

static void
forget(int slot)
{
	pfree(slots[slot]);
	slots[slot] = NULL;
}

/*
 * Stop all workers and wait until they are gone, so that their port is free.
 * One that does not go in time is left behind.
 */
static void
stop_workers(void)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
												  dynamo_grace_period);

	stop_on_exit(0, (Datum) 0);
	while (any_left() && GetCurrentTimestamp() < end)
	{
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 STOP_INTERVAL, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	for (int i = 0; i < nslots; i++)
	{
		if (slots[i] != NULL)
			forget(i);
	}
	if (slots != NULL)
		pfree(slots);
	slots = NULL;
	nslots = 0;
}

/*
 * Have not all workers stopped?
 */
static bool
any_left(void)
{
	for (int i = 0; i < nslots; i++)
	{
		if (slots[i] != NULL && status_of(slots[i]) == BGWH_STOPPED)
			forget(i);
		if (slots[i] != NULL)
			return true;
	}
	return false;
}

static void
stop_on_exit(int code, Datum arg)
{
	for (int i = 0; i < nslots; i++)
	{
		if (slots[i] != NULL)
			TerminateBackgroundWorker(slots[i]);
	}
}
