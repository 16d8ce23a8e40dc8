/*-------------------------------------------------------------------------
 *
 * http_node.c
 *	  Connections to the other nodes of a cluster, and what runs on them.
 *
 * A worker has one connection for each node and role that its requests have
 * been sent to lately.  On it the role's session calls
 * dynamo_internal.call_at_owner(), one call after the other, without waiting
 * for the answers (libpq's pipeline mode).  Each call is a transaction.
 *
 * Calls commit without waiting for the disk, as requests do that a worker
 * executes itself.  When calls that write have been sent, one more statement
 * waits for the disk, and only its result makes their answers good.  While one
 * such statement is under way no other is sent, so at a busy node each serves
 * many calls.
 *
 * Nothing here waits.  The connections are in an epoll set, and a connection
 * that is being made is waited for by whoever needs it.  When a connection
 * cannot be made, the node is down for a second, and nothing is sent there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/epoll.h>

#include "base/base_watch.h"
#include "http/http_internal.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#define MAX_EVENTS		64

/* Connections of a worker, and calls on one of them. */
#define MAX_PEERS		256
#define MAX_CALLS		512

/* Milliseconds: to connect in, to leave a node alone, to keep what is idle. */
#define CONNECT_TIMEOUT	2000
#define DOWN_TIME		1000
#define IDLE_TIME		60000

/* ... and between a call's time and the end of patience, without any grace. */
#define LEAST_GRACE		1000

#define CALL			"call"
#define FLUSH			"flush"

typedef struct Peer
{
	dlist_node	link;
	DynamoNode	key;
	PGconn	   *conn;			/* NULL: none; the node is down */
	bool		ready;			/* takes calls */
	bool		reported;		/* the log has it that there is none */
	int			fd;				/* in the epoll set, or -1 */
	uint32		events;			/* ... for these */
	dlist_head	sent;			/* HttpCall, in order */
	int			nsent;
	dlist_head	written;		/* HttpCall answered, but not on disk yet */
	bool		wrote;			/* calls that write were sent since the flush */
	bool		flushing;
	TimestampTz changed;		/* began to connect, failed, or was used last */
} Peer;

typedef enum CallState
{
	CALL_SENT,
	CALL_WRITTEN,
	CALL_DONE
} CallState;

typedef enum CallKind
{
	CALL_PREPARE,
	CALL_REQUEST,
	CALL_FLUSH
} CallKind;

struct HttpCall
{
	dlist_node	link;			/* unless done */
	Peer	   *peer;
	CallKind	kind;
	CallState	state;
	bool		forgotten;		/* nobody asks for it any more */
	bool		writes;
	bool		answered;		/* done: or else the connection was lost */
	PGresult   *result;
	TimestampTz sent;
};

static MemoryContext node_context;
static int	epoll_fd = -1;
static dlist_head peers = DLIST_STATIC_INIT(peers);
static int	npeers = 0;

static Peer *find_peer(const DynamoNode *key);
static Peer *make_peer(const DynamoNode *key);
static void drop_peer(Peer *peer);
static void connect_peer(Peer *peer);
static void go_on_connecting(Peer *peer);
static bool prepare(Peer *peer);
static HttpCall *add_call(Peer *peer, CallKind kind, bool writes);
static bool send_flush(Peer *peer);
static bool send_all(Peer *peer);
static void receive(Peer *peer);
static void end_call(HttpCall *call);
static void finish_call(HttpCall *call, bool answered);
static void lose(Peer *peer, const char *why);
static void watch(Peer *peer, uint32 events);
static void unwatch(Peer *peer);
static long peer_timeout(const Peer *peer, TimestampTz now);
static void ignore_notice(void *arg, const char *message);

/*
 * Returns a descriptor that is readable when http_node_run() has something to
 * do.
 */
int
http_node_init(MemoryContext context)
{
	node_context = context;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		ereport(FATAL,
				(errcode_for_socket_access(),
				 errmsg("%s() failed: %m", "epoll_create1")));
	return epoll_fd;
}

/*
 * May requests leave this process?
 */
bool
http_node_possible(void)
{
	return epoll_fd >= 0;
}

/*
 * Call the owner.  HTTP_NO_ROOM: not yet; HTTP_NO_WAY: the node is down.  Not
 * in a transaction.
 */
HttpSent
http_node_send(const DynamoNode *key, const char *const *values,
			   const int *lengths, int nvalues, bool writes, HttpCall **call)
{
	Peer	   *peer = find_peer(key);
	TimestampTz now = GetCurrentTimestamp();

	if (peer == NULL)
		peer = make_peer(key);
	if (peer == NULL)
		return HTTP_NO_ROOM;
	if (peer->conn == NULL)
	{
		if (peer->changed != 0 &&
			now < TimestampTzPlusMilliseconds(peer->changed, DOWN_TIME))
			return HTTP_NO_WAY;
		connect_peer(peer);
		return peer->conn == NULL ? HTTP_NO_WAY : HTTP_NO_ROOM;
	}
	if (!peer->ready || peer->nsent >= MAX_CALLS)
		return HTTP_NO_ROOM;
	peer->changed = now;
	if (PQsendQueryPrepared(peer->conn, CALL, nvalues, values, lengths, NULL,
							0) == 0)
	{
		lose(peer, PQerrorMessage(peer->conn));
		return HTTP_NO_WAY;
	}

	/* From here on the request may be executed whatever happens. */
	*call = add_call(peer, CALL_REQUEST, writes);
	peer->wrote |= writes;
	if (PQpipelineSync(peer->conn) == 0)
		lose(peer, PQerrorMessage(peer->conn));
	else
		(void) send_all(peer);
	return HTTP_SENT;
}

/*
 * The connection to a node for a role; NULL: there is none.
 */
static Peer *
find_peer(const DynamoNode *key)
{
	dlist_iter	iter;

	dlist_foreach(iter, &peers)
	{
		Peer	   *peer = dlist_container(Peer, link, iter.cur);

		if (peer->key.port == key->port &&
			strcmp(peer->key.host, key->host) == 0 &&
			strcmp(peer->key.role, key->role) == 0)
			return peer;
	}
	return NULL;
}

/*
 * NULL: there are too many that are in use.
 */
static Peer *
make_peer(const DynamoNode *key)
{
	Peer	   *peer;

	if (npeers >= MAX_PEERS)
	{
		dlist_mutable_iter iter;

		dlist_foreach_modify(iter, &peers)
		{
			peer = dlist_container(Peer, link, iter.cur);
			if (peer->nsent == 0 && dlist_is_empty(&peer->written))
			{
				drop_peer(peer);
				break;
			}
		}
		if (npeers >= MAX_PEERS)
			return NULL;
	}
	peer = MemoryContextAllocZero(node_context, sizeof(Peer));
	peer->key = *key;
	peer->fd = -1;
	dlist_init(&peer->sent);
	dlist_init(&peer->written);
	dlist_push_tail(&peers, &peer->link);
	npeers++;
	return peer;
}

/*
 * It has no calls.
 */
static void
drop_peer(Peer *peer)
{
	if (peer->conn != NULL)
	{
		unwatch(peer);
		PQfinish(peer->conn);
		ReleaseExternalFD();
	}
	dlist_delete(&peer->link);
	npeers--;
	pfree(peer);
}

/*
 * Begin to connect.  If that fails, the node has no connection.
 */
static void
connect_peer(Peer *peer)
{
	peer->changed = GetCurrentTimestamp();
	if (!AcquireExternalFD())
		return;
	peer->ready = false;
	peer->conn = http_conninfo_connect(&peer->key);
	if (peer->conn == NULL || PQstatus(peer->conn) == CONNECTION_BAD)
	{
		lose(peer, peer->conn ? PQerrorMessage(peer->conn) : "out of memory");
		return;
	}
	PQsetNoticeProcessor(peer->conn, ignore_notice, NULL);
	watch(peer, EPOLLOUT);
}

static void
go_on_connecting(Peer *peer)
{
	/* The descriptor may become another one. */
	unwatch(peer);
	switch (PQconnectPoll(peer->conn))
	{
		case PGRES_POLLING_OK:
			if (prepare(peer))
				(void) send_all(peer);
			else
				lose(peer, PQerrorMessage(peer->conn));
			break;
		case PGRES_POLLING_READING:
			watch(peer, EPOLLIN);
			break;
		case PGRES_POLLING_WRITING:
			watch(peer, EPOLLOUT);
			break;
		default:
			lose(peer, PQerrorMessage(peer->conn));
			break;
	}
}

/*
 * The connection is there: prepare what is called on it.
 */
static bool
prepare(Peer *peer)
{
	if (PQsetnonblocking(peer->conn, 1) != 0 ||
		PQenterPipelineMode(peer->conn) == 0 ||
		PQsendPrepare(peer->conn, CALL,
					  "SELECT dynamo_internal.call_at_owner($1, $2)",
					  0, NULL) == 0 ||
		PQsendPrepare(peer->conn, FLUSH,
					  "SELECT dynamo_internal.flush_commits()",
					  0, NULL) == 0)
		return false;
	(void) add_call(peer, CALL_PREPARE, false);
	return PQpipelineSync(peer->conn) != 0;
}

static HttpCall *
add_call(Peer *peer, CallKind kind, bool writes)
{
	HttpCall   *call = MemoryContextAllocZero(node_context, sizeof(HttpCall));

	call->peer = peer;
	call->kind = kind;
	call->writes = writes;
	call->forgotten = kind != CALL_REQUEST;
	call->sent = GetCurrentTimestamp();
	dlist_push_tail(&peer->sent, &call->link);
	peer->nsent++;
	return call;
}

/*
 * All requests that were there have been executed or sent: have what was
 * written on other nodes brought to disk, and end what has taken too long.
 */
void
http_node_settle(void)
{
	TimestampTz now;
	dlist_mutable_iter iter;

	if (dlist_is_empty(&peers))
		return;
	now = GetCurrentTimestamp();
	dlist_foreach_modify(iter, &peers)
	{
		Peer	   *peer = dlist_container(Peer, link, iter.cur);

		if (peer->ready && peer->wrote && !peer->flushing &&
			!send_flush(peer))
			lose(peer, PQerrorMessage(peer->conn));
		if (peer_timeout(peer, now) > 0)
			continue;
		if (peer->nsent > 0 || (peer->conn != NULL && !peer->ready))
			lose(peer, "timeout");
		else
			drop_peer(peer);
	}
}

static bool
send_flush(Peer *peer)
{
	if (PQsendQueryPrepared(peer->conn, FLUSH, 0, NULL, NULL, NULL, 0) == 0)
		return false;
	(void) add_call(peer, CALL_FLUSH, false);
	peer->wrote = false;
	peer->flushing = true;
	if (PQpipelineSync(peer->conn) == 0)
		return false;
	return send_all(peer);
}

/*
 * Milliseconds until http_node_settle() has something to do without any event;
 * -1: never.
 */
long
http_node_timeout(void)
{
	TimestampTz now;
	long		soonest = -1;
	dlist_iter	iter;

	if (dlist_is_empty(&peers))
		return -1;
	now = GetCurrentTimestamp();
	dlist_foreach(iter, &peers)
	{
		long		left = peer_timeout(dlist_container(Peer, link, iter.cur),
										now);

		soonest = soonest < 0 ? left : Min(soonest, left);
	}
	return soonest;
}

/*
 * Milliseconds until the node has taken too long.  A call is cancelled by its
 * own session if it takes longer than a request may.
 */
static long
peer_timeout(const Peer *peer, TimestampTz now)
{
	TimestampTz since = peer->changed;
	long		patience = IDLE_TIME;

	if (peer->conn != NULL && !peer->ready)
		patience = CONNECT_TIMEOUT;
	else if (peer->nsent > 0)
	{
		if (http_request_timeout == 0)
			return IDLE_TIME;
		since = dlist_container(HttpCall, link,
								unconstify(Peer *, peer)->sent.head.next)->sent;
		patience = (long) http_request_timeout +
			Max(dynamo_grace_period, LEAST_GRACE);
	}
	return TimestampDifferenceMilliseconds(now,
										   TimestampTzPlusMilliseconds(since, patience));
}

/*
 * Take in what has come.
 */
void
http_node_run(void)
{
	struct epoll_event events[MAX_EVENTS];
	int			n = epoll_wait(epoll_fd, events, MAX_EVENTS, 0);

	for (int i = 0; i < n; i++)
	{
		Peer	   *peer = events[i].data.ptr;

		if (PQstatus(peer->conn) != CONNECTION_OK)
			go_on_connecting(peer);
		else if (send_all(peer))
			receive(peer);
	}
}

/*
 * Send what libpq has to send, as far as that is possible now.  False: the
 * connection was lost.
 */
static bool
send_all(Peer *peer)
{
	int			left = PQflush(peer->conn);

	if (left < 0)
	{
		lose(peer, PQerrorMessage(peer->conn));
		return false;
	}
	watch(peer, left > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return true;
}

static void
receive(Peer *peer)
{
	if (PQconsumeInput(peer->conn) == 0)
	{
		lose(peer, PQerrorMessage(peer->conn));
		return;
	}
	while (peer->nsent > 0 && !PQisBusy(peer->conn))
	{
		HttpCall   *call = dlist_head_element(HttpCall, link, &peer->sent);
		PGresult   *result = PQgetResult(peer->conn);

		if (result == NULL)
			continue;			/* the end of one statement's results */
		if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
		{
			PQclear(result);
			end_call(call);
			if (peer->conn == NULL)
				return;
		}
		else if (call->result == NULL ||
				 PQresultStatus(result) == PGRES_FATAL_ERROR)
		{
			PQclear(call->result);
			call->result = result;
		}
		else
			PQclear(result);
	}
	if (PQstatus(peer->conn) == CONNECTION_BAD)
		lose(peer, PQerrorMessage(peer->conn));
}

/*
 * The oldest call on a connection has its results.
 */
static void
end_call(HttpCall *call)
{
	Peer	   *peer = call->peer;
	bool		failed = PQresultStatus(call->result) == PGRES_FATAL_ERROR;
	CallKind	kind = call->kind;

	if (kind != CALL_REQUEST && failed)
	{
		lose(peer, PQresultErrorMessage(call->result));
		return;
	}
	dlist_delete(&call->link);
	peer->nsent--;
	if (call->writes && !failed)
	{
		call->state = CALL_WRITTEN;
		dlist_push_tail(&peer->written, &call->link);
	}
	else
		finish_call(call, true);
	if (kind == CALL_PREPARE)
	{
		peer->ready = true;
		peer->reported = false;
	}
	if (kind != CALL_FLUSH)
		return;
	peer->flushing = false;

	/* It came after all calls that are answered by now. */
	while (!dlist_is_empty(&peer->written))
		finish_call(dlist_container(HttpCall, link,
									dlist_pop_head_node(&peer->written)),
					true);
}

/*
 * It is in no list any more.
 */
static void
finish_call(HttpCall *call, bool answered)
{
	call->state = CALL_DONE;
	call->peer = NULL;
	call->answered = answered;
	if (call->forgotten)
		http_node_forget(call);
}

/*
 * The connection is of no use.  Nobody knows what became of its calls.
 */
static void
lose(Peer *peer, const char *why)
{
	unwatch(peer);
	if (!peer->reported)
		ereport(LOG,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("dynamo cannot reach node %s:%d as role \"%s\"",
						peer->key.host, peer->key.port, peer->key.role),
				 errdetail_internal("%s", why)));
	peer->reported = true;
	PQfinish(peer->conn);
	peer->conn = NULL;
	ReleaseExternalFD();

	/* One that has worked until now may work again at once. */
	peer->changed = peer->ready ? 0 : GetCurrentTimestamp();
	peer->ready = peer->wrote = peer->flushing = false;
	peer->nsent = 0;
	while (!dlist_is_empty(&peer->written))
		finish_call(dlist_container(HttpCall, link,
									dlist_pop_head_node(&peer->written)),
					false);
	while (!dlist_is_empty(&peer->sent))
		finish_call(dlist_container(HttpCall, link,
									dlist_pop_head_node(&peer->sent)),
					false);
}

/*
 * Have these events reported.
 */
static void
watch(Peer *peer, uint32 events)
{
	struct epoll_event event = {.events = events,.data.ptr = peer};
	int			fd = PQsocket(peer->conn);

	if (fd < 0 || (fd == peer->fd && events == peer->events))
		return;
	if (epoll_ctl(epoll_fd, fd == peer->fd ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
				  fd, &event) != 0)
		elog(LOG, "epoll_ctl() failed: %m");
	peer->fd = fd;
	peer->events = events;
}

static void
unwatch(Peer *peer)
{
	/* One that libpq has closed is in no set any more. */
	if (peer->fd >= 0)
		(void) epoll_ctl(epoll_fd, EPOLL_CTL_DEL, peer->fd, NULL);
	peer->fd = -1;
	peer->events = 0;
}

bool
http_call_is_done(const HttpCall *call)
{
	return call->state == CALL_DONE;
}

/*
 * What the owner said, until the call is forgotten; NULL: the connection was
 * lost.
 */
const PGresult *
http_call_result(const HttpCall *call)
{
	return call->answered ? call->result : NULL;
}

bool
http_call_writes(const HttpCall *call)
{
	return call->writes;
}

/*
 * Nobody waits for the call any more.  It goes on at its node.
 */
void
http_node_forget(HttpCall *call)
{
	call->forgotten = true;
	if (call->state != CALL_DONE)
		return;
	PQclear(call->result);
	pfree(call);
}

static void
ignore_notice(void *arg, const char *message)
{
}
