/*-------------------------------------------------------------------------
 *
 * worker_build.c
 *	  Builds the indexes of a database that are to be built concurrently.
 *
 * A process goes over the tables for which there is something to do
 * (schema_build.c), one after the other, and passes over those of another such
 * process, and over all where there are enough of them.  Who starts one after
 * having committed some work need not know whether one is there: it will look
 * again after it has let go of the table, and whoever finds the table free does
 * the work.
 *
 * The statements run as a superuser's.  They start transactions of their own,
 * amid which no security context outlives a commit; so core sees to it that
 * what the table's owner may have written runs as he, in a security-restricted
 * operation.
 *
 * There is no time limit: a build waits for all transactions that are older,
 * and keeps nobody from reading or writing while it does.  What fails is
 * reported, cleaned up, and left to the next round of the maintenance.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "schema/schema.h"
#include "storage/lmgr.h"
#include "tcop/dest.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "worker/worker_internal.h"

/*
 * How often a table may fail; a statement that builds, only once, unless its
 * time was the wrong one.  To be cancelled is no failure: the definition has
 * changed, or was to, and may ask for the same statement again.
 */
#define MAX_FAILURES	5

typedef struct Build
{
	MemoryContext context;
	const char *table;
	LockRelId	relation;		/* whose build we have locked; or InvalidOid */
	char	   *statement;		/* to be run; NULL: nothing more to do */
	char	   *done;			/* was run just now; NULL: none, or in vain */
} Build;

static bool build_all(List **failed);
static void find_tables(void *tables);
static bool is_among(List *tables, const char *table);
static bool build_table(Build *build);
static bool was_untimely(void);
static void find_statement(void *build);
static void run_statement(void *build);
static void put_off(void *build);

void
worker_build_main(Datum arg)
{
	if (worker_connect(DatumGetObjectId(arg)))
		worker_build();
}

/*
 * Build what there is to build.
 */
void
worker_build(void)
{
	List	   *failed = NIL;

	worker_be_patient();
	while (build_all(&failed))
		;
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
	}
	return any;
}

/*
 * The list and what is in it outlive the transaction.
 */
static void
find_tables(void *arg)
{
	List	  **tables = arg;
	List	   *found = schema_list_builds();
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	ListCell   *lc;

	foreach(lc, found)
		*tables = lappend(*tables, pstrdup(lfirst(lc)));
	MemoryContextSwitchTo(old);
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
	char		activity[SCHEMA_MAX_NAME + 32];
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
}

/*
 * As a client's command, in a portal, which survives the transactions that the
 * statement ends; so must the statement, and no snapshot may be left to them.
 * It lets go of the table before the last of them commits, when a DROP TABLE
 * that has waited would trip over rows just changed; so we lock it, too.
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

	command->commandType = CMD_UTILITY;
	command->utilityStmt = parsed->stmt;
	PortalDefineQuery(portal, NULL, build->statement,
					  CreateCommandTag(parsed->stmt), list_make1(command),
					  NULL);
	MemoryContextSwitchTo(old);
	LockRelationIdForSession(&build->relation, ShareUpdateExclusiveLock);
	PopActiveSnapshot();
	PortalStart(portal, NULL, 0, InvalidSnapshot);
	compat_portal_run(portal, None_Receiver);
	PortalDrop(portal, false);
}

static void
put_off(void *build)
{
	schema_put_off_build(((Build *) build)->table);
}
