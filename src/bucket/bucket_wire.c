/*-------------------------------------------------------------------------
 *
 * bucket_wire.c
 *	  Requests to stores, by libcurl.
 *
 * libcurl is never let wait: it tells which sockets it looks at, and for how
 * long, and we wait for these and for our latch.  So a query is cancelled at
 * once, whatever the store does.  Its sockets are kept in a descriptor of epoll,
 * for WaitLatchOrSocket() takes but one.
 *
 * What leaves the server is decided here: http and https alone, no proxy, no
 * redirect, no file of passwords, no address that store_address_allowed()
 * refuses.  That is asked when a socket is made for an address, so it does not
 * matter what DNS said before.
 *
 * libcurl looks names up in a thread of its own.  Our signals are blocked while
 * it is called, and so are in its threads, or else a handler of ours would run
 * in one.
 *
 * No error of ours passes through libcurl: its callbacks note and return.  What
 * belongs to libcurl is freed with the memory contexts of the bucket and of the
 * exchange.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "base/base.h"
#include "base/base_session.h"
#include "bucket/bucket_store.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process_watch.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

/* What of an answer is kept until it is read: no more than two of libcurl's. */
#define BUFFER			(4 * CURL_MAX_WRITE_SIZE)

/* A store that sends fewer bytes a second, for the time of the setting, hangs. */
#define SLOWEST			1000

/*
 * Once a request has come to nothing, those that tidy up wait for so many
 * milliseconds at most; after the next one, there are none.
 */
#define SHORT_TIMEOUT	5000
#define MAX_STRIKES		2

/*
 * Milliseconds in which a store may refuse a large body before it is sent.  (The
 * header that asks for that cannot be left out: some versions of libcurl sign
 * one that was.)
 */
#define EXPECT_WAIT		200

/* Bytes of an answer's heads and of what may stand behind its body. */
#define MAX_HEAD		(256 * 1024)

#define MAX_EVENTS		8

/* The longest wait between two looks at libcurl, in milliseconds. */
#define LONGEST_WAIT	1000

/*
 * How a bucket's requests share libcurl's connections.  A bucket and its
 * exchanges may go in any order, so the last of them takes it along.
 */
typedef struct StoreWires
{
	int			users;
	bool		waiting;		/* for an answer, unless that was interrupted */
	CURLM	   *multi;
	int			epoll;			/* -1: none */
	int64		wake_at;		/* libcurl wants to be called then, by
								 * dynamo_clock(); 0: it does not */
} StoreWires;

struct StoreExchange
{
	MemoryContext context;		/* all that is its own */
	StoreWires *wires;			/* NULL: not yet */
	bool		loopback;		/* may this machine be reached? */
	CURL	   *easy;
	struct curl_slist *headers;
	StoreAnswer *answer;		/* NULL: its head was read */
	const char *body;			/* to be sent */
	size_t		len;
	size_t		sent;
	size_t		head;			/* bytes of heads received */
	char	   *buffer;			/* received, not read yet */
	size_t		start;
	size_t		end;
	bool		paused;			/* the buffer had no room */
	bool		begun;			/* the head of the answer is complete */
	bool		refused;		/* an address was */
	bool		done;
	CURLcode	result;			/* once it is done */
	MemoryContextCallback callback;
};

/* Seconds */
static int	bucket_timeout;

static void begin_libcurl(void);
static void leave_wires(void *wires);
static void set_up(StoreExchange *exchange, const StoreBucket *bucket,
				   const StoreRequest *request);
static void set_safety(StoreExchange *exchange, const StoreBucket *bucket);
static void set_credentials(StoreExchange *exchange,
							const StoreBucket *bucket,
							const StoreRequest *request);
static void set_method(StoreExchange *exchange, const StoreRequest *request);
static void add_header(StoreExchange *exchange, const char *header);
static void await_head(StoreExchange *exchange);
static StoreExchange *new_exchange(void);
static void end_exchange(void *exchange);
static bool go_on(StoreExchange *exchange);
static void wait_for_events(StoreWires *wires);
static void serve_events(StoreWires *wires);
static void block_signals(sigset_t *before);
static void restore_signals(const sigset_t *before);
static void note_end(StoreExchange *exchange);
static const char *reason(const StoreExchange *exchange);
static bool is_final(const StoreExchange *exchange);
static void out_of_memory(void) pg_attribute_noreturn();
static int	watch_socket(CURL *easy, curl_socket_t fd, int what, void *wires,
						 void *watched);
static int	set_timer(CURLM *multi, long milliseconds, void *wires);
static curl_socket_t open_socket(void *exchange, curlsocktype purpose,
								 struct curl_sockaddr *address);
static int	close_socket(void *exchange, curl_socket_t fd);
static size_t take_header(char *text, size_t size, size_t n, void *exchange);
static size_t take_body(char *data, size_t size, size_t n, void *exchange);
static size_t give_body(char *buffer, size_t size, size_t n, void *exchange);
static int	rewind_body(void *exchange, curl_off_t offset, int origin);

#define SET(option, value) \
	do { \
		if (curl_easy_setopt(exchange->easy, option, value) != CURLE_OK) \
			out_of_memory(); \
	} while (0)

/*
 * Defines the setting dynamo.bucket_timeout.
 */
void
store_wire_init(void)
{
	DefineCustomIntVariable("dynamo.bucket_timeout",
							"Time after which a store that does not answer, or hardly sends anything, is given up.",
							"The request is tried again then.",
							&bucket_timeout, 30000, 1000, 3600000,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
}

/*
 * Get a bucket ready for requests, until its memory goes.
 */
void
store_wires_open(StoreBucket *bucket)
{
	StoreWires *wires;

	begin_libcurl();
	wires = MemoryContextAllocZero(TopMemoryContext, sizeof(StoreWires));
	wires->users = 1;
	wires->epoll = -1;
	bucket->wires = wires;
	bucket->callback.func = leave_wires;
	bucket->callback.arg = wires;
	MemoryContextRegisterResetCallback(bucket->base.context, &bucket->callback);
	if (!AcquireExternalFD())
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create epoll descriptor: %m")));
	wires->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (wires->epoll < 0)
	{
		ReleaseExternalFD();
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create epoll descriptor: %m")));
	}
	wires->multi = curl_multi_init();
	if (wires->multi == NULL ||
		curl_multi_setopt(wires->multi, CURLMOPT_SOCKETFUNCTION,
						  watch_socket) != CURLM_OK ||
		curl_multi_setopt(wires->multi, CURLMOPT_SOCKETDATA, wires) != CURLM_OK ||
		curl_multi_setopt(wires->multi, CURLMOPT_TIMERFUNCTION,
						  set_timer) != CURLM_OK ||
		curl_multi_setopt(wires->multi, CURLMOPT_TIMERDATA, wires) != CURLM_OK)
		out_of_memory();
}

/*
 * Once a process.  Signatures as stores want them are made since 7.87.
 */
static void
begin_libcurl(void)
{
	static bool begun = false;
	const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);

	if (version->version_num < 0x075700)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("buckets with an endpoint need libcurl 7.87 or newer"),
				 errdetail("This server has libcurl %s.", version->version)));
	if (!begun && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		out_of_memory();
	begun = true;
}

static void
leave_wires(void *arg)
{
	StoreWires *wires = arg;
	sigset_t	before;

	if (--wires->users > 0)
		return;
	if (wires->multi)
	{
		block_signals(&before);
		(void) curl_multi_cleanup(wires->multi);
		restore_signals(&before);
	}
	if (wires->epoll >= 0)
	{
		(void) close(wires->epoll);
		ReleaseExternalFD();
	}
	pfree(wires);
}

/*
 * Send a request, and wait for the head of the answer.  It belongs to the
 * current context.  NULL: that came to nothing, "failure" says why.
 */
StoreExchange *
store_exchange(StoreBucket *bucket, const StoreRequest *request,
			   StoreAnswer *answer, const char **failure)
{
	StoreWires *wires = bucket->wires;
	StoreExchange *exchange;
	MemoryContext caller;

	memset(answer, 0, sizeof(*answer));
	answer->length = -1;
	if (wires->waiting)
		bucket->strikes++;
	wires->waiting = false;
	if (bucket->strikes >= MAX_STRIKES)
	{
		*failure = _("it did not answer before");
		answer->final = true;
		return NULL;
	}
	exchange = new_exchange();
	exchange->loopback = bucket->loopback;
	exchange->answer = answer;
	exchange->wires = wires;
	exchange->wires->users++;
	exchange->easy = curl_easy_init();
	if (exchange->easy == NULL)
		out_of_memory();
	caller = MemoryContextSwitchTo(exchange->context);
	set_up(exchange, bucket, request);
	MemoryContextSwitchTo(caller);
	if (curl_multi_add_handle(wires->multi, exchange->easy) != CURLM_OK)
		out_of_memory();
	await_head(exchange);
	if (exchange->done && exchange->result != CURLE_OK)
	{
		*failure = reason(exchange);
		answer->final = is_final(exchange);
		answer->refused = exchange->refused;
		store_exchange_end(exchange);
		return NULL;
	}
	(void) curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE,
							 &answer->status);
	return exchange;
}

/*
 * Wait for the head of the answer.  Where that is interrupted, the exchange ends
 * at once: the caller may go on to tidy up by the same wires, and libcurl would
 * go on with this one beside it, for a caller who is gone.
 */
static void
await_head(StoreExchange *exchange)
{
	exchange->wires->waiting = true;
	PG_TRY();
	{
		while (!exchange->begun && go_on(exchange))
			;
	}
	PG_CATCH();
	{
		store_exchange_end(exchange);
		PG_RE_THROW();
	}
	PG_END_TRY();
	exchange->wires->waiting = false;
	exchange->answer = NULL;
}

static StoreExchange *
new_exchange(void)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo store exchange",
												  ALLOCSET_DEFAULT_SIZES);
	StoreExchange *exchange = MemoryContextAllocZero(context,
													 sizeof(StoreExchange));

	exchange->context = context;
	exchange->buffer = MemoryContextAlloc(context, BUFFER);
	exchange->callback.func = end_exchange;
	exchange->callback.arg = exchange;
	MemoryContextRegisterResetCallback(context, &exchange->callback);
	return exchange;
}

static void
set_up(StoreExchange *exchange, const StoreBucket *bucket,
	   const StoreRequest *request)
{
	long		timeout = bucket->strikes == 0 ? bucket_timeout :
		Min(bucket_timeout, SHORT_TIMEOUT);

	SET(CURLOPT_PRIVATE, exchange);
	SET(CURLOPT_URL, request->url);
	SET(CURLOPT_HEADERFUNCTION, take_header);
	SET(CURLOPT_HEADERDATA, exchange);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, exchange);
	SET(CURLOPT_CONNECTTIMEOUT_MS, timeout);
	SET(CURLOPT_LOW_SPEED_TIME, (timeout + 999) / 1000);
	SET(CURLOPT_LOW_SPEED_LIMIT, (long) SLOWEST);
	SET(CURLOPT_EXPECT_100_TIMEOUT_MS, (long) EXPECT_WAIT);
	SET(CURLOPT_USERAGENT, "dynamo/" DYNAMO_VERSION);
	set_safety(exchange, bucket);
	set_method(exchange, request);
	set_credentials(exchange, bucket, request);
	SET(CURLOPT_HTTPHEADER, exchange->headers);
}

/*
 * What keeps requests where they belong.
 */
static void
set_safety(StoreExchange *exchange, const StoreBucket *bucket)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
	SET(CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
	SET(CURLOPT_QUICK_EXIT, 1L);	/* a cancel does not wait for DNS */
#endif
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_NETRC, (long) CURL_NETRC_IGNORED);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	if (bucket->ca_file)
		SET(CURLOPT_CAINFO, bucket->ca_file);
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, exchange);
	SET(CURLOPT_CLOSESOCKETFUNCTION, close_socket);
}

static void
set_method(StoreExchange *exchange, const StoreRequest *request)
{
	exchange->body = request->body;
	exchange->len = request->len;
	if (strcmp(request->method, "PUT") == 0)
	{
		SET(CURLOPT_UPLOAD, 1L);
		SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t) request->len);
		SET(CURLOPT_READFUNCTION, give_body);
		SET(CURLOPT_READDATA, exchange);
		SET(CURLOPT_SEEKFUNCTION, rewind_body);
		SET(CURLOPT_SEEKDATA, exchange);
		return;
	}
	if (strcmp(request->method, "POST") == 0)
	{
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->len);
		SET(CURLOPT_POSTFIELDS, request->body ? request->body : "");
		add_header(exchange, "Content-Type: application/xml");
		return;
	}
	if (strcmp(request->method, "HEAD") == 0)
		SET(CURLOPT_NOBODY, 1L);
	else if (strcmp(request->method, "GET") != 0)
		SET(CURLOPT_CUSTOMREQUEST, request->method);
	if (request->from > 0)
		SET(CURLOPT_RANGE, psprintf(INT64_FORMAT "-", request->from));
	if (request->etag)
		add_header(exchange, psprintf("If-Match: \"%s\"", request->etag));
}

/*
 * libcurl signs the headers there are.  It is told the hash of the body, which
 * it would not make of one that it is given in pieces.
 */
static void
set_credentials(StoreExchange *exchange, const StoreBucket *bucket,
				const StoreRequest *request)
{
	uint8		hash[32];
	char		hex[65];

	dynamo_sha256(request->body ? request->body : "", request->len, hash);
	for (int i = 0; i < 32; i++)
		sprintf(hex + 2 * i, "%02x", hash[i]);
	add_header(exchange, psprintf("x-amz-content-sha256: %s", hex));
	if (bucket->session_token)
		add_header(exchange, psprintf("x-amz-security-token: %s",
									  bucket->session_token));
	SET(CURLOPT_AWS_SIGV4, bucket->signing);
	SET(CURLOPT_USERNAME, bucket->access_key_id);
	SET(CURLOPT_PASSWORD, bucket->secret);
}

static void
add_header(StoreExchange *exchange, const char *header)
{
	struct curl_slist *longer = curl_slist_append(exchange->headers, header);

	if (longer == NULL)
		out_of_memory();
	exchange->headers = longer;
}

/*
 * Some of its body; 0: it ends here, or is cut off, if "failure" is set.
 */
size_t
store_exchange_read(StoreExchange *exchange, char *buffer, size_t size,
					const char **failure)
{
	size_t		len;

	*failure = NULL;
	while (exchange->start == exchange->end && go_on(exchange))
		;
	len = Min(size, exchange->end - exchange->start);
	memcpy(buffer, exchange->buffer + exchange->start, len);
	exchange->start += len;
	if (len == 0 && exchange->result != CURLE_OK)
		*failure = reason(exchange);
	return len;
}

/*
 * End it.  The connection stays, if it is of use for another one.
 */
void
store_exchange_end(StoreExchange *exchange)
{
	MemoryContextDelete(exchange->context);
}

static void
end_exchange(void *arg)
{
	StoreExchange *exchange = arg;
	sigset_t	before;

	if (exchange->wires == NULL)
		return;
	if (exchange->easy)
	{
		block_signals(&before);
		(void) curl_multi_remove_handle(exchange->wires->multi,
										exchange->easy);
		curl_easy_cleanup(exchange->easy);
		restore_signals(&before);
	}
	curl_slist_free_all(exchange->headers);
	leave_wires(exchange->wires);
}

/*
 * Wait until something happens, and have libcurl deal with it.  False: the
 * exchange is done.
 */
static bool
go_on(StoreExchange *exchange)
{
	StoreWires *wires = exchange->wires;
	sigset_t	before;

	if (exchange->done)
		return false;
	if (exchange->paused && exchange->start == exchange->end)
	{
		exchange->paused = false;
		exchange->start = exchange->end = 0;
		block_signals(&before);
		(void) curl_easy_pause(exchange->easy, CURLPAUSE_CONT);
		restore_signals(&before);
	}
	else
	{
		wait_for_events(wires);
		CHECK_FOR_INTERRUPTS();
		serve_events(wires);
	}
	note_end(exchange);
	return true;
}

static void
wait_for_events(StoreWires *wires)
{
	long		timeout = LONGEST_WAIT;

	if (wires->wake_at != 0)
		timeout = Min(timeout, Max(wires->wake_at - dynamo_clock(), 0));
	(void) WaitLatchOrSocket(MyLatch,
							 WL_LATCH_SET | WL_SOCKET_READABLE | WL_TIMEOUT |
							 WL_EXIT_ON_PM_DEATH,
							 wires->epoll, timeout, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

static void
serve_events(StoreWires *wires)
{
	struct epoll_event events[MAX_EVENTS];
	int			n = epoll_wait(wires->epoll, events, MAX_EVENTS, 0);
	int			running;
	sigset_t	before;

	block_signals(&before);
	for (int i = 0; i < n; i++)
	{
		int			what = 0;

		if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLRDHUP))
			what |= CURL_CSELECT_IN;
		if (events[i].events & EPOLLOUT)
			what |= CURL_CSELECT_OUT;
		if (events[i].events & EPOLLERR)
			what |= CURL_CSELECT_ERR;
		(void) curl_multi_socket_action(wires->multi, events[i].data.fd, what,
										&running);
	}
	if (wires->wake_at != 0 && wires->wake_at <= dynamo_clock())
	{
		wires->wake_at = 0;
		(void) curl_multi_socket_action(wires->multi, CURL_SOCKET_TIMEOUT, 0,
										&running);
	}
	restore_signals(&before);
}

/*
 * While libcurl is called, which may begin threads.
 */
static void
block_signals(sigset_t *before)
{
	(void) sigprocmask(SIG_SETMASK, &BlockSig, before);
}

static void
restore_signals(const sigset_t *before)
{
	(void) sigprocmask(SIG_SETMASK, before, NULL);
}

/*
 * libcurl's messages tell what is done, perhaps of another exchange of the
 * bucket.
 */
static void
note_end(StoreExchange *exchange)
{
	CURLMsg    *message;
	int			left;

	while ((message = curl_multi_info_read(exchange->wires->multi,
										   &left)) != NULL)
	{
		CURLcode	result = message->data.result;
		StoreExchange *ended;

		if (message->msg != CURLMSG_DONE ||
			curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
							  (char **) &ended) != CURLE_OK)
			continue;
		ended->done = true;
		ended->result = result;
	}
}

/*
 * Why it has failed.  libcurl's own words, which are of no request.
 */
static const char *
reason(const StoreExchange *exchange)
{
	if (exchange->refused)
		return _("its address is none that stores may have");
	if (exchange->head > MAX_HEAD)
		return _("its answer has no end");
	return curl_easy_strerror(exchange->result);
}

/*
 * Would it be the same the next time?
 */
static bool
is_final(const StoreExchange *exchange)
{
	return exchange->refused ||
		exchange->result == CURLE_PEER_FAILED_VERIFICATION ||
		exchange->result == CURLE_SSL_CACERT_BADFILE;
}

static void
out_of_memory(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory")));
}

/*
 * Wait, unless the query is cancelled.
 */
void
store_pause(int milliseconds)
{
	int64		end = dynamo_clock() + milliseconds;
	long		left;

	while ((left = end - dynamo_clock()) > 0)
		dynamo_nap(left);
}

/*
 * Of libcurl: look at a socket, or no more.  "watched": it was looked at before.
 */
static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *watched)
{
	StoreWires *wires = arg;
	struct epoll_event event = {.data.fd = fd};

	if (what == CURL_POLL_REMOVE)
	{
		(void) epoll_ctl(wires->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	if (what & CURL_POLL_IN)
		event.events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		event.events |= EPOLLOUT;
	if (epoll_ctl(wires->epoll, EPOLL_CTL_MOD, fd, &event) != 0 &&
		(errno != ENOENT ||
		 epoll_ctl(wires->epoll, EPOLL_CTL_ADD, fd, &event) != 0))
		return -1;
	return 0;
}

/*
 * Of libcurl: call it after a while; negative: do not.
 */
static int
set_timer(CURLM *multi, long milliseconds, void *arg)
{
	StoreWires *wires = arg;

	wires->wake_at = milliseconds < 0 ? 0 : dynamo_clock() + milliseconds;
	return 0;
}

/*
 * Of libcurl: make a socket for an address, before it is connected to.
 */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	StoreExchange *exchange = arg;
	curl_socket_t fd;

	if (!store_address_allowed(&address->addr, exchange->loopback))
	{
		exchange->refused = true;
		return CURL_SOCKET_BAD;
	}
	if (!AcquireExternalFD())
		return CURL_SOCKET_BAD;
	fd = socket(address->family, address->socktype | SOCK_CLOEXEC,
				address->protocol);
	if (fd == CURL_SOCKET_BAD)
		ReleaseExternalFD();
	return fd;
}

static int
close_socket(void *arg, curl_socket_t fd)
{
	ReleaseExternalFD();
	return close(fd);
}

/*
 * Of libcurl: a line of the answer's head.  100 Continue has a head, too, and may
 * come again and again; so may lines behind the body.
 */
static size_t
take_header(char *text, size_t size, size_t n, void *arg)
{
	StoreExchange *exchange = arg;
	StoreAnswer *answer = exchange->answer;
	size_t		len = size * n;

	exchange->head += len;
	if (exchange->head > MAX_HEAD)
		return 0;				/* that ends it */
	if (answer == NULL)
		return len;				/* trailers */
	if (len >= 5 && pg_strncasecmp(text, "ETag:", 5) == 0)
	{
		const char *from = text + 5;
		const char *end = text + len;
		size_t		used = 0;

		for (; from < end && used < sizeof(answer->etag) - 1; from++)
		{
			if (*from > ' ' && *from < '\177' && *from != '"')
				answer->etag[used++] = *from;
		}
		answer->etag[used] = '\0';
	}
	if (len <= 2 && (text[0] == '\r' || text[0] == '\n'))
	{
		long		status = 0;
		curl_off_t	length = -1;

		(void) curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE,
								 &status);
		if (status >= 200)
		{
			(void) curl_easy_getinfo(exchange->easy,
									 CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
									 &length);
			answer->length = length;
			exchange->begun = true;
		}
	}
	return len;
}

/*
 * Of libcurl: some of the answer's body; what has no room comes again.
 */
static size_t
take_body(char *data, size_t size, size_t n, void *arg)
{
	StoreExchange *exchange = arg;
	size_t		len = size * n;

	if (exchange->start == exchange->end)
		exchange->start = exchange->end = 0;
	if (len > BUFFER - exchange->end)
	{
		if (exchange->end == 0)
			return 0;			/* libcurl gives no more at a time */
		exchange->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	memcpy(exchange->buffer + exchange->end, data, len);
	exchange->end += len;
	return len;
}

/*
 * Of libcurl: give some of the request's body.
 */
static size_t
give_body(char *buffer, size_t size, size_t n, void *arg)
{
	StoreExchange *exchange = arg;
	size_t		len = Min(size * n, exchange->len - exchange->sent);

	memcpy(buffer, exchange->body + exchange->sent, len);
	exchange->sent += len;
	return len;
}

/*
 * Of libcurl: begin anew, on another connection.
 */
static int
rewind_body(void *arg, curl_off_t offset, int origin)
{
	StoreExchange *exchange = arg;

	if (origin != SEEK_SET || offset < 0 || offset > exchange->len)
		return CURL_SEEKFUNC_FAIL;
	exchange->sent = offset;
	return CURL_SEEKFUNC_OK;
}
