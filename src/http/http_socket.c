/*-------------------------------------------------------------------------
 *
 * http_socket.c
 *	  Listening sockets.
 *
 * Each worker opens its own on the same addresses (SO_REUSEPORT), and the
 * kernel spreads the connections over them.  It does not know which worker is
 * busy, and a connection waits for its worker.  So a worker that is busy for
 * long stops listening.  Connections that wait for it by then are reset; when
 * their clients connect again, they get another worker.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/http_internal.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "utils/memutils.h"

#define BACKLOG 1024

/* This worker's. */
static int	listening[HTTP_MAX_SOCKETS];
static int	nlistening;
static volatile sig_atomic_t stopped = false;

static bool try_all(const HttpServed *served, bool beside);
static int	open_socket(const struct addrinfo *address, int port, bool shared,
						bool listens);

/*
 * Open a socket for each address of the settings.  Returns how many are
 * open; those that fail are reported.
 */
int
http_listen(const int **sockets)
{
	ListCell   *lc;

	foreach(lc, served_hosts(http_served.addresses))
	{
		struct addrinfo *addresses = served_resolve(lfirst(lc), http_served.port);

		for (struct addrinfo *a = addresses;
			 a && nlistening < HTTP_MAX_SOCKETS; a = a->ai_next)
		{
			if (!served_may_show(&http_served, a->ai_addr, lfirst(lc)))
				continue;
			listening[nlistening] = open_socket(a, http_served.port, true, true);
			if (listening[nlistening] >= 0)
				nlistening++;
		}
		if (addresses)
			freeaddrinfo(addresses);
	}
	*sockets = listening;
	return nlistening;
}

/*
 * Give no more connections to this worker.  In a signal handler.
 */
void
http_stop_listening(void)
{
	stopped = true;
	for (int i = 0; i < nlistening; i++)
		(void) shutdown(listening[i], SHUT_RD);
}

/*
 * The worker has time again.  Does nothing if it has listened all along.
 */
void
http_listen_again(void)
{
	if (!stopped || ProcDiePending)
		return;
	for (int i = 0; i < nlistening; i++)
	{
		if (listen(listening[i], BACKLOG) < 0)
			ereport(FATAL,
					(errcode_for_socket_access(),
					 errmsg("dynamo could not %s a socket for port %d: %m",
							"listen on", http_served.port)));
	}
	stopped = false;
	dynamo_worker_open();
}

/*
 * Can all of that be served?  Trust is for this machine alone.  Reports why
 * not.
 */
bool
http_may_serve(const HttpServed *served)
{
	if (!http_tls_ready())
		return false;
	for (int i = 0; i <= served->nfurther; i++)
	{
		HttpServed	one = *served;

		served_choose(&one, i);
		if (!try_all(&one, true))
			return false;
	}
	return true;
}

/*
 * May the workers open these sockets now?  Sockets of one user share a port
 * silently, so that two servers would get half of the connections each.  So the
 * port must be free.  Reports why not.
 */
bool
http_may_listen(const HttpServed *served)
{
	return try_all(served, false);
}

/*
 * Can any of the addresses be had, be it beside other sockets of this user,
 * and all of them be shown what is served?  Beside others it does not listen.
 * Otherwise it would get some of their connections.
 */
static bool
try_all(const HttpServed *served, bool beside)
{
	bool		may = true;
	int			n = 0;
	ListCell   *lc;

	foreach(lc, served_hosts(served->addresses))
	{
		struct addrinfo *addresses = served_resolve(lfirst(lc), served->port);

		for (struct addrinfo *a = addresses; a && may; a = a->ai_next)
		{
			int			fd;

			if (!served_may_show(served, a->ai_addr, lfirst(lc)))
			{
				may = false;
				break;
			}
			fd = open_socket(a, served->port, beside, !beside);
			if (fd >= 0)
			{
				close(fd);
				n++;
			}
		}
		if (addresses)
			freeaddrinfo(addresses);
	}
	return may && n > 0;
}

/*
 * The next connection, -1 when none waits.
 */
int
http_accept(int listening, struct sockaddr_storage *address, socklen_t *len)
{
	int			fd;

	*len = sizeof(*address);
	do
		fd = accept4(listening, (struct sockaddr *) address, len,
					 SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	return fd;
}

/*
 * A listening socket, or -1, reported.  An address of a family that this
 * machine does not have is passed over.
 */
static int
open_socket(const struct addrinfo *address, int port, bool shared,
			bool listens)
{
	int			one = 1;
	int			fd;
	const char *failed = NULL;

	fd = socket(address->ai_family,
				SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
	{
		if (errno == EAFNOSUPPORT)
			return -1;
		failed = "create";
	}
	else if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
			 (shared && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT,
								   &one, sizeof(one)) < 0) ||
			 (address->ai_family == AF_INET6 &&
			  setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY,
						 &one, sizeof(one)) < 0))
		failed = "set up";
	else if (bind(fd, address->ai_addr, address->ai_addrlen) < 0)
	{
		if (errno == EADDRNOTAVAIL && address->ai_family == AF_INET6)
		{
			close(fd);
			return -1;
		}
		failed = "bind";
	}
	else if (listens && listen(fd, BACKLOG) < 0)
		failed = "listen on";

	if (failed != NULL)
	{
		bool		taken = errno == EADDRINUSE;
		bool		foreign = errno == EADDRNOTAVAIL;

		ereport(LOG,
				(taken ? errcode(ERRCODE_OBJECT_IN_USE) :
				 foreign ? errcode(ERRCODE_CONFIG_FILE_ERROR) :
				 errcode_for_socket_access(),
				 errmsg("dynamo could not %s a socket for port %d: %m",
						failed, port)));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}
