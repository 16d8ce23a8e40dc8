/*-------------------------------------------------------------------------
 *
 * control_throughput.c
 *	  ProvisionedThroughput, OnDemandThroughput and WarmThroughput of tables
 *	  and indexes.
 *
 * They are kept and shown; src/capacity limits requests by them, if it is to.
 * This file checks the rules of one request and computes what it changes;
 * "index" is NULL for the table itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/control_internal.h"
#include "datatype/timestamp.h"
#include "pgtime.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

/* Decreases a day that may follow one another at once, and the wait after. */
#define FREE_DECREASES		4
#define DECREASE_WAIT		3600	/* seconds */

#define MAX_UNITS_EVER		INT64CONST(1000000000000)
#define MAX_UNITS			40000

/* Members come in pairs: of reads, of writes. */
static const char *const provisioned_members[] = {
	"ReadCapacityUnits", "WriteCapacityUnits"
};
static const char *const on_demand_members[] = {
	"MaxReadRequestUnits", "MaxWriteRequestUnits"
};
static const char *const warm_members[] = {
	"ReadUnitsPerSecond", "WriteUnitsPerSecond"
};

/* What a table is warm for without being asked. */
static const int64 warm_on_demand[] = {12000, 4000};

static bool control_limits_decreases = true;

static const char *noted_decrease(const char *throughput, int n);
static bool is_decrease(json_t *old, json_t *throughput);
static pg_time_t next_decrease(json_t *throughput);
static char *long_time(pg_time_t time);
static const char *raise_warm(const char *settings, json_t *throughput);
static void check_on_demand(const char *index, json_t *on_demand,
							const char *refusal, bool may_clear);
static char *on_demand_refusal(const char *index);
static void check_new_warm(const char *index, json_t *warm, bool on_demand,
						   json_t *throughput);
static int	decreases_today(json_t *throughput);
static pg_time_t last_decrease(json_t *throughput);
static int64 units(json_t *object, const char *member);

void
control_throughput_init(void)
{
	DefineCustomBoolVariable("dynamo.limit_throughput_decreases",
							 "Refuses to lower throughput more often than DynamoDB does.",
							 "Four times a day of UTC for each table and index, then once an hour.",
							 &control_limits_decreases, true, PGC_USERSET, 0,
							 NULL, NULL, NULL);
}

/*
 * Check what a request says of a new table's or index's throughput and make
 * settings of it.  "added": the index is added to a table that is there.
 */
const char *
control_new_throughput(const char *index, bool added, bool is_on_demand,
					   json_t *throughput, json_t *on_demand, json_t *warm)
{
	const char *settings;

	check_on_demand(index, on_demand, is_on_demand ? NULL :
					added ? on_demand_refusal(index) :
					psprintf("%s%s cannot be specified when table BillingMode is PROVISIONED.",
							 index ? " for index: " : "", index ? index : ""),
					false);
	check_new_warm(index, warm, is_on_demand, throughput);

	settings = control_set_throughput("{}", throughput);
	if (warm)
		settings = control_set_warm(settings, warm);
	if (on_demand)
		settings = control_set_on_demand(settings, on_demand);
	return settings;
}

/*
 * Is ProvisionedThroughput beyond all reason?  This is seen before anything
 * else is.
 */
void
control_check_bounds(const char *index, json_t *throughput)
{
	for (int i = 0; throughput && i < lengthof(provisioned_members); i++)
	{
		const char *member = provisioned_members[i];
		int64		n = units(throughput, member);

		if (n > MAX_UNITS_EVER)
			dynamo_error(DYNAMO_VALIDATION,
						 "Given value " INT64_FORMAT " for %s is out of bounds%s%s",
						 n, member, index ? " for index " : "",
						 index ? index : "");
	}
}

/*
 * Is ProvisionedThroughput within the quotas?  This is seen last.
 */
void
control_check_quota(const char *index, json_t *throughput)
{
	for (int i = 0; throughput && i < lengthof(provisioned_members); i++)
	{
		const char *member = provisioned_members[i];
		int64		n = units(throughput, member);

		if (n > MAX_UNITS && index == NULL)
			dynamo_error(DYNAMO_LIMIT_EXCEEDED,
						 "The requested %s, " INT64_FORMAT ", is above the per table maximum for the account in %s. Per table maximum: %d. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
						 member, n, wire_region, MAX_UNITS);
		if (n > MAX_UNITS)
			dynamo_error(DYNAMO_LIMIT_EXCEEDED,
						 "The requested %s for index %s, " INT64_FORMAT ", is above the per index maximum for the account in %s. Per index maximum: %d. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
						 member, index, n, wire_region, MAX_UNITS);
	}
}

/*
 * Set ProvisionedThroughput and note when it rose or fell.
 */
const char *
control_set_throughput(const char *settings, json_t *throughput)
{
	json_t	   *old = json_object_get(control_settings(settings),
									  "ProvisionedThroughput");
	const char *now = "{\"NumberOfDecreasesToday\":0}";
	int64		read = units(throughput, "ReadCapacityUnits");
	int64		write = units(throughput, "WriteCapacityUnits");

	if (old != NULL)
		now = wire_json_document(old);
	if (old != NULL && throughput != NULL)
	{
		int64		old_read = units(old, "ReadCapacityUnits");
		int64		old_write = units(old, "WriteCapacityUnits");

		if (read > old_read || write > old_write)
			now = control_settings_set(now, "LastIncreaseDateTime",
									   wire_epoch(GetCurrentTimestamp()));
		if (is_decrease(old, throughput))
			now = noted_decrease(now, decreases_today(old) + 1);
	}
	now = control_settings_set(now, "ReadCapacityUnits",
							   psprintf(INT64_FORMAT, read));
	now = control_settings_set(now, "WriteCapacityUnits",
							   psprintf(INT64_FORMAT, write));
	settings = control_settings_set(settings, "ProvisionedThroughput", now);
	return raise_warm(settings, throughput);
}

/*
 * The same where the table is on demand from now on: shown as zeroes.  For an
 * index this counts as a decrease, for the table it is but shown as one.
 */
const char *
control_end_throughput(const char *settings, bool index)
{
	json_t	   *old = json_object_get(control_settings(settings),
									  "ProvisionedThroughput");
	const char *now;

	settings = control_set_throughput(settings, NULL);
	old = json_object_get(control_settings(settings), "ProvisionedThroughput");
	now = noted_decrease(wire_json_document(old),
						 decreases_today(old) + (index ? 1 : 0));
	return control_settings_set(settings, "ProvisionedThroughput", now);
}

/* Throughput that is lowered now, the n-th time today. */
static const char *
noted_decrease(const char *throughput, int n)
{
	throughput = control_settings_set(throughput, "NumberOfDecreasesToday",
									  psprintf("%d", n));
	return control_settings_set(throughput, "LastDecreaseDateTime",
								wire_epoch(GetCurrentTimestamp()));
}

/*
 * What the answer to a change tells: the units and the count of today that
 * there were, but the times that there are now.
 */
const char *
control_changing_throughput(const char *old_settings, const char *settings)
{
	static const char *const times[] = {
		"LastIncreaseDateTime", "LastDecreaseDateTime"
	};
	json_t	   *now = json_object_get(control_settings(settings),
									  "ProvisionedThroughput");
	json_t	   *old = json_object_get(control_settings(old_settings),
									  "ProvisionedThroughput");
	const char *told;

	if (old == NULL)
		return old_settings;
	told = control_settings_set(wire_json_document(old), "NumberOfDecreasesToday",
								psprintf("%d", decreases_today(old)));
	for (int i = 0; i < lengthof(times); i++)
	{
		json_t	   *time = json_object_get(now, times[i]);

		if (time != NULL)
			told = control_settings_set(told, times[i],
										wire_json_document(time));
	}
	return control_settings_set(old_settings, "ProvisionedThroughput", told);
}

/*
 * Refuse a decrease that comes too soon.
 */
void
control_check_decrease(const json_t *settings, json_t *throughput)
{
	json_t	   *old = json_object_get(settings, "ProvisionedThroughput");

	if (!is_decrease(old, throughput) || control_may_decrease(settings))
		return;
	dynamo_error(DYNAMO_LIMIT_EXCEEDED,
				 SUBSCRIBER_LIMIT "Provisioned throughput decreases are limited within a given UTC day. After the first %d decreases, each subsequent decrease in the same UTC day can be performed at most once every %d seconds. Number of decreases today: %d. Last decrease at %s. Next decrease can be made at %s",
				 FREE_DECREASES, DECREASE_WAIT, decreases_today(old),
				 long_time(last_decrease(old)), long_time(next_decrease(old)));
}

/*
 * May throughput be lowered now?
 */
bool
control_may_decrease(const json_t *settings)
{
	json_t	   *old = json_object_get(settings, "ProvisionedThroughput");

	return !control_limits_decreases ||
		decreases_today(old) < FREE_DECREASES ||
		timestamptz_to_time_t(GetCurrentTimestamp()) >= next_decrease(old);
}

/*
 * Is anything less than it was?
 */
static bool
is_decrease(json_t *old, json_t *throughput)
{
	return units(throughput, "ReadCapacityUnits") < units(old, "ReadCapacityUnits") ||
		units(throughput, "WriteCapacityUnits") < units(old, "WriteCapacityUnits");
}

/*
 * When the next decrease is free: after the wait, or at midnight UTC.
 */
static pg_time_t
next_decrease(json_t *throughput)
{
	pg_time_t	last = last_decrease(throughput);

	return Min(last + DECREASE_WAIT,
			   (last / SECS_PER_DAY + 1) * SECS_PER_DAY);
}

/* As Java writes it in full, in UTC. */
static char *
long_time(pg_time_t time)
{
	const struct pg_tm *tm = pg_gmtime(&time);
	char		day[64];
	char		clock[64];
	int			hour = tm->tm_hour % 12;

	pg_strftime(day, sizeof(day), "%A, %B", tm);
	pg_strftime(clock, sizeof(clock), "%M:%S %p", tm);
	return psprintf("%s %d, %d at %d:%s Coordinated Universal Time", day,
					tm->tm_mday, tm->tm_year + 1900, hour ? hour : 12, clock);
}

/*
 * WarmThroughput follows what is provisioned up, never down.
 */
static const char *
raise_warm(const char *settings, json_t *throughput)
{
	json_t	   *old = json_object_get(control_settings(settings), "WarmThroughput");
	const char *now = old ? wire_json_document(old) : "{\"Status\":\"ACTIVE\"}";

	for (int i = 0; i < lengthof(warm_members); i++)
	{
		int64		n = throughput ? units(throughput, provisioned_members[i]) :
			warm_on_demand[i];

		if (n > units(old, warm_members[i]))
			now = control_settings_set(now, warm_members[i],
									   psprintf(INT64_FORMAT, n));
	}
	return control_settings_set(settings, "WarmThroughput", now);
}

/*
 * Append ProvisionedThroughput as it is today.
 */
void
control_append_throughput(StringInfo out, json_t *settings)
{
	json_t	   *throughput = json_object_get(settings, "ProvisionedThroughput");

	if (throughput == NULL)
		return;
	wire_member(out, "ProvisionedThroughput");
	control_append_changed(out, throughput, "NumberOfDecreasesToday",
						   psprintf("%d", decreases_today(throughput)));
}

/*
 * How often it has fallen since midnight UTC.
 */
static int
decreases_today(json_t *throughput)
{
	pg_time_t	now = timestamptz_to_time_t(GetCurrentTimestamp());

	if (last_decrease(throughput) / SECS_PER_DAY != now / SECS_PER_DAY)
		return 0;
	return units(throughput, "NumberOfDecreasesToday");
}

static pg_time_t
last_decrease(json_t *throughput)
{
	return (pg_time_t) json_number_value(json_object_get(throughput,
														 "LastDecreaseDateTime"));
}

/*
 * Does the request ask for the throughput there is?  Tells it in any case.
 */
bool
control_same_throughput(const json_t *settings, json_t *throughput,
						int64 *read, int64 *write)
{
	json_t	   *now = json_object_get(settings, "ProvisionedThroughput");

	*read = units(now, "ReadCapacityUnits");
	*write = units(now, "WriteCapacityUnits");
	return *read == units(throughput, "ReadCapacityUnits") &&
		*write == units(throughput, "WriteCapacityUnits");
}

/*
 * Check an OnDemandThroughput that changes what there is.
 */
void
control_check_on_demand(const char *index, json_t *on_demand, bool is_on_demand)
{
	check_on_demand(index, on_demand,
					is_on_demand ? NULL : on_demand_refusal(index), true);
}

static char *
on_demand_refusal(const char *index)
{
	return psprintf("%s%s cannot be specified when the table BillingMode is PROVISIONED",
					index ? " for index : " : "", index ? index : "");
}

/*
 * "refusal" is not NULL where it may not be given: what is said behind the
 * member's name.  Its members are positive,
 * or -1 where that may clear one.
 */
static void
check_on_demand(const char *index, json_t *on_demand, const char *refusal,
				bool may_clear)
{
	static const char *const quotas[] = {
		"TableMaxReadCapacityUnits", "TableMaxWriteCapacityUnits"
	};

	for (int i = 0; on_demand && i < lengthof(on_demand_members); i++)
	{
		const char *member = on_demand_members[i];
		char	   *what = psprintf("Requested %s for OnDemandThroughput for %s%s",
									member, index ? "index : " : "table",
									index ? index : "");
		int64		n = units(on_demand, member);

		if (!wire_json_get(on_demand, member))
			continue;
		if (refusal)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "%s for OnDemandThroughput%s", member,
						 refusal);
		if (n < 1 && !(may_clear && n == -1))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "%s is outside of valid range", what);
		if (n > MAX_UNITS)
			dynamo_error(DYNAMO_LIMIT_EXCEEDED,
						 SUBSCRIBER_LIMIT "%s exceeds %s of the account in region %s",
						 what, quotas[i], wire_region);
	}
}

/*
 * Merge the members of an OnDemandThroughput into the settings; -1 takes one
 * away.
 */
const char *
control_set_on_demand(const char *settings, json_t *on_demand)
{
	json_t	   *old = json_object_get(control_settings(settings),
									  "OnDemandThroughput");
	const char *now = old ? wire_json_document(old) : "{}";

	for (int i = 0; i < lengthof(on_demand_members); i++)
	{
		const char *member = on_demand_members[i];
		int64		n = units(on_demand, member);

		if (n == -1)
			now = control_settings_remove(now, member);
		else if (wire_json_get(on_demand, member))
			now = control_settings_set(now, member, psprintf(INT64_FORMAT, n));
	}
	if (strcmp(now, "{}") == 0)
		return control_settings_remove(settings, "OnDemandThroughput");
	return control_settings_set(settings, "OnDemandThroughput", now);
}

/*
 * What the answer to a change of OnDemandThroughput tells: all that there is,
 * and what was taken away as it was sent.
 */
const char *
control_told_on_demand(const char *settings, json_t *on_demand)
{
	json_t	   *now = json_object_get(control_settings(settings),
									  "OnDemandThroughput");
	const char *told = now ? wire_json_document(now) : "{}";

	for (int i = 0; i < lengthof(on_demand_members); i++)
	{
		if (units(on_demand, on_demand_members[i]) == -1)
			told = control_settings_set(told, on_demand_members[i], "-1");
	}
	return control_settings_set(settings, "OnDemandThroughput", told);
}

/*
 * Check a WarmThroughput that changes what there is.
 */
void
control_check_warm(const char *index, json_t *warm, const json_t *settings)
{
	json_t	   *now = json_object_get(settings, "WarmThroughput");

	for (int i = 0; warm && i < lengthof(warm_members); i++)
	{
		if (wire_json_get(warm, warm_members[i]) &&
			units(warm, warm_members[i]) < units(now, warm_members[i]))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Requested %s for WarmThroughput for %s%s is lower than current WarmThroughput, decreasing WarmThroughput is not supported",
						 warm_members[i], index ? "index " : "table",
						 index ? index : "");
	}
}

static void
check_new_warm(const char *index, json_t *warm, bool on_demand,
			   json_t *throughput)
{
	for (int i = 0; warm && i < lengthof(warm_members); i++)
	{
		char	   *what = psprintf("%s for WarmThroughput for %s%s", warm_members[i],
									index ? "index " : "table",
									index ? index : "");

		if (!wire_json_get(warm, warm_members[i]))
			continue;
		if (on_demand && units(warm, warm_members[i]) < warm_on_demand[i])
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Requested %s is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html",
						 what);
		if (!on_demand && units(warm, warm_members[i]) < units(throughput, provisioned_members[i]))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Requested %s is lower than %s of ProvisionedThroughput",
						 what, provisioned_members[i]);
	}
}

/*
 * Put the members of a WarmThroughput into the settings.
 */
const char *
control_set_warm(const char *settings, json_t *warm)
{
	json_t	   *old = json_object_get(control_settings(settings), "WarmThroughput");
	const char *now = old ? wire_json_document(old) : "{\"Status\":\"ACTIVE\"}";

	for (int i = 0; i < lengthof(warm_members); i++)
	{
		if (wire_json_get(warm, warm_members[i]))
			now = control_settings_set(now, warm_members[i],
									   psprintf(INT64_FORMAT,
												units(warm, warm_members[i])));
	}
	return control_settings_set(settings, "WarmThroughput", now);
}

/*
 * Does an OnDemandThroughput or WarmThroughput say anything?
 */
bool
control_is_given(json_t *units)
{
	for (int i = 0; units && i < 2; i++)
	{
		if (wire_json_get(units, on_demand_members[i]) ||
			wire_json_get(units, warm_members[i]))
			return true;
	}
	return false;
}

/* A number among an object's members, 0 when there is none. */
static int64
units(json_t *object, const char *member)
{
	json_t	   *value = object ? json_object_get(object, member) : NULL;

	return json_is_number(value) ? wire_json_integer(value) : 0;
}
