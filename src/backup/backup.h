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
#include "shard/shard.h"

/*
 * backup_row.c: backups of tables
 *
 * A backup is a row of dynamo.backups and a relation of schema dynamo_backup,
 * which has a column item.  What these return lives in the current context.
 */
#define BACKUP_ID	23			/* characters, as 01489602797149-73d8d5bc */

typedef struct Backup
{
	char		id[BACKUP_ID + 1];	/* the end of BackupArn */
	char	   *name;
	bool		system;			/* left by DeleteTable, else a user's */
	char	   *table_name;
	char		table_id[37];
	Oid			relid;			/* its items' */
	TimestampTz created_at;
	TimestampTz expires_at;		/* 0: never */
	int64		size;			/* bytes */
	int64		items;
	char	   *definition;		/* JSON object, read by a folder above */
	bool		elsewhere;		/* another node has it: of this group, where
								 * it is "readable" to the user, and relid,
								 * name, items and size are not known */
	int32		group;
	bool		readable;
} Backup;

extern const Backup *backup_read(const char *id);	/* NULL: none */

/*
 * Up to "limit" (0: all) of Backup *, in the order of ids, which is that
 * of creation: those after an id (NULL: all) for which "listed" is true.
 */
extern List *backup_list(const char *after,
						 bool (*listed) (const Backup *backup, void *arg),
						 void *arg, int limit);
extern void backup_insert(const Backup *backup);

/*
 * Take an id for a backup that this transaction makes.  False: it is taken, if
 * only by somebody who may yet give it up.
 */
extern bool backup_claim(const char *id);

/* An empty relation for a backup's items, of that owner */
extern Oid	backup_relation(const char *id, Oid owner);

/*
 * The relation of the owner's table becomes a backup's, and is returned: its
 * definition, stream and indexes go, its point-in-time recovery ends, and it
 * moves to schema dynamo_backup.  Raises what DROP TABLE would.
 */
extern Oid	backup_take_relation(const char *table, const char *id);

/*
 * Drop a backup's relation and its row.  The caller has checked who asks.
 */
extern void backup_drop(const Backup *backup);

/* Can the relation be read as a backup? */
extern bool backup_is_relation(Oid relid);

extern void backup_init(void);

/* Days that a system backup is kept. */
#define BACKUP_SYSTEM_DAYS	35

/*
 * backup_create.c
 *
 * The caller sets a backup's id, name, created_at and definition; the rest is
 * set here, and the row is written.  The table's owner alone may do these.
 */

extern void backup_create(const TableDef *def, Backup *backup);

extern void backup_create_last(const TableDef *def, Backup *backup);
extern void backup_put_away(const TableDef *def, Backup *backup);

/*
 * Drop system backups whose time is over, BACKUP_DROPS at most, but those that
 * are wanted; as a superuser.  How many?
 */
#define BACKUP_DROPS	20
extern int	backup_drop_expired(TimestampTz now,
								bool (*is_wanted) (const Backup *backup));

/*
 * backup_restore.c
 */

extern uint64 backup_restore(const TableSpec *spec, const char *query);

/* Of what another node has; false: there is nothing */
extern bool backup_restore_from(const TableSpec *spec, int32 group,
								const char *question);

/* Of what "read" gives to "take", with "load"; false: there is nothing */
typedef bool (*BackupRead) (ShardTakeItem take, void *load, void *arg);
extern bool backup_restore_with(const TableSpec *spec, BackupRead read,
								void *arg);

extern char *backup_items_query(const Backup *backup);

/* backup_run.c */
struct _SPI_plan;
extern uint64 backup_run_insert(const char *statement);
extern uint64 backup_run_insert_of(const char *statement, Oid type,
								   Datum value);
extern void backup_check_plan(struct _SPI_plan *plan);	/* an SPIPlanPtr */
extern void backup_check_rows(Oid relid);

#endif							/* DYNAMO_BACKUP_H */
