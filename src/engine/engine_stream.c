/*-------------------------------------------------------------------------
 *
 * engine_stream.c
 *	  Stream records: writing them.
 *
 * Whoever changes an item of a table with a stream appends a record in the
 * same transaction, so that record and change are seen together or not at
 * all.
 *
 * The ring.  All streams of a database write into one ring of eight tables.
 * A piece takes the records of four hours, then the next one does; what is
 * older than 24 hours fills at most one piece, which is truncated before it
 * is used again (engine_stream_trim.c):
 *
 *		 piece	  0   1   2   3   4   5   6   7
 *					  ^   ^   ^
 *				 before  now  next: older than 24 hours, to be truncated
 *
 * So nothing is deleted row by row, and no DDL is done at run time.
 *
 * The order.  A record's number is drawn from a sequence while the change's
 * row is locked; hence per item the order of numbers is the order of changes.
 * Among items numbers say nothing about who commits first.
 *
 * Late commits.  A reader must not pass a number whose transaction is still
 * under way, or else it would never see that record.  So before it draws its
 * first number for a stream, a transaction reads the sequence's last value v
 * and takes a lock, in share mode, whose tag is (database, stream, v): all its
 * numbers are greater than v.  Nobody ever waits for such a lock; readers look
 * for it in the lock table (engine_stream_read.c).  It is held to the end of
 * the transaction, also across PREPARE TRANSACTION, and belongs to the top
 * transaction: a savepoint rolled back would take it along while records
 * written before the savepoint still stand.
 *
 * Order of locks: the row is locked already; then the sequence, the piece and
 * its index, with locks that writers do not refuse each other.  None is waited
 * for but while a piece is being truncated.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "commands/sequence.h"
#include "engine/engine_internal.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

/* The streams for which the transaction "claimant" has its lock. */
static FullTransactionId claimant = {0};
static List *claims = NIL;

static void claim(const StreamDef *stream, Oid sequence);
static int	shard_of(const StreamDef *stream, const ItemPartitionKey *key);
static void insert_record(const StreamRing *ring, TimestampTz now,
						  Datum *values, bool *nulls);
static void insert_entries(Relation piece, TupleTableSlot *slot);
static void insert_entry(Relation piece, Relation index,
						 TupleTableSlot *slot);
static bool is_in_order(Relation index);
static void refuse_number(const StreamDef *stream);
static Datum image(const Item *item, bool wanted, bool *isnull);

/*
 * Append the record of one change, if it is one: "old_item" is NULL for an
 * insertion, "new_item" for a removal.  "key" is the item's.  The caller has
 * the row locked and is about to increment the command counter.
 */
void
engine_stream_append(const StreamDef *stream, const ItemPartitionKey *key,
					 const Item *old_item, const Item *new_item, bool service)
{
	TimestampTz now = GetCurrentTimestamp();
	StreamRing	ring;
	Datum		values[STREAM_NATTS];
	bool		nulls[STREAM_NATTS] = {false};
	int64		number;

	if (old_item == new_item ||
		(old_item != NULL && new_item != NULL && item_equal(old_item, new_item)))
		return;
	if (!schema_stream_ring(&ring))
		elog(ERROR, "relations of streams not found");

	claim(stream, ring.sequence);
	number = nextval_internal(ring.sequence, false);
	if (number <= stream->start_number)
		refuse_number(stream);

	values[STREAM_NUMBER - 1] = Int64GetDatum(number);
	values[STREAM_CREATED - 1] = TimestampTzGetDatum(now);
	values[STREAM_ID - 1] = Int32GetDatum(stream->id);
	values[STREAM_SHARD - 1] = Int16GetDatum(shard_of(stream, key));
	values[STREAM_EVENT - 1] = CharGetDatum(old_item == NULL ? 'I' :
											(new_item == NULL ? 'R' : 'M'));
	values[STREAM_SERVICE - 1] = BoolGetDatum(service);
	values[STREAM_OLD - 1] = image(old_item,
								   stream->view == 'O' || stream->view == 'B',
								   &nulls[STREAM_OLD - 1]);
	values[STREAM_NEW - 1] = image(new_item,
								   stream->view == 'N' || stream->view == 'B',
								   &nulls[STREAM_NEW - 1]);
	nulls[STREAM_KEYS - 1] = !nulls[STREAM_OLD - 1] || !nulls[STREAM_NEW - 1];
	values[STREAM_KEYS - 1] = nulls[STREAM_KEYS - 1] ? (Datum) 0 :
		PointerGetDatum(engine_stream_keys(stream,
										   new_item ? new_item : old_item));
	insert_record(&ring, now, values, nulls);
}

/*
 * The stream has been restored without the sequence.  No reader would ever
 * look at the record.
 */
static void
refuse_number(const StreamDef *stream)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("sequence \"%s\" is behind the stream of table \"%s\"",
					"dynamo.stream_sequence", stream->table_name),
			 errhint("Set it to a number above " INT64_FORMAT ", or disable the stream.",
					 stream->start_number)));
}

/*
 * The shard of an item: hashes are dealt out in equal ranges.
 */
static int
shard_of(const StreamDef *stream, const ItemPartitionKey *key)
{
	uint64		high = item_partition_key_hash(key) >> 32;

	return (int) ((high * stream->nshards) >> 32);
}

/*
 * The key of an item.
 */
Item *
engine_stream_keys(const StreamDef *stream, const Item *item)
{
	TableDef	def = {0};

	def.hash = stream->hash;
	def.range = stream->range;
	return engine_key_item(&def, NULL, item);
}

/*
 * The piece of the ring for records of that time.
 */
int
engine_stream_piece(TimestampTz when)
{
	int			n = (int) ((when / STREAM_PERIOD) % SCHEMA_STREAM_PIECES);

	return n < 0 ? n + SCHEMA_STREAM_PIECES : n;	/* a clock before 2000 */
}

/*
 * Open the index by which a piece is read.  It is looked for whenever the
 * piece has been locked: REINDEX CONCURRENTLY puts another in its place.
 */
Relation
engine_stream_index(Relation piece)
{
	List	   *indexes = RelationGetIndexList(piece);
	Relation	index = NULL;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		index = index_open(lfirst_oid(lc), AccessShareLock);
		if (is_in_order(index))
			break;
		index_close(index, AccessShareLock);
		index = NULL;
	}
	list_free(indexes);
	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has lost its index on (stream, shard, number)",
						RelationGetRelationName(piece))));
	return index;
}

/*
 * Tell readers that this transaction may write records of the stream with any
 * number from now on.
 */
static void
claim(const StreamDef *stream, Oid sequence)
{
	FullTransactionId xid = GetTopFullTransactionId();
	ResourceOwner owner = CurrentResourceOwner;
	MemoryContext caller;
	LOCKTAG		tag;

	if (!FullTransactionIdEquals(claimant, xid))
	{
		claims = NIL;			/* went with the transaction that made it */
		claimant = xid;
	}
	if (list_member_int(claims, stream->id))
		return;

	engine_stream_tag(&tag, stream->id, schema_last_number(sequence, true));
	CurrentResourceOwner = TopTransactionResourceOwner;
	(void) LockAcquire(&tag, AccessShareLock, false, false);
	CurrentResourceOwner = owner;

	caller = MemoryContextSwitchTo(TopTransactionContext);
	claims = lappend_int(claims, stream->id);
	MemoryContextSwitchTo(caller);
}

/*
 * Straight into table and indexes: the columns are ours, and there is nothing
 * on a piece that only the executor could do.  The lock on the piece stays,
 * or else it could be truncated under a record not yet committed.
 */
static void
insert_record(const StreamRing *ring, TimestampTz now, Datum *values,
			  bool *nulls)
{
	Relation	piece = table_open(ring->pieces[engine_stream_piece(now)],
								   RowExclusiveLock);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(piece),
													&TTSOpsHeapTuple);

	ExecStoreHeapTuple(heap_form_tuple(RelationGetDescr(piece), values, nulls),
					   slot, true);
	slot->tts_tableOid = RelationGetRelid(piece);
	table_tuple_insert(piece, slot, GetCurrentCommandId(true), 0, NULL);
	insert_entries(piece, slot);
	ExecDropSingleTupleTableSlot(slot);
	table_close(piece, NoLock);
}

/*
 * While REINDEX CONCURRENTLY is at it there are two indexes, and neither may
 * miss a record.
 */
static void
insert_entries(Relation piece, TupleTableSlot *slot)
{
	List	   *indexes = RelationGetIndexList(piece);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		if (index->rd_index->indisready)
			insert_entry(piece, index, slot);
		index_close(index, NoLock);
	}
	list_free(indexes);
}

static void
insert_entry(Relation piece, Relation index, TupleTableSlot *slot)
{
	IndexInfo  *info = BuildIndexInfo(index);
	Datum		entry[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	if (info->ii_Expressions != NIL || info->ii_Predicate != NIL ||
		info->ii_ExclusionOps != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index \"%s\" cannot be kept true",
						RelationGetRelationName(index)),
				 errdetail("Stream records are indexed by columns only.")));
	FormIndexDatum(info, slot, NULL, entry, nulls);
	(void) index_insert(index, entry, nulls, &slot->tts_tid, piece,
						info->ii_Unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
						false, info);
	compat_index_insert_cleanup(index, info);
	pfree(info);
}

/*
 * Is it a btree on (stream, shard, number)?
 */
static bool
is_in_order(Relation index)
{
	const int16 columns[] = {STREAM_ID, STREAM_SHARD, STREAM_NUMBER};
	Form_pg_index form = index->rd_index;

	return form->indisvalid && index->rd_rel->relam == BTREE_AM_OID &&
		form->indnatts == lengthof(columns) &&
		memcmp(form->indkey.values, columns, sizeof(columns)) == 0 &&
		index->rd_indoption[0] == 0 && index->rd_indoption[1] == 0 &&
		index->rd_indoption[2] == 0 &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
}

static Datum
image(const Item *item, bool wanted, bool *isnull)
{
	*isnull = item == NULL || !wanted;
	return *isnull ? (Datum) 0 : PointerGetDatum(item);
}
