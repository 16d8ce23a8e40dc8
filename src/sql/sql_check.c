/*-------------------------------------------------------------------------
 *
 * sql_check.c
 *	  SQL functions that look things over: check_table, table_placement.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "check/check.h"
#include "funcapi.h"
#include "sql/sql.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define CHECK_COLUMNS		4	/* of check_table's result */
#define PLACEMENT_COLUMNS	7	/* of table_placement's */

/* A check whose problems are rows of a result. */
typedef struct CheckCall
{
	TableCheck	check;			/* first: its callback is given this */
	ReturnSetInfo *result;
} CheckCall;

PG_FUNCTION_INFO_V1(dynamo_check_table);
PG_FUNCTION_INFO_V1(dynamo_table_placement);

static void put_problem(TableCheck *check, Oid relid, BlockNumber block,
						OffsetNumber line, const char *text);

/*
 * check_table(table_name)
 */
Datum
dynamo_check_table(PG_FUNCTION_ARGS)
{
	CheckCall	call = {.check.problem = put_problem};

	InitMaterializedSRF(fcinfo, 0);
	call.result = (ReturnSetInfo *) fcinfo->resultinfo;
	call.check.table = sql_table_name(sql_text_arg(fcinfo, 0));
	check_whole_table(&call.check);
	PG_RETURN_NULL();
}

static void
put_problem(TableCheck *check, Oid relid, BlockNumber block,
			OffsetNumber line, const char *text)
{
	CheckCall  *call = (CheckCall *) check;
	Datum		values[CHECK_COLUMNS] = {ObjectIdGetDatum(relid),
		Int64GetDatum(block), Int32GetDatum(line), CStringGetTextDatum(text)};
	bool		nulls[CHECK_COLUMNS] = {false, block == InvalidBlockNumber,
		line == InvalidOffsetNumber, false};

	tuplestore_putvalues(call->result->setResult, call->result->setDesc,
						 values, nulls);
}

/*
 * table_placement(table_name)
 */
Datum
dynamo_table_placement(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	TableCheck	check = {.table = sql_table_name(sql_text_arg(fcinfo, 0))};
	Datum		values[PLACEMENT_COLUMNS];
	bool		nulls[PLACEMENT_COLUMNS] = {0};

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	check_whole_table(&check);
	values[0] = Int64GetDatum(check.pages);
	values[1] = Int64GetDatum(check.items);
	values[2] = Int64GetDatum(check.hidden);
	values[3] = Int64GetDatum(check.collections);
	nulls[4] = check.pages == 0;
	values[4] = Float8GetDatum(nulls[4] ? 0 :
							   1 - (double) check.free / ((double) check.pages * BLCKSZ));
	nulls[5] = check.collections == 0;
	values[5] = Float8GetDatum(nulls[5] ? 0 :
							   (double) check.items / check.collections);
	nulls[6] = check.collections == 0;
	values[6] = Float8GetDatum(nulls[6] ? 0 :
							   (double) check.places / check.collections);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	PG_RETURN_NULL();
}
