/*-------------------------------------------------------------------------
 *
 * http_settings.c
 *	  Settings of the HTTP server.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "http/http_internal.h"
#include "utils/guc.h"

int			http_port;
char	   *http_listen_addresses;
int			http_workers;
int			http_long_workers;
char	   *http_database;
int			http_authentication;
int			http_metrics;
char	   *http_role;
char	   *http_region;
int			http_request_timeout;
int			http_role_limit;
char	   *http_tls_cert_file;
char	   *http_tls_key_file;

static const struct config_enum_entry authentications[] = {
	{"sigv4", HTTP_AUTHENTICATION_SIGV4, false},
	{"trust", HTTP_AUTHENTICATION_TRUST, false},
	{NULL, 0, false}
};

static const struct config_enum_entry metrics[] = {
	{"off", HTTP_METRICS_OFF, false},
	{"loopback", HTTP_METRICS_LOOPBACK, false},
	{"key", HTTP_METRICS_KEY, false},
	{NULL, 0, false}
};

/*
 * Called once a process.  All settings can be changed by a reload, since the
 * launcher restarts the workers; without the launcher they have no effect.
 */
void
http_define_settings(void)
{
	DefineCustomIntVariable("dynamo.http_port",
							"TCP port of the HTTP server.",
							"0 turns the server off. Needs dynamo in shared_preload_libraries.",
							&http_port, 0, 0, 65535,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_listen_addresses",
							   "Host names or IP addresses to listen on, separated by commas.",
							   "* means all addresses.",
							   &http_listen_addresses, "localhost",
							   PGC_SIGHUP, GUC_LIST_INPUT, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_workers",
							"Number of processes that serve HTTP requests.",
							NULL,
							&http_workers, 4, 1, 256,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_long_workers",
							"Number of further processes that execute long HTTP requests.",
							"0 has them executed by those that serve requests.",
							&http_long_workers, 2, 0, HTTP_MAX_LONG_WORKERS,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_database",
							   "Database whose tables the HTTP server serves.",
							   NULL,
							   &http_database, "postgres",
							   PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("dynamo.http_authentication",
							 "How HTTP requests are authenticated.",
							 "sigv4 checks AWS signatures with access keys; trust accepts any request, on loopback addresses only.",
							 &http_authentication, HTTP_AUTHENTICATION_SIGV4,
							 authentications,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("dynamo.http_metrics",
							 "Who may read the statistics by GET /metrics.",
							 "loopback lets clients on this machine, without credentials; key asks for an access key of a role with pg_read_all_stats.",
							 &http_metrics, HTTP_METRICS_OFF, metrics,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_role",
							   "Role of HTTP requests that are not authenticated.",
							   "Empty means the role that owns the cluster.",
							   &http_role, "",
							   PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_region",
							   "Region that HTTP requests must be signed for.",
							   "* accepts any. The region in ARNs is dynamo.region.",
							   &http_region, "*",
							   PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_request_timeout",
							"Time after which a running HTTP request is cancelled.",
							"0 sets no limit.",
							&http_request_timeout, 60000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_role_limit",
							"Maximum number of HTTP workers that one role may use at a time.",
							"0 sets no limit.",
							&http_role_limit, 0, 0, 256,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_tls_cert_file",
							   "File with the certificate for HTTPS, in PEM format.",
							   "Relative to the data directory. If this and the key file are empty, HTTP is served.",
							   &http_tls_cert_file, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_tls_key_file",
							   "File with the private key for HTTPS, in PEM format.",
							   "Relative to the data directory. Only the server may be able to read it.",
							   &http_tls_key_file, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   NULL, NULL, NULL);
}
