/*-------------------------------------------------------------------------
 *
 * region.h
 *	  Regions, global tables and their replicas: what is known of them here.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_REGION_H
#define DYNAMO_REGION_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "schema/schema.h"
#include "utils/timestamp.h"

extern void region_init(void);

/*
 * region_row.c: rows of dynamo.regions.  What is returned lives in the current
 * context.
 */
typedef struct Region
{
	char	   *name;
	int32		id;				/* what versions of items name; unique here */
	Oid			server;			/* where it is; InvalidOid: it is this
								 * database */
} Region;

#define REGION_MAX_NAME		63	/* bytes */

extern const Region *region_find(const char *name); /* NULL: unknown */

/* All (Region *), in no order; the own one only if it has a row */
extern List *region_list(void);

/*
 * This database's own: the row without a server, or the setting dynamo.region.
 */
extern const Region *region_own(void);

/*
 * Make one known, or this database's own name (server NULL).  For superusers.
 * Raises PostgreSQL's errors.
 */
extern void region_create(const char *name, const char *server);

/*
 * region_server.c: the options of servers and user mappings of the wrapper
 * dynamo_region.  Raises an error for one that is wrong.
 */
extern void region_check_options(Datum array, Oid catalog);

/*
 * region_replica.c: rows of dynamo_internal.global_tables and
 * dynamo_internal.replicas
 */
typedef enum ReplicaStatus
{
	REPLICA_CREATING,
	REPLICA_UPDATING,
	REPLICA_ACTIVE,
	REPLICA_DELETING
} ReplicaStatus;

typedef struct RegionReplica
{
	char	   *region;			/* the other one */
	ReplicaStatus status;
	char	   *description;	/* what is in the way; or NULL */
	TimestampTz created_at;
	char	   *overrides;		/* JSON object: what its settings are instead */
	bool		source;			/* its first items come from here */
} RegionReplica;

/* "CREATING", ... */
extern const char *region_status_name(ReplicaStatus status);

/*
 * Those of a table, in the order of their creation (RegionReplica *), or the one
 * in a region; NULL: there is none.  In the current context.
 */
extern List *region_replicas(Oid relid);
extern const RegionReplica *region_replica(Oid relid, const char *region);

/*
 * Forget a region, which has no replica of a table; the own one only where no
 * table has any: versions of items name it.  For superusers.
 */
extern void region_drop(const char *name);

/*
 * Have a replica of a table made in a region that is known, or have one
 * deleted.  Both only note what is wanted, in the caller's transaction; the
 * background does it after commit.  They lock the table's name, and the first
 * locks the relation in ShareRowExclusive mode when the table has no replica
 * yet.  For the table's owner; "overrides" is a JSON object or NULL.
 *
 * region_add_replica() raises ResourceNotFoundException, and PostgreSQL's
 * errors for a region that is unknown, own, or has a replica of the table, and
 * for a table that is distributed.  The replica is CREATING from then on.
 *
 * region_remove_replica() raises ResourceNotFoundException, and PostgreSQL's
 * error for a region without a replica of the table.  The replica is DELETING
 * from then on.
 */
extern void region_add_replica(const char *table, const char *region,
							   const char *overrides);
extern void region_remove_replica(const char *table, const char *region);

/*
 * Change a replica's overrides, a JSON object.  Locks and raises what
 * region_remove_replica() does.
 */
extern void region_set_overrides(const char *table, const char *region,
								 const char *overrides);

#endif							/* DYNAMO_REGION_H */
