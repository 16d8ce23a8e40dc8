/*-------------------------------------------------------------------------
 *
 * worker_run.c
 *	  A process in one database, and its transactions.
 *
 * Whoever drops, renames or copies a database waits some seconds for others to
 * leave it.  Autovacuum's workers are told to; we are not, and so each
 * transaction begins by asking whether somebody locked the database or waits
 * to.  It then holds the lock that a connecting session does, so that he waits
 * for its end, and finds us leaving when he begins to count the seconds.
 *
 * Unless somebody says otherwise, transactions are those of a guest: they
 * commit without waiting for the disk - what a crash takes back is done again
 * - and wait neither for a locked table nor for a function of the user's
 * longer than said below.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "worker/worker_internal.h"

/* How long a transaction may take, in milliseconds; 0: for ever. */
#define TRANSACTION_TIMEOUT	60000

int			worker_error = 0;

static int	transaction_timeout = TRANSACTION_TIMEOUT;

static void pin_settings(void);
static void is_installed(void *installed);
static void begin(const char *activity);
static void commit(void);
static void report(const char *activity, int elevel);

/*
 * Become a process of the database.  Is there anything for it to do?
 */
bool
worker_connect(Oid database)
{
	bool		installed = false;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	pin_settings();
	return !DefaultXactReadOnly &&
		worker_run("look for the extension", WARNING, is_installed,
				   &installed) &&
		installed;
}

/*
 * Whatever has been set for sessions of this database.
 */
static void
pin_settings(void)
{
	static const char *const settings[][2] = {
		{"application_name", "dynamo maintenance"},
		{"search_path", "pg_catalog, pg_temp"},
		{"session_replication_role", "origin"},
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_deferrable", "off"},
		{"row_security", "on"},
		{"synchronous_commit", "off"},
		{"lock_timeout", "1s"},
		{"statement_timeout", "0"},
		{"transaction_timeout", "0"},	/* since PostgreSQL 17 */
		{"idle_in_transaction_session_timeout", "0"}
	};

	for (int i = 0; i < lengthof(settings); i++)
	{
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET,
							PGC_S_OVERRIDE);
	}
}

/*
 * From now on transactions take the time they take, and last.
 */
void
worker_be_patient(void)
{
	transaction_timeout = 0;
	SetConfigOption("lock_timeout", "0", PGC_SUSET, PGC_S_OVERRIDE);
	SetConfigOption("synchronous_commit", "on", PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * Is the extension here, in the version that this library is written for?
 */
static void
is_installed(void *installed)
{
	Relation	rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber,
				F_NAMEEQ, CStringGetDatum("dynamo"));
	scan = systable_beginscan(rel, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (tuple != NULL)
	{
		bool		isnull;
		Datum		version = heap_getattr(tuple, Anum_pg_extension_extversion,
										   RelationGetDescr(rel), &isnull);

		*(bool *) installed = !isnull &&
			strcmp(TextDatumGetCString(version), DYNAMO_VERSION) == 0;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

/*
 * What signals have asked for.  No transaction is open: to end here is no
 * failure.
 */
void
worker_housekeeping(void)
{
	if (ProcDiePending)
		proc_exit(0);
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
	(void) pgstat_report_stat(false);
}

/*
 * Do "work" in a transaction.  On false it was rolled back, and the log says
 * why, at that level.  Allocations of "work" are gone either way.
 */
bool
worker_run(const char *activity, int elevel, void (*work) (void *arg),
		   void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool done = true;

	PG_TRY();
	{
		worker_housekeeping();
		begin(activity);
		work(arg);
		commit();
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		disable_all_timeouts(false);
		QueryCancelPending = false;
		MemoryContextSwitchTo(context);
		worker_error = geterrcode();
		report(activity, elevel);
		AbortOutOfAnyTransaction();
		FlushErrorState();
		RESUME_INTERRUPTS();
		done = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	pgstat_report_activity(STATE_IDLE, NULL);
	return done;
}

/*
 * Ends the process when the database is wanted by somebody else.
 */
static void
begin(const char *activity)
{
	pgstat_report_activity(STATE_RUNNING, activity);
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	if (!worker_lock_database(MyDatabaseId))
		proc_exit(0);
	PushActiveSnapshot(GetTransactionSnapshot());
	if (transaction_timeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, transaction_timeout);
}

static void
commit(void)
{
	if (transaction_timeout > 0)
		disable_timeout(STATEMENT_TIMEOUT, false);
	if (ActiveSnapshotSet())
		PopActiveSnapshot();	/* not after a concurrent build */
	CommitTransactionCommand();
}

/*
 * Lock a database as a session does that connects, unless it would have to
 * wait.  The lock is held to the end of the transaction.
 */
bool
worker_lock_database(Oid database)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
	return LockAcquire(&tag, RowExclusiveLock, false, true) !=
		LOCKACQUIRE_NOT_AVAIL;
}

/*
 * Report the error being handled.  A lock that was not to be had is no news:
 * there will be another visit.
 */
static void
report(const char *activity, int elevel)
{
	ErrorData  *error = CopyErrorData();

	ereport(error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ? DEBUG1 : elevel,
			(errcode(error->sqlerrcode),
			 errmsg("dynamo could not %s: %s", activity, error->message),
			 error->detail ? errdetail_internal("%s", error->detail) : 0,
			 error->hint ? errhint("%s", error->hint) : 0,
			 error->context ? errcontext("%s", error->context) : 0));
	FreeErrorData(error);
}
