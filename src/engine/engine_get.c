/*-------------------------------------------------------------------------
 *
 * engine_get.c
 *	  Reading single items.
 *
 * Reads use the active snapshot if there is one, or else a STABLE function
 * would not see what its statement sees.  Without one they take their own: see
 * engine.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

EngineExplain engine_explain = NULL;

static bool push_read_snapshot(void);

/*
 * The item with this key in the current context, NULL when there is none.
 */
const Item *
engine_get(EngineTable *table, const EngineKey *key)
{
	EngineGet	get = {table, key, NULL};

	engine_use_shard(table, PointerGetDatum(key->pk));
	engine_transact_get(&get, 1);
	return get.item;
}

/*
 * Several items of one or more tables, all as of one moment.
 */
void
engine_transact_get(EngineGet *gets, int n)
{
	bool		pushed;

	for (int i = 0; engine_explain != NULL && i < n; i++)
	{
		engine_explain(gets[i].table, "Get", gets[i].key, NULL);
		gets[i].item = NULL;
	}
	if (engine_explain != NULL)
		return;
	pushed = push_read_snapshot();
	for (int i = 0; i < n; i++)
	{
		EngineRow	row;

		CHECK_FOR_INTERRUPTS();
		engine_use_key(gets[i].table, &gets[i].key->hash);
		gets[i].table->store->fetch(gets[i].table, gets[i].key, &row);
		gets[i].item = row.item;
	}
	if (pushed)
		PopActiveSnapshot();
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
