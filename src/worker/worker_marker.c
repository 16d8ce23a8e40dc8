/*-------------------------------------------------------------------------
 *
 * worker_marker.c
 *	  Takes the markers of point-in-time recovery in a database.
 *
 * A process of a database in which a table has recovery on takes a marker each
 * second, if anything has changed (../engine/engine_journal_mark.c).  It is
 * started when recovery is enabled, by each visit of maintenance, and by
 * whoever writes and finds none.  It leaves when there is no such table any
 * more; of two, the one that came last.
 *
 * A marker is flushed to disk here, but no standby is waited for, or else one
 * that is away would stop the clock.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_process.h"
#include "base/base_watch.h"
#include "engine/engine.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

/* Milliseconds without such a table after which the process leaves. */
#define MAX_IDLE		10000

/* Milliseconds between two attempts to have a process. */
#define START_INTERVAL	1000

static bool is_needed(void);
static void mark(void *needed);
static void trim(void *unused);
static void begin_restored(void *unused);
static void look_for_tables(void *needed);

static EngineMarking marking;

void
worker_marker_init(void)
{
	schema_callbacks.start_marker = worker_start_marker;
}

/*
 * Start a process for this database, unless it has one.
 */
void
worker_start_marker(void)
{
	static int64 tried = 0;
	BackgroundWorkerHandle *worker;
	int64		now = worker_clock();

	if (!dynamo_preloaded || dynamo_workers_here(DYNAMO_MARKER) > 0 ||
		(tried != 0 && now - tried < START_INTERVAL))
		return;
	tried = now;
	worker = dynamo_start_worker("worker_marker_main", "dynamo recovery",
								 "dynamo recovery",
								 ObjectIdGetDatum(MyDatabaseId));
	if (worker != NULL)
		pfree(worker);
}

/*
 * Part of a visit of maintenance.
 */
void
worker_tend_recovery(void)
{
	bool		needed = false;

	(void) worker_run("trim the journal", WARNING, trim, NULL);
	(void) worker_run("begin the recovery of restored tables", WARNING,
					  begin_restored, NULL);
	(void) worker_run("look for tables with recovery", WARNING,
					  look_for_tables, &needed);
	if (needed)
		worker_start_marker();
}

void
worker_marker_main(Datum arg)
{
	int64		needed_at = worker_clock();
	bool		done = true;

	worker_connect(DatumGetObjectId(arg));
	SetConfigOption("application_name", "dynamo recovery", PGC_SUSET,
					PGC_S_OVERRIDE);
	SetConfigOption("synchronous_commit", "local", PGC_SUSET,
					PGC_S_OVERRIDE);
	dynamo_worker_join(DYNAMO_MARKER);
	if (!worker_is_wanted())
		return;
	while (dynamo_worker_rank() == 0)
	{
		bool		needed = false;

		done = worker_run("mark a point of recovery", done ? WARNING : DEBUG1,
						  mark, &needed);
		if (!done)
			marking.taken = false;
		else if (needed)
			dynamo_worker_note_time(marking.seen_at);
		if (needed || !done)
			needed_at = worker_clock();
		else if (worker_clock() - needed_at > MAX_IDLE)
			break;
		worker_housekeeping();

		/* To the next second. */
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 1000 - GetCurrentTimestamp() / 1000 % 1000,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

static void
mark(void *arg)
{
	bool	   *needed = arg;

	*needed = is_needed();
	if (*needed)
		(void) engine_mark(&marking);
}

/*
 * Has a table that is not deleted recovery on?
 */
static bool
is_needed(void)
{
	ListCell   *lc;

	foreach(lc, schema_list_recoveries())
	{
		if (((const RecoveryDef *) lfirst(lc))->ended_at == 0)
			return true;
	}
	return false;
}

static void
trim(void *unused)
{
	(void) engine_journal_trim(GetCurrentTimestamp());
}

static void
begin_restored(void *unused)
{
	schema_begin_restored();
}

static void
look_for_tables(void *needed)
{
	*(bool *) needed = is_needed();
}
