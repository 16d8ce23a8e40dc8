/*-------------------------------------------------------------------------
 *
 * sql_operation.c
 *	  The SQL function that shows the table of commands.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "sql/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(dynamo_operations);

static Datum text_array(const List *texts);

/*
 * operations()
 */
Datum
dynamo_operations(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const OperationFacts *facts;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; (facts = operation_facts(i)) != NULL; i++)
	{
		Datum		values[] = {
			CStringGetTextDatum(facts->name),
			CStringGetTextDatum(facts->service),
			BoolGetDatum(facts->available),
			BoolGetDatum(facts->writes),
			CStringGetTextDatum(facts->place),
			CStringGetTextDatum(facts->parts),
			CStringGetTextDatum(facts->checked),
			CStringGetTextDatum(facts->reach),
			BoolGetDatum(facts->explained),
			text_array(facts->names),
			text_array(facts->members),
			text_array(facts->refused)
		};
		bool		nulls[lengthof(values)] = {false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

static Datum
text_array(const List *texts)
{
	Datum	   *values = palloc(sizeof(Datum) * (list_length(texts) + 1));
	int			n = 0;
	ListCell   *lc;

	foreach(lc, texts)
		values[n++] = CStringGetTextDatum(lfirst(lc));
	return PointerGetDatum(construct_array(values, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}
