/*-------------------------------------------------------------------------
 *
 * operation_internal.h
 *	  The table of all operations, and what the dispatcher needs of it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_OPERATION_INTERNAL_H
#define DYNAMO_OPERATION_INTERNAL_H

#include "postgres.h"

#include "api/api_handler.h"
#include "base/base_request.h"
#include "operation/operation.h"
#include "statement/statement.h"

/* Which node of a cluster executes a request. */
typedef enum OperationPlace
{
	OPERATION_AT_ANY_NODE,
	OPERATION_AT_ITEMS,			/* that of its items, or a stream's records */
	OPERATION_AT_COORDINATOR	/* it changes what all nodes know of a table */
} OperationPlace;

/* What a request consists of. */
typedef enum OperationParts
{
	OPERATION_ONE,
	OPERATION_BATCH,
	OPERATION_TRANSACTION
} OperationParts;

/*
 * How policies check a request.  Its action is the operation, unless parts of
 * it have actions of their own.
 */
typedef enum OperationChecked
{
	OPERATION_CHECKED_BY_NAMES, /* before it runs, on all that it names */
	OPERATION_CHECKED_ON_ALL,	/* before it runs, on "*" */
	OPERATION_CHECKED_LATER,	/* by the handler, when items are known */
	OPERATION_CHECKED_BY_PARTS	/* by the handler, each part as its action */
} OperationChecked;

/*
 * All that is known of an operation.  The handler gets the request, its input
 * as the shape fills it, and appends the response's JSON object, or nothing
 * where the service sends none.
 */
struct Operation
{
	const char *name;
	const char *service;		/* what its targets begin with */
	const WireShape *shape;
	void		(*handler) (DynamoRequest *request, StringInfo out);
	WireConflict conflict;		/* what losing a race becomes */
	bool		writes;			/* so it is not tried again if its answer is
								 * lost */
	OperationPlace place;
	OperationParts parts;
	OperationChecked checked;
	PolicyReach reach;			/* unless it is checked by its parts */
	bool		explained;		/* dynamo.explain() knows it */
	int			counts;			/* one of the bits below; 0: it counts none */
	const char *action;			/* for policies; NULL: its name */
};

/* operation_table.c */
extern const char *operation_similar(const char *name);
extern void operation_give_names(void);

/*
 * operation_counted.c: operations that count what is wrong with a request, as "1
 * validation error detected: ".
 */
#define OPERATION_COUNTS_PUT		0x01
#define OPERATION_COUNTS_UPDATE	0x02
#define OPERATION_COUNTS_DELETE	0x04
#define OPERATION_COUNTS_QUERY	0x08

extern bool operation_counts_error(const Operation *op, const ErrorData *error);

/* operation_coordinator.c */
extern bool operation_is_for_coordinator(const Operation *op);
extern void operation_run_or_forward(DynamoRequest *request);
extern void operation_ask_node(DynamoRequest *request);

/* operation_consistent.c: raises what a standby raises for a write */
extern void operation_check_consistent(const Operation *op,
									   const json_t *body);

/* operation_policy.c: raises AccessDeniedException */
extern void operation_check_policies(PolicyRequest *request,
									 const Operation *op, const json_t *body);

#endif							/* DYNAMO_OPERATION_INTERNAL_H */
