/*-------------------------------------------------------------------------
 *
 * process_slot.c
 *	  Who gets one of max_worker_processes.
 *
 * Only the launcher starts processes of ours, and here it is decided whether
 * it may.  Some are needed: those that serve HTTP, and one for each database
 * that has work.  All others are spare: what they do is done by the needed
 * ones, too, only later.
 *
 * The server tells nobody that it has wanted a process and found none.  So one
 * slot is kept free: a parallel query, a subscription, an extension that wants
 * one finds it at once.  As soon as it is taken, processes are short, and each
 * spare one leaves when it is done with what it has begun.  Only where work
 * has waited for a while may a spare one take the last slot; it leaves after
 * a second, and its turn.
 *
 * The slots in use are counted by the entries of their processes in the
 * server's list.  Before PostgreSQL 17 the entry of a process that is gone keeps
 * its pid; but its latch has no owner.  A slot is taken a moment before its
 * process has an entry, so the count may be wrong for that long; then the server
 * says no.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/proc.h"
#include "utils/memutils.h"

/* How long spare workers leave their slots to others; milliseconds. */
#define SHORTAGE	5000

/* Slots that are left to others. */
#define KEPT_FREE	1

/* What the server itself takes: the launcher of logical replication. */
#define CORE_PROCESSES	1

/* Shared: until when processes are short, by dynamo_clock(); NULL: not attached yet. */
static pg_atomic_uint64 *short_until;

static bool may_start(DynamoNeed need);
static void note_shortage(const char *name);
static bool is_noted(void);
static void attach_slots(void *memory, int tranche, bool made);

DynamoShared dynamo_shared_slots = {
	.name = "dynamo processes", .size = sizeof(*short_until), .attach = attach_slots
};

static void
attach_slots(void *memory, int tranche, bool made)
{
	short_until = memory;
	if (made)
		pg_atomic_init_u64(short_until, 0);
}

/*
 * To be called when the server starts, with what we cannot do without.
 */
void
dynamo_check_processes(int needed)
{
	if (process_shared_preload_libraries_in_progress && !IsBinaryUpgrade &&
		needed + CORE_PROCESSES > max_worker_processes)
		ereport(LOG,
				(errmsg("dynamo needs %d background workers, but \"max_worker_processes\" is %d",
						needed, max_worker_processes),
				 errdetail("The server itself takes %d.", CORE_PROCESSES),
				 errhint("Set \"max_worker_processes\" to %d or more, or \"dynamo.http_workers\" to less.",
						 needed + CORE_PROCESSES)));
}

/*
 * Start a worker, whose end will set our latch.  The handle lives in
 * TopMemoryContext.  NULL: there is no slot for it.  If it is needed, spare
 * workers give way, and the caller tries again later.
 */
BackgroundWorkerHandle *
dynamo_start_worker(const char *function, const char *name, const char *type,
					Datum arg, DynamoNeed need)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_ConsistentState,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_library_name = "dynamo",
		.bgw_main_arg = arg,
		.bgw_notify_pid = MyProcPid
	};
	BackgroundWorkerHandle *handle;
	MemoryContext old;
	bool		started;

	if (!may_start(need))
		return NULL;
	strlcpy(worker.bgw_function_name, function, BGW_MAXLEN);
	strlcpy(worker.bgw_name, name, BGW_MAXLEN);
	strlcpy(worker.bgw_type, type, BGW_MAXLEN);
	old = MemoryContextSwitchTo(TopMemoryContext);
	started = RegisterDynamicBackgroundWorker(&worker, &handle);
	MemoryContextSwitchTo(old);
	if (!started && need == DYNAMO_NEEDED)
		note_shortage(name);
	return started ? handle : NULL;
}

static bool
may_start(DynamoNeed need)
{
	int			spared = need == DYNAMO_SPARE ? KEPT_FREE : 0;

	return need == DYNAMO_NEEDED ||
		(!is_noted() && dynamo_slots_free() > spared);
}

/*
 * How many slots are not in use?
 */
int
dynamo_slots_free(void)
{
	int			used = 0;

	for (int i = 0; i < ProcGlobal->allProcCount; i++)
	{
		const PGPROC *proc = &ProcGlobal->allProcs[i];

		if (proc->procLatch.owner_pid != 0 &&
			proc->procgloballist == &ProcGlobal->bgworkerFreeProcs)
			used++;
	}
	return max_worker_processes - used;
}

/*
 * There was no process for one that is needed.  The log says so when it is not
 * soon over.
 */
static void
note_shortage(const char *name)
{
	static int64 since = 0;
	static bool told;
	int64		now = dynamo_clock();

	if (!is_noted())
	{
		since = now;
		told = false;
	}
	pg_atomic_write_u64(short_until, now + SHORTAGE);
	if (told || now - since <= SHORTAGE)
		return;
	told = true;
	ereport(LOG,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("could not start background worker \"%s\" yet", name),
			 errhint("You might need to increase max_worker_processes.")));
}

static bool
is_noted(void)
{
	dynamo_attach_shared(&dynamo_shared_slots);
	return dynamo_clock() < (int64) pg_atomic_read_u64(short_until);
}

/*
 * Are spare workers to give way?
 */
bool
dynamo_processes_are_short(void)
{
	return is_noted() || dynamo_slots_free() < KEPT_FREE;
}
