/*-------------------------------------------------------------------------
 *
 * http_request.c
 *	  Requests as libmicrohttpd reads them.
 *
 * The functions here are called from within the library, so none may raise an
 * error: memory is asked for without a promise, and a request for which there
 * is none is answered with 503 or loses its connection.
 *
 * The library makes the answers to what is not HTTP.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

/* Seconds without a byte after which a connection is closed. */
#define IDLE_TIMEOUT		300

/*
 * The library's memory of a connection: headers, and a piece of the body.  It
 * is cleared for each request, so more is not better.  Up to 32 kB the library
 * takes it from malloc(), which after many connections gives nothing back;
 * beyond, it maps pages.
 */
#define CONNECTION_MEMORY	(36 * 1024)

/* What is too large is read and forgotten up to here, for the sake of 413. */
#define MAX_READ			(4 * HTTP_MAX_BODY)

/* Bodies of one worker, all together. */
#define MAX_BODIES			((size_t) 32 * HTTP_MAX_BODY)

#define FIRST_BODY			2048

/* What the headers say about where the body ends. */
typedef struct Framing
{
	int			said;			/* how often */
	bool		understood;
} Framing;

static MemoryContext request_context;
static size_t bodies;

static void *request_began(void *cls, const char *uri,
						   struct MHD_Connection *connection);
static enum MHD_Result request_progressed(void *cls,
										  struct MHD_Connection *connection,
										  const char *url, const char *method,
										  const char *version,
										  const char *upload_data,
										  size_t *upload_data_size,
										  void **con_cls);
static void request_ended(void *cls, struct MHD_Connection *connection,
						  void **con_cls,
						  enum MHD_RequestTerminationCode toe);
static void *allocate(size_t size);
static enum MHD_Result check_head(HttpRequest *request);
static bool has_clear_length(struct MHD_Connection *connection);
static enum MHD_Result note_framing(void *cls, enum MHD_ValueKind kind,
									const char *name, const char *value);
static enum MHD_Result refuse(HttpRequest *request, unsigned int status);
static bool keep_body(HttpRequest *request, const char *data, size_t len);
static void drop_body(HttpRequest *request);

/*
 * Start the library.  Requests are allocated in "context".  NULL: it could
 * not start.
 */
struct MHD_Daemon *
http_daemon(MemoryContext context, bool tls, unsigned int max_connections)
{
	static struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};

	request_context = context;
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET |
							MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO |
							(tls ? MHD_USE_TLS : 0),
							0, NULL, NULL, request_progressed, NULL,
							MHD_OPTION_URI_LOG_CALLBACK, request_began, NULL,
							MHD_OPTION_NOTIFY_COMPLETED, request_ended, NULL,
							MHD_OPTION_NOTIFY_CONNECTION,
							http_connection_notify, NULL,
							MHD_OPTION_ARRAY, tls ? http_tls_options() : none,
							MHD_OPTION_CONNECTION_LIMIT, max_connections,
							MHD_OPTION_CONNECTION_TIMEOUT,
							(unsigned int) IDLE_TIMEOUT,
							MHD_OPTION_CONNECTION_MEMORY_LIMIT,
							(size_t) CONNECTION_MEMORY,
							MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
							MHD_OPTION_END);
}

/*
 * The value of a header, NULL when it was not sent.
 */
const char *
http_header(HttpRequest *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
									   name);
}

/*
 * What a client sent outside of its body, as text that an answer may have in
 * it: if it is not UTF-8, it is taken for Latin 1.
 */
const char *
http_text(const char *bytes)
{
	StringInfoData text;

	if (bytes == NULL ||
		pg_verify_mbstr(PG_UTF8, bytes, strlen(bytes), true))
		return bytes;
	initStringInfo(&text);
	for (const unsigned char *p = (const unsigned char *) bytes; *p; p++)
	{
		if (*p >= 0x80)
			appendStringInfoChar(&text, 0xC0 | *p >> 6);
		appendStringInfoChar(&text, *p >= 0x80 ? 0x80 | (*p & 0x3F) : *p);
	}
	return text.data;
}

/*
 * The request line has been read.  What is returned is the request's *con_cls
 * from here on.
 */
static void *
request_began(void *cls, const char *uri, struct MHD_Connection *connection)
{
	size_t		len = strlen(uri) + 1;
	HttpRequest *request = allocate(sizeof(HttpRequest));

	if (request == NULL)
		return NULL;
	memset(request, 0, sizeof(HttpRequest));
	request->uri = allocate(len);
	if (request->uri == NULL)
	{
		pfree(request);
		return NULL;
	}
	memcpy(request->uri, uri, len);
	return request;
}

/*
 * Called when the headers are there, for each piece of the body, and, when all
 * is there, in each turn of the library until there is a response.
 */
static enum MHD_Result
request_progressed(void *cls, struct MHD_Connection *connection,
				   const char *url, const char *method, const char *version,
				   const char *upload_data, size_t *upload_data_size,
				   void **con_cls)
{
	HttpRequest *request = *con_cls;

	if (request == NULL)
		return MHD_NO;
	if (request->connection == NULL)
	{
		request->connection = connection;
		request->method = method;
		return check_head(request);
	}
	if (*upload_data_size > 0)
	{
		request->received += *upload_data_size;
		if (request->received > MAX_READ)
			return MHD_NO;
		if (request->received > HTTP_MAX_BODY)
			drop_body(request);
		else if (!request->lost &&
				 !keep_body(request, upload_data, *upload_data_size))
		{
			drop_body(request);
			request->lost = true;
		}
		*upload_data_size = 0;
		return MHD_YES;
	}
	if (!request->waiting && !request->executed)
	{
		if (request->received > HTTP_MAX_BODY)
			return refuse(request, MHD_HTTP_CONTENT_TOO_LARGE);
		if (request->lost)
			return refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE);
		http_queue_push(request);
	}
	if (request->executed)
		return request->response == NULL ? MHD_NO :
			MHD_queue_response(connection, request->status,
							   request->response);

	/* Parked.  Only a callback may suspend. */
	if (request->deadline != 0)
		http_connection_suspend(connection);
	return MHD_YES;
}

/*
 * The answer has been sent, or the connection is gone.
 */
static void
request_ended(void *cls, struct MHD_Connection *connection, void **con_cls,
			  enum MHD_RequestTerminationCode toe)
{
	HttpRequest *request = *con_cls;

	if (request == NULL)
		return;
	http_queue_forget(request);
	drop_body(request);
	if (request->response != NULL)
		MHD_destroy_response(request->response);
	pfree(request->uri);
	pfree(request);
	*con_cls = NULL;
}

/* Memory in the context of requests, or NULL. */
static void *
allocate(size_t size)
{
	return MemoryContextAllocExtended(request_context, size,
									  MCXT_ALLOC_NO_OOM);
}

/*
 * What can be refused before a body is read.
 */
static enum MHD_Result
check_head(HttpRequest *request)
{
	const union MHD_ConnectionInfo *head;
	const char *length = http_header(request, "Content-Length");

	head = MHD_get_connection_info(request->connection,
								   MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	if ((head != NULL && head->header_size > HTTP_MAX_HEAD) ||
		!has_clear_length(request->connection))
		return refuse(request, MHD_HTTP_BAD_REQUEST);
	if (length != NULL && strtoull(length, NULL, 10) > MAX_READ)
		return refuse(request, MHD_HTTP_CONTENT_TOO_LARGE);
	return MHD_YES;
}

/*
 * Is it beyond doubt where the body ends?  The library takes the first of two
 * lengths, and a header that it does not know for none.  A proxy that takes
 * the other would be fooled: what it passes on as a body could be executed
 * as the next request, another client's.
 */
static bool
has_clear_length(struct MHD_Connection *connection)
{
	Framing		framing = {0, true};

	MHD_get_connection_values(connection, MHD_HEADER_KIND, note_framing,
							  &framing);
	return framing.said <= 1 && framing.understood;
}

static enum MHD_Result
note_framing(void *cls, enum MHD_ValueKind kind, const char *name,
			 const char *value)
{
	Framing    *framing = cls;

	if (name[strcspn(name, " \t")] != '\0')
		framing->understood = false;
	if (pg_strcasecmp(name, "Content-Length") == 0)
		framing->said++;
	else if (pg_strcasecmp(name, "Transfer-Encoding") == 0)
	{
		framing->said++;
		if (value == NULL || pg_strcasecmp(value, "chunked") != 0)
			framing->understood = false;
	}
	return MHD_YES;
}

/*
 * Answer with a status alone, and read no more from this connection.
 */
static enum MHD_Result
refuse(HttpRequest *request, unsigned int status)
{
	static char empty[1];

	request->response =
		MHD_create_response_from_buffer(0, empty, MHD_RESPMEM_PERSISTENT);
	if (request->response == NULL)
		return MHD_NO;
	MHD_add_response_header(request->response, "Connection", "close");
	return MHD_queue_response(request->connection, status, request->response);
}

/*
 * Append a piece to the body.  False: there is no memory for it.
 */
static bool
keep_body(HttpRequest *request, const char *data, size_t len)
{
	size_t		needed = request->body_len + len + 1;

	if (needed > request->body_size)
	{
		size_t		size = Max(request->body_size * 2, FIRST_BODY);
		char	   *body;

		while (size < needed)
			size *= 2;
		if (bodies + size > MAX_BODIES)
			return false;
		body = allocate(size);
		if (body == NULL)
			return false;
		if (request->body != NULL)
		{
			memcpy(body, request->body, request->body_len);
			pfree(request->body);
		}
		bodies += size - request->body_size;
		request->body = body;
		request->body_size = size;
	}
	memcpy(request->body + request->body_len, data, len);
	request->body_len += len;
	request->body[request->body_len] = '\0';
	return true;
}

static void
drop_body(HttpRequest *request)
{
	if (request->body != NULL)
		pfree(request->body);
	bodies -= request->body_size;
	request->body = NULL;
	request->body_len = 0;
	request->body_size = 0;
}
