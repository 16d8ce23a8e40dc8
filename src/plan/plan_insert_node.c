/*-------------------------------------------------------------------------
 *
 * plan_insert_node.c
 *	  The plan node that runs an INSERT of plain SQL.
 *
 * It takes the place of the executor's ModifyTable where the engine stores the
 * same rows with half of the work (engine_insert.c): a statement that inserts
 * into one of our tables and no more, without RETURNING, ON CONFLICT or
 * policies.  Everything else about the statement is as ever: privileges, what
 * it sees, its command tag, its errors.
 *
 * Whether the relation still is one that the engine can serve is looked at
 * again when the plan starts.  If not, the ModifyTable below is executed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "base/compat.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "plan/plan.h"
#include "utils/rel.h"

typedef struct InsertNode
{
	CustomScanState css;
	Relation	rel;
	EngineTable *table;			/* NULL: the executor inserts */
	bool		counts;			/* its rows are those the client is told of */
} InsertNode;

static planner_hook_type previous_hook;

static PlannedStmt *plan_insert(compat_plan_parameters);
static bool is_served(const PlannedStmt *stmt);
static Plan *node_above(ModifyTable *insert);
static Node *create_insert_node(CustomScan *scan);
static void begin_insert_node(CustomScanState *css, EState *estate,
							  int eflags);
static TupleTableSlot *run_insert_node(CustomScanState *css);
static void store_row(InsertNode *node, TupleTableSlot *slot);
static void refuse_null(InsertNode *node, TupleTableSlot *slot);
static void end_insert_node(CustomScanState *css);
static void rescan_insert_node(CustomScanState *css);
static void explain_insert_node(CustomScanState *css, List *ancestors,
								ExplainState *es);

static const CustomScanMethods scan_methods = {
	.CustomName = "DynamoInsert",
	.CreateCustomScanState = create_insert_node
};

static const CustomExecMethods exec_methods = {
	.CustomName = "DynamoInsert",
	.BeginCustomScan = begin_insert_node,
	.ExecCustomScan = run_insert_node,
	.EndCustomScan = end_insert_node,
	.ReScanCustomScan = rescan_insert_node,
	.ExplainCustomScan = explain_insert_node
};

void
plan_insert_node_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
	previous_hook = planner_hook;
	planner_hook = plan_insert;
}

static PlannedStmt *
plan_insert(compat_plan_parameters)
{
	PlannedStmt *stmt = previous_hook ?
		previous_hook(compat_plan_arguments) :
		standard_planner(compat_plan_arguments);

	if (is_served(stmt))
		stmt->planTree = node_above((ModifyTable *) stmt->planTree);
	return stmt;
}

/*
 * Does the statement insert into one of our tables, and that alone?
 */
static bool
is_served(const PlannedStmt *stmt)
{
	ModifyTable *insert = (ModifyTable *) stmt->planTree;
	Relation	rel;
	Oid			relid;
	bool		fits;

	if (stmt->commandType != CMD_INSERT || !IsA(insert, ModifyTable) ||
		list_length(insert->resultRelations) != 1 ||
		insert->onConflictAction != ONCONFLICT_NONE ||
		insert->returningLists != NIL || insert->withCheckOptionLists != NIL)
		return false;
	relid = rt_fetch(linitial_int(insert->resultRelations),
					 stmt->rtable)->relid;
	if (plan_insert_target(relid) == NULL)
		return false;
	rel = table_open(relid, NoLock);	/* the planner holds one */
	fits = engine_insert_fits(rel);
	table_close(rel, NoLock);
	return fits;
}

/*
 * The node that takes its place.  It evaluates the InitPlans of the statement,
 * which core leaves to the topmost node.  Nobody else would where the
 * ModifyTable is not executed.
 */
static Plan *
node_above(ModifyTable *insert)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.plan.startup_cost = insert->plan.startup_cost;
	scan->scan.plan.total_cost = insert->plan.total_cost;
	scan->scan.plan.plan_rows = insert->plan.plan_rows;
	scan->scan.plan.plan_width = insert->plan.plan_width;
	scan->scan.plan.plan_node_id = insert->plan.plan_node_id;
	scan->scan.plan.extParam = insert->plan.extParam;
	scan->scan.plan.allParam = insert->plan.allParam;
	scan->scan.plan.initPlan = insert->plan.initPlan;
	insert->plan.initPlan = NIL;
	scan->custom_plans = list_make1(insert);
	scan->custom_relids = bms_make_singleton(linitial_int(insert->resultRelations));
	scan->methods = &scan_methods;
	return &scan->scan.plan;
}

static Node *
create_insert_node(CustomScan *scan)
{
	InsertNode *node = palloc0(sizeof(InsertNode));

	NodeSetTag(node, T_CustomScanState);
	node->css.methods = &exec_methods;
	return (Node *) node;
}

static void
begin_insert_node(CustomScanState *css, EState *estate, int eflags)
{
	InsertNode *node = (InsertNode *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	ModifyTable *insert = linitial_node(ModifyTable, scan->custom_plans);
	Plan	   *child = &insert->plan;

	node->rel = compat_result_relation(estate,
									   linitial_int(insert->resultRelations));
	if (engine_insert_fits(node->rel))
	{
		node->table = engine_insert_begin(node->rel);
		node->counts = insert->canSetTag;
		child = outerPlan(insert);
	}
	css->custom_ps = list_make1(ExecInitNode(child, estate, eflags));
}

/*
 * Like a ModifyTable without RETURNING: all rows at once, and none to give.
 */
static TupleTableSlot *
run_insert_node(CustomScanState *css)
{
	InsertNode *node = (InsertNode *) css;
	EState	   *estate = css->ss.ps.state;
	PlanState  *child = linitial(css->custom_ps);
	MemoryContext caller;
	TupleTableSlot *slot;

	if (node->table == NULL)
		return ExecProcNode(child);
	for (;;)
	{
		ResetPerTupleExprContext(estate);
		slot = ExecProcNode(child);
		if (TupIsNull(slot))
			return NULL;
		caller = MemoryContextSwitchTo(GetPerTupleMemoryContext(estate));
		store_row(node, slot);
		MemoryContextSwitchTo(caller);
		if (node->counts)
			estate->es_processed++;
	}
}

/*
 * Store what the statement gives for a row: NULL for the columns of the key,
 * which are generated, and the item.
 */
static void
store_row(InsertNode *node, TupleTableSlot *slot)
{
	const TableDef *def = engine_def(node->table);
	bool		isnull;
	Datum		item = slot_getattr(slot, SCHEMA_ATTR_ITEM(def), &isnull);

	if (isnull)
		refuse_null(node, slot);
	engine_insert_row(node->table, DatumGetItemP(item),
					  node->css.ss.ps.state->es_output_cid);
}

/*
 * Raise the executor's error: all columns are NULL, and none may be.
 */
static void
refuse_null(InsertNode *node, TupleTableSlot *slot)
{
	ResultRelInfo *info = makeNode(ResultRelInfo);
	CustomScan *scan = (CustomScan *) node->css.ss.ps.plan;
	ModifyTable *insert = linitial_node(ModifyTable, scan->custom_plans);

	InitResultRelInfo(info, node->rel, linitial_int(insert->resultRelations),
					  NULL, 0);
	ExecConstraints(info, slot, node->css.ss.ps.state);
}

static void
end_insert_node(CustomScanState *css)
{
	InsertNode *node = (InsertNode *) css;

	ExecEndNode(linitial(css->custom_ps));
	if (node->table != NULL)
		engine_insert_end(node->table);
}

/*
 * A statement that inserts is the whole plan, so nothing begins it anew; core
 * wants the callback.
 */
static void
rescan_insert_node(CustomScanState *css)
{
	ExecReScan(linitial(css->custom_ps));
}

static void
explain_insert_node(CustomScanState *css, List *ancestors, ExplainState *es)
{
	InsertNode *node = (InsertNode *) css;

	if (node->table != NULL)
		ExplainPropertyText("Table", engine_def(node->table)->name, es);
}
