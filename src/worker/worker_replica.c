/*-------------------------------------------------------------------------
 *
 * worker_replica.c
 *	  Sends changes to other regions.
 *
 * One process of a database does that, a turn of each replica after the other.
 * A turn waits for another server, up to its limits (replica_peer.c); meanwhile
 * the launcher sends another process for other work.  While there is more to send, turns
 * follow one another for a second, and each is read while the one before is stored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/pg_prng.h"
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

/* A turn, and the context that it and what it has read live in. */
typedef struct Work
{
	ReplicaTurn turn;
	MemoryContext context;
	bool		begun;
	bool		done;			/* what has been done of it did not fail */
} Work;

/*
 * A replica that has more to come is not waited for: while it stores a batch, the next
 * turn is read, which may be of the same one.  NULL: none is at it.
 */
static Work *under_way = NULL;

static bool take_turns(void);
static void trim(void);
static void trim_some(void *more);
static void look(void *arg);
static bool take_turn(const RegionLink *link);
static Work *begin_work(const RegionLink *link);
static bool follows(const Work *work, const Work *before);
static Work *land(void);
static bool talk(Work *work, bool (*part) (ReplicaTurn *turn));
static bool settle(Work *work);
static void begin(void *arg);
static void end(void *arg);
static void fail(void *arg);

long
worker_replicate(bool asked)
{
	static int64 due = 0;
	long		wait = worker_due(DYNAMO_REPLICA, asked, due);
	bool		busy;

	if (wait != 0)
		return wait;
	due = dynamo_clock() + LOOK_INTERVAL;
	if (!worker_begin(DYNAMO_REPLICA, 1, TURN))
		return LOOK_INTERVAL;
	do
	{
		due = dynamo_clock() + LOOK_INTERVAL;
		busy = take_turns();
	} while (busy && worker_has_time());
	(void) settle(land());
	if (busy)
		due = 0;
	return worker_due(DYNAMO_REPLICA, false, due);
}

/*
 * One of each replica, as far as there is time.  It begins with any of them.  Otherwise
 * those at the end would wait for as long as the first have much to send.  Is there more
 * to do at once?
 */
static bool
take_turns(void)
{
	Look		found = {0};
	MemoryContext old;
	bool		busy = false;
	bool		any;
	int			n;
	int			first;

	found.context = AllocSetContextCreate(TopMemoryContext,
										  "dynamo replicas",
										  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(found.context);
	if (worker_run("look for replicas", WARNING, look, &found))
	{
		any = found.links != NIL || found.next != 0;
		dynamo_keep(DYNAMO_REPLICA, any);
		dynamo_note_done(DYNAMO_REPLICA, dynamo_clock(), 0, any ? 1 : 0);
		trim();
		n = list_length(found.links);
		first = (int) (pg_prng_uint32(&pg_global_prng_state) % Max(n, 1));
		for (int i = 0; i < n; i++)
		{
			busy |= take_turn(list_nth(found.links, (first + i) % n));
			if (!worker_has_time())
				break;
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(found.context);
	return busy;
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
 *
 * Who is under way has its answer before anything else is asked, and is noted after
 * that, while the next is under way.
 */
static bool
take_turn(const RegionLink *link)
{
	Work	   *work = begin_work(link);
	Work	   *before = land();
	bool		more;

	if (before != NULL && !follows(work, before))
	{
		/* What was read ahead is not what is to be sent. */
		MemoryContextDelete(work->context);
		return settle(before);
	}
	if (work->begun)
		work->done = talk(work, replica_turn_exchange);
	more = settle(before);
	if (!work->turn.under_way)
		return settle(work) || more;
	under_way = work;
	if (work->turn.more)
		return true;
	return settle(land()) || more;
}

/*
 * The first part.
 */
static Work *
begin_work(const RegionLink *link)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext,
												  "dynamo replica",
												  ALLOCSET_DEFAULT_SIZES);
	Work	   *work = MemoryContextAllocZero(context, sizeof(Work));

	work->context = context;
	work->turn.link = *link;
	work->done = worker_run("read what a replica lacks", DEBUG1, begin, work);
	if (!work->done)
	{
		work->begun = false;
		strlcpy(work->turn.failure, worker_message,
				sizeof(work->turn.failure));
	}
	return work;
}

/*
 * What was read while the other one was under way: does it go on from there?  Turns of
 * other replicas have nothing to do with that.
 */
static bool
follows(const Work *work, const Work *before)
{
	return !work->begun ||
		work->turn.link.relid != before->turn.link.relid ||
		strcmp(work->turn.link.region, before->turn.link.region) != 0 ||
		(before->done && replica_turn_follows(&work->turn));
}

/*
 * The end of the second part of the one that is under way; NULL: none was.
 */
static Work *
land(void)
{
	Work	   *work = under_way;

	under_way = NULL;
	if (work != NULL)
		work->done = talk(work, replica_turn_land);
	return work;
}

/*
 * A part in no transaction.  What the peer says lives as long as the turn, which may
 * outlive the look that has begun it.
 */
static bool
talk(Work *work, bool (*part) (ReplicaTurn *turn))
{
	MemoryContext old = MemoryContextSwitchTo(work->context);
	bool		done = part(&work->turn);

	MemoryContextSwitchTo(old);
	return done;
}

/*
 * The third part.  Is there more to do at once?
 */
static bool
settle(Work *work)
{
	bool		more;

	if (work == NULL)
		return false;
	if (work->begun && work->done)
	{
		work->done = worker_run("note what a replica has", WARNING, end, work);
		if (!work->done)
			strlcpy(work->turn.failure, worker_message,
					sizeof(work->turn.failure));
	}
	if (!work->done)
		(void) worker_run("note a failure", WARNING, fail, work);
	more = work->done && work->turn.more;
	MemoryContextDelete(work->context);
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
