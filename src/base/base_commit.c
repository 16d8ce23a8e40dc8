/*-------------------------------------------------------------------------
 *
 * base_commit.c
 *	  What is to be done when the transaction has committed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base.h"

/* Different things at most. */
#define MAX_DUE		8

static void (*due[MAX_DUE]) (void);
static int	ndue = 0;

static void at_end(XactEvent event, void *arg);

/*
 * Have "work" done once after the commit of the current transaction, and not if
 * it is rolled back or prepared.  The work must not fail.
 */
void
dynamo_at_commit(void (*work) (void))
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(at_end, NULL);
	registered = true;
	for (int i = 0; i < ndue; i++)
	{
		if (due[i] == work)
			return;
	}
	if (ndue == MAX_DUE)
		elog(ERROR, "too many things are to be done at commit");
	due[ndue++] = work;
}

static void
at_end(XactEvent event, void *arg)
{
	int			n = ndue;

	switch (event)
	{
		case XACT_EVENT_COMMIT:
			ndue = 0;
			for (int i = 0; i < n; i++)
				due[i] ();
			break;
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			ndue = 0;
			break;
		default:
			break;
	}
}
