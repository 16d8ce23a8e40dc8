/*-------------------------------------------------------------------------
 *
 * wire_constraint.c
 *	  Requests against their shapes: constraints.
 *
 * Values are echoed as Java prints them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "wire/wire.h"

/* At most so many broken constraints are listed. */
#define MAX_ERRORS 10

/*
 * Where a value stands: a chain from the value up to the request, which is
 * NULL.  Spelled only when there is something to complain about.
 */
typedef struct Path
{
	const struct Path *parent;
	const char *name;			/* of a member, or a map's key; or NULL */
	size_t		position;		/* in a list, from 1 */
	bool		element;		/* of a list or map */
} Path;

/* What is wrong: by this it is decided what else is told. */
typedef enum BrokenKind
{
	BROKEN_OTHER,
	BROKEN_MISSING,				/* a required member is */
	BROKEN_NAME,				/* of a table, or what goes with it in a map */
	BROKEN_CHOICE				/* of an enumeration */
} BrokenKind;

typedef struct Broken
{
	BrokenKind	kind;
	const WireShape *shape;
	char	   *text;
	char	   *terse;			/* if its shape is terse: without an echo */
} Broken;

typedef struct Errors
{
	int			count;
	Broken		list[MAX_ERRORS];
	const char *unserved;		/* a member that we do not serve; or NULL */
} Errors;

static void check_fields(const WireShape *shape, const json_t *object,
						 const Path *path, Errors *errors);
static void check_value(const WireShape *shape, const json_t *value,
						const Path *path, Errors *errors);
static void check_string(const WireShape *shape, const json_t *value,
						 const Path *path, Errors *errors);
static void check_map_entries(const WireShape *shape, const json_t *value,
							  const Path *path, Errors *errors);
static void check_range(const WireShape *shape, int64 n, const char *measure,
						const json_t *value, const Path *path, Errors *errors);
static bool in_range(const WireShape *shape, int64 n);
static bool good_map_key(const WireShape *shape, const char *key);
static char *range_rules(const WireShape *shape);
static void keep_told(Errors *errors, WireTold told);
static bool broke(const Errors *errors, BrokenKind kind);
static void keep_kind(Errors *errors, BrokenKind kind);
static void drop_kind(Errors *errors, BrokenKind kind);
static void keep_foremost(Errors *errors);
static void raise_errors(const Errors *errors);
static void add_error(Errors *errors, const WireShape *shape,
					  const json_t *value, const Path *path,
					  const char *rule,...) pg_attribute_printf(5, 6);
static BrokenKind kind_of(const WireShape *shape, const json_t *value);
static char *terse_error(const Path *path, const char *rule);
static void append_error(StringInfo out, const WireShape *shape,
						 const json_t *value, const Path *path,
						 const char *rule);
static void append_path(StringInfo out, const Path *path, bool lower);
static void echo(StringInfo out, const WireShape *shape, const json_t *value);
static void echo_struct(StringInfo out, const WireShape *shape,
						const json_t *value);
static char *lower_first(const char *name);
static char *join_choices(const char *const *choices);
static int64 characters(const char *text);

/*
 * The constraint pass: collect what breaks a rule of its member and raise it
 * as one ValidationException, as far as the request's shape has it told; then
 * refuse what we do not serve.  The shape pass has been.
 */
void
wire_check_constraints(const WireShape *shape, const json_t *body)
{
	Errors		errors = {0};

	check_fields(shape, body, NULL, &errors);
	keep_told(&errors, shape->told);
	raise_errors(&errors);
	if (errors.unserved)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "%s is not supported", errors.unserved);
}

/*
 * The same for one value, JSON text, that did not come in a request: the
 * member "name" of some operation, given as an argument.  Returns it.
 */
const json_t *
wire_check_argument(const WireShape *shape, const char *name,
					const char *text, size_t len)
{
	json_error_t error;
	json_t	   *value = codec_load(text, len, &error);
	Path		path = {.name = name};
	Errors		errors = {0};

	check_value(shape, value, &path, &errors);
	raise_errors(&errors);
	return value;
}

/*
 * Leave those that the service tells of this request.
 */
static void
keep_told(Errors *errors, WireTold told)
{
	if (told == WIRE_TOLD_ALL || broke(errors, BROKEN_MISSING))
		return;
	if (told == WIRE_TOLD_CHOICES)
	{
		if (broke(errors, BROKEN_CHOICE))
			drop_kind(errors, BROKEN_NAME);
	}
	else if (broke(errors, BROKEN_NAME))
		keep_kind(errors, BROKEN_NAME);
	else if (told == WIRE_TOLD_FIRST && broke(errors, BROKEN_CHOICE))
		keep_foremost(errors);
}

static bool
broke(const Errors *errors, BrokenKind kind)
{
	for (int i = 0; i < errors->count; i++)
	{
		if (errors->list[i].kind == kind)
			return true;
	}
	return false;
}

static void
keep_kind(Errors *errors, BrokenKind kind)
{
	int			kept = 0;

	for (int i = 0; i < errors->count; i++)
	{
		if (errors->list[i].kind == kind)
			errors->list[kept++] = errors->list[i];
	}
	errors->count = kept;
}

static void
drop_kind(Errors *errors, BrokenKind kind)
{
	int			kept = 0;

	for (int i = 0; i < errors->count; i++)
	{
		if (errors->list[i].kind != kind)
			errors->list[kept++] = errors->list[i];
	}
	errors->count = kept;
}

/*
 * Of the bad choices, keep the one that is told first.
 */
static void
keep_foremost(Errors *errors)
{
	int			chosen = 0;

	keep_kind(errors, BROKEN_CHOICE);
	while (chosen < errors->count && !errors->list[chosen].shape->foremost)
		chosen++;
	if (chosen < errors->count)
		errors->list[0] = errors->list[chosen];
	errors->count = 1;
}

static void
raise_errors(const Errors *errors)
{
	const Broken *first = &errors->list[0];
	StringInfoData text;

	for (int i = 0; i < errors->count; i++)
	{
		if (errors->list[i].shape->lone)
			dynamo_error(DYNAMO_VALIDATION, "%s",
						 errors->list[i].shape->lone);
	}
	if (errors->count == 0)
		return;
	if (errors->count == 1)
		dynamo_error(DYNAMO_VALIDATION, DYNAMO_COUNTED "%s",
					 first->terse ? first->terse : first->text);
	initStringInfo(&text);
	for (int i = 0; i < errors->count; i++)
		appendStringInfo(&text, "%s%s", i > 0 ? "; " : "",
						 errors->list[i].text);
	dynamo_error(DYNAMO_VALIDATION, "%d validation errors detected: %s",
				 errors->count, text.data);
}

static void
check_fields(const WireShape *shape, const json_t *object, const Path *path,
			 Errors *errors)
{
	json_t	  **values = wire_members(shape, object);

	for (int i = 0; shape->fields[i].name; i++)
	{
		const WireField *field = &shape->fields[i];
		const json_t *value = values[i];
		Path		here = {.parent = path, .name = field->name};

		if (value == NULL && !field->required)
			continue;
		if (value == NULL)
			add_error(errors, field->shape, NULL, &here,
					  "Member must not be null");
		else
			check_value(field->shape, value, &here, errors);
	}
}

/*
 * The constraint pass on one value: adds to "errors" what breaks a rule of
 * its shape. The shape pass has seen it, so its JSON type is right.
 */
static void
check_value(const WireShape *shape, const json_t *value, const Path *path,
			Errors *errors)
{
	size_t		i;
	json_t	   *member;

	check_stack_depth();
	switch (shape->kind)
	{
		case WIRE_STRING:
			check_string(shape, value, path, errors);
			break;
		case WIRE_INTEGER:
		case WIRE_LONG:
			check_range(shape, wire_json_integer(value), "value", value, path,
						errors);
			break;
		case WIRE_LIST:
			check_range(shape, json_array_size(value), "length", value, path,
						errors);
			json_array_foreach(value, i, member)
			{
				Path		here = {.parent = path, .position = i + 1, .element = true};

				if (errors->count >= MAX_ERRORS)
					break;
				CHECK_FOR_INTERRUPTS();
				if (json_is_null(member))
					add_error(errors, shape->element, NULL, &here,
							  "Member must not be null");
				else
					check_value(shape->element, member, &here, errors);
			}
			break;
		case WIRE_MAP:
			check_range(shape, json_object_size(value), "length", value, path,
						errors);
			check_map_entries(shape, value, path, errors);
			break;
		case WIRE_STRUCT:
			check_fields(shape, value, path, errors);
			break;
		case WIRE_UNSERVED:
			if (!(json_is_array(value) && json_array_size(value) == 0))
				errors->unserved = path->name;
			break;
		case WIRE_BOOLEAN:
		case WIRE_NUMBER:
		case WIRE_VALUE:
			break;
	}
}

/*
 * A table's name may also be its ARN, which has rules of its own; the name in
 * it is as long as other names.
 */
static void
check_string(const WireShape *shape, const json_t *value, const Path *path,
			 Errors *errors)
{
	const char *text = wire_json_text(value);
	bool		limited;

	if (shape->empty && text[0] == '\0')
		return;
	if (shape->table && strncmp(text, "arn:", 4) == 0)
	{
		check_range(shape, strlen(wire_table_name(text)), "length", value,
					path, errors);
		return;
	}
	if (shape->choices && wire_choice(shape, text) < 0)
		add_error(errors, shape, value, path,
				  "Member must satisfy enum value set: [%s]",
				  join_choices(shape->choices));

	limited = shape->has_min || shape->has_max;
	if (limited && shape->length_first)
		check_range(shape, characters(text), "length", value, path, errors);
	/* Where one character is enough, an empty name is but too short. */
	if (shape->pattern && !(text[0] == '\0' && shape->min == 1) &&
		!wire_is_name(text))
		add_error(errors, shape, value, path,
				  "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
	if (shape->matches && !shape->matches(text))
		add_error(errors, shape, value, path,
				  "Member must satisfy regular expression pattern: %s",
				  shape->matches_pattern);
	if (limited && !shape->length_first)
		check_range(shape, characters(text), "length", value, path, errors);
}

/*
 * A map's entries.  Rules for the keys, and for the length of the values, are
 * reported once, at the map itself.
 */
static void
check_map_entries(const WireShape *shape, const json_t *map, const Path *path,
				  Errors *errors)
{
	bool		bad_key = false;
	bool		bad_value = false;
	bool		lists = shape->element->kind == WIRE_LIST;
	const char *key;
	json_t	   *value;

	json_object_foreach((json_t *) map, key, value)
	{
		if (shape->key && !good_map_key(shape->key, key))
			bad_key = true;
		if (lists && !json_is_null(value) &&
			!in_range(shape->element, json_array_size(value)))
			bad_value = true;
	}
	if (bad_key)
		add_error(errors, shape->key->json ? shape->key : shape, map, path,
				  "Map keys must satisfy constraint: [%s]",
				  range_rules(shape->key));
	if (bad_value)
		add_error(errors, shape, map, path,
				  "Map value must satisfy constraint: [%s]",
				  range_rules(shape->element));

	if (shape->element->kind == WIRE_VALUE)
		return;
	json_object_foreach((json_t *) map, key, value)
	{
		Path		here = {.parent = path, .name = key, .element = true};

		if (errors->count >= MAX_ERRORS)
			break;
		if (shape->element->kind == WIRE_STRING && json_is_null(value))
			continue;
		if (json_is_null(value))
			add_error(errors, shape->element, NULL, &here,
					  "Member must not be null");
		else if (!lists || !bad_value)
			check_value(shape->element, value, &here, errors);
	}
}

static void
check_range(const WireShape *shape, int64 n, const char *measure,
			const json_t *value, const Path *path, Errors *errors)
{
	if (shape->has_min && n < shape->min)
		add_error(errors, shape, value, path,
				  "Member must have %s greater than or equal to " INT64_FORMAT,
				  measure, shape->min);
	if (shape->has_max && n > shape->max)
		add_error(errors, shape, value, path,
				  "Member must have %s less than or equal to " INT64_FORMAT,
				  measure, shape->max);
}

static bool
in_range(const WireShape *shape, int64 n)
{
	return !(shape->has_min && n < shape->min) &&
		!(shape->has_max && n > shape->max);
}

static bool
good_map_key(const WireShape *shape, const char *key)
{
	if (shape->table && strncmp(key, "arn:", 4) == 0)
		return in_range(shape, strlen(wire_table_name(key)));
	return in_range(shape, strlen(key)) && (!shape->pattern || wire_is_name(key));
}

/*
 * The rules of a map's keys or values in one list.
 */
static char *
range_rules(const WireShape *shape)
{
	StringInfoData rules;

	initStringInfo(&rules);
	if (shape->has_max)
		appendStringInfo(&rules, "Member must have length less than or equal to "
						 INT64_FORMAT, shape->max);
	if (shape->has_min)
		appendStringInfo(&rules, "%sMember must have length greater than or equal to "
						 INT64_FORMAT, rules.len > 0 ? ", " : "", shape->min);
	if (shape->pattern)
		appendStringInfo(&rules, "%sMember must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
						 rules.len > 0 ? ", " : "");
	return rules.data;
}

/*
 * Note that "value" (NULL: absent) breaks a rule.  Terse shapes are of the
 * service's newer validator, which spells paths as requests do and echoes
 * nothing; where more is wrong, the older one lists it all.
 */
static void
add_error(Errors *errors, const WireShape *shape, const json_t *value,
		  const Path *path, const char *rule,...)
{
	va_list		args;
	char		text[512];
	Broken	   *broken;
	StringInfoData message;

	if (errors->count >= MAX_ERRORS)
		return;
	va_start(args, rule);
	vsnprintf(text, sizeof(text), rule, args);
	va_end(args);
	initStringInfo(&message);
	append_error(&message, shape, value, path, text);
	broken = &errors->list[errors->count++];
	broken->kind = kind_of(shape, value);
	broken->shape = shape;
	broken->text = message.data;
	broken->terse = shape->terse && value ? terse_error(path, text) : NULL;
}

static BrokenKind
kind_of(const WireShape *shape, const json_t *value)
{
	if (value == NULL)
		return BROKEN_MISSING;
	if (shape->choices)
		return BROKEN_CHOICE;
	if (shape->table || (shape->key && shape->key->table))
		return BROKEN_NAME;
	return BROKEN_OTHER;
}

static char *
terse_error(const Path *path, const char *rule)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, "Value at '");
	append_path(&out, path, false);
	appendStringInfo(&out, "' failed to satisfy constraint: %s", rule);
	return out.data;
}

static void
append_error(StringInfo out, const WireShape *shape, const json_t *value,
			 const Path *path, const char *rule)
{
	if (value == NULL)
		appendStringInfoString(out, "Value null at '");
	else
	{
		appendStringInfoString(out, "Value '");
		if (shape->json)
			wire_append_json(out, value);
		else
			echo(out, shape, value);
		appendStringInfoString(out, "' at '");
	}
	append_path(out, path, true);
	appendStringInfo(out, "' failed to satisfy constraint: %s", rule);
}

/*
 * Spell a path: requestItems.T.member.keys, or RequestItems.T.member.Keys.
 */
static void
append_path(StringInfo out, const Path *path, bool lower)
{
	if (path->parent)
	{
		append_path(out, path->parent, lower);
		appendStringInfoChar(out, '.');
	}
	if (path->name == NULL)
		appendStringInfo(out, "%zu", path->position);
	else
		appendStringInfoString(out, lower && !path->element ?
							   lower_first(path->name) : path->name);
	if (path->element)
		appendStringInfoString(out, ".member");
}

/*
 * A value as Java's toString() has it.
 */
static void
echo(StringInfo out, const WireShape *shape, const json_t *value)
{
	size_t		i;
	const char *key;
	json_t	   *member;
	bool		more = false;

	check_stack_depth();
	switch (json_typeof(value))
	{
		case JSON_STRING:
			appendStringInfoString(out, wire_json_text(value));
			break;
		case JSON_INTEGER:
		case JSON_REAL:
			appendStringInfo(out, INT64_FORMAT, wire_json_integer(value));
			break;
		case JSON_TRUE:
		case JSON_FALSE:
			appendStringInfoString(out, json_is_true(value) ? "true" : "false");
			break;
		case JSON_NULL:
			appendStringInfoString(out, "null");
			break;
		case JSON_ARRAY:
			appendStringInfoChar(out, '[');
			json_array_foreach(value, i, member)
			{
				if (i > 0)
					appendStringInfoString(out, ", ");
				echo(out, shape ? shape->element : NULL, member);
			}
			appendStringInfoChar(out, ']');
			break;
		case JSON_OBJECT:
			if (shape && (shape->kind == WIRE_STRUCT || shape->kind == WIRE_VALUE))
			{
				echo_struct(out, shape, value);
				break;
			}
			appendStringInfoChar(out, '{');
			json_object_foreach((json_t *) value, key, member)
			{
				appendStringInfo(out, "%s%s=", more ? ", " : "", key);
				echo(out, shape ? shape->element : NULL, member);
				more = true;
			}
			appendStringInfoChar(out, '}');
			break;
	}
}

/*
 * A structure as the service shows it in its messages, Name(member=value,
 * ...), null members left out.
 */
static void
echo_struct(StringInfo out, const WireShape *shape, const json_t *value)
{
	bool		more = false;
	const char *key;
	json_t	   *member;

	appendStringInfo(out, "%s(",
					 shape->kind == WIRE_VALUE ? "AttributeValue" : shape->name);
	json_object_foreach((json_t *) value, key, member)
	{
		const WireShape *member_shape = NULL;
		const WireField *field = shape->kind == WIRE_STRUCT ? shape->fields : NULL;

		for (; field && field->name; field++)
		{
			if (strcmp(field->name, key) == 0)
				member_shape = field->shape;
		}
		if (json_is_null(member) ||
			(shape->kind == WIRE_STRUCT && member_shape == NULL))
			continue;
		if (shape->kind == WIRE_VALUE &&
			(json_is_array(member) || json_is_object(member)))
			member_shape = &wire_any_values_shape;
		appendStringInfo(out, "%s%s=", more ? ", " : "", lower_first(key));
		echo(out, member_shape, member);
		more = true;
	}
	appendStringInfoChar(out, ')');
}

static char *
lower_first(const char *name)
{
	char	   *copy = pstrdup(name);

	copy[0] = pg_ascii_tolower((unsigned char) copy[0]);
	return copy;
}

static char *
join_choices(const char *const *choices)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; choices[i]; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "", choices[i]);
	return out.data;
}

/*
 * The length of a UTF-8 text in characters.
 */
static int64
characters(const char *text)
{
	int64		n = 0;

	for (; *text; text++)
		n += (*text & 0xC0) != 0x80;
	return n;
}
