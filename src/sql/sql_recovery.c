/*-------------------------------------------------------------------------
 *
 * sql_recovery.c
 *	  The SQL functions on point-in-time recovery.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "archive/archive.h"
#include "backup/backup_past.h"
#include "engine/engine.h"
#include "funcapi.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "recall/recall.h"
#include "shard/shard.h"
#include "sql/sql.h"
#include "utils/timestamp.h"

#define WINDOW_COLUMNS	3

static bool find_window(const TableDef *def, BackupWindow *window);

PG_FUNCTION_INFO_V1(dynamo_enable_recovery);
PG_FUNCTION_INFO_V1(dynamo_disable_recovery);
PG_FUNCTION_INFO_V1(dynamo_recovery_window);
PG_FUNCTION_INFO_V1(dynamo_recovery_holes);
PG_FUNCTION_INFO_V1(dynamo_mark_recovery);
PG_FUNCTION_INFO_V1(dynamo_trim_recovery);
PG_FUNCTION_INFO_V1(dynamo_trim_recovery_at);
PG_FUNCTION_INFO_V1(dynamo_past);

/*
 * enable_recovery(table_name, days)
 */
Datum
dynamo_enable_recovery(PG_FUNCTION_ARGS)
{
	journal_enable(sql_required_text_arg(fcinfo, 0, "table_name"),
				   PG_GETARG_INT32(1));
	PG_RETURN_VOID();
}

/*
 * disable_recovery(table_name)
 */
Datum
dynamo_disable_recovery(PG_FUNCTION_ARGS)
{
	journal_disable(sql_required_text_arg(fcinfo, 0, "table_name"));
	PG_RETURN_VOID();
}

/*
 * recovery_window(table_name)
 */
Datum
dynamo_recovery_window(PG_FUNCTION_ARGS)
{
	char	   *table = sql_required_text_arg(fcinfo, 0, "table_name");
	const TableDef *def = schema_find_table(table);
	BackupWindow window;
	TupleDesc	desc;
	Datum		values[WINDOW_COLUMNS];
	bool		nulls[WINDOW_COLUMNS] = {true, true, true};

	if (def == NULL || !schema_check_use(def, "DescribeContinuousBackups"))
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(table),
							   "Requested resource not found: Table: %s not found",
							   table);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != WINDOW_COLUMNS)
		elog(ERROR, "result type of dynamo.recovery_window has changed");
	if (find_window(def, &window))
	{
		nulls[0] = false;
		nulls[1] = nulls[2] = window.earliest == 0;
		values[0] = Int32GetDatum(window.days);
		values[1] = TimestampTzGetDatum(window.earliest);
		values[2] = TimestampTzGetDatum(window.latest);
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}

/*
 * Of a distributed table the coordinator knows.
 */
static bool
find_window(const TableDef *def, BackupWindow *window)
{
	if (def->distributed && def->recovery != NULL && shard_is_worker())
		return recall_ask_window(def, window);
	return archive_window(def, window);
}

/*
 * recovery_holes(relation)
 */
Datum
dynamo_recovery_holes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			relid = PG_GETARG_OID(0);
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	if (!schema_may_use(relid))
		PG_RETURN_NULL();
	foreach(lc, backup_holes(relid))
	{
		const BackupHole *hole = lfirst(lc);
		Datum		values[] = {TimestampTzGetDatum(hole->began),
		TimestampTzGetDatum(hole->ended)};
		bool		nulls[] = {false, false};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values,
							 nulls);
	}
	PG_RETURN_NULL();
}

/*
 * mark_recovery()
 */
Datum
dynamo_mark_recovery(PG_FUNCTION_ARGS)
{
	TimestampTz marked = journal_mark(true);
	TimestampTz taken = recall_take(true);

	PG_RETURN_TIMESTAMPTZ(Max(marked, taken));
}

/*
 * trim_recovery()
 */
Datum
dynamo_trim_recovery(PG_FUNCTION_ARGS)
{
	journal_begin_restored();
	recall_trim();
	PG_RETURN_INT32(journal_trim(GetCurrentTimestamp()));
}

/*
 * trim_recovery(now)
 */
Datum
dynamo_trim_recovery_at(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(journal_trim(sql_finite_time(PG_GETARG_TIMESTAMPTZ(0))));
}

/*
 * past(relation, since, written_from, hash, until)
 */
Datum
dynamo_past(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	BackupPastCall call = {0};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation, snapshot and time must not be null")));
	InitMaterializedSRF(fcinfo, 0);
	call.relid = PG_GETARG_OID(0);
	call.since = PG_GETARG_DATUM(1);
	call.from = PG_GETARG_TIMESTAMPTZ(2);
	call.has_hash = !PG_ARGISNULL(3);
	if (call.has_hash)
		call.hash = PG_GETARG_INT32(3);
	call.has_until = !PG_ARGISNULL(4);
	if (call.has_until)
		call.until = PG_GETARG_DATUM(4);
	backup_read_past(&call, rsinfo->setResult, rsinfo->setDesc);
	PG_RETURN_NULL();
}
