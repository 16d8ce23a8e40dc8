/*-------------------------------------------------------------------------
 *
 * plan_insert.c
 *	  INSERT into a distributed table by plain SQL.
 *
 * On one server the columns of the key are generated from the item.  Citus
 * distributes by an ordinary column, and has to see its value in the
 * statement.  So an INSERT that does not name these columns gets them here,
 * when it has been analyzed: the expressions that they would be generated
 * from, with what the statement gives the item put in.  A CHECK of the table
 * refuses whatever comes to be otherwise.  So it is for a table that a dump of
 * a cluster has brought to one server, until it is distributed again.
 *
 * A session that has not loaded the module has no hook.  Where tables are
 * distributed, it is preloaded.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_extension.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parsetree.h"
#include "plan/plan.h"
#include "rewrite/rewriteManip.h"
#include "schema/schema.h"
#include "utils/lsyscache.h"

/* The name of a column that is added to what is inserted. */
#define KEY_COLUMN	"key"

static post_parse_analyze_hook_type previous_hook;

static void add_keys(ParseState *pstate, Query *query, compat_jumble *jstate);
static void complete(Query *query);
static TargetEntry *entry_of(const Query *query, AttrNumber attnum);
static Index source_of(const Query *query);
static void make_room(Query *query);
static Query *wrapped(Query *query);
static Expr *key_of(Query *query, Expr *key, Expr *item);
static Expr *add_to_rows(Index source, RangeTblEntry *values, const Var *item,
						 Expr *key);
static Expr *add_to_query(Index source, RangeTblEntry *rte, Expr *item,
						  Expr *key);
static Expr *with_item(Expr *key, Expr *item);
static Node *put_item_in(Node *node, void *item);

void
plan_insert_init(void)
{
	previous_hook = post_parse_analyze_hook;
	post_parse_analyze_hook = add_keys;
}

static void
add_keys(ParseState *pstate, Query *query, compat_jumble *jstate)
{
	ListCell   *lc;

	if (previous_hook)
		previous_hook(pstate, query, jstate);
	if (query->commandType == CMD_UTILITY &&
		IsA(query->utilityStmt, ExplainStmt))
		query = castNode(Query, ((ExplainStmt *) query->utilityStmt)->query);
	foreach(lc, query->cteList)
		complete(castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery));
	complete(query);
}

static void
complete(Query *query)
{
	const TableDef *def;
	TargetEntry *item;
	bool		begun = false;
	ListCell   *lc;

	if (query->commandType != CMD_INSERT)
		return;
	def = plan_insert_target(rt_fetch(query->resultRelation,
									  query->rtable)->relid);
	if (def == NULL || !def->checked)
		return;
	item = entry_of(query, SCHEMA_ATTR_ITEM(def));
	if (item == NULL)
		return;
	foreach(lc, schema_table_keys(def))
	{
		AttrNumber	attnum = foreach_current_index(lc) + 1;
		Expr	   *key;

		if (entry_of(query, attnum) != NULL)
			continue;
		if (!begun)
			make_room(query);
		begun = true;
		key = key_of(query, lfirst(lc), item->expr);
		query->targetList = lappend(query->targetList,
									makeTargetEntry(key, attnum,
													get_attname(def->relid,
																attnum, false),
													false));
	}
}

/*
 * What a relation that is inserted into holds; NULL: no table of ours.  Most
 * relations that are inserted into are not ours, so what is cheap comes first.
 * One whose columns the owner has changed is none any more.
 */
const TableDef *
plan_insert_target(Oid relid)
{
	if (get_attnum(relid, "pk") != SCHEMA_ATTR_PK || !dynamo_is_installed())
		return NULL;
	return schema_find_sound_relation(relid);
}

static TargetEntry *
entry_of(const Query *query, AttrNumber attnum)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (entry->resno == attnum && !entry->resjunk)
			return entry;
	}
	return NULL;
}

/*
 * The list of rows, or the query, that the statement inserts; 0: it is one
 * row of expressions.
 */
static Index
source_of(const Query *query)
{
	if (query->jointree->fromlist == NIL)
		return 0;
	return linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
}

/*
 * See to it that columns can be added to what is inserted.
 */
static void
make_room(Query *query)
{
	Index		source = source_of(query);

	if (source != 0)
	{
		RangeTblEntry *rte = rt_fetch(source, query->rtable);

		if (rte->rtekind == RTE_SUBQUERY)
			rte->subquery = wrapped(rte->subquery);
	}
}

/*
 * A query for all that another one gives, which may have no place for a column
 * more: it may be a UNION, or have no equal rows.
 */
static Query *
wrapped(Query *query)
{
	Query	   *outer = makeNode(Query);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblRef *reference = makeNode(RangeTblRef);
	ListCell   *lc;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->eref = makeAlias("*SELECT*", NIL);
	rte->inFromCl = true;
	outer->commandType = CMD_SELECT;
	outer->canSetTag = true;
	foreach(lc, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (entry->resjunk)
			continue;
		rte->eref->colnames = lappend(rte->eref->colnames,
									  makeString(pstrdup(entry->resname)));
		outer->targetList = lappend(outer->targetList,
									makeTargetEntry((Expr *) makeVarFromTargetEntry(1, entry),
													entry->resno,
													pstrdup(entry->resname),
													false));
	}
	IncrementVarSublevelsUp((Node *) query, 1, 1);
	reference->rtindex = 1;
	outer->rtable = list_make1(rte);
	outer->jointree = makeFromExpr(list_make1(reference), NULL);
	return outer;
}

/*
 * What a column of the key is for the item that the statement gives.  Citus
 * looks for the rows' places in the list of rows, or in what the query gives,
 * so that gets a column more.
 */
static Expr *
key_of(Query *query, Expr *key, Expr *item)
{
	Index		source = source_of(query);

	if (source != 0)
	{
		RangeTblEntry *rte = rt_fetch(source, query->rtable);

		if (rte->rtekind == RTE_VALUES && IsA(item, Var))
			return add_to_rows(source, rte, (Var *) item, key);
		if (rte->rtekind == RTE_SUBQUERY)
			return add_to_query(source, rte, item, key);
	}
	return with_item(key, item);
}

static Expr *
add_to_rows(Index source, RangeTblEntry *values, const Var *item, Expr *key)
{
	Var		   *var = makeVar(source, list_length(values->coltypes) + 1,
							  exprType((Node *) key), -1, InvalidOid, 0);
	ListCell   *lc;

	foreach(lc, values->values_lists)
	{
		List	   *row = lfirst(lc);

		lfirst(lc) = lappend(row, with_item(key, list_nth(row,
														  item->varattno - 1)));
	}
	values->coltypes = lappend_oid(values->coltypes, var->vartype);
	values->coltypmods = lappend_int(values->coltypmods, var->vartypmod);
	values->colcollations = lappend_oid(values->colcollations,
										var->varcollid);
	values->eref->colnames = lappend(values->eref->colnames,
									 makeString(KEY_COLUMN));
	return (Expr *) var;
}

/*
 * The query is a wrapped one, so "item", which is a column of it, a cast of
 * one or a constant, is the same over what is wrapped.
 */
static Expr *
add_to_query(Index source, RangeTblEntry *rte, Expr *item, Expr *key)
{
	Query	   *query = rte->subquery;
	Expr	   *inner = copyObject(item);
	TargetEntry *entry;

	ChangeVarNodes((Node *) inner, source, 1, 0);
	entry = makeTargetEntry(with_item(key, inner),
							list_length(query->targetList) + 1, KEY_COLUMN,
							false);
	query->targetList = lappend(query->targetList, entry);
	rte->eref->colnames = lappend(rte->eref->colnames,
								  makeString(KEY_COLUMN));
	return (Expr *) makeVarFromTargetEntry(source, entry);
}

/*
 * What a column of the key is for an item.  There is no item by default.
 */
static Expr *
with_item(Expr *key, Expr *item)
{
	if (IsA(item, SetToDefault))
		return (Expr *) makeNullConst(exprType((Node *) key), -1, InvalidOid);
	return (Expr *) put_item_in((Node *) key, item);
}

static Node *
put_item_in(Node *node, void *item)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return copyObject(item);
	return expression_tree_mutator(node, put_item_in, item);
}
