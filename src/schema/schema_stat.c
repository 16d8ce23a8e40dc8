/*-------------------------------------------------------------------------
 *
 * schema_stat.c
 *	  Statistics of tables that are gone.
 *
 * A drop of a table leaves its entry in the statistics alone, since the drop
 * may be rolled back.  Nobody sees an entry without a definition; maintenance
 * frees it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* A table, or an index of it, whose keys are to be counted: a hash key. */
typedef struct CountedKeys
{
	pg_uuid_t	id;
	Oid			index;			/* InvalidOid: the table */
} CountedKeys;

StaticAssertDecl(sizeof(CountedKeys) == sizeof(pg_uuid_t) + sizeof(Oid),
				 "a hash key has no gaps");

typedef struct KnownTables
{
	HTAB	   *ids;
	HTAB	   *counted;
} KnownTables;

static HTAB *make_hash(const char *name, Size key_size);
static void note_counted(HTAB *counted, const TableDef *def,
						 const IndexDef *index);
static bool is_known(const pg_uuid_t *id, void *known);
static bool is_wanted(const pg_uuid_t *id, Oid index, void *known);
static bool database_is_there(Oid database);

/*
 * Free what is counted for tables of this database, and for databases, that
 * are gone, and keys that need not be counted.  "counts_keys" tells whether those
 * of a table, or of an index of it (NULL: of none), do.
 */
void
schema_sweep_stats(bool (*counts_keys) (const TableDef *def,
										const IndexDef *index))
{
	KnownTables known = {make_hash("dynamo table ids", sizeof(pg_uuid_t)),
	make_hash("dynamo counted keys", sizeof(CountedKeys))};
	ListCell   *lc;

	foreach(lc, schema_list_tables("", INT_MAX))
	{
		const TableDef *def = schema_find_sound_table(lfirst(lc));

		CHECK_FOR_INTERRUPTS();
		if (def == NULL)
			continue;
		(void) hash_search(known.ids, &def->stats->id, HASH_ENTER, NULL);
		if (counts_keys(def, NULL))
			note_counted(known.counted, def, NULL);
		for (int i = 0; i < def->nindexes; i++)
		{
			const IndexDef *index = &def->indexes[i];

			if (OidIsValid(index->relid) && counts_keys(def, index))
				note_counted(known.counted, def, index);
		}
	}
	stats_sweep(is_known, &known);
	stats_sweep_keys(is_wanted, &known, database_is_there);
	stats_sweep_databases(database_is_there);
}

static HTAB *
make_hash(const char *name, Size key_size)
{
	HASHCTL		ctl = {.keysize = key_size, .entrysize = key_size,
	.hcxt = CurrentMemoryContext};

	return hash_create(name, 256, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
note_counted(HTAB *counted, const TableDef *def, const IndexDef *index)
{
	CountedKeys key = {def->stats->id, index ? index->relid : InvalidOid};

	(void) hash_search(counted, &key, HASH_ENTER, NULL);
}

static bool
is_known(const pg_uuid_t *id, void *known)
{
	return hash_search(((KnownTables *) known)->ids, id, HASH_FIND, NULL) != NULL;
}

static bool
is_wanted(const pg_uuid_t *id, Oid index, void *known)
{
	CountedKeys key = {*id, index};

	return hash_search(((KnownTables *) known)->counted, &key, HASH_FIND,
					   NULL) != NULL;
}

static bool
database_is_there(Oid database)
{
	return SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(database));
}
