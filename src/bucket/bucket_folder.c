/*-------------------------------------------------------------------------
 *
 * bucket_folder.c
 *	  Buckets and the folders in them: dynamo.bucket_directory, and how a key
 *	  leads to a file.
 *
 * Whoever can write to a bucket's folder may put anything there, and change it
 * at any time.  So a key is followed part by part: each folder is opened from
 * the one before, which is open, and no symbolic link is followed.  What has
 * been opened is looked at, not a name.  There is no ".." to go back by, and no
 * folder may be the server's data directory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bucket/bucket_internal.h"
#include "common/file_perm.h"
#include "common/string.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/guc.h"

/* A setting: absolute; "": there are no buckets */
static char *bucket_directory;

#define FOLDER_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW)

/* A FIFO must not make us wait for who writes to it. */
#define FILE_FLAGS		(O_RDONLY | O_NOFOLLOW | O_NONBLOCK)

#define NAME_CHARACTERS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static bool check_directory(char **newval, void **extra, GucSource source);
static bool is_utf8(const char *key);
static const char *part_fault(const char *part, size_t len);
static bool enter(Bucket *bucket, const char *key, BucketHandle *folder,
				  const char *name, bool make);
static bool make_folder(Bucket *bucket, const char *key, int parent,
						const char *name);
static void check_folder(const Bucket *bucket, const char *key,
						 const BucketHandle *folder);
static bool unlink_in(Bucket *bucket, const char *key,
					  const BucketHandle *folder, const char *name);
static void remove_folders(Bucket *bucket, const char *key,
						   BucketHandle *folder);
static int	errcode_for_file(void);
static void refuse_file(const Bucket *bucket, const char *key,
						const char *detail) pg_attribute_noreturn();

/*
 * See bucket.h.
 */
void
bucket_init(void)
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
 * See bucket.h.
 */
bool
bucket_is_name(const char *name)
{
	size_t		len = strlen(name);

	return len >= DYNAMO_MIN_NAME && len <= DYNAMO_MAX_NAME &&
		strspn(name, NAME_CHARACTERS) == len &&
		bucket_is_alphanumeric(name[0]) &&
		bucket_is_alphanumeric(name[len - 1]);
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
	Bucket	   *bucket = MemoryContextAllocZero(context, sizeof(Bucket));
	BucketHandle *directory = bucket_handle(context);

	bucket->context = context;
	bucket->name = MemoryContextStrdup(context, name);
	bucket->folder = bucket_handle(context);
	bucket_check_use(name, use);
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
	check_folder(bucket, "", bucket->folder);
	bucket_handle_close(directory);
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
void
bucket_check_prefix(const char *prefix)
{
	size_t		len = strlen(prefix);
	char	   *key;

	if (len == 0)
		return;
	key = pstrdup(prefix);
	if (key[len - 1] == '/')
		key[len - 1] = '\0';
	bucket_check_key(key);
}

/*
 * See bucket_internal.h.
 */
void
bucket_check_key(const char *key)
{
	const char *fault = bucket_key_fault(key);

	if (fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 bucket_rule(BUCKET_RULE_KEY),
				 errmsg("invalid key of a file in a bucket: \"%s\"",
						is_utf8(key) ? key : ""),
				 errdetail_internal("%s", fault)));
}

static bool
is_utf8(const char *key)
{
	return pg_verify_mbstr(PG_UTF8, key, strlen(key), true);
}

/*
 * See bucket_internal.h.
 */
const char *
bucket_key_fault(const char *key)
{
	const char *part = key;

	if (strlen(key) > BUCKET_MAX_KEY)
		return _("It is too long.");
	if (!is_utf8(key))
		return _("It is not text in UTF-8.");
	for (;;)
	{
		size_t		len = strcspn(part, "/");
		const char *fault = part_fault(part, len);

		if (fault != NULL || part[len] == '\0')
			return fault;
		part += len + 1;
	}
}

static const char *
part_fault(const char *part, size_t len)
{
	if (len == 0)
		return _("A part between slashes is empty.");
	if (len > BUCKET_MAX_PART)
		return _("A part between slashes is too long.");
	if ((len == 1 && part[0] == '.') ||
		(len == 2 && part[0] == '.' && part[1] == '.'))
		return _("A part between slashes is \".\" or \"..\".");
	if (strncmp(part, BUCKET_TEMPORARY, strlen(BUCKET_TEMPORARY)) == 0)
		return _("Names of temporary files begin so.");
	for (size_t i = 0; i < len; i++)
	{
		if ((unsigned char) part[i] < ' ' || part[i] == '\\' ||
			part[i] == '\177')
			return _("It has a control character or a backslash.");
	}
	return NULL;
}

/*
 * See bucket_internal.h.
 */
bool
bucket_open_folder(Bucket *bucket, const char *key, bool make,
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
enter(Bucket *bucket, const char *key, BucketHandle *folder, const char *name,
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
		bucket_file_error(bucket, key, "open");
	}
	bucket_handle_close(folder);
	folder->fd = next.fd;
	check_folder(bucket, key, folder);
	return true;
}

/*
 * False: it cannot be made, see errno.
 */
static bool
make_folder(Bucket *bucket, const char *key, int parent, const char *name)
{
	if (mkdirat(parent, name, pg_dir_create_mode) != 0)
		return errno == EEXIST;
	if (pg_fsync(parent) != 0)
		bucket_file_error(bucket, key, "fsync");
	return true;
}

/*
 * Refuse the server's own folder, or else the table of grants would decide who
 * may read its files.
 */
static void
check_folder(const Bucket *bucket, const char *key, const BucketHandle *folder)
{
	struct stat ours;
	struct stat theirs;

	if (stat(DataDir, &ours) != 0 || fstat(folder->fd, &theirs) != 0)
		bucket_file_error(bucket, key, "stat");
	if (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		refuse_file(bucket, key, _("The data directory is no place for buckets."));
}

/*
 * See bucket_internal.h.
 */
int64
bucket_open_file(Bucket *bucket, const char *key, BucketHandle *file)
{
	BucketHandle *folder = bucket_handle(CurrentMemoryContext);
	struct stat st;
	const char *name;

	bucket_check_key(key);
	errno = ENOENT;
	if (!bucket_open_folder(bucket, key, false, folder, &name) ||
		!bucket_handle_open(file, folder->fd, name, FILE_FLAGS))
	{
		if (errno == ELOOP || errno == EMLINK)
			refuse_file(bucket, key, _("It is a symbolic link."));
		if (errno == ENXIO || errno == ENODEV)
			refuse_file(bucket, key, _("It is no regular file."));
		bucket_file_error(bucket, key, "open");
	}
	bucket_handle_close(folder);
	if (fstat(file->fd, &st) != 0)
		bucket_file_error(bucket, key, "stat");
	if (!S_ISREG(st.st_mode))
		refuse_file(bucket, key, _("It is no regular file."));
	if (st.st_nlink > 1)
		refuse_file(bucket, key, _("It has several links."));
	return st.st_size;
}

/*
 * See bucket.h.
 */
bool
bucket_has(Bucket *bucket, const char *key)
{
	BucketHandle *folder = bucket_handle(CurrentMemoryContext);
	struct stat st;
	const char *name;
	bool		found;

	bucket_check_key(key);
	found = bucket_open_folder(bucket, key, false, folder, &name) &&
		fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	bucket_handle_close(folder);
	return found;
}

/*
 * See bucket.h.
 */
bool
bucket_remove(Bucket *bucket, const char *key)
{
	BucketHandle *folder = bucket_handle(CurrentMemoryContext);
	const char *name;
	bool		removed;

	bucket_check_key(key);
	if (!bucket_open_folder(bucket, key, false, folder, &name))
		return false;
	(void) unlink_in(bucket, key, folder,
					 psprintf(BUCKET_TEMPORARY "%s", name));
	removed = unlink_in(bucket, key, folder, name);
	bucket_handle_close(folder);
	remove_folders(bucket, key, folder);
	return removed;
}

/*
 * False: there is none.
 */
static bool
unlink_in(Bucket *bucket, const char *key, const BucketHandle *folder,
		  const char *name)
{
	if (unlinkat(folder->fd, name, 0) == 0)
		return true;
	if (errno != ENOENT)
		bucket_file_error(bucket, key, "remove");
	return false;
}

/*
 * Remove the folders that a key stands in, as long as they are empty.
 */
static void
remove_folders(Bucket *bucket, const char *key, BucketHandle *folder)
{
	char	   *path = pstrdup(key);
	char	   *slash;
	bool		removed = true;

	while (removed && (slash = strrchr(path, '/')) != NULL)
	{
		const char *name;

		*slash = '\0';
		removed = bucket_open_folder(bucket, path, false, folder, &name) &&
			unlinkat(folder->fd, name, AT_REMOVEDIR) == 0;
		bucket_handle_close(folder);
	}
}

static void
refuse_file(const Bucket *bucket, const char *key, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 bucket_rule(BUCKET_RULE_FILE),
			 errmsg("cannot use file \"%s\" of bucket \"%s\"", key,
					bucket->name),
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
 * See bucket_internal.h.
 */
void
bucket_file_error(const Bucket *bucket, const char *key, const char *what)
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
					key, bucket->name)));
}
