/*-------------------------------------------------------------------------
 *
 * sql_stat.c
 *	  The SQL functions behind the views of statistics.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "monitor/monitor.h"
#include "nodes/execnodes.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "shard/shard.h"
#include "sql/sql.h"
#include "stream/stream.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define REQUESTS_COLUMNS	21
#define INDEXES_COLUMNS		7
#define STREAMS_COLUMNS		8
#define WORKERS_COLUMNS		11
#define KEYS_COLUMNS		6
#define CLUSTER_COLUMNS		2

/*
 * What each node of a cluster is asked.  Its path is whatever its owner likes,
 * so nothing is looked up by that.
 */
#define CLUSTER_TABLES \
	"SELECT pg_catalog.json_agg(s) FROM dynamo.stat_tables AS s " \
	"WHERE s.relation::pg_catalog.oid OPERATOR(pg_catalog.=) ANY (ARRAY(" \
	"SELECT p.logicalrelid::pg_catalog.oid FROM pg_catalog.pg_dist_partition AS p))"
#define CLUSTER_KEYS \
	"SELECT pg_catalog.json_agg(s) FROM dynamo.stat_keys(%s) AS s"

/* In the order of one node. */
#define SUMS_OF_KEYS \
	"SELECT k.index_name, k.event, k.partition_key, k.sort_key, sum(k.requests)::bigint, sum(k.error)::bigint " \
	"FROM dynamo_internal.stat_nodes($1) AS n, json_to_recordset(n.answer::json) AS k(" \
	"index_name text, event text, partition_key text, sort_key text, requests bigint, error bigint) " \
	"GROUP BY 1, 2, 3, 4 ORDER BY 1 NULLS FIRST, 2, k.sort_key IS NOT NULL, 5 DESC, 3, 4"

/* Rows of stat_requests() on their way. */
typedef struct Requests
{
	ReturnSetInfo *result;
	StatsCellCopy none[STATS_MAX_OPERATIONS];	/* of no table in particular */
} Requests;

PG_FUNCTION_INFO_V1(dynamo_stat_requests);
PG_FUNCTION_INFO_V1(dynamo_stat_indexes);
PG_FUNCTION_INFO_V1(dynamo_stat_streams);
PG_FUNCTION_INFO_V1(dynamo_stat_workers);
PG_FUNCTION_INFO_V1(dynamo_stat_untracked);
PG_FUNCTION_INFO_V1(dynamo_stat_reset);
PG_FUNCTION_INFO_V1(dynamo_stat_keys);
PG_FUNCTION_INFO_V1(dynamo_stat_nodes);

static void tell_if_unavailable(void);
static void add_to_operations(const TableDef *def, StatsTable *table,
							  void *requests);
static void return_operations(const TableDef *def, StatsTable *table,
							  void *requests);
static void return_table(const TableDef *def, StatsTable *table,
						 void *requests);
static void return_sums(Requests *requests);
static void return_row(ReturnSetInfo *result, const TableDef *def,
					   StatsTable *table, int operation,
					   const StatsCellCopy *copy);
static Datum milliseconds(double seconds, bool *isnull);
static void return_indexes(const TableDef *def, StatsTable *table,
						   void *result);
static void return_stream(ReturnSetInfo *result, const StreamDef *stream);
static void return_keys(ReturnSetInfo *result, const TableDef *def,
						const IndexDef *index);
static void return_key(ReturnSetInfo *result, const IndexDef *index,
					   const char *event, const StatsKeyCount *count);
static Datum key_part(const StatsKeyCount *count, int n, bool *isnull);
static void return_sums_of_keys(ReturnSetInfo *result, const char *name);
static void return_answer(HeapTuple row, TupleDesc desc, void *result);
static void return_worker(const DynamoWorkerState *worker, void *result);
static void return_waits(ReturnSetInfo *result);

/*
 * stat_requests(by_table, by_operation): one of them at least
 */
Datum
dynamo_stat_requests(PG_FUNCTION_ARGS)
{
	bool		by_table = PG_GETARG_BOOL(0);
	bool		by_operation = PG_GETARG_BOOL(1);
	Requests   *requests = palloc0(sizeof(Requests));

	tell_if_unavailable();
	InitMaterializedSRF(fcinfo, 0);
	requests->result = (ReturnSetInfo *) fcinfo->resultinfo;
	if (!by_table)
		operation_stat_each(add_to_operations, requests);
	else if (by_operation)
		operation_stat_each(return_operations, requests);
	else
		operation_stat_each(return_table, requests);
	return_sums(requests);
	return (Datum) 0;
}

/*
 * Where nothing is counted, say why; the views are empty.
 */
static void
tell_if_unavailable(void)
{
	if (!stats_available())
		ereport(NOTICE,
				(errmsg("no statistics are kept"),
				 errhint("Add dynamo to shared_preload_libraries, let dynamo.stat_max_tables be more than 0, and restart the server.")));
}

/*
 * Add to the sums of all tables.
 */
static void
add_to_operations(const TableDef *def, StatsTable *table, void *arg)
{
	Requests   *requests = arg;
	StatsCellCopy copy;

	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		if (!stats_copy(table, i, &copy))
			continue;
		if (def != NULL && !monitor_may_know_items(def))
			copy.counters[STATS_WRITTEN] = 0;
		stats_add(&requests->none[i], &copy);
	}
}

static void
return_operations(const TableDef *def, StatsTable *table, void *arg)
{
	Requests   *requests = arg;
	StatsCellCopy copy;

	if (def == NULL)
	{
		add_to_operations(def, table, arg);
		return;
	}
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		if (stats_copy(table, i, &copy))
			return_row(requests->result, def, table, i, &copy);
	}
}

/*
 * All operations of a table together.
 */
static void
return_table(const TableDef *def, StatsTable *table, void *arg)
{
	Requests   *requests = arg;
	StatsCellCopy sum = {{0}};
	StatsCellCopy copy;

	if (def == NULL)
		return;
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		if (stats_copy(table, i, &copy))
			stats_add(&sum, &copy);
	}
	return_row(requests->result, def, table, -1, &sum);
}

/*
 * What belongs to no table, or to none in particular.
 */
static void
return_sums(Requests *requests)
{
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		if (stats_requests(&requests->none[i]) > 0)
			return_row(requests->result, NULL, NULL, i, &requests->none[i]);
	}
}

/*
 * A row of stat_requests(); operation -1: all of them.
 */
static void
return_row(ReturnSetInfo *result, const TableDef *def, StatsTable *table,
		   int operation, const StatsCellCopy *copy)
{
	static const double quantiles[] = {0.5, 0.99, 0.999};
	Datum		values[REQUESTS_COLUMNS] = {0};
	bool		nulls[REQUESTS_COLUMNS] = {0};
	uint64		successes = copy->outcomes[STATS_SUCCESS];
	double		total = copy->counters[STATS_TIME] / 1e9;
	bool		known = def == NULL || monitor_may_know_items(def);
	int			n = 0;

	nulls[n] = nulls[n + 1] = def == NULL;
	values[n++] = def ? CStringGetTextDatum(def->name) : (Datum) 0;
	values[n++] = def ? ObjectIdGetDatum(def->relid) : (Datum) 0;
	nulls[n] = operation < 0;
	values[n++] = operation < 0 ? (Datum) 0 :
		CStringGetTextDatum(stats_operation_name(operation));
	values[n++] = Int64GetDatum(stats_requests(copy));
	for (int i = 0; i < STATS_OUTCOMES; i++)
		values[n++] = Int64GetDatum(copy->outcomes[i]);
	values[n++] = Int64GetDatum(copy->counters[STATS_RETURNED]);
	values[n++] = Float8GetDatum(copy->counters[STATS_READ] / 2.0);
	nulls[n] = !known;
	values[n++] = Float8GetDatum(copy->counters[STATS_WRITTEN] / 2.0);
	values[n] = milliseconds(total, &nulls[n]);
	n++;
	values[n] = milliseconds(successes ? total / successes : -1, &nulls[n]);
	n++;
	for (int i = 0; i < lengthof(quantiles); i++)
	{
		values[n] = milliseconds(stats_quantile(copy, quantiles[i]), &nulls[n]);
		n++;
	}
	nulls[n] = nulls[n + 1] = table == NULL || !known;
	nulls[n + 2] = table == NULL;
	if (table != NULL)
	{
		values[n++] = Int64GetDatum(pg_atomic_read_u64(&table->ttl_deletions));
		values[n++] = Int64GetDatum(pg_atomic_read_u64(&table->stream_records));
		values[n++] = TimestampTzGetDatum(table->since);
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Negative: there is none. */
static Datum
milliseconds(double seconds, bool *isnull)
{
	*isnull = seconds < 0;
	return Float8GetDatum(seconds * 1000);
}

/*
 * stat_indexes()
 */
Datum
dynamo_stat_indexes(PG_FUNCTION_ARGS)
{
	tell_if_unavailable();
	InitMaterializedSRF(fcinfo, 0);
	operation_stat_each(return_indexes, fcinfo->resultinfo);
	return (Datum) 0;
}

static void
return_indexes(const TableDef *def, StatsTable *table, void *arg)
{
	ReturnSetInfo *result = arg;
	bool		known = def != NULL && monitor_may_know_items(def);

	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];
		Datum		values[INDEXES_COLUMNS];
		bool		nulls[INDEXES_COLUMNS] = {0};
		uint64		counters[STATS_TIME] = {0};
		uint64		reads = 0;

		if (OidIsValid(index->relid))
			(void) stats_copy_index(table, index->relid, &reads, counters);
		values[0] = CStringGetTextDatum(def->name);
		values[1] = CStringGetTextDatum(index->name);
		nulls[2] = !OidIsValid(index->relid);
		values[2] = ObjectIdGetDatum(index->relid);
		values[3] = Int64GetDatum(reads);
		values[4] = Int64GetDatum(counters[STATS_RETURNED]);
		values[5] = Float8GetDatum(counters[STATS_READ] / 2.0);
		nulls[6] = !known;
		values[6] = Float8GetDatum(counters[STATS_WRITTEN] / 2.0);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/*
 * stat_streams(): of the tables that the current user may read
 */
Datum
dynamo_stat_streams(PG_FUNCTION_ARGS)
{
	bool		all = monitor_sees_all();
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, schema_list_tables("", INT_MAX))
	{
		const TableDef *def = schema_find_sound_table(lfirst(lc));

		CHECK_FOR_INTERRUPTS();
		if (def != NULL && def->stream != NULL &&
			(all || (schema_may_use(def->relid) && monitor_may_know_items(def))))
			return_stream((ReturnSetInfo *) fcinfo->resultinfo, def->stream);
	}
	return (Datum) 0;
}

static void
return_stream(ReturnSetInfo *result, const StreamDef *stream)
{
	StreamLag	lag;
	Datum		values[STREAMS_COLUMNS];
	bool		nulls[STREAMS_COLUMNS] = {0};
	bool		known = stream_lag(stream, &lag);

	values[0] = CStringGetTextDatum(stream->table_name);
	values[1] = CStringGetTextDatum(stream->label);
	values[2] = Int32GetDatum(stream->nshards);
	values[3] = Int64GetDatum(lag.last);
	values[4] = Int64GetDatum(lag.horizon);
	values[5] = Int64GetDatum(lag.last - lag.horizon);
	nulls[3] = nulls[4] = nulls[5] = !known;
	nulls[6] = !known || lag.pid == 0;
	values[6] = Int32GetDatum(lag.pid);
	nulls[7] = !known || !TransactionIdIsValid(lag.xid);
	values[7] = TransactionIdGetDatum(lag.xid);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * stat_workers(): processes, and what waits for one.  Everybody may call it, by way of
 * dynamo.stat_activity, and is told what that shows.
 */
Datum
dynamo_stat_workers(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	if (dynamo_preloaded)
	{
		dynamo_workers_each(return_worker, fcinfo->resultinfo);
		if (monitor_sees_all())
			return_waits((ReturnSetInfo *) fcinfo->resultinfo);
	}
	return (Datum) 0;
}

static void
return_worker(const DynamoWorkerState *worker, void *arg)
{
	static const char *const stages[] = {"running", "ending", "lost"};
	ReturnSetInfo *result = arg;
	Datum		values[WORKERS_COLUMNS];
	bool		nulls[WORKERS_COLUMNS] = {0};
	bool		idle = !worker->serves && worker->since == 0 &&
		worker->stage == DYNAMO_WORKING;

	values[0] = Int32GetDatum(worker->pid);
	values[1] = CStringGetTextDatum(dynamo_service_name(worker->service));
	values[2] = CStringGetTextDatum(stages[worker->stage]);
	values[3] = BoolGetDatum(worker->open);
	values[4] = Int32GetDatum(worker->parked);
	values[5] = Int64GetDatum(worker->requests);
	nulls[3] = nulls[4] = nulls[5] = !worker->serves;
	values[6] = CStringGetTextDatum(worker->serves ? "http" : "background");
	values[7] = ObjectIdGetDatum(worker->database);
	values[8] = BoolGetDatum(idle);
	values[9] = TimestampTzGetDatum(worker->since != 0 ? worker->since :
									worker->joined);
	nulls[9] = idle;
	nulls[10] = true;
	if (!monitor_sees_all())
		nulls[6] = nulls[7] = nulls[8] = nulls[9] = true;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
return_waits(ReturnSetInfo *result)
{
	TimestampTz now = GetCurrentTimestamp();
	ListCell   *lc;

	foreach(lc, dynamo_wants_list())
	{
		const DynamoWants *wants = lfirst(lc);

		for (int i = 0; i < DYNAMO_SERVICES; i++)
		{
			int64		lag = dynamo_want_lag(wants, i);
			Datum		values[WORKERS_COLUMNS] = {0};
			bool		nulls[WORKERS_COLUMNS];

			if (lag <= DYNAMO_LATE)
				continue;
			memset(nulls, true, sizeof(nulls));
			values[1] = CStringGetTextDatum(dynamo_service_name(i));
			values[2] = CStringGetTextDatum("waiting");
			values[7] = ObjectIdGetDatum(wants->database);
			values[8] = BoolGetDatum(false);
			values[9] = TimestampTzGetDatum(now - lag * 1000);
			values[10] = Int32GetDatum(wants->waiting[i]);
			nulls[1] = nulls[2] = nulls[7] = nulls[8] = nulls[9] = false;
			nulls[10] = (wants->kept & DYNAMO_BIT(i)) == 0;
			tuplestore_putvalues(result->setResult, result->setDesc, values,
								 nulls);
		}
	}
}

/*
 * stat_untracked(): requests that found no room
 */
Datum
dynamo_stat_untracked(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(stats_untracked());
}

/*
 * stat_reset()
 */
Datum
dynamo_stat_reset(PG_FUNCTION_ARGS)
{
	stats_reset();
	PG_RETURN_VOID();
}

/*
 * stat_keys(table_name, all_nodes)
 */
Datum
dynamo_stat_keys(PG_FUNCTION_ARGS)
{
	const char *name = sql_required_text_arg(fcinfo, 0, "table_name");
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	EngineTable *table;
	const TableDef *def;

	sql_check_given(fcinfo, 1, "all_nodes");
	InitMaterializedSRF(fcinfo, 0);
	if (PG_GETARG_BOOL(1))
	{
		return_sums_of_keys(result, name);
		return (Datum) 0;
	}
	table = monitor_open_keys(NULL, sql_table_name(name));
	def = engine_def(table);
	return_keys(result, def, NULL);
	for (int i = 0; i < def->nindexes; i++)
	{
		if (OidIsValid(def->indexes[i].relid))
			return_keys(result, def, &def->indexes[i]);
	}
	engine_close(table);
	return (Datum) 0;
}

/*
 * Keys of the table (index NULL), or of an index.
 */
static void
return_keys(ReturnSetInfo *result, const TableDef *def, const IndexDef *index)
{
	static const char *const events[] = {"accessed", "throttled"};

	for (int event = 0; event < STATS_KEY_EVENTS; event++)
	{
		for (int level = 0; level < STATS_KEY_LEVELS; level++)
		{
			StatsKeyCount counts[STATS_SKETCH_KEYS];
			int			n = stats_copy_keys(&def->stats->id,
											index ? index->relid : InvalidOid,
											event, level, counts);

			for (int i = 0; i < Min(n, MONITOR_MAX_KEYS); i++)
				return_key(result, index, events[event], &counts[i]);
		}
	}
}

static void
return_key(ReturnSetInfo *result, const IndexDef *index, const char *event,
		   const StatsKeyCount *count)
{
	Datum		values[KEYS_COLUMNS];
	bool		nulls[KEYS_COLUMNS] = {0};

	nulls[0] = index == NULL;
	values[0] = index ? CStringGetTextDatum(index->name) : (Datum) 0;
	values[1] = CStringGetTextDatum(event);
	values[2] = key_part(count, 0, &nulls[2]);
	values[3] = key_part(count, 1, &nulls[3]);
	values[4] = Int64GetDatum(count->count);
	values[5] = Int64GetDatum(count->error);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * A part of a key as typed JSON, in the encoding of the database.
 */
static Datum
key_part(const StatsKeyCount *count, int n, bool *isnull)
{
	const char *part = monitor_key_part(count, n);

	*isnull = part == NULL;
	if (part == NULL)
		return (Datum) 0;
	return CStringGetTextDatum(pg_any_to_server(part, strlen(part), PG_UTF8));
}

static void
return_sums_of_keys(ReturnSetInfo *result, const char *name)
{
	Oid			types[] = {TEXTOID};
	Datum		values[] = {CStringGetTextDatum(name)};

	(void) meta_query(SUMS_OF_KEYS, lengthof(types), types, values,
					  sql_put_row, result);
}

/*
 * stat_nodes(keys_of): what each node of a cluster has counted
 */
Datum
dynamo_stat_nodes(PG_FUNCTION_ARGS)
{
	const char *question = CLUSTER_TABLES;

	InitMaterializedSRF(fcinfo, 0);
	if (!PG_ARGISNULL(0))
		question = psprintf(CLUSTER_KEYS,
							quote_literal_cstr(sql_text_arg(fcinfo, 0)));
	else if (!shard_has_nodes())
		return (Datum) 0;
	shard_ask_all(question, return_answer, fcinfo->resultinfo);
	return (Datum) 0;
}

/*
 * A row of a node's name and what it says.  A query that finds nothing says
 * null here, and an empty text by way of Citus.
 */
static void
return_answer(HeapTuple row, TupleDesc desc, void *arg)
{
	ReturnSetInfo *result = arg;
	char	   *node = SPI_getvalue(row, desc, 1);
	char	   *answer = SPI_getvalue(row, desc, 2);
	Datum		values[CLUSTER_COLUMNS] = {0};
	bool		nulls[CLUSTER_COLUMNS] = {0};

	if (node == NULL && answer == NULL)
		answer = "[]";
	if (answer == NULL)
		ereport(WARNING,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("node %s does not tell what it has counted", node)));
	nulls[0] = node == NULL;
	nulls[1] = answer == NULL;
	if (!nulls[0])
		values[0] = CStringGetTextDatum(node);
	if (!nulls[1])
		values[1] = CStringGetTextDatum(*answer == '\0' ? "[]" : answer);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}
