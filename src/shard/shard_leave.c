/*-------------------------------------------------------------------------
 *
 * shard_leave.c
 *	  A node leaves its Citus cluster.
 *
 * Its shards move to others, each in a transaction of its own.  Then it is
 * looked at whether that was all, and waited until Citus has dropped what it
 * leaves behind of each move; it is told to forget the cluster, and removed.  A
 * step that fails ends it: what has moved stays where it is now, and the node
 * stays in the cluster and serves.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_session.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "shard/shard_internal.h"
#include "utils/builtins.h"

/* Milliseconds for Citus to drop what has moved, and between two looks. */
#define PATIENCE		60000
#define LOOK_INTERVAL	500

/* The node is $1:$2. */
#define THE_NODE \
	"n.nodename = $1 AND n.nodeport = $2"

/*
 * Records that a consumer may not have read: of shards of streams that were on
 * the node and that others have not followed for a day.
 */
#define UNREAD_SHARDS \
	"SELECT count(*) FROM dynamo_internal.stream_shards AS r " \
	"JOIN pg_dist_node AS n ON n.groupid = r.group_id " \
	"JOIN dynamo.streams AS t ON t.stream_id = r.stream " \
	"WHERE " THE_NODE " AND (t.disabled_at IS NULL OR t.disabled_at > now() - '24 hours'::interval) " \
	"AND NOT EXISTS (SELECT FROM dynamo_internal.stream_shards AS o " \
	"WHERE o.stream = r.stream AND o.place > r.place AND o.low <= r.high AND r.low <= o.high " \
	"AND o.opened_at < now() - '24 hours'::interval)"

#define OTHERS_SHARDS \
	"SELECT count(*) FROM pg_dist_placement AS p JOIN pg_dist_node AS n ON n.groupid = p.groupid " \
	"JOIN pg_dist_shard AS s ON s.shardid = p.shardid " \
	"JOIN pg_dist_partition AS d ON d.logicalrelid = s.logicalrelid " \
	"WHERE " THE_NODE " AND d.partmethod <> 'n'"

/*
 * What has moved and is still to be dropped at the node.  Once it is removed
 * nobody can, and Citus moves such a shard no more.
 */
#define REMAINS \
	"SELECT count(*) FROM pg_dist_cleanup AS c JOIN pg_dist_node AS n ON n.groupid = c.node_group_id " \
	"WHERE " THE_NODE

/* Citus drops all that is to be dropped, in a transaction of its own. */
#define CLEAN_UP \
	"SELECT FROM pg_dist_node AS n, LATERAL master_run_on_worker(ARRAY[n.nodename], ARRAY[n.nodeport], " \
	"ARRAY['CALL pg_catalog.citus_cleanup_orphaned_resources()'], false) WHERE n.groupid = 0"

static int64 await_cleanup(Datum *values);
static int64 count_rows(const char *query, Datum *values);

/*
 * Take a node out of the cluster.  "mode" is how shards move: auto,
 * force_logical or block_writes.  For a superuser, on the coordinator.
 */
void
shard_remove_node(const char *host, int port, const char *mode,
				  bool lose_records)
{
	Oid			types[] = {TEXTOID, INT4OID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(host), Int32GetDatum(port),
	CStringGetTextDatum(mode)};
	int64		left;

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("nodes are removed by a superuser")));
	shard_check_coordinator("dynamo.remove_node() must be called");
	if (count_rows("SELECT count(*) FROM pg_dist_node AS n WHERE " THE_NODE
				   " AND n.groupid <> 0", values) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("the cluster has no worker %s:%d", host, port)));
	(void) meta_query("SELECT citus_drain_node($1, $2, $3::citus.shard_transfer_mode)",
					  lengthof(values), types, values, NULL, NULL);
	left = count_rows(OTHERS_SHARDS, values);
	if (left > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("%s:%d still has " INT64_FORMAT " shards", host, port, left),
				 errhint("See citus_shards, and whether another node can take them.")));
	left = await_cleanup(values);
	if (left > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("%s:%d still has " INT64_FORMAT " relations of shards that have moved", host, port, left),
				 errhint("Call this once more when they are dropped: see pg_dist_cleanup, and which transactions use them.")));
	left = lose_records ? 0 : count_rows(UNREAD_SHARDS, values);
	if (left > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("%s:%d has records of " INT64_FORMAT " shards of streams, less than a day old",
						host, port, left),
				 errhint("It has no shards of tables any more. Call this once more in a day, or with lose_records => true when consumers have read them.")));
	(void) meta_query("SELECT stop_metadata_sync_to_node($1, $2, clear_metadata => true)",
					  2, types, values, NULL, NULL);
	(void) meta_query("SELECT citus_remove_node($1, $2)", 2, types, values,
					  NULL, NULL);
}

/*
 * How much is there that Citus has not dropped, at last?
 */
static int64
await_cleanup(Datum *values)
{
	int64		began = dynamo_clock();
	int64		left;

	while ((left = count_rows(REMAINS, values)) > 0 &&
		   dynamo_clock() - began < PATIENCE)
	{
		(void) meta_query(CLEAN_UP, 0, NULL, NULL, NULL, NULL);
		dynamo_nap(LOOK_INTERVAL);
	}
	return left;
}

/*
 * What a query about the node counts.
 */
static int64
count_rows(const char *query, Datum *values)
{
	Oid			types[] = {TEXTOID, INT4OID};
	char	   *count = meta_query_text(query, lengthof(types), types, values);

	return strtoll(count, NULL, 10);
}
