/*-------------------------------------------------------------------------
 *
 * stream_internal.h
 *	  What the files of streams share: columns of records, rows, and the names a
 *	  client knows streams, shards, records and positions by.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_STREAM_INTERNAL_H
#define DYNAMO_STREAM_INTERNAL_H

#include "postgres.h"

#include "journal/journal.h"
#include "policy/policy.h"
#include "region/region.h"
#include "stream/stream.h"

/* Prefix of a text of the service. */
#define STREAM_NOT_FOUND	"Requested resource not found: "

/* Citus' number of the coordinator's group. */
#define STREAM_COORDINATOR	0

/* stream_row.c: rows of dynamo.streams */
extern void stream_row_insert(const TableDef *table, char view);
extern void stream_row_end(Oid relid);
extern const StreamDef *stream_row_latest(const TableDef *def);
extern void stream_row_dropped(Oid relid, Oid owner);
extern void stream_row_init(void);

/* stream_mapping.c */
extern void stream_mapping_dropped(Oid relid);

/* Columns of a record. */
#define STREAM_NUMBER		1
#define STREAM_CREATED		2
#define STREAM_ID			3
#define STREAM_SHARD		4
#define STREAM_EVENT		5
#define STREAM_SERVICE		6
#define STREAM_KEYS			7
#define STREAM_OLD			8
#define STREAM_NEW			9
#define STREAM_NATTS		9

#define STREAM_RETENTION	(24 * USECS_PER_HOUR)

/* A record's number is drawn at most so long after its time. */
#define STREAM_SLACK		(10 * USECS_PER_SEC)

/* Columns of a piece's index. */
#define STREAM_INDEX_ID		1
#define STREAM_INDEX_SHARD	2
#define STREAM_INDEX_NUMBER 3

extern int	stream_shard_of(const StreamDef *stream,
								const ItemPartitionKey *key);
extern Item *stream_keys(const StreamDef *stream, const Item *item);
extern const MetaRing stream_ring;

/* stream_feed.c */
extern void stream_feed_write(const TableDef *def, const Item *item,
							  bool deleted, RegionStamp stamp);

/* stream_claim.c */
extern void stream_claim_init(void);
extern int64 stream_claim(const StreamDef *stream);
extern void stream_claim_reach(const StreamDef *stream, int64 number);
extern int64 stream_least_claim(const StreamDef *stream, int *pid);

/* Where a reader of a shard goes on: behind record number "after". */
typedef struct StreamIterator
{
	const char *stream_arn;
	const char *shard_id;
	const char *number;			/* "after", as text */
	int64		after;			/* set when the shard is known */
	int64		end;			/* of a closed shard; 0: not known */
	int64		created_at;		/* milliseconds since 1970 */
} StreamIterator;

/* GetShardIterator */
typedef struct StreamIteratorRequest
{
	const char *arn;
	const char *shard_id;
	int			type;
	const char *sequence_number;
	json_t	   *timestamp;
} StreamIteratorRequest;

/* GetRecords */
typedef struct StreamRecordsRequest
{
	const char *iterator;
	WireInteger limit;
} StreamRecordsRequest;

/* Sequence numbers have 21 digits, the first is a 1. */
#define STREAM_SEQUENCE_LENGTH		21

/* What stream_read_sequence_number() makes of a number less than any of ours. */
#define STREAM_BEFORE_ALL			INT64CONST(-1)

/* stream_describe.c */
extern const WireShape stream_arn_shape;
extern const WireShape stream_shard_id_shape;
extern const StreamDef *stream_named(const char *arn,
									 const char *action);

extern bool stream_leave(DynamoRequest *request, int32 group);

/* stream_name.c */
extern int	stream_find_shard(const StreamDef *stream, const char *shard_id);
extern char *stream_place_id(int32 place, int32 group);
extern bool stream_read_place_id(const char *shard_id, int32 *place,
								 int32 *group);
extern char *stream_record_number(const StreamDef *stream, int shard,
								  int64 number);
extern char *stream_last_record_number(const StreamDef *stream, int shard);
extern bool stream_read_record_number(const StreamDef *stream, int shard,
									  const char *text, int64 *number);
extern char *stream_iterator(const StreamDef *stream, const char *shard_id,
							 int shard, int64 after, int64 end);
extern bool stream_read_iterator(const char *text, StreamIterator *iterator);
extern char *stream_event_id(const StreamDef *stream, int shard,
							 int64 number);

/* stream_record.c */
extern void stream_append_record(StringInfo out, const StreamDef *stream,
								 const StreamRecord *record, Size *size);

#endif							/* DYNAMO_STREAM_INTERNAL_H */
