/*-------------------------------------------------------------------------
 *
 * base_request.c
 *	  A request, and the transactions of a process that executes one request
 *	  after the other.
 *
 * A request is passed down as an argument.  Functions of users, which it may
 * call on its way, are called by Postgres and get no argument of ours, but a
 * request that they make is of the same client.  So the one that is being
 * executed is also known by a pointer.
 *
 * Each transaction:
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
#include "miscadmin.h"
#include "utils/timeout.h"

/*
 * The request in execution, the innermost; NULL: there is none.  A SQL
 * function that begins a request inside it cannot be given it as an argument,
 * and looks here for the client.
 */
static DynamoRequest *current = NULL;

/* synchronous_commit, as it was before the request that has begun. */
static int	durability;
static bool has_begun = false;

/* The request's transaction is one of several nodes. */
static bool first = false;

/* If this says so then, the commit is on disk before locks are released. */
static bool (*awaited) (void) = NULL;

/* Its answer goes by the log up to here, or by none. */
#define ALL_OF_LOG	PG_UINT64_MAX
static XLogRecPtr told = InvalidXLogRecPtr;

/* To be done once the transaction has ended, or NULL. */
static void (*settle) (bool committed) = NULL;

static void commit_with_nodes(void);
static void run_settle(bool committed);

/*
 * A request of the current client: the one whose request is being executed, or
 * the session.  It is executed here, as far as it goes, and its table's
 * throughput limits it if that limits the request it is inside of.
 */
void
dynamo_request_init(DynamoRequest *request, const struct Operation *operation)
{
	memset(request, 0, sizeof(DynamoRequest));
	request->operation = operation;
	request->context = CurrentMemoryContext;
	if (current == NULL)
		return;
	request->client = current->client;
	request->limited = current->limited;
}

/*
 * From here on requests of functions of users are inside this one.  The caller
 * must leave it on every way out, by an error or not: so it is right again
 * when a subtransaction around an inner request is rolled back.
 */
void
dynamo_request_enter(DynamoRequest *request)
{
	request->outer = current;
	current = request;
}

void
dynamo_request_leave(DynamoRequest *request)
{
	current = request->outer;
}

/*
 * A request begins, and is cancelled after so many milliseconds (0: never).  It
 * is a READ COMMITTED transaction whatever the default is: the service has no
 * other, and its clients would not understand a serialization failure.
 */
void
dynamo_request_begin(int timeout)
{
	durability = synchronous_commit;
	has_begun = true;
	first = false;
	awaited = NULL;
	settle = NULL;
	told = InvalidXLogRecPtr;
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
 * Somebody may copy what this transaction has written, as soon as it lets go of
 * its locks: then the commit is to be on disk before.  That is asked for when all
 * has been written.
 */
void
dynamo_commit_asks(bool (*is_awaited) (void))
{
	awaited = is_awaited;
}

/*
 * The answer goes by what others have committed, maybe without waiting for disk
 * and standbys: up to here in the log (invalid: by all of it).  So it waits for
 * that, though this transaction may write nothing, as where it deletes what another
 * has just deleted.
 */
void
dynamo_answer_asks(XLogRecPtr lsn)
{
	told = XLogRecPtrIsInvalid(lsn) ? ALL_OF_LOG : Max(told, lsn);
}

/*
 * Have "work" done when this transaction has ended, of a process that executes
 * one request after the other.
 */
void
dynamo_request_settles(void (*work) (bool committed))
{
	settle = work;
}

/*
 * An error would say that the transaction has failed.  The work may begin another
 * one, as to connect, which must not begin within the security context of this.
 * An error lets go of what holds interrupts off, wherever it is caught; but the
 * caller may hold them yet.
 */
static void
run_settle(bool committed)
{
	MemoryContext context = CurrentMemoryContext;
	void		(*work) (bool committed) = settle;
	uint32		interrupts = InterruptHoldoffCount;
	uint32		cancels = QueryCancelHoldoffCount;
	Oid			user;
	int			security;

	settle = NULL;
	if (work == NULL)
		return;
	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(user, 0);
	PG_TRY();
	{
		work(committed);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		EmitErrorReport();
		FlushErrorState();
	}
	PG_END_TRY();
	InterruptHoldoffCount = interrupts;
	QueryCancelHoldoffCount = cancels;
	SetUserIdAndSecContext(user, security);
}

/*
 * What is to be on disk before the answer: the end of the commit in the log, or
 * that of others that the answer goes by; invalid if there is neither.
 * Up to the commit itself the request may be cancelled, and has done nothing
 * then.  A cancel that comes later must not take its answer.  What a reader has
 * written, as when it prunes a page, need not be on disk before its answer.
 */
XLogRecPtr
dynamo_request_commit(void)
{
	bool		wrote = TransactionIdIsValid(GetTopTransactionIdIfAny());

	if (wrote && awaited != NULL && awaited())
		ForceSyncCommit();
	if (first)
		commit_with_nodes();
	else
	{
		if (synchronous_commit > SYNCHRONOUS_COMMIT_OFF)
			synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
		dynamo_transaction_commit();
	}
	dynamo_ignore_cancels();
	synchronous_commit = durability;
	has_begun = false;
	run_settle(true);
	if (wrote)
		return XactLastCommitEnd;
	return told != ALL_OF_LOG ? told :
		RecoveryInProgress() ? InvalidXLogRecPtr : dynamo_log_end();
}

/*
 * The transaction is left prepared, under a name, and on disk.
 */
void
dynamo_request_prepare(const char *name)
{
	dynamo_transaction_prepare(name);
	dynamo_ignore_cancels();
	has_begun = false;
}

/*
 * Only here does Citus see that a connection has gone.
 */
static void
commit_with_nodes(void)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		dynamo_transaction_commit();
	}
	PG_CATCH();
	{
		dynamo_rethrow_from_nodes(context);
	}
	PG_END_TRY();
}

/*
 * The request has failed, if it has begun.  Interrupts are held.
 */
void
dynamo_request_abort(void)
{
	if (has_begun)
		synchronous_commit = durability;
	has_begun = false;
	disable_all_timeouts(false);
	AbortOutOfAnyTransaction();
	run_settle(false);
}
