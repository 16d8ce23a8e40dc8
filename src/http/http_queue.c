/*-------------------------------------------------------------------------
 *
 * http_queue.c
 *	  Requests that wait for their turn, for a lock, or for their commit.
 *
 * A complete request is pushed to the queue, its connection suspended.  One
 * run executes all that are queued.  They commit without waiting for the disk
 * and hold no lock afterwards; when the last has run, one flush of the log
 * covers all, and only then are the connections resumed that carry the
 * answers.  The more requests come together, the fewer flushes they need.
 *
 * A request that meets a lock of somebody else gives up after a millisecond,
 * is rolled back and parked, and tries again later, at growing intervals, so
 * that the others of the worker go on.  While parked it holds nothing.  At its
 * deadline it is answered as a conflict.
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

static dlist_head queued = DLIST_STATIC_INIT(queued);
static dlist_head parked = DLIST_STATIC_INIT(parked);
static dlist_head done = DLIST_STATIC_INIT(done);
static MemoryContext call_context;

static void take_due(void);
static bool run(HttpRequest *request);
static void park(HttpRequest *request);
static void resume_answered(void);

void
http_queue_init(MemoryContext context)
{
	call_context = AllocSetContextCreate(context, "dynamo http request",
										 ALLOCSET_DEFAULT_SIZES);
}

/*
 * The caller suspends the request's connection.
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
 * Execute what is queued and due.  Returns whether any was answered.
 */
bool
http_queue_run(void)
{
	XLogRecPtr	before = http_last_commit();

	take_due();
	while (!dlist_is_empty(&queued))
	{
		HttpRequest *request =
			dlist_container(HttpRequest, link, dlist_pop_head_node(&queued));

		dlist_push_tail(run(request) ? &done : &parked, &request->link);
	}
	if (dlist_is_empty(&done))
		return false;
	if (http_last_commit() != before)
		http_flush(http_last_commit());
	resume_answered();
	return true;
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

/*
 * The library writes the answers in its next turn.
 */
static void
resume_answered(void)
{
	while (!dlist_is_empty(&done))
	{
		HttpRequest *request =
			dlist_container(HttpRequest, link, dlist_pop_head_node(&done));

		request->queued = false;
		MHD_resume_connection(request->connection);
	}
}
