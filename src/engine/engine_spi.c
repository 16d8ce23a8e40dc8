/*-------------------------------------------------------------------------
 *
 * engine_spi.c
 *	  The item store for relations that need the planner and the executor:
 *	  with row-level security, triggers, rules, constraints or columns of the
 *	  user's, partitioned or inherited.
 *
 * Plain SQL does the work, so all of that is honoured.  A row hidden by a
 * policy is missing; what a policy forbids is AccessDeniedException.
 *
 * Unlike the local store, this one cannot tell by itself that a row has
 * changed since it was fetched, so rows are locked before they are written,
 * and writing needs the SELECT privilege, too.  Statements on one row are
 * prepared once in a session; a plan goes by its relation, and is made anew
 * when its text is no longer the same (somebody has renamed something).
 *
 * A statement that does nothing may have lost a race or been held back by a
 * policy or a BEFORE trigger, and does not say.  Taken for a race, it would be
 * repeated for ever; taken for anything else, a write would be lost.  So it is
 * found out: an INSERT is repeated without ON CONFLICT, and a row is looked
 * for, or locked, as the relation's owner, whom policies do not bind.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type_d.h"
#include "engine/engine_internal.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define FETCH_ROWS	32			/* of a scan, at a time */
#define MANY_PLANS	128			/* worth a look which are of use still */

/* "=" whatever the search_path is. */
#define EQUALS		" OPERATOR(pg_catalog.=) "

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

/*
 * A scan.  It is no SPI cursor: a portal goes when the transaction or
 * subtransaction ends that opened it, and may do so before the query does that
 * we are called by.  An executor of our own belongs, as everything that a
 * query opens, to the resource owner of the query.
 */
struct EngineCursor
{
	DestReceiver receiver;		/* of rows: first, for a cast */
	EngineTable *table;
	QueryDesc  *query;
	bool		at_end;			/* it has no more rows; not to be asked again */
	MemoryContext batch;		/* holds the rows fetched */
	Item	   *items[FETCH_ROWS];
	int			nitems;
	int			next;
};

/* A statement under construction. */
typedef struct ScanQuery
{
	StringInfoData sql;
	int			nargs;
	Oid			types[ENGINE_MAX_BOUNDS * ENGINE_MAX_COLUMNS];
	Datum		values[ENGINE_MAX_BOUNDS * ENGINE_MAX_COLUMNS];
} ScanQuery;

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
static EngineCursor *spi_begin(EngineTable *table, const EngineRange *range,
							   Snapshot snapshot);
static const Item *spi_next(EngineCursor *cursor, int place,
							MemoryContext context);
static QueryDesc *start_query(const ScanQuery *scan, Snapshot snapshot,
							  DestReceiver *receiver);
static void spi_end(EngineCursor *cursor);
static void spi_close(EngineTable *table);
static const Item *lock_held(EngineTable *table, const EngineKey *key,
							 Statement statement);
static bool insert_again(EngineTable *table, const EngineKey *key,
						 const Item *item, EngineRow *row);
static bool is_hidden(EngineTable *table, const EngineKey *key);
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
static void rethrow(EngineTable *table, MemoryContext context, Oid user)
			pg_attribute_noreturn();
static Item *copy_item(EngineTable *table, Datum datum, bool isnull,
					   MemoryContext context);
static char *relation_name(EngineTable *table);
static Oid	column_type(EngineTable *table, int column);
static void scan_query(ScanQuery *query, EngineTable *table,
					   const EngineRange *range);
static void append_bound(ScanQuery *query, EngineTable *table,
						 const EngineRange *range, const EngineBound *bound,
						 char **columns, int ncolumns);
static void append_argument(ScanQuery *query, Oid type, Datum value);
static int	index_columns(EngineTable *table, const EngineRange *range,
						  char **columns);
static void fetch_batch(EngineCursor *cursor);
static bool receive_row(TupleTableSlot *slot, DestReceiver *receiver);
static void start_receiving(DestReceiver *receiver, int operation,
							TupleDesc desc);
static void stop_receiving(DestReceiver *receiver);

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
	.begin = spi_begin,
	.next = spi_next,
	.end = spi_end,
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
 * A row that was to be locked is not there: it has gone, or a policy withholds
 * it.  Once the owner holds it, it cannot go.  NULL: it has gone, for us at
 * least.
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
	return done || insert_again(table, key, item, row);
}

/*
 * Nothing was inserted: somebody has the key, which is an error this time, or
 * a trigger says no.  That is its right, and no error in SQL either.
 */
static bool
insert_again(EngineTable *table, const EngineKey *key, const Item *item,
			 EngineRow *row)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;
	bool		done;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		row->stored = run(table, INSERT_AGAIN, key, item, &done);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;

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
	return false;
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

static bool
finds(EngineTable *table, Statement statement, const EngineKey *key)
{
	bool		found;

	(void) run(table, statement, key, NULL, &found);
	return found;
}

/*
 * The same as the relation's owner, and even if he has forced row-level
 * security on himself.
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

	/* Who deletes many goes by what is gone, whatever a trigger may do. */
	return done || !table->no_wait;
}

/*
 * A bare key that is deleted again is no row for triggers and policies to
 * judge, so it is made without SQL, where rows have the form we know.  An item
 * that a policy hides cannot be kept from us, nor come into being.
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

static EngineCursor *
spi_begin(EngineTable *table, const EngineRange *range, Snapshot snapshot)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();
	EngineCursor *cursor = palloc0(sizeof(EngineCursor));
	ScanQuery	query;

	cursor->receiver.receiveSlot = receive_row;
	cursor->receiver.rStartup = start_receiving;
	cursor->receiver.rShutdown = stop_receiving;
	cursor->receiver.rDestroy = stop_receiving;
	cursor->receiver.mydest = DestNone;
	cursor->table = table;
	cursor->batch = AllocSetContextCreate(context, "dynamo scan batch",
										  ALLOCSET_DEFAULT_SIZES);
	scan_query(&query, table, range);
	PushActiveSnapshot(snapshot);
	PG_TRY();
	{
		cursor->query = start_query(&query, snapshot, &cursor->receiver);
	}
	PG_CATCH();
	{
		rethrow(table, context, user);
	}
	PG_END_TRY();
	PopActiveSnapshot();
	return cursor;
}

/*
 * Plan a query and start its execution, in the current context.  A scan is
 * read no further than its page, so its rows must come from an index in their
 * order: a sort of the whole range, which the planner may think cheaper, would
 * be done anew for each page.  On error the end of the transaction resets the
 * setting.
 */
static QueryDesc *
start_query(const ScanQuery *scan, Snapshot snapshot, DestReceiver *receiver)
{
	RawStmt    *parsed = linitial_node(RawStmt,
									   pg_parse_query(scan->sql.data));
	List	   *rewritten;
	PlannedStmt *plan;
	ParamListInfo params = makeParamList(scan->nargs);
	QueryDesc  *query;
	int			nestlevel;

	rewritten = pg_analyze_and_rewrite_fixedparams(parsed, scan->sql.data,
												   scan->types, scan->nargs,
												   NULL);
	for (int i = 0; i < scan->nargs; i++)
	{
		params->params[i].value = scan->values[i];
		params->params[i].isnull = false;
		params->params[i].pflags = PARAM_FLAG_CONST;
		params->params[i].ptype = scan->types[i];
	}
	nestlevel = NewGUCNestLevel();
	(void) set_config_option("enable_sort", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	plan = pg_plan_query(linitial_node(Query, rewritten), scan->sql.data,
						 CURSOR_OPT_FAST_PLAN, params);
	AtEOXact_GUC(true, nestlevel);
	query = CreateQueryDesc(plan, scan->sql.data, snapshot, InvalidSnapshot,
							receiver, params, NULL, 0);
	ExecutorStart(query, EXEC_FLAG_SKIP_TRIGGERS);
	return query;
}

static const Item *
spi_next(EngineCursor *cursor, int place, MemoryContext context)
{
	const Item *item;
	Size		size;

	if (cursor->next == cursor->nitems)
		fetch_batch(cursor);
	if (cursor->nitems == 0)
		return NULL;
	item = cursor->items[cursor->next++];
	size = VARSIZE_ANY(item);
	return memcpy(MemoryContextAlloc(context, size), item, size);
}

static void
spi_end(EngineCursor *cursor)
{
	ExecutorFinish(cursor->query);
	ExecutorEnd(cursor->query);
	FreeQueryDesc(cursor->query);
}

static void
spi_close(EngineTable *table)
{
	engine_local_store.close(table);
}

/*
 * Run a statement on the row "key".  *processed tells whether it did anything;
 * if so, the row's item is returned, in the current context.  What only looks is
 * under the active snapshot, the others take their own.
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
		rethrow(table, context, user);
	}
	PG_END_TRY();

	*processed = SPI_processed > 0;
	result = NULL;
	if (*processed)
	{
		bool		isnull;
		Datum		datum = SPI_getbinval(SPI_tuptable->vals[0],
										  SPI_tuptable->tupdesc, 1, &isnull);

		result = copy_item(table, datum, isnull, context);
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
 * The prepared statement, from this session's if it has it.
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
 * When there are many plans, free those of relations that are gone.  Or else a
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
	const char *rel = relation_name(table);
	const char *where = range ?
		"WHERE pk" EQUALS "$1 AND sk" EQUALS "$2" : "WHERE pk" EQUALS "$1";

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
		types[n++] = column_type(table, SCHEMA_ATTR_PK);
		if (table->def->range.name != NULL)
			types[n++] = column_type(table, SCHEMA_ATTR_SK(table->def));
	}
	if (inserts(statement) || statement == UPDATE)
		types[n++] = column_type(table, SCHEMA_ATTR_ITEM(table->def));
	plan = SPI_prepare(sql, n, types);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s",
			 SPI_result_code_string(SPI_result));
	return plan;
}

/*
 * In PG_CATCH: what "user" may not do is AccessDeniedException, be it that
 * PostgreSQL says so or a trigger.  One that runs as its owner is the current
 * user still.  In a security-restricted operation, which maintenance is, there
 * is no client to be answered, and what PostgreSQL says is more.
 */
static void
rethrow(EngineTable *table, MemoryContext context, Oid user)
{
	Oid			current;
	int			security;

	if (geterrcode() != ERRCODE_INSUFFICIENT_PRIVILEGE ||
		InSecurityRestrictedOperation())
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	FlushErrorState();
	GetUserIdAndSecContext(&current, &security);
	SetUserIdAndSecContext(user, security);
	engine_deny(table, NULL);
}

/*
 * An item that a statement returned, in "context".
 */
static Item *
copy_item(EngineTable *table, Datum datum, bool isnull, MemoryContext context)
{
	MemoryContext caller;
	Item	   *item;

	if (isnull)
		engine_no_item(table);
	caller = MemoryContextSwitchTo(context);
	item = (Item *) PG_DETOAST_DATUM_COPY(datum);
	MemoryContextSwitchTo(caller);
	return item;
}

static char *
relation_name(EngineTable *table)
{
	Oid			schema = RelationGetNamespace(table->rel);

	return quote_qualified_identifier(get_namespace_name(schema),
									  RelationGetRelationName(table->rel));
}

static Oid
column_type(EngineTable *table, int column)
{
	return TupleDescAttr(RelationGetDescr(table->rel), column - 1)->atttypid;
}

/*
 * A scan as a query.
 */
static void
scan_query(ScanQuery *query, EngineTable *table, const EngineRange *range)
{
	char	   *columns[ENGINE_MAX_COLUMNS];
	int			ncolumns = index_columns(table, range, columns);
	int			npredicate = range->index ? ncolumns - 1 : range->expiry;
	const char *joint = "WHERE";

	query->nargs = 0;
	initStringInfo(&query->sql);
	appendStringInfo(&query->sql, "SELECT item FROM %s",
					 relation_name(table));

	/* What the predicate of a partial index asks for. */
	for (int i = 0; i < npredicate; i++)
	{
		appendStringInfo(&query->sql, " %s %s IS NOT NULL", joint,
						 columns[i]);
		joint = "AND";
	}
	for (int i = 0; i < range->nbounds; i++)
	{
		appendStringInfo(&query->sql, " %s ", joint);
		append_bound(query, table, range, &range->bounds[i], columns,
					 ncolumns);
		joint = "AND";
	}
	for (int i = 0; i < ncolumns; i++)
		appendStringInfo(&query->sql, "%s%s%s", i == 0 ? " ORDER BY " : ", ",
						 columns[i], range->backward ? " DESC" : "");
}

static void
append_bound(ScanQuery *query, EngineTable *table, const EngineRange *range,
			 const EngineBound *bound, char **columns, int ncolumns)
{
	static const char *const operators[] = {
		[ENGINE_LT] = "<",
		[ENGINE_LE] = "<=",
		[ENGINE_EQ] = "=",
		[ENGINE_GE] = ">=",
		[ENGINE_GT] = ">",
	};
	bool		row = bound->nvalues > 1;

	appendStringInfoString(&query->sql, row ? "ROW(" : "");
	for (int i = 0; i < bound->nvalues; i++)
		appendStringInfo(&query->sql, "%s%s", i > 0 ? ", " : "",
						 columns[bound->column - 1 + i]);
	appendStringInfo(&query->sql, "%s OPERATOR(pg_catalog.%s) %s",
					 row ? ")" : "", operators[bound->compare],
					 row ? "ROW(" : "");
	for (int i = 0; i < bound->nvalues; i++)
	{
		int			column = bound->column + i;
		Oid			type;

		if (range->expiry)
			type = INT8OID;
		else if (column == 1)
			type = column_type(table, SCHEMA_ATTR_PK);
		else if (range->index != NULL && column == ncolumns)
			type = INT8OID;
		else if (range->index == NULL)
			type = column_type(table, SCHEMA_ATTR_SK(table->def));
		else
			type = get_atttype(range->index->relid, column);
		appendStringInfoString(&query->sql, i > 0 ? ", " : "");
		append_argument(query, type, bound->values[i]);
	}
	appendStringInfoString(&query->sql, row ? ")" : "");
}

static void
append_argument(ScanQuery *query, Oid type, Datum value)
{
	query->types[query->nargs] = type;
	query->values[query->nargs] = value;
	query->nargs++;
	appendStringInfo(&query->sql, "$%d", query->nargs);
}

/*
 * What the columns of an index are, as SQL.  Returns their number.
 */
static int
index_columns(EngineTable *table, const EngineRange *range, char **columns)
{
	Oid			relid = range->expiry ? table->def->ttl_relid : InvalidOid;
	int			ncolumns = 2;

	if (range->index != NULL)
	{
		relid = range->index->relid;
		ncolumns = range->index->nrange + 2;
	}
	else if (!range->expiry)
	{
		columns[0] = "pk";
		columns[1] = "sk";
		return table->def->range.name != NULL ? 2 : 1;
	}
	for (int i = 0; i < ncolumns; i++)
		columns[i] =
			TextDatumGetCString(DirectFunctionCall3(pg_get_indexdef_ext,
													ObjectIdGetDatum(relid),
													Int32GetDatum(i + 1),
													BoolGetDatum(false)));
	return ncolumns;
}

static void
fetch_batch(EngineCursor *cursor)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			user = GetUserId();

	MemoryContextReset(cursor->batch);
	cursor->next = 0;
	cursor->nitems = 0;
	if (cursor->at_end)
		return;
	PushActiveSnapshot(cursor->query->snapshot);
	PG_TRY();
	{
		compat_executor_run(cursor->query, FETCH_ROWS);
	}
	PG_CATCH();
	{
		rethrow(cursor->table, context, user);
	}
	PG_END_TRY();
	PopActiveSnapshot();
	cursor->at_end = cursor->nitems < FETCH_ROWS;
}

/*
 * DestReceiver.receiveSlot: a row of the scan.
 */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *receiver)
{
	EngineCursor *cursor = (EngineCursor *) receiver;
	bool		isnull;
	Datum		item = slot_getattr(slot, 1, &isnull);

	cursor->items[cursor->nitems++] = copy_item(cursor->table, item, isnull,
												cursor->batch);
	return true;
}

static void
start_receiving(DestReceiver *receiver, int operation, TupleDesc desc)
{
}

static void
stop_receiving(DestReceiver *receiver)
{
}
