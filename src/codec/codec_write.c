/*-------------------------------------------------------------------------
 *
 * codec_write.c
 *	  Values as JSON, typed or plain.
 *
 * The output is compact, and only what must be escaped is.  Most of what a
 * Query costs is spent here, so room in the output is made once for each
 * member, not for each piece of it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "miscadmin.h"

/* Writes a member of a map or list: typed, or plain. */
typedef void (*ItemWriter) (StringInfo out, const ItemValue *value);

/*
 * What a value of a type begins with.  All fit into one word, which is copied
 * as a whole.
 */
#define TAG_ROOM	8
#define TAG(name)	{"{\"" name "\":", sizeof(name) + 3}

static const struct
{
	char		text[TAG_ROOM + 1];
	uint8		len;
}			tags[] = {
	[ITEM_S] = TAG("S"),
	[ITEM_N] = TAG("N"),
	[ITEM_B] = TAG("B"),
	[ITEM_BOOL] = TAG("BOOL"),
	[ITEM_NULL] = TAG("NULL"),
	[ITEM_SS] = TAG("SS"),
	[ITEM_NS] = TAG("NS"),
	[ITEM_BS] = TAG("BS"),
	[ITEM_L] = TAG("L"),
	[ITEM_M] = TAG("M"),
};

static void append_map(StringInfo out, const ItemValue *map,
					   ItemWriter append);
static void append_array(StringInfo out, const ItemValue *array,
						 ItemWriter append);
static void append_string(StringInfo out, const ItemValue *value);

/*
 * One value as {"S":"x"}.
 */
void
codec_append_value(StringInfo out, const ItemValue *value)
{
	memcpy(item_room(out, TAG_ROOM), tags[value->type].text, TAG_ROOM);
	out->len += tags[value->type].len;
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
			append_map(out, value, codec_append_value);
			break;
		default:
			append_array(out, value, codec_append_value);
			break;
	}
	appendStringInfoCharMacro(out, '}');
}

/*
 * One value as plain JSON: sets are arrays, binaries base64 strings.
 */
void
codec_append_plain(StringInfo out, const ItemValue *value)
{
	switch (value->type)
	{
		case ITEM_S:
		case ITEM_B:
			append_string(out, value);
			break;
		case ITEM_N:
			item_number_append(out, value);
			break;
		case ITEM_BOOL:
			appendStringInfoString(out, *value->data ? "true" : "false");
			break;
		case ITEM_NULL:
			appendStringInfoString(out, "null");
			break;
		case ITEM_M:
			append_map(out, value, codec_append_plain);
			break;
		default:
			append_array(out, value, codec_append_plain);
			break;
	}
}

/*
 * An item as {"a":{"S":"x"}}.
 */
void
codec_append_map(StringInfo out, const Item *item)
{
	ItemValue	root = item_root(item);

	append_map(out, &root, codec_append_value);
}

static void
append_map(StringInfo out, const ItemValue *map, ItemWriter append)
{
	ItemIterator it;
	ItemValue	member;
	char		before = '{';

	check_stack_depth();
	(void) item_iterate(map, &it);
	while (item_next(&it, &member))
	{
		*item_room(out, 1) = before;
		out->len++;
		codec_append_string(out, it.name, it.namelen);
		appendStringInfoCharMacro(out, ':');
		append(out, &member);
		before = ',';
	}
	if (before == '{')
		appendStringInfoCharMacro(out, '{');
	appendStringInfoCharMacro(out, '}');
}

/*
 * A list's or a set's members.
 */
static void
append_array(StringInfo out, const ItemValue *array, ItemWriter append)
{
	ItemIterator it;
	ItemValue	member;
	char		before = '[';

	check_stack_depth();
	if (item_is_set(array->type) && append == codec_append_value)
		append = append_string;
	(void) item_iterate(array, &it);
	while (item_next(&it, &member))
	{
		appendStringInfoCharMacro(out, before);
		append(out, &member);
		before = ',';
	}
	if (before == '[')
		appendStringInfoCharMacro(out, '[');
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
		codec_append_string(out, value->data, value->len);
		return;
	}
	appendStringInfoCharMacro(out, '"');
	if (value->type == ITEM_N)
		item_number_append(out, value);
	else
		item_base64_append(out, value->data, value->len);
	appendStringInfoCharMacro(out, '"');
}
