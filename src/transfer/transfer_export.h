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
#include "codec/codec.h"
#include "engine/engine.h"
#include "expr/expr.h"
#include "job/job.h"
#include "policy/policy.h"
#include "schema/schema.h"

/*
 * A FilterSpecification, or what SQL has for it.  Members that are not given are
 * NULL.
 */
typedef struct TransferFilter
{
	json_t	   *specification;	/* its members, as they were given */
	const ExprCondition *keys;	/* KeyConditionExpression, and its clauses */
	const ExprKeyCondition *clauses;
	const ExprCondition *filter;
	const ExprProjection *projection;
	EngineScanSpec range;		/* what "clauses" ask for, once bound */
} TransferFilter;

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
	json_t	   *specification;	/* FilterSpecification, or NULL */
	const TransferFilter *filter;	/* the same, bound; NULL: there is none,
									 * or it has not been read */
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

/* Called once a process: registers the kind of job */
extern void transfer_export_init(void);

/*
 * transfer_filter.c: a FilterSpecification, whose JSON types have been checked,
 * first as far as can be without a table, then against a table's keys and
 * indexes.  Both raise ValidationException, with the texts of Query where there
 * is a key condition, else of Scan.
 */
extern TransferFilter *transfer_filter_read(const json_t *specification);
extern void transfer_filter_check(TransferFilter *filter, const TableDef *def);

/*
 * transfer_policy.c: raise AccessDeniedException unless policies (NULL: there
 * are none) let the export be made.
 */
extern void transfer_check_export(PolicyRequest *policies,
								  const TransferExport *export,
								  const TableDef *def);

/*
 * transfer_export.c: submit an export as the current user; or return the one
 * that the same request, by its token, has started within eight hours.
 * "asked" is the request, NULL for a SQL function.  Raises
 * AccessDeniedException, ExportConflictException for another request with that
 * token, LimitExceededException, and 42602 for a prefix that is none.  The
 * rest has been checked.
 */
extern const Job *transfer_export_submit(const TransferExport *request,
										 const TableDef *def,
										 DynamoRequest *asked);

/* What was asked for, and how far it is; in the current context */
extern TransferExport *transfer_export_request(const Job *job);
extern void transfer_export_state(const Job *job, TransferExportState *state);

/* The export's ARN, in the current context */
extern char *transfer_export_arn(const Job *job);

#endif							/* DYNAMO_TRANSFER_EXPORT_H */
