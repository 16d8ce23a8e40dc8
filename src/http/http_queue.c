/*-------------------------------------------------------------------------
 *
 * http_queue.c
 *	  Requests in execution, and those that wait for a lock or their commit.
 *
 * A complete request is executed at once.  If it wrote nothing, and nobody
 * before it did, it has its answer.  Otherwise it has committed without
 * waiting for the disk and holds no lock any more; when all have run that are
 * there, and those that came meanwhile, one flush of the log covers them, and
 * only then are the answers released to the library.  The more requests come
 * together, the fewer flushes they need.
 *
 * A request that meets a lock of somebody else gives up after a millisecond,
 * is rolled back and parked, and tries again later, at growing intervals, so
 * that the others of the worker go on.  While parked it holds nothing but its
 * body, and its connection is suspended.  At its deadline it is answered as a
 * conflict.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_watch.h"
#include "http/http_internal.h"
#include "utils/memutils.h"

/* How long a request is parked in all, and between tries; milliseconds. */
#define PATIENCE		5000
#define FIRST_DELAY		2
#define LAST_DELAY		50

/* Memory that stays from request to request; most take no more. */
#define CALL_MEMORY		(64 * 1024)

static dlist_head parked = DLIST_STATIC_INIT(parked);
static dlist_head done = DLIST_STATIC_INIT(done);
static MemoryContext call_context;

/* Everything up to here is on disk. */
static XLogRecPtr flushed;

/* Requests, each try of one that was parked included. */
static uint64 executed = 0;

/* Has a request joined those done since the last http_queue_run()? */
static bool joined;

static void wait_among(dlist_head *list, HttpRequest *request);
static bool run(HttpRequest *request);
static void park(HttpRequest *request);

void
http_queue_init(MemoryContext context)
{
	call_context = AllocSetContextCreate(context, "dynamo http request",
										 CALL_MEMORY, CALL_MEMORY,
										 ALLOCSET_DEFAULT_MAXSIZE);
}

/*
 * The request is complete: execute it.  Called by the library, so no error
 * leaves this function.  If the request is not marked as executed then, it
 * waits.
 */
void
http_queue_push(HttpRequest *request)
{
	if (!run(request))
		wait_among(&parked, request);
	else if (http_last_commit() != flushed)
		wait_among(&done, request);
	else
		request->executed = true;
}

static void
wait_among(dlist_head *list, HttpRequest *request)
{
	dlist_push_tail(list, &request->link);
	request->waiting = true;
	if (list == &done)
		joined = true;
}

/*
 * The request ends.  Nothing to do for one that was answered.
 */
void
http_queue_forget(HttpRequest *request)
{
	if (request->waiting)
		dlist_delete(&request->link);
	request->waiting = false;
}

/*
 * Milliseconds until a parked request should run; -1: there is none.
 */
long
http_queue_timeout(void)
{
	TimestampTz soonest = DT_NOEND;
	int			n = 0;
	dlist_iter	iter;

	dlist_foreach(iter, &parked)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);

		soonest = Min(soonest, request->retry_at);
		n++;
	}
	dynamo_worker_tell(n, executed);
	if (soonest == DT_NOEND)
		return -1;
	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(), soonest);
}

/*
 * Execute the parked whose time has come.  Returns whether any request, these
 * or others, has joined those that wait for a flush.
 */
bool
http_queue_run(void)
{
	bool		any;
	dlist_mutable_iter iter;
	TimestampTz now = dlist_is_empty(&parked) ? 0 : GetCurrentTimestamp();

	dlist_foreach_modify(iter, &parked)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);

		if (request->retry_at > now)
			continue;
		dlist_delete(&request->link);
		wait_among(run(request) ? &done : &parked, request);
	}
	any = joined && http_last_commit() != flushed;
	joined = false;
	return any;
}

/*
 * Release the answers, once their commits are on disk.  Returns whether there
 * are any for the library to send.
 */
bool
http_queue_release(void)
{
	bool		any = !dlist_is_empty(&done);

	if (any && http_last_commit() != flushed)
	{
		http_flush(http_last_commit());
		flushed = http_last_commit();
	}
	while (!dlist_is_empty(&done))
	{
		HttpRequest *request =
			dlist_container(HttpRequest, link, dlist_pop_head_node(&done));

		request->waiting = false;
		request->executed = true;
		if (request->deadline != 0)
			http_connection_resume(request->connection);
	}
	return any;
}

/*
 * Execute a request and answer it.  False: it has to wait, and is marked so.
 * One that cannot be answered because memory is short loses its connection.
 */
static bool
run(HttpRequest *request)
{
	MemoryContext old = MemoryContextSwitchTo(call_context);
	HttpReply	reply = {0};
	bool		last = request->deadline != 0 &&
		request->deadline <= GetCurrentTimestamp();
	volatile bool answered = true;

	executed++;
	PG_TRY();
	{
		answered = http_answer_plainly(request, &reply) ||
			http_call(request, last, &reply);
		if (answered)
			http_answer(request, &reply);
	}
	PG_CATCH();
	{
		EmitErrorReport();
		FlushErrorState();
		AbortOutOfAnyTransaction();
	}
	PG_END_TRY();
	if (answered)
		http_arrival_forget(request);
	else
		park(request);
	MemoryContextSwitchTo(old);
	MemoryContextReset(call_context);
	return answered;
}

static void
park(HttpRequest *request)
{
	TimestampTz now = GetCurrentTimestamp();

	if (request->deadline == 0)
	{
		request->deadline = TimestampTzPlusMilliseconds(now, PATIENCE);
		request->delay = FIRST_DELAY;
	}
	else
		request->delay = Min(request->delay * 2, LAST_DELAY);
	request->retry_at = TimestampTzPlusMilliseconds(now, request->delay);
}
