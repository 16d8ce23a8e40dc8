/*-------------------------------------------------------------------------
 *
 * bucket_writer.c
 *	  Writing files of a bucket, compressed or not.
 *
 * As with S3, a file is there as a whole or not at all: it is written under
 * another name, and gets its own when it is on disk.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "bucket/bucket_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"

/* As for BucketStream. */
#define GZIP_WINDOW		(MAX_WBITS + 16)
#define GZIP_MEMORY		8		/* zlib's default */

struct BucketWriter
{
	MemoryContext context;		/* all that is its own */
	Bucket	   *bucket;
	char	   *key;
	const char *name;			/* its last part */
	char	   *temporary;		/* the name it has while it is written */
	BucketHandle *folder;
	BucketHandle *file;			/* open: "temporary" is there */
	BucketCompression compression;
	z_stream	gzip;
	bool		gzip_begun;
	char	   *chunk;			/* what is to be written */
	size_t		chunk_len;
	int64		size;			/* bytes written */
	ItemMd5		md5;			/* of them */
	MemoryContextCallback callback;
};

static void create(BucketWriter *writer);
static void end(void *writer);
static void compress_some(BucketWriter *writer, const void *data, size_t len,
						  int flush);
static void write_chunk(BucketWriter *writer);
static void check_temporary(BucketWriter *writer);
static void fill_digest(BucketWriter *writer, BucketDigest *digest);

/*
 * See bucket.h.
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
	writer->key = pstrdup(key);
	writer->compression = compression;
	writer->chunk = palloc(BUCKET_CHUNK);
	writer->folder = bucket_handle(context);
	writer->file = bucket_handle(context);
	writer->callback.func = end;
	writer->callback.arg = writer;
	MemoryContextRegisterResetCallback(context, &writer->callback);
	item_md5_init(&writer->md5);
	create(writer);
	MemoryContextSwitchTo(caller);
	return writer;
}

/*
 * A file left by a writer that ended with the server is in the way, and is
 * removed.
 */
static void
create(BucketWriter *writer)
{
	if (!bucket_open_folder(writer->bucket, writer->key, true, writer->folder,
							&writer->name))
		bucket_file_error(writer->bucket, writer->key, "create");
	writer->temporary = psprintf(BUCKET_TEMPORARY "%s", writer->name);
	if ((unlinkat(writer->folder->fd, writer->temporary, 0) != 0 &&
		 errno != ENOENT) ||
		!bucket_handle_open(writer->file, writer->folder->fd, writer->temporary,
							O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW))
		bucket_file_error(writer->bucket, writer->key, "create");
	if (writer->compression != BUCKET_GZIP)
		return;
	if (deflateInit2(&writer->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
					 GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	writer->gzip_begun = true;
}

/*
 * With the writer's memory: what is not finished goes.
 */
static void
end(void *arg)
{
	BucketWriter *writer = arg;

	if (writer->gzip_begun)
		(void) deflateEnd(&writer->gzip);
	if (writer->file->fd >= 0)
		(void) unlinkat(writer->folder->fd, writer->temporary, 0);
}

/*
 * See bucket.h.
 */
void
bucket_writer_abandon(BucketWriter *writer)
{
	MemoryContextDelete(writer->context);
}

/*
 * See bucket.h.
 */
int64
bucket_writer_size(const BucketWriter *writer)
{
	return writer->size + writer->chunk_len;
}

/*
 * See bucket.h.
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
	size_t		done = 0;

	while (done < writer->chunk_len)
	{
		ssize_t		len;

		CHECK_FOR_INTERRUPTS();
		errno = 0;
		pgstat_report_wait_start(PG_WAIT_EXTENSION);
		len = write(writer->file->fd, writer->chunk + done,
					writer->chunk_len - done);
		pgstat_report_wait_end();
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
		{
			/* if write didn't set errno, assume problem is no disk space */
			if (errno == 0)
				errno = ENOSPC;
			bucket_file_error(writer->bucket, writer->key, "write");
		}
		done += len;
	}
	item_md5_update(&writer->md5, writer->chunk, writer->chunk_len);
	writer->size += writer->chunk_len;
	writer->chunk_len = 0;
}

/*
 * See bucket.h.
 */
void
bucket_writer_finish(BucketWriter *writer, BucketDigest *digest)
{
	if (writer->compression == BUCKET_GZIP)
		compress_some(writer, NULL, 0, Z_FINISH);
	write_chunk(writer);
	if (pg_fsync(writer->file->fd) != 0)
		bucket_file_error(writer->bucket, writer->key, "fsync");
	check_temporary(writer);
	if (renameat(writer->folder->fd, writer->temporary,
				 writer->folder->fd, writer->name) != 0)
		bucket_file_error(writer->bucket, writer->key, "rename");
	bucket_handle_close(writer->file);
	if (pg_fsync(writer->folder->fd) != 0)
		bucket_file_error(writer->bucket, writer->key, "fsync");
	if (digest)
		fill_digest(writer, digest);
	MemoryContextDelete(writer->context);
}

/*
 * Is what has the temporary name still what was written?  Another writer of the
 * same key may have removed it, or whoever can write to the folder.
 */
static void
check_temporary(BucketWriter *writer)
{
	struct stat ours;
	struct stat theirs;

	if (fstat(writer->file->fd, &ours) != 0 ||
		fstatat(writer->folder->fd, writer->temporary, &theirs,
				AT_SYMLINK_NOFOLLOW) != 0)
		bucket_file_error(writer->bucket, writer->key, "stat");
	if (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("file \"%s\" of bucket \"%s\" is being written by another process",
						writer->key, writer->bucket->name)));
}

/*
 * S3 gives an upload in parts the MD5 of their MD5s, and their number.
 */
static void
fill_digest(BucketWriter *writer, BucketDigest *digest)
{
	uint8		md5[ITEM_MD5_BYTES];
	uint8		md5_of_parts[ITEM_MD5_BYTES];
	ItemMd5		parts;
	StringInfoData base64;

	item_md5_final(&writer->md5, md5);
	digest->size = writer->size;
	initStringInfo(&base64);
	item_base64_append(&base64, (const char *) md5, sizeof(md5));
	strlcpy(digest->md5, base64.data, sizeof(digest->md5));
	pfree(base64.data);
	item_md5_init(&parts);
	item_md5_update(&parts, md5, sizeof(md5));
	item_md5_final(&parts, md5_of_parts);
	for (int i = 0; i < ITEM_MD5_BYTES; i++)
		sprintf(digest->etag + 2 * i, "%02x", md5_of_parts[i]);
	strcpy(digest->etag + 2 * ITEM_MD5_BYTES, "-1");
}

/*
 * See bucket.h.
 */
void
bucket_put(Bucket *bucket, const char *key, const void *data, size_t len,
		   BucketDigest *digest)
{
	BucketWriter *writer = bucket_writer_open(bucket, key, BUCKET_NONE);

	bucket_writer_append(writer, data, len);
	bucket_writer_finish(writer, digest);
}
