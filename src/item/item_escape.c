/*-------------------------------------------------------------------------
 *
 * item_escape.c
 *	  Strings as JSON has them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"

static inline bool must_escape(char c);
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

		while (text < end && !must_escape(*text))
			text++;
		appendBinaryStringInfo(out, plain, text - plain);
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
