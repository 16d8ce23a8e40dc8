/*-------------------------------------------------------------------------
 *
 * sql_region.c
 *	  The SQL functions on regions and replicas.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "region/region.h"
#include "replica/replica.h"
#include "sql/sql.h"

PG_FUNCTION_INFO_V1(dynamo_region_validator);
PG_FUNCTION_INFO_V1(dynamo_create_region);
PG_FUNCTION_INFO_V1(dynamo_drop_region);
PG_FUNCTION_INFO_V1(dynamo_add_replica);
PG_FUNCTION_INFO_V1(dynamo_remove_replica);
PG_FUNCTION_INFO_V1(dynamo_replica_received);
PG_FUNCTION_INFO_V1(dynamo_apply_replica);

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

/*
 * replica_received(table_name, region_name, incarnation)
 */
Datum
dynamo_replica_received(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(replica_received(sql_text_arg(fcinfo, 0),
									 sql_text_arg(fcinfo, 1),
									 sql_text_arg(fcinfo, 2)));
}

/*
 * apply_replica(table_name, region_name, incarnation, position, records)
 */
Datum
dynamo_apply_replica(PG_FUNCTION_ARGS)
{
	ReplicaApplied result;
	TupleDesc	desc;
	Datum		values[4];
	bool		nulls[4] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	replica_apply(sql_text_arg(fcinfo, 0), sql_text_arg(fcinfo, 1),
				  sql_text_arg(fcinfo, 2), PG_GETARG_INT64(3),
				  PG_GETARG_BYTEA_PP(4), &result);
	values[0] = Int64GetDatum(result.position);
	values[1] = Int64GetDatum(result.applied);
	values[2] = Int64GetDatum(result.discarded);
	values[3] = Int64GetDatum(result.held);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}
