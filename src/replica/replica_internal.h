/*-------------------------------------------------------------------------
 *
 * replica_internal.h
 *	  What the files of replicas share: records as they are sent.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_REPLICA_INTERNAL_H
#define DYNAMO_REPLICA_INTERNAL_H

#include "postgres.h"

#include "item/item.h"
#include "lib/stringinfo.h"
#include "region/region.h"
#include "replica/replica.h"

/* One change, as it is sent. */
typedef struct ReplicaRecord
{
	int64		number;			/* the sender's */
	RegionVersion version;
	bool		deleted;
	const Item *item;			/* of a deletion: the key */
} ReplicaRecord;

/*
 * Bytes of a batch, and of one more item.  That is up to five times as long as the
 * service says: a string that is empty counts one byte in a list, and a set of it
 * takes five.
 */
#define REPLICA_MAX_BATCH	(1024 * 1024)
#define REPLICA_MAX_RECORDS \
	(REPLICA_MAX_BATCH + 5 * DYNAMO_MAX_ITEM_SIZE + 1024)

/*
 * replica_peer.c: how to reach a region
 */
#define REPLICA_MAX_VALUES	8

struct pg_result;
extern struct pg_result *replica_ask(const ReplicaRoute *route,
									 const char *query, int nvalues,
									 const char *const *values,
									 const int *lengths, char *failure);
extern bool replica_ask_begin(const ReplicaRoute *route, const char *query,
							  int nvalues, const char *const *values,
							  const int *lengths, char *failure);
extern struct pg_result *replica_ask_end(const ReplicaRoute *route,
										 char *failure);
extern bool replica_refused(const char *sqlstate);

/* replica_apply.c: where a region is whose versions come here, and which it is */
extern int64 replica_seen(Oid relid, const char *region, char **incarnation);

/* replica_copy.c: in a transaction of the background */
extern bool replica_copy_page(const TableDef *def);

/* ... an item has a version, and is not there for the owner */
extern void replica_refuse_missing(const TableDef *def)
			pg_attribute_noreturn();

/* replica_record.c */
extern void replica_record_begin(StringInfo records);
extern void replica_record_append(StringInfo records,
								  const ReplicaRecord *record);
extern List *replica_record_read(bytea *records);	/* of ReplicaRecord * */

#endif							/* DYNAMO_REPLICA_INTERNAL_H */
