/*-------------------------------------------------------------------------
 *
 * engine_spi.c
 *	  The item store for relations that need the planner and the executor.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"

static void spi_close(EngineTable *table);

static void
spi_fetch(EngineTable *table, const EngineKey *key, EngineRow *row)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("table \"%s\" has triggers, row-level security, partitions or columns of its own",
					table->def->name)));
}

static EngineCursor *
spi_begin(EngineTable *table, const EngineRange *range, Snapshot snapshot)
{
	spi_fetch(table, NULL, NULL);
	return NULL;
}

static void
spi_close(EngineTable *table)
{
}

const EngineStore engine_spi_store = {
	.fetch = spi_fetch,
	.begin = spi_begin,
	.close = spi_close,
};
