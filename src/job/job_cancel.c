/*-------------------------------------------------------------------------
 *
 * job_cancel.c
 *	  Cancelling a job.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "job/job_internal.h"
#include "miscadmin.h"

/*
 * Have a job end as soon as possible; it is JOB_CANCELLING until then.  False:
 * it has ended already.  The caller has it from job_find().  A process at work
 * on it is interrupted now, and waits for this transaction to see why.
 */
bool
job_cancel(const Job *job)
{
	Job		   *now;

	PreventCommandIfReadOnly("cancelling a job");
	PreventCommandIfParallelMode("cancelling a job");
	job_lock_row(job->number);
	now = job_row_read(job->number);
	if (now == NULL || job_is_finished(now))
		return false;
	now->status = JOB_CANCELLING;
	now->retry_at = 0;
	job_row_update(now);
	job_interrupt(job->number);
	job_start_worker();
	return true;
}
