/*-------------------------------------------------------------------------
 *
 * bucket_input.c
 *	  The items of a file, one by one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

struct BucketInput
{
	MemoryContext context;		/* all that is its own */
	MemoryContext record_context;	/* what is read of one record */
	BucketReader *reader;
	Bucket	   *bucket;
	char	   *key;
	const BucketSource *source;
	int64		lines;			/* read so far */
	int64		records;
	BucketLine	rest;			/* JSON: what of the line is not read yet */
	bool		has_header;		/* CSV: it is known */
	List	   *header;			/* CSV: char * */
	BucketCsv	csv;			/* CSV: the record */
	bool		unfinished;		/* CSV: the reader has paused within it */
	int64		line;			/* CSV: where it begins */
	StringInfoData raw;			/* CSV: its lines, if they are several */
};

static const char *const formats[] = {
	[BUCKET_DYNAMODB_JSON] = "DYNAMODB_JSON",
	[BUCKET_ION] = "ION",
	[BUCKET_CSV] = "CSV"
};

static const char *const compressions[] = {
	[BUCKET_NONE] = "NONE",
	[BUCKET_GZIP] = "GZIP",
	[BUCKET_ZSTD] = "ZSTD"
};

static bool read_header(BucketInput *input);
static bool read_line(BucketInput *input, BucketLine *line);
static bool is_blank(const BucketLine *line);
static bool read_text(BucketInput *input, BucketRecord *record,
					  const char **problem);
static void split_line(BucketInput *input, BucketLine *line);
static bool read_record_lines(BucketInput *input, BucketLine *line);
static Item *read_item(BucketInput *input, const BucketRecord *record);
static void try_item(BucketInput *input, BucketRecord *record);
static bool is_about_text(const ErrorData *error);

/*
 * The format that the API names so; false: there is none of that name.
 */
bool
bucket_find_format(const char *name, BucketFormat *format)
{
	for (int i = 0; i < lengthof(formats); i++)
	{
		if (strcmp(name, formats[i]) == 0)
		{
			*format = (BucketFormat) i;
			return true;
		}
	}
	return false;
}

/*
 * The compression that the API names so; false: there is none of that name.
 */
bool
bucket_find_compression(const char *name, BucketCompression *compression)
{
	for (int i = 0; i < lengthof(compressions); i++)
	{
		if (strcmp(name, compressions[i]) == 0)
		{
			*compression = (BucketCompression) i;
			return true;
		}
	}
	return false;
}

/*
 * May CSV have this between its cells?
 */
bool
bucket_is_delimiter(const char *text)
{
	return text[0] != '\0' && text[1] == '\0' && strchr(",;:|\t ", text[0]);
}

/*
 * The items of a file, in a memory context of its own until
 * bucket_input_close().
 */
BucketInput *
bucket_input_open(Bucket *bucket, const char *key, const BucketSource *source)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo bucket input",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	BucketInput *input = palloc0(sizeof(BucketInput));

	input->context = context;
	input->record_context = AllocSetContextCreate(context,
												  "dynamo bucket record",
												  ALLOCSET_DEFAULT_SIZES);
	input->bucket = bucket;
	input->key = pstrdup(key);
	input->source = source;
	input->reader = bucket_reader_open(bucket, key, source->compression);
	initStringInfo(&input->raw);
	if (source->format == BUCKET_CSV)
		bucket_csv_init(&input->csv, source->delimiter);
	else
		input->has_header = true;
	MemoryContextSwitchTo(caller);
	return input;
}

/*
 * Close the file and free all that was read.
 */
void
bucket_input_close(BucketInput *input)
{
	MemoryContextDelete(input->context);
}

/*
 * What reads the lines, to set its limit and to ask how far it is.
 */
BucketReader *
bucket_input_reader(const BucketInput *input)
{
	return input->reader;
}

/*
 * The names of the columns: as given, or the file's first record.  A file
 * without any has no columns.  False: the reader has paused.
 */
static bool
read_header(BucketInput *input)
{
	MemoryContext context = CurrentMemoryContext;
	BucketRecord record;
	const char *problem;

	PG_TRY();
	{
		if (input->source->header != NIL)
			input->header = input->source->header;
		else if (read_text(input, &record, &problem))
		{
			if (problem || input->csv.problem)
				dynamo_error(DYNAMO_VALIDATION, "%s",
							 problem ? problem : input->csv.problem);
			MemoryContextSwitchTo(input->context);
			input->header = bucket_csv_header(&input->csv);
			MemoryContextSwitchTo(context);
		}
		bucket_csv_check_header(input->header);
	}
	PG_CATCH();
	{
		ErrorData  *error = dynamo_caught(DYNAMO_VALIDATION, context);

		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 bucket_rule(BUCKET_RULE_CONTENT),
				 errmsg("file \"%s\" of bucket \"%s\" has no usable header",
						input->key, input->bucket->name),
				 errdetail_internal("%s", error->message)));
	}
	PG_END_TRY();
	input->records = 0;
	input->has_header = input->header != NIL ||
		!bucket_reader_paused(input->reader);
	return input->has_header;
}

/*
 * Pass over so many records, by reading them.  Returns how many it were: fewer
 * at the end of the file, or when the reader has paused.
 */
int64
bucket_input_skip(BucketInput *input, int64 nrecords)
{
	BucketRecord record;
	const char *problem;
	int64		skipped = 0;

	if (!input->has_header && !read_header(input))
		return 0;
	while (skipped < nrecords && read_text(input, &record, &problem))
		skipped++;
	return skipped;
}

/*
 * The next record; false: there is none, or the reader has paused.  What is no
 * item is no error but a record with a problem.  An error where a CSV file has
 * no usable header.
 */
bool
bucket_input_next(BucketInput *input, BucketRecord *record)
{
	const char *problem;

	if (!input->has_header && !read_header(input))
		return false;
	if (!read_text(input, record, &problem))
		return false;
	record->problem = problem;
	if (problem == NULL)
		try_item(input, record);
	return true;
}

/*
 * The next line, and which one it is.  The mark that some programs put before
 * text in UTF-8 is no part of the first.
 */
static bool
read_line(BucketInput *input, BucketLine *line)
{
	static const char mark[] = "\xEF\xBB\xBF";

	if (!bucket_read_line(input->reader, line))
		return false;
	if (input->lines++ == 0 && line->len >= 3 &&
		memcmp(line->text, mark, 3) == 0)
	{
		line->text += 3;
		line->len -= 3;
	}
	return true;
}

static bool
is_blank(const BucketLine *line)
{
	for (size_t i = 0; i < line->len; i++)
	{
		if (line->text[i] != ' ' && line->text[i] != '\t')
			return false;
	}
	return true;
}

/*
 * The next record's text, or what is wrong with that; false: there is none, or
 * the reader has paused.  Lines without anything are skipped.
 */
static bool
read_text(BucketInput *input, BucketRecord *record, const char **problem)
{
	BucketLine	line = input->rest;

	while (!input->unfinished && is_blank(&line))
	{
		CHECK_FOR_INTERRUPTS();
		input->rest.len = 0;
		if (!read_line(input, &line))
			return false;
		input->line = input->lines;
	}
	if (input->source->format == BUCKET_CSV &&
		!read_record_lines(input, &line))
		return false;
	if (input->source->format == BUCKET_DYNAMODB_JSON && !line.too_long)
		split_line(input, &line);
	memset(record, 0, sizeof(BucketRecord));
	record->number = ++input->records;
	record->line = input->line;
	record->text = line.text;
	record->len = line.len;
	*problem = NULL;
	if (line.too_long)
		*problem = _("The line is too long");
	else if (!pg_verify_mbstr(PG_UTF8, line.text, line.len, true))
		*problem = _("The record is not text in UTF-8");
	return true;
}

/*
 * Objects need no line of their own: take the first from what is left of a
 * line.  What does not begin as an object is one record to the end of the
 * line.
 */
static void
split_line(BucketInput *input, BucketLine *line)
{
	size_t		len = bucket_json_object(line->text, line->len);

	input->rest = *line;
	input->rest.text += len;
	input->rest.len -= len;
	line->len = len;
}

/*
 * A CSV record that begins with a line, or goes on after a pause.  If it takes
 * more lines, they become one.  False: the reader has paused within it.
 */
static bool
read_record_lines(BucketInput *input, BucketLine *line)
{
	bool		ended = false;

	if (!input->unfinished)
	{
		BucketLine	first = *line;

		bucket_csv_begin(&input->csv);
		if (bucket_csv_line(&input->csv, line))
			return true;
		resetStringInfo(&input->raw);
		appendBinaryStringInfo(&input->raw, first.text, first.len);
	}
	while (!ended && read_line(input, line))
	{
		ended = bucket_csv_line(&input->csv, line);
		appendStringInfoChar(&input->raw, '\n');
		appendBinaryStringInfo(&input->raw, line->text, line->len);
	}
	input->unfinished = !ended && bucket_reader_paused(input->reader);
	if (input->unfinished)
		return false;
	if (!ended)
		input->csv.problem = _("a quote is not closed");
	line->text = input->raw.data;
	line->len = input->raw.len;
	line->too_long = false;
	return true;
}

/*
 * Read the record's item, or say why it is none.
 */
static void
try_item(BucketInput *input, BucketRecord *record)
{
	MemoryContext caller = CurrentMemoryContext;

	MemoryContextReset(input->record_context);
	MemoryContextSwitchTo(input->record_context);
	PG_TRY();
	{
		Item	   *item = read_item(input, record);

		MemoryContextSwitchTo(caller);
		record->item = item_copy(item);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(input->record_context);
		error = CopyErrorData();
		if (!is_about_text(error))
			PG_RE_THROW();
		FlushErrorState();
		MemoryContextSwitchTo(caller);
		record->problem = error->message;
	}
	PG_END_TRY();
}

static Item *
read_item(BucketInput *input, const BucketRecord *record)
{
	switch (input->source->format)
	{
		case BUCKET_DYNAMODB_JSON:
			return bucket_json_read(record->text, record->len);
		case BUCKET_ION:
			return bucket_ion_read(record->text, record->len);
		case BUCKET_CSV:
			return bucket_csv_item(&input->csv, input->header, input->source);
	}
	return NULL;				/* keep compiler quiet */
}

/*
 * Is the error about what was read, and nothing else?  Nothing but memory is
 * held while a record is read, so there is nothing to clean up after one.
 */
static bool
is_about_text(const ErrorData *error)
{
	DynamoException e;

	if (error->sqlerrcode == ERRCODE_PROGRAM_LIMIT_EXCEEDED)
		return true;
	return dynamo_exception_of(error->sqlerrcode, &e) &&
		(e == DYNAMO_VALIDATION || e == DYNAMO_SERIALIZATION);
}
