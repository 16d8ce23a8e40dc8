/*-------------------------------------------------------------------------
 *
 * region_version.c
 *	  Versions of the items of global tables: rows of
 *	  dynamo_internal.item_versions.
 *
 * A row says of one key what the last write of it was: when, in which region,
 * and whether there is an item.  It is written in the transaction of the write,
 * while the item's row is held by it.  Rows are told apart by a unique index on
 * table and hash of the key; a second index, on table and number, is the feed.
 *
 * Two may find that a key has no row at the same time: a local write of a new
 * item, and a deletion from another region, which has no item's row to lock.
 * Both insert one: one finds the other's entry, takes its own row back, waits
 * for the other to end, and begins anew.  A deletion's is inserted speculatively, as
 * the local store inserts items (../engine/engine_local.c).  A new item's is just
 * inserted, and deleted where the other was first, which takes fewer steps.  Who
 * comes to the key waits for its transaction then, as he would for its item's row.
 * The other one does not come again: a deletion of what is not here is the last that
 * its transaction does at a key.  Otherwise the two could wait for each other.
 *
 * What is looked for is seen by a dirty snapshot: it is as of now in every
 * isolation level, and leaves no predicate locks.  Otherwise the rows, which no
 * user's transaction has read, would make transactions fail that have nothing
 * to do with each other.
 *
 * A write draws another number, by which it gets to the end of the feed.  It need
 * not where nobody has read the feed up to the number that is there, nor will
 * before the transaction has ended (../stream/stream_claim.c): whoever reads it then
 * finds what is written now.  So of an item that is written over and over most
 * updates are HOT.
 *
 * Order of locks: the item's row, then its version's.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "access/heapam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "base/compat.h"
#include "catalog/index.h"
#include "catalog/pg_type_d.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "region/region_internal.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* Columns of dynamo_internal.item_versions. */
#define VERSIONS_TABLE		1
#define VERSIONS_KEY		2
#define VERSIONS_NUMBER		3
#define VERSIONS_TIME		4
#define VERSIONS_REGION		5
#define VERSIONS_DELETED	6
#define VERSIONS_KEYS		7
#define VERSIONS_NATTS		7

static const DynamoColumn versions_columns[] = {
	{INT4OID, true}, {UUIDOID, true}, {INT8OID, true}, {INT8OID, true},
	{INT4OID, true}, {BOOLOID, true}, {InvalidOid, true}
};

StaticAssertDecl(lengthof(versions_columns) == VERSIONS_NATTS,
				 "each column has its type");

static DynamoIndex versions_indexes[] = {
	{2, {VERSIONS_TABLE, VERSIONS_KEY}},
	{2, {VERSIONS_TABLE, VERSIONS_NUMBER}},
};

#define VERSIONS_BY_KEY		(&versions_indexes[0])
#define VERSIONS_BY_NUMBER	(&versions_indexes[1])

static DynamoMember versions =
DYNAMO_INTERNAL_TABLE("item_versions", versions_columns,
					  DYNAMO_INDEXES(versions_indexes));

/* The low bits of a time count within a millisecond. */
#define COUNTER_BITS	16

/*
 * So many rows get another number, and leave as many dead ones, before a page is
 * pruned once: each time costs a third of a write.
 */
#define PRUNE_EVERY		16

/*
 * Who meets a tombstone is likely to meet more, as when many items are loaded again.
 * So many new items after it look for theirs, before they insert in vain.
 */
#define LOOK_FOR			100

/* For the second half of a hash: any other number. */
#define SECOND_SEED		UINT64CONST(0x9E3779B97F4A7C15)

/* A write that is to be noted, and what becomes of it. */
typedef struct Note
{
	const TableDef *def;
	const Item *item;			/* has the key */
	pg_uuid_t	key;
	bool		deleted;
	const RegionNumbers *numbers;
	RegionStamp stamp;
	ItemValue	hash;			/* attributes of the key */
	ItemValue	range;
	bool		created;		/* here: the item's row is new, and locked */
	bool		blind;			/* a version is not looked for */
	Relation	rel;
	Relation	by_key;			/* its index */
	TupleTableSlot *slot;		/* the row that is there; NULL: it has not
								 * been looked for */
	Datum		values[VERSIONS_NATTS]; /* of the row that is written */
} Note;

/* The next write of this key gets this version: it comes from another region. */
static RegionIncoming *expected = NULL;

/* So many new items look for a tombstone. */
static int	to_look_for = 0;

static int	clock_offset;

static int64 clock_now(void);
static void find_key(Note *note);
static void hash_key(const TableDef *def, const ItemValue *hash,
					 const ItemValue *range, pg_uuid_t *key);
static Relation open_by_key(Relation rel);
static bool try_note(Note *note, bool *admitted);
static bool find_row(Note *note, TransactionId *xwait, uint32 *token,
					 TransactionId *inserter);
static bool fetch_row(Note *note, IndexScanDesc scan, ItemPointerData tid,
					  Snapshot snapshot);
static void prune(Note *note, int64 number, bool kept);
static void wait_for(Note *note, TransactionId xwait, uint32 token,
					 TransactionId inserter);
static bool choose(const Note *note, const RegionVersion *before,
				   bool buried, RegionVersion *chosen);
static bool choose_expected(const Note *note, const RegionVersion *before,
							bool buried);
static RegionVersion read_version(TupleTableSlot *slot);
static bool is_deleted(TupleTableSlot *slot);
static int64 read_number(TupleTableSlot *slot);
static TupleTableSlot *form(Note *note, const RegionVersion *version,
							int64 number, Datum keys);
static bool insert_row(Note *note, const RegionVersion *version);
static bool insert_created(const Note *note, TupleTableSlot *slot);
static bool insert_speculatively(const Note *note, TupleTableSlot *slot);
static bool update_row(Note *note, const RegionVersion *version);
static bool insert_entries(const Note *note, TupleTableSlot *slot,
						   IndexUniqueCheck check, bool hot);
static bool insert_entry(const Note *note, Relation index,
						 TupleTableSlot *slot, IndexUniqueCheck check);
static const DynamoIndex *our_index(Oid relid);
static void take_id(HeapTuple row, TupleDesc desc, void *arg);

void
region_version_init(void)
{
	DefineCustomIntVariable("dynamo.region_clock_offset",
							"Milliseconds by which the versions of items are ahead of the clock.",
							"For tests of clocks that differ.",
							&clock_offset, 0, -86400000, 86400000,
							PGC_SUSET, GUC_UNIT_MS | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
}

/*
 * The time of a version that is written now.
 */
static int64
clock_now(void)
{
	int64		unix_time = GetCurrentTimestamp() / 1000 +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY * 1000;

	return (unix_time + clock_offset) << COUNTER_BITS;
}

/*
 * The time that versions had so many seconds ago, and a little more: a write of
 * this millisecond is later by all means.
 */
int64
region_time_before(int seconds)
{
	return clock_now() - (((int64) seconds * 1000 + 1) << COUNTER_BITS);
}

/*
 * The time of a version that is written when a clock says that: milliseconds since
 * 1970, which another region has told.
 */
int64
region_time_at(int64 clock)
{
	return Min(Max(clock, 0), PG_INT64_MAX >> COUNTER_BITS) << COUNTER_BITS;
}

/*
 * Is it from so far in the future that it has to wait?
 */
bool
region_is_early(const RegionVersion *version)
{
	return version->time >
		clock_now() + ((int64) REGION_MAX_SKEW << COUNTER_BITS);
}

int
region_compare(const RegionVersion *a, const RegionVersion *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->region == b->region ? 0 : (a->region < b->region ? -1 : 1);
}

/*
 * From now on the write of this key has this version; NULL: all writes are
 * local.  Returns what was expected before.
 */
RegionIncoming *
region_expect(RegionIncoming *incoming)
{
	RegionIncoming *before = expected;

	expected = incoming;
	return before;
}

/*
 * Give the item, or its tombstone, the version of a write that has just been
 * done.
 *
 * Waits for others that are at the version's row.  A version that is expected
 * and not newer than the one that is there raises 40001: who has stored
 * the item then is to look again.
 */
void
region_stamp(const TableDef *def, const Item *item, bool deleted,
			 RegionStamp stamp, const RegionNumbers *numbers)
{
	if (!region_try_stamp(def, item, deleted, stamp, numbers))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update"),
				 errdetail("A newer version of an item of table \"%s\" has come meanwhile.",
						   def->name)));
}

/*
 * The same; false: the version is not newer, and nothing was done.
 */
bool
region_try_stamp(const TableDef *def, const Item *item, bool deleted,
				 RegionStamp stamp, const RegionNumbers *numbers)
{
	Note		note = {
		.def = def, .item = item, .deleted = deleted, .numbers = numbers,
		.stamp = stamp,
		.created = stamp == REGION_CREATION && expected == NULL
	};
	bool		admitted = false;

	find_key(&note);
	note.blind = note.created && to_look_for == 0;
	if (note.created && !note.blind)
		to_look_for--;
	note.rel = dynamo_table_open(&versions, RowExclusiveLock);
	note.by_key = open_by_key(note.rel);
	while (!try_note(&note, &admitted))
		CHECK_FOR_INTERRUPTS();
	if (note.slot != NULL)
		ExecDropSingleTupleTableSlot(note.slot);
	index_close(note.by_key, NoLock);
	table_close(note.rel, NoLock);

	/* The next write of this command may be of the same key. */
	CommandCounterIncrement();
	return admitted;
}

/*
 * The key of the item: what it has of it, and its hash.
 */
static void
find_key(Note *note)
{
	const TableDef *def = note->def;

	note->hash = key_stored_attr(note->item, &def->hash);
	if (def->range.name != NULL)
		note->range = key_stored_attr(note->item, &def->range);
	hash_key(def, &note->hash, &note->range, &note->key);
}

/*
 * 128 bits that nobody can foresee who does not know the seed.  They are stored: each
 * version has to compute the same ones.  "range" is not looked at where the table has
 * none.
 */
static void
hash_key(const TableDef *def, const ItemValue *hash, const ItemValue *range,
		 pg_uuid_t *key)
{
	uint64		half[2];

	for (int i = 0; i < lengthof(half); i++)
	{
		half[i] = hash_bytes_extended((const unsigned char *) hash->data,
									  hash->len,
									  def->replication->seed ^
									  (i * SECOND_SEED));
		if (def->range.name != NULL)
			half[i] = hash_bytes_extended((const unsigned char *) range->data,
										  range->len, half[i]);
	}
	StaticAssertStmt(sizeof(half) == UUID_LEN, "two halves are a hash");
	memcpy(key->data, half, UUID_LEN);
}

/*
 * The index that versions are found by.
 */
static Relation
open_by_key(Relation rel)
{
	if (!OidIsValid(VERSIONS_BY_KEY->oid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has lost its index on (%s)",
						RelationGetRelationName(rel), "global_id, key")));
	return index_open(VERSIONS_BY_KEY->oid, RowExclusiveLock);
}

/*
 * One attempt; false: somebody else was at the row, and has ended.
 *
 * A new item seldom has a version, so the first attempt does not look for one.
 * If there is a tombstone, what it has inserted is dead, and vacuum's; it is not done
 * again for a while.
 */
static bool
try_note(Note *note, bool *admitted)
{
	TransactionId xwait;
	TransactionId inserter;
	uint32		token;
	RegionVersion chosen;
	bool		done = true;

	if (note->blind)
	{
		note->blind = false;
		*admitted = choose(note, NULL, false, &chosen);
		done = insert_row(note, &chosen);
		if (!done)
			to_look_for = LOOK_FOR;
		return done;
	}
	if (find_row(note, &xwait, &token, &inserter))
	{
		RegionVersion before = read_version(note->slot);

		*admitted = choose(note, &before, is_deleted(note->slot), &chosen);
		done = !*admitted || update_row(note, &chosen);
	}
	else if (TransactionIdIsValid(xwait))
	{
		wait_for(note, xwait, token, inserter);
		done = false;
	}
	else
	{
		*admitted = choose(note, NULL, false, &chosen);
		done = !*admitted || insert_row(note, &chosen);
	}
	ExecClearTuple(note->slot);
	return done;
}

/*
 * The row of the key, into the slot.  False: there is none; if *xwait is
 * valid, that transaction is about to insert or to delete it.
 */
static bool
find_row(Note *note, TransactionId *xwait, uint32 *token,
		 TransactionId *inserter)
{
	ScanKeyData keys[2];
	SnapshotData dirty;
	IndexScanDesc scan;
	ItemPointer tid;
	bool		found = false;

	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(note->def->replication->id));
	ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_UUID_EQ,
				UUIDPGetDatum(&note->key));
	if (note->slot == NULL)
		note->slot = MakeSingleTupleTableSlot(RelationGetDescr(note->rel),
											  &TTSOpsBufferHeapTuple);
	InitDirtySnapshot(dirty);
	*xwait = *inserter = InvalidTransactionId;
	*token = 0;
	scan = compat_index_beginscan(note->rel, note->by_key, &dirty, 2);
	index_rescan(scan, keys, 2, NULL, 0);
	while (!found && !TransactionIdIsValid(*xwait) &&
		   (tid = index_getnext_tid(scan, ForwardScanDirection)) != NULL)
	{
		if (!fetch_row(note, scan, *tid, &dirty))
			continue;
		*xwait = TransactionIdIsValid(dirty.xmin) ? dirty.xmin : dirty.xmax;
		*token = dirty.speculativeToken;
		*inserter = dirty.xmin;
		found = !TransactionIdIsValid(*xwait);
	}
	index_endscan(scan);
	return found;
}

/*
 * What index_fetch_heap() does, but that it prunes the page: see prune().
 */
static bool
fetch_row(Note *note, IndexScanDesc scan, ItemPointerData tid,
		  Snapshot snapshot)
{
	BufferHeapTupleTableSlot *slot = (BufferHeapTupleTableSlot *) note->slot;
	Buffer		buffer = ReadBuffer(note->rel,
									ItemPointerGetBlockNumber(&tid));
	bool		all_dead;
	bool		found;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	found = heap_hot_search_buffer(&tid, note->rel, buffer, snapshot,
								   &slot->base.tupdata, &all_dead, true);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	scan->kill_prior_tuple = all_dead;
	if (found)
		ExecStorePinnedBufferHeapTuple(&slot->base.tupdata, note->slot,
									   buffer);
	else
		ReleaseBuffer(buffer);
	return found;
}

/*
 * Take dead rows out of the page of the row in the slot.  One that keeps its number
 * needs room in its page: otherwise it is not HOT.  For others there is time: those
 * who send them prune pages, too, and vacuum does.  What the slot has is of no use
 * afterwards: rows move within the page.
 */
static void
prune(Note *note, int64 number, bool kept)
{
	Buffer		buffer = ((BufferHeapTupleTableSlot *) note->slot)->buffer;
	Size		need = ((BufferHeapTupleTableSlot *) note->slot)->base.tuple->t_len;

	if (kept ? PageGetHeapFreeSpace(BufferGetPage(buffer)) < MAXALIGN(need) :
		number % PRUNE_EVERY == 0)
		compat_prune(note->rel, buffer);
}

static void
wait_for(Note *note, TransactionId xwait, uint32 token,
		 TransactionId inserter)
{
	ItemPointerData tid = note->slot->tts_tid;

	ExecClearTuple(note->slot);
	if (token != 0)
		SpeculativeInsertionWait(inserter, token);
	else
		XactLockTableWait(xwait, note->rel, &tid, XLTW_Update);
}

/*
 * The version that the write has, given the one before, or none; "buried": that
 * one is a deletion's.  False: nothing is to be written.
 */
static bool
choose(const Note *note, const RegionVersion *before, bool buried,
	   RegionVersion *chosen)
{
	chosen->region = note->def->replication->region_id;
	if (expected != NULL && expected->relid == note->def->relid &&
		item_equal(expected->keys,
				   key_of_attrs(note->def, &note->hash, &note->range)))
	{
		*chosen = expected->version;
		return choose_expected(note, before, buried);
	}
	switch (note->stamp)
	{
		case REGION_FIRST:
			chosen->time = 0;
			return before == NULL;
		case REGION_BURIAL:
			return false;
		case REGION_EXPIRY:
			chosen->time = before ? before->time + 1 : 1;

			/* The floor as of now: see region_stable.c. */
			chosen->time = Max(chosen->time,
							   region_floor(note->def->relid) + 1);
			break;
		case REGION_CREATION:
		case REGION_WRITE:
			chosen->time = Max(clock_now(), note->def->replication->floor + 1);
			if (before != NULL)
				chosen->time = Max(chosen->time, before->time + 1);
			break;
	}
	return true;
}

/*
 * May the version that is expected follow the one before?  A trigger of the
 * user's that writes the item again, while the write of the other region is
 * done, belongs to it: with a version of its own it would go there, be written
 * again, and so on.
 */
static bool
choose_expected(const Note *note, const RegionVersion *before, bool buried)
{
	int			order = before ? region_compare(&expected->version, before) : 1;

	if (order < 0 || (order == 0 && !expected->taken) ||
		(note->stamp == REGION_BURIAL && before != NULL && !buried))
		return false;
	expected->taken = true;
	return true;
}

static bool
is_deleted(TupleTableSlot *slot)
{
	bool		isnull;

	return DatumGetBool(slot_getattr(slot, VERSIONS_DELETED, &isnull));
}

static RegionVersion
read_version(TupleTableSlot *slot)
{
	RegionVersion version;
	bool		isnull;

	version.time = DatumGetInt64(slot_getattr(slot, VERSIONS_TIME, &isnull));
	version.region = DatumGetInt32(slot_getattr(slot, VERSIONS_REGION,
												&isnull));
	return version;
}

static int64
read_number(TupleTableSlot *slot)
{
	bool		isnull;

	return DatumGetInt64(slot_getattr(slot, VERSIONS_NUMBER, &isnull));
}

/*
 * The row that is written, in a slot of its own.
 */
static TupleTableSlot *
form(Note *note, const RegionVersion *version, int64 number, Datum keys)
{
	TupleDesc	desc = RelationGetDescr(note->rel);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsHeapTuple);
	Datum	   *values = note->values;
	bool		nulls[VERSIONS_NATTS] = {false};

	values[VERSIONS_TABLE - 1] = Int32GetDatum(note->def->replication->id);
	values[VERSIONS_KEY - 1] = UUIDPGetDatum(&note->key);
	values[VERSIONS_NUMBER - 1] = Int64GetDatum(number);
	values[VERSIONS_TIME - 1] = Int64GetDatum(version->time);
	values[VERSIONS_REGION - 1] = Int32GetDatum(version->region);
	values[VERSIONS_DELETED - 1] = BoolGetDatum(note->deleted);
	values[VERSIONS_KEYS - 1] = keys;
	ExecStoreHeapTuple(heap_form_tuple(desc, values, nulls), slot, true);
	return slot;
}

/*
 * False: somebody else inserts one, too.
 */
static bool
insert_row(Note *note, const RegionVersion *version)
{
	const Item *keys = key_of_attrs(note->def, &note->hash, &note->range);
	TupleTableSlot *slot = form(note, version, note->numbers->draw(),
								PointerGetDatum(keys));
	bool		alone = note->created ? insert_created(note, slot) :
		insert_speculatively(note, slot);

	ExecDropSingleTupleTableSlot(slot);
	return alone;
}

/*
 * That of an item which is new here, and which nobody else can write.
 */
static bool
insert_created(const Note *note, TupleTableSlot *slot)
{
	bool		alone;

	table_tuple_insert(note->rel, slot, GetCurrentCommandId(true), 0, NULL);
	alone = insert_entries(note, slot, UNIQUE_CHECK_PARTIAL, false);
	if (!alone)
	{
		CommandCounterIncrement();
		simple_heap_delete(note->rel, &slot->tts_tid);
	}
	return alone;
}

static bool
insert_speculatively(const Note *note, TupleTableSlot *slot)
{
	TransactionId xid = GetCurrentTransactionId();
	uint32		token = SpeculativeInsertionLockAcquire(xid);
	bool		alone;

	table_tuple_insert_speculative(note->rel, slot, GetCurrentCommandId(true),
								   0, NULL, token);
	alone = insert_entries(note, slot, UNIQUE_CHECK_PARTIAL, false);
	table_tuple_complete_speculative(note->rel, slot, token, alone);
	SpeculativeInsertionLockRelease(xid);
	return alone;
}

/*
 * Replace the row in the slot.  False: it is gone, or another by now.
 */
static bool
update_row(Note *note, const RegionVersion *version)
{
	ItemPointerData tid = note->slot->tts_tid;
	bool		isnull;
	Datum		keys = slot_getattr(note->slot, VERSIONS_KEYS, &isnull);
	int64		number = read_number(note->slot);
	bool		kept = number > note->numbers->behind;
	TupleTableSlot *slot;
	TM_FailureData tmfd;
	LockTupleMode mode;
	compat_update_indexes indexes;
	TM_Result	result;

	if (!kept)
		number = note->numbers->draw();
	slot = form(note, version, number, keys);
	prune(note, number, kept);
	result = compat_tuple_update(note->rel, &tid, slot,
								 GetCurrentCommandId(true), InvalidSnapshot,
								 &tmfd, &mode, &indexes);
	if (result == TM_Ok && indexes)
		(void) insert_entries(note, slot, UNIQUE_CHECK_YES,
							  compat_summarizing_only(indexes));
	if (result != TM_Ok && result != TM_Updated && result != TM_Deleted)
		elog(ERROR, "unexpected result %d of updating a version", result);
	ExecDropSingleTupleTableSlot(slot);
	return result == TM_Ok;
}

/*
 * Entries in all indexes: REINDEX CONCURRENTLY makes a second one of each, and
 * none may miss a row; of one that is HOT, in those that do not keep it from being
 * so.  False: a unique one has another of the key.
 */
static bool
insert_entries(const Note *note, TupleTableSlot *slot, IndexUniqueCheck check,
			   bool hot)
{
	List	   *indexes = RelationGetIndexList(note->rel);
	bool		alone = true;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		bool		is_open = lfirst_oid(lc) == RelationGetRelid(note->by_key);
		Relation	index = is_open ? note->by_key :
			index_open(lfirst_oid(lc), RowExclusiveLock);

		if (index->rd_index->indisready && !(hot && compat_blocks_hot(index)))
			alone = insert_entry(note, index, slot, check);
		if (!is_open)
			index_close(index, NoLock);
		if (!alone)
			break;
	}
	list_free(indexes);
	return alone;
}

/*
 * An entry in one of them.  Of our own the columns are known, and a btree asks
 * for no more.
 *
 * Who replaces a row has the key, and nobody inserts another of it: they would find
 * the entry of the row that is replaced.  So of UNIQUE_CHECK_YES ours need nothing, and
 * are told that the entry is one more of the same.
 */
static bool
insert_entry(const Note *note, Relation index, TupleTableSlot *slot,
			 IndexUniqueCheck check)
{
	const DynamoIndex *ours = our_index(RelationGetRelid(index));
	bool		unique = index->rd_index->indisunique;
	IndexInfo  *info = NULL;
	Datum		entry[INDEX_MAX_KEYS];
	bool		isnull[INDEX_MAX_KEYS] = {false};
	bool		unchanged = ours == VERSIONS_BY_KEY &&
		check == UNIQUE_CHECK_YES;
	bool		satisfied;

	if (!unique || unchanged)
		check = UNIQUE_CHECK_NO;
	if (ours != NULL)
	{
		for (int i = 0; i < ours->ncolumns; i++)
			entry[i] = note->values[ours->columns[i] - 1];
	}
	else
	{
		info = BuildIndexInfo(index);
		slot_getallattrs(slot);
		FormIndexDatum(info, slot, NULL, entry, isnull);
	}
	satisfied = index_insert(index, entry, isnull, &slot->tts_tid, note->rel,
							 check, unchanged, info);
	if (info != NULL)
	{
		compat_index_insert_cleanup(index, info);
		pfree(info);
	}
	return satisfied || check != UNIQUE_CHECK_PARTIAL;
}

/*
 * NULL: it is none of those that this file knows.
 */
static const DynamoIndex *
our_index(Oid relid)
{
	for (int i = 0; i < lengthof(versions_indexes); i++)
	{
		if (versions_indexes[i].oid == relid)
			return &versions_indexes[i];
	}
	return NULL;
}

/*
 * The version of a key as of now, committed, and its number; false: it has none.
 */
bool
region_version(const TableDef *def, const Item *keys, RegionVersion *version,
			   int64 *number)
{
	ScanKeyData scankeys[2];
	MetaScan	scan;
	Note		note = {.def = def, .item = keys};
	bool		found;
	bool		isnull;

	find_key(&note);
	meta_int4_key(&scankeys[0], VERSIONS_TABLE, def->replication->id);
	ScanKeyInit(&scankeys[1], VERSIONS_KEY, BTEqualStrategyNumber, F_UUID_EQ,
				UUIDPGetDatum(&note.key));
	meta_scan(&scan, &versions, AccessShareLock, VERSIONS_BY_KEY, 2, scankeys);
	found = meta_next(&scan);
	if (found)
	{
		version->time = DatumGetInt64(meta_column(scan.tuple, VERSIONS_TIME,
												  scan.rel, &isnull));
		version->region = DatumGetInt32(meta_column(scan.tuple,
													VERSIONS_REGION, scan.rel,
													&isnull));
		*number = DatumGetInt64(meta_column(scan.tuple, VERSIONS_NUMBER,
											scan.rel, &isnull));
	}
	meta_end(&scan);
	return found;
}

struct RegionFeed
{
	Relation	rel;
	Relation	index;
	IndexScanDesc scan;
	TupleTableSlot *slot;
	RegionFed	fed;
};

RegionFeed *
region_feed_begin(const TableDef *def, int64 after, int64 until,
				  Snapshot snapshot)
{
	RegionFeed *feed = palloc0(sizeof(RegionFeed));
	ScanKeyData keys[3];

	feed->rel = dynamo_table_open(&versions, AccessShareLock);
	feed->index = dynamo_table_order(feed->rel, VERSIONS_BY_NUMBER);
	feed->slot = table_slot_create(feed->rel, NULL);
	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(def->replication->id));
	ScanKeyInit(&keys[1], 2, BTGreaterStrategyNumber, F_INT8GT,
				Int64GetDatum(after));
	ScanKeyInit(&keys[2], 2, BTLessEqualStrategyNumber, F_INT8LE,
				Int64GetDatum(until));
	feed->scan = compat_index_beginscan(feed->rel, feed->index, snapshot,
										lengthof(keys));
	index_rescan(feed->scan, keys, lengthof(keys), NULL, 0);
	return feed;
}

const RegionFed *
region_feed_next(RegionFeed *feed)
{
	RegionFed  *fed = &feed->fed;
	bool		isnull;

	if (!index_getnext_slot(feed->scan, ForwardScanDirection, feed->slot))
		return NULL;
	fed->version = read_version(feed->slot);
	fed->deleted = is_deleted(feed->slot);
	fed->number = read_number(feed->slot);
	fed->keys = DatumGetItemP(slot_getattr(feed->slot, VERSIONS_KEYS,
										   &isnull));
	return fed;
}

void
region_feed_end(RegionFeed *feed)
{
	index_endscan(feed->scan);
	ExecDropSingleTupleTableSlot(feed->slot);
	index_close(feed->index, AccessShareLock);
	table_close(feed->rel, AccessShareLock);
	pfree(feed);
}

/*
 * Forget versions of tables that are global no longer.  Returns how many went,
 * "limit" at most.
 *
 * There are few tables, and many versions.  So the tables are looked for first, each
 * after the one before it in the index.
 */
int64
region_sweep(int limit)
{
	static const char find[] =
		"WITH RECURSIVE seen(id) AS ("
		"SELECT pg_catalog.min(global_id) FROM dynamo_internal.item_versions "
		"UNION ALL "
		"SELECT (SELECT pg_catalog.min(v.global_id) FROM dynamo_internal.item_versions AS v "
		"WHERE v.global_id OPERATOR(pg_catalog.>) seen.id) "
		"FROM seen WHERE seen.id IS NOT NULL) "
		"SELECT seen.id FROM seen "
		"WHERE seen.id IS NOT NULL AND NOT EXISTS ("
		"SELECT FROM dynamo_internal.global_tables AS g "
		"WHERE g.global_id OPERATOR(pg_catalog.=) seen.id)";
	static const char sweep[] =
		"DELETE FROM dynamo_internal.item_versions WHERE ctid IN ("
		"SELECT v.ctid FROM dynamo_internal.item_versions AS v "
		"WHERE v.global_id OPERATOR(pg_catalog.=) $1 "
		"LIMIT $2 FOR UPDATE SKIP LOCKED)";
	Oid			types[] = {INT4OID, INT4OID};
	Datum		values[lengthof(types)];
	List	   *gone = NIL;
	int64		swept = 0;
	ListCell   *lc;

	meta_query(find, 0, NULL, NULL, take_id, &gone);
	foreach(lc, gone)
	{
		values[0] = Int32GetDatum(lfirst_int(lc));
		values[1] = Int32GetDatum((int32) (limit - swept));
		swept += meta_query(sweep, lengthof(types), types, values, NULL, NULL);
		if (swept >= limit)
			break;
	}
	return swept;
}

static void
take_id(HeapTuple row, TupleDesc desc, void *arg)
{
	List	  **ids = arg;
	bool		isnull;

	*ids = lappend_int(*ids, DatumGetInt32(heap_getattr(row, 1, desc,
														&isnull)));
}
