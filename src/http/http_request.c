/*-------------------------------------------------------------------------
 *
 * http_request.c
 *	  Requests as libmicrohttpd reads them.
 *
 * The functions here are called from within the library, so none may raise an
 * error.  Otherwise it would jump over the library's frames.  Memory is
 * allocated with MCXT_ALLOC_NO_OOM.  A request for which there is none is
 * answered with 503 or loses its connection.
 *
 * The library itself answers what is not HTTP.
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
 * The library's memory of a connection: headers, and a piece of the body.  Up
 * to 32 kB the library takes it from malloc(), which after many connections
 * gives nothing back; beyond, it maps pages.  It is cleared for each request,
 * and half of it a second time, which nothing but its size has an influence
 * on.  So this is the least that is mapped.
 */
#define CONNECTION_MEMORY	(36 * 1024)

/* What is too large is read and forgotten up to here, for the sake of 413. */
#define MAX_READ			(4 * HTTP_MAX_BODY)

#define BAD_LENGTH \
	"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
#define GREAT_LENGTH \
	"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

/* What the headers say about where the body ends. */
typedef struct Framing
{
	int			said;			/* how often */
	bool		understood;
} Framing;

static MemoryContext request_context;

static void library_reported(void *cls, const char *format, va_list args)
			pg_attribute_printf(2, 0);
static bool has_bad_length(HttpRequest *request);
static bool is_number(const char *text);
static void *request_began(void *cls, const char *uri,
						   struct MHD_Connection *connection);
static void connection_changed(void *cls, struct MHD_Connection *connection,
							   void **context,
							   enum MHD_ConnectionNotificationCode code);
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
static void end_request(HttpRequest *request);
static void *allocate_request(size_t size);
static enum MHD_Result check_head(HttpRequest *request);
static bool has_clear_length(struct MHD_Connection *connection);
static enum MHD_Result note_framing(void *cls, enum MHD_ValueKind kind,
									const char *name, const char *value);
static enum MHD_Result refuse_bytes(HttpRequest *request, unsigned int status);

/*
 * Start the library.  Requests are allocated in "context".  NULL: it could
 * not start.
 */
struct MHD_Daemon *
http_daemon(MemoryContext context, bool tls, unsigned int max_connections)
{
	static struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};

	request_context = context;
	http_arrival_init(context);
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET |
							MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO |
							MHD_USE_ERROR_LOG | (tls ? MHD_USE_TLS : 0),
							0, NULL, NULL, request_progressed, NULL,
							MHD_OPTION_EXTERNAL_LOGGER, library_reported, NULL,
							MHD_OPTION_URI_LOG_CALLBACK, request_began, NULL,
							MHD_OPTION_NOTIFY_COMPLETED, request_ended, NULL,
							MHD_OPTION_NOTIFY_CONNECTION,
							connection_changed, NULL,
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
 * The request line has been read.  What is returned is the request's *con_cls
 * from here on.
 */
static void *
request_began(void *cls, const char *uri, struct MHD_Connection *connection)
{
	HttpConnection *ours = http_connection(connection);
	size_t		len = strlen(uri) + 1;
	HttpRequest *request;

	if (ours == NULL)
		return NULL;
	request = allocate_request(sizeof(HttpRequest));
	if (request == NULL)
		return NULL;
	memset(request, 0, sizeof(HttpRequest));
	request->uri = allocate_request(len);
	if (request->uri == NULL)
	{
		pfree(request);
		return NULL;
	}
	memcpy(request->uri, uri, len);
	request->connection = connection;
	ours->request = request;
	http_arrival_begin(request);
	return request;
}

/*
 * A connection comes or goes.  Where the library gives one up in the middle of
 * a request (in version 0.9.75, when the first line has more arguments than it
 * can list, or epoll takes no more), it does not say that the request ends.
 */
static void
connection_changed(void *cls, struct MHD_Connection *connection,
				   void **context, enum MHD_ConnectionNotificationCode code)
{
	HttpConnection *ours = *context;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED && ours != NULL &&
		ours->request != NULL)
		end_request(ours->request);
	http_connection_notify(cls, connection, context, code);
}

/*
 * The library has something for its log.  One thing is of use to us: that it
 * refuses a Content-Length.  The answer that it goes on to give has its
 * headers twice (in version 0.9.75), so we answer, and what the library says
 * is lost.
 */
static void
library_reported(void *cls, const char *format, va_list args)
{
	HttpRequest *request;

	if (strstr(format, "Content-Length") == NULL)
		return;
	while ((request = http_arrival_find(has_bad_length)) != NULL)
	{
		const char *length = http_header(request, "Content-Length");

		http_arrival_end(request);
		http_connection_close(request->connection,
							  is_number(length) ? GREAT_LENGTH : BAD_LENGTH);
	}
}

/*
 * Has a request a length that is none?
 */
static bool
has_bad_length(HttpRequest *request)
{
	const char *length = http_header(request, "Content-Length");

	if (length == NULL)
		return false;
	errno = 0;
	(void) strtoull(length, NULL, 10);
	return !is_number(length) || errno == ERANGE;
}

static bool
is_number(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
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
	if (request->method == NULL)
	{
		request->method = method;
		return check_head(request);
	}
	if (*upload_data_size > 0)
	{
		http_arrival_continue(request, upload_data, *upload_data_size);
		*upload_data_size = 0;
		return request->received > MAX_READ ? MHD_NO : MHD_YES;
	}
	http_arrival_end(request);
	if (!request->waiting && !request->executed)
	{
		if (request->received > HTTP_MAX_BODY)
			return refuse_bytes(request, MHD_HTTP_CONTENT_TOO_LARGE);
		if (request->lost)
			return refuse_bytes(request, MHD_HTTP_SERVICE_UNAVAILABLE);
		http_queue_push(request);
	}
	if (request->executed)
		return request->response == NULL ? MHD_NO :
			MHD_queue_response(connection, request->status,
							   request->response);

	/* Parked, handed over, or away.  Only a callback may suspend. */
	if (request->deadline != 0 || request->job != NULL ||
		request->call != NULL || request->scatter != NULL)
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
	if (*con_cls != NULL)
		end_request(*con_cls);
	*con_cls = NULL;
}

static void
end_request(HttpRequest *request)
{
	http_connection(request->connection)->request = NULL;
	http_queue_forget(request);
	http_arrival_forget(request);
	http_departure_end(request);
	if (request->response != NULL)
		MHD_destroy_response(request->response);
	pfree(request->uri);
	pfree(request);
}

/* Memory in the context of requests, or NULL. */
static void *
allocate_request(size_t size)
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
		return refuse_bytes(request, MHD_HTTP_BAD_REQUEST);
	if (length != NULL && strtoull(length, NULL, 10) > MAX_READ)
		return refuse_bytes(request, MHD_HTTP_CONTENT_TOO_LARGE);
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
refuse_bytes(HttpRequest *request, unsigned int status)
{
	static char empty[1];

	http_arrival_end(request);
	request->response =
		MHD_create_response_from_buffer(0, empty, MHD_RESPMEM_PERSISTENT);
	if (request->response == NULL)
		return MHD_NO;
	MHD_add_response_header(request->response, "Connection", "close");
	return MHD_queue_response(request->connection, status, request->response);
}
