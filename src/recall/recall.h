/*-------------------------------------------------------------------------
 *
 * recall.h
 *	  Point-in-time recovery of distributed tables.
 *
 * See README.md.  All of this is the coordinator's, but for what its nodes are
 * asked (recall_node.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_RECALL_H
#define DYNAMO_RECALL_H

#include "postgres.h"

#include "backup/backup.h"
#include "backup/backup_window.h"
#include "schema/schema.h"

/*
 * recall_take.c: take a moment of all nodes, if a distributed table has recovery;
 * not if nothing has changed since the last one, unless it is to be taken in any
 * case.  Its time; 0: none was taken.  Raises why it cannot be.
 */
extern TimestampTz recall_take(bool in_any_case);

/* Is there such a table here?  Then moments are to be taken. */
extern bool recall_is_needed(void);

/*
 * recall_row.c: forget what is older than any table needs, on whichever node.
 */
extern void recall_trim(void);

/*
 * recall_window.c: the times that a distributed table can be brought back to, as
 * backup_window().  .earliest 0: none yet, or none any more.
 */
extern bool recall_window(const TableDef *def, BackupWindow *window);

/* The same, asked of the coordinator by a worker; an error if it does not answer. */
extern bool recall_ask_window(const TableDef *def, BackupWindow *window);

/* Refuse a time that it cannot be brought back to. */
extern void recall_check_time(const TableDef *def, TimestampTz when);

/*
 * recall_restore.c: make a table with the items that a distributed table had then.
 */
extern void recall_restore(const TableSpec *spec, const TableDef *def,
						   TimestampTz when);

#endif							/* DYNAMO_RECALL_H */
