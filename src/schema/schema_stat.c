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

/* A table or an index that is known. */
typedef struct KnownPart
{
	/* hash key */
	pg_uuid_t	id;				/* the table's */
	Oid			index;			/* InvalidOid: the table */

	bool		counts_keys;
} KnownPart;

#define PART_KEY	offsetof(KnownPart, counts_keys)

StaticAssertDecl(PART_KEY == sizeof(pg_uuid_t) + sizeof(Oid),
				 "a hash key has no gaps");

static KnownPart *find_part(const pg_uuid_t *id, Oid index, HTAB *parts,
							HASHACTION action);
static bool is_known(const pg_uuid_t *id, void *parts);
static bool has_index(const pg_uuid_t *id, Oid index, void *parts);
static bool is_wanted(const pg_uuid_t *id, Oid index, void *parts);
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
	HASHCTL		ctl = {.keysize = PART_KEY, .entrysize = sizeof(KnownPart),
	.hcxt = CurrentMemoryContext};
	HTAB	   *parts = hash_create("dynamo tables and indexes", 256, &ctl,
									HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	ListCell   *lc;

	foreach(lc, schema_list_tables("", INT_MAX))
	{
		const TableDef *def = schema_find_sound_table(lfirst(lc));

		CHECK_FOR_INTERRUPTS();
		if (def == NULL)
			continue;
		find_part(&def->stats->id, InvalidOid, parts, HASH_ENTER)->counts_keys =
			counts_keys(def, NULL);
		for (int i = 0; i < def->nindexes; i++)
		{
			const IndexDef *index = &def->indexes[i];

			if (OidIsValid(index->relid))
				find_part(&def->stats->id, index->relid, parts,
						  HASH_ENTER)->counts_keys = counts_keys(def, index);
		}
	}
	stats_sweep(is_known, has_index, parts);
	stats_sweep_keys(is_wanted, parts, database_is_there);
	stats_sweep_databases(database_is_there);
}

/*
 * NULL: it is not known.
 */
static KnownPart *
find_part(const pg_uuid_t *id, Oid index, HTAB *parts, HASHACTION action)
{
	KnownPart	key = {*id, index};

	return hash_search(parts, &key, action, NULL);
}

static bool
is_known(const pg_uuid_t *id, void *parts)
{
	return find_part(id, InvalidOid, parts, HASH_FIND) != NULL;
}

static bool
has_index(const pg_uuid_t *id, Oid index, void *parts)
{
	return find_part(id, index, parts, HASH_FIND) != NULL;
}

static bool
is_wanted(const pg_uuid_t *id, Oid index, void *parts)
{
	const KnownPart *part = find_part(id, index, parts, HASH_FIND);

	return part != NULL && part->counts_keys;
}

static bool
database_is_there(Oid database)
{
	return SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(database));
}
