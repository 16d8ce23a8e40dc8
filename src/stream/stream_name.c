/*-------------------------------------------------------------------------
 *
 * stream_name.c
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
 *					or, of a closed shard of a distributed table,
 *					<stream>|1|<base64 of: shard|sequence number|milliseconds|end>
 *
 * The digits of a shard are the milliseconds of the stream's creation plus its
 * own number, so that shards sort as they are numbered and those of a later
 * stream behind those of an earlier one; the hex digits tell apart what two
 * tables began in the same millisecond.  Consumers compare sequence numbers as
 * big integers, of which theirs has 21 digits or more.
 *
 * Of a distributed table, a shard of the stream is one place of a shard of
 * Citus' (../shard/shard_stream.c).  The digits are the number of the
 * place, and the hex digits that of the node.  So its name says where its
 * records are, and a child sorts behind its parent.  Numbers of records are
 * drawn by each node, so the place comes first in a sequence number: 1, then 10
 * digits, then 15.  Thus numbers of one item grow when it moves, too.
 *
 * An iterator says where to go on and when it was made.  It is no secret: an
 * invented one reads only what its user may read anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "stream/stream_internal.h"
#include "utils/timestamp.h"

#define SHARD_PREFIX		"shardId-"
#define SHARD_LENGTH		37
#define TIME_LENGTH			20

/* The greatest of dynamo_internal.stream_sequence. */
#define MAX_NUMBER			INT64CONST(0xFFFFFFFFFFFF)

#define NUMBER_DIGITS		(STREAM_SEQUENCE_LENGTH - 1)

/* A sequence number of a distributed table. */
#define PLACE_DIGITS		10
#define PLACED_DIGITS		15
#define PLACED_LENGTH		(1 + PLACE_DIGITS + PLACED_DIGITS)

static bool read_digits(const char *text, int len, int64 *number);
static uint64 stream_hash(const StreamDef *stream, const char *more);

char *
stream_shard_id(const StreamDef *stream, int shard)
{
	return psprintf(SHARD_PREFIX "%020lld-%08x",
					(long long) (wire_milliseconds(stream->created_at) + shard),
					(uint32) stream_hash(stream, psprintf("shard%d", shard)));
}

/*
 * The same for a distributed table.
 */
char *
stream_place_id(int32 place, int32 group)
{
	return psprintf(SHARD_PREFIX "%020d-%08x", place, (uint32) group);
}

/*
 * False: it is none.
 */
bool
stream_read_place_id(const char *shard_id, int32 *place, int32 *group)
{
	const char *digits = shard_id + strlen(SHARD_PREFIX);
	int64		number;
	char	   *end;

	if (strlen(shard_id) != SHARD_LENGTH ||
		strncmp(shard_id, SHARD_PREFIX, strlen(SHARD_PREFIX)) != 0 ||
		!read_digits(digits, 20, &number) || digits[20] != '-' ||
		number < 1 || number > PG_INT32_MAX ||
		strspn(digits + 21, "0123456789abcdef") != 8)
		return false;
	*place = (int32) number;
	*group = (int32) strtoul(digits + 21, &end, 16);
	return true;
}

/*
 * The number of a shard; -1: the stream has none of that name.
 */
int
stream_find_shard(const StreamDef *stream, const char *shard_id)
{
	for (int i = 0; i < stream->nshards; i++)
	{
		if (strcmp(stream_shard_id(stream, i), shard_id) == 0)
			return i;
	}
	return -1;
}

char *
stream_sequence_number(int64 number)
{
	return psprintf("1%020lld", (long long) number);
}

/*
 * That of a record of a shard, whatever the table.
 */
char *
stream_record_number(const StreamDef *stream, int shard, int64 number)
{
	if (stream->nshards != 0)
		return stream_sequence_number(number);
	return psprintf("1%0*d%0*lld", PLACE_DIGITS, shard, PLACED_DIGITS,
					(long long) number);
}

/*
 * The greatest that a record of it can have.
 */
char *
stream_last_record_number(const StreamDef *stream, int shard)
{
	return stream_record_number(stream, shard, MAX_NUMBER);
}

/*
 * The reverse, as stream_read_sequence_number(): "less" and "greater" than all
 * of that shard's.
 */
bool
stream_read_record_number(const StreamDef *stream, int shard,
						  const char *text, int64 *number)
{
	size_t		len = strlen(text);
	int64		place;

	if (stream->nshards != 0)
		return stream_read_sequence_number(text, number);
	if (strspn(text, "0123456789") != len)
		return false;
	for (; len > 1 && *text == '0'; len--)
		text++;
	if (len > PLACED_LENGTH || (len == PLACED_LENGTH && *text > '1'))
		return false;
	*number = STREAM_BEFORE_ALL;
	if (len < PLACED_LENGTH)
		return true;
	(void) read_digits(text + 1, PLACE_DIGITS, &place);
	if (place < shard)
		return true;
	return place == shard &&
		read_digits(text + 1 + PLACE_DIGITS, PLACED_DIGITS, number) &&
		*number <= MAX_NUMBER;
}

/*
 * Read a sequence number of any length.  One that is less than all of ours
 * becomes STREAM_BEFORE_ALL; false: it is no number, or greater than all of
 * ours.
 */
bool
stream_read_sequence_number(const char *text, int64 *number)
{
	size_t		len = strlen(text);

	if (strspn(text, "0123456789") != len)
		return false;
	while (len > STREAM_SEQUENCE_LENGTH && *text == '0')
	{
		text++;
		len--;
	}
	if (len > STREAM_SEQUENCE_LENGTH || (len == STREAM_SEQUENCE_LENGTH && *text > '1'))
		return false;
	if (len < STREAM_SEQUENCE_LENGTH || *text == '0')
	{
		*number = STREAM_BEFORE_ALL;
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
 * An iterator that begins behind record number "after" of a shard, made now.
 * "end" is the last number that the shard can have; 0: that is not known.
 */
char *
stream_iterator(const StreamDef *stream, const char *shard_id, int shard,
				int64 after, int64 end)
{
	StringInfoData place;
	StringInfoData out;

	initStringInfo(&place);
	appendStringInfo(&place, "%s|%s|%020lld", shard_id,
					 stream_record_number(stream, shard, after),
					 (long long) wire_milliseconds(GetCurrentTimestamp()));
	if (end != 0)
		appendStringInfo(&place, "|%020lld", (long long) end);
	initStringInfo(&out);
	appendStringInfo(&out, "%s|1|", wire_stream_arn(stream->table_name, stream->label));
	item_base64_append(&out, place.data, place.len);
	return out.data;
}

/*
 * Read an iterator.  False: it is none.  Whether there are such a stream and
 * shard is for the caller to find out, and what its number means.
 */
bool
stream_read_iterator(const char *text, StreamIterator *iterator)
{
	const char *bar = strchr(text, '|');
	char	   *place;
	char	   *parts[4] = {NULL};
	int			nparts = 0;
	uint32		len;

	if (bar == NULL || strncmp(bar, "|1|", 3) != 0)
		return false;
	iterator->stream_arn = pnstrdup(text, bar - text);
	text = bar + 3;
	place = palloc(strlen(text) + 1);
	if (item_base64_decode(text, strlen(text), place, &len) != ITEM_BASE64_OK)
		return false;
	place[len] = '\0';
	if (strlen(place) != len)
		return false;
	while (place != NULL && nparts < lengthof(parts))
		parts[nparts++] = strsep(&place, "|");
	if (place != NULL || nparts < 3 || strlen(parts[0]) != SHARD_LENGTH)
		return false;
	iterator->shard_id = parts[0];
	iterator->number = parts[1];
	iterator->end = 0;
	return strlen(parts[2]) == TIME_LENGTH &&
		read_digits(parts[2], TIME_LENGTH, &iterator->created_at) &&
		(nparts == 3 ||
		 (strlen(parts[3]) == TIME_LENGTH &&
		  read_digits(parts[3], TIME_LENGTH, &iterator->end)));
}

/*
 * The eventID of a record: 32 hex digits, the same for every reader.
 */
char *
stream_event_id(const StreamDef *stream, int shard, int64 number)
{
	char	   *text = stream->nshards != 0 ? psprintf(INT64_FORMAT, number) :
	stream_record_number(stream, shard, number);

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
