/*-------------------------------------------------------------------------
 *
 * bucket_open.c
 *	  Buckets, whatever they are: opened, and asked for their files.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"

/* What an export writes beside its data. */
static const char *const manifests[] = {
	"_started",
	"manifest-files.checksum",
	"manifest-files.json",
	"manifest-files.md5",
	"manifest-summary.checksum",
	"manifest-summary.json",
	"manifest-summary.md5",
};

static int	file_order(const ListCell *a, const ListCell *b);
static bool is_manifest(const char *key);

/*
 * Called once a process: defines the setting.
 */
void
bucket_init(void)
{
	bucket_folder_init();
	bucket_store_init();
}

/*
 * Open a bucket as the current role, which must be allowed that use
 * (bucket_check_use()).  An error where it is not, or there is none.
 */
Bucket *
bucket_open(const char *name, BucketUse use)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo bucket",
												  ALLOCSET_SMALL_SIZES);
	Oid			server = bucket_check_use(name, use);
	Bucket	   *bucket;

	bucket = OidIsValid(server) ?
		bucket_store_open(name, server, use == BUCKET_TIDY, context) :
		bucket_folder_open(name, context);
	bucket->context = context;
	return bucket;
}

/*
 * Close it and what is open in it.
 */
void
bucket_close(Bucket *bucket)
{
	MemoryContextDelete(bucket->context);
}

/*
 * Is there a file, or whatever, of that name?
 */
bool
bucket_has(Bucket *bucket, const char *key)
{
	bucket_check_key(key);
	return bucket->ops->has(bucket, key);
}

/*
 * Remove a file, what a writer of it has left that ended with the server, and
 * the folders that are empty then.  Nothing happens if there is no file.
 */
void
bucket_remove(Bucket *bucket, const char *key)
{
	bucket_check_key(key);
	bucket->ops->remove(bucket, key);
}

static int
file_order(const ListCell *a, const ListCell *b)
{
	const BucketFile *first = lfirst(a);
	const BucketFile *second = lfirst(b);

	return strcmp(first->key, second->key);
}

/*
 * The files whose keys begin with "prefix" ("": all), ordered by key bytewise.
 * As in S3, "a/b" is a prefix of "a/bc".  Left out are files being written,
 * and those that hold no data: the manifests of an export and its mark
 * "_started".  Raises an error where there are more than BUCKET_MAX_FILES.
 */
List *
bucket_list_data(Bucket *bucket, const char *prefix)
{
	List	   *files;
	ListCell   *lc;

	bucket_check_prefix(prefix);
	files = bucket->ops->list(bucket, prefix);
	list_sort(files, file_order);
	foreach(lc, files)
	{
		if (is_manifest(((BucketFile *) lfirst(lc))->key))
			files = foreach_delete_current(files, lc);
	}
	return files;
}

static bool
is_manifest(const char *key)
{
	const char *slash = strrchr(key, '/');

	for (int i = 0; i < lengthof(manifests); i++)
	{
		if (strcmp(slash ? slash + 1 : key, manifests[i]) == 0)
			return true;
	}
	return false;
}
