/*-------------------------------------------------------------------------
 *
 * base_request.c
 *	  The requests of a process that executes one after the other, each in a
 *	  transaction.
 *
 *	  dynamo_request_begin()
 *	  ... the request
 *	  dynamo_request_commit(), or after an error dynamo_request_abort()
 *
 * A commit does not wait for the disk, unless other nodes wait for it.  The
 * process that answers the request does so first, by dynamo_flush(), once for
 * several requests.
 *
 * Cancels and timeouts concern the request at hand alone: between requests they
 * are forgotten (base_session.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "base/base.h"
#include "base/base_request.h"
#include "base/base_session.h"
#include "utils/timeout.h"

/* synchronous_commit, as it was before the request. */
static int	durability;

/* The request's transaction is one of several nodes. */
static bool first = false;

/*
 * A request begins, and is cancelled after so many milliseconds (0: never).  It
 * is a READ COMMITTED transaction whatever the default is: the service has no
 * other, and its clients would not understand a serialization failure.
 */
void
dynamo_request_begin(int timeout)
{
	durability = synchronous_commit;
	first = false;
	dynamo_obey_cancels();
	dynamo_transaction_begin();
	XactIsoLevel = XACT_READ_COMMITTED;
	if (timeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, timeout);
}

/*
 * Other nodes may commit their parts of this transaction right after its commit
 * here.  So it is on disk first, even in a session whose commits do not wait
 * for that, and on the standbys that synchronous_commit demands.
 */
void
dynamo_commit_first(void)
{
	ForceSyncCommit();
	first = true;
}

/*
 * The end of the commit in the log, invalid if the request has written nothing.
 * Up to the commit itself the request may be cancelled, and has done nothing
 * then.  A cancel that comes later must not take its answer.  What a reader has
 * written, as when it prunes a page, need not be on disk before its answer.
 */
XLogRecPtr
dynamo_request_commit(void)
{
	bool		wrote = TransactionIdIsValid(GetTopTransactionIdIfAny());

	if (synchronous_commit > SYNCHRONOUS_COMMIT_OFF && !first)
		synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
	dynamo_transaction_commit();
	dynamo_ignore_cancels();
	synchronous_commit = durability;
	return wrote ? XactLastCommitEnd : InvalidXLogRecPtr;
}

/*
 * The request has failed.  Interrupts are held.
 */
void
dynamo_request_abort(void)
{
	synchronous_commit = durability;
	disable_all_timeouts(false);
	AbortOutOfAnyTransaction();
}
