/*-------------------------------------------------------------------------
 *
 * codec_text.c
 *	  Plain JSON, from text to a value under construction in one pass.
 *
 * What most items are written in is read here: objects, arrays, numbers and
 * strings without \u.  Anything else, wrong or merely unusual (an error, \u, a
 * control character, a name that comes twice, a number that is too long), is
 * left to the reader of plain JSON by way of jsonb (codec_plain.c), which knows
 * all of JSON and every error.  So this reader answers only "read" or "not
 * for me", and where it answers "read", both make the same item.
 *
 * Strings without escapes are shown where they stand in the text, which must
 * outlive the node.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

typedef struct TextReader
{
	const char *p;				/* what is read next */
	const char *end;
} TextReader;

static bool read_object(TextReader *r, int level, ItemNode *node);
static bool read_array(TextReader *r, int level, ItemNode *node);
static bool read_text_value(TextReader *r, int level, ItemNode *node);
static bool read_word(TextReader *r, const char *word);
static bool read_number(TextReader *r, ItemValue *value);
static bool read_string(TextReader *r, const char **data, uint32 *len);
static bool read_escaped(TextReader *r, const char *start, const char **data,
						 uint32 *len);
static bool has_twins(const ItemNode *map);

static inline void
skip_space(TextReader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' ||
							 *r->p == '\t' || *r->p == '\r'))
		r->p++;
}

/*
 * Is this character next, after any space?  If so, it is passed.
 */
static inline bool
take_text_char(TextReader *r, char c)
{
	skip_space(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/*
 * An object as a map.  False: it is for codec_plain_read() to say what it is.
 */
bool
codec_text_read(const char *text, size_t len, ItemNode *node)
{
	TextReader	r = {codec_text_read_first(text, len, node), text + len};

	if (r.p == NULL)
		return false;
	skip_space(&r);
	return r.p == r.end;
}

/*
 * The same of an object that the text begins with: the byte after it, or NULL.
 */
const char *
codec_text_read_first(const char *text, size_t len, ItemNode *node)
{
	TextReader	r = {text, text + len};

	/* No string may be longer than in a jsonb. */
	if (len > JENTRY_OFFLENMASK || GetDatabaseEncoding() != PG_UTF8)
		return NULL;
	return take_text_char(&r, '{') && read_object(&r, 0, node) ? r.p : NULL;
}

/*
 * Behind its brace.
 */
static bool
read_object(TextReader *r, int level, ItemNode *node)
{
	if (level > DYNAMO_MAX_NESTING)
		return false;
	item_node_init(node, ITEM_M);
	if (take_text_char(r, '}'))
		return true;
	do
	{
		const char *name;
		uint32		namelen;

		skip_space(r);
		if (!read_string(r, &name, &namelen) ||
			namelen == 0 || namelen > ITEM_MAX_NAME || !take_text_char(r,
																	   ':') ||
			!read_text_value(r, level + 1, item_node_add(node, name, namelen)))
			return false;
	} while (take_text_char(r, ','));
	item_node_sort(node);
	if (!take_text_char(r, '}') || has_twins(node))
		return false;
	if (level > 0)
		codec_plain_notice(node);
	return true;
}

static bool
read_array(TextReader *r, int level, ItemNode *node)
{
	if (level > DYNAMO_MAX_NESTING)
		return false;
	item_node_init(node, ITEM_L);
	if (take_text_char(r, ']'))
		return true;
	do
	{
		if (!read_text_value(r, level + 1, item_node_append(node)))
			return false;
	} while (take_text_char(r, ','));
	return take_text_char(r, ']');
}

/*
 * The deepest value is so few levels down that the stack need not be checked.
 */
static bool
read_text_value(TextReader *r, int level, ItemNode *node)
{
	ItemValue	value = {ITEM_NULL, 0, NULL};
	bool		good;

	CHECK_FOR_INTERRUPTS();
	skip_space(r);
	if (r->p == r->end)
		return false;
	switch (*r->p)
	{
		case '{':
			r->p++;
			return read_object(r, level, node);
		case '[':
			r->p++;
			return read_array(r, level, node);
		case '"':
			value.type = ITEM_S;
			good = read_string(r, &value.data, &value.len);
			break;
		case 't':
			value = item_bool(true);
			good = read_word(r, "true");
			break;
		case 'f':
			value = item_bool(false);
			good = read_word(r, "false");
			break;
		case 'n':
			good = read_word(r, "null");
			break;
		default:
			good = read_number(r, &value);
			break;
	}
	if (good)
		item_node_leaf(node, &value);
	return good;
}

/*
 * What follows a word or a number is checked by what reads on: nothing of JSON
 * that may stand there could belong to it.
 */
static bool
read_word(TextReader *r, const char *word)
{
	size_t		len = strlen(word);

	if (r->end - r->p < len || memcmp(r->p, word, len) != 0)
		return false;
	r->p += len;
	return true;
}

static inline bool
read_digits(TextReader *r)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p > start;
}

/*
 * A number as JSON has it: no sign "+", no zero in front, digits on both
 * sides of a point.
 */
static bool
read_number(TextReader *r, ItemValue *value)
{
	const char *start = r->p;
	uint8	   *bytes;

	if (*r->p == '-')
		r->p++;
	if (r->end - r->p > 1 && r->p[0] == '0' &&
		r->p[1] >= '0' && r->p[1] <= '9')
		return false;
	if (!read_digits(r))
		return false;
	if (r->p < r->end && *r->p == '.')
	{
		r->p++;
		if (!read_digits(r))
			return false;
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E'))
	{
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		if (!read_digits(r))
			return false;
	}
	bytes = palloc(ITEM_NUMBER_MAX_BYTES);
	value->type = ITEM_N;
	value->data = (char *) bytes;
	return item_number_parse(start, r->p - start, bytes,
							 &value->len) == ITEM_NUMBER_OK;
}

/*
 * Without its quotes.
 */
static bool
read_string(TextReader *r, const char **data, uint32 *len)
{
	const char *start;

	if (r->p == r->end || *r->p++ != '"')
		return false;
	start = r->p;
	r->p = codec_plain_end(r->p, r->end);
	if (r->p == r->end)
		return false;
	if (*r->p != '"')
		return read_escaped(r, start, data, len);
	*data = start;
	*len = r->p++ - start;
	return true;
}

/*
 * One with escapes, which stands elsewhere without them.
 */
static bool
read_escaped(TextReader *r, const char *start, const char **data, uint32 *len)
{
	static const char escapes[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	StringInfoData out;

	item_begin_few(&out);
	for (;;)
	{
		const char *escape;

		appendBinaryStringInfo(&out, start, r->p - start);
		if (r->p == r->end || (uint8) *r->p < ' ')
			return false;
		if (*r->p++ == '"')
			break;
		if (r->p == r->end || *r->p == '\0')
			return false;
		escape = strchr(escapes, *r->p++);
		if (escape == NULL)
			return false;
		appendStringInfoCharMacro(&out, meanings[escape - escapes]);
		start = r->p;
		r->p = codec_plain_end(r->p, r->end);
	}
	*data = out.data;
	*len = out.len;
	return true;
}

/*
 * Has a sorted map two members of one name?
 */
static bool
has_twins(const ItemNode *map)
{
	for (int i = 1; i < map->count; i++)
	{
		const ItemMember *a = &map->members[i - 1];
		const ItemMember *b = &map->members[i];

		if (a->namelen == b->namelen &&
			memcmp(a->name, b->name, a->namelen) == 0)
			return true;
	}
	return false;
}
