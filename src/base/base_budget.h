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

#include "base/compat.h"

/* What may be read before a request counts as long. */
#define DYNAMO_BUDGET		(96 * 1024)

/* What an item costs besides its bytes. */
#define DYNAMO_ITEM_COST	256

/* Bytes left of the request being executed; 0: it has no budget. */
extern int64 dynamo_budget;

extern void dynamo_budget_grant(int64 bytes);
extern void dynamo_budget_begin(void);
extern void dynamo_budget_overdrawn(void) pg_attribute_noreturn();

/*
 * An item of so many bytes has been read.  Raises if that is more than the
 * budget allows: the caller has changed nothing yet, or its transaction is
 * undone.
 */
static inline void
dynamo_budget_spend(uint64 bytes)
{
	if (dynamo_budget > 0 &&
		(dynamo_budget -= (int64) bytes + DYNAMO_ITEM_COST) <= 0)
		dynamo_budget_overdrawn();
}

#endif							/* DYNAMO_BASE_BUDGET_H */
