/*-------------------------------------------------------------------------
 *
 * bucket_folder_path.c
 *	  How a key leads to a file of a folder.
 *
 * Anybody who can write to a bucket's folder may put anything there, and
 * change it at any time.  So a key is followed part by part: each folder is
 * opened from the one before, which is open, and no symbolic link is followed.
 *  What has been opened is looked at, not a name.  There is no ".." to go back
 * by, and no folder may be the server's data directory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bucket/bucket_folder.h"
#include "common/file_perm.h"
#include "common/string.h"
#include "miscadmin.h"
#include "storage/fd.h"

/* A FIFO must not make us wait for its writer. */
#define FILE_FLAGS		(O_RDONLY | O_NOFOLLOW | O_NONBLOCK)

static bool enter(FolderBucket *bucket, const char *key, BucketHandle *folder,
				  const char *name, bool make);
static bool make_folder(FolderBucket *bucket, const char *key, int parent,
						const char *name);
static void unlink_in(FolderBucket *bucket, const char *key,
					  const BucketHandle *folder, const char *name);
static void remove_folders(FolderBucket *bucket, const char *key,
						   BucketHandle *folder);
static int	errcode_for_file(void);
static void refuse_file(const FolderBucket *bucket, const char *key,
						const char *detail) pg_attribute_noreturn();

/*
 * Open the folder in which a key stands.  "name" is set to the key's last
 * part.  False: it is not there; "make" makes it, and those it stands in.
 */
bool
folder_walk(FolderBucket *bucket, const char *key, bool make,
			BucketHandle *folder, const char **name)
{
	const char *slash;

	*name = key;
	if (!enter(bucket, key, folder, ".", false))
		return false;
	while ((slash = strchr(*name, '/')) != NULL)
	{
		char	   *part = pnstrdup(*name, slash - *name);

		if (!enter(bucket, key, folder, part, make))
			return false;
		pfree(part);
		*name = slash + 1;
	}
	return true;
}

/*
 * Go from a folder, or from the bucket's own if it is not open, to one in it.
 * False: there is none.
 */
static bool
enter(FolderBucket *bucket, const char *key, BucketHandle *folder, const char *name,
	  bool make)
{
	BucketHandle next = {.fd = -1};
	int			parent = folder->fd < 0 ? bucket->folder->fd : folder->fd;
	bool		opened;

	opened = bucket_handle_open(&next, parent, name, FOLDER_FLAGS);
	if (!opened && errno == ENOENT && make)
		opened = make_folder(bucket, key, parent, name) &&
			bucket_handle_open(&next, parent, name, FOLDER_FLAGS);
	if (!opened)
	{
		if (errno == ENOENT)
			return false;
		if (errno == ELOOP || errno == ENOTDIR || errno == EMLINK)
			refuse_file(bucket, key,
						_("A folder on the way is none, or is a symbolic link."));
		folder_error(bucket, key, "open");
	}
	bucket_handle_close(folder);
	folder->fd = next.fd;
	folder_check(bucket, key, folder);
	return true;
}

/*
 * False: it cannot be made, see errno.
 */
static bool
make_folder(FolderBucket *bucket, const char *key, int parent, const char *name)
{
	if (mkdirat(parent, name, pg_dir_create_mode) != 0)
		return errno == EEXIST;
	if (pg_fsync(parent) != 0)
		folder_error(bucket, key, "fsync");
	return true;
}

/*
 * Refuse the server's own folder.  Otherwise the table of grants would decide
 * who may read its files.
 */
void
folder_check(const FolderBucket *bucket, const char *key, const BucketHandle *folder)
{
	struct stat ours;
	struct stat theirs;

	if (stat(DataDir, &ours) != 0 || fstat(folder->fd, &theirs) != 0)
		folder_error(bucket, key, "stat");
	if (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		refuse_file(bucket, key, _("The data directory is no place for buckets."));
}

/*
 * Open a regular file to read it.
 */
void
folder_open_file(FolderBucket *bucket, const char *key, BucketHandle *file)
{
	BucketHandle *folder = bucket_handle(CurrentMemoryContext);
	struct stat st;
	const char *name;

	errno = ENOENT;
	if (!folder_walk(bucket, key, false, folder, &name) ||
		!bucket_handle_open(file, folder->fd, name, FILE_FLAGS))
	{
		if (errno == ELOOP || errno == EMLINK)
			refuse_file(bucket, key, _("It is a symbolic link."));
		if (errno == ENXIO || errno == ENODEV)
			refuse_file(bucket, key, _("It is no regular file."));
		folder_error(bucket, key, "open");
	}
	bucket_handle_close(folder);
	if (fstat(file->fd, &st) != 0)
		folder_error(bucket, key, "stat");
	if (!S_ISREG(st.st_mode))
		refuse_file(bucket, key, _("It is no regular file."));
	if (st.st_nlink > 1)
		refuse_file(bucket, key, _("It has several links."));
}

/*
 * See BucketOps.
 */
bool
folder_has(Bucket *base, const char *key)
{
	FolderBucket *bucket = (FolderBucket *) base;
	BucketHandle *folder = bucket_handle(CurrentMemoryContext);
	struct stat st;
	const char *name;
	bool		found;

	found = folder_walk(bucket, key, false, folder, &name) &&
		fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	bucket_handle_close(folder);
	return found;
}

/*
 * See BucketOps.
 */
void
folder_remove(Bucket *base, const char *key)
{
	FolderBucket *bucket = (FolderBucket *) base;
	BucketHandle *folder = bucket_handle(CurrentMemoryContext);
	const char *name;

	if (!folder_walk(bucket, key, false, folder, &name))
		return;
	unlink_in(bucket, key, folder, psprintf(BUCKET_TEMPORARY "%s", name));
	unlink_in(bucket, key, folder, name);
	bucket_handle_close(folder);
	remove_folders(bucket, key, folder);
}

/*
 * If it is there.
 */
static void
unlink_in(FolderBucket *bucket, const char *key, const BucketHandle *folder,
		  const char *name)
{
	if (unlinkat(folder->fd, name, 0) != 0 && errno != ENOENT)
		folder_error(bucket, key, "remove");
}

/*
 * Remove the folders that a key stands in, as long as they are empty.
 */
static void
remove_folders(FolderBucket *bucket, const char *key, BucketHandle *folder)
{
	char	   *path = pstrdup(key);
	char	   *slash;
	bool		removed = true;

	while (removed && (slash = strrchr(path, '/')) != NULL)
	{
		const char *name;

		*slash = '\0';
		removed = folder_walk(bucket, path, false, folder, &name) &&
			unlinkat(folder->fd, name, AT_REMOVEDIR) == 0;
		bucket_handle_close(folder);
	}
}

static void
refuse_file(const FolderBucket *bucket, const char *key, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 bucket_rule(BUCKET_RULE_FILE),
			 errmsg("cannot use file \"%s\" of bucket \"%s\"", key,
					bucket->base.name),
			 errdetail_internal("%s", detail)));
}

/*
 * Whatever a file system says, it is no internal error.
 */
static int
errcode_for_file(void)
{
	(void) errcode_for_file_access();
	return geterrcode() == ERRCODE_INTERNAL_ERROR ?
		errcode(ERRCODE_IO_ERROR) : 0;
}

/*
 * Raises an error that tells errno.
 */
void
folder_error(const FolderBucket *bucket, const char *key, const char *what)
{
	const char *rule = BUCKET_RULE_FILE;

	if (errno == ENOENT)
		rule = BUCKET_RULE_FOUND;
	else if (errno == EACCES || errno == EPERM || errno == EROFS)
		rule = BUCKET_RULE_ALLOWED;
	ereport(ERROR,
			(errcode_for_file(),
			 bucket_rule(rule),
			 errmsg("could not %s file \"%s\" of bucket \"%s\": %m", what,
					key, bucket->base.name)));
}
