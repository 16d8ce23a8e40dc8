/*-------------------------------------------------------------------------
 *
 * sql.h
 *	  What the SQL functions share: their arguments, and the readers and plans
 *	  of those that return items.
 *
 * Each function turns its arguments into an input struct of the API layer,
 * calls it, and returns what it answers.  No argument is STRICT: an optional
 * one that is null was not given.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SQL_H
#define DYNAMO_SQL_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "api/api.h"
#include "codec/codec.h"
#include "fmgr.h"
#include "operation/operation.h"
#include "statement/statement.h"

/* sql_arg.c; what they return is a copy in the current context */
extern char *sql_text_arg(FunctionCallInfo fcinfo, int n);	/* NULL: null */

/* The time itself; raises 22008 if it is infinite */
extern TimestampTz sql_finite_time(TimestampTz time);
extern void sql_check_given(FunctionCallInfo fcinfo, int n, const char *name);
extern char *sql_required_text_arg(FunctionCallInfo fcinfo, int n,
								   const char *name);
extern const char *sql_table_name(const char *name_or_arn);
extern Item *sql_item_arg(FunctionCallInfo fcinfo, int n);	/* NULL: null */
extern Item *sql_required_item_arg(FunctionCallInfo fcinfo, int n,
								   const char *name);
extern Item *sql_bare_key_arg(DynamoRequest *request, FunctionCallInfo fcinfo,
							  EngineAccess access,
							  char **expression);	/* NULL: a value is null */
extern ExprBindings *sql_bindings_arg(FunctionCallInfo fcinfo, int values,
									  int names, bool any_expression,
									  const char *without);
extern int	sql_choice_arg(FunctionCallInfo fcinfo, int n,
						   const WireShape *shape, const char *member);
extern WireInteger sql_integer_arg(FunctionCallInfo fcinfo, int n,
								   const WireShape *shape,
								   const char *member);

/* sql_cluster.c: a MetaTakeRow that puts rows into a materialized result */
extern void sql_put_row(HeapTuple row, TupleDesc desc, void *result);

/* sql_partiql.c: what the arguments after the first stand for */
extern ItemValue *sql_parameters(FunctionCallInfo fcinfo, int *n);

/* sql_vector.c: argument "n", of any type that writes a list of numbers */
extern float *sql_vector_arg(FunctionCallInfo fcinfo, int n, const char *name,
							 int *dimensions);

#endif							/* DYNAMO_SQL_H */
