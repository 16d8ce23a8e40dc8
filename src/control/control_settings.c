/*-------------------------------------------------------------------------
 *
 * control_settings.c
 *	  Settings of tables and indexes: they are kept and shown, and do not
 *	  affect how items are stored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/control_internal.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"

/*
 * Settings as JSON to read.  jansson's documents are never changed: memory of
 * theirs that a change would free is not jansson's (codec_json.c).
 */
json_t *
control_settings(const char *settings)
{
	json_error_t error;
	json_t	   *object = codec_load(settings, strlen(settings), &error);

	if (!json_is_object(object))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("settings of a table are not a JSON object")));
	return object;
}

/*
 * Settings with one member set to "value", JSON text.
 */
const char *
control_settings_set(const char *settings, const char *member, const char *value)
{
	char	   *object = psprintf("{\"%s\":%s}", member, value);

	return DatumGetCString(DirectFunctionCall1(jsonb_out,
											   DirectFunctionCall2(jsonb_concat,
																   DirectFunctionCall1(jsonb_in, CStringGetDatum(settings)),
																   DirectFunctionCall1(jsonb_in, CStringGetDatum(object)))));
}

/*
 * Settings without one member.
 */
const char *
control_settings_remove(const char *settings, const char *member)
{
	return DatumGetCString(DirectFunctionCall1(jsonb_out,
											   DirectFunctionCall2(jsonb_delete,
																   DirectFunctionCall1(jsonb_in, CStringGetDatum(settings)),
																   CStringGetTextDatum(member))));
}

/* The same as text of its own. */
const char *
control_json_document(const json_t *value)
{
	StringInfoData out;

	initStringInfo(&out);
	wire_append_json(&out, value);
	return out.data;
}

/* An object with one member set to "value", JSON text. */
void
control_append_changed(StringInfo out, const json_t *object, const char *member,
					   const char *value)
{
	const char *changed = control_settings_set(control_json_document(object), member,
											   value);

	wire_append_json(out, control_settings(changed));
}

bool
control_is_on_demand(const json_t *settings)
{
	json_t	   *mode = json_object_get(settings, "BillingMode");

	return json_is_string(mode) &&
		strcmp(json_string_value(mode), "PAY_PER_REQUEST") == 0;
}

/* A timestamp as seconds since 1970, with milliseconds, in JSON. */
char *
control_epoch(int64 timestamp)
{
	int64		ms = timestamp / 1000 +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY * 1000;

	return psprintf(INT64_FORMAT ".%03d", ms / 1000, (int) (ms % 1000));
}

/*
 * Seconds since 1970, with fractions, as a time; what is out of range as the
 * nearest that is not.
 */
TimestampTz
control_given_time(const json_t *timestamp)
{
	double		time = rint(json_number_value(timestamp) * USECS_PER_SEC) -
		(double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

	if (time < (double) MIN_TIMESTAMP)
		return MIN_TIMESTAMP;
	if (time >= (double) END_TIMESTAMP)
		return END_TIMESTAMP;
	return (TimestampTz) time;
}

/*
 * A change of billing mode.  A table that was always PROVISIONED tells no
 * summary.
 */
const char *
control_set_billing(const char *settings, bool on_demand, TimestampTz now)
{
	json_t	   *old = json_object_get(control_settings(settings),
									  "BillingModeSummary");
	const char *mode = on_demand ? "PAY_PER_REQUEST" : "PROVISIONED";

	settings = control_settings_set(settings, "BillingMode",
									psprintf("\"%s\"", mode));
	if (on_demand)
		return control_settings_set(settings, "BillingModeSummary",
									psprintf("{\"BillingMode\":\"%s\",\"LastUpdateToPayPerRequestDateTime\":%s}",
											 mode, control_epoch(now)));
	if (old != NULL)
		settings = control_settings_set(settings, "BillingModeSummary",
										control_settings_set(control_json_document(old),
															 "BillingMode",
															 psprintf("\"%s\"", mode)));
	return settings;
}

/*
 * A flag among an object's members; a client may send it as text.
 */
bool
control_is_true(json_t *object, const char *member)
{
	json_t	   *value = json_object_get(object, member);
	bool		flag;

	if (json_is_string(value))
		return parse_bool(json_string_value(value), &flag) && flag;
	return json_is_true(value);
}
