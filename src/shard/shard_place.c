/*-------------------------------------------------------------------------
 *
 * shard_place.c
 *	  Rows of dynamo_internal.stream_shards, which shard_stream.c tells
 *	  about.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "base/base_extension.h"
#include "catalog/indexing.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* Columns of dynamo_internal.stream_shards. */
#define SHARDS_STREAM		1
#define SHARDS_PLACE		2
#define SHARDS_SHARD		3
#define SHARDS_GROUP		4
#define SHARDS_LOW			5
#define SHARDS_HIGH			6
#define SHARDS_RELATION		7
#define SHARDS_OPENED		8
#define SHARDS_NATTS		8

static const DynamoColumn shards_columns[] = {
	{INT4OID, true}, {INT4OID, true}, {INT8OID, true}, {INT4OID, true},
	{INT4OID, true}, {INT4OID, true}, {OIDOID, true}, {TIMESTAMPTZOID, true}
};

StaticAssertDecl(lengthof(shards_columns) == SHARDS_NATTS,
				 "each column has its type");

static DynamoIndex shards_indexes[] = {
	{2, {SHARDS_STREAM, SHARDS_PLACE}},
};

static DynamoMember shards_member =
DYNAMO_INTERNAL_TABLE("stream_shards", shards_columns,
					  DYNAMO_INDEXES(shards_indexes));

static void read_row(Relation shards, HeapTuple tuple, ShardPlace *row);
static bool is_followed(const ShardPlace *row, List *rows,
						TimestampTz before);

/*
 * What the other nodes are told of the shards of a stream, as a text.
 */
Datum
shard_places_text(int32 stream)
{
	List	   *rows = shard_places(stream, 0);
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	foreach(lc, rows)
	{
		const ShardPlace *row = lfirst(lc);

		appendStringInfo(&text, "%c{\"place\":%d,\"shard\":" INT64_FORMAT
						 ",\"group_id\":%d,\"low\":%d,\"high\":%d}",
						 text.len == 0 ? '[' : ',', row->place, row->shard,
						 row->group, row->low, row->high);
	}
	appendStringInfoString(&text, text.len == 0 ? "[]" : "]");
	return CStringGetTextDatum(text.data);
}

void
shard_place_insert(const ShardPlace *row)
{
	Relation	shards = dynamo_table_open(&shards_member, RowExclusiveLock);
	Datum		values[SHARDS_NATTS];
	bool		nulls[SHARDS_NATTS] = {false};

	values[SHARDS_STREAM - 1] = Int32GetDatum(row->stream);
	values[SHARDS_PLACE - 1] = Int32GetDatum(row->place);
	values[SHARDS_SHARD - 1] = Int64GetDatum(row->shard);
	values[SHARDS_GROUP - 1] = Int32GetDatum(row->group);
	values[SHARDS_LOW - 1] = Int32GetDatum(row->low);
	values[SHARDS_HIGH - 1] = Int32GetDatum(row->high);
	values[SHARDS_RELATION - 1] = ObjectIdGetDatum(row->relation);
	values[SHARDS_OPENED - 1] = TimestampTzGetDatum(row->opened_at);
	CatalogTupleInsert(shards, heap_form_tuple(RelationGetDescr(shards),
											   values, nulls));
	table_close(shards, NoLock);
}

static void
read_row(Relation shards, HeapTuple tuple, ShardPlace *row)
{
	bool		isnull;

	row->stream = DatumGetInt32(meta_column(tuple, SHARDS_STREAM, shards, &isnull));
	row->place = DatumGetInt32(meta_column(tuple, SHARDS_PLACE, shards, &isnull));
	row->shard = DatumGetInt64(meta_column(tuple, SHARDS_SHARD, shards, &isnull));
	row->group = DatumGetInt32(meta_column(tuple, SHARDS_GROUP, shards, &isnull));
	row->low = DatumGetInt32(meta_column(tuple, SHARDS_LOW, shards, &isnull));
	row->high = DatumGetInt32(meta_column(tuple, SHARDS_HIGH, shards, &isnull));
	row->relation = DatumGetObjectId(meta_column(tuple, SHARDS_RELATION, shards, &isnull));
	row->opened_at = DatumGetTimestampTz(meta_column(tuple, SHARDS_OPENED, shards, &isnull));
	row->committed = !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
}

/*
 * Rows of a stream, by place; of one place, unless that is 0.
 */
List *
shard_places(int32 stream, int32 place)
{
	Relation	shards = dynamo_table_find(&shards_member, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *rows = NIL;

	if (shards == NULL)
		return NIL;
	ScanKeyInit(&keys[0], SHARDS_STREAM, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(stream));
	ScanKeyInit(&keys[1], SHARDS_PLACE, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(place));
	scan = dynamo_table_scan(shards, &shards_indexes[0], NULL,
							 place == 0 ? 1 : 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		ShardPlace *row = palloc(sizeof(ShardPlace));

		read_row(shards, tuple, row);
		rows = lappend(rows, row);
	}
	systable_endscan(scan);
	table_close(shards, AccessShareLock);
	return rows;
}

/*
 * Delete rows of streams that do not exist any more and, on the coordinator, of
 * shards that others followed before that time.  The rows of one stream are kept
 * meanwhile: there may be thousands.
 */
void
shard_forget_places(TimestampTz followed_before,
					bool (*exists) (int32 stream))
{
	Relation	shards = dynamo_table_open(&shards_member, RowExclusiveLock);
	SysScanDesc scan = systable_beginscan(shards, InvalidOid, false, NULL,
										  0, NULL);
	bool		coordinator = shard_is_coordinator();
	List	   *rows = NIL;
	int32		stream = 0;		/* whose; 0: nobody's */
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		ShardPlace	row;

		CHECK_FOR_INTERRUPTS();
		read_row(shards, tuple, &row);
		if (coordinator && row.stream != stream)
		{
			list_free_deep(rows);
			rows = shard_places(row.stream, 0);
			stream = row.stream;
		}
		if (!exists(row.stream) ||
			(coordinator && is_followed(&row, rows, followed_before) &&
			 !shard_place_is_there(row.place)))
			CatalogTupleDelete(shards, &tuple->t_self);
	}
	systable_endscan(scan);
	table_close(shards, NoLock);
}

/*
 * Had another shard of the stream, of these rows, its hashes later, and before that
 * time?
 */
static bool
is_followed(const ShardPlace *row, List *rows, TimestampTz before)
{
	ListCell   *lc;

	foreach(lc, rows)
	{
		const ShardPlace *other = lfirst(lc);

		if (other->place > row->place && other->opened_at < before &&
			other->low <= row->high && row->low <= other->high)
			return true;
	}
	return false;
}

/*
 * Is it where Citus has a shard now?  On the coordinator.
 */
bool
shard_place_is_there(int32 place)
{
	Datum		values[] = {Int64GetDatum(place)};

	return meta_query_number("SELECT p.placementid FROM pg_catalog.pg_dist_placement p WHERE p.placementid OPERATOR(pg_catalog.=) $1",
							 INT8OID, values, lengthof(values), NULL) == place;
}
