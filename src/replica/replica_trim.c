/*-------------------------------------------------------------------------
 *
 * replica_trim.c
 *	  Forgets versions of tables that are global no longer, and conflicts that
 *	  have been kept for long enough.
 *
 * Tombstones of tables that are global stay: that all replicas have one does not
 * say that no older write is on its way from one of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "replica/replica_internal.h"

/* So many go in one transaction. */
#define BATCH	10000

/*
 * A batch; true: there may be more.  For the background, in a transaction of its
 * own.
 */
bool
replica_trim(void)
{
	bool		more = region_sweep(BATCH) == BATCH;

	return region_trim_conflicts(BATCH) == BATCH || more;
}
