/*-------------------------------------------------------------------------
 *
 * http_settings.c
 *	  Settings of the HTTP server, and its start with PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/base_process.h"
#include "http/http_internal.h"
#include "utils/guc.h"

int			http_port;
char	   *http_listen_addresses;
int			http_workers;
char	   *http_database;
int			http_authentication;
char	   *http_role;
int			http_request_timeout;
char	   *http_tls_cert_file;
char	   *http_tls_key_file;

static const struct config_enum_entry authentications[] = {
	{"sigv4", HTTP_AUTHENTICATION_SIGV4, false},
	{"trust", HTTP_AUTHENTICATION_TRUST, false},
	{NULL, 0, false}
};

static void define_settings(void);

/*
 * Called once a process.  All settings can be changed by a reload, since the
 * launcher restarts the workers; without the launcher they have no effect.
 */
void
http_init(void)
{
	define_settings();
	dynamo_register_launcher("http_launcher_main", "dynamo http launcher");
}

static void
define_settings(void)
{
	DefineCustomIntVariable("dynamo.http_port",
							"TCP port on which DynamoDB's protocol is served.",
							"0 serves none. Needs dynamo in shared_preload_libraries.",
							&http_port, 0, 0, 65535,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_listen_addresses",
							   "Host names or IP addresses to listen on, separated by commas.",
							   "* stands for all addresses.",
							   &http_listen_addresses, "localhost",
							   PGC_SIGHUP, GUC_LIST_INPUT, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_workers",
							"Number of processes that serve requests.",
							NULL,
							&http_workers, 4, 1, 256,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_database",
							   "Database whose tables are served.",
							   NULL,
							   &http_database, "postgres",
							   PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("dynamo.http_authentication",
							 "How requests are authenticated.",
							 "sigv4 checks AWS signatures against access keys; trust takes any request, on loopback addresses only.",
							 &http_authentication, HTTP_AUTHENTICATION_SIGV4,
							 authentications,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_role",
							   "Role that requests run as when they are not authenticated.",
							   "Empty stands for the role that owns the cluster.",
							   &http_role, "",
							   PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_request_timeout",
							"Time after which a request that is being executed is cancelled.",
							"0 sets no limit.",
							&http_request_timeout, 60000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_tls_cert_file",
							   "File with the certificate with which HTTPS is served, in PEM format.",
							   "Relative to the data directory. Empty, like the key's file, to serve HTTP.",
							   &http_tls_cert_file, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_tls_key_file",
							   "File with the private key of the certificate, in PEM format.",
							   "Relative to the data directory, and to be read by the server alone.",
							   &http_tls_key_file, "",
							   PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   NULL, NULL, NULL);
}
