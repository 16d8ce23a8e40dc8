/*-------------------------------------------------------------------------
 *
 * api_fill.c
 *	  Requests into structs, and JSON values as C has them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "api/api_internal.h"

/*
 * Put the members of a checked object where the fields of its shape say.
 * "request" was zeroed; what is absent stays so.
 */
void
api_fill(const ApiShape *shape, const json_t *object, void *request)
{
	json_t	  **values = api_members(shape, object);

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
					*(int *) place = 1 + api_choice(field->shape,
													json_string_value(value));
				else
					*(const char **) place = api_json_text(value);
				break;
			case API_BOOLEAN:
				{
					bool		flag = json_is_true(value);

					if (json_is_string(value))
						(void) api_json_boolean(json_string_value(value), &flag);
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
 * The members of an object in the order of the shape's fields, NULL for those
 * that are absent or null.
 */
json_t **
api_members(const ApiShape *shape, const json_t *object)
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
 * The place of a text among those of an enumeration, -1 if it is none of them.
 */
int
api_choice(const ApiShape *shape, const char *text)
{
	for (int i = 0; shape->choices[i]; i++)
	{
		if (strcmp(shape->choices[i], text) == 0)
			return i;
	}
	return -1;
}

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

/*
 * The truth that a JSON string tells.  False if it is none.
 */
bool
api_json_boolean(const char *text, bool *value)
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
		!api_is_name(rest + 6))
		dynamo_error(DYNAMO_VALIDATION,
					 "1 validation error detected: Invalid resource type in '%s'",
					 name_or_arn);
	if (strcmp(part[4], api_account_id) != 0)
		dynamo_error(DYNAMO_ACCESS_DENIED, "Access is denied");
	return rest + 6;
}

/*
 * Has a text the characters of a name?
 */
bool
api_is_name(const char *text)
{
	static const char allowed[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	return text[0] != '\0' && text[strspn(text, allowed)] == '\0';
}
