/*-------------------------------------------------------------------------
 *
 * http_arrival.c
 *	  Requests that are arriving: the memory of their bodies, their time.
 *
 * Nobody knows yet whose they are.  So their memory is limited for all of them
 * together.  When there is no room for a piece of a body, the oldest
 * incomplete requests lose theirs, and are answered with 503 if they ever
 * become complete.  Otherwise a client with many open requests would lock out
 * all others.  Memory counts as bytes come in, not as a client announces them.
 *
 * A request has to be complete within the time that PostgreSQL allows for
 * authentication (authentication_timeout), however steadily it is sent.
 *
 * A large body is hashed for its signature as it comes.  Otherwise the
 * worker's other clients would wait while all of it is.
 *
 * Called from within libmicrohttpd: no error is raised here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/socket.h>

#include "http/http_internal.h"
#include "postmaster/postmaster.h"
#include "process/process_watch.h"
#include "utils/memutils.h"

/* Bodies of one worker, all together. */
#define MAX_BODIES		((size_t) 16 * HTTP_MAX_BODY)

#define FIRST_BODY		2048

/* Bodies up to here are hashed at once. */
#define SMALL_BODY		((size_t) 32 * 1024)

static MemoryContext body_context;
static size_t bodies;

/* Not complete yet, the oldest first. */
static dlist_head arriving = DLIST_STATIC_INIT(arriving);

static bool keep_piece(HttpRequest *request, const char *data, size_t len);
static void hash_on(HttpRequest *request, size_t len);
static void forget_hash(HttpRequest *request);
static bool grow(HttpRequest *request, size_t needed);
static bool make_room(HttpRequest *request, size_t size);
static void drop_body(HttpRequest *request);
static int64 deadline(HttpRequest *request);

/*
 * Bodies are allocated in "context".
 */
void
http_arrival_init(MemoryContext context)
{
	body_context = context;
}

/*
 * The first line is there.
 */
void
http_arrival_begin(HttpRequest *request)
{
	request->began = dynamo_clock();
	dlist_push_tail(&arriving, &request->arriving);
}

/*
 * A piece of the body is there.  Sets request->lost when there is no memory
 * for it.  What is too large is not kept.
 */
void
http_arrival_continue(HttpRequest *request, const char *data, size_t len)
{
	request->received += len;
	if (request->received > HTTP_MAX_BODY)
		drop_body(request);
	else if (!request->lost && !keep_piece(request, data, len))
	{
		drop_body(request);
		request->lost = true;
	}
}

/*
 * The request is complete, or refused: its body stays until it is answered.
 * Nothing to do when it was called before.
 */
void
http_arrival_end(HttpRequest *request)
{
	if (request->arriving.next == NULL)
		return;
	dlist_delete(&request->arriving);
	request->arriving.next = NULL;
}

/*
 * The request is answered, or gone: nobody needs its body.
 */
void
http_arrival_forget(HttpRequest *request)
{
	http_arrival_end(request);
	drop_body(request);
}

/*
 * The last to have begun of those that are like this; NULL: none is.
 */
HttpRequest *
http_arrival_find(bool (*is_like_this) (HttpRequest *request))
{
	dlist_iter	iter;

	dlist_reverse_foreach(iter, &arriving)
	{
		HttpRequest *request =
			dlist_container(HttpRequest, arriving, iter.cur);

		if (is_like_this(request))
			return request;
	}
	return NULL;
}

/*
 * End what is late.  The end is reported as an event, and the library finds
 * it.
 */
void
http_arrival_settle(void)
{
	int64		now;

	if (dlist_is_empty(&arriving))
		return;
	now = dynamo_clock();
	while (!dlist_is_empty(&arriving))
	{
		HttpRequest *oldest =
			dlist_head_element(HttpRequest, arriving, &arriving);
		HttpConnection *connection = http_connection(oldest->connection);

		if (deadline(oldest) > now)
			break;
		http_arrival_forget(oldest);
		oldest->lost = true;
		if (connection != NULL)
			(void) shutdown(connection->fd, SHUT_RDWR);
	}
}

/*
 * Milliseconds until http_arrival_settle() has something to do; -1: never.
 */
long
http_arrival_timeout(void)
{
	HttpRequest *oldest;

	if (dlist_is_empty(&arriving))
		return -1;
	oldest = dlist_head_element(HttpRequest, arriving, &arriving);
	return Max(deadline(oldest) - dynamo_clock(), 0);
}

/*
 * Append a piece to the body.  False: there is no memory for it.
 */
static bool
keep_piece(HttpRequest *request, const char *data, size_t len)
{
	size_t		needed = request->body_len + len + 1;

	if (needed > request->body_size && !grow(request, needed))
		return false;
	memcpy(request->body + request->body_len, data, len);
	request->body_len += len;
	request->body[request->body_len] = '\0';
	if (request->body_len > SMALL_BODY &&
		http_served.authentication == HTTP_AUTHENTICATION_SIGV4)
		hash_on(request, len);
	return true;
}

/*
 * Hash the last "len" bytes of the body, or all if none was yet.  Where that
 * cannot be done, the hash is made when it is needed.
 */
static void
hash_on(HttpRequest *request, size_t len)
{
	if (request->hasher == NULL)
	{
		request->hasher = dynamo_sha256_begin();
		len = request->body_len;
	}
	if (request->hasher != NULL &&
		!dynamo_sha256_add(request->hasher,
						   request->body + request->body_len - len, len))
		forget_hash(request);
}

static void
forget_hash(HttpRequest *request)
{
	if (request->hasher != NULL)
		dynamo_sha256_end(request->hasher, NULL);
	request->hasher = NULL;
}

static bool
grow(HttpRequest *request, size_t needed)
{
	size_t		size = Max(request->body_size * 2, FIRST_BODY);
	char	   *body;

	while (size < needed)
		size *= 2;
	size = Min(size, HTTP_MAX_BODY + 1);
	if (!make_room(request, size))
		return false;
	body = MemoryContextAllocExtended(body_context, size, MCXT_ALLOC_NO_OOM);
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
	return true;
}

/*
 * Is there room for "size" bytes, once others that are not complete have given
 * way?
 */
static bool
make_room(HttpRequest *request, size_t size)
{
	dlist_iter	iter;

	if (bodies + size <= MAX_BODIES)
		return true;
	dlist_foreach(iter, &arriving)
	{
		HttpRequest *other =
			dlist_container(HttpRequest, arriving, iter.cur);

		if (other == request || other->body == NULL)
			continue;
		drop_body(other);
		other->lost = true;
		if (bodies + size <= MAX_BODIES)
			return true;
	}
	return false;
}

static void
drop_body(HttpRequest *request)
{
	forget_hash(request);
	if (request->body != NULL)
		pfree(request->body);
	bodies -= request->body_size;
	request->body = NULL;
	request->body_len = 0;
	request->body_size = 0;
}

static int64
deadline(HttpRequest *request)
{
	return request->began + AuthenticationTimeout * INT64CONST(1000);
}
