/*-------------------------------------------------------------------------
 *
 * api_attempt.c
 *	  Work whose error is an answer.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"

typedef struct Attempt
{
	ApiWork		work;
	void	   *arg;
} Attempt;

static bool do_work(void *arg);

/*
 * Do work in a subtransaction.  NULL: it is done; else it is undone, and this
 * is its error, in the current context.  A cancelled query is no answer: that
 * error is thrown on.
 */
ErrorData *
api_attempt(ApiWork work, void *arg)
{
	Attempt		attempt = {work, arg};
	ErrorData  *error = dynamo_attempt(do_work, &attempt);

	if (error && ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
		ERRCODE_TO_CATEGORY(ERRCODE_QUERY_CANCELED))
		ReThrowError(error);
	return error;
}

static bool
do_work(void *arg)
{
	Attempt    *attempt = arg;

	attempt->work(attempt->arg);
	return true;
}

/*
 * Do work that touches nothing but memory, so that its error needs no
 * subtransaction.  NULL: it is done; else this is the error that says what is
 * wrong with the request.  Any other error is thrown on.
 */
ErrorData *
api_refusal(ApiWork work, void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData  *volatile refusal = NULL;

	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		ErrorData  *error;
		DynamoException exception;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (!dynamo_exception_of(error->sqlerrcode, &exception) ||
			(exception != DYNAMO_VALIDATION &&
			 exception != DYNAMO_SERIALIZATION))
			PG_RE_THROW();
		FlushErrorState();
		refusal = error;
	}
	PG_END_TRY();
	return refusal;
}
