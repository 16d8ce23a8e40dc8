/*-------------------------------------------------------------------------
 *
 * schema_guard.c
 *	  Event triggers that keep the triggers of a relation as they are whose
 *	  changes are recorded (schema_capture.c).
 *
 * CREATE OR REPLACE TRIGGER asks for no more than the privilege TRIGGER.  A
 * role that has it could replace ours, change items by plain SQL and put ours
 * back, and the stream would lack the changes, the past would show items that
 * never were.  So would what the owner changes while it is disabled.  So every
 * command that can do that is looked at when it ends, and when it would leave
 * a relation whose changes are not all recorded, or not in their order, it is
 * an error.  Superusers, who restore dumps and set session_replication_role,
 * get a warning.
 *
 * Our own functions delete the row of a stream before its triggers, and make
 * it after them: then nothing is recorded, and there is nothing to guard.  So
 * does pg_restore, but the other way: rows first, then one trigger after the
 * other.  So a trigger may be missing, but not go.
 *
 * The same commands enable row-level security, which a distributed table cannot
 * have.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dynamo_capture_touched);

static void take_touched(HeapTuple row, TupleDesc desc, void *list);
static Oid	trigger_relation(Oid trigger);
static void check_family(Oid relid, bool renamed);
static void check_relation(Oid relid, bool renamed);
static bool is_captured(Oid relid);
static void check_present(Relation rel, const char *trigger);
static bool is_watched(Oid relid);
static void check_rewrite(void);
static void check_row_security(Oid relid);

/*
 * Event trigger for ddl_command_end, of the commands that change triggers, and
 * for table_rewrite.
 */
Datum
dynamo_capture_touched(PG_FUNCTION_ARGS)
{
	EventTriggerData *data = (EventTriggerData *) fcinfo->context;
	List	   *relations = NIL;
	ListCell   *lc;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by event trigger manager",
						"dynamo_internal.capture_touched")));
	if (strcmp(data->event, "table_rewrite") == 0)
	{
		check_rewrite();
		PG_RETURN_NULL();
	}
	(void) meta_query("SELECT DISTINCT classid, objid "
					  "FROM pg_catalog.pg_event_trigger_ddl_commands()",
					  0, NULL, NULL, take_touched, &relations);
	foreach(lc, relations)
	{
		check_family(lfirst_oid(lc), data->tag == CMDTAG_ALTER_TRIGGER);
		check_row_security(lfirst_oid(lc));
	}
	PG_RETURN_NULL();
}

static void
take_touched(HeapTuple row, TupleDesc desc, void *list)
{
	List	  **relations = list;
	bool		isnull;
	Oid			catalog = DatumGetObjectId(SPI_getbinval(row, desc, 1, &isnull));
	Oid			object = DatumGetObjectId(SPI_getbinval(row, desc, 2, &isnull));

	if (catalog == TriggerRelationId)
		object = trigger_relation(object);
	else if (catalog != RelationRelationId)
		object = InvalidOid;
	if (OidIsValid(object))
		*relations = list_append_unique_oid(*relations, object);
}

static Oid
trigger_relation(Oid trigger)
{
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	HeapTuple	tuple = get_catalog_object_by_oid(triggers, Anum_pg_trigger_oid,
												  trigger);
	Oid			relid = InvalidOid;

	if (HeapTupleIsValid(tuple))
		relid = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;
	table_close(triggers, AccessShareLock);
	return relid;
}

/*
 * What is done to a relation may have been done to all that inherit from it.
 */
static void
check_family(Oid relid, bool renamed)
{
	ListCell   *lc;

	foreach(lc, find_all_inheritors(relid, NoLock, NULL))
		check_relation(lfirst_oid(lc), renamed);
}

/*
 * "renamed": perhaps a trigger, which then is missing under its name.
 */
static void
check_relation(Oid relid, bool renamed)
{
	Relation	rel;

	if (!is_captured(relid) ||
		(rel = try_relation_open(relid, AccessShareLock)) == NULL)
		return;
	schema_check_capture(rel);
	if (renamed)
	{
		check_present(rel, SCHEMA_STREAM_TRIGGER);
		check_present(rel, SCHEMA_TRUNCATE_TRIGGER);
	}
	relation_close(rel, AccessShareLock);
}

/*
 * Other relations have none of our triggers, whatever they are called now, and
 * are nothing to us: it may be our tables that are being mended.  So they are
 * not locked either: those that inherit from one may be thousands, and busy.
 */
static bool
is_captured(Oid relid)
{
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		ours = false;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, NULL, 1,
							  &key);
	while (!ours && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_trigger trigger = (Form_pg_trigger) GETSTRUCT(tuple);

		ours = schema_has_capture_name(NameStr(trigger->tgname)) ||
			schema_is_capture_function(trigger->tgfoid);
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	return ours && schema_has_capture(relid);
}

static void
check_present(Relation rel, const char *trigger)
{
	if (!OidIsValid(get_trigger_oid(RelationGetRelid(rel), trigger, true)))
		schema_refuse_capture(RelationGetRelationName(rel), trigger);
}

/*
 * May the trigger be dropped of a relation that stays?  An error if not.
 */
void
schema_capture_dropped(Oid relid, const char *trigger)
{
	char	   *relation;

	if (!schema_has_capture_name(trigger))
		return;
	relation = get_rel_name(relid);
	if (relation != NULL && schema_has_capture(relid))
		schema_refuse_capture(relation, trigger);
}

/*
 * Is it a distributed table's?  Its access method tells what changes in its
 * shards, which have no triggers.
 */
static bool
is_watched(Oid relid)
{
	return schema_cluster.holds(relid) && schema_has_capture(relid);
}

/*
 * ALTER COLUMN item TYPE ... USING would make all items others, and no trigger
 * fires, nor does the access method tell.  Nor is there a record when a crash
 * empties what SET UNLOGGED was done to, or when another access method is silent.
 */
static void
check_rewrite(void)
{
	LOCAL_FCINFO(call, 0);
	int			reason;
	bool		unlogged;
	bool		watched;
	Relation	rel;

	InitFunctionCallInfoData(*call, NULL, 0, InvalidOid, NULL, NULL);
	reason = DatumGetInt32(pg_event_trigger_table_rewrite_reason(call));
	rel = relation_open(DatumGetObjectId(pg_event_trigger_table_rewrite_oid(call)),
						NoLock);
	unlogged = (reason & AT_REWRITE_ALTER_PERSISTENCE) &&
		rel->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT;
	watched = is_watched(RelationGetRelid(rel));
	if ((unlogged || (reason & AT_REWRITE_COLUMN_REWRITE) ||
		 (watched && (reason & AT_REWRITE_ACCESS_METHOD))) &&
		(watched || is_captured(RelationGetRelid(rel))))
		ereport(superuser() ? WARNING : ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 unlogged ?
				 errmsg("relation \"%s\" is unlogged, and a crash empties it without a record",
						RelationGetRelationName(rel)) :
				 errmsg("relation \"%s\" is rewritten without a record of what changes",
						RelationGetRelationName(rel)),
				 unlogged ?
				 errhint("Disable the stream and point-in-time recovery first.") :
				 errhint("Disable the stream and point-in-time recovery, and enable them again.")));
	relation_close(rel, NoLock);
}

/*
 * Nobody could use a distributed table whose rows have policies.  Tables of an
 * extension are none: looking for one among those of ours would refuse what is
 * done to them, or undone.
 */
static void
check_row_security(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	const TableDef *def = NULL;

	if (!HeapTupleIsValid(tuple))
		return;
	if (((Form_pg_class) GETSTRUCT(tuple))->relrowsecurity &&
		!OidIsValid(getExtensionOfObject(RelationRelationId, relid)))
		def = schema_find_sound_relation(relid);
	ReleaseSysCache(tuple);
	if (def != NULL)
		schema_refuse_distributed(def, "have row-level security");
}
