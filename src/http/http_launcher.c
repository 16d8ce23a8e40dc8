/*-------------------------------------------------------------------------
 *
 * http_launcher.c
 *	  The launcher's part for HTTP: starts the workers, replaces those that
 *	  end, stops them.
 *
 * It promises: while dynamo.http_port is set and the database exists, as many
 * workers run as dynamo.http_workers says, and up to dynamo.http_long_workers
 * long workers while nobody else wants their processes, under the settings of
 * the last reload that could be served.  Once a second it looks whether
 * somebody is dropping, renaming or copying the database.  If so, the workers
 * leave it, as autovacuum's do, until that is done.  A worker ends when its
 * database goes (DROP DATABASE with FORCE), when a session terminates it, or by
 * an error; none of this is the launcher's business beyond starting another
 * after a moment.  One that is lost to what it executes (process_watch.c) is
 * forgotten and replaced.  So it is on a standby, which serves what only reads.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "console/console.h"
#include "http/http_internal.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/latch.h"
#include "utils/memutils.h"

/* How long a lack is left alone, and one that is reported; milliseconds. */
#define RETRY_INTERVAL	1000
#define REPORT_INTERVAL	10000

/* How long somebody has to keep the database locked before workers leave it. */
#define WANTED_INTERVAL	500

/* How often it looks whether the workers that it stops have gone. */
#define STOP_INTERVAL	100

/* Workers, and behind them long workers; while there are any. */
static BackgroundWorkerHandle **slots;
static int	nslots;

/* They have been told to stop; then they are given up. */
static bool stopping = false;
static int64 stop_end;

/* What was found: the addresses can be had, the database is not there. */
static bool checked;
static bool waiting;

/* Who wants the database. */
static VirtualTransactionId wanted_by;

/* The workers were started on a standby. */
static bool reads_only = false;

static long tend_servers(bool reloaded);
static void take_settings(void);
static const DynamoDatabase *find_database(const char *name);
static bool is_missing(void);
static void start_missing(void);
static void leave_database(void);
static void note_promotion(void);
static BgwHandleStatus status_of(BackgroundWorkerHandle *worker);
static void forget_ended(void);
static void forget_worker(int slot);
static void begin_stop(void);
static bool any_left(void);
static void end_stop(void);
static void stop_servers(void);

static const DynamoTender tender = {tend_servers, stop_servers};

/*
 * Called once a process.  Returns how many processes it cannot do without.
 */
int
http_init(void)
{
	HttpServed	served;

	http_define_settings();
	console_define_settings();
	http_job_init();
	dynamo_launcher_register(&tender);
	return http_settings_take(&served) && served.port > 0 ? served.workers : 0;
}

/*
 * Start what is missing and can be started.
 */
static long
tend_servers(bool reloaded)
{
	const DynamoDatabase *database;

	if (reloaded)
		take_settings();
	if (stopping && any_left() && dynamo_clock() < stop_end)
		return STOP_INTERVAL;
	if (stopping)
		end_stop();
	if (http_served.port == 0)
		return -1;
	if (!checked)
		checked = http_tls_ready() && http_may_listen(&http_served);
	if (!checked)
		return REPORT_INTERVAL;
	database = find_database(http_served.database);
	if (database == NULL)
	{
		if (!waiting)
			ereport(LOG,
					(errmsg("dynamo waits for database \"%s\" to be created",
							http_served.database)));
		waiting = true;
		return RETRY_INTERVAL;
	}
	waiting = false;
	if (dynamo_database_is_wanted(database->oid, &wanted_by))
	{
		leave_database();
		return RETRY_INTERVAL;
	}
	if (VirtualTransactionIdIsValid(wanted_by))
		return WANTED_INTERVAL;
	if (is_missing())
	{
		if (!http_tls_ready())
			return REPORT_INTERVAL;
		start_missing();
	}
	note_promotion();
	if (dynamo_processes_are_short())
		http_job_wake_all();
	forget_ended();
	return RETRY_INTERVAL;
}

/*
 * Somebody wants the database for himself, and waits for five seconds.
 */
static void
leave_database(void)
{
	if (nslots == 0)
		return;
	ereport(LOG,
			(errmsg("dynamo leaves database \"%s\", which is being dropped, renamed or copied",
					http_served.database)));
	begin_stop();
}

/*
 * The workers of a standby stay when it is promoted: their next transactions
 * may write.
 */
static void
note_promotion(void)
{
	if (RecoveryInProgress())
		reads_only = true;
	else if (reads_only)
	{
		reads_only = false;
		ereport(LOG,
				(errmsg("dynamo serves writes of database \"%s\" from now on",
						http_served.database)));
	}
}

/*
 * Take over the settings in force, unless something is served, and by these
 * nothing would be.
 */
static void
take_settings(void)
{
	HttpServed	served;
	bool		good = http_settings_take(&served);

	if (good && memcmp(&served, &http_served, sizeof(served)) == 0)
		return;
	if (nslots > 0 && !stopping && served.port > 0 &&
		!(good && http_may_serve(&served)))
	{
		ereport(WARNING,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("dynamo goes on with the HTTP server as it was"),
				 errdetail("With the settings as they are now it could not serve.")));
		return;
	}
	if (!good)
		served.port = 0;
	http_serve(&served);
	checked = waiting = false;
	if (nslots > 0 && !stopping)
		begin_stop();
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
is_missing(void)
{
	if (nslots == 0)
	{
		nslots = http_served.workers + http_served.long_workers;
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
 * Those that serve come first.
 */
static void
start_missing(void)
{
	for (int i = 0; i < nslots; i++)
	{
		bool		serves = i < http_served.workers;
		const char *type = serves ? "dynamo http worker" :
			"dynamo http long worker";
		char		name[BGW_MAXLEN];

		if (slots[i] != NULL)
			continue;
		snprintf(name, sizeof(name), "%s %d", type,
				 serves ? i + 1 : i - http_served.workers + 1);
		slots[i] = dynamo_start_worker(serves ? "http_worker_main" :
									   "http_long_main", name, type,
									   Int32GetDatum(i),
									   serves ? DYNAMO_NEEDED : DYNAMO_SPARE);
		if (slots[i] == NULL)
			break;
	}
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

/*
 * One that has ended is started when the launcher looks again, not at once.
 */
static void
forget_ended(void)
{
	for (int i = 0; i < nslots; i++)
	{
		if (status_of(slots[i]) == BGWH_STOPPED)
			forget_worker(i);
	}
}

static void
forget_worker(int slot)
{
	pfree(slots[slot]);
	slots[slot] = NULL;
}

/*
 * Stop all workers.  They are waited for, so that their port is free; one that
 * does not go in time is left behind.
 */
static void
begin_stop(void)
{
	stop_servers();
	stopping = true;
	stop_end = dynamo_clock() + dynamo_grace_period;
}

static bool
any_left(void)
{
	forget_ended();
	for (int i = 0; i < nslots; i++)
	{
		if (slots[i] != NULL)
			return true;
	}
	return false;
}

static void
end_stop(void)
{
	for (int i = 0; i < nslots; i++)
	{
		if (slots[i] != NULL)
			forget_worker(i);
	}
	pfree(slots);
	slots = NULL;
	nslots = 0;
	stopping = false;
}

static void
stop_servers(void)
{
	for (int i = 0; i < nslots; i++)
	{
		if (slots[i] != NULL)
			TerminateBackgroundWorker(slots[i]);
	}
}
