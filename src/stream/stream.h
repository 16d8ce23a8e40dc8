/*-------------------------------------------------------------------------
 *
 * stream.h
 *	  Streams of tables, and the mappings that have functions called with their
 *	  records.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_STREAM_H
#define DYNAMO_STREAM_H

#include "postgres.h"

#include "base/base_request.h"
#include "executor/tuptable.h"
#include "expr/expr.h"
#include "item/item.h"
#include "key/key.h"
#include "meta/meta.h"
#include "schema/schema.h"
#include "utils/timestamp.h"
#include "wire/wire.h"

extern void stream_init(void);

/*
 * stream_enable.c
 *
 * What these return lives in the current context.  view is 'K', 'N', 'O' or
 * 'B'.  A stream is listed for 24 hours after it was disabled, also when its
 * table is gone; "latest" is the one enabled, or if there is none the last
 * disabled, of the table that has the name now.
 */
#define STREAM_LABEL		24	/* bytes, with the NUL */
#define STREAM_PIECES	8
#define STREAM_MAX_SHARDS		64

/* Raises ValidationException and ResourceNotFoundException */
extern void stream_enable(const char *table, char view);
extern void stream_disable(const char *table);	/* same */
extern const StreamDef *stream_find(const char *table,
									const char *label);
extern const StreamDef *stream_latest(const char *table);
extern List *stream_list(const char *table, const char *after_table,
						 const char *after_label,
						 bool (*listed) (const StreamDef *stream),
						 int limit);	/* of StreamDef *, by table and label */
extern int64 stream_row_trimmed(const StreamDef *stream);	/* as of now */
extern bool stream_lock_all(void);	/* against all changes; false: busy */
extern void stream_row_set_trimmed(int32 id, int64 number);
extern void stream_forget(TimestampTz disabled_before,
						  TimestampTz followed_before);
extern int64 stream_last_number(bool to_draw);
extern int64 stream_draw_number(void);
extern Oid	stream_sequence_oid(void);
extern const StreamDef *stream_by_id(int32 id); /* NULL: none */

/* The first stream of a relation that began after that number; or NULL */
extern const StreamDef *stream_following(Oid relid, int64 start_number);

/*
 * Shards of the stream of a distributed table.  Each is
 * the time that one of Citus' shards is on one node.
 */
typedef struct StreamShard
{
	int32		place;			/* grows with each move and split */
	int32		parent;			/* its place; 0: none is known */
	int32		group;			/* its node's */
	int32		low;			/* hashes of partition keys */
	int32		high;
	TimestampTz opened_at;
	bool		closed;			/* nothing is written there any more */
} StreamShard;

/*
 * What a layer above knows of streams of distributed tables, given when it
 * initializes.
 */
typedef struct StreamCluster
{
	bool		(*is_coordinator) (void);
	int32		(*node_group) (void);	/* this node's */
	bool		(*find_node) (int32 group, const char **host, int *port);
	List	   *(*shards) (const StreamDef *stream);	/* of StreamShard * */
	bool		(*is_open) (const StreamDef *stream, int32 place, bool *known);
	void		(*lock) (const TableDef *def, int lockmode);	/* on all nodes */
	void		(*open) (const TableDef *def);	/* the table's new stream */
	void		(*forget) (TimestampTz followed_before,
						   bool (*exists) (int32 stream));
} StreamCluster;

extern StreamCluster stream_cluster;

/*
 * stream_privilege.c: may the user know of the stream?  Those with an "action",
 * an operation of the API, raise AccessDeniedException in its name.
 */
extern bool stream_may_use(const StreamDef *stream);
extern const StreamDef *stream_look_for(const WireStreamName *name,
										const char *action);

/* May the user read the stream? */
extern void stream_check_read(const StreamDef *stream, const char *action);

/* stream_capture.c: what has changed in a table, recorded */
extern Oid	stream_capture_serve(Oid relid);
extern bool stream_capture_triggers(Relation rel, bool *fire);
extern void stream_capture_check_triggers(Relation rel);
extern const Item *stream_capture_item(const TableDef *def,
									   TupleTableSlot *slot, TableKey *key);
extern void stream_capture_change(const TableDef *def,
								  const ItemPartitionKey *key,
								  const Item *old_item, const Item *new_item,
								  bool service);

/* stream_feed.c: the feed of a global table */
extern bool stream_feed_bury(const TableDef *def, const Item *keys,
							 bool anyway);
extern int64 stream_feed_horizon(const TableDef *def, int64 last,
								 int64 *stuck);
extern int64 stream_feed_last(const TableDef *def);
extern void stream_feed_first(const TableDef *def, const Item *item);

/*
 * stream_read.c
 *
 * Records of a stream, in the order of their numbers.  A reader sees those
 * with after < number <= horizon, where everything up to the horizon is
 * committed, rolled back or not this stream's; what commits later has a
 * greater number.  So a consumer that goes on from stream_position()
 * misses nothing and sees nothing twice.
 */
typedef struct StreamRecord
{
	int64		number;
	int			shard;			/* from 0 */
	TimestampTz created_at;
	char		event;			/* 'I', 'M', 'R' */
	bool		service;		/* deleted because it had expired */
	const Item *keys;			/* always there */
	const Item *old_image;		/* NULL: not in this event, or view */
	const Item *new_image;
} StreamRecord;

typedef struct StreamReader StreamReader;

/* Numbers of records */
typedef struct StreamLag
{
	int64		last;			/* drawn */
	int64		horizon;		/* readers go no further */
	int			pid;			/* the oldest writer; 0: none, or prepared */
	TransactionId xid;			/* its transaction */
} StreamLag;

extern bool stream_lag(const StreamDef *stream, StreamLag *lag);

/* The horizon now: where LATEST is. */
extern int64 stream_horizon(const StreamDef *stream);

/* The last number that was drawn. */
extern int64 stream_last(void);

/*
 * The greatest number of a trimmed record, start_number if there is none.  A
 * consumer that goes on after a lesser one has missed something
 * (TrimmedDataAccessException).
 */
extern int64 stream_trimmed(const StreamDef *stream);

/*
 * The position before the first record of a shard with a time >= "when": no
 * record up to there has one.  The horizon, if no record has one yet.
 */
extern int64 stream_before(const StreamDef *stream, int shard,
						   TimestampTz when);

/* shard -1: all of them.  A record lives until the next call. */

/* As "after": begin with the oldest record */
#define STREAM_OLDEST	INT64CONST(-1)
extern StreamReader *stream_begin(const StreamDef *stream,
								  int shard, int64 after);

/* The next record; NULL at the horizon */
extern const StreamRecord *stream_next(StreamReader *reader);

/*
 * Where to go on: the last record's number, or the horizon once next() has
 * returned NULL.  A disabled stream ends where this is >= its end_number.
 */
extern int64 stream_position(const StreamReader *reader);
extern void stream_end(StreamReader *reader);

/* stream_trim.c: pieces truncated; call it in a transaction of its own */
extern int	stream_trim(TimestampTz now);

/* stream_append.c */
extern void stream_append(const TableDef *def, int shard,
						  const Item *old_item, const Item *new_item,
						  bool service);

/* The tables that records are kept in */
#define STREAM_PERIOD		(4 * USECS_PER_HOUR)
/* A shard that another followed is listed so long: what the ring may keep
 * beyond the retention, too. */
#define STREAM_SHARDS_KEPT	(36 * USECS_PER_HOUR)

/* stream_row.c */
extern const StreamDef *stream_of_relation(Oid relid);
extern bool stream_is_lost(const char *table);

/* stream_change.c */
extern void stream_check_new(json_t *specification);
extern void stream_check_change(json_t *specification);
extern void stream_check_state(json_t *specification, const TableDef *def);
extern void stream_change(json_t *specification, const char *table);
extern void stream_append_members(StringInfo out, const TableDef *def);

/* stream_describe.c */
extern const WireShape stream_list_streams_shape;
extern const WireShape stream_describe_stream_shape;
extern void stream_list_streams(DynamoRequest *request, StringInfo out);
extern void stream_describe_stream(DynamoRequest *request, StringInfo out);

/* stream_record.c */
extern const char *stream_view(char view);
extern void stream_append_event(StringInfo out, const StreamDef *stream,
								const StreamRecord *record);

/* stream_records.c */
extern const WireShape stream_get_shard_iterator_shape;
extern const WireShape stream_get_records_shape;
extern void stream_get_shard_iterator(DynamoRequest *request, StringInfo out);
extern void stream_get_records(DynamoRequest *request, StringInfo out);

/* stream_name.c: names that clients know shards and records by */
extern char *stream_shard_id(const StreamDef *stream, int shard);
extern char *stream_sequence_number(int64 number);
extern bool stream_read_sequence_number(const char *text, int64 *number);

/*
 * stream_mapping.c: event source mappings and how far they have come
 *
 * A mapping has a function called with the changes to a table.  Its shards
 * are divided into lanes, each with a position of its own.
 */
typedef struct StreamMapping
{
	int32		id;
	Oid			relid;			/* of the table */
	int32		stream;			/* that is being read */
	Oid			owner;			/* InvalidOid: role gone, or of another name */
	bool		orphan;			/* it is gone */
	char	   *owner_name;
	char	   *function_schema;
	char	   *function_name;
	bool		enabled;
	TimestampTz created_at;
	char	   *settings;		/* JSON object, read by a folder above */
	Oid			on_failure;		/* relation for what is given up, or
								 * InvalidOid */
} StreamMapping;

#define STREAM_MAX_RESULT	1000	/* bytes of a position's result */

typedef struct StreamPosition
{
	int32		mapping;
	int			lane;
	int64		number;			/* all up to it is done */
	int64		handled;		/* records, by the function */
	int64		discarded;		/* records given up */
	int64		batch_end;		/* last number of the batch being retried; 0:
								 * none is */
	int			batch_limit;	/* records of a batch while bisecting; 0: none */
	int			failures;		/* of the batch being retried */
	TimestampTz retry_at;		/* not before; 0: now */
	TimestampTz last_at;		/* of the last attempt; 0: there was none */
	char	   *result;			/* what came of it */
	TimestampTz lost_at;		/* when records were found trimmed; 0: never */
} StreamPosition;

extern int32 stream_mapping_insert(const StreamMapping *mapping);
extern const StreamMapping *stream_mapping_read(int32 id);	/* NULL: none */
extern List *stream_mapping_list(void); /* of StreamMapping *, by id */
extern void stream_mapping_update(const StreamMapping *mapping);
extern void stream_mapping_delete(int32 id);

/* Of one lane; of all lanes; false: "wait" is false and somebody has it */
extern bool stream_mapping_lock(int32 id, bool exclusive, bool wait);
extern bool stream_lane_lock(int32 id, int lane, bool wait);

extern StreamPosition *stream_position_read(int32 mapping, int lane);
extern List *stream_position_list(int32 mapping);	/* by lane */
extern void stream_position_insert(const StreamPosition *position);
extern void stream_position_update(const StreamPosition *position);
extern void stream_position_delete_all(int32 mapping);

#endif							/* DYNAMO_STREAM_H */
