/*-------------------------------------------------------------------------
 *
 * http_sender.c
 *	  Who has sent a request?
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"
#include "miscadmin.h"
#include "utils/acl.h"

/* Who is told of each header. */
typedef struct Visitor
{
	IdentityHeader visit;
	void	   *arg;
} Visitor;

static Oid	trusted_role(void);
static void each_header(void *request, IdentityHeader visit, void *arg);
static enum MHD_Result visit_header(void *visitor, enum MHD_ValueKind kind,
									const char *name, size_t namelen,
									const char *value, size_t len);

bool
http_authenticate(HttpRequest *request, const char *service, Oid *role,
				  IdentityRefusal *refusal)
{
	IdentityRequest sent = {
		.method = request->method,
		.uri = request->uri,
		.body = request->body,
		.body_len = request->body_len,
		.hasher = &request->hasher,
		.hashed = &request->hashed,
		.hash = request->hash,
		.region = http_region,
		.each_header = each_header,
		.request = request,
	};

	if (http_served.authentication == HTTP_AUTHENTICATION_TRUST)
	{
		if (!http_page_may_ask(request))
		{
			refusal->exception = DYNAMO_ACCESS_DENIED;
			refusal->message = "Without signatures only pages of this machine are served: dynamo.http_authentication is trust";
			return false;
		}
		*role = trusted_role();
		return true;
	}
	return identity_authenticate(&sent, service, role, refusal);
}

/*
 * May a browser's page send the request, and read the answer?  Without
 * signatures any page that somebody on this machine opens could do what the
 * role may, so it must be one of this machine.  A browser says which it is.
 */
bool
http_page_may_ask(HttpRequest *request)
{
	const char *origin = http_header(request, "Origin");
	const char *host = origin != NULL ? strstr(origin, "://") : NULL;

	if (origin == NULL ||
		http_served.authentication != HTTP_AUTHENTICATION_TRUST)
		return true;
	return host != NULL && pg_strncasecmp(origin, "http", 4) == 0 &&
		http_names_this_machine(host + 3);
}

static Oid
trusted_role(void)
{
	if (http_role[0] == '\0')
		return GetUserId();
	return get_role_oid(http_role, false);
}

static void
each_header(void *request, IdentityHeader visit, void *arg)
{
	Visitor		visitor = {visit, arg};

	http_each_header(request, visit_header, &visitor);
}

/*
 * Called from within libmicrohttpd: no error may be raised here.
 */
static enum MHD_Result
visit_header(void *visitor, enum MHD_ValueKind kind, const char *name,
			 size_t namelen, const char *value, size_t len)
{
	Visitor    *v = visitor;

	v->visit(v->arg, name, namelen, value ? value : "");
	return MHD_YES;
}
