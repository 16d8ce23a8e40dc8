/*-------------------------------------------------------------------------
 *
 * http_metrics.c
 *	  GET /metrics: the statistics, for Prometheus.
 *
 * Prometheus does not sign its requests.  So the page is off, unless the
 * administrator has chosen one of two ways to read it:
 *
 *		loopback	by a client on this machine, without credentials.  It must
 *					have asked for a name of this machine: a browser here could
 *					be led to us by a name of somebody else's.  And nobody may
 *					have passed the request on.  Otherwise a proxy would open
 *					the page to all its clients. key with an access key and its
 *					secret, by basic authentication, whose role has the
 *					privileges of pg_read_all_stats.  The secret travels as it
 *					is, so only by HTTPS, or on this machine.
 *
 * The page shows all tables, so nobody else gets any of it.  A page of another
 * origin cannot read it in a browser: unlike other answers it does not allow
 * that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <gnutls/gnutls.h>
#include <netinet/in.h>

#include "catalog/pg_authid.h"
#include "common/base64.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#define CONTENT_TYPE	"text/plain; version=0.0.4; charset=utf-8"
#define BASIC			"Basic "

/* Longest credentials that are looked at, encoded. */
#define MAX_CREDENTIALS	256

static bool may_read(HttpRequest *request, HttpReply *reply);
static bool is_local(HttpRequest *request);
static bool is_forwarded(HttpRequest *request);
static bool has_key(HttpRequest *request);
static bool same_text(const char *a, const char *b);
static void refuse_metrics(HttpReply *reply, unsigned int status,
						   const char *text);

/*
 * Is this the request?
 */
bool
http_metrics_asked(HttpRequest *request)
{
	return http_metrics != HTTP_METRICS_OFF &&
		strcmp(request->method, "GET") == 0 &&
		dynamo_is_path(request->uri, "/metrics");
}

/*
 * Answer it.  Needs a transaction; the current user sees all statistics.
 */
void
http_metrics_page(HttpRequest *request, HttpReply *reply)
{
	reply->body = makeStringInfo();
	reply->content_type = CONTENT_TYPE;
	if (!may_read(request, reply))
		return;
	operation_stat_page(reply->body);
	operation_stat_work(reply->body);
}

static bool
may_read(HttpRequest *request, HttpReply *reply)
{
	bool		local = is_local(request);

	if (http_metrics == HTTP_METRICS_LOOPBACK)
	{
		if (local && !is_forwarded(request) &&
			http_names_this_machine(http_header(request, "Host")))
			return true;
		refuse_metrics(reply, MHD_HTTP_FORBIDDEN,
					   "Metrics are shown to clients on this machine only.\n");
		return false;
	}
	if (!local && http_connection(request->connection)->certificate == NULL)
	{
		refuse_metrics(reply, MHD_HTTP_FORBIDDEN,
					   "Metrics are shown by HTTPS only.\n");
		return false;
	}
	if (has_key(request))
		return true;
	refuse_metrics(reply, MHD_HTTP_UNAUTHORIZED,
				   "Metrics need an access key of a role with pg_read_all_stats.\n");
	return false;
}

static bool
is_local(HttpRequest *request)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(request->connection,
								MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *address = info ? info->client_addr : NULL;
	const struct in6_addr *six;

	if (address == NULL)
		return false;
	if (address->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *) address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	if (address->sa_family != AF_INET6)
		return false;
	six = &((const struct sockaddr_in6 *) address)->sin6_addr;
	return IN6_IS_ADDR_LOOPBACK(six) ||
		(IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == IN_LOOPBACKNET);
}

/*
 * Did somebody pass the request on?  A good proxy says so.
 */
static bool
is_forwarded(HttpRequest *request)
{
	static const char *const headers[] = {
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"
	};

	for (int i = 0; i < lengthof(headers); i++)
	{
		if (http_header(request, headers[i]) != NULL)
			return true;
	}
	return false;
}

/*
 * Has it come with a good key?
 */
static bool
has_key(HttpRequest *request)
{
	const char *header = http_header(request, "Authorization");
	char		credentials[MAX_CREDENTIALS];
	int			len;
	char	   *secret;
	IdentityKey *key;

	if (header == NULL || pg_strncasecmp(header, BASIC, strlen(BASIC)) != 0)
		return false;
	header += strlen(BASIC);
	if (strlen(header) >= MAX_CREDENTIALS)
		return false;
	len = pg_b64_decode(header, strlen(header), (void *) credentials,
						sizeof(credentials) - 1);
	if (len < 0)
		return false;
	credentials[len] = '\0';
	secret = strchr(credentials, ':');
	if (secret == NULL || strlen(credentials) != len)
		return false;
	*secret++ = '\0';
	key = identity_find_key(credentials);
	if (key == NULL || !same_text(key->secret, secret))
		return false;
	identity_key_used(key);
	identity_role_check_connect(key->role);
	return has_privs_of_role(key->role, ROLE_PG_READ_ALL_STATS);
}

/*
 * In a time that does not depend on what they are.
 */
static bool
same_text(const char *a, const char *b)
{
	uint8		left[DYNAMO_SHA256_LENGTH];
	uint8		right[DYNAMO_SHA256_LENGTH];

	dynamo_sha256(a, strlen(a), left);
	dynamo_sha256(b, strlen(b), right);
	return gnutls_memcmp(left, right, DYNAMO_SHA256_LENGTH) == 0;
}

static void
refuse_metrics(HttpReply *reply, unsigned int status, const char *text)
{
	reply->status = status;
	appendStringInfoString(reply->body, text);
}
