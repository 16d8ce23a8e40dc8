/*-------------------------------------------------------------------------
 *
 * sql_explain.c
 *	  dynamo.explain: what an operation would do, one row a step.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"
#include "nodes/execnodes.h"
#include "sql/sql.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define EXPLAIN_COLUMNS	14

PG_FUNCTION_INFO_V1(dynamo_explain);

static void return_step(ReturnSetInfo *result, int number,
						const MonitorStep *step);
static Datum text_or_null(const char *text, bool *isnull);

/*
 * explain(operation, request)
 */
Datum
dynamo_explain(PG_FUNCTION_ARGS)
{
	const Operation *op = operation_find(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	text	   *request = PG_GETARG_TEXT_PP(1);
	int			number = 0;
	List	   *steps;
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	steps = operation_explain(op, VARDATA_ANY(request), VARSIZE_ANY_EXHDR(request));
	foreach(lc, steps)
		return_step((ReturnSetInfo *) fcinfo->resultinfo, ++number,
					lfirst(lc));
	return (Datum) 0;
}

static void
return_step(ReturnSetInfo *result, int number, const MonitorStep *step)
{
	Datum		values[EXPLAIN_COLUMNS];
	bool		nulls[EXPLAIN_COLUMNS] = {0};

	values[0] = Int32GetDatum(number);
	values[1] = CStringGetTextDatum(step->action);
	values[2] = CStringGetTextDatum(step->table_name);
	values[3] = text_or_null(step->index_name, &nulls[3]);
	values[4] = CStringGetTextDatum(step->access);
	values[5] = ObjectIdGetDatum(step->relation);
	nulls[5] = !OidIsValid(step->relation);
	values[6] = text_or_null(step->condition, &nulls[6]);
	values[7] = BoolGetDatum(step->backward);
	values[8] = Float8GetDatum(step->read);
	values[9] = Float8GetDatum(step->returned);
	values[10] = Float8GetDatum(step->read_units);
	values[11] = Float8GetDatum(step->write_units);
	for (int i = 8; i <= 11; i++)
		nulls[i] = !step->estimated;
	values[12] = CStringGetTextDatum(step->slow_reason ? "spi" : "local");
	values[13] = text_or_null(step->slow_reason, &nulls[13]);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static Datum
text_or_null(const char *text, bool *isnull)
{
	*isnull = text == NULL;
	return text ? CStringGetTextDatum(text) : (Datum) 0;
}
