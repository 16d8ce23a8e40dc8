/*-------------------------------------------------------------------------
 *
 * shard_moment.c
 *	  All items of a distributed table, as of one moment of all nodes.
 *
 * A transaction of several nodes is committed on one after the other, and each
 * shard is read under a snapshot of its own node.  So a plain query could see
 * half of a transaction.  Here a second session of the user's, on this node, has
 * snapshots of all nodes, in REPEATABLE READ by one connection for each.  They
 * are taken while no transaction of several nodes is at its commit: on all nodes
 * Citus' table of such commits is locked, as Citus itself does for a restore
 * point, and what is prepared is waited for.  As soon as the snapshots are there
 * the locks are released, by the end of a subtransaction, and the items are read.
 *
 * That session does not see what this transaction has done, and would wait for
 * its locks.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/base_session.h"
#include "base/compat.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Of Citus: what is committed on several nodes. */
#define COMMITS		"pg_dist_transaction"

/*
 * All snapshots by one connection a node, which is used again.  Nodes wait for locks as
 * long as the session does, and end it no sooner: Citus sends them such settings, all of
 * the query that one is in.
 */
#define BEGIN_READING \
	"BEGIN ISOLATION LEVEL REPEATABLE READ; " \
	"SET LOCAL citus.max_adaptive_executor_pool_size = 1; " \
	"SET LOCAL citus.propagate_set_commands = 'local'"
#define LIMIT_LOCKS \
	"SET LOCAL lock_timeout = " CppAsString2(SHARD_LOCK_WAIT)

PG_FUNCTION_INFO_V1(dynamo_hold_commits);

/* A reading. */
typedef struct Moment
{
	const TableDef *def;
	ShardSession *session;
	bool		whole;			/* nothing is half committed */
} Moment;

static bool take_snapshots(void *moment);
static void take_waited(HeapTuple row, TupleDesc desc, void *moment);

/*
 * May the table be read so?  Not by a transaction that has changed it, or holds
 * it against others.
 */
bool
shard_may_read_moment(const TableDef *def)
{
	LOCKTAG		tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, def->relid);
	for (LOCKMODE mode = RowExclusiveLock; mode <= MaxLockMode; mode++)
	{
		if (compat_holds_lock(&tag, mode))
			return false;
	}
	return true;
}

/*
 * Give "take" each item, in a context for that item alone.
 */
void
shard_read_moment(const TableDef *def, ShardTakeItem take, void *arg)
{
	Moment		moment = {
		.def = def, .session = shard_session_begin(shard_node_group())
	};

	PG_TRY();
	{
		ErrorData  *error;

		shard_session_run(moment.session, BEGIN_READING);
		shard_session_run(moment.session, LIMIT_LOCKS);
		shard_session_last(moment.session);
		error = dynamo_attempt(take_snapshots, &moment);
		if (error != NULL)
			ReThrowError(error);
		if (!moment.whole)
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("a transaction of several nodes stays half committed"),
					 errhint("Citus' maintenance ends it when all nodes are there.")));
		shard_session_items(moment.session, psprintf("SELECT item FROM %s",
													 meta_relation_identity(def->relid)),
							take, arg);
		shard_session_run(moment.session, "COMMIT");
	}
	PG_FINALLY();
	{
		shard_session_end(moment.session);
	}
	PG_END_TRY();
}

/*
 * False, so that the locks are released.
 */
static bool
take_snapshots(void *arg)
{
	Moment	   *moment = arg;
	char	   *relation = meta_relation_identity(moment->def->relid);
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(relation);
	DynamoUser	before;

	dynamo_become(&before, meta_relation_owner(shard_nodes()), 0);
	shard_run_on_nodes("UPDATE dynamo_internal.nodes SET taken = dynamo_internal.hold_commits(taken)",
					   0, NULL, NULL);
	dynamo_resume_user(&before);
	moment->whole = true;
	shard_run_as_owner("SELECT n.success AND n.result OPERATOR(pg_catalog.=) 't' "
					   "FROM pg_catalog.run_command_on_all_nodes(pg_catalog.format("
					   "'SELECT dynamo_internal.await_prepared(%L)', $1)) AS n",
					   1, &type, &value, take_waited, moment);
	if (moment->whole)
		shard_session_run(moment->session, psprintf("SELECT 1 FROM %s LIMIT 1", relation));
	return false;
}

static void
take_waited(HeapTuple row, TupleDesc desc, void *arg)
{
	Moment	   *moment = arg;
	bool		isnull;
	Datum		ended = heap_getattr(row, 1, desc, &isnull);

	moment->whole &= !isnull && DatumGetBool(ended);
}

/*
 * hold_commits(taken): nothing that several nodes commit begins to be committed
 * from this node, to the end of the transaction, and nothing is at it.
 */
Datum
dynamo_hold_commits(PG_FUNCTION_ARGS)
{
	Oid			relid = get_relname_relid(COMMITS, PG_CATALOG_NAMESPACE);

	if (OidIsValid(relid))
		LockRelationOid(relid, ExclusiveLock);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
