/*-------------------------------------------------------------------------
 *
 * stream_row.c
 *	  Streams: rows of dynamo.streams.
 *
 * A stream is a row of dynamo.streams and two triggers on the relation of its
 * table.  The row of the one that is enabled is part of the table's
 * definition (schema_cache.c).  When a stream is disabled its row remains, so
 * that its records can be read until they are trimmed.  When its table is
 * dropped, in any way, the row loses its relation and keeps the table's owner.
 *
 * The row is written, and its numbers are drawn, under locks that keep all
 * writers of the table away.  So a record of the stream has a number between
 * start_number and end_number, and when end_number becomes visible every
 * record below it is decided.  Otherwise a reader could take a closed shard as
 * read to its end.
 *
 * Locks: as schema_ddl.c has them, and dynamo.streams last, to the end of the
 * transaction.  Two writers of one row would meet in simple_heap_update(),
 * which cannot wait.  Changes to one table are kept apart by its relation, and
 * trimming, which knows no relations, takes a lock that conflicts with ours.
 *
 * The owner is kept by name and by OID, and may read the stream of a table
 * that is gone only if both match.  Otherwise another role could: one that
 * gets the name after DROP ROLE, or the OID in a cluster where a dump is
 * restored.  There, and after ALTER ROLE ... RENAME, only superusers can read
 * it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xlog.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type_d.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "schema/schema_row.h"
#include "storage/lmgr.h"
#include "stream/stream_internal.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/*
 * Numbers of records that are kept for a timeline, and for how many.  The sequence ends
 * at 2^48.
 */
#define TIMELINE_NUMBERS	(INT64CONST(1) << 36)
#define MAX_TIMELINES		4096

/* A timeline has one range of so many, see least_of_timeline(). */
#define TIMELINE_CYCLE		16

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
#define STREAMS_NATTS			17

static const DynamoColumn streams_columns[] = {
	{INT4OID, true}, {REGCLASSOID}, {TEXTOID, true}, {TEXTOID, true},
	{TEXTOID, true}, {INT4OID, true}, {TEXTOID, true}, {CHAROID, true},
	{TEXTOID}, {CHAROID}, {NAMEOID, true}, {OIDOID, true},
	{TIMESTAMPTZOID, true}, {INT8OID, true}, {INT8OID, true},
	{TIMESTAMPTZOID}, {INT8OID}
};

StaticAssertDecl(lengthof(streams_columns) == STREAMS_NATTS,
				 "each column has its type");

static DynamoIndex streams_indexes[] = {
	{1, {STREAMS_ID}},
	{1, {STREAMS_RELATION}},
	{2, {STREAMS_TABLE, STREAMS_LABEL}},
};

#define STREAMS_BY_ID			(&streams_indexes[0])
#define STREAMS_BY_RELATION		(&streams_indexes[1])
#define STREAMS_BY_LABEL		(&streams_indexes[2])

static DynamoMember streams_member =
DYNAMO_TABLE("streams", streams_columns, DYNAMO_INDEXES(streams_indexes),
			 .forgotten = meta_definitions_gone);

static DynamoMember stream_ids = DYNAMO_SEQUENCE("stream_ids");
static DynamoMember stream_sequence = DYNAMO_SEQUENCE("stream_sequence");

#define DEFAULT_SHARDS			1

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

StreamCluster stream_cluster;

static int	stream_shards = DEFAULT_SHARDS;

static int64 least_of_timeline(int64 number);
static void choose_label(const char *table, TimestampTz *created,
						 char *label);
static void end_row(MetaRow *row);
static bool stream_exists(int32 id);
static void scan_relation(MetaScan *scan, Oid relid, LOCKMODE lockmode);
static void scan_id(MetaScan *scan, int32 id, LOCKMODE lockmode);
static void *read_row(Relation streams, HeapTuple tuple);
static bool is_enabled(Relation streams, HeapTuple tuple);
static void set_owner(MetaRow *row, Oid owner);

void
stream_row_init(void)
{
	DefineCustomIntVariable("dynamo.stream_shards",
							"Number of shards of streams that are enabled from now on.",
							"With more shards, more consumers can read one stream in parallel.",
							&stream_shards,
							DEFAULT_SHARDS, 1, STREAM_MAX_SHARDS,
							PGC_USERSET, 0, NULL, NULL, NULL);
}

/*
 * A stream by its table's name and its label, NULL when there is none.
 */
const StreamDef *
stream_find(const char *table, const char *label)
{
	ScanKeyData keys[2];

	meta_text_key(&keys[0], STREAMS_TABLE, table);
	meta_text_key(&keys[1], STREAMS_LABEL, label);
	return meta_first(&streams_member, STREAMS_BY_LABEL, 2, keys, read_row);
}

/*
 * The stream that is enabled on the table now, or if there is none the last
 * that was; NULL when there is none.
 */
const StreamDef *
stream_row_latest(const TableDef *def)
{
	MetaScan	scan;
	StreamDef  *latest = NULL;

	scan_relation(&scan, def->relid, AccessShareLock);
	while (meta_next(&scan))
	{
		StreamDef  *stream = read_row(scan.rel, scan.tuple);

		if (latest == NULL || stream->end_number == 0 ||
			(latest->end_number != 0 &&
			 stream->start_number > latest->start_number))
			latest = stream;
	}
	meta_end(&scan);
	return latest;
}

/*
 * Up to "limit" streams after (after_table, after_label) for which "listed" is
 * true, in the order of table name and label; of one table only, unless
 * "table" is NULL.  after_table and after_label need not exist, and may be
 * NULL.
 */
List *
stream_list(const char *table, const char *after_table,
			const char *after_label,
			bool (*listed) (const StreamDef *stream), int limit)
{
	MetaScan	scan;
	ScanKeyData key;
	List	   *found = NIL;
	const char *from = table ? table : (after_table ? after_table : "");

	ScanKeyEntryInitialize(&key, 0, STREAMS_TABLE,
						   table ? BTEqualStrategyNumber :
						   BTGreaterEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID,
						   table ? F_TEXTEQ : F_TEXT_GE,
						   CStringGetTextDatum(from));
	meta_scan_ordered(&scan, &streams_member, STREAMS_BY_LABEL,
					  ForwardScanDirection, 1, &key);
	while (list_length(found) < limit && meta_next(&scan))
	{
		StreamDef  *stream = read_row(scan.rel, scan.tuple);
		int			order = after_table == NULL ? 1 :
		strcmp(stream->table_name, after_table);

		if (order == 0)
			order = strcmp(stream->label, after_label ? after_label : "");
		if (order > 0 && listed(stream))
			found = lappend(found, stream);
	}
	meta_end(&scan);
	return found;
}

/*
 * The greatest number of a record of the stream that has been trimmed away;
 * start_number when there was none.
 */
int64
stream_row_trimmed(const StreamDef *stream)
{
	MetaScan	scan;
	int64		trimmed = stream->start_number;

	scan_id(&scan, stream->id, AccessShareLock);
	if (meta_next(&scan))
	{
		bool		isnull;

		trimmed = DatumGetInt64(meta_column(scan.tuple, STREAMS_TRIMMED,
											scan.rel, &isnull));
	}
	meta_end(&scan);
	return trimmed;
}

/*
 * The enabled stream of a relation, NULL when there is none.
 */
const StreamDef *
stream_of_relation(Oid relid)
{
	MetaScan	scan;
	StreamDef  *stream = NULL;

	scan_relation(&scan, relid, AccessShareLock);
	while (stream == NULL && meta_next(&scan))
	{
		if (is_enabled(scan.rel, scan.tuple))
			stream = read_row(scan.rel, scan.tuple);
	}
	meta_end(&scan);
	return stream;
}

/*
 * Is a stream enabled that was of a table of that name and whose relation is
 * gone?  On a node of a cluster it may have been made anew.
 */
bool
stream_is_lost(const char *table)
{
	MetaScan	scan;
	ScanKeyData key;
	bool		lost = false;

	meta_text_key(&key, STREAMS_TABLE, table);
	meta_scan(&scan, &streams_member, AccessShareLock, STREAMS_BY_LABEL, 1, &key);
	while (!lost && meta_next(&scan))
	{
		bool		isnull;
		Datum		relid = meta_column(scan.tuple, STREAMS_RELATION, scan.rel,
										&isnull);

		lost = !isnull && is_enabled(scan.rel, scan.tuple) &&
			!SearchSysCacheExists1(RELOID, relid);
	}
	meta_end(&scan);
	return lost;
}

/*
 * The stream of a relation ends.
 */
void
stream_row_end(Oid relid)
{
	MetaScan	scan;

	scan_relation(&scan, relid, RowExclusiveLock);
	while (meta_next(&scan))
	{
		MetaRow		row = {{0}};

		if (!is_enabled(scan.rel, scan.tuple))
			continue;
		end_row(&row);
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * The relation of a table is being dropped: end its stream, and leave its
 * streams to the former owner; InvalidOid: to the owners in the rows.
 */
void
stream_row_dropped(Oid relid, Oid owner)
{
	MetaScan	scan;

	scan_relation(&scan, relid, RowExclusiveLock);
	while (meta_next(&scan))
	{
		MetaRow		row = {{0}};

		meta_set_column(&row, STREAMS_RELATION, (Datum) 0);
		row.nulls[STREAMS_RELATION - 1] = true;
		if (OidIsValid(owner))
			set_owner(&row, owner);
		if (is_enabled(scan.rel, scan.tuple))
			end_row(&row);
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * A stream by its number, NULL when it has been forgotten.
 */
const StreamDef *
stream_by_id(int32 id)
{
	ScanKeyData key;

	meta_int4_key(&key, STREAMS_ID, id);
	return meta_first(&streams_member, STREAMS_BY_ID, 1, &key, read_row);
}

/*
 * The first stream of a relation among those that began after a number.
 */
const StreamDef *
stream_following(Oid relid, int64 start_number)
{
	MetaScan	scan;
	StreamDef  *next = NULL;

	scan_relation(&scan, relid, AccessShareLock);
	while (meta_next(&scan))
	{
		StreamDef  *stream = read_row(scan.rel, scan.tuple);

		if (stream->start_number > start_number &&
			(next == NULL || stream->start_number < next->start_number))
			next = stream;
	}
	meta_end(&scan);
	return next;
}

/*
 * Keep everybody else from changing rows, to the end of the transaction.
 * False when somebody is at it: trimming can wait.
 */
bool
stream_lock_all(void)
{
	Relation	streams = dynamo_table_find(&streams_member, AccessShareLock);
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
stream_row_set_trimmed(int32 id, int64 number)
{
	MetaScan	scan;
	bool		isnull;

	scan_id(&scan, id, RowExclusiveLock);
	if (meta_next(&scan) &&
		DatumGetInt64(meta_column(scan.tuple, STREAMS_TRIMMED, scan.rel,
								  &isnull)) < number)
	{
		MetaRow		row = {{0}};

		meta_set_column(&row, STREAMS_TRIMMED, Int64GetDatum(number));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * Delete the rows of streams disabled before that time, and of shards of
 * distributed tables that others followed before the other.  The caller has
 * locked the streams.
 */
void
stream_forget(TimestampTz disabled_before, TimestampTz followed_before)
{
	MetaScan	scan;

	meta_scan(&scan, &streams_member, RowExclusiveLock, NULL, 0, NULL);
	while (meta_next(&scan))
	{
		bool		isnull;
		Datum		disabled = meta_column(scan.tuple, STREAMS_DISABLED,
										   scan.rel, &isnull);

		if (!isnull && DatumGetTimestampTz(disabled) < disabled_before)
			meta_delete(&scan);
	}
	meta_end(&scan);
	stream_cluster.forget(followed_before, stream_exists);
}

static bool
stream_exists(int32 id)
{
	return stream_by_id(id) != NULL;
}

int64
stream_last_number(bool to_draw)
{
	return meta_sequence_last(&stream_sequence, to_draw);
}

/*
 * A standby that was behind when it was promoted lacks the last numbers, which readers
 * may have been told.  So on each timeline they go on from another place.
 */
int64
stream_draw_number(void)
{
	Oid			sequence = dynamo_member_get(&stream_sequence);
	int64		number = nextval_internal(sequence, false);
	int64		least = least_of_timeline(number);

	if (number > least)
		return number;
	meta_sequence_raise(&stream_sequence, least);
	return nextval_internal(sequence, false);
}

/*
 * Above this are the current timeline's numbers, where "number" is the last one.
 * By pg_upgrade or a dump that may be of a higher timeline than the server is on.
 * So a timeline has every sixteenth range above its first.  Otherwise failovers
 * after that would go on in the range in which numbers have been lost.
 */
static int64
least_of_timeline(int64 number)
{
	int64		timeline = Min(GetWALInsertionTimeLine(), MAX_TIMELINES);
	int64		range = Max((number - 1) / TIMELINE_NUMBERS, timeline - 1);
	int64		past = (range - (timeline - 1)) % TIMELINE_CYCLE;

	if (past > 0 && range - past + TIMELINE_CYCLE < MAX_TIMELINES)
		range += TIMELINE_CYCLE - past;
	return range * TIMELINE_NUMBERS;
}

Oid
stream_sequence_oid(void)
{
	return dynamo_member_get(&stream_sequence);
}

/*
 * The row of a new stream.  The caller keeps writers away from the table.
 */
void
stream_row_insert(const TableDef *table, char view)
{
	MetaRow		row;
	TimestampTz created;
	char		label[STREAM_LABEL];
	int64		start = stream_draw_number();
	int64		id = nextval_internal(dynamo_member_get(&stream_ids), false);

	choose_label(table->name, &created, label);
	meta_init_row(&row);

	meta_set_column(&row, STREAMS_ID, Int32GetDatum((int32) id));
	meta_set_column(&row, STREAMS_RELATION, ObjectIdGetDatum(table->relid));
	meta_set_column(&row, STREAMS_TABLE, CStringGetTextDatum(table->name));
	meta_set_column(&row, STREAMS_LABEL, CStringGetTextDatum(label));
	for (int i = 0; i < lengthof(views); i++)
	{
		if (views[i].letter == view)
			meta_set_column(&row, STREAMS_VIEW,
							CStringGetTextDatum(views[i].name));
	}
	meta_set_column(&row, STREAMS_SHARDS,
					Int32GetDatum(table->distributed ? 0 : stream_shards));
	meta_set_column(&row, STREAMS_HASH,
					CStringGetTextDatum(table->hash.name));
	meta_set_column(&row, STREAMS_HASH_TYPE, CharGetDatum(table->hash.type));
	if (table->range.name != NULL)
	{
		meta_set_column(&row, STREAMS_RANGE,
						CStringGetTextDatum(table->range.name));
		meta_set_column(&row, STREAMS_RANGE_TYPE,
						CharGetDatum(table->range.type));
	}
	set_owner(&row, meta_relation_owner(table->relid));
	meta_set_column(&row, STREAMS_CREATED, TimestampTzGetDatum(created));
	meta_set_column(&row, STREAMS_START, Int64GetDatum(start));
	meta_set_column(&row, STREAMS_TRIMMED, Int64GetDatum(start));
	meta_insert(&streams_member, &row);
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
		snprintf(label, STREAM_LABEL,
				 "%04d-%02d-%02dT%02d:%02d:%02d.%03d",
				 tm.tm_year % 10000, tm.tm_mon % 100, tm.tm_mday % 100,
				 tm.tm_hour % 100, tm.tm_min % 100, tm.tm_sec % 100,
				 (int) (fsec / 1000) % 1000);
		if (stream_find(table, label) == NULL)
			return;
	}
}

/*
 * Have an update of the row end its stream now.
 */
static void
end_row(MetaRow *row)
{
	meta_set_column(row, STREAMS_DISABLED,
					TimestampTzGetDatum(GetCurrentTimestamp()));
	meta_set_column(row, STREAMS_END,
					Int64GetDatum(stream_draw_number()));
}

static void
scan_relation(MetaScan *scan, Oid relid, LOCKMODE lockmode)
{
	ScanKeyData key;

	meta_oid_key(&key, STREAMS_RELATION, relid);
	meta_scan(scan, &streams_member, lockmode, STREAMS_BY_RELATION, 1, &key);
}

static void
scan_id(MetaScan *scan, int32 id, LOCKMODE lockmode)
{
	ScanKeyData key;

	meta_int4_key(&key, STREAMS_ID, id);
	meta_scan(scan, &streams_member, lockmode, STREAMS_BY_ID, 1, &key);
}

static void *
read_row(Relation streams, HeapTuple tuple)
{
	StreamDef  *stream = palloc0(sizeof(StreamDef));
	char	   *view = meta_text_column(tuple, STREAMS_VIEW, streams);
	Datum		value;
	bool		isnull;

	stream->id = DatumGetInt32(meta_column(tuple, STREAMS_ID, streams,
										   &isnull));
	value = meta_column(tuple, STREAMS_RELATION, streams, &isnull);
	stream->relid = isnull ? InvalidOid : DatumGetObjectId(value);
	value = meta_column(tuple, STREAMS_OWNER, streams, &isnull);
	stream->owner = get_role_oid(NameStr(*DatumGetName(value)), true);
	value = meta_column(tuple, STREAMS_OWNER_OID, streams, &isnull);
	if (stream->owner != DatumGetObjectId(value))
		stream->owner = InvalidOid;
	stream->table_name = meta_text_column(tuple, STREAMS_TABLE, streams);
	strlcpy(stream->label, meta_text_column(tuple, STREAMS_LABEL, streams),
			sizeof(stream->label));
	for (int i = 0; i < lengthof(views); i++)
	{
		if (strcmp(views[i].name, view) == 0)
			stream->view = views[i].letter;
	}
	stream->nshards = DatumGetInt32(meta_column(tuple, STREAMS_SHARDS,
												streams,
												&isnull));
	stream->hash.name = meta_text_column(tuple, STREAMS_HASH, streams);
	stream->hash.type = DatumGetChar(meta_column(tuple, STREAMS_HASH_TYPE,
												 streams,
												 &isnull));
	stream->range.name = meta_text_column(tuple, STREAMS_RANGE, streams);
	if (stream->range.name != NULL)
		stream->range.type = DatumGetChar(meta_column(tuple,
													  STREAMS_RANGE_TYPE,
													  streams, &isnull));
	stream->created_at = DatumGetTimestampTz(meta_column(tuple,
														 STREAMS_CREATED,
														 streams, &isnull));
	stream->start_number = DatumGetInt64(meta_column(tuple, STREAMS_START,
													 streams,
													 &isnull));
	value = meta_column(tuple, STREAMS_END, streams, &isnull);
	stream->end_number = isnull ? 0 : DatumGetInt64(value);
	value = meta_column(tuple, STREAMS_DISABLED, streams, &isnull);
	stream->disabled_at = isnull ? 0 : DatumGetTimestampTz(value);
	return stream;
}

static void
set_owner(MetaRow *row, Oid owner)
{
	Name		name = palloc(sizeof(NameData));

	namestrcpy(name, GetUserNameFromId(owner, false));
	meta_set_column(row, STREAMS_OWNER, NameGetDatum(name));
	meta_set_column(row, STREAMS_OWNER_OID, ObjectIdGetDatum(owner));
}

static bool
is_enabled(Relation streams, HeapTuple tuple)
{
	bool		isnull;

	(void) meta_column(tuple, STREAMS_END, streams, &isnull);
	return isnull;
}
