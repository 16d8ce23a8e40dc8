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
#include "utils/timestamp.h"

#define MAX_UNITS_EVER		INT64CONST(1000000000000)
#define MAX_UNITS			40000
#define WARM_READ			12000
#define WARM_WRITE			4000

static const char *const on_demand_members[] = {
	"MaxReadRequestUnits", "MaxWriteRequestUnits"
};
static const char *const warm_members[] = {
	"ReadUnitsPerSecond", "WriteUnitsPerSecond"
};

static void check_on_demand(const char *index, json_t *on_demand,
							bool allowed);
static void check_warm(const char *index, json_t *warm, bool on_demand,
					   json_t *throughput);
static const char *set_units(const char *settings, json_t *on_demand,
							 json_t *warm, bool is_on_demand,
							 json_t *throughput);
static const char *json_text(const json_t *value);
static int64 units(json_t *object, const char *member);

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
static const char *
json_text(const json_t *value)
{
	StringInfoData out;

	initStringInfo(&out);
	api_append_json(&out, value);
	return out.data;
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
api_create_settings(const ApiCreateTable *r)
{
	const char *settings = "{}";
	bool		on_demand = r->billing_mode == API_BILLING_ON_DEMAND;

	check_on_demand(NULL, r->on_demand, on_demand);
	check_warm(NULL, r->warm, on_demand, r->throughput);

	settings = api_set_throughput(settings, r->throughput);
	settings = api_set_billing(settings, on_demand);
	if (r->table_class && strcmp(r->table_class, "STANDARD") != 0)
		settings = api_settings_set(settings, "TableClassSummary",
									psprintf("{\"TableClass\":\"%s\"}",
											 r->table_class));
	if (r->protection == API_TRUE)
		settings = api_settings_set(settings, "DeletionProtectionEnabled",
									"true");
	if (r->tags && json_array_size(r->tags) > 0)
		settings = api_settings_set(settings, "Tags", api_tags_text(r->tags));
	return set_units(settings, r->on_demand, r->warm, on_demand, r->throughput);
}

/*
 * The same for a GSI.
 */
const char *
api_index_settings(const ApiIndexRequest *request, bool on_demand)
{
	if (request->throughput)
		api_check_capacity(request->name, request->throughput);
	check_on_demand(request->name, request->on_demand, on_demand);
	check_warm(request->name, request->warm, on_demand, request->throughput);
	return set_units(api_set_throughput("{}", request->throughput),
					 request->on_demand, request->warm, on_demand,
					 request->throughput);
}

/*
 * A change of billing mode.  A table that was always PROVISIONED tells no
 * summary.
 */
const char *
api_set_billing(const char *settings, bool on_demand)
{
	json_t	   *old = json_object_get(api_settings(settings),
									  "BillingModeSummary");
	const char *mode = on_demand ? "PAY_PER_REQUEST" : "PROVISIONED";

	settings = api_settings_set(settings, "BillingMode",
								psprintf("\"%s\"", mode));
	if (on_demand)
		return api_settings_set(settings, "BillingModeSummary",
								psprintf("{\"BillingMode\":\"%s\",\"LastUpdateToPayPerRequestDateTime\":%s}",
										 mode, api_epoch(GetCurrentTimestamp())));
	if (old != NULL)
		settings = api_settings_set(settings, "BillingModeSummary",
									api_settings_set(json_text(old),
													 "BillingMode",
													 psprintf("\"%s\"", mode)));
	return settings;
}

/*
 * ProvisionedThroughput within the quotas; "index" is NULL for the table.
 */
void
api_check_capacity(const char *index, json_t *throughput)
{
	static const char *const members[] = {
		"ReadCapacityUnits", "WriteCapacityUnits"
	};

	for (int i = 0; i < lengthof(members); i++)
	{
		int64		n = units(throughput, members[i]);

		if (n > MAX_UNITS_EVER && index == NULL)
			dynamo_error(DYNAMO_VALIDATION,
						 "Given value " INT64_FORMAT " for %s is out of bounds",
						 n, members[i]);
		if (n > MAX_UNITS_EVER)
			dynamo_error(DYNAMO_VALIDATION,
						 "Given value " INT64_FORMAT " for %s is out of bounds for index %s",
						 n, members[i], index);
		if (n > MAX_UNITS && index == NULL)
			dynamo_error(DYNAMO_LIMIT_EXCEEDED,
						 "The requested %s, " INT64_FORMAT ", is above the per table maximum for the account in %s. Per table maximum: %d. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
						 members[i], n, api_region, MAX_UNITS);
		if (n > MAX_UNITS)
			dynamo_error(DYNAMO_LIMIT_EXCEEDED,
						 "The requested %s for index %s, " INT64_FORMAT ", is above the per index maximum for the account in %s. Per index maximum: %d. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
						 members[i], index, n, api_region, MAX_UNITS);
	}
}

/*
 * Set ProvisionedThroughput, zeroes for NULL, and note when it rose or fell.
 */
const char *
api_set_throughput(const char *settings, json_t *throughput)
{
	json_t	   *old = json_object_get(api_settings(settings),
									  "ProvisionedThroughput");
	const char *now = "{\"NumberOfDecreasesToday\":0}";
	int64		read = units(throughput, "ReadCapacityUnits");
	int64		write = units(throughput, "WriteCapacityUnits");

	if (old != NULL)
		now = json_text(old);
	if (old != NULL && throughput != NULL)
	{
		int64		old_read = units(old, "ReadCapacityUnits");
		int64		old_write = units(old, "WriteCapacityUnits");
		const char *time = api_epoch(GetCurrentTimestamp());

		if (read > old_read || write > old_write)
			now = api_settings_set(now, "LastIncreaseDateTime", time);
		if (read < old_read || write < old_write)
			now = api_settings_set(now, "LastDecreaseDateTime", time);
	}
	now = api_settings_set(now, "ReadCapacityUnits",
						   psprintf(INT64_FORMAT, read));
	now = api_settings_set(now, "WriteCapacityUnits",
						   psprintf(INT64_FORMAT, write));
	return api_settings_set(settings, "ProvisionedThroughput", now);
}

/*
 * Merge the members of an OnDemandThroughput into the settings; -1 takes one
 * away.
 */
const char *
api_set_on_demand(const char *settings, json_t *on_demand)
{
	json_t	   *old = json_object_get(api_settings(settings),
									  "OnDemandThroughput");
	const char *now = old ? json_text(old) : "{}";

	for (int i = 0; i < lengthof(on_demand_members); i++)
	{
		const char *member = on_demand_members[i];
		int64		n = units(on_demand, member);

		if (n == -1)
			now = api_settings_remove(now, member);
		else if (api_json_get(on_demand, member))
			now = api_settings_set(now, member, psprintf(INT64_FORMAT, n));
	}
	if (strcmp(now, "{}") == 0)
		return api_settings_remove(settings, "OnDemandThroughput");
	return api_settings_set(settings, "OnDemandThroughput", now);
}

/*
 * The same for a WarmThroughput.
 */
const char *
api_set_warm(const char *settings, json_t *warm)
{
	json_t	   *old = json_object_get(api_settings(settings), "WarmThroughput");
	const char *now = old ? json_text(old) : "{\"Status\":\"ACTIVE\"}";

	for (int i = 0; i < lengthof(warm_members); i++)
	{
		if (api_json_get(warm, warm_members[i]))
			now = api_settings_set(now, warm_members[i],
								   psprintf(INT64_FORMAT,
											units(warm, warm_members[i])));
	}
	return api_settings_set(settings, "WarmThroughput", now);
}

/*
 * Does the request ask for the throughput there is?  Tells it in any case.
 */
bool
api_same_throughput(const json_t *settings, json_t *throughput,
					int64 *read, int64 *write)
{
	json_t	   *now = json_object_get(settings, "ProvisionedThroughput");

	*read = units(now, "ReadCapacityUnits");
	*write = units(now, "WriteCapacityUnits");
	return *read == units(throughput, "ReadCapacityUnits") &&
		*write == units(throughput, "WriteCapacityUnits");
}

static void
check_on_demand(const char *index, json_t *on_demand, bool allowed)
{
	for (int i = 0; on_demand && i < lengthof(on_demand_members); i++)
	{
		const char *member = on_demand_members[i];
		json_t	   *value = api_json_get(on_demand, member);

		if (!value)
			continue;
		if (!allowed && index)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "%s for OnDemandThroughput for index: %s cannot be specified when table BillingMode is PROVISIONED.",
						 member, index);
		if (!allowed)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "%s for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.",
						 member);
		if (units(on_demand, member) < 1)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Requested %s for OnDemandThroughput for %s%s is outside of valid range",
						 member, index ? "index : " : "table",
						 index ? index : "");
	}
}

static void
check_warm(const char *index, json_t *warm, bool on_demand,
		   json_t *throughput)
{
	static const char *const provisioned[] = {
		"ReadCapacityUnits", "WriteCapacityUnits"
	};
	static const int64 initial[] = {WARM_READ, WARM_WRITE};

	for (int i = 0; warm && i < lengthof(warm_members); i++)
	{
		char	   *what = psprintf("%s for WarmThroughput for %s%s", warm_members[i],
									index ? "index " : "table",
									index ? index : "");

		if (!api_json_get(warm, warm_members[i]))
			continue;
		if (on_demand && units(warm, warm_members[i]) < initial[i])
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Requested %s is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html",
						 what);
		if (!on_demand && units(warm, warm_members[i]) < units(throughput, provisioned[i]))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Requested %s is lower than %s of ProvisionedThroughput",
						 what, provisioned[i]);
	}
}

/*
 * Set OnDemandThroughput and WarmThroughput, the latter from what there is at
 * the start.
 */
static const char *
set_units(const char *settings, json_t *on_demand, json_t *warm,
		  bool is_on_demand, json_t *throughput)
{
	int64		read = is_on_demand ? WARM_READ :
		units(throughput, "ReadCapacityUnits");
	int64		write = is_on_demand ? WARM_WRITE :
		units(throughput, "WriteCapacityUnits");

	settings = api_settings_set(settings, "WarmThroughput",
								psprintf("{\"ReadUnitsPerSecond\":" INT64_FORMAT
										 ",\"WriteUnitsPerSecond\":" INT64_FORMAT
										 ",\"Status\":\"ACTIVE\"}", read, write));
	if (warm)
		settings = api_set_warm(settings, warm);
	if (on_demand)
		settings = api_set_on_demand(settings, on_demand);
	return settings;
}

/*
 * Does an OnDemandThroughput or WarmThroughput say anything?
 */
bool
api_is_given(json_t *units)
{
	for (int i = 0; units && i < 2; i++)
	{
		if (api_json_get(units, on_demand_members[i]) ||
			api_json_get(units, warm_members[i]))
			return true;
	}
	return false;
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

/* A number among an object's members, 0 when there is none. */
static int64
units(json_t *object, const char *member)
{
	json_t	   *value = object ? json_object_get(object, member) : NULL;

	return json_is_number(value) ? api_json_integer(value) : 0;
}
