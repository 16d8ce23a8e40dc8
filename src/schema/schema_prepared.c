/*-------------------------------------------------------------------------
 *
 * schema_prepared.c
 *	  Transactions of several nodes that are half committed.
 *
 * Citus prepares such a transaction on all nodes, then commits it on one after
 * the other.  Between the two some nodes show its work and others do not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "nodes/value.h"
#include "schema/schema_internal.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#define PAUSE		1000L		/* microseconds */
#define PATIENCE	5000		/* milliseconds */

static List *list_prepared(void);

/*
 * Wait until those that are prepared now on any node are not any more.  False:
 * it takes too long; somebody's coordinator is down.
 */
bool
schema_await_prepared(void)
{
	List	   *pending = list_prepared();
	TimestampTz start = GetCurrentTimestamp();

	while (pending != NIL)
	{
		if (TimestampDifferenceExceeds(start, GetCurrentTimestamp(), PATIENCE))
			return false;
		CHECK_FOR_INTERRUPTS();
		pg_usleep(PAUSE);
		pending = list_intersection(pending, list_prepared());
	}
	return true;
}

/*
 * Nodes and names, as a list of String.
 */
static List *
list_prepared(void)
{
	MemoryContext caller = CurrentMemoryContext;
	int			nest_level = schema_pin_search_path();
	List	   *names = NIL;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute("SELECT pg_catalog.concat(nodeid, ' ', name) "
					"FROM pg_catalog.run_command_on_all_nodes("
					"'SELECT pg_catalog.string_agg(gid, '','') FROM pg_catalog.pg_prepared_xacts "
					"WHERE database = pg_catalog.current_database() AND gid ~ ''^citus_''') AS node, "
					"pg_catalog.string_to_table(node.result, ',') AS name "
					"WHERE node.success", false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read prepared transactions");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		char	   *name = SPI_getvalue(SPI_tuptable->vals[i],
										SPI_tuptable->tupdesc, 1);
		MemoryContext spi = MemoryContextSwitchTo(caller);

		names = lappend(names, makeString(pstrdup(name)));
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	return names;
}
