/*-------------------------------------------------------------------------
 *
 * schema_capture.c
 *	  The triggers of a relation whose changes are recorded, for its stream,
 *	  its journal or both.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "schema/schema_internal.h"
#include "utils/lsyscache.h"

static void create_triggers(Oid relid);

/*
 * Have changes to the table recorded, if they are not yet.  The caller keeps
 * writers away from it.
 */
void
schema_begin_capture(const TableDef *def)
{
	schema_refuse_heirs(def->relid);
	if (schema_is_captured(def))
		return;
	schema_end_capture(def->relid);
	create_triggers(def->relid);
}

/*
 * A relation whose changes are recorded may have none that inherit from it: the
 * API, and SQL, reach their rows through it, but they have no trigger.
 */
void
schema_refuse_heirs(Oid relid)
{
	if (has_subclass(relid) && find_inheritance_children(relid, NoLock) != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("relation \"%s\" cannot have both a stream, or point-in-time recovery, and relations that inherit from it",
						get_rel_name(relid)),
				 errdetail("A change to a row of theirs would leave no record.")));
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

/*
 * Have them recorded no longer.  The owner may have dropped a trigger already,
 * or made one.
 */
void
schema_end_capture(Oid relid)
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
