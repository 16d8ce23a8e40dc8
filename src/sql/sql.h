/*-------------------------------------------------------------------------
 *
 * sql.h
 *	  What the SQL functions share: their arguments.
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

#include "api/api.h"
#include "fmgr.h"

/* sql_arg.c; what they return is a copy in the current context */
extern char *sql_text_arg(FunctionCallInfo fcinfo, int n);	/* NULL: null */
extern char *sql_required_text_arg(FunctionCallInfo fcinfo, int n,
								   const char *name);
extern const char *sql_table_name(const char *name_or_arn);
extern Item *sql_item_arg(FunctionCallInfo fcinfo, int n);	/* NULL: null */
extern Item *sql_required_item_arg(FunctionCallInfo fcinfo, int n,
								   const char *name);
extern ExprBindings *sql_bindings_arg(FunctionCallInfo fcinfo, int values,
									  int names, bool any_expression,
									  const char *without);
extern int	sql_choice_arg(FunctionCallInfo fcinfo, int n,
						   const WireShape *shape, const char *member);
extern WireInteger sql_integer_arg(FunctionCallInfo fcinfo, int n,
								   const WireShape *shape,
								   const char *member);

#endif							/* DYNAMO_SQL_H */
