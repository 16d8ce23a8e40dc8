/*-------------------------------------------------------------------------
 *
 * api_batch.c
 *	  BatchGetItem and BatchWriteItem.
 *
 * A batch is checked as a whole before its first item is touched.  Its writes
 * are applied in the order in which transactions lock (key_lock_order()).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "base/base_budget.h"
#include "miscadmin.h"

#define MAX_GETS	100
#define MAX_WRITES	25
#define MAX_RESPONSE (16 * 1024 * 1024)

#define DUPLICATES "Provided list of item keys contains duplicates"

typedef struct BatchItemsRequest
{
	json_t	   *request_items;
	int			return_capacity;
	int			return_metrics;
} BatchItemsRequest;

typedef struct GetTableRequest
{
	json_t	   *keys;
	json_t	   *attributes_to_get;
	WireBoolean consistent_read;
	const char *projection_expression;
	json_t	   *names;
} GetTableRequest;

typedef struct BatchWriteRequest
{
	json_t	   *put;
	json_t	   *delete;
} BatchWriteRequest;

typedef struct WriteItem
{
	json_t	   *item;			/* Item, or Key */
} WriteItem;

/* One write of a batch. */
typedef struct BatchWrite
{
	int			table;			/* its place in RequestItems */
	const json_t *request;
	EngineWrite write;
	bool		left;			/* beyond the throughput of its table */
} BatchWrite;

/* One table of a BatchGetItem. */
typedef struct GetTable
{
	const char *table_name;		/* name or ARN */
	int			nkeys;
	const Item **keys;
	const char *projection_expression;
	ExprBindings *bindings;
	const ExprProjection *projection;
	bool		consistent_read;
	/* out */
	const TableDef *def;
	TableKey  **bound;			/* one a key, as the table wants it */
	const Item **stored;		/* one a key; NULL: missing, or not read */
	const Item **items;			/* projected */
	int			processed;		/* keys read before the answer was full */
	bool	   *left;			/* beyond the throughput: one a key */
	int			found;			/* items among them */
} GetTable;

/* A BatchGetItem. */
typedef struct BatchGet
{
	DynamoRequest *request;
	GetTable   *tables;
	int			ntables;
} BatchGet;

/* A BatchWriteItem. */
typedef struct BatchWrites
{
	const json_t *request_items;
	BatchWrite *writes;
	int			nwrites;
} BatchWrites;

/* Names in RequestItems, as its map's keys. */
static const WireShape table_key_shape = {
	.kind = WIRE_STRING, .pattern = true, .table = true,
	.names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(3, 255)
};

static const WireShape get_table_key_shape = {
	.kind = WIRE_STRING, .pattern = true, .table = true, .json = true,
	.names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(3, 255)
};

static const WireShape keys_shape = {
	.kind = WIRE_LIST, .element = &wire_item_shape, .terse = true,
	WIRE_BETWEEN(1, MAX_GETS)
};
static const WireField get_table_fields[] = {
	WIRE_REQUIRED("Keys", keys_shape, GetTableRequest, keys),
	WIRE_FIELD("AttributesToGet", api_attributes_to_get_shape, GetTableRequest, attributes_to_get),
	WIRE_FIELD("ConsistentRead", wire_boolean_shape, GetTableRequest, consistent_read),
	WIRE_FIELD("ProjectionExpression", wire_string_shape, GetTableRequest, projection_expression),
	WIRE_FIELD("ExpressionAttributeNames", wire_names_shape, GetTableRequest, names),
	WIRE_FIELDS_END
};
static const WireShape get_table_shape = {
	.kind = WIRE_STRUCT, .name = "KeysAndAttributes", .fields = get_table_fields
};
static const WireShape get_items_shape = {
	.kind = WIRE_MAP, .element = &get_table_shape, .key = &get_table_key_shape,
	.terse = true, WIRE_MIN(1)
};
static const WireField get_fields[] = {
	WIRE_REQUIRED("RequestItems", get_items_shape, BatchItemsRequest, request_items),
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, BatchItemsRequest, return_capacity),
	WIRE_FIELDS_END
};
const WireShape api_batch_get_item_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(BatchItemsRequest), .name = "BatchGetItemInput", .fields = get_fields
};

static const WireField put_fields[] = {
	WIRE_REQUIRED("Item", wire_item_shape, WriteItem, item),
	WIRE_FIELDS_END
};
static const WireField delete_fields[] = {
	WIRE_REQUIRED("Key", wire_item_shape, WriteItem, item),
	WIRE_FIELDS_END
};
static const WireShape put_shape = {
	.kind = WIRE_STRUCT, .name = "PutRequest", .fields = put_fields
};
static const WireShape delete_shape = {
	.kind = WIRE_STRUCT, .name = "DeleteRequest", .fields = delete_fields
};
static const WireField write_request_fields[] = {
	WIRE_FIELD("PutRequest", put_shape, BatchWriteRequest, put),
	WIRE_FIELD("DeleteRequest", delete_shape, BatchWriteRequest, delete),
	WIRE_FIELDS_END
};
static const WireShape write_request_shape = {
	.kind = WIRE_STRUCT, .name = "WriteRequest", .fields = write_request_fields
};
static const WireShape write_list_shape = {
	.kind = WIRE_LIST, .element = &write_request_shape,
	WIRE_BETWEEN(1, MAX_WRITES)
};
static const WireShape write_items_shape = {
	.kind = WIRE_MAP, .element = &write_list_shape, .key = &table_key_shape
};
static const WireField write_fields[] = {
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, BatchItemsRequest, return_capacity),
	WIRE_FIELD("ReturnItemCollectionMetrics", api_return_metrics_shape, BatchItemsRequest, return_metrics),
	WIRE_REQUIRED("RequestItems", write_items_shape, BatchItemsRequest, request_items),
	WIRE_FIELDS_END
};
const WireShape api_batch_write_item_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(BatchItemsRequest), .name = "BatchWriteItemInput",
	.fields = write_fields, .told = WIRE_TOLD_CHOICES
};

static void check_get_mixing(const json_t *request_items);
static void read_get_table(const DynamoRequest *request, const char *name,
						   const GetTableRequest *given, GetTable *table,
						   int *total);
static int	first_repeated(const json_t *keys);
static void get_batch(BatchGet *batch);
static void read_batch(BatchGet *batch, EngineGet *gets);
static void append_got(StringInfo out, const GetTable *table);
static void append_unprocessed(StringInfo out, const BatchGet *batch);
static void append_part_keys(StringInfo out, const bool *chosen, void *batch);
static void append_keys(StringInfo out, const json_t *request,
						const char *table_name, const bool *chosen, int nkeys);
static const char *rest_of(const BatchItemsRequest *given);
static bool repeats_key(TableKey **keys, int n);
static int	read_writes(const json_t *request_items, BatchWrite *writes);
static void read_write_request(const json_t *json, EngineWrite *write);
static void bind_writes(DynamoRequest *request, const json_t *request_items,
						EngineTable **tables, BatchWrite *writes, int nwrites);
static void check_policies(EngineTable **tables, int ntables,
						   BatchWrite *writes, int nwrites);
static void sort_writes(BatchWrite *writes, BatchWrite **order, int nwrites);
static int	compare_writes(const void *a, const void *b);
static void write_all(DynamoRequest *request, BatchWrite **order, int nwrites);
static void append_left(StringInfo out, const json_t *request_items,
						const BatchWrite *writes, int nwrites);
static void append_part_writes(StringInfo out, const bool *chosen, void *batch);
static void append_writes(StringInfo out, const json_t *request_items,
						  const BatchWrite *writes, const bool *chosen,
						  int nwrites);
static void append_write_response(const DynamoRequest *request,
								  BatchWrite *writes, int nwrites,
								  StringInfo out);

/*
 * BatchGetItem: what the 16 MB of an answer do not hold is handed back as
 * UnprocessedKeys.
 */
void
api_batch_get_item(DynamoRequest *request, StringInfo out)
{
	const BatchItemsRequest *given = request->input;
	int			room = json_object_size(given->request_items);
	GetTable   *tables;
	BatchGet	batch = {.request = request};
	List	   *consumed = NIL;
	int			n = 0;
	int			total = 0;
	const char *name;
	json_t	   *json;

	check_get_mixing(given->request_items);
	tables = palloc0(sizeof(GetTable) * room);
	json_object_foreach(given->request_items, name, json)
	{
		GetTableRequest table = {0};

		CHECK_FOR_INTERRUPTS();
		wire_fill(&get_table_shape, json, &table);
		read_get_table(request, name, &table, &tables[n++], &total);
	}
	batch.tables = tables;
	batch.ntables = n;
	get_batch(&batch);
	if (dynamo_is_elsewhere(request))
		return;

	appendStringInfoChar(out, '{');
	wire_member(out, "Responses");
	appendStringInfoChar(out, '{');
	for (int i = 0; i < n; i++)
		append_got(out, &tables[i]);
	appendStringInfoChar(out, '}');
	wire_member(out, "UnprocessedKeys");
	appendStringInfoChar(out, '{');
	append_unprocessed(out, &batch);
	appendStringInfoChar(out, '}');

	for (int i = 0; i < n; i++)
	{
		CapacityConsumed *account = capacity_consumed(tables[i].table_name,
													  tables[i].def);

		for (int k = 0; k < tables[i].processed; k++)
		{
			if (tables[i].left[k])
				continue;
			capacity_charge_get(account, tables[i].stored[k],
								tables[i].consistent_read ? 1 : 0.5);
		}
		api_count_account(request, account, tables[i].found, false);
		consumed = lappend(consumed, account);
	}
	capacity_consumed_list_member(out, given->return_capacity, consumed);
	appendStringInfoChar(out, '}');
}

/*
 * One table with an expression and another with a legacy parameter is mixing,
 * too.
 */
static void
check_get_mixing(const json_t *request_items)
{
	ApiParameter parameters[] = {
		{"AttributesToGet", false, false},
		{"ProjectionExpression", false, true},
	};
	const char *name;
	json_t	   *table;

	json_object_foreach((json_t *) request_items, name, table)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < lengthof(parameters); i++)
		{
			if (wire_json_get(table, parameters[i].name))
				parameters[i].given = true;
		}
	}
	api_check_mixing(parameters, lengthof(parameters));
}

static void
read_get_table(const DynamoRequest *request, const char *name,
			   const GetTableRequest *given, GetTable *table, int *total)
{
	/* What another node sends, it has looked through. */
	int			repeated = request->route == DYNAMO_ROUTE_OWNER ? -1 :
		first_repeated(given->keys);

	expr_check_given(given->names != NULL, false,
					 given->projection_expression != NULL, NULL);
	table->table_name = name;
	table->keys = palloc(sizeof(Item *) * json_array_size(given->keys));
	for (int i = 0; i < json_array_size(given->keys); i++)
	{
		const json_t *key = json_array_get(given->keys, i);

		table->keys[table->nkeys++] = codec_read_map(key, ITEM_CURRENT);
		if (i == repeated)
			dynamo_error(DYNAMO_VALIDATION, DUPLICATES);
		if (++*total > MAX_GETS)
			dynamo_error(DYNAMO_VALIDATION,
						 "Too many items requested for the BatchGetItem call");
	}
	table->consistent_read = given->consistent_read == WIRE_TRUE;
	if (given->attributes_to_get)
		table->projection = api_legacy_projection(given->attributes_to_get);
	table->projection_expression = given->projection_expression;
	table->bindings = wire_bindings(given->names, NULL, NULL, ITEM_CURRENT);
}

/*
 * The first key that was there before; -1: none.  Keys are compared as they
 * were sent: 1 and 1.0 are not the same here.
 */
static int
first_repeated(const json_t *keys)
{
	int			n = json_array_size(keys);
	const char **texts = palloc(sizeof(char *) * n);

	for (int i = 0; i < n; i++)
	{
		StringInfoData text;

		CHECK_FOR_INTERRUPTS();
		initStringInfo(&text);
		wire_append_canonical_json(&text, json_array_get(keys, i));
		texts[i] = text.data;
	}
	return dynamo_first_duplicate(texts, n);
}

/*
 * Read items by their keys, unless the request leaves for other nodes.  Those
 * not read for lack of room are left to the caller.
 */
static void
get_batch(BatchGet *batch)
{
	DynamoRequest *request = batch->request;
	int			n = batch->ntables;
	const ExprProjection **projections = palloc0(sizeof(*projections) * n);
	EngineTable **opened = palloc(sizeof(EngineTable *) * n);
	EngineTable **before;
	EngineGet	gets[MAX_GETS];
	int32		groups[MAX_GETS];
	EngineAt	at;
	int			total = 0;

	for (int i = 0; i < n; i++)
	{
		GetTable   *table = &batch->tables[i];

		projections[i] = table->projection;
		if (table->projection_expression)
			projections[i] = expr_parse_projection(table->projection_expression,
												   table->bindings);
		if (table->bindings)
			expr_check_unused(table->bindings);
		table->projection = projections[i];
	}
	for (int i = 0; i < n; i++)
		opened[i] = engine_open(request,
								wire_table_name(batch->tables[i].table_name),
								ENGINE_READ);
	for (int i = 0; i < n; i++)
	{
		GetTable   *table = &batch->tables[i];

		table->def = engine_def(opened[i]);
		table->bound = palloc(sizeof(TableKey *) * (table->nkeys + 1));
		for (int k = 0; k < table->nkeys; k++)
		{
			table->bound[k] = key_given(table->def, table->keys[k]);
			gets[total].table = opened[i];
			gets[total++].key = table->bound[k];
		}
		if (projections[i])
			engine_check_key_paths(table->def,
								   expr_projection_paths(projections[i]));
		api_policy_get(opened[i], projections[i], table->bound, table->nkeys);
	}
	at = engine_use_shards(gets, total, groups, &before);
	if (at == ENGINE_SCATTERED)
		api_scatter(request, gets, groups, total, rest_of(request->input),
					append_part_keys, batch);
	else if (at != ENGINE_ELSEWHERE)
		read_batch(batch, gets);
	if (at == ENGINE_AT_SHARDS)
		engine_leave_shards(gets, total, before);
	for (int i = 0; i < n; i++)
		engine_close(opened[i]);
}

/*
 * The keys of all tables, one after the other, are those of "gets".
 */
static void
read_batch(BatchGet *batch, EngineGet *gets)
{
	DynamoRequest *request = batch->request;
	uint64		total = 0;
	ApiThrottle refused;
	bool		any = false;
	bool		any_left = false;

	for (int i = 0; i < batch->ntables; i++)
	{
		GetTable   *table = &batch->tables[i];

		table->stored = palloc0(sizeof(Item *) * (table->nkeys + 1));
		table->items = palloc0(sizeof(Item *) * (table->nkeys + 1));
		table->left = palloc0(sizeof(bool) * (table->nkeys + 1));
		for (int k = 0; k < table->nkeys && total < MAX_RESPONSE; k++)
		{
			TableKey   *key = table->bound[k];
			const TableDef *def = engine_def(gets[k].table);
			const Item *item;

			CHECK_FOR_INTERRUPTS();
			item = repeats_key(table->bound, k) ? NULL :
				engine_get(gets[k].table, key);
			if (item && total + item_size(item) > MAX_RESPONSE)
			{
				total = MAX_RESPONSE;	/* full: it is not charged */
				break;
			}
			if (!api_admits_get(request, def, key, item,
								table->consistent_read ? 1 : 0.5, &refused))
				table->left[k] = any_left = true;
			else if (item)
			{
				dynamo_budget_spend(request, VARSIZE_ANY(item));
				total += item_size(item);
				table->found++;
				table->stored[k] = item;
				table->items[k] = table->projection ?
					expr_project(table->projection, item) : item;
			}
			if (!table->left[k])
				api_count_key(def, NULL, STATS_KEY_ACCESSED, &key->hash,
							  &key->range);
			any |= !table->left[k];
			table->processed++;
		}
		gets += table->nkeys;
	}
	if (any_left && !any)
		api_refuse(&refused);
}

/*
 * Was the key at "n" among those before it?
 */
static bool
repeats_key(TableKey **keys, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (key_compare(keys[i], keys[n]) == 0)
			return true;
	}
	return false;
}

static void
append_got(StringInfo out, const GetTable *table)
{
	wire_member(out, table->table_name);
	appendStringInfoChar(out, '[');
	for (int k = 0; k < table->processed; k++)
	{
		if (table->items[k] == NULL)
			continue;
		wire_element(out);
		codec_append_map(out, table->items[k]);
	}
	appendStringInfoChar(out, ']');
}

/*
 * Keys there was no room for, in the answer or the throughput of their table,
 * with the settings of the table as sent.
 */
static void
append_unprocessed(StringInfo out, const BatchGet *batch)
{
	const BatchItemsRequest *given = batch->request->input;

	for (int i = 0; i < batch->ntables; i++)
	{
		const GetTable *table = &batch->tables[i];
		bool		chosen[MAX_GETS];

		for (int k = 0; k < table->nkeys; k++)
			chosen[k] = k >= table->processed || table->left[k];
		append_keys(out, json_object_get(given->request_items,
										 table->table_name),
					table->table_name, chosen, table->nkeys);
	}
}

/*
 * The RequestItems of a part.
 */
static void
append_part_keys(StringInfo out, const bool *chosen, void *arg)
{
	const BatchGet *batch = arg;
	const BatchItemsRequest *given = batch->request->input;

	appendStringInfoChar(out, '{');
	for (int i = 0; i < batch->ntables; i++)
	{
		const GetTable *table = &batch->tables[i];

		append_keys(out, json_object_get(given->request_items,
										 table->table_name),
					table->table_name, chosen, table->nkeys);
		chosen += table->nkeys;
	}
	appendStringInfoChar(out, '}');
}

/*
 * Some of the keys of a table, if any, with its settings.
 */
static void
append_keys(StringInfo out, const json_t *request, const char *table_name,
			const bool *chosen, int nkeys)
{
	static const char *const settings[] = {
		"AttributesToGet", "ConsistentRead", "ProjectionExpression",
		"ExpressionAttributeNames"
	};
	const json_t *keys = json_object_get(request, "Keys");
	bool		any = false;

	for (int k = 0; k < nkeys; k++)
	{
		if (!chosen[k])
			continue;
		if (!any)
		{
			wire_member(out, table_name);
			appendStringInfoString(out, "{\"Keys\":[");
			any = true;
		}
		wire_element(out);
		wire_append_json(out, json_array_get(keys, k));
	}
	if (!any)
		return;
	appendStringInfoChar(out, ']');
	for (int i = 0; i < lengthof(settings); i++)
	{
		const json_t *value = wire_json_get(request, settings[i]);

		if (value == NULL)
			continue;
		wire_member(out, settings[i]);
		wire_append_json(out, value);
	}
	appendStringInfoChar(out, '}');
}

/*
 * The members of a batch beside its items, each after a comma.
 */
static const char *
rest_of(const BatchItemsRequest *given)
{
	StringInfo	out = makeStringInfo();

	if (given->return_capacity != 0)
		appendStringInfo(out, ",\"ReturnConsumedCapacity\":\"%s\"",
						 api_return_capacity_shape.choices[given->return_capacity - 1]);
	if (given->return_metrics != 0)
		appendStringInfo(out, ",\"ReturnItemCollectionMetrics\":\"%s\"",
						 api_return_metrics_shape.choices[given->return_metrics - 1]);
	return out->data;
}

void
api_batch_write_item(DynamoRequest *request, StringInfo out)
{
	const BatchItemsRequest *given = request->input;
	int			ntables = json_object_size(given->request_items);
	BatchWrite	writes[MAX_WRITES];
	BatchWrite *order[MAX_WRITES];
	EngineTable **tables;
	EngineTable **before;
	EngineGet	places[MAX_WRITES];
	int32		groups[MAX_WRITES];
	EngineAt	at;
	BatchWrites batch = {.request_items = given->request_items};
	int			nwrites;

	if (ntables == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "The requestItems parameter is required for BatchWriteItem");
	memset(writes, 0, sizeof(writes));
	nwrites = read_writes(given->request_items, writes);
	tables = palloc(sizeof(EngineTable *) * ntables);
	bind_writes(request, given->request_items, tables, writes, nwrites);
	sort_writes(writes, order, nwrites);
	for (int i = 0; i < nwrites; i++)
	{
		places[i].table = writes[i].write.table;
		places[i].key = writes[i].write.key;
	}
	at = engine_use_shards(places, nwrites, groups, &before);
	if (at == ENGINE_SCATTERED)
	{
		batch.writes = writes;
		batch.nwrites = nwrites;
		api_scatter(request, places, groups, nwrites, rest_of(given),
					append_part_writes, &batch);
	}
	else if (at != ENGINE_ELSEWHERE)
	{
		for (int i = 0; i < nwrites; i++)
			writes[i].write.table = places[i].table;
		write_all(request, order, nwrites);
		append_write_response(request, writes, nwrites, out);
	}
	if (at == ENGINE_AT_SHARDS)
		engine_leave_shards(places, nwrites, before);
	for (int i = 0; i < ntables; i++)
		engine_close(tables[i]);
}

static void
write_all(DynamoRequest *request, BatchWrite **order, int nwrites)
{
	ApiThrottle refused;
	bool		any = false;

	for (int i = 0; i < nwrites; i++)
	{
		EngineWrite *write = &order[i]->write;

		CHECK_FOR_INTERRUPTS();
		order[i]->left = !api_admits_write(request, write, &refused);
		if (order[i]->left)
			continue;
		engine_write(write);
		api_take_write(request, write);
		any = true;
	}
	if (!any)
		api_refuse(&refused);
}

/*
 * All writes of the batch, as far as they can be checked without a table.
 * Each table has one write at least, so there are no more tables than writes.
 */
static int
read_writes(const json_t *request_items, BatchWrite *writes)
{
	int			n = 0;
	int			table = 0;
	const char *name;
	json_t	   *list;
	size_t		i;
	json_t	   *json;

	json_object_foreach((json_t *) request_items, name, list)
	{
		json_array_foreach(list, i, json)
		{
			if (n == MAX_WRITES)
				dynamo_error(DYNAMO_VALIDATION,
							 "Too many items requested for the BatchWriteItem call");
			writes[n].table = table;
			writes[n].request = json;
			read_write_request(json, &writes[n].write);
			n++;
		}
		table++;
	}
	return n;
}

static void
read_write_request(const json_t *json, EngineWrite *write)
{
	BatchWriteRequest request = {0};
	WriteItem	item = {0};

	wire_fill(&write_request_shape, json, &request);
	if ((request.put == NULL) == (request.delete == NULL))
		dynamo_error(DYNAMO_VALIDATION,
					 "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes");
	if (request.put)
		wire_fill(&put_shape, request.put, &item);
	else
		wire_fill(&delete_shape, request.delete, &item);
	write->action = request.put ? ENGINE_PUT : ENGINE_DELETE;
	write->item = codec_read_map(item.item, ITEM_CLASSIC);
	if (request.put)
		item_check_size(write->item, ITEM_TOO_LARGE);
}

/*
 * Open the tables and make the keys.
 */
static void
bind_writes(DynamoRequest *request, const json_t *request_items,
			EngineTable **tables, BatchWrite *writes, int nwrites)
{
	int			ntables = 0;
	const char *name;
	json_t	   *list;

	json_object_foreach((json_t *) request_items, name, list)
	{
		bool		put = false;
		bool		delete = false;

		for (int i = 0; i < nwrites; i++)
		{
			if (writes[i].table != ntables)
				continue;
			if (writes[i].write.action == ENGINE_PUT)
				put = true;
			else
				delete = true;
		}
		tables[ntables] = engine_open(request, wire_table_name(name),
									  put ? ENGINE_PUT_ITEM : ENGINE_DELETE_ITEM);

		/* One table, two privileges. */
		if (put && delete)
			engine_close(engine_open(request, wire_table_name(name),
									 ENGINE_DELETE_ITEM));
		ntables++;
	}
	for (int i = 0; i < nwrites; i++)
	{
		EngineWrite *write = &writes[i].write;
		const TableDef *def;

		write->table = tables[writes[i].table];
		def = engine_def(write->table);
		if (write->action == ENGINE_PUT)
		{
			api_check_batch_key(def, write->item);
			write->key = key_of_item(def, write->item);
		}
		else
			write->key = key_given(def, write->item);
	}
	if (request->policy != NULL)
		check_policies(tables, ntables, writes, nwrites);
}

static void
check_policies(EngineTable **tables, int ntables, BatchWrite *writes,
			   int nwrites)
{
	EngineWrite *members[MAX_WRITES];

	for (int i = 0; i < ntables; i++)
	{
		int			n = 0;

		for (int k = 0; k < nwrites; k++)
		{
			if (writes[k].table == i)
				members[n++] = &writes[k].write;
		}
		api_policy_batch(tables[i], members, n);
	}
}

/*
 * Put the writes in the order in which they are to be done, and see that no
 * item comes twice.
 */
static void
sort_writes(BatchWrite *writes, BatchWrite **order, int nwrites)
{
	for (int i = 0; i < nwrites; i++)
		order[i] = &writes[i];
	qsort(order, nwrites, sizeof(BatchWrite *), compare_writes);
	for (int i = 1; i < nwrites; i++)
	{
		if (compare_writes(&order[i - 1], &order[i]) == 0)
			dynamo_error(DYNAMO_VALIDATION, DUPLICATES);
	}
}

static int
compare_writes(const void *a, const void *b)
{
	const EngineWrite *left = &(*(BatchWrite *const *) a)->write;
	const EngineWrite *right = &(*(BatchWrite *const *) b)->write;

	return key_lock_order(engine_def(left->table), left->key,
						  engine_def(right->table), right->key);
}

/*
 * The response of BatchWriteItem.  A write is done, or left to the client.
 */
static void
append_write_response(const DynamoRequest *request, BatchWrite *writes,
					  int nwrites, StringInfo out)
{
	const BatchItemsRequest *given = request->input;
	bool		capacity = capacity_is_wanted(given->return_capacity);
	CapacityMetrics *metrics = capacity_metrics();
	List	   *accounts = NIL;
	int			table = 0;
	const char *name;
	json_t	   *list;

	json_object_foreach(given->request_items, name, list)
	{
		CapacityConsumed *account = NULL;

		for (int i = 0; i < nwrites; i++)
		{
			const EngineWrite *write = &writes[i].write;
			const TableDef *def = engine_def(write->table);

			if (writes[i].table != table)
				continue;
			if (account == NULL)
				account = capacity_consumed(name, def);
			if (writes[i].left)
				continue;
			api_count_write(request, def, write->key, write->old_item,
							write->new_item, 1);
			if (capacity)
				capacity_charge_write(account, write->old_item, write->new_item, 1);
			capacity_metrics_add(metrics, name, def, write->item);
		}
		accounts = lappend(accounts, account);
		table++;
	}

	appendStringInfoChar(out, '{');
	append_left(out, given->request_items, writes, nwrites);
	if (given->return_metrics == API_METRICS_SIZE)
		capacity_metrics_member(out, metrics);
	capacity_consumed_list_member(out, given->return_capacity, accounts);
	appendStringInfoChar(out, '}');
}

/*
 * UnprocessedItems: the writes that were left, as sent.
 */
static void
append_left(StringInfo out, const json_t *request_items,
			const BatchWrite *writes, int nwrites)
{
	bool		left[MAX_WRITES];

	for (int i = 0; i < nwrites; i++)
		left[i] = writes[i].left;
	wire_member(out, "UnprocessedItems");
	append_writes(out, request_items, writes, left, nwrites);
}

/*
 * The RequestItems of a part.
 */
static void
append_part_writes(StringInfo out, const bool *chosen, void *arg)
{
	const BatchWrites *batch = arg;

	append_writes(out, batch->request_items, batch->writes, chosen,
				  batch->nwrites);
}

/*
 * Some of the writes by table, as sent.
 */
static void
append_writes(StringInfo out, const json_t *request_items,
			  const BatchWrite *writes, const bool *chosen, int nwrites)
{
	int			table = 0;
	const char *name;
	json_t	   *list;

	appendStringInfoChar(out, '{');
	json_object_foreach((json_t *) request_items, name, list)
	{
		bool		any = false;

		for (int i = 0; i < nwrites; i++)
		{
			if (writes[i].table != table || !chosen[i])
				continue;
			if (!any)
			{
				wire_member(out, name);
				appendStringInfoChar(out, '[');
				any = true;
			}
			wire_element(out);
			wire_append_json(out, writes[i].request);
		}
		if (any)
			appendStringInfoChar(out, ']');
		table++;
	}
	appendStringInfoChar(out, '}');
}
