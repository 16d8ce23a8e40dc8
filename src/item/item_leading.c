/*-------------------------------------------------------------------------
 *
 * item_leading.c
 *	  Partition keys against patterns: which of them has a role been granted?
 *
 * Row-level security asks for items, the engine for keys; both get the same
 * answer from here.  In a pattern "*" is any text and "?" any one character.  A
 * number is compared as the service writes it, bytes in base64.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "item/item_internal.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

static bool is_like(const char *text, const char *end, const char *pattern,
					const char *pattern_end);

PG_FUNCTION_INFO_V1(dynamo_leading_key_like);

/*
 * leading_key_like(item dynamo.item, attribute text, patterns text[])
 */
Datum
dynamo_leading_key_like(PG_FUNCTION_ARGS)
{
	Item	   *item = PG_GETARG_ITEM_P(0);
	text	   *name = PG_GETARG_TEXT_PP(1);
	ItemValue	value;

	PG_RETURN_BOOL(item_get(item, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name),
							&value) &&
				   item_key_like(&value, PG_GETARG_DATUM(2)));
}

/*
 * Is a key like one of the patterns, an array of text?  What is no key is like
 * none, nor is anything like null.
 */
bool
item_key_like(const ItemValue *key, Datum patterns)
{
	StringInfoData written;
	const char *data = key->data;
	uint32		len = key->len;
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	if (key->type != ITEM_S && key->type != ITEM_N && key->type != ITEM_B)
		return false;
	if (key->type != ITEM_S)
	{
		initStringInfo(&written);
		if (key->type == ITEM_N)
			item_number_append(&written, key);
		else
			item_base64_append(&written, key->data, key->len);
		data = written.data;
		len = written.len;
	}
	deconstruct_array(DatumGetArrayTypeP(patterns), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		text	   *pattern = nulls[i] ? NULL : DatumGetTextPP(elements[i]);

		if (pattern &&
			is_like(data, data + len, VARDATA_ANY(pattern),
					VARDATA_ANY(pattern) + VARSIZE_ANY_EXHDR(pattern)))
			return true;
	}
	return false;
}

/*
 * Goes back to the last "*" only, which is enough.
 */
static bool
is_like(const char *text, const char *end, const char *pattern,
		const char *pattern_end)
{
	const char *star = NULL;	/* behind the last "*" */
	const char *mark = NULL;	/* where it ends by now */

	for (;;)
	{
		if (pattern < pattern_end && *pattern == '*')
		{
			star = ++pattern;
			mark = text;
			if (pattern == pattern_end)
				return true;
		}
		else if (pattern < pattern_end && text < end && *pattern == '?')
		{
			pattern++;
			text += Min(pg_utf_mblen((const unsigned char *) text), end - text);
		}
		else if (pattern < pattern_end && text < end && *pattern == *text)
		{
			pattern++;
			text++;
		}
		else if (pattern == pattern_end && text == end)
			return true;
		else if (star == NULL || mark >= end)
			return false;
		else
		{
			mark += Min(pg_utf_mblen((const unsigned char *) mark), end - mark);
			text = mark;
			pattern = star;
		}
	}
}
