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
 * is kept, and ends now, or before whatever no marker sees yet.
 *
 * A time is answered by the last marker M before it, or by the next one, N, if
 * that says that nothing had changed since.  M will do if the time is not later
 * by more than WINDOW_PROMISE.  It will also do if nothing that N sees and M does
 * not was written up to then, since what is written later is committed later.  (Of
 * what had begun before the window's first marker that is not known: the clock may
 * have been set back since it was written.)
 * Else nobody knows which of it had been committed: the time lies in a hole, and
 * is refused.  After the last marker, the present takes the part of N.
 *
 * Within a transaction, a time of a table is answered by the same marker each
 * time.  N may be committed, and so be seen, only between two readings; then the
 * second would have what the first had not, and half of a transaction's items
 * would be read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "backup/backup_change.h"
#include "backup/backup_window.h"
#include "base/base.h"
#include "base/compat.h"
#include "engine/engine.h"
#include "journal/journal.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "schema/schema_row.h"
#include "storage/proc.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "wire/wire.h"

/* Requests have milliseconds: a time may be so much before the window. */
#define EARLY		1000

/* How often the present is looked at while others commit. */
#define MAX_LOOKS	3

/* For so many times a transaction keeps the answer. */
#define MAX_KEPT	16

/*
 * What answers for a time in this transaction.  It does so as long as the window
 * is the one that it was found in.
 */
typedef struct KeptMoment
{
	Oid			relid;
	TimestampTz when;
	FullTransactionId began;	/* the window's .xid */
	char	   *snapshot;
	TimestampTz from;
} KeptMoment;

/* What is known of a relation's recovery. */
typedef struct Known
{
	const RecoveryDef *recovery;
	JournalWindow began;
	JournalMarkerSearch useful; /* the markers of use */
	JournalMarker first;		/* of them; .at 0: there is none yet */
	JournalMarker last;
	JournalMarker present;		/* .at 0: nothing is known of it */
	bool		readable;		/* our queries see all of the present */
	TimestampTz earliest;
} Known;

static KeptMoment kept[MAX_KEPT];
static uint32 nkept;			/* ever, in this transaction */
static LocalTransactionId kept_in;

static const RecoveryDef *find_recovery(Oid relid);
static const KeptMoment *find_kept(Oid relid, TimestampTz when,
								   FullTransactionId began);
static void keep(const BackupMoment *moment, TimestampTz when,
				 FullTransactionId began);
static void push_newest(void);
static Snapshot newest(void);
static char *time_text(TimestampTz time);
static bool find_known(Oid relid, Known *known);
static bool find_window(Oid relid, Known *known);
static void find_markers(Known *known);
static bool is_useless_before(JournalMarkerSearch *useful, const Known *known);
static void look_at_present(Known *known);
static void end_with_table(const Known *known, JournalMarker *marker);
static TimestampTz present(void);
static bool is_present_known(const Known *known);
static TimestampTz latest_of(const Known *known);
static TimestampTz settled_of(const Known *known);
static TimestampTz changed_at(const Known *known, const JournalMarker *marker,
							  const JournalMarker *next);
static TimestampTz written_from(const Known *known,
								const JournalMarker *marker);
static TimestampTz written_after(const JournalWindow *began, Datum snapshot,
								 TimestampTz taken_at);
static const JournalMarker *find_marker(const Known *known, TimestampTz when,
										BackupHole *hole);

bool
backup_window(Oid relid, BackupWindow *window)
{
	Known		known;
	bool		on;

	push_newest();
	on = find_known(relid, &known);
	memset(window, 0, sizeof(*window));
	if (on)
		window->days = known.recovery->days;
	window->earliest = known.earliest;
	window->latest = Max(known.earliest, on ? latest_of(&known) : 0);
	window->settled = on ? settled_of(&known) : 0;
	PopActiveSnapshot();
	return on;
}

const BackupMoment *
backup_moment(Oid relid, TimestampTz when)
{
	BackupMoment *moment = palloc0(sizeof(BackupMoment));
	const JournalMarker *marker;
	const KeptMoment *found;
	BackupHole	hole;
	Known		known;

	push_newest();
	if (find_window(relid, &known))
	{
		moment->relid = relid;
		moment->recovery = known.recovery;
		found = find_kept(relid, when, known.began.xid);
		if (found != NULL)
		{
			moment->snapshot = pstrdup(found->snapshot);
			moment->from = found->from;
		}
		else
		{
			find_markers(&known);
			marker = find_marker(&known, when, &hole);
			if (marker != NULL)
			{
				moment->snapshot =
					DatumGetCString(DirectFunctionCall1(pg_snapshot_out,
														marker->snapshot));
				moment->from = written_from(&known, marker);
				keep(moment, when, known.began.xid);
			}
		}
	}
	PopActiveSnapshot();
	return moment->snapshot != NULL ? moment : NULL;
}

const BackupMoment *
backup_moment_latest(Oid relid)
{
	const RecoveryDef *recovery = find_recovery(relid);
	BackupMoment *moment;

	if (recovery == NULL)
		return NULL;
	moment = palloc0(sizeof(BackupMoment));
	moment->relid = relid;
	moment->recovery = recovery;
	return moment;
}

/*
 * Which markers are of use for a table, and the last time about which nothing
 * is known.  False: none is, or nothing is recorded.
 */
bool
backup_useful_markers(Oid relid, BackupMarkers *markers)
{
	Known		known;
	bool		found;

	memset(markers, 0, sizeof(*markers));
	push_newest();
	found = find_known(relid, &known) && known.first.at != 0;
	if (found)
	{
		markers->recovery = known.recovery;
		markers->sees = known.began.xid;
		markers->from = known.first.at;
		markers->clock = known.first.next;
		if (is_present_known(&known))
			(void) find_marker(&known, known.present.since - 1,
							   &markers->last_hole);
	}
	PopActiveSnapshot();
	return found;
}

/*
 * What a distributed table was is not told by this server's markers, and not read
 * from its relation here (../recall).
 */
static const RecoveryDef *
find_recovery(Oid relid)
{
	return schema_cluster.holds(relid) ? NULL : journal_find(relid);
}

static const KeptMoment *
find_kept(Oid relid, TimestampTz when, FullTransactionId began)
{
	if (kept_in != compat_lxid)
		return NULL;
	for (int i = 0; i < Min(nkept, MAX_KEPT); i++)
	{
		if (kept[i].relid == relid && kept[i].when == when &&
			FullTransactionIdEquals(kept[i].began, began))
			return &kept[i];
	}
	return NULL;
}

/*
 * In place of the oldest, if there is no more room.
 */
static void
keep(const BackupMoment *moment, TimestampTz when, FullTransactionId began)
{
	char	   *snapshot = MemoryContextStrdup(TopTransactionContext,
											   moment->snapshot);
	KeptMoment *place;

	if (kept_in != compat_lxid)
		nkept = 0;
	kept_in = compat_lxid;
	place = &kept[nkept % MAX_KEPT];
	if (nkept >= MAX_KEPT)
		pfree(place->snapshot);
	place->relid = moment->relid;
	place->when = when;
	place->began = began;
	place->snapshot = snapshot;
	place->from = moment->from;
	nkept++;
}

/*
 * Of other sessions, know all that there is to be known now.
 */
static void
push_newest(void)
{
	PushActiveSnapshot(GetTransactionSnapshot());
}

/*
 * A snapshot of now, whatever the isolation level.  In parallel mode, where a
 * query reads as of a time beside workers, core gives it in READ COMMITTED
 * alone, by the other function.
 */
static Snapshot
newest(void)
{
	return IsInParallelMode() ? GetTransactionSnapshot() : GetLatestSnapshot();
}

void
backup_refuse_time(Oid relid, const char *table, TimestampTz when)
{
	const TableDef *def = schema_find_relation(relid);
	BackupHole	hole = {0};
	BackupWindow window;
	Known		known;

	if (def != NULL && def->recovery != NULL)
		schema_refuse_distributed(def, "be read as of a time; but it can be restored");
	if (!backup_window(relid, &window))
		dynamo_error(DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
					 "Point in time recovery is not enabled for table '%s'",
					 table);
	push_newest();
	if (find_known(relid, &known))
		(void) find_marker(&known, when, &hole);
	PopActiveSnapshot();
	if (hole.began != 0 && hole.ended != 0)
	{
		DynamoHelp *help = schema_help_table(table);

		if (help != NULL)
			help->hint = "SELECT * FROM dynamo.recovery_holes shows the times that are not known.";
		dynamo_error_with_help(DYNAMO_INVALID_RESTORE_TIME, help,
							   "RestoreDateTime '%s' lies between points that are too far apart; the nearest times that can be restored are '%s' and '%s'",
							   pstrdup(timestamptz_to_str(when)),
							   pstrdup(timestamptz_to_str(hole.began - 1)),
							   pstrdup(timestamptz_to_str(hole.ended)));
	}
	dynamo_error(DYNAMO_INVALID_RESTORE_TIME,
				 "RestoreDateTime '%s' must be within EarliestRestorableDateTime '%s' and LatestRestorableDateTime '%s'",
				 time_text(when), time_text(window.earliest),
				 time_text(window.latest));
}

/* As the service has it; SQL may ask for no end of time. */
static char *
time_text(TimestampTz time)
{
	return TIMESTAMP_NOT_FINITE(time) ? pstrdup(timestamptz_to_str(time)) :
		wire_seconds_text(time);
}

/*
 * False: recovery is off.
 */
static bool
find_known(Oid relid, Known *known)
{
	if (!find_window(relid, known))
		return false;
	find_markers(known);
	return true;
}

/*
 * The same of the window alone: its transaction is invalid if the table was
 * restored from a dump just now.
 */
static bool
find_window(Oid relid, Known *known)
{
	memset(known, 0, sizeof(*known));
	known->recovery = find_recovery(relid);
	if (known->recovery == NULL)
		return false;
	(void) journal_find_window(known->recovery->id, &known->began);
	return true;
}

static void
find_markers(Known *known)
{
	JournalMarkerSearch search;

	if (!FullTransactionIdIsValid(known->began.xid))
		return;
	if (!RecoveryInProgress() &&
		journal_window_is_stale(&known->began, GetCurrentTimestamp()))
	{
		known->earliest = present();	/* it will begin with the next marker */
		return;
	}

	known->useful.sees = known->began.xid;
	known->earliest = Max(present() - known->recovery->days * USECS_PER_DAY,
						  Max(known->recovery->kept_from,
							  known->began.began_at));
	if (is_useless_before(&known->useful, known))
		return;
	search = known->useful;
	search.forward = true;
	search.from = known->began.began_at;
	look_at_present(known);
	if (!journal_find_marker(&search, &known->first))
	{
		/*
		 * The present will do until the first one is taken, if it needs
		 * nothing that has been trimmed.
		 */
		if (is_present_known(known) &&
			(!FullTransactionIdIsValid(known->useful.xmin) ||
			 FullTransactionIdPrecedesOrEquals(known->useful.xmin,
											   journal_marker_xmin(known->present.snapshot))))
			known->first = known->last = known->present;
		known->earliest = Max(known->earliest, known->first.since);
		return;
	}
	known->earliest = Max(known->earliest, known->first.since);
	search.forward = false;
	search.from = DT_NOEND;
	if (!journal_find_marker(&search, &known->last))
		elog(ERROR, "a marker of point-in-time recovery is lost");
}

/*
 * Which markers need nothing of the journal that has been trimmed?  True: none
 * yet.
 */
static bool
is_useless_before(JournalMarkerSearch *useful, const Known *known)
{
	JournalWindow complete;
	JournalMarkerSearch search = {.forward = true};
	JournalMarker marker;

	if (!journal_find_window(0, &complete) ||
		known->began.began_at >= complete.began_at + JOURNAL_SLACK)
		return false;
	if (journal_trimmed_ahead(&complete))
	{
		useful->xmin = complete.xid;
		return false;
	}
	search.from = complete.began_at + JOURNAL_SLACK;
	search.sees = known->began.xid;
	if (!journal_find_marker(&search, &marker))
		return true;
	useful->xmin = marker.next;
	return false;
}

/*
 * What is committed now, as a marker.  Without the ledger, on a standby, or
 * where no new snapshot can be taken, what comes after the last marker is not
 * asked.
 */
static void
look_at_present(Known *known)
{
	JournalMarker *present = &known->present;

	if (RecoveryInProgress() ||
		(!dynamo_preloaded && known->recovery->ended_at == 0) ||
		(IsInParallelMode() && IsolationUsesXactSnapshot()))
		return;
	for (int i = 0; i < MAX_LOOKS && present->since == 0; i++)
	{
		char	   *text;

		present->at = GetCurrentTimestamp();
		PushActiveSnapshot(newest());
		journal_ledger_begin(GetActiveSnapshot());
		present->since = journal_ledger_since(GetActiveSnapshot(),
											  present->at);
		text = journal_snapshot_text();
		present->snapshot = DirectFunctionCall1(pg_snapshot_in,
												CStringGetDatum(text));
		present->next = ReadNextFullTransactionId();
		PopActiveSnapshot();
		known->readable = !IsolationUsesXactSnapshot() ||
			strcmp(text, journal_snapshot_text()) == 0;
	}
	if (present->since == 0)
		present->since = present->at;
	end_with_table(known, present);
}

/*
 * Nothing changes in a table that was deleted.
 */
static void
end_with_table(const Known *known, JournalMarker *marker)
{
	TimestampTz ended_at = known->recovery->ended_at;

	if (ended_at != 0 && marker->at >= ended_at)
		marker->since = Min(marker->since, ended_at);
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

/*
 * Nothing later can be asked for.
 */
static TimestampTz
latest_of(const Known *known)
{
	TimestampTz latest = known->last.at;
	const JournalMarker *present = &known->present;

	if (latest == 0)
		return 0;
	if (is_present_known(known))
		latest = Max(latest, present->at);
	else if (present->at != 0)
		latest = Max(latest, Min(present->at,
								 changed_at(known, &known->last, present) - 1));
	return known->recovery->ended_at != 0 ?
		Min(latest, known->recovery->ended_at) : latest;
}

/*
 * Where something has changed since the last marker, the present answers for some
 * times until somebody commits, and from then on the marker may.
 */
static TimestampTz
settled_of(const Known *known)
{
	TimestampTz latest = latest_of(known);

	if (is_present_known(known) && known->present.since <= known->last.at)
		return latest;
	return Min(latest, known->last.at);
}

/*
 * What answers for a time, or NULL, and then perhaps the hole it is in.
 */
static const JournalMarker *
find_marker(const Known *known, TimestampTz when, BackupHole *hole)
{
	JournalMarker *marker = palloc0(sizeof(JournalMarker));
	JournalMarker *next = palloc0(sizeof(JournalMarker));
	JournalMarkerSearch search = known->useful;
	TimestampTz changed;
	bool		is_marked;

	if (known->first.at == 0 || when < known->earliest - EARLY ||
		(known->recovery->ended_at != 0 && when > known->recovery->ended_at))
		return NULL;
	if (known->first.at == known->present.at)
	{
		*marker = known->present;
		return when <= marker->at ? marker : NULL;
	}
	when = Max(when, known->first.at);
	search.from = when;
	if (!journal_find_marker(&search, marker))
		return NULL;
	if (when == marker->at)
		return marker;
	search.forward = true;
	search.from = marker->at + 1;
	is_marked = journal_find_marker(&search, next);
	if (is_marked)
		end_with_table(known, next);
	else
	{
		*next = known->present;
		if (when > next->at)
			return NULL;
	}
	if (is_marked || is_present_known(known))
	{
		if (when >= next->since)
			return next;
		if (when < marker->at + WINDOW_PROMISE)
			return marker;
		hole->ended = next->since;
	}
	changed = changed_at(known, marker, next);
	if (when < changed)
		return marker;
	hole->began = Max(changed, marker->at + WINDOW_PROMISE);
	return NULL;
}

/*
 * Has nothing changed for a moment, and do our queries see all there is?
 */
static bool
is_present_known(const Known *known)
{
	return known->present.at != 0 && known->readable &&
		known->present.since < known->present.at;
}

/*
 * Of what the next marker sees and this one does not, when was the first
 * written?  Not before this marker, since the caller asks of what comes after it.
 */
static TimestampTz
changed_at(const Known *known, const JournalMarker *marker,
		   const JournalMarker *next)
{
	TimestampTz changed;

	PushActiveSnapshot(next->at == known->present.at ? newest() :
					   GetActiveSnapshot());
	changed = backup_first_change(known->recovery, written_from(known, marker),
								  marker->snapshot, next->snapshot,
								  known->first.next);
	PopActiveSnapshot();
	return Max(changed, marker->at);
}

/*
 * When what a marker does not see was written at the earliest: after a marker,
 * perhaps itself, at which none of these transactions had begun.  One from
 * before the clock was set back will not do.  If there is none, a transaction
 * may have begun before that, and have written in the future, where a piece lies
 * that is not between then and now.  So it may have been at any time.
 */
static TimestampTz
written_from(const Known *known, const JournalMarker *marker)
{
	return written_after(&known->began, marker->snapshot, marker->at);
}

static TimestampTz
written_after(const JournalWindow *began, Datum snapshot, TimestampTz taken_at)
{
	JournalMarkerSearch search = {.from = taken_at};
	JournalMarker before;

	search.sees = began->xid;
	search.next = journal_marker_xmin(snapshot);
	if (!journal_find_marker(&search, &before))
		return DT_NOBEGIN;
	return Max(began->began_at, before.at) - JOURNAL_SLACK;
}

TimestampTz
backup_written_from(const RecoveryDef *recovery, Datum snapshot,
					TimestampTz taken_at)
{
	JournalWindow began;

	return journal_find_window(recovery->id, &began) ?
		written_after(&began, snapshot, taken_at) : DT_NOBEGIN;
}
