/*-------------------------------------------------------------------------
 *
 * archive_internal.h
 *	  What the files of this folder share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ARCHIVE_INTERNAL_H
#define DYNAMO_ARCHIVE_INTERNAL_H

#include "postgres.h"

#include "archive/archive.h"
#include "backup/backup.h"
#include "control/control_tables.h"

/* archive_backup.c */
extern const JobHandler archive_backup_handler;

/* archive_find.c */
extern const Backup *archive_find_backup(DynamoRequest *request,
										 const char *arn,
										 const char *action,
										 bool *creating);
extern bool archive_is_elsewhere(const char *backup_arn);

/* archive_elsewhere.c */
extern Backup *archive_find_elsewhere(DynamoRequest *request, const char *id,
									  bool *creating);
extern bool archive_is_restored(const Backup *backup);

/* archive_show.c */
extern void archive_backup_of_job(const Job *job, Backup *backup);
extern void archive_append_description(StringInfo out,
									   const Backup *backup,
									   const char *arn, const char *status);
extern void archive_append_backup(StringInfo out, const char *member,
								  const Backup *backup,
								  const char *arn, const char *status);

/* archive_override.c */
extern char *archive_restored_table(const ControlRestore *r,
									const json_t *source);

#endif							/* DYNAMO_ARCHIVE_INTERNAL_H */
