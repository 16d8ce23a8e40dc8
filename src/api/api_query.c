/*-------------------------------------------------------------------------
 *
 * api_query.c
 *	  The operations Query and Scan: one page of an ApiReader.
 *
 * A page ends with the item that reaches Limit, counted before the filter, or
 * 1 MB, measured before filter and projection; of an index that is the entry,
 * or the table's item where that has to be fetched.  Then LastEvaluatedKey says
 * where to go on, even if nothing follows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "base/base_budget.h"

typedef struct QueryRequest
{
	const char *table_name;
	const char *index_name;
	int			select;
	json_t	   *attributes_to_get;
	WireInteger limit;
	WireBoolean consistent_read;
	json_t	   *key_conditions;
	json_t	   *filter;			/* QueryFilter, ScanFilter */
	int			conditional_operator;
	WireBoolean scan_index_forward;
	json_t	   *exclusive_start_key;
	int			return_capacity;
	WireInteger segment;
	WireInteger total_segments;
	const char *projection_expression;
	const char *filter_expression;
	const char *key_condition_expression;
	json_t	   *names;
	json_t	   *values;
} QueryRequest;

static const char *const selects[] = {
	"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
	"ALL_PROJECTED_ATTRIBUTES", NULL
};

static const WireShape select_shape = {.kind = WIRE_STRING, .choices = selects};
static const WireShape query_operator_shape = {
	.kind = WIRE_STRING, .choices = api_conditional_operators,
	.lone = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
};
static const WireShape query_limit_shape = {
	.kind = WIRE_INTEGER, .terse = true, WIRE_MIN(1)
};
static const WireShape scan_limit_shape = {.kind = WIRE_INTEGER, WIRE_MIN(1)};
const WireShape api_total_segments_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, 1000000)
};
const WireShape api_segment_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(0, 999999)
};

#define EXPRESSION_FIELDS \
	WIRE_FIELD("ConsistentRead", wire_boolean_shape, QueryRequest, consistent_read), \
	WIRE_FIELD("ExclusiveStartKey", wire_item_shape, QueryRequest, exclusive_start_key), \
	WIRE_FIELD("ProjectionExpression", wire_string_shape, QueryRequest, projection_expression), \
	WIRE_FIELD("FilterExpression", wire_string_shape, QueryRequest, filter_expression), \
	WIRE_FIELD("ExpressionAttributeNames", wire_names_shape, QueryRequest, names), \
	WIRE_FIELD("ExpressionAttributeValues", wire_item_shape, QueryRequest, values)

static const WireField query_fields[] = {
	WIRE_FIELD("Select", select_shape, QueryRequest, select),
	WIRE_FIELD("IndexName", wire_name_shape, QueryRequest, index_name),
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, QueryRequest, return_capacity),
	WIRE_FIELD("QueryFilter", api_conditions_shape, QueryRequest, filter),
	WIRE_REQUIRED("TableName", wire_table_name_shape, QueryRequest, table_name),
	WIRE_FIELD("ConditionalOperator", query_operator_shape, QueryRequest, conditional_operator),
	WIRE_FIELD("AttributesToGet", api_attributes_to_get_shape, QueryRequest, attributes_to_get),
	WIRE_FIELD("Limit", query_limit_shape, QueryRequest, limit),
	WIRE_FIELD("KeyConditions", api_conditions_shape, QueryRequest, key_conditions),
	WIRE_FIELD("ScanIndexForward", wire_boolean_shape, QueryRequest, scan_index_forward),
	WIRE_FIELD("KeyConditionExpression", wire_string_shape, QueryRequest, key_condition_expression),
	EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};

static const WireField scan_fields[] = {
	WIRE_FIELD("Select", select_shape, QueryRequest, select),
	WIRE_FIELD("IndexName", wire_name_shape, QueryRequest, index_name),
	WIRE_FIELD("TotalSegments", api_total_segments_shape, QueryRequest, total_segments),
	WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, QueryRequest, return_capacity),
	WIRE_REQUIRED("TableName", wire_table_name_shape, QueryRequest, table_name),
	WIRE_FIELD("ConditionalOperator", api_conditional_operator_shape, QueryRequest, conditional_operator),
	WIRE_FIELD("ScanFilter", api_conditions_shape, QueryRequest, filter),
	WIRE_FIELD("Segment", api_segment_shape, QueryRequest, segment),
	WIRE_FIELD("Limit", scan_limit_shape, QueryRequest, limit),
	WIRE_FIELD("AttributesToGet", api_attributes_to_get_shape, QueryRequest, attributes_to_get),
	EXPRESSION_FIELDS,
	WIRE_FIELDS_END
};

const WireShape api_query_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(QueryRequest), .name = "QueryInput", .fields = query_fields
};
const WireShape api_scan_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(QueryRequest), .name = "ScanInput", .fields = scan_fields
};

static void read_request(const QueryRequest *request, bool scan,
						 ApiQueryInput *input);
static void check_mixing(const QueryRequest *request, bool scan);
static void read_filter(const QueryRequest *request, ItemWording wording,
						ApiQueryInput *input);
static Item *read_start_key(const json_t *key, ItemWording wording);
static void append_page(const QueryRequest *request,
						const ApiQueryInput *input, StringInfo out);

void
api_query(DynamoRequest *request, StringInfo out)
{
	ApiQueryInput input = {0};

	read_request(request->input, false, &input);
	input.request = request;
	append_page(request->input, &input, out);
}

void
api_scan(DynamoRequest *request, StringInfo out)
{
	ApiQueryInput input = {0};

	read_request(request->input, true, &input);
	input.request = request;
	append_page(request->input, &input, out);
}

/*
 * From a checked request to what api_reader_begin() takes.
 */
static void
read_request(const QueryRequest *request, bool scan, ApiQueryInput *input)
{
	bool		valued = request->filter_expression != NULL ||
		request->key_condition_expression != NULL;
	const char *without = scan ? "FilterExpression is null" :
		"FilterExpression and KeyConditionExpression are null";
	ItemWording wording = scan ? ITEM_CLASSIC : ITEM_CURRENT;

	check_mixing(request, scan);
	expr_check_given(request->names != NULL, request->values != NULL,
					 valued || request->projection_expression != NULL,
					 valued ? NULL : without);

	input->scan = scan;
	input->table_name = request->table_name;
	input->index_name = request->index_name;
	input->select = request->select;
	input->backward = request->scan_index_forward == WIRE_FALSE;
	input->consistent_read = request->consistent_read == WIRE_TRUE;
	input->segment = request->segment;
	input->total_segments = request->total_segments;

	read_filter(request, wording, input);
	if (request->exclusive_start_key)
		input->exclusive_start_key =
			read_start_key(request->exclusive_start_key, wording);
	if (request->attributes_to_get)
		input->projection = api_legacy_projection(request->attributes_to_get);
	if (request->key_conditions)
	{
		ApiLegacyConditions *conditions =
			api_legacy_read_conditions(&api_conditions_shape,
									   request->key_conditions, wording);

		api_legacy_check_conditions(conditions);
		input->key_condition = api_legacy_key_condition(conditions);
	}

	input->projection_expression = request->projection_expression;
	input->filter_expression = request->filter_expression;
	input->key_condition_expression = request->key_condition_expression;
	input->bindings = wire_bindings(request->names, request->values, NULL,
									wording);
}

/*
 * KeyConditions may go with the other expressions, in place of its own.
 */
static void
check_mixing(const QueryRequest *request, bool scan)
{
	const ApiParameter parameters[] = {
		{"AttributesToGet", request->attributes_to_get != NULL, false},
		{scan ? "ScanFilter" : "QueryFilter", request->filter != NULL, false},
		{"ConditionalOperator", request->conditional_operator != 0, false},
		{"KeyConditions", request->key_conditions != NULL &&
		request->key_condition_expression != NULL, false},
		{"ProjectionExpression", request->projection_expression != NULL, true},
		{"FilterExpression", request->filter_expression != NULL, true},
		{"KeyConditionExpression", request->key_condition_expression != NULL, true},
	};

	api_check_mixing(parameters, lengthof(parameters));
}

static void
read_filter(const QueryRequest *request, ItemWording wording,
			ApiQueryInput *input)
{
	ApiLegacyConditions *conditions;

	if (request->filter == NULL)
	{
		if (request->conditional_operator)
			dynamo_error(DYNAMO_VALIDATION,
						 "ConditionalOperator cannot be used without Filter or Expected");
		return;
	}
	conditions = api_legacy_read_conditions(&api_conditions_shape,
											request->filter, wording);
	api_legacy_check_conditions(conditions);
	input->filter = api_legacy_filter(conditions,
									  request->conditional_operator);
}

/*
 * ExclusiveStartKey.  What is wrong with the form of a value is said of the
 * key as a whole; a bad number, or a set's members, are on their own.
 */
static Item *
read_start_key(const json_t *key, ItemWording wording)
{
	MemoryContext context = CurrentMemoryContext;
	Item	   *volatile item = NULL;

	PG_TRY();
	{
		item = codec_read_map(key, wording);
	}
	PG_CATCH();
	{
		ErrorData  *error = dynamo_caught(DYNAMO_VALIDATION, context);

		if (!dynamo_breaks(error, DYNAMO_RULE_VALUE_COUNT) &&
			!dynamo_breaks(error, DYNAMO_RULE_VALUE_FORM))
			PG_RE_THROW();
		FlushErrorState();
		dynamo_error(DYNAMO_VALIDATION,
					 "The provided starting key is invalid: %s",
					 error->message);
	}
	PG_END_TRY();
	return item;
}

/*
 * Read one page and write the response.
 */
static void
append_page(const QueryRequest *request, const ApiQueryInput *input,
			StringInfo out)
{
	ApiReader  *query = api_reader_begin(input);
	const ApiTarget *target = api_reader_target(query);
	const char *sort_key = target->nrange > 0 ? target->range[0].name : NULL;
	double		factor = input->consistent_read ? 1 : 0.5;
	CapacityConsumed *consumed = capacity_consumed(request->table_name, target->def);
	int			arm = target->index ? target->index - target->def->indexes : -1;
	const Item *last = NULL;
	int64		limit = request->limit.given ? request->limit.value : PG_INT64_MAX;
	int64		count = 0;
	int64		scanned = 0;
	uint64		page_bytes = 0;
	uint64		read_bytes = 0;
	ApiRow		row;

	api_reader_foresee(query, limit);
	appendStringInfoChar(out, '{');
	if (input->select != API_SELECT_COUNT)
	{
		wire_member(out, "Items");
		appendStringInfoChar(out, '[');
	}
	while (last == NULL && api_reader_step(query, &row))
	{
		dynamo_budget_spend(input->request, VARSIZE_ANY(row.stored));
		scanned++;
		page_bytes += row.fetched ?
			item_page_size(row.stored, target->def->range.name) :
			item_page_size(row.entry, sort_key);
		read_bytes += item_size(row.entry);
		if (row.fetched)
			capacity_charge_get(consumed, row.stored, factor);
		if (row.item)
		{
			count++;
			if (input->select != API_SELECT_COUNT)
			{
				wire_element(out);
				codec_append_map(out, row.item);
			}
		}
		if (scanned >= limit || page_bytes >= DYNAMO_MAX_PAGE)
			last = key_as_item(target->def, target->index, row.stored);
	}
	if (dynamo_is_elsewhere(input->request))
	{
		api_reader_end(query);
		return;
	}
	if (input->select != API_SELECT_COUNT)
		appendStringInfoChar(out, ']');

	wire_integer_member(out, "Count", count);
	wire_integer_member(out, "ScannedCount", scanned);
	if (last && !api_reader_single(query))
		wire_item_member(out, "LastEvaluatedKey", last);
	capacity_charge_scan(consumed, arm, read_bytes, factor);
	api_limit_page(input->request, consumed, query);
	api_count_account(input->request, consumed, count, false);
	capacity_consumed_member(out, request->return_capacity, consumed);
	appendStringInfoChar(out, '}');
	api_reader_end(query);
}
