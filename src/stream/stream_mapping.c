/*-------------------------------------------------------------------------
 *
 * stream_mapping.c
 *	  Event source mappings: rows of dynamo_internal.event_sources, and of
 *	  event_source_positions, which says how far each lane has come.
 *
 * Rows are written as those of the definition tables (schema_catalog.c):
 * without the executor, by code that has checked the right to it.
 *
 * Locks, in this order, all to the end of the transaction:
 *
 *		the relation	in share mode; without it DROP TABLE could delete rows
 *						that are in use
 *		the mapping		shared to run it, exclusive to change it or delete it
 *		the lane		exclusive to run it
 *
 * So no two transactions meet in simple_heap_update(), which cannot wait.
 * What drops the relation has it locked exclusively, and needs no other lock.
 *
 * The owner is kept by name and by OID, and both must match.  Otherwise
 * another role could get the mapping: one that has the name after DROP ROLE,
 * or the OID.  One that was renamed has it again under its old name.  SQL
 * inserts a row only when a dump is restored: then the name counts, and the
 * mapping is disabled.  Otherwise a copy of a database would act by itself,
 * and before all of its tables are loaded.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "stream/stream_internal.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dynamo_event_source_restored);

/* Columns of dynamo_internal.event_sources. */
#define SOURCES_ID				1
#define SOURCES_RELATION		2
#define SOURCES_STREAM			3
#define SOURCES_OWNER			4
#define SOURCES_OWNER_OID		5
#define SOURCES_SCHEMA			6
#define SOURCES_FUNCTION		7
#define SOURCES_ENABLED			8
#define SOURCES_CREATED			9
#define SOURCES_SETTINGS		10
#define SOURCES_ON_FAILURE		11
#define SOURCES_NATTS			11

/* Columns of dynamo_internal.event_source_positions. */
#define POSITIONS_MAPPING		1
#define POSITIONS_LANE			2
#define POSITIONS_NUMBER		3
#define POSITIONS_HANDLED		4
#define POSITIONS_DISCARDED		5
#define POSITIONS_BATCH_END		6
#define POSITIONS_BATCH_LIMIT	7
#define POSITIONS_FAILURES		8
#define POSITIONS_RETRY			9
#define POSITIONS_LAST			10
#define POSITIONS_RESULT		11
#define POSITIONS_LOST			12
#define POSITIONS_NATTS			12

static const DynamoColumn sources_columns[] = {
	{INT4OID, true}, {REGCLASSOID, true}, {INT4OID, true}, {NAMEOID, true},
	{OIDOID, true}, {NAMEOID, true}, {NAMEOID, true}, {BOOLOID, true},
	{TIMESTAMPTZOID, true}, {JSONOID, true}, {REGCLASSOID}
};

static const DynamoColumn positions_columns[] = {
	{INT4OID, true}, {INT4OID, true}, {INT8OID, true}, {INT8OID, true},
	{INT8OID, true}, {INT8OID}, {INT4OID}, {INT4OID, true},
	{TIMESTAMPTZOID}, {TIMESTAMPTZOID}, {TEXTOID, true}, {TIMESTAMPTZOID}
};

StaticAssertDecl(lengthof(sources_columns) == SOURCES_NATTS &&
				 lengthof(positions_columns) == POSITIONS_NATTS,
				 "each column has its type");

static DynamoIndex sources_indexes[] = {
	{1, {SOURCES_ID}},
};

static DynamoIndex positions_indexes[] = {
	{2, {POSITIONS_MAPPING, POSITIONS_LANE}},
};

#define SOURCES_BY_ID		(&sources_indexes[0])
#define POSITIONS_BY_LANE	(&positions_indexes[0])

static DynamoMember sources_member =
DYNAMO_INTERNAL_TABLE("event_sources", sources_columns,
					  DYNAMO_INDEXES(sources_indexes));
static DynamoMember positions_member =
DYNAMO_INTERNAL_TABLE("event_source_positions", positions_columns,
					  DYNAMO_INDEXES(positions_indexes));
static DynamoMember source_ids = DYNAMO_SEQUENCE("event_source_ids");

static int	position_keys(ScanKey keys, int32 mapping, int lane);
static void *read_source(Relation sources, HeapTuple tuple);
static void *read_position(Relation positions, HeapTuple tuple);
static void set_source(MetaRow *row, const StreamMapping *mapping);
static void set_position(MetaRow *row, const StreamPosition *position);
static Datum name_datum(const char *text);
static bool lock_object(int32 id, int sub, LOCKMODE mode, bool wait);
static int	compare_ids(const ListCell *a, const ListCell *b);

/*
 * A new mapping.  Returns its number.
 */
int32
stream_mapping_insert(const StreamMapping *mapping)
{
	MetaRow		row;
	int32		id = (int32) nextval_internal(dynamo_member_get(&source_ids),
											  false);

	meta_init_row(&row);
	set_source(&row, mapping);
	meta_set_column(&row, SOURCES_ID, Int32GetDatum(id));
	meta_set_column(&row, SOURCES_RELATION, ObjectIdGetDatum(mapping->relid));
	meta_set_column(&row, SOURCES_OWNER, name_datum(mapping->owner_name));
	meta_set_column(&row, SOURCES_OWNER_OID,
					ObjectIdGetDatum(mapping->owner));
	meta_set_column(&row, SOURCES_CREATED,
					TimestampTzGetDatum(mapping->created_at));
	meta_insert(&sources_member, &row);
	return id;
}

const StreamMapping *
stream_mapping_read(int32 id)
{
	ScanKeyData key;

	meta_int4_key(&key, SOURCES_ID, id);
	return meta_first(&sources_member, SOURCES_BY_ID, 1, &key, read_source);
}

List *
stream_mapping_list(void)
{
	List	   *mappings = meta_all(&sources_member, NULL, 0, NULL, read_source);

	list_sort(mappings, compare_ids);
	return mappings;
}

static int
compare_ids(const ListCell *a, const ListCell *b)
{
	int32		left = ((const StreamMapping *) lfirst(a))->id;
	int32		right = ((const StreamMapping *) lfirst(b))->id;

	return (left > right) - (left < right);
}

/*
 * Write what can change: the stream, the function, the settings.  The caller
 * has locked the mapping exclusively.
 */
void
stream_mapping_update(const StreamMapping *mapping)
{
	MetaScan	scan;
	ScanKeyData key;

	meta_int4_key(&key, SOURCES_ID, mapping->id);
	meta_scan(&scan, &sources_member, RowExclusiveLock, SOURCES_BY_ID, 1, &key);
	if (meta_next(&scan))
	{
		MetaRow		row = {{0}};

		set_source(&row, mapping);
		row.replaces[SOURCES_ON_FAILURE - 1] = true;
		row.nulls[SOURCES_ON_FAILURE - 1] = !OidIsValid(mapping->on_failure);
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * Delete a mapping and its positions.  The caller has locked it exclusively,
 * or its relation.
 */
void
stream_mapping_delete(int32 id)
{
	MetaScan	scan;
	ScanKeyData key;

	meta_int4_key(&key, SOURCES_ID, id);
	meta_scan(&scan, &sources_member, RowExclusiveLock, SOURCES_BY_ID, 1, &key);
	if (meta_next(&scan))
		meta_delete(&scan);
	meta_end(&scan);
	stream_position_delete_all(id);
}

/*
 * A relation is gone, or is no table any more: so are the mappings that read
 * it.  Those that it kept failed records for are disabled.  Otherwise they
 * would throw them away.
 */
void
stream_mapping_dropped(Oid relid)
{
	ListCell   *lc;

	foreach(lc, stream_mapping_list())
	{
		const StreamMapping *mapping = lfirst(lc);
		StreamMapping changed;

		if (mapping->relid == relid)
		{
			stream_mapping_delete(mapping->id);
			continue;
		}
		if (mapping->on_failure != relid)
			continue;

		/* Whoever was changing it has ended by then: read it again. */
		(void) stream_mapping_lock(mapping->id, true, true);
		mapping = stream_mapping_read(mapping->id);
		if (mapping == NULL || mapping->on_failure != relid)
			continue;
		changed = *mapping;
		changed.on_failure = InvalidOid;
		changed.enabled = false;
		stream_mapping_update(&changed);
	}
}

bool
stream_mapping_lock(int32 id, bool exclusive, bool wait)
{
	return lock_object(id, 0, exclusive ? ExclusiveLock : ShareLock, wait);
}

bool
stream_lane_lock(int32 id, int lane, bool wait)
{
	return lock_object(id, 1 + lane, ExclusiveLock, wait);
}

static bool
lock_object(int32 id, int sub, LOCKMODE mode, bool wait)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, dynamo_member_get(&sources_member),
					   id, sub);
	return LockAcquire(&tag, mode, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/*
 * How far a lane has come, NULL when it has no row.
 */
StreamPosition *
stream_position_read(int32 mapping, int lane)
{
	ScanKeyData keys[2];

	return meta_first(&positions_member, POSITIONS_BY_LANE,
					  position_keys(keys, mapping, lane), keys, read_position);
}

/*
 * Those of all lanes, which are numbered from 0.
 */
List *
stream_position_list(int32 mapping)
{
	List	   *all = NIL;
	StreamPosition *position;

	for (int lane = 0;
		 (position = stream_position_read(mapping, lane)) != NULL; lane++)
		all = lappend(all, position);
	return all;
}

void
stream_position_insert(const StreamPosition *position)
{
	MetaRow		row;

	meta_init_row(&row);
	set_position(&row, position);
	meta_set_column(&row, POSITIONS_MAPPING,
					Int32GetDatum(position->mapping));
	meta_set_column(&row, POSITIONS_LANE, Int32GetDatum(position->lane));
	meta_insert(&positions_member, &row);
}

/*
 * The caller has locked the lane.  Does nothing if the row is gone: the
 * transaction may have deleted its own mapping.
 */
void
stream_position_update(const StreamPosition *position)
{
	MetaScan	scan;
	ScanKeyData keys[2];
	int			nkeys = position_keys(keys, position->mapping, position->lane);

	meta_scan(&scan, &positions_member, RowExclusiveLock, POSITIONS_BY_LANE,
			  nkeys, keys);
	if (meta_next(&scan))
	{
		MetaRow		row;

		meta_init_row(&row);
		memset(row.replaces, true, sizeof(row.replaces));
		row.replaces[POSITIONS_MAPPING - 1] = false;
		row.replaces[POSITIONS_LANE - 1] = false;
		set_position(&row, position);
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

void
stream_position_delete_all(int32 mapping)
{
	ScanKeyData keys[2];
	int			nkeys = position_keys(keys, mapping, -1);

	meta_delete_all(&positions_member, POSITIONS_BY_LANE, nkeys, keys);
}

/*
 * Row trigger of event_sources, for rows that SQL inserts: a dump is being
 * restored.
 */
Datum
dynamo_event_source_restored(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	Relation	rel;
	MetaRow		row = {{0}};
	Datum		owner;
	bool		isnull;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ||
		!TRIGGER_FIRED_BY_INSERT(trigger->tg_event) ||
		RelationGetRelid(trigger->tg_relation) !=
		dynamo_member_get(&sources_member))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by its trigger",
						"dynamo_internal.event_source_restored")));
	rel = trigger->tg_relation;
	owner = meta_column(trigger->tg_trigtuple, SOURCES_OWNER, rel, &isnull);
	if (isnull)
		return PointerGetDatum(trigger->tg_trigtuple);
	meta_set_column(&row, SOURCES_OWNER_OID,
					ObjectIdGetDatum(get_role_oid(NameStr(*DatumGetName(owner)),
												  true)));
	meta_set_column(&row, SOURCES_ENABLED, BoolGetDatum(false));
	return PointerGetDatum(heap_modify_tuple(trigger->tg_trigtuple,
											 RelationGetDescr(rel), row.values,
											 row.nulls, row.replaces));
}

/*
 * Of all lanes if "lane" is -1.
 */
static int
position_keys(ScanKey keys, int32 mapping, int lane)
{
	meta_int4_key(&keys[0], POSITIONS_MAPPING, mapping);
	meta_int4_key(&keys[1], POSITIONS_LANE, lane);
	return lane < 0 ? 1 : 2;
}

static void *
read_source(Relation sources, HeapTuple tuple)
{
	StreamMapping *mapping = palloc0(sizeof(*mapping));
	Datum		value;
	bool		isnull;

	mapping->id = DatumGetInt32(meta_column(tuple, SOURCES_ID, sources,
											&isnull));
	mapping->relid = DatumGetObjectId(meta_column(tuple, SOURCES_RELATION,
												  sources, &isnull));
	mapping->stream = DatumGetInt32(meta_column(tuple, SOURCES_STREAM,
												sources, &isnull));
	value = meta_column(tuple, SOURCES_OWNER, sources, &isnull);
	mapping->owner_name = pstrdup(NameStr(*DatumGetName(value)));
	mapping->owner = get_role_oid(mapping->owner_name, true);
	value = meta_column(tuple, SOURCES_OWNER_OID, sources, &isnull);
	if (mapping->owner != DatumGetObjectId(value))
		mapping->owner = InvalidOid;
	mapping->orphan = !SearchSysCacheExists1(AUTHOID, value);
	value = meta_column(tuple, SOURCES_SCHEMA, sources, &isnull);
	mapping->function_schema = pstrdup(NameStr(*DatumGetName(value)));
	value = meta_column(tuple, SOURCES_FUNCTION, sources, &isnull);
	mapping->function_name = pstrdup(NameStr(*DatumGetName(value)));
	mapping->enabled = DatumGetBool(meta_column(tuple, SOURCES_ENABLED,
												sources, &isnull));
	mapping->created_at =
		DatumGetTimestampTz(meta_column(tuple, SOURCES_CREATED, sources,
										&isnull));
	mapping->settings = meta_text_column(tuple, SOURCES_SETTINGS, sources);
	value = meta_column(tuple, SOURCES_ON_FAILURE, sources, &isnull);
	mapping->on_failure = isnull ? InvalidOid : DatumGetObjectId(value);
	return mapping;
}

static void *
read_position(Relation positions, HeapTuple tuple)
{
	StreamPosition *position = palloc0(sizeof(*position));
	Datum		values[POSITIONS_NATTS];
	bool		nulls[POSITIONS_NATTS];

	heap_deform_tuple(tuple, RelationGetDescr(positions), values, nulls);
	position->mapping = DatumGetInt32(values[POSITIONS_MAPPING - 1]);
	position->lane = DatumGetInt32(values[POSITIONS_LANE - 1]);
	position->number = DatumGetInt64(values[POSITIONS_NUMBER - 1]);
	position->handled = DatumGetInt64(values[POSITIONS_HANDLED - 1]);
	position->discarded = DatumGetInt64(values[POSITIONS_DISCARDED - 1]);
	position->failures = DatumGetInt32(values[POSITIONS_FAILURES - 1]);
	position->result = TextDatumGetCString(values[POSITIONS_RESULT - 1]);
	if (!nulls[POSITIONS_BATCH_END - 1])
		position->batch_end = DatumGetInt64(values[POSITIONS_BATCH_END - 1]);
	if (!nulls[POSITIONS_BATCH_LIMIT - 1])
		position->batch_limit =
			DatumGetInt32(values[POSITIONS_BATCH_LIMIT - 1]);
	if (!nulls[POSITIONS_RETRY - 1])
		position->retry_at = DatumGetTimestampTz(values[POSITIONS_RETRY - 1]);
	if (!nulls[POSITIONS_LAST - 1])
		position->last_at = DatumGetTimestampTz(values[POSITIONS_LAST - 1]);
	if (!nulls[POSITIONS_LOST - 1])
		position->lost_at = DatumGetTimestampTz(values[POSITIONS_LOST - 1]);
	return position;
}

/*
 * The columns that can change.
 */
static void
set_source(MetaRow *row, const StreamMapping *mapping)
{
	meta_set_column(row, SOURCES_STREAM, Int32GetDatum(mapping->stream));
	meta_set_column(row, SOURCES_SCHEMA,
					name_datum(mapping->function_schema));
	meta_set_column(row, SOURCES_FUNCTION,
					name_datum(mapping->function_name));
	meta_set_column(row, SOURCES_ENABLED, BoolGetDatum(mapping->enabled));
	meta_set_column(row, SOURCES_SETTINGS,
					CStringGetTextDatum(mapping->settings));
	if (OidIsValid(mapping->on_failure))
		meta_set_column(row, SOURCES_ON_FAILURE,
						ObjectIdGetDatum(mapping->on_failure));
}

/*
 * All but the key.  What is not set is null.
 */
static void
set_position(MetaRow *row, const StreamPosition *position)
{
	const char *result = position->result;
	int			len = pg_mbcliplen(result, strlen(result), STREAM_MAX_RESULT);

	meta_set_column(row, POSITIONS_NUMBER, Int64GetDatum(position->number));
	meta_set_column(row, POSITIONS_HANDLED,
					Int64GetDatum(position->handled));
	meta_set_column(row, POSITIONS_DISCARDED,
					Int64GetDatum(position->discarded));
	meta_set_column(row, POSITIONS_FAILURES,
					Int32GetDatum(position->failures));
	meta_set_column(row, POSITIONS_RESULT,
					PointerGetDatum(cstring_to_text_with_len(result, len)));
	if (position->batch_end != 0)
		meta_set_column(row, POSITIONS_BATCH_END,
						Int64GetDatum(position->batch_end));
	if (position->batch_limit != 0)
		meta_set_column(row, POSITIONS_BATCH_LIMIT,
						Int32GetDatum(position->batch_limit));
	if (position->retry_at != 0)
		meta_set_column(row, POSITIONS_RETRY,
						TimestampTzGetDatum(position->retry_at));
	if (position->last_at != 0)
		meta_set_column(row, POSITIONS_LAST,
						TimestampTzGetDatum(position->last_at));
	if (position->lost_at != 0)
		meta_set_column(row, POSITIONS_LOST,
						TimestampTzGetDatum(position->lost_at));
}

static Datum
name_datum(const char *text)
{
	Name		name = palloc(sizeof(NameData));

	namestrcpy(name, text);
	return NameGetDatum(name);
}
