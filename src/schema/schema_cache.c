/*-------------------------------------------------------------------------
 *
 * schema_cache.c
 *	  Definitions of tables, cached in each backend.
 *
 * The definitions stand in dynamo.tables, dynamo.indexes and dynamo.streams.
 * A backend keeps each one it used, by name and by relation, in a memory
 * context of its own under CacheMemoryContext.
 *
 * An entry lives until its relation's relcache entry is invalidated.  Core
 * sends that message when the relation or one of its indexes is created,
 * altered, rebuilt or dropped, and whoever changes a definition row sends it
 * for the row's relation; it reaches other backends at commit, this one at the
 * next command, and this one again when a (sub)transaction rolls back.  So
 * the cache needs no rule of its own for rollback, re-created names, or DDL by
 * plain SQL.  What is not there is not remembered: a name is free for someone
 * else to take, and no message would tell.
 *
 * The definition tables' OIDs are cached in the same way.  They change when
 * the extension is dropped and created again.  Any message about them flushes
 * everything, and a trigger on them sends one when someone edits rows by plain
 * SQL.
 *
 * An invalidated definition is handed to the current transaction instead of
 * being freed: a caller may be in the midst of using it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* By name; an entry is there only while its definition is right. */
typedef struct NameEntry
{
	char		name[SCHEMA_MAX_NAME + 1];	/* hash key */
	TableDef   *def;
	MemoryContext context;		/* holds def */
} NameEntry;

/* By OID: the table's relation, and all its indexes. */
typedef struct RelationEntry
{
	Oid			relid;			/* hash key */
	NameEntry  *entry;			/* NULL: nothing cached, memory ran out */
} RelationEntry;

static HTAB *names = NULL;
static HTAB *relations = NULL;

static SchemaCatalog catalog;	/* .tables invalid: to be looked up */

/* The definition being read, and whether a message came for it meanwhile. */
static Oid	loading_relid = InvalidOid;
static bool loading_outdated = false;

static void create_cache(void);
static const TableDef *cached_by_name(const char *name);
static const TableDef *find_by_name(const char *name);
static const TableDef *load(Oid relid);
static bool lacks_columns(const TableDef *def);
static const TableDef *keep(TableDef *def, MemoryContext context);
static void forget(NameEntry *entry);
static void register_relations(const TableDef *def, NameEntry *entry);
static void register_relation(Oid relid, NameEntry *entry);
static void forget_relation(Oid relid);
static void relation_changed(Datum arg, Oid relid);
static bool find_catalog(void);
static void forget_catalog(void);
static bool find_ring(StreamRing *ring, Oid schema, Oid extension);
static Oid	own_relation(const char *name, Oid schema, Oid extension);

void
schema_init(void)
{
	create_cache();
	schema_stream_init();
}

/*
 * The definition of table "name", NULL when there is none.
 */
const TableDef *
schema_find_table(const char *name)
{
	AcceptInvalidationMessages();
	return find_by_name(name);
}

/*
 * Look up table "name" and lock and open its relation.  Returns NULL when
 * there is no such table.  While the lock is held, no index leaves the
 * definition; one that was built concurrently may join it.
 */
const TableDef *
schema_table_open(const char *name, int lockmode, Relation *rel)
{
	for (;;)
	{
		const TableDef *def = find_by_name(name);

		if (def == NULL)
			return NULL;

		/*
		 * Whoever held a stronger lock has committed once we have ours, and
		 * taking it lets the messages in.  If the name now means something
		 * else, what we locked is of no use.
		 */
		LockRelationOid(def->relid, lockmode);
		if (cached_by_name(name) == def)
		{
			*rel = table_open(def->relid, NoLock);
			return def;
		}
		UnlockRelationOid(def->relid, lockmode);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * The definition of the table whose relation is "relid", NULL when it is none
 * of ours.  For who holds a lock on the relation.
 */
const TableDef *
schema_find_relation(Oid relid)
{
	RelationEntry *relation;

	create_cache();
	relation = hash_search(relations, &relid, HASH_FIND, NULL);
	if (relation != NULL && relation->entry != NULL &&
		relation->entry->def->relid == relid)
		return relation->entry->def;
	return load(relid);
}

/*
 * The index "name" of a table, NULL when there is none.
 */
const IndexDef *
schema_find_index(const TableDef *table, const char *name)
{
	int			low = 0;
	int			high = table->nindexes;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			order = strcmp(name, table->indexes[middle].name);

		if (order == 0)
			return &table->indexes[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/*
 * Lock and open a definition table, NULL when the extension is not there.
 * *c then says where its indexes are.
 */
Relation
schema_catalog_open(SchemaCatalogTable which, int lockmode,
					const SchemaCatalog **c)
{
	create_cache();
	while (OidIsValid(catalog.tables) || find_catalog())
	{
		Oid			relid = which == SCHEMA_TABLES ? catalog.tables :
			(which == SCHEMA_INDEXES ? catalog.indexes : catalog.streams);
		Relation	rel = try_table_open(relid, lockmode);

		/* Taking the lock may have told that the extension was replaced. */
		if (rel != NULL && OidIsValid(catalog.tables))
		{
			*c = &catalog;
			return rel;
		}
		if (rel != NULL)
			table_close(rel, lockmode);
		forget_catalog();
		CHECK_FOR_INTERRUPTS();
	}
	return NULL;
}

/*
 * Where the records of streams are.
 */
bool
schema_stream_ring(StreamRing *ring)
{
	create_cache();
	if (!OidIsValid(catalog.tables) && !find_catalog())
		return false;
	*ring = catalog.ring;
	return true;
}

static void
create_cache(void)
{
	HASHCTL		ctl;

	if (names != NULL)
		return;

	if (CacheMemoryContext == NULL)
		CreateCacheMemoryContext();

	ctl.hcxt = CacheMemoryContext;
	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(RelationEntry);
	relations = hash_create("dynamo tables by relation", 64, &ctl,
							HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	ctl.keysize = SCHEMA_MAX_NAME + 1;
	ctl.entrysize = sizeof(NameEntry);
	names = hash_create("dynamo tables by name", 64, &ctl,
						HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
}

static const TableDef *
cached_by_name(const char *name)
{
	NameEntry  *entry;

	create_cache();
	entry = hash_search(names, name, HASH_FIND, NULL);
	return entry ? entry->def : NULL;
}

/*
 * The cached definition as it is without looking for messages, else a fresh
 * one.
 */
static const TableDef *
find_by_name(const char *name)
{
	/* The hash would compare only that much of it. */
	if (strlen(name) > SCHEMA_MAX_NAME)
		return NULL;

	for (;;)
	{
		const TableDef *def = cached_by_name(name);
		Oid			relid;

		if (def != NULL)
			return def;
		relid = schema_row_relation(name);
		if (!OidIsValid(relid))
			return NULL;
		def = load(relid);
		if (def != NULL && strcmp(def->name, name) == 0)
			return def;

		/*
		 * The row is there but its relation is not: someone dropped it where
		 * no event trigger runs (single-user mode).  Otherwise the table was
		 * dropped or re-created between the two reads.
		 */
		if (def == NULL && schema_row_relation(name) == relid)
			return NULL;
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Read and keep the definition of the table whose relation is "relid", NULL
 * when it is none of ours.
 */
static const TableDef *
load(Oid relid)
{
	for (;;)
	{
		MemoryContext context;
		MemoryContext caller;
		TableDef   *def;
		bool		broken;

		context = AllocSetContextCreate(CurrentMemoryContext,
										"dynamo table definition",
										ALLOCSET_SMALL_SIZES);
		caller = MemoryContextSwitchTo(context);
		loading_relid = relid;
		loading_outdated = false;
		def = schema_row_read(relid);
		broken = def != NULL && lacks_columns(def);
		loading_relid = InvalidOid;
		MemoryContextSwitchTo(caller);

		/*
		 * Several scans made this definition, each with a snapshot of its
		 * own.  A change between them has sent a message.
		 */
		if (broken && !loading_outdated)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("relation of table \"%s\" does not have the columns of one",
							def->name),
					 errhint("Drop the relation with DROP TABLE.")));
		if (def != NULL && !loading_outdated)
			return keep(def, context);
		MemoryContextDelete(context);
		if (def == NULL && !loading_outdated)
			return NULL;
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Has the relation other columns than a table?  A drop is to be seen before
 * its message comes, but not before the lock is let go; then the definition is
 * outdated.
 */
static bool
lacks_columns(const TableDef *def)
{
	if (schema_has_columns(def))
		return false;
	LockRelationOid(def->relid, AccessShareLock);
	UnlockRelationOid(def->relid, AccessShareLock);
	return true;
}

/*
 * Put a definition into the cache.  Reading it may have brought in the same
 * one by way of a nested lookup; then the older one goes.
 */
static const TableDef *
keep(TableDef *def, MemoryContext context)
{
	NameEntry  *entry;
	RelationEntry *relation;

	entry = hash_search(names, def->name, HASH_FIND, NULL);
	if (entry != NULL)
		forget(entry);
	relation = hash_search(relations, &def->relid, HASH_FIND, NULL);
	if (relation != NULL && relation->entry != NULL)
		forget(relation->entry);

	/* Nothing may be cached that no message reaches: memory can run out. */
	register_relations(def, NULL);
	entry = hash_search(names, def->name, HASH_ENTER, NULL);
	entry->def = def;
	entry->context = context;
	register_relations(def, entry);
	MemoryContextSetParent(context, CacheMemoryContext);
	return def;
}

/*
 * Take an entry out of the cache.  Allocates nothing and cannot fail.
 */
static void
forget(NameEntry *entry)
{
	MemoryContext context = entry->context;
	const TableDef *def = entry->def;
	ListCell   *lc;

	forget_relation(def->relid);
	foreach(lc, def->btrees)
		forget_relation(lfirst_oid(lc));
	hash_search(names, entry->name, HASH_REMOVE, NULL);

	/* Outside a transaction nobody can hold it. */
	if (TopTransactionContext != NULL)
		MemoryContextSetParent(context, TopTransactionContext);
	else
		MemoryContextDelete(context);
}

static void
register_relations(const TableDef *def, NameEntry *entry)
{
	ListCell   *lc;

	register_relation(def->relid, entry);
	foreach(lc, def->btrees)
		register_relation(lfirst_oid(lc), entry);
}

static void
register_relation(Oid relid, NameEntry *entry)
{
	RelationEntry *relation;

	relation = hash_search(relations, &relid, HASH_ENTER, NULL);
	relation->entry = entry;
}

static void
forget_relation(Oid relid)
{
	hash_search(relations, &relid, HASH_REMOVE, NULL);
}

/*
 * Relcache invalidation callback; InvalidOid stands for every relation.  It
 * may be called wherever a lock is taken.
 */
static void
relation_changed(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS scan;
	NameEntry  *entry;

	if (OidIsValid(relid) &&
		relid != catalog.tables && relid != catalog.indexes &&
		relid != catalog.streams)
	{
		RelationEntry *relation;

		if (relid == loading_relid)
			loading_outdated = true;
		relation = hash_search(relations, &relid, HASH_FIND, NULL);
		if (relation != NULL && relation->entry != NULL)
			forget(relation->entry);
		return;
	}

	loading_outdated = true;
	forget_catalog();
	hash_seq_init(&scan, names);
	while ((entry = hash_seq_search(&scan)) != NULL)
		forget(entry);
}

/*
 * Look up the definition tables; false when the extension is not there.  A
 * table of the right name that is not the extension's is none of ours: its
 * columns could be anything.
 */
static bool
find_catalog(void)
{
	SchemaCatalog found;
	Oid			schema = get_namespace_oid("dynamo", true);
	Oid			extension = get_extension_oid("dynamo", true);

	if (!OidIsValid(schema) || !OidIsValid(extension))
		return false;

	found.tables = own_relation("tables", schema, extension);
	found.indexes = own_relation("indexes", schema, extension);
	found.streams = own_relation("streams", schema, extension);
	if (!OidIsValid(found.tables) || !OidIsValid(found.indexes) ||
		!OidIsValid(found.streams) ||
		!find_ring(&found.ring, schema, extension))
		return false;

	/* A missing index only means that scans read the whole table. */
	found.tables_by_name = get_relname_relid("tables_pkey", schema);
	found.tables_by_relation = get_relname_relid("tables_relation_key", schema);
	found.indexes_by_name = get_relname_relid("indexes_pkey", schema);
	found.streams_by_id = get_relname_relid("streams_pkey", schema);
	found.streams_by_label = get_relname_relid("streams_label_key", schema);
	found.streams_by_relation = get_relname_relid("streams_relation", schema);
	found.stream_ids = own_relation("stream_ids", schema, extension);

	catalog = found;
	return true;
}

static void
forget_catalog(void)
{
	catalog.tables = InvalidOid;
	catalog.indexes = InvalidOid;
	catalog.streams = InvalidOid;
}

/*
 * Look up what the records of streams are in.
 */
static bool
find_ring(StreamRing *ring, Oid schema, Oid extension)
{
	oidvector  *noargs = buildoidvector(NULL, 0);

	ring->sequence = own_relation("stream_sequence", schema, extension);
	ring->capture = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
									CStringGetDatum("_stream_capture"),
									PointerGetDatum(noargs),
									ObjectIdGetDatum(schema));
	for (int i = 0; i < SCHEMA_STREAM_PIECES; i++)
	{
		char		name[NAMEDATALEN];

		snprintf(name, sizeof(name), "stream_records_%d", i);
		ring->pieces[i] = own_relation(name, schema, extension);
		if (!OidIsValid(ring->pieces[i]))
			return false;
	}
	return OidIsValid(ring->sequence) && OidIsValid(ring->capture);
}

/*
 * The OID of a relation of our extension, InvalidOid when there is none or
 * another one has its name.
 */
static Oid
own_relation(const char *name, Oid schema, Oid extension)
{
	Oid			relid = get_relname_relid(name, schema);

	if (OidIsValid(relid) &&
		getExtensionOfObject(RelationRelationId, relid) == extension)
		return relid;
	return InvalidOid;
}
