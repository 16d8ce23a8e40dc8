/*-------------------------------------------------------------------------
 *
 * bucket_list.c
 *	  The files of a bucket.
 *
 * Folders are opened one at a time, whatever their depth.  The number of files
 * and folders is limited, and with it the memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "bucket/bucket_internal.h"
#include "miscadmin.h"

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

/* What a listing has found, and where it has still to look. */
typedef struct Listing
{
	Bucket	   *bucket;
	const char *prefix;
	List	   *files;			/* BucketFile * */
	List	   *folders;		/* char *: keys that end in "/", or "" */
	int			entries;		/* of both, found */
} Listing;

static List *list_files(Bucket *bucket, const char *prefix);
static void list_folder(Listing *listing, const char *path);
static List *folder_keys(Listing *listing, const char *path,
						 BucketHandle *folder);
static void list_entry(Listing *listing, const char *key, int folder,
					   const char *name);
static bool is_odd(const Listing *listing, const char *key);
static bool leads_to(const char *folder, const char *prefix);
static int	file_order(const ListCell *a, const ListCell *b);
static bool is_manifest(const char *key);

/*
 * See bucket.h.
 */
List *
bucket_list_data(Bucket *bucket, const char *prefix)
{
	List	   *files = list_files(bucket, prefix);
	ListCell   *lc;

	foreach(lc, files)
	{
		if (is_manifest(((BucketFile *) lfirst(lc))->key))
			files = foreach_delete_current(files, lc);
	}
	return files;
}

/*
 * All of them, manifests, too.
 */
static List *
list_files(Bucket *bucket, const char *prefix)
{
	Listing		listing = {bucket, prefix};
	const char *slash = strrchr(prefix, '/');

	bucket_check_prefix(prefix);
	listing.folders = list_make1(slash ? pnstrdup(prefix, slash + 1 - prefix) : "");
	while (listing.folders != NIL)
	{
		char	   *path = llast(listing.folders);

		listing.folders = list_delete_last(listing.folders);
		list_folder(&listing, path);
	}
	list_sort(listing.files, file_order);
	return listing.files;
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

/*
 * Add the files of a folder, and remember the folders in it.  One that is gone
 * has none.
 */
static void
list_folder(Listing *listing, const char *path)
{
	BucketHandle *folder = bucket_handle(CurrentMemoryContext);
	const char *rest;
	List	   *keys;
	ListCell   *lc;

	if (!bucket_open_folder(listing->bucket, path, false, folder, &rest))
		return;
	Assert(*rest == '\0');
	keys = folder_keys(listing, path, folder);
	foreach(lc, keys)
	{
		const char *key = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		list_entry(listing, key, folder->fd, key + strlen(path));
	}
	bucket_handle_close(folder);
}

/*
 * The keys of what stands in an open folder, and may have the prefix, but for
 * files being written.  The folder stays open.
 */
static List *
folder_keys(Listing *listing, const char *path, BucketHandle *folder)
{
	List	   *keys = NIL;
	struct dirent *entry;

	folder->entries = fdopendir(folder->fd);
	if (folder->entries == NULL)
		bucket_file_error(listing->bucket, path, "read");
	while (errno = 0, (entry = readdir(folder->entries)) != NULL)
	{
		char	   *key;

		CHECK_FOR_INTERRUPTS();
		if (strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0 ||
			strncmp(entry->d_name, BUCKET_TEMPORARY,
					strlen(BUCKET_TEMPORARY)) == 0)
			continue;
		key = psprintf("%s%s", path, entry->d_name);
		if (strncmp(key, listing->prefix, strlen(listing->prefix)) != 0 &&
			!leads_to(key, listing->prefix))
		{
			pfree(key);
			continue;
		}
		if (++listing->entries > BUCKET_MAX_FILES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 bucket_rule(BUCKET_RULE_FILE),
					 errmsg("too many files in bucket \"%s\"",
							listing->bucket->name),
					 errdetail("No more than %d are read.", BUCKET_MAX_FILES)));
		keys = lappend(keys, key);
	}
	if (errno != 0)
		bucket_file_error(listing->bucket, path, "read");
	return keys;
}

/*
 * Is the prefix that of a file in this folder?  "folder" lacks its slash.
 */
static bool
leads_to(const char *folder, const char *prefix)
{
	size_t		len = strlen(folder);

	return strncmp(folder, prefix, len) == 0 && prefix[len] == '/';
}

/*
 * Add a file, or remember a folder.
 */
static void
list_entry(Listing *listing, const char *key, int folder, const char *name)
{
	struct stat st;
	BucketFile *file;

	if (is_odd(listing, key))
		return;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
	{
		if (errno == ENOENT)
			return;
		bucket_file_error(listing->bucket, key, "stat");
	}
	if (S_ISDIR(st.st_mode))
	{
		listing->folders = lappend(listing->folders, psprintf("%s/", key));
		return;
	}
	file = palloc(sizeof(BucketFile));
	file->key = pstrdup(key);
	file->size = st.st_size;
	listing->files = lappend(listing->files, file);
}

/*
 * Pass over what no key leads to: on S3 it would not be there.
 */
static bool
is_odd(const Listing *listing, const char *key)
{
	const char *fault = bucket_key_fault(key);
	StringInfoData shown;

	if (fault == NULL)
		return false;
	initStringInfo(&shown);
	for (const char *p = key; *p != '\0'; p++)
	{
		if (*p >= ' ' && *p != '\\' && *p != '\177')
			appendStringInfoChar(&shown, *p);
		else
			appendStringInfo(&shown, "\\%03o", (unsigned char) *p);
	}
	ereport(WARNING,
			(errcode(ERRCODE_INVALID_NAME),
			 errmsg("file \"%s\" of bucket \"%s\" is passed over: its name is no key",
					shown.data, listing->bucket->name),
			 errdetail_internal("%s", fault)));
	return true;
}

static int
file_order(const ListCell *a, const ListCell *b)
{
	const BucketFile *first = lfirst(a);
	const BucketFile *second = lfirst(b);

	return strcmp(first->key, second->key);
}
