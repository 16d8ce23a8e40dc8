/*-------------------------------------------------------------------------
 *
 * bucket_folder.c
 *	  Buckets that are folders in dynamo.bucket_directory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "bucket/bucket_folder.h"
#include "common/string.h"
#include "miscadmin.h"
#include "utils/guc.h"

/* A setting: absolute; "": there are no buckets */
static char *bucket_directory;

static bool check_directory(char **newval, void **extra, GucSource source);

static const BucketOps folder_ops = {
	.list = folder_list,
	.has = folder_has,
	.remove = folder_remove,
	.open = folder_in_open,
	.read = folder_in_read,
	.create = folder_out_create,
	.write = folder_out_write,
	.finish = folder_out_finish
};

/*
 * Called once a process: defines dynamo.bucket_directory.
 */
void
bucket_folder_init(void)
{
	DefineCustomStringVariable("dynamo.bucket_directory",
							   "Directory whose folders stand for buckets of S3, for exports and imports.",
							   "An absolute path outside the data directory. Empty means that there are no buckets.",
							   &bucket_directory, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   check_directory, NULL, NULL);
}

static bool
check_directory(char **newval, void **extra, GucSource source)
{
	if ((*newval)[0] == '\0')
		return true;
	canonicalize_path(*newval);
	if (!is_absolute_path(*newval))
	{
		GUC_check_errdetail("The path must be absolute.");
		return false;
	}
	if (DataDir && path_is_prefix_of_path(DataDir, *newval))
	{
		GUC_check_errdetail("The directory must not be in the data directory.");
		return false;
	}
	return true;
}

/*
 * Is there a folder of that name, or anything that might be one?
 */
bool
bucket_folder_exists(const char *name)
{
	struct stat st;
	BucketHandle *directory;
	bool		found;

	if (bucket_directory[0] == '\0' || !bucket_is_name(name))
		return false;
	directory = bucket_handle(CurrentMemoryContext);
	found = bucket_handle_open(directory, AT_FDCWD, bucket_directory,
							   O_RDONLY | O_DIRECTORY) &&
		fstatat(directory->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	bucket_handle_close(directory);
	return found;
}

/*
 * Open the folder of that name in dynamo.bucket_directory, in "context".  An
 * error if there is none, or it is one of the server's own.
 */
Bucket *
bucket_folder_open(const char *name, MemoryContext context)
{
	FolderBucket *bucket = MemoryContextAllocZero(context,
												  sizeof(FolderBucket));
	BucketHandle *directory = bucket_handle(context);

	bucket->base.ops = &folder_ops;
	bucket->base.name = MemoryContextStrdup(context, name);
	bucket->folder = bucket_handle(context);
	if (bucket_directory[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 bucket_rule(BUCKET_RULE_EXISTS),
				 errmsg("bucket \"%s\" does not exist", name),
				 errdetail("Setting \"dynamo.bucket_directory\" is empty.")));
	if (!bucket_is_name(name) ||
		!bucket_handle_open(directory, AT_FDCWD, bucket_directory,
							O_RDONLY | O_DIRECTORY) ||
		!bucket_handle_open(bucket->folder, directory->fd, name, FOLDER_FLAGS))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 bucket_rule(BUCKET_RULE_EXISTS),
				 errmsg("bucket \"%s\" does not exist", name),
				 errdetail("A bucket is a folder in \"dynamo.bucket_directory\" that the server can read.")));
	folder_check(bucket, "", bucket->folder);
	bucket_handle_close(directory);
	return &bucket->base;
}
