/*-------------------------------------------------------------------------
 *
 * stream_change.c
 *	  StreamSpecification: a table's stream, switched on and off.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "stream/stream_internal.h"

static char view_letter(json_t *specification);

/*
 * Check what CreateTable says of a stream.
 */
void
stream_check_new(json_t *specification)
{
	bool		enabled = wire_json_is_true(specification, "StreamEnabled");
	json_t	   *view = wire_json_get(specification, "StreamViewType");

	if (enabled && !view)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Table is being created with a stream enabled, UpdateViewType is required");
	if (!enabled && view)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Table is being created with a stream disabled, UpdateViewType should not be specified");
}

/*
 * The same for UpdateTable, before the table is looked up.
 */
void
stream_check_change(json_t *specification)
{
	bool		enabled = wire_json_is_true(specification, "StreamEnabled");
	json_t	   *view = wire_json_get(specification, "StreamViewType");

	if (enabled && !view)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "If stream is being enabled then UpdateViewType is required");
	if (!enabled && view)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "If stream is being disabled, then UpdateViewType must not be specified");
}

/*
 * Refuse to switch on what is on, or off what is off.  A global table keeps its
 * stream, as the service needs it; in SQL its owner may end it.
 */
void
stream_check_state(json_t *specification, const TableDef *def)
{
	bool		enabled = wire_json_is_true(specification, "StreamEnabled");

	if (enabled && def->stream)
		dynamo_error(DYNAMO_VALIDATION,
					 "Table already has an enabled stream: TableName: %s",
					 def->name);
	if (!enabled && !def->stream)
		dynamo_error(DYNAMO_VALIDATION,
					 "Table has no stream to disable: TableName: %s",
					 def->name);
	if (!enabled && def->replication)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Disabling Stream is not allowed for a Global Table replica.");
}

void
stream_change(json_t *specification, const char *table)
{
	if (wire_json_is_true(specification, "StreamEnabled"))
		stream_enable(table, view_letter(specification));
	else
		stream_disable(table);
}

/* A StreamViewType as StreamDef has it. */
static char
view_letter(json_t *specification)
{
	const char *name = json_string_value(json_object_get(specification,
														 "StreamViewType"));

	for (const char *letter = "KNOB"; *letter; letter++)
	{
		if (strcmp(stream_view(*letter), name) == 0)
			return *letter;
	}
	elog(ERROR, "unknown StreamViewType \"%s\"", name);
}

/*
 * Append the members of a TableDescription.  A stream that was switched off is
 * still the latest.
 */
void
stream_append_members(StringInfo out, const TableDef *def)
{
	const StreamDef *stream = stream_latest(def->name);

	if (stream == NULL)
		return;
	if (stream->end_number == 0)
	{
		wire_member(out, "StreamSpecification");
		appendStringInfoChar(out, '{');
		wire_boolean_member(out, "StreamEnabled", true);
		wire_string_member(out, "StreamViewType", stream_view(stream->view));
		appendStringInfoChar(out, '}');
	}
	wire_string_member(out, "LatestStreamLabel", stream->label);
	wire_string_member(out, "LatestStreamArn", wire_stream_arn(stream->table_name, stream->label));
}
