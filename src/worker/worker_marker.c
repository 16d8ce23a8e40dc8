/*-------------------------------------------------------------------------
 *
 * worker_marker.c
 *	  Takes the markers of point-in-time recovery in a database.
 *
 * Where a table has recovery on, a marker is taken each second, if anything has
 * changed (../journal/journal_mark.c).  A process stays for that.  It is
 * flushed to disk here, but no standby is waited for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "engine/engine.h"
#include "journal/journal.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "schema/schema.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

/* What another process has marked so short a while ago is fresh; milliseconds. */
#define FRESH			900

/* A session asks for the process if that has not marked for so long. */
#define STALE			2000

static void want_marks(void);
static long to_next_second(void);
static void mark(void *needed);
static bool is_needed(void);

void
worker_marker_init(void)
{
	schema_callbacks.start_marker = want_marks;
}

static void
want_marks(void)
{
	if (dynamo_preloaded &&
		dynamo_clock() - dynamo_done_up_to(DYNAMO_MARKER) > STALE)
		dynamo_want(DYNAMO_MARKER);
}

/*
 * A marker, if it is time for one.
 */
long
worker_mark(bool asked)
{
	static int64 due = 0;
	static bool done = true;
	int64		now = dynamo_clock();
	bool		needed = false;

	long		wait = worker_due(DYNAMO_MARKER, asked, due);

	if (wait != 0)
		return wait;
	due = now + to_next_second();
	if (!asked && now - dynamo_done_up_to(DYNAMO_MARKER) < FRESH)
		return to_next_second();
	(void) worker_begin(DYNAMO_MARKER, INT_MAX, 0);
	done = worker_run("mark a point of recovery", done ? WARNING : DEBUG1,
					  mark, &needed);
	if (done)
		dynamo_keep(DYNAMO_MARKER, needed);
	if (done && needed)
		dynamo_note_done(DYNAMO_MARKER, now, 1, 0);
	return done && !needed ? -1 : to_next_second();
}

static long
to_next_second(void)
{
	return 1000 - GetCurrentTimestamp() / 1000 % 1000;
}

static void
mark(void *arg)
{
	bool	   *needed = arg;

	*needed = is_needed();
	if (*needed)
		(void) journal_mark(false);
}

/*
 * Has a table that is not deleted recovery on?
 */
static bool
is_needed(void)
{
	ListCell   *lc;

	foreach(lc, journal_list())
	{
		if (((const RecoveryDef *) lfirst(lc))->ended_at == 0)
			return true;
	}
	return false;
}
