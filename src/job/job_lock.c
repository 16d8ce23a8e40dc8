/*-------------------------------------------------------------------------
 *
 * job_lock.c
 *	  The locks of a job.
 *
 * A process at work on a job holds its run for the session, and so between the
 * transactions of its steps.  dynamo.stat_progress_job finds the process by
 * that lock.  A row is changed under another one.  Otherwise nobody could
 * cancel a job while a step goes on, and two changes could meet in
 * simple_heap_update(), which cannot wait.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "common/hashfn.h"
#include "job/job_internal.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"

#define RUN		0
#define ROW		1
#define TOKEN	2

static void set_tag(LOCKTAG *tag, int32 number, int sub);

/*
 * For the session; the end of a transaction that fails lets go of it, too.
 * False: "wait" is false, and somebody else has it.
 */
bool
job_lock_run(int32 number, bool wait)
{
	LOCKTAG		tag;

	set_tag(&tag, number, RUN);
	if (compat_holds_lock(&tag, ExclusiveLock))
		return true;
	return LockAcquire(&tag, ExclusiveLock, true, !wait) !=
		LOCKACQUIRE_NOT_AVAIL;
}

bool
job_has_run(int32 number)
{
	LOCKTAG		tag;

	set_tag(&tag, number, RUN);
	return compat_holds_lock(&tag, ExclusiveLock);
}

void
job_unlock_run(int32 number)
{
	LOCKTAG		tag;

	set_tag(&tag, number, RUN);
	if (compat_holds_lock(&tag, ExclusiveLock))
		(void) LockRelease(&tag, ExclusiveLock, true);
}

void
job_lock_row(int32 number)
{
	(void) job_take_row(number, true);
}

/*
 * False: "wait" is false, and somebody else is changing it.
 */
bool
job_take_row(int32 number, bool wait)
{
	LOCKTAG		tag;

	set_tag(&tag, number, ROW);
	return LockAcquire(&tag, ExclusiveLock, false, !wait) !=
		LOCKACQUIRE_NOT_AVAIL;
}

/*
 * Wait for those who are changing the row.  False: "wait" is false, and somebody is.
 */
bool
job_wait_row(int32 number, bool wait)
{
	LOCKTAG		tag;

	set_tag(&tag, number, ROW);
	if (LockAcquire(&tag, ShareLock, false, !wait) == LOCKACQUIRE_NOT_AVAIL)
		return false;
	(void) LockRelease(&tag, ShareLock, false);
	return true;
}

/*
 * Cancel the step that somebody is at.
 */
void
job_interrupt(int32 number)
{
	LOCKTAG		tag;
	VirtualTransactionId *holder;

	set_tag(&tag, number, RUN);
	holder = GetLockConflicts(&tag, ExclusiveLock, NULL);
	for (; VirtualTransactionIdIsValid(*holder); holder++)
	{
		PGPROC	   *proc = compat_lock_holder(*holder);

		if (proc != NULL && proc->pid != 0)
			(void) kill(proc->pid, SIGINT);
	}
}

/*
 * Keep others from submitting a job of the current user with that token, to
 * the end of the transaction.  Tokens of one hash wait for each other, too.
 */
void
job_lock_token(JobKind kind, const char *token)
{
	LOCKTAG		tag;
	uint32		hash = hash_bytes((const unsigned char *) token,
								  strlen(token));

	hash = hash_combine(hash_combine(hash, kind), GetUserId());
	set_tag(&tag, (int32) hash, TOKEN);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

static void
set_tag(LOCKTAG *tag, int32 number, int sub)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, job_row_table(), number, sub);
}
