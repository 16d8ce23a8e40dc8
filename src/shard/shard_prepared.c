/*-------------------------------------------------------------------------
 *
 * shard_prepared.c
 *	  Transactions of several nodes that are half committed.
 *
 * Citus prepares such a transaction on all nodes, then commits it on one after
 * the other.  Between the two some nodes show its work and others do not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "base/base_session.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "process/process_watch.h"
#include "shard/shard_internal.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/* Milliseconds: between two looks, growing, and in all. */
#define FIRST_PAUSE	1
#define LAST_PAUSE	50
#define PATIENCE	5000

PG_FUNCTION_INFO_V1(dynamo_await_prepared);

static void take_flag(HeapTuple row, TupleDesc desc, void *arg);
static bool await_end(TransactionId xid, int64 began);
static List *list_prepared(Datum relation);
static void take_prepared(HeapTuple row, TupleDesc desc, void *arg);

/*
 * Wait until those that are prepared now, on the node that has the partition
 * key, are not any more.  False: it takes too long; somebody's coordinator is
 * down.
 */
bool
shard_await_prepared(const TableDef *def, Datum pk)
{
	Oid			types[] = {schema_column_type(def, SCHEMA_ATTR_PK)};
	const char *relation = meta_relation_identity(def->relid);
	bool		ended = false;

	shard_run_at_key(def, psprintf("dynamo_internal.await_prepared(%s)",
								   quote_literal_cstr(relation)),
					 lengthof(types), types, &pk, take_flag, &ended);
	return ended;
}

static void
take_flag(HeapTuple row, TupleDesc desc, void *arg)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, desc, 1, &isnull);

	*(bool *) arg = !isnull && DatumGetBool(value);
}

/*
 * await_prepared(relation): the same on this node.
 */
Datum
dynamo_await_prepared(PG_FUNCTION_ARGS)
{
	int64		began = dynamo_clock();
	List	   *pending = list_prepared(PG_GETARG_DATUM(0));
	ListCell   *lc;

	foreach(lc, pending)
	{
		if (!await_end((TransactionId) lfirst_int(lc), began))
			PG_RETURN_BOOL(false);
	}
	PG_RETURN_BOOL(true);
}

/*
 * False: patience is at its end.  The transaction is mostly committed a moment
 * later, by somebody who tells nobody.  We do not queue for its lock: that
 * would end by an error, after lock_timeout, where false is the answer.
 */
static bool
await_end(TransactionId xid, int64 began)
{
	long		pause = FIRST_PAUSE;

	while (TransactionIdIsInProgress(xid))
	{
		if (dynamo_clock() - began > PATIENCE)
			return false;
		dynamo_nap(pause);
		pause = Min(pause * 2, LAST_PAUSE);
	}
	return true;
}

/*
 * Those of Citus, in this database, that may have written rows of the
 * relation.  Anybody can give a transaction such a name and leave it prepared:
 * one of a role that may not write there keeps nobody waiting.
 */
static List *
list_prepared(Datum relation)
{
	Oid			type = TEXTOID;
	List	   *pending = NIL;

	(void) meta_query("SELECT p.transaction FROM pg_catalog.pg_prepared_xact() p "
					  "JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) p.dbid "
					  "WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() "
					  "AND pg_catalog.starts_with(p.gid, 'citus_') "
					  "AND (pg_catalog.has_any_column_privilege(p.ownerid, $1, 'INSERT, UPDATE') "
					  "OR pg_catalog.has_table_privilege(p.ownerid, $1, 'DELETE'))",
					  1, &type, &relation, take_prepared, &pending);
	return pending;
}

static void
take_prepared(HeapTuple row, TupleDesc desc, void *arg)
{
	List	  **pending = arg;
	bool		isnull;

	*pending = lappend_int(*pending,
						   (int) DatumGetTransactionId(SPI_getbinval(row, desc, 1, &isnull)));
}
