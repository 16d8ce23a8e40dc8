/*-------------------------------------------------------------------------
 *
 * plan_estimate.c
 *	  How many items will a call of get_item, query, scan or search_vectors read
 *	  and return?
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

#include "miscadmin.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "plan/plan.h"
#include "sql/sql.h"
#include "utils/acl.h"
#include "utils/builtins.h"

/* What is read: the table, or one of its indexes. */
typedef struct EstimateSource
{
	const TableDef *def;
	const IndexDef *index;		/* NULL: the table */
	double		tuples;
	double		pages;			/* of the table that one tuple takes */
} EstimateSource;

PG_FUNCTION_INFO_V1(dynamo_estimate);

static bool find_source(PlannerInfo *root, PlanReaderKind kind, List *args,
						EstimateSource *source);
static double query_rows(const EstimateSource *source, Node *condition);
static double search_rows(const EstimateSource *source, const IndexDef *index);
static const IndexDef *search_index(PlannerInfo *root, List *args,
									const EstimateSource *source);
static void search_work(const EstimateSource *source, const IndexDef *index,
						PlanEstimate *estimate);
static bool read_shape(Node *condition, ExprKeyShape *shape);
static Node *argument(PlannerInfo *root, List *args, int n);
static char *text_constant(Node *arg);
static bool is_null(Node *arg);

/*
 * The support function of the four functions: answers how many rows a call
 * returns.  Calling it also loads this module, and with it the hook that makes
 * plans for them (plan_path.c).
 */
Datum
dynamo_estimate(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *rows = (SupportRequestRows *) request;
	PlanReaderKind kind;
	PlanEstimate estimate;

	if (IsA(request, SupportRequestRows) && rows->node != NULL &&
		IsA(rows->node, FuncExpr) &&
		plan_reader_kind(rows->funcid, &kind) &&
		plan_estimate(rows->root, kind, ((FuncExpr *) rows->node)->args,
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
plan_estimate(PlannerInfo *root, PlanReaderKind kind, List *args,
			  PlanEstimate *estimate)
{
	const PlanReaderArgs *at = &plan_reader_args[kind];
	EstimateSource source;
	const IndexDef *vectors = NULL;
	Node	   *limit;

	if ((kind != PLAN_QUERY && kind != PLAN_SCAN && kind != PLAN_SEARCH) ||
		list_length(args) != at->count ||
		!find_source(root, kind, args, &source))
		return false;

	if (kind == PLAN_SEARCH)
	{
		vectors = search_index(root, args, &source);
		estimate->read = search_rows(&source, vectors);
	}
	else if (kind == PLAN_SCAN)
		estimate->read = source.tuples;
	else
		estimate->read = query_rows(&source, argument(root, args, at->key));
	if (kind == PLAN_SCAN)
	{
		Node	   *segments = argument(root, args, at->segments);

		if (IsA(segments, Const) && !is_null(segments))
			estimate->read /= Max(1, DatumGetInt32(((Const *) segments)->constvalue));
	}
	estimate->rows = estimate->read;
	if (at->filter >= 0 && !is_null(argument(root, args, at->filter)))
		estimate->rows *= KEY_FILTER_SEL;
	limit = argument(root, args, at->limit);
	if (IsA(limit, Const) && !is_null(limit))
		estimate->rows = Min(estimate->rows,
							 kind == PLAN_SEARCH ?
							 DatumGetInt32(((Const *) limit)->constvalue) :
							 DatumGetInt64(((Const *) limit)->constvalue));
	estimate->rows = clamp_row_est(estimate->rows);
	estimate->read = clamp_row_est(estimate->read);
	estimate->pages = estimate->read * source.pages;
	estimate->operators = 1;
	if (vectors != NULL)
		search_work(&source, vectors, estimate);
	return true;
}

/*
 * Of an index we know only the number of its entries; each costs a page of the
 * table, because its order is another one.
 */
static bool
find_source(PlannerInfo *root, PlanReaderKind kind, List *args,
			EstimateSource *source)
{
	const PlanReaderArgs *at = &plan_reader_args[kind];
	const char *table = text_constant(argument(root, args, 0));
	Node	   *index = argument(root, args, at->index);
	double		pages;

	source->def = table ? schema_find_table(sql_table_name(table)) : NULL;
	if (source->def == NULL ||
		pg_class_aclcheck(source->def->relid, GetUserId(),
						  ACL_SELECT) != ACLCHECK_OK ||
		!key_relation_counts(source->def->relid, &source->tuples, &pages))
		return false;
	source->pages = pages / Max(source->tuples, 1);
	source->index = NULL;
	if (kind == PLAN_SEARCH || is_null(index))
		return true;

	if (text_constant(index) == NULL)
		return false;
	source->index = schema_find_index(source->def, text_constant(index));
	source->pages = 1;
	return source->index != NULL &&
		key_relation_counts(source->index->relid, &source->tuples, &pages);
}

/*
 * The part of a collection that the condition asks for.
 */
static double
query_rows(const EstimateSource *source, Node *condition)
{
	ExprKeyShape shape;

	return key_estimate_query(source->def, source->index, source->tuples,
							  read_shape(condition, &shape) ? &shape : NULL);
}

/*
 * A partition, if that is what the index is by: its HASH has to be given.
 */
static double
search_rows(const EstimateSource *source, const IndexDef *index)
{
	if (index == NULL || index->nhash == 0 ||
		strcmp(index->hash[0].name, source->def->hash.name) != 0)
		return source->tuples;
	return key_estimate_query(source->def, NULL, source->tuples, NULL);
}

/* NULL: it is not known. */
static const IndexDef *
search_index(PlannerInfo *root, List *args, const EstimateSource *source)
{
	const char *name = text_constant(argument(root, args,
											  plan_reader_args[PLAN_SEARCH].index));

	return name ? schema_find_vector(source->def, name) : NULL;
}

/*
 * Elements are compared several at once.  Those that are in items have to be
 * made of numbers before, one by one.
 */
static void
search_work(const EstimateSource *source, const IndexDef *index,
			PlanEstimate *estimate)
{
	double		entries;
	double		pages;

	if (OidIsValid(index->relid) &&
		key_relation_counts(index->relid, &entries, &pages))
	{
		estimate->pages = pages * estimate->read / Max(source->tuples, 1);
		estimate->operators = Max(index->dimensions / 8, 1);
	}
	else
		estimate->operators = index->dimensions;
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
