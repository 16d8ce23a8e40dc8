/*-------------------------------------------------------------------------
 *
 * shard_copy.c
 *	  Are shards copied from this node, by logical replication?
 *
 * Citus copies a shard while it is written.  At last it locks out writers, looks
 * where the log has been written up to, and copies up to there.  A commit that
 * has let go of its lock, and is still in memory, would not be copied.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "replication/slot.h"
#include "shard/shard_internal.h"
#include "storage/lwlock.h"

/* Of Citus: how its slots begin, of moves and of splits. */
#define SLOT	"citus_shard_"

/*
 * Asked by a transaction that has all its work in the log.  If there is no slot
 * yet, who makes one waits for this transaction, or sees it in the snapshot that
 * the copy begins with.
 */
bool
shard_is_copied(void)
{
	bool		found = false;

	LWLockAcquire(ReplicationSlotControlLock, LW_SHARED);
	for (int i = 0; i < max_replication_slots && !found; i++)
	{
		const ReplicationSlot *slot = &ReplicationSlotCtl->replication_slots[i];

		found = slot->in_use && slot->data.database == MyDatabaseId &&
			strncmp(NameStr(slot->data.name), SLOT, strlen(SLOT)) == 0;
	}
	LWLockRelease(ReplicationSlotControlLock);
	return found;
}
