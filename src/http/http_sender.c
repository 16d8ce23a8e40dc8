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
		*role = trusted_role();
		return true;
	}
	return identity_authenticate(&sent, service, role, refusal);
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
