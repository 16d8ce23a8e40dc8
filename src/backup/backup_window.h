/*-------------------------------------------------------------------------
 *
 * backup_window.h
 *	  Point-in-time recovery: which times a table can be brought back to.
 *
 * A table with recovery on has a journal of what its changes have replaced
 * (see src/engine/README.journal.md), and the database has markers: a time and
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

#include "schema/schema.h"
#include "utils/timestamp.h"

typedef struct BackupWindow
{
	int			days;			/* RecoveryPeriodInDays */
	TimestampTz earliest;		/* EarliestRestorableDateTime */
	TimestampTz latest;			/* LatestRestorableDateTime; not before
								 * earliest */
} BackupWindow;

/*
 * The times that a relation can be brought back to.  False: recovery is off.
 */
extern bool backup_window(Oid relid, BackupWindow *window);

/*
 * A moment of a relation.  What was committed is known as of "at", and has
 * been the same until "until"; what is asked for may lie somewhat later if
 * nobody took a marker.
 */
typedef struct BackupMoment
{
	Oid			relid;
	const RecoveryDef *recovery;
	TimestampTz at;
	TimestampTz until;
	char	   *snapshot;		/* text of a pg_snapshot; NULL: the present */
	TimestampTz from;			/* what the snapshot does not see was written
								 * later than this */
} BackupMoment;

/*
 * The last moment not after "when"; NULL if recovery is off, or the window does
 * not reach there.  Seconds are what counts: "when" may lie up to a second
 * before the window begins.
 */
extern const BackupMoment *backup_moment(Oid relid, TimestampTz when);

/*
 * There is no such moment of a table: say why.
 */
extern void backup_refuse_time(Oid relid, const char *table, TimestampTz when)
			pg_attribute_noreturn();

/*
 * The present, which is what UseLatestRestorableTime means; NULL if recovery is
 * off.  Of a relation that has been put away: the end.
 */
extern const BackupMoment *backup_moment_latest(Oid relid);

#endif							/* DYNAMO_BACKUP_WINDOW_H */
