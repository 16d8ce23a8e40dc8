/*-------------------------------------------------------------------------
 *
 * http_job.c
 *	  Long requests, on their way to long workers and back.
 *
 * Shared memory holds a list of jobs, and a place for each long worker.  A job
 * is a request that its worker has authenticated and that a long worker is to
 * execute.  What the client sent, and the answer, stand in segments of dynamic
 * shared memory (http_segment.c).  Only one whose job has ended with an answer
 * is used again: a job that was abandoned, or whose long worker is lost, is
 * still being read.
 *
 *		FREE --> FILLED --> WAITING --> RUNNING --> DONE --> FREE
 *									  |  ^		   |
 *									  v	 |		   v
 *								ABANDONED|		 PARKED
 *									  |  +-- WAITING --+
 *									  v
 *									FREE
 *
 * A job belongs to the worker that has the connection, but for the time in
 * which it runs.  If the connection goes away meanwhile, or the worker, the
 * job is abandoned: it runs to its end, as it would with its client gone, and
 * the long worker frees it.  If the long worker ends, or is lost, the job is
 * done without an answer, and the connection is closed, as are those of any
 * other worker that ends.
 *
 * A job that has waited too long is withdrawn: parked, under the lock, so that
 * no long worker executes what its client was told was not.
 *
 * Neither side ever waits for the other.  Otherwise a request that holds one
 * would hold both.
 *
 * Jobs and places are changed under the lock, with one exception: a job that
 * runs changes its state by compare and exchange, since a signal handler does
 * that, too, when the long worker is lost.
 *
 * Which job comes next?  The oldest of the role that has the fewest running.
 * So a role that sends many does not keep others waiting for more than the
 * jobs that run.  And while several roles have long requests, none of them
 * gets the last long worker.  Otherwise one role's slow requests could keep
 * all.  How much may wait is limited, all together and for each role; where a
 * worker does not fetch its answers, no more are made for that role.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

/* Jobs, and their segments' bytes; of one role, no more than a part of both. */
#define MAX_JOBS		256
#define MAX_JOB_BYTES	((Size) 8 * HTTP_MAX_BODY)
#define ROLE_PART		2

/* How long a role counts as one that has long requests, in milliseconds. */
#define ROLE_MEMORY		600000

#define LOCK_NAME		"dynamo http jobs"

typedef enum JobState
{
	JOB_FREE,
	JOB_FILLED,					/* being filled, by its worker */
	JOB_WAITING,				/* for a long worker */
	JOB_RUNNING,
	JOB_ABANDONED,				/* runs, and nobody waits for its answer */
	JOB_DONE,
	JOB_PARKED					/* with its worker: done for now, or withdrawn */
} JobState;

typedef struct LongJob
{
	pg_atomic_uint32 state;
	Oid			role;
	uint64		number;			/* in the order of arrival */
	Size		size;			/* of the segment, and that of the answer */
	Latch	   *owner;			/* of the worker */
	dsm_handle	request;
	dsm_handle	answer;			/* invalid: in the same segment */
	bool		answered;		/* false: there is none */
	HttpResult	result;
} LongJob;

/* A long worker. */
typedef struct LongPlace
{
	Latch	   *latch;			/* NULL: free */
	Oid			role;			/* whose job runs, or InvalidOid */
	volatile bool lost;			/* or about to leave */
} LongPlace;

/* A role that has sent a job. */
typedef struct Sender
{
	Oid			role;
	int64		at;				/* by dynamo_clock() */
} Sender;

typedef struct LongJobs
{
	pg_atomic_uint32 nplaces;	/* not free, and not lost */
	uint64		last_number;
	Sender		senders[2];		/* the last, and the last that was another */
	LongPlace	places[HTTP_MAX_LONG_WORKERS];
	LongJob		jobs[MAX_JOBS];
} LongJobs;

/* What a worker keeps of a job of its own. */
struct HttpJob
{
	LongJob    *job;
	dsm_segment *segment;
	int64		sent;			/* by dynamo_clock() */
	bool		ended;			/* with an answer: nobody else reads here */
};

static shmem_request_hook_type previous_request = NULL;

static LongJobs *jobs;
static LWLock *lock;
static MemoryContext job_context;

/* In a long worker. */
static LongPlace *volatile self;
static LongJob *volatile current;	/* not NULL: the job that runs */
static dsm_segment *current_segment;

static void request_job_memory(void);
static void init_jobs(void *memory);
static void attach_jobs(void);
static void close_all(int code, Datum arg);
static LongJob *find_room(Oid role, Size size);
static bool has_room(Oid role, Size size);
static void publish_job(LongJob *job);
static void wake_one(void);
static void note_sender(Oid role);
static void release_job(LongJob *job);
static bool is_left(LongJob *job);
static void leave_place(int code, Datum arg);
static LongJob *next_job(void);
static int	running(Oid role);
static bool may_have(Oid role, int held);
static void give_back(HttpResult result, const HttpReply *reply);
static void end_job(bool answered, HttpResult result, dsm_handle answer,
					Size size);

/*
 * Called once a process.
 */
void
http_job_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	previous_request = shmem_request_hook;
	shmem_request_hook = request_job_memory;
}

static void
request_job_memory(void)
{
	if (previous_request)
		previous_request();
	RequestAddinShmemSpace(sizeof(LongJobs));
	RequestAddinShmemSpace(served_size());
	RequestNamedLWLockTranche(LOCK_NAME, 1);
}

static void
init_jobs(void *memory)
{
	LongJobs   *made = memory;

	memset(made, 0, sizeof(*made));
	pg_atomic_init_u32(&made->nplaces, 0);
	for (int i = 0; i < MAX_JOBS; i++)
		pg_atomic_init_u32(&made->jobs[i].state, JOB_FREE);
}

static void
attach_jobs(void)
{
	jobs = dynamo_shared_memory(LOCK_NAME, sizeof(LongJobs), init_jobs);
	lock = &GetNamedLWLockTranche(LOCK_NAME)->lock;
}

/*
 * This worker may have jobs from now on.
 */
void
http_job_open(void)
{
	attach_jobs();
	job_context = AllocSetContextCreate(TopMemoryContext, "dynamo http jobs",
										ALLOCSET_SMALL_SIZES);
	before_shmem_exit(close_all, (Datum) 0);
}

/*
 * The worker ends, and all its connections.
 */
static void
close_all(int code, Datum arg)
{
	for (int i = 0; i < MAX_JOBS; i++)
	{
		LongJob    *job = &jobs->jobs[i];

		if (job->owner == MyLatch &&
			pg_atomic_read_u32(&job->state) != JOB_FREE)
			release_job(job);
	}
}

/*
 * Is there any long worker?  They are in the first database alone.
 */
bool
http_job_possible(void)
{
	return http_served.long_workers > 0 &&
		pg_atomic_read_u32(&jobs->nplaces) > 0;
}

/*
 * Hand the request over.  "last" is whether it has to do without what it would
 * have to wait for.  No error is raised.
 */
HttpSent
http_job_send(HttpRequest *request, bool last)
{
	Size		size = http_segment_size(request);
	HttpJob    *made;
	LongJob    *job;

	/* Where processes are short, the long workers leave. */
	if (!http_job_possible() || dynamo_processes_are_short())
		return HTTP_NO_WAY;
	made = MemoryContextAllocExtended(job_context, sizeof(HttpJob),
									  MCXT_ALLOC_NO_OOM);
	if (made == NULL)
		return HTTP_NO_WAY;
	job = find_room(request->role, size);
	if (job == NULL)
	{
		pfree(made);
		return HTTP_NO_ROOM;
	}
	made->job = job;
	made->ended = false;
	made->segment = http_segment_fill(request, size, last);
	if (made->segment == NULL)
	{
		release_job(job);
		pfree(made);
		return HTTP_NO_WAY;
	}
	made->sent = dynamo_clock();
	job->request = dsm_segment_handle(made->segment);
	request->job = made;
	publish_job(job);
	return HTTP_SENT;
}

/*
 * A free job, taken; NULL: there is none for the role, or nobody to execute it: the
 * last long worker may have left since it was looked for.
 */
static LongJob *
find_room(Oid role, Size size)
{
	LongJob    *found = NULL;
	int			n = 0;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < MAX_JOBS; i++)
	{
		LongJob    *job = &jobs->jobs[i];

		if (pg_atomic_read_u32(&job->state) == JOB_FREE)
			found = found ? found : job;
		else if (job->role == role)
			n++;
	}
	if (n >= MAX_JOBS / ROLE_PART || !has_room(role, size) ||
		pg_atomic_read_u32(&jobs->nplaces) == 0)
		found = NULL;
	if (found != NULL)
	{
		found->role = role;
		found->size = size;
		found->owner = MyLatch;
		pg_atomic_write_u32(&found->state, JOB_FILLED);
	}
	LWLockRelease(lock);
	return found;
}

/*
 * Is there room for so many bytes more of the role?
 */
static bool
has_room(Oid role, Size size)
{
	Size		all = size;
	Size		of_role = size;

	for (int i = 0; i < MAX_JOBS; i++)
	{
		const LongJob *job = &jobs->jobs[i];

		if (pg_atomic_read_u32(unconstify(pg_atomic_uint32 *, &job->state)) == JOB_FREE)
			continue;
		all += job->size;
		if (job->role == role)
			of_role += job->size;
	}
	return all <= MAX_JOB_BYTES && of_role <= MAX_JOB_BYTES / ROLE_PART;
}

/*
 * Let the job be seen, and wake a long worker that has nothing to do.
 */
static void
publish_job(LongJob *job)
{
	LWLockAcquire(lock, LW_EXCLUSIVE);
	job->number = ++jobs->last_number;
	job->answer = DSM_HANDLE_INVALID;
	job->answered = false;
	note_sender(job->role);
	pg_atomic_write_u32(&job->state, JOB_WAITING);
	wake_one();
	LWLockRelease(lock);
}

static void
wake_one(void)
{
	for (int i = 0; i < HTTP_MAX_LONG_WORKERS; i++)
	{
		const LongPlace *place = &jobs->places[i];

		if (place->latch == NULL || place->lost || OidIsValid(place->role))
			continue;
		SetLatch(place->latch);
		return;
	}
}

/*
 * Have all long workers look at what there is.
 */
void
http_job_wake_all(void)
{
	attach_jobs();
	LWLockAcquire(lock, LW_SHARED);
	for (int i = 0; i < HTTP_MAX_LONG_WORKERS; i++)
	{
		if (jobs->places[i].latch != NULL)
			SetLatch(jobs->places[i].latch);
	}
	LWLockRelease(lock);
}

static void
note_sender(Oid role)
{
	if (jobs->senders[0].role != role)
	{
		jobs->senders[1] = jobs->senders[0];
		jobs->senders[0].role = role;
	}
	jobs->senders[0].at = dynamo_clock();
}

/*
 * Send it once more: it had to wait.
 */
void
http_job_resend(HttpRequest *request, bool last)
{
	HttpJob    *mine = request->job;

	http_segment_set_last(mine->segment, last);
	mine->sent = dynamo_clock();
	publish_job(mine->job);
}

bool
http_job_is_done(const HttpRequest *request)
{
	return pg_atomic_read_u32(&request->job->job->state) == JOB_DONE;
}

/*
 * Take a job back that has waited too long.  False: it has not, or runs by now.
 * A client that is told that nothing was done sends its request again.
 */
bool
http_job_withdraw(HttpRequest *request, int64 now)
{
	LongJob    *job = request->job->job;
	bool		waits;

	if (http_job_timeout(request, now) > 0)
		return false;
	LWLockAcquire(lock, LW_EXCLUSIVE);
	waits = pg_atomic_read_u32(&job->state) == JOB_WAITING;
	if (waits)
		pg_atomic_write_u32(&job->state, JOB_PARKED);
	LWLockRelease(lock);
	return waits;
}

/*
 * Milliseconds until that may be, or 0 where it is done: that it is was told by the
 * latch, which another wait of this worker may have reset.
 */
long
http_job_timeout(const HttpRequest *request, int64 now)
{
	uint32		state = pg_atomic_read_u32(&request->job->job->state);
	int64		end = request->job->sent + HTTP_JOB_PATIENCE;

	if (state == JOB_DONE)
		return 0;
	if (end <= now && state != JOB_WAITING)
		return HTTP_JOB_PATIENCE;
	return Max(end - now, 0);
}

/*
 * What has become of a request that is done.  The reply points to memory that
 * http_job_forget() takes away.  No error is raised; where there should be an
 * answer and is none, the reply has no body.
 */
HttpResult
http_job_result(HttpRequest *request, HttpReply *reply)
{
	HttpJob    *mine = request->job;
	LongJob    *job = mine->job;
	HttpResult	result;

	pg_read_barrier();
	result = job->result;
	pg_atomic_write_u32(&job->state, JOB_PARKED);
	if (result != HTTP_ANSWERED || !job->answered)
		return result;
	mine->ended = true;
	if (job->answer != DSM_HANDLE_INVALID)
	{
		dsm_segment *segment = http_segment_attach(job->answer);

		job->answer = DSM_HANDLE_INVALID;
		if (segment == NULL)
			return result;
		http_segment_keep(mine->segment);
		mine->segment = segment;
	}
	http_segment_reply(mine->segment, reply);
	return result;
}

/*
 * Nobody waits for the request any more, or all is known.
 */
void
http_job_forget(HttpRequest *request)
{
	HttpJob    *mine = request->job;

	release_job(mine->job);
	if (mine->ended)
		http_segment_keep(mine->segment);
	else
		dsm_detach(mine->segment);
	pfree(mine);
	request->job = NULL;
}

/*
 * Give a job of this worker back, or leave it to its runner.
 */
static void
release_job(LongJob *job)
{
	uint32		state = JOB_RUNNING;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (!pg_atomic_compare_exchange_u32(&job->state, &state, JOB_ABANDONED))
	{
		if (state == JOB_DONE && job->answer != DSM_HANDLE_INVALID)
			dsm_unpin_segment(job->answer);
		job->owner = NULL;
		pg_atomic_write_u32(&job->state, JOB_FREE);
	}
	else
		job->owner = NULL;
	wake_one();					/* there may be room for an answer now */
	LWLockRelease(lock);
}

/*
 * This process is a long worker from now on.
 */
void
http_job_join(void)
{
	attach_jobs();
	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < HTTP_MAX_LONG_WORKERS && self == NULL; i++)
	{
		if (jobs->places[i].latch == NULL)
			self = &jobs->places[i];
	}
	if (self != NULL)
	{
		self->role = InvalidOid;
		self->lost = false;
		self->latch = MyLatch;
		pg_atomic_fetch_add_u32(&jobs->nplaces, 1);
	}
	LWLockRelease(lock);
	if (self == NULL)
		elog(FATAL, "there are more than %d long workers",
			 HTTP_MAX_LONG_WORKERS);
	before_shmem_exit(leave_place, (Datum) 0);
}

/*
 * May this long worker end?  The last one may not while requests wait: nobody
 * else would execute them.  One that may counts no longer.
 */
bool
http_job_may_leave(void)
{
	bool		may = true;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	for (int i = 0; i < MAX_JOBS &&
		 pg_atomic_read_u32(&jobs->nplaces) == 1; i++)
		may &= !is_left(&jobs->jobs[i]);
	if (may)
	{
		self->lost = true;
		pg_atomic_fetch_sub_u32(&jobs->nplaces, 1);
	}
	LWLockRelease(lock);
	return may;
}

/*
 * Is it still to be executed?  One that has met a lock comes again from its worker,
 * which has it meanwhile.
 */
static bool
is_left(LongJob *job)
{
	uint32		state = pg_atomic_read_u32(&job->state);

	pg_read_barrier();
	return state == JOB_FILLED || state == JOB_WAITING ||
		state == JOB_PARKED ||
		(state == JOB_DONE && job->result != HTTP_ANSWERED);
}

static void
leave_place(int code, Datum arg)
{
	LongPlace  *place = self;

	self = NULL;				/* http_job_lose() does nothing from here on */
	if (current != NULL)
		end_job(false, HTTP_ANSWERED, DSM_HANDLE_INVALID, 0);
	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (!place->lost)
		pg_atomic_fetch_sub_u32(&jobs->nplaces, 1);
	place->role = InvalidOid;
	place->latch = NULL;
	LWLockRelease(lock);
}

/*
 * Take the next job.  The request lives until http_job_finish().  False: there
 * is none.
 */
bool
http_job_take(HttpRequest *request, bool *last)
{
	LongJob    *job;

	while ((job = next_job()) != NULL)
	{
		current = job;
		current_segment = dsm_attach(job->request);
		if (current_segment != NULL)
		{
			http_segment_request(current_segment, request, last);
			return true;
		}
		end_job(false, HTTP_ANSWERED, DSM_HANDLE_INVALID, 0);
	}
	return false;
}

static LongJob *
next_job(void)
{
	LongJob    *found = NULL;
	int			fewest = 0;
	int			waiting = 0;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	self->role = InvalidOid;
	for (int i = 0; i < MAX_JOBS; i++)
	{
		LongJob    *job = &jobs->jobs[i];
		int			held;

		if (pg_atomic_read_u32(&job->state) != JOB_WAITING)
			continue;
		waiting++;
		held = running(job->role);
		if (!may_have(job->role, held) || !has_room(job->role, 0))
			continue;
		if (found == NULL || held < fewest ||
			(held == fewest && job->number < found->number))
		{
			found = job;
			fewest = held;
		}
	}
	if (found != NULL)
	{
		self->role = found->role;
		pg_atomic_write_u32(&found->state, JOB_RUNNING);

		/* Several may have come while only this process was woken. */
		if (waiting > 1)
			wake_one();
	}
	LWLockRelease(lock);
	return found;
}

/*
 * How many jobs of the role run?
 */
static int
running(Oid role)
{
	int			n = 0;

	for (int i = 0; i < HTTP_MAX_LONG_WORKERS; i++)
	{
		const LongPlace *place = &jobs->places[i];

		if (place->latch != NULL && place->role == role && !place->lost)
			n++;
	}
	return n;
}

/*
 * May a role with so many have another?
 */
static bool
may_have(Oid role, int held)
{
	int			n = (int) pg_atomic_read_u32(&jobs->nplaces);
	const Sender *other = &jobs->senders[jobs->senders[0].role == role ? 1 : 0];

	return n < 2 || held < n - 1 || !OidIsValid(other->role) ||
		dynamo_clock() >= other->at + ROLE_MEMORY;
}

/*
 * The job has run.  If this process was lost to it, the job was given back
 * then, and may be another request's by now: nothing is told of it.
 */
void
http_job_finish(HttpResult result, const HttpReply *reply)
{
	/* The work is over, so http_job_lose() does not come from here on. */
	if (current != NULL)
		give_back(result, reply);
	dsm_detach(current_segment);
	current_segment = NULL;
}

static void
give_back(HttpResult result, const HttpReply *reply)
{
	dsm_segment *segment = NULL;
	bool		answered = false;

	if (result == HTTP_ANSWERED && reply->body != NULL)
	{
		segment = http_segment_store(current_segment, reply);
		answered = segment != NULL;
	}
	if (!answered || segment == current_segment)
		end_job(answered, result, DSM_HANDLE_INVALID, 0);
	else
	{
		dsm_pin_segment(segment);
		end_job(true, result, dsm_segment_handle(segment),
				dsm_segment_map_length(segment));
		dsm_detach(segment);
	}
}

/*
 * Give the job back to its worker, or free it if that has left it.  "size" is
 * that of a segment for the answer.
 */
static void
end_job(bool answered, HttpResult result, dsm_handle answer, Size size)
{
	LongJob    *job = current;
	Latch	   *owner = job->owner;
	uint32		state = JOB_RUNNING;

	current = NULL;
	job->answered = answered;
	job->result = result;
	job->answer = answer;
	job->size += size;
	pg_write_barrier();
	if (pg_atomic_compare_exchange_u32(&job->state, &state, JOB_DONE))
	{
		if (owner != NULL)
			SetLatch(owner);
	}
	else if (state == JOB_ABANDONED)
	{
		if (answer != DSM_HANDLE_INVALID)
			dsm_unpin_segment(answer);
		pg_atomic_write_u32(&job->state, JOB_FREE);
	}
}

/*
 * This long worker is lost.  In a signal handler, while a job runs.
 */
void
http_job_lose(void)
{
	if (self == NULL)
		return;					/* has left, and goes on ending */
	if (current != NULL)
		end_job(false, HTTP_ANSWERED, DSM_HANDLE_INVALID, 0);
	self->lost = true;
	pg_atomic_fetch_sub_u32(&jobs->nplaces, 1);
}
