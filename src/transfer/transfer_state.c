/*-------------------------------------------------------------------------
 *
 * transfer_state.c
 *	  How far a job that loads items has come, as its position tells it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "transfer/transfer_load_internal.h"

static int64 integer(const json_t *object, const char *member, int64 missing);

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
	const char *file = transfer_text(object, "File");

	memset(state, 0, sizeof(*state));
	state->file = file ? pstrdup(file) : NULL;
	state->finished = json_is_true(json_object_get(object, "Finished"));
	state->record = integer(object, "Record", 0);
	state->done_bytes = integer(object, "DoneBytes", 0);
	state->bytes = integer(object, "Bytes", 0);
	state->done_content = integer(object, "DoneContentBytes", 0);
	state->content = integer(object, "ContentBytes", 0);
	state->total_bytes = integer(object, "TotalBytes", -1);
	state->processed = integer(object, "Processed", 0);
	state->taken = integer(object, "Taken", 0);
	state->failed = integer(object, "Failed", 0);
	state->refused = integer(object, "Refused", 0);
	state->size = integer(object, "Size", 0);
	state->units = integer(object, "Units", 0);
	state->parts = integer(object, "Parts", 0);
	if (json_is_array(errors))
	{
		StringInfoData text;

		initStringInfo(&text);
		wire_append_json(&text, errors);
		state->errors = text.data;
	}
}

static int64
integer(const json_t *object, const char *member, int64 missing)
{
	const json_t *value = json_object_get(object, member);

	return json_is_integer(value) ? json_integer_value(value) : missing;
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
