/*-------------------------------------------------------------------------
 *
 * statement.h
 *	  PartiQL statements: for SQL, and as operations.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_STATEMENT_H
#define DYNAMO_STATEMENT_H

#include "postgres.h"

#include "api/api.h"

/*
 * statement_run.c: a PartiQL statement, its parameters in place.
 *
 * statement_begin() checks the statement, of a request that lives as long, and
 * if it is a SELECT its privileges.  statement_next() gives one item after the
 * other, NULL at the end; what a SELECT gives lives until the next call.  A
 * write is done by the first call of it; statement_rewind() lets its result
 * come again, and is false for a SELECT.  statement_plan() is false if not
 * exactly one part of one index is read.
 *
 * All of a run is in the context that was current at its beginning.
 * statement_count() is the number of items that it has read so far;
 * statement_tell() adds what it has read to the request's statistics.  Errors
 * are those of the operation: ValidationException, AccessDeniedException and
 * the rest.
 */
typedef struct StatementRun StatementRun;

extern StatementRun *statement_begin(DynamoRequest *request, const char *text,
									 int nparameters,
									 const ItemValue *parameters);
extern const Item *statement_next(StatementRun *run);
extern bool statement_rewind(StatementRun *run);
extern bool statement_writes(const StatementRun *run);
extern bool statement_plan(const StatementRun *run, ApiPlan *plan);
extern int64 statement_count(const StatementRun *run);
extern void statement_tell(const StatementRun *run);
extern void statement_end(StatementRun *run);

/* statement_execute.c, statement_batch.c, statement_transact.c: the operations */
extern const WireShape statement_execute_shape;
extern const WireShape statement_batch_shape;
extern const WireShape statement_transact_shape;
extern void statement_batch(DynamoRequest *request, StringInfo out);
extern void statement_transact(DynamoRequest *request, StringInfo out);
extern void statement_execute(DynamoRequest *request, StringInfo out);

#endif							/* DYNAMO_STATEMENT_H */
