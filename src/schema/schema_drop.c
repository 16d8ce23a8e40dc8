/*-------------------------------------------------------------------------
 *
 * schema_drop.c
 *	  Triggers that keep definitions right when plain SQL changes things.
 *
 * Plain SQL may drop a relation or an index, alone or with its owner, its
 * schema or a type: the event trigger removes its definition.  Plain SQL may
 * edit a definition row, as pg_restore does: the triggers on the definition
 * tables then flush every backend's cache.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_trigger.h"
#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "common/string.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(dynamo_relation_dropped);
PG_FUNCTION_INFO_V1(dynamo_definition_edited);

/* An index that is gone. */
typedef struct DroppedIndex
{
	Oid			relid;
	char	   *name;
} DroppedIndex;

/* What a command has dropped: OIDs of tables and triggers, and DroppedIndex. */
typedef struct Dropped
{
	List	   *tables;
	List	   *triggers;
	List	   *indexes;
} Dropped;

static void take_dropped(HeapTuple row, TupleDesc desc, void *arg);
static Oid	former_owner(Oid relid);
static HeapTuple former_row(Oid catalog, Oid catalog_index, AttrNumber attnum,
							Oid oid);
static void trigger_dropped(Oid trigger);
static void index_dropped(const DroppedIndex *dropped);

/*
 * Event trigger for sql_drop.
 */
Datum
dynamo_relation_dropped(PG_FUNCTION_ARGS)
{
	Dropped		dropped = {NIL, NIL, NIL};
	ListCell   *lc;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by event trigger manager",
						"dynamo_internal.relation_dropped")));

	(void) meta_query("SELECT objid, objsubid, object_type, object_name "
					  "FROM pg_catalog.pg_event_trigger_dropped_objects()",
					  0, NULL, NULL, take_dropped, &dropped);
	foreach(lc, dropped.tables)
	{
		schema_row_delete(lfirst_oid(lc));
		schema_table_gone(lfirst_oid(lc), former_owner(lfirst_oid(lc)));
		schema_follow_dropped(lfirst_oid(lc));
	}
	foreach(lc, dropped.triggers)
		trigger_dropped(lfirst_oid(lc));

	/* Values in TOAST tables need one; DROP INDEX CONCURRENTLY leaves none. */
	PushActiveSnapshot(GetTransactionSnapshot());
	foreach(lc, dropped.indexes)
		index_dropped(lfirst(lc));
	PopActiveSnapshot();
	PG_RETURN_NULL();
}

/*
 * Statement trigger of the definition tables.
 */
Datum
dynamo_definition_edited(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager",
						"dynamo_internal.definition_edited")));
	CacheInvalidateRelcache(((TriggerData *) fcinfo->context)->tg_relation);
	PG_RETURN_POINTER(NULL);
}

/*
 * Indexes count that by their names may be ours.
 */
static void
take_dropped(HeapTuple row, TupleDesc desc, void *arg)
{
	Dropped    *dropped = arg;
	char	   *type = SPI_getvalue(row, desc, 3);
	char	   *name = SPI_getvalue(row, desc, 4);
	bool		isnull;
	Datum		relid = SPI_getbinval(row, desc, 1, &isnull);

	if (type == NULL ||
		DatumGetInt32(SPI_getbinval(row, desc, 2, &isnull)) != 0)
		return;					/* a column */

	if (strcmp(type, "table") == 0)
		dropped->tables = lappend_oid(dropped->tables, DatumGetObjectId(relid));
	else if (strcmp(type, "trigger") == 0)
		dropped->triggers = lappend_oid(dropped->triggers,
										DatumGetObjectId(relid));
	else if (strcmp(type, "index") == 0 && name != NULL &&
			 (strchr(name, '/') || strchr(name, '~') ||
			  pg_str_endswith(name, ":ttl")))
	{
		DroppedIndex *index = palloc(sizeof(DroppedIndex));

		index->relid = DatumGetObjectId(relid);
		index->name = name;
		dropped->indexes = lappend(dropped->indexes, index);
	}
}

/*
 * The owner of a relation that the current command has dropped, InvalidOid if
 * unknown.
 */
static Oid
former_owner(Oid relid)
{
	HeapTuple	tuple = former_row(RelationRelationId, ClassOidIndexId,
								   Anum_pg_class_oid, relid);

	return tuple ? ((Form_pg_class) GETSTRUCT(tuple))->relowner : InvalidOid;
}

/*
 * A row of a catalog that the current command has deleted, NULL when there is
 * none.  No snapshot sees it any more, but it is still there: the last
 * version, deleted by us.
 */
static HeapTuple
former_row(Oid catalog, Oid catalog_index, AttrNumber attnum, Oid oid)
{
	Relation	rel = table_open(catalog, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	HeapTuple	found = NULL;

	ScanKeyInit(&key, attnum, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(oid));
	scan = systable_beginscan(rel, catalog_index, true, SnapshotAny, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		HeapTupleHeader header = tuple->t_data;

		if (!(header->t_infomask & HEAP_XMAX_INVALID) &&
			!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
			ItemPointerEquals(&header->t_ctid, &tuple->t_self) &&
			TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header)))
			found = heap_copytuple(tuple);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

static void
trigger_dropped(Oid trigger)
{
	HeapTuple	tuple = former_row(TriggerRelationId, TriggerOidIndexId,
								   Anum_pg_trigger_oid, trigger);
	Form_pg_trigger row;

	if (tuple == NULL)
		return;
	row = (Form_pg_trigger) GETSTRUCT(tuple);
	schema_capture_dropped(row->tgrelid, NameStr(row->tgname));
}

/*
 * Take away what an index has served.  It may have been another one's, for all
 * that its name says.  A relation that has not the columns of a table must not
 * keep anybody from dropping what an index on it needs, as a function.
 */
static void
index_dropped(const DroppedIndex *dropped)
{
	HeapTuple	tuple = former_row(IndexRelationId, IndexRelidIndexId,
								   Anum_pg_index_indexrelid, dropped->relid);
	const TableDef *def;
	const IndexDef *index;
	char	   *comment;
	List	   *keys;

	if (tuple == NULL)
		return;
	def = schema_find_sound_relation(((Form_pg_index) GETSTRUCT(tuple))->indrelid);
	if (def == NULL || schema_is_building(def, dropped->name))
		return;
	keys = schema_btree_keys(def, dropped->name, &index);
	if (keys == NIL || !schema_is_btree(tuple, keys))
		return;
	comment = schema_comment_text(def);
	if (index != NULL)
		schema_index_row_delete(def->name, index->name);
	else
		schema_row_set_ttl(def->relid, NULL);
	schema_definition_changed(def->relid);
	schema_comment(def->relid, comment);
}
