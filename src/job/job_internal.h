/*-------------------------------------------------------------------------
 *
 * job_internal.h
 *	  What the files of this folder share: rows and locks of jobs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_JOB_INTERNAL_H
#define DYNAMO_JOB_INTERNAL_H

#include "postgres.h"

#include "job/job.h"
#include "storage/lock.h"

/* What job_fail() raises; the constraint's name is the code. */
#define JOB_FAILURE		MAKE_SQLSTATE('N', 'D', 'J', '0', '1')

/* job_row.c; what is returned lives in the current context */
extern Oid	job_row_table(void);
extern void job_row_insert(Job *job);
extern void job_row_update(const Job *job);
extern Job *job_row_read(int32 number); /* NULL: none */
extern Job *job_row_find(const char *id);	/* same */

/*
 * A request may have 16 MB.  So whoever looks through the jobs of all roles is
 * asked about each before its request and position are read.
 */
typedef enum JobAnswer
{
	JOB_PASS_OVER,
	JOB_TAKE,
	JOB_TAKE_LAST,				/* and look at no more */
	JOB_TAKE_NONE				/* no more, nor this one */
} JobAnswer;

/* Of a kind, newest first, from the one after "before" on, or from the newest */
extern void job_row_each(JobKind kind, const char *before,
						 JobAnswer (*ask) (Job *job, void *arg), void *arg);

/*
 * Of Job *, oldest first, those that are wanted; NULL: all, without their requests
 * and positions.
 */
extern List *job_row_unfinished(bool (*is_wanted) (const Job *job, void *arg),
								void *arg);

/* Is an unfinished import to fill that relation? */
extern bool job_row_imports(Oid relid);

/*
 * job_lock.c
 *
 * Two locks of each job:
 *
 *		its run		held, for the session, by the one who works on it
 *		its row		to change it, or to read what must not change, up to the
 *					transaction's end
 */
extern bool job_lock_run(int32 number, bool wait);
extern bool job_has_run(int32 number);
extern void job_unlock_run(int32 number);
extern void job_lock_row(int32 number);
extern bool job_take_row(int32 number, bool wait);
extern bool job_wait_row(int32 number, bool wait);
extern void job_lock_token(JobKind kind, const char *token);
extern void job_interrupt(int32 number);

/* job_submit.c: a worker, when the transaction has committed */
extern void job_start_worker(void);

/* job_kind.c */
extern const JobHandler *job_handler(JobKind kind);

#endif							/* DYNAMO_JOB_INTERNAL_H */
