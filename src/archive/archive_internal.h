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
extern const Backup *archive_find_backup(const char *arn,
										 const char *action,
										 bool *creating);
extern bool archive_is_elsewhere(const char *backup_arn);

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

/*
 * transfer_job.c: what clients know jobs by.  "part" is what stands in the ARN
 * between the table and the id: "import".
 */
extern char *transfer_job_arn(const Job *job, const char *part);
extern const char *transfer_job_id(const char *arn, const char *part);
extern const char *transfer_job_status(const Job *job);
extern void transfer_append_job_times(StringInfo out, const Job *job);
extern void transfer_append_job_member(StringInfo out, const json_t *request,
									   const char *member);
/* What a job keeps of its request, JSON text, has no NUL, as jsonb has none */
extern void transfer_drop_nul(char *json);
extern void transfer_list_jobs(StringInfo out, JobKind kind,
							   const char *table, const char *next_token,
							   int limit, const char *member,
							   void (*append) (StringInfo out, const Job *job));

/* A job that has failed, with a FailureCode */
extern void transfer_append_job_failure(StringInfo out, const Job *job);

#endif							/* DYNAMO_ARCHIVE_INTERNAL_H */
