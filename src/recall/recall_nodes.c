/*-------------------------------------------------------------------------
 *
 * recall_nodes.c
 *	  Sessions at all nodes of the cluster, which are asked at the same time, and
 *	  fail if one does not answer within a time.
 *
 * While a moment is taken nobody commits on several nodes.  So nothing here waits
 * without limit, and neither do the nodes: a session whose question takes too long,
 * or that is asked nothing for a while, is ended by its own server, and with it the
 * locks that it has.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_route.h"
#include "executor/spi.h"
#include "libpq-fe.h"
#include "meta/meta.h"
#include "peer/peer.h"
#include "recall/recall_internal.h"
#include "shard/shard.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

/* Milliseconds: for a connection, for a lock at a node, for a question. */
#define CONNECT_WAIT	3000
#define LOCK_WAIT		1000
#define ANSWER_WAIT		2000

/*
 * A node's session ends if it is asked nothing for so long, and its commit waits for
 * no standby.  Otherwise one that is away would have the others wait.
 */
#define BEGIN_SESSION \
	"SET idle_in_transaction_session_timeout = 4000; SET idle_session_timeout = 60000; " \
	"SET synchronous_commit = local"

static void take_node(HeapTuple row, TupleDesc desc, void *nodes);
static void connect_all(RecallNodes *nodes);
static void connect_to(RecallNodes *nodes, RecallNode *node);
static void send(RecallNode *node, const char *query);
static void settle(RecallNodes *nodes, RecallNode *node);
static void await_answer(const RecallNodes *nodes, const RecallNode *node);
static void be_late(const RecallNode *node) pg_attribute_noreturn();
static void fail(RecallNode *node, PGresult *result) pg_attribute_noreturn();

/*
 * Begin a session of the current user's at each node that may commit anything, in
 * the order of their numbers.  The caller ends them, after an error, too.
 */
void
recall_nodes_begin(RecallNodes *nodes)
{
	nodes->n = 0;
	nodes->nodes = NULL;
	(void) meta_query("SELECT n.groupid, n.nodename, n.nodeport FROM pg_catalog.pg_dist_node AS n "
					  "WHERE n.noderole OPERATOR(pg_catalog.=) 'primary'::pg_catalog.noderole ORDER BY n.groupid",
					  0, NULL, NULL, take_node, nodes);
	if (nodes->n == 0 || nodes->nodes[0].group != SHARD_COORDINATOR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the coordinator has no address in its cluster"),
				 errhint("Call citus_set_coordinator_host().")));
	recall_nodes_allow(nodes, CONNECT_WAIT);
	connect_all(nodes);
	recall_nodes_ask(nodes, BEGIN_SESSION);
}

static void
take_node(HeapTuple row, TupleDesc desc, void *arg)
{
	RecallNodes *nodes = arg;
	RecallNode *node;
	bool		isnull;

	nodes->nodes = nodes->nodes == NULL ? palloc(sizeof(RecallNode)) :
		repalloc(nodes->nodes, (nodes->n + 1) * sizeof(RecallNode));
	node = &nodes->nodes[nodes->n++];
	memset(node, 0, sizeof(*node));
	node->group = DatumGetInt32(SPI_getbinval(row, desc, 1, &isnull));
	node->host = SPI_getvalue(row, desc, 2);
	node->port = DatumGetInt32(SPI_getbinval(row, desc, 3, &isnull));
	node->name = psprintf("%s:%d", node->host, node->port);
}

/*
 * What follows is to be done within that time.
 */
void
recall_nodes_allow(RecallNodes *nodes, int milliseconds)
{
	nodes->deadline = GetCurrentTimestamp() +
		milliseconds * INT64CONST(1000);
}

static void
connect_all(RecallNodes *nodes)
{
	for (int i = 0; i < nodes->n; i++)
	{
		RecallNode *node = &nodes->nodes[i];
		DynamoNode	there;

		dynamo_node_init(&there, node->host, node->port);
		node->conn = peer_connect_within(&there, LOCK_WAIT, ANSWER_WAIT);
		if (node->conn == NULL || PQstatus(node->conn) == CONNECTION_BAD)
			fail(node, NULL);
	}
	for (int i = 0; i < nodes->n; i++)
		connect_to(nodes, &nodes->nodes[i]);
}

static void
connect_to(RecallNodes *nodes, RecallNode *node)
{
	if (!peer_connects_until(node->conn, nodes->deadline))
		be_late(node);
	if (PQstatus(node->conn) == CONNECTION_BAD)
		fail(node, NULL);
}

/*
 * Ask all nodes, at the same time.
 */
void
recall_nodes_ask(RecallNodes *nodes, const char *query)
{
	for (int i = 0; i < nodes->n; i++)
		send(&nodes->nodes[i], query);
	for (int i = 0; i < nodes->n; i++)
		settle(nodes, &nodes->nodes[i]);
}

/*
 * The same one after the other.
 */
void
recall_nodes_ask_in_turn(RecallNodes *nodes, const char *query)
{
	for (int i = 0; i < nodes->n; i++)
	{
		send(&nodes->nodes[i], query);
		settle(nodes, &nodes->nodes[i]);
	}
}

static void
send(RecallNode *node, const char *query)
{
	if (PQsendQuery(node->conn, query) == 0)
		fail(node, NULL);
}

/*
 * Take the first value of its last rows; without rows the answer stays.
 */
static void
settle(RecallNodes *nodes, RecallNode *node)
{
	for (;;)
	{
		PGresult   *result;
		ExecStatusType status;

		while (PQisBusy(node->conn))
		{
			await_answer(nodes, node);
			if (PQconsumeInput(node->conn) == 0)
				fail(node, NULL);
		}
		result = PQgetResult(node->conn);
		if (result == NULL)
			return;
		status = PQresultStatus(result);
		if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
			fail(node, result);
		if (status == PGRES_TUPLES_OK && PQntuples(result) > 0)
			node->answer = PQgetisnull(result, 0, 0) ? NULL :
				pstrdup(PQgetvalue(result, 0, 0));
		PQclear(result);
	}
}

static void
await_answer(const RecallNodes *nodes, const RecallNode *node)
{
	long		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
													   nodes->deadline);

	if (left <= 0 || !peer_wakes(node->conn, WL_SOCKET_READABLE, left))
		be_late(node);
}

static void
be_late(const RecallNode *node)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("node %s does not answer in time", node->name)));
}

static void
fail(RecallNode *node, PGresult *result)
{
	char	   *message = pchomp(result ? PQresultErrorMessage(result) :
								 node->conn ? PQerrorMessage(node->conn) :
								 "there is no connection");

	PQclear(result);
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("node %s takes no part in a moment of the cluster: %s",
					node->name, message)));
}

/*
 * What has not been committed is undone by the node.
 */
void
recall_nodes_end(RecallNodes *nodes)
{
	for (int i = 0; i < nodes->n; i++)
	{
		PQfinish(nodes->nodes[i].conn);
		nodes->nodes[i].conn = NULL;
	}
}
