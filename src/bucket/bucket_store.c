/*-------------------------------------------------------------------------
 *
 * bucket_store.c
 *	  Buckets at an S3-compatible store.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_store.h"

static bool store_has(Bucket *base, const char *key);
static void store_remove(Bucket *base, const char *key);
static void set_url(StoreBucket *bucket, const StoreOptions *options,
					MemoryContext context);
static bool is_label(const char *name);
static char *copied(MemoryContext context, const char *text);

static const BucketOps store_ops = {
	.list = store_list,
	.has = store_has,
	.remove = store_remove,
	.open = store_in_open,
	.read = store_in_read,
	.create = store_out_create,
	.write = store_out_write,
	.finish = store_out_finish
};

/*
 * bucket_store.c.
 */
void
bucket_store_init(void)
{
	store_endpoint_init();
	store_wire_init();
}

/*
 * "hurry": the store has but one chance to answer, and soon.
 */
Bucket *
bucket_store_open(const char *name, Oid server, bool hurry,
				  MemoryContext context)
{
	StoreBucket *bucket = MemoryContextAllocZero(context, sizeof(StoreBucket));
	StoreOptions options;

	store_options(name, server, &options);
	if (!store_endpoint_allowed(&options.endpoint))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 bucket_rule(BUCKET_RULE_ALLOWED),
				 errmsg("endpoint of bucket \"%s\" is not allowed", name),
				 errdetail("Setting \"dynamo.bucket_endpoints\" does not name it.")));
	bucket->base.ops = &store_ops;
	bucket->base.name = copied(context, name);
	bucket->base.context = context;
	bucket->strikes = hurry ? 1 : 0;
	bucket->loopback = store_endpoint_is_loopback(&options.endpoint);
	bucket->signing = copied(context, psprintf("aws:amz:%s:s3", options.region));
	bucket->ca_file = copied(context, options.ca_file);
	bucket->access_key_id = copied(context, options.access_key_id);
	bucket->secret = copied(context, options.secret);
	bucket->session_token = copied(context, options.session_token);
	set_url(bucket, &options, context);
	store_wires_open(bucket);
	return &bucket->base;
}

static void
set_url(StoreBucket *bucket, const StoreOptions *options,
		MemoryContext context)
{
	const char *there = options->bucket ? options->bucket : bucket->base.name;

	if (!options->path_style && (!is_label(there) ||
								 store_endpoint_is_address(&options->endpoint)))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("bucket \"%s\" cannot be part of a host's name",
						bucket->base.name),
				 errhint("Set option \"path_style\".")));
	bucket->url = copied(context, options->path_style ?
						 psprintf("%s/%s", store_endpoint_url(&options->endpoint, NULL), there) :
						 store_endpoint_url(&options->endpoint, there));
}

/*
 * Small letters, digits and hyphens: certificates are for one label more.
 */
static bool
is_label(const char *name)
{
	return strlen(name) <= 63 &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static char *
copied(MemoryContext context, const char *text)
{
	return text ? MemoryContextStrdup(context, text) : NULL;
}

/*
 * See BucketOps.
 */
static bool
store_has(Bucket *base, const char *key)
{
	StoreBucket *bucket = (StoreBucket *) base;
	StoreRequest request = {.method = "HEAD", .url = store_url(bucket, key, "")};
	StoreAnswer answer;

	store_send(bucket, key, &request, STORE_MAYBE, &answer);
	return answer.status != 404;
}

/*
 * See BucketOps.
 */
static void
store_remove(Bucket *base, const char *key)
{
	StoreBucket *bucket = (StoreBucket *) base;
	StoreRequest request = {.method = "DELETE", .url = store_url(bucket, key, "")};
	StoreAnswer answer;

	store_abort_uploads(bucket, key);
	store_send(bucket, key, &request, STORE_MAYBE, &answer);
}
