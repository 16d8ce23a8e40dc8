/*-------------------------------------------------------------------------
 *
 * api_transact.c
 *	  What TransactWriteItems and TransactGetItems have in common.
 *
 * What is wrong with an action by itself is a ValidationException, as it would
 * be for the single operation.  What the tables, keys and items have against
 * it cancels the transaction: the answer has one reason an action, in order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "moment/moment.h"
#include "utils/fmgrprotos.h"

#define DUPLICATES "Transaction request cannot include multiple operations on one item"

typedef struct OpenTable
{
	const char *name;
	EngineAccess access;
	EngineTable *table;
} OpenTable;

/*
 * A request that consists of its TransactItems.  An application that sends it
 * again and again changes its items, keys and values, and those are given: the
 * rest is the same text, which "cache" remembers as api_transact_parse() has
 * parsed it.  What is wrong with a text that is no JSON is best said by type
 * json.
 */
ApiTransactRequest *
api_transact_read(DynamoParsedCache *cache, const WireShape *shape,
				  const char *items, size_t len, const ApiGivenItems *given)
{
	StringInfoData body;
	ApiTransactRequest *request = palloc0(sizeof(ApiTransactRequest));
	const json_t *json;

	initStringInfo(&body);
	appendStringInfoString(&body, "{\"TransactItems\":");
	appendBinaryStringInfo(&body, items, len);
	appendStringInfoChar(&body, '}');
	json = dynamo_parsed(cache, 0, body.data);
	if (json == NULL)
	{
		(void) DirectFunctionCall1(json_in, CStringGetDatum(given->source));
		wire_refuse_text();
	}
	wire_fill(shape, json, request);
	return request;
}

/*
 * The JSON of a request, checked by its shape.  NULL: it is no JSON.
 */
const json_t *
api_transact_parse(const WireShape *shape, const char *text)
{
	json_error_t error;
	json_t	   *json = codec_load(text, strlen(text), &error);

	if (json != NULL)
	{
		wire_check_types(shape, json);
		wire_check_constraints(shape, json);
	}
	return json;
}

/*
 * Transactions carry a limited number of bytes, there and back.
 */
void
api_transact_check_bytes(uint64 bytes)
{
	if (bytes > API_MAX_PAYLOAD)
		dynamo_error(DYNAMO_VALIDATION,
					 "Transaction payload size cannot exceed 4MB. Payload Size: : Transaction payload size cannot exceed 4MB. Payload Size: "
					 UINT64_FORMAT, bytes);
}

/*
 * A table is opened once for each kind of access to it.
 */
EngineTable *
api_transact_open(DynamoRequest *request, List **tables, const char *name,
				  EngineAccess access)
{
	OpenTable  *open;
	ListCell   *lc;

	foreach(lc, *tables)
	{
		open = lfirst(lc);
		if (open->access == access && strcmp(open->name, name) == 0)
			return open->table;
	}
	open = palloc(sizeof(OpenTable));
	open->name = name;
	open->access = access;
	open->table = engine_open(request, wire_table_name(name), access);
	*tables = lappend(*tables, open);
	return open->table;
}

void
api_transact_close(List *tables)
{
	ListCell   *lc;

	foreach(lc, tables)
		engine_close(((OpenTable *) lfirst(lc))->table);
}

/*
 * Refuse an item that comes twice.  There are a hundred at most.
 */
void
api_transact_check_keys(const EngineGet *items, int n)
{
	for (int i = 1; i < n; i++)
	{
		for (int k = 0; k < i; k++)
		{
			if (engine_def(items[i].table)->relid ==
				engine_def(items[k].table)->relid &&
				key_compare(items[i].key, items[k].key) == 0)
				dynamo_error(DYNAMO_VALIDATION, DUPLICATES);
		}
	}
}

/*
 * Bind one action to its table.  False, with its reason set, when the schema
 * refuses it; what breaks the rule "but" (or NULL) is an error of the request.
 */
bool
api_transact_accept(ApiWork bind, void *arg, const char *but,
					EngineReason *reason)
{
	ErrorData  *error = api_refusal(bind, arg);

	if (error == NULL)
		return true;
	if (but && dynamo_breaks(error, but))
		ReThrowError(error);
	reason->code = "ValidationError";
	reason->message = error->message;
	return false;
}

/*
 * Read items as of one moment, or say which of them others always change.
 */
void
api_transact_read_items(EngineGet *gets, int n)
{
	EngineReason *reasons;

	if (engine_transact_get(gets, n) || moment_read(gets, n))
		return;
	reasons = palloc0(sizeof(EngineReason) * n);
	for (int i = 0; i < n; i++)
	{
		reasons[i].code = gets[i].contended ? "TransactionConflict" : "None";
		reasons[i].message = gets[i].contended ? DYNAMO_CONFLICT : NULL;
	}
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not read items of several nodes as of one moment"),
			 errdetail_internal("{%s}", api_transact_reasons(reasons, n, NULL))));
}

/*
 * Raise TransactionCanceledException.  "show_item" tells of which actions the
 * item may be shown, should their condition have failed; NULL: of none.
 */
void
api_transact_cancel(const EngineReason *reasons, int n,
					const bool *show_item)
{
	StringInfoData codes;

	initStringInfo(&codes);
	for (int i = 0; i < n; i++)
		appendStringInfo(&codes, "%s%s", i > 0 ? ", " : "", reasons[i].code);
	dynamo_error_with_fields(DYNAMO_TRANSACTION_CANCELED,
							 api_transact_reasons(reasons, n, show_item),
							 NULL, WIRE_CANCELED, codes.data);
}

/*
 * CancellationReasons, as a member of an error's body.
 */
char *
api_transact_reasons(const EngineReason *reasons, int n, const bool *show_item)
{
	StringInfoData fields;

	initStringInfo(&fields);
	wire_member(&fields, "CancellationReasons");
	appendStringInfoChar(&fields, '[');
	for (int i = 0; i < n; i++)
	{
		const EngineReason *reason = &reasons[i];

		wire_element(&fields);
		appendStringInfoChar(&fields, '{');
		if (reason->item && show_item && show_item[i] &&
			strcmp(reason->code, "ConditionalCheckFailed") == 0)
			wire_item_member(&fields, "Item", reason->item);
		wire_string_member(&fields, "Code", reason->code);
		if (reason->message)
			wire_string_member(&fields, "Message", reason->message);
		appendStringInfoChar(&fields, '}');
	}
	appendStringInfoChar(&fields, ']');
	return fields.data;
}

/*
 * The account of a table among those of a transaction.
 */
CapacityConsumed *
api_transact_account(List **accounts, const char *name, const TableDef *def,
					 CapacityConsumedKind kind)
{
	CapacityConsumed *account;
	ListCell   *lc;

	foreach(lc, *accounts)
	{
		account = lfirst(lc);
		if (strcmp(account->table_name, name) == 0)
			return account;
	}
	account = capacity_consumed(name, def);
	account->kind = kind;
	*accounts = lappend(*accounts, account);
	return account;
}
