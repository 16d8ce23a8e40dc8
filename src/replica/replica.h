/*-------------------------------------------------------------------------
 *
 * replica.h
 *	  What goes between the replicas of a global table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_REPLICA_H
#define DYNAMO_REPLICA_H

#include "postgres.h"

extern void replica_init(void);

/* replica_apply.c: what a peer has sent, stored where it is newer */
typedef struct ReplicaApplied
{
	int64		position;		/* all up to there is here */
	int64		applied;
	int64		discarded;		/* not newer than what was here */
	int64		held;			/* from the future: to be sent again */
} ReplicaApplied;

/*
 * Where the region "region" is to go on, which is of that incarnation: the
 * number of the last of its versions that is here, 0 for one not known.  For
 * the table's owner.  Raises ResourceNotFoundException and PostgreSQL's errors.
 */
extern int64 replica_received(const char *table, const char *region,
							  const char *incarnation);

/*
 * Store what is newer of a batch that the region has sent, which are all of its
 * versions up to "position"; "records" is as replica_record.c has it.
 * For the table's owner.  In the transaction of the caller, which is rolled
 * back by any error: ResourceNotFoundException, ValidationException, 40001,
 * 40P01, 55P03, and what triggers and constraints raise.
 */
extern void replica_apply(const char *table, const char *region,
						  const char *incarnation, int64 position,
						  bytea *records, ReplicaApplied *result);

#endif							/* DYNAMO_REPLICA_H */
