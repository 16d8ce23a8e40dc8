/*-------------------------------------------------------------------------
 *
 * served.h
 *	  What the HTTP server is to serve: its settings, and which of them are in
 *	  force.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SERVED_H
#define DYNAMO_SERVED_H

#include "postgres.h"

#include "nodes/pg_list.h"

struct addrinfo;
struct sockaddr;

/* Processes that execute long requests. */
#define HTTP_MAX_LONG_WORKERS	64

typedef enum HttpAuthentication
{
	HTTP_AUTHENTICATION_SIGV4,
	HTTP_AUTHENTICATION_TRUST
} HttpAuthentication;

/* Who may read the page of metrics? */
typedef enum HttpMetrics
{
	HTTP_METRICS_OFF,
	HTTP_METRICS_LOOPBACK,
	HTTP_METRICS_KEY
} HttpMetrics;

/*
 * What the launcher has its workers serve: settings of the last reload that
 * could be served.  Where it is another, workers end and others begin.
 */
#define HTTP_MAX_ADDRESSES	4096
#define HTTP_MAX_FURTHER	64

/* A database beside the first, at a port of its own. */
typedef struct HttpFurther
{
	int			port;
	char		database[NAMEDATALEN];
} HttpFurther;

typedef struct HttpServed
{
	int			port;			/* 0: nothing is served */
	int			workers;
	int			long_workers;
	int			authentication;
	bool		tls;
	char		database[NAMEDATALEN];
	char		addresses[HTTP_MAX_ADDRESSES];
	int			nfurther;
	HttpFurther further[HTTP_MAX_FURTHER];
} HttpServed;

extern HttpServed http_served;	/* in a worker: as it was when it began */

extern int	http_metrics;
extern char *http_role;
extern char *http_region;
extern int	http_request_timeout;
extern int	http_workers_per_role;
extern int	http_sessions_per_node;
extern char *http_tls_cert_file;
extern char *http_tls_key_file;

extern void served_define_settings(void);
extern Size served_size(void);
extern bool served_take(HttpServed *served, bool report);
extern void served_publish(const HttpServed *served);
extern void served_choose(HttpServed *served, int which);
extern void served_read(int which);
extern bool served_tls_wanted(void);

/* served_address.c */
extern List *served_hosts(const char *addresses);
extern struct addrinfo *served_resolve(const char *host, int port);
extern bool served_may_show(const HttpServed *served,
							const struct sockaddr *address, const char *host);

#endif							/* DYNAMO_SERVED_H */
