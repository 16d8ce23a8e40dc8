/*-------------------------------------------------------------------------
 *
 * engine_transact.c
 *	  Several writes, all or none.
 *
 * A round has two halves, and rounds are repeated until one gets through:
 *
 *	judge	All items are fetched under one snapshot, all conditions tested and
 *			all outcomes computed.  If any fails, that is the result: reasons
 *			as of one moment, no lock taken and nothing written.
 *
 *	claim	In the order of key_lock_order(), each item is made ours until
 *			the transaction ends: an existing row by its row lock, a missing
 *			one by inserting it.  Where nothing is to be inserted (a
 *			check or a delete of a missing item) a placeholder of the bare key
 *			is, and deleted again below.  If an item is not as it was judged,
 *			the round's inserts are deleted and the next round begins.
 *
 * Then everything is applied to the claimed rows; nobody can get in the way.
 *
 * No lost update, no lost condition: what is applied was computed from the
 * version that is locked, for lock() reports a newer one, and from the claim
 * to the commit nobody changes it.  All items are held at the moment the last
 * of them is claimed; the transaction happens at that moment.
 *
 * No phantom: a missing item that we rely on stays missing, because our index
 * entry makes everybody else who inserts that key wait, plain SQL included.
 * If somebody inserted an item that we found missing, insert() finds it.
 *
 * No deadlock between two of these: each waits for an item only while it holds
 * smaller ones, and never returns to smaller ones.  A row lock is kept until
 * the transaction ends.  So is an inserted key after its row is deleted in the
 * next round: another insert of that key sees a row of a transaction in
 * progress and waits.  So the next round already owns everything up to the
 * item where the last one stopped, and does not wait there.  Nobody asks for a
 * stronger lock on an item than the one already held, since no item comes
 * twice.  A single write holds nothing while it waits.  Cycles remain possible
 * through other work in the same transaction, and through unique indexes that
 * a user adds; PostgreSQL detects them.
 *
 * Rounds end: a round fails only if another transaction has committed a change
 * to an item not yet claimed, and then that item is the next to be claimed.
 *
 * In REPEATABLE READ and above a claim that finds a newer version raises
 * SQLSTATE 40001.
 *
 * The SPI store cannot undo an insert that triggers have seen.  So it claims
 * in a subtransaction.  The rollback of a failed round releases all its locks
 * and undoes all its inserts, and the next round starts with nothing held.  If
 * it cannot make placeholders, either, a condition that an item is missing
 * holds only at the time of its test.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define MANY_ROUNDS		1000	/* only a trigger fails so many in a row */

/* One of the writes, in key order. */
typedef struct Action
{
	EngineWrite *write;
	EngineReason *reason;
	EngineRow	row;
	bool		inserted;		/* claimed by inserting */
	bool		placeholder;	/* claimed by a bare key, to be deleted again */
} Action;

/* All items of a transaction are to be made ours. */
typedef struct Claims
{
	Action	   *actions;
	int			nactions;
	bool		made;			/* out */
} Claims;

static bool use_stores(EngineWrite **writes, int nwrites);
static Action *order_actions(EngineWrite **writes, int nwrites,
							 EngineReason *reasons);
static int	action_order(const void *a, const void *b);
static bool judge_all(Action *actions, int nactions);
static bool judge(Action *action);
static void decide_or_note(Action *action);
static bool claim_or_release(Action *actions, int nactions);
static bool claim_or_undo(void *arg);
static bool claim_all(Action *actions, int nactions);
static void mark(Action *action, bool at_work);
static bool claim_item(Action *action);
static EngineLock lock_purpose(EngineAction action);
static void undo(Action *actions, int nactions);
static void apply_all(Action *actions, int nactions);
static bool apply_action(Action *action);

/*
 * Do all writes or none.  Their tables are open, each once, for the actions
 * that are done to them; no item comes twice; "reasons" has room for a reason
 * a write.  What is returned lives in a context below the current one, as long
 * as that.  False: nothing was written and no lock on a row is held, or at most
 * those of earlier rounds, and the reasons are complete.
 *
 * Raises what engine_write() does.  If the error is a lost race or a deadlock,
 * reasons[] says at which item (mark()).  A crash, or an error, leaves nothing:
 * all is one transaction, and the claims are rows and row locks of it.
 */
bool
engine_transact_write(EngineWrite **writes, int nwrites,
					  EngineReason *reasons)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext round = AllocSetContextCreate(caller, "dynamo transaction",
												ALLOCSET_DEFAULT_SIZES);
	Action	   *actions = order_actions(writes, nwrites, reasons);
	bool		undoes;
	bool		passed;
	bool		claimed;
	int			rounds = 0;

	undoes = use_stores(writes, nwrites);
	for (int i = 0; i < nwrites; i++)
		engine_prepare(writes[i]);
	if (engine_explain(writes[0]->table) != NULL)
	{
		for (int i = 0; i < nwrites; i++)
			engine_explain_write(writes[i]);
		return true;
	}

	/* Before any row is locked: otherwise a move could come in between. */
	for (int i = 0; i < nwrites; i++)
		engine_hold_shard(writes[i]->table, writes[i]->key);
	CommandCounterIncrement();
	MemoryContextSwitchTo(round);
	do
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(round);
		PushActiveSnapshot(GetTransactionSnapshot());
		passed = judge_all(actions, nwrites);
		claimed = passed && (undoes ? claim_all(actions, nwrites) :
							 claim_or_release(actions, nwrites));
		PopActiveSnapshot();
		CommandCounterIncrement();
		if (passed && !claimed && undoes)
			undo(actions, nwrites);
		else if (passed && !claimed && ++rounds == MANY_ROUNDS)
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not serialize access due to concurrent update"),
					 errhint("A trigger may change an item each time that another action of the transaction is about.")));
	} while (passed && !claimed);

	/* All are claimed.  Otherwise one could fail after others are written. */
	if (passed)
		apply_all(actions, nwrites);
	dynamo_answer_asks(InvalidXLogRecPtr);
	for (int i = 0; i < nwrites; i++)
		engine_hide(writes[i]);
	MemoryContextSwitchTo(caller);
	return passed;
}

/*
 * One store serves all writes.  Where grants of partition keys decide
 * (engine_privilege.c), one key that is not granted brings its table to the SPI
 * store; and one table that is there brings all others, whose items its triggers
 * may change.  True: a failed round can be undone.
 */
static bool
use_stores(EngineWrite **writes, int nwrites)
{
	bool		undoes = true;

	for (int i = 0; i < nwrites; i++)
		engine_use_key(writes[i]->table, &writes[i]->key->hash);
	for (int i = 0; i < nwrites; i++)
	{
		if (writes[i]->table->leading != NIL &&
			!engine_leads(writes[i]->table, &writes[i]->key->hash))
			engine_use_store(writes[i]->table, false);
		undoes = undoes && writes[i]->table->store->undoes;
	}
	for (int i = 0; i < nwrites && !undoes; i++)
		engine_use_store(writes[i]->table, false);
	return undoes;
}

/*
 * The writes in the order of their claims; reasons stay in the request's.
 */
static Action *
order_actions(EngineWrite **writes, int nwrites, EngineReason *reasons)
{
	Action	   *actions = palloc0(sizeof(Action) * Max(nwrites, 1));

	for (int i = 0; i < nwrites; i++)
	{
		actions[i].write = writes[i];
		actions[i].reason = &reasons[i];
	}
	qsort(actions, nwrites, sizeof(Action), action_order);
	return actions;
}

static int
action_order(const void *a, const void *b)
{
	const EngineWrite *left = ((const Action *) a)->write;
	const EngineWrite *right = ((const Action *) b)->write;

	return key_lock_order(left->table->def, left->key,
						  right->table->def, right->key);
}

/*
 * Fetch and decide all; false: the reasons say which cannot be done.
 */
static bool
judge_all(Action *actions, int nactions)
{
	bool		passed = true;

	for (int i = 0; i < nactions; i++)
		passed &= judge(&actions[i]);
	return passed;
}

/*
 * Fetch one item under the round's snapshot and decide.  False: it cannot be
 * done.  All that an earlier round has left in the action is set anew, since
 * its memory is gone.  The item goes into the reason only if the user may read
 * it.
 */
static bool
judge(Action *action)
{
	EngineWrite *write = action->write;
	EngineReason *reason = action->reason;

	action->row.stored = NULL;
	action->inserted = false;
	action->placeholder = false;
	write->table->store->fetch(write->table, write->key, &action->row);

	reason->code = "None";
	reason->message = NULL;
	reason->item = write->table->readable == ENGINE_READS_ITEM ?
		action->row.item : NULL;
	decide_or_note(action);
	if (write->condition_failed)
	{
		reason->code = "ConditionalCheckFailed";
		reason->message = "The conditional request failed";
	}
	return reason->message == NULL;
}

/*
 * Decide what the write does; if it cannot be done, make that its reason.  An
 * empty key of an index is an error of the request.  Evaluation holds nothing
 * that an error would have to release.
 */
static void
decide_or_note(Action *action)
{
	MemoryContext context = CurrentMemoryContext;

	action->write->condition_failed = false;
	PG_TRY();
	{
		engine_decide(action->write, action->row.item);
	}
	PG_CATCH();
	{
		ErrorData  *error = dynamo_caught(DYNAMO_VALIDATION, context);

		if (dynamo_breaks(error, DYNAMO_RULE_KEY_NOT_EMPTY))
			PG_RE_THROW();
		FlushErrorState();
		action->reason->code = "ValidationError";
		action->reason->message = error->message;
	}
	PG_END_TRY();
}

/*
 * Make all items ours, or keep none of them.  Otherwise the next round could
 * wait for an item that was missing in this one while it holds greater ones.
 */
static bool
claim_or_release(Action *actions, int nactions)
{
	Claims		claims = {actions, nactions, false};
	ErrorData  *error;

	for (int i = 0; i < nactions; i++)
	{
		EngineTable *table = actions[i].write->table;

		table->store->prepare(table);
	}
	error = dynamo_attempt(claim_or_undo, &claims);
	if (error)
		ReThrowError(error);
	return claims.made;
}

static bool
claim_or_undo(void *arg)
{
	Claims	   *claims = arg;

	claims->made = claim_all(claims->actions, claims->nactions);
	return claims->made;
}

/*
 * Make all items ours, in key order; false: one is not as it was judged.
 */
static bool
claim_all(Action *actions, int nactions)
{
	for (int i = 0; i < nactions; i++)
	{
		CHECK_FOR_INTERRUPTS();
		mark(&actions[i], true);
		if (!claim_item(&actions[i]))
			return false;
		mark(&actions[i], false);
	}
	return true;
}

/*
 * While something is done for an action, its reason says that it met a
 * conflict: so it does when an error ends the transaction.
 */
static void
mark(Action *action, bool at_work)
{
	action->reason->code = at_work ? "TransactionConflict" : "None";
	action->reason->message = at_work ? DYNAMO_CONFLICT : NULL;
}

/*
 * Make one item ours; false: it is not as it was judged.  We may wait here, for
 * those that hold this item, holding all smaller ones.
 *
 *		there			lock its newest version.  False if the version is another
 *						than the judged one, even if the decision would be the
 *						same: reasons and images are as of the judged one
 *		to be made		insert it, as it shall be in the end
 *		stays missing	insert a bare key
 *
 * The local store keeps a lock on a version that turned out to be newer.  The
 * next round judges that version, and nobody can have changed it by then.
 */
static bool
claim_item(Action *action)
{
	EngineWrite *write = action->write;
	const EngineStore *store = write->table->store;
	const Item *item = write->new_item;

	if (action->row.item != NULL)
		return store->lock(write->table, write->key,
						   lock_purpose(write->action), &action->row) &&
			!action->row.refreshed;

	/*
	 * A missing item that stays missing is claimed by a bare key.  Otherwise
	 * somebody could insert it before we commit.
	 */
	if (item == NULL)
	{
		EngineReserve result = store->reserve(write->table, write->key,
											  write->item, &action->row);

		action->placeholder = result == ENGINE_RESERVED;
		return result != ENGINE_TAKEN;
	}
	action->inserted = store->insert(write->table, write->key, item,
									 &action->row);
	return action->inserted;
}

/*
 * The lock that the action needs in the end: otherwise two checks of one item
 * that both go on to write it would block each other.
 */
static EngineLock
lock_purpose(EngineAction action)
{
	switch (action)
	{
		case ENGINE_CHECK:
			return ENGINE_LOCK_CHECK;
		case ENGINE_DELETE:
			return ENGINE_LOCK_DELETE;
		default:
			return ENGINE_LOCK_UPDATE;
	}
}

/*
 * Delete what a failed round has inserted, in a new command, as apply_all() does.
 * Nobody else can lock a row that only we see, so this does not wait.
 */
static void
undo(Action *actions, int nactions)
{
	PushActiveSnapshot(GetTransactionSnapshot());
	for (int i = 0; i < nactions; i++)
	{
		EngineWrite *write = actions[i].write;
		const EngineStore *store = write->table->store;

		if (actions[i].inserted)
			(void) store->remove(write->table, write->key, &actions[i].row);
		if (actions[i].placeholder)
			(void) store->release(write->table, write->key, &actions[i].row);
	}
	PopActiveSnapshot();
	CommandCounterIncrement();
}

/*
 * Do to the claimed rows what was decided, in the order of the claims.  It is a
 * new command: heap refuses to delete a row that the running command has
 * inserted, and placeholders are such rows.
 *
 * A row that cannot be written was not ours, whatever the claim said.  The
 * error undoes what has been applied so far.
 */
static void
apply_all(Action *actions, int nactions)
{
	PushActiveSnapshot(GetTransactionSnapshot());
	for (int i = 0; i < nactions; i++)
	{
		mark(&actions[i], true);
		if (!apply_action(&actions[i]))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not serialize access due to concurrent update")));
		mark(&actions[i], false);
		engine_capture_write(actions[i].write);
	}
	PopActiveSnapshot();
	CommandCounterIncrement();
}

/*
 * What is left to do for a claimed item.  An inserted one is as it shall be.
 * row.tid is good: a lock or the insertion of ours is on that version, so
 * nobody has replaced it, and vacuum leaves it alone.
 */
static bool
apply_action(Action *action)
{
	EngineWrite *write = action->write;
	const EngineStore *store = write->table->store;

	if (action->inserted)
		return true;
	if (action->placeholder)
		return store->release(write->table, write->key, &action->row);
	if (write->new_item == write->old_item)
		return true;

	/* Otherwise what a trigger of an action before did to it would be lost. */
	if (!store->undoes && !write->table->def->distributed)
	{
		if (!store->lock(write->table, write->key,
						 lock_purpose(write->action), &action->row))
			return false;
		if (action->row.refreshed)
			engine_decide(write, action->row.item);
		if (write->condition_failed)
			return false;
	}
	if (write->new_item == NULL)
		return store->remove(write->table, write->key, &action->row);
	action->row.update = write->update;
	return store->update(write->table, write->key, &action->row,
						 write->new_item);
}
