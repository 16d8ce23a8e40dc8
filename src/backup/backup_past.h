/*-------------------------------------------------------------------------
 *
 * backup_past.h
 *	  Point-in-time recovery: a table's items as they were, as SQL.
 *
 * The queries are for the current user, who needs SELECT on the relation, and
 * whom no row-level security may keep from any of it; or else they raise
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

/*
 * A query with one column, item dynamo.item: all items as of a moment, in no
 * order.  It takes no parameters.  May stand behind INSERT INTO ..., in a
 * cursor, in parentheses.
 */
extern char *backup_past_query(const BackupMoment * moment);

/*
 * A query of what has changed from one moment to another of the same relation,
 * one row for each item that is not the same:
 *
 *		keys dynamo.item		its key
 *		old_image dynamo.item	null: there was none
 *		new_image dynamo.item	null: there is none
 *		changed_at timestamptz	when it was changed last
 *
 * An item that has come and gone in between gives no row.
 */
extern char *backup_changes_query(const BackupMoment * from,
								  const BackupMoment * to);

#endif							/* DYNAMO_BACKUP_PAST_H */
