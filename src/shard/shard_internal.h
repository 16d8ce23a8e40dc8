/*-------------------------------------------------------------------------
 *
 * shard_internal.h
 *	  What the files of this folder share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SHARD_INTERNAL_H
#define DYNAMO_SHARD_INTERNAL_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "libpq-fe.h"
#include "schema/schema_row.h"
#include "shard/shard.h"

/* shard_citus.c */
extern bool shard_has_citus(void);
extern bool shard_may_have_citus(void);
extern Oid	shard_table(int64 shard, int32 *low, int32 *high);
extern int64 shard_placement_here(int64 shard);
extern bool shard_is_distributed(Oid relid);
extern bool shard_note_decision(int32 group, const char *name);
extern bool shard_lock_decisions(void);
extern bool shard_knows_recovery(void);

/* shard_stream.c: shards of streams of distributed tables */
extern void shard_lock(const TableDef *def, int lockmode);
extern void shard_lock_everywhere(const TableDef *def, int lockmode);
extern void shard_open_streams(const TableDef *def);

/* shard_place.c: rows of dynamo_internal.stream_shards */
typedef struct ShardPlace
{
	int32		stream;
	int32		place;
	int64		shard;
	int32		group;
	int32		low;
	int32		high;
	Oid			relation;
	TimestampTz opened_at;
	bool		committed;
} ShardPlace;

extern List *shard_places(int32 stream, int32 place);
extern void shard_place_insert(const ShardPlace *row);
extern Datum shard_places_text(int32 stream);
extern void shard_forget_places(TimestampTz followed_before,
								bool (*exists) (int32 stream));
extern bool shard_place_is_there(int32 place);

/* ... takes an OID that a query gives; "relids" is a List ** */
extern void shard_take_relid(HeapTuple row, TupleDesc desc, void *relids);

/* shard_missing.c */
extern void shard_check_missing(List *names);

/* shard_ask.c */
extern void shard_ask_rest(DynamoRequest *request, const char *query,
						   MetaTakeRow take, void *arg);

/* shard_answer.c: without a body the node does not answer */
typedef void (*ShardTakeAnswer) (const char *node, const char *body, int len,
								 void *arg);
extern void shard_ask_same(DynamoRequest *request, const char *operation,
						   ShardTakeAnswer take, void *arg);

/* shard_join.c */
extern bool shard_has_others(void);
extern bool shard_is_stranger(const char *host, int port);

/* shard_check.c */
extern void shard_check_newcomer(const char *host, int port, bool joins,
								 ShardFinding *take, void *arg);

/* shard_distribute.c */
extern void shard_distribute_init(void);
extern void shard_distribute_new(const char *name);

/* shard_map.c: OIDs of the shards on this node */
extern List *shard_all_here(const TableDef *def);

/* shard_copy.c */
extern bool shard_is_copied(void);

/* shard_nodes.c */
extern bool shard_prepare_nodes(void);

/* shard_owner.c */
extern Oid	shard_nodes(void);
extern Oid	shard_tokens(void);

/* shard_publish.c */
extern void shard_publish(Oid relid);
extern void shard_publish_removal(const char *name);

/* shard_size.c */
extern SchemaSize *shard_sizes(const TableDef *def);

/* shard_node.c: milliseconds that a session at a node waits for a lock */
#define SHARD_LOCK_WAIT	5000

/* shard_capture.c */
extern void shard_capture_init(void);

#endif							/* DYNAMO_SHARD_INTERNAL_H */
