/*-------------------------------------------------------------------------
 *
 * bucket_folder_list.c
 *	  The files of a folder.
 *
 * Folders are opened one at a time, whatever their depth.  The number of files
 * and folders is limited, and with it the memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "bucket/bucket_folder.h"
#include "miscadmin.h"

/* What a listing has found, and where it has still to look. */
typedef struct Listing
{
	FolderBucket *bucket;
	const char *prefix;
	List	   *files;			/* BucketFile * */
	List	   *folders;		/* char *: keys that end in "/", or "" */
	int			entries;		/* of both, found */
} Listing;

static void list_folder(Listing *listing, const char *path);
static List *folder_keys(Listing *listing, const char *path,
						 BucketHandle *folder);
static void list_entry(Listing *listing, const char *key, int folder,
					   const char *name);
static bool leads_to(const char *folder, const char *prefix);

/*
 * See BucketOps.
 */
List *
folder_list(Bucket *bucket, const char *prefix)
{
	Listing		listing = {(FolderBucket *) bucket, prefix};
	const char *slash = strrchr(prefix, '/');

	listing.folders = list_make1(slash ? pnstrdup(prefix, slash + 1 - prefix) : "");
	while (listing.folders != NIL)
	{
		char	   *path = llast(listing.folders);

		listing.folders = list_delete_last(listing.folders);
		list_folder(&listing, path);
	}
	return listing.files;
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

	if (!folder_walk(listing->bucket, path, false, folder, &rest))
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
		folder_error(listing->bucket, path, "read");
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
		bucket_check_count(&listing->bucket->base, ++listing->entries);
		keys = lappend(keys, key);
	}
	if (errno != 0)
		folder_error(listing->bucket, path, "read");
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

	if (bucket_is_odd(&listing->bucket->base, key))
		return;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
	{
		if (errno == ENOENT)
			return;
		folder_error(listing->bucket, key, "stat");
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
