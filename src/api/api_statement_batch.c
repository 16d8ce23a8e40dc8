/*-------------------------------------------------------------------------
 *
 * api_statement_batch.c
 *	  BatchExecuteStatement: PartiQL statements, each for itself.
 *
 * Each statement runs in a subtransaction, so that one that fails leaves the
 * others alone.  Writes are done in the order of tables and keys, or else two
 * batches could wait for each other.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "api/api_internal.h"
#include "miscadmin.h"
#include "utils/resowner.h"

#define MAX_STATEMENTS	25

typedef struct BatchRequest
{
	json_t	   *statements;
	int			return_capacity;
} BatchRequest;

typedef struct MemberRequest
{
	const char *statement;
	json_t	   *parameters;
	WireBoolean consistent_read;
	int			on_failure;
} MemberRequest;

/* A statement of the batch, and what became of it */
typedef struct Member
{
	ApiStatement statement;		/* .bound NULL: it cannot be read */
	const TableDef *def;		/* NULL: there is none, or no key */
	ItemValue	hash;			/* the item it names */
	ItemValue	range;
	bool		done;			/* without error */
	const char *code;			/* error, if not done */
	const char *message;
	const Item *item;			/* NULL: nothing to show */
	const Item *stored;			/* SELECT: what was read */
	ApiWrite	write;			/* all others */
} Member;

WIRE_STRUCT_SHAPE(member_shape, "BatchStatementRequest",
				  WIRE_REQUIRED("Statement", api_statement_shape, MemberRequest, statement),
				  WIRE_FIELD("Parameters", api_parameters_shape, MemberRequest, parameters),
				  WIRE_FIELD("ConsistentRead", wire_boolean_shape, MemberRequest, consistent_read),
				  WIRE_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, MemberRequest, on_failure));

static const WireShape members_shape = {
	.kind = WIRE_LIST, .element = &member_shape, WIRE_BETWEEN(1, MAX_STATEMENTS)
};

WIRE_REQUEST_SHAPE(api_batch_execute_statement_shape, BatchRequest,
				   "BatchExecuteStatementInput",
				   WIRE_REQUIRED("Statements", members_shape, BatchRequest, statements),
				   WIRE_FIELD("ReturnConsumedCapacity", api_return_capacity_shape, BatchRequest, return_capacity));

static void read_member(const json_t *json, Member *member);
static void find_item(Member *member);
static void check_members(const Member *members, int n);
static void sort_members(Member *members, Member **order, int n);
static int	compare_members(const void *a, const void *b);
static int	compare_key(const ItemValue *a, const ItemValue *b);
static void run_member(Member *member);
static void execute(Member *member);
static void execute_select(Member *member);
static void fail(Member *member, const ErrorData *error);
static void warn_of(const ErrorData *error);
static const char *error_code(const char *type);
static void append_member(StringInfo out, const Member *member);
static void append_capacity(StringInfo out, ApiCapacity mode,
							const Member *members, int n);

void
api_batch_execute_statement(const void *data, StringInfo out)
{
	const BatchRequest *request = data;
	int			n = json_array_size(request->statements);
	Member	   *members = palloc0(sizeof(Member) * n);
	Member	  **order = palloc(sizeof(Member *) * n);

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_member(json_array_get(request->statements, i), &members[i]);
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
	if (api_wants_capacity(request->return_capacity))
		append_capacity(out, request->return_capacity, members, n);
	appendStringInfoChar(out, '}');
}

/*
 * Read one statement.  This touches nothing but memory, so its error needs no
 * subtransaction.
 */
static void
read_member(const json_t *json, Member *member)
{
	MemoryContext context = CurrentMemoryContext;
	MemberRequest request = {0};
	ApiStatement *statement = &member->statement;

	wire_fill(&member_shape, json, &request);
	statement->consistent_read = request.consistent_read == WIRE_TRUE;
	PG_TRY();
	{
		int			nparameters;
		ItemValue  *parameters = api_read_parameters(request.parameters,
													 &nparameters);

		statement->bound = partiql_bind(partiql_parse(request.statement),
										nparameters, parameters);
		if (statement->bound->verb == PARTIQL_EXISTS)
			dynamo_error(DYNAMO_VALIDATION,
						 "EXISTS() is only supported in ExecuteTransaction");
	}
	PG_CATCH();
	{
		ErrorData  *error = dynamo_caught(DYNAMO_VALIDATION, context);

		FlushErrorState();
		statement->bound = NULL;
		member->code = "ValidationError";
		member->message = error->message;
	}
	PG_END_TRY();
	if (statement->bound)
		find_item(member);
}

/*
 * Which item a statement is about, as far as it says.
 */
static void
find_item(Member *member)
{
	const PartiqlBound *bound = member->statement.bound;
	const TableDef *def = schema_find_table(bound->table_name);
	const Item *key = bound->item;
	bool		more;

	/* Who may not use a table must not learn what its key is. */
	if (def == NULL || !engine_may_use(def->relid) ||
		(key == NULL &&
		 !api_select_key(&member->statement, def, &key, &more)))
		return;
	if (engine_key_value(key, &def->hash, &member->hash) &&
		(def->range.name == NULL ||
		 engine_key_value(key, &def->range, &member->range)))
		member->def = def;
}

/*
 * What no batch has: reads beside writes, and an item twice.
 */
static void
check_members(const Member *members, int n)
{
	bool		select = false;
	bool		write = false;

	for (int i = 0; i < n; i++)
	{
		if (members[i].statement.bound == NULL)
			continue;
		if (members[i].statement.bound->verb == PARTIQL_SELECT)
			select = true;
		else
			write = true;
	}
	if (select && write)
		dynamo_error(DYNAMO_VALIDATION,
					 "Read and write requests together in the same batch is not supported.");
	for (int i = 0; i < n; i++)
	{
		for (int k = 0; k < i; k++)
		{
			const Member *a = &members[i];
			const Member *b = &members[k];

			if (a->def && b->def && compare_members(&a, &b) == 0)
				dynamo_error(DYNAMO_VALIDATION,
							 "Provided list of item keys contains duplicates");
		}
	}
}

static void
sort_members(Member *members, Member **order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = &members[i];
	qsort(order, n, sizeof(Member *), compare_members);
}

/*
 * By tables and keys; those without a key first.
 */
static int
compare_members(const void *a, const void *b)
{
	const Member *left = *(Member *const *) a;
	const Member *right = *(Member *const *) b;
	Oid			left_relid = left->def ? left->def->relid : InvalidOid;
	Oid			right_relid = right->def ? right->def->relid : InvalidOid;
	int			cmp;

	if (left_relid != right_relid)
		return left_relid < right_relid ? -1 : 1;
	cmp = compare_key(&left->hash, &right->hash);
	return cmp != 0 ? cmp : compare_key(&left->range, &right->range);
}

static int
compare_key(const ItemValue *a, const ItemValue *b)
{
	if (a->type != b->type || a->data == NULL)
		return (int) a->type - (int) b->type;
	return item_value_compare(a, b);
}

/*
 * Run a statement in a subtransaction; an error becomes its answer.
 */
static void
run_member(Member *member)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		execute(member);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;

		/* That a query is cancelled, or must not write, is not an answer. */
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
			ERRCODE_TO_CATEGORY(ERRCODE_QUERY_CANCELED) ||
			error->sqlerrcode == ERRCODE_READ_ONLY_SQL_TRANSACTION)
			ReThrowError(error);
		fail(member, error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
}

static void
execute(Member *member)
{
	if (member->statement.bound->verb == PARTIQL_SELECT)
		execute_select(member);
	else
	{
		api_statement_execute(&member->statement, &member->write);
		member->item = member->write.attributes;
		member->def = member->write.def;
	}
	member->done = true;
}

/*
 * A SELECT of one item by its key.
 */
static void
execute_select(Member *member)
{
	ApiSelectReader *select = api_select_begin(&member->statement);
	const TableDef *def = api_select_target(select)->def;
	const Item *key;
	bool		more = false;
	ApiRow		row;

	if (!api_select_key(&member->statement, def, &key, &more) || more)
		dynamo_error(DYNAMO_VALIDATION,
					 "Select statements within BatchExecuteStatement must specify the primary key in the where clause.");
	api_select_start(select, NULL);
	if (api_select_step(select, &row) && row.stored)
	{
		member->stored = item_copy(row.stored);
		member->item = row.item ? item_copy(row.item) : NULL;
	}
	member->def = def;
	api_select_end(select);
}

/*
 * The error of a statement, as the operation would answer it.
 */
static void
fail(Member *member, const ErrorData *error)
{
	int			http_status;
	StringInfo	body = wire_error_body(error, WIRE_CONFLICT_WRITE,
									   "BatchExecuteStatement", NULL, 0,
									   &http_status);
	json_error_t json_error;
	json_t	   *json = item_json_load(body->data, body->len, &json_error);
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
 * Tell the log, and who calls by SQL, what InternalServerError keeps quiet.
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
append_member(StringInfo out, const Member *member)
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
	if (member->done ||
		strcmp(member->code, "ConditionalCheckFailed") == 0 ||
		strcmp(member->code, "DuplicateItem") == 0)
		wire_string_member(out, "TableName",
						   member->statement.bound->table_name);
	appendStringInfoChar(out, '}');
}

static void
append_capacity(StringInfo out, ApiCapacity mode, const Member *members, int n)
{
	List	   *accounts = NIL;

	for (int i = 0; i < n; i++)
	{
		const Member *member = &members[i];
		ApiConsumed *account;

		if (!member->done)
			continue;
		account = api_transact_account(&accounts,
									   member->statement.bound->table_name,
									   member->def, API_CONSUMED_PLAIN);
		if (member->statement.bound->verb == PARTIQL_SELECT)
			api_charge_get(account, member->stored,
						   member->statement.consistent_read ? 1 : 0.5);
		else
			api_charge_write(account, member->write.write.old_item,
							 member->write.write.new_item, 1);
	}
	api_consumed_list_member(out, mode, accounts);
}
