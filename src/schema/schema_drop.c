/*-------------------------------------------------------------------------
 *
 * schema_drop.c
 *	  Triggers that keep definitions true when someone goes past them.
 *
 * A relation or an index may be dropped by plain SQL, alone or with its owner,
 * its schema, a type: the event trigger takes its definition away.  A
 * definition row may be edited by plain SQL, as pg_restore does: the triggers
 * on the definition tables then flush every backend's cache.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "common/string.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(dynamo_relation_dropped);
PG_FUNCTION_INFO_V1(dynamo_definition_edited);

static void list_dropped(List **tables, List **index_names);
static Oid	former_owner(Oid relid);
static void index_dropped(const char *relname);

/*
 * Event trigger for sql_drop.
 */
Datum
dynamo_relation_dropped(PG_FUNCTION_ARGS)
{
	List	   *tables;
	List	   *index_names;
	ListCell   *lc;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by event trigger manager",
						"dynamo._relation_dropped")));

	list_dropped(&tables, &index_names);
	foreach(lc, tables)
	{
		schema_row_delete(lfirst_oid(lc));
		schema_stream_relation_dropped(lfirst_oid(lc),
									   former_owner(lfirst_oid(lc)));
	}
	foreach(lc, index_names)
	{
		index_dropped(lfirst(lc));
		schema_ttl_index_dropped(lfirst(lc));
	}
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
						"dynamo._definition_edited")));
	CacheInvalidateRelcache(((TriggerData *) fcinfo->context)->tg_relation);
	PG_RETURN_POINTER(NULL);
}

/*
 * What the current command dropped: OIDs of tables, and names of indexes that
 * may be ours.
 */
static void
list_dropped(List **tables, List **index_names)
{
	MemoryContext caller = CurrentMemoryContext;

	*tables = *index_names = NIL;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute("SELECT objid, objsubid, object_type, object_name "
					"FROM pg_catalog.pg_event_trigger_dropped_objects()",
					false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the dropped objects");

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		char	   *type = SPI_getvalue(tuple, desc, 3);
		char	   *name = SPI_getvalue(tuple, desc, 4);
		bool		isnull;
		Datum		relid = SPI_getbinval(tuple, desc, 1, &isnull);
		MemoryContext spi;

		if (type == NULL ||
			DatumGetInt32(SPI_getbinval(tuple, desc, 2, &isnull)) != 0)
			continue;			/* a column */

		spi = MemoryContextSwitchTo(caller);
		if (strcmp(type, "table") == 0)
			*tables = lappend_oid(*tables, DatumGetObjectId(relid));
		else if (strcmp(type, "index") == 0 && name != NULL &&
				 (strchr(name, '/') || strchr(name, '~') ||
				  pg_str_endswith(name, ":ttl")))
			*index_names = lappend(*index_names, pstrdup(name));
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
}

/*
 * Who owned a relation that the current command has dropped, InvalidOid when
 * that cannot be told.  No snapshot sees the row in pg_class any more, but it
 * is still there: the last version, deleted by us.
 */
static Oid
former_owner(Oid relid)
{
	Relation	pg_class = table_open(RelationRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			owner = InvalidOid;

	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(pg_class, ClassOidIndexId, true, SnapshotAny,
							  1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		HeapTupleHeader header = tuple->t_data;

		if (!(header->t_infomask & HEAP_XMAX_INVALID) &&
			!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
			ItemPointerEquals(&header->t_ctid, &tuple->t_self) &&
			TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header)))
			owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	}
	systable_endscan(scan);
	table_close(pg_class, AccessShareLock);
	return owner;
}

/*
 * An index of this name is gone from some schema.  If one of ours had this
 * name and has no btree now, it was that one.
 */
static void
index_dropped(const char *relname)
{
	List	   *tables;
	List	   *names;
	ListCell   *lc;
	ListCell   *lc2;

	schema_index_row_of_relation(relname, &tables, &names);
	forboth(lc, tables, lc2, names)
	{
		const char *table = lfirst(lc);
		const TableDef *def = schema_find_table(table);

		if (def == NULL || schema_is_building(def, relname) ||
			OidIsValid(get_relname_relid(relname,
										 get_rel_namespace(def->relid))))
			continue;
		schema_index_row_delete(table, lfirst(lc2));
		CacheInvalidateRelcacheByRelid(def->relid);
		CommandCounterIncrement();
	}
}
