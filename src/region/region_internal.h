/*-------------------------------------------------------------------------
 *
 * region_internal.h
 *	  What the files of regions share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_REGION_INTERNAL_H
#define DYNAMO_REGION_INTERNAL_H

#include "postgres.h"

#include "meta/meta.h"
#include "region/region.h"

/* region_row.c */
extern bool region_row_delete(const char *name);

/* region_server.c: its OID; an error if there is none that can be a region */
extern Oid	region_server(const char *name);
extern bool region_server_exists(Oid serverid);

/* region_conflict.c */
extern void region_conflict_forget(Oid relid);

/*
 * region_claim.c
 */
/* What a region claims; of this one also how it has come so far. */
typedef struct RegionClaim
{
	const char *members;		/* of the group, "ap,eu,us" */
	int64		time;			/* 0: nothing yet */
	int64		number;			/* that goes with the floor; 0: not noted */
	int64		trimmed;		/* tombstones up to this time are gone */
} RegionClaim;

extern RegionClaim region_claim(Oid relid, const char *region);
extern void region_set_claim(Oid relid, const char *region,
							 const RegionClaim *claim);
extern void region_claim_forget(Oid relid, const char *region);
extern void region_claim_withdraw(Oid relid, const char *own);

/* region_replica.c */
extern void region_replica_init(void);
extern int64 region_floor(Oid relid);
extern void region_set_floor(Oid relid, int64 floor);

/* region_stable.c */
extern void region_stable_init(void);

/* region_version.c */
extern void region_version_init(void);
extern int64 region_time_before(int seconds);
extern int64 region_time_at(int64 clock);

#endif							/* DYNAMO_REGION_INTERNAL_H */
