/*-------------------------------------------------------------------------
 *
 * transfer_read.c
 *	  Reading the records of one step.
 *
 * A step has so many records, or so many bytes of them, that one after a crash
 * has the same as the one that was lost.  It reads so much content besides, for
 * a few bytes can be compressed gigabytes: at these places of a file a step
 * ends, be it within a line, and may have no records.
 *
 * The file at hand stays open from step to step.  It is known again by the job
 * and the position; where these differ, because another process has gone on,
 * or a step was undone, the file is opened again and read up to the position.
 * That may take several steps, too, which do nothing else.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "transfer/transfer_load_internal.h"
#include "utils/memutils.h"

/* A step ends after so many records, or bytes of their text. */
#define STEP_RECORDS	5000
#define STEP_BYTES		(8 * 1024 * 1024)

/* It ends where a multiple of so many bytes of a file's content was read. */
#define STEP_CONTENT	INT64CONST(67108864)

/* Jobs whose files a process keeps open, while it takes turns at them. */
#define MAX_READERS		4

/* What is open of a job. */
typedef struct Reader
{
	MemoryContext context;		/* NULL: nothing is */
	char		job[JOB_ID_LENGTH + 1]; /* numbers come again with the
										 * extension */
	uint64		used;			/* when it was last, counted in steps */
	bool		ready;			/* all of the below is as it should be */
	BucketSource source;
	Bucket	   *bucket;
	List	   *files;			/* of BucketFile * */
	int			next;			/* place of the file after the one at hand */
	const BucketFile *file;		/* at hand; NULL: none */
	BucketInput *input;			/* of it; NULL: it is not open */
	int64		record;			/* read of it */
} Reader;

/* A step being read. */
typedef struct Step
{
	TransferState *state;
	TransferBatch *batch;
	Size		bytes;
	int64		content;		/* bytes of files that are read to their end */
} Step;

static Reader readers[MAX_READERS];
static Reader *reader;			/* of the job at hand */

static bool is_damage(const ErrorData *error);
static void pick_reader(const Job *job);
static void close_reader(void);
static bool is_behind(const TransferState *state);
static bool catch_up(const TransferState *state);
static void set_limit(void);
static int64 content_read(void);
static void open_bucket(const Job *job, const TransferSource *source,
						TransferState *state);
static void copy_source(const BucketSource *source);
static void find_file(const TransferState *state);
static void check_same(const TransferState *state, const BucketFile *file);
static bool read_records(void *step);
static bool open_file(Step *step);
static void close_file(Step *step);
static void keep_record(Step *step, const BucketRecord *record);
static void note_damage(Step *step, const ErrorData *error);

/*
 * Read the next step's records, and move the state's place behind them; counts
 * of records stay.  A file that is damaged is a record with a problem and
 * without a line, and what follows in it is left out; one that is not compressed
 * as it should be is as good as a line that is no item.  All of "batch" is in the current context.
 * False: the step was spent on the way to where the state is; there will be
 * more.
 */
bool
transfer_read(Job *job, const TransferSource *source, TransferState *state,
			  TransferBatch *batch)
{
	Step		step = {state, batch};
	ErrorData  *error;

	memset(batch, 0, sizeof(*batch));
	(void) bucket_check_use(source->bucket, BUCKET_READ);
	pick_reader(job);
	if (!is_behind(state))
		open_bucket(job, source, state);
	job->stands = !catch_up(state);
	if (job->stands)
		return false;
	error = dynamo_attempt(read_records, &step);
	if (error != NULL && !is_damage(error))
	{
		close_reader();
		ReThrowError(error);
	}
	if (error != NULL)
		note_damage(&step, error);
	state->bytes = state->done_bytes;
	state->content = Max(state->content, state->done_content + content_read());
	if (reader->input != NULL)
		state->bytes += bucket_reader_stored(bucket_input_reader(reader->input));
	return true;
}

/*
 * Is a file's content to blame?
 */
static bool
is_damage(const ErrorData *error)
{
	return bucket_failure(error) != NULL &&
		(error->sqlerrcode == ERRCODE_DATA_CORRUPTED ||
		 error->sqlerrcode == ERRCODE_DATA_EXCEPTION);
}

/*
 * Close what is open of a job.
 */
void
transfer_read_end(const Job *job)
{
	pick_reader(job);
	close_reader();
}

/*
 * The job's reader, or that of the job that was worked on longest ago.
 */
static void
pick_reader(const Job *job)
{
	static uint64 steps = 0;
	Reader	   *found = &readers[0];

	for (int i = 0; i < MAX_READERS; i++)
	{
		if (readers[i].context != NULL && strcmp(readers[i].job, job->id) == 0)
		{
			found = &readers[i];
			break;
		}
		if (readers[i].used < found->used)
			found = &readers[i];
	}
	reader = found;
	if (strcmp(reader->job, job->id) != 0)
		close_reader();
	strlcpy(reader->job, job->id, sizeof(reader->job));
	reader->used = ++steps;
}

static void
close_reader(void)
{
	uint64		used = reader->used;

	if (reader->context != NULL)
		MemoryContextDelete(reader->context);
	memset(reader, 0, sizeof(*reader));
	reader->used = used;
}

/*
 * Is what is open at the place of the state, or before it in the same file?
 * Another process may have gone on.
 */
static bool
is_behind(const TransferState *state)
{
	if (!reader->ready)
		return false;
	if (state->file == NULL)
		return reader->file == NULL;
	return reader->file != NULL &&
		strcmp(reader->file->key, state->file) == 0 &&
		state->finished == (reader->input == NULL) &&
		reader->record <= state->record;
}

/*
 * Go on to the place of the state; false: that takes another step.
 */
static bool
catch_up(const TransferState *state)
{
	reader->ready = false;		/* should that fail */
	set_limit();
	if (reader->input != NULL)
		reader->record += bucket_input_skip(reader->input,
											state->record - reader->record);
	reader->ready = true;
	if (reader->record < state->record && reader->input != NULL &&
		bucket_reader_paused(bucket_input_reader(reader->input)))
		return false;
	reader->record = state->record;
	set_limit();
	return true;
}

/*
 * The file is read up to the next place where a step ends.
 */
static void
set_limit(void)
{
	if (reader->input != NULL)
		bucket_reader_limit(bucket_input_reader(reader->input),
							(content_read() / STEP_CONTENT + 1) * STEP_CONTENT);
}

/* Of the file at hand */
static int64
content_read(void)
{
	return reader->input == NULL ? 0 :
		bucket_reader_content(bucket_input_reader(reader->input));
}

/*
 * What is open outlives the transaction.
 */
static void
open_bucket(const Job *job, const TransferSource *source,
			TransferState *state)
{
	MemoryContext old;
	ListCell   *lc;

	close_reader();
	reader->context = AllocSetContextCreate(TopMemoryContext,
											"dynamo transfer",
											ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(reader->context);
	strlcpy(reader->job, job->id, sizeof(reader->job));
	copy_source(&source->reading);
	reader->bucket = bucket_open(source->bucket, BUCKET_READ);
	reader->files = bucket_list_data(reader->bucket, source->prefix);
	find_file(state);
	MemoryContextSwitchTo(old);
	reader->ready = true;
	if (state->total_bytes >= 0)
		return;
	state->total_bytes = 0;
	foreach(lc, reader->files)
		state->total_bytes += ((const BucketFile *) lfirst(lc))->size;
}

static void
copy_source(const BucketSource *source)
{
	BucketColumn *columns;
	ListCell   *lc;

	reader->source = *source;
	reader->source.header = NIL;
	foreach(lc, source->header)
		reader->source.header = lappend(reader->source.header,
										pstrdup(lfirst(lc)));
	columns = palloc(sizeof(BucketColumn) * (source->ncolumns + 1));
	for (int i = 0; i < source->ncolumns; i++)
	{
		columns[i] = source->columns[i];
		columns[i].name = pstrdup(columns[i].name);
	}
	reader->source.columns = columns;
}

/*
 * The state's file is at hand.  If it has been read to its end and is gone, the
 * next one by name is next.
 */
static void
find_file(const TransferState *state)
{
	while (state->file != NULL && reader->next < list_length(reader->files))
	{
		const BucketFile *file = list_nth(reader->files, reader->next);
		int			order = strcmp(file->key, state->file);

		if (order > 0)
			break;
		reader->next++;
		if (order < 0)
			continue;
		reader->file = file;
		if (state->finished)
			break;
		check_same(state, file);
		reader->input = bucket_input_open(reader->bucket, file->key,
										  &reader->source);
		break;
	}
	if (reader->file == NULL && state->file != NULL && !state->finished)
		job_fail("S3NoSuchKey",
				 "File \"%s\" was removed before all of it was read.",
				 state->file);
}

/*
 * The records that are done are passed over by their number alone, which says
 * nothing of another file.  One of the same size passes for the same.
 */
static void
check_same(const TransferState *state, const BucketFile *file)
{
	if (state->file_size >= 0 && file->size != state->file_size)
		job_fail("S3InvalidObject",
				 "File \"%s\" was changed before all of it was read.",
				 state->file);
}

/*
 * In a subtransaction.
 */
static bool
read_records(void *arg)
{
	Step	   *step = arg;
	BucketRecord record;

	while (list_length(step->batch->records) < STEP_RECORDS &&
		   step->bytes < STEP_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		if (reader->input == NULL && !open_file(step))
		{
			step->batch->at_end = true;
			break;
		}
		if (!bucket_input_next(reader->input, &record))
		{
			if (bucket_reader_paused(bucket_input_reader(reader->input)))
				break;
			close_file(step);
			if (step->content >= STEP_CONTENT)
				break;
			continue;
		}
		reader->record++;
		step->state->record = reader->record;
		keep_record(step, &record);
	}
	return true;
}

/*
 * Open the next file.  False: there is none.
 */
static bool
open_file(Step *step)
{
	TransferState *state = step->state;
	MemoryContext old;

	if (reader->next >= list_length(reader->files))
		return false;
	reader->file = list_nth(reader->files, reader->next++);
	reader->record = 0;
	state->file = pstrdup(reader->file->key);
	state->finished = false;
	state->file_size = reader->file->size;
	state->record = 0;
	old = MemoryContextSwitchTo(reader->context);
	reader->input = bucket_input_open(reader->bucket, reader->file->key,
									  &reader->source);
	MemoryContextSwitchTo(old);
	set_limit();
	return true;
}

static void
close_file(Step *step)
{
	step->content += content_read();
	step->state->done_content += content_read();
	if (reader->input != NULL)
		bucket_input_close(reader->input);
	reader->input = NULL;
	step->state->finished = true;
	step->state->done_bytes += reader->file->size;
}

static void
keep_record(Step *step, const BucketRecord *record)
{
	TransferRecord *kept = palloc0(sizeof(*kept));

	kept->file = step->state->file;
	kept->line = record->line;
	kept->item = record->item;
	if (record->item == NULL)
	{
		kept->code = "ValidationException";
		kept->problem = pstrdup(record->problem);
		kept->text = pnstrdup(record->text, record->len);
		kept->len = record->len;
	}
	step->batch->records = lappend(step->batch->records, kept);
	step->bytes += record->len;
}

static void
note_damage(Step *step, const ErrorData *error)
{
	TransferRecord *kept = palloc0(sizeof(*kept));

	if (reader->file == NULL)
		ReThrowError(unconstify(ErrorData *, error));
	kept->file = step->state->file;
	kept->code = bucket_failure(error);
	kept->problem = error->detail == NULL ? error->message :
		psprintf("%s: %s", error->message, error->detail);
	if (bucket_is_uncompressed(error))
	{
		kept->code = "ValidationException";
		kept->line = 1;
	}
	step->batch->records = lappend(step->batch->records, kept);
	close_file(step);
}
