/*-------------------------------------------------------------------------
 *
 * handler_internal.h
 *	  What the files of this folder share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_HANDLER_INTERNAL_H
#define DYNAMO_HANDLER_INTERNAL_H

#include "postgres.h"

#include "codec/codec.h"
#include "control/control.h"
#include "engine/engine.h"
#include "handler/handler.h"
#include "item/item.h"
#include "wire/wire.h"

/* What STREAM_MAX_SHARDS and HANDLER_MAX_FACTOR allow. */
#define HANDLER_LANES	(STREAM_MAX_SHARDS * HANDLER_MAX_FACTOR)

/* handler_settings.c */
extern void handler_check_settings(const HandlerSettings *settings);
extern char *handler_settings_text(const HandlerSettings *settings);

/* handler_function.c */
extern void handler_check_function(Oid function, Oid owner);
extern Oid	handler_find_function(const StreamMapping *mapping);
extern char *handler_call(Oid function, const char *event);
extern char *handler_function_text(const StreamMapping *mapping);

/* handler_batch.c: records that a function gets in one call */
typedef struct HandlerBatch
{
	StringInfoData records;		/* events, with commas between them */
	int64	   *numbers;
	int			count;
	TimestampTz first_at;		/* when the first was written */
	TimestampTz last_at;
	int64		to;				/* the last number looked at */
	int64		looked;			/* records looked at */
	bool		complete;		/* no more will go into it */
	bool		expired;		/* its records are too old to be handled */
	bool		ended;			/* the stream has no more records */
} HandlerBatch;

extern void handler_read_batch(HandlerBatch *batch, const StreamDef *stream,
							   const StreamPosition *position,
							   const HandlerSettings *settings, int64 limit);
extern bool handler_in_lane(const StreamDef *stream, int factor, int lane,
							const StreamRecord *record);

/* handler_event.c */
extern char *handler_event(const HandlerBatch *batch);
extern char *handler_failure(const StreamMapping *mapping,
							 const StreamDef *stream, int shard,
							 const HandlerBatch *batch, int attempts);
extern int	handler_first_failed(const char *response,
								 const HandlerBatch *batch);

/* handler_dead_letter.c */
extern void handler_check_on_failure(Oid relid, Oid owner);
extern void handler_keep_failure(Oid relid, const char *message);

/* handler_list.c */
extern void handler_advance_one(const StreamMapping *mapping);

/* handler_position.c */
extern void handler_set_positions(int32 mapping, const StreamDef *stream,
								  int factor, HandlerStart start,
								  TimestampTz at, bool lost);

#endif							/* DYNAMO_HANDLER_INTERNAL_H */
