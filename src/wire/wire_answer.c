/*-------------------------------------------------------------------------
 *
 * wire_answer.c
 *	  Writing a response: compact JSON, straight into a StringInfo.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "pgtime.h"
#include "wire/wire.h"

static int64 epoch(TimestampTz time);
static char *seconds_text(int64 us);

/*
 * Begin a member of the object that "out" ends in.
 */
void
wire_member(StringInfo out, const char *name)
{
	if (out->len > 0 && out->data[out->len - 1] != '{' &&
		out->data[out->len - 1] != '[')
		appendStringInfoChar(out, ',');
	wire_append_string(out, name);
	appendStringInfoChar(out, ':');
}

/*
 * Begin an element of the array that "out" ends in.
 */
void
wire_element(StringInfo out)
{
	if (out->len > 0 && out->data[out->len - 1] != '[')
		appendStringInfoChar(out, ',');
}

void
wire_append_string(StringInfo out, const char *text)
{
	codec_append_string(out, text, strlen(text));
}

void
wire_string_member(StringInfo out, const char *name, const char *text)
{
	wire_member(out, name);
	wire_append_string(out, text);
}

void
wire_integer_member(StringInfo out, const char *name, int64 value)
{
	wire_member(out, name);
	appendStringInfo(out, INT64_FORMAT, value);
}

void
wire_boolean_member(StringInfo out, const char *name, bool value)
{
	wire_member(out, name);
	appendStringInfoString(out, value ? "true" : "false");
}

void
wire_item_member(StringInfo out, const char *name, const Item *item)
{
	wire_member(out, name);
	codec_append_map(out, item);
}

/*
 * An item of scalars as Java's toString() has it, for messages.
 */
void
wire_append_java_item(StringInfo out, const Item *item)
{
	ItemValue	root = item_root(item);
	ItemIterator it;
	ItemValue	value;
	const char *comma = "";

	appendStringInfoChar(out, '{');
	(void) item_iterate(&root, &it);
	while (item_next(&it, &value))
	{
		appendStringInfo(out, "%s%.*s=AttributeValue: {%s:", comma,
						 (int) it.namelen, it.name,
						 item_type_name(value.type));
		comma = ", ";
		if (value.type == ITEM_N)
			item_number_append(out, &value);
		else if (value.type == ITEM_S)
			appendBinaryStringInfo(out, value.data, value.len);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, '}');
}

/*
 * A time as manifests have it: 2020-11-04T07:28:34.028Z.
 */
char *
wire_time_text(TimestampTz time)
{
	int64		us = epoch(time);

	return psprintf("%s.%03dZ", seconds_text(us),
					(int) (us / 1000 % 1000));
}

/*
 * A time as texts of errors have it: 2020-11-04T07:28:34Z.
 */
char *
wire_seconds_text(TimestampTz time)
{
	return psprintf("%sZ", seconds_text(epoch(time)));
}

/*
 * Microseconds since 1970.
 */
static int64
epoch(TimestampTz time)
{
	return time +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
}

static char *
seconds_text(int64 us)
{
	pg_time_t	seconds = us / USECS_PER_SEC;
	char		text[32];

	(void) pg_strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S",
					   pg_gmtime(&seconds));
	return pstrdup(text);
}

/*
 * An element of a KeySchema.
 */
void
wire_key_element(StringInfo out, const char *attribute, const char *type)
{
	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "AttributeName", attribute);
	wire_string_member(out, "KeyType", type);
	appendStringInfoChar(out, '}');
}

/*
 * What a client sent outside of its body, as text that an answer may have in
 * it: if it is not UTF-8, it is taken for Latin 1.
 */
const char *
wire_text(const char *bytes)
{
	StringInfoData text;

	if (bytes == NULL ||
		pg_verify_mbstr(PG_UTF8, bytes, strlen(bytes), true))
		return bytes;
	initStringInfo(&text);
	for (const unsigned char *p = (const unsigned char *) bytes; *p; p++)
	{
		if (*p >= 0x80)
			appendStringInfoChar(&text, 0xC0 | *p >> 6);
		appendStringInfoChar(&text, *p >= 0x80 ? 0x80 | (*p & 0x3F) : *p);
	}
	return text.data;
}
