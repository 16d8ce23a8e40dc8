/*-------------------------------------------------------------------------
 *
 * backup_window.h
 *	  Point-in-time recovery: which times a table can be brought back to.
 *
 * A table with recovery on has a journal of what its changes have replaced
 * (see src/journal/README.md), and the database has markers: a time and
 * the snapshot of that time.  A table can be read, or restored, as of a marker.
 *
 * A table is named by its relation, which may be one that DeleteTable has put
 * away: it keeps its journal, and ends when it was deleted.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BACKUP_WINDOW_H
#define DYNAMO_BACKUP_WINDOW_H

#include "postgres.h"

#include "access/transam.h"
#include "nodes/pg_list.h"
#include "schema/schema.h"
#include "utils/timestamp.h"

typedef struct BackupWindow
{
	int			days;			/* RecoveryPeriodInDays */
	TimestampTz earliest;		/* EarliestRestorableDateTime */
	TimestampTz latest;			/* LatestRestorableDateTime; not before
								 * earliest */
	TimestampTz settled;		/* what answers for times up to this stays the
								 * same */
} BackupWindow;

/*
 * The times that a relation can be brought back to.  False: recovery is off.
 */
extern bool backup_window(Oid relid, BackupWindow *window);

/*
 * A moment of a relation: what it was when the snapshot was taken.
 */
typedef struct BackupMoment
{
	Oid			relid;
	const RecoveryDef *recovery;
	char	   *snapshot;		/* text of a pg_snapshot; NULL: the present */
	TimestampTz from;			/* what the snapshot does not see was written
								 * later than this */
} BackupMoment;

/*
 * What is committed may be so much older than the moment that is asked for.
 */
#define WINDOW_PROMISE	(2 * USECS_PER_SEC)

/*
 * The relation as of "when"; NULL if recovery is off, the window does not reach
 * there, or nobody knows what was committed then.  What was committed later is
 * never in it, but for a millisecond.
 */
extern const BackupMoment *backup_moment(Oid relid, TimestampTz when);

/*
 * There is no such moment of a table: say why.
 */
extern void backup_refuse_time(Oid relid, const char *table, TimestampTz when)
			pg_attribute_noreturn();

/*
 * The present, which is what UseLatestRestorableTime means; NULL if recovery is
 * off.
 */
extern const BackupMoment *backup_moment_latest(Oid relid);

/*
 * Times in the window that are refused: too long after a marker, with changes
 * before the next one that were written up to then.
 */
typedef struct BackupHole
{
	TimestampTz began;			/* the first */
	TimestampTz ended;			/* it is not one of them */
} BackupHole;

/*
 * Markers of use for a relation: from then on, those that see this transaction.
 * After the last one there may be a hole, else .began is 0.  False: there are
 * none.
 */
typedef struct BackupMarkers
{
	const RecoveryDef *recovery;
	FullTransactionId sees;
	TimestampTz from;
	FullTransactionId clock;	/* as backup_first_change() takes it */
	BackupHole	last_hole;
} BackupMarkers;

extern bool backup_useful_markers(Oid relid, BackupMarkers *markers);

/*
 * When what a snapshot of this server does not see was written at the earliest, if
 * it was taken at that time.
 */
extern TimestampTz backup_written_from(const RecoveryDef *recovery,
									   Datum snapshot, TimestampTz taken_at);

/* backup_hole.c: of BackupHole *, in their order */
extern List *backup_holes(Oid relid);

#endif							/* DYNAMO_BACKUP_WINDOW_H */
