/*-------------------------------------------------------------------------
 *
 * shard_map.c
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
#include "access/twophase.h"
#include "base/base_request.h"
#include "base/base_session.h"
#include "base/compat.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/*
 * Citus' advisory lock on what its catalogs say of the shards, of tables that
 * belong together, which have the same place in their order.  The class has
 * been this one since Citus 11; take_lock() sees whether it still is.
 */
#define LOCK_CLASS		8

#define NODES			"pg_dist_node"

#define SHARDS_QUERY \
	"SELECT s.shardid, s.shardminvalue::pg_catalog.int4, " \
	"s.shardmaxvalue::pg_catalog.int4, n.nodename, n.nodeport, " \
	"CASE WHEN p.groupid OPERATOR(pg_catalog.=) " \
	"(SELECT g.groupid FROM pg_catalog.pg_dist_local_group g) " \
	"THEN " SHARD_RELATION("s.logicalrelid", "s.shardid") "::pg_catalog.oid END, " \
	"t.colocationid, s.place::pg_catalog.int4, " \
	"t.partmethod OPERATOR(pg_catalog.=) 'h' AND t.repmodel OPERATOR(pg_catalog.=) 's' " \
	"AND pg_catalog.column_to_column_name(t.logicalrelid, t.partkey::pg_catalog.text) OPERATOR(pg_catalog.=) $2, " \
	"p.groupid " \
	"FROM (SELECT *, pg_catalog.row_number() OVER (ORDER BY shardminvalue::pg_catalog.int4) " \
	"OPERATOR(pg_catalog.-) 1 AS place FROM pg_catalog.pg_dist_shard " \
	"WHERE logicalrelid OPERATOR(pg_catalog.=) $1) s " \
	"JOIN pg_catalog.pg_dist_placement p ON p.shardid OPERATOR(pg_catalog.=) s.shardid " \
	"JOIN pg_catalog.pg_dist_partition t ON t.logicalrelid OPERATOR(pg_catalog.=) s.logicalrelid " \
	"JOIN pg_catalog.pg_dist_node n ON n.groupid OPERATOR(pg_catalog.=) p.groupid " \
	"AND n.noderole OPERATOR(pg_catalog.=) 'primary'::pg_catalog.noderole " \
	"WHERE s.shardminvalue IS NOT NULL AND p.shardstate OPERATOR(pg_catalog.=) 1 " \
	"ORDER BY 2"

/* The shards of a table, by the hashes where they begin. */
typedef struct ShardMap
{
	DynamoKnown known;
	int			n;
	int			room;			/* in shards */
	Shard	   *shards;
	int32		together;		/* the tables they belong together with */
	bool		ours;			/* by the hash of pk, or of token, and one
								 * placement for each */
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

static HTAB *definitions = NULL;
static Oid	nodes_relid = InvalidOid;
static bool lock_known = false; /* LOCK_CLASS is Citus' */

static const Shard *hold(const TableDef *def, int32 hash, bool anywhere);
static void set_lock_tag(LOCKTAG *tag, const TableDef *def, const Shard *shard);
static bool leaves(const TableDef *def, const Shard *shard);
static void take_lock(const TableDef *def, const Shard *shard);
static void take_citus_lock(int64 shard);
static const Shard *find_shard(const TableDef *def, int32 hash);
static ShardMap *loaded_map(Oid relid);
static ShardMap *map_of(Oid relid);
static void start(void);
static void release(void *entry);
static void load(ShardMap *map);
static void read_shards(ShardMap *map, MemoryContext context);
static void take_shard(HeapTuple row, TupleDesc desc, void *arg);
static int32 hash_of(const TableDef *def, Datum pk);
static void relation_changed(Oid relid);
static void tell_when_gone(const TableDef *def, Oid relid);
static TableDef *define(const TableDef *def, Oid relid);
static void table_goes(void *arg);
static void copy_indexes(TableDef *shard, const TableDef *def);
static Oid	find_btree(const TableDef *shard, List *btrees, List *keys);

static DynamoCache maps = {
	.name = "dynamo shards",.entry_size = sizeof(ShardMap),
	.watcher = relation_changed, .release = release
};

/*
 * The shard of a partition key, as the catalogs say now.  Lives until the next
 * call.  A shard on this node stays here up to the end of the transaction:
 * Citus waits for our lock before it lets anybody go where the shard has
 * moved.
 */
const Shard *
shard_find(const TableDef *def, Datum pk)
{
	return hold(def, hash_of(def, pk), false);
}

/*
 * The shard that has a token's row; held as by shard_hold() if "anywhere".
 */
const Shard *
shard_find_token(const char *token, bool anywhere)
{
	TableDef	tokens = {.relid = shard_tokens(), .name = "shared_tokens"};
	Datum		hash = DirectFunctionCall1Coll(hashtext, C_COLLATION_OID,
											   CStringGetTextDatum(token));

	return hold(&tokens, DatumGetInt32(hash), anywhere);
}

/*
 * The same of a shard anywhere.  A move locks it on all nodes before it lets
 * the new place be used.  A write that goes by Citus holds it before it looks
 * for its row.  Otherwise what it has read and locked at the old place could
 * be changed by others at the new one, and would be overwritten there.
 */
void
shard_hold(const TableDef *def, Datum pk)
{
	(void) hold(def, hash_of(def, pk), true);
}

int32
shard_group_of(const TableDef *def, Datum pk)
{
	const Shard *shard = find_shard(def, hash_of(def, pk));

	return shard == NULL ? -1 : shard->group;
}

/*
 * When we have the lock, its last holder has committed.  Another shard that
 * was split meanwhile leaves this one where it was, but under another lock.
 */
static const Shard *
hold(const TableDef *def, int32 hash, bool anywhere)
{
	const Shard *shard = find_shard(def, hash);

	while (anywhere || OidIsValid(shard->relid))
	{
		int64		id = shard->id;
		int			place = shard->place;

		take_lock(def, shard);
		shard = find_shard(def, hash);
		if (shard->id == id && shard->place == place)
		{
			if (!lock_known)
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("this version of Citus locks shards in an unknown way"),
						 errdetail("What is written while a shard moves could be lost.")));
			break;
		}
		CHECK_FOR_INTERRUPTS();
	}
	return shard;
}

/*
 * The shard, for those who read it and wait for nobody.  It may move at any time;
 * *doubtful: it may have moved already, and this node has not been told.
 *
 * Who moves it locks it on all nodes, and what all are told is prepared on all
 * before it is committed on one.  When we look where the shard is, whoever was
 * not prepared before has not moved it yet.
 */
const Shard *
shard_look(const TableDef *def, Datum pk, bool *doubtful)
{
	int32		hash = hash_of(def, pk);
	const Shard *shard = find_shard(def, hash);
	int64		id;
	int			place;

	do
	{
		id = shard->id;
		place = shard->place;
		*doubtful = OidIsValid(shard->relid) && leaves(def, shard);
		AcceptInvalidationMessages();
		shard = find_shard(def, hash);
	} while (shard->id != id || shard->place != place);
	return shard;
}

/*
 * Has somebody locked it who is prepared?
 */
static bool
leaves(const TableDef *def, const Shard *shard)
{
	LOCKTAG		tag;
	VirtualTransactionId *holders;
	int			n;
	bool		more;

	set_lock_tag(&tag, def, shard);
	holders = GetLockConflicts(&tag, ShareLock, &n);
	for (int i = 0; i < n; i++)
	{
		if (TransactionIdIsValid(TwoPhaseGetXidByVirtualXID(holders[i], &more)))
			return true;
	}
	return false;
}

static void
set_lock_tag(LOCKTAG *tag, const TableDef *def, const Shard *shard)
{
	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, (uint32) shard->place,
						 (uint32) map_of(def->relid)->together, LOCK_CLASS);
}

/*
 * In the mode in which Citus' writes lock it.  The first time in a process it
 * is Citus that takes the lock, and then we must have it.
 */
static void
take_lock(const TableDef *def, const Shard *shard)
{
	LOCKTAG		tag;

	set_lock_tag(&tag, def, shard);
	if (!lock_known)
		take_citus_lock(shard->id);
	if (LockAcquire(&tag, ShareLock, false, false) == LOCKACQUIRE_ALREADY_HELD)
		lock_known = true;
	AcceptInvalidationMessages();
	dynamo_commit_asks(shard_is_copied);
}

/*
 * For a superuser, or the table's owner.
 */
static void
take_citus_lock(int64 shard)
{
	Oid			types[] = {INT4OID, INT8OID};
	Datum		values[] = {Int32GetDatum(ShareLock), Int64GetDatum(shard)};
	DynamoUser	before;

	dynamo_become(&before, meta_relation_owner(shard_nodes()), 0);
	shard_run_on_nodes("SELECT pg_catalog.lock_shard_metadata($1, ARRAY[$2])",
					   lengthof(types), types, values);
	dynamo_resume_user(&before);
}

/*
 * Those that the catalogs say are on this node.  Nothing keeps them here.  Of
 * a table that is not distributed by us: none.
 */
List *
shard_all_here(const TableDef *def)
{
	const ShardMap *map = loaded_map(def->relid);
	List	   *relids = NIL;

	for (int i = 0; map->ours && i < map->n; i++)
	{
		if (OidIsValid(map->shards[i].relid))
			relids = lappend_oid(relids, map->shards[i].relid);
	}
	return relids;
}

/*
 * It is an error if there is none: the table is not distributed by us.
 */
static const Shard *
find_shard(const TableDef *def, int32 hash)
{
	const ShardMap *map = loaded_map(def->relid);
	int			low = 0;
	int			high = map->ours ? map->n : 0;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		const Shard *shard = &map->shards[middle];

		if (hash < shard->min)
			high = middle;
		else if (hash > shard->max)
			low = middle + 1;
		else
			return shard;
	}
	shard_refuse_foreign(def);
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

/*
 * The map, valid.
 */
static ShardMap *
loaded_map(Oid relid)
{
	ShardMap   *map = map_of(relid);

	while (!map->known.valid)
	{
		CHECK_FOR_INTERRUPTS();
		load(map);
	}
	return map;
}

static ShardMap *
map_of(Oid relid)
{
	if (definitions == NULL)
		start();
	return dynamo_cache_get(&maps, relid);
}

static void
start(void)
{
	HASHCTL		ctl = {.keysize = sizeof(Oid),
		.entrysize = sizeof(ShardDefinition),
	.hcxt = CacheMemoryContext};

	definitions = hash_create("dynamo shard definitions", 64, &ctl,
							  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
release(void *entry)
{
	ShardMap   *map = entry;

	if (map->context != NULL)
		MemoryContextDelete(map->context);
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
	map->n = map->room = 0;
	map->known.valid = true;
	PG_TRY();
	{
		read_shards(map, context);
	}
	PG_CATCH();
	{
		map->known.valid = false;
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
	Oid			relid = map->known.relid;
	Oid			types[] = {REGCLASSOID, TEXTOID};
	Datum		values[] = {ObjectIdGetDatum(relid),
	CStringGetTextDatum(relid == shard_tokens() ? "token" : "pk")};
	MemoryContext caller = MemoryContextSwitchTo(context);

	(void) meta_query(SHARDS_QUERY, lengthof(types), types, values, take_shard,
					  map);
	MemoryContextSwitchTo(caller);
}

static void
take_shard(HeapTuple row, TupleDesc desc, void *arg)
{
	ShardMap   *map = arg;
	Shard	   *shard;
	bool		isnull;

	if (map->n == map->room)
	{
		map->room = Max(2 * map->room, 32);
		map->shards = map->n == 0 ?
			palloc(map->room * sizeof(Shard)) :
			repalloc(map->shards, map->room * sizeof(Shard));
	}
	shard = &map->shards[map->n++];
	shard->id = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
	shard->min = DatumGetInt32(SPI_getbinval(row, desc, 2, &isnull));
	shard->max = DatumGetInt32(SPI_getbinval(row, desc, 3, &isnull));
	shard->host = SPI_getvalue(row, desc, 4);
	shard->port = DatumGetInt32(SPI_getbinval(row, desc, 5, &isnull));
	shard->relid = DatumGetObjectId(SPI_getbinval(row, desc, 6, &isnull));
	if (isnull)
		shard->relid = InvalidOid;
	map->together = DatumGetInt32(SPI_getbinval(row, desc, 7, &isnull));
	shard->place = DatumGetInt32(SPI_getbinval(row, desc, 8, &isnull));
	map->ours = DatumGetBool(SPI_getbinval(row, desc, 9, &isnull)) && !isnull;
	shard->group = DatumGetInt32(SPI_getbinval(row, desc, 10, &isnull));
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
		map = dynamo_cache_look(&maps, relid);
		if (map != NULL)
			map->known.valid = false;
		return;
	}
	hash_seq_init(&scan, maps.entries);
	while ((map = hash_seq_search(&scan)) != NULL)
		map->known.valid = false;
	hash_seq_init(&scan, definitions);
	while ((shard = hash_seq_search(&scan)) != NULL)
		shard->valid = false;
}

/*
 * The definition of a shard that was found by shard_find() and whose
 * relation is locked; as long as the table's own.
 */
const TableDef *
shard_definition(const TableDef *def, Oid relid)
{
	ShardDefinition *shard;
	MemoryContext context;
	MemoryContext caller;
	TableDef   *made;
	bool		again;
	bool		found;

	shard = hash_search(definitions, &relid, HASH_ENTER, &found);
	if (!found)
		shard->of = NULL;
	if (shard->of == def && shard->valid)
		return shard->def;
	again = shard->of == def;

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

	if (!again)
		tell_when_gone(def, relid);
	MemoryContextSetParent(context, CacheMemoryContext);
	shard->context = context;
	shard->def = made;
	shard->of = def;
	return made;
}

/*
 * The definition of the shard goes with that of the table.
 */
static void
tell_when_gone(const TableDef *def, Oid relid)
{
	MemoryContext context = GetMemoryChunkContext(unconstify(TableDef *, def));
	Going	   *going = MemoryContextAllocZero(context, sizeof(Going));

	going->table = def;
	going->relid = relid;
	going->callback.func = table_goes;
	going->callback.arg = going;
	MemoryContextRegisterResetCallback(context, &going->callback);
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
	MemoryContextDelete(shard->context);
	(void) hash_search(definitions, &going->relid, HASH_REMOVE, NULL);
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
	shard->vectors = palloc(Max(def->nvectors, 1) * sizeof(IndexDef));
	memcpy(shard->vectors, def->vectors, def->nvectors * sizeof(IndexDef));
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

	shard->primary_relid = compat_primary_key_index(rel);
	for (int i = 0; i < shard->nindexes + shard->nvectors; i++)
	{
		IndexDef   *index = i < shard->nindexes ? &shard->indexes[i] :
			&shard->vectors[i - shard->nindexes];

		if (!OidIsValid(index->relid))
			continue;
		index->counted = index->relid;
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
