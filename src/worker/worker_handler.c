/*-------------------------------------------------------------------------
 *
 * worker_handler.c
 *	  Runs the event source mappings of a database.
 *
 * While some mapping is enabled, a process stays in the database.  It goes over
 * the lanes of all mappings, one batch each, begins again at once while there
 * is work, and after dynamo.handler_interval when there is none.  Up to
 * dynamo.handler_workers processes do that at a time, while several lanes have
 * work.
 *
 * A batch runs as the mapping's owner, in a session that is the owner's
 * (base_session.c), and no longer than dynamo.handler_timeout.  A function
 * that cannot be cancelled costs the process (process_watch.c), and what it was
 * called for is refused for a while, longer each time.  One role does not get
 * all processes, where there are several.  Otherwise its functions could keep
 * everybody else's waiting.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/base_session.h"
#include "common/pg_prng.h"
#include "handler/handler.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "worker/worker_internal.h"

#define MAX_WORKERS		64

/* Milliseconds that a turn takes, if functions are quick. */
#define TURN			1000

/* Milliseconds between two looks how far behind all mappings are. */
#define LAG_INTERVAL	5000

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
static int	interval;

static void want_worker(void);
static bool may_work(Oid role, Oid relid, const char *table);
static int	go_over(Pass *pass);
static void note_lag(void);
static void list_lanes(void *pass);
static bool run_lane(const HandlerLane *lane);
static void take_turn(void *turn);
static void note_failure(void *turn);

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
							&worker_handler_timeout, 60000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.handler_interval",
							"Time between two looks for new changes while there are none.",
							NULL,
							&interval, 500, 10, 60000,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	handler_callbacks.start_worker = want_worker;
	handler_callbacks.may_work = may_work;
}

static void
want_worker(void)
{
	dynamo_want(DYNAMO_HANDLER);
}

/*
 * A batch of each lane, or of those that there is time for.
 */
long
worker_handle(bool asked)
{
	static int64 due = 0;
	long		wait = worker_due(DYNAMO_HANDLER, asked, due);
	Pass		pass = {0};
	MemoryContext old;
	int			busy;

	if (wait != 0)
		return wait;
	if (max_workers == 0)
	{
		dynamo_keep(DYNAMO_HANDLER, false);
		return -1;
	}
	due = dynamo_clock() + interval;
	if (!worker_begin(DYNAMO_HANDLER, max_workers, TURN))
		return interval;
	pass.context = AllocSetContextCreate(TopMemoryContext,
										 "dynamo handler pass",
										 ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(pass.context);
	busy = go_over(&pass);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(pass.context);
	due = dynamo_clock() + (busy > 0 ? 0 : interval);
	return worker_due(DYNAMO_HANDLER, false, due);
}

/*
 * It begins with any of the lanes.  Otherwise those at the end would wait for
 * processes that are held at the first.  Returns how many had work.
 */
static int
go_over(Pass *pass)
{
	HandlerLanes *lanes = &pass->lanes;
	int64		began = dynamo_clock();
	int			busy = 0;
	int			n;
	int			first;
	int			i;

	if (!worker_run("look for event source mappings", WARNING, list_lanes,
					pass))
		lanes->mappings = 1;	/* perhaps */
	dynamo_keep(DYNAMO_HANDLER, lanes->mappings > 0);
	n = list_length(lanes->due);
	first = (int) (pg_prng_uint32(&pg_global_prng_state) % Max(n, 1));
	for (i = 0; i < n && max_workers > 0 && (i == 0 || worker_has_time()); i++)
		busy += run_lane(list_nth(lanes->due, (first + i) % n));
	if (i == n)
		dynamo_note_done(DYNAMO_HANDLER, began + interval, lanes->mappings > 0,
						 busy > 1 ? Min(busy, max_workers) : 0);
	return i < n ? Max(busy, 1) : busy;
}

/*
 * How old the oldest change is that is left, now and then.
 */
static void
note_lag(void)
{
	static int64 due = 0;
	int64		lag;

	if (dynamo_clock() < due)
		return;
	due = dynamo_clock() + LAG_INTERVAL;
	lag = handler_largest_lag();
	dynamo_note_oldest(DYNAMO_HANDLER,
					   lag < 0 ? 0 : GetCurrentTimestamp() - lag * 1000);
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
	note_lag();
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
	int64		began = dynamo_clock();
	bool		done;
	bool		cancelled;

	snprintf(activity, sizeof(activity), "run event source mapping %d",
			 lane->mapping);
	done = worker_run(activity, WARNING, take_turn, &work);
	cancelled = done ? work.turn.cancelled :
		worker_error == ERRCODE_QUERY_CANCELED;
	if (cancelled)
		dynamo_work_refuse(dynamo_clock() - began);
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
	return dynamo_work_for(role) && dynamo_work_claim(Max(max_workers - 1, 1)) &&
		dynamo_work_on(relid, table);
}
