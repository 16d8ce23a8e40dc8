/*-------------------------------------------------------------------------
 *
 * worker_visit.c
 *	  Maintenance of one database, once in an interval: a visit.
 *
 * A visit is a list of steps, and then batches of expired items
 * (worker_expire.c).  Each is a turn, so that other work comes in between.  It
 * is a guest: its transactions are short, and do not wait long for a locked
 * table or a user's function.  Tables that call functions of users come last,
 * since they may cost us the process.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "backup/backup.h"
#include "bucket/bucket.h"
#include "engine/engine.h"
#include "handler/handler.h"
#include "job/job.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "process/process_watch.h"
#include "recall/recall.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

/* Milliseconds that a step may take that consists of several transactions. */
#define STEP			10000

/* Tables that a step waits for, as somebody has them: a second each. */
#define MAX_BUSY		3

/* Days that jobs are remembered. */
#define MEMORY			90

WorkerCallbacks worker_callbacks;

static void drop_keys(void *unused);
static void trim_streams(void *unused);
static void trim_journal(void *unused);
static void trim_moments(void *unused);
static void begin_restored(void);
static void begin_next(void *relid);
static void expire_tokens(void *unused);
static void drop_backups(void);
static void drop_some(void *dropped);
static void forget_jobs(void *unused);
static void look_for_builds(void *unused);
static void policy_orphans(void *unused);
static void bucket_orphans(void *unused);
static void handler_orphans(void *unused);
static void sweep_statistics(void *unused);
static void scale_tables(void);
static void find_scaled(void *tables);
static void scale(void *table);

/* One transaction, or a function that makes several. */
static const struct
{
	const char *activity;
	void		(*work) (void *unused);
	void		(*all) (void);
}			steps[] = {
	{"drop access keys of roles that are gone", drop_keys},
	{"drop policies of roles that are gone", policy_orphans},
	{"drop grants of roles that are gone", bucket_orphans},
	{"drop event source mappings of roles that are gone", handler_orphans},
	{"trim streams", trim_streams},
	{"trim the journal", trim_journal},
	{"forget old moments of the cluster", trim_moments},
	{"begin the recovery of restored tables", NULL, begin_restored},
	{"forget tokens of transactions", expire_tokens},
	{"forget old jobs", forget_jobs},
	{"drop expired backups", NULL, drop_backups},
	{"scale tables", NULL, scale_tables},
	{"look for indexes to build", look_for_builds},
	{"forget statistics of dropped tables", sweep_statistics},
	{"expire items", NULL, worker_expire_begin}
};

/*
 * A turn of the visit that is under way, or of another that was asked for.
 */
long
worker_visit(bool asked)
{
	static int	next = -1;		/* -1: none is under way */
	long		rest = 0;

	if (worker_ttl_interval == 0 || (next < 0 && !asked))
	{
		if (worker_ttl_interval == 0 &&
			(dynamo_kept() & DYNAMO_BIT(DYNAMO_MAINTENANCE)) != 0)
			dynamo_keep(DYNAMO_MAINTENANCE, false);
		next = -1;
		return -1;
	}
	if (next < 0)
	{
		next = 0;
		dynamo_keep(DYNAMO_MAINTENANCE, true);

		/* Whatever may have been missed. */
		dynamo_want_in(MyDatabaseId, DYNAMO_BIT(DYNAMO_MARKER) |
					   DYNAMO_BIT(DYNAMO_HANDLER) | DYNAMO_BIT(DYNAMO_JOB) |
					   DYNAMO_BIT(DYNAMO_CLUSTER) | DYNAMO_BIT(DYNAMO_REPLICA));
	}
	dynamo_note_done(DYNAMO_MAINTENANCE, dynamo_clock(), 1, 1);
	(void) worker_begin(DYNAMO_MAINTENANCE, INT_MAX, STEP);
	if (next == lengthof(steps))
		rest = worker_expire();
	else
	{
		if (steps[next].all != NULL)
			steps[next].all();
		else
			(void) worker_run(steps[next].activity, WARNING,
							  steps[next].work, NULL);
		next++;
	}
	if (rest >= 0)
		return rest;
	next = -1;
	dynamo_note_done(DYNAMO_MAINTENANCE, dynamo_clock(), 0, 0);
	dynamo_keep(DYNAMO_MAINTENANCE, false);
	return -1;
}

static void
drop_keys(void *unused)
{
	worker_callbacks.drop_orphan_keys();
}

static void
policy_orphans(void *unused)
{
	policy_drop_orphans();
}

static void
bucket_orphans(void *unused)
{
	bucket_drop_orphans();
}

static void
handler_orphans(void *unused)
{
	handler_drop_orphans();
}

static void
trim_streams(void *unused)
{
	(void) stream_trim(GetCurrentTimestamp());
}

static void
trim_journal(void *unused)
{
	(void) journal_trim(GetCurrentTimestamp());
}

static void
trim_moments(void *unused)
{
	recall_trim();
}

/*
 * Each table in a transaction of its own: one that somebody holds would keep the
 * others from it, and these would be locked while it is waited for.  The next
 * visit goes on behind those that this one has no time for.
 */
static void
begin_restored(void)
{
	static Oid	relid = InvalidOid;
	Oid			before;
	int			busy = 0;

	do
	{
		before = relid;
		if (!worker_run("begin the recovery of a restored table", WARNING,
						begin_next, &relid))
			busy++;
	} while (relid != before && busy < MAX_BUSY && worker_has_time());
	if (relid == before)
		relid = InvalidOid;		/* from the first one */
}

static void
begin_next(void *relid)
{
	journal_begin_next(relid);
}

static void
expire_tokens(void *unused)
{
	worker_callbacks.expire_tokens();
}

static void
forget_jobs(void *unused)
{
	job_forget(GetCurrentTimestamp() - MEMORY * USECS_PER_DAY);
}

/*
 * Some in each transaction.
 */
static void
drop_backups(void)
{
	int			dropped;

	do
	{
		dropped = 0;
		if (!worker_run("drop expired backups", WARNING, drop_some, &dropped))
			break;
	} while (dropped == BACKUP_DROPS && worker_has_time());
}

static void
drop_some(void *dropped)
{
	*(int *) dropped = backup_drop_expired(GetCurrentTimestamp(),
										   worker_callbacks.is_wanted);
}

/*
 * What an error or a crash has ended.
 */
static void
look_for_builds(void *unused)
{
	if (schema_list_builds(true) != NIL)
		dynamo_want_in(MyDatabaseId, DYNAMO_BIT(DYNAMO_BUILD));
}

static void
sweep_statistics(void *unused)
{
	schema_sweep_stats(worker_callbacks.counts_keys);
}

/*
 * Each table in a transaction of its own: otherwise one that cannot be scaled
 * would keep the others from it.
 */
static void
scale_tables(void)
{
	List	   *tables = NIL;
	ListCell   *lc;

	if (!worker_run("look for tables to scale", WARNING, find_scaled, &tables))
		return;
	foreach(lc, tables)
	{
		char		activity[DYNAMO_MAX_NAME + 32];

		snprintf(activity, sizeof(activity), "scale table \"%s\"",
				 (char *) lfirst(lc));
		(void) worker_run(activity, WARNING, scale, lfirst(lc));
		if (!worker_has_time())
			break;
	}
	list_free_deep(tables);
}

/* The list outlives the transaction. */
static void
find_scaled(void *arg)
{
	List	  **tables = arg;
	List	   *found = worker_callbacks.scaled_tables();
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	ListCell   *lc;

	foreach(lc, found)
		* tables = lappend(*tables, pstrdup(lfirst(lc)));
	MemoryContextSwitchTo(old);
}

static void
scale(void *table)
{
	worker_callbacks.scale_table(table);
}
