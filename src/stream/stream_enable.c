/*-------------------------------------------------------------------------
 *
 * stream_enable.c
 *	  Enabling and disabling streams: the row (stream_row.c) and the
 *	  triggers on the relation (schema_capture.c).  A distributed table has no
 *	  triggers: the access method notices what its shards are written
 *	  (../shard/shard_capture.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "schema/schema_row.h"
#include "storage/lockdefs.h"
#include "stream/stream_internal.h"

static void read_stream(TableDef *def);
static void table_gone(Oid relid, Oid owner);
static bool captures(Oid relid);

/*
 * Streams and mappings follow the definitions of their tables.
 */
void
stream_init(void)
{
	static const SchemaFollower follower = {
		.read = read_stream,
		.gone = table_gone,
		.captures = captures
	};

	stream_row_init();
	stream_claim_init();
	schema_follow(&follower);
}

static void
read_stream(TableDef *def)
{
	def->stream = stream_of_relation(def->relid);
}

static void
table_gone(Oid relid, Oid owner)
{
	stream_row_dropped(relid, owner);
	stream_mapping_dropped(relid);
}

static bool
captures(Oid relid)
{
	return stream_of_relation(relid) != NULL;
}

/*
 * Begin a stream.
 */
void
stream_enable(const char *table, char view)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, ShareRowExclusiveLock);
	if (def->stream != NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Table already has an enabled stream: TableName: %s",
					 table);
	if (def->distributed)
	{
		schema_check_watched(def);
		stream_cluster.lock(def, ShareRowExclusiveLock);
	}
	else
		schema_begin_capture(def);
	stream_row_insert(def, view);
	if (def->distributed)
	{
		CommandCounterIncrement();
		stream_cluster.open(def);
	}
	schema_definition_changed(def->relid);
}

/*
 * End the stream of a table.
 */
void
stream_disable(const char *table)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessExclusiveLock);
	if (def->stream == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Table has no stream to disable: TableName: %s", table);

	if (def->distributed)
		stream_cluster.lock(def, AccessExclusiveLock);
	stream_row_end(def->relid);
	if (def->recovery == NULL && def->replication == NULL && !def->distributed)
		schema_end_capture(def->relid);
	schema_definition_changed(def->relid);
}

/*
 * The stream that is enabled on the table called "table" now, or if there is
 * none the last that was; NULL when there is none.
 */
const StreamDef *
stream_latest(const char *table)
{
	const TableDef *def = schema_find_table(table);

	return def ? stream_row_latest(def) : NULL;
}
