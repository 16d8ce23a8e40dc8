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
#include "peer/peer.h"
#include "shard/shard_internal.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

/* Milliseconds that the session waits for a lock. */
#define LOCK_WAIT	5000

/* Of Citus: what is committed on several nodes. */
#define COMMITS		"pg_dist_transaction"

/* All snapshots by one connection a node, which is used again. */
#define BEGIN_READING \
	"BEGIN ISOLATION LEVEL REPEATABLE READ; " \
	"SET LOCAL citus.max_adaptive_executor_pool_size = 1"

PG_FUNCTION_INFO_V1(dynamo_hold_commits);

/* A reading. */
typedef struct Moment
{
	const TableDef *def;
	PGconn	   *conn;
	bool		whole;			/* nothing is half committed */
} Moment;

static PGconn *connect_here(void);
static void await_connection(PGconn *conn);
static bool take_snapshots(void *moment);
static void take_waited(HeapTuple row, TupleDesc desc, void *moment);
static void read_items(const Moment *moment, ShardTakeItem take, void *arg);
static void take_rows(PGresult *result, FmgrInfo *receive, Oid param,
					  ShardTakeItem take, void *arg);
static void take_items(const PGresult *result, FmgrInfo *receive, Oid param,
					   ShardTakeItem take, void *arg);
static const Item *receive_item(const PGresult *result, int row,
								FmgrInfo *receive, Oid param);
static void run(PGconn *conn, const char *query);
static PGresult *next_result(PGconn *conn);
static void await(PGconn *conn, int events);
static void fail(PGconn *conn, PGresult *result) pg_attribute_noreturn();

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
	Moment		moment = {.def = def, .conn = connect_here()};

	PG_TRY();
	{
		ErrorData  *error;

		run(moment.conn, BEGIN_READING);
		error = dynamo_attempt(take_snapshots, &moment);
		if (error != NULL)
			ReThrowError(error);
		if (!moment.whole)
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("a transaction of several nodes stays half committed"),
					 errhint("Citus' maintenance ends it when all nodes are there.")));
		read_items(&moment, take, arg);
		run(moment.conn, "COMMIT");
	}
	PG_FINALLY();
	{
		PQfinish(moment.conn);
	}
	PG_END_TRY();
}

/*
 * A session of the current user's on this node.
 */
static PGconn *
connect_here(void)
{
	const char *host;
	int			port;
	DynamoNode	node;
	PGconn	   *conn;

	if (!shard_group_node(shard_node_group(), &host, &port))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this node has no address in its cluster")));
	dynamo_node_init(&node, host, port);
	conn = peer_connect_within(&node, LOCK_WAIT, 0);
	if (conn == NULL || PQstatus(conn) == CONNECTION_BAD)
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("could not connect to this node: %s",
						conn ? PQerrorMessage(conn) : "out of memory")));
	PG_TRY();
	{
		await_connection(conn);
	}
	PG_CATCH();
	{
		PQfinish(conn);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return conn;
}

static void
await_connection(PGconn *conn)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (status != PGRES_POLLING_OK)
	{
		if (status == PGRES_POLLING_FAILED)
			fail(conn, NULL);
		await(conn, status == PGRES_POLLING_READING ?
			  WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE);
		status = PQconnectPoll(conn);
	}
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
		run(moment->conn, psprintf("SELECT 1 FROM %s LIMIT 1", relation));
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

static void
read_items(const Moment *moment, ShardTakeItem take, void *arg)
{
	const TableDef *def = moment->def;
	char	   *query = psprintf("SELECT item FROM %s",
								 meta_relation_identity(def->relid));
	PGresult   *result;
	FmgrInfo	receive;
	Oid			function;
	Oid			param;

	getTypeBinaryInputInfo(schema_column_type(def, SCHEMA_ATTR_ITEM(def)),
						   &function, &param);
	fmgr_info(function, &receive);
	if (PQsendQueryParams(moment->conn, query, 0, NULL, NULL, NULL, NULL,
						  1) == 0 || PQsetSingleRowMode(moment->conn) == 0)
		fail(moment->conn, NULL);
	while ((result = next_result(moment->conn)) != NULL)
	{
		ExecStatusType status = PQresultStatus(result);

		if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK)
			fail(moment->conn, result);
		take_rows(result, &receive, param, take, arg);
	}
}

/*
 * The items of a result, which is cleared.
 */
static void
take_rows(PGresult *result, FmgrInfo *receive, Oid param, ShardTakeItem take,
		  void *arg)
{
	PG_TRY();
	{
		take_items(result, receive, param, take, arg);
	}
	PG_CATCH();
	{
		PQclear(result);
		PG_RE_THROW();
	}
	PG_END_TRY();
	PQclear(result);
}

static void
take_items(const PGresult *result, FmgrInfo *receive, Oid param,
		   ShardTakeItem take, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo item",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);

	for (int i = 0; i < PQntuples(result); i++)
	{
		take(receive_item(result, i, receive, param), arg);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

/*
 * NULL, as what the column may have been made.
 */
static const Item *
receive_item(const PGresult *result, int row, FmgrInfo *receive, Oid param)
{
	StringInfoData bytes;

	if (PQgetisnull(result, row, 0))
		return NULL;
	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, PQgetvalue(result, row, 0),
						   PQgetlength(result, row, 0));
	return DatumGetItemP(ReceiveFunctionCall(receive, &bytes, param, -1));
}

/*
 * Run a query whose rows are of no interest.
 */
static void
run(PGconn *conn, const char *query)
{
	PGresult   *result;

	if (PQsendQuery(conn, query) == 0)
		fail(conn, NULL);
	while ((result = next_result(conn)) != NULL)
	{
		ExecStatusType status = PQresultStatus(result);

		if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
			fail(conn, result);
		PQclear(result);
	}
}

/*
 * NULL: there is none any more.
 */
static PGresult *
next_result(PGconn *conn)
{
	while (PQisBusy(conn))
	{
		await(conn, WL_SOCKET_READABLE);
		if (PQconsumeInput(conn) == 0)
			fail(conn, NULL);
	}
	return PQgetResult(conn);
}

static void
await(PGconn *conn, int events)
{
	for (;;)
	{
		int			happened = WaitLatchOrSocket(MyLatch, WL_LATCH_SET |
												 WL_EXIT_ON_PM_DEATH | events,
												 PQsocket(conn), -1,
												 PG_WAIT_EXTENSION);

		if (happened & WL_LATCH_SET)
		{
			ResetLatch(MyLatch);
			CHECK_FOR_INTERRUPTS();
		}
		if (happened & events)
			return;
	}
}

static void
fail(PGconn *conn, PGresult *result)
{
	char	   *message = pchomp(result ? PQresultErrorMessage(result) :
								 PQerrorMessage(conn));

	PQclear(result);
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("items of several nodes cannot be read as of one moment"),
			 errdetail_internal("%s", message)));
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
