/*-------------------------------------------------------------------------
 *
 * stream_capture.c
 *	  Noticing that an item has changed, for the stream and the journal.
 *
 * A relation with a stream, or with point-in-time recovery, has two triggers,
 * made with the first of them and dropped with the last: one for each row
 * inserted, updated or deleted, one for TRUNCATE.  So plain SQL, COPY and the
 * SPI store leave records as everybody else.  The local store fires no
 * triggers; it checks whether the executor would have fired ours, and records
 * the change itself.  So session_replication_role, and DISABLE TRIGGER by a
 * superuser, work the same for every door.  Nobody else changes these triggers
 * (../schema/schema_guard.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "base/base_extension.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "stream/stream_internal.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* The relation whose items the service is deleting. */
static Oid	served_relid = InvalidOid;

static void check_trigger(Relation rel, const Trigger *trigger);
static bool would_fire(const Trigger *trigger);
static void capture_row(const TableDef *def, TriggerData *trigger);
static void capture_change(const TableDef *def, TupleTableSlot *old_slot,
						   TupleTableSlot *new_slot);
static bool is_served(const TableDef *def, const Item *item);
static void capture_truncate(const TableDef *def, Relation rel);

PG_FUNCTION_INFO_V1(dynamo_stream_capture);

/*
 * From now on the service deletes in this relation: deletions of expired items that
 * triggers notice there, which see no EngineWrite, are its work.  InvalidOid: in
 * none.  Returns the one before.
 */
Oid
stream_capture_serve(Oid relid)
{
	Oid			before = served_relid;

	served_relid = relid;
	return before;
}

/*
 * Is ours the only trigger of the relation that fires for rows?
 * Then *fire says whether it would fire in this session.
 */
bool
stream_capture_triggers(Relation rel, bool *fire)
{
	TriggerDesc *triggers = rel->trigdesc;

	*fire = false;
	if (triggers == NULL)
		return true;
	for (int i = 0; i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];

		if (TRIGGER_FOR_TRUNCATE(trigger->tgtype))
			continue;
		if (!schema_is_capture(trigger))
			return false;
		*fire = would_fire(trigger);
	}
	return true;
}

/*
 * All changes are recorded, unless our triggers are switched off.  Refuse to
 * write past others that have their names.
 */
void
stream_capture_check_triggers(Relation rel)
{
	TriggerDesc *triggers = rel->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
		check_trigger(rel, &triggers->triggers[i]);
}

/*
 * The triggers' function.
 */
Datum
dynamo_stream_capture(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	const TableDef *def;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!(TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event) ?
		  TRIGGER_FIRED_BEFORE(trigger->tg_event) :
		  TRIGGER_FIRED_AFTER(trigger->tg_event) &&
		  TRIGGER_FIRED_FOR_ROW(trigger->tg_event)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by the trigger of a stream",
						"dynamo_internal.stream_capture")));

	/* Under another name it would record a change twice. */
	def = schema_find_relation(RelationGetRelid(trigger->tg_relation));
	if (def == NULL || !schema_is_captured(def) ||
		!schema_has_capture_name(trigger->tg_trigger->tgname))
		PG_RETURN_POINTER(NULL);
	check_trigger(trigger->tg_relation, trigger->tg_trigger);

	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
		capture_truncate(def, trigger->tg_relation);
	else
		capture_row(def, trigger);
	PG_RETURN_POINTER(NULL);
}

static void
check_trigger(Relation rel, const Trigger *trigger)
{
	if (schema_has_capture_name(trigger->tgname) && !schema_is_capture(trigger))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("trigger \"%s\" of relation \"%s\" is not the one that records its changes",
						trigger->tgname, RelationGetRelationName(rel)),
				 errhint("Disable the stream and point-in-time recovery, and enable them again.")));
}

/*
 * As the executor decides.
 */
static bool
would_fire(const Trigger *trigger)
{
	return trigger->tgenabled != TRIGGER_DISABLED &&
		trigger->tgenabled !=
		(SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA ?
		 TRIGGER_FIRES_ON_ORIGIN : TRIGGER_FIRES_ON_REPLICA);
}

static void
capture_row(const TableDef *def, TriggerData *trigger)
{
	TupleTableSlot *first = trigger->tg_trigslot;

	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		capture_change(def, NULL, first);
	else if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		capture_change(def, first, NULL);
	else
		capture_change(def, first, trigger->tg_newslot);
}

/*
 * A row has changed; NULL: there was, or is, none.  Unlike the API, SQL can
 * give it another key: then one item is gone and another has come.
 */
static void
capture_change(const TableDef *def, TupleTableSlot *old_slot,
			   TupleTableSlot *new_slot)
{
	TableKey	old_key;
	TableKey	new_key;
	const Item *old_item = stream_capture_item(def, old_slot, &old_key);
	const Item *new_item = stream_capture_item(def, new_slot, &new_key);

	if (old_item != NULL &&
		(new_item == NULL || key_compare(&old_key, &new_key) != 0))
	{
		stream_capture_change(def, old_key.pk, old_item, NULL,
							  new_item == NULL && is_served(def, old_item));
		old_item = NULL;
	}
	if (new_item != NULL)
		stream_capture_change(def, new_key.pk, old_item, new_item, false);
}

/*
 * Is it the service that has deleted the item?  A trigger of the user's may write
 * others of the relation meanwhile.
 */
static bool
is_served(const TableDef *def, const Item *item)
{
	const char *attribute = def->ttl_attribute;
	int64		expiry;

	return def->relid == served_relid && attribute != NULL &&
		item_expiry(item, attribute, strlen(attribute), &expiry) &&
		expiry < timestamptz_to_time_t(GetCurrentTimestamp());
}

/*
 * An item is another by now.  If it is equal, there is nothing to record, but
 * other regions are to know that it was written: an older write of one of them
 * may be on its way.
 */
void
stream_capture_change(const TableDef *def, const ItemPartitionKey *key, const Item *old_item,
					  const Item *new_item, bool service)
{
	if (old_item == new_item)
		return;
	if (def->replication != NULL)
		stream_feed_write(def, new_item ? new_item : old_item,
						  new_item == NULL,
						  old_item == NULL ? REGION_CREATION :
						  service && new_item == NULL ? REGION_EXPIRY :
						  REGION_WRITE);
	if (def->stream == NULL && def->recovery == NULL)
		return;
	if (old_item != NULL && new_item != NULL && item_equal(old_item, new_item))
		return;
	if (def->stream != NULL)
		stream_append(def, stream_shard_of(def->stream, key),
					  old_item, new_item, service);
	if (def->recovery != NULL)
		journal_append(def, key, old_item, new_item);
}

/*
 * All items are about to go.  The relation is locked against everybody else,
 * so the latest snapshot sees all that there is.
 */
static void
capture_truncate(const TableDef *def, Relation rel)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	TableScanDesc scan = compat_table_beginscan(rel, snapshot);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext,
											  "dynamo truncated row",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		capture_change(def, slot, NULL);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
}

/*
 * The item of a row and its key; NULL when there is no row, or no item in it.
 */
const Item *
stream_capture_item(const TableDef *def, TupleTableSlot *slot, TableKey *key)
{
	Datum		datum;
	bool		isnull;

	memset(key, 0, sizeof(TableKey));
	if (slot == NULL)
		return NULL;
	datum = slot_getattr(slot, SCHEMA_ATTR_PK, &isnull);
	if (isnull)
		return NULL;
	key->pk = PG_DETOAST_DATUM_PACKED(datum);
	if (def->range.name != NULL)
	{
		datum = slot_getattr(slot, SCHEMA_ATTR_SK(def), &isnull);
		if (isnull)
			return NULL;
		key->sk = PG_DETOAST_DATUM_PACKED(datum);
	}
	datum = slot_getattr(slot, SCHEMA_ATTR_ITEM(def), &isnull);
	return isnull ? NULL : DatumGetItemP(datum);
}
