/*-------------------------------------------------------------------------
 *
 * http_header.c
 *	  What is known of a request and of its connection, most of it by
 *	  libmicrohttpd.
 *
 * A request that was handed over has no connection, but carries its headers.
 * Nobody but this file knows the difference.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "http/http_internal.h"

static const char *carried_header(const HttpRequest *request,
								  const char *name);

/*
 * The value of a header, NULL when it was not sent.
 */
const char *
http_header(HttpRequest *request, const char *name)
{
	if (request->connection == NULL)
		return carried_header(request, name);
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
									   name);
}

static const char *
carried_header(const HttpRequest *request, const char *name)
{
	const char *end = request->head + request->head_len;

	for (const char *p = request->head; p < end; p += strlen(p) + 1)
	{
		const char *value = p + strlen(p) + 1;

		if (pg_strcasecmp(p, name) == 0)
			return value;
		p = value;
	}
	return NULL;
}

/*
 * Call "visit" for each header, in the order in which they came.
 */
void
http_each_header(HttpRequest *request, MHD_KeyValueIteratorN visit, void *arg)
{
	const char *end = request->head + request->head_len;

	if (request->connection != NULL)
	{
		(void) MHD_get_connection_values_n(request->connection,
										   MHD_HEADER_KIND, visit, arg);
		return;
	}
	for (const char *p = request->head; p < end; p += strlen(p) + 1)
	{
		const char *value = p + strlen(p) + 1;

		(void) visit(arg, MHD_HEADER_KIND, p, strlen(p), value, strlen(value));
		p = value;
	}
}

/*
 * The client's address; NULL: it is not known.
 */
const struct sockaddr *
http_client(HttpRequest *request)
{
	const union MHD_ConnectionInfo *info;

	if (request->connection == NULL)
		return request->address;
	info = MHD_get_connection_info(request->connection,
								   MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	return info ? info->client_addr : NULL;
}

/*
 * Has the request come by TLS?
 */
bool
http_is_secure(HttpRequest *request)
{
	if (request->connection == NULL)
		return request->secure;
	return MHD_get_connection_info(request->connection,
								   MHD_CONNECTION_INFO_GNUTLS_SESSION) != NULL;
}

/*
 * The id that the client is told, made when it is first asked for.  It only has
 * to be different each time.
 */
const char *
http_request_id(void *request)
{
	char	   *id = ((HttpRequest *) request)->id;

	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
	uint64		random = 0;

	if (id[0] != '\0')
		return id;
	for (int i = 0; i < HTTP_ID_LENGTH; i++)
	{
		if (i % 12 == 0)
			random = pg_prng_uint64(&pg_global_prng_state);
		id[i] = digits[random % 32];
		random /= 32;
	}
	id[HTTP_ID_LENGTH] = '\0';
	return id;
}

/*
 * What we know of a connection.
 */
HttpConnection *
http_connection(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection,
								   MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info->socket_context;
}

/*
 * Is it localhost, or an address of the loopback, with or without a port?
 */
bool
http_names_this_machine(const char *host)
{
	size_t		len;

	if (host == NULL)
		return false;
	if (host[0] == '[')
		return strncmp(host, "[::1]", 5) == 0 &&
			(host[5] == '\0' || host[5] == ':');
	len = strcspn(host, ":");
	if (len == 9 && pg_strncasecmp(host, "localhost", 9) == 0)
		return true;
	return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len;
}
