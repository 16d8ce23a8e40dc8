/*-------------------------------------------------------------------------
 *
 * api_transact_write.c
 *	  TransactWriteItems.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "token/token.h"

typedef struct ActionRequest
{
	json_t	   *check;
	json_t	   *put;
	json_t	   *update;
	json_t	   *delete;
} ActionRequest;

typedef ApiWriteRequest WriteRequest;

static const WireField check_fields[] = {
	WIRE_REQUIRED("TableName", wire_table_name_shape, WriteRequest, table_name),
	WIRE_REQUIRED("Key", wire_item_shape, WriteRequest, item),
	WIRE_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, WriteRequest, on_failure),
	WIRE_REQUIRED("ConditionExpression", wire_string_shape, WriteRequest, condition_expression),
	WIRE_FIELD("ExpressionAttributeNames", wire_names_shape, WriteRequest, names),
	WIRE_FIELD("ExpressionAttributeValues", wire_item_shape, WriteRequest, values),
	WIRE_FIELDS_END
};
static const WireField put_fields[] = {
	WIRE_REQUIRED("TableName", wire_table_name_shape, WriteRequest, table_name),
	WIRE_REQUIRED("Item", wire_item_shape, WriteRequest, item),
	API_WRITE_EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};
static const WireField update_fields[] = {
	WIRE_REQUIRED("TableName", wire_table_name_shape, WriteRequest, table_name),
	WIRE_REQUIRED("Key", wire_item_shape, WriteRequest, item),
	WIRE_REQUIRED("UpdateExpression", wire_string_shape, WriteRequest, update_expression),
	API_WRITE_EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};
static const WireField delete_fields[] = {
	WIRE_REQUIRED("TableName", wire_table_name_shape, WriteRequest, table_name),
	WIRE_REQUIRED("Key", wire_item_shape, WriteRequest, item),
	API_WRITE_EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};
static const WireShape check_shape = {
	.kind = WIRE_STRUCT, .name = "ConditionCheck", .fields = check_fields
};
static const WireShape put_shape = {
	.kind = WIRE_STRUCT, .name = "Put", .fields = put_fields
};
static const WireShape update_shape = {
	.kind = WIRE_STRUCT, .name = "Update", .fields = update_fields
};
static const WireShape delete_shape = {
	.kind = WIRE_STRUCT, .name = "Delete", .fields = delete_fields
};
static const WireField action_fields[] = {
	WIRE_FIELD("ConditionCheck", check_shape, ActionRequest, check),
	WIRE_FIELD("Put", put_shape, ActionRequest, put),
	WIRE_FIELD("Update", update_shape, ActionRequest, update),
	WIRE_FIELD("Delete", delete_shape, ActionRequest, delete),
	WIRE_FIELDS_END
};
static const WireShape action_shape = {
	.kind = WIRE_STRUCT, .name = "TransactWriteItem", .fields = action_fields
};
static const WireShape actions_shape = {
	.kind = WIRE_LIST, .element = &action_shape,
	WIRE_BETWEEN(1, DYNAMO_MAX_TRANSACT_ITEMS)
};
static const WireShape token_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(1, 36)};
static const WireField write_fields[] = {
	WIRE_REQUIRED("TransactItems", actions_shape, ApiTransactRequest, items),
	WIRE_FIELD("ClientRequestToken", token_shape, ApiTransactRequest, token),
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, ApiTransactRequest, return_capacity),
	WIRE_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, ApiTransactRequest, return_metrics),
	WIRE_FIELDS_END
};
const WireShape api_transact_write_items_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ApiTransactRequest), .name = "TransactWriteItemsInput", .fields = write_fields
};

static const void *parse_actions(int kind, const char *text);

/* What the SQL function was called with. */
static DynamoParsedCache requests = {.parse = parse_actions};

static bool is_distributed(const ApiTransaction *transaction);
static EngineGet *places_of(const ApiTransaction *transaction);
static bool can_split(const DynamoRequest *request,
					  const ApiTransactRequest *given,
					  const ApiTransaction *transaction);
static bool reach_nodes(DynamoRequest *request, const EngineGet *places,
						const int32 *groups, int n);
static int64 *write_split(DynamoRequest *request,
						  const ApiTransaction *transaction,
						  const EngineGet *places, const int32 *groups);
static List *send_parts(DynamoRequest *request,
						const ApiTransaction *transaction,
						const EngineGet *places, const int32 *groups,
						int32 here);
static void append_part(StringInfo out, const ApiTransaction *transaction,
						const int32 *groups, int32 group);
static void write_own_part(DynamoRequest *request,
						   const ApiTransaction *transaction,
						   const EngineGet *places, const int32 *groups,
						   int32 here, int64 *sizes);
static void append_sizes(const ApiTransaction *transaction, StringInfo out);
static void read_sizes(const char *answer, const int32 *groups, int n,
					   int32 group, int64 *sizes);
static void set_tables(ApiTransaction *transaction, const EngineGet *places);
static void append_replay(const DynamoRequest *request,
						  const ApiTransactRequest *given,
						  const ApiTransaction *transaction,
						  const int64 *sizes, StringInfo out);
static void append_done(const ApiTransactRequest *request,
						const ApiTransaction *transaction, StringInfo out);
static int64 *written_sizes(const ApiTransaction *transaction);
static void read_transaction(DynamoRequest *request, const json_t *items,
							 const ApiGivenItems *given,
							 ApiTransaction *transaction);
static void read_action(const json_t *json, const ApiGivenItems *given,
						ApiWrite *w);
static void check_payload(const ApiTransaction *transaction);
static uint64 carried(const ApiWrite *w,
					  uint64 (*size) (const Item *item));
static uint64 exact_size(const Item *item);
static void bind_actions(DynamoRequest *request, ApiTransaction *transaction);
static void bind_action(void *arg);
static void write_transaction(const DynamoRequest *request,
							  ApiTransaction *transaction);
static void count_writes(const DynamoRequest *request,
						 const ApiTransaction *transaction);
static const Item *outcome_of(const EngineWrite *write);

void
api_transact_write_items(DynamoRequest *request, StringInfo out)
{
	const ApiTransactRequest *given = request->input;
	ApiTransaction transaction;

	read_transaction(request, given->items, NULL, &transaction);
	bind_actions(request, &transaction);
	appendStringInfoChar(out, '{');
	api_transact_finish(request, given, &transaction, out);
	appendStringInfoChar(out, '}');
}

/*
 * Do what has been bound, once for each token, close the tables, and append
 * the members of the response.  Where all items are on one node the request is
 * executed there.
 */
void
api_transact_finish(DynamoRequest *request, const ApiTransactRequest *given,
					ApiTransaction *transaction, StringInfo out)
{
	ClientToken token = {.text = request->explain ? NULL : given->token,
		.items = given->items, .n = transaction->n,
	.shared = is_distributed(transaction)};
	EngineGet  *places = places_of(transaction);
	int32	   *groups = can_split(request, given, transaction) ?
		palloc(sizeof(int32) * transaction->n) : NULL;
	EngineTable **before = NULL;
	EngineAt	at = ENGINE_AS_OPENED;
	int64	   *sizes;

	if (token.text == NULL)
		at = engine_use_shards(places, transaction->n, groups, &before);
	else
		at = token_use_shards(&token, request, places, transaction->n, groups,
							  &before);
	if (at == ENGINE_AT_SHARDS)
		set_tables(transaction, places);
	if (at == ENGINE_ELSEWHERE ||
		(at == ENGINE_SCATTERED && !reach_nodes(request, places, groups,
												transaction->n)))
		;
	else if (token.text != NULL && token_replay(&token, &sizes))
		append_replay(request, given, transaction, sizes, out);
	else if (at == ENGINE_SCATTERED)
	{
		sizes = write_split(request, transaction, places, groups);
		if (token.text != NULL)
			token_keep(&token, sizes);
	}
	else
	{
		write_transaction(request, transaction);
		if (token.text != NULL)
			token_keep(&token, written_sizes(transaction));
		if (request->is_part)
			append_sizes(transaction, out);
		append_done(given, transaction, out);
	}
	if (at == ENGINE_AT_SHARDS)
		engine_leave_shards(places, transaction->n, before);
	api_transact_close(transaction->tables);
}

static EngineGet *
places_of(const ApiTransaction *transaction)
{
	EngineGet  *places = palloc0(sizeof(EngineGet) * transaction->n);

	for (int i = 0; i < transaction->n; i++)
	{
		places[i].table = transaction->writes[i].write.table;
		places[i].key = transaction->writes[i].write.key;
	}
	return places;
}

/*
 * May the nodes that have the items execute parts of the request?  What is told
 * of items is left to Citus, under which they are all here.
 */
static bool
can_split(const DynamoRequest *request, const ApiTransactRequest *given,
		  const ApiTransaction *transaction)
{
	return request->splits && transaction->actions != NULL &&
		!capacity_is_wanted(given->return_capacity) &&
		given->return_metrics != API_METRICS_SIZE;
}

/*
 * Are there connections to all nodes that have items?  If not, one is to be made
 * when the request has left this transaction, and then it is executed anew.
 */
static bool
reach_nodes(DynamoRequest *request, const EngineGet *places,
			const int32 *groups, int n)
{
	int32		here = shard_node_group();

	for (int i = 0; i < n; i++)
	{
		DynamoNode	node;

		if (groups[i] == here)
			continue;
		engine_node_of(&places[i], &node);
		if (shard_split_reaches(&node))
			continue;
		dynamo_route_to(DYNAMO_ROUTE_AWAY, request, node.host, node.port);
		request->reaching = true;
		return false;
	}
	return true;
}

/*
 * Have each node write its part.  What each action had in hand, as
 * written_sizes() has it.  If anything is in the way, Citus does it all.
 */
static int64 *
write_split(DynamoRequest *request, const ApiTransaction *transaction,
			const EngineGet *places, const int32 *groups)
{
	int64	   *sizes = palloc0(sizeof(int64) * transaction->n);
	int			here = shard_node_group();
	List	   *others = send_parts(request, transaction, places, groups, here);
	ListCell   *lc;
	int			part = 0;

	write_own_part(request, transaction, places, groups, here, sizes);
	shard_split_decide();
	foreach(lc, others)
		read_sizes(shard_split_answer(part++), groups, transaction->n,
				   lfirst_int(lc), sizes);
	return sizes;
}

/*
 * The groups of the nodes, in the order of their parts.
 */
static List *
send_parts(DynamoRequest *request, const ApiTransaction *transaction,
		   const EngineGet *places, const int32 *groups, int32 here)
{
	List	   *others = NIL;

	request->is_split = true;
	if (!shard_split_begin())
		dynamo_route_refuse();
	for (int i = 0; i < transaction->n; i++)
	{
		StringInfoData text;
		DynamoNode	node;

		if (groups[i] == here || list_member_int(others, groups[i]))
			continue;
		initStringInfo(&text);
		append_part(&text, transaction, groups, groups[i]);
		engine_node_of(&places[i], &node);
		if (!shard_split_send(groups[i], &node, text.data))
			dynamo_route_refuse();
		others = lappend_int(others, groups[i]);
	}
	return others;
}

static void
append_part(StringInfo out, const ApiTransaction *transaction,
			const int32 *groups, int32 group)
{
	const char *between = "{\"TransactItems\":[";

	for (int i = 0; i < transaction->n; i++)
	{
		if (groups[i] != group)
			continue;
		appendStringInfoString(out, between);
		wire_append_json(out, json_array_get(transaction->actions, i));
		between = ",";
	}
	appendStringInfoString(out, "]}");
}

/*
 * What is on this node, if anything.
 */
static void
write_own_part(DynamoRequest *request, const ApiTransaction *transaction,
			   const EngineGet *places, const int32 *groups, int32 here,
			   int64 *sizes)
{
	ApiTransaction own = *transaction;
	EngineGet  *own_places;
	EngineTable **before;
	const int64 *own_sizes;
	int			n = transaction->n;

	own.n = 0;
	own.writes = palloc(sizeof(ApiWrite) * n);
	own_places = palloc(sizeof(EngineGet) * n);
	for (int i = 0; i < n; i++)
	{
		if (groups[i] != here)
			continue;
		own_places[own.n] = places[i];
		own.writes[own.n++] = transaction->writes[i];
	}
	if (own.n == 0)
		return;
	request->route = DYNAMO_ROUTE_OWNER;
	if (engine_use_shards(own_places, own.n, NULL, &before) != ENGINE_AT_SHARDS)
		dynamo_route_refuse();
	set_tables(&own, own_places);
	write_transaction(request, &own);
	own_sizes = written_sizes(&own);
	for (int i = 0; i < n; i++)
	{
		if (groups[i] == here)
			sizes[i] = *own_sizes++;
	}
	engine_leave_shards(own_places, own.n, before);
}

/*
 * What a node says that has written its part.
 */
static void
append_sizes(const ApiTransaction *transaction, StringInfo out)
{
	const int64 *sizes = written_sizes(transaction);

	for (int i = 0; i < transaction->n; i++)
		appendStringInfo(out, " " INT64_FORMAT, sizes[i]);
}

static void
read_sizes(const char *answer, const int32 *groups, int n, int32 group,
		   int64 *sizes)
{
	char	   *rest = unconstify(char *, answer) + 1;	/* after the brace */

	for (int i = 0; i < n; i++)
	{
		if (groups[i] == group)
			sizes[i] = strtoll(rest, &rest, 10);
	}
}

/*
 * Tables of the writes are those of their places.
 */
static void
set_tables(ApiTransaction *transaction, const EngineGet *places)
{
	for (int i = 0; i < transaction->n; i++)
		transaction->writes[i].write.table = places[i].table;
}

/*
 * Is it about a table that is on several nodes?
 */
static bool
is_distributed(const ApiTransaction *transaction)
{
	for (int i = 0; i < transaction->n; i++)
	{
		if (engine_def(transaction->writes[i].write.table)->distributed)
			return true;
	}
	return false;
}

/*
 * A request whose token was seen has been answered: it costs what reading its
 * items would.
 */
static void
append_replay(const DynamoRequest *request, const ApiTransactRequest *given,
			  const ApiTransaction *transaction, const int64 *sizes,
			  StringInfo out)
{
	List	   *accounts = NIL;
	ListCell   *lc;

	for (int i = 0; i < transaction->n; i++)
	{
		CapacityConsumed *account =
			api_transact_account(&accounts, transaction->writes[i].table_name,
								 engine_def(transaction->writes[i].write.table),
								 CAPACITY_CONSUMED_TRANSACT_READ);

		capacity_charge_scan(account, -1, sizes[i], 2);
	}
	foreach(lc, accounts)
		api_count_account(request, lfirst(lc), 0, false);
	capacity_consumed_list_member(out, given->return_capacity, accounts);
}

/*
 * The response of a transaction that has been done.
 */
static void
append_done(const ApiTransactRequest *request, const ApiTransaction *transaction,
			StringInfo out)
{
	List	   *accounts = NIL;
	bool		capacity = capacity_is_wanted(request->return_capacity);

	for (int i = 0; capacity && i < transaction->n; i++)
	{
		const ApiWrite *w = &transaction->writes[i];
		const EngineWrite *write = &w->write;
		CapacityConsumed *account =
			api_transact_account(&accounts, w->table_name,
								 engine_def(write->table),
								 CAPACITY_CONSUMED_TRANSACT_WRITE);

		capacity_charge_write(account, write->old_item, outcome_of(write), 2);
	}
	capacity_consumed_list_member(out, request->return_capacity, accounts);
	if (request->return_metrics == API_METRICS_SIZE)
	{
		CapacityMetrics *metrics = capacity_metrics();

		for (int i = 0; i < transaction->n; i++)
		{
			const ApiWrite *w = &transaction->writes[i];

			if (w->write.action != ENGINE_CHECK)
				capacity_metrics_add(metrics, w->table_name,
									 engine_def(w->write.table), w->write.item);
		}
		capacity_metrics_member(out, metrics);
	}
}

/*
 * What each action had in hand, for the account of a replay.
 */
static int64 *
written_sizes(const ApiTransaction *transaction)
{
	int64	   *sizes = palloc0(sizeof(int64) * transaction->n);

	for (int i = 0; i < transaction->n; i++)
	{
		const EngineWrite *write = &transaction->writes[i].write;

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
read_transaction(DynamoRequest *request, const json_t *items,
				 const ApiGivenItems *given, ApiTransaction *transaction)
{
	int			n = json_array_size(items);

	transaction->n = n;
	transaction->writes = palloc0(sizeof(ApiWrite) * n);
	transaction->reasons = palloc0(sizeof(EngineReason) * n);
	transaction->tables = NIL;
	transaction->actions = given == NULL ? items : NULL;
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_action(json_array_get(items, i), given,
					&transaction->writes[i]);
		transaction->writes[i].request = request;
		api_write_parse(&transaction->writes[i]);
		transaction->reasons[i].code = "None";
	}
	check_payload(transaction);
}

/*
 * Read one element of TransactItems, which has exactly one of four members.
 */
static void
read_action(const json_t *json, const ApiGivenItems *given, ApiWrite *w)
{
	static const WireShape *const shapes[] = {
		&check_shape, &put_shape, &update_shape, &delete_shape
	};
	static const EngineAction actions[] = {
		ENGINE_CHECK, ENGINE_PUT, ENGINE_UPDATE, ENGINE_DELETE
	};
	ActionRequest request = {0};
	WriteRequest chosen_request = {.given = given};
	json_t	   *members[4];
	int			chosen = -1;

	wire_fill(&action_shape, json, &request);
	members[0] = request.check;
	members[1] = request.put;
	members[2] = request.update;
	members[3] = request.delete;
	for (int i = 0; i < lengthof(members); i++)
	{
		if (members[i] && chosen >= 0)
			dynamo_error(DYNAMO_VALIDATION,
						 "TransactItems can only contain one of Check, Put, Update or Delete");
		if (members[i])
			chosen = i;
	}
	if (chosen < 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request");
	wire_fill(shapes[chosen], members[chosen], &chosen_request);
	w->write.action = actions[chosen];
	api_read_write(&chosen_request, false, w);
}

/*
 * Most carry so little that it need not be measured.
 */
static void
check_payload(const ApiTransaction *transaction)
{
	uint64		bound = 0;
	uint64		total = 0;

	for (int i = 0; i < transaction->n; i++)
		bound += carried(&transaction->writes[i], item_size_bound);
	if (bound <= API_MAX_PAYLOAD)
		return;
	for (int i = 0; i < transaction->n; i++)
		total += carried(&transaction->writes[i], exact_size);
	api_transact_check_bytes(total);
}

/*
 * Bytes that an action brings along.
 */
static uint64
carried(const ApiWrite *w, uint64 (*size) (const Item *item))
{
	uint64		bytes = size(w->write.item);

	if (w->bindings && w->bindings->values)
		bytes += size(w->bindings->values);
	return bytes;
}

static uint64
exact_size(const Item *item)
{
	return item_size(item);
}

/*
 * Open the tables and make the keys.  The first action that its table's schema
 * refuses cancels the transaction before any condition is looked at.  That an
 * attribute of the key, or an item's attribute that is the key of an index, is
 * empty is an error of the request.
 */
static void
bind_actions(DynamoRequest *request, ApiTransaction *transaction)
{
	static const EngineAccess access[] = {
		[ENGINE_PUT] = ENGINE_PUT_ITEM,
		[ENGINE_UPDATE] = ENGINE_UPDATE_ITEM,
		[ENGINE_DELETE] = ENGINE_DELETE_ITEM,
		[ENGINE_CHECK] = ENGINE_CHECK_ITEM,
	};
	int			n = transaction->n;
	EngineGet  *items = palloc0(sizeof(EngineGet) * n);
	int			bound = 0;

	for (int i = 0; i < n; i++)
	{
		ApiWrite   *w = &transaction->writes[i];

		w->write.table = api_transact_open(request, &transaction->tables,
										   w->table_name,
										   access[w->write.action]);
	}
	while (bound < n && api_transact_accept(bind_action,
											&transaction->writes[bound],
											DYNAMO_RULE_KEY_NOT_EMPTY,
											&transaction->reasons[bound]))
	{
		items[bound].table = transaction->writes[bound].write.table;
		items[bound].key = transaction->writes[bound].write.key;
		bound++;
	}
	for (int i = 0; i < bound; i++)
		api_policy_write(&transaction->writes[i]);
	api_transact_check_keys(items, bound);
	if (bound < n)
		api_transact_cancel(transaction->reasons, n, NULL);
}

static void
bind_action(void *arg)
{
	ApiWrite   *w = arg;

	api_write_bind(w, w->write.table);
}

/*
 * An error about a lost race gets the reasons as its detail, as the exception
 * has, so that it can become an answer of the service.  Its own detail (which
 * process waited for which) goes before its context.
 */
static void
write_transaction(const DynamoRequest *request, ApiTransaction *transaction)
{
	MemoryContext context = CurrentMemoryContext;
	int			n = transaction->n;
	EngineWrite **writes = palloc(sizeof(EngineWrite *) * n);
	bool	   *show_item = palloc(sizeof(bool) * n);
	volatile bool done = false;

	for (int i = 0; i < n; i++)
	{
		writes[i] = &transaction->writes[i].write;
		show_item[i] = transaction->writes[i].item_on_failure;
	}
	PG_TRY();
	{
		done = engine_transact_write(writes, n,
									 transaction->reasons);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		if (!wire_lost_race(geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (error->detail)
			error->context = error->context ?
				psprintf("%s\n%s", error->detail, error->context) :
				error->detail;
		error->detail = psprintf("{%s}",
								 api_transact_reasons(transaction->reasons,
													  n, NULL));
		ReThrowError(error);
	}
	PG_END_TRY();
	if (done)
	{
		api_limit_writes(request, writes, n, transaction->reasons);
		count_writes(request, transaction);
		return;
	}
	for (int i = 0; i < n; i++)
	{
		EngineReason *reason = &transaction->reasons[i];

		if (transaction->writes[i].insert &&
			strcmp(reason->code, "ConditionalCheckFailed") == 0)
		{
			reason->code = "DuplicateItem";
			reason->message = API_DUPLICATE_ITEM;
		}
	}
	api_transact_cancel(transaction->reasons, n, show_item);
}

static void
count_writes(const DynamoRequest *request, const ApiTransaction *transaction)
{
	for (int i = 0; i < transaction->n; i++)
	{
		const EngineWrite *write = &transaction->writes[i].write;

		api_count_write(request, engine_def(write->table), write->key,
						write->old_item, outcome_of(write), 2);
	}
}

/*
 * The item as it is after an action, one that only checks included.
 */
static const Item *
outcome_of(const EngineWrite *write)
{
	return write->action == ENGINE_CHECK ? write->old_item : write->new_item;
}

static const void *
parse_actions(int kind, const char *text)
{
	return api_transact_parse(&api_transact_write_items_shape, text);
}

/*
 * TransactWriteItems for SQL.  See api.h.
 */
int
api_transact_write(DynamoRequest *request, const char *actions, size_t len,
				   const ApiGivenItems *given, ApiTransactAction **done)
{
	static const char *const names[] = {
		[ENGINE_PUT] = "Put",
		[ENGINE_UPDATE] = "Update",
		[ENGINE_DELETE] = "Delete",
		[ENGINE_CHECK] = "ConditionCheck",
	};
	ApiTransactRequest *asked =
		api_transact_read(&requests, &api_transact_write_items_shape, actions, len, given);
	ApiTransaction transaction;

	read_transaction(request, asked->items, given, &transaction);
	bind_actions(request, &transaction);
	write_transaction(request, &transaction);
	*done = palloc(sizeof(ApiTransactAction) * transaction.n);
	for (int i = 0; i < transaction.n; i++)
	{
		const EngineWrite *write = &transaction.writes[i].write;

		(*done)[i].table_name = engine_def(write->table)->name;
		(*done)[i].action = names[write->action];
	}
	api_transact_close(transaction.tables);
	return transaction.n;
}
