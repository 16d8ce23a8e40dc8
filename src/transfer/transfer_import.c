/*-------------------------------------------------------------------------
 *
 * transfer_import.c
 *	  ImportTable's work: the items of files are put into a table that was
 *	  made for them.
 *
 * The request has made the table, which is CREATING, and of no use to others,
 * while the job goes on (schema_is_filling).  An item that is wrong does not
 * end the job, but it will have failed, and the table stays with the items
 * that were good.  Anything else that goes wrong, and cancelling, takes the
 * table away again.  Otherwise it could be taken for complete.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec.h"
#include "transfer/transfer_load_internal.h"

static bool import_step(Job *job);
static void check_there(const TableDef *def);
static char *items_failed(const TransferState *state);
static void refuse_damage(const TransferBatch *batch);
static void drop_table(Job *job);

const JobHandler transfer_import_handler = {
	.kind = JOB_IMPORT,
	.step = import_step,
	.failed = drop_table,
	.cleans_table = true,
	.failure_code = bucket_failure,
};

static bool
import_step(Job *job)
{
	json_t	   *request = transfer_request(job);
	const TableDef *def;
	TransferSource source;
	TransferState state;
	TransferBatch batch;

	check_there(transfer_table(job));
	transfer_source_read(json_object_get(request, "S3BucketSource"), request,
						 &source);
	transfer_state_read(job, &state);
	if (!transfer_read(job, &source, &state, &batch))
		return false;
	refuse_damage(&batch);
	def = transfer_lock_table(job);
	check_there(def);
	transfer_check(def, &batch);
	transfer_put(job->table_name, ENGINE_IMPORT, &batch);
	transfer_count(&batch, &state);
	job->position = transfer_state_text(&state);
	job_progress(job, state.bytes, state.total_bytes, state.taken,
				 state.failed);
	if (!batch.at_end)
		return false;

	transfer_read_end(job);
	if (transfer_state_lack(&state) != NULL)
		job_fail("S3NoSuchKey", "%s", transfer_state_lack(&state));
	if (state.failed > 0)
	{
		job->status = JOB_FAILED;
		job->failure_code = "ItemValidationError";
		job->failure_message = items_failed(&state);
	}
	return true;
}

static void
check_there(const TableDef *def)
{
	if (def == NULL)
		job_fail("TableNotFound", "The table was deleted while it was imported.");
}

/*
 * The service's words, but for where it points to CloudWatch: where the first of the
 * items that failed is, and why it did.
 */
static char *
items_failed(const TransferState *state)
{
	json_error_t error;
	json_t	   *first = state->errors == NULL ? NULL :
		json_array_get(codec_load(state->errors, strlen(state->errors), &error), 0);

	if (first == NULL)
		return "Some of the items failed validation checks and were not imported.";
	return psprintf("Some of the items failed validation checks and were not imported. The first of "
					INT64_FORMAT " is in file \"%s\", line " INT64_FORMAT ": %s",
					state->failed, wire_json_text_in(first, "File"),
					wire_json_integer_in(first, "Line", 0),
					wire_json_text_in(first, "Message"));
}

/*
 * Where a file is damaged, nobody can tell what is missing.
 */
static void
refuse_damage(const TransferBatch *batch)
{
	ListCell   *lc;

	foreach(lc, batch->records)
	{
		const TransferRecord *record = lfirst(lc);

		if (record->line == 0)
			job_fail(record->code, "%s", record->problem);
	}
}

/*
 * With the name locked.  Otherwise it could be another table's by the time that is
 * dropped.
 */
static void
drop_table(Job *job)
{
	transfer_read_end(job);
	schema_lock_name(job->table_name);
	if (transfer_table(job) != NULL)
		schema_drop_table(job->table_name);
}
