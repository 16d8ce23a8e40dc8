/*-------------------------------------------------------------------------
 *
 * api_response.c
 *	  Writing a response: compact JSON, straight into a StringInfo.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"

/*
 * Begin a member of the object that "out" ends in.
 */
void
api_member(StringInfo out, const char *name)
{
	if (out->len > 0 && out->data[out->len - 1] != '{' &&
		out->data[out->len - 1] != '[')
		appendStringInfoChar(out, ',');
	api_append_string(out, name);
	appendStringInfoChar(out, ':');
}

/*
 * Begin an element of the array that "out" ends in.
 */
void
api_element(StringInfo out)
{
	if (out->len > 0 && out->data[out->len - 1] != '[')
		appendStringInfoChar(out, ',');
}

void
api_append_string(StringInfo out, const char *text)
{
	item_json_append_string(out, text, strlen(text));
}

void
api_string_member(StringInfo out, const char *name, const char *text)
{
	api_member(out, name);
	api_append_string(out, text);
}

void
api_integer_member(StringInfo out, const char *name, int64 value)
{
	api_member(out, name);
	appendStringInfo(out, INT64_FORMAT, value);
}

void
api_boolean_member(StringInfo out, const char *name, bool value)
{
	api_member(out, name);
	appendStringInfoString(out, value ? "true" : "false");
}

void
api_item_member(StringInfo out, const char *name, const Item *item)
{
	api_member(out, name);
	item_json_append_map(out, item);
}

/*
 * An item of scalars as Java's toString() has it, for messages.
 */
void
api_append_java_item(StringInfo out, const Item *item)
{
	ItemValue	root = item_root(item);

	appendStringInfoChar(out, '{');
	for (uint32 i = 0; i < item_member_count(&root); i++)
	{
		const char *name;
		uint32		len;
		ItemValue	value;

		item_map_member(&root, i, &name, &len, &value);
		appendStringInfo(out, "%s%.*s=AttributeValue: {%s:",
						 i > 0 ? ", " : "", (int) len, name,
						 item_type_name(value.type));
		if (value.type == ITEM_N)
			item_number_append(out, &value);
		else if (value.type == ITEM_S)
			appendBinaryStringInfo(out, value.data, value.len);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, '}');
}
