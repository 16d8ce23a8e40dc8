/*-------------------------------------------------------------------------
 *
 * http_settings.c
 *	  Settings of the HTTP server.
 *
 * The launcher checks those that say what is served before its workers serve
 * it, and gives them in shared memory: a worker that read them by itself would
 * take what cannot be served, as no signatures for all the world.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>
#include <unistd.h>

#include "http/http_internal.h"
#include "miscadmin.h"
#include "process/process.h"
#include "utils/guc.h"

#define SERVED_NAME		"dynamo http served"

/* The number of workers that is chosen for the machine. */
#define MIN_WORKERS		2

HttpServed	http_served;

static int	port;
static char *listen_addresses;
static int	workers;
static int	long_workers;
static char *database;
static int	authentication;
int			http_metrics;
char	   *http_role;
char	   *http_region;
int			http_request_timeout;
int			http_role_limit;
char	   *http_tls_cert_file;
char	   *http_tls_key_file;

static HttpServed *shared_served(void);
static void init_served(void *memory);
static int	automatic_workers(void);

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
							&port, 0, 0, 65535,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_listen_addresses",
							   "Host names or IP addresses to listen on, separated by commas.",
							   "* means all addresses.",
							   &listen_addresses, "localhost",
							   PGC_SIGHUP, GUC_LIST_INPUT, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_workers",
							"Number of processes that serve HTTP requests.",
							"0 takes a quarter of max_worker_processes, but no more than the machine has processors, and no less than 2.",
							&workers, 0, 0, 256,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_long_workers",
							"Number of further processes that execute long HTTP requests.",
							"0 has them executed by those that serve requests. They leave while others want their processes.",
							&long_workers, 2, 0, HTTP_MAX_LONG_WORKERS,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_database",
							   "Database whose tables the HTTP server serves.",
							   NULL,
							   &database, "postgres",
							   PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("dynamo.http_authentication",
							 "How HTTP requests are authenticated.",
							 "sigv4 checks AWS signatures with access keys; trust accepts any request, on loopback addresses only.",
							 &authentication, HTTP_AUTHENTICATION_SIGV4,
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

/*
 * Do the settings ask for TLS?
 */
bool
http_tls_wanted(void)
{
	return http_tls_cert_file[0] != '\0' || http_tls_key_file[0] != '\0';
}

Size
http_served_size(void)
{
	return sizeof(HttpServed);
}

static HttpServed *
shared_served(void)
{
	static HttpServed *shared = NULL;

	if (shared == NULL)
		shared = dynamo_shared_memory(SERVED_NAME, sizeof(HttpServed),
									  init_served);
	return shared;
}

static void
init_served(void *memory)
{
	memset(memory, 0, sizeof(HttpServed));
}

/*
 * What the settings of this process ask for.  False: they are too long.
 */
bool
http_settings_take(HttpServed *served)
{
	memset(served, 0, sizeof(*served));
	served->port = listen_addresses[0] != '\0' ? port : 0;
	served->workers = workers > 0 ? workers : automatic_workers();
	served->long_workers = long_workers;
	served->authentication = authentication;
	served->tls = http_tls_wanted();
	return strlcpy(served->database, database, sizeof(served->database)) <
		sizeof(served->database) &&
		strlcpy(served->addresses, listen_addresses,
				sizeof(served->addresses)) < sizeof(served->addresses);
}

static int
automatic_workers(void)
{
	int			processors = (int) sysconf(_SC_NPROCESSORS_ONLN);

	return Max(Min(max_worker_processes / 4, processors), MIN_WORKERS);
}

/*
 * Have the workers that begin from now on serve that.
 */
void
http_serve(const HttpServed *served)
{
	memcpy(&http_served, served, sizeof(*served));
	memcpy(shared_served(), served, sizeof(*served));
}

/*
 * This process is such a worker.
 */
void
http_served_read(void)
{
	http_served = *shared_served();
}
