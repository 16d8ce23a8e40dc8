/*-------------------------------------------------------------------------
 *
 * engine_write.c
 *	  One write: find the item, test the condition, apply.
 *
 * An attempt takes a new snapshot, finds the item under it, decides on that
 * version and stores the outcome only if that version is still the newest;
 * otherwise all begins anew:
 *
 *		fetch -> decide -> update     the version has not changed: done
 *							  \.....  it has: lock the newest, decide again
 *			  -> decide -> insert	  nobody else inserts this key: done
 *							  \.....  somebody does: wait, begin anew
 *
 * So most writes lock nothing beforehand, contention is never an error in
 * READ COMMITTED, no update is lost, and a condition is judged by the version
 * that is replaced.  A condition that fails fails as of the snapshot.  After
 * one lost race the row is locked first: waiting in line for the lock, a
 * writer gets its turn however many there are.  In REPEATABLE READ and above
 * the store raises SQLSTATE 40001 when the newest version is not in the
 * snapshot.
 *
 * Nothing is held while expressions are evaluated, except the row's lock
 * after a lost race.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static bool write_once(EngineWrite *write, bool locked);

/*
 * Do one write; what came of it stands in its out members.  Everything is
 * allocated below the current context.  A caller that does several in one
 * transaction does them in the order of key_lock_order(); otherwise two callers
 * could wait for each other.
 *
 * Raises ValidationException (sizes, keys, operands), AccessDeniedException,
 * 40001 in REPEATABLE READ and above, 55P03 after lock_timeout, and whatever
 * the user's triggers and constraints raise.  A failed condition is no error.
 *
 * A lost race leaves nothing that anybody sees: the store has withdrawn its row,
 * or has refused before it wrote.  So a new attempt needs no subtransaction.
 * It is needed only if somebody else has changed the item and committed, or
 * inserts or deletes it at this time.
 */
void
engine_write(EngineWrite *write)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext retry = NULL;
	bool		locked;
	bool		done;

	engine_use_key(write->table, &write->key->hash);

	/* On another node: nothing has been done here, and nothing will be. */
	if (!engine_use_shard(write->table, PointerGetDatum(write->key->pk)))
		return;
	locked = !write->table->store->optimistic;
	engine_prepare(write);
	if (engine_explain(write->table) != NULL)
	{
		engine_explain_write(write);
		return;
	}

	engine_hold_shard(write->table, write->key);

	/*
	 * Before the snapshot and again at the end: otherwise two calls in one
	 * statement would not see each other.
	 */
	CommandCounterIncrement();
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		PushActiveSnapshot(GetTransactionSnapshot());
		done = write_once(write, locked);
		PopActiveSnapshot();
		write->left = !done && write->table->no_wait;
		if (done || write->left)
			break;

		/* However many tries it takes, memory stays flat. */
		locked = true;
		if (retry == NULL)
			retry = AllocSetContextCreate(caller, "dynamo write retry",
										  ALLOCSET_DEFAULT_SIZES);
		MemoryContextReset(retry);
		MemoryContextSwitchTo(retry);
	}
	if (write->left)
		write->new_item = write->old_item;
	dynamo_answer_asks(InvalidXLogRecPtr);
	engine_hide(write);
	MemoryContextSwitchTo(caller);
	CommandCounterIncrement();
}

/*
 * Tell of a write instead of doing it.
 */
void
engine_explain_write(const EngineWrite *write)
{
	static const char *const actions[] = {
		[ENGINE_PUT] = "Put",
		[ENGINE_UPDATE] = "Update",
		[ENGINE_DELETE] = "Delete",
		[ENGINE_CHECK] = "ConditionCheck"
	};
	EngineExplain *explain = engine_explain(write->table);

	explain->item(explain, write->table, actions[write->action], write->key,
				  write->action == ENGINE_PUT ? write->item : NULL);
}

/*
 * What can be refused before the item is looked for, and so before any lock on
 * a row: a right that is missing, a new item that is too large.  What depends
 * on the item that is there, engine_decide() refuses.
 */
void
engine_prepare(EngineWrite *write)
{
	engine_check_write(write);
	if (write->action == ENGINE_PUT)
		item_check_size(write->item, ITEM_TOO_LARGE);
}

/*
 * What becomes of the item: sets the out members.  new_item is old_item when
 * nothing is to be done.  Pure: may be called inside PG_TRY.
 *
 * Called anew for each version that is met, so nothing of an earlier decision
 * is left in the out members.
 */
void
engine_decide(EngineWrite *write, const Item *old_item)
{
	write->old_item = old_item;
	write->new_item = old_item;
	write->condition_failed = (write->condition != NULL &&
							   !expr_test(write->condition, old_item)) ||
		(write->admits != NULL &&
		 !write->admits(write->admits_arg, old_item));
	if (write->condition_failed)
		return;

	switch (write->action)
	{
		case ENGINE_PUT:
			write->new_item = write->item;
			break;
		case ENGINE_UPDATE:
			if (write->update == NULL)
				write->new_item = old_item ? old_item : write->item;
			else
			{
				write->new_item = expr_update(write->update, old_item,
											  write->item);
				if (write->new_item == NULL)
					break;
				item_check_size(write->new_item, ITEM_TOO_LARGE_UPDATED);
				key_check_updated(write->table->def, write->update,
								  write->new_item);
			}
			break;
		case ENGINE_DELETE:
			write->new_item = NULL;
			break;
		case ENGINE_CHECK:
			break;
	}
}

/*
 * One attempt under the active snapshot; false: try again.  The store refuses
 * if "row" is no longer the newest version.  Otherwise an update would be lost,
 * or a condition hold for an item that is gone.
 *
 * With "locked" the row's newest version is locked first, and the decision is
 * about that one.  It cannot change until we commit, so the store's update or
 * removal cannot fail any more.  An item that is missing cannot be locked: the
 * insertion finds out.
 *
 * Where nothing is to be done (a condition that fails, a delete of a missing
 * item), nothing is written and the snapshot's version is what is told.  By the
 * time of the answer there may be a newer one; so it may be after any answer.
 *
 * The record of a stream or the journal is written last, while the row is held
 * by our write: so records of one item have numbers in the order of its
 * changes (../stream/stream_append.c).
 */
static bool
write_once(EngineWrite *write, bool locked)
{
	const EngineStore *store = write->table->store;
	EngineRow	row = {0};
	bool		stored;

	store->fetch(write->table, write->key, &row);
	if (row.item != NULL && locked &&
		!store->lock(write->table, write->key,
					 write->action == ENGINE_DELETE ? ENGINE_LOCK_DELETE :
					 ENGINE_LOCK_UPDATE, &row))
		return false;
	engine_decide(write, row.item);
	if (write->new_item == write->old_item)
		stored = true;
	else if (write->old_item == NULL)
		stored = store->insert(write->table, write->key, write->new_item, &row);
	else if (write->new_item == NULL)
		stored = store->remove(write->table, write->key, &row);
	else
	{
		row.update = write->update;
		stored = store->update(write->table, write->key, &row, write->new_item);
	}
	if (!stored)
		return false;
	if (row.stored != NULL)
		write->new_item = row.stored;
	engine_capture_write(write);
	return true;
}

/*
 * Record what a write has done, if that is left to the engine: by the local
 * store, where the executor would have fired the trigger.  In the transaction
 * of the write, so a crash leaves both or neither.
 */
void
engine_capture_write(const EngineWrite *write)
{
	const EngineTable *table = write->table;

	if (table->captures)
		stream_capture_change(table->def, write->key->pk, write->old_item, write->new_item,
							  write->service);
}
