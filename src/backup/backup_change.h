/*-------------------------------------------------------------------------
 *
 * backup_change.h
 *	  Reading the journal in the name of its owner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BACKUP_CHANGE_H
#define DYNAMO_BACKUP_CHANGE_H

#include "postgres.h"

#include "schema/schema.h"
#include "utils/timestamp.h"

/*
 * Run a query that only reads, under the active snapshot, as the owner of the
 * journal, and call "each" with the rows of SPI_tuptable, thousands at a time.
 * A null argument has no type.
 */
typedef struct BackupQuery
{
	const char *sql;
	int			nargs;
	Oid			types[4];
	Datum		values[4];
	char		nulls[5];
	void		(*each) (HeapTuple tuple, void *arg);
	void	   *arg;
} BackupQuery;

extern void backup_run_query(const BackupQuery *query);

/*
 * Of the changes that the snapshot "until" sees and "since" does not, when was
 * the first one written?  DT_NOEND: there is none.  What "since" does not see
 * was written after "from".
 */
extern TimestampTz backup_first_change(const RecoveryDef *recovery,
									   TimestampTz from, Datum since,
									   Datum until);

#endif							/* DYNAMO_BACKUP_CHANGE_H */
