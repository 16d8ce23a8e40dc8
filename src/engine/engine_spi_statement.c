/*-------------------------------------------------------------------------
 *
 * engine_spi_statement.c
 *	  Statements of the SPI store on one row: their texts and their plans.
 *
 * They are prepared once in a session.  A plan goes by its relation, and is
 * made anew when its text is no longer the same (somebody has renamed
 * something), or the relation has been distributed since.
 *
 * Of a distributed table the statement is planned for each execution, which
 * costs no more: Citus plans for the shard in any case, and keeps that with a
 * plan that is used again, so that this one would grow with each execution.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "engine/engine_internal.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#define MANY_PLANS	128			/* worth a look which are of use still */

static const char *const lock_clauses[] = {
	[STATEMENT_FETCH] = "",
	[STATEMENT_LOCK_CHECK] = " FOR SHARE",
	[STATEMENT_LOCK_UPDATE] = " FOR NO KEY UPDATE",
	[STATEMENT_LOCK_DELETE] = " FOR UPDATE",
	[STATEMENT_LOCK_EXPIRED] = " FOR UPDATE SKIP LOCKED",
	[STATEMENT_OWNER_FETCH] = "",
	[STATEMENT_OWNER_LOCK] = " FOR UPDATE",
};

/* A prepared statement. */
typedef struct PlanKey
{
	Oid			relid;
	EngineStatement statement;
} PlanKey;

typedef struct PlanEntry
{
	PlanKey		key;			/* hash key */
	char	   *sql;			/* NULL: none yet */
	bool		distributed;	/* planned for each execution */
	SPIPlanPtr	plan;
	int			users;			/* that are at it, or at one before it */
} PlanEntry;

static bool inserts(EngineStatement statement);
static bool takes_key(const EngineTable *table, EngineStatement statement);
static PlanEntry *plan_for(EngineTable *table, EngineStatement statement);
static void plan_by_key(SPIPlanPtr plan);
static void forget_plans(void);
static void free_plan(PlanEntry *entry);
static char *statement_text(EngineTable *table, EngineStatement statement);
static SPIPlanPtr prepare(EngineTable *table, EngineStatement statement,
						  const char *sql);

static HTAB *plans = NULL;

/*
 * Run a statement of the store on the row with that key.  Returns the item it
 * found, in the current context, or NULL; *processed: it found or changed a
 * row.  What the user may not do is raised as AccessDeniedException.
 *
 * A statement that reads is run under the active snapshot, the same for all
 * fetches of a round or a scan.  One that locks or writes takes a snapshot of
 * its own, and in READ COMMITTED follows a row to its newest version and tests
 * the key on that again.  It may wait for others, and functions of the user's may
 * run.
 */
const Item *
engine_spi_run(EngineTable *table, EngineStatement statement,
			   const TableKey *key, const Item *item, bool *processed)
{
	bool		reads = statement == STATEMENT_FETCH ||
	statement == STATEMENT_OWNER_FETCH;
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();
	PlanEntry  *volatile entry = NULL;
	Datum		values[3];
	Item	   *result;
	int			n = 0;

	if (takes_key(table, statement))
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
		int			code;

		entry = plan_for(table, statement);
		entry->users++;
		if (!table->def->distributed)
			plan_by_key(entry->plan);
		code = SPI_execute_plan(entry->plan, values, NULL, reads, 0);
		if (code < 0)
			elog(ERROR, "SPI_execute_plan failed: %s",
				 SPI_result_code_string(code));
	}
	PG_CATCH();
	{
		if (entry != NULL)
			entry->users--;
		engine_spi_rethrow(table, context, user);
	}
	PG_END_TRY();
	entry->users--;
	dynamo_work_leave();

	*processed = SPI_processed > 0;
	result = NULL;
	if (*processed)
	{
		bool		isnull;
		Datum		datum = SPI_getbinval(SPI_tuptable->vals[0],
										  SPI_tuptable->tupdesc, 1, &isnull);

		result = engine_spi_item(table, SPI_tuptable->tupdesc, datum, isnull,
								 context);
	}
	SPI_finish();
	return result;
}

/*
 * Does the statement make a new row?
 */
static bool
inserts(EngineStatement statement)
{
	return statement == STATEMENT_INSERT ||
		statement == STATEMENT_INSERT_AGAIN;
}

/*
 * Are the first parameters the row's key?  Where the item makes it, an INSERT
 * must not name it.
 */
static bool
takes_key(const EngineTable *table, EngineStatement statement)
{
	return !inserts(statement) || table->def->checked;
}

/*
 * The prepared statement; prepared now if this session has not used it yet.
 */
static PlanEntry *
plan_for(EngineTable *table, EngineStatement statement)
{
	char	   *sql = statement_text(table, statement);
	PlanEntry  *entry;
	PlanKey		key;
	bool		found;

	if (plans == NULL)
	{
		HASHCTL		ctl = {.keysize = sizeof(PlanKey),
		.entrysize = sizeof(PlanEntry)};

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
		entry->users = 0;
	}

	if (entry->sql == NULL || strcmp(entry->sql, sql) != 0 ||
		entry->distributed != table->def->distributed)
	{
		SPIPlanPtr	plan = prepare(table, statement, sql);

		free_plan(entry);
		SPI_keepplan(plan);
		entry->plan = plan;
		entry->sql = MemoryContextStrdup(TopMemoryContext, sql);
		entry->distributed = table->def->distributed;
	}
	shard_note_asker(table->def);
	return entry;
}

/*
 * Have the plan find the row by its key.  Of a small table the planner would
 * read all rows, and in SERIALIZABLE that conflicts with every write to it.
 * The settings are for the planner alone: triggers of the user's run when the
 * statement does.  On error the end of the transaction resets them.
 */
static void
plan_by_key(SPIPlanPtr plan)
{
	static const char *const others[] = {"enable_seqscan", "enable_bitmapscan"};
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));
	int			nestlevel;

	/* Where core would plan anew, it would do so without the settings. */
	if (source->is_valid && source->gplan != NULL && source->gplan->is_valid &&
		!TransactionIdIsValid(source->gplan->saved_xmin) &&
		compat_same_search_path(source) &&
		(!source->dependsOnRLS || (source->rewriteRoleId == GetUserId() &&
								   source->rewriteRowSecurity == row_security)))
		return;
	nestlevel = NewGUCNestLevel();
	for (int i = 0; i < lengthof(others); i++)
		(void) set_config_option(others[i], "off", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	ReleaseCachedPlan(SPI_plan_get_cached_plan(plan), CurrentResourceOwner);
	AtEOXact_GUC(true, nestlevel);
}

/*
 * If there are many plans, free those of relations that are gone.  Otherwise a
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
		if (entry->users > 0 ||
			SearchSysCacheExists1(RELOID, ObjectIdGetDatum(entry->key.relid)))
			continue;
		free_plan(entry);
		hash_search(plans, &entry->key, HASH_REMOVE, NULL);
	}
	limit = Max(MANY_PLANS, 2 * hash_get_num_entries(plans));
}

/*
 * Leaves an entry without a plan, which may be given another.  One that is being
 * made or executed stays: a function in it has renamed something, and called us.
 */
static void
free_plan(PlanEntry *entry)
{
	if (entry->sql == NULL)
		return;
	if (entry->users == 0)
		SPI_freeplan(entry->plan);
	pfree(entry->sql);
	entry->sql = NULL;
}

/*
 * The statement's text.  It has no values in it, and names the relation as it is
 * called now; to rename it is to wait for our lock on it.
 *
 * The DELETE of an expiry on a distributed table tests again on the node that
 * has the row: what we have read of it was read elsewhere, before.
 */
static char *
statement_text(EngineTable *table, EngineStatement statement)
{
	bool		range = table->def->range.name != NULL;
	const char *rel = engine_spi_relation(table);
	const char *where = range ?
		"WHERE pk" ENGINE_SPI_EQUALS "$1 AND sk" ENGINE_SPI_EQUALS "$2" :
		"WHERE pk" ENGINE_SPI_EQUALS "$1";

	const char *row = !takes_key(table, statement) ? "(item) VALUES ($1)" :
		range ? "(pk, sk, item) VALUES ($1, $2, $3)" :
		"(pk, item) VALUES ($1, $2)";

	switch (statement)
	{
		case STATEMENT_INSERT:
			return psprintf("INSERT INTO %s %s ON CONFLICT (%s) DO NOTHING RETURNING item",
							rel, row, range ? "pk, sk" : "pk");
		case STATEMENT_INSERT_AGAIN:
			return psprintf("INSERT INTO %s %s RETURNING item", rel, row);
		case STATEMENT_UPDATE:
			return psprintf("UPDATE %s SET item = $%d %s RETURNING item",
							rel, range ? 3 : 2, where);
		case STATEMENT_DELETE:
			return psprintf("DELETE FROM %s %s%s RETURNING item", rel, where,
							table->no_wait && table->def->distributed ?
							" AND dynamo_internal.expires(tableoid, item)" : "");
		default:
			return psprintf("SELECT item FROM %s %s%s", rel, where,
							lock_clauses[statement]);
	}
}

/*
 * Prepare the statement, for this call of SPI; the caller keeps it.
 */
static SPIPlanPtr
prepare(EngineTable *table, EngineStatement statement, const char *sql)
{
	Oid			types[3];
	int			n = 0;
	SPIPlanPtr	plan;
	CachedPlanSource *source;

	if (takes_key(table, statement))
	{
		types[n++] = engine_spi_type(table, SCHEMA_ATTR_PK);
		if (table->def->range.name != NULL)
			types[n++] = engine_spi_type(table, SCHEMA_ATTR_SK(table->def));
	}
	if (inserts(statement) || statement == STATEMENT_UPDATE)
		types[n++] = engine_spi_type(table, SCHEMA_ATTR_ITEM(table->def));
	plan = SPI_prepare_cursor(sql, n, types, table->def->distributed ?
							  CURSOR_OPT_CUSTOM_PLAN : CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s",
			 SPI_result_code_string(SPI_result));
	source = linitial(SPI_plan_get_plan_sources(plan));
	schema_check_source(source->query_list, table->def);
	return plan;
}
