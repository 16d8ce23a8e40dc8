/*-------------------------------------------------------------------------
 *
 * worker_visit.c
 *	  A maintenance worker's visit to one database.
 *
 * It is a guest: its transactions are short, and wait neither for a locked
 * table nor for a function of the user's for long (worker_run.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

/* When this visit ends. */
static int64 visit_end;

static void trim_streams(void *unused);
static void resume_builds(void *build_here);

void
worker_visit_main(Datum arg)
{
	bool		build_here = false;

	if (!worker_connect(DatumGetObjectId(arg)))
		return;
	visit_end = worker_clock() + WORKER_VISIT;
	worker_expire();
	(void) worker_run("trim streams", WARNING, trim_streams, NULL);
	(void) worker_run("look for indexes to build", WARNING, resume_builds,
					  &build_here);
	if (build_here)
		worker_build();
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
	if (schema_list_builds() != NIL && !schema_start_builder())
		*(bool *) build_here = true;
}

/*
 * May the visit go on?  Waits "rest" milliseconds before it answers.
 */
bool
worker_rest(long rest)
{
	if (rest > 0)
	{
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 rest, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	worker_housekeeping();
	return worker_ttl_interval > 0 && worker_clock() < visit_end;
}
