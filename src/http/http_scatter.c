/*-------------------------------------------------------------------------
 *
 * http_scatter.c
 *	  Requests that leave for other nodes in parts: batches.
 *
 * Each part is a call of a node, all at once; this node's own is executed by this
 * process when they have left.  A part commits by itself, as the service does with
 * the items of a batch.  What
 * a node could not do now, for a lock or since its shards have moved, is tried
 * again: the request is executed anew with what is left of it, and leaves in
 * parts again.  What is left in the end is told to the client as unprocessed,
 * unless nothing was done.  So is what a node has refused for good: an error would
 * say that nothing was done, and a client that sends what is unprocessed again is
 * told it then.  So no item is written twice for one request, unless
 * the connection was lost to a node that had its part: such a part is not tried
 * again, and the client is told that it was not processed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_message.h"
#include "http/http_internal.h"
#include "utils/memutils.h"

/* Bytes of the answer to a read; api_batch.c has the limit of one node's. */
#define MAX_ANSWER		(16 * 1024 * 1024)

/* A part that is being executed. */
typedef struct Part
{
	PeerCall   *call;
	char	   *items;			/* its RequestItems */
	bool		is_due;			/* for this node, and to be executed yet */
	StringInfo	answer;			/* what it has come to */
	ErrorData  *error;
} Part;

struct HttpScatter
{
	MemoryContext context;		/* holds all of it */
	bool		reads;
	int			n;
	Part	   *parts;			/* under way */
	List	   *answers;		/* StringInfo, of parts that were done */
	Size		answered;		/* bytes of these */
	List	   *left;			/* char *, RequestItems not to be tried again */
	List	   *trying;			/* char *, RequestItems to be tried again */
	char	   *rest;			/* the other members of the request */
	StringInfo	again;			/* a request with these */
};

static HttpScatter *begin(void);
static void forget_calls(HttpScatter *scatter);
static HttpSent reach_all(List *parts);
static void send_all(HttpRequest *http, const DynamoRequest *request);
static void call_node(HttpRequest *http, const DynamoRequest *request,
					  const DynamoPart *part, PeerCall **call);
static void collect(HttpScatter *scatter, bool last);
static void take_answer(HttpScatter *scatter, Part *part);
static bool has_room(const HttpScatter *scatter, StringInfo answer);
static void take_error(HttpScatter *scatter, Part *part, ErrorData *error,
					   List **again, ErrorData **worst);
static bool may_come_right(const ErrorData *error);
static bool is_refused(const ErrorData *error);
static void try_again(HttpScatter *scatter, List *again);
static StringInfo body_of(const char *items, const char *rest);
static void remember_left(HttpScatter *scatter, char *items);

/*
 * Call the nodes of all parts, or none, the first time.  Not in a transaction.
 */
HttpSent
http_scatter_send(HttpRequest *http, const DynamoRequest *request)
{
	HttpSent	sent = http->scatter ? HTTP_SENT : reach_all(request->parts);

	if (sent == HTTP_SENT)
		send_all(http, request);
	return sent;
}

static HttpSent
reach_all(List *parts)
{
	HttpSent	sent = HTTP_SENT;
	ListCell   *lc;

	foreach(lc, parts)
	{
		const DynamoPart *part = lfirst(lc);

		if (part->here)
			continue;
		switch (peer_reach(&part->node))
		{
			case PEER_SENT:
				break;
			case PEER_NO_ROOM:
				if (sent == HTTP_SENT)
					sent = HTTP_NO_ROOM;
				break;
			default:
				sent = HTTP_NO_WAY;
				break;
		}
	}
	return sent;
}

/*
 * A part that cannot be sent after all has no call.
 */
static void
send_all(HttpRequest *http, const DynamoRequest *request)
{
	HttpScatter *scatter = http->scatter ? http->scatter : begin();
	MemoryContext old = MemoryContextSwitchTo(scatter->context);
	ListCell   *lc;

	http->scatter = scatter;
	http->stays = true;
	scatter->reads = !operation_writes(request->operation);
	list_free_deep(scatter->trying);	/* in other parts by now */
	scatter->trying = NIL;
	scatter->n = 0;
	scatter->parts = palloc0(sizeof(Part) * list_length(request->parts));
	foreach(lc, request->parts)
	{
		const DynamoPart *part = lfirst(lc);
		Part	   *sent = &scatter->parts[scatter->n];

		sent->items = pstrdup(part->items->data);
		sent->is_due = part->here;
		if (!part->here)
			call_node(http, request, part, &sent->call);
		scatter->rest = pstrdup(part->rest);
		scatter->n++;
	}
	MemoryContextSwitchTo(old);
}

static void
call_node(HttpRequest *http, const DynamoRequest *request,
		  const DynamoPart *part, PeerCall **call)
{
	StringInfo	body = body_of(part->items->data, part->rest);
	StringInfoData message;

	initStringInfo(&message);
	dynamo_message_call(&message, operation_name(request->operation),
						http->connection == NULL, NULL, body->data, body->len);
	(void) peer_send(&part->node, message.data, message.len,
					 operation_writes(request->operation), call);
	pfree(message.data);
	pfree(body->data);
}

static HttpScatter *
begin(void)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext,
												  "dynamo http parts",
												  ALLOCSET_SMALL_SIZES);
	HttpScatter *scatter = MemoryContextAllocZero(context, sizeof(HttpScatter));

	scatter->context = context;
	return scatter;
}

/*
 * The part that is still to be executed here; -1: there is none.  What becomes of it
 * goes to http_scatter_take(): an answer, or an error, which live as long as the
 * parts, or neither if it was lost.
 */
int
http_scatter_due(const HttpScatter *scatter)
{
	for (int i = 0; i < scatter->n; i++)
	{
		if (scatter->parts[i].is_due)
			return i;
	}
	return -1;
}

/* The request for a part, in the current context. */
StringInfo
http_scatter_body(const HttpScatter *scatter, int n)
{
	return body_of(scatter->parts[n].items, scatter->rest);
}

void
http_scatter_take(HttpScatter *scatter, int n, StringInfo answer,
				  ErrorData *error)
{
	scatter->parts[n].is_due = false;
	scatter->parts[n].answer = answer;
	scatter->parts[n].error = error;
}

/*
 * What lives as long as the parts do.
 */
MemoryContext
http_scatter_context(const HttpScatter *scatter)
{
	return scatter->context;
}

/*
 * Has every node answered?
 */
bool
http_scatter_is_done(const HttpScatter *scatter)
{
	for (int i = 0; i < scatter->n; i++)
	{
		const Part *part = &scatter->parts[i];

		if (part->is_due ||
			(part->call != NULL && !peer_call_is_done(part->call)))
			return false;
	}
	return true;
}

/*
 * What is left of a request that is to be executed again; NULL: all of it.
 */
StringInfo
http_scatter_rest(const HttpRequest *http)
{
	return http->scatter ? http->scatter->again : NULL;
}

/*
 * All parts have their answers: the one that they make, in the current context.
 * NULL: the request is to be executed again.  Raises what a node has raised, if
 * that is an error of the whole.
 */
StringInfo
http_scatter_answer(HttpRequest *http, bool last)
{
	HttpScatter *scatter = http->scatter;

	collect(scatter, last);
	return scatter->again ? NULL : http_scatter_complete(http, NULL);
}

/*
 * The answer of all parts that were done, and, unless it is NULL, of what was
 * done here at last.
 */
StringInfo
http_scatter_complete(HttpRequest *http, StringInfo here)
{
	const HttpScatter *scatter = http->scatter;
	const Operation *operation =
		operation_of_target(http_header(http, "X-Amz-Target"));
	List	   *answers = list_copy(scatter->answers);
	List	   *left = list_copy(scatter->left);

	if (here != NULL && has_room(scatter, here))
		answers = lappend(answers, here);
	else if (here != NULL)
		left = list_concat(left, scatter->trying);
	return operation_gather(operation, answers, left);
}

/*
 * The request cannot be executed again.  The same answer, without what was to be
 * tried again; NULL: nothing was done.
 */
StringInfo
http_scatter_give_up(HttpRequest *http)
{
	HttpScatter *scatter = http->scatter;
	ListCell   *lc;

	if (scatter == NULL || scatter->answers == NIL)
		return NULL;
	foreach(lc, scatter->trying)
		remember_left(scatter, lfirst(lc));
	scatter->trying = NIL;
	return http_scatter_complete(http, NULL);
}

/*
 * Nobody waits for the answer any more, or all is known.
 */
void
http_scatter_forget(HttpRequest *http)
{
	HttpScatter *scatter = http->scatter;

	if (scatter == NULL)
		return;
	forget_calls(scatter);
	http->scatter = NULL;
	MemoryContextDelete(scatter->context);
}

static void
forget_calls(HttpScatter *scatter)
{
	for (int i = 0; i < scatter->n; i++)
	{
		if (scatter->parts[i].call != NULL)
			peer_forget(scatter->parts[i].call);
	}
	scatter->n = 0;
}

/*
 * Take the answers of all calls.
 */
static void
collect(HttpScatter *scatter, bool last)
{
	List	   *again = NIL;
	ErrorData  *worst = NULL;
	ListCell   *lc;

	if (scatter->again != NULL)
		pfree(scatter->again->data);	/* it has been executed */
	scatter->again = NULL;
	for (int i = 0; i < scatter->n; i++)
	{
		Part	   *part = &scatter->parts[i];
		int			len = 0;
		const char *text = part->call ? peer_call_answer(part->call, &len) : NULL;
		ErrorData  *error = text ? dynamo_message_error(text, len) : part->error;

		if (text != NULL && error == NULL)
		{
			MemoryContext old = MemoryContextSwitchTo(scatter->context);

			part->answer = makeStringInfo();
			text = dynamo_message_body(text, len, &len);
			appendBinaryStringInfo(part->answer, text, len);
			MemoryContextSwitchTo(old);
		}
		if (part->answer != NULL)
			take_answer(scatter, part);
		else if (error != NULL)
			take_error(scatter, part, error, &again, &worst);
		else if (part->call == NULL || !peer_call_writes(part->call))
			again = lappend(again, part->items);
		else
			remember_left(scatter, part->items);
	}
	forget_calls(scatter);
	if (worst != NULL && is_refused(worst))
	{
		if (scatter->answers == NIL)
			ThrowErrorData(worst);
		dynamo_log_caught("a part of a batch is left to its client: ", worst);
	}
	if (again != NIL && !last)
	{
		try_again(scatter, again);
		return;
	}
	foreach(lc, again)
		remember_left(scatter, lfirst(lc));
	if (scatter->answers != NIL)
		return;
	if (worst != NULL)
		ThrowErrorData(worst);
	dynamo_rule_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_RULE_OWNER,
					  DYNAMO_UNAVAILABLE);
}

/*
 * Items that have no room any more are left, all of the part's.
 */
static void
take_answer(HttpScatter *scatter, Part *part)
{
	MemoryContext old = MemoryContextSwitchTo(scatter->context);

	if (has_room(scatter, part->answer))
	{
		scatter->answers = lappend(scatter->answers, part->answer);
		scatter->answered += part->answer->len;
	}
	else
		remember_left(scatter, part->items);
	MemoryContextSwitchTo(old);
}

/*
 * Is there room for this beside what was answered?  What was written is told in
 * any case.
 */
static bool
has_room(const HttpScatter *scatter, StringInfo answer)
{
	return !scatter->reads || scatter->answers == NIL ||
		scatter->answered + answer->len <= MAX_ANSWER;
}

/*
 * A node has raised an error.  *worst is that of a part which is left, of one that
 * was refused if there is any.  A read that is too long for this process is begun
 * anew elsewhere.
 */
static void
take_error(HttpScatter *scatter, Part *part, ErrorData *error, List **again,
		   ErrorData **worst)
{
	if (dynamo_breaks(error, DYNAMO_RULE_BUDGET))
		ThrowErrorData(error);
	if (may_come_right(error))
		*again = lappend(*again, part->items);
	else
		remember_left(scatter, part->items);
	if (*worst == NULL || (is_refused(error) && !is_refused(*worst)))
		*worst = error;
}

/*
 * Did the node have to wait, also for one of this node's workers, or are the rows
 * no longer there?
 */
static bool
may_come_right(const ErrorData *error)
{
	return error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ||
		dynamo_breaks(error, DYNAMO_RULE_OWNER) ||
		dynamo_breaks(error, DYNAMO_RULE_SHARE);
}

/*
 * Is it more than a failure of one node, or a limit?
 */
static bool
is_refused(const ErrorData *error)
{
	DynamoException exception;

	return !may_come_right(error) &&
		(!dynamo_exception_of(error->sqlerrcode, &exception) ||
		 (exception != DYNAMO_PROVISIONED_THROUGHPUT_EXCEEDED &&
		  exception != DYNAMO_THROTTLING &&
		  exception != DYNAMO_SERVICE_UNAVAILABLE));
}

/*
 * The next execution is of what was not done.
 */
static void
try_again(HttpScatter *scatter, List *again)
{
	StringInfo	items = operation_gather_items(again);
	MemoryContext old = MemoryContextSwitchTo(scatter->context);

	scatter->again = body_of(items->data, scatter->rest);
	scatter->trying = list_copy(again);
	MemoryContextSwitchTo(old);
}

static StringInfo
body_of(const char *items, const char *rest)
{
	StringInfo	body = makeStringInfo();

	appendStringInfoString(body, "{\"RequestItems\":");
	appendStringInfoString(body, items);
	appendStringInfoString(body, rest);
	appendStringInfoChar(body, '}');
	return body;
}

static void
remember_left(HttpScatter *scatter, char *items)
{
	MemoryContext old = MemoryContextSwitchTo(scatter->context);

	scatter->left = lappend(scatter->left, items);
	MemoryContextSwitchTo(old);
}
