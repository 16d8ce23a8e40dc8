/*-------------------------------------------------------------------------
 *
 * item_json.c
 *	  JSON text: parsing it, and writing values as typed JSON.
 *
 * Parsing is jansson's.  It allocates from the current memory context, so a
 * document goes with the context it was read in: nobody calls json_decref()
 * on it, and what jansson itself frees goes then, too.  The many small pieces
 * that it asks for are cut off larger blocks.  jansson's allocation functions
 * are global to the process and may be in use by others, so they are exchanged
 * for the length of one parse only.  No error of ours may jump over jansson's
 * frames: what cannot be allocated is NULL, and the error is raised once
 * jansson has returned.
 *
 * Writing is ours: the output is compact, and only what must be escaped is.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* What one parse may allocate; text of 16 MB stays below it by far. */
#define PARSE_MEMORY	((size_t) 1 << 30)

/* It is allocated by blocks of this size. */
#define PARSE_BLOCK		4096

static char *parse_block;		/* what is left of the last block */
static size_t parse_left;
static size_t parse_allocated;
static bool parse_out_of_memory;

static void *parse_malloc(size_t size);
static bool parse_more(size_t size);
static void parse_free(void *p);
static json_t *parse(const char *text, size_t len, size_t flags,
					 json_error_t *error);
static bool first_member_is_object(const char *text, size_t len);
static bool looks_typed(const json_t *json);
static Item *read_plain(const char *text, size_t len);
static void append_map(StringInfo out, const ItemValue *map);
static void append_array(StringInfo out, const ItemValue *array);
static void append_string(StringInfo out, const ItemValue *value);
static inline bool must_escape(char c);
static void append_escaped(StringInfo out, char c);

/*
 * Parsing
 */

/*
 * Parse JSON text, any kind of value.  NULL, and *error filled, when it is
 * not JSON.  The document lives in the current memory context; never free it.
 * A member name with a NUL in it is refused as malformed, and so is a number
 * past the range of a double.  When an integer does not fit in 64 bits, all
 * integers of the document come as reals.
 */
json_t *
item_json_load(const char *text, size_t len, json_error_t *error)
{
	json_t	   *json;

	item_check_encoding("JSON of the DynamoDB API");
	json = parse(text, len, JSON_ALLOW_NUL | JSON_DECODE_ANY, error);
	if (!json && json_error_code(error) == json_error_numeric_overflow)
		json = parse(text, len,
					 JSON_ALLOW_NUL | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
					 error);
	return json;
}

static json_t *
parse(const char *text, size_t len, size_t flags, json_error_t *error)
{
	json_malloc_t others_malloc;
	json_free_t others_free;
	json_t	   *json;

	parse_left = 0;
	parse_allocated = 0;
	parse_out_of_memory = false;
	json_get_alloc_funcs(&others_malloc, &others_free);
	json_set_alloc_funcs(parse_malloc, parse_free);
	json = json_loadb(text, len, flags, error);
	json_set_alloc_funcs(others_malloc, others_free);
	if (parse_out_of_memory)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("JSON text is too large")));
	return json;
}

static void *
parse_malloc(size_t size)
{
	void	   *p;

	if (!AllocSizeIsValid(size) ||
		(MAXALIGN(size) > parse_left && !parse_more(MAXALIGN(size))))
	{
		parse_out_of_memory = true;
		return NULL;
	}
	size = MAXALIGN(size);
	p = parse_block;
	parse_block += size;
	parse_left -= size;
	return p;
}

/*
 * Begin a block that has room for "size" bytes.
 */
static bool
parse_more(size_t size)
{
	size_t		block = Max(size, PARSE_BLOCK);

	if (!AllocSizeIsValid(block) || block > PARSE_MEMORY - parse_allocated)
		return false;
	parse_block = palloc_extended(block, MCXT_ALLOC_NO_OOM);
	parse_left = parse_block ? block : 0;
	parse_allocated += parse_left;
	return parse_block != NULL;
}

static void
parse_free(void *p)
{
}

/*
 * Read an item from text that is typed JSON ({"a":{"S":"x"}}) or plain
 * ({"a":"x"}).  It is typed when it is not empty, all its members are objects,
 * and at least one of these has a member named like a type.
 *
 * A table's key attributes are scalars, so a plain item or key always has a
 * member that is no object and is never taken for a typed one.
 *
 * Plain text goes through core's jsonb, whose numbers are exact; jansson's are
 * not.
 */
Item *
item_json_read_any(const char *text, size_t len)
{
	json_error_t error;
	json_t	   *json;

	item_check_encoding("dynamo.item");
	if (!first_member_is_object(text, len))
		return read_plain(text, len);

	json = item_json_load(text, len, &error);
	if (!json && json_error_code(&error) == json_error_numeric_overflow)
		return read_plain(text, len);
	if (!json)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "dynamo.item"),
				 errdetail("JSON is malformed at line %d, column %d: %s.",
						   error.line, error.column, error.text)));
	if (!looks_typed(json))
		return read_plain(text, len);
	return item_json_read_map(json);
}

/*
 * Does the text begin like an object whose first member is an object?  All
 * others are plain JSON at the least, and are spared a second parse.
 */
static bool
first_member_is_object(const char *text, size_t len)
{
	const char *p = text;
	const char *end = text + len;

#define SKIP_SPACE() \
	while (p < end && strchr(" \t\n\r", *p) && *p != '\0') p++

	SKIP_SPACE();
	if (p == end || *p++ != '{')
		return false;
	SKIP_SPACE();
	if (p == end || *p++ != '"')
		return false;
	while (p < end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	if (p++ >= end)
		return false;
	SKIP_SPACE();
	if (p >= end || *p++ != ':')
		return false;
	SKIP_SPACE();
	return p < end && *p == '{';

#undef SKIP_SPACE
}

static bool
looks_typed(const json_t *json)
{
	const char *name;
	json_t	   *member;
	bool		typed = false;

	if (!json_is_object(json))
		return false;
	json_object_foreach((json_t *) json, name, member)
	{
		const char *tag;
		json_t	   *ignored;

		if (!json_is_object(member))
			return false;
		if (typed)
			continue;
		json_object_foreach(member, tag, ignored)
		{
			ItemType	type;

			typed = typed || item_type_from_name(tag, &type);
		}
	}
	return typed;
}

static Item *
read_plain(const char *text, size_t len)
{
	char	   *string = pnstrdup(text, len);
	Jsonb	   *jsonb;
	ItemNode	node;

	jsonb = DatumGetJsonbP(DirectFunctionCall1(jsonb_in,
											   CStringGetDatum(string)));
	item_plain_read(jsonb, &node);
	return item_pack(&node);
}

/*
 * Text from outside is text in the server's encoding, and that of an item is
 * UTF-8.
 */
void
item_check_encoding(const char *type)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s needs a database whose encoding is UTF8", type)));
}

/*
 * Writing
 */

/*
 * One value as {"S":"x"}.
 */
void
item_json_append_value(StringInfo out, const ItemValue *value)
{
	check_stack_depth();
	appendStringInfoCharMacro(out, '{');
	appendStringInfoCharMacro(out, '"');
	for (const char *name = item_type_name(value->type); *name; name++)
		appendStringInfoCharMacro(out, *name);
	appendStringInfoCharMacro(out, '"');
	appendStringInfoCharMacro(out, ':');
	switch (value->type)
	{
		case ITEM_S:
		case ITEM_N:
		case ITEM_B:
			append_string(out, value);
			break;
		case ITEM_BOOL:
			appendStringInfoString(out, *value->data ? "true" : "false");
			break;
		case ITEM_NULL:
			appendStringInfoString(out, "true");
			break;
		case ITEM_M:
			append_map(out, value);
			break;
		default:
			append_array(out, value);
			break;
	}
	appendStringInfoCharMacro(out, '}');
}

/*
 * An item as {"a":{"S":"x"}}.
 */
void
item_json_append_map(StringInfo out, const Item *item)
{
	ItemValue	root = item_root(item);

	append_map(out, &root);
}

static void
append_map(StringInfo out, const ItemValue *map)
{
	uint32		count = item_member_count(map);

	appendStringInfoCharMacro(out, '{');
	for (uint32 i = 0; i < count; i++)
	{
		const char *name;
		uint32		namelen;
		ItemValue	member;

		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoCharMacro(out, ',');
		item_map_member(map, i, &name, &namelen, &member);
		item_json_append_string(out, name, namelen);
		appendStringInfoCharMacro(out, ':');
		item_json_append_value(out, &member);
	}
	appendStringInfoCharMacro(out, '}');
}

/*
 * A list's or a set's members.
 */
static void
append_array(StringInfo out, const ItemValue *array)
{
	uint32		count = item_member_count(array);

	appendStringInfoCharMacro(out, '[');
	for (uint32 i = 0; i < count; i++)
	{
		ItemValue	member;

		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoCharMacro(out, ',');
		if (array->type == ITEM_L)
		{
			item_list_member(array, i, &member);
			item_json_append_value(out, &member);
		}
		else
		{
			item_set_member(array, i, &member);
			append_string(out, &member);
		}
	}
	appendStringInfoCharMacro(out, ']');
}

/*
 * The string that stands for an S, N or B.
 */
static void
append_string(StringInfo out, const ItemValue *value)
{
	if (value->type == ITEM_S)
	{
		item_json_append_string(out, value->data, value->len);
		return;
	}
	appendStringInfoCharMacro(out, '"');
	if (value->type == ITEM_N)
		item_number_append(out, value);
	else
		item_base64_append(out, value->data, value->len);
	appendStringInfoCharMacro(out, '"');
}

/*
 * A JSON string with its quotes.  Escaped is what JSON wants escaped: the
 * quote, the backslash, and everything below a space, NUL included.
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
