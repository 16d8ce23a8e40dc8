/*-------------------------------------------------------------------------
 *
 * schema_shard.c
 *	  Where Citus has the rows of a partition key, and what that relation is.
 *
 * A distributed table is cut by a hash of its partition key into shards, each
 * a relation on one node.  Citus' catalogs say which, on every node.  A process
 * keeps what it has read of a table until Citus sends a relcache message for
 * the table's relation, as it does when it moves or splits shards, or for its
 * list of nodes.
 *
 * A shard has the columns and indexes of the table under other names.  Its
 * definition is the table's, with the shard's relations in place of the
 * table's.  It is made when first needed, and kept until a message comes for
 * the shard's relation, or the table's definition goes, with which it has names
 * in common.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/*
 * Citus' advisory lock on what its catalogs say of the shards, of tables that
 * belong together, which have the same place in their order.
 */
#define LOCK_CLASS		8

#define NODES			"pg_dist_node"

#define SHARDS_QUERY \
	"SELECT s.shardid, s.shardminvalue::pg_catalog.int4, " \
	"s.shardmaxvalue::pg_catalog.int4, n.nodename, n.nodeport, " \
	"CASE WHEN p.groupid OPERATOR(pg_catalog.=) " \
	"(SELECT g.groupid FROM pg_catalog.pg_dist_local_group g) " \
	"THEN pg_catalog.to_regclass(pg_catalog.shard_name(s.logicalrelid, s.shardid))::pg_catalog.oid END, " \
	"t.colocationid " \
	"FROM pg_catalog.pg_dist_shard s " \
	"JOIN pg_catalog.pg_dist_placement p ON p.shardid OPERATOR(pg_catalog.=) s.shardid " \
	"JOIN pg_catalog.pg_dist_partition t ON t.logicalrelid OPERATOR(pg_catalog.=) s.logicalrelid " \
	"JOIN pg_catalog.pg_dist_node n ON n.groupid OPERATOR(pg_catalog.=) p.groupid " \
	"AND n.noderole OPERATOR(pg_catalog.=) 'primary'::pg_catalog.noderole " \
	"WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1 " \
	"AND s.shardminvalue IS NOT NULL AND p.shardstate OPERATOR(pg_catalog.=) 1 " \
	"ORDER BY 2"

/* The shards of a table, by the hashes where they begin. */
typedef struct ShardMap
{
	Oid			relid;			/* hash key */
	bool		valid;
	int			n;
	SchemaShard *shards;
	int32		together;		/* the tables they belong together with */
	MemoryContext context;		/* holds them */
} ShardMap;

/* The definition of a shard on this node. */
typedef struct ShardDefinition
{
	Oid			relid;			/* hash key */
	bool		valid;
	const TableDef *of;			/* the table; NULL: there is no definition */
	TableDef   *def;
	MemoryContext context;		/* holds it */
} ShardDefinition;

/* In the memory of a table's definition: it goes. */
typedef struct Going
{
	MemoryContextCallback callback;
	const TableDef *table;
	Oid			relid;			/* of the shard */
} Going;

static HTAB *maps = NULL;
static HTAB *definitions = NULL;
static Oid	nodes_relid = InvalidOid;

static void lock_shard(const TableDef *def, const SchemaShard *shard);
static const SchemaShard *find_shard(const TableDef *def, int32 hash);
static ShardMap *map_of(Oid relid);
static void load(ShardMap *map);
static void read_shards(ShardMap *map, MemoryContext context);
static int32 hash_of(const TableDef *def, Datum pk);
static void relation_changed(Oid relid);
static TableDef *define(const TableDef *def, Oid relid);
static void table_goes(void *arg);
static void copy_indexes(TableDef *shard, const TableDef *def);
static Oid	find_btree(const TableDef *shard, List *btrees, List *keys);

/*
 * The shard of a partition key, as the catalogs say now; NULL: there is none.
 * Lives until the next call.  A shard on this node stays here up to the end of
 * the transaction: Citus waits for our lock before it lets anybody go where
 * the shard has moved.
 */
const SchemaShard *
schema_find_shard(const TableDef *def, Datum pk)
{
	int32		hash = hash_of(def, pk);
	const SchemaShard *shard = find_shard(def, hash);

	while (shard != NULL && OidIsValid(shard->relid))
	{
		int64		id = shard->id;

		lock_shard(def, shard);
		shard = find_shard(def, hash);
		if (shard != NULL && shard->id == id)
			break;
		CHECK_FOR_INTERRUPTS();
	}
	return shard;
}

/*
 * The same of a shard anywhere.  A move locks it on all nodes before it lets
 * the new place be used.  A write that goes by Citus holds it before it looks
 * for its row, or else what it has read and locked at the old place could be
 * changed by others at the new one, and would be overwritten there.
 */
void
schema_hold_shard(const TableDef *def, Datum pk)
{
	int32		hash = hash_of(def, pk);
	const SchemaShard *shard = find_shard(def, hash);

	while (shard != NULL)
	{
		int64		id = shard->id;

		lock_shard(def, shard);
		shard = find_shard(def, hash);
		if (shard != NULL && shard->id == id)
			break;
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * In the mode in which Citus' writes lock it.
 */
static void
lock_shard(const TableDef *def, const SchemaShard *shard)
{
	const ShardMap *map = map_of(def->relid);
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (shard - map->shards),
						 (uint32) map->together, LOCK_CLASS);
	(void) LockAcquire(&tag, ShareLock, false, false);
	AcceptInvalidationMessages();
}

static const SchemaShard *
find_shard(const TableDef *def, int32 hash)
{
	ShardMap   *map = map_of(def->relid);
	int			low = 0;
	int			high;

	while (!map->valid)
	{
		CHECK_FOR_INTERRUPTS();
		load(map);
	}
	high = map->n;
	while (low < high)
	{
		int			middle = (low + high) / 2;
		const SchemaShard *shard = &map->shards[middle];

		if (hash < shard->min)
			high = middle;
		else if (hash > shard->max)
			low = middle + 1;
		else
			return shard;
	}
	return NULL;
}

/*
 * Citus hashes the column by its type's own function.
 */
static int32
hash_of(const TableDef *def, Datum pk)
{
	TypeCacheEntry *type = lookup_type_cache(schema_column_type(def, SCHEMA_ATTR_PK),
											 TYPECACHE_HASH_PROC_FINFO);

	return DatumGetInt32(FunctionCall1Coll(&type->hash_proc_finfo,
										   get_typcollation(type->type_id),
										   pk));
}

static ShardMap *
map_of(Oid relid)
{
	ShardMap   *map;
	bool		found;

	if (maps == NULL)
	{
		HASHCTL		ctl;

		ctl.hcxt = CacheMemoryContext;
		ctl.keysize = sizeof(Oid);
		ctl.entrysize = sizeof(ShardMap);
		maps = hash_create("dynamo shards", 32, &ctl,
						   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		ctl.entrysize = sizeof(ShardDefinition);
		definitions = hash_create("dynamo shard definitions", 64, &ctl,
								  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		dynamo_watch_relations(relation_changed);
	}
	map = hash_search(maps, &relid, HASH_ENTER, &found);
	if (!found)
	{
		memset(map, 0, sizeof(ShardMap));
		map->relid = relid;
	}
	return map;
}

/*
 * Read the shards.  What has changed meanwhile leaves the map not valid.
 */
static void
load(ShardMap *map)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo shards",
												  ALLOCSET_SMALL_SIZES);

	nodes_relid = get_relname_relid(NODES, PG_CATALOG_NAMESPACE);
	if (map->context != NULL)
		MemoryContextDelete(map->context);
	map->context = NULL;
	map->n = 0;
	map->valid = true;
	PG_TRY();
	{
		read_shards(map, context);
	}
	PG_CATCH();
	{
		map->valid = false;
		map->n = 0;
		PG_RE_THROW();
	}
	PG_END_TRY();
	MemoryContextSetParent(context, CacheMemoryContext);
	map->context = context;
}

static void
read_shards(ShardMap *map, MemoryContext context)
{
	Oid			types[1] = {REGCLASSOID};
	Datum		values[1] = {ObjectIdGetDatum(map->relid)};
	TupleDesc	desc;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args(SHARDS_QUERY, 1, types, values, NULL, false,
							  0) != SPI_OK_SELECT)
		elog(ERROR, "could not read Citus' shards");
	desc = SPI_tuptable->tupdesc;
	map->shards = MemoryContextAlloc(context, Max(SPI_processed, 1) *
									 sizeof(SchemaShard));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		SchemaShard *shard = &map->shards[i];
		bool		isnull;

		shard->id = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
		shard->min = DatumGetInt32(SPI_getbinval(tuple, desc, 2, &isnull));
		shard->max = DatumGetInt32(SPI_getbinval(tuple, desc, 3, &isnull));
		shard->host = MemoryContextStrdup(context,
										  SPI_getvalue(tuple, desc, 4));
		shard->port = DatumGetInt32(SPI_getbinval(tuple, desc, 5, &isnull));
		shard->relid = DatumGetObjectId(SPI_getbinval(tuple, desc, 6,
													  &isnull));
		if (isnull)
			shard->relid = InvalidOid;
		map->together = DatumGetInt32(SPI_getbinval(tuple, desc, 7, &isnull));
	}
	map->n = SPI_processed;
	SPI_finish();
}

/*
 * Something has changed; InvalidOid stands for every relation.
 */
static void
relation_changed(Oid relid)
{
	HASH_SEQ_STATUS scan;
	ShardMap   *map;
	ShardDefinition *shard;

	if (OidIsValid(relid) && relid != nodes_relid)
	{
		shard = hash_search(definitions, &relid, HASH_FIND, NULL);
		if (shard != NULL)
			shard->valid = false;
		map = hash_search(maps, &relid, HASH_FIND, NULL);
		if (map != NULL)
			map->valid = false;
		return;
	}
	hash_seq_init(&scan, maps);
	while ((map = hash_seq_search(&scan)) != NULL)
		map->valid = false;
	hash_seq_init(&scan, definitions);
	while ((shard = hash_seq_search(&scan)) != NULL)
		shard->valid = false;
}

/*
 * The definition of a shard that was found by schema_find_shard() and whose
 * relation is locked; as long as the table's own.
 */
const TableDef *
schema_shard_definition(const TableDef *def, Oid relid)
{
	ShardDefinition *shard;
	MemoryContext context;
	MemoryContext caller;
	TableDef   *made;
	Going	   *going;
	bool		found;

	shard = hash_search(definitions, &relid, HASH_ENTER, &found);
	if (!found)
		shard->of = NULL;
	if (shard->of == def && shard->valid)
		return shard->def;

	/* The caller may be using it. */
	if (shard->of != NULL)
		MemoryContextSetParent(shard->context, TopTransactionContext);
	shard->of = NULL;
	context = AllocSetContextCreate(CurrentMemoryContext,
									"dynamo shard definition",
									ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(context);
	shard->valid = true;
	made = define(def, relid);
	MemoryContextSwitchTo(caller);

	going = MemoryContextAllocZero(GetMemoryChunkContext(unconstify(TableDef *, def)),
								   sizeof(Going));
	going->table = def;
	going->relid = relid;
	going->callback.func = table_goes;
	going->callback.arg = going;
	MemoryContextRegisterResetCallback(GetMemoryChunkContext(unconstify(TableDef *, def)),
									   &going->callback);
	MemoryContextSetParent(context, CacheMemoryContext);
	shard->context = context;
	shard->def = made;
	shard->of = def;
	return made;
}

/*
 * A table's definition is freed.  Cannot fail.
 */
static void
table_goes(void *arg)
{
	const Going *going = arg;
	ShardDefinition *shard = hash_search(definitions, &going->relid,
										 HASH_FIND, NULL);

	if (shard == NULL || shard->of != going->table)
		return;
	shard->of = NULL;
	MemoryContextDelete(shard->context);
}

static TableDef *
define(const TableDef *def, Oid relid)
{
	TableDef   *shard = palloc(sizeof(TableDef));

	*shard = *def;
	shard->relid = relid;
	shard->distributed = false;
	shard->ttl_relid = InvalidOid;
	shard->indexes = palloc(Max(def->nindexes, 1) * sizeof(IndexDef));
	memcpy(shard->indexes, def->indexes, def->nindexes * sizeof(IndexDef));
	copy_indexes(shard, def);
	shard->generated = schema_has_generated_keys(shard);
	shard->checked = !shard->generated && schema_has_checked_keys(shard);
	return shard;
}

/*
 * An index of a shard is the one with the columns of the table's.  Where two
 * have the same, it does not matter which is which.
 */
static void
copy_indexes(TableDef *shard, const TableDef *def)
{
	Relation	rel = table_open(shard->relid, NoLock);
	List	   *btrees = RelationGetIndexList(rel);

	shard->primary_relid = RelationGetPrimaryKeyIndex(rel);
	for (int i = 0; i < shard->nindexes; i++)
	{
		IndexDef   *index = &shard->indexes[i];

		if (OidIsValid(index->relid))
			index->relid = find_btree(shard, btrees,
									  schema_index_keys(shard, index));
	}
	if (shard->ttl_attribute != NULL && OidIsValid(def->ttl_relid))
		shard->ttl_relid = find_btree(shard, btrees,
									  schema_ttl_keys(shard,
													  shard->ttl_attribute));
	shard->btrees = btrees;
	table_close(rel, NoLock);
}

/*
 * InvalidOid: there is none.
 */
static Oid
find_btree(const TableDef *shard, List *btrees, List *keys)
{
	ListCell   *lc;

	foreach(lc, btrees)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID,
											ObjectIdGetDatum(lfirst_oid(lc)));
		bool		found;

		if (!HeapTupleIsValid(tuple))
			continue;
		found = schema_is_btree(tuple, keys) &&
			((Form_pg_index) GETSTRUCT(tuple))->indisvalid;
		ReleaseSysCache(tuple);
		if (found)
			return lfirst_oid(lc);
	}
	return InvalidOid;
}
