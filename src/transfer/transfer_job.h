/*-------------------------------------------------------------------------
 *
 * transfer_job.h
 *	  What answers about jobs of this folder share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TRANSFER_JOB_H
#define DYNAMO_TRANSFER_JOB_H

#include "postgres.h"

#include "control/control_tables.h"
#include "job/job.h"
#include "shard/shard.h"
#include "transfer/transfer_api.h"

/*
 * transfer_job.c: what clients know jobs by.  "part" is what stands in the ARN
 * between the table and the id: "import".
 */
extern char *transfer_job_arn(const Job *job, const char *part);

/* ClientToken, S3BucketOwner */
extern const WireShape transfer_token_shape;
extern const WireShape transfer_owner_shape;

/*
 * The id at its end; NULL: it is no such ARN.  Raises what
 * wire_resource_table() does
 */
extern const char *transfer_job_id(const char *arn, const char *part);
extern bool transfer_job_elsewhere(DynamoRequest *request, const char *id);

/* The API's word: a constant */
extern const char *transfer_job_status(const Job *job);

/* StartTime, and EndTime of one that has ended */
extern void transfer_append_job_times(StringInfo out, const Job *job);
extern void transfer_append_job_member(StringInfo out, const json_t *request,
									   const char *member);
/* What a job keeps of its request, JSON text, has no NUL, as jsonb has none */
extern void transfer_drop_nul(char *json);

extern bool transfer_job_exists(DynamoRequest *request, JobKind kind,
								const char *id);

/* How jobs of a kind are listed. */
typedef struct TransferListing
{
	ShardListing page;
	JobKind		kind;
	const char *part;			/* of their ARNs */
	void		(*append) (StringInfo out, const Job *job);
} TransferListing;

/*
 * The answer of an operation that lists jobs: those of a table (NULL: of all) after
 * "next_token" (NULL: the first page), up to "limit", and NextToken if there are more.
 */
extern void transfer_list_jobs(DynamoRequest *request, StringInfo out,
							   const TransferListing *listing,
							   const char *table, const char *next_token,
							   int limit);

/* A job that has failed, with a FailureCode */
extern void transfer_append_job_failure(StringInfo out, const Job *job);

#endif							/* DYNAMO_TRANSFER_JOB_H */
