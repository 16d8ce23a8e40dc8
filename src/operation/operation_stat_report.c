/*-------------------------------------------------------------------------
 *
 * operation_stat_report.c
 *	  The statistics, with the names of tables.
 *
 * Shared memory knows tables by their ids.  A name comes from the definition
 * that is there now, so a renamed table keeps its counters, and a dropped one
 * is not shown.  Each role sees the tables whose definition it may see; roles
 * that have the privileges of pg_read_all_stats see all, and beside the tables
 * what concerns none of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "monitor/monitor.h"
#include "operation/operation_internal.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* An entry of shared memory. */
typedef struct Entry
{
	pg_uuid_t	id;				/* hash key */
	StatsTable *table;
	bool		named;
} Entry;

static HTAB *find_entries(void);
static void add_entry(StatsTable *table, void *entries);

/*
 * Call "each" for all tables that the current user may see, in the order of
 * their names, and then, for a user who sees all, without a definition for all
 * else that was counted in this database.
 */
void
operation_stat_each(OperationStatEach each, void *arg)
{
	bool		all = monitor_sees_all();
	HTAB	   *entries = find_entries();
	HASH_SEQ_STATUS scan;
	Entry	   *entry;
	ListCell   *lc;

	foreach(lc, schema_list_tables("", INT_MAX))
	{
		const TableDef *def = schema_find_sound_table(lfirst(lc));

		CHECK_FOR_INTERRUPTS();
		if (def == NULL)
			continue;
		entry = hash_search(entries, &def->stats->id, HASH_FIND, NULL);
		if (entry == NULL)
			continue;
		entry->named = true;
		if (all || schema_may_use(def->relid))
			each(def, entry->table, arg);
	}
	if (!all)
		return;
	hash_seq_init(&scan, entries);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		if (!entry->named)
			each(NULL, entry->table, arg);
	}
}

static HTAB *
find_entries(void)
{
	HASHCTL		ctl = {.keysize = sizeof(pg_uuid_t),
		.entrysize = sizeof(Entry),
	.hcxt = CurrentMemoryContext};
	HTAB	   *entries = hash_create("dynamo statistics", 256, &ctl,
									  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);

	stats_each(add_entry, entries);
	return entries;
}

static void
add_entry(StatsTable *table, void *entries)
{
	Entry	   *entry = hash_search(entries, &table->id, HASH_ENTER, NULL);

	entry->table = table;
	entry->named = false;
}
