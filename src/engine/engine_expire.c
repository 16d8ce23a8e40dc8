/*-------------------------------------------------------------------------
 *
 * engine_expire.c
 *	  Deleting items whose time to live is over.
 *
 * Expired items are found by an index on the expiry that the table has while
 * time to live is on, in the order in which they expired.  What the scan says
 * is only a hint: each item is deleted by a write of its own, whose condition
 * tests the expiry of the version it deletes, so that an item that was updated
 * meanwhile is kept if it has got more time.
 *
 * Nobody waits for an expired item to go, so we wait for nobody: a row that
 * another transaction has locked or is changing is left for the next search.
 *
 * AWS deletes items up to five years after their expiry.  An older expiry is
 * taken for a mistake, and the item stays.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define OLDEST_EXPIRY	(INT64CONST(157788000)) /* five years, in seconds */

static void check_index(const EngineTable *table);
static int64 delete_expired(EngineTable *table, int64 max_items,
							int64 end, EngineExpiry *from, int64 now);
static ExprCondition *expiry_condition(EngineTable *table, int64 now);
static EngineCursor *begin_scan(EngineTable *table, const EngineExpiry *from,
								int64 now, Snapshot snapshot);
static bool delete_item(EngineTable *table, const TableKey *key,
						const Item *item, const ExprCondition *condition);

/*
 * Delete what has expired, in the current transaction: see engine.h for the
 * arguments.  Times are seconds since 1970, as items have them.
 *
 * Rows are deleted in the order of their expiry, not of key_lock_order().  That
 * cannot deadlock: with no_wait set we hold rows of the table, but wait for
 * none.  Others may wait for ours, up to our commit.
 *
 * The trigger that records changes for plain SQL is told that the service
 * deletes; what was told before is told again at the end, also after an error,
 * because a trigger of the user's may have called us in the midst of another
 * sweep.
 */
int64
engine_expire(EngineTable *table, int64 max_items, int64 end,
			  EngineExpiry *from)
{
	Oid			outer;			/* not InvalidOid: a trigger has called us */
	int64		now;
	volatile int64 deleted = 0;

	engine_check_read(table);
	check_index(table);
	if (!OidIsValid(table->def->ttl_relid))
		return 0;
	now = timestamptz_to_time_t(GetCurrentTimestamp());
	if (from->expiry < now - OLDEST_EXPIRY)
	{
		from->expiry = now - OLDEST_EXPIRY;
		from->hash = PG_INT32_MIN;
	}

	/*
	 * Otherwise a batch would wait with all the rows it has deleted, and
	 * everybody else behind them.  After an error the table is not used any
	 * more, so only success sets it back.
	 */
	table->no_wait = true;
	outer = stream_capture_serve(table->def->relid);
	PG_TRY();
	{
		deleted = delete_expired(table, max_items, end, from, now);
	}
	PG_FINALLY();
	{
		(void) stream_capture_serve(outer);
	}
	PG_END_TRY();
	table->no_wait = false;
	stats_ttl_deleted(table->def->stats, deleted);
	return deleted;
}

/*
 * That the index is missing may be for a while.  That another one has its name
 * is not.
 */
static void
check_index(const EngineTable *table)
{
	if (!OidIsValid(table->def->ttl_relid) && table->def->ttl_taken)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("expired items of table \"%s\" cannot be found: another index has the name of theirs",
						table->def->name),
				 errdetail("The one on relation \"%s\" is not what the definition asks for.",
						   RelationGetRelationName(table->rel)),
				 errhint("Rename or drop it.")));
}

/*
 * The loop.  Three contexts: what the scan needs, what one item needs, and the
 * caller's, in which nothing is left.
 */
static int64
delete_expired(EngineTable *table, int64 max_items, int64 end,
			   EngineExpiry *from, int64 now)
{
	const char *attribute = table->def->ttl_attribute;
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "dynamo expiry",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext each = AllocSetContextCreate(caller, "dynamo expired item",
											   ALLOCSET_DEFAULT_SIZES);
	ExprCondition *condition;
	Snapshot	snapshot;
	EngineCursor *cursor;
	const EngineStore *reads;
	const Item *item;
	int64		deleted = 0;

	MemoryContextSwitchTo(context);
	condition = expiry_condition(table, now);
	CommandCounterIncrement();
	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	cursor = begin_scan(table, from, now, snapshot);
	reads = table->store;		/* a deletion may take the other one */
	while (deleted < max_items && dynamo_clock() < end &&
		   (item = reads->next(cursor, 0, each)) != NULL)
	{
		TableKey   *key;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(each);
		key = key_stored(table->def, item);

		/*
		 * Where the next batch begins.  From the start it would read, while
		 * vacuum cannot clean up, all the entries of what this one deletes.
		 */
		(void) item_expiry(item, attribute, strlen(attribute), &from->expiry);
		from->hash = key_tie_breaker(key);
		if (delete_item(table, key, item, condition))
			deleted++;
		MemoryContextSwitchTo(context);
		MemoryContextReset(each);
	}
	reads->end(cursor);
	UnregisterSnapshot(snapshot);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(each);
	MemoryContextDelete(context);
	return deleted;
}

/*
 * What must hold of the version that is deleted: otherwise an item that was
 * given more time after the scan read it would go.
 */
static ExprCondition *
expiry_condition(EngineTable *table, int64 now)
{
	const char *attribute = table->def->ttl_attribute;
	ItemValue	oldest = item_number_from_int64(now - OLDEST_EXPIRY);
	ItemValue	newest = item_number_from_int64(now);
	ExprLegacyCondition conditions[] = {
		{attribute, EXPR_LEGACY_GE, 1, &oldest},
		{attribute, EXPR_LEGACY_LT, 1, &newest},
	};

	return expr_legacy_condition(lengthof(conditions), conditions, false);
}

/*
 * A scan of what has expired, beginning with "from": (expiry, hash) >= from and
 * expiry < now.  Several items may have the expiry and hash of "from", and not
 * all of them may have been met: so it is read again.
 */
static EngineCursor *
begin_scan(EngineTable *table, const EngineExpiry *from, int64 now,
		   Snapshot snapshot)
{
	EngineRange *range = palloc0(sizeof(EngineRange));
	EngineBound *low = &range->bounds[0];
	EngineBound *high = &range->bounds[1];

	range->expiry = true;
	range->nbounds = 2;
	low->column = 1;
	low->compare = BTGreaterEqualStrategyNumber;
	low->nvalues = 2;
	low->values[0] = Int64GetDatum(from->expiry);
	low->values[1] = Int32GetDatum(from->hash);
	high->column = 1;
	high->compare = BTLessStrategyNumber;
	high->nvalues = 1;
	high->values[0] = Int64GetDatum(now);
	return engine_begin(table, range, snapshot);
}

/*
 * Delete an item if it is still expired, by a write with a snapshot of its own.
 * The scan's snapshot is older, so what the scan has read may be gone, or may
 * have got more time: the condition is tested on the version that is deleted.
 * True only if it is really gone.  Otherwise a trigger that refuses would keep a
 * sweep by batches running for ever.
 */
static bool
delete_item(EngineTable *table, const TableKey *key, const Item *item,
			const ExprCondition *condition)
{
	EngineWrite write = {
		.action = ENGINE_DELETE,
		.table = table,
		.key = key,
		.item = key_as_item(table->def, NULL, item),
		.condition = condition,
		.service = true,
	};

	engine_write(&write);
	return !write.left && !write.condition_failed && write.old_item != NULL;
}
