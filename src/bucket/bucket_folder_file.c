/*-------------------------------------------------------------------------
 *
 * bucket_folder_file.c
 *	  Reading and writing files of a folder.
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

#include "bucket/bucket_folder.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "utils/wait_event.h"

typedef struct FolderIn
{
	BucketIn	base;
	BucketHandle *file;
} FolderIn;

typedef struct FolderOut
{
	BucketOut	base;
	const char *name;			/* the last part of the key */
	char	   *temporary;		/* the name it has while it is written */
	BucketHandle *folder;
	BucketHandle *file;			/* open: "temporary" is there */
	MemoryContextCallback callback;
} FolderOut;

static FolderBucket *bucket_of(const FolderOut *file);
static void remove_temporary(void *file);
static void check_temporary(FolderOut *file);
static void write_etag(char *etag, const uint8 *md5);

/*
 * See BucketOps.
 */
BucketIn *
folder_in_open(Bucket *bucket, const char *key)
{
	FolderIn   *file = palloc(sizeof(FolderIn));

	file->base.bucket = bucket;
	file->base.key = pstrdup(key);
	file->file = bucket_handle(CurrentMemoryContext);
	folder_open_file((FolderBucket *) bucket, key, file->file);
	return &file->base;
}

/*
 * See BucketOps.
 */
size_t
folder_in_read(BucketIn *in, char *buffer, size_t size)
{
	FolderIn   *file = (FolderIn *) in;
	ssize_t		len;

	pgstat_report_wait_start(PG_WAIT_EXTENSION);
	do
	{
		len = read(file->file->fd, buffer, size);
	} while (len < 0 && errno == EINTR);
	pgstat_report_wait_end();
	if (len < 0)
		folder_error((FolderBucket *) in->bucket, in->key, "read");
	return len;
}

/*
 * See BucketOps.  A file left by a writer that ended with the server is in the
 * way, and is removed.
 */
BucketOut *
folder_out_create(Bucket *bucket, const char *key)
{
	FolderOut  *file = palloc0(sizeof(FolderOut));

	file->base.bucket = bucket;
	file->base.key = pstrdup(key);
	file->folder = bucket_handle(CurrentMemoryContext);
	file->file = bucket_handle(CurrentMemoryContext);
	file->callback.func = remove_temporary;
	file->callback.arg = file;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &file->callback);
	if (!folder_walk(bucket_of(file), file->base.key, true, file->folder,
					 &file->name))
		folder_error(bucket_of(file), key, "create");
	file->temporary = psprintf(BUCKET_TEMPORARY "%s", file->name);
	if ((unlinkat(file->folder->fd, file->temporary, 0) != 0 &&
		 errno != ENOENT) ||
		!bucket_handle_open(file->file, file->folder->fd, file->temporary,
							O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW))
		folder_error(bucket_of(file), key, "create");
	return &file->base;
}

static FolderBucket *
bucket_of(const FolderOut *file)
{
	return (FolderBucket *) file->base.bucket;
}

/*
 * With the writer's memory: what is not finished goes.
 */
static void
remove_temporary(void *arg)
{
	FolderOut  *file = arg;

	if (file->file->fd >= 0)
		(void) unlinkat(file->folder->fd, file->temporary, 0);
}

/*
 * See BucketOps.
 */
void
folder_out_write(BucketOut *out, const char *data, size_t len)
{
	FolderOut  *file = (FolderOut *) out;
	size_t		done = 0;

	while (done < len)
	{
		ssize_t		written;

		CHECK_FOR_INTERRUPTS();
		errno = 0;
		pgstat_report_wait_start(PG_WAIT_EXTENSION);
		written = write(file->file->fd, data + done, len - done);
		pgstat_report_wait_end();
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
		{
			/* if write didn't set errno, assume problem is no disk space */
			if (errno == 0)
				errno = ENOSPC;
			folder_error(bucket_of(file), out->key, "write");
		}
		done += written;
	}
}

/*
 * See BucketOps.
 */
void
folder_out_finish(BucketOut *out, const uint8 *md5, char *etag)
{
	FolderOut  *file = (FolderOut *) out;

	if (pg_fsync(file->file->fd) != 0)
		folder_error(bucket_of(file), out->key, "fsync");
	check_temporary(file);
	if (renameat(file->folder->fd, file->temporary,
				 file->folder->fd, file->name) != 0)
		folder_error(bucket_of(file), out->key, "rename");
	bucket_handle_close(file->file);
	if (pg_fsync(file->folder->fd) != 0)
		folder_error(bucket_of(file), out->key, "fsync");
	write_etag(etag, md5);
}

/*
 * Is what has the temporary name still what was written?  Another writer of
 * the same key may have removed it, or somebody who can write to the folder.
 */
static void
check_temporary(FolderOut *file)
{
	struct stat ours;
	struct stat theirs;

	if (fstat(file->file->fd, &ours) != 0 ||
		fstatat(file->folder->fd, file->temporary, &theirs,
				AT_SYMLINK_NOFOLLOW) != 0)
		folder_error(bucket_of(file), file->base.key, "stat");
	if (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("file \"%s\" of bucket \"%s\" is being written by another process",
						file->base.key, file->base.bucket->name)));
}

/*
 * S3 gives an upload in parts the MD5 of their MD5s, and their number.
 */
static void
write_etag(char *etag, const uint8 *md5)
{
	uint8		md5_of_parts[ITEM_MD5_BYTES];
	ItemMd5		parts;

	item_md5_init(&parts);
	item_md5_update(&parts, md5, ITEM_MD5_BYTES);
	item_md5_final(&parts, md5_of_parts);
	for (int i = 0; i < ITEM_MD5_BYTES; i++)
		sprintf(etag + 2 * i, "%02x", md5_of_parts[i]);
	strcpy(etag + 2 * ITEM_MD5_BYTES, "-1");
}
