/*-------------------------------------------------------------------------
 *
 * worker_job.c
 *	  Works off the jobs of a database: backups, restores, exports, imports.
 *
 * A process picks a job, takes a turn at it of some seconds, and picks
 * again, until there is none left.  It picks one of the roles that have jobs
 * due, and then one of that role's, at random, so nobody's jobs wait for all
 * of another's.  A database has up to dynamo.job_workers processes, and a role
 * gets all of them but one, where there are several: a step may take long.
 *
 * A process is started when a job is submitted, and by each visit of
 * maintenance.  If there are too many, those that came last leave; not at
 * once, or else a job could be left to one that is just about to end.
 *
 * A step has no time limit.  It runs as the job's owner, in a session that is
 * the owner's (base_session.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_process.h"
#include "base/base_session.h"
#include "base/base_watch.h"
#include "common/pg_prng.h"
#include "job/job.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "worker/worker_internal.h"

#define MAX_WORKERS		64

/* Milliseconds that a turn takes, if its steps are short. */
#define TURN			5000

/* Milliseconds between two looks, and how long to look while nothing is due. */
#define LOOK_INTERVAL	100
#define MAX_IDLE		1000

/* Days that jobs are remembered. */
#define MEMORY			90

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

static bool preloaded = false;

static void start_worker(void);
static bool start_process(void);
static bool may_work(Oid role, Oid relid, const char *table);
static bool attend(bool *idle);
static bool look_and_work(bool *worked, TimestampTz *next);
static void look(void *look);
static bool work_on_any(Look *look);
static JobDue *pick(List *due);
static bool is_owned_by(const JobDue *job, Oid role);
static bool take_turn(int32 number);
static void begin(void *turn);
static void step(void *turn);
static void note_failure(void *turn);
static void tend_jobs(void *count);

void
worker_job_init(void)
{
	DefineCustomIntVariable("dynamo.job_workers",
							"Number of processes of a database that work on backups, restores, exports and imports.",
							"0 starts none. Needs dynamo in shared_preload_libraries.",
							&max_workers, 2, 0, MAX_WORKERS,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	preloaded = process_shared_preload_libraries_in_progress;
	job_callbacks.start_worker = start_worker;
	job_callbacks.may_work = may_work;
}

/*
 * Start a process for this database.  If none is to be had, the next visit of
 * maintenance tries again.
 */
static void
start_worker(void)
{
	if (preloaded && max_workers > 0)
		(void) start_process();
}

static bool
start_process(void)
{
	BackgroundWorkerHandle *worker;

	worker = dynamo_start_worker("worker_job_main", "dynamo job",
								 "dynamo job",
								 ObjectIdGetDatum(MyDatabaseId));
	if (worker != NULL)
		pfree(worker);
	return worker != NULL;
}

/*
 * Part of a visit of maintenance.  False: there are jobs, but no process is
 * there for them, and none is to be had.
 */
bool
worker_start_jobs(void)
{
	int			count = 0;
	int			here = dynamo_workers_here(DYNAMO_JOB);

	(void) worker_run("look for jobs", WARNING, tend_jobs, &count);
	count = Min(count, max_workers);
	while (here < count && start_process())
		here++;
	return here > 0 || count == 0;
}

/*
 * Work on jobs in place of maintenance, until its visit is over.  A step takes
 * the time it takes.
 */
void
worker_work_on_jobs(void)
{
	TimestampTz next;
	bool		worked = true;

	worker_be_patient(0);
	while (worked && worker_rest(0) && look_and_work(&worked, &next))
		;
}

static void
tend_jobs(void *count)
{
	TimestampTz next;

	job_forget(GetCurrentTimestamp() - MEMORY * USECS_PER_DAY);
	*(int *) count = list_length(job_list_due(&next));
}

void
worker_job_main(Datum arg)
{
	bool		idle = false;
	int64		idle_since;

	worker_connect(DatumGetObjectId(arg));
	SetConfigOption("application_name", "dynamo job", PGC_SUSET,
					PGC_S_OVERRIDE);
	dynamo_watch_start(DYNAMO_JOB, NULL, NULL);
	if (!worker_is_wanted())
		return;
	worker_be_patient(0);
	idle_since = worker_clock();
	while (attend(&idle))
	{
		worker_housekeeping();
		if (!idle)
		{
			idle_since = worker_clock();
			continue;
		}
		if (worker_clock() - idle_since > MAX_IDLE)
			break;
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 LOOK_INTERVAL, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/*
 * A turn, if there is one to be had.  False: look no more.
 */
static bool
attend(bool *idle)
{
	TimestampTz next = 0;
	bool		worked = false;
	bool		again;

	*idle = true;
	if (dynamo_worker_rank() >= max_workers)
		return max_workers > 0;
	again = look_and_work(&worked, &next);
	if (!worked && next != 0 && dynamo_worker_rank() == 0)
	{
		/* One stays for what is to be tried again. */
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 MAX_IDLE, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		worked = true;
	}
	*idle = !worked;
	return again;
}

/*
 * *next: when a job is due again that is not now, 0: none is.  False: nobody
 * could look.
 */
static bool
look_and_work(bool *worked, TimestampTz *next)
{
	Look		found = {0};
	MemoryContext old;
	bool		looked;

	found.context = AllocSetContextCreate(TopMemoryContext, "dynamo job",
										  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(found.context);
	looked = worker_run("look for jobs", WARNING, look, &found);
	*worked = looked && work_on_any(&found);
	*next = found.next;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(found.context);
	return looked;
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
 * A turn at the first that is to be had.  Was there any?
 */
static bool
work_on_any(Look *look)
{
	while (look->due != NIL)
	{
		JobDue	   *job = pick(look->due);

		if (take_turn(job->number))
			return true;
		look->due = list_delete_ptr(look->due, job);
	}
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
	int64		began = worker_clock();

	snprintf(activity, sizeof(activity), "work on job %d", number);
	if (!worker_run(activity, WARNING, begin, &turn) || !turn.begun)
		return false;
	do
	{
		turn.outcome = JOB_NOTHING;
		if (!worker_run(activity, WARNING, step, &turn))
		{
			(void) worker_run("note a failure", WARNING, note_failure,
							  &turn);
			break;
		}
	} while (turn.outcome == JOB_GOES_ON && max_workers > 0 &&
			 worker_clock() - began < TURN);
	LockReleaseSession(DEFAULT_LOCKMETHOD);
	job_progress_end();
	return true;
}

static void
begin(void *arg)
{
	Turn	   *turn = arg;

	turn->begun = job_begin(turn->number, false);
}

static void
step(void *arg)
{
	Turn	   *turn = arg;

	turn->outcome = job_step(turn->number, false);
}

static void
note_failure(void *arg)
{
	Turn	   *turn = arg;

	turn->outcome = job_note_failure(turn->number, worker_error,
									 worker_message);
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
