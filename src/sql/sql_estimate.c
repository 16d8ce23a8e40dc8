/*-------------------------------------------------------------------------
 *
 * sql_estimate.c
 *	  How many items will a call of get_item, query or scan read and return?
 *
 * The planner asks when it knows the arguments as far as they are constant.
 * What it needs most is how large a collection is: the number of rows divided
 * by the number of partition keys, which ANALYZE counts for the column pk, and
 * for the expressions of secondary indexes.  The values in a key condition
 * are often those of a join, so they are not looked at, only its operators.
 *
 * The figures are statistics about a table's data.  A role that may not read
 * the table gets the defaults.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "miscadmin.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "sql/sql.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

/* What a filter lets pass, and what an inequality or a range of keys does. */
#define FILTER_SEL	DEFAULT_INEQ_SEL
#define BETWEEN_SEL	(DEFAULT_INEQ_SEL * DEFAULT_INEQ_SEL)

/* What is read: the table, or one of its indexes. */
typedef struct Source
{
	const TableDef *def;
	const IndexDef *index;		/* NULL: the table */
	double		tuples;
	double		pages;			/* of the table that one tuple takes */
} Source;

PG_FUNCTION_INFO_V1(dynamo_estimate);

static bool find_source(PlannerInfo *root, SqlReaderKind kind, List *args,
						Source *source);
static bool read_size(Oid relid, double *tuples, double *pages);
static double query_rows(const Source *source, Node *condition);
static double restrict_range(const Source *source, double rows,
							 const ExprKeyShape *shape);
static bool read_shape(Node *condition, ExprKeyShape *shape);
static double distinct_values(const Source *source, int column);
static Node *argument(PlannerInfo *root, List *args, int n);
static char *text_constant(Node *arg);
static bool is_null(Node *arg);

/*
 * The support function of the four functions: answers how many rows a call
 * returns.  Calling it also loads this module, and with it the hook that makes
 * plans for them (sql_path.c).
 */
Datum
dynamo_estimate(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *rows = (SupportRequestRows *) request;
	SqlReaderKind kind;
	SqlEstimate estimate;

	if (IsA(request, SupportRequestRows) && rows->node != NULL &&
		IsA(rows->node, FuncExpr) &&
		sql_reader_kind(rows->funcid, &kind) &&
		sql_estimate(rows->root, kind, ((FuncExpr *) rows->node)->args,
					 &estimate))
	{
		rows->rows = estimate.rows;
		PG_RETURN_POINTER(request);
	}
	PG_RETURN_POINTER(NULL);
}

/*
 * False: nothing is known.  Raises nothing for arguments that a call would be
 * refused for.
 */
bool
sql_estimate(PlannerInfo *root, SqlReaderKind kind, List *args,
			 SqlEstimate *estimate)
{
	const SqlReaderArgs *at = &sql_reader_args[kind];
	Source		source;
	Node	   *limit;

	if ((kind != SQL_QUERY && kind != SQL_SCAN) ||
		list_length(args) != at->count ||
		!find_source(root, kind, args, &source))
		return false;

	estimate->read = kind == SQL_SCAN ? source.tuples :
		query_rows(&source, argument(root, args, at->key));
	if (kind == SQL_SCAN)
	{
		Node	   *segments = argument(root, args, at->segments);

		if (IsA(segments, Const) && !is_null(segments))
			estimate->read /= Max(1, DatumGetInt32(((Const *) segments)->constvalue));
	}
	estimate->rows = estimate->read;
	if (!is_null(argument(root, args, at->filter)))
		estimate->rows *= FILTER_SEL;
	limit = argument(root, args, at->limit);
	if (IsA(limit, Const) && !is_null(limit))
		estimate->rows = Min(estimate->rows,
							 DatumGetInt64(((Const *) limit)->constvalue));
	estimate->rows = clamp_row_est(estimate->rows);
	estimate->read = clamp_row_est(estimate->read);
	estimate->pages = estimate->read * source.pages;
	return true;
}

/*
 * Of an index we know only the number of its entries; each costs a page of the
 * table, because its order is another one.
 */
static bool
find_source(PlannerInfo *root, SqlReaderKind kind, List *args, Source *source)
{
	const SqlReaderArgs *at = &sql_reader_args[kind];
	const char *table = text_constant(argument(root, args, 0));
	Node	   *index = argument(root, args, at->index);
	double		pages;

	source->def = table ? schema_find_table(sql_table_name(table)) : NULL;
	if (source->def == NULL ||
		pg_class_aclcheck(source->def->relid, GetUserId(),
						  ACL_SELECT) != ACLCHECK_OK ||
		!read_size(source->def->relid, &source->tuples, &pages))
		return false;
	source->pages = pages / Max(source->tuples, 1);
	source->index = NULL;
	if (is_null(index))
		return true;

	if (text_constant(index) == NULL)
		return false;
	source->index = schema_find_index(source->def, text_constant(index));
	source->pages = 1;
	return source->index != NULL &&
		read_size(source->index->relid, &source->tuples, &pages);
}

/*
 * As VACUUM and ANALYZE left them; false: they have not seen the relation.
 */
static bool
read_size(Oid relid, double *tuples, double *pages)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_class) GETSTRUCT(tuple);
	*tuples = form->reltuples;
	*pages = form->relpages;
	ReleaseSysCache(tuple);
	return *tuples >= 0;
}

/*
 * The part of a collection that the condition asks for.
 */
static double
query_rows(const Source *source, Node *condition)
{
	ExprKeyShape shape;
	double		distinct = distinct_values(source, 1);
	double		rows;

	if (source->index == NULL && source->def->range.name == NULL)
		return 1;
	if (distinct <= 0)
		distinct = Max(1, Min(source->tuples, DEFAULT_NUM_DISTINCT));
	rows = source->tuples / Max(distinct, 1);
	if (read_shape(condition, &shape))
		rows = restrict_range(source, rows, &shape);
	return rows;
}

/*
 * One clause for each HASH attribute, then those for RANGE attributes, equal
 * but for the last; in any order, because only their operators are known.
 */
static double
restrict_range(const Source *source, double rows, const ExprKeyShape *shape)
{
	int			nequal = shape->equal -
		(source->index ? source->index->nhash : 1);

	if (nequal > 0 && source->index == NULL)
		return 1;
	for (int i = 1; i <= nequal; i++)
		rows /= Max(1, Min(rows, distinct_values(source, 1 + i)));
	return rows * pow(DEFAULT_INEQ_SEL, shape->inequalities) *
		pow(BETWEEN_SEL, shape->ranges);
}

/*
 * The operators of a key condition, as far as its text tells; false: it is no
 * constant, or wrong.
 */
static bool
read_shape(Node *condition, ExprKeyShape *shape)
{
	MemoryContext context = CurrentMemoryContext;
	const char *text = text_constant(condition);
	volatile bool good = text != NULL;

	memset(shape, 0, sizeof(ExprKeyShape));
	PG_TRY();
	{
		if (text != NULL)
			expr_key_shape(expr_parse_outline(EXPR_KEY_CONDITION, text), shape);
	}
	PG_CATCH();
	{
		(void) dynamo_caught(DYNAMO_VALIDATION, context);
		FlushErrorState();
		good = false;
	}
	PG_END_TRY();
	return good;
}

/*
 * How many values does a column of the btree have?  0: not known.
 */
static double
distinct_values(const Source *source, int column)
{
	bool		own = source->index && (!source->index->local || column > 1);
	Oid			relid = own ? source->index->relid : source->def->relid;
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(relid),
										Int16GetDatum(column),
										BoolGetDatum(false));
	double		distinct;

	if (!HeapTupleIsValid(tuple))
		return 0;
	distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
	ReleaseSysCache(tuple);
	return distinct < 0 ? -distinct * source->tuples : distinct;
}

/*
 * An argument, as constant as it gets.
 */
static Node *
argument(PlannerInfo *root, List *args, int n)
{
	return estimate_expression_value(root, list_nth(args, n));
}

/* NULL: it is none, or null. */
static char *
text_constant(Node *arg)
{
	if (!IsA(arg, Const) || is_null(arg))
		return NULL;
	return TextDatumGetCString(((Const *) arg)->constvalue);
}

static bool
is_null(Node *arg)
{
	return IsA(arg, Const) && ((Const *) arg)->constisnull;
}
