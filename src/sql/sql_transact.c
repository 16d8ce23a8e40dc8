/*-------------------------------------------------------------------------
 *
 * sql_transact.c
 *	  The SQL functions transact_write and transact_get.
 *
 * Both take the TransactItems of the API as a JSON array.  In the API the
 * items, keys and values in it are typed.  Here they may be plain as well, so
 * they are read as any dynamo.item is, since parsing would cut numbers of 38
 * digits, and given to the API beside the rest of the text (api_given.c).  The
 * pass that finds them only has to know where strings and braces end, and of
 * an item that is written as most are the reader tells: what is taken out is
 * read as JSON, and so is what is left, so the text is JSON if both are.
 *
 * A text with more actions than a transaction may have is going to be refused
 * by a message that shows all of it.  There they are put back as typed JSON.
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
#include "utils/tuplestore.h"

/* Depth of the members of an action: [ { "Put": { here } } ] */
#define ACTION_DEPTH	3

PG_FUNCTION_INFO_V1(dynamo_transact_write);
PG_FUNCTION_INFO_V1(dynamo_transact_get);

/* A transaction on its way through operation_counted(). */
typedef struct Transaction
{
	DynamoRequest request;
	StringInfo	text;			/* TransactItems */
	ApiGivenItems given;		/* what was taken out of it */
	int			n;
	ApiTransactAction *done;
	ApiTransactGot *got;
} Transaction;

static void write_all_items(void *transaction);
static void get_all_items(void *transaction);
static StringInfo take_items(const char *text, ApiGivenItems *given);
static StringInfo replace_items(const char *text, ApiGivenItems *given,
								int *nactions);
static const char *skip_string(const char *p, const char *end);
static const char *skip_object(const char *p, const char *end);
static const char *skip_space(const char *p);
static bool holds_values(const char *key, const char *end);

/*
 * transact_write(actions): ordinal, table_name, action of each
 */
Datum
dynamo_transact_write(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Transaction t = {{NULL}};

	t.text = take_items(sql_required_text_arg(fcinfo, 0, "actions"), &t.given);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dynamo_request_init(&t.request, operation_find("TransactWriteItems"));
	operation_counted(&t.request, write_all_items, &t);
	for (int i = 0; i < t.n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		values[0] = Int32GetDatum(i + 1);
		values[1] = CStringGetTextDatum(t.done[i].table_name);
		values[2] = CStringGetTextDatum(t.done[i].action);
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
	Transaction t = {{NULL}};

	t.text = take_items(sql_required_text_arg(fcinfo, 0, "gets"), &t.given);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dynamo_request_init(&t.request, operation_find("TransactGetItems"));
	operation_counted(&t.request, get_all_items, &t);
	for (int i = 0; i < t.n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		values[0] = Int32GetDatum(i + 1);
		values[1] = CStringGetTextDatum(t.got[i].table_name);
		values[2] = PointerGetDatum(t.got[i].item);
		nulls[2] = t.got[i].item == NULL;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

static void
write_all_items(void *transaction)
{
	Transaction *t = transaction;

	t->n = api_transact_write(&t->request, t->text->data, t->text->len,
							  &t->given, &t->done);
}

static void
get_all_items(void *transaction)
{
	Transaction *t = transaction;

	t->n = api_transact_get(&t->request, t->text->data, t->text->len,
							&t->given, &t->got);
}

/*
 * The same TransactItems without their items, which are given instead.
 */
static StringInfo
take_items(const char *text, ApiGivenItems *given)
{
	int			nactions;
	StringInfo	actions;

	given->source = text;
	actions = replace_items(text, given, &nactions);
	if (nactions <= DYNAMO_MAX_TRANSACT_ITEMS)
		return actions;
	given->items = NIL;
	return replace_items(text, NULL, &nactions);
}

/*
 * The same TransactItems with each Item, Key and ExpressionAttributeValues
 * given, or in typed JSON if "given" is NULL.  What does not look like
 * TransactItems stays as it is, for the API to refuse.
 */
static StringInfo
replace_items(const char *text, ApiGivenItems *given, int *nactions)
{
	StringInfo	out = makeStringInfo();
	const char *text_end = text + strlen(text);
	const char *p = text;
	const char *copied = text;
	int			depth = 0;

	*nactions = 0;
	while (p < text_end)
	{
		CHECK_FOR_INTERRUPTS();
		if (*p == '"')
		{
			const char *key = p;
			const char *end = skip_string(p, text_end);
			Item	   *item;

			p = skip_space(end);
			if (depth != ACTION_DEPTH || *p != ':' || !holds_values(key, end))
				continue;
			p = skip_space(p + 1);
			if (*p != '{')
				continue;

			item = codec_read_first(p, text_end - p, &end);
			if (item == NULL)
			{
				end = skip_object(p, text_end);
				item = codec_read_any(p, end - p);
			}
			appendBinaryStringInfo(out, copied, p - copied);
			if (given != NULL)
				api_give_item(given, item, out);
			else
				codec_append_map(out, item);
			p = copied = end;
			continue;
		}
		if (*p == '{' || *p == '[')
			*nactions += ++depth == ACTION_DEPTH - 1;
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
skip_string(const char *p, const char *end)
{
	CHECK_FOR_INTERRUPTS();
	p++;
	while ((p = codec_plain_end(p, end)) < end)
	{
		if (*p == '"')
			return p + 1;
		p += *p == '\\' && end - p > 1 ? 2 : 1;
	}
	return end;
}

static const char *
skip_object(const char *p, const char *end)
{
	int			depth = 0;

	do
	{
		if (*p == '"')
		{
			p = skip_string(p, end);
			continue;
		}
		if (*p == '{')
			depth++;
		else if (*p == '}')
			depth--;
		p++;
	} while (depth > 0 && p < end);
	return p;
}

static const char *
skip_space(const char *p)
{
	return p + strspn(p, " \t\n\r");
}

/*
 * Is this member, from its opening quote to the byte after its closing one, a
 * map of attribute values?  It may be written with escapes.
 */
static bool
holds_values(const char *key, const char *end)
{
	size_t		len = end - key - 2;
	const char *name = key + 1;

	if (memchr(key, '\\', end - key) != NULL)
	{
		json_error_t error;

		name = json_string_value(codec_load(key, end - key, &error));
		len = name ? strlen(name) : 0;
	}
	switch (len)
	{
		case sizeof("Key") - 1:
			return memcmp(name, "Key", len) == 0;
		case sizeof("Item") - 1:
			return memcmp(name, "Item", len) == 0;
		case sizeof("ExpressionAttributeValues") - 1:
			return memcmp(name, "ExpressionAttributeValues", len) == 0;
		default:
			return false;
	}
}
