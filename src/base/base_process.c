/*-------------------------------------------------------------------------
 *
 * base_process.c
 *	  Launchers and the workers they start.
 *
 * A launcher starts with the server, where it preloads us, and is connected
 * to no database.  From there it starts workers, one for a database or many.
 * Neither runs before the server takes writes, nor while pg_upgrade works on
 * it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "base/base_process.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static void describe(BackgroundWorker *worker, const char *function,
					 const char *name, const char *type);

/*
 * Have "function" run with the server.  To be called by an init function,
 * and without effect unless the server is preloading us.
 */
void
dynamo_register_launcher(const char *function, const char *type)
{
	BackgroundWorker worker;

	if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade)
		return;
	describe(&worker, function, type, type);
	worker.bgw_restart_time = 5;
	RegisterBackgroundWorker(&worker);
}

/*
 * Start a worker, whose end will set our latch.  The handle lives in
 * TopMemoryContext.  NULL: there are max_worker_processes of them; whoever
 * calls tries again later, and the log hears of it only once.
 */
BackgroundWorkerHandle *
dynamo_start_worker(const char *function, const char *name, const char *type,
					Datum arg)
{
	static bool complained = false;
	MemoryContext old;
	BackgroundWorker worker;
	BackgroundWorkerHandle *handle;
	bool		started;

	describe(&worker, function, name, type);
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_notify_pid = MyProcPid;
	worker.bgw_main_arg = arg;
	old = MemoryContextSwitchTo(TopMemoryContext);
	started = RegisterDynamicBackgroundWorker(&worker, &handle);
	MemoryContextSwitchTo(old);

	if (!started && !complained)
		ereport(LOG,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not start background worker \"%s\" yet", name),
				 errhint("You might need to increase max_worker_processes.")));
	complained = !started;
	return started ? handle : NULL;
}

static void
describe(BackgroundWorker *worker, const char *function, const char *name,
		 const char *type)
{
	memset(worker, 0, sizeof(*worker));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_RecoveryFinished;
	strlcpy(worker->bgw_library_name, "dynamo", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, function, BGW_MAXLEN);
	strlcpy(worker->bgw_name, name, BGW_MAXLEN);
	strlcpy(worker->bgw_type, type, BGW_MAXLEN);
}

/*
 * All databases, in a transaction of its own, for a process that has none.
 *
 * The whole of pg_database is read, since such a process cannot count on a
 * catalog's indexes.
 */
List *
dynamo_databases(void)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *databases = NIL;
	Relation	rel;
	TableScanDesc scan;
	HeapTuple	tuple;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	(void) GetTransactionSnapshot();
	rel = table_open(DatabaseRelationId, AccessShareLock);
	scan = table_beginscan_catalog(rel, 0, NULL);
	while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL)
	{
		Form_pg_database row = (Form_pg_database) GETSTRUCT(tuple);
		MemoryContext old = MemoryContextSwitchTo(context);
		DynamoDatabase *database = palloc(sizeof(*database));

		database->oid = row->oid;
		database->name = pstrdup(NameStr(row->datname));
		/* A limit below -1 is the mark of a DROP DATABASE that failed. */
		database->connectable = row->datallowconn && row->datconnlimit >= -1;
		databases = lappend(databases, database);
		MemoryContextSwitchTo(old);
	}
	table_endscan(scan);
	table_close(rel, AccessShareLock);
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return databases;
}
