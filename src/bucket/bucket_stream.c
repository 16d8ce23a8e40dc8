/*-------------------------------------------------------------------------
 *
 * bucket_stream.c
 *	  The bytes of a file, decompressed on the way.
 *
 * A file may be several compressed ones, one behind another, as gzip and zstd
 * allow.  It must be a whole number of them.  Otherwise a file that was cut
 * short would pass for one with fewer items.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <zlib.h>
#include <zstd.h>

#include "bucket/bucket_internal.h"
#include "miscadmin.h"

/* 2 to this is the longest distance that ZSTD may look back over: 128 MB. */
#define MAX_WINDOW		27

/* What zlib takes for: as large a window as there is, and gzip's header. */
#define GZIP_WINDOW		(MAX_WBITS + 16)

/* Bytes that tell how a file is compressed. */
#define MAGIC			4

struct BucketStream
{
	Bucket	   *bucket;
	char	   *key;
	BucketCompression compression;
	BucketIn   *file;
	char	   *chunk;			/* what was read of it */
	size_t		chunk_len;
	size_t		chunk_used;
	bool		at_end;			/* of the file */
	bool		complete;		/* it could end here */
	int64		stored;			/* bytes read of it */
	char		first[MAGIC];	/* the first of them */
	z_stream	gzip;
	bool		gzip_begun;
	ZSTD_DCtx  *zstd;
	MemoryContextCallback callback;
};

static void begin_inflating(BucketStream *stream);
static void end(void *stream);
static void fill(BucketStream *stream);
static size_t take(BucketStream *stream, char *buffer, size_t size);
static size_t take_gzip(BucketStream *stream, char *buffer, size_t size);
static size_t take_zstd(BucketStream *stream, char *buffer, size_t size);
static bool is_compressed(const BucketStream *stream);
static void damaged(BucketStream *stream, const char *detail)
			pg_attribute_noreturn();

/*
 * In the current context.  See bucket_internal.h.
 */
BucketStream *
bucket_stream_open(Bucket *bucket, const char *key,
				   BucketCompression compression)
{
	BucketStream *stream = palloc0(sizeof(BucketStream));

	stream->bucket = bucket;
	stream->key = pstrdup(key);
	stream->compression = compression;
	stream->chunk = palloc(BUCKET_CHUNK);
	stream->callback.func = end;
	stream->callback.arg = stream;
	MemoryContextRegisterResetCallback(CurrentMemoryContext,
									   &stream->callback);
	bucket_check_key(key);
	stream->file = bucket->ops->open(bucket, key);
	begin_inflating(stream);
	return stream;
}

static void
begin_inflating(BucketStream *stream)
{
	switch (stream->compression)
	{
		case BUCKET_NONE:
			stream->complete = true;
			return;
		case BUCKET_GZIP:
			stream->gzip_begun = inflateInit2(&stream->gzip,
											  GZIP_WINDOW) == Z_OK;
			if (stream->gzip_begun)
				return;
			break;
		case BUCKET_ZSTD:
			stream->zstd = ZSTD_createDCtx();
			if (stream->zstd != NULL &&
				!ZSTD_isError(ZSTD_DCtx_setParameter(stream->zstd,
													 ZSTD_d_windowLogMax,
													 MAX_WINDOW)))
				return;
			break;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory")));
}

static void
end(void *arg)
{
	BucketStream *stream = arg;

	if (stream->gzip_begun)
		(void) inflateEnd(&stream->gzip);
	if (stream->zstd)
		(void) ZSTD_freeDCtx(stream->zstd);
}

/*
 * Fill the buffer with content; less than "size" at the end.  Can be
 * cancelled.
 */
size_t
bucket_stream_read(BucketStream *stream, char *buffer, size_t size)
{
	size_t		len = 0;

	while (len < size)
	{
		size_t		taken;

		CHECK_FOR_INTERRUPTS();
		if (stream->chunk_used == stream->chunk_len && !stream->at_end)
			fill(stream);
		if (stream->chunk_used == stream->chunk_len && stream->complete)
			break;
		taken = take(stream, buffer + len, size - len);
		if (taken == 0 && stream->at_end && !stream->complete)
			damaged(stream, _("It is cut short."));
		len += taken;
	}
	return len;
}

/*
 * Bytes read of the file as it is stored.
 */
int64
bucket_stream_stored(const BucketStream *stream)
{
	return stream->stored;
}

/*
 * Read the next chunk of the file.
 */
static void
fill(BucketStream *stream)
{
	size_t		len = stream->bucket->ops->read(stream->file, stream->chunk,
												BUCKET_CHUNK);

	stream->chunk_len = len;
	stream->chunk_used = 0;
	stream->at_end = len == 0;
	if (stream->stored < MAGIC)
		memcpy(stream->first + stream->stored, stream->chunk,
			   Min(len, MAGIC - stream->stored));
	stream->stored += len;
}

/*
 * Turn some of the chunk into bytes for the caller.  0: it takes more of the
 * file for one.
 */
static size_t
take(BucketStream *stream, char *buffer, size_t size)
{
	size_t		len;

	if (stream->compression == BUCKET_GZIP)
		return take_gzip(stream, buffer, size);
	if (stream->compression == BUCKET_ZSTD)
		return take_zstd(stream, buffer, size);
	len = Min(size, stream->chunk_len - stream->chunk_used);
	memcpy(buffer, stream->chunk + stream->chunk_used, len);
	stream->chunk_used += len;
	return len;
}

static size_t
take_gzip(BucketStream *stream, char *buffer, size_t size)
{
	z_stream   *gzip = &stream->gzip;
	int			result;

	if (stream->complete && inflateReset(gzip) != Z_OK)
		damaged(stream, _("It is not compressed by gzip."));
	gzip->next_in = (Bytef *) stream->chunk + stream->chunk_used;
	gzip->avail_in = stream->chunk_len - stream->chunk_used;
	gzip->next_out = (Bytef *) buffer;
	gzip->avail_out = size;
	result = inflate(gzip, Z_NO_FLUSH);
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		damaged(stream, gzip->msg ? gzip->msg :
				_("It is not compressed by gzip."));
	stream->complete = result == Z_STREAM_END;
	stream->chunk_used = stream->chunk_len - gzip->avail_in;
	return size - gzip->avail_out;
}

static size_t
take_zstd(BucketStream *stream, char *buffer, size_t size)
{
	ZSTD_inBuffer in = {stream->chunk, stream->chunk_len, stream->chunk_used};
	ZSTD_outBuffer out = {buffer, size, 0};
	size_t		result = ZSTD_decompressStream(stream->zstd, &out, &in);

	if (ZSTD_isError(result))
		damaged(stream, ZSTD_getErrorName(result));
	stream->complete = result == 0;
	stream->chunk_used = in.pos;
	return out.pos;
}

/*
 * Does the file begin as its compression has it?  ZSTD's may begin with a
 * frame that is to be skipped.
 */
static bool
is_compressed(const BucketStream *stream)
{
	const unsigned char *first = (const unsigned char *) stream->first;

	if (stream->compression == BUCKET_GZIP)
		return first[0] == 0x1F && first[1] == 0x8B;
	return memcmp(first, "\x28\xB5\x2F\xFD", MAGIC) == 0 ||
		((first[0] & 0xF0) == 0x50 && memcmp(first + 1, "\x2A\x4D\x18", 3) == 0);
}

static void
damaged(BucketStream *stream, const char *detail)
{
	if (!is_compressed(stream))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 bucket_rule(BUCKET_RULE_COMPRESSION),
				 errmsg("file \"%s\" of bucket \"%s\" is not compressed by %s",
						stream->key, stream->bucket->name,
						stream->compression == BUCKET_GZIP ? "GZIP" : "ZSTD")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 bucket_rule(BUCKET_RULE_CONTENT),
			 errmsg("file \"%s\" of bucket \"%s\" is damaged", stream->key,
					stream->bucket->name),
			 errdetail_internal("%s", detail)));
}
