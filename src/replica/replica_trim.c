/*-------------------------------------------------------------------------
 *
 * replica_trim.c
 *	  Forgets versions of tables that are global no longer, tombstones that nothing
 *	  can come for, and conflicts that have been kept for long enough.
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "replica/replica_internal.h"
#include "stream/stream.h"

/* So many go in one transaction. */
#define BATCH	10000

/*
 * A batch; true: there may be more.  For the background, in a transaction of its
 * own.
 */
bool
replica_trim(void)
{
	int64		trimmed = region_sweep(BATCH);
	bool		more = trimmed == BATCH;
	ListCell   *lc;

	more |= region_trim_conflicts(BATCH) == BATCH;
	foreach(lc, region_global_tables())
	{
		const TableDef *def;

		/*
		 * Somebody may be about to drop it, or to set its floor.  A session
		 * that goes on for long keeps those of its own table only.
		 */
		if (!region_lock_rows_now(lfirst_oid(lc)))
			continue;
		def = schema_find_sound_relation(lfirst_oid(lc));
		if (def == NULL || def->replication == NULL)
			continue;
		if (trimmed < BATCH)
			trimmed += region_stable_trim(def, BATCH - trimmed);
		region_stable_advance(def, stream_last_number(false));
	}
	return more || trimmed == BATCH;
}
