/*-------------------------------------------------------------------------
 *
 * api_stream.h
 *	  What the files of the stream operations share: the names a client knows
 *	  streams, shards, records and positions by.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_STREAM_H
#define DYNAMO_API_STREAM_H

#include "postgres.h"

#include "api/api_internal.h"

/* A stream that a request names. */
typedef struct ApiStreamName
{
	const char *table;
	const char *label;
	bool		ours;			/* region and account are */
} ApiStreamName;

/* Where a reader of a shard goes on: behind record number "after". */
typedef struct ApiIterator
{
	const char *stream_arn;
	const char *shard_id;
	int64		after;
	int64		created_at;		/* milliseconds since 1970 */
} ApiIterator;

/* GetShardIterator */
typedef struct ApiIteratorRequest
{
	const char *arn;
	const char *shard_id;
	int			type;
	const char *sequence_number;
} ApiIteratorRequest;

/* GetRecords */
typedef struct ApiRecordsRequest
{
	const char *iterator;
	ApiInteger	limit;
} ApiRecordsRequest;

/* Sequence numbers have 21 digits, the first is a 1. */
#define API_SEQUENCE_LENGTH		21

/* What api_read_sequence_number() makes of a number less than any of ours. */
#define API_BEFORE_ALL			INT64CONST(-1)

/* api_stream.c */
extern const ApiShape api_stream_arn_shape;
extern const ApiShape api_shard_id_shape;
extern const StreamDef *api_find_stream(const char *arn);

/* api_stream_read.c */
extern const ApiShape api_get_shard_iterator_shape;
extern const ApiShape api_get_records_shape;
extern void api_get_shard_iterator(const void *request, StringInfo out);
extern void api_get_records(const void *request, StringInfo out);

/* api_stream_name.c */
extern char *api_stream_arn(const StreamDef *stream);
extern bool api_parse_stream_arn(const char *arn, ApiStreamName *name);
extern char *api_shard_id(const StreamDef *stream, int shard);
extern int	api_find_shard(const StreamDef *stream, const char *shard_id);
extern char *api_sequence_number(int64 number);
extern bool api_read_sequence_number(const char *text, int64 *number);
extern char *api_iterator(const StreamDef *stream, int shard, int64 after);
extern bool api_read_iterator(const char *text, ApiIterator *iterator);
extern char *api_event_id(const StreamDef *stream, int64 number);
extern int64 api_milliseconds(TimestampTz time);

/* api_stream_record.c */
extern const char *api_stream_view(char view);
extern void api_append_record(StringInfo out, const StreamDef *stream,
							  const EngineStreamRecord *record, Size *size);

#endif							/* DYNAMO_API_STREAM_H */
