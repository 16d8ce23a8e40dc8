/*-------------------------------------------------------------------------
 *
 * crowd.c
 *	  Stands for the other extensions of a busy server, for beside.pl.
 *
 * It takes six of the ten relcache callbacks that a process has.  Core itself
 * takes two more.  And its planner takes a list of parameters to have some,
 * as those of others do; there, an empty one is an access to nowhere.  It also
 * looks at the paths of functions, by the hook that we take, too.  And it has a
 * function with the name of one of ours, which is not meant for us.  And it has
 * something to do when shared memory is there, by the hook that we take, too;
 * crowd.started tells whether it could.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "storage/ipc.h"
#include "utils/guc.h"
#include "utils/inval.h"

#define CALLBACKS	6

PG_MODULE_MAGIC;

void		_PG_init(void);
void		item_check_size(void);

static void
relation_changed(Datum arg, Oid relid)
{
}

/* src/item/item_value.c has one, which others call. */
void
item_check_size(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("a function of another module was called")));
}

static PlannedStmt *
plan(Query *query, const char *text, int options, ParamListInfo params)
{
	if (params != NULL && params->numParams == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("a list of no parameters")));
	return standard_planner(query, text, options, params);
}

static void
look_at_paths(PlannerInfo *root, RelOptInfo *rel, Index rti,
			  RangeTblEntry *rte)
{
	if (rte->rtekind == RTE_FUNCTION)
		ereport(LOG,
				(errmsg("crowd has seen the paths of function %s: %d",
						rte->eref->aliasname, list_length(rel->pathlist))));
}

static bool started = false;

static void
start(void)
{
	started = true;
}

void
_PG_init(void)
{
	DefineCustomBoolVariable("crowd.started", "Shared memory was there.", NULL,
							 &started, false, PGC_INTERNAL, 0, NULL, NULL, NULL);
	shmem_startup_hook = start;
	for (int i = 0; i < CALLBACKS; i++)
		CacheRegisterRelcacheCallback(relation_changed, Int32GetDatum(i));
	planner_hook = plan;
	set_rel_pathlist_hook = look_at_paths;
}
