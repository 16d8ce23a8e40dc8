/*-------------------------------------------------------------------------
 *
 * job_progress.c
 *	  What pg_stat_progress_copy shows of a job.
 *
 * Extensions cannot have a kind of command of their own there.  A job that
 * moves items is most like a COPY: bytes, and items that were taken or not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/progress.h"
#include "job/job_internal.h"
#include "pgstat.h"
#include "utils/backend_status.h"

/*
 * A statement of the step may have shown its own progress since.
 */
void
job_progress(const Job *job, int64 bytes, int64 bytes_total, int64 items,
			 int64 excluded)
{
	const int	params[] = {
		PROGRESS_COPY_COMMAND, PROGRESS_COPY_TYPE,
		PROGRESS_COPY_BYTES_PROCESSED, PROGRESS_COPY_BYTES_TOTAL,
		PROGRESS_COPY_TUPLES_PROCESSED, PROGRESS_COPY_TUPLES_EXCLUDED
	};
	const int64 values[] = {
		job->kind == JOB_EXPORT || job->kind == JOB_BACKUP ?
		PROGRESS_COPY_COMMAND_TO : PROGRESS_COPY_COMMAND_FROM,
		PROGRESS_COPY_TYPE_FILE, bytes, bytes_total, items, excluded
	};

	if (MyBEEntry == NULL)
		return;
	if (MyBEEntry->st_progress_command != PROGRESS_COMMAND_COPY ||
		MyBEEntry->st_progress_command_target != job->relid)
		pgstat_progress_start_command(PROGRESS_COMMAND_COPY, job->relid);
	pgstat_progress_update_multi_param(lengthof(params), params, values);
}

void
job_progress_end(void)
{
	pgstat_progress_end_command();
}
