/*-------------------------------------------------------------------------
 *
 * engine_spi_scan.c
 *	  Scans of the store for relations that need the planner and the executor.
 *
 * A scan is a SELECT with the range's bounds in its WHERE clause, in the order
 * of the index that the range is one of.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_watch.h"
#include "engine/engine_internal.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define FETCH_ROWS	32			/* at a time */

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
	QueryDesc  *query;
	bool		at_end;			/* it has no more rows; not to be asked again */
	MemoryContext batch;		/* holds the rows fetched */
	Item	   *items[FETCH_ROWS];
	int			nitems;
	int			next;
};

/* A statement under construction. */
typedef struct ScanQuery
{
	StringInfoData sql;
	int			nargs;
	Oid			types[ENGINE_MAX_BOUNDS * ENGINE_MAX_COLUMNS];
	Datum		values[ENGINE_MAX_BOUNDS * ENGINE_MAX_COLUMNS];
} ScanQuery;

static QueryDesc *start_query(const ScanQuery *scan, Snapshot snapshot,
							  DestReceiver *receiver);
static void scan_query(ScanQuery *query, EngineTable *table,
					   const EngineRange *range);
static void append_bound(ScanQuery *query, EngineTable *table,
						 const EngineRange *range, const EngineBound *bound,
						 char **columns);
static Oid	column_type(EngineTable *table, const EngineRange *range,
						int column);
static void append_argument(ScanQuery *query, Oid type, Datum value);
static int	index_columns(EngineTable *table, const EngineRange *range,
						  char **columns);
static void fetch_batch(EngineCursor *cursor);
static bool receive_row(TupleTableSlot *slot, DestReceiver *receiver);
static void start_receiving(DestReceiver *receiver, int operation,
							TupleDesc desc);
static void stop_receiving(DestReceiver *receiver);

EngineCursor *
engine_spi_begin(EngineTable *table, const EngineRange *range,
				 Snapshot snapshot)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();
	EngineCursor *cursor = palloc0(sizeof(EngineCursor));
	ScanQuery	query;

	cursor->receiver.receiveSlot = receive_row;
	cursor->receiver.rStartup = start_receiving;
	cursor->receiver.rShutdown = stop_receiving;
	cursor->receiver.rDestroy = stop_receiving;
	cursor->receiver.mydest = DestNone;
	cursor->table = table;
	cursor->batch = AllocSetContextCreate(context, "dynamo scan batch",
										  ALLOCSET_DEFAULT_SIZES);
	scan_query(&query, table, range);
	PushActiveSnapshot(snapshot);
	dynamo_work_enter(table->def->relid, table->def->name);
	PG_TRY();
	{
		cursor->query = start_query(&query, snapshot, &cursor->receiver);
	}
	PG_CATCH();
	{
		engine_spi_rethrow(table, context, user);
	}
	PG_END_TRY();
	dynamo_work_leave();
	PopActiveSnapshot();
	return cursor;
}

/*
 * Plan a query and start its execution, in the current context.  A scan is
 * read no further than its page, so its rows must come from an index in their
 * order: a sort of the whole range, which the planner may think cheaper, would
 * be done anew for each page.  On error the end of the transaction resets the
 * setting.
 */
static QueryDesc *
start_query(const ScanQuery *scan, Snapshot snapshot, DestReceiver *receiver)
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
	(void) set_config_option("enable_sort", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	plan = pg_plan_query(linitial_node(Query, rewritten), scan->sql.data,
						 CURSOR_OPT_FAST_PLAN, params);
	AtEOXact_GUC(true, nestlevel);
	query = CreateQueryDesc(plan, scan->sql.data, snapshot, InvalidSnapshot,
							receiver, params, NULL, 0);
	ExecutorStart(query, EXEC_FLAG_SKIP_TRIGGERS);
	return query;
}

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

void
engine_spi_end(EngineCursor *cursor)
{
	ExecutorFinish(cursor->query);
	ExecutorEnd(cursor->query);
	FreeQueryDesc(cursor->query);
}

/*
 * A scan as a query.
 */
static void
scan_query(ScanQuery *query, EngineTable *table, const EngineRange *range)
{
	char	   *columns[ENGINE_MAX_COLUMNS];
	int			ncolumns = index_columns(table, range, columns);
	int			npredicate = range->index ? ncolumns - 1 : range->expiry;
	const char *joint = "WHERE";

	query->nargs = 0;
	initStringInfo(&query->sql);
	appendStringInfo(&query->sql, "SELECT item FROM %s",
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
	for (int i = 0; i < ncolumns; i++)
		appendStringInfo(&query->sql, "%s%s%s", i == 0 ? " ORDER BY " : ", ",
						 columns[i], range->backward ? " DESC" : "");
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
	bool		row = bound->nvalues > 1;

	appendStringInfoString(&query->sql, row ? "ROW(" : "");
	for (int i = 0; i < bound->nvalues; i++)
		appendStringInfo(&query->sql, "%s%s", i > 0 ? ", " : "",
						 columns[bound->column - 1 + i]);
	appendStringInfo(&query->sql, "%s OPERATOR(pg_catalog.%s) %s",
					 row ? ")" : "", operators[bound->compare],
					 row ? "ROW(" : "");
	for (int i = 0; i < bound->nvalues; i++)
	{
		appendStringInfoString(&query->sql, i > 0 ? ", " : "");
		append_argument(query, column_type(table, range, bound->column + i),
						bound->values[i]);
	}
	appendStringInfoString(&query->sql, row ? ")" : "");
}

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

static void
fetch_batch(EngineCursor *cursor)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();

	MemoryContextReset(cursor->batch);
	cursor->next = 0;
	cursor->nitems = 0;
	if (cursor->at_end)
		return;
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
	cursor->at_end = cursor->nitems < FETCH_ROWS;
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
	Item	   *item = engine_spi_item(cursor->table, datum, isnull,
									   cursor->batch);

	cursor->items[cursor->nitems++] = item;
	return true;
}

static void
start_receiving(DestReceiver *receiver, int operation, TupleDesc desc)
{
}

static void
stop_receiving(DestReceiver *receiver)
{
}
