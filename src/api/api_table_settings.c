/*-------------------------------------------------------------------------
 *
 * api_table_settings.c
 *	  Settings of tables and indexes: what is kept and told, and changes
 *	  nothing in how items are stored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_table.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"

/*
 * Settings as JSON to read.  jansson's documents are never changed: memory of
 * theirs that a change would free is not jansson's (item_json.c).
 */
json_t *
api_settings(const char *settings)
{
	json_error_t error;
	json_t	   *object = item_json_load(settings, strlen(settings), &error);

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
api_settings_set(const char *settings, const char *member, const char *value)
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
api_settings_remove(const char *settings, const char *member)
{
	return DatumGetCString(DirectFunctionCall1(jsonb_out,
											   DirectFunctionCall2(jsonb_delete,
																   DirectFunctionCall1(jsonb_in, CStringGetDatum(settings)),
																   CStringGetTextDatum(member))));
}

/*
 * Append a document as compact JSON.
 */
void
api_append_json(StringInfo out, const json_t *value)
{
	const char *name;
	size_t		i;
	json_t	   *member;

	check_stack_depth();
	switch (json_typeof(value))
	{
		case JSON_OBJECT:
			appendStringInfoChar(out, '{');
			json_object_foreach((json_t *) value, name, member)
			{
				api_member(out, name);
				api_append_json(out, member);
			}
			appendStringInfoChar(out, '}');
			break;
		case JSON_ARRAY:
			appendStringInfoChar(out, '[');
			json_array_foreach(value, i, member)
			{
				api_element(out);
				api_append_json(out, member);
			}
			appendStringInfoChar(out, ']');
			break;
		case JSON_STRING:
			item_json_append_string(out, json_string_value(value),
									json_string_length(value));
			break;
		case JSON_INTEGER:
			appendStringInfo(out, INT64_FORMAT,
							 (int64) json_integer_value(value));
			break;
		case JSON_REAL:
			appendStringInfoString(out,
								   float8out_internal(json_real_value(value)));
			break;
		case JSON_TRUE:
			appendStringInfoString(out, "true");
			break;
		case JSON_FALSE:
			appendStringInfoString(out, "false");
			break;
		case JSON_NULL:
			appendStringInfoString(out, "null");
			break;
	}
}

/* The same as text of its own. */
const char *
api_json_document(const json_t *value)
{
	StringInfoData out;

	initStringInfo(&out);
	api_append_json(&out, value);
	return out.data;
}

/* An object with one member set to "value", JSON text. */
void
api_append_changed(StringInfo out, const json_t *object, const char *member,
				   const char *value)
{
	const char *changed = api_settings_set(api_json_document(object), member,
										   value);

	api_append_json(out, api_settings(changed));
}

bool
api_is_on_demand(const json_t *settings)
{
	json_t	   *mode = json_object_get(settings, "BillingMode");

	return json_is_string(mode) &&
		strcmp(json_string_value(mode), "PAY_PER_REQUEST") == 0;
}

/* A timestamp as seconds since 1970, with milliseconds, in JSON. */
char *
api_epoch(int64 timestamp)
{
	int64		ms = timestamp / 1000 +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY * 1000;

	return psprintf(INT64_FORMAT ".%03d", ms / 1000, (int) (ms % 1000));
}

/*
 * Check what a CreateTable request says of throughput and make the table's
 * settings.
 */
const char *
api_create_settings(const ApiCreateTable *r, TimestampTz now)
{
	const char *settings;
	bool		on_demand = r->billing_mode == API_BILLING_ON_DEMAND;

	settings = api_new_throughput(NULL, on_demand, r->throughput,
								  r->on_demand, r->warm);
	settings = api_set_billing(settings, on_demand, now);
	if (r->table_class && strcmp(r->table_class, "STANDARD") != 0)
		settings = api_settings_set(settings, "TableClassSummary",
									psprintf("{\"TableClass\":\"%s\"}",
											 r->table_class));
	if (r->protection == API_TRUE)
		settings = api_settings_set(settings, "DeletionProtectionEnabled",
									"true");
	if (r->tags && json_array_size(r->tags) > 0)
		settings = api_settings_set(settings, "Tags", api_tags_text(r->tags));
	return settings;
}

/*
 * A change of billing mode.  A table that was always PROVISIONED tells no
 * summary.
 */
const char *
api_set_billing(const char *settings, bool on_demand, TimestampTz now)
{
	json_t	   *old = json_object_get(api_settings(settings),
									  "BillingModeSummary");
	const char *mode = on_demand ? "PAY_PER_REQUEST" : "PROVISIONED";

	settings = api_settings_set(settings, "BillingMode",
								psprintf("\"%s\"", mode));
	if (on_demand)
		return api_settings_set(settings, "BillingModeSummary",
								psprintf("{\"BillingMode\":\"%s\",\"LastUpdateToPayPerRequestDateTime\":%s}",
										 mode, api_epoch(now)));
	if (old != NULL)
		settings = api_settings_set(settings, "BillingModeSummary",
									api_settings_set(api_json_document(old),
													 "BillingMode",
													 psprintf("\"%s\"", mode)));
	return settings;
}

/*
 * A flag among an object's members; a client may send it as text.
 */
bool
api_is_true(json_t *object, const char *member)
{
	json_t	   *value = json_object_get(object, member);
	bool		flag;

	if (json_is_string(value))
		return parse_bool(json_string_value(value), &flag) && flag;
	return json_is_true(value);
}
