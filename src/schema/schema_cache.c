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
 * altered, rebuilt or dropped, and we send it for the row's relation whenever
 * we change a definition row.  It reaches other backends at commit, this one
 * at the next command, and this one again when a (sub)transaction rolls back.
 * So the cache needs no rule of its own for rollback, re-created names, or DDL
 * by plain SQL.  Absence is not cached.  Otherwise a table that somebody else
 * creates would stay invisible: no message announces it.
 *
 * Any message about the definition tables, which change when the extension is
 * dropped and created again, flushes everything, and a trigger on them sends
 * one when someone edits rows by plain SQL.
 *
 * An invalidated definition is handed to the current transaction instead of
 * being freed.  Otherwise a caller that is using it would read freed memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lmgr.h"
#include "utils/catcache.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* By name; an entry is there only while its definition is right. */
typedef struct NameEntry
{
	char		name[DYNAMO_MAX_NAME + 1];	/* hash key */
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

/* The definition being read, and whether a message came for it meanwhile. */
static Oid	loading_relid = InvalidOid;
static bool loading_outdated = false;

static const IndexDef *find_index(const IndexDef *indexes, int nindexes,
								  const char *name);
static void create_cache(void);
static const TableDef *cached_by_name(const char *name);
static const TableDef *find_by_name(const char *name, bool sound);
static const TableDef *none(const char *name);
static const TableDef *find_by_relation(Oid relid, bool sound);
static const TableDef *load(Oid relid, bool sound);
static bool lacks_columns(const TableDef *def, bool sound);
static const TableDef *keep_definition(TableDef *def, MemoryContext context);
static void forget(NameEntry *entry);
static void forget_definitions(void);
static void register_relations(const TableDef *def, NameEntry *entry);
static void register_relation(Oid relid, NameEntry *entry);
static void forget_relation(Oid relid);
static void relation_changed(Oid relid);

void
schema_init(void)
{
	create_cache();
	meta_definitions_forgotten = forget_definitions;
}

/*
 * The definition of table "name", NULL when there is none.
 */
const TableDef *
schema_find_table(const char *name)
{
	AcceptInvalidationMessages();
	return find_by_name(name, false);
}

/*
 * The same for those who go through the tables of all users.  NULL also when the
 * relation does not have the columns of a table, which is an error otherwise: its
 * owner, who has renamed one, could keep them from all other tables.
 */
const TableDef *
schema_find_sound_table(const char *name)
{
	AcceptInvalidationMessages();
	return find_by_name(name, true);
}

/*
 * Look up table "name" and lock and open its relation.  Returns NULL when
 * there is no such table.  While the lock is held, no index leaves the
 * definition; one that was built concurrently may join it.  It is an error if
 * the relation is but a shell (shard_citus.c), and its rows are not as in a
 * table that was distributed by us.
 */
const TableDef *
schema_table_open(const char *name, int lockmode, Relation *rel)
{
	for (;;)
	{
		const TableDef *def = find_by_name(name, false);

		if (def == NULL)
			return NULL;

		/*
		 * When we have the lock, the holder of a stronger one has committed,
		 * and its messages have been processed.  Look again: otherwise we
		 * could go on with a relation that the name no longer means.
		 */
		LockRelationOid(def->relid, lockmode);
		if (cached_by_name(name) == def)
		{
			if (def->distributed && !def->checked)
				schema_cluster.refuse(def);
			*rel = table_open(def->relid, NoLock);
			return def;
		}
		UnlockRelationOid(def->relid, lockmode);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * The definition of the table whose relation is "relid", NULL when it is none
 * of ours.  The caller holds a lock on the relation.
 */
const TableDef *
schema_find_relation(Oid relid)
{
	return find_by_relation(relid, false);
}

/*
 * To schema_find_relation() what schema_find_sound_table() is to
 * schema_find_table().
 */
const TableDef *
schema_find_sound_relation(Oid relid)
{
	return find_by_relation(relid, true);
}

static const TableDef *
find_by_relation(Oid relid, bool sound)
{
	RelationEntry *relation;

	create_cache();
	relation = hash_search(relations, &relid, HASH_FIND, NULL);
	if (relation != NULL && relation->entry != NULL &&
		relation->entry->def->relid == relid)
		return relation->entry->def;
	return load(relid, sound);
}

/*
 * The index "name" of a table, NULL when there is none.
 */
const IndexDef *
schema_find_index(const TableDef *table, const char *name)
{
	return find_index(table->indexes, table->nindexes, name);
}

/*
 * The same of its vector indexes.
 */
const IndexDef *
schema_find_vector(const TableDef *table, const char *name)
{
	return find_index(table->vectors, table->nvectors, name);
}

static const IndexDef *
find_index(const IndexDef *indexes, int nindexes, const char *name)
{
	int			low = 0;
	int			high = nindexes;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			order = strcmp(name, indexes[middle].name);

		if (order == 0)
			return &indexes[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
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
	ctl.keysize = DYNAMO_MAX_NAME + 1;
	ctl.entrysize = sizeof(NameEntry);
	names = hash_create("dynamo tables by name", 64, &ctl,
						HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	dynamo_watch_relations(relation_changed);
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
find_by_name(const char *name, bool sound)
{
	/* The hash would compare only that much of it. */
	if (strlen(name) > DYNAMO_MAX_NAME)
		return NULL;

	for (;;)
	{
		const TableDef *def = cached_by_name(name);
		Oid			relid;

		if (def != NULL)
			return def;
		relid = schema_row_relation(name);
		if (!OidIsValid(relid))
			return none(name);
		def = load(relid, sound);
		if (def != NULL && strcmp(def->name, name) == 0)
			return def;

		/*
		 * The row is there but its relation is not: someone dropped it where
		 * no event trigger runs (single-user mode, Citus).  Otherwise the
		 * table was dropped or re-created between the two reads.
		 */
		if (def == NULL && schema_row_relation(name) == relid)
			return sound ? NULL : none(name);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * There is no definition; an error if the cluster has one that this node will
 * be sent.
 */
static const TableDef *
none(const char *name)
{
	schema_cluster.missing(list_make1(unconstify(char *, name)));
	return NULL;
}

/*
 * Read and keep the definition of the table whose relation is "relid", NULL
 * when it is none of ours.  "sound": NULL, and no error, also when it does not
 * have the columns of one.
 */
static const TableDef *
load(Oid relid, bool sound)
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
		MemoryContextSwitchTo(caller);
		broken = def != NULL && lacks_columns(def, sound);
		if (def != NULL && !broken)
		{
			def->generated = schema_has_generated_keys(def);
			def->checked = !def->generated && schema_has_checked_keys(def);
		}
		loading_relid = InvalidOid;

		/*
		 * Several scans made this definition, each with a snapshot of its
		 * own.  A change between them has sent a message.
		 */
		if (broken && !loading_outdated && !sound)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("relation of table \"%s\" does not have the columns of one",
							def->name),
					 errhint("Drop the relation with DROP TABLE.")));
		if (def != NULL && !broken && !loading_outdated)
			return keep_definition(def, context);
		MemoryContextDelete(context);
		if (!loading_outdated)
			return NULL;
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Does the relation lack the columns of a table?  A drop becomes visible
 * before its message comes, but not before its lock is released; then the
 * definition is outdated.  Who goes through all tables does not wait for that.
 */
static bool
lacks_columns(const TableDef *def, bool sound)
{
	if (schema_has_columns(def))
		return false;
	if (!sound)
		LockRelationOid(def->relid, AccessShareLock);
	else if (!ConditionalLockRelationOid(def->relid, AccessShareLock))
		return true;
	UnlockRelationOid(def->relid, AccessShareLock);
	return true;
}

/*
 * Put a definition into the cache.  Reading it may have brought in the same
 * one by way of a nested lookup; then the older one goes.
 */
static const TableDef *
keep_definition(TableDef *def, MemoryContext context)
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
 * A relation has changed; InvalidOid stands for every relation.
 */
static void
relation_changed(Oid relid)
{
	RelationEntry *relation;

	if (!OidIsValid(relid))
	{
		forget_definitions();
		return;
	}
	if (relid == loading_relid)
		loading_outdated = true;
	relation = hash_search(relations, &relid, HASH_FIND, NULL);
	if (relation != NULL && relation->entry != NULL)
		forget(relation->entry);
}

/*
 * The definition tables have changed, or are others by now.
 */
static void
forget_definitions(void)
{
	HASH_SEQ_STATUS scan;
	NameEntry  *entry;

	loading_outdated = true;
	if (names == NULL)
		return;
	hash_seq_init(&scan, names);
	while ((entry = hash_seq_search(&scan)) != NULL)
		forget(entry);
}
