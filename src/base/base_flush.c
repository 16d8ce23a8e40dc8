/*-------------------------------------------------------------------------
 *
 * base_flush.c
 *	  One wait for the disk, and for standbys, for several commits that did not
 *	  wait.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "base/base.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"

static void end_if_cut_short(void);
static bool awaits_standbys(void);

/*
 * Wait until the log is as durable as synchronous_commit demands, up to "lsn".
 *
 * A cancel would end the wait for standbys, and nobody would know.  Between
 * requests there is nothing to be cancelled.
 */
void
dynamo_flush(XLogRecPtr lsn)
{
	bool		ignores;

	if (synchronous_commit == SYNCHRONOUS_COMMIT_OFF)
		return;
	XLogFlush(lsn);
	ignores = awaits_standbys() && !IsTransactionState();
	HOLD_INTERRUPTS();
	if (ignores)
	{
		pqsignal(SIGINT, SIG_IGN);
		QueryCancelPending = false;
	}
	SyncRepWaitForLSN(lsn, true);
	if (ignores)
		pqsignal(SIGINT, StatementCancelHandler);
	RESUME_INTERRUPTS();
	end_if_cut_short();

	/* The wait has reset the latch, whoever had set it. */
	if (ignores)
		SetLatch(MyLatch);
}

/*
 * A wait for standbys is cut short in a process that is to end, or whose postmaster
 * has gone.  What has been committed is not to be answered then: a standby that is
 * promoted may not have it.  Core only takes the client from the process.  Ours has
 * many clients, and answers them by itself, so it ends here.
 */
static void
end_if_cut_short(void)
{
	if (ProcDiePending && awaits_standbys())
		ereport(FATAL,
				(errcode(ERRCODE_ADMIN_SHUTDOWN),
				 errmsg("dynamo ends before clients are answered whose changes a standby may lack"),
				 errdetail("The changes have already been committed locally.")));
}

/*
 * The end of the log, as far as it can be flushed.
 *
 * The next record may begin behind the head of a page, of which nothing is
 * written before that: XLogFlush() would complain that it cannot get there.
 */
XLogRecPtr
dynamo_log_end(void)
{
	XLogRecPtr	end = GetXLogInsertRecPtr();
	bool		first = XLogSegmentOffset(end, wal_segment_size) < XLOG_BLCKSZ;
	Size		head = first ? SizeOfXLogLongPHD : SizeOfXLogShortPHD;

	return end % XLOG_BLCKSZ == head ? end - head : end;
}

/*
 * What is to be waited for after PREPARE TRANSACTION or COMMIT PREPARED, whose wait for
 * standbys may have been cancelled, which nobody is told: the end of the log.  Invalid:
 * no standby is waited for.
 */
XLogRecPtr
dynamo_standbys_end(void)
{
	return awaits_standbys() ? dynamo_log_end() : InvalidXLogRecPtr;
}

/*
 * As all know it: this process may not have read the setting yet.
 */
static bool
awaits_standbys(void)
{
	if (!SyncRepRequested())
		return false;
	if (SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0')
		return true;
#ifdef SYNC_STANDBY_DEFINED
	return (WalSndCtl->sync_standbys_status & SYNC_STANDBY_DEFINED) != 0;
#else
	return WalSndCtl->sync_standbys_defined;
#endif
}
