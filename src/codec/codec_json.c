/*-------------------------------------------------------------------------
 *
 * codec_json.c
 *	  JSON text: parsing it, and reading items from it.
 *
 * Parsing is jansson's, but for what codec_tree.c can do.  It allocates from the current memory context, so a
 * document goes with the context it was read in: nobody calls json_decref()
 * on it, and what jansson itself frees goes then, too.  The many small pieces
 * that it asks for are cut off larger blocks.  jansson's allocation functions
 * are global to the process and may be in use by others, so they are exchanged
 * for the length of one parse only.
 *
 * A parsed document takes many times the memory of its text: an empty object,
 * two bytes, takes 200.  So both are limited, the memory as such and as a
 * multiple of the text, and with them the number of values.  jansson itself
 * refuses more than 2,048 levels of nesting.
 *
 * jansson asks for its text piece by piece, and is interrupted there.  This is
 * the one library whose frames our errors jump over.  They hold nothing but
 * memory of ours, and it must never get NULL for memory: where it cannot save
 * a piece of a string, jansson 2.14 goes on without, misses the string's end,
 * and reads and writes past it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * What one parse may allocate: so many bytes for each of its text, some more
 * so that no short text is too large, and no more than so many in all.  The
 * densest values that an item can have, empty maps, take 56 for each byte;
 * brackets that are not closed take more, but 2,048 are the most there can be.
 * Text of 16 MB with values of usual size takes 400 MB.
 */
#define PARSE_MULTIPLE	64
#define PARSE_BASE		((size_t) 512 * 1024)
#define PARSE_MEMORY	((size_t) 512 * 1024 * 1024)

/* It is allocated by blocks of this size, or larger ones. */
#define PARSE_BLOCK		4096

/* What a block begins with. */
typedef struct ParseBlock
{
	struct ParseBlock *previous;
} ParseBlock;

#define PARSE_HEADER	MAXALIGN(sizeof(ParseBlock))

/* What jansson reads. */
typedef struct ParseText
{
	const char *next;
	size_t		left;
} ParseText;

static ParseBlock *parse_blocks;	/* the last one */
static char *parse_next;		/* what is left of it */
static size_t parse_left;
static size_t parse_allowed;	/* still to be allocated */

static json_t *parse(const char *text, size_t len, size_t flags,
					 json_error_t *error);
static json_t *parse_at_once(const char *text, size_t len, size_t flags);
static json_t *parse_by_jansson(const char *text, size_t len, size_t flags,
								json_error_t *error);
static void check_tree(const char *text, size_t len, size_t flags,
					   const json_t *json);
#ifdef USE_ASSERT_CHECKING
static bool same_tree(const json_t *a, const json_t *b);
#endif
static void parse_begin(size_t len);
static size_t parse_read(void *buffer, size_t size, void *source);
static void *parse_malloc(size_t size);
static void parse_more(size_t size);
static void parse_free(void *p);
static void parse_forget(void);
static bool first_member_is_object(const char *text, size_t len);
static bool looks_typed(const json_t *json);
static bool is_typed_value(const json_t *json);
static void check_values_alone(const json_t *json);
static void check_value_alone(const json_t *json);
static Item *read_plain(const char *text, size_t len);

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
codec_load(const char *text, size_t len, json_error_t *error)
{
	json_t	   *json;

	codec_check_encoding("JSON of the DynamoDB API");
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
	json_t	   *volatile json = NULL;

	json_get_alloc_funcs(&others_malloc, &others_free);
	json_set_alloc_funcs(parse_malloc, parse_free);
	PG_TRY();
	{
		if ((flags & JSON_DECODE_INT_AS_REAL) == 0)
			json = parse_at_once(text, len, flags);
		if (json == NULL)
			json = parse_by_jansson(text, len, flags, error);
	}
	PG_FINALLY();
	{
		json_set_alloc_funcs(others_malloc, others_free);
	}
	PG_END_TRY();
	if (json == NULL)
		parse_forget();
	return json;
}

/*
 * What codec_tree.c can read.
 */
static json_t *
parse_at_once(const char *text, size_t len, size_t flags)
{
	json_t	   *json;

	parse_begin(len);
	json = codec_tree_read(text, len);
	if (json == NULL)
		parse_forget();
	else
		check_tree(text, len, flags, json);
	return json;
}

static json_t *
parse_by_jansson(const char *text, size_t len, size_t flags,
				 json_error_t *error)
{
	ParseText	source = {text, len};

	parse_begin(len);
	return json_load_callback(parse_read, &source, flags, error);
}

/*
 * With assertions on, hold a tree against jansson's.
 */
static void
check_tree(const char *text, size_t len, size_t flags, const json_t *json)
{
#ifdef USE_ASSERT_CHECKING
	json_error_t error;
	json_t	   *theirs = parse_by_jansson(text, len, flags, &error);

	if (theirs == NULL || !same_tree(json, theirs))
		elog(ERROR, "JSON was read in two ways");
	parse_forget();
#endif
}

#ifdef USE_ASSERT_CHECKING
/*
 * Are two trees the same, the order of members included?
 */
static bool
same_tree(const json_t *a, const json_t *b)
{
	void	   *of_a;
	void	   *of_b;

	check_stack_depth();
	if (json_typeof(a) != json_typeof(b) ||
		json_object_size(a) != json_object_size(b) ||
		json_array_size(a) != json_array_size(b))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++)
	{
		if (!same_tree(json_array_get(a, i), json_array_get(b, i)))
			return false;
	}
	of_a = json_object_iter((json_t *) a);
	of_b = json_object_iter((json_t *) b);
	while (of_a != NULL)
	{
		if (strcmp(json_object_iter_key(of_a), json_object_iter_key(of_b)) != 0 ||
			!same_tree(json_object_iter_value(of_a),
					   json_object_iter_value(of_b)))
			return false;
		of_a = json_object_iter_next((json_t *) a, of_a);
		of_b = json_object_iter_next((json_t *) b, of_b);
	}
	return json_is_object(a) || json_is_array(a) || json_equal(a, b);
}
#endif

/*
 * Begin to allocate for a text of "len" bytes.
 */
static void
parse_begin(size_t len)
{
	parse_blocks = NULL;
	parse_left = 0;
	parse_allowed = Min(len, PARSE_MEMORY / PARSE_MULTIPLE) * PARSE_MULTIPLE +
		PARSE_BASE;
}

/*
 * The next piece of the text for jansson.
 */
static size_t
parse_read(void *buffer, size_t size, void *source)
{
	ParseText  *text = source;
	size_t		len = Min(size, text->left);

	CHECK_FOR_INTERRUPTS();
	memcpy(buffer, text->next, len);
	text->next += len;
	text->left -= len;
	return len;
}

/*
 * Memory for jansson.  Never NULL, see above.
 */
static void *
parse_malloc(size_t size)
{
	void	   *p;

	if (size > parse_left)
		parse_more(size);
	size = MAXALIGN(size);
	p = parse_next;
	parse_next += size;
	parse_left -= size;
	return p;
}

/*
 * Begin a block that has room for "size" bytes.
 */
static void
parse_more(size_t size)
{
	size_t		needed = Max(PARSE_HEADER + MAXALIGN(size), PARSE_BLOCK);
	ParseBlock *block;

	if (size > parse_allowed || needed > parse_allowed)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 err_generic_string(PG_DIAG_CONSTRAINT_NAME,
									DYNAMO_RULE_JSON_MEMORY),
				 errmsg("JSON text is too large")));
	block = palloc(needed);
	parse_allowed -= needed;
	block->previous = parse_blocks;
	parse_blocks = block;
	parse_next = (char *) block + PARSE_HEADER;
	parse_left = needed - PARSE_HEADER;
}

static void
parse_free(void *p)
{
}

/*
 * Free what a parse has allocated that came to nothing.
 */
static void
parse_forget(void)
{
	while (parse_blocks != NULL)
	{
		ParseBlock *block = parse_blocks;

		parse_blocks = block->previous;
		pfree(block);
	}
}

/*
 * Read an item from text that is typed JSON ({"a":{"S":"x"}}) or plain
 * ({"a":"x"}).  It is typed when all its members are objects, and at least one
 * of these has one member, named like a type.  In typed JSON each value must
 * be like that, at any depth, or it is an error: what stands beside the type
 * would be lost.
 *
 * A table's key attributes are scalars, so a plain item or key always has a
 * member that is no object and is never taken for a typed one.
 *
 * Plain text goes through core's jsonb, whose numbers are exact; jansson's are
 * not.
 */
Item *
codec_read_any(const char *text, size_t len)
{
	json_error_t error;
	json_t	   *json;
	Item	   *item;

	codec_check_encoding("dynamo.item");
	if (!first_member_is_object(text, len))
		return read_plain(text, len);

	json = codec_load(text, len, &error);
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
	item = codec_read_map(json, ITEM_CURRENT);
	check_values_alone(json);
	return item;
}

/*
 * An item that the text begins with, if it is plain and written as most are;
 * *end is the byte after it.  NULL: the caller finds that end, and has
 * codec_read_any() read it or say what is wrong.
 */
Item *
codec_read_first(const char *text, size_t len, const char **end)
{
	ItemNode	node;

	if (first_member_is_object(text, len))
		return NULL;
	*end = codec_text_read_first(text, len, &node);
	return *end != NULL ? item_pack(&node) : NULL;
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
		CHECK_FOR_INTERRUPTS();
		if (!json_is_object(member))
			return false;
		typed = typed || is_typed_value(member);
	}
	return typed;
}

/*
 * Is this an object with one member, named like a type?
 */
static bool
is_typed_value(const json_t *json)
{
	ItemType	type;

	return json_object_size(json) == 1 &&
		item_type_from_name(json_object_iter_key(json_object_iter((json_t *) json)),
							&type);
}

/*
 * Refuse a value in typed JSON, anywhere below this map or list, that has a
 * member beside its type's.
 */
static void
check_values_alone(const json_t *json)
{
	const char *name;
	size_t		i;
	json_t	   *member;

	check_stack_depth();
	if (json_is_object(json))
	{
		json_object_foreach((json_t *) json, name, member)
			check_value_alone(member);
	}
	else if (json_is_array(json))
	{
		json_array_foreach(json, i, member)
			check_value_alone(member);
	}
}

static void
check_value_alone(const json_t *json)
{
	CHECK_FOR_INTERRUPTS();
	if (json_object_size(json) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "dynamo.item"),
				 errdetail("A value of typed JSON has one member, but one here has %zu.",
						   json_object_size(json)),
				 errhint("Cast from jsonb to read it as plain JSON.")));
	check_values_alone(json_object_get(json, "M"));
	check_values_alone(json_object_get(json, "L"));
}

static Item *
read_plain(const char *text, size_t len)
{
	Datum		jsonb;
	ItemNode	node;

	if (codec_text_read(text, len, &node))
		return item_pack(&node);
	jsonb = DirectFunctionCall1(jsonb_in,
								CStringGetDatum(pnstrdup(text, len)));
	codec_plain_read(DatumGetJsonbP(jsonb), &node);
	return item_pack(&node);
}

/*
 * Text from outside is text in the server's encoding, and that of an item is
 * UTF-8.
 */
void
codec_check_encoding(const char *type)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s needs a database whose encoding is UTF8", type)));
}
