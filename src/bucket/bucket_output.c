/*-------------------------------------------------------------------------
 *
 * bucket_output.c
 *	  Items and changes as lines of JSON or Ion, as exports have them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"
#include "miscadmin.h"

static void append_member(StringInfo out, BucketFormat format,
						  const char *before, const char *name,
						  const Item *item);
static void append_ion(StringInfo out, const ItemValue *value);
static void append_ion_struct(StringInfo out, const ItemValue *map);
static void append_ion_members(StringInfo out, const ItemValue *container);
static void append_ion_number(StringInfo out, const ItemValue *number);
static void append_ion_name(StringInfo out, const char *name, uint32 len);
static void append_ion_text(StringInfo out, const char *text, uint32 len,
							char quote);
static bool is_ion_identifier(const char *name, uint32 len);

/*
 * Append the line of an item, its end included.
 */
void
bucket_append_item(StringInfo out, BucketFormat format, const Item *item)
{
	appendStringInfoString(out, format == BUCKET_ION ? "$ion_1_0 {" : "{");
	append_member(out, format, "", "Item", item);
	appendStringInfoString(out, "}\n");
}

/*
 * Append the line of a changed item, its end included, with the images that
 * the export asks for.
 */
void
bucket_append_change(StringInfo out, BucketFormat format,
					 const BucketChange *change)
{
	if (format == BUCKET_ION)
		appendStringInfo(out, "$ion_1_0 {Metadata:{WriteTimestampMicros:\"" INT64_FORMAT "\"}",
						 change->micros);
	else
		appendStringInfo(out, "{\"Metadata\":{\"WriteTimestampMicros\":\"" INT64_FORMAT "\"}",
						 change->micros);
	append_member(out, format, ",", "Keys", change->keys);
	if (change->new_image)
		append_member(out, format, ",", "NewImage", change->new_image);
	if (change->old_image)
		append_member(out, format, ",", "OldImage", change->old_image);
	appendStringInfoString(out, "}\n");
}

static void
append_member(StringInfo out, BucketFormat format, const char *before,
			  const char *name, const Item *item)
{
	ItemValue	root = item_root(item);

	appendStringInfo(out, format == BUCKET_ION ? "%s%s:" : "%s\"%s\":", before,
					 name);
	if (format == BUCKET_ION)
		append_ion_struct(out, &root);
	else
		codec_append_map(out, item);
}

static void
append_ion(StringInfo out, const ItemValue *value)
{
	check_stack_depth();
	switch (value->type)
	{
		case ITEM_S:
			append_ion_text(out, value->data, value->len, '"');
			break;
		case ITEM_N:
			append_ion_number(out, value);
			break;
		case ITEM_B:
			appendStringInfoString(out, "{{");
			item_base64_append(out, value->data, value->len);
			appendStringInfoString(out, "}}");
			break;
		case ITEM_BOOL:
			appendStringInfoString(out, *value->data ? "true" : "false");
			break;
		case ITEM_NULL:
			appendStringInfoString(out, "null");
			break;
		case ITEM_M:
			append_ion_struct(out, value);
			break;
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			appendStringInfo(out, "$dynamodb_%s::",
							 item_type_name(value->type));
			append_ion_members(out, value);
			break;
		case ITEM_L:
			append_ion_members(out, value);
			break;
	}
}

static void
append_ion_struct(StringInfo out, const ItemValue *map)
{
	ItemIterator it;
	ItemValue	member;
	char		before = '{';

	(void) item_iterate(map, &it);
	while (item_next(&it, &member))
	{
		appendStringInfoChar(out, before);
		append_ion_name(out, it.name, it.namelen);
		appendStringInfoChar(out, ':');
		append_ion(out, &member);
		before = ',';
	}
	appendStringInfoString(out, before == '{' ? "{}" : "}");
}

/*
 * A list's or a set's.
 */
static void
append_ion_members(StringInfo out, const ItemValue *container)
{
	ItemIterator it;
	ItemValue	member;
	char		before = '[';

	(void) item_iterate(container, &it);
	while (item_next(&it, &member))
	{
		appendStringInfoChar(out, before);
		append_ion(out, &member);
		before = ',';
	}
	appendStringInfoString(out, before == '[' ? "[]" : "]");
}

/*
 * A decimal as Ion's library for Java writes one without zeros at its end:
 * 103. for 103, 6d2 for 600, 8.5 for 8.5, 5d-2 for 0.05.
 */
static void
append_ion_number(StringInfo out, const ItemValue *number)
{
	StringInfoData text;
	char	   *digits;
	char	   *point;
	int			scale;			/* digits behind the point; less than 0: zeros
								 * before it */
	int			len;

	initStringInfo(&text);
	item_number_append(&text, number);
	digits = text.data;
	if (*digits == '-')
		appendStringInfoChar(out, *digits++);
	point = strchr(digits, '.');
	scale = point ? strlen(point) - 1 : 0;
	if (point)
		memmove(point, point + 1, strlen(point));
	while (digits[0] == '0' && digits[1] != '\0')
		digits++;
	len = strlen(digits);
	while (len > 1 && digits[len - 1] == '0')
	{
		len--;
		scale--;
	}
	if (scale <= 0)
	{
		appendBinaryStringInfo(out, digits, len);
		if (scale < 0)
			appendStringInfo(out, "d%d", -scale);
		else
			appendStringInfoChar(out, '.');
	}
	else
	{
		int			whole = Max(len - scale, 1);

		appendBinaryStringInfo(out, digits, whole);
		if (len > whole)
		{
			appendStringInfoChar(out, '.');
			appendBinaryStringInfo(out, digits + whole, len - whole);
		}
		if (scale > len - whole)
			appendStringInfo(out, "d-%d", scale - (len - whole));
	}
	pfree(text.data);
}

static void
append_ion_name(StringInfo out, const char *name, uint32 len)
{
	if (is_ion_identifier(name, len))
		appendBinaryStringInfo(out, name, len);
	else
		append_ion_text(out, name, len, '\'');
}

/*
 * May a field have this name without quotes?
 */
static bool
is_ion_identifier(const char *name, uint32 len)
{
	static const char *const keywords[] = {"null", "true", "false", "nan"};

	for (int i = 0; i < lengthof(keywords); i++)
	{
		if (len == strlen(keywords[i]) && memcmp(name, keywords[i], len) == 0)
			return false;
	}

	/* $ and a number is a symbol's number */
	if (len == 0 || isdigit((unsigned char) name[0]) ||
		(len > 1 && name[0] == '$' && isdigit((unsigned char) name[1])))
		return false;
	for (uint32 i = 0; i < len; i++)
	{
		if (!bucket_is_alphanumeric(name[i]) && name[i] != '_' && name[i] != '$')
			return false;
	}
	return true;
}

static void
append_ion_text(StringInfo out, const char *text, uint32 len, char quote)
{
	static const char names[] = {
		[0] = '0',['\a'] = 'a',['\b'] = 'b',['\t'] = 't',['\n'] = 'n',
		['\v'] = 'v',['\f'] = 'f',['\r'] = 'r'
	};

	appendStringInfoChar(out, quote);
	for (uint32 i = 0; i < len; i++)
	{
		unsigned char c = text[i];

		if (c == quote || c == '\\')
			appendStringInfo(out, "\\%c", c);
		else if (c < lengthof(names) && names[c] != '\0')
			appendStringInfo(out, "\\%c", names[c]);
		else if (c < ' ' || c == 0x7f)
			appendStringInfo(out, "\\x%02x", c);
		else
			appendStringInfoChar(out, c);
	}
	appendStringInfoChar(out, quote);
}
