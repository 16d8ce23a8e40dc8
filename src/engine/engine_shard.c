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
static EngineTable **tables_of(const EngineGet *gets, int n);
static bool become_shards(EngineGet *gets, int n, const Oid *relids);
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
 * The same for several items, which are all that the request is about.  Where
 * they are on one node, that is where it is executed.  Here their tables are
 * shards from then on, until engine_leave_shards() with *tables.  With "groups"
 * they need not be together: then each gets Citus' number of its node, which
 * executes its part.  NULL: a request in one part.
 */
EngineAt
engine_use_shards(EngineGet *gets, int n, int32 *groups,
				  EngineTable ***tables)
{
	DynamoRequest *request = gets[0].table->request;
	DynamoRoute route = dynamo_route_take(request);
	Oid		   *relids = palloc(sizeof(Oid) * n);
	Shard		first = {0};
	bool		together = true;

	if (route == DYNAMO_ROUTE_NONE || engine_explain(gets[0].table) != NULL)
		return ENGINE_AS_OPENED;
	for (int i = 0; i < n; i++)
	{
		const Shard *shard;

		if (!gets[i].table->def->distributed)
			return ENGINE_AS_OPENED;
		shard = shard_find(gets[i].table->def,
						   PointerGetDatum(gets[i].key->pk));
		relids[i] = shard->relid;
		if (groups != NULL)
			groups[i] = shard->group;
		if (i == 0)
		{
			first = *shard;
			first.host = pstrdup(shard->host);
		}
		else if (shard->group != first.group)
			together = false;
	}
	if (route == DYNAMO_ROUTE_PARTS)
		return ENGINE_SCATTERED;
	if (!together && route == DYNAMO_ROUTE_AWAY)
		return groups == NULL ? ENGINE_AS_OPENED : ENGINE_SCATTERED;
	if (!together || !OidIsValid(first.relid))
	{
		dynamo_route_to(route, request, first.host, first.port);
		return ENGINE_ELSEWHERE;
	}
	*tables = tables_of(gets, n);
	if (!become_shards(gets, n, relids))
	{
		engine_leave_shards(gets, n, *tables);
		return ENGINE_AS_OPENED;
	}
	see_anew();
	return ENGINE_AT_SHARDS;
}

/*
 * The node that executes what is about this item.
 */
void
engine_node_of(const EngineGet *item, DynamoNode *node)
{
	const Shard *shard = shard_find(item->table->def,
									PointerGetDatum(item->key->pk));

	dynamo_node_init(node, shard->host, shard->port);
}

static EngineTable **
tables_of(const EngineGet *gets, int n)
{
	EngineTable **tables = palloc(sizeof(EngineTable *) * n);

	for (int i = 0; i < n; i++)
		tables[i] = gets[i].table;
	return tables;
}

/*
 * A shard is opened once for each table that was opened.  False: some of them
 * may have become shards, but the local store cannot serve all.
 */
static bool
become_shards(EngineGet *gets, int n, const Oid *relids)
{
	EngineTable **tables = tables_of(gets, n);

	for (int i = 0; i < n; i++)
	{
		EngineTable *shard = NULL;

		for (int k = 0; k < i && shard == NULL; k++)
		{
			if (relids[k] == relids[i] && tables[k] == tables[i])
				shard = gets[k].table;
		}
		if (shard == NULL)
			shard = engine_open_shard(gets[i].table, relids[i]);
		if (shard == NULL)
			return false;
		gets[i].table = shard;
	}
	return true;
}

/*
 * The request is done.
 */
void
engine_leave_shards(EngineGet *gets, int n, EngineTable **tables)
{
	for (int i = 0; i < n; i++)
	{
		EngineTable *shard = gets[i].table;

		if (shard == tables[i])
			continue;
		for (int k = i; k < n; k++)
		{
			if (gets[k].table == shard)
				gets[k].table = tables[k];
		}
		engine_close(shard);
	}
}

/*
 * A shard here, as a table of its own.  NULL: the local store cannot serve it.
 */
EngineTable *
engine_open_shard(const EngineTable *table, Oid relid)
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
