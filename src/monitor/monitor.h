/*-------------------------------------------------------------------------
 *
 * monitor.h
 *	  What is seen of the work of the server: operations of ours, which AWS has
 *	  not, for the console and for others who watch; and who may see what.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_MONITOR_H
#define DYNAMO_MONITOR_H

#include "postgres.h"

#include "base/base_request.h"
#include "engine/engine.h"
#include "nodes/pg_list.h"
#include "schema/schema.h"
#include "stats/stats.h"
#include "wire/wire.h"

/* monitor_privilege.c: what the current user may see */
extern bool monitor_sees_all(void);
extern bool monitor_may_know_items(const TableDef *def);

/*
 * monitor_keys.c
 *
 * As many contributors as the service shows.  monitor_open_keys() opens a table
 * whose keys are to be shown, and raises ResourceNotFoundException,
 * AccessDeniedException, and insufficient_privilege where policies of rows apply.
 * monitor_key_part() is a part of a key as typed JSON in UTF-8; NULL: there is none.
 */
#define MONITOR_MAX_KEYS	25

extern EngineTable *monitor_open_keys(DynamoRequest *request,
									  const char *table_name);
extern const char *monitor_key_part(const StatsKeyCount *count, int n);

extern const WireShape monitor_keys_shape;
extern void monitor_describe_keys(DynamoRequest *request, StringInfo out);

/* monitor_statistics.c */
extern const WireShape monitor_statistics_shape;
extern void monitor_describe_statistics(DynamoRequest *request,
										StringInfo out);

/*
 * monitor_plan.c: what a request would do, step by step.  The layer above, which
 * knows all operations, tells it.
 */
typedef struct MonitorStep
{
	const char *action;			/* "Get", "Put", "Query", ... */
	const char *table_name;
	const char *index_name;		/* NULL: the table */
	const char *access;			/* "key", "range", "scan", "segment" */
	Oid			relation;		/* the btree; or InvalidOid */
	const char *condition;		/* as of ApiPlan */
	bool		backward;
	bool		estimated;		/* the following are known */
	double		read;			/* items */
	double		returned;
	double		read_units;
	double		write_units;
	const char *slow_reason;	/* why the SPI store is taken; NULL: it is not */
} MonitorStep;

extern List *(*monitor_explain) (const char *operation, const char *body,
								 size_t len);
extern const WireShape monitor_plan_shape;
extern void monitor_describe_plan(DynamoRequest *request, StringInfo out);

/* monitor_filter.c */
extern const WireShape monitor_filter_shape;
extern void monitor_filter_matches(DynamoRequest *request, StringInfo out);

/* monitor_view.c */
extern const WireShape monitor_list_jobs_shape;
extern void monitor_list_jobs(DynamoRequest *request, StringInfo out);
extern void monitor_list_mappings(DynamoRequest *request, StringInfo out);
extern const WireShape monitor_update_mapping_shape;
extern void monitor_update_mapping(DynamoRequest *request, StringInfo out);
extern void monitor_list_workers(DynamoRequest *request, StringInfo out);

#endif							/* DYNAMO_MONITOR_H */
