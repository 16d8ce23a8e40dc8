/*-------------------------------------------------------------------------
 *
 * served_address.c
 *	  The addresses of dynamo.http_listen_addresses.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "served/served.h"
#include "utils/builtins.h"
#include "utils/varlena.h"

static bool is_loopback(const struct sockaddr *address);

/*
 * What stands in the setting, a list of char *; NIL: it is no list, reported.
 */
List *
served_hosts(const char *addresses)
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

/*
 * The socket addresses of a host, "*" for all of this machine; NULL: there are
 * none, reported.
 */
struct addrinfo *
served_resolve(const char *host, int port)
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
bool
served_may_show(const HttpServed *served, const struct sockaddr *address,
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
