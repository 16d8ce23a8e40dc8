/*-------------------------------------------------------------------------
 *
 * http_answer.c
 *	  Responses, their memory, and the requests that are no calls of an operation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/socket.h>
#include <zlib.h>

#include "access/xlog.h"
#include "console/console.h"
#include "http/http_internal.h"
#include "utils/builtins.h"

#define MAX_AGE				"172800"

/* Digits of a CRC-32. */
#define MAX_CRC				10

/* Bodies from here on are compressed. */
#define MIN_PACKED			4096

/* Answers of one worker, all together. */
#define MAX_ANSWERS			((size_t) 16 * HTTP_MAX_BODY)

/* What a request for an operation can be. */
static const char *const types[] = {
	"application/x-amz-json-1.0", "application/json"
};

static size_t answers;

/* Not read to their ends, the oldest first. */
static dlist_head leaving = DLIST_STATIC_INIT(leaving);

static void answer_console(HttpRequest *request, HttpReply *reply);
static void append_health(StringInfo out, const char *host);
static void answer_role(HttpReply *reply);
static void refuse_nothing(HttpRequest *request, HttpReply *reply);
static void add_console_headers(struct MHD_Response *response, const char *etag);
static void add_cors(struct MHD_Response *response, HttpRequest *request);
static void depart(HttpRequest *request, size_t len);

/*
 * Is it answered without an operation?  Then fills "reply".
 */
bool
http_answer_plainly(HttpRequest *request, HttpReply *reply)
{
	const char *method = request->method;

	reply->status = MHD_HTTP_OK;
	reply->content_type = http_answer_type(request);
	if ((strcmp(method, "POST") == 0 && reply->content_type != NULL) ||
		http_metrics_asked(request) || http_sts_asked(request))
		return false;

	reply->body = makeStringInfo();
	reply->content_type = NULL;
	if (strcmp(method, "GET") == 0 && dynamo_is_path(request->uri, "/"))
		append_health(reply->body, wire_text(http_header(request, "Host")));
	else if (console_enabled && console_asked(request->uri) &&
			 (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0))
		answer_console(request, reply);
	else if (strcmp(method, "GET") == 0 && dynamo_is_path(request->uri, "/primary"))
		answer_role(reply);
	else if (strcmp(method, "POST") == 0 && request->received == 0 &&
			 http_header(request, "Content-Type") == NULL)
		refuse_nothing(request, reply);
	else if (strcmp(method, "OPTIONS") != 0)
	{
		reply->status = MHD_HTTP_NOT_FOUND;
		appendStringInfoString(reply->body, "<UnknownOperationException/>\n");
	}
	return true;
}

/*
 * The content type of the answer to a request for an operation: the request's
 * without its parameters.  NULL: it has none that an operation takes.
 */
const char *
http_answer_type(HttpRequest *request)
{
	const char *asked = http_header(request, "Content-Type");

	for (int i = 0; asked != NULL && i < lengthof(types); i++)
	{
		size_t		len = strlen(types[i]);

		if (pg_strncasecmp(asked, types[i], len) == 0 &&
			strchr("; \t", asked[len]) != NULL)
			return types[i];
	}
	return NULL;
}

/*
 * The answer to a POST of nothing.
 */
static void
refuse_nothing(HttpRequest *request, HttpReply *reply)
{
	DynamoException e = http_header(request, "X-Amz-Target") == NULL ?
		DYNAMO_UNKNOWN_OPERATION : DYNAMO_SERIALIZATION;

	reply->status = MHD_HTTP_BAD_REQUEST;
	reply->content_type = types[0];
	appendStringInfo(reply->body, "{\"__type\":\"%s\"}",
					 dynamo_exception_type(e));
}

/*
 * A file of the console, or that the browser has it already.
 */
static void
answer_console(HttpRequest *request, HttpReply *reply)
{
	ConsoleFile file;

	if (!console_read(request->uri,
					  wire_accepted_encoding(http_header(request, "Accept-Encoding")) == WIRE_GZIP, &file))
	{
		reply->status = MHD_HTTP_NOT_FOUND;
		reply->content_type = "text/plain";
		appendStringInfoString(reply->body,
							   "The console's files are not installed: build them by \"make console\".\n");
		return;
	}
	reply->etag = file.etag;
	reply->content_type = file.content_type;
	if (console_unchanged(&file, http_header(request, "If-None-Match")))
	{
		reply->status = MHD_HTTP_NOT_MODIFIED;
		return;
	}
	reply->body = file.body;
	reply->encoding = file.gzip ? WIRE_GZIP : WIRE_PLAIN;
}

/*
 * The answer of the service that was asked.
 */
static void
append_health(StringInfo out, const char *host)
{
	if (host != NULL)
		appendStringInfo(out, "healthy: %s ", host);
	else
		appendStringInfo(out, "healthy: dynamodb.%s.amazonaws.com ",
						 wire_region);
}

/*
 * Make the body what is sent: compressed, where the client takes that.  Files of
 * the console have been: anybody may ask for them, and must not cost it each time.
 */
void
http_finish(HttpRequest *request, HttpReply *reply)
{
	StringInfo	body = reply->body;

	if (body->len >= MIN_PACKED && reply->etag == NULL)
		reply->encoding = wire_accepted_encoding(http_header(request, "Accept-Encoding"));
	if (reply->encoding != WIRE_PLAIN && reply->etag == NULL)
		body = http_pack_body(body, reply->encoding);
	reply->body = body;
	reply->crc = crc32(0, (const Bytef *) body->data, body->len);
}

/*
 * A refusal that is no error of an operation.
 */
void
http_refuse(HttpReply *reply, unsigned int status, DynamoException e,
			const char *message)
{
	reply->status = status;
	reply->body = makeStringInfo();
	appendStringInfo(reply->body, "{\"__type\":\"%s\",\"message\":\"%s\"}",
					 dynamo_exception_type(e), message);
}

/*
 * Give the request its response.  One for which there is no memory gets none
 * and loses its connection.
 */
void
http_answer(HttpRequest *request, const HttpReply *reply)
{
	StringInfo	body = reply->body;
	WireEncoding encoding = reply->encoding;
	char		crc[MAX_CRC + 1] = {0};
	struct MHD_Response *response;

	response = MHD_create_response_from_buffer(body->len, body->data,
											   MHD_RESPMEM_MUST_COPY);
	if (response == NULL)
		return;

	(void) pg_ultoa_n(reply->crc, crc);
	MHD_add_response_header(response, "Server", "Server");
	MHD_add_response_header(response, "x-amzn-RequestId",
							http_request_id(request));
	MHD_add_response_header(response, "x-amz-crc32", crc);
	if (reply->content_type != NULL)
		MHD_add_response_header(response, "Content-Type",
								reply->content_type);
	if (encoding != WIRE_PLAIN)
		MHD_add_response_header(response, "Content-Encoding",
								encoding == WIRE_GZIP ? "gzip" : "deflate");
	if (reply->status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response, "WWW-Authenticate",
								"Basic realm=\"dynamo metrics\"");
	if (reply->etag != NULL)
		add_console_headers(response, reply->etag);
	else
		add_cors(response, request);

	request->response = response;
	request->status = reply->status;
	depart(request, body->len);
}

/*
 * Does the server take writes?  For load balancers, which look at the status.
 */
static void
answer_role(HttpReply *reply)
{
	bool		standby = RecoveryInProgress();

	if (standby)
		reply->status = MHD_HTTP_SERVICE_UNAVAILABLE;
	appendStringInfoString(reply->body, standby ? "standby\n" : "primary\n");
}

static void
add_console_headers(struct MHD_Response *response, const char *etag)
{
	MHD_add_response_header(response, "ETag", etag);
	MHD_add_response_header(response, "Vary", "Accept-Encoding");
	for (int i = 0; i < console_num_headers; i++)
		MHD_add_response_header(response, console_headers[i].name,
								console_headers[i].value);
}

/*
 * A browser's page of another origin may read the answer, and may send what
 * it asks to send.
 */
static void
add_cors(struct MHD_Response *response, HttpRequest *request)
{
	const char *headers;
	const char *method;

	if (http_header(request, "Origin") == NULL ||
		http_metrics_asked(request) || !http_page_may_ask(request))
		return;
	MHD_add_response_header(response, "Access-Control-Allow-Origin", "*");
	MHD_add_response_header(response, "Access-Control-Expose-Headers",
							"x-amzn-RequestId,x-amzn-ErrorType,x-amz-request-id,x-amz-id-2,x-amzn-ErrorMessage,x-amz-crc32,Date");
	if (strcmp(request->method, "OPTIONS") != 0)
		return;
	headers = http_header(request, "Access-Control-Request-Headers");
	method = http_header(request, "Access-Control-Request-Method");
	if (headers != NULL)
		MHD_add_response_header(response, "Access-Control-Allow-Headers",
								headers);
	if (method != NULL)
		MHD_add_response_header(response, "Access-Control-Allow-Methods",
								method);
	MHD_add_response_header(response, "Access-Control-Max-Age", MAX_AGE);
}

/*
 * The request has an answer of so many bytes.  It stays until its client has read
 * it, and nobody has to read.  So the answers of a worker are limited all together.
 * Where they are more, the oldest that are not read lose their connections.
 */
static void
depart(HttpRequest *request, size_t len)
{
	request->answer_len = len;
	answers += len;
	dlist_push_tail(&leaving, &request->leaving);
	while (answers > MAX_ANSWERS)
	{
		HttpRequest *oldest =
			dlist_head_element(HttpRequest, leaving, &leaving);
		HttpConnection *connection = http_connection(oldest->connection);

		if (oldest == request)
			break;
		http_departure_end(oldest);
		if (connection != NULL)
			(void) shutdown(connection->fd, SHUT_RDWR);
	}
}

/*
 * The answer is read, or its connection is gone.  Nothing to do when it was
 * given up before, or when there never was one.
 */
void
http_departure_end(HttpRequest *request)
{
	if (request->leaving.next == NULL)
		return;
	dlist_delete(&request->leaving);
	request->leaving.next = NULL;
	answers -= request->answer_len;
}
