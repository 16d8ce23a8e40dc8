/*-------------------------------------------------------------------------
 *
 * worker_visit.c
 *	  A maintenance worker's visit to one database.
 *
 * It is a guest: its transactions are short, and do not wait long for a locked
 * table or a user's function (worker_run.c).  Tables that call functions of
 * users come last, since they may cost us the process.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup.h"
#include "base/base_watch.h"
#include "bucket/bucket.h"
#include "engine/engine.h"
#include "policy/policy.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

WorkerCallbacks worker_callbacks;

static void drop_keys(void *unused);
static void drop_policies(void *unused);
static void drop_grants(void *unused);
static void trim_streams(void *unused);
static void expire_tokens(void *unused);
static void drop_backups(void *unused);
static void scale_tables(void);
static void find_scaled(void *tables);
static void scale(void *table);
static void resume_builds(void *build_here);
static void sweep_statistics(void *unused);

void
worker_visit_main(Datum arg)
{
	bool		build_here = false;
	bool		jobs_here;

	worker_connect(DatumGetObjectId(arg));
	dynamo_watch_start(DYNAMO_MAINTENANCE, NULL, NULL);
	if (!worker_is_wanted())
		return;
	worker_begin_visit(WORKER_VISIT);
	(void) worker_run("drop access keys of roles that are gone", WARNING,
					  drop_keys, NULL);
	(void) worker_run("drop policies of roles that are gone", WARNING,
					  drop_policies, NULL);
	(void) worker_run("drop grants of roles that are gone", WARNING,
					  drop_grants, NULL);
	(void) worker_run("trim streams", WARNING, trim_streams, NULL);
	(void) worker_run("forget tokens of transactions", WARNING, expire_tokens,
					  NULL);
	(void) worker_run("drop expired backups", WARNING, drop_backups, NULL);
	worker_tend_recovery();
	scale_tables();
	worker_start_handlers();
	jobs_here = !worker_start_jobs();
	(void) worker_run("look for indexes to build", WARNING, resume_builds,
					  &build_here);
	(void) worker_run("forget statistics of dropped tables", WARNING,
					  sweep_statistics, NULL);
	worker_tell_nodes();
	worker_expire();
	if (jobs_here)
		worker_work_on_jobs();
	if (build_here)
		worker_build(true);
}

static void
drop_keys(void *unused)
{
	worker_callbacks.drop_orphan_keys();
}

static void
drop_policies(void *unused)
{
	policy_drop_orphans();
}

static void
drop_grants(void *unused)
{
	bucket_drop_orphans();
}

static void
trim_streams(void *unused)
{
	(void) engine_stream_trim(GetCurrentTimestamp());
}

static void
expire_tokens(void *unused)
{
	worker_callbacks.expire_tokens();
}

static void
drop_backups(void *unused)
{
	(void) backup_drop_expired(GetCurrentTimestamp());
}

/*
 * Each table in a transaction of its own, or else one that cannot be scaled
 * would keep the others from it.
 */
static void
scale_tables(void)
{
	List	   *tables = NIL;
	ListCell   *lc;

	if (!worker_run("look for tables to scale", WARNING, find_scaled, &tables))
		return;
	foreach(lc, tables)
	{
		char		activity[DYNAMO_MAX_NAME + 32];

		snprintf(activity, sizeof(activity), "scale table \"%s\"",
				 (char *) lfirst(lc));
		(void) worker_run(activity, WARNING, scale, lfirst(lc));
		if (!worker_rest(0))
			break;
	}
	list_free_deep(tables);
}

/* The list outlives the transaction. */
static void
find_scaled(void *arg)
{
	List	  **tables = arg;
	List	   *found = worker_callbacks.scaled_tables();
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	ListCell   *lc;

	foreach(lc, found)
		* tables = lappend(*tables, pstrdup(lfirst(lc)));
	MemoryContextSwitchTo(old);
}

static void
scale(void *table)
{
	worker_callbacks.scale_table(table);
}

/*
 * What an error or a crash has ended, or no process was there for.  If there
 * is none now, ours may be the last that can be had.
 */
static void
resume_builds(void *build_here)
{
	if (schema_list_builds(true) != NIL && !worker_start_builder())
		*(bool *) build_here = true;
}

static void
sweep_statistics(void *unused)
{
	schema_sweep_stats();
}
