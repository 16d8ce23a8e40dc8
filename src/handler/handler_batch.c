/*-------------------------------------------------------------------------
 *
 * handler_batch.c
 *	  Reading the records that a function gets in one call.
 *
 * A batch begins behind the lane's position.  It holds the records of the lane
 * that pass the filters, in order, up to the batch size or the size of a
 * payload.  A batch that is tried again ends where it ended before.
 *
 * The reader is closed before the function is called.  Otherwise a function
 * that takes its time would keep the ring of records from being trimmed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"
#include "utils/memutils.h"

/* Records looked at for one batch: those that do not pass take time, too. */
#define MAX_LOOKED	20000
#define MAX_LOOKED_BYTES	(64 * 1024 * 1024)

/* A lane without records follows those of the others after so long. */
#define MAX_BEHIND	USECS_PER_HOUR

static bool is_left_behind(const StreamDef *stream, int64 after);
static int	add_record(HandlerBatch *batch, const StreamDef *stream,
					   const StreamRecord *record, List *patterns);
static bool passes(List *patterns, const char *text, int len);
static bool is_old(const StreamRecord *record,
				   const HandlerSettings *settings, TimestampTz now);

/*
 * Read the next batch of a lane; no records after number "limit", if it is not
 * 0.
 */
void
handler_read_batch(HandlerBatch *batch, const StreamDef *stream,
				   const StreamPosition *position,
				   const HandlerSettings *settings, int64 limit)
{
	List	   *patterns = handler_load_filters(settings->filter);
	TimestampTz now = GetCurrentTimestamp();
	int			most = position->batch_limit > 0 ?
		Min(position->batch_limit, settings->batch_size) :
		settings->batch_size;
	int64		end = position->batch_end > 0 ? position->batch_end : limit;
	StreamReader *reader;
	const StreamRecord *record = NULL;
	int64		bytes = 0;

	memset(batch, 0, sizeof(*batch));
	initStringInfo(&batch->records);
	batch->numbers = palloc(most * sizeof(int64));
	batch->to = position->number;
	reader = stream_begin(stream, position->lane / settings->factor,
						  position->number);
	while (!batch->complete)
	{
		record = stream_next(reader);
		if (record == NULL || (end > 0 && record->number > end))
			break;
		if (handler_in_lane(stream, settings->factor,
							position->lane % settings->factor, record))
		{
			bool		old = is_old(record, settings, now);

			if (batch->count > 0 && old != batch->expired)
			{
				batch->complete = true;
				break;
			}
			batch->expired = old;
			bytes += add_record(batch, stream, record, patterns);
		}
		batch->to = record->number;
		batch->looked++;
		batch->complete |= batch->count == most ||
			batch->records.len >= HANDLER_MAX_PAYLOAD ||
			batch->looked == MAX_LOOKED || bytes >= MAX_LOOKED_BYTES;
	}
	if (record == NULL && stream->end_number != 0 &&
		position->batch_end == 0 &&
		stream_position(reader) >= stream->end_number)
	{
		batch->ended = true;
		batch->to = stream_position(reader);
	}
	else if (record == NULL && batch->count == 0 && position->batch_end == 0 &&
			 is_left_behind(stream, batch->to))
		batch->to = stream_position(reader);
	batch->complete |= batch->ended || position->batch_end > 0;
	stream_end(reader);
}

/*
 * Are records of other shards behind this number old?  What is trimmed is known of
 * the stream alone: they would pass for records that this shard has lost.
 */
static bool
is_left_behind(const StreamDef *stream, int64 after)
{
	StreamReader *reader;
	const StreamRecord *record;
	bool		behind;

	if (stream->nshards == 1)
		return false;
	reader = stream_begin(stream, -1, after);
	record = stream_next(reader);
	behind = record != NULL &&
		record->created_at < GetCurrentTimestamp() - MAX_BEHIND;
	stream_end(reader);
	return behind;
}

/*
 * Is a record of a shard in that lane of it?  A shard is a range of hashes
 * (shard_of() in stream_append.c), and a lane an equal part of that range.
 */
bool
handler_in_lane(const StreamDef *stream, int factor, int lane,
				const StreamRecord *record)
{
	ItemValue	value;
	uint64		within;

	if (factor == 1)
		return true;
	if (!key_attr_value(record->keys, &stream->hash, &value))
		return lane == 0;
	within = (item_partition_key_hash(item_partition_key(&value, 1)) >> 32) *
		stream->nshards;
	return (int) (((within & PG_UINT32_MAX) * factor) >> 32) == lane;
}

/*
 * Add a record if it passes the filters.  Returns how many bytes were looked
 * at.
 */
static int
add_record(HandlerBatch *batch, const StreamDef *stream,
		   const StreamRecord *record, List *patterns)
{
	int			len = batch->records.len;
	int			looked;
	int			start;

	if (batch->count > 0)
		appendStringInfoChar(&batch->records, ',');
	start = batch->records.len;
	stream_append_event(&batch->records, stream, record);
	looked = batch->records.len - start;
	if (!passes(patterns, batch->records.data + start, looked))
	{
		batch->records.len = len;
		batch->records.data[len] = '\0';
		return looked;
	}
	if (batch->count == 0)
		batch->first_at = record->created_at;
	batch->last_at = record->created_at;
	batch->numbers[batch->count++] = record->number;
	return looked;
}

static bool
passes(List *patterns, const char *text, int len)
{
	MemoryContext context;
	MemoryContext old;
	json_error_t error;
	bool		pass;

	if (patterns == NIL)
		return true;
	context = AllocSetContextCreate(CurrentMemoryContext,
									"dynamo filtered record",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	pass = handler_matches(patterns, codec_load(text, len, &error));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return pass;
}

static bool
is_old(const StreamRecord *record, const HandlerSettings *settings,
	   TimestampTz now)
{
	return settings->max_age > 0 &&
		record->created_at < now - settings->max_age * USECS_PER_SEC;
}
