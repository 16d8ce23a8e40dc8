/*-------------------------------------------------------------------------
 *
 * worker_replica.c
 *	  Sends changes to other regions.
 *
 * One process of a database does that, a turn of each replica after the other.
 * A turn waits for another server, up to its limits (replica_peer.c); meanwhile
 * the launcher sends another process for other work.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "replica/replica.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

/* Milliseconds between two looks at what is written here. */
#define LOOK_INTERVAL	50

/* Milliseconds between two times at which versions are forgotten. */
#define TRIM_INTERVAL	3600000

/* Milliseconds that a turn goes on while there is more to send. */
#define TURN			1000

/* What there is to do; it outlives transactions. */
typedef struct Look
{
	MemoryContext context;
	List	   *links;			/* of RegionLink * */
	TimestampTz next;
} Look;

static void trim(void);
static void trim_some(void *more);
static void look(void *arg);
static bool take_turn(const RegionLink *link);
static void begin(void *arg);
static void end(void *arg);
static void fail(void *arg);

/* A turn, and the context of what it has read. */
typedef struct Work
{
	ReplicaTurn turn;
	MemoryContext context;
	bool		begun;
} Work;

long
worker_replicate(bool asked)
{
	static int64 due = 0;
	long		wait = worker_due(DYNAMO_REPLICA, asked, due);
	Look		found = {0};
	MemoryContext old;
	bool		busy = false;
	ListCell   *lc;

	if (wait != 0)
		return wait;
	due = dynamo_clock() + LOOK_INTERVAL;
	if (!worker_begin(DYNAMO_REPLICA, 1, TURN))
		return LOOK_INTERVAL;
	found.context = AllocSetContextCreate(TopMemoryContext,
										  "dynamo replicas",
										  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(found.context);
	if (worker_run("look for replicas", WARNING, look, &found))
	{
		dynamo_keep(DYNAMO_REPLICA, found.links != NIL || found.next != 0);
		dynamo_note_done(DYNAMO_REPLICA, dynamo_clock(), 0, 1);
		trim();
		foreach(lc, found.links)
		{
			busy |= take_turn(lfirst(lc));
			if (!worker_has_time())
				break;
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(found.context);
	if (busy)
		due = 0;
	return worker_due(DYNAMO_REPLICA, false, due);
}

/*
 * Now and then; a batch at a time while there is more.
 */
static void
trim(void)
{
	static int64 trim_at = 0;
	bool		more = false;

	if (dynamo_clock() < trim_at)
		return;
	(void) worker_run("forget versions of items", WARNING, trim_some, &more);
	trim_at = more ? 0 : dynamo_clock() + TRIM_INTERVAL;
}

static void
trim_some(void *more)
{
	*(bool *) more = replica_trim();
}

static void
look(void *arg)
{
	Look	   *found = arg;
	MemoryContext old = MemoryContextSwitchTo(found->context);

	found->links = region_links_due(&found->next);
	MemoryContextSwitchTo(old);
}

/*
 * Is there more to do at once?
 */
static bool
take_turn(const RegionLink *link)
{
	Work		work = {.turn = {.link = *link}};
	MemoryContext caller = CurrentMemoryContext;
	bool		done;
	bool		more;

	work.context = AllocSetContextCreate(caller, "dynamo replica",
										 ALLOCSET_DEFAULT_SIZES);
	done = worker_run("read what a replica lacks", DEBUG1, begin, &work);
	if (!done)
		strlcpy(work.turn.failure, worker_message, sizeof(work.turn.failure));
	else if (work.begun)
	{
		done = replica_turn_exchange(&work.turn);
		if (done)
		{
			done = worker_run("note what a replica has", WARNING, end, &work);
			if (!done)
				strlcpy(work.turn.failure, worker_message,
						sizeof(work.turn.failure));
		}
	}
	if (!done)
		(void) worker_run("note a failure", WARNING, fail, &work);
	more = done && work.turn.more;
	MemoryContextDelete(work.context);
	return more;
}

static void
begin(void *arg)
{
	Work	   *work = arg;
	MemoryContext old = MemoryContextSwitchTo(work->context);

	work->begun = replica_turn_begin(&work->turn);
	MemoryContextSwitchTo(old);
}

static void
end(void *arg)
{
	replica_turn_end(&((Work *) arg)->turn);
}

static void
fail(void *arg)
{
	Work	   *work = arg;

	replica_turn_fail(&work->turn, work->turn.failure);
	if (work->turn.link.failures == 0)
		ereport(WARNING,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("dynamo could not replicate to region \"%s\": %s",
						work->turn.link.region, work->turn.failure)));
}
