/*-------------------------------------------------------------------------
 *
 * transfer_load_internal.h
 *	  What the files that load items share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TRANSFER_LOAD_INTERNAL_H
#define DYNAMO_TRANSFER_LOAD_INTERNAL_H

#include "postgres.h"

#include "engine/engine.h"
#include "transfer/transfer_load.h"
#include "wire/wire.h"

/* Where items come from. */
typedef struct TransferSource
{
	const char *bucket;
	const char *prefix;			/* "": all of it */
	BucketSource reading;
} TransferSource;

/* A record of a file, and what has become of it. */
typedef struct TransferRecord
{
	const char *file;
	int64		line;			/* 0: the file as a whole */
	const char *text;			/* of what is no item; NULL: not kept */
	size_t		len;
	int			place;			/* in its step */
	Item	   *item;			/* NULL: it is none */
	const TableKey *key;
	const ExprCondition *condition; /* or NULL */
	const char *code;			/* of its error; NULL: none */
	const char *problem;		/* the error's text */
	bool		refused;		/* its condition was not met */
	const Item *existing;		/* then: what was there, or NULL */
} TransferRecord;

/* Of OutputType: the items that have a record refused are shown */
#define TRANSFER_REFUSED	"CONDITION_CHECK_FAILURE"

/* The records of one step. */
typedef struct TransferBatch
{
	List	   *records;		/* of TransferRecord * */
	bool		at_end;			/* there are no more */
} TransferBatch;

/*
 * transfer_source.c: a job's request, a JSON object; the table it was asked
 * for, and no other that has its name now (NULL: it is gone), as it is at the
 * moment, or to the end of the transaction; its source: "location" has the
 * bucket and the prefix, "request" the format.  The last fails the job if there
 * is no bucket, no format, or the bucket is of another account.  All is of the
 * current context.
 */
extern json_t *transfer_request(const Job *job);
extern const TableDef *transfer_table(const Job *job);
extern const TableDef *transfer_lock_table(const Job *job);
extern void transfer_source_read(const json_t *location, const json_t *request,
								 TransferSource *source);

/*
 * transfer_read.c: read the next step's records, in the current context, and
 * move the state's place behind them.  False: the step was spent on the way to
 * where the state is.  Files stay open from step to step, until
 * transfer_read_end().
 */
extern bool transfer_read(Job *job, const TransferSource *source,
						  TransferState *state, TransferBatch *batch);
extern void transfer_read_end(const Job *job);

/*
 * transfer_put.c: find the keys of all items (those that are none for this
 * table have a problem from now on); write all records that have no problem,
 * in the order of locks; count what has become of them.  An error of a record
 * is its problem, but for an import, and but for a cancel, a time-out or a
 * lack of memory, which are raised.
 */
extern void transfer_check(const TableDef *def, TransferBatch *batch);
extern void transfer_put(const char *table, EngineAccess access,
						 TransferBatch *batch);
extern void transfer_note_error(TransferRecord *record, ErrorData *error);
extern void transfer_count(const TransferBatch *batch, TransferState *state);

/*
 * transfer_policy.c: records that policies do not let be put have a problem
 * from now on. "shown": so is the item that is in the way of a condition.
 */
extern void transfer_check_policies(const json_t *request, const TableDef *def,
									bool shown, TransferBatch *batch);

/*
 * transfer_report.c: is that type of report asked for?  Take apart records of
 * JSON that are an item and a condition.  Write what the job's output is to
 * have of this step, to files that have the step's number in their names.
 */
extern bool transfer_wants(const json_t *output, const char *type);
extern void transfer_read_conditions(const TransferSource *source,
									 TransferBatch *batch);
extern void transfer_report(const Job *job, const json_t *output,
							const TransferState *state,
							const TransferBatch *batch);

/* transfer_import.c, transfer_bulk.c */
extern const JobHandler transfer_import_handler;
extern const JobHandler transfer_bulk_handler;

#endif							/* DYNAMO_TRANSFER_LOAD_INTERNAL_H */
