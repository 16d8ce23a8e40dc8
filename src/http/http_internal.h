/*-------------------------------------------------------------------------
 *
 * http_internal.h
 *	  What the files of the HTTP server share.
 *
 * A request is read by libmicrohttpd's callbacks (http_request.c), which no
 * error may leave.  When it is complete it is executed (http_queue.c,
 * http_call.c) and given its response (http_answer.c), which the library takes
 * over at once, or when the commit is on disk.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_HTTP_INTERNAL_H
#define DYNAMO_HTTP_INTERNAL_H

#include "postgres.h"

#include <microhttpd.h>

#include "access/xlogdefs.h"
#include "control/control.h"
#include "http/http.h"
#include "identity/identity.h"
#include "lib/ilist.h"
#include "lib/stringinfo.h"
#include "operation/operation.h"
#include "peer/peer.h"
#include "served/served.h"
#include "storage/dsm.h"
#include "storage/latch.h"

/* A body, as sent and once unpacked. */
#define HTTP_MAX_BODY		(16 * 1024 * 1024)

/* Listening sockets of a worker. */
#define HTTP_MAX_SOCKETS	32

#define HTTP_THROTTLED	"The request was denied due to request throttling."

/* How long a long request waits to be executed, in milliseconds. */
#define HTTP_JOB_PATIENCE	30000

/* Request line and headers together. */
#define HTTP_MAX_HEAD		(16 * 1024)

/* Of an answer; digits. */
#define HTTP_ID_LENGTH		52

/* A request in shared memory; http_job.c */
typedef struct HttpJob HttpJob;

/* Parts of a request at other nodes; http_scatter.c */
typedef struct HttpScatter HttpScatter;

/*
 * A request from its first byte to the last of its answer.  In a long worker
 * (http_long.c) it has no connection, and only what comes with a job.
 */
typedef struct HttpRequest
{
	dlist_node	arriving;		/* among those not complete, or next is NULL */
	int64		began;			/* its first line was there, by dynamo_clock() */
	dlist_node	link;			/* among the parked, handed over, or done */
	struct MHD_Connection *connection;	/* NULL: in a long worker */
	const char *head;			/* then: names and values of headers, each
								 * with a zero byte */
	size_t		head_len;
	const struct sockaddr *address; /* ... of the client */
	bool		secure;			/* ... and did it come by TLS? */
	const char *method;			/* NULL: headers not seen yet */
	char	   *uri;			/* path and query as sent */
	char	   *body;
	size_t		body_len;
	size_t		body_size;		/* allocated */
	size_t		received;		/* bytes of body, kept or not */
	bool		lost;			/* no memory for the body, or no time */
	bool		waiting;		/* link is in a list: not to be answered yet */
	bool		executed;		/* response is what there is to say */
	bool		is_long;		/* has been found to be */
	bool		stays;			/* and is executed all the same */
	void	   *hasher;			/* of the body as it comes, or NULL */
	bool		hashed;			/* hash is the SHA-256 of the body as sent */
	uint8		hash[DYNAMO_SHA256_LENGTH];
	Oid			role;			/* whose it is, once that is known */
	HttpJob    *job;			/* handed over, or NULL; http_job.c */
	PeerCall   *call;			/* sent to another node, or NULL */
	bool		notes;			/* ... which notes it, and does not execute it */
	bool		has_token;		/* its token is known to all nodes */
	bool		by_citus;		/* it leaves for no node */
	int			splits;			/* how often nodes have tried their parts */
	DynamoClaim claim;			/* what is noted of it */
	HttpScatter *scatter;		/* sent in parts, or NULL; http_scatter.c */
	int64		deadline;		/* parked: give up, likewise */
	int64		retry_at;		/* parked: try again, likewise */
	int			delay;			/* milliseconds between tries */
	instr_time	called;			/* executed first; for the statistics */
	char		id[HTTP_ID_LENGTH + 1]; /* empty: none yet */
	unsigned int status;
	struct MHD_Response *response;	/* NULL: not answered yet */
	dlist_node	leaving;		/* among those not read, or next is NULL */
	size_t		answer_len;
} HttpRequest;

/* A certificate and its key; http_tls.c */
typedef struct HttpCertificate HttpCertificate;

typedef struct HttpConnection
{
	struct MHD_Connection *connection;
	int			fd;
	bool		suspended;		/* the library leaves the connection alone */
	bool		watched;		/* stands in http_connection.c's epoll set */
	dlist_node	open_link;		/* among all */
	HttpRequest *request;		/* in progress, or NULL; http_request.c */

	/* With TLS. */
	HttpCertificate *certificate;	/* or NULL */
	bool		finish_sent;	/* both: the handshake is over */
	bool		finish_received;
	dlist_node	link;			/* among the handshakes, or next is NULL */
	int64		began;			/* by dynamo_clock() */
} HttpConnection;

/* What goes into a response. */
typedef struct HttpReply
{
	unsigned int status;
	const char *content_type;
	StringInfo	body;			/* NULL: the connection is closed instead */
	WireEncoding encoding;		/* of the body as it is */
	uint32		crc;			/* of the same */
	const char *etag;			/* of a file of the console, or NULL */
} HttpReply;

/* What has become of a request. */
typedef enum HttpResult
{
	HTTP_ANSWERED,
	HTTP_WAITS,					/* for a lock, or its role's share */
	HTTP_LONG,					/* it has done nothing, and is for a long
								 * worker */
	HTTP_AWAY,					/* another node executes it */
	HTTP_AGAIN					/* another node has noted it: execute it */
} HttpResult;

/* http_socket.c */
extern int	http_listen(const int **sockets);
extern bool http_may_serve(const HttpServed *served);
extern bool http_may_listen(const HttpServed *served);
extern int	http_accept(int listening, struct sockaddr_storage *address,
						socklen_t *len);
extern void http_stop_listening(void);
extern void http_listen_again(void);

/* http_launcher.c, http_worker.c: entry points of background workers */
extern PGDLLEXPORT void http_worker_main(Datum arg);
extern PGDLLEXPORT void http_long_main(Datum arg);
extern MemoryContext http_process_begin(int which, void (*slow) (void),
										void (*lost) (void));
extern void http_housekeeping(bool tls);

/* http_header.c */
extern const char *http_header(HttpRequest *request, const char *name);
extern void http_each_header(HttpRequest *request,
							 MHD_KeyValueIteratorN visit, void *arg);
extern const struct sockaddr *http_client(HttpRequest *request);
extern bool http_names_this_machine(const char *host);	/* Host's; or NULL */
extern bool http_is_secure(HttpRequest *request);
extern const char *http_request_id(void *request);
extern HttpConnection *http_connection(struct MHD_Connection *connection);

/* http_request.c */
extern struct MHD_Daemon *http_daemon(MemoryContext context, bool tls,
									  unsigned int max_connections);

/* http_arrival.c */
extern void http_arrival_init(MemoryContext context);
extern void http_arrival_begin(HttpRequest *request);
extern void http_arrival_continue(HttpRequest *request, const char *data,
								  size_t len);
extern void http_arrival_end(HttpRequest *request);
extern void http_arrival_forget(HttpRequest *request);
extern HttpRequest *http_arrival_find(bool (*is_like_this) (HttpRequest *request));
extern void http_arrival_settle(void);
extern long http_arrival_timeout(void);

/* http_connection.c */
extern int	http_connection_init(MemoryContext context, bool use_tls);
extern void http_connection_notify(void *cls,
								   struct MHD_Connection *connection,
								   void **context,
								   enum MHD_ConnectionNotificationCode code);
extern void http_connection_suspend(struct MHD_Connection *connection);
extern void http_connection_resume(struct MHD_Connection *connection);
extern void http_connection_close(struct MHD_Connection *connection,
								  const char *text);
extern void http_connection_run(void);
extern void http_connection_abandon(void);
extern void http_connection_settle(void);
extern long http_connection_timeout(void);

/* Core's.  Its header, libpq/libpq.h, needs those of GSSAPI. */
extern bool check_ssl_key_file_permissions(const char *ssl_key_file,
										   bool isServerStart);

/* http_tls.c */
extern bool http_tls_ready(void);
extern bool http_tls_load(void);
extern struct MHD_OptionItem *http_tls_options(void);
extern void http_tls_attach(HttpConnection *connection);
extern void http_tls_release(HttpCertificate *certificate);
extern bool http_tls_is_sending(HttpConnection *connection);
extern void http_tls_send(HttpConnection *connection, const char *text);

/* http_queue.c */
extern void http_queue_init(MemoryContext context);
extern void http_queue_push(HttpRequest *request);
extern void http_queue_forget(HttpRequest *request);
extern bool http_queue_run(void);
extern bool http_queue_run_parts(void);
extern bool http_queue_release(void);
extern long http_queue_timeout(void);

/*
 * http_job.c: requests on their way to long workers and back.  In the worker
 * that has the connection:
 */
typedef enum HttpSent
{
	HTTP_SENT,
	HTTP_NO_ROOM,				/* for now */
	HTTP_NO_WAY					/* nobody takes it: execute it here */
} HttpSent;

extern void http_job_init(void);
extern void http_job_open(void);
extern bool http_job_possible(void);
extern HttpSent http_job_send(HttpRequest *request, bool last);
extern void http_job_resend(HttpRequest *request, bool last);
extern bool http_job_is_done(const HttpRequest *request);
extern bool http_job_withdraw(HttpRequest *request, int64 now);
extern long http_job_timeout(const HttpRequest *request, int64 now);
extern HttpResult http_job_result(HttpRequest *request, HttpReply *reply);
extern void http_job_forget(HttpRequest *request);

/* ... in a long worker: */
extern void http_job_join(void);
extern bool http_job_may_leave(void);
extern bool http_job_take(HttpRequest *request, bool *last);
extern void http_job_finish(HttpResult result, const HttpReply *reply);
extern void http_job_lose(void);

/* ... in the launcher: */
extern void http_job_wake_all(void);

/* http_segment.c: what they are and what their answers, in shared memory */
extern Size http_segment_size(HttpRequest *request);
extern dsm_segment *http_segment_fill(HttpRequest *request, Size size,
									  bool last);
extern void http_segment_set_last(dsm_segment *segment, bool last);
extern void http_segment_request(dsm_segment *segment, HttpRequest *request,
								 bool *last);
extern dsm_segment *http_segment_store(dsm_segment *segment,
									   const HttpReply *reply);
extern void http_segment_reply(dsm_segment *segment, HttpReply *reply);
extern dsm_segment *http_segment_attach(dsm_handle handle);
extern void http_segment_keep(dsm_segment *segment);
extern long http_segment_timeout(void);
extern void http_segment_settle(void);

/* http_forward.c: requests that are such calls */
extern HttpSent http_forward_send(HttpRequest *http,
								  const DynamoRequest *request);
extern StringInfo http_forward_answer(HttpRequest *request);
extern void http_forward_take_note(HttpRequest *request);
extern bool http_forward_is_done(const HttpRequest *request);
extern void http_forward_forget(HttpRequest *request);

/* http_scatter.c: requests that are several calls */
extern HttpSent http_scatter_send(HttpRequest *http,
								  const DynamoRequest *request);
extern int	http_scatter_due(const HttpScatter *scatter);
extern StringInfo http_scatter_body(const HttpScatter *scatter, int n);
extern void http_scatter_take(HttpScatter *scatter, int n, StringInfo answer,
							  ErrorData *error);
extern MemoryContext http_scatter_context(const HttpScatter *scatter);
extern bool http_scatter_is_done(const HttpScatter *scatter);
extern StringInfo http_scatter_rest(const HttpRequest *http);
extern StringInfo http_scatter_answer(HttpRequest *http, bool last);
extern StringInfo http_scatter_complete(HttpRequest *http, StringInfo here);
extern StringInfo http_scatter_give_up(HttpRequest *http);
extern void http_scatter_forget(HttpRequest *http);

/* http_answer.c */
extern void http_finish(HttpRequest *request, HttpReply *reply);
extern void http_answer(HttpRequest *request, const HttpReply *reply);
extern void http_refuse(HttpReply *reply, unsigned int status,
						DynamoException e, const char *message);
extern bool http_answer_plainly(HttpRequest *request, HttpReply *reply);
extern const char *http_answer_type(HttpRequest *request);
extern void http_departure_end(HttpRequest *request);

/* http_body.c */
extern bool http_body_is_packed(HttpRequest *request);
extern void http_unpack_body(HttpRequest *request, const char **body,
							 size_t *len);
extern StringInfo http_pack_body(StringInfo body, WireEncoding encoding);

/* http_metrics.c */
extern bool http_metrics_asked(HttpRequest *request);
extern void http_metrics_page(HttpRequest *request, HttpReply *reply);

/* http_call.c */
extern bool http_execute_part(HttpRequest *http);
extern HttpResult http_execute(HttpRequest *http, bool last,
							   HttpReply *reply);
extern HttpResult http_conclude(HttpRequest *http, bool last,
								HttpReply *reply);
extern XLogRecPtr http_last_commit(void);

/*
 * http_sender.c: whose request to that service is it?  Returns true and sets
 * *role, or false and sets exception and text to answer.  In a transaction.
 */
extern bool http_authenticate(HttpRequest *request, const char *service,
							  Oid *role, IdentityRefusal *refusal);
extern bool http_page_may_ask(HttpRequest *request);

/* http_sts.c: the security token service, as far as clients ask us */
extern bool http_sts_asked(HttpRequest *request);
extern void http_sts_answer(HttpRequest *request, HttpReply *reply);
extern void http_sts_fail(HttpRequest *request, const ErrorData *error,
						  HttpReply *reply);

#endif							/* DYNAMO_HTTP_INTERNAL_H */
