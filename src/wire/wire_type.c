/*-------------------------------------------------------------------------
 *
 * wire_type.c
 *	  Requests against their shapes: JSON types.
 *
 * The texts are those of a Java deserializer, down to its class names.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "wire/wire.h"

#define MODEL "com.amazonaws.dynamodb.v20120810."
#define NESTED_COLLECTION \
	"class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class " \
	"(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"

static void check_type(const WireShape *shape, const json_t *value,
					   bool element);
static void check_string_type(const WireShape *shape, const json_t *value);
static void check_boolean_type(const json_t *value);
static void check_number_type(const WireShape *shape, const json_t *value);
static void check_list_type(const WireShape *shape, const json_t *value,
							bool element);
static void check_map_type(const WireShape *shape, const json_t *value,
						   bool element);
static void check_struct_type(const WireShape *shape, const json_t *value,
							  bool element);
static void check_collection(const json_t *value, const char *class);
static char *java_class(const WireShape *shape);

/*
 * The shape pass: raise SerializationException for the first value of a wrong
 * JSON type.  Members the shape does not know are skipped unread.
 */
void
wire_check_types(const WireShape *shape, const json_t *body)
{
	if (!json_is_object(body))
		wire_refuse_text();
	check_type(shape, body, false);
}

/*
 * Refuse what is no JSON object.  The service's answer has no text.
 */
void
wire_refuse_text(void)
{
	dynamo_rule_error(DYNAMO_SERIALIZATION, DYNAMO_RULE_JSON,
					  "could not parse the request as a JSON object");
}

static void
check_type(const WireShape *shape, const json_t *value, bool element)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (json_is_null(value))
		return;
	switch (shape->kind)
	{
		case WIRE_STRING:
			check_string_type(shape, value);
			break;
		case WIRE_BOOLEAN:
			check_boolean_type(value);
			break;
		case WIRE_INTEGER:
		case WIRE_LONG:
		case WIRE_NUMBER:
			check_number_type(shape, value);
			break;
		case WIRE_VALUE:
			if (!element && !json_is_object(value) && !json_is_array(value))
				dynamo_error(DYNAMO_SERIALIZATION, "Unexpected field type");
			codec_check_value(value);
			break;
		case WIRE_LIST:
			check_list_type(shape, value, element);
			break;
		case WIRE_MAP:
			check_map_type(shape, value, element);
			break;
		case WIRE_STRUCT:
			check_struct_type(shape, value, element);
			break;
		case WIRE_UNSERVED:
			break;
	}
}

/*
 * An attribute's name with a NUL is as malformed as the name of a member with
 * one, which the parser refuses.
 */
static void
check_string_type(const WireShape *shape, const json_t *value)
{
	check_collection(value, "class java.lang.String");
	if (!json_is_string(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to String",
					 codec_token_name(value));
	if (shape->attribute &&
		strlen(json_string_value(value)) != json_string_length(value))
		wire_refuse_text();
}

static void
check_boolean_type(const json_t *value)
{
	bool		ignored;

	check_collection(value, "class java.lang.Boolean");
	if (json_is_number(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to Boolean",
					 codec_token_name(value));
	if (json_is_string(value) &&
		!wire_json_boolean(json_string_value(value), &ignored))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Unexpected token received from parser");
}

static void
check_number_type(const WireShape *shape, const json_t *value)
{
	char	   *class = java_class(shape);

	check_collection(value, psprintf("class java.lang.%s", class));
	if (!json_is_number(value))
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to %s",
					 codec_token_name(value), class);
}

static void
check_list_type(const WireShape *shape, const json_t *value, bool element)
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
check_map_type(const WireShape *shape, const json_t *value, bool element)
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
check_struct_type(const WireShape *shape, const json_t *value, bool element)
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
		for (const WireField *field = shape->fields; field->name; field++)
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
java_class(const WireShape *shape)
{
	switch (shape->kind)
	{
		case WIRE_STRING:
			return "java.lang.String";
		case WIRE_BOOLEAN:
			return "java.lang.Boolean";
		case WIRE_INTEGER:
			return "Integer";
		case WIRE_LONG:
			return "Long";
		case WIRE_NUMBER:
			return "Double";
		case WIRE_VALUE:
			return MODEL "AttributeValue";
		case WIRE_LIST:
			return psprintf("java.util.List<%s>", java_class(shape->element));
		case WIRE_MAP:
			return psprintf("java.util.Map<java.lang.String, %s>",
							java_class(shape->element));
		case WIRE_STRUCT:
		case WIRE_UNSERVED:
			break;
	}
	return psprintf(MODEL "%s", shape->name);
}
