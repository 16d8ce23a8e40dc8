/*-------------------------------------------------------------------------
 *
 * transfer_export_run.c
 *	  The work of an export.
 *
 * It is one transaction, because its items are those of one moment.  So an
 * export that was interrupted begins anew: the names of its files follow from
 * its id, and what an earlier attempt has left is removed first.  The manifests
 * are written last; without them nobody takes the data for an export.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup.h"
#include "backup/backup_past.h"
#include "base/base_pause.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "storage/lmgr.h"
#include "transfer/transfer_internal.h"
#include "transfer/transfer_load.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "wire/wire.h"

/* Rows that are fetched at a time; each may have an item of 400 KB, or two. */
#define FETCH_ROWS	50

/* Columns of a query of changes. */
#define CHANGES_KEYS		1
#define CHANGES_OLD_IMAGE	2
#define CHANGES_NEW_IMAGE	3
#define CHANGES_TIME		4

/* KB of a data file after which another one is begun. */
static int	export_file_size;

/* An export under way. */
typedef struct Run
{
	Job		   *job;
	TransferExport *request;
	TransferFilter *filter;		/* or NULL */
	TransferExportState state;
	TransferLayout layout;
	Bucket	   *bucket;
	BucketWriter *writer;		/* of the current data file, or NULL */
	int			nfiles;			/* begun */
	int64		file_items;		/* of the current one */
	int64		rows;			/* of a partition, so far */
	StringInfoData files;		/* manifest-files.json */
	StringInfoData line;
	MemoryContext context;		/* of all of it; SPI has one of its own */
	MemoryContext row_context;
} Run;

static bool export_step(Job *job);
static void failed(Job *job);
static void open_run(Run *run, Job *job, BucketUse use);
static const TableDef *table_to_export(Run *run);
static void write_items(Run *run, const TableDef *def);
static void take_item(const Item *item, void *run);
static char *items_query(Run *run);
static char *changes_query(Run *run);
static TimestampTz settled_end(const Run *run, TimestampTz settled);
static bool is_of_client(const Run *run);
static const BackupMoment *find_moment(Run *run, TimestampTz time);
static const BackupMoment *check_moment(const BackupMoment *moment);
static void write_partition(Run *run, const TableDef *def);
static void write_query(Run *run, const char *query);
static void tell_progress(Run *run);
static void write_row(Run *run, const Item *item, HeapTuple tuple,
					  TupleDesc desc);
static bool append_item(Run *run, const Item *item);
static bool append_change(Run *run, HeapTuple tuple, TupleDesc desc);
static bool passes_filter(const Run *run, const Item *item);
static const Item *projected(const Run *run, const Item *item);
static void write_line(Run *run);
static Item *item_column(HeapTuple tuple, TupleDesc desc, int column);
static void begin_file(Run *run);
static void end_file(Run *run);
static void write_manifests(Run *run);
static void put_with_checksum(Run *run, const char *name, const char *text,
							  size_t len);
static void tidy(Run *run);
static void remove_files(Run *run);
static void set_position(Run *run);

static const JobHandler handler = {
	.kind = JOB_EXPORT,
	.step = export_step,
	.failed = failed,
	.failure_code = bucket_failure
};

/*
 * Called once a process.
 */
void
transfer_export_init(void)
{
	DefineCustomIntVariable("dynamo.export_file_size",
							"Size of a data file of an export after which another one is begun.",
							"Of compressed data. Imports elsewhere may read several files at a time.",
							&export_file_size, 64 * 1024, 64, 5 * 1024 * 1024,
							PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
	job_register(&handler);
}

/*
 * All of it.  What a failure leaves is removed here as well as it can be, for
 * the next attempt may be long in coming.  After a cancel that, or the job's end,
 * comes soon, and a process that is to end has no time for it.
 */
static bool
export_step(Job *job)
{
	Run			run = {0};

	open_run(&run, job, BUCKET_WRITE);
	transfer_check_owner(run.request->bucket, run.request->bucket_owner);
	remove_files(&run);
	PG_TRY();
	{
		bucket_put(run.bucket, transfer_manifest_key(&run.layout, "_started"),
				   "", 0, NULL);
		begin_file(&run);
		write_items(&run, table_to_export(&run));
		end_file(&run);

		/* What others have committed, maybe without waiting, is told to last. */
		dynamo_flush(dynamo_log_end());
		job_check_left();
		write_manifests(&run);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(run.context);
		error = CopyErrorData();
		FlushErrorState();
		if (run.writer)
			bucket_writer_abandon(run.writer);
		if (error->sqlerrcode != ERRCODE_QUERY_CANCELED)
			tidy(&run);
		ReThrowError(error);
	}
	PG_END_TRY();
	set_position(&run);
	job_progress_end();
	return true;
}

/*
 * See JobHandler: after the last attempt, or a cancel.  A role that may not
 * use the bucket any more leaves nothing there either.
 */
static void
failed(Job *job)
{
	Run			run = {0};

	open_run(&run, job, BUCKET_TIDY);
	remove_files(&run);
	job->position = NULL;
}

static void
open_run(Run *run, Job *job, BucketUse use)
{
	run->context = CurrentMemoryContext;
	run->job = job;
	run->request = transfer_export_request(job);
	transfer_layout(&run->layout, job, run->request);
	run->bucket = bucket_open(run->request->bucket, use);
	run->row_context = AllocSetContextCreate(run->context,
											 "dynamo export row",
											 ALLOCSET_DEFAULT_SIZES);
	initStringInfo(&run->files);
	initStringInfo(&run->line);
}

/*
 * The table, which must be the one that was asked for and may still be read by
 * the role that has asked.  Queries name its relation.  With the lock it keeps its
 * name and columns: otherwise its owner could give the name to a view meanwhile, whose
 * functions would run as that role.
 */
static const TableDef *
table_to_export(Run *run)
{
	TransferExport *request = run->request;
	const TableDef *def;

	LockRelationOid(run->job->relid, AccessShareLock);
	def = schema_find_table(request->table_name);
	if (def == NULL || def->relid != run->job->relid ||
		strcmp(def->table_id, request->table_id) != 0)
		job_fail("TableNotFoundException", "Table not found: %s",
				 request->table_name);
	if (request->specification)
	{
		run->filter = transfer_filter_read(request->specification);
		transfer_filter_bind(run->filter, def);
		request->filter = run->filter;
	}
	transfer_check_export_again(transfer_export_object(run->job->request),
								request, def);
	transfer_check_reader(NULL, def, request);
	return def;
}

static void
write_items(Run *run, const TableDef *def)
{
	run->state.time = GetCurrentTimestamp();
	if (run->request->incremental)
		write_query(run, changes_query(run));
	else if (run->filter && run->filter->clauses)
		write_partition(run, def);
	else if (run->request->without_recovery && def->distributed &&
			 shard_may_read_moment(def))
	{
		shard_read_moment(def, take_item, run);
		tell_progress(run);
	}
	else
		write_query(run, items_query(run));
}

static void
take_item(const Item *item, void *arg)
{
	Run		   *run = arg;
	MemoryContext caller = MemoryContextSwitchTo(run->context);

	write_row(run, item, NULL, NULL);
	if (++run->rows % FETCH_ROWS == 0)
		tell_progress(run);
	MemoryContextSwitchTo(caller);
}

/*
 * All items, as SQL; notes of what time they are.
 */
static char *
items_query(Run *run)
{
	const TransferExport *request = run->request;
	Oid			relid = run->job->relid;

	if (request->without_recovery)
		return psprintf("SELECT item::dynamo.item FROM %s",
						quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
												   get_rel_name(relid)));
	return backup_past_query(request->time != 0 ?
							 find_moment(run, request->time) :
							 check_moment(backup_moment_latest(relid)));
}

/*
 * What has changed.  A period that ends now, which is when it was asked for, ends
 * where times are settled, some moments before; so the next one begins there.
 * Otherwise that could begin with an older state, and have some changes again.
 */
static char *
changes_query(Run *run)
{
	TransferExport *request = run->request;
	const BackupMoment *from;
	const BackupMoment *to;
	BackupWindow window;

	(void) backup_window(run->job->relid, &window);
	if (request->to_time == run->job->created_at)
		request->to_time = settled_end(run, window.settled);
	else
		request->to_time = Min(request->to_time, window.latest);
	from = find_moment(run, is_of_client(run) ?
					   transfer_period_begin(run->job->relid, request->from_time) :
					   request->from_time);
	to = find_moment(run, request->to_time);
	return backup_changes_query(from, to, run->filter && run->filter->clauses ?
								&run->filter->range.hash[0] : NULL);
}

/*
 * The end of a period that ends now.  To those who ask by the API it is a whole
 * second, where there is one in the period: clients cut off the fraction of what
 * they are told, and what goes on from there would have some changes again.
 */
static TimestampTz
settled_end(const Run *run, TimestampTz settled)
{
	const TransferExport *request = run->request;
	TimestampTz end = Max(Min(request->to_time, settled), request->from_time);
	TimestampTz second = end - end % USECS_PER_SEC;

	if (!is_of_client(run) || second <= request->from_time ||
		backup_moment(run->job->relid, second) == NULL)
		return end;
	return second;
}

/*
 * Was it asked for by the API, not by a SQL function?
 */
static bool
is_of_client(const Run *run)
{
	return json_object_get(transfer_export_object(run->job->request),
						   TRANSFER_CLIENT) != NULL;
}

/*
 * A moment of the table; notes that what is exported is of that time.
 */
static const BackupMoment *
find_moment(Run *run, TimestampTz time)
{
	run->state.time = time;
	return check_moment(backup_moment(run->job->relid, time));
}

static const BackupMoment *
check_moment(const BackupMoment *moment)
{
	if (moment == NULL)
		job_fail("InvalidExportTimeException",
				 "Point in Time Recovery is not available for specified export time");
	return moment;
}

/*
 * The items that the key condition names, as Query would read them.
 */
static void
write_partition(Run *run, const TableDef *def)
{
	const TransferExport *request = run->request;
	EngineTable *table = engine_open(NULL, def->name, ENGINE_QUERY);
	EngineScan *scan;
	const Item *item;

	if (request->time != 0)
	{
		(void) find_moment(run, request->time);
		backup_read_as_of(table, request->time);
	}
	else if (!request->without_recovery)
		(void) check_moment(backup_moment_latest(run->job->relid));
	PushActiveSnapshot(GetTransactionSnapshot());
	scan = engine_scan_begin(table, &run->filter->range);
	while ((item = engine_scan_next(scan)) != NULL)
	{
		write_row(run, item, NULL, NULL);
		if (++run->rows % FETCH_ROWS == 0)
			tell_progress(run);
	}
	engine_scan_end(scan);
	PopActiveSnapshot();
	engine_close(table);
	tell_progress(run);
}

/*
 * Run a query, and write its rows.
 */
static void
write_query(Run *run, const char *query)
{
	SPIPlanPtr	plan;
	Portal		portal;

	dynamo_pause("query");
	SPI_connect();
	plan = SPI_prepare(query, 0, NULL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s",
			 SPI_result_code_string(SPI_result));
	backup_check_plan(plan);
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, false);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < SPI_processed; i++)
			write_row(run, NULL, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
		SPI_freetuptable(SPI_tuptable);
		tell_progress(run);
	}
	SPI_cursor_close(portal);
	SPI_finish();
}

static void
tell_progress(Run *run)
{
	job_progress(run->job, run->state.bytes, 0, run->state.items, 0);
}

/*
 * Write an item, or what is in a row of a query, unless the filter keeps it
 * out.
 */
static void
write_row(Run *run, const Item *item, HeapTuple tuple, TupleDesc desc)
{
	MemoryContext caller = MemoryContextSwitchTo(run->row_context);
	bool		passes;

	CHECK_FOR_INTERRUPTS();
	resetStringInfo(&run->line);
	if (run->request->incremental)
		passes = append_change(run, tuple, desc);
	else
		passes = append_item(run, tuple ? item_column(tuple, desc, 1) : item);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(run->row_context);
	if (passes)
		write_line(run);
}

/*
 * Append an item to the line.  Returns whether it passes the filter; it has
 * been read in any case, which is what costs.
 */
static bool
append_item(Run *run, const Item *item)
{
	if (item == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("relation \"%s\" has a row whose item is null",
						get_rel_name(run->job->relid))));
	run->state.bytes += item_size(item);
	if (!passes_filter(run, item))
		return false;
	bucket_append_item(&run->line, run->request->format,
					   projected(run, item));
	return true;
}

/*
 * The same of a change.  The filter sees what the item is now, or was before
 * it was deleted.
 */
static bool
append_change(Run *run, HeapTuple tuple, TupleDesc desc)
{
	const TransferFilter *filter = run->filter;
	BucketChange change = {0};
	const Item *old_image = item_column(tuple, desc, CHANGES_OLD_IMAGE);
	const Item *new_image = item_column(tuple, desc, CHANGES_NEW_IMAGE);
	bool		isnull;

	change.keys = item_column(tuple, desc, CHANGES_KEYS);
	if (filter && filter->keys && !expr_test(filter->keys, change.keys))
		return false;
	if (new_image)
		run->state.bytes += item_size(new_image);
	if (old_image && run->request->old_images)
		run->state.bytes += item_size(old_image);
	if (!passes_filter(run, new_image ? new_image : old_image))
		return false;
	if (new_image)
		change.new_image = projected(run, new_image);
	if (old_image && run->request->old_images)
		change.old_image = projected(run, old_image);
	change.micros = DatumGetTimestampTz(SPI_getbinval(tuple, desc, CHANGES_TIME,
													  &isnull)) +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	bucket_append_change(&run->line, run->request->format, &change);
	return true;
}

static bool
passes_filter(const Run *run, const Item *item)
{
	return run->filter == NULL || run->filter->filter == NULL ||
		expr_test(run->filter->filter, item);
}

static const Item *
projected(const Run *run, const Item *item)
{
	return run->filter && run->filter->projection ?
		expr_project(run->filter->projection, item) : item;
}

/*
 * NULL: the column is null.
 */
static Item *
item_column(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		datum = SPI_getbinval(tuple, desc, column, &isnull);

	return isnull ? NULL : DatumGetItemP(datum);
}

static void
write_line(Run *run)
{
	if (bucket_writer_size(run->writer) >= (int64) export_file_size * 1024)
	{
		end_file(run);
		begin_file(run);
	}
	bucket_writer_append(run->writer, run->line.data, run->line.len);
	run->file_items++;
	run->state.items++;
}

static void
begin_file(Run *run)
{
	MemoryContext caller = MemoryContextSwitchTo(run->context);

	if (run->nfiles > 0)
		dynamo_pause("job");
	run->writer = bucket_writer_open(run->bucket,
									 transfer_data_key(&run->layout, run->nfiles),
									 BUCKET_GZIP);
	MemoryContextSwitchTo(caller);
	run->nfiles++;
	run->file_items = 0;
}

static void
end_file(Run *run)
{
	BucketWriter *writer = run->writer;
	BucketDigest digest;

	bucket_writer_finish(writer, &digest);
	run->writer = NULL;
	transfer_append_file(&run->files,
						 transfer_data_key(&run->layout, run->nfiles - 1),
						 run->file_items, &digest);
}

static void
write_manifests(Run *run)
{
	char	   *summary = transfer_summary(run->job, run->request, &run->state,
										   &run->layout);

	put_with_checksum(run, "manifest-files", run->files.data, run->files.len);
	put_with_checksum(run, "manifest-summary", summary, strlen(summary));
	run->state.manifest = transfer_manifest_key(&run->layout,
												"manifest-summary.json");
}

static void
put_with_checksum(Run *run, const char *name, const char *text, size_t len)
{
	BucketDigest digest;

	bucket_put(run->bucket,
			   transfer_manifest_key(&run->layout, psprintf("%s.json", name)),
			   text, len, &digest);
	bucket_put(run->bucket,
			   transfer_manifest_key(&run->layout, psprintf("%s.checksum", name)),
			   digest.md5, strlen(digest.md5), NULL);
}

/*
 * Remove it as well as that can be done after an error, which is the one that
 * counts: it says why the job does not go on.
 */
static void
tidy(Run *run)
{
	PG_TRY();
	{
		remove_files(run);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(run->context);
		FlushErrorState();
	}
	PG_END_TRY();
}

/*
 * Remove what an attempt has left, the manifests first, then the data files
 * from the last one on: so what a crash leaves of that is found again.
 */
static void
remove_files(Run *run)
{
	static const char *const names[] = {
		"manifest-summary.checksum", "manifest-summary.json",
		"manifest-files.checksum", "manifest-files.json", "_started"
	};
	int			n = 0;

	for (int i = 0; i < lengthof(names); i++)
		bucket_remove(run->bucket,
					  transfer_manifest_key(&run->layout, names[i]));
	while (bucket_has(run->bucket, transfer_data_key(&run->layout, n)))
		n++;
	for (; n >= 0; n--)
		bucket_remove(run->bucket, transfer_data_key(&run->layout, n));
}

static void
set_position(Run *run)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_integer_member(&out, "Time", run->state.time);
	wire_integer_member(&out, "Items", run->state.items);
	wire_integer_member(&out, "Bytes", run->state.bytes);
	wire_string_member(&out, "Manifest", run->state.manifest);
	appendStringInfoChar(&out, '}');
	run->job->position = out.data;
}
