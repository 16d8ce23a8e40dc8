/*-------------------------------------------------------------------------
 *
 * handler_lag.c
 *	  How far a mapping is behind.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"
#include "utils/timestamp.h"

/* Records of other lanes that are looked at. */
#define MAX_LOOKED	1000

static TimestampTz oldest_of(const StreamDef *stream,
							 const StreamPosition *position, int factor);

/*
 * Milliseconds since the oldest change that is still to be handled was made,
 * -1 if there is none, or no such mapping.  A change that the filters leave
 * out counts until it has been looked at.
 */
int64
handler_lag(int32 id)
{
	const StreamMapping *mapping = stream_mapping_read(id);
	const StreamDef *stream = mapping ? stream_by_id(mapping->stream) :
		NULL;
	HandlerSettings settings;
	TimestampTz oldest = DT_NOEND;
	ListCell   *lc;

	if (stream == NULL)
		return -1;
	handler_read_settings(mapping, &settings);
	foreach(lc, stream_position_list(id))
		oldest = Min(oldest, oldest_of(stream, lfirst(lc), settings.factor));
	return oldest == DT_NOEND ? -1 :
		Max(TimestampDifferenceMilliseconds(oldest, GetCurrentTimestamp()), 0);
}

int64
handler_largest_lag(void)
{
	int64		largest = -1;
	ListCell   *lc;

	foreach(lc, stream_mapping_list())
	{
		const StreamMapping *mapping = lfirst(lc);

		if (mapping->enabled)
			largest = Max(largest, handler_lag(mapping->id));
	}
	return largest;
}

static TimestampTz
oldest_of(const StreamDef *stream, const StreamPosition *position, int factor)
{
	StreamReader *reader =
		stream_begin(stream, position->lane / factor,
				 Max(position->number,
					 stream_trimmed(stream)));
	TimestampTz oldest = DT_NOEND;
	const StreamRecord *record;

	for (int i = 0; i < MAX_LOOKED; i++)
	{
		record = stream_next(reader);
		if (record == NULL)
			break;
		if (handler_in_lane(stream, factor, position->lane % factor, record))
		{
			oldest = record->created_at;
			break;
		}
	}
	stream_end(reader);
	return oldest;
}
