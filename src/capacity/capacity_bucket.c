/*-------------------------------------------------------------------------
 *
 * capacity_bucket.c
 *	  Token buckets in shared memory.
 *
 * A bucket fills steadily up to its depth.  A request that finds a token in it
 * is admitted, and then takes as many as it turned out to need: the bucket may
 * owe tokens, and is empty until they have flowed in.  A new bucket has what
 * has flowed in since the table was made, as one that nobody has used, and
 * those of one second at least.
 *
 * There is room for a fixed number of them, in sets.  A bucket stays in the set
 * that its key hashes to.  Where a set is full, the bucket gives way that
 * would lose least: the one with the most tokens for its rate.  If it comes
 * again, it is taken for one that was full.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>

#include "base/base_shared.h"
#include "capacity/capacity_internal.h"
#include "common/hashfn.h"
#include "storage/spin.h"
#include "utils/timestamp.h"

#define SETS	2048
#define WAYS	CAPACITY_WAYS

typedef struct Bucket
{
	CapacityKey key;			/* all zero: free */
	TimestampTz at;				/* when it had so many tokens */
	double		tokens;
	CapacityRate rate;			/* at that time */
	double		untold;			/* taken here, and other nodes do not know */
	TimestampTz began;			/* the period that lasts */
	double		taken;			/* in it: units */
	float		history[CAPACITY_PERIODS];	/* in those before, the latest
											 * first: units a second;
											 * negative: not known */
} Bucket;

typedef struct BucketSet
{
	slock_t		mutex;
	Bucket		buckets[WAYS];
} BucketSet;

int			capacity_period = 60000;

/* NULL: the server does not preload us, and there are none. */
static BucketSet *sets = NULL;

static void attach_buckets(void *memory, int tranche, bool made);
static BucketSet *set_of(const CapacityKey *key);
static Bucket *fill(BucketSet *set, const CapacityKey *key,
					const CapacityRate *rate, TimestampTz now);
static void close_periods(Bucket *bucket, TimestampTz now);
static Bucket *place_for(BucketSet *set, const CapacityKey *key,
						 TimestampTz now);

static DynamoShared shared_sets = {
	.name = "dynamo capacity", .size = SETS * sizeof(BucketSet), .attach = attach_buckets
};

void
capacity_bucket_init(void)
{
	dynamo_share(&shared_sets);
}

static void
attach_buckets(void *memory, int tranche, bool made)
{
	sets = memory;
	for (int i = 0; made && i < SETS; i++)
		SpinLockInit(&sets[i].mutex);
}

bool
capacity_buckets_exist(void)
{
	return sets != NULL;
}

/*
 * How many tokens are in a bucket now?
 */
double
capacity_tokens(const CapacityKey *key, const CapacityRate *rate)
{
	TimestampTz now = GetCurrentTimestamp();
	BucketSet  *set = set_of(key);
	double		tokens;

	SpinLockAcquire(&set->mutex);
	tokens = fill(set, key, rate, now)->tokens;
	SpinLockRelease(&set->mutex);
	return tokens;
}

/*
 * Take tokens out of a bucket, also those it has not.
 */
void
capacity_spend(const CapacityKey *key, const CapacityRate *rate, double units)
{
	TimestampTz now = GetCurrentTimestamp();
	BucketSet  *set = set_of(key);
	Bucket	   *bucket;

	SpinLockAcquire(&set->mutex);
	bucket = fill(set, key, rate, now);
	bucket->tokens -= units;
	bucket->taken += units;
	if (key->shared && key->partition == 0)
		bucket->untold += units;
	SpinLockRelease(&set->mutex);
}

/*
 * Tokens were taken at another node.
 */
void
capacity_spend_elsewhere(const CapacityTaken *taken)
{
	TimestampTz now = GetCurrentTimestamp();
	BucketSet  *set = set_of(&taken->key);
	Bucket	   *bucket;

	SpinLockAcquire(&set->mutex);
	bucket = fill(set, &taken->key, &taken->rate, now);
	bucket->tokens -= taken->units;
	bucket->taken += taken->units;
	SpinLockRelease(&set->mutex);
}

/*
 * How many sets of buckets are there?
 */
int
capacity_sets(void)
{
	return sets == NULL ? 0 : SETS;
}

/*
 * What was taken here from the buckets of a set, which others take from, too,
 * since this was asked for the last time, of a database: at most CAPACITY_WAYS,
 * and how many.
 */
int
capacity_untold(int set, Oid database, CapacityTaken *taken)
{
	int			n = 0;

	SpinLockAcquire(&sets[set].mutex);
	for (int i = 0; i < WAYS; i++)
	{
		Bucket	   *bucket = &sets[set].buckets[i];

		if (bucket->untold == 0 || bucket->key.database != database)
			continue;
		taken[n].key = bucket->key;
		taken[n].rate = bucket->rate;
		taken[n++].units = bucket->untold;
		bucket->untold = 0;
	}
	SpinLockRelease(&sets[set].mutex);
	return n;
}

/*
 * What was taken in the last periods.
 */
void
capacity_look_back(const CapacityKey *key, const CapacityRate *rate,
				   double *history)
{
	TimestampTz now = GetCurrentTimestamp();
	BucketSet  *set = set_of(key);
	Bucket	   *bucket;

	SpinLockAcquire(&set->mutex);
	bucket = fill(set, key, rate, now);
	for (int i = 0; i < CAPACITY_PERIODS; i++)
		history[i] = bucket->history[i];
	SpinLockRelease(&set->mutex);
}

static BucketSet *
set_of(const CapacityKey *key)
{
	return &sets[hash_bytes((const unsigned char *) key, sizeof(*key)) % SETS];
}

/*
 * The bucket, with all that has flowed in by now.  A clock that was set back
 * lets nothing flow out.
 */
static Bucket *
fill(BucketSet *set, const CapacityKey *key, const CapacityRate *rate,
	 TimestampTz now)
{
	Bucket	   *bucket = place_for(set, key, now);

	if (bucket->at == 0)
		bucket->tokens = rate->units *
			Max((double) (now - rate->since) / USECS_PER_SEC, 1);
	else if (now > bucket->at)
		bucket->tokens += rate->units * (now - bucket->at) / USECS_PER_SEC;
	bucket->tokens = Min(bucket->tokens, rate->units * rate->depth);
	bucket->at = now;
	bucket->rate = *rate;
	close_periods(bucket, now);
	return bucket;
}

/*
 * Note what was taken in the periods that have ended.
 */
static void
close_periods(Bucket *bucket, TimestampTz now)
{
	TimestampTz length = capacity_period * INT64CONST(1000);
	int64		ended = (now - bucket->began) / length;

	if (now < bucket->began)	/* the clock was set back */
		bucket->began = now;
	if (ended <= 0)
		return;
	for (int i = CAPACITY_PERIODS - 1; i >= 0; i--)
	{
		if (i >= ended)
			bucket->history[i] = bucket->history[i - ended];
		else
			bucket->history[i] = i == ended - 1 ?
				bucket->taken * 1000 / capacity_period : 0;
	}
	bucket->taken = 0;
	bucket->began += ended * length;
}

/*
 * Where the bucket is, or is made: then "at" is 0.
 */
static Bucket *
place_for(BucketSet *set, const CapacityKey *key, TimestampTz now)
{
	Bucket	   *place = NULL;
	double		most = 0;

	for (int i = 0; i < WAYS; i++)
	{
		Bucket	   *bucket = &set->buckets[i];
		double		seconds;

		if (memcmp(&bucket->key, key, sizeof(*key)) == 0)
			return bucket;
		seconds = bucket->at == 0 ? DBL_MAX :
			bucket->tokens / bucket->rate.units +
			(double) (now - bucket->at) / USECS_PER_SEC;
		if (place == NULL || seconds > most)
		{
			place = bucket;
			most = seconds;
		}
	}
	memset(place, 0, sizeof(*place));
	place->key = *key;
	place->began = now;
	for (int i = 0; i < CAPACITY_PERIODS; i++)
		place->history[i] = -1;
	return place;
}
