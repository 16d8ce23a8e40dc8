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

#include "access/transam.h"
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
	Oid			types[5];
	Datum		values[5];
	char		nulls[6];
	void		(*each) (HeapTuple tuple, void *arg);
	void	   *arg;
} BackupQuery;

extern void backup_run_query(const BackupQuery *query);

/*
 * When an entry "e" was written, if the parameter "n" is the next transaction of a
 * marker that was taken since the clock was set back last: one that had begun by
 * then may have read its time before that, and so has written at an unknown time.
 */
#define BACKUP_WRITTEN_AT(n) \
	"CASE WHEN e.xid OPERATOR(pg_catalog.<) $" #n " " \
	"THEN '-infinity'::pg_catalog.timestamptz ELSE e.at END"

/*
 * Of the changes that the snapshot "until" sees and "since" does not, when was
 * the first one written?  DT_NOEND: there is none.  DT_NOBEGIN: it is not known,
 * as a transaction before "clock" has written it (see above).  What "since" does
 * not see was written after "from".
 */
extern TimestampTz backup_first_change(const RecoveryDef *recovery,
									   TimestampTz from, Datum since,
									   Datum until, FullTransactionId clock);

#endif							/* DYNAMO_BACKUP_CHANGE_H */
