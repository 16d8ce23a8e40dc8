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

#include "base/base_watch.h"
#include "engine/engine.h"
#include "policy/policy.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

WorkerCallbacks worker_callbacks;

static void drop_keys(void *unused);
static void drop_policies(void *unused);
static void trim_streams(void *unused);
static void resume_builds(void *build_here);
static void sweep_statistics(void *unused);

void
worker_visit_main(Datum arg)
{
	bool		build_here = false;

	worker_connect(DatumGetObjectId(arg));
	dynamo_watch_start(DYNAMO_MAINTENANCE, NULL, NULL);
	if (!worker_is_wanted())
		return;
	worker_begin_visit(WORKER_VISIT);
	(void) worker_run("drop access keys of roles that are gone", WARNING,
					  drop_keys, NULL);
	(void) worker_run("drop policies of roles that are gone", WARNING,
					  drop_policies, NULL);
	(void) worker_run("trim streams", WARNING, trim_streams, NULL);
	(void) worker_run("look for indexes to build", WARNING, resume_builds,
					  &build_here);
	(void) worker_run("forget statistics of dropped tables", WARNING,
					  sweep_statistics, NULL);
	worker_expire();
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
trim_streams(void *unused)
{
	(void) engine_stream_trim(GetCurrentTimestamp());
}

/*
 * What an error or a crash has ended, or no process was there for.  If there
 * is none now, ours may be the last that can be had.
 */
static void
resume_builds(void *build_here)
{
	if (schema_list_builds() != NIL && !worker_start_builder())
		*(bool *) build_here = true;
}

static void
sweep_statistics(void *unused)
{
	schema_sweep_stats();
}
