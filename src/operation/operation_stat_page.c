/*-------------------------------------------------------------------------
 *
 * operation_stat_page.c
 *	  The statistics in Prometheus' text format.
 *
 * All samples of a metric stand together, so what is to be shown is collected
 * first.  Counters of a table go when it is dropped; what they had counted
 * goes on in the samples without a table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "operation/operation_internal.h"
#include "region/region.h"
#include "stream/stream.h"

/* Of the histogram, the page has one bucket a doubling, between these. */
#define FIRST_POWER		14		/* 16 microseconds */
#define LAST_POWER		33		/* 8.6 seconds */

/* One operation on one table. */
typedef struct Sample
{
	const char *table;			/* escaped; empty: none */
	int			operation;
	StatsCellCopy copy;
} Sample;

/* One table. */
typedef struct TableSample
{
	const char *table;
	uint64		ttl_deletions;
	uint64		stream_records;
	const StreamDef *stream;
	List	   *replicas;		/* of RegionReplica * */
	List	   *indexes;		/* of IndexSample * */
} TableSample;

typedef struct IndexSample
{
	const char *table;
	const char *index;
	uint64		reads;
	uint64		counters[STATS_TIME];
} IndexSample;

typedef struct MetricsPage
{
	StringInfo	out;
	List	   *samples;
	List	   *tables;
	StatsCellCopy *none;		/* of what concerns no table */
} MetricsPage;

/* Metrics that are one of a sample's counters. */
static const struct
{
	const char *name;
	const char *index_name;
	const char *help;
	StatsCounter counter;
	double		unit;
}			counters[] = {
	{"dynamo_returned_items_total", "dynamo_index_returned_items_total",
	"Items returned", STATS_RETURNED, 1},
	{"dynamo_consumed_read_units_total", "dynamo_index_consumed_read_units_total",
	"Read capacity units consumed", STATS_READ, 0.5},
	{"dynamo_consumed_write_units_total", "dynamo_index_consumed_write_units_total",
	"Write capacity units consumed", STATS_WRITTEN, 0.5},
};

static const char *const outcomes[STATS_OUTCOMES] = {
	"Success", "UserError", "ConditionalCheckFailed", "TransactionConflict",
	"Throttled", "SystemError"
};

static void collect(const TableDef *def, StatsTable *table, void *page);
static void add_sample(MetricsPage *page, const char *table, int operation,
					   const StatsCellCopy *copy);
static void collect_table(MetricsPage *page, const TableDef *def, StatsTable *table);
static const char *escape(const char *name);
static void head(MetricsPage *page, const char *name, const char *type,
				 const char *help);
static void append_requests(MetricsPage *page);
static void append_durations(MetricsPage *page);
static void append_duration(StringInfo out, const Sample *sample);
static void append_counters(MetricsPage *page);
static void append_tables(MetricsPage *page);
static void append_indexes(MetricsPage *page);
static void append_streams(MetricsPage *page);
static void append_replicas(MetricsPage *page);

/*
 * Append the page, of what the current user may see.
 */
void
operation_stat_page(StringInfo out)
{
	MetricsPage page = {out};

	page.none = palloc0(sizeof(StatsCellCopy) * STATS_MAX_OPERATIONS);
	operation_stat_each(collect, &page);
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		if (stats_requests(&page.none[i]) > 0)
			add_sample(&page, "", i, &page.none[i]);
	}
	append_requests(&page);
	append_durations(&page);
	append_counters(&page);
	append_tables(&page);
	append_indexes(&page);
	append_streams(&page);
	append_replicas(&page);
	head(&page, "dynamo_untracked_requests_total", "counter",
		 "Requests whose table had no place in the statistics");
	appendStringInfo(out, "dynamo_untracked_requests_total " UINT64_FORMAT "\n",
					 stats_untracked());
}

static void
collect(const TableDef *def, StatsTable *table, void *arg)
{
	MetricsPage *page = arg;
	const char *name = def ? escape(def->name) : "";
	StatsCellCopy copy;

	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		if (!stats_copy(table, i, &copy))
			continue;
		if (def != NULL)
			add_sample(page, name, i, &copy);
		else
			stats_add(&page->none[i], &copy);
	}
	if (def != NULL)
		collect_table(page, def, table);
}

static void
add_sample(MetricsPage *page, const char *table, int operation,
		   const StatsCellCopy *copy)
{
	Sample	   *sample = palloc(sizeof(Sample));

	sample->table = table;
	sample->operation = operation;
	sample->copy = *copy;
	page->samples = lappend(page->samples, sample);
}

static void
collect_table(MetricsPage *page, const TableDef *def, StatsTable *table)
{
	TableSample *sample = palloc0(sizeof(TableSample));

	sample->table = escape(def->name);
	sample->ttl_deletions = pg_atomic_read_u64(&table->ttl_deletions);
	sample->stream_records = pg_atomic_read_u64(&table->stream_records);
	sample->stream = def->stream;
	if (def->replication != NULL)
		sample->replicas = region_replicas(def->relid);
	for (int i = 0; i < def->nindexes; i++)
	{
		IndexSample *index = palloc0(sizeof(IndexSample));

		index->table = sample->table;
		index->index = escape(def->indexes[i].name);
		if (OidIsValid(def->indexes[i].relid))
			(void) stats_copy_index(table, def->indexes[i].relid,
									&index->reads, index->counters);
		sample->indexes = lappend(sample->indexes, index);
	}
	page->tables = lappend(page->tables, sample);
}

/*
 * A name as the value of a label: UTF-8, with escapes.  That of a database has
 * the encoding of the one that it was made in, and one label that is no UTF-8
 * would have the whole page refused.
 */
void
operation_stat_escape(StringInfo out, const char *name)
{
	name = wire_text(pg_server_to_any(name, strlen(name), PG_UTF8));
	for (const char *p = name; *p; p++)
	{
		if (*p == '\\' || *p == '"')
			appendStringInfoChar(out, '\\');
		if (*p == '\n')
			appendStringInfoString(out, "\\n");
		else
			appendStringInfoChar(out, *p);
	}
}

static const char *
escape(const char *name)
{
	StringInfoData out;

	initStringInfo(&out);
	operation_stat_escape(&out, name);
	return out.data;
}

static void
head(MetricsPage *page, const char *name, const char *type, const char *help)
{
	appendStringInfo(page->out, "# HELP %s %s.\n# TYPE %s %s\n", name, help,
					 name, type);
}

static void
append_requests(MetricsPage *page)
{
	ListCell   *lc;

	head(page, "dynamo_requests_total", "counter",
		 "Requests by operation, table and outcome");
	foreach(lc, page->samples)
	{
		const Sample *sample = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < STATS_OUTCOMES; i++)
			appendStringInfo(page->out,
							 "dynamo_requests_total{operation=\"%s\",table=\"%s\",code=\"%s\"} " UINT64_FORMAT "\n",
							 stats_operation_name(sample->operation),
							 sample->table, outcomes[i],
							 sample->copy.outcomes[i]);
	}
}

static void
append_durations(MetricsPage *page)
{
	ListCell   *lc;

	head(page, "dynamo_request_duration_seconds", "histogram",
		 "Duration of successful requests");
	foreach(lc, page->samples)
	{
		CHECK_FOR_INTERRUPTS();
		append_duration(page->out, lfirst(lc));
	}
}

static void
append_duration(StringInfo out, const Sample *sample)
{
	const char *labels = psprintf("operation=\"%s\",table=\"%s\"",
								  stats_operation_name(sample->operation),
								  sample->table);
	uint64		n = 0;

	for (int i = 0; i < STATS_BUCKETS; i++)
	{
		int			power = STATS_FIRST + i / STATS_STEPS;

		n += sample->copy.buckets[i];
		if (i % STATS_STEPS == 0 && power >= FIRST_POWER && power <= LAST_POWER)
			appendStringInfo(out,
							 "dynamo_request_duration_seconds_bucket{%s,le=\"%.9g\"} " UINT64_FORMAT "\n",
							 labels, stats_bucket_end(i), n);
	}
	appendStringInfo(out,
					 "dynamo_request_duration_seconds_bucket{%s,le=\"+Inf\"} " UINT64_FORMAT "\n",
					 labels, n);
	appendStringInfo(out, "dynamo_request_duration_seconds_sum{%s} %.9f\n",
					 labels, sample->copy.counters[STATS_TIME] / 1e9);
	appendStringInfo(out, "dynamo_request_duration_seconds_count{%s} " UINT64_FORMAT "\n",
					 labels, n);
}

static void
append_counters(MetricsPage *page)
{
	ListCell   *lc;

	for (int i = 0; i < lengthof(counters); i++)
	{
		head(page, counters[i].name, "counter", counters[i].help);
		foreach(lc, page->samples)
		{
			const Sample *sample = lfirst(lc);

			CHECK_FOR_INTERRUPTS();
			appendStringInfo(page->out,
							 "%s{operation=\"%s\",table=\"%s\"} %.1f\n",
							 counters[i].name,
							 stats_operation_name(sample->operation),
							 sample->table,
							 sample->copy.counters[counters[i].counter] *
							 counters[i].unit);
		}
	}
}

static void
append_tables(MetricsPage *page)
{
	ListCell   *lc;

	head(page, "dynamo_ttl_deleted_items_total", "counter",
		 "Items deleted because their time to live was over");
	foreach(lc, page->tables)
	{
		const TableSample *table = lfirst(lc);

		appendStringInfo(page->out,
						 "dynamo_ttl_deleted_items_total{table=\"%s\"} " UINT64_FORMAT "\n",
						 table->table, table->ttl_deletions);
	}
	head(page, "dynamo_stream_records_total", "counter",
		 "Records appended to the stream of the table");
	foreach(lc, page->tables)
	{
		const TableSample *table = lfirst(lc);

		appendStringInfo(page->out,
						 "dynamo_stream_records_total{table=\"%s\"} " UINT64_FORMAT "\n",
						 table->table, table->stream_records);
	}
}

static void
append_indexes(MetricsPage *page)
{
	ListCell   *lc;
	ListCell   *cell;

	head(page, "dynamo_index_reads_total", "counter",
		 "Requests that read by the index");
	foreach(lc, page->tables)
	{
		foreach(cell, ((TableSample *) lfirst(lc))->indexes)
		{
			const IndexSample *index = lfirst(cell);

			appendStringInfo(page->out,
							 "dynamo_index_reads_total{table=\"%s\",index=\"%s\"} " UINT64_FORMAT "\n",
							 index->table, index->index, index->reads);
		}
	}
	for (int i = 0; i < lengthof(counters); i++)
	{
		head(page, counters[i].index_name, "counter",
			 psprintf("%s by the index", counters[i].help));
		foreach(lc, page->tables)
		{
			CHECK_FOR_INTERRUPTS();
			foreach(cell, ((TableSample *) lfirst(lc))->indexes)
			{
				const IndexSample *index = lfirst(cell);

				appendStringInfo(page->out,
								 "%s{table=\"%s\",index=\"%s\"} %.1f\n",
								 counters[i].index_name, index->table,
								 index->index,
								 index->counters[counters[i].counter] *
								 counters[i].unit);
			}
		}
	}
}

/*
 * Not known on a standby.
 */
static void
append_streams(MetricsPage *page)
{
	ListCell   *lc;

	head(page, "dynamo_stream_lag_records", "gauge",
		 "Record numbers that readers of the stream cannot read yet");
	foreach(lc, page->tables)
	{
		const TableSample *table = lfirst(lc);
		StreamLag	lag;

		CHECK_FOR_INTERRUPTS();
		if (table->stream != NULL && stream_lag(table->stream, &lag))
			appendStringInfo(page->out,
							 "dynamo_stream_lag_records{table=\"%s\"} " INT64_FORMAT "\n",
							 table->table, lag.last - lag.horizon);
	}
}

/*
 * What AWS calls ReplicationLatency.
 */
static void
append_replicas(MetricsPage *page)
{
	ListCell   *lc;
	ListCell   *cell;

	head(page, "dynamo_replica_lag_seconds", "gauge",
		 "Time that changes take to another region, or for how long they have not come there");
	foreach(lc, page->tables)
	{
		const TableSample *table = lfirst(lc);

		foreach(cell, table->replicas)
		{
			const RegionReplica *replica = lfirst(cell);

			appendStringInfo(page->out,
							 "dynamo_replica_lag_seconds{table=\"%s\",region=\"%s\"} %.3f\n",
							 table->table, replica->region,
							 replica->lag / 1000.0);
		}
	}
}
