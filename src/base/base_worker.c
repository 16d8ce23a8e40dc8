/*-------------------------------------------------------------------------
 *
 * base_worker.c
 *	  The workers, as they know of one another and their launchers of them.
 *
 * Shared memory holds a place for each.  A worker writes only to its own.
 * Fields that others decide by are written under the mutex, which is also held
 * to look at all places.  Two fields are written without it, by a signal
 * handler (base_watch.c), or else it could wait for the code it interrupts:
 * whether the worker takes new clients, and the stage of work that does not
 * end.
 *
 * A launcher reports such work, and has it refused for a while, as soon as it
 * is in the way, even if the worker has ended by then: its place is kept until
 * the report.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "base/base_process.h"
#include "base/base_watch.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/spin.h"
#include "utils/wait_event.h"

/* The part of a wait event that is its class. */
#define WAIT_CLASS	0xFF000000U

typedef struct Worker
{
	pid_t		pid;
	bool		alive;			/* or else the place is free */
	Oid			role;			/* whose share it counts for, or InvalidOid */
	volatile bool open;			/* takes new clients */
	volatile int parked;		/* requests; written without the mutex */
	volatile uint64 requests;	/* same */
	TimestampTz noted;			/* see dynamo_worker_note_time() */
	volatile DynamoStage stage; /* of the work below */
	DynamoStage reported;
	DynamoWork	work;			/* complete once stage says there is any */
} Worker;

typedef struct Workers
{
	slock_t		mutex;
	Latch	   *launchers[DYNAMO_SERVICES]; /* or NULL */
	int			n;
	Worker		places[FLEXIBLE_ARRAY_MEMBER];
} Workers;

/* dynamo_refuse(), of a file above; see dynamo_watch_init(). */
int			(*dynamo_worker_refuse) (const DynamoWork *work, bool lost);

static Workers *workers;
static Worker *self;

static void attach(void);
static void init(void *memory);
static bool is_here(const Worker *worker, DynamoService service);
static Worker *free_place(void);
static void leave(int code, Datum arg);
static bool take_report(DynamoService service, Worker *report);
static void report(const Worker *worker);
static char *describe(const DynamoWork *work);
static bool is_waiting(const PGPROC *proc, DynamoService service);
static const Worker *find(pid_t pid);

Size
dynamo_workers_size(void)
{
	return add_size(offsetof(Workers, places),
					mul_size(max_worker_processes, sizeof(Worker)));
}

static void
attach(void)
{
	if (workers == NULL)
		workers = dynamo_shared_memory("dynamo workers",
									   dynamo_workers_size(), init);
}

static void
init(void *memory)
{
	Workers    *made = memory;

	memset(made, 0, dynamo_workers_size());
	SpinLockInit(&made->mutex);
	made->n = max_worker_processes;
}

/*
 * This process is a worker from now on.
 */
void
dynamo_worker_join(DynamoService service)
{
	attach();
	SpinLockAcquire(&workers->mutex);
	self = free_place();
	if (self != NULL)
	{
		memset(self, 0, sizeof(*self));
		self->pid = MyProcPid;
		self->alive = true;
		self->work.key.service = service;
		self->work.key.database = MyDatabaseId;
	}
	SpinLockRelease(&workers->mutex);
	if (self == NULL)
		elog(FATAL, "there are more than max_worker_processes workers");
	on_shmem_exit(leave, (Datum) 0);
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
leave(int code, Datum arg)
{
	SpinLockAcquire(&workers->mutex);
	self->role = InvalidOid;
	self->open = false;
	self->alive = false;
	SpinLockRelease(&workers->mutex);
	self = NULL;
}

/*
 * Become one of at most "limit" workers of this service and database at work
 * for a role.  False: so many are.
 */
bool
dynamo_worker_claim(Oid role, int limit)
{
	int			others = 0;

	SpinLockAcquire(&workers->mutex);
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (worker->role == role && worker != self &&
			is_here(worker, self->work.key.service))
			others++;
	}
	if (others < limit)
		self->role = role;
	SpinLockRelease(&workers->mutex);
	return others < limit;
}

void
dynamo_worker_release(void)
{
	SpinLockAcquire(&workers->mutex);
	self->role = InvalidOid;
	SpinLockRelease(&workers->mutex);
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
 * It would rather not.  False: it has to, since no other of its service does.
 * Each says first what it means to do, and looks at the others then, or else
 * two could leave it to one another.
 */
bool
dynamo_worker_close(void)
{
	self->open = false;
	pg_memory_barrier();
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (worker->open && worker->work.key.service == self->work.key.service)
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
 * Call "each" for all workers there are, without the mutex.
 */
void
dynamo_workers_each(void (*each) (const DynamoWorkerState *worker, void *arg),
					void *arg)
{
	attach();
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];
		DynamoWorkerState state = {worker->pid, worker->work.key.service,
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
	Latch	   *launcher = workers->launchers[work->key.service];

	if (self == NULL)
		return;					/* has left, and goes on ending */
	if (stage == DYNAMO_ENDING)
		self->work = *work;
	if (stage == DYNAMO_LOST)
		self->open = false;
	pg_write_barrier();
	self->stage = stage;
	if (launcher != NULL)
		SetLatch(launcher);
}

/*
 * This process starts the workers of a service.  Its latch is set when one has
 * something to report.
 */
void
dynamo_workers_attend(DynamoService service)
{
	attach();
	workers->launchers[service] = &MyProc->procLatch;
}

/*
 * Do the launcher's part for workers that do not get their work done: tell of
 * it, and have it left alone.
 */
void
dynamo_workers_tend(DynamoService service)
{
	Worker		worker;

	while (take_report(service, &worker))
		report(&worker);
}

/*
 * A copy of a worker that has something new to report.
 */
static bool
take_report(DynamoService service, Worker *copy)
{
	bool		found = false;

	SpinLockAcquire(&workers->mutex);
	for (int i = 0; i < workers->n && !found; i++)
	{
		Worker	   *worker = &workers->places[i];
		DynamoStage stage = worker->stage;

		if (stage == worker->reported || worker->work.key.service != service)
			continue;
		pg_read_barrier();
		worker->reported = stage;
		*copy = *worker;
		copy->stage = stage;
		found = true;
	}
	SpinLockRelease(&workers->mutex);
	return found;
}

/*
 * To the log.  The table is left alone as long as the work has cost, and a
 * process that is lost to it takes up its worker.
 */
static void
report(const Worker *worker)
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
 * Citus waits for these in one of two ways.  Others wait in these ways for work.
 */
static bool
is_waiting(const PGPROC *proc, DynamoService service)
{
	uint32		class = proc->wait_event_info & WAIT_CLASS;

	return class == PG_WAIT_LOCK ||
		(service == DYNAMO_BUILD &&
		 (class == PG_WAIT_CLIENT || class == PG_WAIT_EXTENSION));
}

/*
 * End those workers of a service that wait for a lock, here or on other nodes.
 */
void
dynamo_workers_end_waiting(DynamoService service)
{
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];
		PGPROC	   *proc = worker->alive && worker->work.key.service == service ?
			BackendPidGetProc(worker->pid) : NULL;

		if (proc == NULL || !is_waiting(proc, service))
			continue;
		(void) kill(worker->pid, SIGTERM);
		ereport(LOG,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("dynamo ended process %d, which waited for a lock, to have one for other work",
						(int) worker->pid),
				 errhint("You might need to increase max_worker_processes.")));
	}
}

/*
 * End one worker of a service, to have a process for others.
 */
void
dynamo_workers_end_one(DynamoService service)
{
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (!worker->alive || worker->work.key.service != service ||
			worker->stage != DYNAMO_WORKING ||
			BackendPidGetProc(worker->pid) == NULL)
			continue;
		(void) kill(worker->pid, SIGTERM);
		ereport(LOG,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("dynamo ended process %d to have one for other work",
						(int) worker->pid),
				 errhint("You might need to increase max_worker_processes.")));
		return;
	}
}

/*
 * How many workers of this one's service and database stand before it?  Where
 * there are too many, those of the last ranks leave.
 */
int
dynamo_worker_rank(void)
{
	int			rank = 0;

	SpinLockAcquire(&workers->mutex);
	for (const Worker *worker = workers->places; worker < self; worker++)
		rank += is_here(worker, self->work.key.service);
	SpinLockRelease(&workers->mutex);
	return rank;
}

/*
 * How many workers of a service has this database?
 */
int
dynamo_workers_here(DynamoService service)
{
	int			n = 0;

	attach();
	SpinLockAcquire(&workers->mutex);
	for (int i = 0; i < workers->n; i++)
		n += is_here(&workers->places[i], service);
	SpinLockRelease(&workers->mutex);
	return n;
}

/*
 * Let others know a time that this worker has come to.
 */
void
dynamo_worker_note_time(TimestampTz when)
{
	SpinLockAcquire(&workers->mutex);
	self->noted = when;
	SpinLockRelease(&workers->mutex);
}

/*
 * The latest that a worker of the service has come to in this database; 0:
 * there is none.
 */
TimestampTz
dynamo_workers_time(DynamoService service)
{
	TimestampTz latest = 0;

	attach();
	SpinLockAcquire(&workers->mutex);
	for (int i = 0; i < workers->n; i++)
	{
		if (is_here(&workers->places[i], service))
			latest = Max(latest, workers->places[i].noted);
	}
	SpinLockRelease(&workers->mutex);
	return latest;
}

/*
 * Is it a worker of that service in this database, and not lost?
 */
static bool
is_here(const Worker *worker, DynamoService service)
{
	return worker->alive && worker->work.key.service == service &&
		worker->work.key.database == MyDatabaseId &&
		worker->stage != DYNAMO_LOST;
}

/*
 * Has the process come so far as to be a worker?
 */
bool
dynamo_worker_has_joined(pid_t pid)
{
	return find(pid) != NULL;
}

/*
 * Is the worker to be given up?
 */
bool
dynamo_worker_is_lost(pid_t pid)
{
	const Worker *worker = find(pid);

	return worker != NULL && worker->stage == DYNAMO_LOST;
}

static const Worker *
find(pid_t pid)
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
	attach();
	for (int i = 0; i < workers->n; i++)
	{
		const Worker *worker = &workers->places[i];

		if (worker->alive && worker->stage == DYNAMO_LOST &&
			memcmp(&worker->work.key, key, sizeof(*key)) == 0)
			return true;
	}
	return false;
}
