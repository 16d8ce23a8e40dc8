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
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

#define BACKLOG 1024

/* This worker's. */
static int	listening[HTTP_MAX_SOCKETS];
static int	nlistening;
static volatile sig_atomic_t stopped = false;

static struct addrinfo *resolve(const char *host, int port);
static List *hosts(const char *addresses);
static bool may_show(const HttpServed *served, const struct sockaddr *address,
					 const char *host);
static bool is_loopback(const struct sockaddr *address);
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

	foreach(lc, hosts(http_served.addresses))
	{
		struct addrinfo *addresses = resolve(lfirst(lc), http_served.port);

		for (struct addrinfo *a = addresses;
			 a && nlistening < HTTP_MAX_SOCKETS; a = a->ai_next)
		{
			if (!may_show(&http_served, a->ai_addr, lfirst(lc)))
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

	foreach(lc, hosts(served->addresses))
	{
		struct addrinfo *addresses = resolve(lfirst(lc), served->port);

		for (struct addrinfo *a = addresses; a && may; a = a->ai_next)
		{
			int			fd;

			if (!may_show(served, a->ai_addr, lfirst(lc)))
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

/* The addresses set, a list of char *. */
static List *
hosts(const char *addresses)
{
	char	   *copy = pstrdup(addresses);
	List	   *list;

	if (!SplitGUCList(copy, ',', &list))
	{
		ereport(LOG,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid list syntax in parameter \"%s\"",
						"dynamo.http_listen_addresses")));
		return NIL;
	}
	return list;
}

static struct addrinfo *
resolve(const char *host, int port)
{
	struct addrinfo hint = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE
	};
	struct addrinfo *addresses = NULL;
	char		service[12];
	int			rc;

	snprintf(service, sizeof(service), "%d", port);
	rc = getaddrinfo(strcmp(host, "*") == 0 ? NULL : host, service, &hint,
					 &addresses);
	if (rc != 0)
	{
		ereport(LOG,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("could not resolve \"%s\" of dynamo.http_listen_addresses: %s",
						host, gai_strerror(rc))));
		return NULL;
	}
	return addresses;
}

/*
 * Trust is for this machine alone.  Asked for each socket: what a name stands for
 * may be another address by now.  Reports why not.
 */
static bool
may_show(const HttpServed *served, const struct sockaddr *address,
		 const char *host)
{
	if (served->authentication != HTTP_AUTHENTICATION_TRUST ||
		is_loopback(address))
		return true;
	ereport(LOG,
			(errcode(ERRCODE_CONFIG_FILE_ERROR),
			 errmsg("dynamo does not serve address \"%s\" without authentication",
					host),
			 errhint("Set dynamo.http_authentication to sigv4, or dynamo.http_listen_addresses to localhost.")));
	return false;
}

static bool
is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
	{
		const struct sockaddr_in *in = (const struct sockaddr_in *) address;

		return (ntohl(in->sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
	}
	if (address->sa_family == AF_INET6)
	{
		const struct sockaddr_in6 *in = (const struct sockaddr_in6 *) address;

		return IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
	}
	return false;
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
		if (errno == EADDRNOTAVAIL)
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

		ereport(LOG,
				(taken ? errcode(ERRCODE_OBJECT_IN_USE) :
				 errcode_for_socket_access(),
				 errmsg("dynamo could not %s a socket for port %d: %m",
						failed, port)));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}
