/*-------------------------------------------------------------------------
 *
 * wire_json.c
 *	  JSON values as C has them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "wire/wire.h"

static void print(StringInfo out, const json_t *value, size_t flags);
static void append(StringInfo out, const json_t *value, size_t flags);
static void append_object(StringInfo out, json_t *object, size_t flags);
static void append_member(StringInfo out, char before, const char *name,
						  const json_t *value, size_t flags);
static void append_array(StringInfo out, const json_t *array, size_t flags);
static void append_real(StringInfo out, const json_t *value, size_t flags);

/*
 * A member of an object; JSON null is as good as absent.
 */
json_t *
wire_json_get(const json_t *object, const char *name)
{
	json_t	   *value = json_object_get(object, name);

	return json_is_null(value) ? NULL : value;
}

/*
 * A JSON string as a C string.  A NUL, which no expression or table's name may
 * hold, becomes another control character, which none may hold either.
 */
const char *
wire_json_text(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t		len = json_string_length(value);
	char	   *copy;

	if (strlen(text) == len)
		return text;
	copy = pnstrdup(text, 0);
	copy = repalloc(copy, len + 1);
	memcpy(copy, text, len + 1);
	for (size_t i = 0; i < len; i++)
	{
		if (copy[i] == '\0')
			copy[i] = '\x01';
	}
	return copy;
}

/*
 * A JSON number as an integer: fractions are floored, what is out of range is
 * the nearest that is not.
 */
int64
wire_json_integer(const json_t *value)
{
	double		n;

	if (json_is_integer(value))
		return json_integer_value(value);
	n = floor(json_real_value(value));
	if (n >= (double) PG_INT64_MAX)
		return PG_INT64_MAX;
	if (n <= (double) PG_INT64_MIN)
		return PG_INT64_MIN;
	return (int64) n;
}

const char *
wire_json_text_in(const json_t *object, const char *member)
{
	const json_t *value = json_object_get(object, member);

	return json_is_string(value) ? wire_json_text(value) : NULL;
}

int64
wire_json_integer_in(const json_t *object, const char *member, int64 missing)
{
	const json_t *value = json_object_get(object, member);

	return json_is_number(value) ? wire_json_integer(value) : missing;
}

/*
 * The truth that a JSON string tells.  False if it is none.
 */
bool
wire_json_boolean(const char *text, bool *value)
{
	static const char *const yes[] = {"true", "1", "yes"};
	static const char *const no[] = {"false", "0", "no"};

	for (int i = 0; i < lengthof(yes); i++)
	{
		*value = pg_strcasecmp(text, yes[i]) == 0;
		if (*value || pg_strcasecmp(text, no[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Append a value as compact JSON.
 */
void
wire_append_json(StringInfo out, const json_t *value)
{
	print(out, value, JSON_REAL_PRECISION(DBL_DIG));
}

/*
 * The same for values that are equal to have the same text.
 */
void
wire_append_canonical_json(StringInfo out, const json_t *value)
{
	print(out, value, JSON_SORT_KEYS);
}

/*
 * Digests of tokens are of texts that jansson has printed, too.  So with assertions
 * on, both are compared.
 */
static void
print(StringInfo out, const json_t *value, size_t flags)
{
#ifdef USE_ASSERT_CHECKING
	int			start = out->len;
	char	   *theirs = json_dumps(value,
									JSON_COMPACT | JSON_ENCODE_ANY | flags);
#endif
	append(out, value, flags);
#ifdef USE_ASSERT_CHECKING
	Assert(theirs == NULL || strcmp(out->data + start, theirs) == 0);
	free(theirs);
#endif
}

/*
 * As json_dumps() does, with JSON_COMPACT and these flags, without a buffer of its
 * own.
 */
static void
append(StringInfo out, const json_t *value, size_t flags)
{
	check_stack_depth();
	switch (json_typeof(value))
	{
		case JSON_OBJECT:
			append_object(out, unconstify(json_t *, value), flags);
			break;
		case JSON_ARRAY:
			append_array(out, value, flags);
			break;
		case JSON_STRING:
			codec_append_string(out, json_string_value(value),
								json_string_length(value));
			break;
		case JSON_INTEGER:
			appendStringInfo(out, INT64_FORMAT,
							 (int64) json_integer_value(value));
			break;
		case JSON_REAL:
			append_real(out, value, flags);
			break;
		case JSON_TRUE:
			appendStringInfoString(out, "true");
			break;
		case JSON_FALSE:
			appendStringInfoString(out, "false");
			break;
		case JSON_NULL:
			appendStringInfoString(out, "null");
			break;
	}
}

static void
append_object(StringInfo out, json_t *object, size_t flags)
{
	size_t		n = json_object_size(object);
	const char **names;
	json_t	  **members;
	int		   *order;
	const char *name;
	json_t	   *member;

	if (n < 2 || (flags & JSON_SORT_KEYS) == 0)
	{
		char		before = '{';

		json_object_foreach(object, name, member)
		{
			append_member(out, before, name, member, flags);
			before = ',';
		}
		appendStringInfoString(out, before == '{' ? "{}" : "}");
		return;
	}
	names = palloc(sizeof(char *) * n);
	members = palloc(sizeof(json_t *) * n);
	n = 0;
	json_object_foreach(object, name, member)
	{
		names[n] = name;
		members[n++] = member;
	}
	order = dynamo_sort_names(names, n);
	for (size_t i = 0; i < n; i++)
		append_member(out, i == 0 ? '{' : ',', names[order[i]],
					  members[order[i]], flags);
	appendStringInfoChar(out, '}');
	pfree(order);
	pfree(members);
	pfree(names);
}

static void
append_member(StringInfo out, char before, const char *name,
			  const json_t *value, size_t flags)
{
	appendStringInfoCharMacro(out, before);
	codec_append_string(out, name, strlen(name));
	appendStringInfoCharMacro(out, ':');
	append(out, value, flags);
}

static void
append_array(StringInfo out, const json_t *array, size_t flags)
{
	size_t		i;
	json_t	   *element;

	appendStringInfoCharMacro(out, '[');
	json_array_foreach(array, i, element)
	{
		if (i > 0)
			appendStringInfoCharMacro(out, ',');
		append(out, element, flags);
	}
	appendStringInfoCharMacro(out, ']');
}

static void
append_real(StringInfo out, const json_t *value, size_t flags)
{
	char	   *text = json_dumps(value, JSON_ENCODE_ANY | flags);

	if (text == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	appendStringInfoString(out, text);
	free(text);
}

/* The same as text of its own. */
const char *
wire_json_document(const json_t *value)
{
	StringInfoData out;

	initStringInfo(&out);
	wire_append_json(&out, value);
	return out.data;
}

/*
 * Begin a member of a response with that of an object, as it stands there; none if
 * the object has none.
 */
void
wire_json_member(StringInfo out, json_t *object, const char *member)
{
	json_t	   *value = json_object_get(object, member);

	if (value == NULL)
		return;
	wire_member(out, member);
	wire_append_json(out, value);
}

/*
 * A flag among an object's members; a client may send it as text.
 */
bool
wire_json_is_true(const json_t *object, const char *member)
{
	json_t	   *value = json_object_get(object, member);
	bool		flag;

	if (json_is_string(value))
		return parse_bool(json_string_value(value), &flag) && flag;
	return json_is_true(value);
}
