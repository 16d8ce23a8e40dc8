/*-------------------------------------------------------------------------
 *
 * codec_escape.c
 *	  Strings as JSON has them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "port/pg_bitutils.h"

/* A byte repeated in a word */
#define WORD(byte)	(UINT64CONST(0x0101010101010101) * (uint8) (byte))

static bool copy_plain(char *to, const char *text, uint32 len);
static void append_runs(StringInfo out, const char *text, uint32 len);
static void append_escaped(StringInfo out, char c);

static inline bool
must_escape(char c)
{
	return (uint8) c < ' ' || c == '"' || c == '\\';
}

/*
 * The bytes of this word that must be escaped: their highest bits are set, and
 * if any is, then perhaps bits of bytes above the first one.
 *
 * A subtraction sets the highest bit of a byte that is less than what is taken
 * from it, or that had it set before: those are no ASCII and masked out.  What
 * it borrows changes only bytes above one that is to be escaped.
 */
static inline uint64
escaped_bytes(uint64 word)
{
	return ((word - WORD(' ')) |
			((word ^ WORD('"')) - WORD(0x01)) |
			((word ^ WORD('\\')) - WORD(0x01))) & ~word & WORD(0x80);
}

static inline uint64
read_word(const char *text)
{
	uint64		word;

	memcpy(&word, text, sizeof(word));
	return word;
}

static inline uint32
read_half(const char *text)
{
	uint32		half;

	memcpy(&half, text, sizeof(half));
	return half;
}

/*
 * A JSON string with its quotes.  Escapes what JSON requires: the quote, the
 * backslash, and everything below a space, NUL included.
 */
void
codec_append_string(StringInfo out, const char *text, uint32 len)
{
	char	   *p = item_room(out, (Size) len + 2);

	*p++ = '"';
	if (copy_plain(p, text, len))
	{
		p[len] = '"';
		p[len + 1] = '\0';
		out->len += len + 2;
	}
	else
		append_runs(out, text, len);
}

/*
 * Copy text in which nothing is to be escaped; false when something is.  Eight
 * bytes at a time, the last ones perhaps twice: text is most of what is
 * written, and most of it is short.
 */
static bool
copy_plain(char *to, const char *text, uint32 len)
{
	uint64		word;
	uint32		i;

	if (len >= 8)
	{
		uint64		found = 0;

		for (i = 0; i + 8 < len; i += 8)
		{
			word = read_word(text + i);
			found |= escaped_bytes(word);
			memcpy(to + i, &word, 8);
		}
		word = read_word(text + len - 8);
		memcpy(to + len - 8, &word, 8);
		return (found | escaped_bytes(word)) == 0;
	}
	if (len >= 4)
	{
		uint32		first = read_half(text);
		uint32		last = read_half(text + len - 4);

		memcpy(to, &first, 4);
		memcpy(to + len - 4, &last, 4);
		return escaped_bytes((uint64) first << 32 | last) == 0;
	}
	for (i = 0; i < len; i++)
	{
		if (must_escape(text[i]))
			return false;
		to[i] = text[i];
	}
	return true;
}

/*
 * The same string piece by piece, between what is escaped.
 */
static void
append_runs(StringInfo out, const char *text, uint32 len)
{
	const char *end = text + len;

	appendStringInfoCharMacro(out, '"');
	for (;;)
	{
		const char *plain = text;

		text = codec_plain_end(text, end);
		appendBinaryStringInfo(out, plain, text - plain);
		if (text == end)
			break;
		append_escaped(out, *text++);
	}
	appendStringInfoCharMacro(out, '"');
}

/*
 * The first byte to be escaped, or the end.
 */
const char *
codec_plain_end(const char *text, const char *end)
{
	while (end - text >= 8)
	{
		uint64		found = escaped_bytes(read_word(text));

		if (found != 0)
		{
#ifndef WORDS_BIGENDIAN
			return text + pg_rightmost_one_pos64(found) / 8;
#else
			break;
#endif
		}
		text += 8;
	}
	while (text < end && !must_escape(*text))
		text++;
	return text;
}

static void
append_escaped(StringInfo out, char c)
{
	switch (c)
	{
		case '"':
		case '\\':
			appendStringInfoChar(out, '\\');
			appendStringInfoChar(out, c);
			break;
		case '\b':
			appendStringInfoString(out, "\\b");
			break;
		case '\f':
			appendStringInfoString(out, "\\f");
			break;
		case '\n':
			appendStringInfoString(out, "\\n");
			break;
		case '\r':
			appendStringInfoString(out, "\\r");
			break;
		case '\t':
			appendStringInfoString(out, "\\t");
			break;
		default:
			appendStringInfo(out, "\\u%04X", (uint8) c);
			break;
	}
}
