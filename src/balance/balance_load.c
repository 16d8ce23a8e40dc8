/*-------------------------------------------------------------------------
 *
 * balance_load.c
 *	  What the shards of distributed tables bear: bytes, and how often they are
 *	  accessed.
 *
 * Each node tells that of the shards that it has.  dynamo counts requests by
 * table, not by shard.  What is known of a shard is what PostgreSQL counts of
 * its relation and its indexes: their scans.  Whatever is done to an item begins
 * with one, by whichever way it comes.  A relation that has just come to its node
 * has counted little, so two readings are taken, and the difference counts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "balance/balance_internal.h"
#include "base/base_session.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process_watch.h"
#include "shard/shard.h"
#include "utils/builtins.h"

/* Seconds between two readings. */
#define LONGEST			3600

/*
 * What a node is asked: the shards that it has, each as "id bytes scans".  Those
 * of reference tables and of tables of one node do not move.
 */
#define SHARDS_HERE \
	"SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', s.shardid, " \
	"coalesce(pg_catalog.pg_total_relation_size(r.relid), 0), " \
	"pg_catalog.pg_stat_get_numscans(r.relid) OPERATOR(pg_catalog.+) " \
	"(SELECT coalesce(pg_catalog.sum(pg_catalog.pg_stat_get_numscans(i.indexrelid)), 0) " \
	"FROM pg_catalog.pg_index AS i WHERE i.indrelid OPERATOR(pg_catalog.=) r.relid)), ',') " \
	"FROM pg_catalog.pg_dist_placement AS p " \
	"JOIN pg_catalog.pg_dist_local_group AS g ON g.groupid OPERATOR(pg_catalog.=) p.groupid " \
	"JOIN pg_catalog.pg_dist_shard AS s ON s.shardid OPERATOR(pg_catalog.=) p.shardid " \
	"JOIN pg_catalog.pg_dist_partition AS d ON d.logicalrelid OPERATOR(pg_catalog.=) s.logicalrelid " \
	"CROSS JOIN LATERAL " SHARD_RELATION("s.logicalrelid", "s.shardid") " AS r(relid) " \
	"WHERE r.relid IS NOT NULL AND (d.partmethod OPERATOR(pg_catalog.=) 'h' OR " \
	"(d.repmodel OPERATOR(pg_catalog.=) 's' AND d.colocationid OPERATOR(pg_catalog.<>) 0))"

/* The rows of a table whose first columns are these, the hottest first. */
#define HOTTEST \
	BALANCE_LOADS \
	"SELECT t.table_name, l.shard, n.nodename || ':' || n.nodeport, l.bytes, l.accesses, " \
	"(l.accesses / nullif(sum(l.accesses) OVER (), 0))::float8 " \
	"FROM l JOIN pg_dist_shard AS s ON s.shardid = l.shard " \
	"JOIN dynamo.tables AS t ON t.relation = s.logicalrelid " \
	"JOIN pg_dist_placement AS p ON p.shardid = l.shard " \
	"JOIN pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary'::noderole " \
	"ORDER BY l.accesses DESC, l.bytes DESC, t.table_name, l.shard"

/* A reading under way. */
typedef struct Reading
{
	int			elevel;			/* where a node does not answer */
	StringInfo	text;
} Reading;

static char *read_all(int elevel);
static void take_node(HeapTuple row, TupleDesc desc, void *reading);

/*
 * Give "take" a row of each shard of each table, the most accessed first: table,
 * shard, node, bytes, accesses in so many seconds, their share of all.  Who may
 * call this sees all tables.
 */
void
balance_each_load(int seconds, MetaTakeRow take, void *arg)
{
	BalanceReadings readings;

	shard_check_citus();
	balance_measure(seconds, WARNING, &readings);
	(void) shard_run_as_owner(HOTTEST, lengthof(readings.values), readings.types,
							  readings.values, take, arg);
}

/*
 * Two readings of all nodes, so many seconds apart.  0: one, of what was counted
 * since each shard came to its node.
 */
void
balance_measure(int seconds, int elevel, BalanceReadings *readings)
{
	char	   *first = "";
	int64		end;

	if (seconds < 0 || seconds > LONGEST)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"measure_seconds\" must be between 0 and %d",
						LONGEST)));
	end = dynamo_clock() + seconds * INT64CONST(1000);
	if (seconds > 0)
		first = read_all(elevel);
	while (seconds > 0 && dynamo_clock() < end)
		dynamo_nap(Max(end - dynamo_clock(), 1));
	readings->types[0] = readings->types[1] = TEXTOID;
	readings->values[0] = CStringGetTextDatum(first);
	readings->values[1] = CStringGetTextDatum(read_all(elevel));
}

/*
 * This node's numbers would else be the same to the end of the transaction.
 */
static char *
read_all(int elevel)
{
	Reading		reading = {elevel, makeStringInfo()};

	pgstat_clear_snapshot();
	shard_ask_all(SHARDS_HERE, take_node, &reading);
	return reading.text->data;
}

/*
 * A node without shards says null here, and an empty text by way of Citus.
 */
static void
take_node(HeapTuple row, TupleDesc desc, void *arg)
{
	Reading    *reading = arg;
	char	   *node = SPI_getvalue(row, desc, 1);
	char	   *answer = SPI_getvalue(row, desc, 2);

	if (node != NULL && answer == NULL)
		ereport(reading->elevel,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("node %s does not tell what its shards bear", node)));
	if (answer != NULL)
		appendStringInfo(reading->text, "%s,", answer);
}
