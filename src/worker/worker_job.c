/*-------------------------------------------------------------------------
 *
 * worker_job.c
 *	  Works off the jobs of a database: backups, restores, exports, imports.
 *
 * A turn picks one of the roles that have jobs due, and then one of that role's,
 * at random, so nobody's jobs wait for all of another's.  It takes steps for a
 * second.  Up to dynamo.job_workers processes of a database do that at a time,
 * and a role gets all processes but one, where there are several: a step may
 * take long.
 *
 * A step has no time limit.  It runs as the job's owner, in a session that is
 * the owner's (base_session.c).  A process that is to end cancels it before
 * (process_watch.c), so that the turn takes back its note.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_session.h"
#include "common/pg_prng.h"
#include "job/job.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "worker/worker_internal.h"

#define MAX_WORKERS		64

/* Milliseconds that a turn takes, if its steps are short. */
#define TURN			1000

/* Milliseconds between two looks while others are at what is due. */
#define LOOK_INTERVAL	200

/* What a process finds to do; the list lives in the context. */
typedef struct Look
{
	MemoryContext context;
	List	   *due;			/* of JobDue * */
	TimestampTz next;			/* when others are due; 0: there are none */
} Look;

/* A transaction of a turn. */
typedef struct Turn
{
	int32		number;
	bool		begun;
	JobOutcome	outcome;
} Turn;

static int	max_workers;

static void want_worker(void);
static bool may_work(Oid role, Oid relid, const char *table);
static void note(const Look *look, int n, int mine);
static void look(void *look);
static bool work_on_any(Look *look);
static JobDue *pick(List *due);
static bool is_owned_by(const JobDue *job, Oid role);
static bool take_turn(int32 number);
static void begin_turn(void *turn);
static void step_turn(void *turn);
static void note_failure(void *turn);

void
worker_job_init(void)
{
	DefineCustomIntVariable("dynamo.job_workers",
							"Number of processes of a database that work on backups, restores, exports and imports.",
							"0 starts none. Needs dynamo in shared_preload_libraries.",
							&max_workers, 2, 0, MAX_WORKERS,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	job_callbacks.start_worker = want_worker;
	job_callbacks.may_work = may_work;
}

static void
want_worker(void)
{
	dynamo_want(DYNAMO_JOB);
}

/*
 * A turn at a job, if there is one to be had.
 */
long
worker_work_on_jobs(bool asked)
{
	static int64 due = 0;
	long		wait = worker_due(DYNAMO_JOB, asked, due);
	Look		found = {0};
	MemoryContext old;
	int			n;

	if (wait != 0)
		return wait;
	if (max_workers == 0)
	{
		dynamo_keep(DYNAMO_JOB, false);
		return -1;
	}
	due = dynamo_clock() + LOOK_INTERVAL;
	if (!worker_begin(DYNAMO_JOB, max_workers, TURN))
		return LOOK_INTERVAL;
	found.context = AllocSetContextCreate(TopMemoryContext, "dynamo job",
										  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(found.context);
	if (worker_run("look for jobs", WARNING, look, &found))
	{
		n = list_length(found.due);
		note(&found, n, Min(n, 1));
		if (n == 0)
			due = dynamo_clock() +
				TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
												found.next);
		else if (work_on_any(&found))
			due = 0;
		else
			note(&found, n, 0);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(found.context);
	return worker_due(DYNAMO_JOB, false, due);
}

/*
 * For the board: so many are due, of which this process takes "mine".  Otherwise
 * one that takes long would be told to wait as long as it is worked on.
 */
static void
note(const Look *look, int n, int mine)
{
	dynamo_keep(DYNAMO_JOB, n > 0 || look->next != 0);
	dynamo_note_done(DYNAMO_JOB, dynamo_clock(),
					 Max(n - mine - dynamo_workers_doing(DYNAMO_JOB), 0),
					 Min(n, max_workers));
}

static void
look(void *arg)
{
	Look	   *found = arg;
	List	   *due = job_list_due(&found->next);
	MemoryContext old = MemoryContextSwitchTo(found->context);
	ListCell   *lc;

	foreach(lc, due)
	{
		JobDue	   *job = palloc(sizeof(*job));

		*job = *(JobDue *) lfirst(lc);
		found->due = lappend(found->due, job);
	}
	MemoryContextSwitchTo(old);
}

/*
 * A turn at the first that is to be had, of those that there is time to ask for.  Was
 * there any?
 */
static bool
work_on_any(Look *look)
{
	do
	{
		JobDue	   *job = pick(look->due);
		bool		taken;

		dynamo_work_yields(true);
		taken = take_turn(job->number);
		dynamo_work_yields(false);
		if (taken)
			return true;
		look->due = list_delete_ptr(look->due, job);
	} while (look->due != NIL && worker_has_time());
	return false;
}

/*
 * A role, then a job of that role.
 */
static JobDue *
pick(List *due)
{
	List	   *roles = NIL;
	List	   *jobs = NIL;
	ListCell   *lc;
	Oid			role;

	foreach(lc, due)
		roles = list_append_unique_oid(roles, ((JobDue *) lfirst(lc))->owner);
	role = list_nth_oid(roles, pg_prng_uint32(&pg_global_prng_state) %
						list_length(roles));
	foreach(lc, due)
	{
		if (is_owned_by(lfirst(lc), role))
			jobs = lappend(jobs, lfirst(lc));
	}
	return list_nth(jobs, pg_prng_uint32(&pg_global_prng_state) %
					list_length(jobs));
}

static bool
is_owned_by(const JobDue *job, Oid role)
{
	return job->owner == role;
}

/*
 * Was there anything to do, and nobody else at it?
 */
static bool
take_turn(int32 number)
{
	Turn		turn = {.number = number};
	char		activity[64];

	snprintf(activity, sizeof(activity), "work on job %d", number);
	if (!worker_run(activity, WARNING, begin_turn, &turn) || !turn.begun)
		return false;
	do
	{
		turn.outcome = JOB_NOTHING;
		if (!worker_run(activity, WARNING, step_turn, &turn))
		{
			(void) worker_run("note a failure", WARNING, note_failure,
							  &turn);
			break;
		}
	} while (turn.outcome == JOB_GOES_ON && max_workers > 0 &&
			 worker_has_time());
	LockReleaseSession(DEFAULT_LOCKMETHOD);
	job_progress_end();
	return true;
}

static void
begin_turn(void *arg)
{
	Turn	   *turn = arg;

	turn->begun = job_begin(turn->number, false);
}

static void
step_turn(void *arg)
{
	Turn	   *turn = arg;
	const ErrorData cancel = {.sqlerrcode = ERRCODE_QUERY_CANCELED};

	/* Told to end while there was no step that could be cancelled. */
	if (dynamo_work_is_left())
		turn->outcome = job_note_failure(turn->number, false, &cancel);
	else
		turn->outcome = job_step(turn->number, false);
}

static void
note_failure(void *arg)
{
	Turn	   *turn = arg;
	const ErrorData error = {
		.sqlerrcode = worker_error, .message = worker_message
	};

	turn->outcome = job_note_failure(turn->number, false, &error);
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
