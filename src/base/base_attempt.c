/*-------------------------------------------------------------------------
 *
 * base_attempt.c
 *	  Work in a subtransaction, whose error the caller looks at.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base.h"
#include "utils/resowner.h"

/*
 * Do work in a subtransaction.  It is kept if the work returns true, undone if
 * it returns false, and undone if it fails: then the error is returned, in the
 * current context.  NULL: there was none.
 */
ErrorData *
dynamo_attempt(bool (*work) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		if (work(arg))
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

/*
 * An error that is not about the work, but about the process that does it: a
 * cancel, a time-out, a lack of memory or disk.  It goes on to the caller's
 * caller.
 */
void
dynamo_attempt_pass(ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	if (category == ERRCODE_OPERATOR_INTERVENTION ||
		category == ERRCODE_INSUFFICIENT_RESOURCES)
		ReThrowError(error);
}
