/*-------------------------------------------------------------------------
 *
 * handler_position.c
 *	  Where a mapping begins to read a stream.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"
#include "utils/timestamp.h"

static int64 start_position(const StreamDef *stream, int shard,
							HandlerStart start, TimestampTz at);

/*
 * Begin to read a stream: one position for each lane.  "lost": something
 * before it was.
 */
void
handler_set_positions(int32 mapping, const StreamDef *stream, int factor,
					  HandlerStart start, TimestampTz at, bool lost)
{
	for (int shard = 0; shard < stream->nshards; shard++)
	{
		int64		number = start_position(stream, shard, start, at);

		for (int i = 0; i < factor; i++)
		{
			StreamPosition position = {0};

			position.mapping = mapping;
			position.lane = shard * factor + i;
			position.number = number;
			position.result = "No records processed";
			position.lost_at = lost ? GetCurrentTimestamp() : 0;
			stream_position_insert(&position);
		}
	}
}

static int64
start_position(const StreamDef *stream, int shard, HandlerStart start,
			   TimestampTz at)
{
	switch (start)
	{
		case HANDLER_LATEST:
			return Max(stream_horizon(stream), stream->start_number);
		case HANDLER_TRIM_HORIZON:
			return stream_trimmed(stream);
		case HANDLER_AT_TIMESTAMP:
			return stream_before(stream, shard, at);
	}
	pg_unreachable();
}
