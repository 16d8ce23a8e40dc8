/*-------------------------------------------------------------------------
 *
 * stats_histogram.c
 *	  Latencies: a log-linear histogram, and what can be told from it.
 *
 * Each doubling is cut into STATS_STEPS equal buckets, so a quantile that is
 * read from it is off by at most an eighth or so, however long requests take:
 *
 *		bucket	 0			1 .. 4				5 .. 8				  97
 *			|  < 4.1  |  4.1 ..  8.2	|  8.2 ..  16.4  us |  ...  > 69 s
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "stats/stats_internal.h"

/* A doubling is cut by the bits below its highest one. */
#define STEP_BITS	2

StaticAssertDecl(1 << STEP_BITS == STATS_STEPS, "a step is a bit pattern");

/*
 * The bucket of a latency.
 */
int
stats_bucket(uint64 nanoseconds)
{
	int			power;
	int			step;

	if (nanoseconds < UINT64CONST(1) << STATS_FIRST)
		return 0;
	power = pg_leftmost_one_pos64(nanoseconds);
	if (power >= STATS_FIRST + STATS_DOUBLINGS)
		return STATS_BUCKETS - 1;
	step = (nanoseconds >> (power - STEP_BITS)) & (STATS_STEPS - 1);
	return 1 + (power - STATS_FIRST) * STATS_STEPS + step;
}

/*
 * Where a bucket ends, in seconds; the last ends nowhere.
 */
double
stats_bucket_end(int bucket)
{
	int			power = STATS_FIRST + bucket / STATS_STEPS;
	int			step = bucket % STATS_STEPS;
	uint64		base = UINT64CONST(1) << power;

	return (base + step * (base / STATS_STEPS)) / 1e9;
}

uint64
stats_requests(const StatsCellCopy *copy)
{
	uint64		n = 0;

	for (int i = 0; i < STATS_OUTCOMES; i++)
		n += copy->outcomes[i];
	return n;
}

/*
 * The latency in seconds that a share "q" of the successful requests did not
 * exceed; within a bucket they are taken to be spread evenly.  Negative: there
 * were none.
 */
double
stats_quantile(const StatsCellCopy *copy, double q)
{
	uint64		total = 0;
	uint64		before = 0;
	double		rank;

	for (int i = 0; i < STATS_BUCKETS; i++)
		total += copy->buckets[i];
	if (total == 0)
		return -1;
	rank = q * total;
	for (int i = 0; i < STATS_BUCKETS - 1; i++)
	{
		double		low = i == 0 ? 0 : stats_bucket_end(i - 1);
		uint64		n = copy->buckets[i];

		if (n > 0 && before + n >= rank)
			return low + (stats_bucket_end(i) - low) * (rank - before) / n;
		before += n;
	}
	return stats_bucket_end(STATS_BUCKETS - 2);
}
