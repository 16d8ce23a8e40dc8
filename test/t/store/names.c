/*
 * Loaded before a server by LD_PRELOAD: names of hosts that a file says, so that
 * what DNS answers can change.  A line of the file NAMES is "name address".  The
 * address 192.0.2.1, which is nobody's, is this machine's 127.0.0.1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int
getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
			struct addrinfo **result)
{
	int			(*next) (const char *, const char *, const struct addrinfo *,
						 struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
	FILE	   *names = host ? fopen(getenv("NAMES"), "r") : NULL;
	struct addrinfo **end = result;
	char		name[256];
	char		address[64];

	*result = NULL;
	while (names && fscanf(names, "%255s %63s", name, address) == 2)
	{
		if (strcmp(name, host) != 0 ||
			next(address, service, hints, end) != 0)
			continue;
		while (*end)
			end = &(*end)->ai_next;
	}
	if (names)
		fclose(names);
	return *result ? 0 : next(host, service, hints, result);
}

int
connect(int fd, const struct sockaddr *address, socklen_t len)
{
	int			(*next) (int, const struct sockaddr *, socklen_t) =
		dlsym(RTLD_NEXT, "connect");
	struct sockaddr_in here;

	if (address->sa_family == AF_INET)
	{
		memcpy(&here, address, sizeof(here));
		if (here.sin_addr.s_addr == inet_addr("192.0.2.1"))
		{
			here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
			return next(fd, (struct sockaddr *) &here, sizeof(here));
		}
	}
	return next(fd, address, len);
}
