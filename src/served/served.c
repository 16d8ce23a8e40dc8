/*-------------------------------------------------------------------------
 *
 * served.c
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

#include "miscadmin.h"
#include "process/process.h"
#include "served/served.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#define SERVED_NAME		"dynamo http served"

/* The number of workers that is chosen for the machine. */
#define MIN_WORKERS		2

HttpServed	http_served;

static int	port;
static char *listen_addresses;
static int	workers;
static int	long_workers;
static char *database;
static char *further_databases;
static int	authentication;
int			http_metrics;
char	   *http_role;
char	   *http_region;
int			http_request_timeout;
int			http_workers_per_role;
int			http_sessions_per_node;
char	   *http_tls_cert_file;
char	   *http_tls_key_file;

static HttpServed *shared_served(void);
static void init_served(void *memory);
static int	automatic_workers(void);
static bool check_further(char **value, void **extra, GucSource source);
static int	read_further(const char *text, HttpFurther *further);
static bool read_one(const char *text, HttpFurther *further);
static bool are_apart(const HttpServed *served, bool report);

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
served_define_settings(void)
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
	DefineCustomStringVariable("dynamo.http_further_databases",
							   "Further databases that the HTTP server serves, each at a port of its own.",
							   "As in shop:8001, billing:8002. Each has a process.",
							   &further_databases, "",
							   PGC_SIGHUP, GUC_LIST_INPUT,
							   check_further, NULL, NULL);
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
	DefineCustomIntVariable("dynamo.http_workers_per_role",
							"Maximum number of HTTP workers that one role may use at a time.",
							"0 sets no limit.",
							&http_workers_per_role, 0, 0, 256,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_sessions_per_node",
							"Maximum number of sessions that an HTTP worker has at another node of a Citus cluster.",
							"Each is of one role. Where there are more roles, they take turns.",
							&http_sessions_per_node, 3, 1, 256,
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
served_tls_wanted(void)
{
	return http_tls_cert_file[0] != '\0' || http_tls_key_file[0] != '\0';
}

Size
served_size(void)
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
 * What the settings of this process ask for.  False: they are too long, or a
 * database or a port is named twice, which "report" has it say.
 */
bool
served_take(HttpServed *served, bool report)
{
	memset(served, 0, sizeof(*served));
	served->port = listen_addresses[0] != '\0' ? port : 0;
	served->workers = workers > 0 ? workers : automatic_workers();
	served->long_workers = long_workers;
	served->authentication = authentication;
	served->tls = served_tls_wanted();
	served->nfurther = read_further(further_databases, served->further);
	return strlcpy(served->database, database, sizeof(served->database)) <
		sizeof(served->database) &&
		strlcpy(served->addresses, listen_addresses,
				sizeof(served->addresses)) < sizeof(served->addresses) &&
		are_apart(served, report);
}

/*
 * An error while the settings are read tells what is wrong.
 */
static bool
check_further(char **value, void **extra, GucSource source)
{
	HttpFurther further[HTTP_MAX_FURTHER];

	if (read_further(*value, further) >= 0)
		return true;
	GUC_check_errdetail("It is a list of at most %d databases with their ports, as in shop:8001, billing:8002.",
						HTTP_MAX_FURTHER);
	return false;
}

/*
 * Returns how many there are; -1: the text is no such list.
 */
static int
read_further(const char *text, HttpFurther *further)
{
	char	   *copy = pstrdup(text);
	List	   *list = NIL;
	ListCell   *lc;
	int			n = 0;
	bool		good = SplitGUCList(copy, ',', &list);

	memset(further, 0, HTTP_MAX_FURTHER * sizeof(*further));
	if (list_length(list) > HTTP_MAX_FURTHER)
		good = false;
	foreach(lc, list)
		good = good && read_one(lfirst(lc), &further[n++]);
	list_free(list);
	pfree(copy);
	return good ? n : -1;
}

/*
 * The last colon counts: a database's name may have some.
 */
static bool
read_one(const char *text, HttpFurther *further)
{
	const char *colon = strrchr(text, ':');
	char	   *end;
	long		number;

	if (colon == NULL || colon == text ||
		colon - text >= sizeof(further->database) ||
		colon[1] < '0' || colon[1] > '9')
		return false;
	number = strtol(colon + 1, &end, 10);
	if (*end != '\0' || number < 1 || number > 65535)
		return false;
	memcpy(further->database, text, colon - text);
	further->port = (int) number;
	return true;
}

/*
 * Workers of one database count on one another to listen, so that it has one
 * port.
 */
static bool
are_apart(const HttpServed *served, bool report)
{
	for (int i = 0; i < served->nfurther; i++)
	{
		const HttpFurther *one = &served->further[i];
		bool		twice = one->port == served->port ||
			strcmp(one->database, served->database) == 0;

		for (int j = 0; j < i; j++)
			twice |= one->port == served->further[j].port ||
				strcmp(one->database, served->further[j].database) == 0;
		if (!twice)
			continue;
		ereport(report ? LOG : DEBUG1,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("database \"%s\" or port %d is served twice",
						one->database, one->port),
				 errhint("Change dynamo.http_further_databases, dynamo.http_database or dynamo.http_port.")));
		return false;
	}
	return true;
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
served_publish(const HttpServed *served)
{
	memcpy(&http_served, served, sizeof(*served));
	memcpy(shared_served(), served, sizeof(*served));
}

/*
 * This process is such a worker, of the first database or of a further one.
 */
void
served_read(int which)
{
	http_served = *shared_served();
	served_choose(&http_served, which);
}

/*
 * What is served of that database alone: 0 is the first.  A further one has a
 * process, which executes long requests, too.
 */
void
served_choose(HttpServed *served, int which)
{
	const HttpFurther *further;

	if (which == 0)
		return;
	further = &served->further[which - 1];
	served->port = further->port;
	strlcpy(served->database, further->database, sizeof(served->database));
	served->workers = 1;
	served->long_workers = 0;
}
