/*-------------------------------------------------------------------------
 *
 * archive.h
 *	  Operations on backups and points in time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ARCHIVE_H
#define DYNAMO_ARCHIVE_H

#include "postgres.h"

#include "backup/backup.h"
#include "backup/backup_window.h"
#include "base/base_request.h"
#include "lib/stringinfo.h"
#include "wire/wire.h"

/* archive_backup.c */
extern void archive_create_backup(DynamoRequest *request, StringInfo out);
extern void archive_describe_backup(DynamoRequest *request, StringInfo out);
extern void archive_delete_backup(DynamoRequest *request, StringInfo out);
extern const WireShape archive_create_backup_shape;
extern const WireShape archive_backup_shape;

/* archive_find.c */
extern void archive_list_backups(DynamoRequest *request, StringInfo out);
extern const WireShape archive_list_backups_shape;

/* archive_restore.c */
extern void archive_restore_init(void); /* backups', too */
extern void archive_restore_from_backup(DynamoRequest *request,
										StringInfo out);
extern void archive_restore_to_time(DynamoRequest *request, StringInfo out);
extern const char *archive_backup_query(const char *id);
extern bool archive_is_wanted(const Backup *backup);

/* archive_window.c */
extern void archive_describe_continuous_backups(DynamoRequest *request,
												StringInfo out);
extern void archive_update_continuous_backups(DynamoRequest *request,
											  StringInfo out);
extern bool archive_window(const TableDef *def, BackupWindow *window);
extern void archive_refuse_recovery(const char *table);
extern const WireShape archive_describe_continuous_backups_shape;
extern const WireShape archive_update_continuous_backups_shape;

#endif							/* DYNAMO_ARCHIVE_H */
