/*-------------------------------------------------------------------------
 *
 * statement_run.c
 *	  A PartiQL statement for SQL: a stream of items, without pages.
 *
 * A SELECT is checked when it begins, and reads as it is asked.  A write is
 * done when it is asked for its first item, for a plan that is only shown must
 * do nothing; it is done once, however often its result is asked for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "statement/statement_internal.h"

struct StatementRun
{
	Statement	statement;
	StatementSelect *select;	/* NULL: a write */
	bool		done;			/* the write has been */
	bool		returned;		/* its item has been */
	const Item *item;			/* what it returns; NULL: nothing */
	int64		read;			/* items of a SELECT */
	ApiTally	tally;			/* the same, to be counted */
	MemoryContext context;		/* holds all of it */
};

static void check_length(const char *text);

/*
 * Begin to run a PartiQL statement, in the current context: it is parsed and
 * bound, and its table opened.  Raises ValidationException,
 * AccessDeniedException, and what the door of the operation would.  "request"
 * NULL: the session asks.
 */
StatementRun *
statement_begin(DynamoRequest *request, const char *text, int nparameters,
				const ItemValue *parameters)
{
	StatementRun *run = palloc0(sizeof(StatementRun));

	run->statement.request = request;
	run->tally.wanted = stats_counting(request->stats);
	check_length(text);
	run->context = CurrentMemoryContext;
	run->statement.bound = partiql_bind(partiql_parse(text), nparameters,
										parameters);
	if (run->statement.bound->verb == PARTIQL_EXISTS)
		dynamo_error(DYNAMO_VALIDATION,
					 "EXISTS() is only supported in ExecuteTransaction");
	if (run->statement.bound->verb == PARTIQL_SELECT)
	{
		run->select = statement_select_begin(&run->statement);
		statement_select_start(run->select, NULL);
	}
	return run;
}

static void
check_length(const char *text)
{
	StringInfoData json;

	initStringInfo(&json);
	codec_append_string(&json, text, strlen(text));
	(void) wire_check_argument(&statement_text_shape, "statement", json.data,
							   json.len);
	pfree(json.data);
}

/*
 * The next item that it returns, NULL at the end.  The first call of a write
 * does it.
 */
const Item *
statement_next(StatementRun *run)
{
	ApiRow		row;

	while (run->select && statement_select_step(run->select, &row))
	{
		if (row.stored)
			run->read++;
		api_tally_row(&run->tally, &row, statement_select_gets(run->select));
		if (row.item)
			return row.item;
	}
	if (run->select || run->returned)
		return NULL;
	if (!run->done)
	{
		MemoryContext caller = MemoryContextSwitchTo(run->context);
		ApiWrite	w = {0};

		statement_write(&run->statement, &w);
		run->item = w.attributes;
		run->done = true;
		MemoryContextSwitchTo(caller);
	}
	run->returned = true;
	return run->item;
}

/*
 * Have the result of a write come again; false: it is a SELECT, which begins
 * anew.
 */
bool
statement_rewind(StatementRun *run)
{
	if (run->select)
		return false;
	run->returned = false;
	return true;
}

bool
statement_writes(const StatementRun *run)
{
	return run->select == NULL;
}

/*
 * What EXPLAIN tells of it.  False: not exactly one part of one index is read.
 */
bool
statement_plan(const StatementRun *run, ApiPlan *plan)
{
	const ApiReader *reader = run->select ?
		statement_select_only_reader(run->select) : NULL;

	if (reader == NULL)
		return false;
	api_plan_reader(reader, plan);
	return true;
}

int64
statement_count(const StatementRun *run)
{
	return run->read;
}

/*
 * Add what a SELECT has read to the statistics of its request.
 */
void
statement_tell(const StatementRun *run)
{
	if (run->select)
		api_count_tally(run->statement.request, &run->tally,
						statement_select_target(run->select),
						statement_select_gets(run->select));
}

void
statement_end(StatementRun *run)
{
	if (run->select)
		statement_select_end(run->select);
}
