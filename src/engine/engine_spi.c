/*-------------------------------------------------------------------------
 *
 * engine_spi.c
 *	  The item store for relations that need the planner and the executor:
 *	  with row-level security, triggers, rules, constraints or columns of the
 *	  user's, partitioned or inherited.
 *
 * Plain SQL does the work, so all of that takes effect.  A row hidden by a
 * policy is missing; what a policy forbids raises AccessDeniedException.
 *
 * Unlike the local store, this one cannot tell by itself that a row has
 * changed since it was fetched, so rows are locked before they are written,
 * and writing needs the SELECT privilege, too.  Statements on one row are
 * prepared once in a session; a plan goes by its relation, and is made anew
 * when its text is no longer the same (somebody has renamed something).
 *
 * A statement that does nothing may have lost a race or been stopped by a
 * policy or a BEFORE trigger, and does not say which.  So an INSERT is
 * repeated without ON CONFLICT, and a row is looked for, or locked, as the
 * relation's owner, whom policies do not bind, or else a refusal would be
 * repeated for ever, or a write that lost a race be lost.  One case is left: a
 * trigger that stores the item under another key, which is taken, looks like a
 * rival that always comes and goes.  We count refusals.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_watch.h"
#include "engine/engine_internal.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define MANY_PLANS	128			/* worth a look which are of use still */
#define MANY_REFUSALS	100		/* no race is lost so often in a row */

typedef enum Statement
{
	FETCH,
	LOCK_CHECK,
	LOCK_UPDATE,
	LOCK_DELETE,
	LOCK_EXPIRED,
	OWNER_FETCH,				/* plans of their own: no policy is in them */
	OWNER_LOCK,
	INSERT,
	INSERT_AGAIN,				/* a conflict is an error */
	UPDATE,
	DELETE
} Statement;

static const char *const lock_clauses[] = {
	[FETCH] = "",
	[LOCK_CHECK] = " FOR SHARE",
	[LOCK_UPDATE] = " FOR NO KEY UPDATE",
	[LOCK_DELETE] = " FOR UPDATE",
	[LOCK_EXPIRED] = " FOR UPDATE SKIP LOCKED",
	[OWNER_FETCH] = "",
	[OWNER_LOCK] = " FOR UPDATE",
};

/* A prepared statement. */
typedef struct PlanKey
{
	Oid			relid;
	Statement	statement;
} PlanKey;

typedef struct PlanEntry
{
	PlanKey		key;			/* hash key */
	char	   *sql;			/* NULL: none yet */
	SPIPlanPtr	plan;
} PlanEntry;

/* An insert that is to fail where it inserts nothing. */
typedef struct Insertion
{
	EngineTable *table;
	const EngineKey *key;
	const Item *item;
	EngineRow  *row;
} Insertion;

static void spi_fetch(EngineTable *table, const EngineKey *key,
					  EngineRow *row);
static bool spi_lock(EngineTable *table, const EngineKey *key,
					 EngineLock purpose, EngineRow *row);
static bool spi_insert(EngineTable *table, const EngineKey *key,
					   const Item *item, EngineRow *row);
static bool spi_update(EngineTable *table, const EngineKey *key,
					   EngineRow *row, const Item *item);
static bool spi_remove(EngineTable *table, const EngineKey *key,
					   EngineRow *row);
static EngineReserve spi_reserve(EngineTable *table, const EngineKey *key,
								 const Item *item, EngineRow *row);
static bool spi_release(EngineTable *table, const EngineKey *key,
						EngineRow *row);
static void spi_prepare(EngineTable *table);
static void spi_close(EngineTable *table);
static const Item *lock_held(EngineTable *table, const EngineKey *key,
							 Statement statement);
static bool insert_again(EngineTable *table, const EngineKey *key,
						 const Item *item, EngineRow *row);
static bool insert_or_fail(void *arg);
static bool is_hidden(EngineTable *table, const EngineKey *key);
static bool is_there(EngineTable *table, const EngineKey *key);
static bool finds(EngineTable *table, Statement statement,
				  const EngineKey *key);
static bool owner_finds(EngineTable *table, Statement statement,
						const EngineKey *key);
static const Item *run(EngineTable *table, Statement statement,
					   const EngineKey *key, const Item *item,
					   bool *processed);
static bool inserts(Statement statement);
static SPIPlanPtr plan_for(EngineTable *table, Statement statement);
static void forget_plans(void);
static void free_plan(PlanEntry *entry);
static char *statement_text(EngineTable *table, Statement statement);
static SPIPlanPtr prepare(EngineTable *table, Statement statement,
						  const char *sql);

const EngineStore engine_spi_store = {
	.optimistic = false,
	.undoes = false,
	.fetch = spi_fetch,
	.lock = spi_lock,
	.insert = spi_insert,
	.update = spi_update,
	.remove = spi_remove,
	.reserve = spi_reserve,
	.release = spi_release,
	.prepare = spi_prepare,
	.begin = engine_spi_begin,
	.next = engine_spi_next,
	.end = engine_spi_end,
	.close = spi_close,
};

static HTAB *plans = NULL;

static void
spi_fetch(EngineTable *table, const EngineKey *key, EngineRow *row)
{
	bool		found;

	row->item = run(table, FETCH, key, NULL, &found);
	row->refreshed = false;
}

static bool
spi_lock(EngineTable *table, const EngineKey *key, EngineLock purpose,
		 EngineRow *row)
{
	Statement	statement = table->no_wait ? LOCK_EXPIRED :
		LOCK_CHECK + purpose;
	bool		found;
	const Item *item = run(table, statement, key, NULL, &found);

	if (!found && !table->no_wait && table->rel->rd_rel->relrowsecurity)
		item = lock_held(table, key, statement);
	if (item == NULL)
		return false;
	row->refreshed = VARSIZE_ANY(item) != VARSIZE_ANY(row->item) ||
		memcmp(item, row->item, VARSIZE_ANY(item)) != 0;
	row->item = item;
	return true;
}

/*
 * A row that we want to lock is not there: it is gone, or a policy hides it.
 * When the owner holds it, it cannot go.  NULL: it is gone, for us at least.
 */
static const Item *
lock_held(EngineTable *table, const EngineKey *key, Statement statement)
{
	const Item *item;
	bool		found;

	if (!owner_finds(table, OWNER_LOCK, key))
		return NULL;
	item = run(table, statement, key, NULL, &found);
	if (found)
		return item;
	PushActiveSnapshot(GetLatestSnapshot());
	if (finds(table, FETCH, key))
		engine_deny(table, NULL);
	PopActiveSnapshot();
	return NULL;
}

static bool
spi_insert(EngineTable *table, const EngineKey *key, const Item *item,
		   EngineRow *row)
{
	bool		done;

	row->stored = run(table, INSERT, key, item, &done);
	done = done || insert_again(table, key, item, row);
	if (done)
		table->refusals = 0;
	return done;
}

/*
 * Nothing was inserted: somebody has the key, which is an error this time, or
 * a trigger says no.  That is its right, and no error in SQL either.
 */
static bool
insert_again(EngineTable *table, const EngineKey *key, const Item *item,
			 EngineRow *row)
{
	Insertion	insertion = {table, key, item, row};
	ErrorData  *error = dynamo_attempt(insert_or_fail, &insertion);

	if (error == NULL)
		return true;
	if (error->sqlerrcode != ERRCODE_UNIQUE_VIOLATION)
		ReThrowError(error);
	if (is_hidden(table, key))
		engine_deny(table, NULL);
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update")));
	if (!is_there(table, key) && ++table->refusals >= MANY_REFUSALS)
		ReThrowError(error);
	return false;
}

static bool
insert_or_fail(void *arg)
{
	Insertion  *insertion = arg;
	bool		done;

	insertion->row->stored = run(insertion->table, INSERT_AGAIN,
								 insertion->key, insertion->item, &done);
	return true;
}

/*
 * Is there a row with this key that a policy hides?
 */
static bool
is_hidden(EngineTable *table, const EngineKey *key)
{
	bool		hidden;

	if (!table->rel->rd_rel->relrowsecurity)
		return false;
	PushActiveSnapshot(GetLatestSnapshot());
	hidden = owner_finds(table, OWNER_FETCH, key) &&
		!finds(table, FETCH, key);
	PopActiveSnapshot();
	return hidden;
}

/*
 * Is there a row with this key, visible to us or not?
 */
static bool
is_there(EngineTable *table, const EngineKey *key)
{
	bool		there;

	PushActiveSnapshot(GetLatestSnapshot());
	there = owner_finds(table, OWNER_FETCH, key);
	PopActiveSnapshot();
	return there;
}

static bool
finds(EngineTable *table, Statement statement, const EngineKey *key)
{
	bool		found;

	(void) run(table, statement, key, NULL, &found);
	return found;
}

/*
 * The same as the relation's owner, even with FORCE ROW LEVEL SECURITY.
 */
static bool
owner_finds(EngineTable *table, Statement statement, const EngineKey *key)
{
	Oid			user;
	int			security;
	bool		found;

	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(table->rel->rd_rel->relowner,
						   security | SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_NOFORCE_RLS);
	found = finds(table, statement, key);
	SetUserIdAndSecContext(user, security);
	return found;
}

static bool
spi_update(EngineTable *table, const EngineKey *key, EngineRow *row,
		   const Item *item)
{
	bool		done;

	row->stored = run(table, UPDATE, key, item, &done);
	return true;
}

static bool
spi_remove(EngineTable *table, const EngineKey *key, EngineRow *row)
{
	bool		done;

	(void) run(table, DELETE, key, NULL, &done);

	/* Expiry counts only what is gone, whatever a trigger may do. */
	return done || !table->no_wait;
}

/*
 * A bare key that is deleted again is not a row for triggers and policies to
 * judge, so it is made without SQL if the relation's rows have the form we
 * know.  An item that exists and is hidden by a policy needs no claim: for us
 * it is missing and stays so.
 */
static EngineReserve
spi_reserve(EngineTable *table, const EngineKey *key, const Item *item,
			EngineRow *row)
{
	EngineReserve result;

	if (!engine_local_shaped(table->rel, table->def))
		return ENGINE_UNRESERVED;
	result = engine_local_store.reserve(table, key, item, row);
	if (result == ENGINE_TAKEN && is_hidden(table, key))
		return ENGINE_UNRESERVED;
	return result;
}

static bool
spi_release(EngineTable *table, const EngineKey *key, EngineRow *row)
{
	return engine_local_store.release(table, key, row);
}

static void
spi_prepare(EngineTable *table)
{
	if (engine_local_shaped(table->rel, table->def))
		engine_local_store.prepare(table);
}

static void
spi_close(EngineTable *table)
{
	engine_local_store.close(table);
}

/*
 * Run a statement on the row "key".  *processed tells whether it did anything;
 * if so, the row's item is returned, in the current context.  Statements that
 * only read use the active snapshot, the others take their own.
 */
static const Item *
run(EngineTable *table, Statement statement, const EngineKey *key,
	const Item *item, bool *processed)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();
	Datum		values[3];
	Item	   *result;
	int			n = 0;

	if (!inserts(statement))
	{
		values[n++] = PointerGetDatum(key->pk);
		if (key->sk != NULL)
			values[n++] = PointerGetDatum(key->sk);
	}
	values[n++] = PointerGetDatum(item);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	dynamo_work_enter(table->def->relid, table->def->name);
	PG_TRY();
	{
		int			code = SPI_execute_plan(plan_for(table, statement),
											values, NULL,
											statement == FETCH ||
											statement == OWNER_FETCH, 0);

		if (code < 0)
			elog(ERROR, "SPI_execute_plan failed: %s",
				 SPI_result_code_string(code));
	}
	PG_CATCH();
	{
		engine_spi_rethrow(table, context, user);
	}
	PG_END_TRY();
	dynamo_work_leave();

	*processed = SPI_processed > 0;
	result = NULL;
	if (*processed)
	{
		bool		isnull;
		Datum		datum = SPI_getbinval(SPI_tuptable->vals[0],
										  SPI_tuptable->tupdesc, 1, &isnull);

		result = engine_spi_item(table, datum, isnull, context);
	}
	SPI_finish();
	return result;
}

static bool
inserts(Statement statement)
{
	return statement == INSERT || statement == INSERT_AGAIN;
}

/*
 * The prepared statement; prepared now if this session has not used it yet.
 */
static SPIPlanPtr
plan_for(EngineTable *table, Statement statement)
{
	char	   *sql = statement_text(table, statement);
	PlanEntry  *entry;
	PlanKey		key;
	bool		found;

	if (plans == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(PlanKey);
		ctl.entrysize = sizeof(PlanEntry);
		plans = hash_create("dynamo plans", 32, &ctl, HASH_ELEM | HASH_BLOBS);
	}
	memset(&key, 0, sizeof(key));
	key.relid = RelationGetRelid(table->rel);
	key.statement = statement;
	entry = hash_search(plans, &key, HASH_FIND, &found);
	if (!found)
	{
		forget_plans();
		entry = hash_search(plans, &key, HASH_ENTER, NULL);
		entry->sql = NULL;
	}

	if (entry->sql == NULL || strcmp(entry->sql, sql) != 0)
	{
		SPIPlanPtr	plan = prepare(table, statement, sql);

		free_plan(entry);
		SPI_keepplan(plan);
		entry->plan = plan;
		entry->sql = MemoryContextStrdup(TopMemoryContext, sql);
	}
	return entry->plan;
}

/*
 * If there are many plans, free those of relations that are gone, or else a
 * session that makes and drops tables would keep them all.
 */
static void
forget_plans(void)
{
	static long limit = MANY_PLANS;
	HASH_SEQ_STATUS scan;
	PlanEntry  *entry;

	if (hash_get_num_entries(plans) < limit)
		return;
	hash_seq_init(&scan, plans);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(entry->key.relid)))
			continue;
		free_plan(entry);
		hash_search(plans, &entry->key, HASH_REMOVE, NULL);
	}
	limit = Max(MANY_PLANS, 2 * hash_get_num_entries(plans));
}

static void
free_plan(PlanEntry *entry)
{
	if (entry->sql == NULL)
		return;
	SPI_freeplan(entry->plan);
	pfree(entry->sql);
	entry->sql = NULL;
}

static char *
statement_text(EngineTable *table, Statement statement)
{
	bool		range = table->def->range.name != NULL;
	const char *rel = engine_spi_relation(table);
	const char *where = range ?
		"WHERE pk" ENGINE_SPI_EQUALS "$1 AND sk" ENGINE_SPI_EQUALS "$2" :
		"WHERE pk" ENGINE_SPI_EQUALS "$1";

	switch (statement)
	{
		case INSERT:
			return psprintf("INSERT INTO %s (item) VALUES ($1) ON CONFLICT (%s) DO NOTHING RETURNING item",
							rel, range ? "pk, sk" : "pk");
		case INSERT_AGAIN:
			return psprintf("INSERT INTO %s (item) VALUES ($1) RETURNING item",
							rel);
		case UPDATE:
			return psprintf("UPDATE %s SET item = $%d %s RETURNING item",
							rel, range ? 3 : 2, where);
		case DELETE:
			return psprintf("DELETE FROM %s %s RETURNING item", rel, where);
		default:
			return psprintf("SELECT item FROM %s %s%s", rel, where,
							lock_clauses[statement]);
	}
}

static SPIPlanPtr
prepare(EngineTable *table, Statement statement, const char *sql)
{
	Oid			types[3];
	int			n = 0;
	SPIPlanPtr	plan;

	if (!inserts(statement))
	{
		types[n++] = engine_spi_type(table, SCHEMA_ATTR_PK);
		if (table->def->range.name != NULL)
			types[n++] = engine_spi_type(table, SCHEMA_ATTR_SK(table->def));
	}
	if (inserts(statement) || statement == UPDATE)
		types[n++] = engine_spi_type(table, SCHEMA_ATTR_ITEM(table->def));
	plan = SPI_prepare(sql, n, types);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s",
			 SPI_result_code_string(SPI_result));
	return plan;
}
