/*-------------------------------------------------------------------------
 *
 * process_worker.c
 *	  The workers, as they know of one another and the launcher of them.
 *
 * Shared memory holds a place for each.  A worker writes only to its own.
 * Fields that others decide by are written under the lock, which is also held
 * to look at all places.  Two fields are written without it, by a signal
 * handler (process_watch.c), which may not wait: whether the worker takes new
 * clients, and the stage of work that does not end.
 *
 * There are two kinds.  Those that serve HTTP do nothing else.  Those in the
 * background do one kind of work after the other, all in one database
 * (../worker/README.md), and are idle in between.
 *
 * The launcher reports work that does not end, and has it refused for a while,
 * as soon as it is in the way, even if the worker has ended by then: its place
 * is kept until the report.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

/* The part of a wait event that is its class. */
#define WAIT_CLASS	0xFF000000U

/* A worker that has been at its work for longer looks at nothing else. */
#define ATTENTION		1000	/* milliseconds */

typedef struct Worker
{
	pid_t		pid;
	bool		alive;			/* false: the place is free */
	bool		serves;			/* HTTP; false: it works in the background */
	volatile bool told_to_leave;
	bool		told_to_end;	/* by the launcher, to have its slot */
	Latch	   *latch;
	Oid			database;
	TimestampTz joined;
	int64		joined_at;		/* that, by dynamo_clock() */
	DynamoService service;		/* of what it does, or did last */
	TimestampTz since;			/* it does that; 0: it is idle */
	int64		busy_since;		/* that, by dynamo_clock() */
	Oid			role;			/* whose share it counts for, or InvalidOid */
	volatile bool open;			/* takes new clients */
	volatile int parked;		/* requests; written without the lock */
	volatile uint64 requests;	/* same */
	volatile DynamoStage stage; /* of the work below */
	DynamoStage reported;
	DynamoWork	work;			/* complete once stage says there is any */
} Worker;

typedef struct Workers
{
	LWLock		lock;
	Latch	   *launcher;		/* or NULL */
	int			n;
	Worker		places[FLEXIBLE_ARRAY_MEMBER];
} Workers;

/* dynamo_refuse(), of a file above; see dynamo_watch_init(). */
int			(*dynamo_worker_refuse) (const DynamoWork *work, bool lost);

static Workers *workers;
static Worker *self;

static Size measure_workers(void);
static void attach_workers(void *memory, int tranche, bool made);
static bool is_beside(const Worker *worker);
static int	count_doing(DynamoService service);
static bool is_attentive(const Worker *worker);
static Worker *free_place(void);
static void leave_list(int code, Datum arg);
static bool take_report(Worker *report);
static void report_lost(const Worker *worker);
static char *describe(const DynamoWork *work);
static bool is_waiting(const Worker *worker);
static int	workers_in(Oid database);
static bool may_end(const Worker *worker, int too_long);
static void end_worker(Worker *worker, const char *why);
static const Worker *find_worker(pid_t pid);

DynamoShared dynamo_shared_workers = {
	.name = "dynamo workers", .measure = measure_workers, .attach = attach_workers
};

static Size
measure_workers(void)
{
	return add_size(offsetof(Workers, places),
					mul_size(max_worker_processes, sizeof(Worker)));
}

static void
attach_workers(void *memory, int tranche, bool made)
{
	workers = memory;
	if (!made)
		return;
	LWLockInitialize(&workers->lock, tranche);
	workers->n = max_worker_processes;
}

/*
 * This process is a worker from now on: it serves HTTP, or works in the
 * background.
 */
void
dynamo_worker_join(bool serves)
{
	dynamo_attach_shared(&dynamo_shared_workers);
	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	self = free_place();
	if (self != NULL)
	{
		memset(self, 0, sizeof(*self));
		self->pid = MyProcPid;
		self->alive = true;
		self->serves = serves;
		self->latch = MyLatch;
		self->database = MyDatabaseId;
		self->joined = GetCurrentTimestamp();
		self->joined_at = dynamo_clock();
		self->service = serves ? DYNAMO_HTTP : DYNAMO_MAINTENANCE;
	}
	LWLockRelease(&workers->lock);
	if (self == NULL)
		elog(FATAL, "there are more than max_worker_processes workers");
	on_shmem_exit(leave_list, (Datum) 0);
}

/*
 * A place with nothing to report, or any.
 */
static Worker *
free_place(void)
{
	Worker	   *found = NULL;

	for (int i = 0; i < workers->n; i++)
	{
		Worker	   *place = &workers->places[i];

		if (place->alive)
			continue;
		found = place;
		if (place->reported == place->stage)
			break;
	}
	return found;
}

static void
leave_list(int code, Datum arg)
{
	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	self->role = InvalidOid;
	self->open = false;
	self->alive = false;
	self->latch = NULL;
	LWLockRelease(&workers->lock);
	self = NULL;
}

/*
 * This worker does work of that service from now on, as one of at most "limit"
 * in its database.  False: so many do.
 */
bool
dynamo_worker_do(DynamoService service, int limit)
{
	bool		free;

	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	free = count_doing(service) < limit;
	if (free)
	{
		self->service = service;
		self->since = GetCurrentTimestamp();
		self->busy_since = dynamo_clock();
	}
	LWLockRelease(&workers->lock);
	return free;
}

/*
 * How many others in its database do such work?
 */
int
dynamo_workers_doing(DynamoService service)
{
	int			n;

	LWLockAcquire(&workers->lock, LW_SHARED);
	n = count_doing(service);
	LWLockRelease(&workers->lock);
	return n;
}

static int
count_doing(DynamoService service)
{
	int			n = 0;

	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		n += is_beside(worker) && worker->since != 0 &&
			worker->service == service;
	}
	return n;
}

/*
 * It does nothing.
 */
void
dynamo_worker_rest(void)
{
	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	self->since = 0;
	LWLockRelease(&workers->lock);
}

/*
 * Become one of at most "limit" workers of this service and database at work
 * for a role.  False: so many are.
 */
bool
dynamo_worker_claim(Oid role, int limit)
{
	int			others = 0;

	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		others += worker->role == role && is_beside(worker) &&
			worker->service == self->service;
	}
	if (others < limit)
		self->role = role;
	LWLockRelease(&workers->lock);
	return others < limit;
}

void
dynamo_worker_release(void)
{
	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	self->role = InvalidOid;
	LWLockRelease(&workers->lock);
}

/*
 * This worker takes new clients.
 */
void
dynamo_worker_open(void)
{
	self->open = true;
}

/*
 * It would rather not.  False: it has to, since no other of its database does.
 * Each says first what it means to do, and looks at the others then.  Otherwise
 * two could leave it to one another.
 */
bool
dynamo_worker_close(void)
{
	if (self == NULL)
		return true;			/* has left, and goes on ending */
	self->open = false;
	pg_memory_barrier();
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (worker->open && worker->database == self->database)
			return true;
	}
	self->open = true;
	return false;
}

/*
 * How many requests wait, and how many it has executed.
 */
void
dynamo_worker_tell(int parked, uint64 requests)
{
	if (self == NULL)
		return;
	self->parked = parked;
	self->requests = requests;
}

/*
 * Call "each" for all workers there are, without the lock.
 */
void
dynamo_workers_each(void (*each) (const DynamoWorkerState *worker, void *arg),
					void *arg)
{
	dynamo_attach_shared(&dynamo_shared_workers);
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];
		DynamoWorkerState state = {worker->pid, worker->database,
			worker->serves, worker->service, worker->joined, worker->since,
			worker->stage, worker->open, worker->parked,
		worker->requests};

		if (worker->alive)
			each(&state, arg);
	}
}

/*
 * Have the launcher know what this worker cannot be got away from.
 */
void
dynamo_worker_report(DynamoStage stage, const DynamoWork *work)
{
	if (self == NULL)
		return;					/* has left, and goes on ending */
	if (stage == DYNAMO_ENDING)
		self->work = *work;
	if (stage == DYNAMO_LOST)
		self->open = false;
	pg_write_barrier();
	self->stage = stage;
	dynamo_launcher_wake();
}

/*
 * This process is the launcher.
 */
void
dynamo_workers_attend(void)
{
	dynamo_attach_shared(&dynamo_shared_workers);
	workers->launcher = MyLatch;
}

/*
 * Have the launcher look at what there is.  Also in a signal handler.
 */
void
dynamo_launcher_wake(void)
{
	Latch	   *launcher;

	dynamo_attach_shared(&dynamo_shared_workers);
	launcher = workers->launcher;
	if (launcher != NULL)
		SetLatch(launcher);
}

/*
 * Do the launcher's part for workers that do not get their work done: tell of
 * it, and have it left alone.
 */
void
dynamo_workers_tend(void)
{
	Worker		worker;

	while (take_report(&worker))
		report_lost(&worker);
}

/*
 * A copy of a worker that has something new to report.
 */
static bool
take_report(Worker *copy)
{
	bool		found = false;

	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	for (int i = 0; i < workers->n && !found; i++)
	{
		Worker	   *worker = &workers->places[i];
		DynamoStage stage = worker->stage;

		if (stage == worker->reported)
			continue;
		pg_read_barrier();
		worker->reported = stage;
		*copy = *worker;
		copy->stage = stage;
		found = true;
	}
	LWLockRelease(&workers->lock);
	return found;
}

/*
 * To the log.  The table is left alone as long as the work has cost, and a
 * process that is lost to it takes up its worker.
 */
static void
report_lost(const Worker *worker)
{
	const DynamoWork *work = &worker->work;
	bool		lost = worker->stage == DYNAMO_LOST;
	int			seconds = dynamo_worker_refuse(work, lost);
	char	   *database = dynamo_database_name(work->key.database);
	char	   *role = dynamo_role_name(work->key.role);

	ereport(WARNING,
			(errcode(ERRCODE_QUERY_CANCELED),
			 lost ?
			 errmsg("dynamo has lost a worker that could not be ended: %s",
					describe(work)) :
			 errmsg("dynamo had to end a worker that could not be cancelled: %s",
					describe(work)),
			 errdetail("Process %d in database \"%s\", for role \"%s\".",
					   (int) worker->pid, database ? database : "",
					   role ? role : ""),
			 lost ?
			 errhint("Another worker takes its place.  The process stays until the function it calls returns; such work is refused meanwhile.") :
			 errhint("Such work is refused for %d s.  Check the functions that the table's triggers and policies call.",
					 seconds)));
}

static char *
describe(const DynamoWork *work)
{
	if (work->key.service == DYNAMO_HTTP && OidIsValid(work->key.relation))
		return psprintf("%s of table \"%s\"", work->activity, work->table);
	return pstrdup(work->activity);
}

/*
 * Does a worker wait for a lock?  One that builds may do so on other nodes:
 * Citus waits for these in one of two ways.
 */
static bool
is_waiting(const Worker *worker)
{
	const PGPROC *proc = BackendPidGetProc(worker->pid);
	uint32		class = proc ? proc->wait_event_info & WAIT_CLASS : 0;

	return class == PG_WAIT_LOCK ||
		(worker->service == DYNAMO_BUILD &&
		 (class == PG_WAIT_CLIENT || class == PG_WAIT_EXTENSION));
}

/*
 * End a worker of the background that waits for a lock, here or on other nodes,
 * to have a slot; if there is none, one that is not alone in its database and
 * has been at its work for "long".
 */
void
dynamo_workers_end_one(int too_long)
{
	for (int i = 0; i < workers->n; i++)
	{
		Worker	   *worker = &workers->places[i];

		if (may_end(worker, ATTENTION) &&
			(worker->service == DYNAMO_BUILD ||
			 worker->service == DYNAMO_JOB) && is_waiting(worker))
		{
			end_worker(worker, ", which waited for a lock,");
			return;
		}
	}
	for (int i = 0; i < workers->n; i++)
	{
		Worker	   *worker = &workers->places[i];

		if (may_end(worker, too_long) &&
			worker->stage == DYNAMO_WORKING &&
			workers_in(worker->database) > 1)
		{
			end_worker(worker, "");
			return;
		}
	}
}

/*
 * Is it at its work for so long, and has not been told yet?  It may call a
 * function that does not notice.
 */
static bool
may_end(const Worker *worker, int too_long)
{
	return worker->alive && !worker->serves && !worker->told_to_end &&
		worker->since != 0 && dynamo_clock() - worker->busy_since > too_long;
}

static void
end_worker(Worker *worker, const char *why)
{
	worker->told_to_end = true;
	(void) kill(worker->pid, SIGTERM);
	ereport(LOG,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("dynamo ended process %d%s to have one for other work",
					(int) worker->pid, why),
			 errhint("You might need to increase max_worker_processes.")));
}

/*
 * Have the worker of the background leave that has been there longest, if that
 * is long enough, for a database that has none.  One that has been told, and
 * cannot leave yet, is passed over.  Otherwise nobody else would.
 */
void
dynamo_workers_rotate(int tenure)
{
	Worker	   *found = NULL;

	LWLockAcquire(&workers->lock, LW_EXCLUSIVE);
	for (int i = 0; i < workers->n; i++)
	{
		Worker	   *worker = &workers->places[i];

		if (worker->alive && !worker->serves &&
			worker->stage == DYNAMO_WORKING &&
			!(worker->told_to_leave && !is_attentive(worker)) &&
			(found == NULL || worker->joined_at < found->joined_at))
			found = worker;
	}
	if (found != NULL && dynamo_clock() - found->joined_at > tenure)
	{
		found->told_to_leave = true;
		SetLatch(found->latch);
	}
	LWLockRelease(&workers->lock);
}

/*
 * Has this worker been told to leave?
 */
bool
dynamo_worker_is_told_to_leave(void)
{
	return self->told_to_leave;
}

/*
 * How many workers of its database stand before this one?
 */
int
dynamo_worker_rank(void)
{
	int			rank = 0;

	LWLockAcquire(&workers->lock, LW_SHARED);
	for (const Worker *worker = workers->places; worker < self; worker++)
		rank += is_beside(worker);
	LWLockRelease(&workers->lock);
	return rank;
}

/*
 * Is one of them idle, or soon will be?
 */
bool
dynamo_worker_is_dispensable(void)
{
	bool		found = false;

	LWLockAcquire(&workers->lock, LW_SHARED);
	for (const Worker *worker = workers->places; worker < self; worker++)
		found |= is_beside(worker) && is_attentive(worker);
	LWLockRelease(&workers->lock);
	return found;
}

/*
 * How many workers of the background has a database?
 */
static int
workers_in(Oid database)
{
	int			n = 0;

	dynamo_attach_shared(&dynamo_shared_workers);
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		n += worker->alive && !worker->serves &&
			worker->database == database && worker->stage != DYNAMO_LOST;
	}
	return n;
}

/*
 * Is one of them idle, or soon will be?
 */
bool
dynamo_workers_attend_to(Oid database)
{
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (worker->alive && !worker->serves &&
			worker->database == database &&
			worker->stage == DYNAMO_WORKING && is_attentive(worker))
			return true;
	}
	return false;
}

/*
 * Wake one that is idle.  False: the database has none at all.
 */
bool
dynamo_workers_wake(Oid database)
{
	bool		any = false;

	dynamo_attach_shared(&dynamo_shared_workers);
	LWLockAcquire(&workers->lock, LW_SHARED);
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (!worker->alive || worker->serves || worker->database != database ||
			worker->stage != DYNAMO_WORKING)
			continue;
		any = true;
		SetLatch(worker->latch);
		if (worker->since == 0)
			break;
	}
	LWLockRelease(&workers->lock);
	return any;
}

/*
 * Is it another one of this worker's kind and database, and not lost?
 */
static bool
is_beside(const Worker *worker)
{
	return worker->alive && worker != self &&
		worker->serves == self->serves && worker->database == self->database &&
		worker->stage != DYNAMO_LOST;
}

static bool
is_attentive(const Worker *worker)
{
	return worker->since == 0 ||
		dynamo_clock() - worker->busy_since <= ATTENTION;
}

/*
 * Has the process come so far as to be a worker?  It may be gone.
 */
bool
dynamo_worker_has_joined(pid_t pid)
{
	bool		found = false;

	for (int i = 0; i < workers->n && pid != 0; i++)
		found |= workers->places[i].pid == pid;
	return found;
}

/*
 * Is the worker to be given up?
 */
bool
dynamo_worker_is_lost(pid_t pid)
{
	const Worker *worker = find_worker(pid);

	return worker != NULL && worker->stage == DYNAMO_LOST;
}

static const Worker *
find_worker(pid_t pid)
{
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (worker->alive && worker->pid == pid)
			return worker;
	}
	return NULL;
}

/*
 * Is any worker lost to such work?
 */
bool
dynamo_worker_is_lost_to(const DynamoKey *key)
{
	dynamo_attach_shared(&dynamo_shared_workers);
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (worker->alive && worker->stage == DYNAMO_LOST &&
			memcmp(&worker->work.key, key, sizeof(*key)) == 0)
			return true;
	}
	return false;
}
