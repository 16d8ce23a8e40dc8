/*-------------------------------------------------------------------------
 *
 * search_shards.c
 *	  The items of a distributed table whose vectors are nearest to one.
 *
 * One statement, which Citus runs on the shards: each gives its nearest, by its
 * index of vectors where that serves (../vector/vector_order.c), and they are
 * merged.  As for other scans there is no snapshot of several nodes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "peer/peer.h"
#include "process/process_watch.h"
#include "schema/schema_row.h"
#include "search/search.h"
#include "utils/lsyscache.h"

static char *statement(const TableDef *def, const SearchNearest *wanted);

/*
 * The items in the order of their vectors, in the current context; their number.
 */
int
search_shards(EngineTable *table, const SearchNearest *wanted,
			  const Item ***items)
{
	const TableDef *def = engine_def(table);
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();
	Oid			types[3] = {
		BYTEAOID, get_atttype(def->relid, SCHEMA_ATTR_ITEM(def)),
		get_atttype(def->relid, SCHEMA_ATTR_PK)
	};
	Datum		values[3] = {
		PointerGetDatum(vector_make_query(wanted->index, wanted->tags,
										  wanted->elements)),
		PointerGetDatum(wanted->condition)
	};
	char	   *sql = statement(def, wanted);
	int			n;

	if (wanted->hash != NULL)
		values[2] = PointerGetDatum(item_partition_key(wanted->hash, 1));
	peer_note_asker();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	dynamo_work_enter(def->relid, def->name);
	PG_TRY();
	{
		int			code = SPI_execute_with_args(sql,
												 wanted->hash != NULL ? 3 : 2,
												 types, values, NULL, true, 0);

		if (code < 0)
			elog(ERROR, "SPI_execute_with_args failed: %s",
				 SPI_result_code_string(code));
	}
	PG_CATCH();
	{
		engine_spi_rethrow(table, context, user);
	}
	PG_END_TRY();
	dynamo_work_leave();

	n = SPI_processed;
	*items = MemoryContextAlloc(context, sizeof(Item *) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		bool		isnull;
		Datum		datum = SPI_getbinval(SPI_tuptable->vals[i],
										  SPI_tuptable->tupdesc, 1, &isnull);

		(*items)[i] = engine_spi_item(table, SPI_tuptable->tupdesc, datum,
									  isnull, context);
	}
	SPI_finish();
	return n;
}

static char *
statement(const TableDef *def, const SearchNearest *wanted)
{
	const char *entry =
		schema_expression_sql(def, linitial(schema_index_keys(def,
															  wanted->index)));
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT item FROM %s WHERE %s OPERATOR(dynamo_internal.@@) $1 AND item OPERATOR(pg_catalog.@>) $2",
					 meta_relation_identity(def->relid), entry);
	if (wanted->hash != NULL)
		appendStringInfoString(&sql, " AND pk OPERATOR(pg_catalog.=) $3");
	appendStringInfo(&sql, " ORDER BY %s OPERATOR(dynamo_internal.<->) $1",
					 entry);
	if (wanted->by_key)
		appendStringInfoString(&sql, def->range.name != NULL ? ", pk, sk" :
							   ", pk");
	appendStringInfo(&sql, " LIMIT %d", wanted->limit);
	return sql.data;
}
