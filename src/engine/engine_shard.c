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
#include "engine/engine_internal.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"

static Relation open_relation(const EngineTable *table, Oid relid,
							  const TableDef **def);
static bool become_shards(EngineGet *gets, int n, const Oid *relids);
static EngineTable *open_shard(const EngineTable *table, Oid relid);
static void see_anew(void);

/*
 * All that the request does is about this partition key, and it has done
 * nothing yet.  False: the rows are on another node, where the request is to
 * be executed; else the table may be its shard from here on.
 */
bool
engine_use_shard(EngineTable *table, Datum pk)
{
	DynamoRoute route = dynamo_route_take(table->request);
	const Shard *shard;
	Relation	rel;
	const TableDef *def;

	if (!table->def->distributed || route == DYNAMO_ROUTE_NONE)
		return true;
	shard = shard_find(table->def, pk);
	if (!OidIsValid(shard->relid))
	{
		dynamo_route_to(route, table->request, shard->host, shard->port);
		return false;
	}
	rel = open_relation(table, shard->relid, &def);
	if (rel == NULL)
		return true;
	table_close(table->rel, NoLock);
	table->rel = rel;
	table->def = def;
	engine_use_store(table, true);
	see_anew();
	return true;
}

/*
 * The same for several reads, which are all that the request does.  If their
 * rows are on one node, they are read there under one snapshot.  Returns the
 * tables as they were, for engine_leave_shards(); NULL: they are as they were,
 * or the request is to be executed elsewhere.
 */
EngineTable **
engine_use_shards(EngineGet *gets, int n)
{
	DynamoRequest *request = gets[0].table->request;
	DynamoRoute route = dynamo_route_take(request);
	Shard		first = {0};
	Oid		   *relids = palloc(sizeof(Oid) * n);
	EngineTable **tables = palloc(sizeof(EngineTable *) * n);

	if (route == DYNAMO_ROUTE_NONE)
		return NULL;
	for (int i = 0; i < n; i++)
	{
		const Shard *shard;

		tables[i] = gets[i].table;
		if (!tables[i]->def->distributed)
			return NULL;
		shard = shard_find(tables[i]->def,
						   PointerGetDatum(gets[i].key->pk));
		relids[i] = shard->relid;
		if (i == 0)
		{
			first = *shard;
			first.host = pstrdup(shard->host);
		}
		else if (shard->group != first.group && route == DYNAMO_ROUTE_AWAY)
			return NULL;
		else if (shard->group != first.group)
			dynamo_route_to(route, request, shard->host, shard->port);
	}
	if (!OidIsValid(first.relid))
	{
		dynamo_route_to(route, request, first.host, first.port);
		return NULL;
	}
	if (!become_shards(gets, n, relids))
	{
		engine_leave_shards(gets, n, tables);
		return NULL;
	}
	see_anew();
	return tables;
}

/*
 * False: some of them may have become shards, but the local store cannot serve
 * all.
 */
static bool
become_shards(EngineGet *gets, int n, const Oid *relids)
{
	for (int i = 0; i < n; i++)
	{
		EngineTable *shard = open_shard(gets[i].table, relids[i]);

		if (shard == NULL)
			return false;
		gets[i].table = shard;
	}
	return true;
}

/*
 * The reads have been done.
 */
void
engine_leave_shards(EngineGet *gets, int n, EngineTable **tables)
{
	for (int i = 0; i < n; i++)
	{
		if (gets[i].table != tables[i])
			engine_close(gets[i].table);
		gets[i].table = tables[i];
	}
}

/*
 * A shard here, as a table of its own.  NULL: the local store cannot serve it.
 */
static EngineTable *
open_shard(const EngineTable *table, Oid relid)
{
	EngineTable *shard;
	const TableDef *def;
	Relation	rel = open_relation(table, relid, &def);

	if (rel == NULL)
		return NULL;
	shard = palloc(sizeof(EngineTable));
	*shard = *table;
	shard->rel = rel;
	shard->def = def;
	engine_use_store(shard, true);
	return shard;
}

/*
 * The relation of a shard here, and what it is.  NULL: the local store cannot
 * serve it.
 */
static Relation
open_relation(const EngineTable *table, Oid relid, const TableDef **def)
{
	Relation	rel = try_table_open(relid, engine_for_write(table) ?
									 RowExclusiveLock : AccessShareLock);
	bool		fires;
	List	   *leading;

	if (rel == NULL)
		return NULL;
	*def = shard_definition(table->def, relid);
	if (engine_local_usable(rel, *def, &fires, &leading))
		return rel;
	table_close(rel, NoLock);
	return NULL;
}

/*
 * A shard may have moved here since the request began: it is read as of now.
 * Otherwise it could be seen empty.
 */
static void
see_anew(void)
{
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
}

/*
 * A row of this key is about to be written by Citus: it must not move to
 * another node between the statements.  The commit is to be on disk, whatever
 * synchronous_commit is, before Citus tells other nodes to commit.  Otherwise
 * a crash could leave half of the transaction.
 */
void
engine_hold_shard(const EngineTable *table, const TableKey *key)
{
	if (!table->def->distributed)
		return;
	dynamo_commit_first();
	shard_hold(table->def, PointerGetDatum(key->pk));
}
