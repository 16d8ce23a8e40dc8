/*-------------------------------------------------------------------------
 *
 * shard_capture.c
 *	  Noticing that an item of a distributed table has changed, for its stream
 *	  and its point-in-time recovery.
 *
 * Shards come and go without our knowledge, and with them the triggers they
 * have.  So the access method tells us of each row (../am/am_watch.c), whatever
 * the door: our local store, Citus, plain SQL or COPY.  As with triggers,
 * nothing is recorded in sessions that replicate
 * (session_replication_role = replica), which is how rows are copied to a
 * shard's next place.
 *
 * A transaction over several shards inserts a bare key to claim that an item is
 * missing, and deletes it again.  So an insertion waits, up to the end of the
 * transaction or to the next change of its row: what comes and goes within one
 * transaction leaves no record.  Until then nobody else sees the row, so its
 * number may be drawn late.  And it may not be drawn early: the row may wait for
 * somebody who deletes one of the same key, and whose number is to be less.  So
 * where insertions are too many, those are recorded that have index entries, which
 * are all but the last ones.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "am/am.h"
#include "base/compat.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/*
 * A transaction's insertions that wait are so many, but for those that COPY makes
 * at once, and what outer subtransactions have left; DynamoDB's have 100.
 */
#define MAX_WAITING		128

/* An insertion that waits. */
typedef struct Waiting
{
	Oid			table;
	int32		place;
	TableKey	key;			/* pk and sk alone */
	Item	   *item;
	SubTransactionId made_by;
	SubTransactionId done_by;	/* it was recorded, or deleted; or invalid */
} Waiting;

static bool shard_watches(Relation rel);
static void shard_inserted(Relation rel, TupleTableSlot **slots, int n);
static void shard_changed(Relation rel, TupleTableSlot *old_slot,
						  TupleTableSlot *new_slot);
static void shard_emptied(Relation rel);
static bool is_served(Relation rel);
static bool has_expired(const TableDef *def, const Item *item);
static void change(const ShardCapture *capture, TupleTableSlot *old_slot,
				   TupleTableSlot *new_slot, bool service);
static void record(const ShardCapture *capture, const TableKey *key,
				   const Item *old_item, const Item *new_item, bool service);
static void append(const TableDef *def, int32 place, const TableKey *key,
				   const Item *old_item, const Item *new_item, bool service);
static void make_room(void);
static void free_waiting(Waiting *waiting);
static void wait_to_append(const ShardCapture *capture, const TableKey *key,
						   const Item *item);
static Waiting *find_waiting(Oid table, const TableKey *key);
static void drop_waiting(Waiting *waiting);
static void append_waiting(Waiting *waiting);
static void append_all_waiting(void);
static void forget_waiting(void);
static void transaction_event(XactEvent event, void *arg);
static void subtransaction_event(SubXactEvent event, SubTransactionId mine,
								 SubTransactionId parent, void *arg);

static const AmWatch watch = {
	.watches = shard_watches,
	.inserted = shard_inserted,
	.changed = shard_changed,
	.emptied = shard_emptied
};

/* Those of the current transaction, in a context of their own. */
static Waiting *all_waiting = NULL;
static int	nwaiting = 0;
static int	max_waiting = 0;	/* that there is room for */
static MemoryContext waiting_context = NULL;

/* The relation in which a command deletes expired items. */
static Oid	served = InvalidOid;
static LocalTransactionId served_in = InvalidLocalTransactionId;
static CommandId served_by = InvalidCommandId;

PG_FUNCTION_INFO_V1(dynamo_expires);

/* What one change needs. */
static MemoryContext change_context = NULL;

void
shard_capture_init(void)
{
	am_watch = &watch;
	change_context = AllocSetContextCreate(TopMemoryContext,
										   "dynamo captured change",
										   ALLOCSET_DEFAULT_SIZES);
	RegisterXactCallback(transaction_event, NULL);
	RegisterSubXactCallback(subtransaction_event, NULL);
}

static bool
shard_watches(Relation rel)
{
	return shard_may_be(rel);
}

static void
shard_inserted(Relation rel, TupleTableSlot **slots, int n)
{
	if (nwaiting + n > MAX_WAITING)
		make_room();
	for (int i = 0; i < n; i++)
		shard_changed(rel, NULL, slots[i]);
}

static void
shard_changed(Relation rel, TupleTableSlot *old_slot, TupleTableSlot *new_slot)
{
	ShardCapture capture;
	MemoryContext caller;

	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
		return;
	MemoryContextReset(change_context);
	caller = MemoryContextSwitchTo(change_context);
	if (shard_find_capture(rel, &capture))
		change(&capture, old_slot, new_slot, is_served(rel));
	MemoryContextSwitchTo(caller);
}

/*
 * expires(relation, item): in the WHERE of the statement by which the service
 * deletes an expired item where its row is.  Has the item expired?  Then what
 * the statement deletes in that relation is the service's work.
 */
Datum
dynamo_expires(PG_FUNCTION_ARGS)
{
	Relation	rel = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
	ShardCapture capture;
	bool		expired = true;

	if (rel == NULL)
		PG_RETURN_BOOL(false);
	if (rel->rd_rel->relkind == RELKIND_RELATION &&
		shard_may_be(rel) && shard_find_capture(rel, &capture))
	{
		expired = has_expired(capture.def, PG_GETARG_ITEM_P(1));
		served = expired ? RelationGetRelid(rel) : InvalidOid;
		served_in = compat_lxid;
		served_by = GetCurrentCommandId(false);
	}
	relation_close(rel, AccessShareLock);
	PG_RETURN_BOOL(expired);
}

static bool
has_expired(const TableDef *def, const Item *item)
{
	const char *attribute = def->ttl_attribute;
	int64		expiry;

	return attribute != NULL &&
		item_expiry(item, attribute, strlen(attribute), &expiry) &&
		expiry < timestamptz_to_time_t(GetCurrentTimestamp());
}

static bool
is_served(Relation rel)
{
	return served == RelationGetRelid(rel) && served_in == compat_lxid &&
		served_by == GetCurrentCommandId(false);
}

/*
 * TRUNCATE removes every item.  The relation is locked against everybody else,
 * so the latest snapshot sees all that there is.
 */
static void
shard_emptied(Relation rel)
{
	ShardCapture capture;
	Snapshot	snapshot;
	TupleTableSlot *slot;
	TableScanDesc scan;

	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA ||
		!shard_find_capture(rel, &capture))
		return;
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	slot = table_slot_create(rel, NULL);
	scan = compat_table_beginscan(rel, snapshot);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		shard_changed(rel, slot, NULL);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
}

/*
 * Plain SQL can give a row another key, of the same shard: then one item is
 * gone and another has come.  Anybody may call expires() in a statement of his
 * own, with an item of his own: it is what is deleted that must have expired.
 */
static void
change(const ShardCapture *capture, TupleTableSlot *old_slot,
	   TupleTableSlot *new_slot, bool service)
{
	TableKey	old_key;
	TableKey	new_key;
	const Item *old_item = stream_capture_item(capture->def, old_slot, &old_key);
	const Item *new_item = stream_capture_item(capture->def, new_slot, &new_key);

	if (old_item != NULL && new_item != NULL &&
		key_compare(&old_key, &new_key) != 0)
	{
		record(capture, &old_key, old_item, NULL, false);
		old_item = NULL;
	}
	if (old_item != NULL || new_item != NULL)
		record(capture, new_item ? &new_key : &old_key, old_item, new_item,
			   service && new_item == NULL &&
			   has_expired(capture->def, old_item));
}

static void
record(const ShardCapture *capture, const TableKey *key,
	   const Item *old_item, const Item *new_item, bool service)
{
	Waiting    *waiting;

	if (old_item == NULL)
	{
		wait_to_append(capture, key, new_item);
		return;
	}
	waiting = find_waiting(capture->def->relid, key);
	if (waiting != NULL)
	{
		if (new_item == NULL)
		{
			drop_waiting(waiting);
			return;
		}
		append_waiting(waiting);
	}
	if (new_item == NULL || !item_equal(old_item, new_item))
		append(capture->def, capture->place, key, old_item, new_item, service);
}

static void
append(const TableDef *def, int32 place, const TableKey *key,
	   const Item *old_item, const Item *new_item, bool service)
{
	/* Without a place the row was stored before the stream was enabled. */
	if (def->stream != NULL && place != 0)
		stream_append(def, place, old_item, new_item, service);
	if (def->recovery != NULL)
		journal_append(def, key->pk, old_item, new_item);
}

/*
 * Record what waits.  What this subtransaction has inserted is forgotten then; a
 * rollback would undo both.  What others have inserted stays, as if it were done.
 */
static void
make_room(void)
{
	SubTransactionId mine = GetCurrentSubTransactionId();
	MemoryContext caller;
	int			left = 0;

	MemoryContextReset(change_context);
	caller = MemoryContextSwitchTo(change_context);
	append_all_waiting();
	MemoryContextSwitchTo(caller);
	for (int i = 0; i < nwaiting; i++)
	{
		if (all_waiting[i].made_by == mine)
			free_waiting(&all_waiting[i]);
		else
			all_waiting[left++] = all_waiting[i];
	}
	nwaiting = left;
}

static void
wait_to_append(const ShardCapture *capture, const TableKey *key,
			   const Item *item)
{
	MemoryContext caller;
	Waiting    *waiting;

	if (waiting_context == NULL)
	{
		waiting_context = AllocSetContextCreate(TopTransactionContext,
												"dynamo waiting insertions",
												ALLOCSET_DEFAULT_SIZES);
		max_waiting = MAX_WAITING;
		all_waiting = MemoryContextAlloc(waiting_context,
										 max_waiting * sizeof(Waiting));
	}
	if (nwaiting == max_waiting)
	{
		max_waiting *= 2;
		all_waiting = repalloc(all_waiting, max_waiting * sizeof(Waiting));
	}
	caller = MemoryContextSwitchTo(waiting_context);
	waiting = &all_waiting[nwaiting];
	waiting->table = capture->def->relid;
	waiting->place = capture->place;
	waiting->key.pk = (ItemPartitionKey *) PG_DETOAST_DATUM_COPY(PointerGetDatum(key->pk));
	waiting->key.sk = key->sk == NULL ? NULL :
		(ItemSortKey *) PG_DETOAST_DATUM_COPY(PointerGetDatum(key->sk));
	waiting->item = item_copy(item);
	waiting->made_by = GetCurrentSubTransactionId();
	waiting->done_by = InvalidSubTransactionId;
	nwaiting++;
	MemoryContextSwitchTo(caller);
}

static Waiting *
find_waiting(Oid table, const TableKey *key)
{
	for (int i = 0; i < nwaiting; i++)
	{
		Waiting    *waiting = &all_waiting[i];

		if (waiting->done_by == InvalidSubTransactionId &&
			waiting->table == table &&
			key_compare(&waiting->key, key) == 0)
			return waiting;
	}
	return NULL;
}

/*
 * The row is gone.  Where no rollback could bring it back without its
 * insertion, it makes room.  Otherwise rounds of claims that are taken back
 * could fill all.
 */
static void
drop_waiting(Waiting *waiting)
{
	SubTransactionId mine = GetCurrentSubTransactionId();

	waiting->done_by = mine;
	if (waiting->made_by != mine)
		return;
	free_waiting(waiting);
	nwaiting--;
	memmove(waiting, waiting + 1,
			(all_waiting + nwaiting - waiting) * sizeof(Waiting));
}

static void
free_waiting(Waiting *waiting)
{
	pfree(waiting->key.pk);
	if (waiting->key.sk != NULL)
		pfree(waiting->key.sk);
	pfree(waiting->item);
}

static void
append_waiting(Waiting *waiting)
{
	const TableDef *def = schema_find_relation(waiting->table);

	if (def != NULL)
		append(def, waiting->place, &waiting->key, NULL, waiting->item, false);
	waiting->done_by = GetCurrentSubTransactionId();
}

/*
 * At the end of the transaction, when no statement's snapshot is left: a long item
 * is stored by heap's TOAST, which wants one.
 */
static void
append_all_waiting(void)
{
	if (nwaiting == 0)
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	for (int i = 0; i < nwaiting; i++)
	{
		if (all_waiting[i].done_by == InvalidSubTransactionId)
			append_waiting(&all_waiting[i]);
	}
	PopActiveSnapshot();
}

static void
forget_waiting(void)
{
	nwaiting = 0;
	if (waiting_context != NULL)
		MemoryContextDelete(waiting_context);
	waiting_context = NULL;
	all_waiting = NULL;
}

static void
transaction_event(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			append_all_waiting();
			forget_waiting();
			break;
		case XACT_EVENT_ABORT:
			/* Its memory goes with the transaction's. */
			nwaiting = 0;
			waiting_context = NULL;
			all_waiting = NULL;
			break;
		default:
			break;
	}
}

/*
 * What an aborted subtransaction did is undone; what others did is their
 * parents'.  What one has made and done is forgotten: a rollback would undo both.
 */
static void
subtransaction_event(SubXactEvent event, SubTransactionId mine,
					 SubTransactionId parent, void *arg)
{
	int			left = 0;

	if (event != SUBXACT_EVENT_COMMIT_SUB && event != SUBXACT_EVENT_ABORT_SUB)
		return;
	for (int i = 0; i < nwaiting; i++)
	{
		Waiting    *waiting = &all_waiting[i];

		if (event == SUBXACT_EVENT_COMMIT_SUB)
		{
			if (waiting->made_by == mine)
				waiting->made_by = parent;
			if (waiting->done_by == mine)
				waiting->done_by = parent;
			if (waiting->done_by == waiting->made_by)
			{
				free_waiting(waiting);
				continue;
			}
		}
		else if (waiting->made_by == mine)
		{
			free_waiting(waiting);
			continue;
		}
		else if (waiting->done_by == mine)
			waiting->done_by = InvalidSubTransactionId;
		if (left != i)
			all_waiting[left] = *waiting;
		left++;
	}
	nwaiting = left;
}
