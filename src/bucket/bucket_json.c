/*-------------------------------------------------------------------------
 *
 * bucket_json.c
 *	  An item as it stands in JSON: {"Item":{"a":{"S":"x"}}}.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"

/*
 * The item of a line of typed JSON; ValidationException or
 * SerializationException for what is none.  What stands beside the item is
 * refused: it would be lost.
 */
Item *
bucket_json_read(const char *text, size_t len)
{
	json_error_t error;
	json_t	   *line = codec_load(text, len, &error);
	json_t	   *item;

	if (line == NULL)
		dynamo_error(DYNAMO_SERIALIZATION,
					 "JSON is malformed at column %d: %s", error.column,
					 error.text);
	item = json_object_get(line, "Item");
	if (item == NULL || !json_is_object(item))
		dynamo_error(DYNAMO_SERIALIZATION,
					 "The line is no object with a member Item that is an object");
	if (json_object_size(line) != 1)
		dynamo_error(DYNAMO_SERIALIZATION,
					 "The line has another member beside Item");
	codec_check_nesting_of(item);
	return codec_read_map(item, ITEM_CURRENT);
}

/*
 * Bytes of the first object of a text; all if it is none.  Braces count
 * outside of strings.
 */
size_t
bucket_json_object(const char *text, size_t len)
{
	size_t		n = 0;
	int			depth = 0;
	bool		quoted = false;

	while (n < len && (text[n] == ' ' || text[n] == '\t'))
		n++;
	if (n == len || text[n] != '{')
		return len;
	for (; n < len; n++)
	{
		if (quoted && text[n] == '\\')
			n++;
		else if (text[n] == '"')
			quoted = !quoted;
		else if (!quoted && text[n] == '{')
			depth++;
		else if (!quoted && text[n] == '}' && --depth == 0)
			return n + 1;
	}
	return len;
}
