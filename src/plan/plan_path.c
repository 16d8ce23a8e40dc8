/*-------------------------------------------------------------------------
 *
 * plan_path.c
 *	  Plans for functions that return items in a FROM clause.
 *
 * Core would run such a function to its end and keep what it returns before
 * the first row is used, and EXPLAIN would show a Function Scan.  Core lets
 * extensions add scans of their own by a hook, called when the paths for a
 * relation have been made.  Ours takes the place of core's Function Scan.
 *
 * A session that has not called the module yet has no hook.  The functions
 * have a support function in it (plan_estimate.c), which the planner calls
 * before it makes paths, so the hook is there in time.
 *
 * What we do not replace: WITH ORDINALITY, ROWS FROM of several functions, and
 * functions whose whole row is needed, as for row locks (FOR UPDATE of another
 * table, UPDATE ... FROM).  There core's Function Scan does its work as ever.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/sysattr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "plan/plan.h"

static set_rel_pathlist_hook_type previous_hook;

static void add_reader_path(PlannerInfo *root, RelOptInfo *rel, Index rti,
							RangeTblEntry *rte);
static FuncExpr *reader_call(const RangeTblEntry *rte, PlanReaderKind *kind);
static bool needs_whole_row(RelOptInfo *rel);
static Path *take_function_scan(RelOptInfo *rel);
static Path *reader_path(PlannerInfo *root, RelOptInfo *rel, const Path *core,
						 PlanReaderKind kind, List *args);
static void set_costs(PlannerInfo *root, Path *path, const Path *core,
					  PlanReaderKind kind, List *args);
static List *returned_columns(Index relid, Node *call);
static Plan *make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
					   List *tlist, List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = "DynamoRead",
	.PlanCustomPath = make_plan
};

void
plan_init(void)
{
	plan_node_init();
	plan_insert_init();
	plan_insert_node_init();
	previous_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_reader_path;
}

static void
add_reader_path(PlannerInfo *root, RelOptInfo *rel, Index rti,
				RangeTblEntry *rte)
{
	PlanReaderKind kind;
	FuncExpr   *call;
	Path	   *core;

	if (previous_hook)
		previous_hook(root, rel, rti, rte);
	call = reader_call(rte, &kind);
	if (call == NULL || needs_whole_row(rel))
		return;
	core = take_function_scan(rel);
	if (core != NULL)
		add_path(rel, reader_path(root, rel, core, kind, call->args));
}

/*
 * The call that a range table entry consists of, if it is one of ours.
 */
static FuncExpr *
reader_call(const RangeTblEntry *rte, PlanReaderKind *kind)
{
	Node	   *call;

	if (rte->rtekind != RTE_FUNCTION || rte->funcordinality ||
		list_length(rte->functions) != 1)
		return NULL;
	call = ((RangeTblFunction *) linitial(rte->functions))->funcexpr;
	if (!IsA(call, FuncExpr) ||
		!plan_reader_kind(((FuncExpr *) call)->funcid, kind))
		return NULL;
	return (FuncExpr *) call;
}

static bool
needs_whole_row(RelOptInfo *rel)
{
	Bitmapset  *columns = NULL;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &columns);
	pull_varattnos((Node *) extract_actual_clauses(rel->baserestrictinfo,
												   false),
				   rel->relid, &columns);
	return bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, columns);
}

/*
 * Remove core's path; what other extensions have added stays.
 */
static Path *
take_function_scan(RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		Path	   *path = lfirst(lc);

		if (path->pathtype == T_FunctionScan)
		{
			rel->pathlist = foreach_delete_current(rel->pathlist, lc);
			return path;
		}
	}
	return NULL;
}

static Path *
reader_path(PlannerInfo *root, RelOptInfo *rel, const Path *core,
			PlanReaderKind kind, List *args)
{
	CustomPath *custom = makeNode(CustomPath);
	Path	   *path = &custom->path;

	custom->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	custom->methods = &path_methods;
	custom->custom_private = list_make1_int(kind);
	path->pathtype = T_CustomScan;
	path->parent = rel;
	path->pathtarget = rel->reltarget;
	path->param_info = core->param_info;
	path->rows = core->rows;
	set_costs(root, path, core, kind, args);
	return path;
}

/*
 * A descent of the btree, then its entries and the pages of the table, as for
 * an Index Scan; core has reckoned what comes on top for each row.  A search has
 * read all of them before its first row, and compares vectors.
 */
static void
set_costs(PlannerInfo *root, Path *path, const Path *core, PlanReaderKind kind,
		  List *args)
{
	double		rows = path->parent->tuples;
	PlanEstimate estimate = {
		.read = rows, .rows = rows, .pages = rows, .operators = 1
	};

	(void) plan_estimate(root, kind, args, &estimate);
	path->startup_cost = core->startup_cost + random_page_cost;
	path->total_cost = core->total_cost +
		random_page_cost * (1 + ceil(estimate.pages)) +
		(cpu_index_tuple_cost + cpu_operator_cost * estimate.operators) *
		estimate.read;
	if (kind == PLAN_SEARCH)
		path->startup_cost = path->total_cost - cpu_tuple_cost * rows;
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	PlanReaderKind kind = linitial_int(path->custom_private);
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	Node	   *call = ((RangeTblFunction *) linitial(rte->functions))->funcexpr;

	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->scan.scanrelid = 0;	/* there is no table in the range table */
	scan->flags = path->flags;
	scan->custom_exprs = list_make1(call);
	scan->custom_scan_tlist = returned_columns(rel->relid, call);
	scan->methods = plan_node_methods(kind);
	return &scan->scan.plan;
}

/*
 * The item; of a search its score, too.
 */
static List *
returned_columns(Index relid, Node *call)
{
	List	   *columns = NIL;
	Oid			type;
	TupleDesc	desc;

	if (get_expr_result_type(call, &type, &desc) == TYPEFUNC_SCALAR)
		return list_make1(makeTargetEntry((Expr *) makeVar(relid, 1, type, -1,
														   InvalidOid, 0),
										  1, NULL, false));
	for (int i = 1; i <= desc->natts; i++)
	{
		Var		   *column = makeVar(relid, i, TupleDescAttr(desc, i - 1)->atttypid,
									 -1, InvalidOid, 0);

		columns = lappend(columns, makeTargetEntry((Expr *) column, i, NULL,
												   false));
	}
	return columns;
}
