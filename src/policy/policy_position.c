/*-------------------------------------------------------------------------
 *
 * policy_position.c
 *	  Where in the text of a document something stands, for messages.
 *
 * jansson's tree does not tell.  So the text, which is known to be JSON, is
 * passed once more, for those who have made a mistake.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "policy/policy_internal.h"

static const char *skip_space(const char *p);
static const char *skip_string(const char *p);
static const char *skip_value(const char *p);
static const char *find_member(const char *p, const char *name);
static const char *find_element(const char *p, int n);

/*
 * Line and column, from 1, behind the value of a member of the document, or of
 * one of its statements if that is not negative.  If there is no such member,
 * or none is named, behind the whole.
 */
void
policy_position(const char *text, int statement, const char *member,
				int *line, int *column)
{
	const char *place = skip_space(text);
	const char *found = NULL;

	if (statement >= 0 && (found = find_member(place, "Statement")) != NULL &&
		(found = find_element(found, statement)) != NULL)
		place = found;
	if (member != NULL && (found = find_member(place, member)) != NULL)
		place = found;
	place = skip_value(place);

	*line = *column = 1;
	for (const char *p = text; p < place; p++)
	{
		if (*p == '\n')
		{
			(*line)++;
			*column = 1;
		}
		else if (((unsigned char) *p & 0xc0) != 0x80)
			(*column)++;
	}
}

static const char *
skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* Behind the string that begins here. */
static const char *
skip_string(const char *p)
{
	for (p++; *p != '\0' && *p != '"'; p++)
	{
		if (*p == '\\' && p[1] != '\0')
			p++;
	}
	return *p == '"' ? p + 1 : p;
}

/* Behind the value that begins here. */
static const char *
skip_value(const char *p)
{
	int			depth = 0;

	do
	{
		if (*p == '"')
		{
			p = skip_string(p);
			continue;
		}
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		if (depth == 0 && *p != '}' && *p != ']')
			return p + strcspn(p, ",]} \t\r\n");
		p++;
	} while (depth > 0 && *p != '\0');
	return p;
}

/* The value of a member of the object that begins here; NULL: there is none. */
static const char *
find_member(const char *p, const char *name)
{
	size_t		len = strlen(name);

	if (*p != '{')
		return NULL;
	p = skip_space(p + 1);
	while (*p == '"')
	{
		const char *key = p + 1;
		const char *end = skip_string(p);

		p = skip_space(skip_space(end) + 1);	/* the colon */
		if (end - key == len + 1 && memcmp(key, name, len) == 0)
			return p;
		p = skip_space(skip_value(p));
		if (*p == ',')
			p = skip_space(p + 1);
	}
	return NULL;
}

/*
 * An element of the list that begins here; NULL: it has fewer.  What is no list
 * stands for one of itself.
 */
static const char *
find_element(const char *p, int n)
{
	if (*p != '[')
		return n == 0 ? p : NULL;
	p = skip_space(p + 1);
	for (int i = 0; *p != '\0' && *p != ']'; i++)
	{
		if (i == n)
			return p;
		p = skip_space(skip_value(p));
		if (*p == ',')
			p = skip_space(p + 1);
	}
	return NULL;
}
