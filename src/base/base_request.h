/*-------------------------------------------------------------------------
 *
 * base_request.h
 *	  A request to an operation, and the requests of a process that executes
 *	  one after the other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_REQUEST_H
#define DYNAMO_BASE_REQUEST_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "base/base_route.h"
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/* Parts of a request that belong to layers above. */
struct Operation;
struct PolicyRequest;
struct StatsRequest;
struct EngineExplain;

/* How a client's bytes come. */
typedef enum DynamoTransport
{
	DYNAMO_TRANSPORT_SESSION,	/* ask the session */
	DYNAMO_TRANSPORT_PLAIN,
	DYNAMO_TRANSPORT_SECURE
} DynamoTransport;

/*
 * What is known of a client beside what it asks.  All zero: it is the session
 * itself.
 */
typedef struct DynamoClient
{
	const char *host;			/* host and port that the request was sent to;
								 * NULL: it came by SQL */
	DynamoTransport transport;
	bool		confirmed;		/* a policy may take the right to change it
								 * away from the user who puts it */
	bool		builds_later;	/* making and dropping indexes is left to a
								 * background worker, so that the table can be
								 * written meanwhile */
	bool		asks_later;		/* another node asks for that, for distributed
								 * tables */
	bool		is_node;		/* another node asks, for what this one has */
} DynamoClient;

/*
 * A request, from the door it comes by to the engine: what is asked, by whom,
 * and under which conditions it is executed.  It lies in the
 * memory of the function that lets it in.  A function that takes one
 * may get NULL where work of the server itself is done.
 */
typedef struct DynamoRequest
{
	const struct Operation *operation;
	const char *body;			/* JSON text; NULL: there is none */
	size_t		body_len;
	const void *input;			/* the body, as its shape fills it */
	StringInfo	answer;
	MemoryContext context;		/* lives as long as the request */
	DynamoClient client;
	bool		door;			/* policies are checked */
	bool		in_block;		/* it is executed in a transaction block */
	bool		limited;		/* by the throughput of tables */
	bool		tries_again;	/* where it meets a lock, it is executed anew */
	int64		budget;			/* bytes that it may still read
								 * (base_budget.h); 0: any number */
	DynamoRoute route;			/* how it reaches rows on other nodes */
	DynamoNode *elsewhere;		/* the node that executes it; NULL: this one */
	bool		has_token;		/* its token is known to all nodes */
	DynamoClaim claim;			/* what is noted of it */
	const char *noting;			/* "elsewhere" is to note this of it first,
								 * and then it is executed anew; NULL: nothing */
	bool		splits;			/* nodes may execute parts of it, in two
								 * phases */
	bool		is_split;		/* ... and this was begun; if it fails, it is
								 * executed anew, by Citus */
	bool		reaching;		/* ... when there is a connection to
								 * "elsewhere"; then it is executed anew */
	bool		is_part;		/* it is such a part */
	List	   *parts;			/* DynamoPart *, which nodes execute; NIL: it
								 * has none */
	struct PolicyRequest *policy;	/* NULL: none is checked */
	struct StatsRequest *stats; /* NULL: it is not counted */
	struct EngineExplain *explain;	/* told instead of done; NULL: it is done */
	struct DynamoRequest *outer;	/* see dynamo_request_enter() */
} DynamoRequest;

/*
 * Has the request left for another node?  Then it ends as soon as it can, and
 * what it has answered counts for nothing.
 */
static inline bool
dynamo_is_elsewhere(const DynamoRequest *request)
{
	return request != NULL &&
		(request->elsewhere != NULL || request->parts != NIL);
}

extern void dynamo_request_init(DynamoRequest *request,
								const struct Operation *operation);
extern void dynamo_request_enter(DynamoRequest *request);
extern void dynamo_request_leave(DynamoRequest *request);

/* The transaction of a request, in a process that executes many */
extern void dynamo_request_begin(int timeout);
extern XLogRecPtr dynamo_request_commit(void);
extern void dynamo_request_prepare(const char *name);
extern void dynamo_request_abort(void);

/* In any session */
extern void dynamo_commit_first(void);
extern void dynamo_commit_asks(bool (*is_awaited) (void));
extern void dynamo_answer_asks(XLogRecPtr lsn);
extern void dynamo_request_settles(void (*work) (bool committed));

#endif							/* DYNAMO_BASE_REQUEST_H */
