/*-------------------------------------------------------------------------
 *
 * bucket_failure.c
 *	  The FailureCode of an export or import that ended by an error.
 *
 * The first three are the service's.  Of the others it is not known what it
 * says; they are named in the same manner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"

static const struct
{
	const char *rule;
	const char *code;
}			failures[] = {
	{BUCKET_RULE_EXISTS, "S3NoSuchBucket"},
	{BUCKET_RULE_ALLOWED, "S3AccessDenied"},
	{BUCKET_RULE_FOUND, "S3NoSuchKey"},
	{BUCKET_RULE_KEY, "S3InvalidKey"},
	{BUCKET_RULE_FILE, "S3InternalError"},
	{BUCKET_RULE_CONTENT, "S3InvalidObject"},
	{BUCKET_RULE_COMPRESSION, "S3InvalidObject"},
};

/*
 * The FailureCode of a job that ended by this error, as "S3NoSuchBucket";
 * NULL: no bucket and no file is to blame.
 */
const char *
bucket_failure(const ErrorData *error)
{
	for (int i = 0; i < lengthof(failures); i++)
	{
		if (dynamo_breaks(error, failures[i].rule))
			return failures[i].code;
	}
	return NULL;
}

/*
 * Was a file not compressed as it should be?
 */
bool
bucket_is_uncompressed(const ErrorData *error)
{
	return dynamo_breaks(error, BUCKET_RULE_COMPRESSION);
}
