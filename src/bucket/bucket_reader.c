/*-------------------------------------------------------------------------
 *
 * bucket_reader.c
 *	  The lines of a file.
 *
 * The buffer holds a line and whatever was read behind it.  It grows with the
 * longest line, up to a limit; the rest of a line beyond it is read over.
 *
 * A few bytes can be compressed gigabytes.  So a reader may be told how far to
 * read; there it stops, be it within a line, and goes on from there when it is
 * told to read farther.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"

/* What is shown of a line that is too long. */
#define SHOWN	1024

struct BucketReader
{
	MemoryContext context;		/* all that is its own */
	BucketStream *stream;
	char	   *buffer;
	size_t		size;
	size_t		start;			/* of what is not read yet, in the buffer */
	size_t		end;
	bool		skipping;		/* the rest of a line that is too long */
	bool		at_end;			/* nothing comes behind the buffer */
	bool		paused;			/* the last call has met the limit */
	int64		content;		/* bytes read so far */
	int64		limit;			/* to read no more from there on; 0: none */
};

static const char *find_end(BucketReader *reader);
static bool read_more(BucketReader *reader);
static bool skip_rest(BucketReader *reader);

/*
 * The lines of a file, in a memory context of its own.  An error if there is
 * no such file, or it cannot be read.
 */
BucketReader *
bucket_reader_open(Bucket *bucket, const char *key,
				   BucketCompression compression)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo bucket reader",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	BucketReader *reader = palloc0(sizeof(BucketReader));

	reader->context = context;
	reader->size = BUCKET_CHUNK;
	reader->buffer = palloc(reader->size);
	reader->stream = bucket_stream_open(bucket, key, compression);
	MemoryContextSwitchTo(caller);
	return reader;
}

/*
 * Bytes read of the file as it is stored.
 */
int64
bucket_reader_stored(const BucketReader *reader)
{
	return bucket_stream_stored(reader->stream);
}

/*
 * Bytes read of its content.
 */
int64
bucket_reader_content(const BucketReader *reader)
{
	return reader->content;
}

/*
 * Read no more once so many bytes of content have been read; 0: all of them.
 * Where bucket_read_line() returns false for that, the reader has paused, and
 * goes on from there when the limit is another.
 */
void
bucket_reader_limit(BucketReader *reader, int64 content)
{
	reader->limit = content;
}

/*
 * Was the end that bucket_read_line() met that of the limit?
 */
bool
bucket_reader_paused(const BucketReader *reader)
{
	return reader->paused;
}

/*
 * The next line, ended by LF or CR LF; false: there is none.  Can be
 * cancelled.
 */
bool
bucket_read_line(BucketReader *reader, BucketLine *line)
{
	const char *end;

	reader->paused = false;
	if (reader->skipping && !skip_rest(reader))
		return false;
	end = find_end(reader);
	if (reader->paused)
		return false;
	memset(line, 0, sizeof(BucketLine));
	line->text = reader->buffer + reader->start;
	line->len = (end ? end : reader->buffer + reader->end) - line->text;
	if (end == NULL && line->len == 0)
		return false;
	if (line->len > BUCKET_MAX_LINE)
	{
		line->too_long = true;
		line->len = SHOWN;
		reader->skipping = true;
		return true;
	}
	reader->start += line->len + (end ? 1 : 0);
	if (line->len > 0 && line->text[line->len - 1] == '\r')
	{
		line->crlf = true;
		line->len--;
	}
	return true;
}

/*
 * Where the line that begins at "start" ends, reading as much as that takes;
 * NULL: nowhere in the file, or beyond the limit.
 */
static const char *
find_end(BucketReader *reader)
{
	size_t		searched = 0;

	for (;;)
	{
		const char *from = reader->buffer + reader->start + searched;
		size_t		len = reader->end - reader->start - searched;
		const char *end = len > 0 ? memchr(from, '\n', len) : NULL;

		if (end != NULL)
			return end;
		searched += len;
		if (searched > BUCKET_MAX_LINE || !read_more(reader))
			return NULL;
	}
}

/*
 * Read more behind what is in the buffer; false: there is no more, or it is
 * beyond the limit.
 */
static bool
read_more(BucketReader *reader)
{
	size_t		len;

	if (reader->at_end)
		return false;
	reader->paused = reader->limit > 0 && reader->content >= reader->limit;
	if (reader->paused)
		return false;
	memmove(reader->buffer, reader->buffer + reader->start,
			reader->end - reader->start);
	reader->end -= reader->start;
	reader->start = 0;
	if (reader->end == reader->size)
	{
		reader->size *= 2;
		reader->buffer = repalloc(reader->buffer, reader->size);
	}
	len = bucket_stream_read(reader->stream, reader->buffer + reader->end,
							 reader->size - reader->end);
	reader->at_end = len < reader->size - reader->end;
	reader->end += len;
	reader->content += len;
	return len > 0;
}

/*
 * Read over the rest of a line that is too long, its end included; false:
 * there is more of it beyond the limit.
 */
static bool
skip_rest(BucketReader *reader)
{
	const char *end;

	do
	{
		end = memchr(reader->buffer + reader->start, '\n',
					 reader->end - reader->start);
		reader->start = end ? end + 1 - reader->buffer : reader->end;
	} while (end == NULL && read_more(reader));
	reader->skipping = reader->paused;
	return !reader->paused;
}
