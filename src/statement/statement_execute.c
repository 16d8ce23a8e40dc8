/*-------------------------------------------------------------------------
 *
 * statement_execute.c
 *	  ExecuteStatement: one PartiQL statement.
 *
 * Parameters are checked first, then the statement, then what it finds in the
 * table's definition.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_budget.h"
#include "miscadmin.h"
#include "statement/statement_internal.h"

typedef struct StatementRequest
{
	const char *statement;
	json_t	   *parameters;
	WireBoolean consistent_read;
	const char *next_token;
	int			return_capacity;
	WireInteger limit;
	int			on_failure;
} StatementRequest;

const WireShape statement_text_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_INSIDE,
	WIRE_BETWEEN(1, PARTIQL_MAX_STATEMENT)
};
const WireShape statement_parameters_shape = {
	.kind = WIRE_LIST, .element = &wire_value_shape, WIRE_MIN(1)
};
static const WireShape next_token_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 32768)
};
static const WireShape limit_shape = {.kind = WIRE_INTEGER, WIRE_MIN(1)};

WIRE_REQUEST_SHAPE(statement_execute_shape, StatementRequest,
				   "ExecuteStatementInput",
				   WIRE_REQUIRED("Statement", statement_text_shape, StatementRequest, statement),
				   WIRE_FIELD("Parameters", statement_parameters_shape, StatementRequest, parameters),
				   WIRE_FIELD("ConsistentRead", wire_boolean_shape, StatementRequest, consistent_read),
				   WIRE_FIELD("NextToken", next_token_shape, StatementRequest, next_token),
				   WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, StatementRequest, return_capacity),
				   WIRE_FIELD("Limit", limit_shape, StatementRequest, limit),
				   WIRE_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, StatementRequest, on_failure));

static void append_select(const StatementRequest *given,
						  const Statement *statement, StringInfo out);
static bool read_page(DynamoRequest *request, const StatementRequest *given,
					  StatementSelect *select, CapacityConsumed *consumed,
					  double factor, StringInfo out,
					  StatementPosition *position);
static void append_written(const StatementRequest *given,
						   const Statement *statement, StringInfo out);

void
statement_execute(DynamoRequest *request, StringInfo out)
{
	const StatementRequest *given = request->input;
	Statement	statement = {.request = request};
	ItemValue  *parameters;
	int			nparameters;

	parameters = statement_read_parameters(given->parameters, &nparameters);
	statement.bound = partiql_bind(partiql_parse(given->statement),
								   nparameters, parameters);
	statement.consistent_read = given->consistent_read == WIRE_TRUE;
	statement.item_on_failure = given->on_failure == API_ON_FAILURE_ALL_OLD;
	switch (statement.bound->verb)
	{
		case PARTIQL_SELECT:
			append_select(given, &statement, out);
			break;
		case PARTIQL_EXISTS:
			dynamo_error(DYNAMO_VALIDATION,
						 "EXISTS() is only supported in ExecuteTransaction");
		default:
			append_written(given, &statement, out);
			break;
	}
}

/*
 * Parameters (NULL: there are none) as values.
 */
ItemValue *
statement_read_parameters(const json_t *parameters, int *n)
{
	ItemValue  *values = palloc0(sizeof(ItemValue) *
								 (json_array_size(parameters) + 1));

	*n = json_array_size(parameters);
	for (int i = 0; i < *n; i++)
	{
		ItemNode	node;

		CHECK_FOR_INTERRUPTS();
		codec_read_value(json_array_get(parameters, i), ITEM_PARAMETER,
							 &node);
		values[i] = item_pack_value(&node);
	}
	return values;
}

/*
 * A page of a SELECT.
 */
static void
append_select(const StatementRequest *given, const Statement *statement,
			  StringInfo out)
{
	StatementSelect *select = statement_select_begin(statement);
	const ApiTarget *target = statement_select_target(select);
	CapacityConsumed *consumed = capacity_consumed(statement->bound->table_name,
												   target->def);
	StatementPosition position = {0};
	double		factor = statement->consistent_read ? 1 : 0.5;
	bool		more;

	if (given->next_token)
		statement_read_token(given->next_token, given->statement,
							 given->parameters, target, &position);
	statement_select_start(select, &position);

	appendStringInfoChar(out, '{');
	wire_member(out, "Items");
	appendStringInfoChar(out, '[');
	more = read_page(statement->request, given, select, consumed, factor, out,
					 &position);
	appendStringInfoChar(out, ']');
	if (more)
		wire_string_member(out, "NextToken",
						   statement_token(given->statement,
										   given->parameters, target,
										   &position));
	if (more && position.key)
		wire_item_member(out, "LastEvaluatedKey", position.key);
	capacity_consumed_member(out, given->return_capacity, consumed);
	appendStringInfoChar(out, '}');
	statement_select_end(select);
}

/*
 * The items of a page.  True: it ended at *position, before everything was
 * read.
 */
static bool
read_page(DynamoRequest *request, const StatementRequest *given,
		  StatementSelect *select, CapacityConsumed *consumed,
		  double factor, StringInfo out, StatementPosition *position)
{
	const ApiTarget *target = statement_select_target(select);
	const char *sort_key = target->nrange > 0 ? target->range[0].name : NULL;
	bool		gets = statement_select_gets(select);
	int			arm = target->index ? target->index - target->def->indexes : -1;
	int64		limit = given->limit.given ? given->limit.value : PG_INT64_MAX;
	int64		scanned = 0;
	int64		returned = 0;
	uint64		page_bytes = 0;
	uint64		read_bytes = 0;
	bool		more = false;
	ApiRow		row;

	while (!more && statement_select_step(select, &row))
	{
		if (scanned == 0 && statement_select_only_reader(select) != NULL)
			api_reader_foresee(statement_select_only_reader(select), limit);
		if (gets || row.fetched)
			capacity_charge_get(consumed, row.stored, factor);
		if (row.stored == NULL)
			continue;
		dynamo_budget_spend(request, VARSIZE_ANY(row.stored));
		scanned++;
		page_bytes += row.fetched ? item_page_size(row.stored, target->def->range.name) :
			item_page_size(row.entry, sort_key);
		read_bytes += item_size(row.entry);
		if (row.item)
		{
			returned++;
			wire_element(out);
			codec_append_map(out, row.item);
		}
		if (scanned >= limit || page_bytes >= DYNAMO_MAX_PAGE)
		{
			more = statement_select_position(select, &row, position);
			break;
		}
	}
	if (!gets)
		capacity_charge_scan(consumed, arm, read_bytes, factor);
	api_limit_page(request, consumed, statement_select_only_reader(select));
	api_count_account(request, consumed, returned, false);
	return more;
}

/*
 * INSERT, UPDATE, DELETE.
 */
static void
append_written(const StatementRequest *given, const Statement *statement,
			   StringInfo out)
{
	ApiWrite	w = {0};

	statement_write(statement, &w);
	appendStringInfoChar(out, '{');
	wire_member(out, "Items");
	appendStringInfoChar(out, '[');
	if (w.attributes)
		codec_append_map(out, w.attributes);
	appendStringInfoChar(out, ']');
	if (capacity_is_wanted(given->return_capacity))
	{
		CapacityConsumed *consumed = capacity_consumed(statement->bound->table_name,
													   w.def);

		capacity_charge_write(consumed, w.write.old_item, w.write.new_item, 1);
		capacity_consumed_member(out, given->return_capacity, consumed);
	}
	appendStringInfoChar(out, '}');
}
