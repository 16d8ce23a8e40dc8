/*-------------------------------------------------------------------------
 *
 * engine_get.c
 *	  Reading single items.
 *
 * Reads use the active snapshot if there is one.  Otherwise a STABLE function
 * would not see what its statement sees.  Without one they take their own: see
 * engine.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

static void explain_gets(EngineGet *gets, int n);
static bool any_distributed(const EngineGet *gets, int n);
static bool push_read_snapshot(void);

/*
 * The item with this key in the current context, NULL when there is none, or
 * when the request is to be executed on another node.  The table is open for
 * reading; its lock, AccessShareLock, keeps nobody from writing.
 *
 * No row is locked and no read waits for one: what is returned is a version
 * that the snapshot sees, and by the time it is there it may have been replaced.
 */
const Item *
engine_get(EngineTable *table, const TableKey *key)
{
	EngineGet	get = {table, key, NULL};

	if (engine_use_shard(table, PointerGetDatum(key->pk)))
		(void) engine_transact_get(&get, 1);
	return get.item;
}

/*
 * Several items of one or more tables, all as of one moment: that of one
 * snapshot, which stays active over all of them.  A writer of several items
 * commits them at one moment, so all of its work is seen, or none.  Where the
 * items are on several nodes there is no such snapshot (../moment).
 *
 * What is got lives in the current context.  At least one is asked for.  False:
 * they are on several nodes.
 */
bool
engine_transact_get(EngineGet *gets, int n)
{
	EngineTable **tables = NULL;
	EngineAt	at = ENGINE_AS_OPENED;
	bool		pushed;

	if (engine_explain(gets[0].table) != NULL)
	{
		explain_gets(gets, n);
		return true;
	}
	if (any_distributed(gets, n))
	{
		at = engine_use_shards(gets, n, NULL, &tables);
		if (at == ENGINE_ELSEWHERE)
			return true;
		if (at == ENGINE_AS_OPENED && n > 1)
			return false;
	}
	pushed = push_read_snapshot();
	engine_get_all(gets, n);
	if (pushed)
		PopActiveSnapshot();
	if (at == ENGINE_AT_SHARDS)
		engine_leave_shards(gets, n, tables);
	return true;
}

/*
 * Tell of reads instead of doing them.
 */
static void
explain_gets(EngineGet *gets, int n)
{
	for (int i = 0; i < n; i++)
	{
		EngineExplain *explain = engine_explain(gets[i].table);

		explain->item(explain, gets[i].table, "Get", gets[i].key, NULL);
		gets[i].item = NULL;
	}
}

/*
 * All items, under the active snapshot, each by the store that serves its key.
 */
void
engine_get_all(EngineGet *gets, int n)
{
	for (int i = 0; i < n; i++)
	{
		EngineRow	row;

		CHECK_FOR_INTERRUPTS();
		engine_use_key(gets[i].table, &gets[i].key->hash);
		gets[i].table->store->fetch(gets[i].table, gets[i].key, &row);
		gets[i].item = row.item;
	}
}

static bool
any_distributed(const EngineGet *gets, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (engine_def(gets[i].table)->distributed)
			return true;
	}
	return false;
}

/*
 * See to it that there is an active snapshot; true: the caller must pop it.
 */
static bool
push_read_snapshot(void)
{
	if (ActiveSnapshotSet())
		return false;
	PushActiveSnapshot(GetTransactionSnapshot());
	return true;
}
