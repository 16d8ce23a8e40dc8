/*-------------------------------------------------------------------------
 *
 * http_task.c
 *	  Requests that take long, executed by a process of their own.
 *
 * UpdateTable may build an index, and a worker that did so would keep the
 * clients of all its connections waiting.  So it authenticates the request,
 * starts a background worker for it, and parks it.  What the background worker
 * needs, and a queue for its answer, lie in a segment of shared memory:
 *
 *		HttpTaskHeader | body, zero-terminated | shm_mq
 *
 * The answer is the status, an int, and the body of the response.  Who began
 * need not wait for the end: a client that goes away does not undo what it has
 * asked for.  When no background worker is to be had, the request is executed
 * where it is.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_process.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "storage/dsm.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

#define QUEUE_SIZE		(16 * 1024)
#define MAX_OPERATION	64

typedef struct HttpTaskHeader
{
	Oid			database;
	Oid			role;
	Size		body_len;
	char		operation[MAX_OPERATION];
} HttpTaskHeader;

struct HttpTask
{
	dsm_segment *segment;
	shm_mq_handle *queue;
	BackgroundWorkerHandle *worker;
	shm_mq_result result;		/* of the last look at the queue */
	Size		answer_len;
	const char *answer;			/* in the queue's memory */
};

static char *body_of(HttpTaskHeader *header);
static shm_mq *queue_of(HttpTaskHeader *header);

/*
 * May the request take long?  What is not recognized is only slower for
 * others.
 */
bool
http_task_wanted(const char *operation, const char *body)
{
	if (strcmp(operation, "UpdateTable") == 0)
		return strstr(body, "\"GlobalSecondaryIndexUpdates\"") != NULL;
	return strcmp(operation, "UpdateTimeToLive") == 0;
}

/*
 * Have a request executed as "role".  NULL: there is no process for it.
 */
HttpTask *
http_task_start(Oid role, const char *operation, const char *body, size_t len)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	HttpTask   *task = palloc0(sizeof(HttpTask));
	HttpTaskHeader *header;
	shm_mq	   *queue;

	task->segment = dsm_create(MAXALIGN(sizeof(HttpTaskHeader)) +
							   MAXALIGN(len + 1) + QUEUE_SIZE,
							   DSM_CREATE_NULL_IF_MAXSEGMENTS);
	if (task->segment == NULL)
	{
		pfree(task);
		MemoryContextSwitchTo(old);
		return NULL;
	}
	dsm_pin_mapping(task->segment);
	header = dsm_segment_address(task->segment);
	header->database = MyDatabaseId;
	header->role = role;
	header->body_len = len;
	strlcpy(header->operation, operation, MAX_OPERATION);
	memcpy(body_of(header), body, len + 1);
	queue = shm_mq_create(queue_of(header), QUEUE_SIZE);
	shm_mq_set_receiver(queue, MyProc);

	task->worker = dynamo_start_worker("http_task_main", "dynamo http task",
									   "dynamo http task",
									   UInt32GetDatum(dsm_segment_handle(task->segment)));
	if (task->worker == NULL)
	{
		dsm_detach(task->segment);
		pfree(task);
		task = NULL;
	}
	else
		task->queue = shm_mq_attach(queue, task->segment, task->worker);
	MemoryContextSwitchTo(old);
	return task;
}

/*
 * Is there an answer, or will there never be one?  Our latch is set then.
 */
bool
http_task_is_done(HttpTask *task)
{
	void	   *data;

	task->result = shm_mq_receive(task->queue, &task->answer_len, &data, true);
	task->answer = data;
	return task->result != SHM_MQ_WOULD_BLOCK;
}

/*
 * The answer of a task that is done, in the current memory context.
 */
void
http_task_answer(HttpTask *task, HttpReply *reply)
{
	reply->body = makeStringInfo();
	if (task->result == SHM_MQ_SUCCESS)
	{
		int			status;

		memcpy(&status, task->answer, sizeof(int));
		reply->status = status;
		appendBinaryStringInfo(reply->body, task->answer + sizeof(int),
							   task->answer_len - sizeof(int));
		return;
	}
	reply->status = MHD_HTTP_SERVICE_UNAVAILABLE;
	appendStringInfoString(reply->body, HTTP_UNAVAILABLE);
}

/*
 * Nobody waits for the answer any more.
 */
void
http_task_forget(HttpTask *task)
{
	shm_mq_detach(task->queue);
	dsm_detach(task->segment);
	pfree(task->worker);
	pfree(task);
}

/*
 * The background worker.
 */
void
http_task_main(Datum arg)
{
	dsm_segment *segment;
	HttpTaskHeader *header;
	shm_mq_handle *queue;
	HttpReply	reply = {0};
	int			status;
	shm_mq_iovec parts[2];

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	segment = dsm_attach(DatumGetUInt32(arg));
	if (segment == NULL)
		return;					/* nobody waits */
	header = dsm_segment_address(segment);
	shm_mq_set_sender(queue_of(header), MyProc);
	queue = shm_mq_attach(queue_of(header), segment, NULL);
	BackgroundWorkerInitializeConnectionByOid(header->database, InvalidOid, 0);

	MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext,
												"dynamo http request",
												ALLOCSET_DEFAULT_SIZES));
	http_call_alone(header->role, header->operation, body_of(header),
					header->body_len, &reply);
	status = reply.status;
	parts[0].data = (char *) &status;
	parts[0].len = sizeof(int);
	parts[1].data = reply.body->data;
	parts[1].len = reply.body->len;
	(void) shm_mq_sendv(queue, parts, lengthof(parts), false, true);
}

static char *
body_of(HttpTaskHeader *header)
{
	return (char *) header + MAXALIGN(sizeof(HttpTaskHeader));
}

static shm_mq *
queue_of(HttpTaskHeader *header)
{
	return (shm_mq *) (body_of(header) + MAXALIGN(header->body_len + 1));
}
