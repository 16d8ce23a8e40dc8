/*-------------------------------------------------------------------------
 *
 * api_transact.c
 *	  TransactWriteItems and TransactGetItems.
 *
 * What is wrong with an action by itself is a ValidationException, as it would
 * be for the single operation.  What the tables, keys and items have against
 * it cancels the transaction: the answer has one reason an action, in order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"

#define MAX_PAYLOAD (4 * 1024 * 1024)
#define DUPLICATES "Transaction request cannot include multiple operations on one item"

typedef struct TransactRequest
{
	json_t	   *items;
	int			return_capacity;
	int			return_metrics;
	const char *token;
} TransactRequest;

typedef struct ActionRequest
{
	json_t	   *check;
	json_t	   *put;
	json_t	   *update;
	json_t	   *delete;
} ActionRequest;

typedef struct GetElement
{
	json_t	   *get;
} GetElement;

typedef struct GetRequest
{
	const char *table_name;
	json_t	   *key;
	const char *projection_expression;
	json_t	   *names;
} GetRequest;

/* A transaction of writes on its way. */
typedef struct Transaction
{
	int			n;
	ApiWriteInput *inputs;
	ApiWritePlan *plans;
	EngineWrite *writes;
	EngineReason *reasons;
	List	   *tables;			/* of OpenTable *, one a name and access */
} Transaction;

typedef struct OpenTable
{
	const char *name;
	EngineAccess access;
	EngineTable *table;
} OpenTable;

typedef ApiWriteRequest WriteRequest;

static const ApiField check_fields[] = {
	API_REQUIRED("TableName", api_table_name_shape, WriteRequest, table_name),
	API_REQUIRED("Key", api_item_shape, WriteRequest, item),
	API_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, WriteRequest, on_failure),
	API_REQUIRED("ConditionExpression", api_string_shape, WriteRequest, condition_expression),
	API_FIELD("ExpressionAttributeNames", api_names_shape, WriteRequest, names),
	API_FIELD("ExpressionAttributeValues", api_item_shape, WriteRequest, values),
	API_FIELDS_END
};
static const ApiField put_fields[] = {
	API_REQUIRED("TableName", api_table_name_shape, WriteRequest, table_name),
	API_REQUIRED("Item", api_item_shape, WriteRequest, item),
	API_WRITE_EXPRESSION_FIELDS,
	API_FIELDS_END
};
static const ApiField update_fields[] = {
	API_REQUIRED("TableName", api_table_name_shape, WriteRequest, table_name),
	API_REQUIRED("Key", api_item_shape, WriteRequest, item),
	API_REQUIRED("UpdateExpression", api_string_shape, WriteRequest, update_expression),
	API_WRITE_EXPRESSION_FIELDS,
	API_FIELDS_END
};
static const ApiField delete_fields[] = {
	API_REQUIRED("TableName", api_table_name_shape, WriteRequest, table_name),
	API_REQUIRED("Key", api_item_shape, WriteRequest, item),
	API_WRITE_EXPRESSION_FIELDS,
	API_FIELDS_END
};
static const ApiShape check_shape = {
	.kind = API_STRUCT, .name = "ConditionCheck", .fields = check_fields
};
static const ApiShape put_shape = {
	.kind = API_STRUCT, .name = "Put", .fields = put_fields
};
static const ApiShape update_shape = {
	.kind = API_STRUCT, .name = "Update", .fields = update_fields
};
static const ApiShape delete_shape = {
	.kind = API_STRUCT, .name = "Delete", .fields = delete_fields
};
static const ApiField action_fields[] = {
	API_FIELD("ConditionCheck", check_shape, ActionRequest, check),
	API_FIELD("Put", put_shape, ActionRequest, put),
	API_FIELD("Update", update_shape, ActionRequest, update),
	API_FIELD("Delete", delete_shape, ActionRequest, delete),
	API_FIELDS_END
};
static const ApiShape action_shape = {
	.kind = API_STRUCT, .name = "TransactWriteItem", .fields = action_fields
};
static const ApiShape actions_shape = {
	.kind = API_LIST, .element = &action_shape,
	API_BETWEEN(1, DYNAMO_MAX_TRANSACT_ITEMS)
};
static const ApiShape token_shape = {.kind = API_STRING, API_BETWEEN(1, 36)};
static const ApiField write_fields[] = {
	API_REQUIRED("TransactItems", actions_shape, TransactRequest, items),
	API_FIELD("ClientRequestToken", token_shape, TransactRequest, token),
	API_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, TransactRequest, return_capacity),
	API_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, TransactRequest, return_metrics),
	API_FIELDS_END
};
static const ApiShape write_shape = {
	.kind = API_STRUCT, .name = "TransactWriteItemsInput", .fields = write_fields
};

static const ApiField get_request_fields[] = {
	API_REQUIRED("TableName", api_table_name_shape, GetRequest, table_name),
	API_REQUIRED("Key", api_item_shape, GetRequest, key),
	API_FIELD("ProjectionExpression", api_string_shape, GetRequest, projection_expression),
	API_FIELD("ExpressionAttributeNames", api_names_shape, GetRequest, names),
	API_FIELDS_END
};
static const ApiShape get_request_shape = {
	.kind = API_STRUCT, .name = "Get", .fields = get_request_fields
};
static const ApiField get_element_fields[] = {
	API_REQUIRED("Get", get_request_shape, GetElement, get),
	API_FIELDS_END
};
static const ApiShape get_element_shape = {
	.kind = API_STRUCT, .name = "TransactGetItem", .fields = get_element_fields
};
static const ApiShape gets_shape = {
	.kind = API_LIST, .element = &get_element_shape,
	API_BETWEEN(1, DYNAMO_MAX_TRANSACT_ITEMS)
};
static const ApiField get_fields[] = {
	API_REQUIRED("TransactItems", gets_shape, TransactRequest, items),
	API_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, TransactRequest, return_capacity),
	API_FIELDS_END
};
static const ApiShape get_shape = {
	.kind = API_STRUCT, .name = "TransactGetItemsInput", .fields = get_fields
};

static void handle_write(const void *request, StringInfo out);
static void append_replay(const TransactRequest *request,
						  const Transaction *transaction,
						  const int64 *sizes, StringInfo out);
static void append_done(const TransactRequest *request,
						const Transaction *transaction, StringInfo out);
static int64 *written_sizes(const Transaction *transaction);
static void begin(const json_t *items, Transaction *transaction);
static void read_action(const json_t *json, ApiWriteInput *input);
static void check_payload(const Transaction *transaction);
static void check_bytes(uint64 bytes);
static uint64 carried(const ApiWriteInput *input);
static void bind_actions(Transaction *transaction);
static bool bind_action(Transaction *transaction, int i);
static EngineTable *open_table(List **tables, const char *name,
							   EngineAccess access);
static void check_duplicates(const EngineTable *const *tables,
							 const EngineKey *const *keys, int n);
static void cancel(const EngineReason *reasons, int n, bool *show_item)
			pg_attribute_noreturn();
static char *reason_fields(const EngineReason *reasons, int n,
						   const bool *show_item);
static void execute(Transaction *transaction);
static void close_tables(List *tables);
static void finish(Transaction *transaction);
static ApiConsumed *account_of(List **accounts, const char *name,
							   const TableDef *def, ApiConsumedKind kind);
static void handle_get(const void *request, StringInfo out);
static void get_items(const json_t *items, ApiTransactGot *got,
					  Item **stored, const TableDef **defs);
static void read_get(const json_t *json, ApiTransactGot *got,
					 const Item **key, const ExprProjection **projection);
static bool bind_get(const TableDef *def, const Item *item, EngineKey **key,
					 EngineReason *reason);
static void *read_items(const ApiShape *shape, const char *items, size_t len);

const ApiOperation api_transact_operations[] = {
	{"TransactWriteItems", &write_shape, sizeof(TransactRequest), handle_write, API_CONFLICT_TRANSACTION},
	{"TransactGetItems", &get_shape, sizeof(TransactRequest), handle_get, API_CONFLICT_TRANSACTION},
	{NULL}
};

static void
handle_write(const void *data, StringInfo out)
{
	const TransactRequest *request = data;
	Transaction transaction;
	int64	   *sizes;

	begin(request->items, &transaction);
	bind_actions(&transaction);
	if (request->token &&
		api_token_replay(request->token, request->items, transaction.n, &sizes))
		append_replay(request, &transaction, sizes, out);
	else
	{
		execute(&transaction);
		if (request->token)
			api_token_keep(request->token, request->items, transaction.n,
						   written_sizes(&transaction));
		append_done(request, &transaction, out);
	}
	finish(&transaction);
}

/*
 * A request whose token was seen has been answered: it costs what reading its
 * items would.
 */
static void
append_replay(const TransactRequest *request, const Transaction *transaction,
			  const int64 *sizes, StringInfo out)
{
	List	   *accounts = NIL;

	for (int i = 0; i < transaction->n; i++)
	{
		ApiConsumed *account =
			account_of(&accounts, transaction->inputs[i].table_name,
					   engine_def(transaction->writes[i].table),
					   API_CONSUMED_TRANSACT_READ);

		api_charge_scan(account, -1, sizes[i], 2);
	}
	appendStringInfoChar(out, '{');
	api_consumed_list_member(out, request->return_capacity, accounts);
	appendStringInfoChar(out, '}');
}

/*
 * The response of a transaction that has been done.
 */
static void
append_done(const TransactRequest *request, const Transaction *transaction,
			StringInfo out)
{
	List	   *accounts = NIL;
	bool		capacity = api_wants_capacity(request->return_capacity);

	appendStringInfoChar(out, '{');
	for (int i = 0; capacity && i < transaction->n; i++)
	{
		const EngineWrite *write = &transaction->writes[i];
		const Item *after = write->action == ENGINE_CHECK ?
			write->old_item : write->new_item;
		ApiConsumed *account =
			account_of(&accounts, transaction->inputs[i].table_name,
					   engine_def(write->table), API_CONSUMED_TRANSACT_WRITE);

		api_charge_write(account, write->old_item, after, 2);
	}
	api_consumed_list_member(out, request->return_capacity, accounts);
	if (request->return_metrics == API_METRICS_SIZE)
	{
		ApiMetrics *metrics = api_metrics();

		for (int i = 0; i < transaction->n; i++)
		{
			if (transaction->writes[i].action != ENGINE_CHECK)
				api_metrics_add(metrics, transaction->inputs[i].table_name,
								engine_def(transaction->writes[i].table),
								transaction->writes[i].item);
		}
		api_metrics_member(out, metrics);
	}
	appendStringInfoChar(out, '}');
}

/*
 * What each action had in hand, for the account of a replay.
 */
static int64 *
written_sizes(const Transaction *transaction)
{
	int64	   *sizes = palloc0(sizeof(int64) * transaction->n);

	for (int i = 0; i < transaction->n; i++)
	{
		const EngineWrite *write = &transaction->writes[i];

		if (write->old_item)
			sizes[i] = item_size(write->old_item);
		if (write->new_item)
			sizes[i] = Max(sizes[i], item_size(write->new_item));
	}
	return sizes;
}

/*
 * Read and check all actions as far as they need no table.
 */
static void
begin(const json_t *items, Transaction *transaction)
{
	int			n = json_array_size(items);

	transaction->n = n;
	transaction->inputs = palloc0(sizeof(ApiWriteInput) * n);
	transaction->plans = palloc0(sizeof(ApiWritePlan) * n);
	transaction->writes = palloc0(sizeof(EngineWrite) * n);
	transaction->reasons = palloc0(sizeof(EngineReason) * n);
	transaction->tables = NIL;
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_action(json_array_get(items, i), &transaction->inputs[i]);
		api_write_parse(&transaction->inputs[i], &transaction->plans[i]);
		transaction->reasons[i].code = "None";
	}
	check_payload(transaction);
}

/*
 * Read one element of TransactItems, which has exactly one of four members.
 */
static void
read_action(const json_t *json, ApiWriteInput *input)
{
	static const ApiShape *const shapes[] = {
		&check_shape, &put_shape, &update_shape, &delete_shape
	};
	static const EngineAction actions[] = {
		ENGINE_CHECK, ENGINE_PUT, ENGINE_UPDATE, ENGINE_DELETE
	};
	ActionRequest request = {0};
	WriteRequest write = {0};
	json_t	   *given[4];
	int			chosen = -1;

	api_fill(&action_shape, json, &request);
	given[0] = request.check;
	given[1] = request.put;
	given[2] = request.update;
	given[3] = request.delete;
	for (int i = 0; i < lengthof(given); i++)
	{
		if (given[i] && chosen >= 0)
			dynamo_error(DYNAMO_VALIDATION,
						 "TransactItems can only contain one of Check, Put, Update or Delete");
		if (given[i])
			chosen = i;
	}
	if (chosen < 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request");
	api_fill(shapes[chosen], given[chosen], &write);
	api_read_write(&write, actions[chosen], input);
}

static void
check_payload(const Transaction *transaction)
{
	uint64		total = 0;

	for (int i = 0; i < transaction->n; i++)
		total += carried(&transaction->inputs[i]);
	check_bytes(total);
}

/*
 * Bytes that an action brings along.
 */
static uint64
carried(const ApiWriteInput *input)
{
	uint64		bytes = item_size(input->item);

	if (input->bindings && input->bindings->values)
		bytes += item_size(input->bindings->values);
	return bytes;
}

static void
check_bytes(uint64 bytes)
{
	if (bytes > MAX_PAYLOAD)
		dynamo_error(DYNAMO_VALIDATION,
					 "Transaction payload size cannot exceed 4MB. Payload Size: : Transaction payload size cannot exceed 4MB. Payload Size: "
					 UINT64_FORMAT, bytes);
}

/*
 * Open the tables and make the keys.  The first action that its table's schema
 * refuses cancels the transaction before any condition is looked at.
 */
static void
bind_actions(Transaction *transaction)
{
	static const EngineAccess access[] = {
		[ENGINE_PUT] = ENGINE_PUT_ITEM,
		[ENGINE_UPDATE] = ENGINE_UPDATE_ITEM,
		[ENGINE_DELETE] = ENGINE_DELETE_ITEM,
		[ENGINE_CHECK] = ENGINE_CHECK_ITEM,
	};
	int			n = transaction->n;
	const EngineTable **tables = palloc(sizeof(EngineTable *) * n);
	const EngineKey **keys = palloc(sizeof(EngineKey *) * n);
	int			bound = 0;

	for (int i = 0; i < n; i++)
	{
		const ApiWriteInput *input = &transaction->inputs[i];

		transaction->plans[i].write.table =
			open_table(&transaction->tables, input->table_name,
					   access[input->action]);
		if (api_write_shows(input))
			engine_check_read(transaction->plans[i].write.table);
	}
	while (bound < n && bind_action(transaction, bound))
	{
		transaction->writes[bound] = transaction->plans[bound].write;
		tables[bound] = transaction->writes[bound].table;
		keys[bound] = transaction->writes[bound].key;
		bound++;
	}
	check_duplicates(tables, keys, bound);
	if (bound < n)
		cancel(transaction->reasons, n, NULL);
}

/*
 * Bind one action; false, with its reason set, when the schema refuses it.
 * That an attribute of the key, or an item's attribute that is the key of an
 * index, is empty is an error of the request.  Binding touches nothing but
 * memory, so its error needs no subtransaction.
 */
static bool
bind_action(Transaction *transaction, int i)
{
	MemoryContext context = CurrentMemoryContext;
	ApiWritePlan *plan = &transaction->plans[i];
	EngineReason *reason = &transaction->reasons[i];
	volatile bool done = true;

	PG_TRY();
	{
		api_write_bind(plan, plan->write.table);
	}
	PG_CATCH();
	{
		const char *message = dynamo_caught(DYNAMO_VALIDATION, context);

		if (strncmp(message, DYNAMO_NOT_VALID, strlen(DYNAMO_NOT_VALID)) == 0)
			PG_RE_THROW();
		FlushErrorState();
		reason->code = "ValidationError";
		reason->message = message;
		done = false;
	}
	PG_END_TRY();
	return done;
}

/*
 * A table is opened once for each kind of access to it.
 */
static EngineTable *
open_table(List **tables, const char *name, EngineAccess access)
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
	open->table = engine_open(api_table_name(name), access);
	*tables = lappend(*tables, open);
	return open->table;
}

static void
close_tables(List *tables)
{
	ListCell   *lc;

	foreach(lc, tables)
		engine_close(((OpenTable *) lfirst(lc))->table);
}

static void
check_duplicates(const EngineTable *const *tables,
				 const EngineKey *const *keys, int n)
{
	for (int i = 1; i < n; i++)
	{
		for (int k = 0; k < i; k++)
		{
			if (engine_def(tables[i])->relid == engine_def(tables[k])->relid &&
				engine_key_compare(keys[i], keys[k]) == 0)
				dynamo_error(DYNAMO_VALIDATION, DUPLICATES);
		}
	}
}

/*
 * Raise TransactionCanceledException.  "show_item" tells of which actions the
 * item may be shown, should their condition have failed; NULL: of none.
 */
static void
cancel(const EngineReason *reasons, int n, bool *show_item)
{
	StringInfoData codes;

	initStringInfo(&codes);
	for (int i = 0; i < n; i++)
		appendStringInfo(&codes, "%s%s", i > 0 ? ", " : "", reasons[i].code);
	dynamo_error_with_fields(DYNAMO_TRANSACTION_CANCELED,
							 reason_fields(reasons, n, show_item),
							 API_CANCELED, codes.data);
}

static char *
reason_fields(const EngineReason *reasons, int n, const bool *show_item)
{
	StringInfoData fields;

	initStringInfo(&fields);
	api_member(&fields, "CancellationReasons");
	appendStringInfoChar(&fields, '[');
	for (int i = 0; i < n; i++)
	{
		const EngineReason *reason = &reasons[i];

		api_element(&fields);
		appendStringInfoChar(&fields, '{');
		if (reason->item && show_item && show_item[i] &&
			strcmp(reason->code, "ConditionalCheckFailed") == 0)
			api_item_member(&fields, "Item", reason->item);
		api_string_member(&fields, "Code", reason->code);
		if (reason->message)
			api_string_member(&fields, "Message", reason->message);
		appendStringInfoChar(&fields, '}');
	}
	appendStringInfoChar(&fields, ']');
	return fields.data;
}

/*
 * An error that says a race was lost is given the reasons as its detail, as
 * the exception has, for who asks in the service's language.  The detail that
 * it had, who waited for whom, goes before its context.
 */
static void
execute(Transaction *transaction)
{
	MemoryContext context = CurrentMemoryContext;
	int			n = transaction->n;
	bool	   *show_item = palloc(sizeof(bool) * n);
	volatile bool done = false;

	for (int i = 0; i < n; i++)
		show_item[i] = transaction->inputs[i].item_on_failure;
	PG_TRY();
	{
		done = engine_transact_write(transaction->writes, n,
									 transaction->reasons);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		if (!api_lost_race(geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (error->detail)
			error->context = error->context ?
				psprintf("%s\n%s", error->detail, error->context) :
				error->detail;
		error->detail = psprintf("{%s}",
								 reason_fields(transaction->reasons, n, NULL));
		ReThrowError(error);
	}
	PG_END_TRY();
	if (!done)
		cancel(transaction->reasons, n, show_item);
}

static void
finish(Transaction *transaction)
{
	close_tables(transaction->tables);
}

/*
 * The account of a table among those of a transaction.
 */
static ApiConsumed *
account_of(List **accounts, const char *name, const TableDef *def,
		   ApiConsumedKind kind)
{
	ApiConsumed *account;
	ListCell   *lc;

	foreach(lc, *accounts)
	{
		account = lfirst(lc);
		if (strcmp(account->table_name, name) == 0)
			return account;
	}
	account = api_consumed(name, def);
	account->kind = kind;
	*accounts = lappend(*accounts, account);
	return account;
}

/*
 * TransactWriteItems for SQL.  See api.h.
 */
int
api_transact_write(const char *actions, size_t len, ApiTransactAction **done)
{
	static const char *const names[] = {
		[ENGINE_PUT] = "Put",
		[ENGINE_UPDATE] = "Update",
		[ENGINE_DELETE] = "Delete",
		[ENGINE_CHECK] = "ConditionCheck",
	};
	TransactRequest *request = read_items(&write_shape, actions, len);
	Transaction transaction;

	begin(request->items, &transaction);
	bind_actions(&transaction);
	execute(&transaction);
	*done = palloc(sizeof(ApiTransactAction) * transaction.n);
	for (int i = 0; i < transaction.n; i++)
	{
		(*done)[i].table_name = engine_def(transaction.writes[i].table)->name;
		(*done)[i].action = names[transaction.inputs[i].action];
	}
	finish(&transaction);
	return transaction.n;
}

/*
 * A request that consists of its TransactItems.
 */
static void *
read_items(const ApiShape *shape, const char *items, size_t len)
{
	StringInfoData body;
	TransactRequest *request = palloc0(sizeof(TransactRequest));
	json_error_t error;
	json_t	   *json;

	initStringInfo(&body);
	appendStringInfoString(&body, "{\"TransactItems\":");
	appendBinaryStringInfo(&body, items, len);
	appendStringInfoChar(&body, '}');
	json = item_json_load(body.data, body.len, &error);
	if (json == NULL)
		dynamo_error(DYNAMO_SERIALIZATION, API_NO_TEXT);
	api_check_shape(shape, json);
	api_check_constraints(shape, json);
	api_fill(shape, json, request);
	return request;
}

/*
 * TransactGetItems: a missing item, or one of which nothing is left, is an
 * empty object.
 */
static void
handle_get(const void *data, StringInfo out)
{
	const TransactRequest *request = data;
	int			n = json_array_size(request->items);
	ApiTransactGot *got = palloc0(sizeof(ApiTransactGot) * n);
	Item	  **stored = palloc0(sizeof(Item *) * n);
	const TableDef **defs = palloc0(sizeof(TableDef *) * n);
	List	   *accounts = NIL;

	get_items(request->items, got, stored, defs);

	appendStringInfoString(out, "{\"Responses\":[");
	for (int i = 0; i < n; i++)
	{
		ItemValue	root;

		api_element(out);
		appendStringInfoChar(out, '{');
		if (got[i].item)
		{
			root = item_root(got[i].item);
			if (item_member_count(&root) > 0)
				api_item_member(out, "Item", got[i].item);
		}
		appendStringInfoChar(out, '}');
		api_charge_get(account_of(&accounts, got[i].table_name, defs[i],
								  API_CONSUMED_TRANSACT_READ),
					   stored[i], 2);
	}
	appendStringInfoChar(out, ']');
	api_consumed_list_member(out, request->return_capacity, accounts);
	appendStringInfoChar(out, '}');
}

/*
 * Read all items as of one moment.  The three arrays have one entry an item.
 */
static void
get_items(const json_t *items, ApiTransactGot *got, Item **stored,
		  const TableDef **defs)
{
	int			n = json_array_size(items);
	const Item **sent = palloc(sizeof(Item *) * n);
	const ExprProjection **projections = palloc0(sizeof(*projections) * n);
	EngineTable **tables = palloc(sizeof(EngineTable *) * n);
	EngineKey **keys = palloc(sizeof(EngineKey *) * n);
	EngineReason *reasons = palloc0(sizeof(EngineReason) * n);
	List	   *opened = NIL;
	uint64		total = 0;
	int			bound = 0;

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_get(json_array_get(items, i), &got[i], &sent[i], &projections[i]);
		total += item_size(sent[i]);
		reasons[i].code = "None";
	}
	check_bytes(total);
	for (int i = 0; i < n; i++)
	{
		tables[i] = open_table(&opened, got[i].table_name, ENGINE_READ);
		defs[i] = engine_def(tables[i]);
	}
	while (bound < n &&
		   bind_get(defs[bound], sent[bound], &keys[bound], &reasons[bound]))
		bound++;
	check_duplicates((const EngineTable *const *) tables,
					 (const EngineKey *const *) keys, bound);
	if (bound < n)
		cancel(reasons, n, NULL);
	for (int i = 0; i < n; i++)
	{
		if (projections[i])
			api_check_key_paths(defs[i], expr_projection_paths(projections[i]));
	}

	engine_transact_get(tables, keys, n, stored);
	total = 0;
	for (int i = 0; i < n; i++)
	{
		if (stored[i] == NULL)
			continue;
		total += item_size(stored[i]);
		got[i].item = projections[i] ? expr_project(projections[i], stored[i]) :
			stored[i];
	}
	check_bytes(total);
	close_tables(opened);
}

static void
read_get(const json_t *json, ApiTransactGot *got, const Item **key,
		 const ExprProjection **projection)
{
	GetElement	element = {0};
	GetRequest	request = {0};
	ExprBindings *bindings;

	api_fill(&get_element_shape, json, &element);
	api_fill(&get_request_shape, element.get, &request);
	expr_check_given(request.names != NULL, false,
					 request.projection_expression != NULL, NULL);
	got->table_name = request.table_name;
	*key = item_json_read_map(request.key);
	bindings = api_read_bindings(request.names, NULL);
	if (request.projection_expression)
		*projection = expr_parse_projection(request.projection_expression,
											bindings);
	if (bindings)
		expr_check_unused(bindings);
}

/*
 * Make the key of one read; false, with its reason set, when the schema
 * refuses it.
 */
static bool
bind_get(const TableDef *def, const Item *item, EngineKey **key,
		 EngineReason *reason)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool done = true;

	PG_TRY();
	{
		*key = engine_key(def, item);
	}
	PG_CATCH();
	{
		reason->code = "ValidationError";
		reason->message = dynamo_caught(DYNAMO_VALIDATION, context);
		FlushErrorState();
		done = false;
	}
	PG_END_TRY();
	return done;
}

/*
 * TransactGetItems for SQL.  See api.h.
 */
int
api_transact_get(const char *gets, size_t len, ApiTransactGot **got)
{
	TransactRequest *request = read_items(&get_shape, gets, len);
	int			n = json_array_size(request->items);
	Item	  **stored = palloc0(sizeof(Item *) * n);
	const TableDef **defs = palloc0(sizeof(TableDef *) * n);

	*got = palloc0(sizeof(ApiTransactGot) * n);
	get_items(request->items, *got, stored, defs);
	return n;
}
