/*-------------------------------------------------------------------------
 *
 * capacity.h
 *	  Token buckets for the throughput of tables, indexes and partition keys.
 *
 * Nothing is limited unless dynamo.enforce_throughput is on.  The caller says
 * what it wants to take and from which table or index; what the limit is
 * stands in their settings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CAPACITY_H
#define DYNAMO_CAPACITY_H

#include "postgres.h"

#include "schema/schema.h"

typedef enum CapacityKind
{
	CAPACITY_READ,
	CAPACITY_WRITE
} CapacityKind;

#define CAPACITY_KINDS	(CAPACITY_WRITE + 1)

/* What stands in the way of a demand. */
typedef enum CapacityRefusal
{
	CAPACITY_ADMITTED,
	CAPACITY_PROVISIONED,		/* ProvisionedThroughput */
	CAPACITY_ON_DEMAND_MAXIMUM, /* OnDemandThroughput */
	CAPACITY_KEY_RANGE			/* what one partition gives */
} CapacityRefusal;

/* Units wanted of a table, or of one of its global indexes. */
typedef struct CapacityDemand
{
	const TableDef *def;
	const IndexDef *index;		/* NULL: the table, and its local indexes */
	CapacityKind kind;
	uint64		partition;		/* hash of the partition key; 0: of many */
	double		units;
} CapacityDemand;

/* How many periods of dynamo.auto_scaling_period are looked back on. */
#define CAPACITY_PERIODS	15

/* capacity_limit.c */
extern bool capacity_enforced;	/* dynamo.enforce_throughput */
extern void capacity_init(void);
extern bool capacity_is_on_demand(const TableDef *def);
extern double capacity_limit(const TableDef *def, const IndexDef *index,
							 CapacityKind kind);	/* 0: none */
extern CapacityRefusal capacity_ask(const CapacityDemand *demand);
extern void capacity_take(const CapacityDemand *demand);

extern bool capacity_history(const TableDef *def, const IndexDef *index,
							 CapacityKind kind, double *history);

/* capacity_share.c */
extern void capacity_exchange(void);

#endif							/* DYNAMO_CAPACITY_H */
