/*-------------------------------------------------------------------------
 *
 * recall_window.c
 *	  The times that a distributed table can be brought back to.
 *
 * A moment is of use to a table as long as its shards are where they were: each
 * move and split begins the window anew.  A time is answered by the last moment that
 * is not after it, if that is not much older: where no moment could be taken, and
 * something may have changed, nobody knows what was there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "recall/recall_internal.h"
#include "shard/shard.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "wire/wire.h"

/* What is committed may be so much older than the time that is asked for. */
#define RECALL_PROMISE	(20 * USECS_PER_SEC)

/* Requests have milliseconds: a time may be so much before the window. */
#define EARLY			1000

/* What is known of a table. */
typedef struct Known
{
	const RecoveryDef *recovery;
	TimestampTz since;			/* moments are of use */
	RecallMoment first;
	RecallMoment last;
	BackupWindow window;
} Known;

static bool find_known(const TableDef *def, const RecallPlaces *places,
					   Known *known);
static TimestampTz time_of_epoch(double seconds);
static bool find_answer(const Known *known, TimestampTz when,
						RecallMoment *moment);
static void refuse(const TableDef *def, const Known *known, TimestampTz when)
			pg_attribute_noreturn();

bool
recall_window(const TableDef *def, BackupWindow *window)
{
	RecallPlaces places;
	Known		known;

	memset(window, 0, sizeof(*window));
	if (def->recovery == NULL)
		return false;
	recall_read_places(def->relid, &places);
	(void) find_known(def, &places, &known);
	*window = known.window;
	return true;
}

bool
recall_ask_window(const TableDef *def, BackupWindow *window)
{
	char	   *answer;
	double		earliest;
	double		latest;
	int			n;

	memset(window, 0, sizeof(*window));
	answer = shard_ask_coordinator(psprintf("SELECT pg_catalog.concat_ws(' ', days,"
											" pg_catalog.date_part('epoch', earliest),"
											" pg_catalog.date_part('epoch', latest))"
											" FROM dynamo.recovery_window(%s)",
											quote_literal_cstr(def->name)));
	n = sscanf(answer, "%d %lf %lf", &window->days, &earliest, &latest);
	if (n == 3)
	{
		window->earliest = time_of_epoch(earliest);
		window->latest = time_of_epoch(latest);
	}
	return n > 0;
}

/*
 * By seconds since 1970.
 */
static TimestampTz
time_of_epoch(double seconds)
{
	return DatumGetTimestampTz(DirectFunctionCall1(float8_timestamptz,
												   Float8GetDatum(seconds)));
}

void
recall_check_time(const TableDef *def, TimestampTz when)
{
	RecallPlaces places;
	RecallMoment moment;

	recall_read_places(def->relid, &places);
	recall_choose(def, &places, when, &moment);
}

void
recall_choose(const TableDef *def, const RecallPlaces *places,
			  TimestampTz when, RecallMoment *moment)
{
	Known		known;

	if (def->recovery == NULL)
		dynamo_error(DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
					 "Point in time recovery is not enabled for table '%s'",
					 def->name);
	if (!find_known(def, places, &known) ||
		!find_answer(&known, when, moment))
		refuse(def, &known, when);
}

/*
 * False: there is no moment of use, or none any more.
 */
static bool
find_known(const TableDef *def, const RecallPlaces *places, Known *known)
{
	const RecoveryDef *recovery = def->recovery;
	TimestampTz now = GetCurrentTimestamp();
	RecallState state;

	memset(known, 0, sizeof(*known));
	known->recovery = recovery;
	known->window.days = recovery->days;
	if (places->copied || !recall_find_state(recovery->id, &state) ||
		strcmp(state.placed, places->text) != 0)
		return false;
	known->since = Max(state.since,
					   Max(recovery->kept_from,
						   now - recovery->days * USECS_PER_DAY));
	if (!recall_find_moment(recovery->id, known->since, now, true, &known->first) ||
		!recall_find_moment(recovery->id, known->since, now, false, &known->last))
		return false;
	known->window.earliest = known->first.at;
	known->window.latest = Max(known->last.at, Min(known->last.lasted, now));
	return true;
}

static bool
find_answer(const Known *known, TimestampTz when,
			RecallMoment *moment)
{
	if (when < known->window.earliest - EARLY ||
		when > known->window.latest)
		return false;
	when = Max(when, known->window.earliest);
	return recall_find_moment(known->recovery->id, known->since, when, false,
							  moment) &&
		when <= Max(moment->at, moment->lasted) + RECALL_PROMISE;
}

static void
refuse(const TableDef *def, const Known *known, TimestampTz when)
{
	const BackupWindow *window = &known->window;
	DynamoHelp *help = schema_help_table(def->name);

	if (window->earliest == 0)
	{
		if (help != NULL)
			help->hint = "The first moment of all nodes is taken some seconds after recovery is switched on, and after a shard has moved or was split.";
		dynamo_error_with_help(DYNAMO_INVALID_RESTORE_TIME, help,
							   "There is no point yet to which table '%s' can be restored",
							   def->name);
	}
	if (when >= window->earliest && when <= window->latest)
		dynamo_error(DYNAMO_INVALID_RESTORE_TIME,
					 "RestoreDateTime '%s' lies between points that are too far apart",
					 pstrdup(timestamptz_to_str(when)));
	dynamo_error(DYNAMO_INVALID_RESTORE_TIME,
				 "RestoreDateTime '%s' must be within EarliestRestorableDateTime '%s' and LatestRestorableDateTime '%s'",
				 TIMESTAMP_NOT_FINITE(when) ? pstrdup(timestamptz_to_str(when)) : wire_seconds_text(when),
				 wire_seconds_text(window->earliest),
				 wire_seconds_text(window->latest));
}
