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

/* An object with one member set to "value", JSON text. */
void
control_append_changed(StringInfo out, const json_t *object, const char *member,
					   const char *value)
{
	const char *changed = control_settings_set(wire_json_document(object), member,
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
											 mode, wire_epoch(now)));
	if (old != NULL)
		settings = control_settings_set(settings, "BillingModeSummary",
										control_settings_set(wire_json_document(old),
															 "BillingMode",
															 psprintf("\"%s\"", mode)));
	return settings;
}
