/*-------------------------------------------------------------------------
 *
 * sql_job.c
 *	  The SQL functions on jobs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "job/job.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "sql/sql.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(dynamo_cancel_job);
PG_FUNCTION_INFO_V1(dynamo_run_jobs);

static void run_all(void);
static void run_job_here(int32 number);
static JobOutcome step_here(int32 number);
static void commit(void);

/*
 * cancel_job(job): its id, or an ARN that ends with it
 */
Datum
dynamo_cancel_job(PG_FUNCTION_ARGS)
{
	char	   *name = sql_required_text_arg(fcinfo, 0, "job");
	const Job  *job = job_find_any(sql_table_name(name));

	if (job == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("job \"%s\" does not exist", name)));
	PG_RETURN_BOOL(job_cancel(job));
}

/*
 * run_jobs()
 */
Datum
dynamo_run_jobs(PG_FUNCTION_ARGS)
{
	CallContext *context = (CallContext *) fcinfo->context;

	if (context == NULL || !IsA(context, CallContext) || context->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("dynamo.run_jobs() cannot run inside a transaction block")));
	if (SPI_connect_ext(SPI_OPT_NONATOMIC) != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	run_all();
	SPI_finish();
	PG_RETURN_VOID();
}

/*
 * Those there are at this moment.  The list outlives transactions: SPI's
 * procedure context does.
 */
static void
run_all(void)
{
	ListCell   *lc;

	foreach(lc, job_list_mine())
	{
		run_job_here(lfirst_int(lc));
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * If somebody else is at it, wait for its end.
 */
static void
run_job_here(int32 number)
{
	JobOutcome	outcome = JOB_TURN_OVER;

	while (outcome == JOB_TURN_OVER)
	{
		bool		begun;

		PushActiveSnapshot(GetTransactionSnapshot());
		begun = job_begin(number, true);
		commit();
		if (!begun)
			break;
		do
		{
			outcome = step_here(number);
		} while (outcome == JOB_GOES_ON);
	}
	job_end_turn(number);
}

/*
 * What fails at commit, as a deferred trigger may, is a failure of the step, too.
 * SPI has begun another transaction then.
 */
static JobOutcome
step_here(int32 number)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData  *volatile error = NULL;
	JobOutcome	outcome;

	PushActiveSnapshot(GetTransactionSnapshot());
	outcome = job_step(number, true);
	PG_TRY();
	{
		commit();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error == NULL)
		return outcome;
	PushActiveSnapshot(GetTransactionSnapshot());
	outcome = job_note_failure(number, true, error);
	commit();
	return outcome;
}

static void
commit(void)
{
	PopActiveSnapshot();
	SPI_commit();
}
