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

#include "api/api.h"
#include "codec/codec.h"
#include "fmgr.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "operation/operation.h"
#include "statement/statement.h"

/* sql_arg.c; what they return is a copy in the current context */
extern char *sql_text_arg(FunctionCallInfo fcinfo, int n);	/* NULL: null */
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

/* sql_reader.c: a call of a function that returns items */
typedef enum SqlReaderKind
{
	SQL_GET_ITEM,
	SQL_BATCH_GET,
	SQL_QUERY,
	SQL_SCAN,
	SQL_PARTIQL
} SqlReaderKind;

#define SQL_READER_KINDS	(SQL_PARTIQL + 1)

/* Where a function has the arguments that plans show; -1: nowhere. */
typedef struct SqlReaderArgs
{
	int			count;			/* of all its arguments */
	int			key;			/* a key, or several; of a Query the condition */
	int			values;
	int			index;
	int			filter;
	int			forward;
	int			limit;
	int			segments;
	int			as_of;
} SqlReaderArgs;

typedef struct SqlReader SqlReader;

extern const SqlReaderArgs sql_reader_args[SQL_READER_KINDS];
extern bool sql_reader_kind(Oid function, SqlReaderKind *kind);
extern SqlReader *sql_reader_begin(SqlReaderKind kind,
								   FunctionCallInfo fcinfo);
extern const Item *sql_reader_next(SqlReader *reader);
extern int64 sql_reader_count(const SqlReader *reader);
extern bool sql_reader_plan(const SqlReader *reader, ApiPlan *plan);

/* Of a write, which must not be done twice: the result once more */
extern bool sql_reader_rewind(SqlReader *reader);
extern bool sql_reader_writes(const SqlReader *reader);
extern void sql_reader_end(SqlReader *reader);

/* sql_partiql.c: what the arguments after the first stand for */
extern ItemValue *sql_parameters(FunctionCallInfo fcinfo, int *n);

/* sql_estimate.c */
typedef struct SqlEstimate
{
	double		read;			/* items read */
	double		rows;			/* items returned */
	double		pages;			/* of the table that are read */
} SqlEstimate;

extern bool sql_estimate(PlannerInfo *root, SqlReaderKind kind, List *args,
						 SqlEstimate *estimate);

/* sql_node.c: the plan node; its one expression is the call, a FuncExpr */
extern const CustomScanMethods *sql_node_methods(SqlReaderKind kind);
extern void sql_node_init(void);

/* sql_insert.c */
extern void sql_insert_init(void);

extern const TableDef *sql_insert_target(Oid relid);

/* sql_insert_node.c */
extern void sql_insert_node_init(void);

/* sql_path.c */
extern void sql_init(void);

#endif							/* DYNAMO_SQL_H */
