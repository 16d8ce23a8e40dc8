/*-------------------------------------------------------------------------
 *
 * bucket_internal.h
 *	  What the files of this folder share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BUCKET_INTERNAL_H
#define DYNAMO_BUCKET_INTERNAL_H

#include <dirent.h>

#include "bucket/bucket.h"
#include "codec/codec.h"
#include "utils/memutils.h"

/* What names of files being written begin with. */
#define BUCKET_TEMPORARY	".dynamo-"

/* Bytes that a part of a key may have: a file's name. */
#define BUCKET_MAX_PART		255

/* Bytes that are read and written at a time. */
#define BUCKET_CHUNK		(64 * 1024)

/*
 * What is wrong with a bucket or a file travels with the error as its
 * constraint's name; bucket_failure.c turns it into a FailureCode.
 */
#define BUCKET_RULE_EXISTS	"bucket_exists"
#define BUCKET_RULE_ALLOWED "bucket_use_is_allowed"
#define BUCKET_RULE_KEY		"bucket_key_is_valid"
#define BUCKET_RULE_FOUND	"bucket_file_exists"
#define BUCKET_RULE_FILE	"bucket_file_is_usable"
#define BUCKET_RULE_CONTENT "bucket_file_is_whole"
#define BUCKET_RULE_COMPRESSION "bucket_file_is_compressed"

#define bucket_rule(rule)	err_generic_string(PG_DIAG_CONSTRAINT_NAME, rule)

/*
 * A file or directory that is closed with a memory context.
 */
typedef struct BucketHandle
{
	int			fd;				/* -1: none */
	DIR		   *entries;		/* with "fd", which it owns then; or NULL */
	MemoryContextCallback callback;
} BucketHandle;

struct Bucket
{
	MemoryContext context;		/* all that is its own */
	char	   *name;
	BucketHandle *folder;
};

/* bucket_handle.c */

/* One that is not open yet, to be closed with "context" */
extern BucketHandle *bucket_handle(MemoryContext context);
extern void bucket_handle_close(BucketHandle *handle);

/* As openat(); errors are left in errno, of which none is EINTR */
extern bool bucket_handle_open(BucketHandle *handle, int folder,
							   const char *name, int flags);

/* Whatever the locale is */
static inline bool
bucket_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
bucket_is_alphanumeric(char c)
{
	return bucket_is_letter(c) || (c >= '0' && c <= '9');
}

/* bucket_folder.c */

/* Raises an error for what is no key of a file */
extern void bucket_check_key(const char *key);

/* The same as a sentence; NULL: it is a key */
extern const char *bucket_key_fault(const char *key);

/*
 * Open the folder in which a key stands.  "name" is set to the key's last part.
 * False: it is not there; "make" makes it, and those it stands in.
 */
extern bool bucket_open_folder(Bucket *bucket, const char *key, bool make,
							   BucketHandle *folder, const char **name);

/* Raises an error that tells errno */
extern void bucket_file_error(const Bucket *bucket, const char *key,
							  const char *what)
			pg_attribute_noreturn();

/* Open a regular file to read it; its size is returned */
extern int64 bucket_open_file(Bucket *bucket, const char *key,
							  BucketHandle *file);

/* bucket_json.c: bytes of the first object of a text; all if it is none */
extern size_t bucket_json_object(const char *text, size_t len);

/*
 * bucket_stream.c: bytes of a file, decompressed.
 */
typedef struct BucketStream BucketStream;

extern BucketStream *bucket_stream_open(Bucket *bucket, const char *key,
										BucketCompression compression);

/* Fill the buffer; less than "size" at the end.  Can be cancelled */
extern size_t bucket_stream_read(BucketStream *stream, char *buffer, size_t size);
extern int64 bucket_stream_stored(const BucketStream *stream);

/*
 * bucket_csv.c: the cells of a record, which goes on over lines while a quote
 * is open.
 */
typedef enum BucketCsvState
{
	BUCKET_CSV_BEGIN,			/* of a cell */
	BUCKET_CSV_BARE,			/* in one without quotes */
	BUCKET_CSV_QUOTED,			/* in one with quotes */
	BUCKET_CSV_CLOSED			/* behind a quote that may end it */
} BucketCsvState;

typedef struct BucketCsv
{
	char		delimiter;
	BucketCsvState state;
	StringInfoData text;		/* of all cells, one behind another */
	int			count;			/* cells that have ended */
	int			space;
	int		   *ends;			/* theirs, in "text" */
	const char *problem;		/* what is wrong with the record, or NULL */
} BucketCsv;

extern void bucket_csv_init(BucketCsv *csv, char delimiter);

/* Begin another record */
extern void bucket_csv_begin(BucketCsv *csv);

/* True: the record ends with this line */
extern bool bucket_csv_line(BucketCsv *csv, const BucketLine *line);

/* A header; raises an error for a name that is empty or comes twice */
extern List *bucket_csv_header(const BucketCsv *csv);
extern void bucket_csv_check_header(List *names);

/* The record as an item; raises ValidationException for what is none */
extern Item *bucket_csv_item(const BucketCsv *csv, List *header,
							 const BucketSource *source);

#endif							/* DYNAMO_BUCKET_INTERNAL_H */
