/*-------------------------------------------------------------------------
 *
 * operation.h
 *	  The operations of the API: one row each, JSON in, JSON out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_OPERATION_H
#define DYNAMO_OPERATION_H

#include "postgres.h"

#include "base/base_request.h"
#include "monitor/monitor.h"
#include "policy/policy.h"
#include "schema/schema.h"
#include "stats/stats.h"
#include "wire/wire.h"

/*
 * operation_table.c
 *
 * An operation by its name, never NULL: one that the API does not have raises
 * UnknownOperationException when it is called.
 */
typedef struct Operation Operation;
extern const Operation *operation_find(const char *name);

/*
 * The operation behind a target header, "DynamoDB_20120810.GetItem"; "target"
 * may be NULL.  Never NULL: what its service does not have is as above.
 */
extern const Operation *operation_of_target(const char *target);

/* "GetItem"; an empty string for a target that names none */
extern const char *operation_name(const Operation *op);

/* Its number in the statistics */
extern int	operation_number(const Operation *op);

/* Does it change anything? */
extern bool operation_writes(const Operation *op);
extern bool operation_queues(const Operation *op);

/* Is it one whose requests may be about many items: a batch, a transaction? */
extern bool operation_is_many(const Operation *op);

/* May its requests leave in parts (base_route.h)? */
extern bool operation_has_parts(const Operation *op);

/*
 * What the table of commands says of an operation, for tests and tools; NULL:
 * there is none with that number, from 0 on.
 */
typedef struct OperationFacts
{
	const char *name;
	const char *service;		/* "DynamoDB_20120810" */
	bool		available;
	bool		writes;
	const char *place;
	const char *parts;
	const char *checked;
	const char *reach;
	bool		explained;
	List	   *names;			/* paths of members that name something */
	List	   *members;		/* paths of all that a request may have */
	List	   *refused;		/* paths of what is refused by its name */
} OperationFacts;

extern const OperationFacts *operation_facts(int number);

/*
 * operation_dispatch.c
 *
 * A request with a body of JSON text; NULL: it has none.  As long as the
 * request lives, so must the body.
 */
extern void operation_request(DynamoRequest *request, const Operation *op,
							  const char *body, size_t len);

/*
 * Runs one operation in the current transaction and returns the response's
 * JSON text, which is empty where the service sends no body.  It is in the
 * current memory context, and so is all that was needed to make it: run each
 * request in a context of its own.  Raises the operation's exceptions
 * (base.h).
 *
 * The first is a door: policies are checked.  The second is for a SQL
 * function, for which GRANT alone counts.  The third is that for a request
 * that came here as to the owner of its rows; one that is not "long" is refused
 * if it turns out to be, since others wait behind it.  The claim says what is
 * noted of its token.
 */
extern StringInfo operation_call(const Operation *op, const char *body,
								 size_t len);
extern StringInfo operation_call_unchecked(const Operation *op,
										   const char *body, size_t len);
extern StringInfo operation_call_as_owner(const Operation *op,
										  const char *body, size_t len,
										  bool is_long,
										  const DynamoClaim *claim);

extern StringInfo operation_call_part(const char *body, size_t len);

extern StringInfo operation_run(DynamoRequest *request);

/*
 * What the service checks before the client's identity: raises if the request
 * is not JSON or there is no such operation.  A request of NULL is not
 * checked.
 */
extern void operation_check_envelope(const Operation *op, const char *request,
									 size_t request_len);

/*
 * The error body of an error caught while a request ran,
 * {"__type":...,"message":...}, and the HTTP status that goes with it.  The
 * current user must be the requester.
 */
extern StringInfo operation_error_json(const Operation *op, const char *request,
									   size_t request_len, const ErrorData *error,
									   int *http_status);

/* operation_call() in a subtransaction: an error comes back as its body. */
extern StringInfo operation_try_call(const Operation *op, const char *body,
									 size_t len);

/*
 * The same for another node: the answer, or the whole error, is a message
 * (base_message.h) as text.  "later": indexes of distributed tables are made and
 * dropped later.
 */
extern StringInfo operation_answer_node(const Operation *op, const char *body,
										size_t len, bool later);

/*
 * operation_gather.c
 *
 * The answer of a request that has left in parts: of answers of nodes, and of
 * the RequestItems of parts that were not done, char *, in the order in which
 * they came.
 */
extern StringInfo operation_gather(const Operation *op, List *answers,
								   List *left);

/* The RequestItems of several parts, char *, as those of one request */
extern StringInfo operation_gather_items(List *items);

extern void operation_init(void);

/*
 * operation_stat.c
 *
 * operation_counted() does the work of a request, and counts it.  A caller
 * that cannot hand it over begins to count by operation_stat_begin(), and ends
 * by stats_end(), or with an error that it has caught by
 * operation_stat_fail().
 */
extern void operation_counted(DynamoRequest *request, void (*work) (void *arg),
							  void *arg);
extern void operation_stat_begin(DynamoRequest *request, StatsRequest *stats);
extern void operation_stat_fail(DynamoRequest *request);
extern StatsOutcome operation_outcome(const Operation *op,
									  const ErrorData *error);

/* operation_stat_report.c: "each" gets a table, or with NULL what concerns none */
typedef void (*OperationStatEach) (const TableDef *def, StatsTable *table, void *arg);

extern void operation_stat_each(OperationStatEach each, void *arg);

/* operation_stat_page.c */
extern void operation_stat_page(StringInfo out);
extern void operation_stat_escape(StringInfo out, const char *name);

/* operation_stat_work.c: more of it */
extern void operation_stat_work(StringInfo out);

/*
 * operation_explain.c: what an operation on items would do, a list of MonitorStep *;
 * nothing is read or written.  Raises what the operation would raise before that, and
 * feature_not_supported for another operation.
 */
extern void operation_explain_init(void);
extern List *operation_explain(const Operation *op, const char *request,
							   size_t request_len);

#endif							/* DYNAMO_OPERATION_H */
