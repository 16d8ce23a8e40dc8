/*-------------------------------------------------------------------------
 *
 * job.h
 *	  Work that goes on after the request that asked for it has been answered:
 *	  rows of dynamo_internal.jobs, and how they are worked off.
 *
 * A kind of job registers a handler.  A job is done in steps, each a
 * transaction, as the role that asked for it.  The step's work, the position
 * it has come to, and what it counts are committed together, so a job goes on
 * after a crash exactly where it was.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_JOB_H
#define DYNAMO_JOB_H

#include "postgres.h"

#include "base/base.h"
#include "nodes/pg_list.h"
#include "process/process_turn.h"
#include "utils/timestamp.h"

typedef enum JobKind
{
	JOB_BACKUP = 'B',
	JOB_RESTORE = 'R',
	JOB_EXPORT = 'E',
	JOB_IMPORT = 'I',
	JOB_BULK = 'P'
} JobKind;

typedef enum JobStatus
{
	JOB_IN_PROGRESS = 'R',
	JOB_CANCELLING = 'X',		/* unfinished, too */
	JOB_COMPLETED = 'C',
	JOB_COMPLETED_WITH_ERRORS = 'E',
	JOB_FAILED = 'F',
	JOB_CANCELLED = 'Y'
} JobStatus;

#define JOB_ID_LENGTH	23		/* as 01695353076000-a1b2c3d4 */
#define JOB_MAX_FAILURE	1000	/* bytes of a failure's message */

typedef struct Job
{
	int32		number;			/* what it is called in locks; submit sets it */
	char		id[JOB_ID_LENGTH + 1];	/* the end of its ARN; submit sets it
										 * where it is "" */
	JobKind		kind;
	JobStatus	status;
	char	   *table_name;		/* what it is about; of a restore or import
								 * the new one */
	Oid			relid;			/* of it, or InvalidOid: not made yet */
	Oid			owner;			/* who asked; InvalidOid: gone, or renamed */
	bool		orphan;			/* gone */
	char	   *owner_name;
	char	   *request;		/* JSON object: the checked request, read by
								 * the kind */
	char	   *token;			/* ClientToken, or NULL */
	char	   *position;		/* JSON object of the kind's own: where to go
								 * on, and counts; NULL: at the beginning */
	TimestampTz created_at;
	TimestampTz started_at;		/* first; 0: not yet */
	TimestampTz ended_at;		/* 0: it has not */
	TimestampTz retry_at;		/* not before; 0: now */
	char	   *failure_code;	/* as "ItemValidationError", or NULL */
	char	   *failure_message;	/* or NULL; of one that has not ended, of
									 * the last attempt */
	int			attempts;		/* begun without a step done since */
	bool		stands;			/* set by a step: it has only gone back to
								 * where the job is */
} Job;

static inline bool
job_is_finished(const Job *job)
{
	return job->status != JOB_IN_PROGRESS && job->status != JOB_CANCELLING;
}

/*
 * What a kind does.  Between steps of the same process it may keep things in
 * memory; it must know them again by the job's number and position, since
 * a step that was done may have been rolled back.
 */
typedef struct JobHandler
{
	JobKind		kind;

	/*
	 * One step, in a transaction (and a subtransaction of it), as the owner.
	 * Sets job->position, and job->relid when that is known; retry_at if the
	 * next step is not to come before.  True: the job is done.  It has then
	 * JOB_COMPLETED, unless the step has set another status that is final,
	 * with failure_code and failure_message.
	 *
	 * An error undoes the step.  One of job_fail(), of the API and most
	 * others end the job; deadlocks, lack of resources and the like have the
	 * step tried again, some seconds later each time.
	 */
	bool		(*step) (Job *job);

	/*
	 * It has failed (JOB_FAILED) or was cancelled (JOB_CANCELLED): clean up,
	 * as the owner, in the transaction that says so.  May set position, and
	 * the status or failure that clients are to see.  What it raises is
	 * logged, and undone.  May be NULL.
	 */
	void		(*failed) (Job *job);

	/*
	 * That is the work of the owner of the job's table, if there is one, who
	 * may be another role by now.
	 */
	bool		cleans_table;

	/*
	 * The FailureCode of an error of a step that is to end the job; NULL: no
	 * special one.  May be NULL.
	 */
	const char *(*failure_code) (const ErrorData *error);
} JobHandler;

/* job_find.c: called once a process */
extern void job_init(void);

/* job_kind.c: likewise */
extern void job_register(const JobHandler *handler);

extern void job_fail(const char *code, const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(2, 3);

/*
 * job_submit.c
 *
 * The caller sets kind, table_name and request, perhaps relid, token and
 * position, and has checked that its current user may have this done.
 */

/* Inserts the job; a worker is started when the transaction has committed */
extern void job_submit(Job *job);

/*
 * Do all of it now, in the caller's transaction and session, as the current
 * user; its errors are raised.  The job is there afterwards, finished.
 */
extern void job_run_now(Job *job);

/*
 * job_find.c: what the current user may know: jobs of roles it has the rights
 * of, and those on its tables; a superuser all.  What is returned is a copy in
 * the current context.
 */
extern const Job *job_find(JobKind kind, const char *id);	/* NULL: none */

/* Of whatever kind; NULL: none */
extern const Job *job_find_any(const char *id);

/*
 * The last with that token, of this very role, since then; NULL: none.  Waits
 * for others who have looked for it, and keeps them waiting to the end of the
 * transaction.  Otherwise a request sent twice at once could be done twice.
 */
extern const Job *job_find_token(JobKind kind, const char *token,
								 TimestampTz since);

/*
 * At most "limit" (0: all) of Job *, newest first, of a table by its name (NULL:
 * of all) and relation (InvalidOid: of all that have had the name), those before
 * the one with that id (NULL: from the newest).
 */
extern List *job_list(JobKind kind, const char *table_name, Oid relid,
					  const char *before, int limit);

/*
 * The unfinished restore or import that is to make this table, of whatever
 * owner; NULL: none.  Until the table is there, its name is taken, and it is
 * described as CREATING.
 */
extern const Job *job_pending_for(const char *table_name);

/*
 * Up to "limit" names of tables greater than "after" (NULL: all), as a list of
 * char *, in byte order: of those that there are, and of those that restores
 * are to make and the current user may know of.
 */
extern List *job_list_tables(const char *after, int limit);

/* How many of a kind have not ended, of all roles. */
extern int	job_count_unfinished(JobKind kind);

extern List *job_list_mine(void);

/* Of Job *, all of a kind that have not ended, of whatever owner */
extern List *job_list_unfinished(JobKind kind);

/*
 * job_row.c
 *
 * Where a page lies that looks at "count" jobs (2 or more) before the one with
 * that id (NULL: from the newest), whoever may know of them: ids of its newest
 * and its oldest job, with room for JOB_ID_LENGTH characters.  False: there are
 * no more than these; "oldest" is "" then, and "newest", too, if there is none.
 */
extern bool job_reach(const char *before, int count, char *newest,
					  char *oldest);

/* The id of what was made then */
extern void job_make_id(char *id, TimestampTz created_at, int32 number);

extern void job_forget(TimestampTz ended_before);

/*
 * job_cancel.c: have a job end as soon as possible; it is JOB_CANCELLING
 * until then.  False: it has ended already.  The caller has it from
 * job_find().
 */
extern bool job_cancel(const Job *job);

/*
 * job_progress.c: for pg_stat_progress_copy, which dynamo.stat_progress_job
 * reads.  Totals of the whole job so far; "bytes_total" 0: not known.
 */
extern void job_progress(const Job *job, int64 bytes, int64 bytes_total,
						 int64 items, int64 excluded);
extern void job_progress_end(void);

/*
 * job_turn.c: the work of a process that works jobs off
 */
#define JOB_MAX_ATTEMPTS	5

typedef enum JobOutcome
{
	JOB_NOTHING,				/* it has ended, or must wait */
	JOB_BUSY,					/* somebody else is at it */
	JOB_GOES_ON,				/* a step was done; there are more */
	JOB_TURN_OVER,				/* it goes on in another turn: a step has
								 * failed, or has only gone back to where the
								 * job is */
	JOB_ENDED					/* that was the last step */
} JobOutcome;

extern DynamoWorkers job_callbacks;

/* What a worker picks from. */
typedef struct JobDue
{
	int32		number;
	Oid			owner;
} JobDue;

extern List *job_list_due(TimestampTz *next);

/*
 * Begin a turn, in a transaction of its own: notes an attempt, but by hand, and
 * locks the job for the session.  False: there is nothing to do, or somebody is at it.
 */
extern bool job_begin(int32 number, bool by_hand);

/* A step of a turn, in a transaction. */
extern JobOutcome job_step(int32 number, bool by_hand);

/*
 * Raise what ends a step whose process is to end.  For a step that has waited for
 * standbys: such a wait is cut short by a cancel, and says nothing.
 */
extern void job_check_left(void);

/* May an error that ends a step not come again? */
extern bool job_may_pass(int sqlerrcode);

/*
 * The transaction of a step has failed, by that error, of which the SQLSTATE and the
 * message count.  By hand it is whole, since a cancel of the session is raised again.
 */
extern JobOutcome job_note_failure(int32 number, bool by_hand,
								   const ErrorData *error);

/* The turn is over */
extern void job_end_turn(int32 number);

#endif							/* DYNAMO_JOB_H */
