/*-------------------------------------------------------------------------
 *
 * monitor_statistics.c
 *	  DescribeStatistics: the counters of a table, as they stand.
 *
 * They only grow, so whoever asks twice knows what came between.  Latencies are
 * given as the histogram, which can be subtracted; quantiles cannot.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_tables.h"
#include "monitor/monitor.h"
#include "shard/shard.h"

typedef struct StatisticsRequest
{
	const char *table;
	WireBoolean all_nodes;
} StatisticsRequest;

WIRE_REQUEST_SHAPE(monitor_statistics_shape, StatisticsRequest, "DescribeStatisticsInput",
				   WIRE_REQUIRED("TableName", wire_table_name_shape, StatisticsRequest, table),
				   WIRE_FIELD("AllNodes", wire_boolean_shape, StatisticsRequest, all_nodes));

static void append_operations(StringInfo out, StatsTable *table, bool known);
static void append_operation(StringInfo out, int operation,
							 const StatsCellCopy *copy, bool known);
static void append_latencies(StringInfo out, const StatsCellCopy *copy);
static void append_indexes(StringInfo out, const TableDef *def,
						   StatsTable *table, bool known);
static void units_member(StringInfo out, const char *name, uint64 halves);

/*
 * Of a table that the user may describe.  Without SELECT on it, what depends on
 * items is left out.  Where nothing is counted there is no member "Since".  Of a
 * distributed table there is what other nodes have counted, too, if that is asked for.
 */
void
monitor_describe_statistics(DynamoRequest *request, StringInfo out)
{
	const StatisticsRequest *r = request->input;
	const TableDef *def = control_find_table(r->table, "DescribeTable");
	StatsTable *table = stats_table(def->stats);
	bool		known = monitor_may_know_items(def);

	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName", def->name);
	if (table != NULL)
	{
		wire_member(out, "Since");
		appendStringInfoString(out, wire_epoch(table->since));
		if (known)
		{
			wire_integer_member(out, "TimeToLiveDeletions",
								pg_atomic_read_u64(&table->ttl_deletions));
			wire_integer_member(out, "StreamRecords",
								pg_atomic_read_u64(&table->stream_records));
		}
	}
	append_operations(out, table, known);
	append_indexes(out, def, table, known);
	if (r->all_nodes == WIRE_TRUE && def->distributed)
		shard_append_answers(request, out, "DescribeStatistics");
	appendStringInfoChar(out, '}');
}

static void
append_operations(StringInfo out, StatsTable *table, bool known)
{
	StatsCellCopy copy;

	wire_member(out, "Operations");
	appendStringInfoChar(out, '[');
	for (int i = 0; table != NULL && i < STATS_MAX_OPERATIONS; i++)
	{
		if (stats_copy(table, i, &copy))
			append_operation(out, i, &copy, known);
	}
	appendStringInfoChar(out, ']');
}

static void
append_operation(StringInfo out, int operation, const StatsCellCopy *copy,
				 bool known)
{
	static const char *const outcomes[] = {
		[STATS_SUCCESS] = "Successes",
		[STATS_USER_ERROR] = "UserErrors",
		[STATS_CONDITION_FAILED] = "ConditionFailures",
		[STATS_CONFLICT] = "Conflicts",
		[STATS_THROTTLED] = "Throttles",
		[STATS_SYSTEM_ERROR] = "SystemErrors"
	};

	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Operation", stats_operation_name(operation));
	wire_integer_member(out, "Requests", stats_requests(copy));
	for (int i = 0; i < STATS_OUTCOMES; i++)
		wire_integer_member(out, outcomes[i], copy->outcomes[i]);
	wire_integer_member(out, "ItemsReturned", copy->counters[STATS_RETURNED]);
	units_member(out, "ReadUnits", copy->counters[STATS_READ]);
	if (known)
		units_member(out, "WriteUnits", copy->counters[STATS_WRITTEN]);
	append_latencies(out, copy);
	appendStringInfoChar(out, '}');
}

/*
 * Of successful requests: how many took less than so many milliseconds, and not
 * less than those before.  The last has no end, and is given without one.
 */
static void
append_latencies(StringInfo out, const StatsCellCopy *copy)
{
	wire_member(out, "Latencies");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < STATS_BUCKETS; i++)
	{
		if (copy->buckets[i] == 0)
			continue;
		wire_element(out);
		appendStringInfoChar(out, '{');
		if (i < STATS_BUCKETS - 1)
		{
			wire_member(out, "Milliseconds");
			appendStringInfo(out, "%.6f", stats_bucket_end(i) * 1000);
		}
		wire_integer_member(out, "Requests", copy->buckets[i]);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

static void
append_indexes(StringInfo out, const TableDef *def, StatsTable *table,
			   bool known)
{
	wire_member(out, "Indexes");
	appendStringInfoChar(out, '[');
	for (int i = 0; table != NULL && i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];
		uint64		counters[STATS_TIME] = {0};
		uint64		reads = 0;

		if (OidIsValid(index->relid))
			(void) stats_copy_index(table, index->relid, &reads, counters);
		wire_element(out);
		appendStringInfoChar(out, '{');
		wire_string_member(out, "IndexName", index->name);
		wire_integer_member(out, "Reads", reads);
		wire_integer_member(out, "ItemsReturned", counters[STATS_RETURNED]);
		units_member(out, "ReadUnits", counters[STATS_READ]);
		if (known)
			units_member(out, "WriteUnits", counters[STATS_WRITTEN]);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

static void
units_member(StringInfo out, const char *name, uint64 halves)
{
	wire_member(out, name);
	appendStringInfo(out, "%.1f", halves / 2.0);
}
