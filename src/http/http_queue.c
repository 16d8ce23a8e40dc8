/*-------------------------------------------------------------------------
 *
 * http_queue.c
 *	  Requests that wait for their turn, for a lock, or for their commit.
 *
 * A complete request is pushed to the queue.  One run executes all that are
 * queued.  They commit without waiting for the disk and hold no lock
 * afterwards; when the last has run, and those that came meanwhile, one flush
 * of the log covers all, and only then are the answers released to the
 * library.  The more requests come together, the fewer flushes they need.
 *
 * A request that meets a lock of somebody else gives up after a millisecond,
 * is rolled back and parked, and tries again later, at growing intervals, so
 * that the others of the worker go on.  While parked it holds nothing, and its
 * connection is suspended.  At its deadline it is answered as a conflict.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"
#include "utils/memutils.h"

/* How long a request is parked in all, and between tries; milliseconds. */
#define PATIENCE		5000
#define FIRST_DELAY		2
#define LAST_DELAY		50

/* Memory that stays from request to request; most take no more. */
#define CALL_MEMORY		(64 * 1024)

static dlist_head queued = DLIST_STATIC_INIT(queued);
static dlist_head parked = DLIST_STATIC_INIT(parked);
static dlist_head done = DLIST_STATIC_INIT(done);
static MemoryContext call_context;

/* Everything up to here is on disk. */
static XLogRecPtr flushed;

static void take_due(void);
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
 * The request is complete.
 */
void
http_queue_push(HttpRequest *request)
{
	dlist_push_tail(&queued, &request->link);
	request->queued = true;
}

/*
 * The request ends.  Nothing to do for one that was answered.
 */
void
http_queue_forget(HttpRequest *request)
{
	if (request->queued)
		dlist_delete(&request->link);
	request->queued = false;
}

/*
 * Milliseconds until a request should run; -1: there is none.
 */
long
http_queue_timeout(void)
{
	TimestampTz soonest = DT_NOEND;
	dlist_iter	iter;

	if (!dlist_is_empty(&queued))
		return 0;
	dlist_foreach(iter, &parked)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);

		soonest = Min(soonest, request->retry_at);
	}
	if (soonest == DT_NOEND)
		return -1;
	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(), soonest);
}

/*
 * Execute what is queued and due.  Returns whether any was, and answers now
 * wait for a flush.
 */
bool
http_queue_run(void)
{
	bool		any;

	take_due();
	any = !dlist_is_empty(&queued);
	while (!dlist_is_empty(&queued))
	{
		HttpRequest *request =
			dlist_container(HttpRequest, link, dlist_pop_head_node(&queued));

		dlist_push_tail(run(request) ? &done : &parked, &request->link);
	}
	return any && http_last_commit() != flushed;
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

		request->queued = false;
		request->executed = true;
		if (request->deadline != 0)
			http_connection_resume(request->connection);
	}
	return any;
}

/*
 * Queue the parked whose time has come.
 */
static void
take_due(void)
{
	dlist_mutable_iter iter;
	TimestampTz now;

	if (dlist_is_empty(&parked))
		return;
	now = GetCurrentTimestamp();
	dlist_foreach_modify(iter, &parked)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);

		if (request->retry_at <= now)
		{
			dlist_delete(&request->link);
			dlist_push_tail(&queued, &request->link);
		}
	}
}

/*
 * Execute a request and answer it.  False: it has to wait, and is marked so.
 */
static bool
run(HttpRequest *request)
{
	MemoryContext old = MemoryContextSwitchTo(call_context);
	HttpReply	reply = {0};
	bool		last = request->deadline != 0 &&
		request->deadline <= GetCurrentTimestamp();
	bool		answered;

	answered = http_answer_plainly(request, &reply) ||
		http_call(request, last, &reply);
	if (answered)
		http_answer(request, &reply);
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
