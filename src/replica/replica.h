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

#include "access/xlogdefs.h"
#include "lib/stringinfo.h"
#include "region/region.h"

extern void replica_init(void);

/* replica_apply.c: what a peer has sent, stored where it is newer */
typedef struct ReplicaBatch
{
	const char *table;
	const char *region;			/* the peer */
	const char *incarnation;	/* of its database */
	int64		after;			/* these are all of its versions above that */
	int64		position;		/* ... and up to there */
	bytea	   *records;		/* as replica_record.c has them */
	int64		seen;			/* when they were read, all versions of this
								 * region up to there had come to the peer */
	const char *seen_of;		/* ... which are of this incarnation */
} ReplicaBatch;

typedef struct ReplicaApplied
{
	int64		position;		/* all up to there is here */
	int64		applied;
	int64		discarded;		/* not newer than what was here */
	int64		held;			/* from the future: to be sent again */
} ReplicaApplied;

/*
 * Where the region "region" is to go on, which is of that incarnation: the
 * number of the last of its versions that is here, 0 for one not known.  It claims
 * that all members of the group have all of its versions up to the time "stable"
 * (../region/region_stable.c); 0: nothing new.  For the table's owner.  Raises
 * ResourceNotFoundException and PostgreSQL's errors.
 */
extern int64 replica_received(const char *table, const char *region,
							  const char *incarnation, int64 stable,
							  const char *members);

/*
 * A region lacks what it had, or what others had: it is sent all there is of the
 * table.  For the table's owner.  Raises what replica_received() does.
 */
extern void replica_resend(const char *table, const char *region);

/*
 * Store what is newer of a batch.  If what is up to "after" is not here, nothing is
 * stored.
 * For the table's owner.  In the transaction of the caller, which is rolled
 * back by any error: ResourceNotFoundException, ValidationException, 40001,
 * 40P01, 55P03, and what triggers and constraints raise.
 */
extern void replica_apply(const ReplicaBatch *batch, ReplicaApplied *result);

/*
 * Another region has left those that have the table, and may come again.
 */
extern void replica_forget(Oid relid, const char *region);

/*
 * These regions have been asked to take this one's table for a replica, which it may
 * have been before: they are sent all that is in it.
 */
extern void replica_rejoin(Oid relid, const List *members);

/*
 * A region leaves, and asks whether it has all that was written here when it asked
 * first; then it is a member no longer.  For the table's owner.
 */
extern bool replica_part(const char *table, const char *region);

/*
 * A region is lost for good: its replicas are forgotten.  What it had sent to some
 * of the others only, each of these sends to the rest.  For superusers.
 */
extern void replica_lose(const char *region);

/*
 * replica_send.c: a turn at a replica.  "link" is given; what is read lives in
 * the context of the first part.
 */
#define REPLICA_FAILURE		512

typedef struct ReplicaRoute
{
	char	   *conninfo;
	bool		password_required;
} ReplicaRoute;

/* Another region that has the table, beside the one that a turn is about. */
typedef struct ReplicaOther
{
	char	   *region;
	ReplicaRoute route;
} ReplicaOther;

typedef struct ReplicaTurn
{
	RegionLink	link;

	/* replica_send.c's */
	char	   *table;
	char	   *own;			/* this database's region */
	char	   *incarnation;
	ReplicaRoute route;
	char	   *definition;		/* for one that is to be made */
	const char *first_settings; /* ... all that regions share; or NULL */
	char	   *members;
	const char *settings;		/* all that regions share; NULL: as before */
	const char *merged;			/* ... what the peer has answered to it */
	List	   *others;			/* of ReplicaOther *: they are told of one
								 * that comes or goes */
	int64		after;			/* all up to there is sent */
	int64		position;		/* ... once this turn is done */
	StringInfoData records;
	int64		stable;			/* what this region claims, for whom */
	const char *members_of;
	int64		confirmed;		/* the peer says that it has all up to there */
	int64		seen;			/* as a ReplicaBatch has them */
	char	   *seen_of;
	XLogRecPtr	read_to;		/* what was read was logged before that */
	int64		nrecords;
	int64		held;
	TimestampTz sent_to;		/* all that was written until then is sent, if
								 * caught_up; 0: not known */

	/* out */
	bool		under_way;		/* the peer is storing what was sent */
	bool		more;			/* there is more to be done at once */
	bool		caught_up;
	bool		has_all;		/* ... and what it is sent of others' versions
								 * is complete */
	bool		left;			/* the replica is gone */
	bool		settled;		/* it knows this incarnation */
	bool		last;			/* all that is there is sent: then it has all
								 * that it is to have */
	bool		parting;		/* it has */
	bool		impossible;		/* there is another table of that name */
	bool		renewed;		/* all is to begin anew, in both directions */
	bool		told;			/* position is what the peer says that it has */
	char		failure[REPLICA_FAILURE];
} ReplicaTurn;

extern bool replica_turn_begin(ReplicaTurn *turn);
extern bool replica_turn_follows(const ReplicaTurn *turn);
extern bool replica_turn_exchange(ReplicaTurn *turn);
extern bool replica_turn_land(ReplicaTurn *turn);
extern void replica_turn_end(ReplicaTurn *turn);
extern void replica_turn_fail(ReplicaTurn *turn, const char *reason);

/* replica_trim.c */
extern bool replica_trim(void);

#endif							/* DYNAMO_REPLICA_H */
