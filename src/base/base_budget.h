/*-------------------------------------------------------------------------
 *
 * base_budget.h
 *	  How much a request may read before it counts as long.
 *
 * A process that serves many clients grants each request a budget, and has
 * another process do what does not end within it (src/http).  The budget is
 * counted in bytes read, so that the same request ends in the same way each
 * time; no clock is read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_BUDGET_H
#define DYNAMO_BASE_BUDGET_H

#include "postgres.h"

#include "base/base_request.h"
#include "base/compat.h"

/* What may be read before a request counts as long. */
#define DYNAMO_BUDGET		(96 * 1024)

/* What an item costs besides its bytes. */
#define DYNAMO_ITEM_COST	256

extern void dynamo_budget_overdrawn(void) pg_attribute_noreturn();

/*
 * An item of so many bytes has been read for the request (NULL: for none).
 * Raises if that is more than its budget allows: the caller has changed
 * nothing yet, or its transaction is undone.
 */
static inline void
dynamo_budget_spend(DynamoRequest *request, uint64 bytes)
{
	if (request != NULL && request->budget > 0 &&
		(request->budget -= (int64) bytes + DYNAMO_ITEM_COST) <= 0)
		dynamo_budget_overdrawn();
}

#endif							/* DYNAMO_BASE_BUDGET_H */
