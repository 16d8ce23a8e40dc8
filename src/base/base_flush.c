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
#include "base/base.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"

/*
 * Wait until the log is as durable as synchronous_commit demands, up to "lsn".
 */
void
dynamo_flush(XLogRecPtr lsn)
{
	if (synchronous_commit == SYNCHRONOUS_COMMIT_OFF)
		return;
	XLogFlush(lsn);
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, true);
	RESUME_INTERRUPTS();
	dynamo_flush_check();
}

/*
 * A wait for standbys is cut short in a process that is to end, or whose postmaster
 * has gone.  What has been committed is not to be answered then: a standby that is
 * promoted may not have it.  Core only takes the client from the process.  Ours has
 * many clients, and answers them by itself, so it ends here.
 */
void
dynamo_flush_check(void)
{
	if (ProcDiePending && SyncRepRequested() && SyncRepStandbyNames != NULL &&
		SyncRepStandbyNames[0] != '\0')
		ereport(FATAL,
				(errcode(ERRCODE_ADMIN_SHUTDOWN),
				 errmsg("dynamo ends before clients are answered whose changes a standby may lack"),
				 errdetail("The changes have already been committed locally.")));
}
