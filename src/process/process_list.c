/*-------------------------------------------------------------------------
 *
 * process_list.c
 *	  What processes of ours ask the server: databases, roles, shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "process/process.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

bool		dynamo_preloaded = false;

/* A role that is looked for. */
typedef struct RoleName
{
	Oid			oid;
	char	   *name;			/* NULL: not found yet */
} RoleName;

static void add_database(HeapTuple tuple, void *databases);
static void note_role(HeapTuple tuple, void *role);
static void scan_shared(Oid catalog,
						void (*each) (HeapTuple tuple, void *arg), void *arg);

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
 * wait.  The lock is held to the end of the transaction, if it is not let go of.
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
 * Let go of that lock before.
 */
void
dynamo_unlock_database(Oid database)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
	(void) LockRelease(&tag, RowExclusiveLock, false);
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
