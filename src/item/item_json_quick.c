/*-------------------------------------------------------------------------
 *
 * item_json_quick.c
 *	  A parser for the JSON that SDKs write.
 *
 * jansson reads its input through a function call for each byte, which makes
 * parsing the dearest part of a GetItem.  Nearly all requests are simpler
 * than JSON may be: strings without escapes, integers of a few digits, little
 * nesting.  These are read here, into jansson's own values.  Whatever is not
 * that simple, and all that is malformed, is left to jansson: it alone says
 * what is JSON, and what is wrong with a text that is none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"

#define MAX_DEPTH	64

/* Digits that fit a json_int_t for certain. */
#define MAX_DIGITS	18

/* What is left of the text. */
typedef struct Rest
{
	const char *p;
	const char *end;
} Rest;

static json_t *read_value(Rest *rest, int depth);
static json_t *read_object(Rest *rest, int depth);
static json_t *read_array(Rest *rest, int depth);
static json_t *read_string(Rest *rest);
static json_t *read_integer(Rest *rest);
static bool read_text(Rest *rest, const char **text, size_t *len);
static bool read_word(Rest *rest, const char *word);
static bool read_mark(Rest *rest, char mark);
static void skip_blanks(Rest *rest);

/*
 * Parse JSON text, as json_loadb() does with JSON_DECODE_ANY.  NULL: that one
 * has to look at it.
 */
json_t *
item_json_quick(const char *text, size_t len)
{
	Rest		rest = {text, text + len};
	json_t	   *json = read_value(&rest, 0);

	skip_blanks(&rest);
	if (rest.p == rest.end)
		return json;
	json_decref(json);
	return NULL;
}

static json_t *
read_value(Rest *rest, int depth)
{
	if (depth > MAX_DEPTH)
		return NULL;
	if (read_mark(rest, '{'))
		return read_object(rest, depth);
	if (read_mark(rest, '['))
		return read_array(rest, depth);
	if (rest->p == rest->end)
		return NULL;
	switch (*rest->p)
	{
		case '"':
			return read_string(rest);
		case 't':
			return read_word(rest, "true") ? json_true() : NULL;
		case 'f':
			return read_word(rest, "false") ? json_false() : NULL;
		case 'n':
			return read_word(rest, "null") ? json_null() : NULL;
		default:
			return read_integer(rest);
	}
}

/*
 * What follows its brace.  json_object() would be PostgreSQL's function of
 * that name.
 */
static json_t *
read_object(Rest *rest, int depth)
{
	json_t	   *object = json_pack("{}");
	const char *name;
	size_t		len;

	if (read_mark(rest, '}'))
		return object;
	while (read_mark(rest, '"') &&
		   read_text(rest, &name, &len) &&
		   read_mark(rest, ':') &&
		   json_object_setn_new_nocheck(object, name, len,
										read_value(rest, depth + 1)) == 0)
	{
		if (read_mark(rest, '}'))
			return object;
		if (!read_mark(rest, ','))
			break;
	}
	json_decref(object);
	return NULL;
}

/* What follows its bracket. */
static json_t *
read_array(Rest *rest, int depth)
{
	json_t	   *array = json_array();

	if (read_mark(rest, ']'))
		return array;
	while (json_array_append_new(array, read_value(rest, depth + 1)) == 0)
	{
		if (read_mark(rest, ']'))
			return array;
		if (!read_mark(rest, ','))
			break;
	}
	json_decref(array);
	return NULL;
}

static json_t *
read_string(Rest *rest)
{
	const char *text;
	size_t		len;

	if (!read_mark(rest, '"') || !read_text(rest, &text, &len))
		return NULL;
	return json_stringn_nocheck(text, len);
}

/*
 * An integer; what follows shows whether the number ends with it.
 */
static json_t *
read_integer(Rest *rest)
{
	bool		negative = *rest->p == '-';
	const char *digits = rest->p + (negative ? 1 : 0);
	const char *p;
	json_int_t	value = 0;

	for (p = digits; p < rest->end && *p >= '0' && *p <= '9'; p++)
	{
		if (p - digits == MAX_DIGITS)
			return NULL;
		value = value * 10 + (*p - '0');
	}
	if (p == digits || (*digits == '0' && p - digits > 1))
		return NULL;
	rest->p = p;
	return json_integer(negative ? -value : value);
}

/*
 * The text of a string whose quote has been read, and its other quote.
 */
static bool
read_text(Rest *rest, const char **text, size_t *len)
{
	const char *p = rest->p;
	uint8		bits = 0;

	for (; p < rest->end && *p != '"'; p++)
	{
		if ((uint8) *p < ' ' || *p == '\\')
			return false;
		bits |= (uint8) *p;
	}
	if (p == rest->end)
		return false;
	*text = rest->p;
	*len = p - rest->p;
	rest->p = p + 1;
	return bits < 0x80 || item_text_valid(*text, *len);
}

static bool
read_word(Rest *rest, const char *word)
{
	size_t		len = strlen(word);

	if (rest->end - rest->p < len || memcmp(rest->p, word, len) != 0)
		return false;
	rest->p += len;
	return true;
}

/*
 * Pass over blanks, and over "mark" if it comes next.  Returns whether it did.
 */
static bool
read_mark(Rest *rest, char mark)
{
	skip_blanks(rest);
	if (rest->p == rest->end || *rest->p != mark)
		return false;
	rest->p++;
	return true;
}

static void
skip_blanks(Rest *rest)
{
	while (rest->p < rest->end &&
		   (*rest->p == ' ' || *rest->p == '\n' ||
			*rest->p == '\r' || *rest->p == '\t'))
		rest->p++;
}
