/*-------------------------------------------------------------------------
 *
 * worker_launcher.c
 *	  The launcher's part for work in the background: which databases have a
 *	  process, and how many.
 *
 * It promises: each database that has something to do gets a process, as soon
 * as there is a slot (process_slot.c), and keeps it while there is something.
 * Where there are fewer slots than such databases, they take turns.  While all
 * processes of a database are at work for so long that something else there is
 * late, or there is work for several, it gets more.
 *
 * What there is to do is on the board (process_want.c), to which each round of
 * maintenance adds a visit to every database.  However a process ends, what it
 * left is still there.  The launcher does not wait for one that is lost
 * (process_watch.c), nor for long for one that cannot connect.  All this work
 * writes, so a standby has none of it, until it is promoted.
 *
 * The first visits begin one interval after the start, and what runs functions
 * of users some seconds after it.  Otherwise what crashes the server would do
 * so again before anybody could change the settings.  Marks begin at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "schema/schema.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

/* Milliseconds between two looks while there is anything to do. */
#define LOOK_INTERVAL	500

/* How long a process stays in a database that others wait for, and how long
 * they wait until one is ended that does not leave. */
#define TENURE			2000
#define MAX_PATIENCE	10000

/* Milliseconds after the start until functions of users are run. */
#define START_DELAY		5000

/*
 * Milliseconds until a database is tried again that could not be connected to;
 * twice as many each time, up to a limit.
 */
#define RETRY_INTERVAL	1000
#define MAX_FAILURES	3

/*
 * Processes at a time that have not connected yet; and of databases that could
 * not be connected to, which may hold a slot until the time limit.
 */
#define MAX_COMING		2
#define MAX_RETRYING	1

/* Milliseconds after which the log says what nobody does; tests wait less. */
#ifdef USE_ASSERT_CHECKING
#define REPORTED_LAG	15000
#else
#define REPORTED_LAG	60000
#endif

/* A process that was started. */
typedef struct Process
{
	Oid			database;
	BackgroundWorkerHandle *handle;
	pid_t		pid;
	int64		began;
	bool		joined;
	bool		ended;			/* told to end: it did not connect */
} Process;

/* What is remembered of a database. */
typedef struct Memory
{
	Oid			database;
	int			failures;		/* to connect, in a row */
	int64		not_before;		/* it is tried again */
	uint32		told;			/* what the log has said to be late */
} Memory;

/* Both in TopMemoryContext. */
static List *processes = NIL;
static List *memories = NIL;

/* When the next round begins, and when all is looked at; 0: done. */
static int64 next_round;
static int64 look_at = -1;

static long tend(bool reloaded);
static void stop(void);
static void tend_processes(void);
static bool is_gone(Process *process);
static void end_unconnected(Process *process);
static void note_failure(Memory *memory, bool failed);
static int64 connect_time(void);
static void want_in_all(List *databases, uint32 services);
static int	compare(const ListCell *a, const ListCell *b);
static int64 claim_of(const DynamoWants *wants);
static bool has_failed(const DynamoWants *wants);
static int64 lag_of(const DynamoWants *wants);
static void serve(const DynamoWants *wants, List *databases);
static bool may_connect(const DynamoWants *wants, List *databases,
						const DynamoDatabase **database);
static int	count(Oid database, bool coming);
static int	count_retrying(void);
static bool start(const DynamoDatabase *database, DynamoNeed need);
static Memory *remember(Oid database);
static void forget_dropped(List *databases);
static const DynamoDatabase *find(List *databases, Oid database);
static void report_lags(const DynamoWants *wants);
static void report_lag(const char *database, DynamoService service, int64 lag);

static const DynamoTender tender = {tend, stop};

int
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
	worker_build_init();
	worker_handler_init();
	worker_job_init();
	worker_marker_init();
	worker_join_init();
	dynamo_launcher_register(&tender);
	return 1;
}

static long
tend(bool reloaded)
{
	int64		now = dynamo_clock();
	int64		interval = worker_ttl_interval * INT64CONST(1000);
	List	   *all;
	List	   *databases = NIL;
	bool		begins = interval > 0 && now >= next_round;
	ListCell   *lc;

	if (RecoveryInProgress())
		return LOOK_INTERVAL;
	all = dynamo_wants_list();
	tend_processes();
	if (begins || all != NIL || look_at != 0)
	{
		databases = dynamo_databases();
		forget_dropped(databases);
	}
	if (look_at < 0)
	{
		want_in_all(databases, DYNAMO_BIT(DYNAMO_MARKER) |
					DYNAMO_BIT(DYNAMO_CLUSTER));
		look_at = now + START_DELAY;
		next_round = now + interval;
		begins = false;
	}
	else if (look_at > 0 && now >= look_at)
	{
		want_in_all(databases, DYNAMO_BIT(DYNAMO_HANDLER) |
					DYNAMO_BIT(DYNAMO_JOB) | DYNAMO_BIT(DYNAMO_REPLICA));
		look_at = 0;
	}
	if (begins)
		want_in_all(databases, DYNAMO_BIT(DYNAMO_MAINTENANCE));
	if (begins || next_round > now + interval)
		next_round = now + interval;
	all = dynamo_wants_list();
	if (all != NIL && databases == NIL)
		databases = dynamo_databases(); /* something was asked for since */
	list_sort(all, compare);
	foreach(lc, all)
	{
		if (!DefaultXactReadOnly)
			serve(lfirst(lc), databases);
	}
	if (all != NIL || processes != NIL || look_at > 0)
		return LOOK_INTERVAL;
	return interval > 0 ? Max(next_round - now, 0) : -1;
}

static void
stop(void)
{
	ListCell   *lc;

	foreach(lc, processes)
		TerminateBackgroundWorker(((Process *) lfirst(lc))->handle);
}

/*
 * Forget those that are gone, and end those that do not get into their
 * database.
 */
static void
tend_processes(void)
{
	ListCell   *lc;

	foreach(lc, processes)
	{
		Process    *process = lfirst(lc);

		if (is_gone(process))
		{
			note_failure(remember(process->database), !process->joined);
			processes = foreach_delete_current(processes, lc);
			pfree(process->handle);
			pfree(process);
		}
		else if (!process->joined && !process->ended &&
				 dynamo_clock() - process->began > connect_time())
			end_unconnected(process);
	}
}

/*
 * Is the process gone, for all we care?  Notes when it has connected.
 */
static bool
is_gone(Process *process)
{
	pid_t		pid;
	BgwHandleStatus status = GetBackgroundWorkerPid(process->handle, &pid);

	if (status == BGWH_STARTED)
		process->pid = pid;
	process->joined |= dynamo_worker_has_joined(process->pid);
	return status == BGWH_STOPPED || status == BGWH_POSTMASTER_DIED ||
		(process->joined && dynamo_worker_is_lost(process->pid));
}

static void
note_failure(Memory *memory, bool failed)
{
	memory->failures = failed ? Min(memory->failures + 1, MAX_FAILURES) : 0;
	memory->not_before = failed ? dynamo_clock() +
		((int64) RETRY_INTERVAL << memory->failures) : 0;
}

static void
end_unconnected(Process *process)
{
	char	   *name = dynamo_database_name(process->database);

	process->ended = true;
	TerminateBackgroundWorker(process->handle);
	ereport(WARNING,
			(errcode(ERRCODE_QUERY_CANCELED),
			 errmsg("dynamo could not visit database \"%s\": it could not be connected to in time",
					name ? name : ""),
			 errhint("Somebody may have locked a catalog of it.")));
}

/*
 * Milliseconds that a process has to come and connect.  There is no limit to
 * it by itself: the owner of a database, who may lock its catalogs, could keep
 * a slot for ever.
 */
static int64
connect_time(void)
{
	int64		limit = (int64) worker_timeout + dynamo_grace_period;

	return worker_timeout > 0 ? Min(limit, MAX_PATIENCE) : MAX_PATIENCE;
}

/*
 * It begins with any of them.  Otherwise those at the end would never find
 * room where the board has too little.
 */
static void
want_in_all(List *databases, uint32 services)
{
	int			n = list_length(databases);
	uint32		first = pg_prng_uint32(&pg_global_prng_state) % Max(n, 1);

	for (int i = 0; i < n; i++)
	{
		const DynamoDatabase *database = list_nth(databases, (first + i) % n);

		if (database->connectable)
			dynamo_want_in(database->oid, services);
	}
}

/*
 * Those that have waited longest come first.
 */
static int
compare(const ListCell *a, const ListCell *b)
{
	int64		left = claim_of(lfirst(a));
	int64		right = claim_of(lfirst(b));

	return left > right ? -1 : left < right;
}

/*
 * For how long it has waited.  What could not be connected to has waited since
 * it was last tried, and that counts for a half, a quarter or an eighth.
 * Otherwise the owner of a few databases would take all turns; and if it came
 * last, nobody would connect to it again while others take turns.
 */
static int64
claim_of(const DynamoWants *wants)
{
	const Memory *memory = remember(wants->database);
	int64		lag = lag_of(wants);

	if (memory->failures == 0)
		return lag;
	return Min(lag, Max(dynamo_clock() - memory->not_before, 0)) >>
		memory->failures;
}

static bool
has_failed(const DynamoWants *wants)
{
	return remember(wants->database)->failures > 0;
}

/*
 * For how long has something been waiting there?
 */
static int64
lag_of(const DynamoWants *wants)
{
	int64		lag = 0;

	for (int i = 0; i < DYNAMO_SERVICES; i++)
		lag = Max(lag, dynamo_want_lag(wants, i));
	return lag;
}

/*
 * Give a database a process if it needs one, or one more.
 */
static void
serve(const DynamoWants *wants, List *databases)
{
	int			n = count(wants->database, false);
	int			useful = 0;
	int64		lag = lag_of(wants);
	const DynamoDatabase *database;

	if ((wants->wanted | wants->kept) == 0 ||
		!may_connect(wants, databases, &database))
		return;
	report_lags(wants);
	for (int i = 0; i < DYNAMO_SERVICES; i++)
		useful += wants->useful[i];
	if (n == 0)
	{
		if (start(database, DYNAMO_NEEDED))
			return;
		if (claim_of(wants) > DYNAMO_LATE)
			dynamo_workers_rotate(TENURE);
		if (lag > MAX_PATIENCE && !has_failed(wants))
			dynamo_workers_end_one(MAX_PATIENCE);
	}
	else if (count(wants->database, true) > 0)
		return;
	else if (lag > DYNAMO_LATE && !dynamo_workers_attend_to(wants->database))
	{
		if (!start(database, DYNAMO_LATE) && lag > MAX_PATIENCE)
			dynamo_workers_end_one(MAX_PATIENCE);
	}
	else if (useful > n)
		(void) start(database, DYNAMO_SPARE);
}

/*
 * Can the database be connected to?  In one that is not free a process would
 * hang.
 */
static bool
may_connect(const DynamoWants *wants, List *databases,
			const DynamoDatabase **database)
{
	*database = find(databases, wants->database);
	if (*database == NULL)
		dynamo_wants_nothing(wants->database);
	return *database != NULL && (*database)->connectable &&
		dynamo_clock() >= remember(wants->database)->not_before &&
		dynamo_database_is_free(wants->database);
}

/*
 * The processes of a database; of all that are coming, if it is not said which.
 */
static int
count(Oid database, bool coming)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, processes)
	{
		const Process *process = lfirst(lc);

		n += (!OidIsValid(database) || process->database == database) &&
			(!coming || !process->joined);
	}
	return n;
}

/*
 * The processes that are coming to databases that could not be connected to.
 */
static int
count_retrying(void)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, processes)
	{
		const Process *process = lfirst(lc);

		n += !process->joined && remember(process->database)->failures > 0;
	}
	return n;
}

/*
 * False: there is no slot for it.
 */
static bool
start(const DynamoDatabase *database, DynamoNeed need)
{
	char		name[BGW_MAXLEN];
	BackgroundWorkerHandle *handle;
	MemoryContext old;
	Process    *process;

	if (count(InvalidOid, true) >= MAX_COMING ||
		(remember(database->oid)->failures > 0 &&
		 count_retrying() >= MAX_RETRYING))
		return true;			/* soon */
	snprintf(name, sizeof(name), "dynamo background of %s", database->name);
	handle = dynamo_start_worker("worker_background_main", name,
								 "dynamo background",
								 ObjectIdGetDatum(database->oid), need);
	if (handle == NULL)
		return false;
	old = MemoryContextSwitchTo(TopMemoryContext);
	process = palloc0(sizeof(*process));
	process->database = database->oid;
	process->handle = handle;
	process->began = dynamo_clock();
	processes = lappend(processes, process);
	MemoryContextSwitchTo(old);
	return true;
}

static Memory *
remember(Oid database)
{
	ListCell   *lc;
	MemoryContext old;
	Memory	   *memory;

	foreach(lc, memories)
	{
		if (((Memory *) lfirst(lc))->database == database)
			return lfirst(lc);
	}
	old = MemoryContextSwitchTo(TopMemoryContext);
	memory = palloc0(sizeof(*memory));
	memory->database = database;
	memories = lappend(memories, memory);
	MemoryContextSwitchTo(old);
	return memory;
}

/*
 * Databases come and go.
 */
static void
forget_dropped(List *databases)
{
	ListCell   *lc;

	foreach(lc, memories)
	{
		Memory	   *memory = lfirst(lc);

		if (find(databases, memory->database) != NULL)
			continue;
		memories = foreach_delete_current(memories, lc);
		pfree(memory);
	}
}

/* NULL: it is not among them. */
static const DynamoDatabase *
find(List *databases, Oid database)
{
	ListCell   *lc;

	foreach(lc, databases)
	{
		const DynamoDatabase *one = lfirst(lc);

		if (one->oid == database)
			return one;
	}
	return NULL;
}

/*
 * Tell once of what nobody does.
 */
static void
report_lags(const DynamoWants *wants)
{
	Memory	   *memory = remember(wants->database);

	for (int i = 0; i < DYNAMO_SERVICES; i++)
	{
		int64		lag = dynamo_want_lag(wants, i);
		uint32		bit = DYNAMO_BIT(i);

		if (lag > REPORTED_LAG && (memory->told & bit) == 0)
			report_lag(dynamo_database_name(wants->database), i, lag);
		memory->told = lag > REPORTED_LAG ? memory->told | bit :
			memory->told & ~bit;
	}
}

static void
report_lag(const char *database, DynamoService service, int64 lag)
{
	static const char *const what[DYNAMO_SERVICES] = {
		[DYNAMO_MAINTENANCE] = "maintenance has",
		[DYNAMO_BUILD] = "builds of indexes have",
		[DYNAMO_HANDLER] = "event source mappings have",
		[DYNAMO_JOB] = "jobs have",
		[DYNAMO_MARKER] = "marks of point-in-time recovery have",
		[DYNAMO_CLUSTER] = "nodes of a cluster that lack definitions have",
		[DYNAMO_REPLICA] = "replicas in other regions have"
	};

	ereport(WARNING,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("dynamo is late in database \"%s\": %s waited for %d s",
					database ? database : "", what[service],
					(int) (lag / 1000)),
			 errdetail("%d of %d background processes are free.",
					   dynamo_slots_free(), max_worker_processes),
			 errhint("View dynamo.stat_workers shows who has them.  You might need to increase max_worker_processes.")));
}
