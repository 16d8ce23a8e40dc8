/*-------------------------------------------------------------------------
 *
 * base_flush.c
 *	  One wait for the disk for several commits that did not wait.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "base/base.h"
#include "miscadmin.h"
#include "replication/syncrep.h"

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
}
