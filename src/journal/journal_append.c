/*-------------------------------------------------------------------------
 *
 * journal_append.c
 *	  The journal of point-in-time recovery: writing it.
 *
 * A change of an item of a table with recovery on leaves an entry in the same
 * transaction: the item as it was before, or the key of one that was not there.
 * The entry names the top transaction.  To bring a table back to a moment is to
 * undo all that the snapshot of that moment does not see (README.md):
 * for each such item, its first such entry has what it was.
 *
 * First is the one with the least number, so a number is drawn from a sequence
 * while the changed row is locked: the next change of it waits for us to
 * commit.
 *
 * All tables of a database write into one ring of twenty tables (meta_ring.c),
 * each for two days: 36 days and more, and one piece to be truncated.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type_d.h"
#include "journal/journal_internal.h"
#include "process/process_watch.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

/* How often a writer looks whether markers are taken. */
#define WATCH_INTERVAL	USECS_PER_SEC

static const DynamoColumn entry_columns[] = {
	{INT4OID, true}, {INT4OID, true}, {INT8OID, true},
	{TIMESTAMPTZOID, true}, {XID8OID, true}, {InvalidOid}, {InvalidOid},
	{PG_SNAPSHOTOID}, {TIMESTAMPTZOID}
};

StaticAssertDecl(lengthof(entry_columns) == JOURNAL_NATTS,
				 "each column has its type");

/* The ring. */
#define PIECE(n)	\
	DYNAMO_INTERNAL_TABLE("journal_" #n, entry_columns)

static DynamoMember pieces[] = {
	PIECE(0), PIECE(1), PIECE(2), PIECE(3), PIECE(4),
	PIECE(5), PIECE(6), PIECE(7), PIECE(8), PIECE(9),
	PIECE(10), PIECE(11), PIECE(12), PIECE(13), PIECE(14),
	PIECE(15), PIECE(16), PIECE(17), PIECE(18), PIECE(19)
};

const MetaRing journal_ring = {
	.npieces = lengthof(pieces),
	.pieces = pieces,
	.period = JOURNAL_PERIOD,
	.order = {3, {JOURNAL_RECOVERY, JOURNAL_HASH, JOURNAL_NUMBER}},
	.columns = "recovery, hash, number"
};

StaticAssertDecl((lengthof(pieces) - 2) * JOURNAL_PERIOD >=
				 (JOURNAL_MAX_DAYS + 1) * USECS_PER_DAY,
				 "the ring holds the longest period, and a day for late commits");

static void watch_markers(TimestampTz now);

/*
 * Note one change of a table with recovery: "old_item" is NULL for an
 * insertion, "new_item" for a removal.  "key" is the item's.  The caller has
 * the row locked and is about to increment the command counter.
 */
void
journal_append(const TableDef *def, const ItemPartitionKey *key,
			   const Item *old_item, const Item *new_item)
{
	FullTransactionId xid = GetTopFullTransactionId();
	TimestampTz now = GetCurrentTimestamp();
	Datum		values[JOURNAL_NATTS] = {0};
	bool		nulls[JOURNAL_NATTS] = {false};

	values[JOURNAL_RECOVERY - 1] = Int32GetDatum(def->recovery->id);
	values[JOURNAL_HASH - 1] = Int32GetDatum(journal_hash(key));
	values[JOURNAL_NUMBER - 1] = Int64GetDatum(journal_draw_entry());
	values[JOURNAL_AT - 1] = TimestampTzGetDatum(now);
	values[JOURNAL_XID - 1] = FullTransactionIdGetDatum(xid);
	nulls[JOURNAL_KEYS - 1] = old_item != NULL;
	if (old_item == NULL)
		values[JOURNAL_KEYS - 1] =
			PointerGetDatum(key_as_item(def, NULL, new_item));
	nulls[JOURNAL_OLD - 1] = old_item == NULL;
	values[JOURNAL_OLD - 1] = PointerGetDatum(old_item);
	nulls[JOURNAL_SNAPSHOT - 1] = nulls[JOURNAL_SINCE - 1] = true;
	meta_ring_insert(&journal_ring, now, values, nulls);
	journal_ledger_change(now);
	watch_markers(now);
}

/*
 * By which the entries of a partition key are found.
 */
int32
journal_hash(const ItemPartitionKey *key)
{
	return (int32) (item_partition_key_hash(key) >> 32);
}

/*
 * After a crash, or where no process was to be had, nobody takes markers until
 * maintenance comes by.  Writers do not wait so long.
 */
static void
watch_markers(TimestampTz now)
{
	static TimestampTz watched = 0;

	if (now - watched < WATCH_INTERVAL && now >= watched)
		return;
	watched = now;
	if (schema_callbacks.start_marker)
		schema_callbacks.start_marker();
}
