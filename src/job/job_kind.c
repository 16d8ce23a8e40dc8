/*-------------------------------------------------------------------------
 *
 * job_kind.c
 *	  The kinds of jobs, and how a step of one gives up.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "job/job_internal.h"

#define MAX_KINDS	8

static const JobHandler *handlers[MAX_KINDS];
static int	nhandlers = 0;

void
job_register(const JobHandler *handler)
{
	if (nhandlers >= MAX_KINDS)
		elog(ERROR, "too many kinds of jobs");
	handlers[nhandlers++] = handler;
}

const JobHandler *
job_handler(JobKind kind)
{
	for (int i = 0; i < nhandlers; i++)
	{
		if (handlers[i]->kind == kind)
			return handlers[i];
	}
	elog(ERROR, "no handler for jobs of kind \"%c\"", kind);
	return NULL;				/* keep compiler quiet */
}

/*
 * End the job of this step as JOB_FAILED, with what clients are to see.  The
 * code travels as the constraint's name, as rules do.
 */
void
job_fail(const char *code, const char *fmt,...)
{
	va_list		args;
	char	   *message;

	va_start(args, fmt);
	message = dynamo_format(fmt, args);
	va_end(args);
	ereport(ERROR,
			(errcode(JOB_FAILURE),
			 errmsg_internal("%s", message),
			 err_generic_string(PG_DIAG_CONSTRAINT_NAME, code)));
}
