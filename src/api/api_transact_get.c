/*-------------------------------------------------------------------------
 *
 * api_transact_get.c
 *	  TransactGetItems.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"

typedef struct GetElement
{
	json_t	   *get;
} GetElement;

typedef struct TransactGetRequest
{
	const char *table_name;
	json_t	   *key;
	const char *projection_expression;
	json_t	   *names;
} TransactGetRequest;

/* What is asked of one item. */
typedef struct AskedItem
{
	const Item *key;
	const ExprProjection *projection;	/* or NULL */
	EngineGet  *get;
} AskedItem;

static const WireField get_request_fields[] = {
	WIRE_REQUIRED("TableName", wire_table_name_shape, TransactGetRequest, table_name),
	WIRE_REQUIRED("Key", wire_item_shape, TransactGetRequest, key),
	WIRE_FIELD("ProjectionExpression", wire_string_shape, TransactGetRequest, projection_expression),
	WIRE_FIELD("ExpressionAttributeNames", wire_names_shape, TransactGetRequest, names),
	WIRE_FIELDS_END
};
static const WireShape get_request_shape = {
	.kind = WIRE_STRUCT, .name = "Get", .fields = get_request_fields
};
static const WireField get_element_fields[] = {
	WIRE_REQUIRED("Get", get_request_shape, GetElement, get),
	WIRE_FIELDS_END
};
static const WireShape get_element_shape = {
	.kind = WIRE_STRUCT, .name = "TransactGetItem", .fields = get_element_fields
};
static const WireShape gets_shape = {
	.kind = WIRE_LIST, .element = &get_element_shape,
	WIRE_BETWEEN(1, DYNAMO_MAX_TRANSACT_ITEMS)
};
static const WireField get_fields[] = {
	WIRE_REQUIRED("TransactItems", gets_shape, ApiTransactRequest, items),
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, ApiTransactRequest, return_capacity),
	WIRE_FIELDS_END
};
const WireShape api_transact_get_items_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ApiTransactRequest), .name = "TransactGetItemsInput", .fields = get_fields
};

static const void *parse_gets(int kind, const char *text);

/* What the SQL function was called with. */
static DynamoParsedCache requests = {.parse = parse_gets};

static void get_transaction(DynamoRequest *request, const json_t *items,
							const ApiGivenItems *given, ApiTransactGot *got);
static void read_get(const json_t *json, const ApiGivenItems *given,
					 ApiTransactGot *got, AskedItem *asked);
static void bind_get(void *arg);

/*
 * TransactGetItems: a missing item, or one of which nothing is left, is an
 * empty object.
 */
void
api_transact_get_items(DynamoRequest *request, StringInfo out)
{
	const ApiTransactRequest *given = request->input;
	int			n = json_array_size(given->items);
	ApiTransactGot *got = palloc0(sizeof(ApiTransactGot) * n);

	get_transaction(request, given->items, NULL, got);
	if (!dynamo_is_elsewhere(request))
		api_transact_append_got(given, got, n, out);
}

/*
 * The response of a transaction that has read.
 */
void
api_transact_append_got(const ApiTransactRequest *request,
						const ApiTransactGot *got, int n, StringInfo out)
{
	List	   *accounts = NIL;

	appendStringInfoString(out, "{\"Responses\":[");
	for (int i = 0; i < n; i++)
	{
		ItemValue	root;

		wire_element(out);
		appendStringInfoChar(out, '{');
		if (got[i].item)
		{
			root = item_root(got[i].item);
			if (item_member_count(&root) > 0)
				wire_item_member(out, "Item", got[i].item);
		}
		appendStringInfoChar(out, '}');
		capacity_charge_get(api_transact_account(&accounts, got[i].table_name,
												 got[i].def,
												 CAPACITY_CONSUMED_TRANSACT_READ),
							got[i].stored, 2);
	}
	appendStringInfoChar(out, ']');
	capacity_consumed_list_member(out, request->return_capacity, accounts);
	appendStringInfoChar(out, '}');
}

static const void *
parse_gets(int kind, const char *text)
{
	return api_transact_parse(&api_transact_get_items_shape, text);
}

/*
 * TransactGetItems for SQL.  See api.h.
 */
int
api_transact_get(DynamoRequest *request, const char *gets, size_t len,
				 const ApiGivenItems *given, ApiTransactGot **got)
{
	ApiTransactRequest *asked =
		api_transact_read(&requests, &api_transact_get_items_shape, gets, len, given);
	int			n = json_array_size(asked->items);

	*got = palloc0(sizeof(ApiTransactGot) * n);
	get_transaction(request, asked->items, given, *got);
	return n;
}

/*
 * Read all items as of one moment.
 */
static void
get_transaction(DynamoRequest *request, const json_t *items,
				const ApiGivenItems *given, ApiTransactGot *got)
{
	int			n = json_array_size(items);
	AskedItem  *asked = palloc0(sizeof(AskedItem) * n);
	EngineGet  *gets = palloc0(sizeof(EngineGet) * n);
	EngineReason *reasons = palloc0(sizeof(EngineReason) * n);
	List	   *opened = NIL;
	uint64		total = 0;
	int			bound = 0;

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_get(json_array_get(items, i), given, &got[i], &asked[i]);
		total += item_size(asked[i].key);
		reasons[i].code = "None";
	}
	api_transact_check_bytes(total);
	for (int i = 0; i < n; i++)
	{
		gets[i].table = api_transact_open(request, &opened, got[i].table_name,
										  ENGINE_READ);
		got[i].def = engine_def(gets[i].table);
		asked[i].get = &gets[i];
	}
	while (bound < n && api_transact_accept(bind_get, &asked[bound], NULL,
											&reasons[bound]))
		bound++;
	for (int i = 0; i < bound; i++)
	{
		TableKey   *key = unconstify(TableKey *, gets[i].key);

		api_policy_get(gets[i].table, asked[i].projection, &key, 1);
	}
	api_transact_check_keys(gets, bound);
	if (bound < n)
		api_transact_cancel(reasons, n, NULL);
	for (int i = 0; i < n; i++)
	{
		if (asked[i].projection)
			engine_check_key_paths(got[i].def,
								   expr_projection_paths(asked[i].projection));
	}

	api_transact_read_items(gets, n);
	if (dynamo_is_elsewhere(request))
	{
		api_transact_close(opened);
		return;
	}
	api_limit_gets(request, got, gets, n);
	total = 0;
	for (int i = 0; i < n; i++)
	{
		got[i].stored = gets[i].item;
		api_count_get(request, got[i].def, gets[i].key, got[i].stored, 2);
		if (got[i].stored == NULL)
			continue;
		total += item_size(got[i].stored);
		got[i].item = asked[i].projection ?
			expr_project(asked[i].projection, got[i].stored) : got[i].stored;
	}
	api_transact_check_bytes(total);
	api_transact_close(opened);
}

static void
read_get(const json_t *json, const ApiGivenItems *given, ApiTransactGot *got,
		 AskedItem *asked)
{
	GetElement	element = {0};
	TransactGetRequest request = {0};
	ExprBindings *bindings;

	wire_fill(&get_element_shape, json, &element);
	wire_fill(&get_request_shape, element.get, &request);
	expr_check_given(request.names != NULL, false,
					 request.projection_expression != NULL, NULL);
	got->table_name = request.table_name;
	asked->key = api_given_item(given, request.key);
	if (asked->key == NULL)
		asked->key = codec_read_map(request.key, ITEM_CLASSIC);
	bindings = wire_bindings(request.names, NULL, NULL, ITEM_CLASSIC);
	if (request.projection_expression)
		asked->projection =
			expr_parse_projection(request.projection_expression, bindings);
	if (bindings)
		expr_check_unused(bindings);
}

static void
bind_get(void *arg)
{
	AskedItem  *asked = arg;

	asked->get->key = key_given(engine_def(asked->get->table), asked->key);
}
