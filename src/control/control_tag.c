/*-------------------------------------------------------------------------
 *
 * control_tag.c
 *	  TagResource, UntagResource, ListTagsOfResource.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#define MAX_TAGS			50
#define MAX_TAG_KEY			128
#define MAX_TAG_VALUE		256
#define MAX_TAG_BYTES		10240

/*
 * What has tags: a table, or a stream as long as it is enabled.  A table keeps
 * the tags of its stream, with the label of that one.
 */
typedef struct Resource
{
	const TableDef *def;
	const char *label;			/* NULL: the table itself */
} Resource;

static int	first_duplicate(json_t *tags);
static Resource find_resource(const char *arn, const char *action);
static void refuse_parts(const char *arn);
static json_t *tags_of(const char *settings, const char *label);
static const char *set_tags(const char *settings, const char *label,
							const char *tags);
static void change_tags(const char *arn, json_t *added, json_t *removed);
static bool has_key(json_t *list, const char *member, const char *key);
static void check_key_prefix(const char *key);
static bool good_text(const char *text, int min, int max);
static void append_tag(StringInfo out, json_t *tag);
static const char *member_text(json_t *tag, const char *member);

/*
 * Check the tags of a request by themselves.
 */
void
control_check_tags(json_t *tags)
{
	size_t		i;
	json_t	   *tag;
	size_t		bytes = 0;
	int			duplicate = first_duplicate(tags);

	json_array_foreach(tags, i, tag)
	{
		const char *key = member_text(tag, "Key");
		const char *value = member_text(tag, "Value");

		CHECK_FOR_INTERRUPTS();
		if (key == NULL || !good_text(key, 1, MAX_TAG_KEY))
			dynamo_error(DYNAMO_VALIDATION,
						 "The Tag Key provided is invalid, Key: %s",
						 key ? key : "null");
		check_key_prefix(key);
		if (value == NULL || !good_text(value, 0, MAX_TAG_VALUE))
			dynamo_error(DYNAMO_VALIDATION,
						 "The Tag Value provided is invalid, Value: %s",
						 value ? value : "null");
		if ((int) i == duplicate)
			dynamo_error(DYNAMO_VALIDATION,
						 "Duplicate Tag Keys provided as input: Duplicate Tag Key found %s",
						 key);
		bytes += strlen(key) + strlen(value);
	}
	if (json_array_size(tags) > MAX_TAGS)
		dynamo_error(DYNAMO_VALIDATION,
					 "Number of Tags exceed the current limit for the provided ResourceArn");
	if (bytes > MAX_TAG_BYTES)
		dynamo_error(DYNAMO_VALIDATION,
					 "Tag set size %zu bytes is above max size limit of %d bytes",
					 bytes, MAX_TAG_BYTES);
}

/*
 * Position of the first tag whose key a tag before it has; -1: there is none.
 */
static int
first_duplicate(json_t *tags)
{
	int			count = json_array_size(tags);
	const char **keys = palloc(Max(count, 1) * sizeof(char *));

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		keys[i] = member_text(json_array_get(tags, i), "Key");
		if (keys[i] == NULL)
			keys[i] = "";		/* refused when its turn comes */
	}
	return dynamo_first_duplicate(keys, count);
}

/*
 * The answer is empty, no object.
 */
void
control_tag_resource(DynamoRequest *request, StringInfo out)
{
	const ControlTagRequest *r = request->input;

	if (json_array_size(r->tags) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Atleast one Tag needs to be provided as Input.");
	control_check_tags(r->tags);
	change_tags(r->arn, r->tags, NULL);
}

/*
 * So is this one.
 */
void
control_untag_resource(DynamoRequest *request, StringInfo out)
{
	const ControlTagRequest *r = request->input;
	size_t		i;
	json_t	   *key;

	if (json_array_size(r->keys) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Atleast one Tag Key needs to be provided as Input.");
	if (json_array_size(r->keys) > MAX_TAGS)
		dynamo_error(DYNAMO_VALIDATION,
					 "Number of Tags exceed the current limit for the provided ResourceArn");
	json_array_foreach(r->keys, i, key)
		check_key_prefix(wire_json_text(key));
	change_tags(r->arn, NULL, r->keys);
}

/*
 * All tags are on one page, so there is no token of another.
 */
void
control_list_tags(DynamoRequest *request, StringInfo out)
{
	const ControlTagRequest *r = request->input;
	Resource	resource = find_resource(r->arn, "ListTagsOfResource");
	json_t	   *tags = tags_of(resource.def->settings, resource.label);
	size_t		i;
	json_t	   *tag;

	if (r->next_token)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Provided nextToken is invalid: %s",
					 r->next_token);
	appendStringInfoString(out, "{\"Tags\":[");
	json_array_foreach(tags, i, tag)
	{
		wire_element(out);
		appendStringInfoChar(out, '{');
		wire_string_member(out, "Key", member_text(tag, "Key"));
		wire_string_member(out, "Value", member_text(tag, "Value"));
		appendStringInfoChar(out, '}');
	}
	appendStringInfoString(out, "]}");
}

/*
 * The table or stream an ARN names, which must exist, for operation "action".
 */
static Resource
find_resource(const char *arn, const char *action)
{
	Resource	resource = {NULL, NULL};
	WireStreamName stream;

	if (wire_parse_stream_arn(arn, &stream))
	{
		const TableDef *def;

		wire_check_resource_owner(arn);
		def = schema_find_table(stream.table);

		if (def && schema_check_use(def, action) && def->stream &&
			strcmp(def->stream->label, stream.label) == 0)
			resource.def = def;
		resource.label = stream.label;
	}
	else
	{
		refuse_parts(arn);
		resource.def = schema_find_table(wire_resource_table(arn));
		if (resource.def && !schema_check_use(resource.def, action))
			resource.def = NULL;
	}
	if (resource.def == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "ResourceArn: %s not found", arn);
	return resource;
}

/*
 * What belongs to a table, but is no index and no stream, is no resource of
 * these operations.
 */
static void
refuse_parts(const char *arn)
{
	WireResource resource;

	wire_resource(arn, &resource);
	if (resource.part != NULL && strcmp(resource.part, "index") != 0 &&
		strcmp(resource.part, "stream") != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Provided Arn is not a DynamoDB resource arn: %s",
					 arn);
}

/*
 * The tags in a table's settings: its own, or those of its stream with the
 * label.  NULL: there are none.
 */
static json_t *
tags_of(const char *settings, const char *label)
{
	json_t	   *object = control_settings(settings);
	json_t	   *stream = json_object_get(object, "StreamTags");
	const char *tagged = json_string_value(json_object_get(stream, "Label"));

	if (label == NULL)
		return json_object_get(object, "Tags");
	if (tagged == NULL || strcmp(tagged, label) != 0)
		return NULL;
	return json_object_get(stream, "Tags");
}

static const char *
set_tags(const char *settings, const char *label, const char *tags)
{
	if (label == NULL)
		return control_settings_set(settings, "Tags", tags);
	return control_settings_set(settings, "StreamTags",
								psprintf("{\"Label\":\"%s\",\"Tags\":%s}",
										 label, tags));
}

/*
 * Put "added" in the place of tags of the same keys, take those of "removed"
 * away.  Either may be NULL.
 */
static void
change_tags(const char *arn, json_t *added, json_t *removed)
{
	const char *action = added ? "TagResource" : "UntagResource";
	Resource	resource = find_resource(arn, action);
	json_t	   *old;
	StringInfoData tags;
	const char *settings;
	size_t		i;
	json_t	   *tag;

	schema_lock_definition(resource.def->name);
	resource = find_resource(arn, action);	/* as it is now */
	old = tags_of(resource.def->settings, resource.label);

	initStringInfo(&tags);
	appendStringInfoChar(&tags, '[');
	json_array_foreach(old, i, tag)
	{
		const char *key = member_text(tag, "Key");

		if (key == NULL || has_key(added, "Key", key) ||
			has_key(removed, NULL, key))
			continue;
		append_tag(&tags, tag);
	}
	json_array_foreach(added, i, tag)
		append_tag(&tags, tag);
	appendStringInfoChar(&tags, ']');

	settings = set_tags(resource.def->settings, resource.label, tags.data);
	control_check_tags(tags_of(settings, resource.label));
	schema_change_table_settings(resource.def->name, settings);
}

/*
 * Tags that have been checked, as they are kept.
 */
const char *
control_tags_text(json_t *tags)
{
	StringInfoData text;
	size_t		i;
	json_t	   *tag;

	initStringInfo(&text);
	appendStringInfoChar(&text, '[');
	json_array_foreach(tags, i, tag)
		append_tag(&text, tag);
	appendStringInfoChar(&text, ']');
	return text.data;
}

/* A client may send other members, of any content: they are not kept. */
static void
append_tag(StringInfo out, json_t *tag)
{
	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Key", member_text(tag, "Key"));
	wire_string_member(out, "Value", member_text(tag, "Value"));
	appendStringInfoChar(out, '}');
}

/* Is "key" in a list of keys, or of objects whose "member" is the key? */
static bool
has_key(json_t *list, const char *member, const char *key)
{
	size_t		i;
	json_t	   *element;

	json_array_foreach(list, i, element)
	{
		const char *text = member ? member_text(element, member) :
			wire_json_text(element);

		if (strcmp(text, key) == 0)
			return true;
	}
	return false;
}

static void
check_key_prefix(const char *key)
{
	if (pg_strncasecmp(key, "aws:", 4) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Tag Key cannot be prefixed with aws:, Key: %s", key);
}

/*
 * Letters of any script, digits, spaces and + - = . _ : / @, "min" to "max" of
 * them.  It is UTF-8, whatever the database's encoding.
 */
static bool
good_text(const char *text, int min, int max)
{
	const unsigned char *p = (const unsigned char *) text;
	int			len = 0;

	for (; *p; p += pg_utf_mblen(p), len++)
	{
		unsigned char c = *p;

		if (IS_HIGHBIT_SET(c))
		{
			if (!control_is_letter(utf8_to_unicode(p)))
				return false;
		}
		else if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') &&
				 !(c >= 'A' && c <= 'Z') && strchr(" +-=._:/@", c) == NULL)
			return false;
	}
	return len >= min && len <= max;
}

static const char *
member_text(json_t *tag, const char *member)
{
	json_t	   *value = wire_json_get(tag, member);

	return json_is_string(value) ? wire_json_text(value) : NULL;
}
