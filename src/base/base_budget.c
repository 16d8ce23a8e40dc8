/*-------------------------------------------------------------------------
 *
 * base_budget.c
 *	  How much a request may read before it counts as long.
 *
 * A budget is granted for the next request, and belongs to that one alone.
 * Functions of users may run requests of their own inside it (dynamo.call).
 * These have no budget, and the one around them has none from there on.
 * Otherwise a function could catch the error, and the answer would depend on
 * who executes the request.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "base/base_budget.h"

int64		dynamo_budget = 0;

static int64 granted = 0;

/*
 * The next request may read so many bytes; 0: any number.
 */
void
dynamo_budget_grant(int64 bytes)
{
	granted = bytes;
}

/*
 * A request begins.
 */
void
dynamo_budget_begin(void)
{
	dynamo_budget = granted;
	granted = 0;
}

/*
 * The request has read more than it may.  The error is one of those that no
 * subtransaction of ours turns into an answer.
 */
void
dynamo_budget_overdrawn(void)
{
	dynamo_budget = 0;
	ereport(ERROR,
			(errcode(ERRCODE_QUERY_CANCELED),
			 err_generic_string(PG_DIAG_CONSTRAINT_NAME, DYNAMO_RULE_BUDGET),
			 errmsg("the request reads too much for this process")));
}
