/*-------------------------------------------------------------------------
 *
 * schema_stream.c
 *	  Streams: rows of dynamo.streams, enabling and disabling.
 *
 * A stream is a row of dynamo.streams and two triggers on the relation of its
 * table.  The row of the one that is enabled is part of the table's
 * definition (schema_cache.c).  When a stream is disabled its row remains, so
 * that its records can be read until they are trimmed away; when its table is
 * dropped, by whatever way, the row loses its relation and keeps who owned the
 * table.
 *
 * The row is written under locks that keep all writers of the table away, and
 * its numbers are drawn there.  So a record of the stream has a number between
 * start_number and end_number, and once end_number is to be seen every record
 * below it has been decided.
 *
 * Locks: as schema_ddl.c has them, and dynamo.streams last, to the end of the
 * transaction.  Two writers of one row would meet in simple_heap_update(),
 * which cannot wait.  Changes to one table are kept apart by its relation, and
 * trimming, which knows no relations, takes a lock that conflicts with ours.
 *
 * An owner is kept by name and by OID, and both must agree for him to read a
 * stream whose table is gone: after DROP ROLE somebody else may have his name,
 * and in the cluster that a dump is restored in, his OID.  There, and after
 * ALTER ROLE ... RENAME, only superusers read it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "schema/schema_internal.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* Columns of dynamo.streams. */
#define STREAMS_ID				1
#define STREAMS_RELATION		2
#define STREAMS_TABLE			3
#define STREAMS_LABEL			4
#define STREAMS_VIEW			5
#define STREAMS_SHARDS			6
#define STREAMS_HASH			7
#define STREAMS_HASH_TYPE		8
#define STREAMS_RANGE			9
#define STREAMS_RANGE_TYPE		10
#define STREAMS_OWNER			11
#define STREAMS_OWNER_OID		12
#define STREAMS_CREATED			13
#define STREAMS_START			14
#define STREAMS_TRIMMED			15
#define STREAMS_DISABLED		16
#define STREAMS_END				17

#define DEFAULT_SHARDS			4

/* Stored by name, known by a letter. */
static const struct
{
	char		letter;
	const char *name;
}			views[] = {
	{'K', "KEYS_ONLY"},
	{'N', "NEW_IMAGE"},
	{'O', "OLD_IMAGE"},
	{'B', "NEW_AND_OLD_IMAGES"},
};

static int	stream_shards = DEFAULT_SHARDS;

static void insert_row(const TableDef *table, char view);
static void choose_label(const char *table, TimestampTz *created,
						 char *label);
static void end_row(Relation streams, HeapTuple tuple, SchemaRow *row);
static SysScanDesc scan_relation(Relation streams, const SchemaCatalog *c,
								 Oid relid);
static SysScanDesc scan_id(Relation streams, const SchemaCatalog *c, int32 id);
static StreamDef *read_row(Relation streams, HeapTuple tuple);
static bool is_enabled(Relation streams, HeapTuple tuple);
static void set_owner(SchemaRow *row, Oid owner);
static void create_triggers(Oid relid);
static void drop_triggers(Oid relid);

void
schema_stream_init(void)
{
	DefineCustomIntVariable("dynamo.stream_shards",
							"Number of shards of a stream, when it is enabled.",
							"More of them let more consumers read one stream side by side.",
							&stream_shards,
							DEFAULT_SHARDS, 1, SCHEMA_MAX_SHARDS,
							PGC_USERSET, 0, NULL, NULL, NULL);
}

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
	drop_triggers(def->relid);
	create_triggers(def->relid);
	insert_row(def, view);
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
	const SchemaCatalog *c;
	Relation	streams;
	SysScanDesc scan;
	HeapTuple	tuple;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessExclusiveLock);
	if (def->stream == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Table has no stream to disable: TableName: %s", table);

	streams = schema_catalog_for_write(SCHEMA_STREAMS, &c);
	scan = scan_relation(streams, c, def->relid);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		SchemaRow	row = {{0}};

		if (!is_enabled(streams, tuple))
			continue;
		end_row(streams, tuple, &row);
		schema_update_row(streams, tuple, &row);
	}
	systable_endscan(scan);
	table_close(streams, NoLock);
	drop_triggers(def->relid);
	schema_definition_changed(def->relid);
}

/*
 * A stream by its table's name and its label, NULL when there is none.
 */
const StreamDef *
schema_find_stream(const char *table, const char *label)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_open(SCHEMA_STREAMS, AccessShareLock,
											  &c);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	StreamDef  *stream = NULL;

	if (streams == NULL)
		return NULL;
	schema_text_key(&keys[0], STREAMS_TABLE, table);
	schema_text_key(&keys[1], STREAMS_LABEL, label);
	scan = systable_beginscan(streams, c->streams_by_label,
							  OidIsValid(c->streams_by_label), NULL, 2, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		stream = read_row(streams, tuple);
	systable_endscan(scan);
	table_close(streams, AccessShareLock);
	return stream;
}

/*
 * The stream that is enabled on the table called "table" now, or else the last
 * that was; NULL when there is none.
 */
const StreamDef *
schema_latest_stream(const char *table)
{
	const TableDef *def = schema_find_table(table);
	const SchemaCatalog *c;
	Relation	streams;
	SysScanDesc scan;
	HeapTuple	tuple;
	StreamDef  *latest = NULL;

	if (def == NULL)
		return NULL;
	streams = schema_catalog_open(SCHEMA_STREAMS, AccessShareLock, &c);
	if (streams == NULL)
		return NULL;
	scan = scan_relation(streams, c, def->relid);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		StreamDef  *stream = read_row(streams, tuple);

		if (latest == NULL || stream->end_number == 0 ||
			(latest->end_number != 0 &&
			 stream->start_number > latest->start_number))
			latest = stream;
	}
	systable_endscan(scan);
	table_close(streams, AccessShareLock);
	return latest;
}

/*
 * Up to "limit" streams behind (after_table, after_label), in the order of
 * table name and label; of one table only, unless "table" is NULL.  Neither
 * after_table nor after_label need name one that exists; both may be NULL.
 */
List *
schema_list_streams(const char *table, const char *after_table,
					const char *after_label, int limit)
{
	const SchemaCatalog *c;
	Relation	streams;
	Relation	index;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *found = NIL;
	const char *from = table ? table : (after_table ? after_table : "");

	streams = schema_catalog_open(SCHEMA_STREAMS, AccessShareLock, &c);
	if (streams == NULL)
		return NIL;
	if (!OidIsValid(c->streams_by_label))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("index \"%s\" does not exist",
						"dynamo.streams_label_key"),
				 errhint("Drop the extension dynamo and create it again.")));
	index = index_open(c->streams_by_label, AccessShareLock);
	ScanKeyEntryInitialize(&key, 0, STREAMS_TABLE,
						   table ? BTEqualStrategyNumber :
						   BTGreaterEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID,
						   table ? F_TEXTEQ : F_TEXT_GE,
						   CStringGetTextDatum(from));
	scan = systable_beginscan_ordered(streams, index, NULL, 1, &key);
	while (list_length(found) < limit &&
		   (tuple = systable_getnext_ordered(scan, ForwardScanDirection)) != NULL)
	{
		StreamDef  *stream = read_row(streams, tuple);
		int			order = after_table == NULL ? 1 :
		strcmp(stream->table_name, after_table);

		CHECK_FOR_INTERRUPTS();
		if (order > 0 ||
			(order == 0 &&
			 strcmp(stream->label, after_label ? after_label : "") > 0))
			found = lappend(found, stream);
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(streams, AccessShareLock);
	return found;
}

/*
 * The greatest number of a record of the stream that has been trimmed away;
 * start_number when there was none.
 */
int64
schema_stream_trimmed(const StreamDef *stream)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_open(SCHEMA_STREAMS, AccessShareLock,
											  &c);
	SysScanDesc scan;
	HeapTuple	tuple;
	int64		trimmed = stream->start_number;

	if (streams == NULL)
		return trimmed;
	scan = scan_id(streams, c, stream->id);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool		isnull;

		trimmed = DatumGetInt64(schema_column(tuple, STREAMS_TRIMMED, streams,
											  &isnull));
	}
	systable_endscan(scan);
	table_close(streams, AccessShareLock);
	return trimmed;
}

/*
 * The enabled stream of a relation, NULL when there is none.
 */
const StreamDef *
schema_stream_of_relation(Oid relid)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_open(SCHEMA_STREAMS, AccessShareLock,
											  &c);
	SysScanDesc scan;
	HeapTuple	tuple;
	StreamDef  *stream = NULL;

	if (streams == NULL)
		return NULL;
	scan = scan_relation(streams, c, relid);
	while (stream == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (is_enabled(streams, tuple))
			stream = read_row(streams, tuple);
	}
	systable_endscan(scan);
	table_close(streams, AccessShareLock);
	return stream;
}

/*
 * The relation of a table is being dropped: end its stream, and leave its
 * streams to the former owner; InvalidOid: to who is in the rows.
 */
void
schema_stream_relation_dropped(Oid relid, Oid owner)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_open(SCHEMA_STREAMS,
											  RowExclusiveLock, &c);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (streams == NULL)
		return;
	scan = scan_relation(streams, c, relid);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		SchemaRow	row = {{0}};

		schema_set_column(&row, STREAMS_RELATION, (Datum) 0);
		row.nulls[STREAMS_RELATION - 1] = true;
		if (OidIsValid(owner))
			set_owner(&row, owner);
		if (is_enabled(streams, tuple))
			end_row(streams, tuple, &row);
		schema_update_row(streams, tuple, &row);
	}
	systable_endscan(scan);
	table_close(streams, NoLock);
	CommandCounterIncrement();
}

/*
 * Keep everybody else from changing rows, to the end of the transaction.
 * False when somebody is at it: trimming can wait.
 */
bool
schema_lock_streams(void)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_open(SCHEMA_STREAMS, AccessShareLock,
											  &c);
	bool		locked;

	if (streams == NULL)
		return false;
	locked = ConditionalLockRelation(streams, ShareRowExclusiveLock);
	table_close(streams, AccessShareLock);
	return locked;
}

/*
 * Note that records of a stream up to "number" are gone.  Cached definitions
 * do not have it, so none is invalidated.  The caller has locked the streams.
 */
void
schema_set_trimmed(int32 id, int64 number)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_for_write(SCHEMA_STREAMS, &c);
	SysScanDesc scan = scan_id(streams, c, id);
	HeapTuple	tuple = systable_getnext(scan);
	bool		isnull;

	if (HeapTupleIsValid(tuple) &&
		DatumGetInt64(schema_column(tuple, STREAMS_TRIMMED, streams,
									&isnull)) < number)
	{
		SchemaRow	row = {{0}};

		schema_set_column(&row, STREAMS_TRIMMED, Int64GetDatum(number));
		schema_update_row(streams, tuple, &row);
	}
	systable_endscan(scan);
	table_close(streams, NoLock);
	CommandCounterIncrement();
}

/*
 * Delete the rows of streams disabled before that time.  The caller has locked
 * the streams.
 */
void
schema_forget_streams(TimestampTz disabled_before)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_for_write(SCHEMA_STREAMS, &c);
	SysScanDesc scan = systable_beginscan(streams, InvalidOid, false, NULL,
										  0, NULL);
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		disabled = schema_column(tuple, STREAMS_DISABLED, streams,
											 &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull && DatumGetTimestampTz(disabled) < disabled_before)
			CatalogTupleDelete(streams, &tuple->t_self);
	}
	systable_endscan(scan);
	table_close(streams, NoLock);
	CommandCounterIncrement();
}

/*
 * The last number that was drawn, 0 when there was none.  From the page of
 * the sequence itself: asking by SQL would take a privilege.  Who is about to
 * draw one takes the lock that this takes, and keeps it as nextval() does.
 * For anybody else the number is made durable first: a crash must not take it
 * back and have it drawn once more.
 */
int64
schema_last_number(Oid sequence, bool to_draw)
{
	LOCKMODE	lockmode = to_draw ? RowExclusiveLock : AccessShareLock;
	Relation	rel = relation_open(sequence, lockmode);
	Buffer		buffer = ReadBuffer(rel, 0);
	Page		page = BufferGetPage(buffer);
	HeapTupleData tuple;
	Form_pg_sequence_data data;
	int64		last;
	XLogRecPtr	logged;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	tuple.t_data = (HeapTupleHeader)
		PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));
	data = (Form_pg_sequence_data) GETSTRUCT(&tuple);
	last = data->is_called ? data->last_value : data->last_value - 1;
	logged = BufferGetLSNAtomic(buffer);
	UnlockReleaseBuffer(buffer);
	if (!to_draw)
		XLogFlush(logged);
	relation_close(rel, to_draw ? NoLock : lockmode);
	return last;
}

/*
 * The row of a new stream.  The caller keeps writers away from the table.
 */
static void
insert_row(const TableDef *table, char view)
{
	const SchemaCatalog *c;
	Relation	streams = schema_catalog_for_write(SCHEMA_STREAMS, &c);
	SchemaRow	row;
	TimestampTz created;
	char		label[SCHEMA_STREAM_LABEL];
	int64		start = nextval_internal(c->ring.sequence, false);
	HeapTuple	tuple;

	choose_label(table->name, &created, label);
	schema_init_row(&row);

	schema_set_column(&row, STREAMS_ID,
					  Int32GetDatum((int32) nextval_internal(c->stream_ids, false)));
	schema_set_column(&row, STREAMS_RELATION, ObjectIdGetDatum(table->relid));
	schema_set_column(&row, STREAMS_TABLE, CStringGetTextDatum(table->name));
	schema_set_column(&row, STREAMS_LABEL, CStringGetTextDatum(label));
	for (int i = 0; i < lengthof(views); i++)
	{
		if (views[i].letter == view)
			schema_set_column(&row, STREAMS_VIEW,
							  CStringGetTextDatum(views[i].name));
	}
	schema_set_column(&row, STREAMS_SHARDS, Int32GetDatum(stream_shards));
	schema_set_column(&row, STREAMS_HASH,
					  CStringGetTextDatum(table->hash.name));
	schema_set_column(&row, STREAMS_HASH_TYPE, CharGetDatum(table->hash.type));
	if (table->range.name != NULL)
	{
		schema_set_column(&row, STREAMS_RANGE,
						  CStringGetTextDatum(table->range.name));
		schema_set_column(&row, STREAMS_RANGE_TYPE,
						  CharGetDatum(table->range.type));
	}
	set_owner(&row, schema_relation_owner(table->relid));
	schema_set_column(&row, STREAMS_CREATED, TimestampTzGetDatum(created));
	schema_set_column(&row, STREAMS_START, Int64GetDatum(start));
	schema_set_column(&row, STREAMS_TRIMMED, Int64GetDatum(start));

	tuple = heap_form_tuple(RelationGetDescr(streams), row.values, row.nulls);
	CatalogTupleInsert(streams, tuple);
	table_close(streams, NoLock);
}

/*
 * A label is the time in milliseconds, and no stream of the name has it yet.
 * The lock on the name is held, so nobody else takes it.
 */
static void
choose_label(const char *table, TimestampTz *created, char *label)
{
	struct pg_tm tm;
	fsec_t		fsec;

	*created = GetCurrentTimestamp() / 1000 * 1000;
	for (;; *created += 1000)
	{
		if (timestamp2tm(*created, NULL, &tm, &fsec, NULL, NULL) != 0)
			elog(ERROR, "current time is out of range");
		snprintf(label, SCHEMA_STREAM_LABEL,
				 "%04d-%02d-%02dT%02d:%02d:%02d.%03d",
				 tm.tm_year % 10000, tm.tm_mon % 100, tm.tm_mday % 100,
				 tm.tm_hour % 100, tm.tm_min % 100, tm.tm_sec % 100,
				 (int) (fsec / 1000) % 1000);
		if (schema_find_stream(table, label) == NULL)
			return;
	}
}

/*
 * Have an update of the row end its stream now.
 */
static void
end_row(Relation streams, HeapTuple tuple, SchemaRow *row)
{
	StreamRing	ring;

	if (!schema_stream_ring(&ring))
		elog(ERROR, "sequence of streams not found");
	schema_set_column(row, STREAMS_DISABLED,
					  TimestampTzGetDatum(GetCurrentTimestamp()));
	schema_set_column(row, STREAMS_END,
					  Int64GetDatum(nextval_internal(ring.sequence, false)));
}

static SysScanDesc
scan_relation(Relation streams, const SchemaCatalog *c, Oid relid)
{
	ScanKeyData key;

	ScanKeyInit(&key, STREAMS_RELATION, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	return systable_beginscan(streams, c->streams_by_relation,
							  OidIsValid(c->streams_by_relation), NULL,
							  1, &key);
}

static SysScanDesc
scan_id(Relation streams, const SchemaCatalog *c, int32 id)
{
	ScanKeyData key;

	ScanKeyInit(&key, STREAMS_ID, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(id));
	return systable_beginscan(streams, c->streams_by_id,
							  OidIsValid(c->streams_by_id), NULL, 1, &key);
}

static StreamDef *
read_row(Relation streams, HeapTuple tuple)
{
	StreamDef  *stream = palloc0(sizeof(StreamDef));
	char	   *view = schema_text_column(tuple, STREAMS_VIEW, streams);
	Datum		value;
	bool		isnull;

	stream->id = DatumGetInt32(schema_column(tuple, STREAMS_ID, streams,
											 &isnull));
	value = schema_column(tuple, STREAMS_RELATION, streams, &isnull);
	stream->relid = isnull ? InvalidOid : DatumGetObjectId(value);
	value = schema_column(tuple, STREAMS_OWNER, streams, &isnull);
	stream->owner = get_role_oid(NameStr(*DatumGetName(value)), true);
	value = schema_column(tuple, STREAMS_OWNER_OID, streams, &isnull);
	if (stream->owner != DatumGetObjectId(value))
		stream->owner = InvalidOid;
	stream->table_name = schema_text_column(tuple, STREAMS_TABLE, streams);
	strlcpy(stream->label, schema_text_column(tuple, STREAMS_LABEL, streams),
			sizeof(stream->label));
	for (int i = 0; i < lengthof(views); i++)
	{
		if (strcmp(views[i].name, view) == 0)
			stream->view = views[i].letter;
	}
	stream->nshards = DatumGetInt32(schema_column(tuple, STREAMS_SHARDS,
												  streams,
												  &isnull));
	stream->hash.name = schema_text_column(tuple, STREAMS_HASH, streams);
	stream->hash.type = DatumGetChar(schema_column(tuple, STREAMS_HASH_TYPE,
												   streams,
												   &isnull));
	stream->range.name = schema_text_column(tuple, STREAMS_RANGE, streams);
	if (stream->range.name != NULL)
		stream->range.type = DatumGetChar(schema_column(tuple,
														STREAMS_RANGE_TYPE,
														streams, &isnull));
	stream->created_at = DatumGetTimestampTz(schema_column(tuple,
														   STREAMS_CREATED,
														   streams, &isnull));
	stream->start_number = DatumGetInt64(schema_column(tuple, STREAMS_START,
													   streams,
													   &isnull));
	value = schema_column(tuple, STREAMS_END, streams, &isnull);
	stream->end_number = isnull ? 0 : DatumGetInt64(value);
	value = schema_column(tuple, STREAMS_DISABLED, streams, &isnull);
	stream->disabled_at = isnull ? 0 : DatumGetTimestampTz(value);
	return stream;
}

static void
set_owner(SchemaRow *row, Oid owner)
{
	Name		name = palloc(sizeof(NameData));

	namestrcpy(name, GetUserNameFromId(owner, false));
	schema_set_column(row, STREAMS_OWNER, NameGetDatum(name));
	schema_set_column(row, STREAMS_OWNER_OID, ObjectIdGetDatum(owner));
}

static bool
is_enabled(Relation streams, HeapTuple tuple)
{
	bool		isnull;

	(void) schema_column(tuple, STREAMS_END, streams, &isnull);
	return isnull;
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
							"FOR EACH ROW EXECUTE FUNCTION dynamo._stream_capture()",
							SCHEMA_STREAM_TRIGGER, relation));
	schema_run_ddl(psprintf("CREATE TRIGGER \"%s\" BEFORE TRUNCATE ON %s "
							"FOR EACH STATEMENT EXECUTE FUNCTION dynamo._stream_capture()",
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
