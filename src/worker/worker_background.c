/*-------------------------------------------------------------------------
 *
 * worker_background.c
 *	  A process that does all work in the background of one database.
 *
 * It goes over the kinds of work, a turn of each, and begins again: marks
 * first, and before each of the others, since the clock does not wait.  A turn
 * is as short as its work allows: a batch of expired items, a step of a visit,
 * a second of a job, the lanes of a second, or one build.  When there is nothing
 * to do it sleeps until something is due, or a session asks for something.
 *
 * If one turn takes long, as somebody's function or a build may, the launcher
 * sends another process, if there is a slot.  All are alike.  One leaves when
 * another has time again, or when processes are short and it is not the only
 * one; the last one leaves when nothing is left that it would have to stay for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "worker/worker_internal.h"

/* Milliseconds without work after which a process leaves. */
#define MAX_IDLE		1000

/*
 * How long one stays where processes are short and it is not the only one;
 * milliseconds.  A visit has many steps, and begins anew with each process: if
 * each left after a step, no visit would ever come to its end.
 */
#define MIN_STAY		1000

/* Each is a turn, and returns when it wants another. */
static const struct
{
	DynamoService service;
	long		(*turn) (bool asked);
}			works[] = {
	{DYNAMO_MARKER, worker_mark},
	{DYNAMO_HANDLER, worker_handle},
	{DYNAMO_JOB, worker_work_on_jobs},
	{DYNAMO_REPLICA, worker_replicate},
	{DYNAMO_CLUSTER, worker_tell},
	{DYNAMO_MAINTENANCE, worker_visit},
	{DYNAMO_BUILD, worker_build}
};

/* What was asked for, and is not done yet. */
static uint32 asked = 0;

static void put_back(int code, Datum arg);
static long take_turns(void);
static bool may_leave(int64 began, int64 idle_since);
static void sleep_for(long timeout);

void
worker_background_main(Datum arg)
{
	int64		began = dynamo_clock();
	int64		idle_since = began;

	worker_connect(DatumGetObjectId(arg));
	dynamo_watch_start(false, NULL, NULL);
	if (!worker_is_wanted())
	{
		dynamo_wants_nothing(MyDatabaseId);
		return;
	}
	before_shmem_exit(put_back, (Datum) 0);
	while (!dynamo_worker_is_told_to_leave() && !DefaultXactReadOnly)
	{
		uint32		wants = dynamo_wants_take();
		long		timeout;

		asked |= wants;			/* before this process may end */
		worker_housekeeping();

		/* A visit may find SQL objects that are newer than this library. */
		if ((wants & DYNAMO_BIT(DYNAMO_MAINTENANCE)) != 0 &&
			!worker_is_wanted())
		{
			dynamo_wants_nothing(MyDatabaseId);
			asked = 0;
			break;
		}
		timeout = take_turns();
		dynamo_worker_rest();
		if (timeout == 0)
			idle_since = dynamo_clock();
		if (may_leave(began, idle_since))
			break;
		if (timeout != 0)
			sleep_for(timeout);
	}
}

/*
 * What this process has not done, others are to do.
 */
static void
put_back(int code, Datum arg)
{
	uint32		left = asked | dynamo_kept();

	if (left != 0)
		dynamo_want_in(MyDatabaseId, left);
}

/*
 * Milliseconds until there is something to do; 0: there is; -1: unknown.
 */
static long
take_turns(void)
{
	long		timeout = -1;

	for (int i = 0; i < lengthof(works); i++)
	{
		uint32		bit = DYNAMO_BIT(works[i].service);
		long		next;

		/* Who does such work now may have looked before this was asked for. */
		worker_put_off = false;
		next = works[i].turn((asked & bit) != 0);
		if (next != 0 && !worker_put_off)
			asked &= ~bit;
		if (next >= 0 && (timeout < 0 || next < timeout))
			timeout = next;
		if (next == 0)
			(void) worker_mark(false);
		if (dynamo_worker_is_told_to_leave())
			break;
	}
	return timeout;
}

static bool
may_leave(int64 began, int64 idle_since)
{
	int64		now = dynamo_clock();
	bool		idle = now - idle_since > MAX_IDLE;

	if (now - began > MIN_STAY && dynamo_processes_are_short() &&
		dynamo_worker_rank() > 0)
		return true;
	return idle && (dynamo_kept() == 0 || dynamo_worker_is_dispensable());
}

static void
sleep_for(long timeout)
{
	if (timeout < 0 || timeout > MAX_IDLE)
		timeout = MAX_IDLE;
	(void) WaitLatch(MyLatch,
					 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}
