/*-------------------------------------------------------------------------
 *
 * engine_shard.c
 *	  Requests about one partition key of a distributed table.
 *
 * Where it matters to a request on which node its rows are (base_route.h), it
 * is executed there, on the shard's relation, by the local store.  All others
 * go by plain SQL, which Citus leads to the rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "base/base_request.h"
#include "base/base_route.h"
#include "engine/engine_internal.h"
#include "storage/lmgr.h"

/*
 * All that the request does is about this partition key, and it has done
 * nothing yet.  Does not return if the rows are on another node and the
 * request is to be executed there; else the table may be its shard from here
 * on.
 */
void
engine_use_shard(EngineTable *table, Datum pk)
{
	DynamoRoute route = dynamo_route_take();
	const SchemaShard *shard;
	Relation	rel;
	const TableDef *def;
	bool		fires;
	List	   *leading;

	if (!table->def->distributed || route == DYNAMO_ROUTE_NONE)
		return;
	shard = schema_find_shard(table->def, pk);
	if (!OidIsValid(shard->relid))
		dynamo_route_to(route, shard->host, shard->port);
	rel = try_table_open(shard->relid, engine_for_write(table) ?
						 RowExclusiveLock : AccessShareLock);
	if (rel == NULL)
		return;
	def = schema_shard_definition(table->def, shard->relid);
	if (!engine_local_usable(rel, def, &fires, &leading))
	{
		table_close(rel, NoLock);
		return;
	}
	table_close(table->rel, NoLock);
	table->rel = rel;
	table->def = def;
	engine_use_store(table, true);
}

/*
 * A row of this key is about to be written by Citus: it must not move to
 * another node between the statements.  The commit is to be on disk, whatever
 * synchronous_commit is, before Citus tells other nodes to commit, or else a
 * crash could leave half of the transaction.
 */
void
engine_hold_shard(const EngineTable *table, const EngineKey *key)
{
	if (!table->def->distributed)
		return;
	dynamo_commit_first();
	schema_hold_shard(table->def, PointerGetDatum(key->pk));
}
