/*-------------------------------------------------------------------------
 *
 * operation_stat_work.c
 *	  Workers, and work in the background, as Prometheus reads them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "operation/operation_internal.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "served/served.h"
#include "utils/timestamp.h"

/* Sums over the HTTP workers of this database. */
typedef struct WorkerCounts
{
	int			running;
	int			lost;
	int			parked;
} WorkerCounts;

static void append_workers(StringInfo out);
static void add_worker(const DynamoWorkerState *worker, void *workers);
static void append_background(StringInfo out);
static void append_lag(StringInfo out, const char *name, const char *help,
					   double (*value) (const DynamoWants *wants));
static bool belongs_here(const char *database);
static double recovery_lag(const DynamoWants *wants);
static double jobs_waiting(const DynamoWants *wants);
static double handlers_behind(const DynamoWants *wants);
static double ttl_backlog(const DynamoWants *wants);
static double seconds_behind(const DynamoWants *wants, DynamoService service);

/*
 * Append the last lines of the page.
 */
void
operation_stat_work(StringInfo out)
{
	append_workers(out);
	append_background(out);
}

static void
append_workers(StringInfo out)
{
	WorkerCounts workers = {0};

	dynamo_workers_each(add_worker, &workers);
	appendStringInfo(out,
					 "# HELP dynamo_http_workers Processes that serve requests.\n"
					 "# TYPE dynamo_http_workers gauge\n"
					 "dynamo_http_workers %d\n"
					 "# HELP dynamo_http_lost_workers Processes whose request cannot be ended.\n"
					 "# TYPE dynamo_http_lost_workers gauge\n"
					 "dynamo_http_lost_workers %d\n"
					 "# HELP dynamo_http_parked_requests Requests that wait for a lock, or for their turn.\n"
					 "# TYPE dynamo_http_parked_requests gauge\n"
					 "dynamo_http_parked_requests %d\n",
					 workers.running, workers.lost, workers.parked);
}

static void
add_worker(const DynamoWorkerState *worker, void *arg)
{
	WorkerCounts *workers = arg;

	if (!worker->serves || worker->database != MyDatabaseId)
		return;
	if (worker->stage == DYNAMO_LOST)
		workers->lost++;
	else
		workers->running++;
	workers->parked += worker->parked;
}

/*
 * What work in the background is behind by, in each database where there is any and
 * that this port tells of.
 */
static void
append_background(StringInfo out)
{
	append_lag(out, "dynamo_recovery_lag_seconds",
			   "Age of the last mark of point-in-time recovery", recovery_lag);
	append_lag(out, "dynamo_jobs_waiting",
			   "Jobs that are due, and that no process is at", jobs_waiting);
	append_lag(out, "dynamo_handler_lag_seconds",
			   "Age of the oldest change that no handler has been called with",
			   handlers_behind);
	append_lag(out, "dynamo_ttl_backlog_seconds",
			   "How long ago an item has expired that is still there", ttl_backlog);
	appendStringInfo(out,
					 "# HELP dynamo_free_worker_processes How many of max_worker_processes are not in use.\n"
					 "# TYPE dynamo_free_worker_processes gauge\n"
					 "dynamo_free_worker_processes %d\n",
					 dynamo_slots_free());
}

static void
append_lag(StringInfo out, const char *name, const char *help,
		   double (*value) (const DynamoWants *wants))
{
	ListCell   *lc;

	appendStringInfo(out, "# HELP %s %s.\n# TYPE %s gauge\n", name, help, name);
	foreach(lc, dynamo_wants_list())
	{
		const DynamoWants *wants = lfirst(lc);
		const char *database = get_database_name(wants->database);

		if (database == NULL || !belongs_here(database))
			continue;
		appendStringInfo(out, "%s{database=\"", name);
		operation_stat_escape(out, database);
		appendStringInfo(out, "\"} %.10g\n", value(wants));
	}
}

/*
 * A database that has a port of its own is told of there alone, and all others at
 * the first port: a sum over all ports counts each once.
 */
static bool
belongs_here(const char *database)
{
	bool		first = true;

	for (int i = 0; i < http_served.nfurther; i++)
	{
		const char *further = http_served.further[i].database;

		if (strcmp(further, database) == 0)
			return strcmp(http_served.database, database) == 0;
		if (strcmp(further, http_served.database) == 0)
			first = false;
	}
	return first;
}

static double
recovery_lag(const DynamoWants *wants)
{
	return dynamo_want_lag(wants, DYNAMO_MARKER) / 1e3;
}

static double
jobs_waiting(const DynamoWants *wants)
{
	return Max(wants->waiting[DYNAMO_JOB],
			   (wants->wanted & DYNAMO_BIT(DYNAMO_JOB)) != 0);
}

static double
handlers_behind(const DynamoWants *wants)
{
	return seconds_behind(wants, DYNAMO_HANDLER);
}

static double
ttl_backlog(const DynamoWants *wants)
{
	return seconds_behind(wants, DYNAMO_MAINTENANCE);
}

/*
 * By the oldest piece that is known, or for as long as nobody has looked.
 */
static double
seconds_behind(const DynamoWants *wants, DynamoService service)
{
	TimestampTz now = GetCurrentTimestamp();
	int64		lag = dynamo_want_lag(wants, service);

	if (wants->oldest[service] != 0)
		lag = Max(lag, (now - wants->oldest[service]) / 1000);
	return lag / 1e3;
}
