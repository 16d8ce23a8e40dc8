/*-------------------------------------------------------------------------
 *
 * peer_node.c
 *	  Connections of a worker to other nodes of a cluster.
 *
 * There is one connection for a node and a role.  Its session there executes
 * DYNAMO_SERVE_CALLS: calls and answers are messages (base_message.c), and calls
 * follow one another without waiting for answers.  What the requests of a turn
 * call leaves together.  An answer that writes comes when it is on the other
 * node's disk.
 *
 * Nothing here waits.  The connections are in an epoll set, and a connection
 * that is being made is waited for by the request that needs it.  When a
 * connection cannot be made, the node is down for a second, and nothing is
 * sent there.
 *
 * A node's slots for sessions are few, and roles may be many.  So there are no
 * more connections to a node than a setting says, and roles take turns on them:
 * who has waited longest has the place of the connection that was not used for
 * longest.  Where all are in use the one that was kept for longest takes no more
 * calls, and is closed when it has answered.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <poll.h>
#include <sys/epoll.h>

#include "access/xact.h"
#include "base/base_message.h"
#include "lib/ilist.h"
#include "peer/peer.h"
#include "process/process_watch.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#define MAX_EVENTS		64

/* Nodes and roles that a worker knows, and calls on a connection. */
#define MAX_PEERS		256
#define MAX_CALLS		512

/* Milliseconds: to connect in, to leave a node alone, to keep what is idle. */
#define CONNECT_TIMEOUT	2000
#define DOWN_TIME		1000
#define IDLE_TIME		60000

/* ... and to wait for an answer without a look for interrupts. */
#define MOMENT			20

/*
 * Where roles take turns: a connection is kept for that long at least, a busy one
 * takes no calls for that long, and who does not ask for that long waits no more.
 */
#define LEAST_TENURE	100
#define LEAVE_TIME		200
#define WAIT_TIME		200

/* The node has no slot left: what it says, and the time to the next try. */
#define NO_SLOT			" 53300: "
#define FULL_TIME		100

/* ... and between a call's time and the end of patience, without any grace. */
#define LEAST_GRACE		1000

typedef struct Peer
{
	dlist_node	link;
	DynamoNode	key;
	PGconn	   *conn;			/* NULL: none; the node is down */
	bool		ready;			/* takes calls */
	bool		reported;		/* the log has it that there is none */
	bool		unsent;			/* libpq has calls to send */
	int			fd;				/* in the epoll set, or -1 */
	uint32		events;			/* ... for these */
	dlist_head	sent;			/* PeerCall, in order */
	int			nsent;
	int64		changed;		/* began to connect, failed, or was used last,
								 * by dynamo_clock(); 0: never */
	int64		answered;		/* a call had its answer last, likewise */

	/* for turns, by the same clock; 0: never */
	int64		since;			/* it is kept since then */
	int64		leaves_until;	/* takes no calls */
	int64		waits_since;	/* for a place */
	int64		asked;			/* ... and was asked for last */
	int64		full_until;		/* the node had no slot */
} Peer;

struct PeerCall
{
	dlist_node	link;			/* unless done */
	Peer	   *peer;
	bool		done;
	bool		forgotten;		/* nobody asks for it any more */
	bool		writes;
	char	   *answer;			/* libpq's memory; NULL: the connection was
								 * lost */
	int			len;
	int64		sent;			/* by dynamo_clock() */
};

/* The connections to a node, and who waits for one. */
typedef struct Places
{
	int			taken;
	int			spare;			/* ... of those: may be closed */
	int			leaving;		/* ... or will be soon */
	int			waiting;
	int			before;			/* ... of those: for longer than who asks */
	Peer	   *idlest;			/* of the spare ones; NULL: none */
	Peer	   *oldest;			/* of the busy ones that may be told to leave */
} Places;

static MemoryContext node_context;
static int	epoll_fd = -1;
static dlist_head peers = DLIST_STATIC_INIT(peers);
static int	npeers = 0;
static const int *request_timeout;	/* settings */
static const int *sessions_per_node;

static PeerSent reach(const DynamoNode *key, Peer **found);
static PeerSent put_call(Peer *peer, const char *message, int len,
						 bool writes, PeerCall **call);
static Peer *find_peer(const DynamoNode *key);
static Peer *make_peer(const DynamoNode *key);
static bool forget_peer(void);
static void drop_peer(Peer *peer);
static void close_peer(Peer *peer);
static bool take_place(Peer *peer, int64 now);
static void survey(const Peer *peer, int64 now, Places *places);
static bool is_spare(const Peer *peer, int64 now);
static bool same_node(const Peer *a, const Peer *b);
static int64 last_use(const Peer *peer);
static void connect_peer(Peer *peer);
static void go_on_connecting(Peer *peer);
static bool begin_calls(Peer *peer);
static void add_call(Peer *peer, PeerCall *call, bool writes);
static bool send_all(Peer *peer);
static void refuse(Peer *peer);
static void give_back(const Peer *peer);
static void receive(Peer *peer);
static bool become_ready(Peer *peer);
static bool end_call(Peer *peer, char *answer, int len);
static void finish_call(PeerCall *call);
static void lose(Peer *peer, const char *why);
static void watch_peer(Peer *peer, uint32 events);
static void unwatch(Peer *peer);
static long patience_left(const Peer *peer, int64 now);
static void ignore_notice(void *arg, const char *message);

/*
 * Returns a descriptor that is readable when peer_run() has something to
 * do.
 */
int
peer_init(MemoryContext context, const int *timeout, const int *sessions)
{
	node_context = context;
	request_timeout = timeout;
	sessions_per_node = sessions;
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
peer_possible(void)
{
	return epoll_fd >= 0;
}

/*
 * Could a call leave for the node?  PEER_NO_ROOM: not yet; PEER_NO_WAY: the node
 * is down.  Not in a transaction.
 */
PeerSent
peer_reach(const DynamoNode *key)
{
	Peer	   *peer;

	return reach(key, &peer);
}

static PeerSent
reach(const DynamoNode *key, Peer **found)
{
	Peer	   *peer = find_peer(key);

	if (peer == NULL)
		peer = make_peer(key);
	*found = peer;
	if (peer == NULL)
		return PEER_NO_ROOM;
	if (peer->conn == NULL)
	{
		int64		now = dynamo_clock();

		if (peer->changed != 0 && now < peer->changed + DOWN_TIME)
			return PEER_NO_WAY;
		if (!take_place(peer, now))
			return PEER_NO_ROOM;
		connect_peer(peer);
		return peer->conn == NULL ? PEER_NO_WAY : PEER_NO_ROOM;
	}
	if (peer->leaves_until != 0 && dynamo_clock() < peer->leaves_until)
		return PEER_NO_ROOM;
	return peer->ready && peer->nsent < MAX_CALLS ? PEER_SENT : PEER_NO_ROOM;
}

/*
 * Call the owner, with the next peer_push().
 */
PeerSent
peer_send(const DynamoNode *key, const char *message, int len,
		  bool writes, PeerCall **call)
{
	Peer	   *peer;
	PeerSent	sent = reach(key, &peer);

	return sent == PEER_SENT ?
		put_call(peer, message, len, writes, call) : sent;
}

/*
 * Add a call to what libpq has to send.
 */
static PeerSent
put_call(Peer *peer, const char *message, int len, bool writes,
		 PeerCall **call)
{
	PeerCall   *made = MemoryContextAllocZero(node_context, sizeof(PeerCall));

	peer->changed = dynamo_clock();
	switch (PQputCopyData(peer->conn, message, len))
	{
		case 1:
			break;
		case 0:
			pfree(made);
			return PEER_NO_ROOM;
		default:
			pfree(made);
			lose(peer, PQerrorMessage(peer->conn));
			return PEER_NO_WAY;
	}

	/*
	 * From here on the request may be executed whatever happens.  Nothing
	 * fails until the call is in its place: each answer is that of the oldest
	 * call.
	 */
	add_call(peer, made, writes);
	*call = made;
	peer->unsent = true;
	return PEER_SENT;
}

/*
 * Does a connection to the node take calls?
 */
bool
peer_is_there(const DynamoNode *key)
{
	const Peer *peer = find_peer(key);

	return peer != NULL && peer->ready && peer->nsent < MAX_CALLS &&
		dynamo_clock() >= peer->leaves_until;
}

/*
 * Call a node, over a connection that is there, though it may be about to leave.
 */
PeerCall *
peer_send_now(const DynamoNode *key, const char *message, int len)
{
	Peer	   *peer = find_peer(key);
	PeerCall   *call;

	if (peer == NULL || !peer->ready ||
		put_call(peer, message, len, true, &call) != PEER_SENT)
		return NULL;
	if (send_all(peer))
		return call;
	peer_forget(call);
	return NULL;
}

/*
 * Wait a moment for an answer.
 */
bool
peer_await(const PeerCall *call)
{
	if (!call->done)
		peer_wait();
	return call->done;
}

/*
 * Wait a moment for whatever may come.  No longer, since a signal may have come
 * before.
 */
void
peer_wait(void)
{
	struct pollfd fd = {.fd = epoll_fd, .events = POLLIN};

	(void) poll(&fd, 1, MOMENT);
	peer_run();
}

/*
 * Send what there is for other nodes.
 */
void
peer_push(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &peers)
	{
		Peer	   *peer = dlist_container(Peer, link, iter.cur);

		if (peer->unsent)
			(void) send_all(peer);
	}
}

/*
 * The connection to a node for a role; NULL: there is none.  Its session stays that
 * of the role that had the name, so a role that is given it is another one.
 */
static Peer *
find_peer(const DynamoNode *key)
{
	dlist_iter	iter;

	dlist_foreach(iter, &peers)
	{
		Peer	   *peer = dlist_container(Peer, link, iter.cur);

		if (peer->key.port == key->port && peer->key.role_oid == key->role_oid &&
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

	if (npeers >= MAX_PEERS && !forget_peer())
		return NULL;
	peer = MemoryContextAllocZero(node_context, sizeof(Peer));
	peer->key = *key;
	peer->fd = -1;
	dlist_init(&peer->sent);
	dlist_push_tail(&peers, &peer->link);
	npeers++;
	return peer;
}

/*
 * Drop the one that has not been asked for, or used, for longest.
 */
static bool
forget_peer(void)
{
	Peer	   *oldest = NULL;
	dlist_iter	iter;

	dlist_foreach(iter, &peers)
	{
		Peer	   *peer = dlist_container(Peer, link, iter.cur);

		if (peer->nsent == 0 &&
			(oldest == NULL || last_use(peer) < last_use(oldest)))
			oldest = peer;
	}
	if (oldest != NULL)
		drop_peer(oldest);
	return oldest != NULL;
}

/*
 * It has no calls.
 */
static void
drop_peer(Peer *peer)
{
	if (peer->conn != NULL)
		close_peer(peer);
	dlist_delete(&peer->link);
	npeers--;
	pfree(peer);
}

/*
 * Give its place back.  It has no calls, or its caller ends them.
 */
static void
close_peer(Peer *peer)
{
	unwatch(peer);
	PQfinish(peer->conn);
	peer->conn = NULL;
	ReleaseExternalFD();
	peer->ready = false;
	peer->changed = 0;
}

/*
 * May the role have one connection more to the node?  Makes room for it if that
 * is its turn.
 */
static bool
take_place(Peer *peer, int64 now)
{
	Places		places;

	if (peer->waits_since == 0 || peer->asked + WAIT_TIME < now)
		peer->waits_since = now;
	peer->asked = now;
	if (now < peer->full_until)
		return false;
	survey(peer, now, &places);
	while (places.taken >= *sessions_per_node &&
		   *sessions_per_node - places.taken + places.spare > places.before)
	{
		close_peer(places.idlest);
		survey(peer, now, &places);
	}
	if (*sessions_per_node - places.taken > places.before)
	{
		peer->waits_since = 0;
		return true;
	}
	if (places.oldest != NULL && places.leaving <= places.waiting)
		places.oldest->leaves_until = places.oldest->since = now + LEAVE_TIME;
	return false;
}

/*
 * How is the node of "peer" used by the others?
 */
static void
survey(const Peer *peer, int64 now, Places *places)
{
	dlist_iter	iter;

	memset(places, 0, sizeof(*places));
	dlist_foreach(iter, &peers)
	{
		Peer	   *other = dlist_container(Peer, link, iter.cur);

		if (other == peer || !same_node(other, peer))
			continue;
		if (other->conn == NULL)
		{
			if (other->waits_since == 0 || other->asked + WAIT_TIME < now)
				continue;
			places->waiting++;
			if (other->waits_since < peer->waits_since)
				places->before++;
			continue;
		}
		places->taken++;
		if (is_spare(other, now))
		{
			places->spare++;
			if (places->idlest == NULL ||
				last_use(other) < last_use(places->idlest))
				places->idlest = other;
		}
		else if (now < other->leaves_until)
			places->leaving++;
		else if (other->ready && other->nsent > 0 &&
				 now >= other->since + LEAST_TENURE &&
				 (places->oldest == NULL ||
				  other->since < places->oldest->since))
			places->oldest = other;
	}
}

/*
 * May its connection be closed for another role's?
 */
static bool
is_spare(const Peer *peer, int64 now)
{
	return peer->ready && peer->nsent == 0 &&
		(now < peer->leaves_until || now >= peer->since + LEAST_TENURE);
}

static bool
same_node(const Peer *a, const Peer *b)
{
	return a->key.port == b->key.port &&
		strcmp(a->key.host, b->key.host) == 0;
}

static int64
last_use(const Peer *peer)
{
	return Max(Max(peer->changed, peer->answered), peer->asked);
}

/*
 * Begin to connect.  If that fails, or raises, the node has no connection.
 */
static void
connect_peer(Peer *peer)
{
	MemoryContext context = CurrentMemoryContext;

	peer->changed = dynamo_clock();
	if (!AcquireExternalFD())
		return;
	peer->ready = false;
	PG_TRY();
	{
		peer->conn = peer_connect(&peer->key, *request_timeout);
	}
	PG_CATCH();
	{
		EmitErrorReport();
		FlushErrorState();
		AbortOutOfAnyTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	if (peer->conn == NULL || PQstatus(peer->conn) == CONNECTION_BAD)
	{
		lose(peer, peer->conn ? PQerrorMessage(peer->conn) :
			 "The connection could not be begun.");
		return;
	}
	PQsetNoticeProcessor(peer->conn, ignore_notice, NULL);

	/* So that an error while it connects has its code. */
	PQsetErrorVerbosity(peer->conn, PQERRORS_VERBOSE);
	watch_peer(peer, EPOLLOUT);
}

static void
go_on_connecting(Peer *peer)
{
	/* The descriptor may become another one. */
	unwatch(peer);
	switch (PQconnectPoll(peer->conn))
	{
		case PGRES_POLLING_OK:
			if (begin_calls(peer))
				(void) send_all(peer);
			else
				lose(peer, PQerrorMessage(peer->conn));
			break;
		case PGRES_POLLING_READING:
			watch_peer(peer, EPOLLIN);
			break;
		case PGRES_POLLING_WRITING:
			watch_peer(peer, EPOLLOUT);
			break;
		default:
			refuse(peer);
			break;
	}
}

/*
 * The connection was not made.  If that is for want of slots, some of those that
 * are taken may be this worker's, and the role waits for one.
 */
static void
refuse(Peer *peer)
{
	bool		full = strstr(PQerrorMessage(peer->conn), NO_SLOT) != NULL;

	lose(peer, PQerrorMessage(peer->conn));
	if (!full)
		return;
	peer->changed = 0;
	peer->waits_since = peer->asked = dynamo_clock();
	peer->full_until = peer->asked + FULL_TIME;
	give_back(peer);
}

/*
 * Close what is idle of the connections to a node.
 */
static void
give_back(const Peer *peer)
{
	dlist_iter	iter;

	dlist_foreach(iter, &peers)
	{
		Peer	   *other = dlist_container(Peer, link, iter.cur);

		if (other->ready && other->nsent == 0 && same_node(other, peer))
			close_peer(other);
	}
}

/*
 * The connection is there: have the session execute calls.
 */
static bool
begin_calls(Peer *peer)
{
	PQsetErrorVerbosity(peer->conn, PQERRORS_DEFAULT);
	return PQsetnonblocking(peer->conn, 1) == 0 &&
		PQsendQuery(peer->conn, DYNAMO_SERVE_CALLS) != 0;
}

static void
add_call(Peer *peer, PeerCall *call, bool writes)
{
	call->peer = peer;
	call->writes = writes;
	call->sent = peer->changed;
	dlist_push_tail(&peer->sent, &call->link);
	peer->nsent++;
}

/*
 * End what has taken too long.
 */
void
peer_settle(void)
{
	int64		now;
	dlist_mutable_iter iter;

	if (dlist_is_empty(&peers))
		return;
	now = dynamo_clock();
	dlist_foreach_modify(iter, &peers)
	{
		Peer	   *peer = dlist_container(Peer, link, iter.cur);

		if (patience_left(peer, now) > 0)
			continue;
		if (peer->nsent > 0 || (peer->conn != NULL && !peer->ready))
			lose(peer, "timeout");
		else
			drop_peer(peer);
	}
}

/*
 * Milliseconds until peer_settle() has something to do without any event;
 * -1: never.
 */
long
peer_timeout(void)
{
	int64		now;
	long		soonest = -1;
	dlist_iter	iter;

	if (dlist_is_empty(&peers))
		return -1;
	now = dynamo_clock();
	dlist_foreach(iter, &peers)
	{
		long		left = patience_left(dlist_container(Peer, link, iter.cur),
										 now);

		soonest = soonest < 0 ? left : Min(soonest, left);
	}
	return soonest;
}

/*
 * Milliseconds until the node has taken too long.  A call is cancelled by its
 * own session if it takes longer than a request may.  It begins when the one
 * before it has ended: what it waits for that is not its own time.
 */
static long
patience_left(const Peer *peer, int64 now)
{
	int64		since = Max(peer->changed, peer->asked);
	long		patience = IDLE_TIME;

	if (peer->conn != NULL && !peer->ready)
	{
		since = peer->changed;
		patience = CONNECT_TIMEOUT;
	}
	else if (peer->nsent > 0)
	{
		if (*request_timeout == 0)
			return IDLE_TIME;
		since = dlist_container(PeerCall, link,
								unconstify(Peer *, peer)->sent.head.next)->sent;
		since = Max(since, peer->answered);
		patience = (long) *request_timeout +
			Max(dynamo_grace_period, LEAST_GRACE);
	}
	return Max(since + patience - now, 0);
}

/*
 * Take in what has come.
 */
void
peer_run(void)
{
	struct epoll_event events[MAX_EVENTS];
	int			n = epoll_wait(epoll_fd, events, MAX_EVENTS, 0);

	for (int i = 0; i < n; i++)
	{
		Peer	   *peer = events[i].data.ptr;

		/* It may have been given back a moment ago. */
		if (peer->conn == NULL)
			continue;
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
	peer->unsent = false;
	watch_peer(peer, left > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return true;
}

static void
receive(Peer *peer)
{
	char	   *answer;
	int			len;

	if (PQconsumeInput(peer->conn) == 0)
	{
		lose(peer, PQerrorMessage(peer->conn));
		return;
	}
	if (!peer->ready && !become_ready(peer))
		return;
	while ((len = PQgetCopyData(peer->conn, &answer, 1)) > 0)
	{
		if (end_call(peer, answer, len))
			continue;
		lose(peer, "there is an answer without a call");
		return;
	}
	if (len < 0)
		lose(peer, PQerrorMessage(peer->conn));
}

/*
 * Does the session take calls by now?
 */
static bool
become_ready(Peer *peer)
{
	PGresult   *result;

	if (PQisBusy(peer->conn))
		return false;
	result = PQgetResult(peer->conn);
	if (PQresultStatus(result) == PGRES_COPY_BOTH)
	{
		peer->ready = true;
		peer->reported = false;
		peer->since = dynamo_clock();
		peer->leaves_until = 0;
	}
	else
		lose(peer, PQresultErrorMessage(result));
	PQclear(result);
	return peer->ready;
}

/*
 * The oldest call on a connection has its answer.  False: there is no call, and
 * nobody knows to which calls later answers would belong.
 */
static bool
end_call(Peer *peer, char *answer, int len)
{
	PeerCall   *call;

	if (peer->nsent == 0)
	{
		PQfreemem(answer);
		return false;
	}
	call = dlist_container(PeerCall, link, dlist_pop_head_node(&peer->sent));
	peer->nsent--;
	peer->answered = dynamo_clock();
	call->answer = answer;
	call->len = len;
	finish_call(call);
	return true;
}

/*
 * It is in no list any more.
 */
static void
finish_call(PeerCall *call)
{
	call->done = true;
	call->peer = NULL;
	if (call->forgotten)
		peer_forget(call);
}

/*
 * The connection is of no use.  Nobody knows what became of its calls.
 */
static void
lose(Peer *peer, const char *why)
{
	bool		worked = peer->ready;

	if (!peer->reported)
		ereport(LOG,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("dynamo cannot reach node %s:%d as role \"%s\"",
						peer->key.host, peer->key.port, peer->key.role),
				 errdetail_internal("%s", why)));
	peer->reported = true;
	close_peer(peer);

	/* One that has worked until now may work again at once. */
	if (!worked)
		peer->changed = dynamo_clock();
	peer->unsent = false;
	peer->nsent = 0;
	while (!dlist_is_empty(&peer->sent))
		finish_call(dlist_container(PeerCall, link,
									dlist_pop_head_node(&peer->sent)));
}

/*
 * Have these events reported.
 */
static void
watch_peer(Peer *peer, uint32 events)
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
peer_call_is_done(const PeerCall *call)
{
	return call->done;
}

/*
 * What the owner said, until the call is forgotten; NULL: the connection was
 * lost.
 */
const char *
peer_call_answer(const PeerCall *call, int *len)
{
	*len = call->len;
	return call->answer;
}

bool
peer_call_writes(const PeerCall *call)
{
	return call->writes;
}

/*
 * Nobody waits for the call any more.  It goes on at its node.
 */
void
peer_forget(PeerCall *call)
{
	call->forgotten = true;
	if (!call->done)
		return;
	PQfreemem(call->answer);
	pfree(call);
}

static void
ignore_notice(void *arg, const char *message)
{
}
