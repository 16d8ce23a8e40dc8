/*-------------------------------------------------------------------------
 *
 * job_turn.c
 *	  A turn at a job: some steps, each in a transaction of its own.
 *
 * Before the first step a transaction notes an attempt.  Each step that is
 * done takes the note away, so one that takes the server down every time is
 * given up after some attempts.  A turn by hand, which nobody repeats but who has
 * begun it, notes only what has failed.
 *
 * The step's work is done in a subtransaction.  When it fails, the failure is
 * noted in the transaction around it.  What fails later, at commit, takes the
 * whole transaction; the caller then has it noted in another one, unless somebody
 * is changing the job's row at that moment.
 *
 * A failure that may not come again (a deadlock, a full disk, memory) has the
 * step tried again after a while; any other ends the job.  So does one that
 * comes again too often.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_pause.h"
#include "job/job_internal.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "schema/schema.h"

DynamoWorkers job_callbacks;

/* A step being done. */
typedef struct Step
{
	Job		   *job;
	const JobHandler *handler;
	bool		by_hand;
	bool		done;
} Step;

static bool is_waiting_for_name(const Job *job);
static Job *read_claimed(int32 number, bool by_hand);
static JobOutcome take_step(int32 number, bool by_hand);
static bool may_work(const Job *job, bool by_hand);
static JobOutcome leave_to_others(int32 number);
static JobOutcome take_back(Job *job, bool by_hand);
static bool run_step(void *step);
static bool clean_up(void *step);
static void report(const Job *job, const ErrorData *error);
static JobOutcome note_step(Step *step);
static JobOutcome note_error(Step *step, const ErrorData *error);
static const char *failure_code(const JobHandler *handler,
								const ErrorData *error);
static JobOutcome end_as(Step *step, JobStatus status);
static bool may_clean_again(const Step *step, const ErrorData *error);
static JobOutcome clean_up_later(const Step *step);
static Oid	cleaner(const Step *step);
static JobOutcome write_end(Job *job);

/*
 * Of JobDue *, oldest first; *more is when the next is to be tried, or 0.
 */
List *
job_list_due(TimestampTz *next)
{
	List	   *due = NIL;
	ListCell   *lc;

	*next = 0;
	foreach(lc, job_row_unfinished(NULL, NULL))
	{
		const Job  *job = lfirst(lc);
		JobDue	   *one;

		if (is_waiting_for_name(job))
			continue;
		if (dynamo_turn_waits(job->retry_at))
		{
			if (*next == 0 || job->retry_at < *next)
				*next = job->retry_at;
			continue;
		}
		one = palloc(sizeof(*one));
		one->number = job->number;
		one->owner = job->owner;
		due = lappend(due, one);
	}
	return due;
}

/*
 * One whose role was renamed waits until the role has its name again, or
 * somebody cancels the job.
 */
static bool
is_waiting_for_name(const Job *job)
{
	return !OidIsValid(job->owner) && !job->orphan &&
		job->status != JOB_CANCELLING;
}

/*
 * A worker waits for no row that somebody is changing, who may be in no hurry: it does
 * not count yet as one of the role's.
 */
bool
job_begin(int32 number, bool by_hand)
{
	Job		   *job = NULL;

	PreventCommandIfReadOnly("working on a job");
	PreventCommandIfParallelMode("working on a job");
	if (!job_lock_run(number, by_hand))
		return false;
	if (job_take_row(number, by_hand))
		job = read_claimed(number, by_hand);
	if (job == NULL || !may_work(job, by_hand))
	{
		job_unlock_run(number);
		return false;
	}
	if (!by_hand)
		job->attempts++;
	if (job->started_at == 0)
		job->started_at = GetCurrentTimestamp();
	job_row_update(job);
	return true;
}

/*
 * NULL: there is nothing to do.
 */
static Job *
read_claimed(int32 number, bool by_hand)
{
	Job		   *job = job_row_read(number);

	if (job == NULL || job_is_finished(job) || is_waiting_for_name(job))
		return NULL;
	if (!by_hand && dynamo_turn_waits(job->retry_at))
		return NULL;
	return job;
}

static bool
may_work(const Job *job, bool by_hand)
{
	return dynamo_may_work(&job_callbacks, by_hand, job->owner, job->relid,
						   job->table_name);
}

JobOutcome
job_step(int32 number, bool by_hand)
{
	MemoryContext caller = dynamo_turn_begin();
	JobOutcome	outcome = take_step(number, by_hand);

	dynamo_turn_end(caller);
	return outcome;
}

/*
 * The job's run is locked before its row is waited for.  So a cancellation is
 * either read here, or finds a process to interrupt.
 */
static JobOutcome
take_step(int32 number, bool by_hand)
{
	Step		step = {.by_hand = by_hand};
	ErrorData  *error;

	if (!job_has_run(number) || !job_wait_row(number, by_hand))
		return JOB_BUSY;
	step.job = read_claimed(number, by_hand);
	if (step.job == NULL)
		return JOB_NOTHING;
	if (!may_work(step.job, by_hand))
		return leave_to_others(number);
	step.handler = job_handler(step.job->kind);
	if (step.job->status == JOB_CANCELLING)
		return end_as(&step, JOB_CANCELLED);
	if (!OidIsValid(step.job->owner))
	{
		step.job->failure_code = "AccessDenied";
		step.job->failure_message =
			psprintf("role \"%s\" does not exist any more",
					 step.job->owner_name);
		return end_as(&step, JOB_FAILED);
	}
	if (step.job->attempts > JOB_MAX_ATTEMPTS)
	{
		if (step.job->failure_code == NULL)
			step.job->failure_code = "InternalServerError";
		if (step.job->failure_message == NULL)
			step.job->failure_message =
				psprintf("The job was begun %d times and did not get on.",
						 JOB_MAX_ATTEMPTS);
		return end_as(&step, JOB_FAILED);
	}
	step.job->retry_at = 0;
	if (step.job->position != NULL)
		dynamo_pause("job");
	error = dynamo_turn_work(step.job->owner, by_hand, run_step, &step);
	if (error == NULL)
		return note_step(&step);
	report(step.job, error);
	return note_error(&step, error);
}

/*
 * Others have taken the role's share of processes since the turn began.
 */
static JobOutcome
leave_to_others(int32 number)
{
	Job		   *job;

	if (!job_take_row(number, false))
		return JOB_BUSY;
	job = job_row_read(number);
	if (job != NULL && !job_is_finished(job))
		(void) take_back(job, false);
	return JOB_BUSY;
}

/*
 * The turn has come to nothing, which is nobody's fault.  It takes back its own
 * note, and leaves those of others; by hand there is none.  The row is locked.
 */
static JobOutcome
take_back(Job *job, bool by_hand)
{
	if (!by_hand)
		job->attempts = Max(job->attempts - 1, 0);
	job_row_update(job);
	return JOB_TURN_OVER;
}

/*
 * To the log, or to the session that works by hand.
 */
static void
report(const Job *job, const ErrorData *error)
{
	ereport(error->sqlerrcode == ERRCODE_QUERY_CANCELED ? DEBUG1 : WARNING,
			(dynamo_rest_of(error),
			 errmsg("job \"%s\" on table \"%s\" has failed: %s", job->id,
					job->table_name, error->message)));
}

static bool
run_step(void *arg)
{
	Step	   *step = arg;

	step->done = step->handler->step(step->job);
	return true;
}

void
job_check_left(void)
{
	if (dynamo_work_is_left())
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("the process of the job is to end")));
}

/*
 * The step was done.  Somebody may have cancelled the job meanwhile: then it
 * goes no further, unless that was the end.
 */
static JobOutcome
note_step(Step *step)
{
	Job		   *job = step->job;
	Job		   *now;

	job_lock_row(job->number);
	now = job_row_read(job->number);
	if (now == NULL)
		return JOB_NOTHING;
	if (job->stands && now->status == JOB_IN_PROGRESS)
		return take_back(now, step->by_hand);
	job->attempts = 0;
	if (step->done)
	{
		if (!job_is_finished(job))
			job->status = JOB_COMPLETED;
		return write_end(job);
	}
	job->failure_code = job->failure_message = NULL;
	job->status = now->status;
	if (job->status == JOB_CANCELLING)
		job->retry_at = 0;		/* that waits for nothing */
	job_row_update(job);
	return JOB_GOES_ON;
}

/*
 * It has failed.  Being cancelled is no failure: either the job is to end, or
 * another turn, perhaps of another process, tries the step again.
 */
static JobOutcome
note_error(Step *step, const ErrorData *error)
{
	int32		number = step->job->number;
	Job		   *job;

	job_lock_row(number);
	job = job_row_read(number);
	if (job == NULL || job_is_finished(job))
		return JOB_NOTHING;
	step->job = job;
	if (job->status == JOB_CANCELLING)
		return end_as(step, JOB_CANCELLED);
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
	{
		/* A cancel of the session is meant for what it does. */
		if (step->by_hand)
			ReThrowError(unconstify(ErrorData *, error));

		/* A function that raises that by itself keeps no process busy. */
		job->retry_at = dynamo_turn_again(1);
		return take_back(job, false);
	}
	if (step->by_hand)
		job->attempts++;
	job->failure_code = pstrdup(failure_code(step->handler, error));
	job->failure_message = pstrdup(error->message);
	if (!job_may_pass(error->sqlerrcode) || job->attempts >= JOB_MAX_ATTEMPTS)
		return end_as(step, JOB_FAILED);
	job->retry_at = dynamo_turn_again(job->attempts);
	job_row_update(job);
	return JOB_TURN_OVER;
}

/*
 * An error that has nothing to do with what is asked for.
 */
bool
job_may_pass(int sqlerrcode)
{
	if (sqlerrcode == ERRCODE_DATA_CORRUPTED ||
		sqlerrcode == ERRCODE_INDEX_CORRUPTED)
		return false;
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_SYSTEM_ERROR:
		case ERRCODE_INTERNAL_ERROR:
			return true;
		default:
			return sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
	}
}

static const char *
failure_code(const JobHandler *handler, const ErrorData *error)
{
	const char *code = NULL;
	DynamoException e;

	if (error->sqlerrcode == JOB_FAILURE && error->constraint_name != NULL)
		return error->constraint_name;
	if (handler->failure_code != NULL)
		code = handler->failure_code(error);
	if (code != NULL)
		return code;
	if (dynamo_exception_of(error->sqlerrcode, &e))
		return strrchr(dynamo_exception_type(e), '#') + 1;
	return error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE ?
		"AccessDenied" : "InternalServerError";
}

/*
 * The job ends without having done all.
 */
static JobOutcome
end_as(Step *step, JobStatus status)
{
	Job		   *job = step->job;
	Oid			role = cleaner(step);

	job->status = status;
	if (step->handler->failed != NULL && OidIsValid(role))
	{
		ErrorData  *error = dynamo_turn_work(role, step->by_hand, clean_up,
											 step);
		bool		again = error != NULL && may_clean_again(step, error);

		/*
		 * Cancelled again: then all of it is done later, or by the session
		 * that cancels.
		 */
		if (error != NULL && (error->sqlerrcode == ERRCODE_QUERY_CANCELED ||
							  (again && step->by_hand)))
			ReThrowError(error);
		if (error != NULL)
			ereport(WARNING,
					(errcode(error->sqlerrcode),
					 errmsg("could not clean up after job \"%s\" on table \"%s\": %s",
							job->id, job->table_name, error->message)));
		if (again)
			return clean_up_later(step);
	}
	job_lock_row(job->number);
	return write_end(job);
}

/*
 * Is the failure to clean up one that may pass?  Who uses a table may keep it from
 * being dropped, and what is left of an import would be taken for all of it.
 */
static bool
may_clean_again(const Step *step, const ErrorData *error)
{
	return step->handler->cleans_table && job_may_pass(error->sqlerrcode) &&
		step->job->attempts < 2 * JOB_MAX_ATTEMPTS;
}

/*
 * The job has not ended yet.  Its step may be tried once more, too.
 */
static JobOutcome
clean_up_later(const Step *step)
{
	const Job  *job = step->job;
	Job		   *now;

	job_lock_row(job->number);
	now = job_row_read(job->number);
	if (now == NULL || job_is_finished(now))
		return JOB_NOTHING;
	now->failure_code = job->failure_code;
	now->failure_message = job->failure_message;
	now->retry_at = dynamo_turn_again(now->attempts);
	job_row_update(now);
	return JOB_TURN_OVER;
}

/*
 * Who cleans up.  Where the job's role is gone, or has another name, the table's
 * owner does, and of what the job has made of the table nobody else may.  Otherwise
 * half of an import would stay.
 */
static Oid
cleaner(const Step *step)
{
	const Job  *job = step->job;
	Oid			owner = meta_relation_owner(job->relid);

	if (OidIsValid(owner) &&
		(step->handler->cleans_table || !OidIsValid(job->owner)))
		return owner;
	return job->owner;
}

static bool
clean_up(void *arg)
{
	Step	   *step = arg;

	step->handler->failed(step->job);
	return true;
}

static JobOutcome
write_end(Job *job)
{
	Assert(job_is_finished(job));
	job->ended_at = GetCurrentTimestamp();
	job->retry_at = 0;
	if (job->status == JOB_COMPLETED || job->status == JOB_CANCELLED)
		job->failure_code = job->failure_message = NULL;
	job_row_update(job);
	return JOB_ENDED;
}

/*
 * The transaction of a step has failed in spite of all.  The failure of a turn
 * that has let go of the job is noted only if nobody else has it by now.
 */
JobOutcome
job_note_failure(int32 number, bool by_hand, const ErrorData *error)
{
	Step		step = {.by_hand = by_hand};
	bool		ours = job_lock_run(number, false);

	step.job = job_row_read(number);
	if (step.job != NULL && by_hand)
		report(step.job, error);	/* a worker has done so */
	if (ours && step.job != NULL && !job_is_finished(step.job) &&
		OidIsValid(step.job->owner) && job_take_row(number, by_hand))
	{
		step.handler = job_handler(step.job->kind);
		return note_error(&step, error);
	}
	if (by_hand && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(unconstify(ErrorData *, error));
	return ours ? JOB_NOTHING : JOB_TURN_OVER;	/* which goes on in theirs */
}

void
job_end_turn(int32 number)
{
	job_unlock_run(number);
	job_progress_end();
}
