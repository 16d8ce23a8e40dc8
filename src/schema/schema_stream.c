/*-------------------------------------------------------------------------
 *
 * schema_stream.c
 *	  Enabling and disabling streams: the row (schema_stream_row.c) and the
 *	  triggers on the relation (schema_capture.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "schema/schema_internal.h"
#include "storage/lockdefs.h"

/*
 * Begin a stream.
 */
void
schema_enable_stream(const char *table, char view)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, ShareRowExclusiveLock);
	if (def->stream != NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Table already has an enabled stream: TableName: %s",
					 table);
	schema_refuse_distributed(def, "have a stream");
	schema_begin_capture(def);
	schema_stream_row_insert(def, view);
	schema_definition_changed(def->relid);
}

/*
 * End the stream of a table.
 */
void
schema_disable_stream(const char *table)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessExclusiveLock);
	if (def->stream == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Table has no stream to disable: TableName: %s", table);

	schema_stream_row_end(def->relid);
	if (def->recovery == NULL)
		schema_end_capture(def->relid);
	schema_definition_changed(def->relid);
}

/*
 * The stream that is enabled on the table called "table" now, or else the last
 * that was; NULL when there is none.
 */
const StreamDef *
schema_latest_stream(const char *table)
{
	const TableDef *def = schema_find_table(table);

	return def ? schema_stream_row_latest(def) : NULL;
}
