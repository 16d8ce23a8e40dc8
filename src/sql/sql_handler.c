/*-------------------------------------------------------------------------
 *
 * sql_handler.c
 *	  The SQL functions on event source mappings.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "handler/handler.h"
#include "sql/sql.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dynamo_create_event_source_mapping);
PG_FUNCTION_INFO_V1(dynamo_update_event_source_mapping);
PG_FUNCTION_INFO_V1(dynamo_delete_event_source_mapping);
PG_FUNCTION_INFO_V1(dynamo_run_event_source_mapping);
PG_FUNCTION_INFO_V1(dynamo_event_source_lag);

static void take_integer(FunctionCallInfo fcinfo, int n, int *value);
static HandlerStart start_of(FunctionCallInfo fcinfo, int position, int time);

/*
 * create_event_source_mapping(table_name, function, batch_size,
 * batching_window_seconds, filter_criteria, maximum_retry_attempts,
 * bisect_on_error, on_failure, starting_position, starting_timestamp,
 * maximum_record_age_seconds, parallelization_factor, enabled)
 */
Datum
dynamo_create_event_source_mapping(PG_FUNCTION_ARGS)
{
	char	   *table = sql_required_text_arg(fcinfo, 0, "table_name");
	HandlerSettings settings = {
		.batch_size = HANDLER_BATCH,
		.max_retries = -1,
		.max_age = -1,
		.factor = 1
	};
	HandlerStart start = start_of(fcinfo, 8, 9);

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("function must not be null")));
	take_integer(fcinfo, 2, &settings.batch_size);
	take_integer(fcinfo, 3, &settings.window);
	settings.filter = sql_text_arg(fcinfo, 4);
	take_integer(fcinfo, 5, &settings.max_retries);
	settings.bisect = !PG_ARGISNULL(6) && PG_GETARG_BOOL(6);
	take_integer(fcinfo, 10, &settings.max_age);
	take_integer(fcinfo, 11, &settings.factor);
	PG_RETURN_INT32(handler_create(sql_table_name(table), PG_GETARG_OID(1),
								   &settings,
								   PG_ARGISNULL(7) ? InvalidOid :
								   PG_GETARG_OID(7),
								   start, start == HANDLER_AT_TIMESTAMP ?
								   PG_GETARG_TIMESTAMPTZ(9) : 0,
								   PG_ARGISNULL(12) || PG_GETARG_BOOL(12)));
}

/*
 * update_event_source_mapping(mapping, function, batch_size,
 * batching_window_seconds, filter_criteria, maximum_retry_attempts,
 * bisect_on_error, on_failure, maximum_record_age_seconds, enabled): what is
 * null stays.
 */
Datum
dynamo_update_event_source_mapping(PG_FUNCTION_ARGS)
{
	const StreamMapping *mapping;
	HandlerSettings settings;

	if (PG_ARGISNULL(0))
		PG_RETURN_VOID();
	mapping = handler_lock(PG_GETARG_INT32(0));
	handler_read_settings(mapping, &settings);
	take_integer(fcinfo, 2, &settings.batch_size);
	take_integer(fcinfo, 3, &settings.window);
	if (!PG_ARGISNULL(4))
		settings.filter = sql_text_arg(fcinfo, 4);
	take_integer(fcinfo, 5, &settings.max_retries);
	if (!PG_ARGISNULL(6))
		settings.bisect = PG_GETARG_BOOL(6);
	take_integer(fcinfo, 8, &settings.max_age);
	handler_update(mapping, PG_ARGISNULL(1) ? InvalidOid : PG_GETARG_OID(1),
				   &settings, !PG_ARGISNULL(7),
				   PG_ARGISNULL(7) ? InvalidOid : PG_GETARG_OID(7),
				   PG_ARGISNULL(9) ? mapping->enabled : PG_GETARG_BOOL(9));
	PG_RETURN_VOID();
}

/*
 * delete_event_source_mapping(mapping)
 */
Datum
dynamo_delete_event_source_mapping(PG_FUNCTION_ARGS)
{
	handler_delete(PG_GETARG_INT32(0));
	PG_RETURN_VOID();
}

/*
 * run_event_source_mapping(mapping)
 */
Datum
dynamo_run_event_source_mapping(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(handler_run(PG_GETARG_INT32(0)));
}

/*
 * event_source_lag(mapping): null where there is nothing to be told, or not to
 * the current user.  Streams cannot be read during recovery.
 */
Datum
dynamo_event_source_lag(PG_FUNCTION_ARGS)
{
	const StreamMapping *mapping = stream_mapping_read(PG_GETARG_INT32(0));
	Interval   *lag;
	int64		milliseconds;

	if (mapping == NULL || !handler_may_know(mapping) || RecoveryInProgress())
		PG_RETURN_NULL();
	milliseconds = handler_lag(mapping->id);
	if (milliseconds < 0)
		PG_RETURN_NULL();
	lag = palloc0(sizeof(*lag));
	lag->time = milliseconds * 1000;
	PG_RETURN_INTERVAL_P(lag);
}

static void
take_integer(FunctionCallInfo fcinfo, int n, int *value)
{
	if (!PG_ARGISNULL(n))
		*value = PG_GETARG_INT32(n);
}

/*
 * StartingPosition; "time" is the argument that goes with AT_TIMESTAMP alone.
 */
static HandlerStart
start_of(FunctionCallInfo fcinfo, int position, int time)
{
	static const char *const names[] = {
		[HANDLER_LATEST] = "LATEST",
		[HANDLER_TRIM_HORIZON] = "TRIM_HORIZON",
		[HANDLER_AT_TIMESTAMP] = "AT_TIMESTAMP"
	};
	char	   *text = sql_text_arg(fcinfo, position);
	int			start = HANDLER_LATEST;

	while (text != NULL && start < lengthof(names) &&
		   strcmp(names[start], text) != 0)
		start++;
	if (start == lengthof(names))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid starting position: \"%s\"", text),
				 errhint("Use LATEST, TRIM_HORIZON or AT_TIMESTAMP.")));
	if ((start == HANDLER_AT_TIMESTAMP) == PG_ARGISNULL(time))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("starting_timestamp goes with starting position AT_TIMESTAMP, and with no other")));
	return start;
}
