/*-------------------------------------------------------------------------
 *
 * api_stream_name.c
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
 * An iterator says where to go on and when it was made.  It is no secret and
 * no token: whoever makes one up may read what he might have read anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_stream.h"
#include "api/api_table.h"
#include "datatype/timestamp.h"
#include "utils/timestamp.h"

#define SHARD_PREFIX		"shardId-"
#define SHARD_LENGTH		37
#define TIME_LENGTH			20
#define MAX_NUMBER			INT64CONST(0xFFFFFFFFFFFF)	/* of dynamo.stream_sequence */
#define NUMBER_DIGITS		(API_SEQUENCE_LENGTH - 1)

static bool is_table_name(const char *text);
static bool is_label(const char *text);
static bool read_digits(const char *text, int len, int64 *number);
static uint64 stream_hash(const StreamDef *stream, const char *more);

char *
api_stream_arn(const StreamDef *stream)
{
	return psprintf("%s/stream/%s", api_table_arn(stream->table_name),
					stream->label);
}

/*
 * Take an ARN apart.  False: it is not the ARN of a stream, of whomever.
 */
bool
api_parse_stream_arn(const char *arn, ApiStreamName *name)
{
	char	   *rest = pstrdup(arn);
	char	   *part[5];
	char	   *table;
	char	   *stream;

	for (int i = 0; i < lengthof(part); i++)
		part[i] = strsep(&rest, ":");
	if (rest == NULL || strcmp(part[0], "arn") != 0 ||
		strcmp(part[2], "dynamodb") != 0 || strncmp(rest, "table/", 6) != 0)
		return false;
	table = rest + 6;
	stream = strchr(table, '/');
	if (stream == NULL || strncmp(stream, "/stream/", 8) != 0 ||
		!is_label(stream + 8))
		return false;
	*stream = '\0';
	if (!is_table_name(table))
		return false;

	name->table = table;
	name->label = stream + 8;
	name->ours = strcmp(part[1], "aws") == 0 &&
		strcmp(part[3], api_region) == 0 &&
		strcmp(part[4], api_account_id) == 0;
	return true;
}

/* Has "text" the characters and the length of a table's name? */
static bool
is_table_name(const char *text)
{
	static const char allowed[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	size_t		len = strlen(text);

	return len >= SCHEMA_MIN_NAME && len <= SCHEMA_MAX_NAME &&
		strspn(text, allowed) == len;
}

/* A label is a time, 2015-05-11T21:21:33.291. */
static bool
is_label(const char *text)
{
	static const char model[] = "0000-00-00T00:00:00.000";

	for (int i = 0; i < lengthof(model); i++)
	{
		bool		good = model[i] == '0' ?
			text[i] >= '0' && text[i] <= '9' : text[i] == model[i];

		if (!good)
			return false;
	}
	return true;
}

char *
api_shard_id(const StreamDef *stream, int shard)
{
	return psprintf(SHARD_PREFIX "%020lld-%08x",
					(long long) (api_milliseconds(stream->created_at) + shard),
					(uint32) stream_hash(stream, psprintf("shard%d", shard)));
}

/*
 * The number of a shard; -1: the stream has none of that name.
 */
int
api_find_shard(const StreamDef *stream, const char *shard_id)
{
	for (int i = 0; i < stream->nshards; i++)
	{
		if (strcmp(api_shard_id(stream, i), shard_id) == 0)
			return i;
	}
	return -1;
}

char *
api_sequence_number(int64 number)
{
	return psprintf("1%020lld", (long long) number);
}

/*
 * Read a sequence number of any length.  One that is less than all of ours
 * becomes API_BEFORE_ALL; false: it is no number, or greater than all of ours.
 */
bool
api_read_sequence_number(const char *text, int64 *number)
{
	size_t		len = strlen(text);

	if (strspn(text, "0123456789") != len)
		return false;
	while (len > API_SEQUENCE_LENGTH && *text == '0')
	{
		text++;
		len--;
	}
	if (len > API_SEQUENCE_LENGTH || (len == API_SEQUENCE_LENGTH && *text > '1'))
		return false;
	if (len < API_SEQUENCE_LENGTH || *text == '0')
	{
		*number = API_BEFORE_ALL;
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
api_iterator(const StreamDef *stream, int shard, int64 after)
{
	char	   *place = psprintf("%s|%s|%020lld", api_shard_id(stream, shard),
								 api_sequence_number(after),
								 (long long) api_milliseconds(GetCurrentTimestamp()));
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "%s|1|", api_stream_arn(stream));
	item_base64_append(&out, place, strlen(place));
	return out.data;
}

/*
 * Read an iterator.  False: it is none.  Whether there are such a stream and
 * shard is for the caller to find out.
 */
bool
api_read_iterator(const char *text, ApiIterator *iterator)
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
		len != SHARD_LENGTH + 1 + API_SEQUENCE_LENGTH + 1 + TIME_LENGTH)
		return false;
	place[len] = '\0';
	if (strlen(place) != len || place[SHARD_LENGTH] != '|' ||
		place[len - TIME_LENGTH - 1] != '|')
		return false;

	place[SHARD_LENGTH] = '\0';
	place[len - TIME_LENGTH - 1] = '\0';
	iterator->shard_id = place;
	return api_read_sequence_number(place + SHARD_LENGTH + 1, &iterator->after) &&
		iterator->after != API_BEFORE_ALL &&
		read_digits(place + len - TIME_LENGTH, TIME_LENGTH,
					&iterator->created_at);
}

/*
 * The eventID of a record: 32 hex digits, the same whoever reads it.
 */
char *
api_event_id(const StreamDef *stream, int64 number)
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
api_milliseconds(TimestampTz time)
{
	return time / 1000 + (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
		SECS_PER_DAY * 1000;
}
