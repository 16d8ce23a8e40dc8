/*-------------------------------------------------------------------------
 *
 * codec_tree.c
 *	  What most requests are written in, from text to jansson's tree in one
 *	  pass.
 *
 * jansson looks at each byte several times.  Here strings are passed eight
 * bytes at a time, if they have no escapes.  All else that is wrong or merely
 * unusual (an error, an escape, a number with a fraction, deep nesting) is left
 * to jansson, which knows all of JSON and every error.  So this reader answers
 * only with a tree or "not for me", and where it has a tree, both have the same
 * one: with assertions on, codec_json.c compares them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* Levels of nesting: an item's, each with its type's name, and a request's */
#define MAX_LEVEL	128

/* Names and integers of more bytes are unusual. */
#define MAX_NAME	255
#define MAX_DIGITS	18

typedef struct TreeReader
{
	const char *p;				/* what is read next */
	const char *end;
	json_t	   *empty;			/* an object to be copied: json_object() is
								 * also a function of the server's */
} TreeReader;

static json_t *read_tree_value(TreeReader *r, int level);
static json_t *read_object(TreeReader *r, int level);
static json_t *read_array(TreeReader *r, int level);
static json_t *read_integer(TreeReader *r);
static json_t *read_word(TreeReader *r, const char *word, json_t *value);
static bool read_string(TreeReader *r, const char **text, size_t *len);

/*
 * Pass space; the character behind it, or NUL at the end.
 */
static inline char
next_char(TreeReader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' ||
							 *r->p == '\t' || *r->p == '\r'))
		r->p++;
	return r->p < r->end ? *r->p : '\0';
}

/*
 * Is this character next, after any space?  If so, it is passed.
 */
static inline bool
take_token_char(TreeReader *r, char c)
{
	if (next_char(r) != c)
		return false;
	r->p++;
	return true;
}

/*
 * The tree of a text, in memory of jansson's allocation functions; NULL: it is
 * for jansson to say what it is.
 */
json_t *
codec_tree_read(const char *text, size_t len)
{
	TreeReader	r = {text, text + len, NULL};
	json_t	   *json;

	if (len > PG_INT32_MAX || !pg_verify_mbstr(PG_UTF8, text, len, true))
		return NULL;
	r.empty = json_pack("{}");
	json = read_tree_value(&r, 0);
	if (json == NULL || next_char(&r) != '\0' || r.p < r.end)
		return NULL;
	return json;
}

static json_t *
read_tree_value(TreeReader *r, int level)
{
	const char *text;
	size_t		len;

	CHECK_FOR_INTERRUPTS();
	switch (next_char(r))
	{
		case '{':
			r->p++;
			return read_object(r, level + 1);
		case '[':
			r->p++;
			return read_array(r, level + 1);
		case '"':
			return read_string(r, &text, &len) ?
				json_stringn_nocheck(text, len) : NULL;
		case 't':
			return read_word(r, "true", json_true());
		case 'f':
			return read_word(r, "false", json_false());
		case 'n':
			return read_word(r, "null", json_null());
		default:
			return read_integer(r);
	}
}

/*
 * Behind its brace.
 */
static json_t *
read_object(TreeReader *r, int level)
{
	json_t	   *object = json_copy(r->empty);

	if (level > MAX_LEVEL)
		return NULL;
	if (take_token_char(r, '}'))
		return object;
	do
	{
		const char *text;
		size_t		len;
		char		name[MAX_NAME + 1];
		json_t	   *value;

		if (next_char(r) != '"' || !read_string(r, &text, &len) ||
			len > MAX_NAME || !take_token_char(r, ':'))
			return NULL;
		value = read_tree_value(r, level);
		if (value == NULL)
			return NULL;
		memcpy(name, text, len);
		name[len] = '\0';
		if (json_object_set_new_nocheck(object, name, value) != 0)
			return NULL;
	} while (take_token_char(r, ','));
	return take_token_char(r, '}') ? object : NULL;
}

/*
 * Behind its bracket.
 */
static json_t *
read_array(TreeReader *r, int level)
{
	json_t	   *array = json_array();

	if (level > MAX_LEVEL)
		return NULL;
	if (take_token_char(r, ']'))
		return array;
	do
	{
		json_t	   *value = read_tree_value(r, level);

		if (value == NULL || json_array_append_new(array, value) != 0)
			return NULL;
	} while (take_token_char(r, ','));
	return take_token_char(r, ']') ? array : NULL;
}

/*
 * What a fraction or an exponent leaves behind is nothing that may follow a value.
 */
static json_t *
read_integer(TreeReader *r)
{
	bool		negative = r->p < r->end && *r->p == '-';
	const char *start = r->p + negative;
	const char *p = start;
	json_int_t	value = 0;

	while (p < r->end && *p >= '0' && *p <= '9' && p - start <= MAX_DIGITS)
		value = value * 10 + (*p++ - '0');
	if (p == start || p - start > MAX_DIGITS ||
		(*start == '0' && p - start > 1))
		return NULL;
	r->p = p;
	return json_integer(negative ? -value : value);
}

static json_t *
read_word(TreeReader *r, const char *word, json_t *value)
{
	size_t		len = strlen(word);

	if (r->end - r->p < len || memcmp(r->p, word, len) != 0)
		return NULL;
	r->p += len;
	return value;
}

/*
 * Without its quotes.
 */
static bool
read_string(TreeReader *r, const char **text, size_t *len)
{
	*text = ++r->p;
	r->p = codec_plain_end(r->p, r->end);
	if (r->p == r->end || *r->p != '"')
		return false;
	*len = r->p++ - *text;
	return true;
}
