/*-------------------------------------------------------------------------
 *
 * schema_stream.c
 *	  Enabling and disabling streams: the row (schema_stream_row.c) and the
 *	  triggers on the relation (schema_capture.c).  A distributed table has no
 *	  triggers: the access method notices what its shards are written
 *	  (../engine/engine_capture_shard.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "schema/schema_internal.h"
#include "storage/lockdefs.h"

static void lock_everywhere(const TableDef *def, const char *mode,
							int lockmode);

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
	if (def->distributed)
		lock_everywhere(def, "SHARE ROW EXCLUSIVE", ShareRowExclusiveLock);
	else
		schema_begin_capture(def);
	schema_stream_row_insert(def, view);
	if (def->distributed)
	{
		CommandCounterIncrement();
		schema_open_all_stream_shards(def);
	}
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

	if (def->distributed)
		lock_everywhere(def, "ACCESS EXCLUSIVE", AccessExclusiveLock);
	schema_stream_row_end(def->relid);
	if (def->recovery == NULL && !def->distributed)
		schema_end_capture(def->relid);
	schema_definition_changed(def->relid);
}

/*
 * Lock the relation of a distributed table on all nodes, and then its shards:
 * here now, and elsewhere when the definition is taken.
 */
static void
lock_everywhere(const TableDef *def, const char *mode, int lockmode)
{
	meta_run_ddl(psprintf("LOCK TABLE %s IN %s MODE",
						  meta_relation_identity(def->relid), mode));
	schema_lock_shards(def, lockmode);
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
