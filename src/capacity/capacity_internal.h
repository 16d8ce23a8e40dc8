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
	Oid			database;
	Oid			relation;		/* of the table */
	int32		index;			/* IndexDef.ordinal; 0: the table */
	int32		kind;			/* CapacityKind */
	uint64		partition;		/* hash of a partition key; 0: all of them */
} CapacityKey;

/* How a bucket fills. */
typedef struct CapacityRate
{
	double		units;			/* a second */
	double		depth;			/* seconds of them that it holds */
	TimestampTz since;			/* it fills since then */
} CapacityRate;

/* capacity_bucket.c */
extern int	capacity_period;	/* dynamo.auto_scaling_period, in milliseconds */
extern void capacity_bucket_init(void);
extern bool capacity_buckets_exist(void);
extern double capacity_tokens(const CapacityKey *key, const CapacityRate *rate);
extern void capacity_spend(const CapacityKey *key, const CapacityRate *rate,
						   double units);
extern void capacity_look_back(const CapacityKey *key,
							   const CapacityRate *rate, double *history);

#endif							/* DYNAMO_CAPACITY_INTERNAL_H */
