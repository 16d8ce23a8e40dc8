/*-------------------------------------------------------------------------
 *
 * sql_transact.c
 *	  The SQL functions transact_write and transact_get.
 *
 * Both take the TransactItems of the API as a JSON array.  In the API the
 * items, keys and values in it are typed.  Here they may be plain as well, and
 * are converted to typed ones in the text, in one pass, or else parsing would
 * cut numbers of 38 digits.  Type json has checked the text already, so the
 * pass only has to know where strings and braces end.
 *
 * A transaction has at most 100 items, so the answers are collected, not
 * streamed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "sql/sql.h"
#include "utils/builtins.h"

/* Depth of the members of an action: [ { "Put": { here } } ] */
#define ACTION_DEPTH	3

PG_FUNCTION_INFO_V1(dynamo_transact_write);
PG_FUNCTION_INFO_V1(dynamo_transact_get);

static StringInfo typed_actions(const char *text);
static const char *skip_string(const char *p);
static const char *skip_object(const char *p);
static const char *skip_space(const char *p);
static bool holds_values(const char *key, const char *end);

/*
 * transact_write(actions): ordinal, table_name, action of each
 */
Datum
dynamo_transact_write(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	StringInfo	actions;
	ApiTransactAction *done;
	int			n;

	actions = typed_actions(sql_required_text_arg(fcinfo, 0, "actions"));
	InitMaterializedSRF(fcinfo, 0);
	n = api_transact_write(actions->data, actions->len, &done);
	for (int i = 0; i < n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		values[0] = Int32GetDatum(i + 1);
		values[1] = CStringGetTextDatum(done[i].table_name);
		values[2] = CStringGetTextDatum(done[i].action);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * transact_get(gets): ordinal, table_name, item of each; item null when there
 * is none
 */
Datum
dynamo_transact_get(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	StringInfo	gets;
	ApiTransactGot *got;
	int			n;

	gets = typed_actions(sql_required_text_arg(fcinfo, 0, "gets"));
	InitMaterializedSRF(fcinfo, 0);
	n = api_transact_get(gets->data, gets->len, &got);
	for (int i = 0; i < n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		values[0] = Int32GetDatum(i + 1);
		values[1] = CStringGetTextDatum(got[i].table_name);
		values[2] = PointerGetDatum(got[i].item);
		nulls[2] = got[i].item == NULL;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * The same TransactItems with each Item, Key and ExpressionAttributeValues in
 * typed JSON.  What does not look like TransactItems stays as it is, for the
 * API to refuse.
 */
static StringInfo
typed_actions(const char *text)
{
	StringInfo	out = makeStringInfo();
	const char *p = text;
	const char *copied = text;
	int			depth = 0;

	while (*p != '\0')
	{
		CHECK_FOR_INTERRUPTS();
		if (*p == '"')
		{
			const char *key = p;
			const char *end = skip_string(p);

			p = skip_space(end);
			if (depth != ACTION_DEPTH || *p != ':' || !holds_values(key, end))
				continue;
			p = skip_space(p + 1);
			if (*p != '{')
				continue;

			end = skip_object(p);
			appendBinaryStringInfo(out, copied, p - copied);
			item_json_append_map(out, item_json_read_any(p, end - p));
			p = copied = end;
			continue;
		}
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		p++;
	}
	appendBinaryStringInfo(out, copied, p - copied);
	return out;
}

/*
 * Each skips what begins at "p" and returns the byte after it.
 */
static const char *
skip_string(const char *p)
{
	for (p++; *p != '"' && *p != '\0'; p++)
	{
		CHECK_FOR_INTERRUPTS();
		if (*p == '\\' && p[1] != '\0')
			p++;
	}
	return *p == '"' ? p + 1 : p;
}

static const char *
skip_object(const char *p)
{
	int			depth = 0;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (*p == '"')
		{
			p = skip_string(p);
			continue;
		}
		if (*p == '{')
			depth++;
		else if (*p == '}')
			depth--;
		p++;
	} while (depth > 0 && *p != '\0');
	return p;
}

static const char *
skip_space(const char *p)
{
	return p + strspn(p, " \t\n\r");
}

/*
 * Is this member, from its opening quote to the byte after its closing one, a
 * map of attribute values?
 */
static bool
holds_values(const char *key, const char *end)
{
	static const char *const names[] = {
		"\"Item\"", "\"Key\"", "\"ExpressionAttributeValues\""
	};

	for (int i = 0; i < lengthof(names); i++)
	{
		if (strlen(names[i]) == end - key &&
			strncmp(names[i], key, end - key) == 0)
			return true;
	}
	return false;
}
