/*-------------------------------------------------------------------------
 *
 * engine_get.c
 *	  Reading single items.
 *
 * Reads use the active snapshot if there is one, and else take one of their
 * own: see engine.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "utils/snapmgr.h"

static bool push_read_snapshot(void);

/*
 * The item with this key in the current context, NULL when there is none.
 */
Item *
engine_get(EngineTable *table, const EngineKey *key)
{
	Item	   *item;

	engine_transact_get(&table, unconstify(EngineKey **, &key), 1, &item);
	return item;
}

/*
 * Several items of one or more tables, all as of one moment.
 */
void
engine_transact_get(EngineTable **tables, EngineKey **keys, int n,
					Item **items)
{
	bool		pushed = push_read_snapshot();

	for (int i = 0; i < n; i++)
	{
		EngineRow	row;

		tables[i]->store->fetch(tables[i], keys[i], &row);
		items[i] = unconstify(Item *, row.item);
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
