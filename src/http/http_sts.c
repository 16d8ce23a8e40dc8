/*-------------------------------------------------------------------------
 *
 * http_sts.c
 *	  GetCallerIdentity of AWS' security token service, at our endpoint.
 *
 * Tools and people ask it who they are before they begin, with the credentials
 * that they use for everything else.  It has the Query protocol: a form with
 * the action's name, in the body or in the query string, and an answer in XML.
 * Requests are signed for the service sts.  There is no other action.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"
#include "miscadmin.h"
#include "utils/xml.h"

#define NAMESPACE		"https://sts.amazonaws.com/doc/2011-06-15/"
#define FORM			"application/x-www-form-urlencoded"
#define ACTION			"GetCallerIdentity"
#define VERSION			"2011-06-15"

/* Of what a client has sent, in an error. */
#define ECHOED			128

static const char http_sts[] = "sts";

static const char *form_of_query(HttpRequest *request);
static char *form_value(const char *form, size_t len, const char *name);
static char *given(HttpRequest *request, const char *name);
static bool check_action(HttpRequest *request, HttpReply *reply);
static bool find_role(HttpRequest *request, HttpReply *reply, Oid *role);
static void refuse_identity(HttpRequest *request, HttpReply *reply, int status,
							const char *code, const char *message);
static void append_element(StringInfo out, const char *name,
						   const char *value);

/*
 * Is the request one of that service?  A form that is posted, or a GET that
 * names an action.
 */
bool
http_sts_asked(HttpRequest *request)
{
	const char *content_type = http_header(request, "Content-Type");
	const char *form = form_of_query(request);

	if (!dynamo_is_path(request->uri, "/") ||
		http_header(request, "X-Amz-Target") != NULL)
		return false;
	if (strcmp(request->method, "GET") == 0)
		return form != NULL &&
			form_value(form, strlen(form), "Action") != NULL;
	return strcmp(request->method, "POST") == 0 && content_type != NULL &&
		pg_strncasecmp(content_type, FORM, strlen(FORM)) == 0 &&
		strchr("; \t", content_type[strlen(FORM)]) != NULL;
}

/* What follows the path; NULL: nothing does. */
static const char *
form_of_query(HttpRequest *request)
{
	const char *mark = strchr(request->uri, '?');

	return mark ? mark + 1 : NULL;
}

/*
 * The value of a field, NULL if there is none.
 */
static char *
form_value(const char *form, size_t len, const char *name)
{
	size_t		namelen = strlen(name);
	const char *end = form + len;

	while (form < end)
	{
		const char *stop = memchr(form, '&', end - form);

		if (stop == NULL)
			stop = end;
		if (stop - form > namelen && form[namelen] == '=' &&
			memcmp(form, name, namelen) == 0)
			return identity_decode(form + namelen + 1,
								   stop - form - namelen - 1);
		form = stop + 1;
	}
	return NULL;
}

/*
 * The same in the request, fit to be echoed.
 */
static char *
given(HttpRequest *request, const char *name)
{
	const char *form = form_of_query(request);
	char	   *value = NULL;

	if (request->body != NULL)
		value = form_value(request->body, request->body_len, name);
	if (value == NULL && form != NULL)
		value = form_value(form, strlen(form), name);
	if (value != NULL && strlen(value) > ECHOED)
		value[ECHOED] = '\0';
	return value;
}

/*
 * Answer it.  Needs a transaction.
 */
void
http_sts_answer(HttpRequest *request, HttpReply *reply)
{
	StringInfo	out;
	Oid			role;

	if (!check_action(request, reply) || !find_role(request, reply, &role))
		return;
	identity_role_check_connect(role);
	reply->status = MHD_HTTP_OK;
	reply->content_type = "text/xml";
	reply->body = out = makeStringInfo();
	appendStringInfoString(out, "<" ACTION "Response xmlns=\"" NAMESPACE "\">\n"
						   "  <" ACTION "Result>\n");
	append_element(out, "Arn", wire_user_arn(role));
	append_element(out, "UserId", psprintf("%u", role));
	append_element(out, "Account", wire_account_id);
	appendStringInfoString(out, "  </" ACTION "Result>\n"
						   "  <ResponseMetadata>\n");
	append_element(out, "RequestId", http_request_id(request));
	appendStringInfoString(out, "  </ResponseMetadata>\n"
						   "</" ACTION "Response>\n");
}

/*
 * As in the other service, what is asked comes before who asks.
 */
static bool
check_action(HttpRequest *request, HttpReply *reply)
{
	const char *action = given(request, "Action");
	const char *version = given(request, "Version");

	if (action == NULL)
	{
		refuse_identity(request, reply, MHD_HTTP_BAD_REQUEST, "MissingAction",
						"The request must contain the parameter Action.");
		return false;
	}
	if (strcmp(action, ACTION) != 0 || version == NULL ||
		strcmp(version, VERSION) != 0)
	{
		refuse_identity(request, reply, MHD_HTTP_BAD_REQUEST, "InvalidAction",
						psprintf("Could not find operation %s for version %s",
								 wire_text(action),
								 version ? wire_text(version) : "NO_VERSION_SPECIFIED"));
		return false;
	}
	return true;
}

static bool
find_role(HttpRequest *request, HttpReply *reply, Oid *role)
{
	IdentityRefusal refusal;

	if (http_authenticate(request, http_sts, role, &refusal))
		return true;
	switch (refusal.exception)
	{
		case DYNAMO_MISSING_AUTHENTICATION_TOKEN:
			refuse_identity(request, reply, MHD_HTTP_FORBIDDEN,
							"MissingAuthenticationToken", refusal.message);
			break;
		case DYNAMO_INCOMPLETE_SIGNATURE:
			refuse_identity(request, reply, MHD_HTTP_BAD_REQUEST,
							"IncompleteSignature", refusal.message);
			break;
		case DYNAMO_UNRECOGNIZED_CLIENT:
			refuse_identity(request, reply, MHD_HTTP_FORBIDDEN,
							"InvalidClientTokenId", refusal.message);
			break;
		default:
			refuse_identity(request, reply, MHD_HTTP_FORBIDDEN,
							"SignatureDoesNotMatch", refusal.message);
	}
	return false;
}

/*
 * Answer it by an error that was raised.
 */
void
http_sts_fail(HttpRequest *request, const ErrorData *error, HttpReply *reply)
{
	DynamoException e;

	if (error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE)
		refuse_identity(request, reply, MHD_HTTP_FORBIDDEN, "AccessDenied",
						error->message);
	else if (dynamo_exception_of(error->sqlerrcode, &e) &&
			 e == DYNAMO_SERVICE_UNAVAILABLE)
		refuse_identity(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE,
						"ServiceUnavailable", error->message);
	else
		refuse_identity(request, reply, MHD_HTTP_INTERNAL_SERVER_ERROR,
						"InternalFailure",
						"The request processing has failed because of an unknown error, exception or failure.");
}

static void
refuse_identity(HttpRequest *request, HttpReply *reply, int status,
				const char *code,
				const char *message)
{
	StringInfo	out = makeStringInfo();
	bool		theirs = status < MHD_HTTP_INTERNAL_SERVER_ERROR;

	reply->status = status;
	reply->content_type = "text/xml";
	reply->body = out;
	appendStringInfoString(out, "<ErrorResponse xmlns=\"" NAMESPACE "\">\n"
						   "  <Error>\n");
	append_element(out, "Type", theirs ? "Sender" : "Receiver");
	append_element(out, "Code", code);
	append_element(out, "Message", message);
	appendStringInfoString(out, "  </Error>\n");
	append_element(out, "RequestId", http_request_id(request));
	appendStringInfoString(out, "</ErrorResponse>\n");
}

static void
append_element(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "    <%s>%s</%s>\n", name, escape_xml(value), name);
}
