/*-------------------------------------------------------------------------
 *
 * item_escape.c
 *	  Strings as JSON has them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"

/* A byte repeated in a word */
#define WORD(byte)	(UINT64CONST(0x0101010101010101) * (uint8) (byte))

static void append_escaped(StringInfo out, char c);

/*
 * A JSON string with its quotes.  Escapes what JSON requires: the quote, the
 * backslash, and everything below a space, NUL included.
 */
void
item_json_append_string(StringInfo out, const char *text, uint32 len)
{
	const char *end = text + len;

	appendStringInfoCharMacro(out, '"');
	for (;;)
	{
		const char *plain = text;

		text = item_plain_end(text, end);
		enlargeStringInfo(out, text - plain + 1);
		memcpy(out->data + out->len, plain, text - plain);
		out->len += text - plain;
		if (text == end)
			break;
		append_escaped(out, *text++);
	}
	appendStringInfoCharMacro(out, '"');
}

static inline bool
must_escape(char c)
{
	return (uint8) c < ' ' || c == '"' || c == '\\';
}

/*
 * Is any byte of the word zero?  What borrows from the byte above it sets a
 * bit only beyond a byte that is zero, so there is no false answer.
 */
static inline bool
has_zero(uint64 word)
{
	return ((word - WORD(0x01)) & ~word & WORD(0x80)) != 0;
}

/*
 * Is nothing in these eight bytes to be escaped?
 */
static inline bool
is_plain(const char *text)
{
	uint64		word;

	memcpy(&word, text, sizeof(word));
	return ((word - WORD(' ')) & ~word & WORD(0x80)) == 0 &&
		!has_zero(word ^ WORD('"')) && !has_zero(word ^ WORD('\\'));
}

/*
 * The first byte to be escaped, or the end.  Eight bytes at a time, the last
 * ones perhaps twice: text is most of what is written.
 */
const char *
item_plain_end(const char *text, const char *end)
{
	if (end - text >= 8)
	{
		while (end - text > 8 && is_plain(text))
			text += 8;
		if (end - text <= 8 && is_plain(end - 8))
			return end;
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
