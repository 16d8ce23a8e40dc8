/*-------------------------------------------------------------------------
 *
 * plan_node.c
 *	  The plan node that runs a function that returns items.
 *
 * The node reads on when it is asked for a row and keeps none, so a LIMIT or a
 * cursor stops the reading.  It cannot go backward: core puts a Materialize
 * above it for a cursor that can.  Each scan has a reader with a memory context
 * of its own; a rescan, as for each row of a LATERAL join, begins another one.
 *
 * EXPLAIN shows what a scan reads, as the reader knows it once it has checked
 * the request.  For that it makes a reader that reads nothing, provided that
 * the arguments are known before execution; so EXPLAIN raises what the call
 * would raise, such as a missing privilege.  When the arguments come from
 * other rows it shows them as they are written.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "plan/plan.h"
#include "search/search.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

typedef struct ReaderNode
{
	CustomScanState css;
	PlanReaderKind kind;
	FuncExpr   *call;
	List	   *args;			/* of ExprState */
	FunctionCallInfo fcinfo;
	MemoryContext context;		/* holds the reader */
	PlanReader *reader;			/* NULL: none is open */
	bool		at_end;			/* since the last rescan */

	/* for EXPLAIN */
	bool		constant;		/* the arguments are known before execution */
	bool		planned;		/* "plan" is known */
	ApiPlan		plan;			/* unless constant, of the first reader */
	int64		read;
	int64		compared;
	int64		returned;
	bool		searched;		/* "graph" is known: that of the last search, */
	NameData	graph;			/* empty if it was exact */
} ReaderNode;

static Node *create_reader_node(CustomScan *scan);
static void begin_reader_node(CustomScanState *css, EState *estate,
							  int eflags);
static void check_execute(Oid function);
static TupleTableSlot *run_reader_node(CustomScanState *css);
static TupleTableSlot *next_row(ScanState *ss);
static bool recheck_row(ScanState *ss, TupleTableSlot *slot);
static void open_reader(ReaderNode *node);
static void close_reader(ReaderNode *node);
static void end_reader_node(CustomScanState *css);
static void rescan_reader_node(CustomScanState *css);
static bool depends_on_rows(Node *expr, ParamListInfo params);
static void keep_plan(ReaderNode *node);
static void explain_reader_node(CustomScanState *css, List *ancestors,
								ExplainState *es);
static void keep_graph(ReaderNode *node);
static void explain_search(ReaderNode *node, List *context, ExplainState *es);
static void explain_arg(ReaderNode *node, const char *label, int n,
						List *context, ExplainState *es);

static const CustomScanMethods scan_methods[PLAN_READER_KINDS] = {
	[PLAN_GET_ITEM] = {"DynamoGetItem", create_reader_node},
	[PLAN_BATCH_GET] = {"DynamoBatchGet", create_reader_node},
	[PLAN_QUERY] = {"DynamoQuery", create_reader_node},
	[PLAN_SCAN] = {"DynamoScan", create_reader_node},
	[PLAN_PARTIQL] = {"DynamoStatement", create_reader_node},
	[PLAN_SEARCH] = {"DynamoSearch", create_reader_node},
};

static const CustomExecMethods exec_methods = {
	.CustomName = "DynamoRead",
	.BeginCustomScan = begin_reader_node,
	.ExecCustomScan = run_reader_node,
	.EndCustomScan = end_reader_node,
	.ReScanCustomScan = rescan_reader_node,
	.ExplainCustomScan = explain_reader_node
};

void
plan_node_init(void)
{
	for (int i = 0; i < PLAN_READER_KINDS; i++)
		RegisterCustomScanMethods(&scan_methods[i]);
}

const CustomScanMethods *
plan_node_methods(PlanReaderKind kind)
{
	return &scan_methods[kind];
}

static Node *
create_reader_node(CustomScan *scan)
{
	ReaderNode *node = palloc0(sizeof(ReaderNode));

	NodeSetTag(node, T_CustomScanState);
	node->css.methods = &exec_methods;
	node->kind = scan->methods - scan_methods;
	node->call = linitial_node(FuncExpr, scan->custom_exprs);
	return (Node *) node;
}

static void
begin_reader_node(CustomScanState *css, EState *estate, int eflags)
{
	ReaderNode *node = (ReaderNode *) css;
	int			nargs = list_length(node->call->args);
	FmgrInfo   *info;

	check_execute(node->call->funcid);
	node->args = ExecInitExprList(node->call->args, &css->ss.ps);
	node->fcinfo = palloc0(SizeForFunctionCallInfo(nargs));

	/* Only what tells the types of arguments: the function is not called. */
	info = palloc0(sizeof(FmgrInfo));
	fmgr_info_set_expr((Node *) node->call, info);
	InitFunctionCallInfoData(*node->fcinfo, info, nargs, InvalidOid, NULL,
							 NULL);
	node->context = AllocSetContextCreate(estate->es_query_cxt,
										  "dynamo read",
										  ALLOCSET_DEFAULT_SIZES);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) || estate->es_instrument)
		node->constant = !depends_on_rows((Node *) node->call->args,
										  estate->es_param_list_info);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) && node->constant)
	{
		open_reader(node);
		keep_plan(node);
		close_reader(node);
	}
}

/*
 * As the executor does before it calls a function.
 */
static void
check_execute(Oid function)
{
	AclResult	result = compat_may_execute(function, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

static TupleTableSlot *
run_reader_node(CustomScanState *css)
{
	return ExecScan(&css->ss, next_row, recheck_row);
}

/*
 * The row lies in the scan's memory, or in the context that lives until the
 * next call: no copy is needed.
 */
static TupleTableSlot *
next_row(ScanState *ss)
{
	ReaderNode *node = (ReaderNode *) ss;
	TupleTableSlot *slot = ss->ss_ScanTupleSlot;
	MemoryContext caller;
	const Item *item = NULL;

	ExecClearTuple(slot);
	caller = MemoryContextSwitchTo(ss->ps.ps_ExprContext->ecxt_per_tuple_memory);
	if (node->reader == NULL && !node->at_end)
		open_reader(node);
	if (node->reader != NULL)
		item = plan_reader_next(node->reader);
	if (item != NULL && plan_reader_scores(node->kind))
	{
		slot->tts_values[1] = Float8GetDatum(plan_reader_score(node->reader));
		slot->tts_isnull[1] = false;
	}
	MemoryContextSwitchTo(caller);

	if (item == NULL)
	{
		if (node->reader != NULL && !plan_reader_writes(node->reader))
			close_reader(node);
		node->at_end = true;
		return slot;
	}
	node->returned++;
	slot->tts_values[0] = PointerGetDatum(item);
	slot->tts_isnull[0] = false;
	return ExecStoreVirtualTuple(slot);
}

/*
 * Asked for a row during EvalPlanQual, where core takes us for a join that was
 * pushed down.  We only get here in a subquery that is run anew, so the next
 * row is right.
 */
static bool
recheck_row(ScanState *ss, TupleTableSlot *slot)
{
	return !TupIsNull(next_row(ss));
}

static void
open_reader(ReaderNode *node)
{
	PlanState  *ps = &node->css.ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;
	MemoryContext caller;
	int			i = 0;
	ListCell   *lc;

	foreach(lc, node->args)
	{
		NullableDatum *arg = &node->fcinfo->args[i++];

		arg->value = ExecEvalExprSwitchContext(lfirst(lc), econtext,
											   &arg->isnull);
	}
	caller = MemoryContextSwitchTo(node->context);
	node->reader = plan_reader_begin(node->kind, node->fcinfo);
	if (ps->state->es_instrument && !node->planned)
		keep_plan(node);
	MemoryContextSwitchTo(caller);
}

static void
close_reader(ReaderNode *node)
{
	if (node->reader == NULL)
		return;
	node->read += plan_reader_count(node->reader);
	node->compared += plan_reader_compared(node->reader);
	keep_graph(node);
	plan_reader_end(node->reader);
	node->reader = NULL;
	MemoryContextReset(node->context);
}

static void
end_reader_node(CustomScanState *css)
{
	close_reader((ReaderNode *) css);
}

static void
rescan_reader_node(CustomScanState *css)
{
	ReaderNode *node = (ReaderNode *) css;

	bool		same = css->ss.ps.chgParam == NULL;

	ExecScanReScan(&css->ss);
	if (!same || node->reader == NULL || !plan_reader_rewind(node->reader))
		close_reader(node);
	node->at_end = false;
}

/*
 * Does the value of the expression depend on what is known at execution only,
 * or would it do something?
 */
static bool
depends_walker(Node *expr, void *params)
{
	if (expr == NULL)
		return false;
	if (IsA(expr, SubPlan) || IsA(expr, AlternativeSubPlan))
		return true;
	if (IsA(expr, Param))
		return ((Param *) expr)->paramkind != PARAM_EXTERN || params == NULL;
	return expression_tree_walker(expr, depends_walker, params);
}

static bool
depends_on_rows(Node *expr, ParamListInfo params)
{
	return depends_walker(expr, params) || contain_volatile_functions(expr);
}

/*
 * Keep what the reader reads, for as long as the node lives.
 */
static void
keep_plan(ReaderNode *node)
{
	MemoryContext caller = CurrentMemoryContext;

	node->planned = plan_reader_plan(node->reader, &node->plan);
	if (node->planned && node->plan.key != NULL)
	{
		MemoryContextSwitchTo(node->css.ss.ps.state->es_query_cxt);
		node->plan.key = pstrdup(node->plan.key);
		MemoryContextSwitchTo(caller);
	}
}

static void
keep_graph(ReaderNode *node)
{
	const char *graph = plan_reader_graph(node->reader);

	node->searched = true;
	namestrcpy(&node->graph, graph ? graph : "");
}

static void
explain_reader_node(CustomScanState *css, List *ancestors, ExplainState *es)
{
	ReaderNode *node = (ReaderNode *) css;
	const PlanReaderArgs *at = &plan_reader_args[node->kind];
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   css->ss.ps.plan,
												   ancestors);

	explain_arg(node, node->kind == PLAN_PARTIQL ? "Statement" : "Table", 0,
				context, es);
	if (node->planned && get_rel_name(node->plan.index) != NULL)
		ExplainPropertyText("Index", get_rel_name(node->plan.index), es);
	else
		explain_arg(node, "Index", at->index, context, es);
	if (node->planned && node->constant)
	{
		if (node->plan.key != NULL)
			ExplainPropertyText("Key", node->plan.key, es);
	}
	else
	{
		explain_arg(node, at->values >= 0 ? "Key Condition" : "Key",
					at->key, context, es);
		if (node->kind != PLAN_SEARCH)
			explain_arg(node, "Values", at->values, context, es);
	}
	if (node->kind == PLAN_SEARCH)
		explain_search(node, context, es);
	explain_arg(node, "Filter Expression", at->filter, context, es);
	explain_arg(node, "Scan Index Forward", at->forward, context, es);
	explain_arg(node, node->kind == PLAN_SEARCH ? "Top K" : "Max Items",
				at->limit, context, es);
	explain_arg(node, "As Of", at->as_of, context, es);
	if (es->analyze)
	{
		int64		open = node->reader ? plan_reader_count(node->reader) : 0;

		ExplainPropertyInteger("Items Read", NULL, node->read + open, es);
		if (node->kind == PLAN_SEARCH)
			ExplainPropertyInteger("Vectors Compared", NULL,
								   node->compared + (node->reader ?
													 plan_reader_compared(node->reader) : 0),
								   es);
		ExplainPropertyInteger("Items Returned", NULL, node->returned, es);
	}
}

/*
 * How a search is done, and its condition, which is about more than the key.
 */
static void
explain_search(ReaderNode *node, List *context, ExplainState *es)
{
	const PlanReaderArgs *at = &plan_reader_args[node->kind];

	const char *way = search_may_be_approximate() ? "auto" : "exact";

	if (node->reader)
		keep_graph(node);
	if (node->searched)
		way = NameStr(node->graph)[0] ? "approximate" : "exact";
	ExplainPropertyText("Search", way, es);
	if (node->searched && NameStr(node->graph)[0])
		ExplainPropertyText("Graph", NameStr(node->graph), es);
	explain_arg(node, "Search Condition", at->condition, context, es);
	explain_arg(node, "Values", at->values, context, es);
}

/*
 * An argument: its value if it is a constant, else the expression.  Nothing if
 * it is not given, or true.
 */
static void
explain_arg(ReaderNode *node, const char *label, int n, List *context,
			ExplainState *es)
{
	bool		has = n >= 0 && n < list_length(node->call->args);
	Node	   *arg = has ? list_nth(node->call->args, n) : NULL;
	const Const *constant = (const Const *) arg;
	char	   *text;
	Oid			output;
	bool		varlena;

	if (arg == NULL || (IsA(arg, Const) && constant->constisnull) ||
		(n == plan_reader_args[node->kind].forward && IsA(arg, Const) &&
		 DatumGetBool(constant->constvalue)))
		return;
	if (IsA(arg, Const))
	{
		getTypeOutputInfo(constant->consttype, &output, &varlena);
		text = OidOutputFunctionCall(output, constant->constvalue);
	}
	else
		text = deparse_expression(arg, context, true, false);
	ExplainPropertyText(label, text, es);
}
