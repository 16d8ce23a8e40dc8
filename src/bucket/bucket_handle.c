/*-------------------------------------------------------------------------
 *
 * bucket_handle.c
 *	  Files and directories that are closed with a memory context.
 *
 * PostgreSQL's fd.c opens files by their whole names, which anybody who may
 * write to a folder on the way could turn elsewhere.  So these are opened by
 * openat(), and fd.c is told of them, because it counts what a process has open.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "bucket/bucket_folder.h"
#include "common/file_perm.h"
#include "storage/fd.h"

static void close_with_context(void *handle);

/*
 * One that is not open yet; it is closed with "context".
 */
BucketHandle *
bucket_handle(MemoryContext context)
{
	BucketHandle *handle = MemoryContextAllocZero(context,
												  sizeof(BucketHandle));

	handle->fd = -1;
	handle->callback.func = close_with_context;
	handle->callback.arg = handle;
	MemoryContextRegisterResetCallback(context, &handle->callback);
	return handle;
}

static void
close_with_context(void *handle)
{
	bucket_handle_close(handle);
}

/*
 * As openat(); errors are left in errno, of which none is EINTR.
 */
bool
bucket_handle_open(BucketHandle *handle, int folder, const char *name,
				   int flags)
{
	Assert(handle->fd < 0);
	if (!AcquireExternalFD())
		return false;
	do
	{
		handle->fd = openat(folder, name, flags | O_CLOEXEC,
							pg_file_create_mode);
	} while (handle->fd < 0 && errno == EINTR);
	if (handle->fd < 0)
	{
		int			save_errno = errno;

		ReleaseExternalFD();
		errno = save_errno;
		return false;
	}
	return true;
}

/*
 * Also of one that is not open.
 */
void
bucket_handle_close(BucketHandle *handle)
{
	if (handle->fd < 0)
		return;
	if (handle->entries)
		(void) closedir(handle->entries);
	else
		(void) close(handle->fd);
	handle->entries = NULL;
	handle->fd = -1;
	ReleaseExternalFD();
}
