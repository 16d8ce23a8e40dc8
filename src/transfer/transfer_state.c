/*-------------------------------------------------------------------------
 *
 * transfer_state.c
 *	  How far a job that loads items has come, as its position tells it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "transfer/transfer_load_internal.h"

/*
 * What is missing has its value at the beginning.
 */
void
transfer_state_read(const Job *job, TransferState *state)
{
	json_error_t error;
	json_t	   *object = job->position == NULL ? NULL :
		codec_load(job->position, strlen(job->position), &error);
	json_t	   *errors = json_object_get(object, "Errors");
	const char *file = wire_json_text_in(object, "File");

	memset(state, 0, sizeof(*state));
	state->file = file ? pstrdup(file) : NULL;
	state->finished = json_is_true(json_object_get(object, "Finished"));
	state->file_size = wire_json_integer_in(object, "FileBytes", -1);
	state->record = wire_json_integer_in(object, "Record", 0);
	state->done_bytes = wire_json_integer_in(object, "DoneBytes", 0);
	state->bytes = wire_json_integer_in(object, "Bytes", 0);
	state->done_content = wire_json_integer_in(object, "DoneContentBytes", 0);
	state->content = wire_json_integer_in(object, "ContentBytes", 0);
	state->total_bytes = wire_json_integer_in(object, "TotalBytes", -1);
	state->processed = wire_json_integer_in(object, "Processed", 0);
	state->taken = wire_json_integer_in(object, "Taken", 0);
	state->failed = wire_json_integer_in(object, "Failed", 0);
	state->refused = wire_json_integer_in(object, "Refused", 0);
	state->size = wire_json_integer_in(object, "Size", 0);
	state->units = wire_json_integer_in(object, "Units", 0);
	state->parts = wire_json_integer_in(object, "Parts", 0);
	if (json_is_array(errors))
	{
		StringInfoData text;

		initStringInfo(&text);
		wire_append_json(&text, errors);
		state->errors = text.data;
	}
}

/*
 * Nothing is left to be read.  If that was less than there was when the job began, what
 * to say of it; else NULL.  One that has come since may pass for another that is gone.
 */
const char *
transfer_state_lack(const TransferState *state)
{
	return state->done_bytes < state->total_bytes ?
		"Files were removed, or made smaller, before they were read." : NULL;
}

char *
transfer_state_text(const TransferState *state)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	if (state->file != NULL)
		wire_string_member(&out, "File", state->file);
	wire_boolean_member(&out, "Finished", state->finished);
	if (!state->finished && state->file_size >= 0)
		wire_integer_member(&out, "FileBytes", state->file_size);
	wire_integer_member(&out, "Record", state->record);
	wire_integer_member(&out, "DoneBytes", state->done_bytes);
	wire_integer_member(&out, "Bytes", state->bytes);
	wire_integer_member(&out, "DoneContentBytes", state->done_content);
	wire_integer_member(&out, "ContentBytes", state->content);
	wire_integer_member(&out, "TotalBytes", state->total_bytes);
	wire_integer_member(&out, "Processed", state->processed);
	wire_integer_member(&out, "Taken", state->taken);
	wire_integer_member(&out, "Failed", state->failed);
	wire_integer_member(&out, "Refused", state->refused);
	wire_integer_member(&out, "Size", state->size);
	wire_integer_member(&out, "Units", state->units);
	wire_integer_member(&out, "Parts", state->parts);
	if (state->errors != NULL)
	{
		wire_member(&out, "Errors");
		appendStringInfoString(&out, state->errors);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
