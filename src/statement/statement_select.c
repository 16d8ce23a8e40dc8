/*-------------------------------------------------------------------------
 *
 * statement_select.c
 *	  A SELECT of PartiQL as a stream of rows.
 *
 * Its condition says what has to be read (expr_reads()): single items by
 * their keys, parts of partitions, or all of the table or index.  Each read
 * but a key's is a Query or Scan (api_reader.c), one after the other.  The
 * whole condition is the filter, unless the reads say the same; so how a
 * statement is read decides what it costs, but never what it finds.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "statement/statement_internal.h"
#include "utils/memutils.h"

struct StatementSelect
{
	const PartiqlBound *bound;
	ApiQueryInput input;		/* what all reads have in common */
	EngineTable *table;
	ApiTarget	target;
	ExprReads  *reads;
	int			nreads;			/* 1 for a scan */
	bool		gets;			/* each read is one item's */
	bool		backward;
	int			current;		/* read under way */
	const Item *start;			/* where that begins; NULL: at its beginning */
	ApiReader  *reader;			/* NULL: it has not begun */
	MemoryContext read_context; /* what one read needs */
};

/* The order that reads are to be done in */
typedef struct Order
{
	int			partitions;		/* by their keys: 1, descending -1; 0: as
								 * written */
	bool		backward;
} Order;

static void check_keys(const StatementSelect *select);
static Order read_order(const StatementSelect *select);
static void sort_reads(StatementSelect *select, Order order);
static bool comes_before(const ExprReads *reads, const int *group, int a,
						 int b, Order order);
static bool step_get(StatementSelect *select, ApiRow *row);
static void begin_read(StatementSelect *select);
static ExprKeyCondition *key_condition(const StatementSelect *select,
									   const ExprRead *read);
static Item *key_item(const KeyAttr *hash, const ItemValue *hash_value,
					  const KeyAttr *range, const ItemValue *range_value);

/*
 * Check everything that can be checked before reading.
 */
StatementSelect *
statement_select_begin(const Statement *statement)
{
	StatementSelect *select = palloc0(sizeof(StatementSelect));
	const PartiqlBound *bound = statement->bound;
	ApiQueryInput *input = &select->input;
	ApiTarget  *target = &select->target;
	Order		order;

	select->bound = bound;
	input->statement = true;
	input->table_name = bound->table_name;
	input->index_name = bound->index_name;
	input->consistent_read = statement->consistent_read;
	input->projection = bound->projection;
	input->request = statement->request;
	select->table = engine_open(statement->request, bound->table_name,
								ENGINE_SELECT_STATEMENT);
	api_find_target(select->table, input, target);
	if (bound->bad_column)
		dynamo_error(DYNAMO_VALIDATION, "Unexpected path component at %s",
					 bound->bad_column);
	select->reads = expr_reads(bound->where, target->hash[0].name,
							   target->nrange > 0 ? target->range[0].name : NULL);
	check_keys(select);
	order = read_order(select);
	sort_reads(select, order);
	select->backward = order.backward;

	select->nreads = select->reads->keyed ? select->reads->nreads : 1;
	select->gets = select->reads->keyed && target->index == NULL;
	for (int i = 0; i < select->nreads && select->gets; i++)
		select->gets = target->nrange == 0 ||
			select->reads->reads[i].op == EXPR_KEY_EQ;
	input->scan = !select->reads->keyed;
	input->alternatives = select->reads->alternatives;
	if (!select->reads->exact || input->scan)
		input->filter = bound->where;
	if (bound->where)
		engine_check_key_paths(target->def, expr_condition_paths(bound->where));
	if (bound->projection)
		engine_check_key_paths(target->def,
							   expr_projection_paths(bound->projection));
	api_policy_select(select->table, target, select->reads, bound);
	select->read_context = AllocSetContextCreate(CurrentMemoryContext,
												 "dynamo select",
												 ALLOCSET_SMALL_SIZES);
	return select;
}

/*
 * Begin to read, here or there; checks what a Query or Scan checks.
 */
void
statement_select_start(StatementSelect *select, const StatementPosition *start)
{
	if (start)
	{
		select->current = start->read;
		select->start = start->key;
	}
	if (!select->gets && select->current < select->nreads)
		begin_read(select);
}

/*
 * Values that keys are compared with must have the keys' types.  Both bounds of
 * BETWEEN have one type, or the condition has been refused.
 */
static void
check_keys(const StatementSelect *select)
{
	const ApiTarget *target = &select->target;

	for (int i = 0; i < select->reads->nreads; i++)
	{
		const ExprRead *read = &select->reads->reads[i];

		statement_check_key_type(&target->hash[0], &read->hash);
		if (read->op != EXPR_KEY_NONE)
			statement_check_key_type(&target->range[0], &read->values[0]);
	}
}

/*
 * Refuse a value of another type than the key's attribute has.
 */
void
statement_check_key_type(const KeyAttr *attr, const ItemValue *value)
{
	if (!item_is_key_type(value, attr->type))
		dynamo_error(DYNAMO_VALIDATION,
					 "Key attribute's data type should match its data type in table's schema: Key %s",
					 attr->name);
}

/*
 * ORDER BY: the partition key, where there are several partitions, and the
 * sort key within them.
 */
static Order
read_order(const StatementSelect *select)
{
	const ApiTarget *target = &select->target;
	Order		order = {0};
	bool		partitions = false;
	ListCell   *lc;

	if (select->bound->order == NIL)
		return order;
	if (select->bound->where == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Must have WHERE clause in the statement when using ORDER BY clause.");
	foreach(lc, select->bound->order)
	{
		const PartiqlOrder *by = lfirst(lc);

		if (strcmp(by->name, target->hash[0].name) == 0)
		{
			order.partitions = by->descending ? -1 : 1;
			partitions = true;
		}
		else if (target->nrange > 0 &&
				 strcmp(by->name, target->range[0].name) == 0)
			order.backward = by->descending;
		else
			dynamo_error(DYNAMO_VALIDATION,
						 "Variable reference %s in ORDER BY clause must be part of the primary key",
						 by->name);
		if (!select->reads->keyed ||
			(select->reads->nhashes > 1 && !partitions))
			dynamo_error(DYNAMO_VALIDATION,
						 "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.");
	}
	return order;
}

/*
 * Parts of one partition are read in the order of its items.  There are few.
 */
static void
sort_reads(StatementSelect *select, Order order)
{
	ExprReads  *reads = select->reads;
	int			group[EXPR_MAX_READS];

	for (int i = 0; i < reads->nreads; i++)
	{
		group[i] = i;
		for (int k = 0; k < i && group[i] == i; k++)
		{
			if (item_value_equal(&reads->reads[k].hash, &reads->reads[i].hash))
				group[i] = group[k];
		}
	}
	for (int i = 1; i < reads->nreads; i++)
	{
		for (int k = i; k > 0 && comes_before(reads, group, k, k - 1, order); k--)
		{
			ExprRead	read = reads->reads[k];
			int			number = group[k];

			reads->reads[k] = reads->reads[k - 1];
			reads->reads[k - 1] = read;
			group[k] = group[k - 1];
			group[k - 1] = number;
		}
	}
}

static bool
comes_before(const ExprReads *reads, const int *group, int a, int b,
			 Order order)
{
	const ExprRead *ra = &reads->reads[a];
	const ExprRead *rb = &reads->reads[b];
	bool		open_a = ra->op == EXPR_KEY_LT || ra->op == EXPR_KEY_LE;
	bool		open_b = rb->op == EXPR_KEY_LT || rb->op == EXPR_KEY_LE;
	int			cmp;

	if (group[a] != group[b])
	{
		if (order.partitions == 0)
			return group[a] < group[b];
		return item_value_compare(&ra->hash, &rb->hash) * order.partitions < 0;
	}
	if (ra->op == EXPR_KEY_NONE || rb->op == EXPR_KEY_NONE)
		return false;			/* it is alone */
	cmp = open_a || open_b ? (open_b ? 1 : -1) :
		item_value_compare(&ra->values[0], &rb->values[0]);
	return order.backward ? cmp > 0 : cmp < 0;
}

/*
 * The next item read, whatever becomes of it; false at the end.  Of a key's
 * read "stored" is NULL if there is no item.
 */
bool
statement_select_step(StatementSelect *select, ApiRow *row)
{
	CHECK_FOR_INTERRUPTS();
	if (select->gets)
		return step_get(select, row);
	while (select->current < select->nreads)
	{
		if (select->reader == NULL)
			begin_read(select);
		if (api_reader_step(select->reader, row))
			return true;
		api_reader_end(select->reader);
		select->reader = NULL;
		select->start = NULL;
		select->current++;
	}
	return false;
}

/*
 * One item by its key.
 */
static bool
step_get(StatementSelect *select, ApiRow *row)
{
	const TableDef *def = select->target.def;
	const ExprCondition *filter = select->input.filter;
	const ExprRead *read;
	MemoryContext caller;

	if (select->current >= select->nreads)
		return false;
	read = &select->reads->reads[select->current++];
	MemoryContextReset(select->read_context);
	caller = MemoryContextSwitchTo(select->read_context);
	row->stored = engine_get(select->table,
							 key_given(def,
									   key_item(&def->hash, &read->hash,
												&def->range,
												&read->values[0])));
	row->entry = row->stored;
	row->fetched = false;
	row->item = NULL;
	if (row->stored && (filter == NULL || expr_test(filter, row->stored)))
		row->item = select->bound->projection ?
			expr_project(select->bound->projection, row->stored) : row->stored;
	MemoryContextSwitchTo(caller);
	return true;
}

/*
 * Begin the read that is next.
 */
static void
begin_read(StatementSelect *select)
{
	ApiQueryInput input = select->input;
	MemoryContext caller;

	MemoryContextReset(select->read_context);
	caller = MemoryContextSwitchTo(select->read_context);
	if (!input.scan)
		input.key_condition =
			key_condition(select, &select->reads->reads[select->current]);
	input.backward = select->backward;
	input.exclusive_start_key = select->start;
	select->reader = api_reader_begin(&input);
	MemoryContextSwitchTo(caller);
}

static ExprKeyCondition *
key_condition(const StatementSelect *select, const ExprRead *read)
{
	ExprKeyCondition *condition = palloc0(sizeof(ExprKeyCondition));

	condition->nclauses = read->op == EXPR_KEY_NONE ? 1 : 2;
	condition->clauses = palloc0(sizeof(ExprKeyClause) * 2);
	condition->clauses[0].name = select->target.hash[0].name;
	condition->clauses[0].op = EXPR_KEY_EQ;
	condition->clauses[0].values[0] = read->hash;
	if (read->op != EXPR_KEY_NONE)
	{
		condition->clauses[1].name = select->target.range[0].name;
		condition->clauses[1].op = read->op;
		condition->clauses[1].values[0] = read->values[0];
		condition->clauses[1].values[1] = read->values[1];
	}
	return condition;
}

static Item *
key_item(const KeyAttr *hash, const ItemValue *hash_value,
		 const KeyAttr *range, const ItemValue *range_value)
{
	ItemNode	key;

	item_node_init(&key, ITEM_M);
	item_node_leaf(item_node_put(&key, hash->name, strlen(hash->name)),
				   hash_value);
	if (range->name)
		item_node_leaf(item_node_put(&key, range->name, strlen(range->name)),
					   range_value);
	return item_pack(&key);
}

/*
 * The reader of the only read; NULL: there are several, or keys are read.
 */
const ApiReader *
statement_select_only_reader(const StatementSelect *select)
{
	return select->nreads == 1 ? select->reader : NULL;
}

const ApiTarget *
statement_select_target(const StatementSelect *select)
{
	return &select->target;
}

bool
statement_select_gets(const StatementSelect *select)
{
	return select->gets;
}

/*
 * Where to go on after the row that statement_select_step() gave last; false: there
 * is nothing left to read.
 */
bool
statement_select_position(const StatementSelect *select, const ApiRow *row,
						  StatementPosition *position)
{
	position->read = select->current;
	position->key = NULL;
	if (select->gets)
		return select->current < select->nreads;
	position->key = key_as_item(select->target.def, select->target.index,
									row->stored);
	return true;
}

void
statement_select_end(StatementSelect *select)
{
	if (select->reader)
		api_reader_end(select->reader);
	engine_close(select->table);
	MemoryContextDelete(select->read_context);
}

/*
 * Is the statement about one item of the table, by its whole key and nothing
 * else?  *more: there are further conditions.
 */
bool
statement_select_key(const Statement *statement, const TableDef *def,
					 const Item **key, bool *more)
{
	const PartiqlBound *bound = statement->bound;
	ItemValue	hash;
	ItemValue	range = {0};
	int			nhash;
	int			nrange = 0;

	*key = NULL;
	if (bound->index_name || bound->where == NULL ||
		!expr_key_equality(bound->where, def->hash.name, &hash, &nhash) ||
		(def->range.name &&
		 !expr_key_equality(bound->where, def->range.name, &range, &nrange)))
		return false;
	*more = expr_condition_terms(bound->where) > (def->range.name ? 2 : 1);
	*key = key_item(&def->hash, &hash, &def->range, &range);
	return true;
}
