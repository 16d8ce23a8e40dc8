/*-------------------------------------------------------------------------
 *
 * shard_node.c
 *	  A node of the cluster: where it is, requests that it executes, and a session
 *	  of the current user's there, for reading many items.
 *
 * These come one by one, so they need no room here, however many they are.  A node
 * that hangs is not waited for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_request.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "peer/peer.h"
#include "shard/shard_internal.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Milliseconds after which it is looked whether a silent session will go on. */
#define SILENCE		10000

/* Where a node is. */
typedef struct Address
{
	char	   *host;
	int			port;
} Address;

struct ShardSession
{
	PGconn	   *conn;
	DynamoNode	node;
};

static void take_node(HeapTuple row, TupleDesc desc, void *arg);
static void take_rows(PGresult *result, FmgrInfo *receive, Oid param,
					  ShardTakeItem take, void *arg);
static void take_items(const PGresult *result, FmgrInfo *receive, Oid param,
					   ShardTakeItem take, void *arg);
static const Item *receive_item(const PGresult *result, int row,
								FmgrInfo *receive, Oid param);
static PGresult *next_result(ShardSession *session);
static void look_at(const DynamoNode *node);
static void fail(ShardSession *session, PGresult *result) pg_attribute_noreturn();
static void is_silent(const DynamoNode *node) pg_attribute_noreturn();

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
 * A session at the node of a group, which the caller ends by shard_session_end().
 */
ShardSession *
shard_session_begin(int32 group)
{
	ShardSession *session = palloc(sizeof(ShardSession));
	const char *host;
	int			port;

	if (!shard_group_node(group, &host, &port))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("node %d has no address in its cluster", group)));
	dynamo_node_init(&session->node, host, port);
	session->conn = peer_connect_within(&session->node, SHARD_LOCK_WAIT, 0);
	PG_TRY();
	{
		if (!peer_connects(session->conn))
			is_silent(&session->node);
		if (PQstatus(session->conn) == CONNECTION_BAD)
			fail(session, NULL);
	}
	PG_CATCH();
	{
		PQfinish(session->conn);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return session;
}

void
shard_session_end(ShardSession *session)
{
	PQfinish(session->conn);
	pfree(session);
}

/*
 * Give "take" each item of a query of one column, in a context for that item
 * alone.
 */
void
shard_session_items(ShardSession *session, const char *query,
					ShardTakeItem take, void *arg)
{
	PGresult   *result;
	FmgrInfo	receive;
	Oid			function;
	Oid			param;

	getTypeBinaryInputInfo(schema_item_type(), &function, &param);
	fmgr_info(function, &receive);
	if (PQsendQueryParams(session->conn, query, 0, NULL, NULL, NULL, NULL, 1) == 0 ||
		PQsetSingleRowMode(session->conn) == 0)
		fail(session, NULL);
	while ((result = next_result(session)) != NULL)
	{
		ExecStatusType status = PQresultStatus(result);

		if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK)
			fail(session, result);
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
shard_session_run(ShardSession *session, const char *query)
{
	(void) shard_session_ask(session, query);
}

/*
 * Its transaction may take as long as it takes, whatever is set for sessions there.
 * Each is a statement by itself, as Citus sends them to other nodes.
 */
void
shard_session_last(ShardSession *session)
{
	static const char *const limits[] = {
		"statement_timeout", "idle_in_transaction_session_timeout",
		"transaction_timeout"	/* since PostgreSQL 17 */
	};

	for (int i = 0; i < lengthof(limits); i++)
	{
		if (GetConfigOption(limits[i], true, false) != NULL)
			shard_session_run(session, psprintf("SET LOCAL %s = 0", limits[i]));
	}
}

/*
 * The first value of a query's rows, as text; NULL: there is none.
 */
char *
shard_session_ask(ShardSession *session, const char *query)
{
	PGresult   *result;
	char	   *value = NULL;

	if (PQsendQuery(session->conn, query) == 0)
		fail(session, NULL);
	while ((result = next_result(session)) != NULL)
	{
		ExecStatusType status = PQresultStatus(result);

		if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
			fail(session, result);
		if (status == PGRES_TUPLES_OK && PQntuples(result) > 0 &&
			!PQgetisnull(result, 0, 0))
			value = pstrdup(PQgetvalue(result, 0, 0));
		PQclear(result);
	}
	return value;
}

/*
 * NULL: there is none any more.  There may be much to do for it, so it is waited for as
 * long as the node answers others.
 */
static PGresult *
next_result(ShardSession *session)
{
	while (PQisBusy(session->conn))
	{
		if (!peer_wakes(session->conn, WL_SOCKET_READABLE, SILENCE))
			look_at(&session->node);
		else if (PQconsumeInput(session->conn) == 0)
			fail(session, NULL);
	}
	return PQgetResult(session->conn);
}

/*
 * Raises if a node does not answer others either.  To refuse a connection is an answer.
 */
static void
look_at(const DynamoNode *node)
{
	PGconn	   *conn = peer_connect_within(node, SHARD_LOCK_WAIT, 0);

	PG_TRY();
	{
		if (!peer_connects(conn))
			is_silent(node);
	}
	PG_FINALLY();
	{
		PQfinish(conn);
	}
	PG_END_TRY();
}

static void
fail(ShardSession *session, PGresult *result)
{
	const char *said = result ? PQresultErrorMessage(result) :
		session->conn ? PQerrorMessage(session->conn) : "out of memory";
	char	   *message = pchomp(said);

	PQclear(result);
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("items cannot be read from node %s:%d: %s",
					session->node.host, session->node.port, message),
			 errhint("See whether it runs, lets this node in, and who holds locks there; then try again.")));
}

static void
is_silent(const DynamoNode *node)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("items cannot be read: node %s:%d does not answer",
					node->host, node->port),
			 errhint("See whether it hangs, or restart it; then try again.")));
}

/*
 * Give "take" the items of the query that a node answers a question with, which
 * holds for the same transaction; false: it answers with null.
 */
bool
shard_read_items(int32 group, const char *question, ShardTakeItem take,
				 void *arg)
{
	ShardSession *session = shard_session_begin(group);
	char	   *volatile query = NULL;

	PG_TRY();
	{
		shard_session_run(session, "BEGIN READ ONLY; SET LOCAL row_security = off");
		shard_session_last(session);
		query = shard_session_ask(session, question);
		if (query != NULL)
			shard_session_items(session, query, take, arg);
		shard_session_run(session, "COMMIT");
	}
	PG_FINALLY();
	{
		shard_session_end(session);
	}
	PG_END_TRY();
	return query != NULL;
}
