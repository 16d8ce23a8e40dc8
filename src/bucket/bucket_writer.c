/*-------------------------------------------------------------------------
 *
 * bucket_writer.c
 *	  Writing files of a bucket, compressed or not.
 *
 * What compresses and sums up is here; where the bytes go is the bucket's matter.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <zlib.h>

#include "bucket/bucket_internal.h"

/* As for BucketStream. */
#define GZIP_WINDOW		(MAX_WBITS + 16)
#define GZIP_MEMORY		8		/* zlib's default */

struct BucketWriter
{
	MemoryContext context;		/* all that is its own */
	Bucket	   *bucket;
	BucketOut  *file;
	BucketCompression compression;
	z_stream	gzip;
	bool		gzip_begun;
	char	   *chunk;			/* what is to be written */
	size_t		chunk_len;
	int64		size;			/* bytes written */
	ItemMd5		md5;			/* of them */
	MemoryContextCallback callback;
};

static void begin_deflating(BucketWriter *writer);
static void end_deflating(void *writer);
static void compress_some(BucketWriter *writer, const void *data, size_t len,
						  int flush);
static void write_chunk(BucketWriter *writer);
static void write_md5(char *text, size_t size, const uint8 *md5);

/*
 * A new file, which has its name only when bucket_writer_finish() returns.  It
 * goes with the memory context that is current now.
 */
BucketWriter *
bucket_writer_open(Bucket *bucket, const char *key,
				   BucketCompression compression)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo bucket writer",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	BucketWriter *writer = palloc0(sizeof(BucketWriter));

	Assert(compression != BUCKET_ZSTD);
	bucket_check_key(key);
	writer->context = context;
	writer->bucket = bucket;
	writer->compression = compression;
	writer->chunk = palloc(BUCKET_CHUNK);
	writer->callback.func = end_deflating;
	writer->callback.arg = writer;
	MemoryContextRegisterResetCallback(context, &writer->callback);
	item_md5_init(&writer->md5);
	begin_deflating(writer);
	writer->file = bucket->ops->create(bucket, key);
	MemoryContextSwitchTo(caller);
	return writer;
}

static void
begin_deflating(BucketWriter *writer)
{
	if (writer->compression != BUCKET_GZIP)
		return;
	if (deflateInit2(&writer->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
					 GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	writer->gzip_begun = true;
}

static void
end_deflating(void *arg)
{
	BucketWriter *writer = arg;

	if (writer->gzip_begun)
		(void) deflateEnd(&writer->gzip);
}

/*
 * Close it and remove the file.
 */
void
bucket_writer_abandon(BucketWriter *writer)
{
	MemoryContextDelete(writer->context);
}

/*
 * Bytes stored so far, about.
 */
int64
bucket_writer_size(const BucketWriter *writer)
{
	return writer->size + writer->chunk_len;
}

/*
 * Add bytes to the content.
 */
void
bucket_writer_append(BucketWriter *writer, const void *data, size_t len)
{
	const char *p = data;

	if (writer->compression == BUCKET_GZIP)
	{
		compress_some(writer, data, len, Z_NO_FLUSH);
		return;
	}
	while (len > 0)
	{
		size_t		part = Min(len, BUCKET_CHUNK - writer->chunk_len);

		memcpy(writer->chunk + writer->chunk_len, p, part);
		writer->chunk_len += part;
		p += part;
		len -= part;
		if (writer->chunk_len == BUCKET_CHUNK)
			write_chunk(writer);
	}
}

/*
 * Compress, and write what the chunk has no room for; Z_FINISH: to the end.
 */
static void
compress_some(BucketWriter *writer, const void *data, size_t len, int flush)
{
	z_stream   *gzip = &writer->gzip;
	int			result;

	gzip->next_in = (Bytef *) data;
	gzip->avail_in = len;
	do
	{
		if (writer->chunk_len == BUCKET_CHUNK)
			write_chunk(writer);
		gzip->next_out = (Bytef *) writer->chunk + writer->chunk_len;
		gzip->avail_out = BUCKET_CHUNK - writer->chunk_len;
		result = deflate(gzip, flush);
		writer->chunk_len = BUCKET_CHUNK - gzip->avail_out;
		if (result == Z_STREAM_ERROR)
			elog(ERROR, "could not compress a file of a bucket");
	} while (flush == Z_FINISH ? result != Z_STREAM_END : gzip->avail_in > 0);
}

static void
write_chunk(BucketWriter *writer)
{
	writer->bucket->ops->write(writer->file, writer->chunk, writer->chunk_len);
	item_md5_update(&writer->md5, writer->chunk, writer->chunk_len);
	writer->size += writer->chunk_len;
	writer->chunk_len = 0;
}

/*
 * The file is complete, on disk, and has its name, in place of another.
 * "digest" (NULL: not wanted) tells what was stored.
 */
void
bucket_writer_finish(BucketWriter *writer, BucketDigest *digest)
{
	uint8		md5[ITEM_MD5_BYTES];
	BucketDigest unwanted;

	if (digest == NULL)
		digest = &unwanted;
	if (writer->compression == BUCKET_GZIP)
		compress_some(writer, NULL, 0, Z_FINISH);
	write_chunk(writer);
	item_md5_final(&writer->md5, md5);
	writer->bucket->ops->finish(writer->file, md5, digest->etag);
	digest->size = writer->size;
	write_md5(digest->md5, sizeof(digest->md5), md5);
	MemoryContextDelete(writer->context);
}

static void
write_md5(char *text, size_t size, const uint8 *md5)
{
	StringInfoData base64;

	initStringInfo(&base64);
	item_base64_append(&base64, (const char *) md5, ITEM_MD5_BYTES);
	strlcpy(text, base64.data, size);
	pfree(base64.data);
}

/*
 * A file of these bytes, at once; "digest" may be NULL.
 */
void
bucket_put(Bucket *bucket, const char *key, const void *data, size_t len,
		   BucketDigest *digest)
{
	BucketWriter *writer = bucket_writer_open(bucket, key, BUCKET_NONE);

	bucket_writer_append(writer, data, len);
	bucket_writer_finish(writer, digest);
}
