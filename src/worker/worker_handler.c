/*-------------------------------------------------------------------------
 *
 * worker_handler.c
 *	  Runs the event source mappings of a database.
 *
 * A process serves one database, in which some mapping is enabled.  It goes
 * over the lanes of all mappings, one batch each, begins again at once while
 * there is work, and after dynamo.handler_interval when there is none.  A
 * database has up to dynamo.handler_workers such processes: one for each
 * mapping, and more while several lanes have work.  Those that find nothing to
 * do for a while leave, and all leave when no mapping is enabled.
 *
 * They are started when a mapping is enabled, and by each visit of
 * maintenance.  If there are too many, those that came last leave.
 *
 * A batch runs as the mapping's owner, in a session that is the owner's
 * (base_session.c), and no longer than dynamo.handler_timeout.  A function
 * that cannot be cancelled costs the process (base_watch.c), and what it was
 * called for is refused for a while, longer each time.  One role does not get
 * all processes, where there are several, or else its functions could keep
 * everybody else's waiting.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/base_process.h"
#include "base/base_session.h"
#include "base/base_watch.h"
#include "common/pg_prng.h"
#include "handler/handler.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "worker/worker_internal.h"

#define MAX_WORKERS		64

/* Milliseconds without work after which a process leaves that is not needed. */
#define MAX_IDLE		10000

/* Milliseconds between two attempts to have another process. */
#define START_INTERVAL	1000

/* What a process finds to do; the list lives in the context. */
typedef struct Pass
{
	MemoryContext context;
	HandlerLanes lanes;
} Pass;

/* A lane's turn. */
typedef struct LaneTurn
{
	HandlerTurn turn;
	HandlerOutcome outcome;
	char		message[WORKER_MESSAGE];
} LaneTurn;

static int	max_workers;
static int	timeout;
static int	interval;

static bool preloaded = false;

static void start_worker(void);
static bool may_work(Oid role, Oid relid, const char *table);
static bool make_pass(bool *worked, int *wanted);
static bool go_over(Pass *pass, bool *worked, int *wanted);
static void start_missing(int wanted);
static void list_lanes(void *pass);
static bool run_lane(const HandlerLane *lane);
static void take_turn(void *turn);
static void note_failure(void *turn);
static void count_mappings(void *count);
static void drop_orphans(void *unused);

void
worker_handler_init(void)
{
	DefineCustomIntVariable("dynamo.handler_workers",
							"Number of processes of a database that run event source mappings.",
							"0 runs none. Needs dynamo in shared_preload_libraries.",
							&max_workers, 3, 0, MAX_WORKERS,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.handler_timeout",
							"Time after which a function that handles events is cancelled.",
							"0 sets no limit.",
							&timeout, 60000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.handler_interval",
							"Time between two looks for new changes while there are none.",
							NULL,
							&interval, 500, 10, 60000,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	preloaded = process_shared_preload_libraries_in_progress;
	handler_callbacks.start_worker = start_worker;
	handler_callbacks.may_work = may_work;
}

/*
 * Start a process for this database.  If none is to be had, the next visit of
 * maintenance tries again.
 */
static void
start_worker(void)
{
	BackgroundWorkerHandle *worker;

	if (!preloaded || max_workers == 0)
		return;
	worker = dynamo_start_worker("worker_handler_main", "dynamo handler",
								 "dynamo handler",
								 ObjectIdGetDatum(MyDatabaseId));
	if (worker != NULL)
		pfree(worker);
}

/*
 * Part of a visit of maintenance.
 */
void
worker_start_handlers(void)
{
	int			count = 0;

	(void) worker_run("drop event source mappings of roles that are gone",
					  WARNING, drop_orphans, NULL);
	(void) worker_run("look for event source mappings", WARNING,
					  count_mappings, &count);
	count = Min(count, max_workers) - dynamo_workers_here(DYNAMO_HANDLER);
	for (int i = 0; i < count; i++)
		start_worker();
}

static void
count_mappings(void *count)
{
	*(int *) count = handler_count();
}

static void
drop_orphans(void *unused)
{
	handler_drop_orphans();
}

void
worker_handler_main(Datum arg)
{
	int64		idle_since = worker_clock();
	bool		worked = false;
	int			wanted = 1;

	worker_connect(DatumGetObjectId(arg));
	SetConfigOption("application_name", "dynamo handler", PGC_SUSET,
					PGC_S_OVERRIDE);
	dynamo_watch_start(DYNAMO_HANDLER, NULL, NULL);
	if (!worker_is_wanted())
		return;
	worker_serve(&timeout);
	while (make_pass(&worked, &wanted))
	{
		worker_housekeeping();
		if (worked)
		{
			idle_since = worker_clock();
			continue;
		}
		if (dynamo_worker_rank() >= wanted &&
			worker_clock() - idle_since > MAX_IDLE)
			break;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 interval, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/*
 * A batch of each lane.  False: the process is not needed any more.  *wanted
 * is how many stay if there is nothing to do.
 */
static bool
make_pass(bool *worked, int *wanted)
{
	Pass		pass = {0};
	MemoryContext old;
	bool		needed;

	pass.context = AllocSetContextCreate(TopMemoryContext,
										 "dynamo handler pass",
										 ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(pass.context);
	needed = go_over(&pass, worked, wanted);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(pass.context);
	return needed;
}

/*
 * It begins with any of the lanes, or else those at the end would wait for
 * processes that are held at the first.
 */
static bool
go_over(Pass *pass, bool *worked, int *wanted)
{
	HandlerLanes *lanes = &pass->lanes;
	int			busy = 0;
	int			n;
	int			first;

	*worked = false;
	if (dynamo_worker_rank() >= max_workers)
		return false;
	if (!worker_run("look for event source mappings", WARNING, list_lanes,
					pass))
		return true;
	if (lanes->mappings == 0)
		return false;
	*wanted = Min(lanes->mappings, max_workers);
	start_missing(*wanted);
	n = list_length(lanes->due);
	first = (int) (pg_prng_uint32(&pg_global_prng_state) % Max(n, 1));
	for (int i = 0; i < n && max_workers > 0; i++)
		busy += run_lane(list_nth(lanes->due, (first + i) % n));
	*worked = busy > 0;
	if (busy > 1)
		start_missing(Min(busy, max_workers));
	return true;
}

/*
 * Have another process if there are fewer than wanted.  It takes a while to
 * come, so that no more than one is asked for at a time.
 */
static void
start_missing(int wanted)
{
	static int64 last = 0;
	int64		now = worker_clock();

	if (dynamo_workers_here(DYNAMO_HANDLER) >= wanted ||
		(last != 0 && now - last < START_INTERVAL))
		return;
	last = now;
	start_worker();
}

static void
list_lanes(void *arg)
{
	Pass	   *pass = arg;
	HandlerLanes found;
	MemoryContext old;
	ListCell   *lc;

	handler_advance();
	handler_list(&found);
	pass->lanes.mappings = found.mappings;
	old = MemoryContextSwitchTo(pass->context);
	foreach(lc, found.due)
	{
		HandlerLane *lane = palloc(sizeof(*lane));

		*lane = *(HandlerLane *) lfirst(lc);
		pass->lanes.due = lappend(pass->lanes.due, lane);
	}
	MemoryContextSwitchTo(old);
}

/*
 * One turn.  Was there anything to do?
 */
static bool
run_lane(const HandlerLane *lane)
{
	LaneTurn	work = {.turn = {.mapping = lane->mapping, .lane = lane->lane}};
	char		activity[64];
	int64		began = worker_clock();
	bool		done;
	bool		cancelled;

	snprintf(activity, sizeof(activity), "run event source mapping %d",
			 lane->mapping);
	done = worker_run(activity, WARNING, take_turn, &work);
	cancelled = done ? work.turn.cancelled :
		worker_error == ERRCODE_QUERY_CANCELED;
	if (cancelled)
		dynamo_work_refuse(worker_clock() - began);
	if (done)
		return work.outcome == HANDLER_DONE || work.outcome == HANDLER_FAILED;
	strlcpy(work.message, worker_message, sizeof(work.message));
	(void) worker_run("note a failure", WARNING, note_failure, &work);
	return false;
}

static void
take_turn(void *arg)
{
	LaneTurn   *work = arg;

	work->outcome = handler_take_turn(&work->turn);
}

static void
note_failure(void *arg)
{
	LaneTurn   *work = arg;

	handler_note_failure(&work->turn, work->message);
}

/*
 * Is the work to be done now?  One role gets all processes but one.
 */
static bool
may_work(Oid role, Oid relid, const char *table)
{
	return dynamo_work_for(role) &&
		dynamo_work_claim(Max(max_workers - 1, 1)) &&
		dynamo_work_on(relid, table);
}
