/*-------------------------------------------------------------------------
 *
 * backup_window.c
 *	  Point-in-time recovery: which times a table can be brought back to.
 *
 * A marker is of use for a table if it sees the transaction in which recovery
 * began: then all later changes are in the journal.  And if parts of the
 * journal have been trimmed, it must not need them: no transaction that was
 * under way at the first marker after them may have been under way still.
 *
 * The window begins with the first such marker, but not before the period that
 * is kept, and ends with the last, or when nothing had changed since, for all
 * that the process knows that takes markers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "backup/backup_window.h"
#include "base/base_watch.h"
#include "engine/engine.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

/* What is known of a relation's recovery. */
typedef struct Known
{
	const RecoveryDef *recovery;
	SchemaWindow began;
	EngineMarkerSearch useful;	/* the markers of use */
	EngineMarker first;			/* of them; .at 0: there is none yet */
	BackupWindow window;
} Known;

static bool find_known(Oid relid, Known *known);
static bool is_useless_before(EngineMarkerSearch *useful, const Known *known);
static TimestampTz present(void);
static TimestampTz latest_of(const Known *known);
static TimestampTz held_until(const Known *known, const EngineMarker *marker);
static TimestampTz written_from(const Known *known,
								const EngineMarker *marker);

bool
backup_window(Oid relid, BackupWindow *window)
{
	Known		known;
	bool		on = find_known(relid, &known);

	*window = known.window;
	return on;
}

const BackupMoment *
backup_moment(Oid relid, TimestampTz when)
{
	Known		known;
	EngineMarkerSearch search;
	EngineMarker marker;
	BackupMoment *moment;

	if (!find_known(relid, &known) || known.first.at == 0 ||
		when < known.window.earliest - USECS_PER_SEC ||
		when > known.window.latest)
		return NULL;
	search = known.useful;
	search.from = Max(when, known.first.at);
	if (!engine_find_marker(&search, &marker))
		return NULL;

	moment = palloc0(sizeof(BackupMoment));
	moment->relid = relid;
	moment->recovery = known.recovery;
	moment->at = marker.at;
	moment->until = held_until(&known, &marker);
	moment->snapshot =
		DatumGetCString(DirectFunctionCall1(pg_snapshot_out, marker.snapshot));
	moment->from = written_from(&known, &marker);
	return moment;
}

const BackupMoment *
backup_moment_latest(Oid relid)
{
	const RecoveryDef *recovery = schema_find_recovery(relid);
	BackupMoment *moment;

	if (recovery == NULL)
		return NULL;
	moment = palloc0(sizeof(BackupMoment));
	moment->relid = relid;
	moment->recovery = recovery;
	moment->at = moment->until = recovery->ended_at != 0 ?
		recovery->ended_at : present();
	return moment;
}

void
backup_refuse_time(Oid relid, const char *table, TimestampTz when)
{
	BackupWindow window;

	if (!backup_window(relid, &window))
		dynamo_error(DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
					 "Point in time recovery is not enabled for table '%s'",
					 table);
	dynamo_error(DYNAMO_INVALID_RESTORE_TIME,
				 "RestoreDateTime '%s' must be within EarliestRestorableDateTime '%s' and LatestRestorableDateTime '%s'",
				 pstrdup(timestamptz_to_str(when)),
				 pstrdup(timestamptz_to_str(window.earliest)),
				 pstrdup(timestamptz_to_str(window.latest)));
}

/*
 * False: recovery is off.
 */
static bool
find_known(Oid relid, Known *known)
{
	BackupWindow *window = &known->window;
	EngineMarkerSearch search;

	memset(known, 0, sizeof(*known));
	known->recovery = schema_find_recovery(relid);
	if (known->recovery == NULL)
		return false;
	window->days = known->recovery->days;
	if (!schema_find_window(known->recovery->id, &known->began))
		return true;			/* restored from a dump just now */

	known->useful.sees = known->began.xid;
	window->earliest = Max(present() - window->days * USECS_PER_DAY,
						   Max(known->recovery->kept_from,
							   known->began.began_at));
	if (!is_useless_before(&known->useful, known))
	{
		search = known->useful;
		search.forward = true;
		search.from = known->began.began_at;
		(void) engine_find_marker(&search, &known->first);
	}
	window->earliest = Max(window->earliest, known->first.at);
	window->latest = Max(window->earliest, latest_of(known));
	return true;
}

/*
 * Which markers need nothing of the journal that has been trimmed?  True: none
 * yet.
 */
static bool
is_useless_before(EngineMarkerSearch *useful, const Known *known)
{
	SchemaWindow complete;
	EngineMarkerSearch search = {.forward = true};
	EngineMarker marker;

	if (!schema_find_window(0, &complete) ||
		known->began.began_at >= complete.began_at + JOURNAL_SLACK)
		return false;
	search.from = complete.began_at + JOURNAL_SLACK;
	if (!engine_find_marker(&search, &marker))
		return true;
	useful->xmin = engine_marker_xmax(marker.snapshot);
	return false;
}

/*
 * The time that our snapshot is of, or somewhat later.
 */
static TimestampTz
present(void)
{
	return IsolationUsesXactSnapshot() ?
		GetCurrentTransactionStartTimestamp() : GetCurrentTimestamp();
}

static TimestampTz
latest_of(const Known *known)
{
	EngineMarkerSearch search = known->useful;
	EngineMarker marker;

	if (known->recovery->ended_at != 0)
		return known->recovery->ended_at;
	search.from = DT_NOEND;
	if (known->first.at == 0 || !engine_find_marker(&search, &marker))
		return 0;
	return held_until(known, &marker);
}

/*
 * Until when nothing had changed since a marker, as far as is known.
 */
static TimestampTz
held_until(const Known *known, const EngineMarker *marker)
{
	EngineMarkerSearch search = known->useful;
	EngineMarker next;
	TimestampTz seen_at;

	search.forward = true;
	search.from = marker->at + 1;
	if (engine_find_marker(&search, &next))
		seen_at = next.seen_at;
	else
		seen_at = Min(dynamo_workers_time(DYNAMO_MARKER), present());
	return Max(marker->at, seen_at);
}

/*
 * When what a marker does not see was written at the earliest: after a marker,
 * perhaps itself, at which none of these transactions had begun.
 */
static TimestampTz
written_from(const Known *known, const EngineMarker *marker)
{
	EngineMarkerSearch search = {.from = marker->at};
	EngineMarker before;
	TimestampTz from = known->began.began_at;

	search.xmax = engine_marker_xmin(marker->snapshot);
	if (engine_find_marker(&search, &before))
		from = Max(from, before.at);
	return from - JOURNAL_SLACK;
}
