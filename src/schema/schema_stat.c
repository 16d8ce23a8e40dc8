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

static HTAB *known_ids(void);
static bool is_known(const pg_uuid_t *id, void *ids);
static bool database_is_there(Oid database);

/*
 * Free what is counted for tables of this database, and for databases, that
 * are gone.
 */
void
schema_sweep_stats(void)
{
	HTAB	   *ids = known_ids();

	stats_sweep(is_known, ids);
	stats_sweep_keys(is_known, ids, database_is_there);
	stats_sweep_databases(database_is_there);
}

static HTAB *
known_ids(void)
{
	HASHCTL		ctl = {.keysize = sizeof(pg_uuid_t),
		.entrysize = sizeof(pg_uuid_t),
	.hcxt = CurrentMemoryContext};
	HTAB	   *ids = hash_create("dynamo table ids", 256, &ctl,
								  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	ListCell   *lc;

	foreach(lc, schema_list_tables("", INT_MAX))
	{
		const TableDef *def = schema_find_sound_table(lfirst(lc));

		CHECK_FOR_INTERRUPTS();
		if (def != NULL)
			(void) hash_search(ids, &def->stats->id, HASH_ENTER, NULL);
	}
	return ids;
}

static bool
is_known(const pg_uuid_t *id, void *ids)
{
	return hash_search(ids, id, HASH_FIND, NULL) != NULL;
}

static bool
database_is_there(Oid database)
{
	return SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(database));
}
