/*-------------------------------------------------------------------------
 *
 * control_stream_name.c
 *	  Names of streams, shards, records and positions, as clients see them.
 *
 * All of them are computed, none is kept, so they are the same in every
 * backend and after every restart:
 *
 *		stream		arn:aws:dynamodb:<region>:<account>:table/<table>/stream/<label>
 *		shard		shardId-<20 digits>-<8 hex digits>
 *		record		a sequence number: 1, then 20 digits
 *		event		32 hex digits
 *		iterator	<stream>|1|<base64 of: shard|sequence number|milliseconds>
 *
 * The digits of a shard are the milliseconds of the stream's creation plus its
 * own number, so that shards sort as they are numbered and those of a later
 * stream behind those of an earlier one; the hex digits tell apart what two
 * tables began in the same millisecond.  Consumers compare sequence numbers as
 * big integers, of which theirs has 21 digits or more.
 *
 * An iterator says where to go on and when it was made.  It is no secret: an
 * invented one reads only what its user may read anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "datatype/timestamp.h"
#include "utils/timestamp.h"

#define SHARD_PREFIX		"shardId-"
#define SHARD_LENGTH		37
#define TIME_LENGTH			20

/* The greatest of dynamo_internal.stream_sequence. */
#define MAX_NUMBER			INT64CONST(0xFFFFFFFFFFFF)

#define NUMBER_DIGITS		(CONTROL_SEQUENCE_LENGTH - 1)

static bool read_digits(const char *text, int len, int64 *number);
static uint64 stream_hash(const StreamDef *stream, const char *more);

char *
control_shard_id(const StreamDef *stream, int shard)
{
	return psprintf(SHARD_PREFIX "%020lld-%08x",
					(long long) (control_milliseconds(stream->created_at) + shard),
					(uint32) stream_hash(stream, psprintf("shard%d", shard)));
}

/*
 * The number of a shard; -1: the stream has none of that name.
 */
int
control_find_shard(const StreamDef *stream, const char *shard_id)
{
	for (int i = 0; i < stream->nshards; i++)
	{
		if (strcmp(control_shard_id(stream, i), shard_id) == 0)
			return i;
	}
	return -1;
}

char *
control_sequence_number(int64 number)
{
	return psprintf("1%020lld", (long long) number);
}

/*
 * Read a sequence number of any length.  One that is less than all of ours
 * becomes CONTROL_BEFORE_ALL; false: it is no number, or greater than all of
 * ours.
 */
bool
control_read_sequence_number(const char *text, int64 *number)
{
	size_t		len = strlen(text);

	if (strspn(text, "0123456789") != len)
		return false;
	while (len > CONTROL_SEQUENCE_LENGTH && *text == '0')
	{
		text++;
		len--;
	}
	if (len > CONTROL_SEQUENCE_LENGTH || (len == CONTROL_SEQUENCE_LENGTH && *text > '1'))
		return false;
	if (len < CONTROL_SEQUENCE_LENGTH || *text == '0')
	{
		*number = CONTROL_BEFORE_ALL;
		return true;
	}
	return read_digits(text + 1, NUMBER_DIGITS, number) &&
		*number <= MAX_NUMBER;
}

/* Exactly "len" digits, as a number within int64. */
static bool
read_digits(const char *text, int len, int64 *number)
{
	*number = 0;
	for (int i = 0; i < len; i++)
	{
		if (text[i] < '0' || text[i] > '9' ||
			*number > (PG_INT64_MAX - 9) / 10)
			return false;
		*number = *number * 10 + (text[i] - '0');
	}
	return true;
}

/*
 * An iterator that begins behind record number "after", made now.
 */
char *
control_iterator(const StreamDef *stream, int shard, int64 after)
{
	char	   *place = psprintf("%s|%s|%020lld", control_shard_id(stream, shard),
								 control_sequence_number(after),
								 (long long) control_milliseconds(GetCurrentTimestamp()));
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "%s|1|", wire_stream_arn(stream->table_name, stream->label));
	item_base64_append(&out, place, strlen(place));
	return out.data;
}

/*
 * Read an iterator.  False: it is none.  Whether there are such a stream and
 * shard is for the caller to find out.
 */
bool
control_read_iterator(const char *text, ControlIterator *iterator)
{
	const char *bar = strchr(text, '|');
	char	   *place;
	uint32		len;

	if (bar == NULL || strncmp(bar, "|1|", 3) != 0)
		return false;
	iterator->stream_arn = pnstrdup(text, bar - text);
	text = bar + 3;
	place = palloc(strlen(text) + 1);
	if (item_base64_decode(text, strlen(text), place, &len) != ITEM_BASE64_OK ||
		len != SHARD_LENGTH + 1 + CONTROL_SEQUENCE_LENGTH + 1 + TIME_LENGTH)
		return false;
	place[len] = '\0';
	if (strlen(place) != len || place[SHARD_LENGTH] != '|' ||
		place[len - TIME_LENGTH - 1] != '|')
		return false;

	place[SHARD_LENGTH] = '\0';
	place[len - TIME_LENGTH - 1] = '\0';
	iterator->shard_id = place;
	return control_read_sequence_number(place + SHARD_LENGTH + 1, &iterator->after) &&
		iterator->after != CONTROL_BEFORE_ALL &&
		read_digits(place + len - TIME_LENGTH, TIME_LENGTH,
					&iterator->created_at);
}

/*
 * The eventID of a record: 32 hex digits, the same for every reader.
 */
char *
control_event_id(const StreamDef *stream, int64 number)
{
	char	   *text = psprintf(INT64_FORMAT, number);

	return psprintf("%016llx%016llx",
					(unsigned long long) stream_hash(stream, psprintf("event%s", text)),
					(unsigned long long) stream_hash(stream, psprintf("record%s", text)));
}

/* A hash of a stream and something about it, the same for all time. */
static uint64
stream_hash(const StreamDef *stream, const char *more)
{
	char	   *name = psprintf("%s/%s/", stream->table_name, stream->label);
	ItemValue	first = item_string(name, strlen(name));
	ItemValue	second = item_string(more, strlen(more));

	return (uint64) item_key_hash(&first, &second);
}

/* A time as milliseconds since 1970. */
int64
control_milliseconds(TimestampTz time)
{
	return time / 1000 + (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
		SECS_PER_DAY * 1000;
}
