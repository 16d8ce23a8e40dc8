/*-------------------------------------------------------------------------
 *
 * peer_conninfo.c
 *	  How to connect to another node of a cluster: as the nodes do themselves.
 *
 * Citus' setting citus.node_conninfo and its table pg_dist_authinfo say how a
 * role is to be authenticated at a node.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_session.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "peer/peer.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#define NODE_CONNINFO	"citus.node_conninfo"
#define CONNECT_TIMEOUT	"citus.node_connection_timeout"

/* Milliseconds that a call waits for a lock: others wait behind it. */
#define LOCK_WAIT		1

#define MAX_WORDS		64

/* What of Citus says how a role is known to a node; the node's own goes first. */
#define AUTHINFO_QUERY \
	"SELECT a.authinfo FROM pg_catalog.pg_dist_authinfo a " \
	"LEFT JOIN pg_catalog.pg_dist_node n ON n.nodeid OPERATOR(pg_catalog.=) a.nodeid " \
	"WHERE a.rolename OPERATOR(pg_catalog.=) $3::pg_catalog.name " \
	"AND (a.nodeid OPERATOR(pg_catalog.=) 0 OR " \
	"(n.nodename OPERATOR(pg_catalog.=) $1 AND n.nodeport OPERATOR(pg_catalog.=) $2)) " \
	"ORDER BY a.nodeid DESC LIMIT 1"

/* Words of a conninfo, the last of the same name counts. */
typedef struct Words
{
	int			n;
	const char *names[MAX_WORDS + 1];
	const char *values[MAX_WORDS + 1];
	PQconninfoOption *parsed[2];
	int			nparsed;
} Words;

static PGconn *start(const DynamoNode *node, const char *own,
					 const char *database, int lock_wait, int timeout);
static char *authinfo(const DynamoNode *node);
static void add_all(Words *words, const char *conninfo);
static void add_word(Words *words, const char *name, const char *value);

/*
 * Begin to connect, with libpq's functions for connecting without waiting.  An
 * address that has to be looked up by name is waited for.  NULL, or a
 * connection that is bad: it failed.
 */
PGconn *
peer_connect(const DynamoNode *node, int timeout)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo node",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	char	   *own;
	char	   *database;
	PGconn	   *conn;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	MemoryContextSwitchTo(context);
	own = authinfo(node);
	database = get_database_name(MyDatabaseId);
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);

	conn = start(node, own, database, LOCK_WAIT, timeout);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return conn;
}

PGconn *
peer_connect_within(const DynamoNode *node, int lock_wait, int timeout)
{
	return start(node, authinfo(node), get_database_name(MyDatabaseId),
				 lock_wait, timeout);
}

/*
 * Wait until a connection that is being made is there, or refused, as long as Citus
 * waits for one.  False: the node does not answer.
 */
bool
peer_connects(PGconn *conn)
{
	int			patience = pg_strtoint32(GetConfigOption(CONNECT_TIMEOUT, false,
														 false));

	return peer_connects_until(conn,
							   TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
														   patience));
}

/*
 * The same up to that time.
 */
bool
peer_connects_until(PGconn *conn, TimestampTz end)
{
	PostgresPollingStatusType status = PQstatus(conn) == CONNECTION_BAD ?
		PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;

	while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING)
	{
		long		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														   end);

		if (left <= 0 ||
			!peer_wakes(conn, status == PGRES_POLLING_READING ?
						WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE, left))
			return false;
		status = PQconnectPoll(conn);
	}
	return true;
}

/*
 * Wait for events of a connection's socket.  False: there were none for so long.
 */
bool
peer_wakes(PGconn *conn, int events, long milliseconds)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
												  milliseconds);

	for (;;)
	{
		long		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														   end);
		int			happened = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_TIMEOUT |
												 WL_EXIT_ON_PM_DEATH | events,
												 PQsocket(conn), left,
												 PG_WAIT_EXTENSION);

		if (happened & WL_LATCH_SET)
		{
			ResetLatch(MyLatch);
			CHECK_FOR_INTERRUPTS();
		}
		if (happened & (events | WL_TIMEOUT))
			return (happened & events) != 0;
	}
}

/*
 * "own" is what Citus says of the role there.
 */
static PGconn *
start(const DynamoNode *node, const char *own, const char *database,
	  int lock_wait, int timeout)
{
	Words		words = {0};
	PGconn	   *conn;

	add_all(&words, GetConfigOption(NODE_CONNINFO, true, false));
	add_all(&words, own);
	add_word(&words, "host", node->host);
	add_word(&words, "port", psprintf("%d", node->port));
	add_word(&words, "user", node->role);
	add_word(&words, "dbname", database);
	add_word(&words, "client_encoding", GetDatabaseEncodingName());
	add_word(&words, "application_name", "dynamo http");
	add_word(&words, "options",
			 psprintf("-c lock_timeout=%d -c statement_timeout=%d "
					  "-c default_transaction_isolation=read\\ committed "
					  "-c default_transaction_read_only=off",
					  lock_wait, timeout));
	conn = PQconnectStartParams(words.names, words.values, 0);

	for (int i = 0; i < words.nparsed; i++)
		PQconninfoFree(words.parsed[i]);
	return conn;
}

/*
 * In the current context; NULL: there is none.  It is read as a superuser: the
 * role itself may not see passwords, its own either.
 */
static char *
authinfo(const DynamoNode *node)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid			types[3] = {TEXTOID, INT4OID, TEXTOID};
	Datum		values[3] = {CStringGetTextDatum(node->host),
		Int32GetDatum(node->port),
	CStringGetTextDatum(node->role)};
	DynamoUser	user;
	char	   *found = NULL;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	dynamo_become(&user, BOOTSTRAP_SUPERUSERID, SECURITY_RESTRICTED_OPERATION);
	if (SPI_execute_with_args(AUTHINFO_QUERY, 3, types, values, NULL, true,
							  1) != SPI_OK_SELECT)
		elog(ERROR, "could not read Citus' authinfo");
	dynamo_resume_user(&user);
	if (SPI_processed > 0)
	{
		char	   *text = SPI_getvalue(SPI_tuptable->vals[0],
										SPI_tuptable->tupdesc, 1);

		if (text != NULL)
			found = MemoryContextStrdup(caller, text);
	}
	SPI_finish();
	return found;
}

/*
 * All that such a text says; NULL says nothing.
 */
static void
add_all(Words *words, const char *conninfo)
{
	char	   *message = NULL;
	PQconninfoOption *options;

	if (conninfo == NULL)
		return;
	options = PQconninfoParse(conninfo, &message);
	if (options == NULL)
	{
		ereport(LOG,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("dynamo cannot read how Citus connects to nodes"),
				 message ? errdetail_internal("%s", message) : 0));
		PQfreemem(message);
		return;
	}
	words->parsed[words->nparsed++] = options;
	for (PQconninfoOption *option = options; option->keyword != NULL; option++)
	{
		if (option->val != NULL)
			add_word(words, option->keyword, option->val);
	}
}

static void
add_word(Words *words, const char *name, const char *value)
{
	for (int i = 0; i < words->n; i++)
	{
		if (strcmp(words->names[i], name) == 0)
		{
			words->values[i] = value;
			return;
		}
	}
	if (words->n == MAX_WORDS)
		elog(ERROR, "too many words to connect by");
	words->names[words->n] = name;
	words->values[words->n++] = value;
}
