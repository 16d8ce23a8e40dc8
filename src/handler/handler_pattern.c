/*-------------------------------------------------------------------------
 *
 * handler_pattern.c
 *	  Filters of records: patterns as Amazon EventBridge has them.
 *
 *		{"Filters": [{"Pattern": "{\"eventName\": [\"INSERT\"]}"}, ...]}
 *
 * A record passes if one of the filters lets it.  A pattern names members of
 * the record, and all that it names must fit; an array lists what fits a
 * member, one of which will do:
 *
 *		"text", 1, true, null		the value itself
 *		{"prefix": "text"}			also suffix, equals-ignore-case
 *		{"anything-but": x}			x: a value, values, or one of the above
 *		{"numeric": [">", 0, "<=", 5]}
 *		{"exists": true}			whether there is such a member
 *		"$or": [pattern, ...]		instead of a member: one of these
 *
 * Patterns are checked when a mapping is made, so that matching meets none
 * that it does not understand.  Where the record has an array, one of its
 * elements will do, as in EventBridge.
 *
 * One rule is ours: DynamoDB sends numbers as strings, {"N": "5"}, which
 * "numeric" would never fit.  Under the name N it compares them as numbers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"
#include "miscadmin.h"

/* Kinds of text comparison. */
static const char *const text_tests[] = {
	"prefix", "suffix", "equals-ignore-case"
};

static json_t *load_pattern(const json_t *filter);
static void refuse_pattern(const char *fmt,...) pg_attribute_printf(1, 2)
			pg_attribute_noreturn();
static void check_pattern(const json_t *pattern);
static void check_or(const json_t *patterns);
static void check_tests(const char *name, const json_t *tests);
static void check_test(const char *name, const json_t *test);
static void check_anything_but(const char *name, const json_t *value);
static void check_numeric(const char *name, const json_t *value);
static bool is_or(const char *name, const json_t *value);
static bool is_text_test(const char *kind);
static bool pattern_fits(const json_t *pattern, const json_t *record);
static bool or_fits(const json_t *patterns, const json_t *record);
static bool member_fits(const char *name, const json_t *wanted,
						const json_t *value);
static bool any_fits(const char *name, const json_t *tests,
					 const json_t *value);
static bool test_fits(const char *name, const json_t *test,
					  const json_t *value);
static bool text_fits(const char *kind, const json_t *wanted,
					  const json_t *value);
static bool is_excluded(const json_t *excluded, const json_t *value);
static bool numeric_fits(const char *name, const json_t *test,
						 const json_t *value);
static bool number_of(const char *name, const json_t *value, double *number);
static bool compares(double number, const char *operator, double operand);

/*
 * The patterns of a FilterCriteria in JSON, json_t *; NIL: there are none.
 * Raises 22023 for what is none.
 */
List *
handler_load_filters(const char *criteria)
{
	json_error_t error;
	json_t	   *given;
	json_t	   *filters;
	List	   *patterns = NIL;

	if (criteria == NULL)
		return NIL;
	if (strlen(criteria) > HANDLER_MAX_CRITERIA)
		refuse_pattern("filter_criteria is longer than %d bytes",
					   HANDLER_MAX_CRITERIA);
	given = codec_load(criteria, strlen(criteria), &error);
	if (!json_is_object(given))
		refuse_pattern("filter_criteria must be a JSON object");
	filters = json_object_get(given, "Filters");
	if (json_object_size(given) != (filters != NULL) ||
		(filters != NULL && !json_is_array(filters)))
		refuse_pattern("filter_criteria must have one member, Filters, an array");
	if (json_array_size(filters) > HANDLER_MAX_FILTERS)
		refuse_pattern("filter_criteria must not have more than %d filters",
					   HANDLER_MAX_FILTERS);
	for (size_t i = 0; i < json_array_size(filters); i++)
	{
		json_t	   *pattern = load_pattern(json_array_get(filters, i));

		check_pattern(pattern);
		patterns = lappend(patterns, pattern);
	}
	return patterns;
}

/*
 * Lambda takes a pattern as JSON in a string.  SQL may give it as it is.
 */
static json_t *
load_pattern(const json_t *filter)
{
	json_t	   *pattern = json_object_get(filter, "Pattern");
	json_error_t error;

	if (!json_is_object(filter) || pattern == NULL ||
		json_object_size(filter) != 1)
		refuse_pattern("each filter must be an object with one member, Pattern");
	if (!json_is_string(pattern))
		return pattern;
	if (json_string_length(pattern) > HANDLER_MAX_PATTERN)
		refuse_pattern("the pattern is longer than %d characters",
					   HANDLER_MAX_PATTERN);
	pattern = codec_load(json_string_value(pattern),
							 json_string_length(pattern), &error);
	if (pattern == NULL)
		refuse_pattern("the pattern is not valid JSON");
	return pattern;
}

static void
refuse_pattern(const char *fmt,...)
{
	va_list		args;
	char	   *detail;

	va_start(args, fmt);
	detail = dynamo_format(fmt, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid filter: %s", detail)));
}

static void
check_pattern(const json_t *pattern)
{
	const char *name;
	json_t	   *value;

	check_stack_depth();
	if (!json_is_object(pattern) || json_object_size(pattern) == 0)
		refuse_pattern("a pattern must be an object that is not empty");
	json_object_foreach((json_t *) pattern, name, value)
	{
		if (is_or(name, value))
			check_or(value);
		else if (json_is_object(value))
			check_pattern(value);
		else if (json_is_array(value))
			check_tests(name, value);
		else
			refuse_pattern("\"%s\" must be an array or an object", name);
	}
}

static bool
is_or(const char *name, const json_t *value)
{
	return strcmp(name, "$or") == 0 && json_is_array(value);
}

static void
check_or(const json_t *patterns)
{
	if (json_array_size(patterns) < 2)
		refuse_pattern("\"$or\" must list two patterns or more");
	for (size_t i = 0; i < json_array_size(patterns); i++)
		check_pattern(json_array_get(patterns, i));
}

static void
check_tests(const char *name, const json_t *tests)
{
	if (json_array_size(tests) == 0)
		refuse_pattern("the array of \"%s\" is empty", name);
	for (size_t i = 0; i < json_array_size(tests); i++)
		check_test(name, json_array_get(tests, i));
}

static void
check_test(const char *name, const json_t *test)
{
	const char *kind;
	json_t	   *value;

	if (json_is_array(test))
		refuse_pattern("the array of \"%s\" contains an array", name);
	if (!json_is_object(test))
		return;
	if (json_object_size(test) != 1)
		refuse_pattern("a comparison of \"%s\" must have one member", name);
	json_object_foreach((json_t *) test, kind, value)
	{
		if (is_text_test(kind))
		{
			if (!json_is_string(value))
				refuse_pattern("\"%s\" of \"%s\" must be a string", kind,
							   name);
		}
		else if (strcmp(kind, "anything-but") == 0)
			check_anything_but(name, value);
		else if (strcmp(kind, "numeric") == 0)
			check_numeric(name, value);
		else if (strcmp(kind, "exists") == 0)
		{
			if (!json_is_boolean(value))
				refuse_pattern("\"exists\" of \"%s\" must be true or false",
							   name);
		}
		else
			refuse_pattern("\"%s\" has an unknown comparison, \"%s\"", name,
						   kind);
	}
}

static bool
is_text_test(const char *kind)
{
	for (int i = 0; i < lengthof(text_tests); i++)
	{
		if (strcmp(text_tests[i], kind) == 0)
			return true;
	}
	return false;
}

/*
 * A string or a number, an array of these, or a comparison of text.
 */
static void
check_anything_but(const char *name, const json_t *value)
{
	if (json_is_string(value) || json_is_number(value))
		return;
	if (json_is_array(value) && json_array_size(value) > 0)
	{
		for (size_t i = 0; i < json_array_size(value); i++)
		{
			const json_t *element = json_array_get(value, i);

			if (!json_is_string(element) && !json_is_number(element))
				refuse_pattern("\"anything-but\" of \"%s\" must list strings or numbers",
							   name);
		}
		return;
	}
	if (json_is_object(value) && json_object_size(value) == 1)
	{
		void	   *member = json_object_iter((json_t *) value);

		if (is_text_test(json_object_iter_key(member)) &&
			json_is_string(json_object_iter_value(member)))
			return;
	}
	refuse_pattern("\"anything-but\" of \"%s\" must be a string, a number, an array of them, or a comparison of text",
				   name);
}

/*
 * ["=", n], or one or two of <, <=, >, >=, each with its number.
 */
static void
check_numeric(const char *name, const json_t *value)
{
	static const char *const operators[] = {"=", "<", "<=", ">", ">="};
	size_t		n = json_array_size(value);

	if (!json_is_array(value) || (n != 2 && n != 4))
		refuse_pattern("\"numeric\" of \"%s\" must be an array of one or two operators, each with a number",
					   name);
	for (size_t i = 0; i < n; i += 2)
	{
		const char *given = json_string_value(json_array_get(value, i));
		bool		known = false;

		for (int j = 0; given != NULL && j < lengthof(operators); j++)
			known |= strcmp(operators[j], given) == 0 && (j > 0 || n == 2);
		if (!known)
			refuse_pattern("\"numeric\" of \"%s\" has an unknown operator",
						   name);
		if (!json_is_number(json_array_get(value, i + 1)))
			refuse_pattern("an operator of \"numeric\" of \"%s\" has no number", name);
	}
}

/*
 * Does a record pass?
 */
bool
handler_matches(List *patterns, const json_t *record)
{
	ListCell   *lc;

	foreach(lc, patterns)
	{
		if (pattern_fits(lfirst(lc), record))
			return true;
	}
	return patterns == NIL;
}

static bool
pattern_fits(const json_t *pattern, const json_t *record)
{
	const char *name;
	json_t	   *wanted;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	json_object_foreach((json_t *) pattern, name, wanted)
	{
		if (is_or(name, wanted))
		{
			if (!or_fits(wanted, record))
				return false;
		}
		else if (!member_fits(name, wanted, json_object_get(record, name)))
			return false;
	}
	return true;
}

static bool
or_fits(const json_t *patterns, const json_t *record)
{
	for (size_t i = 0; i < json_array_size(patterns); i++)
	{
		if (pattern_fits(json_array_get(patterns, i), record))
			return true;
	}
	return false;
}

/*
 * "value" is NULL where the record has no such member.
 */
static bool
member_fits(const char *name, const json_t *wanted, const json_t *value)
{
	if (json_is_array(wanted))
		return any_fits(name, wanted, value);
	if (!json_is_array(value))
		return pattern_fits(wanted, value);
	for (size_t i = 0; i < json_array_size(value); i++)
	{
		if (pattern_fits(wanted, json_array_get(value, i)))
			return true;
	}
	return false;
}

static bool
any_fits(const char *name, const json_t *tests, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(tests); i++)
	{
		const json_t *test = json_array_get(tests, i);
		const json_t *exists = json_object_get(test, "exists");

		CHECK_FOR_INTERRUPTS();
		if (exists != NULL)
		{
			if (json_is_true(exists) ==
				(value != NULL && !json_is_object(value)))
				return true;
			continue;
		}
		if (!json_is_array(value))
		{
			if (value != NULL && test_fits(name, test, value))
				return true;
			continue;
		}
		for (size_t j = 0; j < json_array_size(value); j++)
		{
			CHECK_FOR_INTERRUPTS();
			if (test_fits(name, test, json_array_get(value, j)))
				return true;
		}
	}
	return false;
}

static bool
test_fits(const char *name, const json_t *test, const json_t *value)
{
	void	   *member;
	const char *kind;
	const json_t *wanted;

	if (json_is_number(test) && json_is_number(value))
		return json_number_value(test) == json_number_value(value);
	if (!json_is_object(test))
		return json_equal(test, value);
	member = json_object_iter((json_t *) test);
	kind = json_object_iter_key(member);
	wanted = json_object_iter_value(member);
	if (strcmp(kind, "numeric") == 0)
		return numeric_fits(name, wanted, value);
	if (strcmp(kind, "anything-but") == 0)
		return !json_is_object(value) && !is_excluded(wanted, value);
	return text_fits(kind, wanted, value);
}

static bool
text_fits(const char *kind, const json_t *wanted, const json_t *value)
{
	const char *text = json_string_value(value);
	size_t		len = json_string_length(value);
	size_t		wanted_len = json_string_length(wanted);

	if (!json_is_string(value) || len < wanted_len)
		return false;
	if (strcmp(kind, "prefix") == 0)
		return memcmp(text, json_string_value(wanted), wanted_len) == 0;
	if (strcmp(kind, "suffix") == 0)
		return memcmp(text + len - wanted_len, json_string_value(wanted),
					  wanted_len) == 0;
	if (len != wanted_len)
		return false;
	for (size_t i = 0; i < len; i++)
	{
		if (pg_ascii_tolower((unsigned char) text[i]) !=
			pg_ascii_tolower((unsigned char) json_string_value(wanted)[i]))
			return false;
	}
	return true;
}

static bool
is_excluded(const json_t *excluded, const json_t *value)
{
	if (!json_is_array(excluded))
		return test_fits("", excluded, value);
	for (size_t i = 0; i < json_array_size(excluded); i++)
	{
		if (test_fits("", json_array_get(excluded, i), value))
			return true;
	}
	return false;
}

static bool
numeric_fits(const char *name, const json_t *test, const json_t *value)
{
	double		number;

	if (!number_of(name, value, &number))
		return false;
	for (size_t i = 0; i < json_array_size(test); i += 2)
	{
		if (!compares(number, json_string_value(json_array_get(test, i)),
					  json_number_value(json_array_get(test, i + 1))))
			return false;
	}
	return true;
}

static bool
number_of(const char *name, const json_t *value, double *number)
{
	char	   *end;

	if (json_is_number(value))
	{
		*number = json_number_value(value);
		return true;
	}
	if (strcmp(name, "N") != 0 || !json_is_string(value))
		return false;
	*number = strtod(json_string_value(value), &end);
	return end != json_string_value(value) && *end == '\0';
}

static bool
compares(double number, const char *operator, double operand)
{
	if (operator[0] == '=')
		return number == operand;
	if (number == operand)
		return operator[1] == '=';
	return operator[0] == '<' ? number < operand : number > operand;
}
