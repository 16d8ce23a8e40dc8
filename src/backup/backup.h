/*-------------------------------------------------------------------------
 *
 * backup.h
 *	  Backups of tables, made and restored.
 *
 * Everything runs in the caller's transaction, as the current user, who needs
 * the privileges of the SQL that does the same.  What a backup has is one
 * snapshot; it is taken without a lock that a writer would wait for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BACKUP_H
#define DYNAMO_BACKUP_H

#include "postgres.h"

#include "schema/schema.h"

/* Days that a system backup is kept. */
#define BACKUP_SYSTEM_DAYS	35

/*
 * backup_create.c
 *
 * The caller sets a backup's id, name, created_at and definition; the rest is
 * set here, and the row is written.  The table's owner alone may do these.
 */

/* Copy the items of the relation that the definition is of. */
extern void backup_create(const TableDef *def, SchemaBackup *backup);

/* Drop a table, whose relation becomes a system backup. */
extern void backup_put_away(const TableDef *def, SchemaBackup *backup);

/* Drop system backups whose time is over; as a superuser.  How many? */
extern int	backup_drop_expired(TimestampTz now);

/*
 * backup_restore.c
 */

/*
 * Make a table with the items of a query, which has one column, item: their
 * number.  Indexes are built once they are all there.
 */
extern uint64 backup_restore(const TableSpec *spec, const char *query);

/*
 * The query for the items of a backup.  Refuses a user who may not read them,
 * or not all of them, and what its owner has made of the relation.
 */
extern char *backup_items_query(const SchemaBackup *backup);

/* backup_run.c */
extern uint64 backup_run_insert(const char *statement);
extern void backup_check_rows(Oid relid);

#endif							/* DYNAMO_BACKUP_H */
