/*-------------------------------------------------------------------------
 *
 * store_endpoint.c
 *	  Endpoints of stores, and dynamo.bucket_endpoints: which of them the server
 *	  may connect to.
 *
 * An endpoint is a scheme, a host and a port, and nothing else.  The setting
 * names them, and is empty unless a superuser has set it, so that nothing leaves
 * the server before.  It is asked whenever a bucket is opened.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <arpa/inet.h>

#include "store/store.h"
#include "utils/guc.h"

/* The setting: endpoints with commas between them */
static char *bucket_endpoints;

static bool check_endpoints(char **newval, void **extra, GucSource source);
static const char *next_endpoint(const char **list, StoreEndpoint *endpoint);
static bool read_endpoint(const char *url, size_t len, StoreEndpoint *endpoint);
static size_t host_length(const char *p, size_t len);
static bool is_alphanumeric(char c);
static bool read_port(const char *p, size_t len, int *port);

/*
 * Defines the setting dynamo.bucket_endpoints.
 */
void
store_endpoint_init(void)
{
	DefineCustomStringVariable("dynamo.bucket_endpoints",
							   "Endpoints of S3-compatible stores that buckets may be at.",
							   "URLs of a scheme, a host and perhaps a port, separated by commas. Empty means that no store is reached.",
							   &bucket_endpoints, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   check_endpoints, NULL, NULL);
}

static bool
check_endpoints(char **newval, void **extra, GucSource source)
{
	const char *list = *newval;
	StoreEndpoint endpoint;
	const char *wrong;

	while (*list != '\0')
	{
		wrong = next_endpoint(&list, &endpoint);
		if (wrong != NULL)
		{
			GUC_check_errdetail("\"%.*s\" is no endpoint.",
								(int) strcspn(wrong, ", \t\n"), wrong);
			GUC_check_errhint("Write them as https://host:port, with commas between them.");
			return false;
		}
	}
	return true;
}

/*
 * Take the first endpoint off a list that is not empty; returns NULL, or what
 * is there in its place.
 */
static const char *
next_endpoint(const char **list, StoreEndpoint *endpoint)
{
	const char *begin = *list + strspn(*list, " \t\n");
	size_t		len = strcspn(begin, ", \t\n");
	const char *end = begin + len;

	end += strspn(end, " \t\n");
	if (!read_endpoint(begin, len, endpoint) ||
		(*end == ',' ? end[1 + strspn(end + 1, " \t\n")] == '\0' : *end != '\0'))
		return begin;
	*list = *end == ',' ? end + 1 : end;
	return NULL;
}

/*
 * Of a URL that is nothing but an endpoint.  False: it is none.
 */
bool
store_endpoint_read(const char *url, StoreEndpoint *endpoint)
{
	return read_endpoint(url, strlen(url), endpoint);
}

static bool
read_endpoint(const char *url, size_t len, StoreEndpoint *endpoint)
{
	size_t		host;

	memset(endpoint, 0, sizeof(*endpoint));
	if (len > 8 && strncmp(url, "https://", 8) == 0)
	{
		endpoint->tls = true;
		endpoint->port = 443;
		url += 8;
		len -= 8;
	}
	else if (len > 7 && strncmp(url, "http://", 7) == 0)
	{
		endpoint->port = 80;
		url += 7;
		len -= 7;
	}
	else
		return false;
	if (url[len - 1] == '/')
		len--;
	host = host_length(url, len);
	if (host == 0 || host > STORE_MAX_HOST)
		return false;
	for (size_t i = 0; i < host; i++)
		endpoint->host[i] = pg_ascii_tolower((unsigned char) url[i]);
	return host == len ||
		(url[host] == ':' &&
		 read_port(url + host + 1, len - host - 1, &endpoint->port));
}

/*
 * Bytes of the host that a text begins with; 0: of none.
 */
static size_t
host_length(const char *p, size_t len)
{
	size_t		n = 0;

	if (len > 0 && p[0] == '[')
	{
		char		text[INET6_ADDRSTRLEN];
		struct in6_addr address;

		for (n = 1; n < len && p[n] != ']'; n++)
		{
			if (n == sizeof(text))
				return 0;
			text[n - 1] = p[n];
		}
		text[n - 1] = '\0';
		return n < len && inet_pton(AF_INET6, text, &address) == 1 ? n + 1 : 0;
	}
	while (n < len && (is_alphanumeric(p[n]) || p[n] == '.' ||
					   p[n] == '-'))
		n++;
	return n > 0 && is_alphanumeric(p[0]) ? n : 0;
}

static bool
is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9');
}

static bool
read_port(const char *p, size_t len, int *port)
{
	*port = 0;
	if (len == 0 || len > 5)
		return false;
	for (size_t i = 0; i < len; i++)
	{
		if (p[i] < '0' || p[i] > '9')
			return false;
		*port = *port * 10 + (p[i] - '0');
	}
	return *port > 0 && *port <= 65535;
}

/*
 * Has a superuser named it?
 */
bool
store_endpoint_allowed(const StoreEndpoint *endpoint)
{
	const char *list = bucket_endpoints;
	StoreEndpoint named;

	while (*list != '\0' && next_endpoint(&list, &named) == NULL)
	{
		if (named.tls == endpoint->tls && named.port == endpoint->port &&
			strcmp(named.host, endpoint->host) == 0)
			return true;
	}
	return false;
}

/*
 * Does it say that it is this machine?  A name that happens to lead here does
 * not.
 */
bool
store_endpoint_is_loopback(const StoreEndpoint *endpoint)
{
	struct in_addr address;

	return strcmp(endpoint->host, "localhost") == 0 ||
		strcmp(endpoint->host, "[::1]") == 0 ||
		(inet_pton(AF_INET, endpoint->host, &address) == 1 &&
		 (ntohl(address.s_addr) >> 24) == 127);
}

/*
 * Is its host an address, before which no bucket's name can stand?  Of a name in
 * DNS the last part is no number; libcurl takes short and hexadecimal forms of
 * IPv4, too.
 */
bool
store_endpoint_is_address(const StoreEndpoint *endpoint)
{
	char	   *host = pstrdup(endpoint->host);
	size_t		len = strlen(host);
	const char *last;

	if (host[0] == '[')
		return true;
	if (host[len - 1] == '.')
		host[len - 1] = '\0';
	last = strrchr(host, '.');
	last = last ? last + 1 : host;
	if (last[0] == '0' && last[1] == 'x')
		return strspn(last + 2, "0123456789abcdef") == strlen(last + 2);
	return strspn(last, "0123456789") == strlen(last);
}

/*
 * As it stands in URLs, before a bucket's name and dot if there is one.  A
 * port that is the scheme's own is left out, as libcurl does, or else a
 * signature would be of another Host.
 */
char *
store_endpoint_url(const StoreEndpoint *endpoint, const char *bucket)
{
	char	   *url = psprintf("http%s://%s%s%s", endpoint->tls ? "s" : "",
							   bucket ? bucket : "", bucket ? "." : "",
							   endpoint->host);

	return endpoint->port == (endpoint->tls ? 443 : 80) ? url :
		psprintf("%s:%d", url, endpoint->port);
}
