/*-------------------------------------------------------------------------
 *
 * transfer_bulk.c
 *	  StartBulkPutItems' work: the items of files are put into a table that is
 *	  in use.
 *
 * What cannot be put is counted and reported, and the job goes on: it has
 * completed with errors in the end.  What was written stays, however the job
 * ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "transfer/transfer_internal.h"
#include "transfer/transfer_load_internal.h"
#include "utils/timestamp.h"

static bool bulk_step(Job *job);
static void pace(Job *job, const json_t *request, int64 units);
static void end(Job *job);

const JobHandler transfer_bulk_handler = {
	.kind = JOB_BULK,
	.step = bulk_step,
	.failed = end,
	.failure_code = bucket_failure,
};

static bool
bulk_step(Job *job)
{
	json_t	   *request = transfer_request(job);
	json_t	   *input = json_object_get(request, "InputS3Configuration");
	json_t	   *output = json_object_get(request, "OutputS3Configuration");
	const TableDef *def;
	TransferSource source;
	TransferState state;
	TransferBatch batch;
	int64		units;

	transfer_source_read(input, input, &source);
	transfer_check_owner(wire_json_text_in(output, "S3Bucket"),
						 wire_json_text_in(output, "S3BucketOwner"));
	transfer_state_read(job, &state);
	units = state.units;
	if (!transfer_read(job, &source, &state, &batch))
		return false;
	transfer_read_conditions(&source, &batch);
	def = transfer_lock_table(job);
	if (def == NULL)
		job_fail("ResourceNotFoundException", "Requested resource not found");
	transfer_check(def, &batch);
	transfer_check_policies(request, def,
							transfer_wants(output, TRANSFER_REFUSED), &batch);
	transfer_put(job->table_name, ENGINE_PUT_ITEM, &batch);
	transfer_report(job, output, &state, &batch);
	transfer_count(&batch, &state);
	job->position = transfer_state_text(&state);
	job_progress(job, state.bytes, state.total_bytes, state.taken,
				 state.failed + state.refused);
	if (!batch.at_end)
	{
		pace(job, request, state.units - units);
		return false;
	}
	transfer_read_end(job);
	if (state.failed > 0)
		job->status = JOB_COMPLETED_WITH_ERRORS;
	if (transfer_state_lack(&state) != NULL)
	{
		job->status = JOB_FAILED;
		job->failure_code = "S3NoSuchKey";
		job->failure_message = pstrdup(transfer_state_lack(&state));
	}
	return true;
}

/*
 * The next step waits until this one's units are due.
 */
static void
pace(Job *job, const json_t *request, int64 units)
{
	const json_t *limit = json_object_get(request, "MaxWriteRequestUnits");

	if (json_is_integer(limit) && json_integer_value(limit) > 0)
		job->retry_at = GetCurrentTransactionStartTimestamp() +
			units * USECS_PER_SEC / json_integer_value(limit);
}

static void
end(Job *job)
{
	transfer_read_end(job);
}
