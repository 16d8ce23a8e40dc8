/*-------------------------------------------------------------------------
 *
 * transfer_export.h
 *	  Exports: the items of a table, as of a time, or what has changed between
 *	  two, as files of a bucket.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TRANSFER_EXPORT_H
#define DYNAMO_TRANSFER_EXPORT_H

#include "postgres.h"

#include "bucket/bucket.h"
#include "job/job.h"
#include "schema/schema.h"

/* What is asked for.  Texts may be NULL where it says so. */
typedef struct TransferExport
{
	const char *table_name;
	const char *table_id;
	const char *bucket;
	const char *bucket_owner;	/* an account, or NULL */
	const char *prefix;			/* or NULL */
	const char *sse_algorithm;	/* AES256, KMS, or NULL */
	const char *sse_key;		/* or NULL */
	const char *token;			/* ClientToken, or NULL */
	BucketFormat format;		/* not CSV */
	TimestampTz time;			/* 0: that of the export */
	bool		incremental;	/* then from from_time to to_time */
	TimestampTz from_time;
	TimestampTz to_time;		/* 0: now, as far as the window reaches */
	bool		old_images;		/* incremental: NEW_AND_OLD_IMAGES */
	bool		without_recovery;	/* the present, of a table that has no
									 * point-in-time recovery */
} TransferExport;

/* How far it has come. */
typedef struct TransferExportState
{
	TimestampTz time;			/* of the items */
	int64		items;
	int64		bytes;			/* of the items, as DynamoDB counts them */
	const char *manifest;		/* key of manifest-summary.json; NULL: the
								 * export is not complete */
} TransferExportState;

/* Called once a process */
extern void transfer_export_init(void);

/*
 * Submit an export as the current user, who must be allowed to read all of the
 * table; or return the one that the same request, by its token, has started
 * within eight hours.  Raises AccessDeniedException, ExportConflictException
 * for another request with that token, LimitExceededException, and for a
 * prefix that is none.  The times have been checked.
 */
extern const Job *transfer_export_submit(const TransferExport *request,
										 const TableDef *def);

/* What was asked for, and how far it is */
extern TransferExport *transfer_export_request(const Job *job);
extern void transfer_export_state(const Job *job, TransferExportState *state);

/* ARN of an export */
extern char *transfer_export_arn(const Job *job);

#endif							/* DYNAMO_TRANSFER_EXPORT_H */
