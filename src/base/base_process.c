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
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* How long spare workers leave their processes to others; milliseconds. */
#define SHORTAGE	5000

/* What the server itself takes: the launcher of logical replication. */
#define CORE_PROCESSES	1

/* A role that is looked for. */
typedef struct RoleName
{
	Oid			oid;
	char	   *name;			/* NULL: not found yet */
} RoleName;

/* Shared: until when processes are short; NULL: not attached yet. */
static pg_atomic_uint64 *short_until;

/* Is the server one that preloads us? */
static bool preloaded = false;

/* How many launchers and workers may run at a time. */
static int	processes = 0;

static void note_shortage(void);
static void attach(void);
static void init(void *memory);
static void describe(BackgroundWorker *worker, const char *function,
					 const char *name, const char *type);
static void add_database(HeapTuple tuple, void *databases);
static void note_role(HeapTuple tuple, void *role);
static void scan_shared(Oid catalog,
						void (*each) (HeapTuple tuple, void *arg), void *arg);

/*
 * Have "function" run with the server, and as many workers of it at a time as
 * are likely to be wanted.  To be called by an init function, and without
 * effect unless the server is preloading us.
 */
void
dynamo_register_launcher(const char *function, const char *type, int workers)
{
	BackgroundWorker worker;

	if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade)
		return;
	preloaded = true;
	describe(&worker, function, type, type);
	worker.bgw_restart_time = 5;
	RegisterBackgroundWorker(&worker);
	processes += 1 + workers;
}

/*
 * To be called when all launchers are registered.  Too few processes are no
 * error, since not everybody has work for all of them.
 */
void
dynamo_check_processes(void)
{
	int			needed = processes + CORE_PROCESSES;

	if (processes > 0 && needed > max_worker_processes)
		ereport(LOG,
				(errmsg("dynamo may need up to %d background workers, but \"max_worker_processes\" is %d",
						processes, max_worker_processes),
				 errdetail("Where there is none left, maintenance, handlers, jobs and marks of point-in-time recovery wait for each other."),
				 errhint("Set \"max_worker_processes\" to %d or more.",
						 needed)));
}

/*
 * Start a worker, whose end will set our latch.  The handle lives in
 * TopMemoryContext.  NULL: max_worker_processes are running.  Spare workers
 * give way then, and the caller tries again later; that it fails once more is
 * logged, once.
 */
BackgroundWorkerHandle *
dynamo_start_worker(const char *function, const char *name, const char *type,
					Datum arg)
{
	static int	failures = 0;
	BackgroundWorkerHandle *handle = dynamo_start_spare_worker(function, name,
															   type, arg);

	if (handle != NULL)
	{
		failures = 0;
		return handle;
	}
	note_shortage();
	if (++failures == 2)
		ereport(LOG,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not start background worker \"%s\" yet", name),
				 errhint("You might need to increase max_worker_processes.")));
	return NULL;
}

/*
 * The same for a worker that others can do without: NULL is nothing to speak
 * of.
 */
BackgroundWorkerHandle *
dynamo_start_spare_worker(const char *function, const char *name,
						  const char *type, Datum arg)
{
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

Size
dynamo_processes_size(void)
{
	return sizeof(*short_until);
}

/*
 * There was no process for a worker.  Spare ones give way for a while.
 */
static void
note_shortage(void)
{
	if (!preloaded)
		return;					/* there are none */
	attach();
	pg_atomic_write_u64(short_until,
						TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													SHORTAGE));
}

/*
 * Are spare workers to give way?
 */
bool
dynamo_processes_are_short(void)
{
	uint64		until;

	attach();
	until = pg_atomic_read_u64(short_until);
	return until != 0 && GetCurrentTimestamp() < (TimestampTz) until;
}

static void
attach(void)
{
	if (short_until == NULL)
		short_until = dynamo_shared_memory("dynamo processes",
										   dynamo_processes_size(), init);
}

static void
init(void *memory)
{
	pg_atomic_init_u64(memory, 0);
}

/*
 * All databases, in a transaction of its own.
 */
List *
dynamo_databases(void)
{
	List	   *databases = NIL;

	scan_shared(DatabaseRelationId, add_database, &databases);
	return databases;
}

static void
add_database(HeapTuple tuple, void *databases)
{
	Form_pg_database row = (Form_pg_database) GETSTRUCT(tuple);
	DynamoDatabase *database = palloc(sizeof(*database));

	database->oid = row->oid;
	database->name = pstrdup(NameStr(row->datname));
	/* A limit below -1 is the mark of a DROP DATABASE that failed. */
	database->connectable = row->datallowconn && row->datconnlimit >= -1;
	*(List **) databases = lappend(*(List **) databases, database);
}

/*
 * Lock a database as a session does that connects, unless it would have to
 * wait.  The lock is held to the end of the transaction.
 */
bool
dynamo_lock_database(Oid database)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
	return LockAcquire(&tag, RowExclusiveLock, false, true) !=
		LOCKACQUIRE_NOT_AVAIL;
}

/*
 * Is nobody dropping, renaming or copying the database, or waiting to?  Who
 * does waits some seconds for others to leave it.  Asks autovacuum's workers
 * to, but not us.  In a transaction of its own.
 */
bool
dynamo_database_is_free(Oid database)
{
	MemoryContext context = CurrentMemoryContext;
	bool		locked;

	StartTransactionCommand();
	locked = dynamo_lock_database(database);
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return locked;
}

/*
 * Has somebody locked the database for himself, the same one as when this was
 * asked last?  "by" keeps who it is, invalid at first and if there is nobody.
 *
 * To see the lock once is not enough.  Anybody may ask for it, by a DROP
 * DATABASE that is refused once it has the lock.
 */
bool
dynamo_database_is_wanted(Oid database, VirtualTransactionId *by)
{
	VirtualTransactionId before = *by;
	VirtualTransactionId *holders;
	LOCKTAG		tag;
	int			n;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
	holders = GetLockConflicts(&tag, RowExclusiveLock, &n);
	if (n > 0)
		*by = holders[0];
	else
		SetInvalidVirtualTransactionId(*by);
	return n > 0 && VirtualTransactionIdEquals(before, *by);
}

char *
dynamo_database_name(Oid oid)
{
	ListCell   *cell;

	foreach(cell, dynamo_databases())
	{
		DynamoDatabase *database = lfirst(cell);

		if (database->oid == oid)
			return database->name;
	}
	return NULL;
}

/*
 * In a transaction of its own, too.
 */
char *
dynamo_role_name(Oid oid)
{
	RoleName	role = {oid, NULL};

	scan_shared(AuthIdRelationId, note_role, &role);
	return role.name;
}

static void
note_role(HeapTuple tuple, void *arg)
{
	Form_pg_authid row = (Form_pg_authid) GETSTRUCT(tuple);
	RoleName   *role = arg;

	if (row->oid == role->oid)
		role->name = pstrdup(NameStr(row->rolname));
}

/*
 * Read all of a shared catalog, for a process that has no database and cannot
 * count on a catalog's indexes.  What "each" allocates stays.
 */
static void
scan_shared(Oid catalog, void (*each) (HeapTuple tuple, void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	Relation	rel;
	TableScanDesc scan;
	HeapTuple	tuple;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	(void) GetTransactionSnapshot();
	rel = table_open(catalog, AccessShareLock);
	scan = table_beginscan_catalog(rel, 0, NULL);
	while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		each(tuple, arg);
		MemoryContextSwitchTo(old);
	}
	table_endscan(scan);
	table_close(rel, AccessShareLock);
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
}

/*
 * A piece of shared memory, made and filled by the first caller.
 */
void *
dynamo_shared_memory(const char *name, Size size, void (*init) (void *memory))
{
	void	   *memory;
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	memory = ShmemInitStruct(name, size, &found);
	if (!found)
		init(memory);
	LWLockRelease(AddinShmemInitLock);
	return memory;
}
