/*-------------------------------------------------------------------------
 *
 * transfer_load.h
 *	  Imports and bulk operations: items that are read from the files of a
 *	  bucket and put into a table.
 *
 * Both are jobs (job/job.h).  A job's request is the JSON object of the
 * operation's request, without the ClientToken; its position is a
 * TransferState.  A bulk operation to which policies apply has a member beside,
 * TRANSFER_CLIENT.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TRANSFER_LOAD_H
#define DYNAMO_TRANSFER_LOAD_H

#include "postgres.h"

#include "bucket/bucket.h"
#include "job/job.h"
#include "lib/stringinfo.h"
#include "policy/policy.h"

#define TRANSFER_CLIENT			"Client"	/* SourceIp, SecureTransport */
#define TRANSFER_MAX_ERRORS		10	/* that a state describes */

/* How far a job has come. */
typedef struct TransferState
{
	char	   *file;			/* key of the file at hand, or the last; NULL:
								 * none yet */
	bool		finished;		/* it has been read to its end */
	int64		file_size;		/* of one that has not, when its turn came;
								 * -1: not known */
	int64		record;			/* records of it that are done */
	int64		done_bytes;		/* of files before it, as stored */
	int64		bytes;			/* read so far, as stored */
	int64		done_content;	/* the same, decompressed */
	int64		content;
	int64		total_bytes;	/* of all files; -1: not known yet */
	int64		processed;		/* records: the sum of these three */
	int64		taken;			/* put */
	int64		failed;			/* that are no items for this table */
	int64		refused;		/* whose condition was not met */
	int64		size;			/* of the items put, in bytes */
	int64		units;			/* write request units that they would cost */
	int64		parts;			/* steps done that had records: reports are
								 * numbered so */
	char	   *errors;			/* JSON array of the first errors */
} TransferState;

/*
 * transfer_policy.c: append TRANSFER_CLIENT, what policies are to know of the
 * client of a request when they are asked again, without it
 */
extern void transfer_append_client(StringInfo out,
								   const DynamoRequest *request);

/*
 * transfer_state.c: a job's position as a state, and back, in the current
 * context. What a position lacks has its value at the beginning.  At the end: what
 * to say of files that were not there to be read, or NULL.
 */
extern void transfer_state_read(const Job *job, TransferState *state);
extern char *transfer_state_text(const TransferState *state);
extern const char *transfer_state_lack(const TransferState *state);

/* Called once a process: registers both kinds */
extern void transfer_load_init(void);

#endif							/* DYNAMO_TRANSFER_LOAD_H */
