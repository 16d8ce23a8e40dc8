/*-------------------------------------------------------------------------
 *
 * api_validate.c
 *	  Requests against their shapes: types, constraints, and into a struct.
 *
 * The three walks share the tables of api_internal.h and nothing else.  The
 * texts of the first are those of a Java deserializer, down to its class
 * names; the second echoes values as Java prints them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "api/api_internal.h"
#include "miscadmin.h"

#define MODEL "com.amazonaws.dynamodb.v20120810."
#define NESTED_COLLECTION \
	"class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class " \
	"(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"

/* At most so many broken constraints are listed. */
#define MAX_ERRORS 10

/*
 * Where a value stands: a chain from the value up to the request, which is
 * NULL.  Spelled only when there is something to complain about.
 */
typedef struct Path
{
	const struct Path *parent;
	const char *name;			/* of a member, or a map's key; NULL: in a list */
	size_t		position;		/* in a list, from 1 */
	bool		element;		/* of a list or map */
} Path;

typedef struct Errors
{
	int			count;
	StringInfoData text;		/* joined with "; " */
	char	   *terse;			/* the first, if its shape is terse */
} Errors;

static void check_type(const ApiShape *shape, const json_t *value,
					   bool element);
static void check_string_type(const ApiShape *shape, const json_t *value);
static void check_boolean_type(const json_t *value);
static void check_number_type(const ApiShape *shape, const json_t *value);
static void check_list_type(const ApiShape *shape, const json_t *value,
							bool element);
static void check_map_type(const ApiShape *shape, const json_t *value,
						   bool element);
static void check_struct_type(const ApiShape *shape, const json_t *value,
							  bool element);
static void check_collection(const json_t *value, const char *class);
static char *java_class(const ApiShape *shape);
static void check_fields(const ApiShape *shape, const json_t *object,
						 const Path *path, Errors *errors);
static json_t **values_of_fields(const ApiShape *shape, const json_t *object);
static void check_value(const ApiShape *shape, const json_t *value,
						const Path *path, Errors *errors);
static void check_string(const ApiShape *shape, const json_t *value,
						 const Path *path, Errors *errors);
static void check_map_entries(const ApiShape *shape, const json_t *value,
							  const Path *path, Errors *errors);
static void check_range(const ApiShape *shape, int64 n, const char *measure,
						const json_t *value, const Path *path, Errors *errors);
static bool in_range(const ApiShape *shape, int64 n);
static bool good_map_key(const ApiShape *shape, const char *key);
static char *range_rules(const ApiShape *shape);
static void add_error(Errors *errors, const ApiShape *shape,
					  const json_t *value, const Path *path,
					  const char *rule,...) pg_attribute_printf(5, 6);
static char *terse_error(const Path *path, const char *rule);
static void append_error(StringInfo out, const ApiShape *shape,
						 const json_t *value, const Path *path,
						 const char *rule);
static void append_path(StringInfo out, const Path *path, bool lower);
static void echo(StringInfo out, const ApiShape *shape, const json_t *value);
static void echo_struct(StringInfo out, const ApiShape *shape,
						const json_t *value);
static char *lower_first(const char *name);
static bool boolean_of(const char *text, bool *value);
static int	choice_of(const ApiShape *shape, const char *text);
static char *join_choices(const char *const *choices);
static bool is_name(const char *text);
static int64 characters(const char *text);

/*
 * A member of an object; JSON null is as good as absent.
 */
json_t *
api_json_get(const json_t *object, const char *name)
{
	json_t	   *value = json_object_get(object, name);

	return json_is_null(value) ? NULL : value;
}

/*
 * The shape pass: raise SerializationException for the first value of a wrong
 * JSON type.  Members the shape does not know are skipped unread.
 */
void
api_check_shape(const ApiShape *shape, const json_t *body)
{
	if (!json_is_object(body))
		dynamo_error(DYNAMO_SERIALIZATION, API_NO_TEXT);
	check_type(shape, body, false);
}

static void
check_type(const ApiShape *shape, const json_t *value, bool element)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (json_is_null(value))
		return;
	switch (shape->kind)
	{
		case API_STRING:
			check_string_type(shape, value);
			break;
		case API_BOOLEAN:
			check_boolean_type(value);
			break;
		case API_INTEGER:
		case API_LONG:
		case API_NUMBER:
			check_number_type(shape, value);
			break;
		case API_VALUE:
			if (!element && !json_is_object(value) && !json_is_array(value))
				dynamo_error(DYNAMO_SERIALIZATION, "Unexpected field type");
			item_json_check_value(value);
			break;
		case API_LIST:
			check_list_type(shape, value, element);
			break;
		case API_MAP:
			check_map_type(shape, value, element);
			break;
		case API_STRUCT:
			check_struct_type(shape, value, element);
			break;
	}
}

/*
 * The parser's name for a scalar token.
 */
static const char *
token_name(const json_t *value)
{
	switch (json_typeof(value))
	{
		case JSON_STRING:
			return "STRING_VALUE";
		case JSON_INTEGER:
			return "NUMBER_VALUE";
		case JSON_REAL:
			return "DECIMAL_VALUE";
		case JSON_TRUE:
			return "TRUE_VALUE";
		default:
			return "FALSE_VALUE";
	}
}

/*
 * An attribute's name with a NUL is as malformed as the name of a member with
 * one, which the parser refuses.
 */
static void
check_string_type(const ApiShape *shape, const json_t *value)
{
	check_collection(value, "class java.lang.String");
	if (!json_is_string(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to String",
					 token_name(value));
	if (shape->attribute &&
		strlen(json_string_value(value)) != json_string_length(value))
		dynamo_error(DYNAMO_SERIALIZATION, API_NO_TEXT);
}

static void
check_boolean_type(const json_t *value)
{
	bool		ignored;

	check_collection(value, "class java.lang.Boolean");
	if (json_is_number(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to Boolean",
					 token_name(value));
	if (json_is_string(value) &&
		!boolean_of(json_string_value(value), &ignored))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Unexpected token received from parser");
}

static void
check_number_type(const ApiShape *shape, const json_t *value)
{
	char	   *class = java_class(shape);

	check_collection(value, psprintf("class java.lang.%s", class));
	if (!json_is_number(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to %s",
					 token_name(value), class);
}

static void
check_list_type(const ApiShape *shape, const json_t *value, bool element)
{
	size_t		i;
	json_t	   *member;

	if (json_is_object(value))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Start of structure or map found where not expected");
	if (!json_is_array(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s",
					 element ? NESTED_COLLECTION : "Unexpected field type");
	json_array_foreach(value, i, member)
		check_type(shape->element, member, true);
}

static void
check_map_type(const ApiShape *shape, const json_t *value, bool element)
{
	const char *key;
	json_t	   *member;

	if (json_is_array(value))
		dynamo_error(DYNAMO_SERIALIZATION, "Unrecognized collection type %s",
					 java_class(shape));
	if (!json_is_object(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s",
					 element ? NESTED_COLLECTION : "Unexpected field type");
	json_object_foreach((json_t *) value, key, member)
		check_type(shape->element, member, true);
}

/*
 * In the order of the document, as a parser meets the members.
 */
static void
check_struct_type(const ApiShape *shape, const json_t *value, bool element)
{
	const char *key;
	json_t	   *member;

	if (json_is_array(value))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Unrecognized collection type class " MODEL "%s",
					 shape->name);
	if (!json_is_object(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s",
					 element ? "Unexpected value type in payload" :
					 "Unexpected field type");
	json_object_foreach((json_t *) value, key, member)
	{
		for (const ApiField *field = shape->fields; field->name; field++)
		{
			if (strcmp(field->name, key) != 0)
				continue;
			check_type(field->shape, member, false);
			break;
		}
	}
}

/*
 * Refuse a collection where a scalar of the Java class is wanted.
 */
static void
check_collection(const json_t *value, const char *class)
{
	if (json_is_array(value))
		dynamo_error(DYNAMO_SERIALIZATION, "Unrecognized collection type %s",
					 class);
	if (json_is_object(value))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Start of structure or map found where not expected");
}

/*
 * The Java type of a shape, as the deserializer would print it.
 */
static char *
java_class(const ApiShape *shape)
{
	switch (shape->kind)
	{
		case API_STRING:
			return "java.lang.String";
		case API_BOOLEAN:
			return "java.lang.Boolean";
		case API_INTEGER:
			return "Integer";
		case API_LONG:
			return "Long";
		case API_NUMBER:
			return "Double";
		case API_VALUE:
			return MODEL "AttributeValue";
		case API_LIST:
			return psprintf("java.util.List<%s>", java_class(shape->element));
		case API_MAP:
			return psprintf("java.util.Map<java.lang.String, %s>",
							java_class(shape->element));
		case API_STRUCT:
			break;
	}
	return psprintf(MODEL "%s", shape->name);
}

/*
 * The constraint pass: collect what breaks a rule of its member and raise it
 * all as one ValidationException.  The shape pass has been.
 */
void
api_check_constraints(const ApiShape *shape, const json_t *body)
{
	Errors		errors = {0};

	initStringInfo(&errors.text);
	check_fields(shape, body, NULL, &errors);
	if (errors.count == 1)
		dynamo_error(DYNAMO_VALIDATION, "1 validation error detected: %s",
					 errors.terse ? errors.terse : errors.text.data);
	if (errors.count > 1)
		dynamo_error(DYNAMO_VALIDATION, "%d validation errors detected: %s",
					 errors.count, errors.text.data);
}

static void
check_fields(const ApiShape *shape, const json_t *object, const Path *path,
			 Errors *errors)
{
	json_t	  **values = values_of_fields(shape, object);

	for (int i = 0; shape->fields[i].name; i++)
	{
		const ApiField *field = &shape->fields[i];
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
 * The members of an object in the order of the shape's fields, NULL for those
 * that are absent or null.
 */
static json_t **
values_of_fields(const ApiShape *shape, const json_t *object)
{
	const char *key;
	json_t	   *member;
	json_t	  **values;
	int			nfields = 0;

	while (shape->fields[nfields].name)
		nfields++;
	values = palloc0(sizeof(json_t *) * nfields);
	json_object_foreach((json_t *) object, key, member)
	{
		for (int i = 0; i < nfields && !json_is_null(member); i++)
		{
			if (strcmp(shape->fields[i].name, key) != 0)
				continue;
			values[i] = member;
			break;
		}
	}
	return values;
}

/*
 * The constraint pass on one value: adds to "errors" what breaks a rule of
 * its shape. The shape pass has seen it, so its JSON type is right.
 */
static void
check_value(const ApiShape *shape, const json_t *value, const Path *path,
			Errors *errors)
{
	size_t		i;
	json_t	   *member;

	check_stack_depth();
	switch (shape->kind)
	{
		case API_STRING:
			check_string(shape, value, path, errors);
			break;
		case API_INTEGER:
		case API_LONG:
			check_range(shape, api_json_integer(value), "value", value, path,
						errors);
			break;
		case API_LIST:
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
		case API_MAP:
			check_range(shape, json_object_size(value), "length", value, path,
						errors);
			check_map_entries(shape, value, path, errors);
			break;
		case API_STRUCT:
			check_fields(shape, value, path, errors);
			break;
		case API_BOOLEAN:
		case API_NUMBER:
		case API_VALUE:
			break;
	}
}

/*
 * A table's name may also be its ARN, which has rules of its own; the name in
 * it is as long as other names.
 */
static void
check_string(const ApiShape *shape, const json_t *value, const Path *path,
			 Errors *errors)
{
	const char *text = api_json_text(value);

	if (shape->table && strncmp(text, "arn:", 4) == 0)
	{
		check_range(shape, strlen(api_table_name(text)), "length", value,
					path, errors);
		return;
	}
	if (shape->choices && choice_of(shape, text) < 0)
		add_error(errors, shape, value, path,
				  "Member must satisfy enum value set: [%s]",
				  join_choices(shape->choices));

	/* Where one character is enough, an empty name is but too short. */
	if (shape->pattern && !(text[0] == '\0' && shape->min == 1) &&
		!is_name(text))
		add_error(errors, shape, value, path,
				  "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
	check_range(shape, characters(text), "length", value, path, errors);
}

/*
 * A map's entries.  Rules for the keys, and for the length of the values, are
 * reported once, at the map itself.
 */
static void
check_map_entries(const ApiShape *shape, const json_t *map, const Path *path,
				  Errors *errors)
{
	bool		bad_key = false;
	bool		bad_value = false;
	bool		lists = shape->element->kind == API_LIST;
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
		add_error(errors, shape, map, path,
				  "Map keys must satisfy constraint: [%s]",
				  range_rules(shape->key));
	if (bad_value)
		add_error(errors, shape, map, path,
				  "Map value must satisfy constraint: [%s]",
				  range_rules(shape->element));

	if (shape->element->kind == API_VALUE)
		return;
	json_object_foreach((json_t *) map, key, value)
	{
		Path		here = {.parent = path, .name = key, .element = true};

		if (errors->count >= MAX_ERRORS)
			break;
		if (shape->element->kind == API_STRING && json_is_null(value))
			continue;
		if (json_is_null(value))
			add_error(errors, shape->element, NULL, &here,
					  "Member must not be null");
		else if (!lists || !bad_value)
			check_value(shape->element, value, &here, errors);
	}
}

static void
check_range(const ApiShape *shape, int64 n, const char *measure,
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
in_range(const ApiShape *shape, int64 n)
{
	return !(shape->has_min && n < shape->min) &&
		!(shape->has_max && n > shape->max);
}

static bool
good_map_key(const ApiShape *shape, const char *key)
{
	if (shape->table && strncmp(key, "arn:", 4) == 0)
		return in_range(shape, strlen(api_table_name(key)));
	return in_range(shape, strlen(key)) && (!shape->pattern || is_name(key));
}

/*
 * The rules of a map's keys or values in one list.
 */
static char *
range_rules(const ApiShape *shape)
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
add_error(Errors *errors, const ApiShape *shape, const json_t *value,
		  const Path *path, const char *rule,...)
{
	va_list		args;
	char		text[512];

	if (errors->count >= MAX_ERRORS)
		return;
	va_start(args, rule);
	vsnprintf(text, sizeof(text), rule, args);
	va_end(args);
	if (errors->count > 0)
		appendStringInfoString(&errors->text, "; ");
	else if (shape->terse && value)
		errors->terse = terse_error(path, text);
	errors->count++;
	append_error(&errors->text, shape, value, path, text);
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
append_error(StringInfo out, const ApiShape *shape, const json_t *value,
			 const Path *path, const char *rule)
{
	if (value == NULL)
		appendStringInfoString(out, "Value null at '");
	else
	{
		appendStringInfoString(out, "Value '");
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
echo(StringInfo out, const ApiShape *shape, const json_t *value)
{
	size_t		i;
	const char *key;
	json_t	   *member;
	bool		more = false;

	check_stack_depth();
	switch (json_typeof(value))
	{
		case JSON_STRING:
			appendStringInfoString(out, api_json_text(value));
			break;
		case JSON_INTEGER:
		case JSON_REAL:
			appendStringInfo(out, INT64_FORMAT, api_json_integer(value));
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
			if (shape && (shape->kind == API_STRUCT || shape->kind == API_VALUE))
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
echo_struct(StringInfo out, const ApiShape *shape, const json_t *value)
{
	bool		more = false;
	const char *key;
	json_t	   *member;

	appendStringInfo(out, "%s(",
					 shape->kind == API_VALUE ? "AttributeValue" : shape->name);
	json_object_foreach((json_t *) value, key, member)
	{
		const ApiShape *member_shape = NULL;
		const ApiField *field = shape->kind == API_STRUCT ? shape->fields : NULL;

		for (; field && field->name; field++)
		{
			if (strcmp(field->name, key) == 0)
				member_shape = field->shape;
		}
		if (json_is_null(member) ||
			(shape->kind == API_STRUCT && member_shape == NULL))
			continue;
		if (shape->kind == API_VALUE &&
			(json_is_array(member) || json_is_object(member)))
			member_shape = &api_any_values_shape;
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

/*
 * Put the members of a checked object where the fields of its shape say.
 * "request" was zeroed; what is absent stays so.
 */
void
api_fill(const ApiShape *shape, const json_t *object, void *request)
{
	json_t	  **values = values_of_fields(shape, object);

	for (int i = 0; shape->fields[i].name; i++)
	{
		const ApiField *field = &shape->fields[i];
		json_t	   *value = values[i];
		void	   *place = (char *) request + field->offset;

		if (value == NULL)
			continue;
		switch (field->shape->kind)
		{
			case API_STRING:
				if (field->shape->choices)
					*(int *) place = 1 + choice_of(field->shape,
												   json_string_value(value));
				else
					*(const char **) place = api_json_text(value);
				break;
			case API_BOOLEAN:
				{
					bool		flag = json_is_true(value);

					if (json_is_string(value))
						(void) boolean_of(json_string_value(value), &flag);
					*(ApiBoolean *) place = flag ? API_TRUE : API_FALSE;
				}
				break;
			case API_INTEGER:
			case API_LONG:
				((ApiInteger *) place)->given = true;
				((ApiInteger *) place)->value = api_json_integer(value);
				break;
			case API_NUMBER:
			case API_VALUE:
			case API_LIST:
			case API_MAP:
			case API_STRUCT:
				*(json_t **) place = value;
				break;
		}
	}
}

/*
 * A JSON string as a C string.  A NUL, which no expression or table's name may
 * hold, becomes another control character, which none may hold either.
 */
const char *
api_json_text(const json_t *value)
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
 * The bare table name behind what a request gives as TableName.
 */
const char *
api_table_name(const char *name_or_arn)
{
	char	   *rest;
	char	   *part[5];

	if (strncmp(name_or_arn, "arn:", 4) != 0)
		return name_or_arn;

	/* arn:aws:dynamodb:<region>:<account>:table/<name> */
	rest = pstrdup(name_or_arn);
	for (int i = 0; i < lengthof(part); i++)
		part[i] = strsep(&rest, ":");
	if (rest == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "1 validation error detected: Invalid resource type in '%s'",
					 name_or_arn);
	if (strcmp(part[1], "aws") != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "1 validation error detected: Invalid AWS partition in '%s'",
					 name_or_arn);
	if (strcmp(part[3], api_region) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "1 validation error detected: Invalid AWS region in '%s'",
					 name_or_arn);
	if (strcmp(part[2], "dynamodb") != 0 || strncmp(rest, "table/", 6) != 0 ||
		!is_name(rest + 6))
		dynamo_error(DYNAMO_VALIDATION,
					 "1 validation error detected: Invalid resource type in '%s'",
					 name_or_arn);
	if (strcmp(part[4], api_account_id) != 0)
		dynamo_error(DYNAMO_ACCESS_DENIED, "Access is denied");
	return rest + 6;
}

/*
 * A JSON number as an integer: fractions are floored, what is out of range is
 * the nearest that is not.
 */
int64
api_json_integer(const json_t *value)
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

static bool
boolean_of(const char *text, bool *value)
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

static int
choice_of(const ApiShape *shape, const char *text)
{
	for (int i = 0; shape->choices[i]; i++)
	{
		if (strcmp(shape->choices[i], text) == 0)
			return i;
	}
	return -1;
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

static bool
is_name(const char *text)
{
	static const char allowed[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	return text[0] != '\0' && text[strspn(text, allowed)] == '\0';
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
