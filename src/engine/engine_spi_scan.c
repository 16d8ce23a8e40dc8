/*-------------------------------------------------------------------------
 *
 * engine_spi_scan.c
 *	  Scans of the store for relations that need the planner and the executor.
 *
 * A scan is a SELECT with the range's bounds in its WHERE clause, in the order
 * of the index that the range is one of.
 *
 * Of a distributed table, Citus collects all rows of a result before it gives
 * the first.  So such a scan asks for a page at a time, with a LIMIT that the
 * shards see, too, and the next page begins after the last row of the one
 * before.  The table's key is added to the order, which is total then.  There
 * is no snapshot of several nodes: each page is as of its own time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define FETCH_ROWS	32			/* at a time */
#define MAX_PAGE	512			/* rows of a page */
#define LARGE_PAGE	(256 * 1024)	/* bytes of its items: it need not grow */

/* Columns of an index, and the table's key. */
#define MAX_ORDER	(ENGINE_MAX_COLUMNS + 2)
#define MAX_ARGUMENTS	((ENGINE_MAX_BOUNDS + 1) * ENGINE_MAX_COLUMNS + MAX_ORDER)

/*
 * A scan.  It is no SPI cursor: a portal goes when the transaction or
 * subtransaction ends that opened it, and may do so before the query does that
 * we are called by.  An executor of our own belongs, as everything that a
 * query opens, to the resource owner of the query.
 */
struct EngineCursor
{
	DestReceiver receiver;		/* of rows: first, for a cast */
	EngineTable *table;
	const EngineRange *range;
	Snapshot	snapshot;
	QueryDesc  *query;			/* NULL: the next page's is not begun */
	bool		at_end;			/* it has no more rows; not to be asked again */
	MemoryContext plan;			/* holds the query, its text and its plan */
	MemoryContext batch;		/* holds the rows fetched */
	Item	   *items[FETCH_ROWS];
	int			nitems;
	int			next;

	/* of a distributed table */
	int			page;			/* rows asked for; 0: all */
	int			nread;			/* rows of the page so far */
	Size		size;			/* of their items */
	int			nlast;			/* columns of the last row's place in the
								 * order; 0: none was read */
	Datum		last[MAX_ORDER];
	Oid			last_types[MAX_ORDER];
	MemoryContext last_context; /* holds last */
};

/* A statement under construction. */
typedef struct ScanQuery
{
	StringInfoData sql;
	int			nargs;
	Oid			types[MAX_ARGUMENTS];
	Datum		values[MAX_ARGUMENTS];
} ScanQuery;

static QueryDesc *start_query(const ScanQuery *scan, bool past,
							  DestReceiver *receiver);
static void begin_query(EngineCursor *cursor);
static void end_query(EngineCursor *cursor);
static void scan_query(ScanQuery *query, const EngineCursor *cursor);
static int	add_table_key(EngineTable *table, const EngineRange *range,
						  char **columns, int ncolumns);
static void append_bound(ScanQuery *query, EngineTable *table,
						 const EngineRange *range, const EngineBound *bound,
						 char **columns);
static void append_comparison(ScanQuery *query, char *const *columns,
							  const char *operator, int n, const Oid *types,
							  const Datum *values);
static Oid	column_type(EngineTable *table, const EngineRange *range,
						int column);
static void append_argument(ScanQuery *query, Oid type, Datum value);
static int	index_columns(EngineTable *table, const EngineRange *range,
						  char **columns);
static void fetch_batch(EngineCursor *cursor);
static void run_query(EngineCursor *cursor);
static void finish_page(EngineCursor *cursor);
static void keep_place(EngineCursor *cursor, TupleTableSlot *slot);
static bool receive_row(TupleTableSlot *slot, DestReceiver *receiver);

/*
 * EngineStore.begin
 *
 * "range" and its values must live as long as the cursor: each page makes its
 * query of them anew.  Planning takes AccessShareLock on what the query reads,
 * kept to the end of the transaction, and policies of the current user become
 * part of the plan.
 */
EngineCursor *
engine_spi_begin(EngineTable *table, const EngineRange *range,
				 Snapshot snapshot)
{
	MemoryContext context = CurrentMemoryContext;
	EngineCursor *cursor = palloc0(sizeof(EngineCursor));

	cursor->receiver = *None_Receiver;
	cursor->receiver.receiveSlot = receive_row;
	cursor->table = table;
	cursor->range = range;
	cursor->snapshot = snapshot;
	cursor->plan = AllocSetContextCreate(context, "dynamo scan plan",
										 ALLOCSET_DEFAULT_SIZES);
	cursor->batch = AllocSetContextCreate(context, "dynamo scan batch",
										  ALLOCSET_DEFAULT_SIZES);
	if (table->def->distributed)
	{
		cursor->page = FETCH_ROWS;
		cursor->last_context = AllocSetContextCreate(context,
													 "dynamo scan place",
													 ALLOCSET_SMALL_SIZES);
	}
	begin_query(cursor);
	return cursor;
}

/*
 * Begin the query, of all rows or of the next page, whose plan takes the place
 * of the last one's.
 */
static void
begin_query(EngineCursor *cursor)
{
	MemoryContext context = MemoryContextSwitchTo(cursor->plan);
	Oid			user = GetUserId();
	EngineTable *table = cursor->table;
	ScanQuery	query;

	shard_note_asker(table->def);
	scan_query(&query, cursor);
	cursor->nread = 0;
	cursor->size = 0;
	PushActiveSnapshot(cursor->snapshot);
	dynamo_work_enter(table->def->relid, table->def->name);
	PG_TRY();
	{
		cursor->query = start_query(&query, table->past != NULL,
									&cursor->receiver);
	}
	PG_CATCH();
	{
		engine_spi_rethrow(table, context, user);
	}
	PG_END_TRY();
	dynamo_work_leave();
	PopActiveSnapshot();
	MemoryContextSwitchTo(context);
}

/*
 * End the query, whether it was read to its end or not; none: nothing to do.
 */
static void
end_query(EngineCursor *cursor)
{
	if (cursor->query == NULL)
		return;
	ExecutorFinish(cursor->query);
	ExecutorEnd(cursor->query);
	FreeQueryDesc(cursor->query);
	MemoryContextReset(cursor->plan);
	cursor->query = NULL;
}

/*
 * Plan a query and start its execution, in the current context, by the active
 * snapshot itself: that may be a copy of the one that was pushed.  A scan is
 * read no further than its page, so its rows must come from an index in their
 * order: a sort of the whole range, which the planner may think cheaper, would
 * be done anew for each page.  The past has no index (engine_past.c), and the
 * planner does not know how much of it there is: it must not be gone through
 * for each row.  On error the end of the transaction resets the setting.
 */
static QueryDesc *
start_query(const ScanQuery *scan, bool past, DestReceiver *receiver)
{
	RawStmt    *parsed = linitial_node(RawStmt,
									   pg_parse_query(scan->sql.data));
	List	   *rewritten;
	PlannedStmt *plan;
	ParamListInfo params = NULL;	/* not an empty one: planners of others
									 * rely on that */
	QueryDesc  *query;
	int			nestlevel;

	rewritten = pg_analyze_and_rewrite_fixedparams(parsed, scan->sql.data,
												   scan->types, scan->nargs,
												   NULL);
	schema_check_source(rewritten,
						((EngineCursor *) receiver)->table->def);
	if (scan->nargs > 0)
		params = makeParamList(scan->nargs);
	for (int i = 0; i < scan->nargs; i++)
	{
		params->params[i].value = scan->values[i];
		params->params[i].isnull = false;
		params->params[i].pflags = PARAM_FLAG_CONST;
		params->params[i].ptype = scan->types[i];
	}
	nestlevel = NewGUCNestLevel();
	(void) set_config_option(past ? "enable_nestloop" : "enable_sort", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	plan = compat_plan_query(linitial_node(Query, rewritten), scan->sql.data,
							 CURSOR_OPT_FAST_PLAN, params);
	AtEOXact_GUC(true, nestlevel);
	query = CreateQueryDesc(plan, scan->sql.data, GetActiveSnapshot(), InvalidSnapshot,
							receiver, params, NULL, 0);
	ExecutorStart(query, EXEC_FLAG_SKIP_TRIGGERS);
	return query;
}

/*
 * EngineStore.next
 *
 * Rows are fetched FETCH_ROWS at a time.  So functions of the user's, as in
 * policies, may run for rows that nobody asks for.
 */
const Item *
engine_spi_next(EngineCursor *cursor, int place, MemoryContext context)
{
	const Item *item;
	Size		size;

	if (cursor->next == cursor->nitems)
		fetch_batch(cursor);
	if (cursor->nitems == 0)
		return NULL;
	item = cursor->items[cursor->next++];
	size = VARSIZE_ANY(item);
	return memcpy(MemoryContextAlloc(context, size), item, size);
}

/*
 * EngineStore.end
 */
void
engine_spi_end(EngineCursor *cursor)
{
	end_query(cursor);
}

/*
 * A scan as a query.
 */
static void
scan_query(ScanQuery *query, const EngineCursor *cursor)
{
	EngineTable *table = cursor->table;
	const EngineRange *range = cursor->range;
	char	   *columns[MAX_ORDER];
	int			ncolumns = index_columns(table, range, columns);
	int			npredicate = range->index ? ncolumns - 1 : range->expiry;
	const char *joint = "WHERE";

	query->nargs = 0;
	initStringInfo(&query->sql);
	if (cursor->page > 0)
		ncolumns = add_table_key(table, range, columns, ncolumns);
	appendStringInfoString(&query->sql, "SELECT item");
	for (int i = 0; cursor->page > 0 && i < ncolumns; i++)
		appendStringInfo(&query->sql, ", %s", columns[i]);
	appendStringInfo(&query->sql, " FROM %s",
					 table->past ? engine_past_source(table, range) :
					 engine_spi_relation(table));

	/* What the predicate of a partial index asks for. */
	for (int i = 0; i < npredicate; i++)
	{
		appendStringInfo(&query->sql, " %s %s IS NOT NULL", joint,
						 columns[i]);
		joint = "AND";
	}
	for (int i = 0; i < range->nbounds; i++)
	{
		appendStringInfo(&query->sql, " %s ", joint);
		append_bound(query, table, range, &range->bounds[i], columns);
		joint = "AND";
	}
	if (cursor->nlast > 0)
	{
		appendStringInfo(&query->sql, " %s ", joint);
		append_comparison(query, columns, range->backward ? "<" : ">",
						  cursor->nlast, cursor->last_types, cursor->last);
	}
	for (int i = 0; i < ncolumns; i++)
		appendStringInfo(&query->sql, "%s%s%s", i == 0 ? " ORDER BY " : ", ",
						 columns[i], range->backward ? " DESC" : "");
	if (cursor->page > 0)
		appendStringInfo(&query->sql, " LIMIT %d", cursor->page);
}

/*
 * The columns of the table's key after those of another index.  Returns how
 * many there are then.
 */
static int
add_table_key(EngineTable *table, const EngineRange *range, char **columns,
			  int ncolumns)
{
	if (range->index == NULL && !range->expiry)
		return ncolumns;
	columns[ncolumns++] = "pk";
	if (table->def->range.name != NULL)
		columns[ncolumns++] = "sk";
	return ncolumns;
}

static void
append_bound(ScanQuery *query, EngineTable *table, const EngineRange *range,
			 const EngineBound *bound, char **columns)
{
	static const char *const operators[] = {
		[BTLessStrategyNumber] = "<",
		[BTLessEqualStrategyNumber] = "<=",
		[BTEqualStrategyNumber] = "=",
		[BTGreaterEqualStrategyNumber] = ">=",
		[BTGreaterStrategyNumber] = ">",
	};
	Oid			types[ENGINE_MAX_COLUMNS];

	for (int i = 0; i < bound->nvalues; i++)
		types[i] = column_type(table, range, bound->column + i);
	append_comparison(query, &columns[bound->column - 1],
					  operators[bound->compare], bound->nvalues, types,
					  bound->values);
}

/*
 * Compare columns with values, as rows if they are several.
 */
static void
append_comparison(ScanQuery *query, char *const *columns, const char *operator,
				  int n, const Oid *types, const Datum *values)
{
	appendStringInfoString(&query->sql, n > 1 ? "ROW(" : "");
	for (int i = 0; i < n; i++)
		appendStringInfo(&query->sql, "%s%s", i > 0 ? ", " : "", columns[i]);
	appendStringInfo(&query->sql, "%s OPERATOR(pg_catalog.%s) %s",
					 n > 1 ? ")" : "", operator, n > 1 ? "ROW(" : "");
	for (int i = 0; i < n; i++)
	{
		appendStringInfoString(&query->sql, i > 0 ? ", " : "");
		append_argument(query, types[i], values[i]);
	}
	appendStringInfoString(&query->sql, n > 1 ? ")" : "");
}

/*
 * The type of a column of what is scanned, for the parameters that are compared
 * with it.
 */
static Oid
column_type(EngineTable *table, const EngineRange *range, int column)
{
	if (range->expiry)
		return get_atttype(table->def->ttl_relid, column);
	if (range->index != NULL)
		return get_atttype(range->index->relid, column);
	return engine_spi_type(table, column == 1 ? SCHEMA_ATTR_PK :
						   SCHEMA_ATTR_SK(table->def));
}

/*
 * A value goes as a parameter, never as text.
 */
static void
append_argument(ScanQuery *query, Oid type, Datum value)
{
	query->types[query->nargs] = type;
	query->values[query->nargs] = value;
	query->nargs++;
	appendStringInfo(&query->sql, "$%d", query->nargs);
}

/*
 * What the columns of an index are, as SQL.  Returns their number.
 */
static int
index_columns(EngineTable *table, const EngineRange *range, char **columns)
{
	Oid			relid = range->expiry ? table->def->ttl_relid : InvalidOid;
	int			ncolumns = 2;

	if (range->index != NULL)
	{
		relid = range->index->relid;
		ncolumns = range->index->nrange + 2;
	}
	else if (!range->expiry)
	{
		columns[0] = "pk";
		columns[1] = "sk";
		return table->def->range.name != NULL ? 2 : 1;
	}
	for (int i = 0; i < ncolumns; i++)
		columns[i] =
			TextDatumGetCString(DirectFunctionCall3(pg_get_indexdef_ext,
													ObjectIdGetDatum(relid),
													Int32GetDatum(i + 1),
													BoolGetDatum(false)));
	return ncolumns;
}

/*
 * Fetch rows until there is one, or the end.  The rows of the batch before are
 * gone then; the caller has copied what it returned.
 */
static void
fetch_batch(EngineCursor *cursor)
{
	MemoryContextReset(cursor->batch);
	cursor->next = 0;
	cursor->nitems = 0;
	while (cursor->nitems == 0 && !cursor->at_end)
	{
		CHECK_FOR_INTERRUPTS();
		if (cursor->query == NULL)
			begin_query(cursor);
		run_query(cursor);
		if (cursor->nitems < FETCH_ROWS)
			finish_page(cursor);
	}
}

/*
 * Run the query for up to FETCH_ROWS rows, under its own snapshot.
 * Functions of the user's may run here, so it is shown as work on this table.
 */
static void
run_query(EngineCursor *cursor)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();

	PushActiveSnapshot(cursor->query->snapshot);
	dynamo_work_enter(cursor->table->def->relid, cursor->table->def->name);
	PG_TRY();
	{
		compat_executor_run(cursor->query, FETCH_ROWS);
	}
	PG_CATCH();
	{
		engine_spi_rethrow(cursor->table, context, user);
	}
	PG_END_TRY();
	dynamo_work_leave();
	PopActiveSnapshot();
}

/*
 * The query has no more rows.  A page that is not full is the last.
 */
static void
finish_page(EngineCursor *cursor)
{
	cursor->at_end = cursor->nread < cursor->page || cursor->page == 0;
	if (cursor->at_end)
		return;
	end_query(cursor);
	if (cursor->size < LARGE_PAGE && cursor->page < MAX_PAGE)
		cursor->page *= 2;
}

/*
 * DestReceiver.receiveSlot: a row of the scan.
 */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *receiver)
{
	EngineCursor *cursor = (EngineCursor *) receiver;
	bool		isnull;
	Datum		datum = slot_getattr(slot, 1, &isnull);
	Item	   *item = engine_spi_item(cursor->table, slot->tts_tupleDescriptor,
									   datum, isnull, cursor->batch);

	cursor->items[cursor->nitems++] = item;
	if (cursor->page > 0)
	{
		cursor->nread++;
		cursor->size += VARSIZE_ANY(item);
		if (cursor->nread == cursor->page)
			keep_place(cursor, slot);
	}
	return true;
}

/*
 * Note where in the order a row is, the last one of its page.
 */
static void
keep_place(EngineCursor *cursor, TupleTableSlot *slot)
{
	TupleDesc	desc = slot->tts_tupleDescriptor;
	MemoryContext caller;

	MemoryContextReset(cursor->last_context);
	caller = MemoryContextSwitchTo(cursor->last_context);
	cursor->nlast = desc->natts - 1;
	for (int i = 0; i < cursor->nlast; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i + 1);
		bool		isnull;
		Datum		value = slot_getattr(slot, i + 2, &isnull);

		Assert(!isnull);
		cursor->last_types[i] = column->atttypid;
		cursor->last[i] = datumCopy(value, column->attbyval, column->attlen);
	}
	MemoryContextSwitchTo(caller);
}
