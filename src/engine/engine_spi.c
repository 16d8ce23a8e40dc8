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
 * and writing needs the SELECT privilege, too.
 *
 * A statement that does nothing may have lost a race or been stopped by a
 * policy or a BEFORE trigger, and does not say which.  So an INSERT is
 * repeated without ON CONFLICT, and a row is looked for, or locked, as the
 * relation's owner, whom policies do not bind.  Otherwise a refusal would be
 * repeated for ever, or a write that lost a race be lost.  One case is left: a
 * trigger that stores the item under another key, which is taken, looks like a
 * rival that always comes and goes.  We count refusals.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_session.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define MANY_REFUSALS	100		/* no race is lost so often in a row */

/* An insert that is to fail where it inserts nothing. */
typedef struct Insertion
{
	EngineTable *table;
	const TableKey *key;
	const Item *item;
	EngineRow  *row;
} Insertion;

static void spi_fetch(EngineTable *table, const TableKey *key,
					  EngineRow *row);
static bool spi_lock(EngineTable *table, const TableKey *key,
					 EngineLock purpose, EngineRow *row);
static bool spi_insert(EngineTable *table, const TableKey *key,
					   const Item *item, EngineRow *row);
static bool spi_update(EngineTable *table, const TableKey *key,
					   EngineRow *row, const Item *item);
static bool spi_remove(EngineTable *table, const TableKey *key,
					   EngineRow *row);
static EngineReserve spi_reserve(EngineTable *table, const TableKey *key,
								 const Item *item, EngineRow *row);
static bool spi_release(EngineTable *table, const TableKey *key,
						EngineRow *row);
static void spi_prepare(EngineTable *table);
static void spi_close(EngineTable *table);
static const Item *lock_held(EngineTable *table, const TableKey *key,
							 EngineStatement statement);
static bool insert_again(EngineTable *table, const TableKey *key,
						 const Item *item, EngineRow *row);
static bool insert_or_fail(void *arg);
static bool is_hidden(EngineTable *table, const TableKey *key);
static bool row_is_there(EngineTable *table, const TableKey *key);
static bool finds(EngineTable *table, EngineStatement statement,
				  const TableKey *key);
static bool owner_finds(EngineTable *table, EngineStatement statement,
						const TableKey *key);

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

/*
 * EngineStore.fetch
 */
static void
spi_fetch(EngineTable *table, const TableKey *key, EngineRow *row)
{
	bool		found;

	row->item = engine_spi_run(table, STATEMENT_FETCH, key, NULL, &found);
	row->refreshed = false;
}

/*
 * EngineStore.lock
 *
 * FOR UPDATE and its kin wait for who has the row, and return its newest version
 * if it still has the key.  That one may be newer than what was fetched, which
 * shows by its bytes alone: SQL does not tell.  From here to the end of the
 * transaction nobody else changes it.
 */
static bool
spi_lock(EngineTable *table, const TableKey *key, EngineLock purpose,
		 EngineRow *row)
{
	EngineStatement statement = table->no_wait ? STATEMENT_LOCK_EXPIRED :
		STATEMENT_LOCK_CHECK + purpose;
	bool		found;
	const Item *item = engine_spi_run(table, statement, key, NULL, &found);

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
lock_held(EngineTable *table, const TableKey *key, EngineStatement statement)
{
	const Item *item;
	bool		found;

	if (!owner_finds(table, STATEMENT_OWNER_LOCK, key))
		return NULL;
	item = engine_spi_run(table, statement, key, NULL, &found);
	if (found)
		return item;
	PushActiveSnapshot(GetLatestSnapshot());
	if (finds(table, STATEMENT_FETCH, key))
		engine_deny(table, NULL);
	PopActiveSnapshot();
	return NULL;
}

/*
 * EngineStore.insert
 *
 * ON CONFLICT DO NOTHING waits for another transaction that inserts the key, as
 * the local store does.  row->stored is the row as triggers have made it.
 */
static bool
spi_insert(EngineTable *table, const TableKey *key, const Item *item,
		   EngineRow *row)
{
	bool		done = false;

	if (table->rel->rd_rules == NULL)	/* beside them SQL has no ON CONFLICT */
		row->stored = engine_spi_run(table, STATEMENT_INSERT, key, item, &done);
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
insert_again(EngineTable *table, const TableKey *key, const Item *item,
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
	if (!row_is_there(table, key) && ++table->refusals >= MANY_REFUSALS)
		ReThrowError(error);
	return false;
}

static bool
insert_or_fail(void *arg)
{
	Insertion  *insertion = arg;
	bool		done;

	insertion->row->stored = engine_spi_run(insertion->table, STATEMENT_INSERT_AGAIN,
											insertion->key, insertion->item, &done);
	return true;
}

/*
 * Is there a row with this key that a policy hides?
 */
static bool
is_hidden(EngineTable *table, const TableKey *key)
{
	bool		hidden;

	if (!table->rel->rd_rel->relrowsecurity)
		return false;
	PushActiveSnapshot(GetLatestSnapshot());
	hidden = owner_finds(table, STATEMENT_OWNER_FETCH, key) &&
		!finds(table, STATEMENT_FETCH, key);
	PopActiveSnapshot();
	return hidden;
}

/*
 * Is there a row with this key, visible to us or not?
 */
static bool
row_is_there(EngineTable *table, const TableKey *key)
{
	bool		there;

	PushActiveSnapshot(GetLatestSnapshot());
	there = table->rel->rd_rel->relrowsecurity ?
		owner_finds(table, STATEMENT_OWNER_FETCH, key) :
		finds(table, STATEMENT_FETCH, key);
	PopActiveSnapshot();
	return there;
}

static bool
finds(EngineTable *table, EngineStatement statement, const TableKey *key)
{
	bool		found;

	(void) engine_spi_run(table, statement, key, NULL, &found);
	return found;
}

/*
 * The same as the relation's owner, even with FORCE ROW LEVEL SECURITY.
 */
static bool
owner_finds(EngineTable *table, EngineStatement statement, const TableKey *key)
{
	DynamoUser	before;
	bool		found;

	dynamo_become(&before, table->rel->rd_rel->relowner, SECURITY_NOFORCE_RLS);
	found = finds(table, statement, key);
	dynamo_resume_user(&before);
	return found;
}

/*
 * EngineStore.update
 *
 * The row is locked, so an UPDATE that changes nothing was stopped by a trigger.
 * That is its right, and no error in SQL either.
 */
static bool
spi_update(EngineTable *table, const TableKey *key, EngineRow *row,
		   const Item *item)
{
	bool		done;

	row->stored = engine_spi_run(table, STATEMENT_UPDATE, key, item, &done);
	return true;
}

static bool
spi_remove(EngineTable *table, const TableKey *key, EngineRow *row)
{
	bool		done;

	(void) engine_spi_run(table, STATEMENT_DELETE, key, NULL, &done);

	/* Expiry counts only what is gone, whatever a trigger may do. */
	return done || !table->no_wait;
}

/*
 * A bare key that is deleted again is not a row for triggers and policies to
 * judge, so it is made without SQL if the relation's rows have the form we
 * know.  A distributed relation has neither, and SQL alone reaches its rows.  An
 * item that exists and is hidden by a policy needs no claim: for us it is missing
 * and stays so.
 */
static EngineReserve
spi_reserve(EngineTable *table, const TableKey *key, const Item *item,
			EngineRow *row)
{
	EngineReserve result;
	bool		done;

	if (table->def->distributed)
	{
		(void) engine_spi_run(table, STATEMENT_INSERT, key, item, &done);
		return done ? ENGINE_RESERVED : ENGINE_TAKEN;
	}
	if (!engine_local_shaped(table->rel, table->def))
		return ENGINE_UNRESERVED;
	result = engine_local_store.reserve(table, key, item, row);
	if (result == ENGINE_TAKEN && is_hidden(table, key))
		return ENGINE_UNRESERVED;
	return result;
}

static bool
spi_release(EngineTable *table, const TableKey *key, EngineRow *row)
{
	bool		done;

	if (!table->def->distributed)
		return engine_local_store.release(table, key, row);
	(void) engine_spi_run(table, STATEMENT_DELETE, key, NULL, &done);
	return done;
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
