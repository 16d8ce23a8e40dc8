/*-------------------------------------------------------------------------
 *
 * http_launcher.c
 *	  The launcher's part for HTTP: starts the workers, replaces those that
 *	  end, stops them.
 *
 * It promises: while dynamo.http_port is set and the database exists, as many
 * workers run as dynamo.http_workers says, and up to dynamo.http_long_workers
 * long workers while nobody else wants their processes, under the settings of
 * the last reload that could be served.  Each database of
 * dynamo.http_further_databases that exists has a worker.  Once a second it
 * looks whether somebody is dropping, renaming or copying one of them.  If so,
 * its workers leave it, as autovacuum's do, until that is done.  A worker ends
 * when its database goes (DROP DATABASE with FORCE), when a session terminates
 * it, or by an error; none of this is the launcher's business beyond starting
 * another after a moment.  One that is lost to what it executes
 * (process_watch.c) is forgotten and replaced.  So it is on a standby, which
 * serves what only reads.
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

/*
 * How long a process of the background has had its slot that leaves it to the
 * only one that would serve.
 */
#define TENURE			2000

/* A database that is served, and its processes. */
typedef struct HttpDatabase
{
	HttpServed	served;			/* of it alone */
	int			which;			/* 0: the first, which has long workers */

	/* Workers, and behind them long workers; while there are any. */
	BackgroundWorkerHandle **slots;
	int			nslots;

	/* They have been told to stop; then they are given up. */
	bool		stopping;
	int64		stop_end;

	/*
	 * What was found: the addresses can be had, the database is not there, or
	 * takes no connections.
	 */
	bool		checked;
	bool		waiting;
	bool		exists;
	int64		not_before;		/* what failed, and was reported, is tried
								 * again */

	/* Who wants the database. */
	VirtualTransactionId wanted_by;
} HttpDatabase;

static HttpDatabase databases[1 + HTTP_MAX_FURTHER];
static int	ndatabases = 0;

/* Other settings were taken over; the workers of those before are to end. */
static bool taken = false;

/* The workers were started on a standby. */
static bool reads_only = false;

static long tend_servers(bool reloaded);
static void take_settings(void);
static long begin_serving(void);
static long tend_database(HttpDatabase *database, List *existing);
static bool is_servable(HttpDatabase *database);
static const DynamoDatabase *find_database(List *existing, const char *name);
static void wait_for_database(HttpDatabase *database, bool exists);
static bool is_missing(HttpDatabase *database);
static void start_missing(HttpDatabase *database);
static bool is_served(const HttpDatabase *database);
static void leave_database(HttpDatabase *database);
static void note_promotion(void);
static BgwHandleStatus status_of(BackgroundWorkerHandle *worker);
static void forget_ended(HttpDatabase *database);
static void forget_worker(HttpDatabase *database, int slot);
static void begin_stop(HttpDatabase *database);
static bool any_left(HttpDatabase *database);
static bool has_stopped(HttpDatabase *database);
static void stop_servers(void);

static const DynamoTender tender = {tend_servers, stop_servers};

/*
 * Called once a process.  Returns how many processes it cannot do without.
 */
int
http_init(void)
{
	HttpServed	served;

	served_define_settings();
	console_define_settings();
	http_job_init();
	dynamo_launcher_register(&tender);
	return served_take(&served, false) && served.port > 0 ?
		served.workers + served.nfurther : 0;
}

/*
 * Start what is missing and can be started.
 */
static long
tend_servers(bool reloaded)
{
	long		wait = -1;
	List	   *existing = NIL;

	if (reloaded)
		take_settings();
	if (taken)
	{
		wait = begin_serving();
		if (wait >= 0)
			return wait;
	}
	if (ndatabases > 0)
		existing = dynamo_databases();
	for (int i = 0; i < ndatabases; i++)
	{
		long		one;

		if (reloaded)
			databases[i].not_before = 0;
		one = tend_database(&databases[i], existing);
		if (wait < 0 || one < wait)
			wait = one;
	}
	if (ndatabases == 0)
		return -1;
	note_promotion();
	if (dynamo_processes_are_short())
		http_job_wake_all();
	return wait;
}

/*
 * Serve what was taken over, once nobody serves what was before: how long to
 * wait for that, or -1.
 */
static long
begin_serving(void)
{
	for (int i = 0; i < ndatabases; i++)
	{
		if (!has_stopped(&databases[i]))
			return STOP_INTERVAL;
	}
	taken = false;
	ndatabases = http_served.port > 0 ? 1 + http_served.nfurther : 0;
	memset(databases, 0, sizeof(databases));
	for (int i = 0; i < ndatabases; i++)
	{
		databases[i].which = i;
		databases[i].served = http_served;
		served_choose(&databases[i].served, i);
	}
	return -1;
}

/*
 * Milliseconds until it wants to be looked at again; "existing" are those of the
 * server.
 */
static long
tend_database(HttpDatabase *database, List *existing)
{
	const DynamoDatabase *found;

	if (!has_stopped(database))
		return STOP_INTERVAL;
	if (!database->checked && !is_servable(database))
		return RETRY_INTERVAL;
	found = find_database(existing, database->served.database);
	if (found == NULL)
	{
		wait_for_database(database, false);
		return RETRY_INTERVAL;
	}
	if (dynamo_database_is_wanted(found->oid, &database->wanted_by))
	{
		leave_database(database);
		return RETRY_INTERVAL;
	}
	if (VirtualTransactionIdIsValid(database->wanted_by))
		return WANTED_INTERVAL;
	if (!found->connectable)
		wait_for_database(database, true);
	else
	{
		database->waiting = false;
		if (is_missing(database) && is_servable(database))
			start_missing(database);
	}
	forget_ended(database);
	return RETRY_INTERVAL;
}

/*
 * Can it be served as far as the settings go?  What cannot is reported, but not
 * each time that another database is looked at.
 */
static bool
is_servable(HttpDatabase *database)
{
	if (dynamo_clock() < database->not_before)
		return false;
	if (http_tls_ready() &&
		(database->checked || http_may_listen(&database->served)))
	{
		database->checked = true;
		return true;
	}
	database->not_before = dynamo_clock() + REPORT_INTERVAL;
	return false;
}

/*
 * Nobody can connect to it for now.  A worker would end at once, once a second.
 */
static void
wait_for_database(HttpDatabase *database, bool exists)
{
	const char *name = database->served.database;

	if (!database->waiting || database->exists != exists)
		ereport(LOG,
				(exists ?
				 errmsg("dynamo waits until database \"%s\" takes connections", name) :
				 errmsg("dynamo waits for database \"%s\" to be created", name)));
	database->waiting = true;
	database->exists = exists;
}

/*
 * Somebody wants the database for himself, and waits for five seconds.
 */
static void
leave_database(HttpDatabase *database)
{
	if (database->nslots == 0)
		return;
	ereport(LOG,
			(errmsg("dynamo leaves database \"%s\", which is being dropped, renamed or copied",
					database->served.database)));
	begin_stop(database);
}

/*
 * The workers of a standby stay when it is promoted: their next transactions
 * may write.
 */
static void
note_promotion(void)
{
	if (RecoveryInProgress())
	{
		reads_only = true;
		return;
	}
	if (!reads_only)
		return;
	reads_only = false;
	for (int i = 0; i < ndatabases; i++)
		ereport(LOG,
				(errmsg("dynamo serves writes of database \"%s\" from now on",
						databases[i].served.database)));
}

/*
 * Take over the settings in force, unless something is served, and by these
 * nothing would be.  What makes no sense is not taken over what does, even
 * while nothing is served: a database is waited for, or workers end.
 */
static void
take_settings(void)
{
	HttpServed	served;
	bool		good = served_take(&served, true);
	bool		serves = http_served.port > 0 && (taken || !good);

	if (good && memcmp(&served, &http_served, sizeof(served)) == 0)
		return;
	for (int i = 0; i < ndatabases; i++)
		serves |= databases[i].nslots > 0 && !databases[i].stopping;
	if (serves && served.port > 0 && !(good && http_may_serve(&served)))
	{
		ereport(WARNING,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("dynamo goes on with the HTTP server as it was"),
				 errdetail("With the settings as they are now it could not serve.")));
		return;
	}
	if (!good)
		served.port = 0;
	served_publish(&served);
	taken = true;
	for (int i = 0; i < ndatabases; i++)
	{
		if (databases[i].nslots > 0 && !databases[i].stopping)
			begin_stop(&databases[i]);
	}
}

/*
 * NULL: there is none of that name.
 */
static const DynamoDatabase *
find_database(List *existing, const char *name)
{
	ListCell   *cell;

	foreach(cell, existing)
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
is_missing(HttpDatabase *database)
{
	if (database->nslots == 0)
	{
		int			n = database->served.workers +
			database->served.long_workers;

		database->slots = MemoryContextAllocZero(TopMemoryContext,
												 n * sizeof(*database->slots));
		database->nslots = n;
	}
	for (int i = 0; i < database->nslots; i++)
	{
		if (database->slots[i] == NULL)
			return true;
	}
	return false;
}

/*
 * Those that serve come first.  Where all slots are taken by processes of the
 * background that are needed, each the only one of its database, these take turns
 * at one less.  Otherwise nobody would ever be served.
 */
static void
start_missing(HttpDatabase *database)
{
	int			workers = database->served.workers;

	for (int i = 0; i < database->nslots; i++)
	{
		bool		serves = i < workers;
		const char *type = serves ? "dynamo http worker" :
			"dynamo http long worker";
		char		name[BGW_MAXLEN];

		if (database->slots[i] != NULL)
			continue;
		if (database->which == 0)
			snprintf(name, sizeof(name), "%s %d", type,
					 serves ? i + 1 : i - workers + 1);
		else
			snprintf(name, sizeof(name), "%s for port %d", type,
					 database->served.port);
		database->slots[i] =
			dynamo_start_worker(serves ? "http_worker_main" : "http_long_main",
								name, type,
								Int32GetDatum(database->which == 0 ? i :
											  -database->which),
								serves ? DYNAMO_NEEDED : DYNAMO_SPARE);
		if (database->slots[i] == NULL)
		{
			if (serves && !is_served(database))
				dynamo_workers_rotate(TENURE);
			break;
		}
	}
}

static bool
is_served(const HttpDatabase *database)
{
	for (int i = 0; i < database->served.workers; i++)
	{
		if (database->slots[i] != NULL)
			return true;
	}
	return false;
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
forget_ended(HttpDatabase *database)
{
	for (int i = 0; i < database->nslots; i++)
	{
		if (status_of(database->slots[i]) == BGWH_STOPPED)
			forget_worker(database, i);
	}
}

static void
forget_worker(HttpDatabase *database, int slot)
{
	pfree(database->slots[slot]);
	database->slots[slot] = NULL;
}

/*
 * Stop all workers of a database.  They are waited for, so that their port is
 * free; one that does not go in time is left behind.
 */
static void
begin_stop(HttpDatabase *database)
{
	for (int i = 0; i < database->nslots; i++)
	{
		if (database->slots[i] != NULL)
			TerminateBackgroundWorker(database->slots[i]);
	}
	database->stopping = true;
	database->stop_end = dynamo_clock() + dynamo_grace_period;
}

static bool
any_left(HttpDatabase *database)
{
	forget_ended(database);
	for (int i = 0; i < database->nslots; i++)
	{
		if (database->slots[i] != NULL)
			return true;
	}
	return false;
}

/*
 * Has it no worker that was told to stop?
 */
static bool
has_stopped(HttpDatabase *database)
{
	if (!database->stopping)
		return true;
	if (any_left(database) && dynamo_clock() < database->stop_end)
		return false;
	for (int i = 0; i < database->nslots; i++)
	{
		if (database->slots[i] != NULL)
			forget_worker(database, i);
	}
	pfree(database->slots);
	database->slots = NULL;
	database->nslots = 0;
	database->stopping = false;
	return true;
}

static void
stop_servers(void)
{
	for (int i = 0; i < ndatabases; i++)
	{
		if (databases[i].nslots > 0)
			begin_stop(&databases[i]);
	}
}
