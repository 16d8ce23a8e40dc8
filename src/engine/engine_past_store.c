/*-------------------------------------------------------------------------
 *
 * engine_past_store.c
 *	  The item store of a table as of a marker: for reads only.
 *
 * Its scans are those of engine_spi_scan.c, which then read a query
 * (engine_past.c) and not the relation.  The relation's indexes are of no use:
 * a scan that is to be in order is sorted.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

static void past_fetch(EngineTable *table, const TableKey *key,
					   EngineRow *row);
static void past_close(EngineTable *table);

static const EngineStore past_store = {
	.fetch = past_fetch,
	.begin = engine_spi_begin,
	.next = engine_spi_next,
	.end = engine_spi_end,
	.close = past_close,
};

/*
 * From now on reads are of the past; the table was opened to be read.
 * Policies are about rows as they are now, and say nothing of what they were.
 */
void
engine_read_past(EngineTable *table, const EnginePast *past)
{
	Assert(!engine_for_write(table));
	if (check_enable_rls(table->def->relid, InvalidOid, true) == RLS_ENABLED)
		engine_deny(table, NULL);
	table->store->close(table);
	table->past = past;
	table->leading = NIL;
	table->store = &past_store;
}

static void
past_fetch(EngineTable *table, const TableKey *key, EngineRow *row)
{
	EngineRange range = {.nbounds = 1};
	EngineCursor *cursor;

	range.bounds[0].column = 1;
	range.bounds[0].compare = BTEqualStrategyNumber;
	range.bounds[0].nvalues = 1;
	range.bounds[0].values[0] = PointerGetDatum(key->pk);
	if (key->sk != NULL)
	{
		range.bounds[1] = range.bounds[0];
		range.bounds[1].column = 2;
		range.bounds[1].values[0] = PointerGetDatum(key->sk);
		range.nbounds = 2;
	}
	row->refreshed = false;
	PushActiveSnapshot(engine_past_snapshot());
	cursor = engine_spi_begin(table, &range, GetActiveSnapshot());
	row->item = engine_spi_next(cursor, 0, CurrentMemoryContext);
	engine_spi_end(cursor);
	PopActiveSnapshot();
}

/*
 * What to read the past with: the later, the better, since it must see all
 * that the marker sees.  A statement's snapshot may be older than the lock on
 * the table, and then does not see a TRUNCATE, but not what was truncated
 * either.  GetLatestSnapshot() refuses in parallel mode.
 */
Snapshot
engine_past_snapshot(void)
{
	return GetTransactionSnapshot();
}

static void
past_close(EngineTable *table)
{
}
