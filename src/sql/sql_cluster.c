/*-------------------------------------------------------------------------
 *
 * sql_cluster.c
 *	  SQL functions about a Citus cluster: its nodes, and which tables are spread
 *	  over them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "balance/balance.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "nodes/parsenodes.h"
#include "shard/shard.h"
#include "sql/sql.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#define CHECK_COLUMNS		3	/* of check_cluster's result */

PG_FUNCTION_INFO_V1(dynamo_distribute_table);
PG_FUNCTION_INFO_V1(dynamo_undistribute_table);
PG_FUNCTION_INFO_V1(dynamo_add_node);
PG_FUNCTION_INFO_V1(dynamo_remove_node);
PG_FUNCTION_INFO_V1(dynamo_cluster_nodes);
PG_FUNCTION_INFO_V1(dynamo_check_cluster);
PG_FUNCTION_INFO_V1(dynamo_stat_shards);
PG_FUNCTION_INFO_V1(dynamo_rebalance);

static void commit(void);
static void put_finding(void *result, const char *node, const char *finding,
						const char *advice);

/*
 * distribute_table(table_name, shard_count)
 */
Datum
dynamo_distribute_table(PG_FUNCTION_ARGS)
{
	char	   *table = sql_required_text_arg(fcinfo, 0, "table_name");
	int			shard_count = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);

	shard_distribute_table(sql_table_name(table),
						   PG_ARGISNULL(1) ? NULL : &shard_count);
	PG_RETURN_VOID();
}

/*
 * undistribute_table(table_name)
 */
Datum
dynamo_undistribute_table(PG_FUNCTION_ARGS)
{
	shard_undistribute_table(sql_table_name(sql_text_arg(fcinfo, 0)));
	PG_RETURN_VOID();
}

/*
 * add_node(host, port, shard_transfer_mode, rebalance)
 */
Datum
dynamo_add_node(PG_FUNCTION_ARGS)
{
	CallContext *context = (CallContext *) fcinfo->context;

	if (context == NULL || !IsA(context, CallContext) || context->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("dynamo.add_node() cannot run inside a transaction block")));
	if (SPI_connect_ext(SPI_OPT_NONATOMIC) != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	sql_check_given(fcinfo, 1, "port");
	sql_check_given(fcinfo, 3, "rebalance");
	shard_add_node(sql_required_text_arg(fcinfo, 0, "host"),
				   PG_GETARG_INT32(1),
				   sql_required_text_arg(fcinfo, 2, "shard_transfer_mode"),
				   PG_GETARG_BOOL(3), commit);
	SPI_finish();
	PG_RETURN_VOID();
}

static void
commit(void)
{
	PopActiveSnapshot();
	SPI_commit();
}

/*
 * remove_node(host, port, shard_transfer_mode, lose_records)
 */
Datum
dynamo_remove_node(PG_FUNCTION_ARGS)
{
	shard_remove_node(sql_text_arg(fcinfo, 0), PG_GETARG_INT32(1),
					  sql_text_arg(fcinfo, 2), PG_GETARG_BOOL(3));
	PG_RETURN_VOID();
}

/*
 * cluster_nodes()
 */
Datum
dynamo_cluster_nodes(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	shard_each_node(sql_put_row, fcinfo->resultinfo);
	PG_RETURN_NULL();
}

void
sql_put_row(HeapTuple row, TupleDesc desc, void *result)
{
	tuplestore_puttuple(((ReturnSetInfo *) result)->setResult, row);
}

/*
 * stat_shards(measure_seconds)
 */
Datum
dynamo_stat_shards(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	balance_each_load(PG_GETARG_INT32(0), sql_put_row, fcinfo->resultinfo);
	PG_RETURN_NULL();
}

/*
 * rebalance(dry_run, access_weight, measure_seconds, shard_transfer_mode)
 */
Datum
dynamo_rebalance(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	balance_move(!PG_GETARG_BOOL(0), PG_GETARG_FLOAT8(1),
				 PG_GETARG_INT32(2), sql_text_arg(fcinfo, 3),
				 sql_put_row, fcinfo->resultinfo);
	PG_RETURN_NULL();
}

/*
 * check_cluster()
 */
Datum
dynamo_check_cluster(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	shard_check_cluster(put_finding, fcinfo->resultinfo);
	PG_RETURN_NULL();
}

static void
put_finding(void *arg, const char *node, const char *finding,
			const char *advice)
{
	ReturnSetInfo *result = arg;
	Datum		values[CHECK_COLUMNS] = {CStringGetTextDatum(node),
		CStringGetTextDatum(finding), CStringGetTextDatum(advice)};
	bool		nulls[CHECK_COLUMNS] = {false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}
