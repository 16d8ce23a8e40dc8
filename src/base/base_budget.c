/*-------------------------------------------------------------------------
 *
 * base_budget.c
 *	  How much a request may read before it counts as long.
 *
 * A budget belongs to one request alone.  Functions of users may run requests
 * of their own inside it, which have none.  So no such function can catch this
 * error, and the answer does not depend on the process that executes the
 * request.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "base/base_budget.h"

/*
 * The request has read more than it may.  The error is one of those that no
 * subtransaction of ours turns into an answer.
 */
void
dynamo_budget_overdrawn(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_QUERY_CANCELED),
			 err_generic_string(PG_DIAG_CONSTRAINT_NAME, DYNAMO_RULE_BUDGET),
			 errmsg("the request reads too much for this process")));
}
