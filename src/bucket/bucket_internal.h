/*-------------------------------------------------------------------------
 *
 * bucket_internal.h
 *	  What the files of this folder share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BUCKET_INTERNAL_H
#define DYNAMO_BUCKET_INTERNAL_H

#include "bucket/bucket.h"
#include "codec/codec.h"
#include "utils/memutils.h"

/* What names of files being written begin with: no keys do. */
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
 * What a bucket is, is known by its operations alone: bucket_folder.c's are those
 * of a folder, bucket_store.c's those of a store that is reached by HTTP.  Keys
 * and prefixes have been checked.  All may raise errors, with a bucket_rule().
 */
typedef struct BucketOps BucketOps;

struct Bucket
{
	MemoryContext context;		/* all that is its own */
	char	   *name;
	const BucketOps *ops;
};

/* A file that is read, or written: what an implementation's begin with. */
typedef struct BucketIn
{
	Bucket	   *bucket;
	char	   *key;
} BucketIn;

typedef struct BucketOut
{
	Bucket	   *bucket;
	char	   *key;
} BucketOut;

struct BucketOps
{
	/* BucketFile *, in any order; more than BUCKET_MAX_FILES are an error */
	List	   *(*list) (Bucket *bucket, const char *prefix);
	bool		(*has) (Bucket *bucket, const char *key);

	/* And what a writer of it has left that was killed */
	void		(*remove) (Bucket *bucket, const char *key);

	/*
	 * In the current context, whose end closes the file.  "read" returns at
	 * least one byte, or 0 at the end.
	 */
	BucketIn   *(*open) (Bucket *bucket, const char *key);
	size_t		(*read) (BucketIn *in, char *buffer, size_t size);

	/*
	 * The same; a file that is not finished then is not there.  "finish" is
	 * given the MD5 of all that was written, and sets the ETag (a buffer as
	 * that of BucketDigest).
	 */
	BucketOut  *(*create) (Bucket *bucket, const char *key);
	void		(*write) (BucketOut *out, const char *data, size_t len);
	void		(*finish) (BucketOut *out, const uint8 *md5, char *etag);
};

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

/*
 * bucket_key.c: 42602 for what is no key of a file; 54000 for more files than
 * a listing may find; is a file to be passed over, as no key leads to it?  (A
 * warning says so.)
 */
extern void bucket_check_key(const char *key);
extern void bucket_check_count(const Bucket *bucket, int files);
extern bool bucket_is_odd(const Bucket *bucket, const char *key);

/*
 * bucket_folder.c
 */
extern void bucket_folder_init(void);

/* In "context", whose end closes it; an error if there is no such folder */
extern Bucket *bucket_folder_open(const char *name, MemoryContext context);

/*
 * bucket_store.c: the same of a store.  42501 if its address is not allowed.
 * "hurry": the store has but one chance to answer, and soon.
 */
extern void bucket_store_init(void);
extern Bucket *bucket_store_open(const char *name, Oid server, bool hurry,
								 MemoryContext context);

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
	size_t		size;			/* bytes of its lines */
	StringInfoData text;		/* of all cells, one behind another */
	int			count;			/* cells that have ended */
	int			space;
	int		   *ends;			/* theirs, in "text" */
	const char *problem;		/* what is wrong with the record, or NULL */
} BucketCsv;

/* Memory is of the current context */
extern void bucket_csv_init(BucketCsv *csv, char delimiter);

/* Begin another record; add a line of it (true: it ends there) */
extern void bucket_csv_begin(BucketCsv *csv);
extern bool bucket_csv_line(BucketCsv *csv, const BucketLine *line);

/* A header; raises an error for a name that is empty or comes twice */
extern List *bucket_csv_header(const BucketCsv *csv);
extern void bucket_csv_check_header(List *names);

/*
 * The record, by the names of "header"; raises ValidationException for what is
 * none
 */
extern Item *bucket_csv_item(const BucketCsv *csv, List *header,
							 const BucketSource *source);

#endif							/* DYNAMO_BUCKET_INTERNAL_H */
