/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  Nodes of ours in plans: functions that return items, and INSERT.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_PLAN_H
#define DYNAMO_PLAN_H

#include "postgres.h"

#include "api/api.h"
#include "fmgr.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* plan_reader.c: a call of a function that returns items */
typedef enum PlanReaderKind
{
	PLAN_GET_ITEM,
	PLAN_BATCH_GET,
	PLAN_QUERY,
	PLAN_SCAN,
	PLAN_PARTIQL,
	PLAN_SEARCH
} PlanReaderKind;

#define PLAN_READER_KINDS	(PLAN_SEARCH + 1)

/* Where a function has the arguments that plans show; -1: nowhere. */
typedef struct PlanReaderArgs
{
	int			count;			/* of all its arguments */
	int			key;			/* a key, or several; of a Query the condition */
	int			condition;		/* of a search */
	int			values;
	int			index;
	int			filter;
	int			forward;
	int			limit;
	int			segments;
	int			as_of;
} PlanReaderArgs;

typedef struct PlanReader PlanReader;

extern const PlanReaderArgs plan_reader_args[PLAN_READER_KINDS];
extern bool plan_reader_kind(Oid function, PlanReaderKind *kind);
extern PlanReader *plan_reader_begin(PlanReaderKind kind,
									 FunctionCallInfo fcinfo);
extern const Item *plan_reader_next(PlanReader *reader);

/* Of a search: what comes with the item that was returned last */
extern double plan_reader_score(const PlanReader *reader);
extern bool plan_reader_scores(PlanReaderKind kind);
extern int64 plan_reader_count(const PlanReader *reader);
extern int64 plan_reader_compared(const PlanReader *reader);
extern const char *plan_reader_graph(const PlanReader *reader);
extern bool plan_reader_plan(const PlanReader *reader, ApiPlan *plan);

/* Of a write, which must not be done twice: the result once more */
extern bool plan_reader_rewind(PlanReader *reader);
extern bool plan_reader_writes(const PlanReader *reader);
extern void plan_reader_end(PlanReader *reader);

/* plan_estimate.c */
typedef struct PlanEstimate
{
	double		read;			/* items read */
	double		rows;			/* items returned */
	double		pages;			/* that are read, of the table or of vectors */
	double		operators;		/* that are executed for each item read */
} PlanEstimate;

extern bool plan_estimate(PlannerInfo *root, PlanReaderKind kind, List *args,
						  PlanEstimate *estimate);

/* plan_node.c: the plan node; its one expression is the call, a FuncExpr */
extern const CustomScanMethods *plan_node_methods(PlanReaderKind kind);
extern void plan_node_init(void);

/* plan_insert.c */
extern void plan_insert_init(void);
extern const TableDef *plan_insert_target(Oid relid);

/* plan_insert_node.c */
extern void plan_insert_node_init(void);

/* plan_path.c: called once a process */
extern void plan_init(void);

#endif							/* DYNAMO_PLAN_H */
