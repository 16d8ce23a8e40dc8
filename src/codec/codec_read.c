/*-------------------------------------------------------------------------
 *
 * codec_read.c
 *	  Typed JSON to values: {"S":"x"}, {"N":"1"}, {"L":[...]}.
 *
 * The service looks at a request twice.  First at its shape: a member of the
 * wrong JSON type is a SerializationException, wherever in the request it
 * stands.  Then at its values: whatever else is wrong is a
 * ValidationException, in the order of the document, the first one wins.
 * codec_check_value() is the first look, codec_read_value() the
 * second; the second repeats what it depends on, so that it may be used alone.
 *
 * Members that no AttributeValue has are ignored, and JSON's null is an
 * absent member.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "codec/codec_internal.h"
#include "miscadmin.h"

#define ATTRIBUTE_VALUE	"com.amazonaws.dynamodb.v20120810.AttributeValue"

#define NOTHING_TEXT \
	"Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
#define TOO_MANY_TEXT \
	"Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"

static void check_member(ItemType type, const json_t *json);
static void check_string(const json_t *json);
static bool check_boolean(const json_t *json);
static void check_blob(const json_t *json);
static void check_list(const json_t *json);
static void check_map(const json_t *json);
static void check_no_collection(const json_t *json, const char *class);
static void read_json_value(const json_t *json, ItemWording wording, int level,
							ItemNode *node);
static void read_member(ItemType type, const json_t *json,
						ItemWording wording, int level, ItemNode *node);
static void read_scalar(ItemType type, const json_t *json,
						ItemWording wording, ItemNode *node);
static void read_list(const json_t *json, ItemWording wording, int level,
					  ItemNode *node);
static void read_map(const json_t *json, ItemWording wording, int level,
					 ItemNode *node);
static void read_set(ItemType type, const json_t *json, ItemWording wording,
					 ItemNode *node);
static void check_set_count(ItemType type, const json_t *json);
static bool too_deep(const json_t *value, int level);

/*
 * Shape
 */

/*
 * Check the JSON types of a value of a map or list of AttributeValues, all
 * the way down.  Raises SerializationException.
 */
void
codec_check_value(const json_t *value)
{
	const char *name;
	json_t	   *member;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (json_is_null(value))
		return;
	if (json_is_array(value))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Unrecognized collection type class " ATTRIBUTE_VALUE);
	if (!json_is_object(value))
		dynamo_error(DYNAMO_SERIALIZATION, "Unexpected value type in payload");
	json_object_foreach((json_t *) value, name, member)
	{
		ItemType	type;

		if (!json_is_null(member) && item_type_from_name(name, &type))
			check_member(type, member);
	}
}

/*
 * The shape of what stands behind a type's name: has it the right JSON type?
 * Whether the value itself is valid is not asked here.
 */
static void
check_member(ItemType type, const json_t *json)
{
	const char *name;
	size_t		i;
	json_t	   *member;

	switch (type)
	{
		case ITEM_S:
		case ITEM_N:
			check_string(json);
			break;
		case ITEM_B:
			check_blob(json);
			break;
		case ITEM_BOOL:
		case ITEM_NULL:
			(void) check_boolean(json);
			break;
		case ITEM_M:
			check_map(json);
			json_object_foreach((json_t *) json, name, member)
				codec_check_value(member);
			break;
		default:
			check_list(json);
			json_array_foreach(json, i, member)
			{
				CHECK_FOR_INTERRUPTS();
				if (type == ITEM_L)
					codec_check_value(member);
				else if (json_is_null(member))
					continue;
				else if (type == ITEM_BS)
					check_blob(member);
				else
					check_string(member);
			}
			break;
	}
}

static void
check_string(const json_t *json)
{
	check_no_collection(json, "java.lang.String");
	if (!json_is_string(json))
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to String",
					 codec_token_name(json));
}

/*
 * A boolean, or one of the strings that pass for one: its truth.
 */
static bool
check_boolean(const json_t *json)
{
	static const char *const words[] = {"false", "true", "0", "1", "no", "yes"};
	const char *string;

	check_no_collection(json, "java.lang.Boolean");
	if (json_is_boolean(json))
		return json_is_true(json);
	string = json_string_value(json);
	if (!string)
		dynamo_error(DYNAMO_SERIALIZATION, "%s cannot be converted to Boolean",
					 codec_token_name(json));
	for (int i = 0; i < lengthof(words); i++)
	{
		if (pg_strcasecmp(string, words[i]) == 0)
			return i % 2 == 1;
	}
	dynamo_error(DYNAMO_SERIALIZATION, "Unexpected token received from parser");
}

static void
check_blob(const json_t *json)
{
	uint32		len;

	check_no_collection(json, "java.nio.ByteBuffer");
	if (!json_is_string(json))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "only base-64-encoded strings are convertible to bytes");
	switch (item_base64_decode(json_string_value(json),
							   json_string_length(json), NULL, &len))
	{
		case ITEM_BASE64_OK:
			break;
		case ITEM_BASE64_LENGTH:
			dynamo_error(DYNAMO_SERIALIZATION,
						 "Base64 encoded length is expected a multiple of 4 bytes but found: %zu",
						 json_string_length(json));
		case ITEM_BASE64_CHARACTER:
			dynamo_error(DYNAMO_SERIALIZATION,
						 "only base-64-encoded strings are convertible to bytes");
		case ITEM_BASE64_LAST:
			dynamo_error(DYNAMO_SERIALIZATION,
						 "Invalid last non-pad Base64 character dectected");
	}
}

static void
check_list(const json_t *json)
{
	if (json_is_object(json))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Start of structure or map found where not expected");
	if (!json_is_array(json))
		dynamo_error(DYNAMO_SERIALIZATION, "Unexpected field type");
}

static void
check_map(const json_t *json)
{
	if (json_is_array(json))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Unrecognized collection type java.util.Map<java.lang.String, "
					 ATTRIBUTE_VALUE ">");
	if (!json_is_object(json))
		dynamo_error(DYNAMO_SERIALIZATION, "Unexpected field type");
}

static void
check_no_collection(const json_t *json, const char *class)
{
	if (json_is_array(json))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Unrecognized collection type class %s", class);
	if (json_is_object(json))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "Start of structure or map found where not expected");
}

const char *
codec_token_name(const json_t *json)
{
	switch (json_typeof(json))
	{
		case JSON_INTEGER:
			return "NUMBER_VALUE";
		case JSON_REAL:
			/* past 2^63 it may be an integer that had no other place */
			return fabs(json_real_value(json)) < 9223372036854775808.0 ?
				"DECIMAL_VALUE" : "NUMBER_VALUE";
		case JSON_TRUE:
			return "TRUE_VALUE";
		case JSON_FALSE:
			return "FALSE_VALUE";
		case JSON_NULL:
			return "NULL_VALUE";
		default:
			return "STRING_VALUE";
	}
}

/*
 * Values
 */

/*
 * One AttributeValue, as the value of an attribute, nested only so far.
 * The node shows the document's memory.  Raises ValidationException.
 */
void
codec_read_value(const json_t *value, ItemWording wording, ItemNode *node)
{
	read_json_value(value, wording, 1, node);
}

/*
 * A map of names to AttributeValues: an item, a key, the values of an
 * expression.  Checks the shape of all of it first.
 */
Item *
codec_read_map(const json_t *map, ItemWording wording)
{
	const char *name;
	json_t	   *member;
	ItemNode	node;

	check_map(map);
	json_object_foreach((json_t *) map, name, member)
		codec_check_value(member);
	read_map(map, wording, 0, &node);
	return item_pack(&node);
}

static void
read_json_value(const json_t *json, ItemWording wording, int level,
				ItemNode *node)
{
	const char *name;
	json_t	   *member;
	int			ntypes = 0;

	CHECK_FOR_INTERRUPTS();
	if (!json_is_null(json) && !json_is_object(json))
		codec_check_value(json);	/* raises */
	json_object_foreach((json_t *) json, name, member)
	{
		ItemType	type;

		if (json_is_null(member) || !item_type_from_name(name, &type))
			continue;
		read_member(type, member, wording, level, node);
		ntypes++;
	}
	if (ntypes == 0)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE_COUNT,
						  NOTHING_TEXT);
	if (ntypes > 1)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE_COUNT,
						  TOO_MANY_TEXT);
}

static void
read_member(ItemType type, const json_t *json, ItemWording wording, int level,
			ItemNode *node)
{
	switch (type)
	{
		case ITEM_L:
			read_list(json, wording, level, node);
			break;
		case ITEM_M:
			check_map(json);
			read_map(json, wording, level, node);
			break;
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			read_set(type, json, wording, node);
			break;
		default:
			read_scalar(type, json, wording, node);
			break;
	}
}

/*
 * Read a value that has no members; raises ValidationException for one that
 * is none of its type.
 */
static void
read_scalar(ItemType type, const json_t *json, ItemWording wording,
			ItemNode *node)
{
	ItemValue	value = {type, 0, NULL};

	switch (type)
	{
		case ITEM_S:
			check_string(json);
			value.data = json_string_value(json);
			value.len = json_string_length(json);
			break;
		case ITEM_N:
			check_string(json);
			value = item_number(json_string_value(json),
								json_string_length(json), wording);
			break;
		case ITEM_B:
			{
				size_t		len;
				char	   *bytes;

				check_blob(json);
				len = json_string_length(json);
				bytes = palloc(len / 4 * 3 + 1);
				(void) item_base64_decode(json_string_value(json), len,
										  bytes, &value.len);
				value.data = bytes;
				break;
			}
		case ITEM_BOOL:
			value = item_bool(check_boolean(json));
			break;
		default:
			Assert(type == ITEM_NULL);
			if (!check_boolean(json))
				dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE_FORM,
								  DYNAMO_INVALID "Null attribute value types must have the value of true");
			break;
	}
	item_node_leaf(node, &value);
}

static void
read_list(const json_t *json, ItemWording wording, int level, ItemNode *node)
{
	size_t		i;
	json_t	   *member;

	check_list(json);
	codec_check_nesting(level);
	item_node_init(node, ITEM_L);
	item_node_reserve(node, json_array_size(json));
	json_array_foreach(json, i, member)
		read_json_value(member, wording, level + 1, item_node_append(node));
}

/*
 * "level" is that of the map itself, 0 for an item.
 */
static void
read_map(const json_t *json, ItemWording wording, int level, ItemNode *node)
{
	const char *name;
	json_t	   *member;

	codec_check_nesting(level);
	item_node_init(node, ITEM_M);
	item_node_reserve(node, json_object_size(json));
	json_object_foreach((json_t *) json, name, member)
	{
		size_t		len = strlen(name);

		codec_check_name(name, len);
		read_json_value(member, wording, level + 1,
						item_node_add(node, name, len));
	}
	item_node_sort(node);
}

static void
read_set(ItemType type, const json_t *json, ItemWording wording,
		 ItemNode *node)
{
	size_t		i;
	json_t	   *member;

	check_list(json);
	check_set_count(type, json);
	item_node_init(node, type);
	item_node_reserve(node, json_array_size(json));
	json_array_foreach(json, i, member)
	{
		CHECK_FOR_INTERRUPTS();
		if (json_is_null(member))
			dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE,
							  DYNAMO_INVALID "An %s set may not have a null string as a member",
							  type == ITEM_SS ? "string" :
							  type == ITEM_NS ? "number" : "binary");
		read_scalar(item_set_member_type(type), member, wording,
					item_node_append(node));
	}
	codec_check_repeats(type, json, wording, node);
}

/*
 * Refuse a set without members.
 */
static void
check_set_count(ItemType type, const json_t *json)
{
	if (json_array_size(json) > 0)
		return;
	if (type == ITEM_NS)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE,
						  DYNAMO_INVALID "An number set  may not be empty");
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE_FORM, "%s",
					  type == ITEM_SS ?
					  DYNAMO_INVALID "An string set  may not be empty" :
					  DYNAMO_INVALID "Binary sets should not be empty");
}

/*
 * Refuse a name no attribute can have.
 */
void
codec_check_name(const char *name, size_t len)
{
	if (len == 0)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_NAME,
						  DYNAMO_INVALID "Empty attribute name");
	if (len > ITEM_MAX_NAME)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Attribute name is too large, must be less than %d bytes",
					 ITEM_MAX_NAME + 1);
}

/*
 * May a list or map stand this deep, in an item being 0?
 */
void
codec_check_nesting(int level)
{
	if (level > DYNAMO_MAX_NESTING)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_NESTING,
						  "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit");
}

/*
 * Refuse a map of names to values that are too deep, whatever else is wrong
 * with it.
 */
void
codec_check_nesting_of(const json_t *map)
{
	if (codec_too_deep(map))
		codec_check_nesting(DYNAMO_MAX_NESTING + 1);
}

/*
 * Has a map of names to values one that is too deep?
 */
bool
codec_too_deep(const json_t *map)
{
	const char *name;
	json_t	   *member;

	json_object_foreach((json_t *) map, name, member)
	{
		if (too_deep(member, 1))
			return true;
	}
	return false;
}

/*
 * The same of one typed value; "level" is that of a list or map in its place.
 */
static bool
too_deep(const json_t *value, int level)
{
	json_t	   *list = json_object_get(value, "L");
	json_t	   *map = json_object_get(value, "M");
	size_t		i;
	const char *name;
	json_t	   *member;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (level > DYNAMO_MAX_NESTING)
		return json_is_array(list) || json_is_object(map);
	json_array_foreach(list, i, member)
	{
		if (too_deep(member, level + 1))
			return true;
	}
	json_object_foreach(map, name, member)
	{
		if (too_deep(member, level + 1))
			return true;
	}
	return false;
}
