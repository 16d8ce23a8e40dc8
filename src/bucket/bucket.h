/*-------------------------------------------------------------------------
 *
 * bucket.h
 *	  Folders of the server that stand for buckets of S3, and the files in
 *	  them that hold items.
 *
 * A bucket is a folder directly in dynamo.bucket_directory.  A key is a path
 * below it: parts separated by "/".  No key leads out of its bucket: files are
 * opened part by part, from an open directory, and symbolic links, files with
 * several links, and whatever is no regular file or directory are refused.
 *
 * A Bucket, a reader and a writer belong to the memory context that was the
 * current one when they were made: when that goes, by an error too, they are
 * closed, and a file that was not finished is removed.  All functions raise
 * errors of PostgreSQL; bucket_failure() tells those that a bucket or a file
 * is to blame for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BUCKET_H
#define DYNAMO_BUCKET_H

#include "postgres.h"

#include "item/item.h"
#include "nodes/pg_list.h"

#define BUCKET_MAX_KEY		1024	/* bytes */
#define BUCKET_MAX_FILES	50000	/* that one listing may find */
#define BUCKET_ETAG			64	/* bytes of an ETag, and the 0 behind it */
#define BUCKET_MAX_LINE		(16 * 1024 * 1024)	/* bytes of a line of a file */

/* What a role may do with a bucket. */
typedef enum BucketUse
{
	BUCKET_TIDY = 0,			/* remove files of one's own: for anybody */
	BUCKET_READ = 1,
	BUCKET_WRITE = 2
} BucketUse;

typedef struct Bucket Bucket;

/* Called once a process: defines the settings */
extern void bucket_init(void);

/* Is there a folder of that name, or anything that might be one? */
extern bool bucket_folder_exists(const char *name);

/* May a bucket have that name?  Letters, digits, ".", "_", "-"; 3 to 255 */
extern bool bucket_is_name(const char *name);

/*
 * Open a bucket as the current role, which must be allowed that use
 * (bucket_check_use()).  Raises an error where it is not, or there is none.
 */
extern Bucket *bucket_open(const char *name, BucketUse use);

/* Close it and what is open in it; all of it is freed */
extern void bucket_close(Bucket *bucket);

/*
 * Raise 42602 for what is no prefix of keys; tell what is wrong with it, as a
 * sentence, NULL if nothing is.  "" is one, and one "/" may stand at the end.
 */
extern void bucket_check_prefix(const char *prefix);
extern const char *bucket_prefix_fault(const char *prefix);

/* A file of a bucket. */
typedef struct BucketFile
{
	char	   *key;
	int64		size;			/* bytes, as stored */
} BucketFile;

/*
 * BucketFile * in the current context, ordered by key bytewise: the files that
 * may hold data and whose keys begin with "prefix" ("": all).  Raises an error
 * if there are more than BUCKET_MAX_FILES.
 */
extern List *bucket_list_data(Bucket *bucket, const char *prefix);

/* Is there a file, or whatever, of that name?  42602 for what is no key */
extern bool bucket_has(Bucket *bucket, const char *key);

/*
 * Remove a file, and what a writer of it has left that ended with the server;
 * no error if there is none.
 */
extern void bucket_remove(Bucket *bucket, const char *key);

/*
 * bucket_grant.c: who may use a bucket.  Superusers, members of
 * pg_read_server_files (BUCKET_READ) and pg_write_server_files (BUCKET_WRITE)
 * may use any; others have a grant in dynamo.bucket_grants.
 */

/*
 * The foreign server that is the store; InvalidOid: it is a folder, or nothing
 */
extern Oid	bucket_server_find(const char *name);

/* Whose a server is */
extern Oid	bucket_server_owner(Oid server);

/* Raises 42501 unless the current role may; what bucket_server_find() gives */
extern Oid	bucket_check_use(const char *name, BucketUse use);

/*
 * "uses" is BucketUse, or-ed: given in addition to what the role has; taken
 * away (false: it had none of these).  Whether the user may do so is for the
 * caller to ask.
 */
extern void bucket_grant(const char *name, Oid role, int uses);
extern bool bucket_revoke(const char *name, Oid role, int uses);

/* All grants of a bucket; those of roles that are gone, of all buckets */
extern void bucket_revoke_all(const char *name);
extern void bucket_drop_orphans(void);

/*
 * bucket_server.c: raises an error for options (text[]) that a store cannot
 * have as a foreign server or a user mapping, which "catalog" says.
 */
extern void bucket_check_options(Datum options, Oid catalog);

/*
 * Compression
 */
typedef enum BucketCompression
{
	BUCKET_NONE,
	BUCKET_GZIP,				/* one member or several */
	BUCKET_ZSTD					/* reading only; windows up to 128 MB */
} BucketCompression;

/*
 * bucket_reader.c: the lines of a file, in bounded memory.
 *
 * Errors: the file is cut short, or its compressed data is damaged
 * (data_exception); it cannot be read.
 */
typedef struct BucketReader BucketReader;

typedef struct BucketLine
{
	const char *text;			/* without its end; until the next call */
	size_t		len;
	bool		crlf;			/* its end was CR LF */
	bool		too_long;		/* beyond BUCKET_MAX_LINE: "text" is its
								 * beginning, the rest was skipped */
} BucketLine;

/* In a context of its own below the current one, until the bucket is closed */
extern BucketReader *bucket_reader_open(Bucket *bucket, const char *key,
										BucketCompression compression);

/* The next line, ended by LF or CR LF; false: there is none, or see below */
extern bool bucket_read_line(BucketReader *reader, BucketLine *line);

/* Bytes read of the file as stored, and of its content */
extern int64 bucket_reader_stored(const BucketReader *reader);
extern int64 bucket_reader_content(const BucketReader *reader);

/*
 * Read no more once so many bytes of content have been read; 0: all of them.
 * Where bucket_read_line() returns false for that, the reader has paused, and
 * goes on from there when the limit is another.
 */
extern void bucket_reader_limit(BucketReader *reader, int64 content);
extern bool bucket_reader_paused(const BucketReader *reader);

/*
 * bucket_input.c: the items of a file.
 *
 * DYNAMODB_JSON: {"Item":{...}}, typed, any number in a line.  ION: text, {Item:{...}} a line,
 * perhaps behind $ion_1_0.  CSV: a record a line, or several where quotes go
 * on.  Lines that are empty are skipped.
 */
typedef enum BucketFormat
{
	BUCKET_DYNAMODB_JSON,
	BUCKET_ION,
	BUCKET_CSV
} BucketFormat;

/* As the API names them; false: there is none of that name */
extern bool bucket_find_format(const char *name, BucketFormat *format);
extern bool bucket_find_compression(const char *name,
									BucketCompression *compression);

/* May CSV have this text between its cells? */
extern bool bucket_is_delimiter(const char *text);

/* A column of CSV that is no string: a key attribute. */
typedef struct BucketColumn
{
	const char *name;
	ItemType	type;			/* S, N, B */
} BucketColumn;

/* How to read files.  The pointers must stay valid as long as readers. */
typedef struct BucketSource
{
	BucketFormat format;
	BucketCompression compression;
	char		delimiter;		/* CSV: one of , ; : | tab space */
	List	   *header;			/* CSV: names of columns, char *; NIL: each
								 * file begins with them */
	int			ncolumns;		/* CSV: columns that are no strings */
	const BucketColumn *columns;
} BucketSource;

/* What stands in a file where an item should. */
typedef struct BucketRecord
{
	int64		number;			/* of the record in its file, from 1 */
	int64		line;			/* where it begins, from 1 */
	const char *text;			/* as it stands there; until the next call */
	size_t		len;
	Item	   *item;			/* in the current context; NULL: it is none */
	const char *problem;		/* then: what is wrong, in English */
} BucketRecord;

typedef struct BucketInput BucketInput;

/*
 * To go on where an earlier reader stopped, skip the records it has read: that
 * reads the file again from its beginning, so keep the input open while you can.
 * Returns how many it were: fewer at the end of the file, or when the reader
 * has paused.
 */
extern BucketInput *bucket_input_open(Bucket *bucket, const char *key,
									  const BucketSource *source);
extern int64 bucket_input_skip(BucketInput *input, int64 nrecords);

/*
 * The next record; false: there is none, or the reader has paused.  What is no
 * item is no error but a record with a problem.  Of an item nothing is checked
 * that depends on a table, nor its size.  An error where a CSV file has no
 * usable header.
 */
extern bool bucket_input_next(BucketInput *input, BucketRecord *record);

/* What reads the lines: to set its limit, and to ask how far it is */
extern BucketReader *bucket_input_reader(const BucketInput *input);

/* Closes the file and frees all that was read */
extern void bucket_input_close(BucketInput *input);

/*
 * bucket_json.c, bucket_ion.c: a line's item.  They raise ValidationException
 * or SerializationException for what is none.
 */
extern Item *bucket_json_read(const char *text, size_t len);
extern Item *bucket_ion_read(const char *text, size_t len);

/*
 * bucket_output.c: one line for each item, its end included.  Not of CSV.
 */
extern void bucket_append_item(StringInfo out, BucketFormat format,
							   const Item *item);

/* A change, as incremental exports have it; images may be NULL. */
typedef struct BucketChange
{
	int64		micros;			/* of the write, since 1970 */
	const Item *keys;
	const Item *new_image;
	const Item *old_image;
} BucketChange;

extern void bucket_append_change(StringInfo out, BucketFormat format,
								 const BucketChange *change);

/*
 * bucket_writer.c: writing a file.  It has a temporary name until
 * bucket_writer_finish() has written it to disk and renamed it, over one that
 * is there.  Folders are made as needed.  NONE and GZIP.
 */
typedef struct BucketWriter BucketWriter;

/* What S3 tells of an object, and manifests do. */
typedef struct BucketDigest
{
	int64		size;			/* bytes, as stored */
	char		md5[25];		/* in base64 */
	char		etag[BUCKET_ETAG];	/* the store's; of a folder as of an
									 * upload in one part: hex, "-1" */
} BucketDigest;

/* It goes, and its file with it, with the context that is current now */
extern BucketWriter *bucket_writer_open(Bucket *bucket, const char *key,
										BucketCompression compression);

/* Bytes of the content, before compression */
extern void bucket_writer_append(BucketWriter *writer, const void *data,
								 size_t len);

/* Bytes stored so far, about */
extern int64 bucket_writer_size(const BucketWriter *writer);

/*
 * The file is complete, on disk, and has its name; or there is none.  Both
 * free the writer.  "digest" may be NULL.
 */
extern void bucket_writer_finish(BucketWriter *writer, BucketDigest *digest);
extern void bucket_writer_abandon(BucketWriter *writer);

/* A file of these bytes, at once; the same for "digest" */
extern void bucket_put(Bucket *bucket, const char *key, const void *data,
					   size_t len, BucketDigest *digest);

/*
 * bucket_failure.c: the FailureCode of a job that ended by this error, as
 * "S3NoSuchBucket"; NULL: no bucket and no file is to blame.
 */
extern const char *bucket_failure(const ErrorData *error);

/* Is the error that a file is not compressed as it should be? */
extern bool bucket_is_uncompressed(const ErrorData *error);

#endif							/* DYNAMO_BUCKET_H */
