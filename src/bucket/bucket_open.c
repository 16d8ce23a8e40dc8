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
 * See bucket.h.
 */
void
bucket_init(void)
{
	bucket_folder_init();
}

/*
 * See bucket.h.
 */
Bucket *
bucket_open(const char *name, BucketUse use)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo bucket",
												  ALLOCSET_SMALL_SIZES);
	Bucket	   *bucket;

	bucket_check_use(name, use);
	bucket = bucket_folder_open(name, context);
	bucket->context = context;
	return bucket;
}

/*
 * See bucket.h.
 */
void
bucket_close(Bucket *bucket)
{
	MemoryContextDelete(bucket->context);
}

/*
 * See bucket.h.
 */
bool
bucket_has(Bucket *bucket, const char *key)
{
	bucket_check_key(key);
	return bucket->ops->has(bucket, key);
}

/*
 * See bucket.h.
 */
bool
bucket_remove(Bucket *bucket, const char *key)
{
	bucket_check_key(key);
	return bucket->ops->remove(bucket, key);
}

static int
file_order(const ListCell *a, const ListCell *b)
{
	const BucketFile *first = lfirst(a);
	const BucketFile *second = lfirst(b);

	return strcmp(first->key, second->key);
}

/*
 * See bucket.h.
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
