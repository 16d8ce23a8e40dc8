/*-------------------------------------------------------------------------
 *
 * schema_capture.c
 *	  The triggers of a relation whose changes are recorded, for its stream,
 *	  its journal or both.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "am/am.h"
#include "base/base_extension.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* What the triggers are made to fire for. */
#define ROW_EVENTS \
	(TRIGGER_TYPE_ROW | TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | \
	 TRIGGER_TYPE_DELETE)
#define TRUNCATE_EVENTS (TRIGGER_TYPE_BEFORE | TRIGGER_TYPE_TRUNCATE)

static DynamoMember capture = {
	.kind = DYNAMO_MEMBER_FUNCTION,
	.name = "stream_capture",
	.internal = true
};

static void refuse_unlogged(Oid relid);
static void create_triggers(Oid relid);
static void check_trigger(Relation rel, const Trigger *trigger);

/*
 * Have changes to the table recorded, if they are not yet.  The caller keeps
 * writers away from it.
 */
void
schema_begin_capture(const TableDef *def)
{
	Relation	rel;

	schema_refuse_heirs(def->relid);
	refuse_unlogged(def->relid);
	if (schema_is_captured(def))
		return;
	schema_end_capture(def->relid);
	create_triggers(def->relid);
	rel = table_open(def->relid, NoLock);
	schema_check_capture(rel);
	table_close(rel, NoLock);
}

/*
 * The same of a distributed table.  Its shards have no triggers: their access
 * method tells what changes (../shard/shard_capture.c).
 */
void
schema_check_watched(const TableDef *def)
{
	Relation	rel = table_open(def->relid, NoLock);

	refuse_unlogged(def->relid);
	if (!am_is_of(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("distributed relation \"%s\" cannot have a stream, or point-in-time recovery",
						RelationGetRelationName(rel)),
				 errdetail("It is not of access method \"%s\", and a change would leave no record.",
						   "dynamo"),
				 errhint("Call ALTER TABLE ... SET ACCESS METHOD dynamo first.")));
	table_close(rel, NoLock);
}

/*
 * A relation whose changes are recorded may have none that inherit from it:
 * the API, and SQL, reach their rows through it, but they have no trigger.
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

static void
refuse_unlogged(Oid relid)
{
	if (get_rel_persistence(relid) != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("unlogged relation \"%s\" cannot have a stream, or point-in-time recovery",
						get_rel_name(relid)),
				 errdetail("A crash empties it, and leaves no record."),
				 errhint("Call ALTER TABLE ... SET LOGGED first.")));
}

/*
 * Triggers fire in the order of their names.  Ours begin with a character that
 * sorts before all letters.  Otherwise a trigger that writes the same row
 * again would have its record before the one of the change that fired it.
 */
static void
create_triggers(Oid relid)
{
	char	   *relation = meta_relation_identity(relid);

	meta_run_ddl(psprintf("CREATE TRIGGER \"%s\" "
						  "AFTER INSERT OR UPDATE OR DELETE ON %s "
						  "FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture()",
						  SCHEMA_STREAM_TRIGGER, relation));
	meta_run_ddl(psprintf("CREATE TRIGGER \"%s\" BEFORE TRUNCATE ON %s "
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
			meta_run_ddl(psprintf("DROP TRIGGER \"%s\" ON %s", names[i],
								  meta_relation_identity(relid)));
	}
}

bool
schema_has_capture_name(const char *trigger)
{
	return strcmp(trigger, SCHEMA_STREAM_TRIGGER) == 0 ||
		strcmp(trigger, SCHEMA_TRUNCATE_TRIGGER) == 0;
}

/*
 * Is it a trigger as it is made here?  One of its name may have been given a
 * condition, other events, another function.
 */
bool
schema_is_capture(const Trigger *trigger)
{
	bool		truncate = TRIGGER_FOR_TRUNCATE(trigger->tgtype);

	return schema_is_capture_function(trigger->tgfoid) &&
		trigger->tgtype == (truncate ? TRUNCATE_EVENTS : ROW_EVENTS) &&
		trigger->tgqual == NULL &&
		trigger->tgnattr == 0 &&
		trigger->tgoldtable == NULL &&
		trigger->tgnewtable == NULL &&
		!OidIsValid(trigger->tgconstraint) &&
		strcmp(trigger->tgname,
			   truncate ? SCHEMA_TRUNCATE_TRIGGER : SCHEMA_STREAM_TRIGGER) == 0;
}

bool
schema_is_capture_function(Oid function)
{
	return function == dynamo_member_find(&capture);
}

/*
 * An error, but for superusers, if a change of the relation could leave no
 * record, or records in another order: a trigger stands in the way.
 */
void
schema_check_capture(Relation rel)
{
	TriggerDesc *triggers = rel->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
		check_trigger(rel, &triggers->triggers[i]);
}

static void
check_trigger(Relation rel, const Trigger *trigger)
{
	if (schema_has_capture_name(trigger->tgname))
	{
		if (!schema_is_capture(trigger) ||
			trigger->tgenabled == TRIGGER_DISABLED ||
			trigger->tgenabled == TRIGGER_FIRES_ON_REPLICA)
			schema_refuse_capture(RelationGetRelationName(rel), trigger->tgname);
	}
	else if (TRIGGER_FOR_ROW(trigger->tgtype) &&
			 TRIGGER_FOR_AFTER(trigger->tgtype) &&
			 strcmp(trigger->tgname, SCHEMA_STREAM_TRIGGER) < 0)
		ereport(superuser() ? WARNING : ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("trigger \"%s\" of relation \"%s\" fires before the one that records its changes",
						trigger->tgname, RelationGetRelationName(rel)),
				 errdetail("What it changes would be recorded before the change that has fired it."),
				 errhint("Give it a name that sorts after \"%s\".",
						 SCHEMA_STREAM_TRIGGER)));
}

/*
 * Something keeps a trigger of ours from recording all changes.
 */
void
schema_refuse_capture(const char *relation, const char *trigger)
{
	if (superuser())
		ereport(WARNING,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("trigger \"%s\" of relation \"%s\" does not record all changes any more",
						trigger, relation)));
	else
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("trigger \"%s\" of relation \"%s\" records its changes, and stays as it is",
						trigger, relation),
				 errhint("The owner of the table can call dynamo.disable_stream() and dynamo.disable_recovery().")));
}
