/*-------------------------------------------------------------------------
 *
 * statement_batch.c
 *	  BatchExecuteStatement: PartiQL statements, each for itself.
 *
 * Each statement runs in a subtransaction, so that one that fails leaves the
 * others alone.  Writes are done in the order in which transactions lock
 * (key_lock_order()).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "statement/statement_internal.h"

#define MAX_STATEMENTS	25

typedef struct StatementsRequest
{
	json_t	   *statements;
	int			return_capacity;
} StatementsRequest;

typedef struct BatchMemberRequest
{
	const char *statement;
	json_t	   *parameters;
	WireBoolean consistent_read;
	int			on_failure;
} BatchMemberRequest;

/* A statement of the batch, and what became of it */
typedef struct BatchMember
{
	BatchMemberRequest request;
	PartiqlVerb verb;			/* PARTIQL_NONE: it cannot be parsed */
	Statement	statement;		/* .bound NULL: it cannot be read */
	const TableDef *def;		/* NULL: there is none, or no key */
	const TableKey *key;		/* of the item it names */
	bool		done;			/* without error */
	const char *code;			/* error, if not done */
	const char *message;
	const Item *item;			/* NULL: nothing to show */
	const Item *stored;			/* SELECT: what was read */
	ApiWrite	write;			/* all others */
} BatchMember;

WIRE_STRUCT_SHAPE(member_shape, "BatchStatementRequest",
				  WIRE_REQUIRED("Statement", statement_text_shape, BatchMemberRequest, statement),
				  WIRE_FIELD("Parameters", statement_parameters_shape, BatchMemberRequest, parameters),
				  WIRE_FIELD("ConsistentRead", wire_boolean_shape, BatchMemberRequest, consistent_read),
				  WIRE_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, BatchMemberRequest, on_failure));

static const WireShape members_shape = {
	.kind = WIRE_LIST, .element = &member_shape, WIRE_BETWEEN(1, MAX_STATEMENTS)
};

WIRE_REQUEST_SHAPE(statement_batch_shape, StatementsRequest,
				   "BatchExecuteStatementInput",
				   WIRE_REQUIRED("Statements", members_shape, StatementsRequest, statements),
				   WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, StatementsRequest, return_capacity));

static void read_member(DynamoRequest *request, const json_t *json,
						BatchMember *member);
static void parse_member(void *arg);
static void parse_verb(void *arg);
static void find_item(void *arg);
static void check_members(const BatchMember *members, int n);
static void sort_members(BatchMember *members, BatchMember **order, int n);
static int	compare_members(const void *a, const void *b);
static void run_member(BatchMember *member);
static bool is_of_all(const BatchMember *member, const ErrorData *error);
static void execute_member(void *arg);
static void execute_select(BatchMember *member);
static void fail(BatchMember *member, const ErrorData *error);
static void warn_of(const ErrorData *error);
static const char *error_code(const char *type);
static void append_member(StringInfo out, const BatchMember *member);
static void append_capacity(StringInfo out, CapacityMode mode,
							const BatchMember *members, int n);
static CapacityConsumed *account(List **accounts, const BatchMember *member);
static void charge_done(CapacityConsumed *consumed, const BatchMember *member);
static bool is_charged(const List *accounts, const BatchMember *member);

void
statement_batch(DynamoRequest *request, StringInfo out)
{
	const StatementsRequest *given = request->input;
	int			n = json_array_size(given->statements);
	BatchMember *members = palloc0(sizeof(BatchMember) * n);
	BatchMember **order = palloc(sizeof(BatchMember *) * n);

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_member(request, json_array_get(given->statements, i), &members[i]);
	}
	check_members(members, n);
	sort_members(members, order, n);
	for (int i = 0; i < n; i++)
	{
		if (order[i]->statement.bound)
			run_member(order[i]);
	}
	appendStringInfoString(out, "{\"Responses\":[");
	for (int i = 0; i < n; i++)
	{
		wire_element(out);
		append_member(out, &members[i]);
	}
	appendStringInfoChar(out, ']');
	if (capacity_is_wanted(given->return_capacity))
		append_capacity(out, given->return_capacity, members, n);
	appendStringInfoChar(out, '}');
}

/*
 * Read one statement; an error becomes its answer.
 */
static void
read_member(DynamoRequest *request, const json_t *json, BatchMember *member)
{
	const ErrorData *error;

	wire_fill(&member_shape, json, &member->request);
	member->statement.consistent_read =
		member->request.consistent_read == WIRE_TRUE;
	member->statement.request = request;
	error = api_refusal(parse_member, member);
	if (error == NULL)
	{
		/* What is wrong with its key is told when it runs. */
		(void) api_refusal(find_item, member);
		return;
	}
	if (member->verb == PARTIQL_NONE)
		(void) api_refusal(parse_verb, member);
	member->statement.bound = NULL;
	member->code = "ValidationError";
	member->message = error->message;
}

static void
parse_member(void *arg)
{
	BatchMember *member = arg;
	int			nparameters;
	ItemValue  *parameters = statement_read_parameters(member->request.parameters,
													   &nparameters);
	const PartiqlStatement *parsed = partiql_parse(member->request.statement);

	member->verb = partiql_verb(parsed);
	member->statement.bound = partiql_bind(parsed, nparameters, parameters);
	if (member->verb == PARTIQL_EXISTS)
		dynamo_error(DYNAMO_VALIDATION,
					 "EXISTS() is only supported in ExecuteTransaction");
}

/*
 * Whether a statement reads or writes is known even if its parameters are bad.
 */
static void
parse_verb(void *arg)
{
	BatchMember *member = arg;

	member->verb = partiql_verb(partiql_parse(member->request.statement));
}

/*
 * Which item a statement is about, as far as it says.
 */
static void
find_item(void *arg)
{
	BatchMember *member = arg;
	const PartiqlBound *bound = member->statement.bound;
	const TableDef *def = schema_find_table(bound->table_name);
	const Item *key;
	bool		more;

	/* A role that may not use a table must not learn what its key is. */
	if (def == NULL || !schema_may_use(def->relid))
		return;
	if (bound->item)
		member->key = key_of_item(def, bound->item);
	else if (statement_select_key(&member->statement, def, &key, &more))
		member->key = key_given(def, key);
	if (member->key)
		member->def = def;
}

/*
 * What no batch has: reads beside writes, and an item twice.
 */
static void
check_members(const BatchMember *members, int n)
{
	bool		select = false;
	bool		write = false;

	for (int i = 0; i < n; i++)
	{
		if (members[i].verb == PARTIQL_SELECT)
			select = true;
		else if (members[i].verb != PARTIQL_NONE)
			write = true;
	}
	if (select && write)
		dynamo_error(DYNAMO_VALIDATION,
					 "Read and write requests together in the same batch is not supported.");
	for (int i = 0; i < n; i++)
	{
		for (int k = 0; k < i; k++)
		{
			const BatchMember *a = &members[i];
			const BatchMember *b = &members[k];

			if (a->def && b->def && compare_members(&a, &b) == 0)
				dynamo_error(DYNAMO_VALIDATION,
							 "Provided list of item keys contains duplicates");
		}
	}
}

static void
sort_members(BatchMember *members, BatchMember **order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = &members[i];
	qsort(order, n, sizeof(BatchMember *), compare_members);
}

/*
 * As transactions lock; those without a key first.
 */
static int
compare_members(const void *a, const void *b)
{
	const BatchMember *left = *(BatchMember *const *) a;
	const BatchMember *right = *(BatchMember *const *) b;

	if (left->def == NULL || right->def == NULL)
		return (left->def != NULL) - (right->def != NULL);
	return key_lock_order(left->def, left->key, right->def, right->key);
}

/*
 * Run a statement in a subtransaction; an error becomes its answer, unless it
 * is one of the whole batch.
 */
static void
run_member(BatchMember *member)
{
	ErrorData  *error = api_attempt(execute_member, member);

	if (error == NULL)
		member->done = true;
	else if (is_of_all(member, error))
		ReThrowError(error);
	else
		fail(member, error);
}

/*
 * Must the transaction not write, or has it met a lock and is tried again?
 */
static bool
is_of_all(const BatchMember *member, const ErrorData *error)
{
	return error->sqlerrcode == ERRCODE_READ_ONLY_SQL_TRANSACTION ||
		(error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE &&
		 member->statement.request->tries_again);
}

static void
execute_member(void *arg)
{
	BatchMember *member = arg;

	if (member->verb == PARTIQL_SELECT)
		execute_select(member);
	else
	{
		statement_write(&member->statement, &member->write);
		member->item = member->write.attributes;
	}
}

/*
 * A SELECT of one item by its key.
 */
static void
execute_select(BatchMember *member)
{
	StatementSelect *select = statement_select_begin(&member->statement);
	const TableDef *def = statement_select_target(select)->def;
	const Item *key;
	bool		more = false;
	ApiRow		row;

	if (!statement_select_key(&member->statement, def, &key, &more) || more)
		dynamo_error(DYNAMO_VALIDATION,
					 "Select statements within BatchExecuteStatement must specify the primary key in the where clause.");
	statement_select_start(select, NULL);
	if (statement_select_step(select, &row) && row.stored)
	{
		member->stored = item_copy(row.stored);
		member->item = row.item ? item_copy(row.item) : NULL;
	}
	member->def = def;
	api_limit_get(member->statement.request, def, key_given(def, key),
				  member->stored, member->statement.consistent_read ? 1 : 0.5);
	api_count_get(member->statement.request, def, key_given(def, key),
				  member->stored, member->statement.consistent_read ? 1 : 0.5);
	statement_select_end(select);
}

/*
 * The error of a statement, as the operation would answer it.
 */
static void
fail(BatchMember *member, const ErrorData *error)
{
	int			http_status;
	StringInfo	body = wire_error_body(error, WIRE_CONFLICT_WRITE,
									   "BatchExecuteStatement", NULL, 0,
									   &http_status);
	json_error_t json_error;
	json_t	   *json = codec_load(body->data, body->len, &json_error);
	const char *type = json_string_value(json_object_get(json, "__type"));
	const char *message = json_string_value(json_object_get(json, "message"));

	if (message == NULL)
		message = json_string_value(json_object_get(json, "Message"));
	member->code = error_code(type);
	member->message = message ? message : "";
	if (http_status == 500)
		warn_of(error);
}

/*
 * Tell the log, and a caller by SQL, what InternalServerError keeps quiet.
 */
static void
warn_of(const ErrorData *error)
{
	ErrorData	warning = *error;

	warning.elevel = WARNING;
	ThrowErrorData(&warning);
}

/*
 * An exception's type as a code: ConditionalCheckFailed.
 */
static const char *
error_code(const char *type)
{
	const char *name = strchr(type, '#');
	size_t		len;

	name = name ? name + 1 : type;
	len = strlen(name);
	if (strcmp(name, "ValidationException") == 0)
		return "ValidationError";
	if (strcmp(name, "ThrottlingException") == 0)
		return "ThrottlingError";
	if (len > 9 && strcmp(name + len - 9, "Exception") == 0)
		return pnstrdup(name, len - 9);
	return name;
}

/*
 * The answer of one statement.  A table's name shows that it ran.
 */
static void
append_member(StringInfo out, const BatchMember *member)
{
	appendStringInfoChar(out, '{');
	if (!member->done)
	{
		wire_member(out, "Error");
		appendStringInfoChar(out, '{');
		wire_string_member(out, "Code", member->code);
		wire_string_member(out, "Message", member->message);
		appendStringInfoChar(out, '}');
	}
	if (member->item)
		wire_item_member(out, "Item", member->item);
	if (member->done || member->write.def)
		wire_string_member(out, "TableName",
						   member->statement.bound->table_name);
	appendStringInfoChar(out, '}');
}

/*
 * Units by tables.  A write that failed when it was tried counts in the sum of
 * a table that others were done in, but in none of its arms.
 */
static void
append_capacity(StringInfo out, CapacityMode mode, const BatchMember *members,
				int n)
{
	List	   *accounts = NIL;

	for (int i = 0; i < n; i++)
	{
		if (members[i].done)
			charge_done(account(&accounts, &members[i]), &members[i]);
	}
	for (int i = 0; i < n; i++)
	{
		const BatchMember *member = &members[i];

		if (!member->done && member->write.write.condition_failed &&
			is_charged(accounts, member))
			capacity_charge_failed(account(&accounts, member),
								   member->write.write.old_item,
								   member->statement.bound->item);
	}
	capacity_consumed_list_member(out, mode, accounts);
}

static CapacityConsumed *
account(List **accounts, const BatchMember *member)
{
	return api_transact_account(accounts,
								member->statement.bound->table_name,
								member->verb == PARTIQL_SELECT ?
								member->def : member->write.def,
								CAPACITY_CONSUMED_PLAIN);
}

static void
charge_done(CapacityConsumed *consumed, const BatchMember *member)
{
	if (member->verb == PARTIQL_SELECT)
		capacity_charge_get(consumed, member->stored,
							member->statement.consistent_read ? 1 : 0.5);
	else
		capacity_charge_write(consumed, member->write.write.old_item,
							  member->write.write.new_item, 1);
}

/*
 * Has the table an account already?
 */
static bool
is_charged(const List *accounts, const BatchMember *member)
{
	ListCell   *lc;

	foreach(lc, accounts)
	{
		const CapacityConsumed *consumed = lfirst(lc);

		if (strcmp(consumed->table_name,
				   member->statement.bound->table_name) == 0)
			return true;
	}
	return false;
}
