/*-------------------------------------------------------------------------
 *
 * statement_transact.c
 *	  ExecuteTransaction: PartiQL statements, all or none.
 *
 * Statements that read become the reads of TransactGetItems, all others the
 * writes of TransactWriteItems; EXISTS() is a condition check among these.
 * What is wrong with a statement by itself is told with its number; what
 * tables, keys and items have against it cancels the transaction.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "statement/statement_internal.h"

typedef struct TransactionRequest
{
	json_t	   *statements;
	const char *token;
	int			return_capacity;
} TransactionRequest;

typedef struct TransactMemberRequest
{
	const char *statement;
	json_t	   *parameters;
	int			on_failure;
} TransactMemberRequest;

/* A statement of the transaction */
typedef struct TransactMember
{
	TransactMemberRequest request;
	ItemValue  *parameters;
	int			nparameters;
	Statement	statement;
	const TableDef *def;		/* NULL: there is no such table */
} TransactMember;

/* A statement, its table, and what to make of it */
typedef struct Binding
{
	const TransactMember *member;
	EngineTable *table;
	ApiWrite   *write;
} Binding;

WIRE_STRUCT_SHAPE(member_shape, "ParameterizedStatement",
				  WIRE_REQUIRED("Statement", statement_text_shape, TransactMemberRequest, statement),
				  WIRE_FIELD("Parameters", statement_parameters_shape, TransactMemberRequest, parameters),
				  WIRE_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, TransactMemberRequest, on_failure));

static const WireShape members_shape = {
	.kind = WIRE_LIST, .element = &member_shape,
	WIRE_BETWEEN(1, DYNAMO_MAX_TRANSACT_ITEMS)
};
static const WireShape token_shape = {.kind = WIRE_STRING, WIRE_BETWEEN(1, 36)};

WIRE_REQUEST_SHAPE(statement_transact_shape, TransactionRequest,
				   "ExecuteTransactionInput",
				   WIRE_REQUIRED("TransactStatements", members_shape, TransactionRequest, statements),
				   WIRE_FIELD("ClientRequestToken", token_shape, TransactionRequest, token),
				   WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, TransactionRequest, return_capacity));

static TransactMember *read_members(DynamoRequest *request,
									const json_t *statements,
									int n);
static void read_statement(TransactMember *member, int i);
static void parse_statement(void *arg);
static void check_statement(const TransactMember *member);
static bool reads(const TransactMember *member);
static void check_mixing(const TransactMember *members, int n);
static void check_payload(const TransactMember *members, int n);
static void cancel_missing(const TransactMember *members, int n);
static void run_reads(DynamoRequest *request, const ApiTransactRequest *given,
					  const TransactMember *members, int n, StringInfo out);
static void run_writes(DynamoRequest *request, const ApiTransactRequest *given,
					   const TransactMember *members, int n, StringInfo out);
static void bind_statement(void *arg);
static const Item *statement_key(const TransactMember *member,
								 const TableDef *def);

void
statement_transact(DynamoRequest *request, StringInfo out)
{
	const TransactionRequest *given = request->input;
	int			n = json_array_size(given->statements);
	TransactMember *members = read_members(request, given->statements, n);
	ApiTransactRequest transact = {0};

	transact.items = given->statements;
	transact.return_capacity = given->return_capacity;
	transact.token = given->token;
	check_mixing(members, n);
	check_payload(members, n);
	cancel_missing(members, n);
	if (reads(&members[0]))
		run_reads(request, &transact, members, n, out);
	else
		run_writes(request, &transact, members, n, out);
}

/*
 * All statements, as far as they need no table but its key's attributes.
 */
static TransactMember *
read_members(DynamoRequest *request, const json_t *statements, int n)
{
	TransactMember *members = palloc0(sizeof(TransactMember) * n);

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		wire_fill(&member_shape, json_array_get(statements, i),
				  &members[i].request);
		members[i].statement.request = request;
		members[i].parameters =
			statement_read_parameters(members[i].request.parameters,
									  &members[i].nparameters);
	}
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_statement(&members[i], i);
	}
	return members;
}

/*
 * One statement; what is wrong with it is told with its number.
 */
static void
read_statement(TransactMember *member, int i)
{
	ErrorData  *error = api_refusal(parse_statement, member);

	if (error)
		dynamo_error(DYNAMO_VALIDATION,
					 "Validation failed in TransactStatements[%d]: %s", i,
					 error->message);
}

static void
parse_statement(void *arg)
{
	TransactMember *member = arg;
	Statement  *statement = &member->statement;

	statement->bound = partiql_bind(partiql_parse(member->request.statement),
									member->nparameters, member->parameters);
	statement->item_on_failure =
		member->request.on_failure == API_ON_FAILURE_ALL_OLD;
	member->def = schema_find_table(statement->bound->table_name);
	check_statement(member);
}

/*
 * What no transaction does, and how a SELECT must name its item.
 */
static void
check_statement(const TransactMember *member)
{
	const PartiqlBound *bound = member->statement.bound;
	const Item *key;
	bool		more = false;

	if (bound->returning != PARTIQL_RETURNING_NOTHING)
		dynamo_error(DYNAMO_VALIDATION,
					 "RETURNING clause is not supported in ExecuteTransaction.");
	if (bound->index_name)
		dynamo_error(DYNAMO_VALIDATION,
					 "Reads on indices are not supported within transactions.");

	/* A role that may not use a table must not learn what its key is. */
	if (member->def == NULL || !schema_may_use(member->def->relid))
		return;
	if (bound->bad_column)
		dynamo_error(DYNAMO_VALIDATION, "Unexpected path component at %s",
					 bound->bad_column);
	if (bound->verb == PARTIQL_EXISTS &&
		(!statement_select_key(&member->statement, member->def, &key, &more) || !more))
		dynamo_error(DYNAMO_VALIDATION,
					 "EXISTS() must contain a single item read with additional condition");
	if (bound->verb == PARTIQL_SELECT &&
		(!statement_select_key(&member->statement, member->def, &key, &more) || more))
		dynamo_error(DYNAMO_VALIDATION,
					 "Select statements within ExecuteTransaction must specify the primary key in the where clause.");
}

static bool
reads(const TransactMember *member)
{
	return member->statement.bound->verb == PARTIQL_SELECT;
}

static void
check_mixing(const TransactMember *members, int n)
{
	for (int i = 1; i < n; i++)
	{
		if (reads(&members[i]) != reads(&members[0]))
			dynamo_error(DYNAMO_VALIDATION,
						 "ExecuteTransaction API does not support both read and write operations in the same request.");
	}
}

/*
 * What statements bring along: their items, or their parameters.
 */
static void
check_payload(const TransactMember *members, int n)
{
	uint64		total = 0;

	for (int i = 0; i < n; i++)
	{
		const PartiqlBound *bound = members[i].statement.bound;

		if (bound->item)
			total += item_size(bound->item);
		for (int k = 0; !bound->item && k < members[i].nparameters; k++)
			total += item_value_size(&members[i].parameters[k]);
	}
	api_transact_check_bytes(total);
}

/*
 * Tables that do not exist cancel the transaction.
 */
static void
cancel_missing(const TransactMember *members, int n)
{
	EngineReason *reasons = palloc0(sizeof(EngineReason) * n);
	bool		missing = false;

	for (int i = 0; i < n; i++)
	{
		reasons[i].code = "None";
		if (members[i].def != NULL)
			continue;
		missing = true;
		reasons[i].code = "ResourceNotFound";
		reasons[i].message = "Requested resource not found";
	}
	if (missing)
		api_transact_cancel(reasons, n, NULL);
}

/*
 * SELECTs: all as of one moment.
 */
static void
run_reads(DynamoRequest *request, const ApiTransactRequest *given,
		  const TransactMember *members, int n, StringInfo out)
{
	EngineGet  *gets = palloc0(sizeof(EngineGet) * n);
	ApiTransactGot *got = palloc0(sizeof(ApiTransactGot) * n);
	EngineReason *reasons = palloc0(sizeof(EngineReason) * n);
	List	   *opened = NIL;
	uint64		total = 0;
	bool		refused = false;

	for (int i = 0; i < n; i++)
	{
		const PartiqlBound *bound = members[i].statement.bound;
		ApiWrite	w = {.write.action = ENGINE_CHECK};
		Binding		binding = {&members[i], NULL, &w};

		gets[i].table = api_transact_open(request, &opened, bound->table_name,
										  ENGINE_SELECT_STATEMENT);
		reasons[i].code = "None";
		binding.table = gets[i].table;
		if (!api_transact_accept(bind_statement, &binding, NULL, &reasons[i]))
			refused = true;
		gets[i].key = w.write.key;
		got[i].table_name = bound->table_name;
		got[i].def = engine_def(gets[i].table);
	}
	for (int i = 0; i < n; i++)
	{
		TableKey   *key = unconstify(TableKey *, gets[i].key);

		if (key)
			api_policy_get(gets[i].table,
						   members[i].statement.bound->projection, &key, 1);
	}
	if (refused)
		api_transact_cancel(reasons, n, NULL);
	api_transact_check_keys(gets, n);
	api_transact_read_items(gets, n);
	api_limit_gets(request, got, gets, n);
	for (int i = 0; i < n; i++)
	{
		const ExprProjection *projection =
			members[i].statement.bound->projection;

		got[i].stored = gets[i].item;
		api_count_get(request, got[i].def, gets[i].key, got[i].stored, 2);
		if (got[i].stored == NULL)
			continue;
		total += item_size(got[i].stored);
		got[i].item = projection ?
			expr_project(projection, got[i].stored) : got[i].stored;
	}
	api_transact_check_bytes(total);
	api_transact_append_got(given, got, n, out);
	api_transact_close(opened);
}

/*
 * Writes and condition checks.
 */
static void
run_writes(DynamoRequest *request, const ApiTransactRequest *given,
		   const TransactMember *members, int n, StringInfo out)
{
	ApiTransaction transaction = {0};
	EngineGet  *items = palloc0(sizeof(EngineGet) * n);
	bool		refused = false;

	transaction.n = n;
	transaction.writes = palloc0(sizeof(ApiWrite) * n);
	transaction.reasons = palloc0(sizeof(EngineReason) * n);
	for (int i = 0; i < n; i++)
	{
		ApiWrite   *w = &transaction.writes[i];

		statement_to_write(&members[i].statement, w);
		w->write.table = api_transact_open(request, &transaction.tables,
										   w->table_name,
										   statement_access(&members[i].statement));
		transaction.reasons[i].code = "None";
	}
	for (int i = 0; i < n; i++)
	{
		ApiWrite   *w = &transaction.writes[i];
		Binding		binding = {&members[i], w->write.table, w};

		if (!api_transact_accept(bind_statement, &binding,
								 DYNAMO_RULE_KEY_NOT_EMPTY,
								 &transaction.reasons[i]))
			refused = true;
		items[i].table = w->write.table;
		items[i].key = w->write.key;
	}
	for (int i = 0; i < n; i++)
	{
		if (transaction.writes[i].write.key)
			api_policy_write(&transaction.writes[i]);
	}
	if (refused)
		api_transact_cancel(transaction.reasons, n, NULL);
	api_transact_check_keys(items, n);
	appendStringInfoString(out, "{\"Responses\":[]");
	api_transact_finish(request, given, &transaction, out);
	appendStringInfoChar(out, '}');
}

/*
 * Set key and condition of a write, a check or a read.
 */
static void
bind_statement(void *arg)
{
	const Binding *binding = arg;
	const TransactMember *member = binding->member;
	const TableDef *def = engine_def(binding->table);
	const ExprProjection *projection = member->statement.bound->projection;
	ApiWrite   *w = binding->write;

	if (!w->insert)
		w->write.item = statement_key(member, def);
	if (projection)
		engine_check_key_paths(def, expr_projection_paths(projection));
	if (!reads(member))
		statement_bind(&member->statement, def, w);
	api_write_bind(w, binding->table);
}

/*
 * The key that a statement names; raises what a Key would that does not fit.
 */
static const Item *
statement_key(const TransactMember *member, const TableDef *def)
{
	const Item *key;
	bool		more;

	if (!statement_select_key(&member->statement, def, &key, &more))
		dynamo_error(DYNAMO_VALIDATION,
					 "The provided key element does not match the schema");
	(void) key_given(def, key);
	return key;
}
