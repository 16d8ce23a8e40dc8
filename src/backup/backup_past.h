/*-------------------------------------------------------------------------
 *
 * backup_past.h
 *	  Point-in-time recovery: a table's items as they were, as SQL.
 *
 * The queries are for the current user, who needs SELECT on the relation, and
 * whom no row-level security may keep from any of it.  Otherwise they raise
 * PostgreSQL's error when they run.  They see the journal by a function that
 * checks just that.  All that they read, they read under the snapshot they are
 * run with, so they give one moment whatever else goes on.  They are not to be
 * run with a search_path in mind: all names are qualified.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BACKUP_PAST_H
#define DYNAMO_BACKUP_PAST_H

#include "postgres.h"

#include "backup/backup_window.h"
#include "engine/engine.h"
#include "utils/tuplestore.h"

/*
 * A query with one column, item dynamo.item: all items as of a moment, in no
 * order.  It takes no parameters.  May stand behind INSERT INTO ..., in a
 * cursor, in parentheses.
 */
extern char *backup_past_query(const BackupMoment *moment);

/*
 * A query of what has changed from one moment to another of the same relation,
 * one row for each item that is not the same:
 *
 *		keys dynamo.item		its key
 *		old_image dynamo.item	null: there was none
 *		new_image dynamo.item	null: there is none
 *		changed_at timestamptz	when it was changed last
 *
 * An item that has come and gone in between gives no row.  With a partition key
 * (NULL: all), others may be left out, those with another hash are.
 */
extern char *backup_changes_query(const BackupMoment *from,
								  const BackupMoment *to,
								  const ItemValue *hash);

/*
 * Have reads of an open table see it as it was then.  Raises
 * PointInTimeRecoveryUnavailableException, InvalidRestoreTimeException, and
 * AccessDeniedException where row-level security applies.
 */
extern void backup_read_as_of(EngineTable *table, TimestampTz when);

/*
 * What dynamo_internal.past() is called with, and its rows: for each item that
 * was changed by a transaction which "since" does not see, what it was.
 */
typedef struct BackupPastCall
{
	Oid			relid;
	Datum		since;			/* a pg_snapshot */
	TimestampTz from;			/* what it does not see was written later */
	bool		has_hash;		/* only partition keys with this hash */
	int32		hash;
	bool		has_until;		/* tell the last change that this one sees */
	Datum		until;			/* a pg_snapshot */
} BackupPastCall;

extern void backup_read_past(const BackupPastCall *call,
							 Tuplestorestate *store, TupleDesc desc);

/*
 * An error if the relation, which is locked, has another file than the active
 * snapshot sees: that does not see what is in it.
 */
extern void backup_check_file(Oid relid);

#endif							/* DYNAMO_BACKUP_PAST_H */
