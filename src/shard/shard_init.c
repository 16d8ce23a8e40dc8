/*-------------------------------------------------------------------------
 *
 * shard_init.c
 *	  What the rooms below need to know of a cluster is given to them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "journal/journal.h"
#include "shard/shard_internal.h"

/*
 * Those below are told what they need to know of a cluster.
 */
void
shard_init(void)
{
	shard_distribute_init();
	shard_capture_init();
	schema_cluster.holds = shard_is_distributed;
	schema_cluster.is_coordinator = shard_is_coordinator;
	schema_cluster.refuse = shard_refuse_foreign;
	schema_cluster.check_new = shard_check_new;
	schema_cluster.created = shard_distribute_new;
	schema_cluster.changed = shard_publish;
	schema_cluster.removed = shard_publish_removal;
	schema_cluster.missing = shard_check_missing;
	schema_cluster.sizes = shard_sizes;
	journal_cluster.lock = shard_lock_everywhere;
	stream_cluster.is_coordinator = shard_is_coordinator;
	stream_cluster.node_group = shard_node_group;
	stream_cluster.find_node = shard_group_node;
	stream_cluster.shards = shard_stream_shards;
	stream_cluster.is_open = shard_stream_is_open;
	stream_cluster.lock = shard_lock_everywhere;
	stream_cluster.open = shard_open_streams;
	stream_cluster.forget = shard_forget_places;
}
