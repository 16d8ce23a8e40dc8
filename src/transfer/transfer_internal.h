/*-------------------------------------------------------------------------
 *
 * transfer_internal.h
 *	  What the files of this folder share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TRANSFER_INTERNAL_H
#define DYNAMO_TRANSFER_INTERNAL_H

#include "lib/stringinfo.h"
#include "transfer/transfer_export.h"

/* An export's files: how they are named. */
typedef struct TransferLayout
{
	const char *folder;			/* of its manifests; with a slash */
	const char *data;			/* of its data; with a slash */
	const char *suffix;			/* of names of data */
	const char *id;
} TransferLayout;

/*
 * transfer_export.c: raises AccessDeniedException unless the current user may
 * read what an export is of.  Row-level security must not hide any of it: a role
 * that it concerns may only export the present of a partition whose key it was
 * granted.
 */
extern void transfer_check_reader(DynamoRequest *asked, const TableDef *def,
								  const TransferExport *request);

/* transfer_export.c: a request or position that this room has written */
extern json_t *transfer_export_object(const char *text);

/*
 * transfer_export.c: from when on changes are exported to one who asks by the API
 * for those from a second on
 */
extern TimestampTz transfer_period_begin(Oid relid, TimestampTz from);

/*
 * transfer_source.c: fail the job of this step unless a bucket is of that
 * account (NULL: it does not matter).  It has no owner but this server, which
 * has one account.
 */
extern void transfer_check_owner(const char *bucket, const char *owner);

/* transfer_filter.c: find its range of a table; raises ValidationException */
extern void transfer_filter_bind(TransferFilter *filter, const TableDef *def);

/*
 * transfer_policy.c: transfer_check_export() for the request of a job, whose
 * policies are those of now
 */
extern void transfer_check_export_again(const json_t *request,
										const TransferExport *export,
										const TableDef *def);

/*
 * transfer_manifest.c: keys below the export's prefix in the bucket, in the
 * current context, as all of this file.
 */
extern void transfer_layout(TransferLayout *layout, const Job *job,
							const TransferExport *request);

/* Key of data file number "n", from 0: the same each time */
extern char *transfer_data_key(const TransferLayout *layout, int n);

/* Key of a file of the export's own folder */
extern char *transfer_manifest_key(const TransferLayout *layout,
								   const char *name);

/* A data file's line of manifest-files.json */
extern void transfer_append_file(StringInfo out, const char *key,
								 int64 items, const BucketDigest *digest);

/* manifest-summary.json of an export that is complete now */
extern char *transfer_summary(const Job *job, const TransferExport *request,
							  const TransferExportState *state,
							  const TransferLayout *layout);

#endif							/* DYNAMO_TRANSFER_INTERNAL_H */
