/*-------------------------------------------------------------------------
 *
 * http_connection.c
 *	  Connections where libmicrohttpd needs help to watch them.
 *
 * An epoll set of our own, beside the library's, watches for two things.
 *
 * The end of what a client sends.  The library takes a read that fills less
 * than its buffer for the last, until epoll reports more; but data and the end
 * of file that came together are reported once.  A client that sends a
 * request, shuts down its side and waits for the server to close would wait
 * until the connection is idle for too long.  When the connection is suspended
 * and resumed, the library adds it to its set anew, and then finds the end.
 *
 * The next step of a TLS handshake.  While the library waits for it, it takes
 * the connection for one with something to read and wants to run again at
 * once, for as long as the client likes.  So it is suspended meanwhile.  A
 * handshake may take as long as PostgreSQL's authentication
 * (authentication_timeout); the library does not look at the time of what is
 * suspended.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include "http/http_internal.h"
#include "postmaster/postmaster.h"
#include "process/process_watch.h"
#include "utils/memutils.h"

#define MAX_EVENTS	64

static MemoryContext connection_context;
static int	watch_fd;
static bool tls;

/* All connections. */
static dlist_head open_connections = DLIST_STATIC_INIT(open_connections);

/* Those with an unfinished handshake, the oldest first. */
static dlist_head handshakes = DLIST_STATIC_INIT(handshakes);

static void began(struct MHD_Connection *connection, void **context);
static void ended(HttpConnection *connection);
static void watch_connection(HttpConnection *connection, uint32 events);
static void suspend_handshakes(void);
static void end_late_handshakes(void);
static int64 deadline(HttpConnection *connection);

/*
 * Returns a descriptor that is readable when http_connection_run() has
 * something to do.
 */
int
http_connection_init(MemoryContext context, bool use_tls)
{
	tls = use_tls;
	connection_context = context;
	watch_fd = epoll_create1(EPOLL_CLOEXEC);
	if (watch_fd < 0)
		ereport(FATAL,
				(errcode_for_socket_access(),
				 errmsg("%s() failed: %m", "epoll_create1")));
	return watch_fd;
}

/*
 * Connections come and go.  Called from within the library.
 */
void
http_connection_notify(void *cls, struct MHD_Connection *connection,
					   void **context,
					   enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		began(connection, context);
	else if (*context != NULL)
		ended(*context);
}

/*
 * Have the library look at what has happened.
 */
void
http_connection_run(void)
{
	struct epoll_event events[MAX_EVENTS];
	int			n = epoll_wait(watch_fd, events, MAX_EVENTS, 0);

	for (int i = 0; i < n; i++)
	{
		HttpConnection *connection = events[i].data.ptr;

		http_connection_suspend(connection->connection);
		http_connection_resume(connection->connection);
	}
}

/*
 * The library leaves the connection alone.  Nothing to do if it does already.
 */
void
http_connection_suspend(struct MHD_Connection *connection)
{
	HttpConnection *ours = http_connection(connection);

	if (ours == NULL || ours->suspended)
		return;
	MHD_suspend_connection(connection);
	ours->suspended = true;
}

/*
 * The library looks at the connection again when it runs next.
 */
void
http_connection_resume(struct MHD_Connection *connection)
{
	HttpConnection *ours = http_connection(connection);

	if (ours == NULL || !ours->suspended)
		return;
	MHD_resume_connection(connection);
	ours->suspended = false;
}

/*
 * Send this and nothing more: the library cannot, and ends the connection.
 */
void
http_connection_close(struct MHD_Connection *connection, const char *text)
{
	HttpConnection *ours = http_connection(connection);

	if (ours == NULL)
		return;
	if (tls)
		http_tls_send(ours, text);
	else
		(void) send(ours->fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
	(void) shutdown(ours->fd, SHUT_WR);
}

/*
 * Let all clients go.  In a signal handler, while a request is executed and
 * the list is at rest.
 */
void
http_connection_abandon(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &open_connections)
	{
		(void) shutdown(dlist_container(HttpConnection, open_link,
										iter.cur)->fd, SHUT_RDWR);
	}
}

/*
 * The library has run: suspend what has to wait.
 */
void
http_connection_settle(void)
{
	if (dlist_is_empty(&handshakes))
		return;
	suspend_handshakes();
	end_late_handshakes();
}

/*
 * Milliseconds until http_connection_settle() has something to do without any
 * event; -1: never.
 */
long
http_connection_timeout(void)
{
	HttpConnection *oldest;

	if (dlist_is_empty(&handshakes))
		return -1;
	oldest = dlist_head_element(HttpConnection, link, &handshakes);
	return Max(deadline(oldest) - dynamo_clock(), 0);
}

static void
began(struct MHD_Connection *connection, void **context)
{
	int			fd = MHD_get_connection_info(connection,
											 MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	HttpConnection *made = MemoryContextAllocExtended(connection_context,
													  sizeof(HttpConnection),
													  MCXT_ALLOC_NO_OOM |
													  MCXT_ALLOC_ZERO);

	*context = made;
	if (made == NULL)
	{
		(void) shutdown(fd, SHUT_RDWR);
		return;
	}
	made->connection = connection;
	made->fd = fd;
	dlist_push_tail(&open_connections, &made->open_link);
	if (!tls)
	{
		watch_connection(made, 0);
		return;
	}
	made->began = dynamo_clock();
	dlist_push_tail(&handshakes, &made->link);
	http_tls_attach(made);
}

/* The library closes the descriptor, which takes it out of our set. */
static void
ended(HttpConnection *connection)
{
	dlist_delete(&connection->open_link);
	if (connection->link.next != NULL)
		dlist_delete(&connection->link);
	if (connection->certificate != NULL)
		http_tls_release(connection->certificate);
	pfree(connection);
}

/*
 * Have the first of these events reported, or the end of what the client
 * sends, whichever comes first.
 */
static void
watch_connection(HttpConnection *connection, uint32 events)
{
	struct epoll_event event = {
		.events = events | EPOLLRDHUP | EPOLLONESHOT,
		.data.ptr = connection
	};

	if (epoll_ctl(watch_fd,
				  connection->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
				  connection->fd, &event) == 0)
		connection->watched = true;
	else
		(void) shutdown(connection->fd, SHUT_RDWR);
}

static void
suspend_handshakes(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &handshakes)
	{
		HttpConnection *connection =
			dlist_container(HttpConnection, link, iter.cur);

		if (connection->finish_sent && connection->finish_received)
		{
			dlist_delete(&connection->link);
			connection->link.next = NULL;
		}
		else if (!connection->suspended)
		{
			http_connection_suspend(connection->connection);
			watch_connection(connection,
							 http_tls_is_sending(connection) ? EPOLLOUT : EPOLLIN);
		}
	}
}

/*
 * Their end is reported as an event, and the library finds it.
 */
static void
end_late_handshakes(void)
{
	int64		now = dynamo_clock();

	while (!dlist_is_empty(&handshakes))
	{
		HttpConnection *oldest =
			dlist_head_element(HttpConnection, link, &handshakes);

		if (deadline(oldest) > now)
			break;
		dlist_delete(&oldest->link);
		oldest->link.next = NULL;
		(void) shutdown(oldest->fd, SHUT_RDWR);
	}
}

static int64
deadline(HttpConnection *connection)
{
	return connection->began + AuthenticationTimeout * INT64CONST(1000);
}
