/*-------------------------------------------------------------------------
 *
 * replica_peer.c
 *	  Connections to other regions, and what they are asked.
 *
 * A process keeps a connection for each way to connect, of so many the ones used
 * last: users change their mappings as often as they like.  All waits end: to
 * connect and to be answered have a limit each, by a clock that nobody sets, a
 * cancel or the end of the process ends both, and what went wrong is returned, not
 * raised, since there may be no transaction.  A connection that has failed is
 * closed, and made anew when it is asked for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "libpq-fe.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process_watch.h"
#include "replica/replica_internal.h"
#include "storage/latch.h"
#include "utils/memutils.h"

/* Milliseconds */
#define CONNECT_LIMIT	3000
#define ANSWER_LIMIT	15000

/*
 * It gives way to writers there sooner than a deadlock is looked for.  In another
 * isolation level it would fail where it has waited for one.  What it says that
 * it has done is on disk: this region goes by that, and does not ask again.  No
 * standby is waited for.
 */
#define SETTINGS \
	"SET search_path = pg_catalog; SET lock_timeout = 500; " \
	"SET default_transaction_isolation = 'read committed'; " \
	"SET statement_timeout = 14000; SET synchronous_commit = local; " \
	"SET idle_in_transaction_session_timeout = 15000; " \
	"SET application_name = 'dynamo replication'; SET client_encoding = '%s'"

/* No question has more results.  COPY, which none asks for, has them without end. */
#define MAX_RESULTS		16

/* Ways to connect that are kept. */
#define MAX_PEERS		32

typedef struct Peer
{
	char	   *conninfo;
	PGconn	   *conn;
	int64		until;			/* the answer is waited for, by dynamo_clock() */
} Peer;

/* Those used last come first. */
static List *peers = NIL;

/* Of the error that a peer has answered with last; empty: it was no error of a peer. */
static char last_state[6];

static Peer *find_peer(const char *conninfo);
static void forget_last(void);
static bool connect_peer(Peer *peer, const ReplicaRoute *route, char *failure);
static bool wait_for(PGconn *conn, int events, int64 until);
static bool push(Peer *peer, char *failure);
static PGresult *await_answer(Peer *peer, char *failure);
static void lose(Peer *peer, char *failure, const char *reason);

/*
 * Ask a peer, and wait for the answer, which is to be cleared; values are text,
 * or bytes if "lengths" is not 0.  NULL: "failure" says why not.
 */
PGresult *
replica_ask(const ReplicaRoute *route, const char *query, int nvalues,
			const char *const *values, const int *lengths,
			char *failure)
{
	return replica_ask_begin(route, query, nvalues, values, lengths,
							 failure) ? replica_ask_end(route, failure) : NULL;
}

/*
 * The same in two steps: all of the question has left, and the peer is at it, until the
 * answer is waited for.  Nothing else is asked of any peer meanwhile.
 */
bool
replica_ask_begin(const ReplicaRoute *route, const char *query, int nvalues,
				  const char *const *values, const int *lengths,
				  char *failure)
{
	Peer	   *peer = find_peer(route->conninfo);
	int			formats[REPLICA_MAX_VALUES];

	last_state[0] = '\0';
	if (peer->conn == NULL && !connect_peer(peer, route, failure))
		return false;
	Assert(nvalues <= REPLICA_MAX_VALUES);
	for (int i = 0; i < nvalues; i++)
		formats[i] = lengths != NULL && lengths[i] != 0;
	if (PQsendQueryParams(peer->conn, query, nvalues, NULL, values, lengths,
						  formats, 0) == 0)
	{
		lose(peer, failure, PQerrorMessage(peer->conn));
		return false;
	}
	peer->until = dynamo_clock() + ANSWER_LIMIT;
	return push(peer, failure);
}

PGresult *
replica_ask_end(const ReplicaRoute *route, char *failure)
{
	Peer	   *peer = find_peer(route->conninfo);
	PGresult   *result = await_answer(peer, failure);

	if (result != NULL && PQresultStatus(result) != PGRES_TUPLES_OK &&
		PQresultStatus(result) != PGRES_COMMAND_OK)
	{
		const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

		strlcpy(failure, PQresultErrorMessage(result), REPLICA_FAILURE);
		failure[strcspn(failure, "\n")] = '\0';
		strlcpy(last_state, state ? state : "", sizeof(last_state));
		PQclear(result);
		return NULL;
	}
	return result;
}

/*
 * Was that the reason why the last question was in vain?
 */
bool
replica_refused(const char *sqlstate)
{
	return strcmp(last_state, sqlstate) == 0;
}

static Peer *
find_peer(const char *conninfo)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
	Peer	   *peer = NULL;
	ListCell   *lc;

	foreach(lc, peers)
	{
		Peer	   *known = lfirst(lc);

		if (strcmp(known->conninfo, conninfo) != 0)
			continue;
		peer = known;
		peers = foreach_delete_current(peers, lc);
		break;
	}
	if (peer == NULL)
	{
		if (list_length(peers) == MAX_PEERS)
			forget_last();
		peer = palloc0(sizeof(Peer));
		peer->conninfo = pstrdup(conninfo);
	}
	peers = lcons(peer, peers);
	Assert(list_length(peers) <= MAX_PEERS);
	MemoryContextSwitchTo(caller);
	return peer;
}

static void
forget_last(void)
{
	Peer	   *peer = llast(peers);

	PQfinish(peer->conn);
	pfree(peer->conninfo);
	pfree(peer);
	peers = list_delete_last(peers);
}

/*
 * Whose password must be asked for, the other server has asked for it: it might
 * trust us, for who we are, to be whom the mapping names.
 */
static bool
connect_peer(Peer *peer, const ReplicaRoute *route, char *failure)
{
	int64		until = dynamo_clock() + CONNECT_LIMIT;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	PGresult   *result;
	char		settings[512];

	peer->conn = PQconnectStart(peer->conninfo);
	if (peer->conn == NULL || PQstatus(peer->conn) == CONNECTION_BAD)
	{
		lose(peer, failure, peer->conn ? PQerrorMessage(peer->conn) :
			 "out of memory");
		return false;
	}
	while (status != PGRES_POLLING_OK)
	{
		if (status == PGRES_POLLING_FAILED)
		{
			lose(peer, failure, PQerrorMessage(peer->conn));
			return false;
		}
		if (!wait_for(peer->conn, status == PGRES_POLLING_READING ?
					  WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE, until))
		{
			lose(peer, failure, "could not connect in time");
			return false;
		}
		status = PQconnectPoll(peer->conn);
	}
	if (route->password_required && !PQconnectionUsedPassword(peer->conn))
	{
		lose(peer, failure,
			 "the region has asked for no password, which only a superuser's mapping may allow");
		return false;
	}
	snprintf(settings, sizeof(settings), SETTINGS, GetDatabaseEncodingName());
	if (PQsetnonblocking(peer->conn, 1) != 0 ||
		PQsendQuery(peer->conn, settings) == 0)
	{
		lose(peer, failure, PQerrorMessage(peer->conn));
		return false;
	}
	peer->until = dynamo_clock() + ANSWER_LIMIT;
	result = await_answer(peer, failure);
	if (result == NULL)
		return false;
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
	{
		lose(peer, failure, PQresultErrorMessage(result));
		PQclear(result);
		return false;
	}
	PQclear(result);
	return true;
}

/*
 * Send what libpq has to send; false: the connection is lost.
 */
static bool
push(Peer *peer, char *failure)
{
	int			left;

	while ((left = PQflush(peer->conn)) > 0)
	{
		if (!wait_for(peer->conn, WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE,
					  peer->until))
		{
			lose(peer, failure, "the region has not answered in time");
			return false;
		}

		/* What is said meanwhile makes room there for what is sent. */
		if (PQconsumeInput(peer->conn) == 0)
			break;
	}
	if (left == 0)
		return true;
	lose(peer, failure, PQerrorMessage(peer->conn));
	return false;
}

/*
 * The last of its results; NULL: the connection is lost.
 */
static PGresult *
await_answer(Peer *peer, char *failure)
{
	PGresult   *last = NULL;
	int			nresults = 0;

	for (;;)
	{
		int			left = PQflush(peer->conn);

		if (left < 0 || PQconsumeInput(peer->conn) == 0)
		{
			lose(peer, failure, PQerrorMessage(peer->conn));
			PQclear(last);
			return NULL;
		}
		if (left == 0 && !PQisBusy(peer->conn))
		{
			PGresult   *result = PQgetResult(peer->conn);

			if (result == NULL)
				break;
			PQclear(last);
			last = result;
			if (++nresults <= MAX_RESULTS)
				continue;
			lose(peer, failure, "the region has answered what it was not asked");
			PQclear(last);
			return NULL;
		}
		if (!wait_for(peer->conn, WL_SOCKET_READABLE |
					  (left > 0 ? WL_SOCKET_WRITEABLE : 0), peer->until))
		{
			lose(peer, failure, "the region has not answered in time");
			PQclear(last);
			return NULL;
		}
	}
	if (last == NULL)
		lose(peer, failure, "the region has not answered");
	return last;
}

/*
 * False: time is over, or we are to end.
 */
static bool
wait_for(PGconn *conn, int events, int64 until)
{
	for (;;)
	{
		int64		left = until - dynamo_clock();
		int			happened;

		if (left <= 0 || ProcDiePending || QueryCancelPending)
			return false;
		happened = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_TIMEOUT |
									 WL_EXIT_ON_PM_DEATH | events,
									 PQsocket(conn), Min(left, 200),
									 PG_WAIT_EXTENSION);
		if (happened & WL_LATCH_SET)
			ResetLatch(MyLatch);
		if (happened & events)
			return true;
	}
}

static void
lose(Peer *peer, char *failure, const char *reason)
{
	strlcpy(failure, reason, REPLICA_FAILURE);
	failure[strcspn(failure, "\n")] = '\0';
	PQfinish(peer->conn);
	peer->conn = NULL;
}
