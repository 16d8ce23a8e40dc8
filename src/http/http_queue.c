/*-------------------------------------------------------------------------
 *
 * http_queue.c
 *	  Requests in execution, and those that wait: for a lock, a long worker,
 *	  another node, their commit.
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
 * What changes a definition needs a lock that writers conflict with, and would
 * never find it free beside writers that take turns.  So it is handed over to a
 * long worker, which queues for the lock for a second (http_call.c).  Others
 * queue behind it meanwhile, and have as long to go on before it tries again.
 *
 * A request that is long, or has turned out to be, is handed over to a long
 * worker (http_job.c), and its connection is suspended until the answer is
 * there.  If the long workers have no room for it, it is parked.
 *
 * A request whose rows are on another node of a cluster is sent there
 * (http_forward.c), and its connection is suspended until the answer is there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "http/http_internal.h"
#include "process/process_watch.h"
#include "utils/memutils.h"

/*
 * How long a request is parked in all, for a lock and for room among the long
 * ones, and how long between tries; milliseconds.
 */
#define PATIENCE		5000
#define ROOM_PATIENCE	HTTP_JOB_PATIENCE
#define FIRST_DELAY		2
#define LAST_DELAY		50

/* ... and after it has queued for a lock, with others behind it. */
#define QUEUE_DELAY		1000

/* So long are those tried again that are parked, before others have their turn. */
#define RETRYING		20

/* Memory that stays from request to request; most take no more. */
#define CALL_MEMORY		(64 * 1024)

static dlist_head parked = DLIST_STATIC_INIT(parked);
static dlist_head handed = DLIST_STATIC_INIT(handed);
static dlist_head away = DLIST_STATIC_INIT(away);
static dlist_head done = DLIST_STATIC_INIT(done);
static MemoryContext call_context;

/* Everything up to here is on disk. */
static XLogRecPtr flushed;

/* Requests, each try of one that was parked included. */
static uint64 executed = 0;

/* Has a request joined those done since the last http_queue_run()? */
static bool joined;

static void wait_among(dlist_head *list, HttpRequest *request);
static void settle(HttpRequest *request, HttpResult result);
static void retry_parked(void);
static void collect_answers(void);
static void collect_owners_answers(void);
static HttpResult try_request(HttpRequest *request);
static bool is_last(const HttpRequest *request);
static bool hand_over(HttpRequest *request, bool last, HttpResult *result);
static HttpResult collect_from_worker(HttpRequest *request);
static HttpResult collect_from_owner(HttpRequest *request);
static void throttle(HttpRequest *request);
static void park(HttpRequest *request, int patience);
static bool queued(HttpRequest *request);

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
	HttpResult	result = try_request(request);

	if (result == HTTP_ANSWERED && http_last_commit() == flushed)
		request->executed = true;
	else
		settle(request, result);
}

/*
 * The request goes where it has to wait next.
 */
static void
settle(HttpRequest *request, HttpResult result)
{
	switch (result)
	{
		case HTTP_ANSWERED:
			wait_among(&done, request);
			break;
		case HTTP_WAITS:
			park(request, request->is_long && request->job == NULL ?
				 ROOM_PATIENCE : PATIENCE);
			wait_among(&parked, request);
			break;
		case HTTP_LONG:
			wait_among(&handed, request);
			break;
		case HTTP_AWAY:
			wait_among(&away, request);
			break;
		case HTTP_AGAIN:
			Assert(false);		/* see collect_owners_answers() */
			break;
	}
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
	if (request->job != NULL)
		http_job_forget(request);
	http_forward_forget(request);
	http_scatter_forget(request);
}

/*
 * Milliseconds until a waiting request needs attention; -1: there is none.
 */
long
http_queue_timeout(void)
{
	long		soonest = -1;
	int64		now;
	int			n = 0;
	dlist_iter	iter;

	if (dlist_is_empty(&parked) && dlist_is_empty(&handed))
	{
		dynamo_worker_tell(0, executed);
		return -1;
	}
	now = dynamo_clock();
	dlist_foreach(iter, &parked)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);
		long		left = Max(request->retry_at - now, 0);

		soonest = soonest < 0 ? left : Min(soonest, left);
		n++;
	}
	dynamo_worker_tell(n, executed);
	dlist_foreach(iter, &handed)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);
		long		left = http_job_timeout(request, now);

		soonest = soonest < 0 ? left : Min(soonest, left);
	}
	return soonest;
}

/*
 * Collect what long workers have answered, and execute the parked whose time
 * has come.  Returns whether any request, these or others, has joined those
 * that wait for a flush.
 */
bool
http_queue_run(void)
{
	bool		any;

	if (!dlist_is_empty(&handed))
		collect_answers();
	if (!dlist_is_empty(&away))
		collect_owners_answers();
	if (!dlist_is_empty(&parked))
		retry_parked();
	any = joined && http_last_commit() != flushed;
	joined = false;
	return any;
}

/*
 * Execute the parts here of requests that have left.  Returns whether there were
 * any.
 */
bool
http_queue_run_parts(void)
{
	bool		any = false;
	dlist_iter	iter;

	dlist_foreach(iter, &away)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);
		MemoryContext old = MemoryContextSwitchTo(call_context);

		any |= http_execute_part(request);
		MemoryContextSwitchTo(old);
		MemoryContextReset(call_context);
	}
	return any;
}

static void
collect_answers(void)
{
	int64		now = dynamo_clock();
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &handed)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);

		if (http_job_is_done(request))
		{
			dlist_delete(&request->link);
			settle(request, collect_from_worker(request));
		}
		else if (http_job_withdraw(request, now))
		{
			dlist_delete(&request->link);
			throttle(request);
			settle(request, HTTP_ANSWERED);
		}
	}
}

static void
collect_owners_answers(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &away)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);
		HttpResult	result;

		if (http_forward_is_done(request))
		{
			dlist_delete(&request->link);
			result = collect_from_owner(request);
			settle(request, result == HTTP_AGAIN ? try_request(request) : result);
		}
	}
}

static void
retry_parked(void)
{
	int64		now = dynamo_clock();
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &parked)
	{
		HttpRequest *request = dlist_container(HttpRequest, link, iter.cur);

		if (request->retry_at > now)
			continue;
		dlist_delete(&request->link);
		settle(request, try_request(request));
		if (dynamo_clock() >= now + RETRYING)
			break;				/* the rest comes first next time */
	}
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
		dynamo_flush(http_last_commit());
		flushed = http_last_commit();
	}
	while (!dlist_is_empty(&done))
	{
		HttpRequest *request =
			dlist_container(HttpRequest, link, dlist_pop_head_node(&done));

		request->waiting = false;
		request->executed = true;
		http_connection_resume(request->connection);
	}
	return any;
}

/*
 * Execute a request and answer it, unless it has to wait.  One that cannot be
 * answered because memory is short loses its connection.
 */
static HttpResult
try_request(HttpRequest *request)
{
	bool		last = is_last(request);
	HttpResult	result;

	if (request->job != NULL)
	{
		http_job_resend(request, last);
		return HTTP_LONG;
	}
	do
	{
		MemoryContext old = MemoryContextSwitchTo(call_context);
		HttpReply	reply = {0};

		result = http_execute(request, last, &reply);
		executed++;
		if (result == HTTP_ANSWERED && reply.body != NULL)
			http_answer(request, &reply);
		MemoryContextSwitchTo(old);
		MemoryContextReset(call_context);
	} while (result == HTTP_LONG && !hand_over(request, last, &result));
	if (result == HTTP_ANSWERED)
	{
		http_scatter_forget(request);
		http_arrival_forget(request);
	}
	return result;
}

/*
 * Has it waited for as long as it may?
 */
static bool
is_last(const HttpRequest *request)
{
	return request->deadline != 0 &&
		request->deadline <= dynamo_clock();
}

/*
 * The request is for a long worker, which gets all that is needed of it, or
 * waits for room: *result says what has become of it.  False: there is none,
 * and it is executed here, however long it takes.
 */
static bool
hand_over(HttpRequest *request, bool last, HttpResult *result)
{
	request->is_long = true;
	switch (http_job_send(request, last))
	{
		case HTTP_SENT:
			http_arrival_forget(request);
			request->deadline = 0;
			return true;
		case HTTP_NO_ROOM:
			*result = last ? HTTP_ANSWERED : HTTP_WAITS;
			if (last)
				throttle(request);
			return true;
		default:
			request->stays = true;
			return false;
	}
}

/*
 * The long worker is done with the request.
 */
static HttpResult
collect_from_worker(HttpRequest *request)
{
	MemoryContext old = MemoryContextSwitchTo(call_context);
	HttpReply	reply = {0};
	HttpResult	result = http_job_result(request, &reply);

	if (result == HTTP_ANSWERED)
	{
		reply.content_type = http_answer_type(request);
		if (reply.body != NULL)
			http_answer(request, &reply);
		http_job_forget(request);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(call_context);
	return result;
}

/*
 * The node that has the request's rows is done with it.
 */
static HttpResult
collect_from_owner(HttpRequest *request)
{
	MemoryContext old = MemoryContextSwitchTo(call_context);
	HttpReply	reply = {0};
	HttpResult	result = http_conclude(request, is_last(request), &reply);

	http_forward_forget(request);
	if (result == HTTP_ANSWERED)
	{
		http_scatter_forget(request);
		if (reply.body != NULL)
			http_answer(request, &reply);
		http_arrival_forget(request);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(call_context);
	return result;
}

/*
 * Nobody has come to execute the request for a long time.
 */
static void
throttle(HttpRequest *request)
{
	MemoryContext old = MemoryContextSwitchTo(call_context);
	HttpReply	reply = {0};

	if (request->job != NULL)
		http_job_forget(request);
	reply.content_type = http_answer_type(request);
	http_refuse(&reply, MHD_HTTP_BAD_REQUEST, DYNAMO_THROTTLING,
				HTTP_THROTTLED);
	http_finish(request, &reply);
	http_answer(request, &reply);
	MemoryContextSwitchTo(old);
	MemoryContextReset(call_context);
}

static void
park(HttpRequest *request, int patience)
{
	int64		now = dynamo_clock();

	if (request->deadline == 0)
	{
		request->deadline = now + patience;
		request->delay = FIRST_DELAY;
	}
	else
		request->delay = Min(request->delay * 2, LAST_DELAY);
	if (request->job != NULL && queued(request))
		request->delay = QUEUE_DELAY;
	request->retry_at = now + request->delay;
}

/*
 * Has the request queued for a lock where it was executed?
 */
static bool
queued(HttpRequest *request)
{
	const Operation *operation =
		operation_of_target(http_header(request, "X-Amz-Target"));

	return operation != NULL && operation_queues(operation);
}
