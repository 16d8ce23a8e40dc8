/*-------------------------------------------------------------------------
 *
 * search_vectors.c
 *	  The operation SearchVectors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_handler.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "search/search.h"
#include "vector/vector.h"

typedef struct SearchRequest
{
	const char *table_name;
	const char *index_name;
	json_t	   *vector;
	WireInteger top_k;
	const char *condition;
	const char *projection;
	json_t	   *names;
	json_t	   *values;
	int			return_capacity;
} SearchRequest;

static const WireShape index_name_shape = {
	.kind = WIRE_STRING, .pattern = true, .terse = true,
	WIRE_BETWEEN(DYNAMO_MIN_NAME, DYNAMO_MAX_NAME)
};
static const WireShape vector_shape = {
	.kind = WIRE_LIST, .element = &wire_value_shape, .terse = true,
	WIRE_BETWEEN(1, DYNAMO_MAX_DIMENSIONS)
};
const WireShape search_top_k_shape = {.kind = WIRE_INTEGER, WIRE_MIN(1)};

WIRE_REQUEST_SHAPE(search_vectors_shape, SearchRequest, "SearchVectorsInput",
				   WIRE_REQUIRED("TableName", wire_table_name_shape, SearchRequest, table_name),
				   WIRE_REQUIRED("IndexName", index_name_shape, SearchRequest, index_name),
				   WIRE_REQUIRED("SearchVector", vector_shape, SearchRequest, vector),
				   WIRE_REQUIRED("TopK", search_top_k_shape, SearchRequest, top_k),
				   WIRE_FIELD("SearchConditionExpression", wire_string_shape, SearchRequest, condition),
				   WIRE_FIELD("ProjectionExpression", wire_string_shape, SearchRequest, projection),
				   WIRE_FIELD("ExpressionAttributeNames", wire_names_shape, SearchRequest, names),
				   WIRE_FIELD("ExpressionAttributeValues", wire_item_shape, SearchRequest, values),
				   WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, SearchRequest, return_capacity));

static void read_vector(const json_t *list, SearchInput *input);
static void append_results(StringInfo out, const SearchResult *result);
static void append_score(StringInfo out, double score);
static void append_capacity(StringInfo out, const SearchResult *result);

void
search_vectors(DynamoRequest *request, StringInfo out)
{
	const SearchRequest *given = request->input;
	SearchInput input = {.request = request};
	Search	   *search;

	search_check_top_k(given->top_k.value);
	read_vector(given->vector, &input);
	expr_check_given(given->names != NULL, given->values != NULL,
					 given->condition != NULL || given->projection != NULL,
					 given->condition ? NULL :
					 "SearchConditionExpression is null");
	input.table_name = given->table_name;
	input.index_name = given->index_name;
	input.top_k = given->top_k.value;
	input.condition = given->condition;
	input.projection = given->projection;
	input.bindings = wire_bindings(given->names, given->values, NULL,
								   ITEM_CURRENT);
	search = search_begin(&input);
	search_run(search);
	search_end(search);
	if (dynamo_is_elsewhere(request))
		return;

	appendStringInfoChar(out, '{');
	append_results(out, search_result(search));
	if (capacity_is_wanted(given->return_capacity))
		append_capacity(out, search_result(search));
	appendStringInfoChar(out, '}');
}

void
search_check_top_k(int64 top_k)
{
	if (top_k > SEARCH_MAX_TOP_K)
		dynamo_error(DYNAMO_VALIDATION,
					 "Provided TopK value '" INT64_FORMAT "' is out of valid range. The value must be between 1 and %d inclusive",
					 top_k, SEARCH_MAX_TOP_K);
}

/*
 * What comes otherwise than in a request: has it so many elements as a list in
 * one may have?
 */
void
search_check_dimensions(int dimensions)
{
	StringInfoData list;

	if (dimensions >= 1 && dimensions <= DYNAMO_MAX_DIMENSIONS)
		return;
	initStringInfo(&list);
	appendStringInfoChar(&list, '[');
	for (int i = 0; i < Min(dimensions, DYNAMO_MAX_DIMENSIONS + 1); i++)
		appendStringInfoString(&list, i > 0 ? ",{}" : "{}");
	appendStringInfoChar(&list, ']');
	wire_check_argument(&vector_shape, "searchVector", list.data, list.len);	/* raises */
}

void
search_refuse_vector(void)
{
	dynamo_error(DYNAMO_VALIDATION,
				 "Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number attribute");
}

static void
read_vector(const json_t *list, SearchInput *input)
{
	float	   *elements = palloc(sizeof(float) * json_array_size(list));

	for (size_t i = 0; i < json_array_size(list); i++)
	{
		ItemNode	node;

		CHECK_FOR_INTERRUPTS();
		codec_read_value(json_array_get(list, i), ITEM_CURRENT, &node);
		if (node.branch ||
			vector_element(&node.value, &elements[i]) != VECTOR_ELEMENT_OK)
			search_refuse_vector();
	}
	input->vector = elements;
	input->dimensions = json_array_size(list);
}

static void
append_results(StringInfo out, const SearchResult *result)
{
	wire_member(out, "SearchResults");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < result->nhits; i++)
	{
		wire_element(out);
		appendStringInfoChar(out, '{');
		wire_item_member(out, "Item", result->hits[i].item);
		wire_member(out, "Score");
		append_score(out, result->hits[i].score);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

/*
 * The shortest number that is this double, never without a fraction or an
 * exponent: some clients would take it for an integer.
 */
static void
append_score(StringInfo out, double score)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];
	int			len = double_to_shortest_decimal_buf(score, text);

	appendBinaryStringInfo(out, text, len);
	if (strcspn(text, ".e") == len)
		appendStringInfoString(out, ".0");
}

/*
 * VectorSearchUnits are in the service's answers, too, though not in its model.
 */
static void
append_capacity(StringInfo out, const SearchResult *result)
{
	uint64		bytes = capacity_search_bytes(result->index, result->bytes);

	wire_member(out, "ConsumedCapacity");
	appendStringInfoChar(out, '{');
	wire_integer_member(out, "VectorSearchRequestBytes", bytes);
	wire_integer_member(out, "VectorSearchUnits", bytes);
	appendStringInfoChar(out, '}');
}
