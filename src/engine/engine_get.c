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

#define MANY_READINGS	100		/* others always change what is read */

static void explain_gets(EngineGet *gets, int n);
static void get_all(EngineGet *gets, int n);
static bool any_distributed(const EngineGet *gets, int n);
static void get_settled(EngineGet *gets, int n);
static bool await_prepared(const EngineGet *gets, int n);
static void get_now(EngineGet *gets, int n);
static bool same_item(const Item *a, const Item *b);
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
		engine_transact_get(&get, 1);
	return get.item;
}

/*
 * Several items of one or more tables, all as of one moment: that of one
 * snapshot, which stays active over all of them.  A writer of several items
 * commits them at one moment, so all of its work is seen, or none.  Where the
 * items are on several nodes there is no such snapshot (get_settled()).
 *
 * What is got lives in the current context.  At least one is asked for.
 */
void
engine_transact_get(EngineGet *gets, int n)
{
	EngineTable **tables = NULL;
	EngineAt	at = ENGINE_AS_OPENED;
	bool		pushed;

	if (engine_explain(gets[0].table) != NULL)
	{
		explain_gets(gets, n);
		return;
	}
	if (any_distributed(gets, n))
	{
		at = engine_use_shards(gets, n, NULL, &tables);
		if (at == ENGINE_ELSEWHERE)
			return;
		if (at == ENGINE_AS_OPENED && n > 1)
		{
			get_settled(gets, n);
			return;
		}
	}
	pushed = push_read_snapshot();
	get_all(gets, n);
	if (pushed)
		PopActiveSnapshot();
	if (at == ENGINE_AT_SHARDS)
		engine_leave_shards(gets, n, tables);
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
static void
get_all(EngineGet *gets, int n)
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
 * Nodes share no snapshot: of a transaction that is committed on one node and
 * prepared on another, we could see a half.  So all is read again after what
 * was prepared meanwhile on these nodes has been committed, until two readings
 * are the same.  Whatever the first one saw of a transaction was prepared
 * everywhere by then, so the second one sees all of it.
 */
static void
get_settled(EngineGet *gets, int n)
{
	const Item **before = palloc(sizeof(Item *) * n);
	bool		same = false;

	get_now(gets, n);
	for (int i = 0; !same; i++)
	{
		if (i == MANY_READINGS || !await_prepared(gets, n))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not read items of several nodes as of one moment")));
		for (int k = 0; k < n; k++)
			before[k] = gets[k].item;
		get_now(gets, n);
		same = true;
		for (int k = 0; k < n && same; k++)
			same = same_item(before[k], gets[k].item);
	}
}

/*
 * Wait for the transactions that are prepared on the nodes of these items.  Each
 * node is asked once for each table.  False: it takes too long.  We hold no row
 * meanwhile, so no writer waits for us.
 */
static bool
await_prepared(const EngineGet *gets, int n)
{
	int32	   *groups = palloc(n * sizeof(int32));

	for (int i = 0; i < n; i++)
	{
		const TableDef *def = engine_def(gets[i].table);
		Datum		pk = PointerGetDatum(gets[i].key->pk);
		int			k;

		if (!def->distributed)
			continue;
		groups[i] = shard_group_of(def, pk);
		for (k = 0; k < i; k++)
		{
			if (engine_def(gets[k].table) == def && groups[k] == groups[i])
				break;
		}
		if (k == i && !shard_await_prepared(def, pk))
			return false;
	}
	return true;
}

/*
 * All items by the newest snapshot that there is, also in REPEATABLE READ: two
 * readings by one snapshot are the same and tell nothing.  The snapshot is this
 * node's; statements on other nodes take their own.
 */
static void
get_now(EngineGet *gets, int n)
{
	PushActiveSnapshot(GetLatestSnapshot());
	get_all(gets, n);
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
