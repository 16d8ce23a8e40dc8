/*-------------------------------------------------------------------------
 *
 * schema_stream.c
 *	  Enabling and disabling streams: the row (schema_stream_row.c) and two
 *	  triggers on the relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "schema/schema_internal.h"
#include "storage/lockdefs.h"
#include "utils/lsyscache.h"

static void create_triggers(Oid relid);
static void drop_triggers(Oid relid);

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
	schema_refuse_heirs(def->relid);
	schema_refuse_distributed(def, "have a stream");
	drop_triggers(def->relid);
	create_triggers(def->relid);
	schema_stream_row_insert(def, view);
	schema_definition_changed(def->relid);
}

/*
 * A relation with a stream may have none that inherit from it: the API, and
 * SQL, reach their rows through it, but they have no trigger.
 */
void
schema_refuse_heirs(Oid relid)
{
	if (has_subclass(relid) && find_inheritance_children(relid, NoLock) != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("relation \"%s\" cannot have both a stream and relations that inherit from it",
						get_rel_name(relid)),
				 errdetail("A change to a row of theirs would leave no record.")));
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
	drop_triggers(def->relid);
	schema_definition_changed(def->relid);
}

/*
 * Triggers fire in the order of their names.  Ours begin with a character that
 * sorts before all letters, or else a trigger that writes the same row again
 * would have its record before the one of the change that fired it.
 */
static void
create_triggers(Oid relid)
{
	char	   *relation = schema_relation_identity(relid);

	schema_run_ddl(psprintf("CREATE TRIGGER \"%s\" "
							"AFTER INSERT OR UPDATE OR DELETE ON %s "
							"FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture()",
							SCHEMA_STREAM_TRIGGER, relation));
	schema_run_ddl(psprintf("CREATE TRIGGER \"%s\" BEFORE TRUNCATE ON %s "
							"FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.stream_capture()",
							SCHEMA_TRUNCATE_TRIGGER, relation));
}

/* The owner may have dropped one already, or made one. */
static void
drop_triggers(Oid relid)
{
	static const char *const names[] = {
		SCHEMA_STREAM_TRIGGER, SCHEMA_TRUNCATE_TRIGGER
	};

	for (int i = 0; i < lengthof(names); i++)
	{
		if (OidIsValid(get_trigger_oid(relid, names[i], true)))
			schema_run_ddl(psprintf("DROP TRIGGER \"%s\" ON %s", names[i],
									schema_relation_identity(relid)));
	}
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
