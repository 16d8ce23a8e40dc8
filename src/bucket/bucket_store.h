/*-------------------------------------------------------------------------
 *
 * bucket_store.h
 *	  What the files about stores share.
 *
 * A store is reached by HTTP and speaks S3.  Its bucket is a foreign server of
 * the wrapper dynamo_bucket; user mappings hold the credentials.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BUCKET_STORE_H
#define DYNAMO_BUCKET_STORE_H

#include <curl/curl.h>

#include "bucket/bucket_internal.h"
#include "store/store.h"

#define STORE_MAX_CODE	64
#define STORE_MAX_ETAG	128
/* A store's bucket.  What is secret stands here and in libcurl alone. */
typedef struct StoreBucket
{
	Bucket		base;
	bool		loopback;		/* the endpoint names it: it may be reached */
	char	   *url;			/* of the bucket, without a "/" at its end */
	char	   *signing;		/* for CURLOPT_AWS_SIGV4 */
	char	   *ca_file;		/* or NULL */
	char	   *access_key_id;
	char	   *secret;
	char	   *session_token;	/* or NULL */
	int			strikes;		/* requests in a row that came to nothing:
								 * then there is one attempt, soon none */
	struct StoreWires *wires;
	MemoryContextCallback callback;
} StoreBucket;

/*
 * bucket_server.c: the options of servers and user mappings.
 */
typedef struct StoreOptions
{
	StoreEndpoint endpoint;
	char	   *region;
	char	   *bucket;			/* its name there, or NULL */
	bool		path_style;
	char	   *ca_file;		/* or NULL */
	char	   *access_key_id;	/* or NULL */
	char	   *secret;
	char	   *session_token;
} StoreOptions;

extern void store_options(const char *name, Oid server,
						  StoreOptions *options);

/*
 * bucket_wire.c: one request at a time of each exchange, by libcurl.
 */
typedef struct StoreRequest
{
	const char *method;			/* GET, HEAD, PUT, POST, DELETE */
	const char *url;
	const char *body;			/* of PUT and POST; or NULL */
	size_t		len;
	int64		from;			/* of GET: bytes to leave out */
	const char *etag;			/* ... of this version alone; or NULL */
} StoreRequest;

typedef struct StoreAnswer
{
	long		status;
	int64		length;			/* of the body; -1: not known */
	char		etag[STORE_MAX_ETAG];	/* without quotes; "": none was told */

	char		code[STORE_MAX_CODE];	/* of an error; "": none was told */

	/* Where none came: */
	bool		final;			/* it would be the same the next time */
	bool		refused;		/* its address is none that a store may have */
} StoreAnswer;

typedef struct StoreExchange StoreExchange;

extern void store_wire_init(void);
extern void store_wires_open(StoreBucket *bucket);

extern StoreExchange *store_exchange(StoreBucket *bucket,
									 const StoreRequest *request,
									 StoreAnswer *answer,
									 const char **failure);

extern size_t store_exchange_read(StoreExchange *exchange, char *buffer,
								  size_t size, const char **failure);
extern void store_exchange_end(StoreExchange *exchange);

extern void store_pause(int milliseconds);

/*
 * bucket_request.c: requests that are tried again, and what is wrong with them.
 */

/* Times that a request is tried. */
#define STORE_ATTEMPTS	5

/* Which answers a request is content with; others are errors about the key. */
typedef enum StoreAccept
{
	STORE_FOUND,				/* 2xx */
	STORE_MAYBE,				/* and 404, if it is not the bucket's */
	STORE_ANYTHING				/* whatever the store says */
} StoreAccept;

extern StoreExchange *store_request(StoreBucket *bucket, const char *key,
									const StoreRequest *request,
									StoreAccept accept, StoreAnswer *answer);

extern void store_send(StoreBucket *bucket, const char *key,
					   const StoreRequest *request, StoreAccept accept,
					   StoreAnswer *answer);

extern bool store_document(StoreBucket *bucket, const char *key,
						   const StoreRequest *request, StoreAccept accept,
						   StoreElement element, void *arg,
						   StoreAnswer *answer);

extern void store_refuse(const StoreBucket *bucket, const char *key,
						 const StoreAnswer *answer)
			pg_attribute_noreturn();
extern void store_unreachable(StoreBucket *bucket, const char *failure)
			pg_attribute_noreturn();

extern void store_wait_again(int attempt);

extern char *store_url(const StoreBucket *bucket, const char *key,
					   const char *parameters);
extern void store_append_encoded(StringInfo out, const char *text,
								 const char *also);

/* bucket_store_list.c, bucket_store_file.c: see BucketOps */
extern List *store_list(Bucket *base, const char *prefix);
extern BucketIn *store_in_open(Bucket *base, const char *key);
extern size_t store_in_read(BucketIn *in, char *buffer, size_t size);
extern BucketOut *store_out_create(Bucket *base, const char *key);
extern void store_out_write(BucketOut *out, const char *data, size_t len);
extern void store_out_finish(BucketOut *out, const uint8 *md5, char *etag);

extern void store_abort_uploads(StoreBucket *bucket, const char *key);
extern void store_abort_upload(StoreBucket *bucket, const char *key,
							   const char *upload);

#endif							/* DYNAMO_BUCKET_STORE_H */
