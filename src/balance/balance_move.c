/*-------------------------------------------------------------------------
 *
 * balance_move.c
 *	  Shards move between the nodes of a Citus cluster until these bear the same.
 *
 * Citus' rebalancer plans the moves and makes them.  It asks a function what a
 * shard costs.  Ours answers by what was measured when the call began, so that
 * the plan which is shown and the one which is carried out are the same.  The
 * strategy that names the function is there as long as the call: one that stayed
 * would be in the way when the extension is dropped.
 *
 * Shards of colocated tables with the same hashes move together, and Citus asks
 * about one of them.  So what one costs is what all of them bear.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "balance/balance_internal.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"

#define STRATEGY		"dynamo_by_load"

/* Citus has the same thresholds for its strategy by bytes. */
#define ADD_STRATEGY \
	"SELECT citus_add_rebalance_strategy('" STRATEGY "', 'dynamo_internal.shard_cost', " \
	"'citus_node_capacity_1', 'citus_shard_allowed_on_node_true', 0.1, 0.01, 0.5)"
#define DROP_STRATEGY \
	"DELETE FROM pg_dist_rebalance_strategy WHERE name = '" STRATEGY "'"

#define SHARE(what) \
	"coalesce(m." #what " / nullif(sum(m." #what ") FILTER (WHERE m.counts) OVER (), 0), 0)"

/*
 * A shard's share of all bytes and of all accesses, where these count for $3.
 * Each has as many bytes more as Citus adds, so that empty ones are spread, too.
 */
#define COSTS \
	BALANCE_LOADS \
	", m AS (SELECT l.shard, sum(l.accesses) OVER same AS accesses, " \
	"sum(l.bytes) OVER same + pg_size_bytes(current_setting('citus.rebalancer_by_disk_size_base_cost')) AS bytes, " \
	"row_number() OVER (same ORDER BY l.shard) = 1 AS counts " \
	"FROM l JOIN pg_dist_shard AS s ON s.shardid = l.shard " \
	"JOIN pg_dist_partition AS d ON d.logicalrelid = s.logicalrelid " \
	"WINDOW same AS (PARTITION BY d.colocationid, s.shardminvalue)) " \
	"SELECT m.shard, (" SHARE(bytes) " * (1 - $3) + " SHARE(accesses) " * $3)::float4 FROM m"

#define MOVES \
	BALANCE_LOADS \
	"SELECT coalesce(t.table_name, p.table_name::text), p.shardid, l.bytes, l.accesses, " \
	"p.sourcename || ':' || p.sourceport, p.targetname || ':' || p.targetport " \
	"FROM get_rebalance_table_shards_plan(rebalance_strategy => '" STRATEGY "') WITH ORDINALITY AS p " \
	"LEFT JOIN l ON l.shard = p.shardid LEFT JOIN dynamo.tables AS t ON t.relation = p.table_name " \
	"ORDER BY p.ordinality"

#define START \
	"SELECT citus_rebalance_start(rebalance_strategy => '" STRATEGY "', shard_transfer_mode => $1::citus.shard_transfer_mode)"

PG_FUNCTION_INFO_V1(dynamo_shard_cost);

typedef struct ShardCost
{
	int64		shard;
	float4		cost;
} ShardCost;

/* As long as a call of balance_move() lasts. */
static HTAB *costs;

static void plan_and_start(BalanceReadings *readings, bool start,
						   const char *mode, MetaTakeRow take, void *arg);
static HTAB *costs_of(const BalanceReadings *readings, double access_weight);
static void take_cost(HeapTuple row, TupleDesc desc, void *arg);

/*
 * Give "take" a row of each move that is to be made: table, shard, bytes,
 * accesses in so many seconds, and the nodes from and to which; and, if asked to,
 * have Citus begin.  "mode" is how shards move: auto, force_logical or
 * block_writes.  For a superuser, on the coordinator.
 */
void
balance_move(bool start, double access_weight, int seconds,
			 const char *mode, MetaTakeRow take, void *arg)
{
	BalanceReadings readings;

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("shards are moved by a superuser")));
	shard_check_coordinator("dynamo.rebalance() must be called");
	if (!(access_weight >= 0 && access_weight <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"access_weight\" must be between 0 and 1")));
	balance_measure(seconds, ERROR, &readings);
	costs = costs_of(&readings, access_weight);
	PG_TRY();
	{
		plan_and_start(&readings, start, mode, take, arg);
	}
	PG_FINALLY();
	{
		hash_destroy(costs);
		costs = NULL;
	}
	PG_END_TRY();
}

static void
plan_and_start(BalanceReadings *readings, bool start, const char *mode,
			   MetaTakeRow take, void *arg)
{
	Oid			types[] = {TEXTOID};
	Datum		values[] = {CStringGetTextDatum(mode)};

	(void) meta_query(ADD_STRATEGY, 0, NULL, NULL, NULL, NULL);
	if (meta_query(MOVES, lengthof(readings->values), readings->types,
				   readings->values, take, arg) > 0 && start)
		(void) meta_query(START, lengthof(values), types, values, NULL, NULL);
	(void) meta_query(DROP_STRATEGY, 0, NULL, NULL, NULL, NULL);
}

static HTAB *
costs_of(const BalanceReadings *readings, double access_weight)
{
	HASHCTL		ctl = {.keysize = sizeof(int64), .entrysize = sizeof(ShardCost),
	.hcxt = CurrentMemoryContext};
	HTAB	   *table = hash_create("dynamo shard costs", 256, &ctl,
									HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	Oid			types[] = {readings->types[0], readings->types[1], FLOAT8OID};
	Datum		values[] = {readings->values[0], readings->values[1],
	Float8GetDatum(access_weight)};

	(void) meta_query(COSTS, lengthof(values), types, values, take_cost, table);
	return table;
}

static void
take_cost(HeapTuple row, TupleDesc desc, void *arg)
{
	bool		isnull;
	int64		shard = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
	ShardCost  *cost = hash_search(arg, &shard, HASH_ENTER, NULL);

	cost->cost = DatumGetFloat4(SPI_getbinval(row, desc, 2, &isnull));
}

/*
 * shard_cost(shard): what Citus asks.  A shard that was not measured costs
 * nothing, and stays where it is.
 */
Datum
dynamo_shard_cost(PG_FUNCTION_ARGS)
{
	int64		shard = PG_GETARG_INT64(0);
	ShardCost  *cost;

	if (costs == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("shards have costs in dynamo.rebalance() only")));
	cost = hash_search(costs, &shard, HASH_FIND, NULL);
	PG_RETURN_FLOAT4(cost ? cost->cost : 0);
}
