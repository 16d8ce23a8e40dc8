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

#include "item/item.h"
#include "key/key.h"
#include "nodes/pg_list.h"
#include "schema/schema.h"
#include "utils/snapshot.h"
#include "utils/timestamp.h"

/* region_init.c */
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
	REPLICA_LEAVING,			/* told as UPDATING: this region leaves the
								 * others */
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
	int64		lag;			/* ms */
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

/* OIDs of the tables that have a replica in that region, in their order. */
extern List *region_tables(const char *name);

/* Raises an error unless the current user is a superuser. */
extern void region_check_superuser(void);

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

/*
 * Have this region leave the others: once they have all versions up to the number
 * "until", and this one has what is written there by then, the table is one of this
 * region alone, and so is theirs without it.  Only notes that, as the two above;
 * replicas are LEAVING from then on.  Locks and raises what region_remove_replica()
 * does, and PostgreSQL's error for a table that is not global.
 */
extern void region_leave(const char *table, int64 until);

/* Has a region a replica of the table? */
extern bool region_is_member(Oid relid, const char *region);

/*
 * What the background knows of a replica, and notes.
 */
typedef struct RegionLink
{
	Oid			relid;
	char		region[REGION_MAX_NAME + 1];
	ReplicaStatus status;
	bool		source;
	int			failures;
	TimestampTz retry_at;		/* 0: now */
	int64		offered;		/* nothing above it has ever been sent */
	int64		epoch;			/* random; another when it begins anew */
	const char *incarnation;	/* of this database, which the replica knows;
								 * NULL: none yet */
	bool		whole;			/* versions of all regions are sent */
	TimestampTz sent_to;		/* all that was written until then is there;
								 * 0: not known */
	int64		position;		/* all up to there is there */
	int64		confirmed;		/* ... as it has said itself, at most */
	int64		clock;			/* what its clock has said last: milliseconds
								 * since 1970; 0: nothing yet */
	int64		until;			/* once all up to there is there the two part;
								 * 0: they stay together */
} RegionLink;

extern List *region_links_due(TimestampTz *next);
extern const RegionLink *region_link(Oid relid, const char *region);
extern void region_link_offer(const RegionLink *link, int64 position);
extern void region_link_settle(const RegionLink *link,
							   const char *incarnation);
extern void region_link_renew(Oid relid, const char *region, bool whole);

/* What has come of a turn. */
typedef struct RegionProgress
{
	ReplicaStatus status;
	int64		position;		/* all up to there is in the replica */
	int64		confirmed;		/* ... as it has said itself */
	int64		sent;			/* changes, in this turn */
	int64		held;
	int64		lag;			/* ms that the oldest of them took at most */
	int64		clock;			/* the replica's, as a RegionLink has it; 0:
								 * not asked */
	TimestampTz sent_to;		/* it has all that was written until then; 0:
								 * not yet what there is */
	bool		has_all;		/* what it is sent of others' versions is
								 * complete */
	const char *description;	/* what is in the way all the same; or NULL */
} RegionProgress;

extern void region_link_note(const RegionLink *link,
							 const RegionProgress *progress);
extern void region_link_fail(const RegionLink *link, const char *reason,
							 TimestampTz retry_at);
extern void region_link_bound(Oid relid, const char *region, int64 until);	/* 1 or more */
extern void region_link_end(Oid relid, const char *region);
extern void region_set_versioned(Oid relid, const Item *keys);
extern const Item *region_versioned_to(Oid relid);
extern void region_join(const char *table, List *regions);

/*
 * region_server.c: how to connect to a region's server for the tables of a role,
 * as libpq wants it, and whether the password must be asked for.  Raises an error
 * if there is no user mapping.
 */
extern char *region_conninfo(Oid serverid, Oid role, bool *password_required);

/*
 * region_version.c: versions of the items of global tables.  "item" has the
 * key, and may have the rest.
 */
typedef struct RegionVersion
{
	int64		time;			/* milliseconds since 1970, and 16 bits to
								 * count within one; 0: from before the table
								 * was global */
	int32		region;
} RegionVersion;

/* A write that comes from another region. */
typedef struct RegionIncoming
{
	Oid			relid;
	const Item *keys;			/* the key, and nothing else */
	RegionVersion version;
	bool		taken;			/* out: it has been written */
} RegionIncoming;

typedef enum RegionStamp
{
	REGION_WRITE,
	REGION_CREATION,			/* the same, where there was no item */
	REGION_EXPIRY,				/* just above the version that is there */
	REGION_FIRST,				/* of an item that has none */
	REGION_BURIAL				/* of what is not there: if there is a
								 * version, it is a deletion's, too */
} RegionStamp;

/*
 * Where a write gets its number from.  The feed is read by nobody beyond "behind"
 * until the transaction ends: a version that has a greater number keeps it.
 */
typedef struct RegionNumbers
{
	int64		behind;			/* PG_INT64_MAX: it is not known */
	int64		(*draw) (void); /* the caller has claimed what it draws */
} RegionNumbers;

/* Milliseconds that a version may be ahead of the clock */
#define REGION_MAX_SKEW		500

extern int	region_compare(const RegionVersion *a, const RegionVersion *b);
extern bool region_is_early(const RegionVersion *version);
extern RegionIncoming *region_expect(RegionIncoming *incoming);
extern void region_stamp(const TableDef *def, const Item *item, bool deleted,
						 RegionStamp stamp, const RegionNumbers *numbers);
extern bool region_try_stamp(const TableDef *def, const Item *item,
							 bool deleted, RegionStamp stamp,
							 const RegionNumbers *numbers);
extern bool region_version(const TableDef *def, const Item *keys,
						   RegionVersion *version, int64 *number);

/*
 * The feed of a table: what was written last is last.  Those with numbers above
 * "after", up to "until", as a snapshot sees them; a record lives until the
 * next call.
 */
typedef struct RegionFed
{
	int64		number;
	RegionVersion version;
	bool		deleted;
	const Item *keys;
} RegionFed;

typedef struct RegionFeed RegionFeed;

extern RegionFeed *region_feed_begin(const TableDef *def, int64 after,
									 int64 until, Snapshot snapshot);
extern const RegionFed *region_feed_next(RegionFeed *feed);
extern void region_feed_end(RegionFeed *feed);

extern int64 region_sweep(int limit);

/*
 * region_stable.c: tombstones that may go
 */
extern List *region_global_tables(void);	/* OIDs; region_replica.c */
extern void region_lock_rows(Oid relid);	/* as that file says */
extern bool region_lock_rows_now(Oid relid);
extern void region_stable_told(Oid relid, const char *region, int64 time,
							   const char *members);
extern int64 region_stable_claim(const TableDef *def, const char **members);
extern void region_stable_advance(const TableDef *def, int64 last);
extern int64 region_stable_trim(const TableDef *def, int64 limit);
extern bool region_is_dead(const TableDef *def, const RegionVersion *version,
						   RegionVersion *answer);

/*
 * region_conflict.c: logs of conflicts
 */
typedef struct RegionSide
{
	RegionVersion version;
	const Item *item;			/* NULL: it was deleted */
} RegionSide;

/*
 * Have the conflicts of a table logged, and kept for so many days, no more than so
 * many of them; 0 days: no longer, and those that there are go.  For the
 * table's owner.  Raises ResourceNotFoundException and PostgreSQL's errors.
 */
extern void region_log_conflicts(const char *table, int days, int entries);

extern bool region_logs_conflicts(Oid relid);
extern void region_conflict(const TableDef *def, const Item *keys,
							const RegionSide *lost, const RegionSide *won);
extern void region_limit_conflicts(Oid relid);
extern int64 region_trim_conflicts(int64 limit);

#endif							/* DYNAMO_REGION_H */
