/*-------------------------------------------------------------------------
 *
 * sql_region.c
 *	  The SQL functions on regions and replicas.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "funcapi.h"
#include "global/global.h"
#include "region/region.h"
#include "replica/replica.h"
#include "sql/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"

static void check_own(const char *region);

PG_FUNCTION_INFO_V1(dynamo_region_validator);
PG_FUNCTION_INFO_V1(dynamo_create_region);
PG_FUNCTION_INFO_V1(dynamo_drop_region);
PG_FUNCTION_INFO_V1(dynamo_log_conflicts);
PG_FUNCTION_INFO_V1(dynamo_add_replica);
PG_FUNCTION_INFO_V1(dynamo_remove_replica);
PG_FUNCTION_INFO_V1(dynamo_join_replica);
PG_FUNCTION_INFO_V1(dynamo_leave_replica);
PG_FUNCTION_INFO_V1(dynamo_forget_replica);
PG_FUNCTION_INFO_V1(dynamo_part_replica);
PG_FUNCTION_INFO_V1(dynamo_trim_replicas);
PG_FUNCTION_INFO_V1(dynamo_replica_received);
PG_FUNCTION_INFO_V1(dynamo_resend_replica);
PG_FUNCTION_INFO_V1(dynamo_apply_replica);
PG_FUNCTION_INFO_V1(dynamo_merge_settings);

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
 * drop_region(region_name, lost)
 */
Datum
dynamo_drop_region(PG_FUNCTION_ARGS)
{
	char	   *name = sql_required_text_arg(fcinfo, 0, "region_name");

	if (!PG_ARGISNULL(1) && PG_GETARG_BOOL(1))
		replica_lose(name);
	region_drop(name);
	PG_RETURN_VOID();
}

/*
 * log_conflicts(table_name, days, entries)
 */
Datum
dynamo_log_conflicts(PG_FUNCTION_ARGS)
{
	region_log_conflicts(sql_text_arg(fcinfo, 0), PG_GETARG_INT32(1),
						 PG_GETARG_INT32(2));
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
 * replica_received(table_name, region_name, incarnation, stable, members)
 */
Datum
dynamo_replica_received(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(replica_received(sql_text_arg(fcinfo, 0),
									 sql_text_arg(fcinfo, 1),
									 sql_text_arg(fcinfo, 2),
									 PG_GETARG_INT64(3),
									 sql_text_arg(fcinfo, 4)));
}

/*
 * resend_replica(table_name, region_name)
 */
Datum
dynamo_resend_replica(PG_FUNCTION_ARGS)
{
	replica_resend(sql_text_arg(fcinfo, 0), sql_text_arg(fcinfo, 1));
	PG_RETURN_VOID();
}

/*
 * apply_replica(table_name, region_name, incarnation, position, records, after,
 *				 seen, seen_of)
 */
Datum
dynamo_apply_replica(PG_FUNCTION_ARGS)
{
	ReplicaBatch batch;
	ReplicaApplied result;
	TupleDesc	desc;
	Datum		values[4];
	bool		nulls[4] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	batch.table = sql_text_arg(fcinfo, 0);
	batch.region = sql_text_arg(fcinfo, 1);
	batch.incarnation = sql_text_arg(fcinfo, 2);
	batch.position = PG_GETARG_INT64(3);
	batch.records = PG_GETARG_BYTEA_PP(4);
	batch.after = PG_GETARG_INT64(5);
	batch.seen = PG_GETARG_INT64(6);
	batch.seen_of = sql_text_arg(fcinfo, 7);
	replica_apply(&batch, &result);
	values[0] = Int64GetDatum(result.position);
	values[1] = Int64GetDatum(result.applied);
	values[2] = Int64GetDatum(result.discarded);
	values[3] = Int64GetDatum(result.held);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}

/*
 * join_replica(table_name, region_name, definition, members text[], settings)
 *
 * The table is made if there is none.  One that is there is a replica of one of
 * the members already: otherwise two tables would be mixed that have nothing
 * to do with each other.  It may have been away, and sends all that it has.
 */
Datum
dynamo_join_replica(PG_FUNCTION_ARGS)
{
	char	   *table = sql_text_arg(fcinfo, 0);
	const TableDef *def = schema_find_table(table);
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(3);
	List	   *members = NIL;
	bool		is_known = false;
	Datum	   *names;
	int			n;
	ListCell   *lc;

	check_own(sql_text_arg(fcinfo, 1));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &names, NULL,
					  &n);
	for (int i = 0; i < n; i++)
		members = lappend(members, TextDatumGetCString(names[i]));
	if (def == NULL)
	{
		Oid			types[] = {TEXTOID};
		Datum		values[] = {PG_GETARG_DATUM(2)};

		(void) meta_query("SELECT dynamo.call('CreateTable', $1::pg_catalog.jsonb)",
						  1, types, values, NULL, NULL);
		is_known = true;
	}
	foreach(lc, members)
		is_known = is_known ||
			region_is_member(def->relid, (char *) lfirst(lc));
	if (!is_known)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("table \"%s\" exists already", table)));
	if (def != NULL && VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(2)) > 0)
		replica_rejoin(def->relid, members);
	region_join(table, members);

	/* What is set here from now on is set later. */
	if (def == NULL && VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(4)) > 0)
		(void) global_merge_settings(table, sql_text_arg(fcinfo, 4));
	PG_RETURN_VOID();
}

/*
 * leave_replica(table_name, region_name, member)
 */
Datum
dynamo_leave_replica(PG_FUNCTION_ARGS)
{
	char	   *table = sql_text_arg(fcinfo, 0);
	const TableDef *def = schema_find_table(table);
	Oid			types[] = {OIDOID};
	Datum		relation;

	check_own(sql_text_arg(fcinfo, 1));
	if (def == NULL || !region_is_member(def->relid, sql_text_arg(fcinfo, 2)))
		PG_RETURN_VOID();		/* it has left already */
	schema_check_owner(def);
	if (region_replica(def->relid, sql_text_arg(fcinfo, 2))->status == REPLICA_LEAVING)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("table \"%s\" is leaving its global table", table)));
	relation = ObjectIdGetDatum(def->relid);
	if (meta_query_flag("SELECT (settings->>'DeletionProtectionEnabled')::pg_catalog.bool "
						"FROM dynamo.tables WHERE relation OPERATOR(pg_catalog.=) $1",
						1, types, &relation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has deletion protection", table)));
	schema_drop_table(table);
	PG_RETURN_VOID();
}

/*
 * forget_replica(table_name, region_name, member)
 */
Datum
dynamo_forget_replica(PG_FUNCTION_ARGS)
{
	char	   *table = sql_text_arg(fcinfo, 0);
	const TableDef *def = schema_find_table(table);

	check_own(sql_text_arg(fcinfo, 1));
	if (def == NULL)
		PG_RETURN_VOID();
	schema_check_owner(def);
	replica_forget(def->relid, sql_text_arg(fcinfo, 2));
	PG_RETURN_VOID();
}

/*
 * part_replica(table_name, region_name, member)
 */
Datum
dynamo_part_replica(PG_FUNCTION_ARGS)
{
	check_own(sql_text_arg(fcinfo, 1));
	PG_RETURN_BOOL(replica_part(sql_text_arg(fcinfo, 0),
								sql_text_arg(fcinfo, 2)));
}

/*
 * trim_replicas()
 */
Datum
dynamo_trim_replicas(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(replica_trim());
}

/*
 * A mapping may lead elsewhere.
 */
static void
check_own(const char *region)
{
	const char *own = region_own()->name;

	if (strcmp(own, region) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this database is region \"%s\", not \"%s\"", own,
						region)));
}

/*
 * merge_settings(table_name, document)
 */
Datum
dynamo_merge_settings(PG_FUNCTION_ARGS)
{
	const char *merged = global_merge_settings(sql_text_arg(fcinfo, 0),
											   sql_text_arg(fcinfo, 1));

	if (merged == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(merged));
}
