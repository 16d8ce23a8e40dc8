/*-------------------------------------------------------------------------
 *
 * bucket_ion.c
 *	  An item as it stands in a line of Amazon Ion's text.
 *
 * Ion has more types than items have.  These stand for an attribute value:
 *
 *		string			S
 *		int, decimal, float		N
 *		blob			B
 *		bool, null, list, struct	BOOL, NULL, L, M
 *		$dynamodb_SS::[...], _NS, _BS	sets
 *
 * All else is refused.  An item is read by turning it into the typed JSON that
 * says the same, so what a value may be stands in one place, codec_read.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#define SETS	"$dynamodb_"	/* what the annotation of a set begins with */

/* A line that is read, and the JSON that it becomes. */
typedef struct Ion
{
	const char *start;
	const char *next;
	const char *end;
	StringInfoData json;
	StringInfoData word;		/* the last string or symbol */
} Ion;

static void refuse(const Ion *ion, const char *what) pg_attribute_noreturn();
static void skip_space(Ion *ion);
static void skip_comment(Ion *ion);
static bool stands(const Ion *ion, const char *text);
static bool take(Ion *ion, const char *text);
static void expect(Ion *ion, const char *text);
static bool stands_string(const Ion *ion);
static bool stands_number(const Ion *ion);
static void read_value(Ion *ion, int level);
static void read_word_value(Ion *ion);
static bool stands_member(Ion *ion, bool *first, const char *end);
static void read_set(Ion *ion);
static void read_list(Ion *ion, int level);
static void read_struct(Ion *ion, int level);
static void read_name(Ion *ion);
static void read_string_value(Ion *ion);
static void read_number(Ion *ion);
static void append_digits(Ion *ion, const char *digits, size_t len);
static void read_blob(Ion *ion);
static void read_symbol(Ion *ion);
static void read_text(Ion *ion, const char *quote);
static void read_long_text(Ion *ion);
static void read_escape(Ion *ion);
static pg_wchar read_unit(Ion *ion);
static pg_wchar read_code(Ion *ion, int ndigits);
static void append_code(Ion *ion, pg_wchar code);
static void append_word(Ion *ion);
static bool is_symbol_start(char c);
static bool is_symbol_part(char c);

/*
 * The item of a line of Ion; ValidationException or SerializationException for
 * what is none.
 */
Item *
bucket_ion_read(const char *text, size_t len)
{
	Ion			ion = {text, text, text + len};

	initStringInfo(&ion.json);
	initStringInfo(&ion.word);
	skip_space(&ion);
	(void) take(&ion, "$ion_1_0");
	skip_space(&ion);
	expect(&ion, "{");
	skip_space(&ion);
	read_name(&ion);
	if (strcmp(ion.word.data, "Item") != 0)
		refuse(&ion, "a struct with the field Item");
	appendStringInfoString(&ion.json, "{\"Item\":");
	skip_space(&ion);
	expect(&ion, "{");
	read_struct(&ion, 0);
	appendStringInfoChar(&ion.json, '}');
	skip_space(&ion);
	if (take(&ion, ","))
		skip_space(&ion);
	expect(&ion, "}");
	skip_space(&ion);
	if (ion.next < ion.end)
		refuse(&ion, "the end of the line");
	return bucket_json_read(ion.json.data, ion.json.len);
}

static void
refuse(const Ion *ion, const char *what)
{
	dynamo_error(DYNAMO_SERIALIZATION,
				 "Ion is malformed at column %d: expected %s",
				 (int) (ion->next - ion->start) + 1, what);
}

static void
skip_space(Ion *ion)
{
	while (ion->next < ion->end)
	{
		CHECK_FOR_INTERRUPTS();
		if (strchr(" \t\r\n\v\f", *ion->next) != NULL && *ion->next != '\0')
			ion->next++;
		else if (*ion->next == '/')
			skip_comment(ion);
		else
			return;
	}
}

static void
skip_comment(Ion *ion)
{
	if (take(ion, "//"))
		ion->next = ion->end;
	else
	{
		expect(ion, "/*");
		while (!take(ion, "*/"))
		{
			if (ion->next >= ion->end)
				refuse(ion, "the end of a comment");
			ion->next++;
		}
	}
}

static bool
stands(const Ion *ion, const char *text)
{
	size_t		len = strlen(text);

	return ion->end - ion->next >= len && memcmp(ion->next, text, len) == 0;
}

/*
 * Go behind a text if it stands here.
 */
static bool
take(Ion *ion, const char *text)
{
	if (!stands(ion, text))
		return false;
	ion->next += strlen(text);
	return true;
}

static void
expect(Ion *ion, const char *text)
{
	if (!take(ion, text))
		refuse(ion, psprintf("\"%s\"", text));
}

static bool
stands_string(const Ion *ion)
{
	return stands(ion, "\"") || stands(ion, "'''");
}

static bool
stands_number(const Ion *ion)
{
	return ion->next < ion->end &&
		(isdigit((unsigned char) *ion->next) || *ion->next == '-');
}

/*
 * One attribute value; "level" is how deep a list or struct stands here.
 */
static void
read_value(Ion *ion, int level)
{
	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (level > DYNAMO_MAX_NESTING + 1)
		dynamo_error(DYNAMO_VALIDATION,
					 "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit");
	skip_space(ion);
	appendStringInfoChar(&ion->json, '{');
	if (take(ion, "{{"))
		read_blob(ion);
	else if (take(ion, "{"))
	{
		appendStringInfoString(&ion->json, "\"M\":");
		read_struct(ion, level);
	}
	else if (take(ion, "["))
		read_list(ion, level);
	else if (stands_string(ion))
		read_string_value(ion);
	else if (stands_number(ion))
		read_number(ion);
	else
		read_word_value(ion);
	appendStringInfoChar(&ion->json, '}');
}

/*
 * What begins with a symbol: true, false, null, or a set's annotation.
 */
static void
read_word_value(Ion *ion)
{
	bool		quoted = stands(ion, "'");
	const char *word;

	read_symbol(ion);
	word = ion->word.data;
	skip_space(ion);
	if (take(ion, "::"))
	{
		if (strcmp(word, SETS "SS") != 0 && strcmp(word, SETS "NS") != 0 &&
			strcmp(word, SETS "BS") != 0)
			refuse(ion, "a value with another annotation");
		read_set(ion);
	}
	else if (!quoted && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0))
		appendStringInfo(&ion->json, "\"BOOL\":%s", word);
	else if (!quoted && strcmp(word, "null") == 0 && !take(ion, "."))
		appendStringInfoString(&ion->json, "\"NULL\":true");
	else
		refuse(ion, "an attribute value before this");
}

/*
 * Does a member of a container follow?  If not, its end has been taken.
 * "first" is true before the first one.  There may be a comma before the end.
 */
static bool
stands_member(Ion *ion, bool *first, const char *end)
{
	skip_space(ion);
	if (take(ion, end))
		return false;
	if (!*first)
	{
		if (!take(ion, ","))
			expect(ion, end);
		skip_space(ion);
		if (take(ion, end))
			return false;
		appendStringInfoChar(&ion->json, ',');
	}
	*first = false;
	return true;
}

/*
 * The list of a set's members, behind the annotation.  None of them is a
 * container, however deep.
 */
static void
read_set(Ion *ion)
{
	char		type = ion->word.data[strlen(SETS)];
	char	   *member;
	bool		first = true;

	skip_space(ion);
	expect(ion, "[");
	appendStringInfo(&ion->json, "\"%cS\":[", type);
	while (stands_member(ion, &first, "]"))
	{
		int			start;

		if (!stands_string(ion) && !stands_number(ion) && !stands(ion, "{{"))
			refuse(ion, "members of the set's type");

		/* A value as {"S":"x"}, of which "x" stays. */
		start = ion->json.len;
		read_value(ion, 0);
		member = ion->json.data + start;
		if (member[2] != type || member[3] != '"')
			refuse(ion, "members of the set's type");
		memmove(member, member + 5, ion->json.len - start - 6);
		ion->json.len -= 6;
		ion->json.data[ion->json.len] = '\0';
	}
	appendStringInfoChar(&ion->json, ']');
}

/*
 * The members of a list, behind its bracket.
 */
static void
read_list(Ion *ion, int level)
{
	bool		first = true;

	appendStringInfoString(&ion->json, "\"L\":[");
	while (stands_member(ion, &first, "]"))
		read_value(ion, level + 1);
	appendStringInfoChar(&ion->json, ']');
}

/*
 * The fields of a struct, behind its brace, as an object.
 */
static void
read_struct(Ion *ion, int level)
{
	bool		first = true;

	appendStringInfoChar(&ion->json, '{');
	while (stands_member(ion, &first, "}"))
	{
		read_name(ion);
		append_word(ion);
		appendStringInfoChar(&ion->json, ':');
		read_value(ion, level + 1);
	}
	appendStringInfoChar(&ion->json, '}');
}

/*
 * A field's name and the colon behind it, into "word".
 */
static void
read_name(Ion *ion)
{
	if (take(ion, "\""))
		read_text(ion, "\"");
	else if (take(ion, "'''"))
		read_long_text(ion);
	else
		read_symbol(ion);
	skip_space(ion);
	expect(ion, ":");
	if (take(ion, ":"))
		refuse(ion, "a name without annotation");
}

static void
read_string_value(Ion *ion)
{
	if (take(ion, "\""))
		read_text(ion, "\"");
	else if (take(ion, "'''"))
		read_long_text(ion);
	else
		refuse(ion, "a string");
	appendStringInfoString(&ion->json, "\"S\":");
	append_word(ion);
}

/*
 * An int, decimal or float.  What it may look like beyond that, and which
 * numbers there are, is asked when the JSON is read.
 */
static void
read_number(Ion *ion)
{
	const char *start = ion->next;

	if (*ion->next == '-')
		ion->next++;
	while (ion->next < ion->end &&
		   (isdigit((unsigned char) *ion->next) ||
			strchr("._dDeE", *ion->next) != NULL ||
			((*ion->next == '-' || *ion->next == '+') &&
			 strchr("dDeE", ion->next[-1]) != NULL)) && *ion->next != '\0')
		ion->next++;
	if (ion->next < ion->end && is_symbol_part(*ion->next))
		refuse(ion, "the end of a number");
	appendStringInfoString(&ion->json, "\"N\":\"");
	append_digits(ion, start, ion->next - start);
	appendStringInfoChar(&ion->json, '"');
}

/*
 * As DynamoDB writes numbers: "1_000." is 1000, "1d2" is 1e2.
 */
static void
append_digits(Ion *ion, const char *digits, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		char		c = digits[i];
		char		before = i > 0 ? digits[i - 1] : '\0';
		char		after = i + 1 < len ? digits[i + 1] : '\0';

		if (c == '_')
		{
			if (!isdigit((unsigned char) before) || !isdigit((unsigned char) after))
				refuse(ion, "digits around an underscore before this");
		}
		else if (c == '.' && !isdigit((unsigned char) after))
		{
			if (!isdigit((unsigned char) before))
				refuse(ion, "digits around a point before this");
		}
		else
			appendStringInfoChar(&ion->json, c == 'd' || c == 'D' ? 'e' : c);
	}
}

/*
 * A blob's base64, behind its braces.
 */
static void
read_blob(Ion *ion)
{
	appendStringInfoString(&ion->json, "\"B\":\"");
	for (;;)
	{
		if (ion->next < ion->end &&
			strchr(" \t\r\n\v\f", *ion->next) != NULL && *ion->next != '\0')
			ion->next++;
		else if (take(ion, "}}"))
			break;
		else if (ion->next < ion->end &&
				 (bucket_is_alphanumeric(*ion->next) ||
				  *ion->next == '+' || *ion->next == '/' || *ion->next == '='))
			appendStringInfoChar(&ion->json, *ion->next++);
		else
			refuse(ion, "base64");
	}
	appendStringInfoChar(&ion->json, '"');
}

/*
 * A symbol into "word", with or without quotes.
 */
static void
read_symbol(Ion *ion)
{
	resetStringInfo(&ion->word);
	if (take(ion, "'"))
	{
		read_text(ion, "'");
		return;
	}
	if (ion->next >= ion->end || !is_symbol_start(*ion->next))
		refuse(ion, "a name or a value");
	while (ion->next < ion->end && is_symbol_part(*ion->next))
		appendStringInfoChar(&ion->word, *ion->next++);
}

/*
 * Text up to the quote that ends it, into "word".
 */
static void
read_text(Ion *ion, const char *quote)
{
	resetStringInfo(&ion->word);
	while (!take(ion, quote))
	{
		CHECK_FOR_INTERRUPTS();
		if (ion->next >= ion->end)
			refuse(ion, psprintf("%s at the end of a text", quote));
		if (take(ion, "\\"))
			read_escape(ion);
		else
			appendStringInfoChar(&ion->word, *ion->next++);
	}
}

/*
 * '''text''', which may go on in another one.
 */
static void
read_long_text(Ion *ion)
{
	StringInfoData whole;

	initStringInfo(&whole);
	do
	{
		read_text(ion, "'''");
		appendBinaryStringInfo(&whole, ion->word.data, ion->word.len);
		skip_space(ion);
	} while (take(ion, "'''"));
	pfree(ion->word.data);		/* a line may have a million of them */
	ion->word = whole;
}

/*
 * What stands behind a backslash.
 */
static void
read_escape(Ion *ion)
{
	static const char names[] = "0abtnfrv?'\"/\\";
	static const char meanings[] = "\0\a\b\t\n\f\r\v?'\"/\\";
	const char *name;

	if (take(ion, "x"))
		append_code(ion, read_code(ion, 2));
	else if (take(ion, "U"))
		append_code(ion, read_code(ion, 8));
	else if (take(ion, "u"))
		append_code(ion, read_unit(ion));
	else
	{
		name = ion->next < ion->end && *ion->next != '\0' ?
			strchr(names, *ion->next) : NULL;
		if (name == NULL)
			refuse(ion, "an escape");
		appendStringInfoChar(&ion->word, meanings[name - names]);
		ion->next++;
	}
}

/*
 * Four digits, or a surrogate pair of two escapes.
 */
static pg_wchar
read_unit(Ion *ion)
{
	pg_wchar	first = read_code(ion, 4);
	pg_wchar	second;

	if (!is_utf16_surrogate_first(first) || !take(ion, "\\u"))
		return first;
	second = read_code(ion, 4);
	if (!is_utf16_surrogate_second(second))
		refuse(ion, "the other half of a character before this");
	return surrogate_pair_to_codepoint(first, second);
}

static pg_wchar
read_code(Ion *ion, int ndigits)
{
	pg_wchar	code = 0;

	for (int i = 0; i < ndigits; i++)
	{
		if (ion->next >= ion->end || !isxdigit((unsigned char) *ion->next))
			refuse(ion, "hexadecimal digits");
		code = code << 4 |
			(isdigit((unsigned char) *ion->next) ? *ion->next - '0' :
			 pg_tolower((unsigned char) *ion->next) - 'a' + 10);
		ion->next++;
	}
	return code;
}

static void
append_code(Ion *ion, pg_wchar code)
{
	unsigned char utf8[5] = {0};

	if (code > 0x10FFFF || is_utf16_surrogate_first(code) ||
		is_utf16_surrogate_second(code))
		refuse(ion, "a character before this");
	unicode_to_utf8(code, utf8);
	appendBinaryStringInfo(&ion->word, (char *) utf8,
						   code == 0 ? 1 : pg_utf_mblen(utf8));
}

/*
 * The word as a string of JSON.
 */
static void
append_word(Ion *ion)
{
	codec_append_string(&ion->json, ion->word.data, ion->word.len);
}

static bool
is_symbol_start(char c)
{
	return bucket_is_letter(c) || c == '_' || c == '$';
}

static bool
is_symbol_part(char c)
{
	return is_symbol_start(c) || isdigit((unsigned char) c);
}
