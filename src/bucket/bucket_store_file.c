/*-------------------------------------------------------------------------
 *
 * bucket_store_file.c
 *	  Reading and writing files at a store.
 *
 * A file is read by one request as long as its connection lasts, be that over
 * many turns of a job.  When it breaks, the next request asks for the rest of the
 * same version.
 *
 * A file is sent at once if it is small, or else in parts, of which one is in
 * memory.  It is there when all of them are.  What has been sent of a file that
 * failed is aborted, and what a process that was killed has left, when the file
 * is written again or removed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_store.h"
#include "miscadmin.h"

/* Bytes of a part; the service wants 5 MB at least, and takes 10,000 of them. */
#define PART			(8 * 1024 * 1024)
#define MAX_PARTS		10000

/* After so many bytes a connection that breaks is as good as the first one. */
#define GOOD_PROGRESS	(1024 * 1024)

#define MAX_UPLOAD		2048

typedef struct StoreIn
{
	BucketIn	base;
	MemoryContext context;
	StoreExchange *exchange;	/* NULL: none at the moment */
	int64		size;
	int64		at;				/* bytes read of it */
	int64		good;			/* where the attempts were counted from */
	int			attempts;
	char		etag[STORE_MAX_ETAG];
} StoreIn;

typedef struct StoreOut
{
	BucketOut	base;
	MemoryContext context;
	char	   *part;			/* what is not sent yet */
	size_t		len;
	size_t		space;
	int64		sent;
	char		upload[MAX_UPLOAD + 1]; /* ""; nothing was sent yet */
	int			parts;
	StringInfoData list;		/* of the parts, as a document */
	char		etag[STORE_MAX_ETAG];
} StoreOut;

static StoreBucket *in_bucket(const StoreIn *file);
static void begin_reading(StoreIn *file);
static bool is_other(const StoreIn *file, const StoreAnswer *answer);
static void skip(StoreIn *file, int64 len);
static void note_cut(StoreIn *file, const char *failure);
static void changed(const StoreIn *file) pg_attribute_noreturn();
static StoreBucket *out_bucket(const StoreOut *file);
static void abort_upload(StoreOut *file);
static void guarded(StoreOut *file, void (*work) (StoreOut *file));
static void send_part(StoreOut *file);
static void begin_upload(StoreOut *file);
static bool note_upload(void *file, const char *parent, const char *name,
						const char *text);
static void send_all(StoreOut *file);
static void complete(StoreOut *file);
static bool note_object(void *file, const char *parent, const char *name,
						const char *text);
static bool upload_is_there(StoreOut *file);
static void copy_etag(char *to, size_t size, const char *from);
static char *parameters(const StoreOut *file, int part);

/*
 * See BucketOps.
 */
BucketIn *
store_in_open(Bucket *base, const char *key)
{
	StoreIn    *file = palloc0(sizeof(StoreIn));

	file->base.bucket = base;
	file->base.key = pstrdup(key);
	file->context = CurrentMemoryContext;
	file->size = -1;
	begin_reading(file);
	return &file->base;
}

static StoreBucket *
in_bucket(const StoreIn *file)
{
	return (StoreBucket *) file->base.bucket;
}

/*
 * Ask for what is left of it.
 */
static void
begin_reading(StoreIn *file)
{
	MemoryContext caller = MemoryContextSwitchTo(file->context);
	StoreBucket *bucket = in_bucket(file);
	StoreRequest request = {.method = "GET", .from = file->at};
	StoreAnswer answer;
	bool		again = file->size >= 0;

	request.url = store_url(bucket, file->base.key, "");
	if (file->etag[0] != '\0')
		request.etag = file->etag;
	file->exchange = store_request(bucket, file->base.key, &request,
								   again ? STORE_ANYTHING : STORE_FOUND, &answer);
	pfree(unconstify(char *, request.url));
	if (answer.status / 100 != 2)
	{
		if (answer.status == 412 || answer.status == 416 || answer.status == 404)
			changed(file);
		store_refuse(bucket, file->base.key, &answer);
	}
	if (answer.length < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_ERROR),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("store of bucket \"%s\" does not tell the size of file \"%s\"",
						file->base.bucket->name, file->base.key)));
	if (!again)
	{
		file->size = answer.length;
		strcpy(file->etag, answer.etag);
	}
	else if (is_other(file, &answer))
		changed(file);
	if (answer.status != 206)
		skip(file, file->at);
	MemoryContextSwitchTo(caller);
}

/*
 * Is it another version of the file?  Not all stores heed which one was asked for.
 */
static bool
is_other(const StoreIn *file, const StoreAnswer *answer)
{
	int64		left = file->size - (answer->status == 206 ? file->at : 0);

	return answer->length != left ||
		(file->etag[0] != '\0' && answer->etag[0] != '\0' &&
		 strcmp(answer->etag, file->etag) != 0);
}

/*
 * Of a store that sends all again.
 */
static void
skip(StoreIn *file, int64 len)
{
	char		skipped[1024];

	while (len > 0 && file->exchange != NULL)
	{
		const char *failure;
		size_t		n = store_exchange_read(file->exchange, skipped,
											Min(len, sizeof(skipped)), &failure);

		CHECK_FOR_INTERRUPTS();
		if (n == 0)
			note_cut(file, failure);
		len -= n;
	}
}

/*
 * See BucketOps.
 */
size_t
store_in_read(BucketIn *in, char *buffer, size_t size)
{
	StoreIn    *file = (StoreIn *) in;

	while (file->at < file->size)
	{
		const char *failure;
		size_t		len;

		CHECK_FOR_INTERRUPTS();
		if (file->exchange == NULL)
			begin_reading(file);
		if (file->exchange == NULL)
			continue;
		len = store_exchange_read(file->exchange, buffer,
								  Min(size, file->size - file->at), &failure);
		file->at += len;
		if (len > 0)
			return len;
		note_cut(file, failure);
	}
	if (file->exchange != NULL)
		store_exchange_end(file->exchange);
	file->exchange = NULL;
	return 0;
}

/*
 * The answer ended too early.
 */
static void
note_cut(StoreIn *file, const char *failure)
{
	store_exchange_end(file->exchange);
	file->exchange = NULL;
	if (file->at - file->good >= GOOD_PROGRESS)
		file->attempts = 0;
	file->good = file->at;
	if (++file->attempts >= STORE_ATTEMPTS)
		store_unreachable(in_bucket(file),
						  failure ? failure : _("it ends its answers too early"));
	store_wait_again(file->attempts);
}

static void
changed(const StoreIn *file)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 bucket_rule(BUCKET_RULE_CONTENT),
			 errmsg("file \"%s\" of bucket \"%s\" has changed while it was read",
					file->base.key, file->base.bucket->name)));
}

/*
 * See BucketOps.
 */
BucketOut *
store_out_create(Bucket *base, const char *key)
{
	StoreOut   *file = palloc0(sizeof(StoreOut));

	file->base.bucket = base;
	file->base.key = pstrdup(key);
	file->context = CurrentMemoryContext;
	file->space = BUCKET_CHUNK;
	file->part = palloc(file->space);
	initStringInfo(&file->list);
	return &file->base;
}

static StoreBucket *
out_bucket(const StoreOut *file)
{
	return (StoreBucket *) file->base.bucket;
}

/*
 * See BucketOps.
 */
void
store_out_write(BucketOut *out, const char *data, size_t len)
{
	StoreOut   *file = (StoreOut *) out;

	while (len > 0)
	{
		size_t		n = Min(len, file->space - file->len);

		memcpy(file->part + file->len, data, n);
		file->len += n;
		data += n;
		len -= n;
		if (file->len < file->space)
			break;
		if (file->space == PART)
			guarded(file, send_part);
		else
		{
			file->space *= 2;
			file->part = repalloc(file->part, file->space);
		}
	}
}

/*
 * See BucketOps.
 */
void
store_out_finish(BucketOut *out, const uint8 *md5, char *etag)
{
	StoreOut   *file = (StoreOut *) out;

	guarded(file, file->parts == 0 ? send_all : complete);
	strlcpy(etag, file->etag, BUCKET_ETAG);
	if (etag[0] == '\0')
	{
		for (int i = 0; i < ITEM_MD5_BYTES; i++)
			sprintf(etag + 2 * i, "%02x", md5[i]);
	}
}

/*
 * An upload that has failed.  If it cannot be aborted either, the store keeps its
 * parts, and a warning says so; the error that is being handled says the rest.
 */
static void
abort_upload(StoreOut *file)
{
	volatile bool aborted = false;

	PG_TRY();
	{
		if (file->upload[0] != '\0')
			store_abort_upload(out_bucket(file), file->base.key, file->upload);
		aborted = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(file->context);
		FlushErrorState();
	}
	PG_END_TRY();
	if (!aborted)
		ereport(WARNING,
				(errcode(ERRCODE_FDW_ERROR),
				 errmsg("an unfinished upload of file \"%s\" of bucket \"%s\" is left at the store",
						file->base.key, file->base.bucket->name)));
	file->upload[0] = '\0';
}

/*
 * Do what may fail; then abort what was sent, once, as well as that can be done.
 */
static void
guarded(StoreOut *file, void (*work) (StoreOut *file))
{
	MemoryContext caller = MemoryContextSwitchTo(file->context);

	PG_TRY();
	{
		work(file);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(file->context);
		error = CopyErrorData();
		FlushErrorState();
		abort_upload(file);
		ReThrowError(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
}

static void
send_part(StoreOut *file)
{
	StoreBucket *bucket = out_bucket(file);
	StoreRequest request = {.method = "PUT", .body = file->part, .len = file->len};
	StoreAnswer answer;

	if (file->parts == MAX_PARTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("file \"%s\" of bucket \"%s\" is too large",
						file->base.key, file->base.bucket->name)));
	if (file->upload[0] == '\0')
		begin_upload(file);
	request.url = store_url(bucket, file->base.key,
							parameters(file, ++file->parts));
	store_send(bucket, file->base.key, &request, STORE_FOUND, &answer);
	copy_etag(file->etag, sizeof(file->etag), answer.etag);
	appendStringInfo(&file->list,
					 "<Part><PartNumber>%d</PartNumber><ETag>\"%s\"</ETag></Part>",
					 file->parts, file->etag);
	file->sent += file->len;
	file->len = 0;
}

static void
begin_upload(StoreOut *file)
{
	StoreBucket *bucket = out_bucket(file);
	StoreRequest request = {.method = "POST"};
	StoreAnswer answer;

	store_abort_uploads(bucket, file->base.key);
	request.url = store_url(bucket, file->base.key, "uploads=");
	if (!store_document(bucket, file->base.key, &request, STORE_FOUND,
						note_upload, file, &answer) ||
		file->upload[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_FDW_ERROR),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("store of bucket \"%s\" does not begin an upload",
						file->base.bucket->name)));
}

/*
 * See StoreElement.
 */
static bool
note_upload(void *arg, const char *parent, const char *name, const char *text)
{
	StoreOut   *file = arg;

	if (name == NULL)
		file->upload[0] = '\0';
	else if (text != NULL && strcmp(name, "UploadId") == 0 &&
			 strlcpy(file->upload, text, sizeof(file->upload)) >= sizeof(file->upload))
		file->upload[0] = '\0';
	return true;
}

/*
 * What has no more than one part.
 */
static void
send_all(StoreOut *file)
{
	StoreBucket *bucket = out_bucket(file);
	StoreRequest request = {.method = "PUT", .body = file->part, .len = file->len};
	StoreAnswer answer;

	request.url = store_url(bucket, file->base.key, "");
	store_send(bucket, file->base.key, &request, STORE_FOUND, &answer);
	copy_etag(file->etag, sizeof(file->etag), answer.etag);
}

/*
 * A store may say 200 and then, in the document, that it has failed.
 */
static void
complete(StoreOut *file)
{
	StoreBucket *bucket = out_bucket(file);
	StoreRequest request = {.method = "POST"};
	StoreAnswer answer;
	bool		good;

	if (file->len > 0)
		send_part(file);
	file->etag[0] = '\0';
	request.body = psprintf("<CompleteMultipartUpload>%s</CompleteMultipartUpload>",
							file->list.data);
	request.len = strlen(request.body);
	request.url = store_url(bucket, file->base.key, parameters(file, 0));
	good = store_document(bucket, file->base.key, &request, STORE_MAYBE,
						  note_object, file, &answer);
	if ((!good || file->etag[0] == '\0') && !upload_is_there(file))
		ereport(ERROR,
				(errcode(ERRCODE_IO_ERROR),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("store of bucket \"%s\" has not completed the upload of file \"%s\"",
						file->base.bucket->name, file->base.key)));
}

/*
 * See StoreElement.
 */
static bool
note_object(void *arg, const char *parent, const char *name, const char *text)
{
	StoreOut   *file = arg;

	if (name == NULL)
		file->etag[0] = '\0';
	else if (text != NULL && strcmp(name, "ETag") == 0)
		copy_etag(file->etag, sizeof(file->etag), text);
	return true;
}

/*
 * If the connection broke after the upload was completed, it is not known any
 * more; but the file is there, in as many parts and bytes.
 */
static bool
upload_is_there(StoreOut *file)
{
	StoreBucket *bucket = out_bucket(file);
	StoreRequest request = {.method = "HEAD"};
	StoreAnswer answer;
	const char *parts;

	request.url = store_url(bucket, file->base.key, "");
	store_send(bucket, file->base.key, &request, STORE_MAYBE, &answer);
	parts = strrchr(answer.etag, '-');
	if (answer.status == 404 || answer.length != file->sent || parts == NULL ||
		atoi(parts + 1) != file->parts)
		return false;
	copy_etag(file->etag, sizeof(file->etag), answer.etag);
	return true;
}

/*
 * Without quotes.
 */
static void
copy_etag(char *to, size_t size, const char *from)
{
	size_t		used = 0;

	for (; *from != '\0' && used < size - 1; from++)
	{
		if (bucket_is_alphanumeric(*from) || *from == '-')
			to[used++] = *from;
	}
	to[used] = '\0';
}

/*
 * Of a part, or 0: of the upload.
 */
static char *
parameters(const StoreOut *file, int part)
{
	StringInfoData out;

	initStringInfo(&out);
	if (part > 0)
		appendStringInfo(&out, "partNumber=%d&", part);
	appendStringInfoString(&out, "uploadId=");
	store_append_encoded(&out, file->upload, "");
	return out.data;
}
