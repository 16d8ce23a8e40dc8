/*-------------------------------------------------------------------------
 *
 * shard_node.c
 *	  A node of the cluster: where it is, requests that it executes, and a session
 *	  of the current user's there, for reading many items.
 *
 * These come one by one, so they need no room here, however many they are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_request.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "peer/peer.h"
#include "shard/shard_internal.h"
#include "storage/latch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

/* Milliseconds that the session waits for a lock. */
#define LOCK_WAIT	5000

/* Where a node is. */
typedef struct Address
{
	char	   *host;
	int			port;
} Address;

static void take_node(HeapTuple row, TupleDesc desc, void *arg);
static void await_connection(PGconn *conn);
static char *ask(PGconn *conn, const char *query);
static void take_rows(PGresult *result, FmgrInfo *receive, Oid param,
					  ShardTakeItem take, void *arg);
static void take_items(const PGresult *result, FmgrInfo *receive, Oid param,
					   ShardTakeItem take, void *arg);
static const Item *receive_item(const PGresult *result, int row,
								FmgrInfo *receive, Oid param);
static PGresult *next_result(PGconn *conn);
static void await(PGconn *conn, int events);
static void fail(PGconn *conn, PGresult *result) pg_attribute_noreturn();

/*
 * Where the node of a group is; false: there is none.
 */
bool
shard_group_node(int32 group, const char **host, int *port)
{
	Oid			type = INT4OID;
	Datum		value = Int32GetDatum(group);
	Address		node = {0};

	if (meta_query("SELECT n.nodename, n.nodeport FROM pg_catalog.pg_dist_node n "
				   "WHERE n.groupid OPERATOR(pg_catalog.=) $1 "
				   "AND n.noderole OPERATOR(pg_catalog.=) 'primary'::pg_catalog.noderole",
				   1, &type, &value, take_node, &node) == 0)
		return false;
	*host = node.host;
	*port = node.port;
	return true;
}

static void
take_node(HeapTuple row, TupleDesc desc, void *arg)
{
	Address    *node = arg;
	bool		isnull;

	node->host = SPI_getvalue(row, desc, 1);
	node->port = DatumGetInt32(SPI_getbinval(row, desc, 2, &isnull));
}

/*
 * Have the node of a group execute the request.
 */
void
shard_execute_at(int32 group, DynamoRequest *request)
{
	const char *host;
	int			port;

	if (!shard_group_node(group, &host, &port))
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	dynamo_route_leave(request, host, port);
}

/*
 * A session at the node of a group, which the caller ends by PQfinish().
 */
PGconn *
shard_session_begin(int32 group)
{
	const char *host;
	int			port;
	DynamoNode	node;
	PGconn	   *conn;

	if (!shard_group_node(group, &host, &port))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("node %d has no address in its cluster", group)));
	dynamo_node_init(&node, host, port);
	conn = peer_connect_within(&node, LOCK_WAIT, 0);
	if (conn == NULL || PQstatus(conn) == CONNECTION_BAD)
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("could not connect to %s:%d: %s", host, port,
						conn ? pchomp(PQerrorMessage(conn)) : "out of memory")));
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
 * Give "take" each item of a query of one column, in a context for that item
 * alone.
 */
void
shard_session_items(PGconn *conn, const char *query, ShardTakeItem take,
					void *arg)
{
	PGresult   *result;
	FmgrInfo	receive;
	Oid			function;
	Oid			param;

	getTypeBinaryInputInfo(schema_item_type(), &function, &param);
	fmgr_info(function, &receive);
	if (PQsendQueryParams(conn, query, 0, NULL, NULL, NULL, NULL, 1) == 0 ||
		PQsetSingleRowMode(conn) == 0)
		fail(conn, NULL);
	while ((result = next_result(conn)) != NULL)
	{
		ExecStatusType status = PQresultStatus(result);

		if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK)
			fail(conn, result);
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
void
shard_session_run(PGconn *conn, const char *query)
{
	(void) ask(conn, query);
}

/*
 * The first value of a query's rows, as text; NULL: there is none.
 */
static char *
ask(PGconn *conn, const char *query)
{
	PGresult   *result;
	char	   *value = NULL;

	if (PQsendQuery(conn, query) == 0)
		fail(conn, NULL);
	while ((result = next_result(conn)) != NULL)
	{
		ExecStatusType status = PQresultStatus(result);

		if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
			fail(conn, result);
		if (status == PGRES_TUPLES_OK && PQntuples(result) > 0 &&
			!PQgetisnull(result, 0, 0))
			value = pstrdup(PQgetvalue(result, 0, 0));
		PQclear(result);
	}
	return value;
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
			 errmsg("items cannot be read from the nodes: %s", message)));
}

/*
 * Give "take" the items of the query that a node answers a question with, which
 * holds for the same transaction; false: it answers with null.
 */
bool
shard_read_items(int32 group, const char *question, ShardTakeItem take,
				 void *arg)
{
	PGconn	   *conn = shard_session_begin(group);
	char	   *volatile query = NULL;

	PG_TRY();
	{
		shard_session_run(conn, "BEGIN READ ONLY; SET LOCAL row_security = off");
		query = ask(conn, question);
		if (query != NULL)
			shard_session_items(conn, query, take, arg);
		shard_session_run(conn, "COMMIT");
	}
	PG_FINALLY();
	{
		PQfinish(conn);
	}
	PG_END_TRY();
	return query != NULL;
}
