/*-------------------------------------------------------------------------
 *
 * job_submit.c
 *	  Asking for a job.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "job/job_internal.h"
#include "miscadmin.h"

static void insert(Job *job);

void
job_submit(Job *job)
{
	insert(job);
	job_start_worker();
}

static void
insert(Job *job)
{
	PreventCommandIfReadOnly("making a job");
	PreventCommandIfParallelMode("making a job");
	job->status = JOB_IN_PROGRESS;
	job->owner = GetUserId();
	job->owner_name = GetUserNameFromId(job->owner, false);
	job->created_at = GetCurrentTimestamp();
	job_row_insert(job);
}

/*
 * Its row is held against workers: nobody else sees it until it is finished.
 */
void
job_run_now(Job *job)
{
	const JobHandler *handler = job_handler(job->kind);

	insert(job);
	job->started_at = job->created_at;
	while (!handler->step(job))
		CHECK_FOR_INTERRUPTS();
	if (!job_is_finished(job))
		job->status = JOB_COMPLETED;
	job->ended_at = GetCurrentTimestamp();
	job_row_update(job);
}

/*
 * If none is to be had, the next round of maintenance starts one.
 */
void
job_start_worker(void)
{
	dynamo_want_worker(&job_callbacks);
}
