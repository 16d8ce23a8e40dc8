/*-------------------------------------------------------------------------
 *
 * moment_settled.c
 *	  Items of several nodes, by statements of Citus, one for each item.
 *
 * This is for what nodes cannot read by themselves: with tables that are not
 * distributed among them, in a transaction that has changed one of the tables,
 * where shards have something that only the executor serves, and in REPEATABLE
 * READ.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "moment/moment_internal.h"
#include "utils/snapmgr.h"

#define MANY_READINGS	100		/* others always change what is read */

static bool await_prepared(EngineGet *gets, int n);
static void get_now(EngineGet *gets, int n);
static bool same_item(const Item *a, const Item *b);

/*
 * Nodes share no snapshot: of a transaction that is committed on one node and
 * prepared on another, we could see a half.  So all is read again after what
 * was prepared meanwhile on these nodes has been committed, until two readings
 * are the same.  Whatever the first one saw of a transaction was prepared
 * everywhere by then, so the second one sees all of it.
 */
bool
moment_read_settled(EngineGet *gets, int n)
{
	const Item **before = palloc(sizeof(Item *) * n);
	bool		same = false;

	get_now(gets, n);
	for (int i = 0; !same; i++)
	{
		if (i == MANY_READINGS || !await_prepared(gets, n))
			return false;
		for (int k = 0; k < n; k++)
			before[k] = gets[k].item;
		get_now(gets, n);
		same = true;
		for (int k = 0; k < n; k++)
		{
			gets[k].contended = !same_item(before[k], gets[k].item);
			same &= !gets[k].contended;
		}
	}
	return true;
}

/*
 * Wait for the transactions that are prepared on the nodes of these items.  Each
 * node is asked once for each table.  False: it takes too long; contended are the
 * items of that table there, of which any may have been changed.  We hold no row
 * meanwhile, so no writer waits for us.
 */
static bool
await_prepared(EngineGet *gets, int n)
{
	int32	   *groups = palloc0(n * sizeof(int32));

	for (int i = 0; i < n; i++)
	{
		const TableDef *def = engine_def(gets[i].table);

		if (def->distributed)
			groups[i] = shard_group_of(def, PointerGetDatum(gets[i].key->pk));
	}
	for (int i = 0; i < n; i++)
	{
		const TableDef *def = engine_def(gets[i].table);
		int			k = 0;

		while (k < i && (engine_def(gets[k].table) != def || groups[k] != groups[i]))
			k++;
		if (!def->distributed || k < i ||
			shard_await_prepared(def, PointerGetDatum(gets[i].key->pk)))
			continue;
		for (k = 0; k < n; k++)
			gets[k].contended = engine_def(gets[k].table) == def &&
				groups[k] == groups[i];
		return false;
	}
	return true;
}

/*
 * All items by the newest snapshot that there is, also in REPEATABLE READ: two
 * readings by one snapshot are the same and tell nothing.  The snapshot is this
 * node's; statements on other nodes take their own.  In parallel mode core gives
 * a new one in READ COMMITTED alone, by the other function.
 */
static void
get_now(EngineGet *gets, int n)
{
	PushActiveSnapshot(IsInParallelMode() && !IsolationUsesXactSnapshot() ?
					   GetTransactionSnapshot() : GetLatestSnapshot());
	engine_get_all(gets, n);
	PopActiveSnapshot();
}

static bool
same_item(const Item *a, const Item *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return VARSIZE_ANY(a) == VARSIZE_ANY(b) &&
		memcmp(a, b, VARSIZE_ANY(a)) == 0;
}
