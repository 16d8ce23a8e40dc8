/*-------------------------------------------------------------------------
 *
 * key_estimate.c
 *	  How many items will a Query or a Scan read?
 *
 * What is needed most is how large a collection is: the number of rows divided
 * by the number of partition keys, which ANALYZE counts for the column pk, and
 * for the expressions of secondary indexes.  Values are not looked at, only
 * operators.
 *
 * The figures are statistics about a table's data: the caller asks whether the
 * user may read it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "key/key.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

/* What a range of keys lets pass. */
#define BETWEEN_SEL	(DEFAULT_INEQ_SEL * DEFAULT_INEQ_SEL)

static double restrict_range(const TableDef *def, const IndexDef *index,
							 double rows, double tuples,
							 const ExprKeyShape *shape);
static double distinct_values(const TableDef *def, const IndexDef *index,
							  double tuples, int column);

/*
 * As VACUUM and ANALYZE left them; false: they have not seen the relation.
 */
bool
key_relation_counts(Oid relid, double *tuples, double *pages)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_class) GETSTRUCT(tuple);
	*tuples = form->reltuples;
	*pages = (BlockNumber) form->relpages;
	ReleaseSysCache(tuple);
	return *tuples >= 0;
}

/*
 * The part of a collection that a key condition of that shape asks for; NULL:
 * not known.  "tuples" is the number of entries of the index, or of the table's
 * rows.
 */
double
key_estimate_query(const TableDef *def, const IndexDef *index,
				   double tuples, const ExprKeyShape *shape)
{
	double		distinct = distinct_values(def, index, tuples, 1);
	double		rows;

	if (index == NULL && def->range.name == NULL)
		return 1;
	if (distinct <= 0)
		distinct = Max(1, Min(tuples, DEFAULT_NUM_DISTINCT));
	rows = tuples / Max(distinct, 1);
	if (shape != NULL)
		rows = restrict_range(def, index, rows, tuples, shape);
	return rows;
}

/*
 * One clause for each HASH attribute, then those for RANGE attributes, equal
 * but for the last; in any order, because only their operators are known.
 */
static double
restrict_range(const TableDef *def, const IndexDef *index, double rows,
			   double tuples, const ExprKeyShape *shape)
{
	int			nequal = shape->equal -
		(index ? index->nhash : 1);

	if (nequal > 0 && index == NULL)
		return 1;
	for (int i = 1; i <= nequal; i++)
		rows /= Max(1, Min(rows, distinct_values(def, index, tuples, 1 + i)));
	return rows * pow(DEFAULT_INEQ_SEL, shape->inequalities) *
		pow(BETWEEN_SEL, shape->ranges);
}

/*
 * How many values does a column of the btree have?  0: not known.
 */
static double
distinct_values(const TableDef *def, const IndexDef *index, double tuples,
				int column)
{
	bool		own = index && (!index->local || column > 1);
	Oid			relid = own ? index->relid : def->relid;
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(relid),
										Int16GetDatum(column),
										BoolGetDatum(false));
	double		distinct;

	if (!HeapTupleIsValid(tuple))
		return 0;
	distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
	ReleaseSysCache(tuple);
	return distinct < 0 ? -distinct * tuples : distinct;
}

/*
 * The average size of an item as stored, in bytes; 0: not known.
 */
double
key_estimate_item(const TableDef *def)
{
	return get_attavgwidth(def->relid, SCHEMA_ATTR_ITEM(def));
}
