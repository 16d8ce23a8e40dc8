/*-------------------------------------------------------------------------
 *
 * worker_build.c
 *	  Builds the indexes of a database that are to be built concurrently.
 *
 * A turn goes over the tables for which there is something to do
 * (schema_build.c), one after the other.  It skips those of another process,
 * and all of them if enough processes are at it.  A session that has committed
 * some work asks for a turn without knowing whether one is under way.  That
 * one looks again after it has released the table.  Otherwise work committed
 * just before could be left undone.
 *
 * The statements run as a superuser.  They commit transactions, and no
 * security context survives a commit.  Core runs the functions of the table's
 * owner as the owner, in a security-restricted operation.  The session's user
 * is the owner, too.
 *
 * There is no time limit: a build waits for all older transactions, and keeps
 * nobody from reading or writing while it does.  A failure is reported,
 * cleaned up, and left to the next round of maintenance.
 *
 * There is a limit where processes are scarce.  Otherwise a transaction left
 * open would be the end of all other work of the database.  A process that
 * finds no slot free for another one waits for no longer than it waits for
 * other things.  It leaves distributed tables alone, since other nodes know
 * nothing of its time.  And one that waits is ended when somebody needs its
 * slot.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/base_pause.h"
#include "base/base_session.h"
#include "base/compat.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "schema/schema.h"
#include "storage/lmgr.h"
#include "tcop/dest.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "worker/worker_internal.h"

/*
 * How often a table may fail; a statement that builds only once, unless the
 * time was wrong.  Being cancelled is no failure: the definition has changed,
 * or was about to, and may need the same statement again.
 */
#define MAX_FAILURES	5

/* Milliseconds that a turn takes where processes are scarce. */
#define TURN			10000

typedef struct Build
{
	MemoryContext context;
	const char *table;
	LockRelId	relation;		/* whose build we have locked; or InvalidOid */
	char	   *statement;		/* to be run; NULL: nothing more to do */
	char	   *identity;		/* what the relation is called in it */
	char	   *done;			/* was run just now; NULL: none, or in vain */
} Build;

/* No other process is to be had. */
static bool alone;

/* What this turn has found lives here. */
static MemoryContext context;

static bool want_builder(void);
static bool build_all(List **failed);
static void find_tables(void *tables);
static void report_left(void);
static bool is_among(List *tables, const char *table);
static bool build_table(Build *build);
static bool was_untimely(void);
static void find_statement(void *build);
static void lock_relation(Build *build);
static void run_statement(void *build);
static void put_off(void *build);

void
worker_build_init(void)
{
	schema_callbacks.start_builder = want_builder;
}

static bool
want_builder(void)
{
	dynamo_want(DYNAMO_BUILD);
	return true;
}

/*
 * Build what there is to build; where processes are scarce, as much as there
 * is time for.
 */
long
worker_build(bool asked)
{
	List	   *failed = NIL;
	MemoryContext old;

	if (!asked)
		return -1;
	alone = dynamo_slots_free() == 0;
	dynamo_keep(DYNAMO_BUILD, true);
	dynamo_note_done(DYNAMO_BUILD, dynamo_clock(), 0, 0);
	(void) worker_begin(DYNAMO_BUILD, INT_MAX, TURN);
	if (alone && worker_timeout > 0)
		worker_wait_at_most(worker_timeout);
	context = AllocSetContextCreate(TopMemoryContext, "dynamo index builds",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	while (build_all(&failed))
		;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	dynamo_keep(DYNAMO_BUILD, false);
	return -1;
}

/*
 * Go over all tables that have not failed.  Was there anything to do?  Then
 * there may be more: others have left it to us.
 */
static bool
build_all(List **failed)
{
	List	   *tables = NIL;
	ListCell   *lc;
	bool		any = false;

	if (!worker_run("look for indexes to build", WARNING, find_tables,
					&tables))
		return false;
	foreach(lc, tables)
	{
		Build		build = {.table = lfirst(lc)};

		build.relation.dbId = MyDatabaseId;

		if (is_among(*failed, build.table))
			continue;
		build.context = AllocSetContextCreate(TopMemoryContext,
											  "dynamo index build",
											  ALLOCSET_DEFAULT_SIZES);
		if (!build_table(&build))
		{
			*failed = lappend(*failed, lfirst(lc));
			(void) worker_run("put off an index build", WARNING, put_off,
							  &build);
			any = true;
		}
		any |= OidIsValid(build.relation.relId);
		LockReleaseSession(DEFAULT_LOCKMETHOD);
		MemoryContextDelete(build.context);
		if (alone && !worker_has_time())
			return false;
	}
	return any;
}

/*
 * The list and what is in it outlive the transaction.  It begins with any of
 * the tables.  Otherwise one that cannot be built would keep others from it.
 */
static void
find_tables(void *arg)
{
	List	  **tables = arg;
	List	   *found = schema_list_builds(!alone);
	MemoryContext old;
	int			n = list_length(found);
	uint32		first = pg_prng_uint32(&pg_global_prng_state) % Max(n, 1);

	if (alone && list_length(schema_list_builds(true)) > n)
		report_left();
	old = MemoryContextSwitchTo(context);
	for (int i = 0; i < n; i++)
		*tables = lappend(*tables, pstrdup(list_nth(found, (first + i) % n)));
	MemoryContextSwitchTo(old);
}

/* Otherwise nobody would know why they stay CREATING. */
static void
report_left(void)
{
	ereport(LOG,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("dynamo has no process to build indexes of distributed tables"),
			 errhint("You might need to increase max_worker_processes.")));
}

static bool
is_among(List *tables, const char *table)
{
	ListCell   *lc;

	foreach(lc, tables)
	{
		if (strcmp(lfirst(lc), table) == 0)
			return true;
	}
	return false;
}

/*
 * Do what there is to do for a table.  False: something has failed that is
 * not worth another try now.
 */
static bool
build_table(Build *build)
{
	char		activity[DYNAMO_MAX_NAME + 32];
	const char *failed = NULL;

	snprintf(activity, sizeof(activity), "build an index of table \"%s\"",
			 build->table);
	for (int failures = 0; failures < MAX_FAILURES;)
	{
		const char *hopeless;

		if (worker_run(activity, WARNING, find_statement, build))
		{
			if (build->statement == NULL)
				return true;
			if (failed != NULL && strcmp(failed, build->statement) == 0)
				return false;
			if (worker_run(activity, WARNING, run_statement, build))
			{
				UnlockRelationIdForSession(&build->relation,
										   ShareUpdateExclusiveLock);
				build->done = build->statement;
				continue;
			}
			hopeless = build->statement;
		}
		else
			hopeless = build->done;

		if (alone && worker_error == ERRCODE_LOCK_NOT_AVAILABLE)
			return false;
		if (!was_untimely())
		{
			if (hopeless == NULL)
				return false;
			failed = hopeless;
		}
		failures += worker_error != ERRCODE_QUERY_CANCELED;
		build->done = NULL;
		build->relation.relId = InvalidOid; /* an abort lets go of locks */
	}
	return false;
}

static bool
was_untimely(void)
{
	return worker_error == ERRCODE_T_R_DEADLOCK_DETECTED ||
		worker_error == ERRCODE_QUERY_CANCELED;
}

static void
find_statement(void *arg)
{
	Build	   *build = arg;
	char	   *next = NULL;

	if (!OidIsValid(build->relation.relId))
		build->relation.relId = schema_lock_build(build->table);
	if (OidIsValid(build->relation.relId))
		next = schema_next_build(build->table, build->relation.relId,
								 build->done);
	build->statement = next ? MemoryContextStrdup(build->context, next) : NULL;
	if (next != NULL)
		build->identity = MemoryContextStrdup(build->context,
											  meta_relation_identity(build->relation.relId));
}

/*
 * The statement was put together under a lock that is gone.  Under this one
 * names stay, and another relation may have got ours.
 */
static void
lock_relation(Build *build)
{
	const char *identity;

	LockRelationIdForSession(&build->relation, ShareUpdateExclusiveLock);
	AcceptInvalidationMessages();
	identity = meta_relation_identity(build->relation.relId);
	if (identity == NULL || strcmp(identity, build->identity) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation of table \"%s\" was renamed or dropped",
						build->table)));
}

/*
 * Run it like a client's command, in a portal, which survives the transactions
 * that the statement ends.  The statement must survive them, too, and no
 * snapshot may be left to them.  It releases the table before the last of them
 * commits.  So we lock it, too.  Otherwise a DROP TABLE that waited would find
 * rows whose change is not committed, and fail.
 */
static void
run_statement(void *arg)
{
	Build	   *build = arg;
	MemoryContext old = MemoryContextSwitchTo(build->context);
	RawStmt    *parsed = linitial_node(RawStmt,
									   pg_parse_query(build->statement));
	PlannedStmt *command = makeNode(PlannedStmt);
	Portal		portal = CreatePortal("", true, true);
	Oid			owner;

	command->commandType = CMD_UTILITY;
	command->canSetTag = true;
	command->utilityStmt = parsed->stmt;
	PortalDefineQuery(portal, NULL, build->statement,
					  CreateCommandTag(parsed->stmt), list_make1(command),
					  NULL);
	MemoryContextSwitchTo(old);
	lock_relation(build);
	owner = meta_relation_owner(build->relation.relId);
	dynamo_session_user(owner);
	schema_avoid_tablespace(owner);
	PopActiveSnapshot();
	dynamo_transaction_open();
	PortalStart(portal, NULL, 0, InvalidSnapshot);
	compat_portal_run(portal, None_Receiver);
	PortalDrop(portal, false);
}

static void
put_off(void *build)
{
	dynamo_pause("put off");
	schema_put_off_build(((Build *) build)->table);
}
