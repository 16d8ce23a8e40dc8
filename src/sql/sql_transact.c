/*-------------------------------------------------------------------------
 *
 * sql_transact.c
 *	  The SQL functions transact_write and transact_get.
 *
 * Both take the TransactItems of the API as a JSON array; items and keys in it
 * are typed or plain.  A transaction has at most 100 items, so their answers
 * are collected, not streamed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"
#include "nodes/execnodes.h"
#include "sql/sql.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dynamo_transact_write);
PG_FUNCTION_INFO_V1(dynamo_transact_get);

/*
 * transact_write(actions): ordinal, table_name, action of each
 */
Datum
dynamo_transact_write(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *actions = sql_required_text_arg(fcinfo, 0, "actions");
	ApiTransactAction *done;
	int			n;

	InitMaterializedSRF(fcinfo, 0);
	n = api_transact_write(actions, strlen(actions), &done);
	for (int i = 0; i < n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		values[0] = Int32GetDatum(i + 1);
		values[1] = CStringGetTextDatum(done[i].table_name);
		values[2] = CStringGetTextDatum(done[i].action);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * transact_get(gets): ordinal, table_name, item of each; item null when there
 * is none
 */
Datum
dynamo_transact_get(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *gets = sql_required_text_arg(fcinfo, 0, "gets");
	ApiTransactGot *got;
	int			n;

	InitMaterializedSRF(fcinfo, 0);
	n = api_transact_get(gets, strlen(gets), &got);
	for (int i = 0; i < n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		values[0] = Int32GetDatum(i + 1);
		values[1] = CStringGetTextDatum(got[i].table_name);
		values[2] = PointerGetDatum(got[i].item);
		nulls[2] = got[i].item == NULL;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
