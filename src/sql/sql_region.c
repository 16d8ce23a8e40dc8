/*-------------------------------------------------------------------------
 *
 * sql_region.c
 *	  The SQL functions on regions and replicas.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "region/region.h"
#include "sql/sql.h"

PG_FUNCTION_INFO_V1(dynamo_region_validator);
PG_FUNCTION_INFO_V1(dynamo_create_region);
PG_FUNCTION_INFO_V1(dynamo_drop_region);
PG_FUNCTION_INFO_V1(dynamo_add_replica);
PG_FUNCTION_INFO_V1(dynamo_remove_replica);

/*
 * region_validator(options text[], catalog oid)
 */
Datum
dynamo_region_validator(PG_FUNCTION_ARGS)
{
	region_check_options(PG_GETARG_DATUM(0), PG_GETARG_OID(1));
	PG_RETURN_VOID();
}

/*
 * create_region(region_name, server_name)
 */
Datum
dynamo_create_region(PG_FUNCTION_ARGS)
{
	region_create(sql_required_text_arg(fcinfo, 0, "region_name"),
				  PG_ARGISNULL(1) ? NULL : sql_text_arg(fcinfo, 1));
	PG_RETURN_VOID();
}

/*
 * drop_region(region_name)
 */
Datum
dynamo_drop_region(PG_FUNCTION_ARGS)
{
	region_drop(sql_required_text_arg(fcinfo, 0, "region_name"));
	PG_RETURN_VOID();
}

/*
 * add_replica(table_name, region_name)
 */
Datum
dynamo_add_replica(PG_FUNCTION_ARGS)
{
	region_add_replica(sql_required_text_arg(fcinfo, 0, "table_name"),
					   sql_required_text_arg(fcinfo, 1, "region_name"), NULL);
	PG_RETURN_VOID();
}

/*
 * remove_replica(table_name, region_name)
 */
Datum
dynamo_remove_replica(PG_FUNCTION_ARGS)
{
	region_remove_replica(sql_required_text_arg(fcinfo, 0, "table_name"),
						  sql_required_text_arg(fcinfo, 1, "region_name"));
	PG_RETURN_VOID();
}
