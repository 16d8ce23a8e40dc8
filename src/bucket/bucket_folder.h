/*-------------------------------------------------------------------------
 *
 * bucket_folder.h
 *	  What the files about folders share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BUCKET_FOLDER_H
#define DYNAMO_BUCKET_FOLDER_H

#include <dirent.h>

#include "bucket/bucket_internal.h"

/*
 * A file or directory that is closed with a memory context.
 */
typedef struct BucketHandle
{
	int			fd;				/* -1: none */
	DIR		   *entries;		/* with "fd", which it owns then; or NULL */
	MemoryContextCallback callback;
} BucketHandle;

typedef struct FolderBucket
{
	Bucket		base;
	BucketHandle *folder;
} FolderBucket;

/* bucket_handle.c */

/* One that is not open yet, to be closed with "context" */
extern BucketHandle *bucket_handle(MemoryContext context);
extern void bucket_handle_close(BucketHandle *handle);

extern bool bucket_handle_open(BucketHandle *handle, int folder,
							   const char *name, int flags);

#define FOLDER_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW)

/* bucket_folder_path.c */

extern bool folder_walk(FolderBucket *bucket, const char *key, bool make,
						BucketHandle *folder, const char **name);

extern void folder_error(const FolderBucket *bucket, const char *key,
						 const char *what)
			pg_attribute_noreturn();

extern void folder_open_file(FolderBucket *bucket, const char *key,
							 BucketHandle *file);

extern void folder_check(const FolderBucket *bucket, const char *key,
						 const BucketHandle *folder);

/* See BucketOps */
extern bool folder_has(Bucket *base, const char *key);
extern void folder_remove(Bucket *base, const char *key);

/* bucket_folder_list.c, bucket_folder_file.c: see BucketOps */
extern List *folder_list(Bucket *bucket, const char *prefix);
extern BucketIn *folder_in_open(Bucket *bucket, const char *key);
extern size_t folder_in_read(BucketIn *in, char *buffer, size_t size);
extern BucketOut *folder_out_create(Bucket *bucket, const char *key);
extern void folder_out_write(BucketOut *out, const char *data, size_t len);
extern void folder_out_finish(BucketOut *out, const uint8 *md5, char *etag);

#endif							/* DYNAMO_BUCKET_FOLDER_H */
