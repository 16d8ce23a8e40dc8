/*-------------------------------------------------------------------------
 *
 * capacity_internal.h
 *	  The token buckets in shared memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CAPACITY_INTERNAL_H
#define DYNAMO_CAPACITY_INTERNAL_H

#include "postgres.h"

#include "capacity/capacity.h"

/* Whose bucket it is.  No padding: keys are compared as bytes. */
typedef struct CapacityKey
{
	uint64		table;			/* hash of its TableId, which all nodes know */
	uint64		partition;		/* hash of a partition key; 0: all of them */
	Oid			database;
	int32		index;			/* IndexDef.ordinal; 0: the table */
	int32		kind;			/* CapacityKind */
	int32		shared;			/* other nodes take from it, too: 0 or 1 */
} CapacityKey;

/* How a bucket fills. */
typedef struct CapacityRate
{
	double		units;			/* a second */
	double		depth;			/* seconds of them that it holds */
	TimestampTz since;			/* it fills since then */
} CapacityRate;

/* What was taken from a bucket. */
typedef struct CapacityTaken
{
	CapacityKey key;
	CapacityRate rate;
	double		units;
} CapacityTaken;

/* Buckets are in sets of that many. */
#define CAPACITY_WAYS	8

/* capacity_bucket.c */
extern int	capacity_period;	/* dynamo.auto_scaling_period, in milliseconds */
extern void capacity_bucket_init(void);
extern bool capacity_buckets_exist(void);
extern double capacity_tokens(const CapacityKey *key, const CapacityRate *rate);
extern void capacity_spend(const CapacityKey *key, const CapacityRate *rate,
						   double units);
extern void capacity_spend_elsewhere(const CapacityTaken *taken);
extern int	capacity_sets(void);
extern int	capacity_untold(int set, Oid database,
							CapacityTaken *taken);
extern void capacity_look_back(const CapacityKey *key,
							   const CapacityRate *rate, double *history);

#endif							/* DYNAMO_CAPACITY_INTERNAL_H */
