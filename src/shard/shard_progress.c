/*-------------------------------------------------------------------------
 *
 * shard_progress.c
 *	  The nodes of a Citus cluster: what they know and have, and what is on its
 *	  way.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "shard/shard_internal.h"

/* Moves of node n as their source or target, which have not ended. */
#define MOVES(end) \
	"(SELECT count(*) FROM get_rebalance_progress() AS r WHERE r.progress < 2 " \
	"AND r." end "name = n.nodename AND r." end "port = n.nodeport)"

/*
 * Give "take" a row of each node: host:port, whether it knows all definitions,
 * why it could not be told, its shards, and those that arrive and leave.  For a
 * superuser, on the coordinator.
 */
void
shard_each_node(MetaTakeRow take, void *arg)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the nodes of a cluster are listed for a superuser")));
	shard_check_coordinator("dynamo.cluster_nodes() must be called");
	(void) meta_query("SELECT n.nodename || ':' || n.nodeport, "
					  "n.groupid = 0 OR coalesce(k.told AND k.version = n.xmin, false), "
					  "split_part(k.failure, E'\\n', 1), "
					  "(SELECT count(*) FROM pg_dist_placement AS p JOIN pg_dist_shard AS s ON s.shardid = p.shardid "
					  "JOIN pg_dist_partition AS d ON d.logicalrelid = s.logicalrelid "
					  "WHERE p.groupid = n.groupid AND d.partmethod <> 'n'), "
					  MOVES("target") ", " MOVES("source") " "
					  "FROM pg_dist_node AS n LEFT JOIN dynamo_internal.known_nodes AS k ON k.node = n.nodeid "
					  "WHERE n.noderole = 'primary'::noderole ORDER BY n.groupid",
					  0, NULL, NULL, take, arg);
}
