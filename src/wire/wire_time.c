/*-------------------------------------------------------------------------
 *
 * wire_time.c
 *	  Times in requests and answers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "datatype/timestamp.h"
#include "wire/wire.h"

/* A timestamp as seconds since 1970, with milliseconds, in JSON. */
char *
wire_epoch(int64 timestamp)
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
wire_given_time(const json_t *timestamp)
{
	double		time = rint(json_number_value(timestamp) * USECS_PER_SEC) -
		(double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

	if (time < (double) MIN_TIMESTAMP)
		return MIN_TIMESTAMP;
	if (time >= (double) END_TIMESTAMP)
		return END_TIMESTAMP;
	return (TimestampTz) time;
}

/* A time as milliseconds since 1970. */
int64
wire_milliseconds(TimestampTz time)
{
	return time / 1000 + (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
		SECS_PER_DAY * 1000;
}
