/*-------------------------------------------------------------------------
 *
 * transfer_put.c
 *	  Putting the records of a step into the table.
 *
 * A step's items are written in the order in which transactions take theirs,
 * those of the same key in the order of the file: see key_lock_order().
 *
 * What is wrong with an item by itself is found before anything is written.
 * A table may refuse more, by a constraint or a trigger: then the step's
 * writes are undone and done again, each in a subtransaction, to find out
 * which it were.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "transfer/transfer_load_internal.h"
#include "utils/memutils.h"

#define TOO_LARGE	"Item size has exceeded the maximum allowed size"

/* The items of a batch that are checked. */
typedef struct Check
{
	const TableDef *def;
	const List *records;
	int			next;			/* place of the first that is not yet */
} Check;

/* The records that are written. */
typedef struct Put
{
	const char *table;
	EngineAccess access;
	List	   *records;		/* those without a problem, in that order */
	TransferRecord *only;		/* this one alone; NULL: all */
} Put;

static bool check_some(void *check);
static int	put_order(const ListCell *a, const ListCell *b);
static bool put_some(void *put);
static void put_one(EngineTable *table, TransferRecord *record);
static void put_each(Put *put);
static void add_error(TransferState *state, const TransferRecord *record);

/*
 * Find the keys of all items.  Those that are none for this table have a
 * problem from now on.
 */
void
transfer_check(const TableDef *def, TransferBatch *batch)
{
	Check		check = {def, batch->records, 0};
	ErrorData  *error;

	while ((error = dynamo_attempt(check_some, &check)) != NULL)
		transfer_note_error(list_nth(check.records, check.next++), error);
}

static bool
check_some(void *arg)
{
	Check	   *check = arg;

	for (; check->next < list_length(check->records); check->next++)
	{
		TransferRecord *record = list_nth(check->records, check->next);

		CHECK_FOR_INTERRUPTS();
		if (record->code != NULL)
			continue;
		item_check_size(record->item, TOO_LARGE);
		record->key = key_of_item(check->def, record->item);
	}
	return true;
}

/*
 * Write all records that have no problem.
 */
void
transfer_put(const char *table, EngineAccess access, TransferBatch *batch)
{
	Put			put = {table, access};
	ErrorData  *error;
	ListCell   *lc;

	foreach(lc, batch->records)
	{
		TransferRecord *record = lfirst(lc);

		record->place = foreach_current_index(lc);
		if (record->code == NULL)
			put.records = lappend(put.records, record);
	}
	list_sort(put.records, put_order);
	error = dynamo_attempt(put_some, &put);
	if (error == NULL)
		return;
	if (access == ENGINE_IMPORT || job_may_pass(error->sqlerrcode))
		ReThrowError(error);
	put_each(&put);
}

static int
put_order(const ListCell *a, const ListCell *b)
{
	const TransferRecord *left = lfirst(a);
	const TransferRecord *right = lfirst(b);
	int			order = key_compare(left->key, right->key);

	return order != 0 ? order : left->place - right->place;
}

static bool
put_some(void *arg)
{
	Put		   *put = arg;
	EngineTable *table = engine_open(NULL, put->table, put->access);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo transfer put",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ListCell   *lc;

	foreach(lc, put->records)
	{
		TransferRecord *record = lfirst(lc);

		if (put->only != NULL && put->only != record)
			continue;
		put_one(table, record);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	engine_close(table);
	return true;
}

static void
put_one(EngineTable *table, TransferRecord *record)
{
	EngineWrite write = {
		.action = ENGINE_PUT,
		.table = table,
		.key = record->key,
		.item = record->item,
		.condition = record->condition,
		.shown = record->condition != NULL
	};

	engine_write(&write);
	record->refused = write.condition_failed;
	record->existing = NULL;
	if (write.condition_failed && write.old_item != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(record));

		record->existing = item_copy(write.old_item);
		MemoryContextSwitchTo(old);
	}
}

static void
put_each(Put *put)
{
	ListCell   *lc;

	foreach(lc, put->records)
	{
		ErrorData  *error;

		CHECK_FOR_INTERRUPTS();
		put->only = lfirst(lc);
		error = dynamo_attempt(put_some, put);
		if (error != NULL)
			transfer_note_error(put->only, error);
	}
}

/*
 * The record could not be read or put.  What has nothing to do with it, such as
 * a cancel or a lack of memory, is no fault of the record, and thrown on.
 */
void
transfer_note_error(TransferRecord *record, ErrorData *error)
{
	DynamoException e;

	if (job_may_pass(error->sqlerrcode))
		ReThrowError(error);
	record->problem = error->message;
	record->code = "InternalServerError";
	if (dynamo_exception_of(error->sqlerrcode, &e))
		record->code = strrchr(dynamo_exception_type(e), '#') + 1;
	else if (error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE)
		record->code = "AccessDeniedException";
}

/*
 * Count what has become of the records.
 */
void
transfer_count(const TransferBatch *batch, TransferState *state)
{
	ListCell   *lc;

	foreach(lc, batch->records)
	{
		const TransferRecord *record = lfirst(lc);

		state->processed++;
		if (record->code != NULL)
		{
			if (state->failed++ < TRANSFER_MAX_ERRORS)
				add_error(state, record);
		}
		else if (record->refused)
			state->refused++;
		else
		{
			uint32		size = item_size(record->item);

			state->taken++;
			state->size += size;
			state->units += (size + 1023) / 1024;
		}
	}
	state->parts += batch->records != NIL;
}

/*
 * The text may show all of the record, and each step writes the state anew.
 */
static void
add_error(TransferState *state, const TransferRecord *record)
{
	const char *text = pnstrdup(record->problem,
								pg_mbcliplen(record->problem,
											 strlen(record->problem),
											 JOB_MAX_FAILURE));
	StringInfoData out;

	initStringInfo(&out);
	if (state->errors != NULL)
		appendBinaryStringInfo(&out, state->errors, strlen(state->errors) - 1);
	else
		appendStringInfoChar(&out, '[');
	wire_element(&out);
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "File", record->file);
	if (record->line > 0)
		wire_integer_member(&out, "Line", record->line);
	wire_string_member(&out, "Code", record->code);
	wire_string_member(&out, "Message", text);
	appendStringInfoString(&out, "}]");
	state->errors = out.data;
}
