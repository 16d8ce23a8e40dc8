/*-------------------------------------------------------------------------
 *
 * sql_scaling.c
 *	  SQL functions about auto scaling.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control.h"
#include "sql/sql.h"

PG_FUNCTION_INFO_V1(dynamo_set_auto_scaling);
PG_FUNCTION_INFO_V1(dynamo_drop_auto_scaling);

/*
 * set_auto_scaling(table_name, dimension, min_capacity, max_capacity,
 *					target_utilization, index_name, disable_scale_in)
 */
Datum
dynamo_set_auto_scaling(PG_FUNCTION_ARGS)
{
	ControlScaling policy = {0};

	policy.table =
		sql_table_name(sql_required_text_arg(fcinfo, 0, "table_name"));
	policy.dimension = sql_required_text_arg(fcinfo, 1, "dimension");
	sql_check_given(fcinfo, 2, "min_capacity");
	policy.least = PG_GETARG_INT64(2);
	sql_check_given(fcinfo, 3, "max_capacity");
	policy.most = PG_GETARG_INT64(3);
	sql_check_given(fcinfo, 4, "target_utilization");
	policy.target = PG_GETARG_FLOAT8(4);
	policy.index = sql_text_arg(fcinfo, 5);
	policy.only_out = !PG_ARGISNULL(6) && PG_GETARG_BOOL(6);
	control_set_scaling(&policy);
	PG_RETURN_VOID();
}

/*
 * drop_auto_scaling(table_name, dimension, index_name)
 */
Datum
dynamo_drop_auto_scaling(PG_FUNCTION_ARGS)
{
	const char *table =
		sql_table_name(sql_required_text_arg(fcinfo, 0, "table_name"));
	const char *dimension = sql_required_text_arg(fcinfo, 1, "dimension");

	PG_RETURN_BOOL(control_drop_scaling(table, sql_text_arg(fcinfo, 2),
										dimension));
}
