/*-------------------------------------------------------------------------
 *
 * handler_settings.c
 *	  How a mapping is to be handled: limits, and the JSON that is stored.
 *
 * The members are named as those of Lambda's CreateEventSourceMapping.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"

static void check_range(const char *name, int value, int least, int greatest,
						int unlimited);
static int	integer_member(const json_t *settings, const char *name, int value);

/*
 * Raises 22023.
 */
void
handler_check_settings(const HandlerSettings *settings)
{
	check_range("batch_size", settings->batch_size, 1, HANDLER_MAX_BATCH, 1);
	check_range("batching_window_seconds", settings->window, 0,
				HANDLER_MAX_WINDOW, 0);
	check_range("maximum_retry_attempts", settings->max_retries, 0,
				HANDLER_MAX_RETRIES, -1);
	check_range("maximum_record_age_seconds", settings->max_age,
				HANDLER_MIN_AGE, HANDLER_MAX_AGE, -1);
	check_range("parallelization_factor", settings->factor, 1,
				HANDLER_MAX_FACTOR, 1);
	(void) handler_load_filters(settings->filter);
}

/*
 * "unlimited" is allowed, too.
 */
static void
check_range(const char *name, int value, int least, int greatest,
			int unlimited)
{
	if (value == unlimited || (value >= least && value <= greatest))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 unlimited < least ?
			 errmsg("%s must be between %d and %d, or %d for no limit", name,
					least, greatest, unlimited) :
			 errmsg("%s must be between %d and %d", name, least, greatest)));
}

char *
handler_settings_text(const HandlerSettings *settings)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_integer_member(&out, "BatchSize", settings->batch_size);
	wire_integer_member(&out, "MaximumBatchingWindowInSeconds",
						settings->window);
	wire_integer_member(&out, "MaximumRetryAttempts", settings->max_retries);
	wire_boolean_member(&out, "BisectBatchOnFunctionError", settings->bisect);
	wire_integer_member(&out, "MaximumRecordAgeInSeconds", settings->max_age);
	wire_integer_member(&out, "ParallelizationFactor", settings->factor);
	if (settings->filter != NULL)
	{
		wire_member(&out, "FilterCriteria");
		appendStringInfoString(&out, settings->filter);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * What somebody has edited by hand is checked as what SQL asks for.
 */
void
handler_read_settings(const StreamMapping *mapping, HandlerSettings *settings)
{
	json_error_t error;
	const json_t *stored = codec_load(mapping->settings,
										  strlen(mapping->settings), &error);
	const json_t *filter;

	memset(settings, 0, sizeof(*settings));
	settings->batch_size = integer_member(stored, "BatchSize", HANDLER_BATCH);
	settings->window = integer_member(stored, "MaximumBatchingWindowInSeconds",
									  0);
	settings->max_retries = integer_member(stored, "MaximumRetryAttempts", -1);
	settings->max_age = integer_member(stored, "MaximumRecordAgeInSeconds",
									   -1);
	settings->factor = integer_member(stored, "ParallelizationFactor", 1);
	settings->bisect =
		json_is_true(json_object_get(stored, "BisectBatchOnFunctionError"));
	filter = json_object_get(stored, "FilterCriteria");
	if (filter != NULL)
	{
		StringInfoData out;

		initStringInfo(&out);
		wire_append_json(&out, filter);
		settings->filter = out.data;
	}
	handler_check_settings(settings);
}

static int
integer_member(const json_t *settings, const char *name, int value)
{
	int64		number = wire_json_integer_in(settings, name, value);

	return number == (int) number ? (int) number : value;
}
