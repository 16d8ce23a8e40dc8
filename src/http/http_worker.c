/*-------------------------------------------------------------------------
 *
 * http_worker.c
 *	  The process that serves requests: its loop.
 *
 * All connections of a worker are in one libmicrohttpd daemon without threads,
 * whose epoll descriptor stands in the worker's WaitEventSet beside its latch
 * and its listening sockets.  One turn of the loop accepts what waits, lets
 * the library read and execute every request that is complete, makes their
 * commits durable by one flush, and lets the library write the answers.  An
 * idle connection costs its descriptor and some memory.
 *
 * Requests are executed one after the other.  A long one holds up its worker;
 * one that would wait for a lock does not (http_queue.c).  After a second the
 * worker takes no new clients until it is done, if another does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "base/base_session.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "process/process_watch.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/sinval.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"

/* Connections at a time, and descriptors left for the server's own files. */
#define MAX_CONNECTIONS	20000
#define OTHER_FILES		64

/* How often a turn looks for more before it flushes. */
#define MAX_GATHER		8

/* Milliseconds without a request after which counters are reported. */
#define STATS_DELAY		1000

static unsigned int reserve_descriptors(void);
static void report_served(bool tls);
static bool is_installed(void);
static void serve_events(struct MHD_Daemon *daemon, bool tls, int others,
						 const int *sockets, int nsockets);
static bool take_library_turn(struct MHD_Daemon *daemon);
static void reload(bool tls);
static void accept_waiting(struct MHD_Daemon *daemon, int listening);
static long turn_timeout(struct MHD_Daemon *daemon);
static void end_soon(SIGNAL_ARGS);
static void be_slow(void);
static void be_lost(void);

/*
 * The argument is 0 or more for workers of the first database, and below 0 for
 * those of further ones.
 */
void
http_worker_main(Datum arg)
{
	int			number = DatumGetInt32(arg);
	MemoryContext context;
	struct MHD_Daemon *daemon;
	bool		tls;
	const int  *sockets;
	int			nsockets;
	int			others;

	pqsignal(SIGTERM, end_soon);
	context = http_process_begin(number < 0 ? -number : 0, be_slow, be_lost);
	tls = http_served.tls;
	http_job_open();
	http_queue_init(context);
	others = peer_init(context, &http_request_timeout,
					   &http_sessions_per_node);
	if (tls && !http_tls_load())
		ereport(FATAL,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("dynamo has no certificate to serve HTTPS with")));
	daemon = http_daemon(context, tls, reserve_descriptors());
	if (daemon == NULL)
		ereport(FATAL,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("could not start libmicrohttpd")));

	MemoryContextSwitchTo(context);
	nsockets = http_listen(&sockets);
	if (nsockets == 0)
		ereport(FATAL,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("dynamo has no address to serve")));
	dynamo_worker_open();
	if (number <= 0)
		report_served(tls);
	serve_events(daemon, tls, others, sockets, nsockets);
}

/*
 * What is the same in all processes that execute requests; the caller has set
 * the handler of SIGTERM.  Returns a memory context that lives as long as the
 * process.  "which" is the database, "slow" and "lost" are as for
 * dynamo_watch_start().
 */
MemoryContext
http_process_begin(int which, void (*slow) (void), void (*lost) (void))
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	served_read(which);
	BackgroundWorkerInitializeConnection(http_served.database, NULL, 0);
	dynamo_session_init();
	peer_bound_kept(&http_sessions_per_node, true);
	pgstat_report_appname("dynamo http");
	dynamo_watch_start(true, slow, lost);
	return AllocSetContextCreate(TopMemoryContext, "dynamo http",
								 ALLOCSET_DEFAULT_SIZES);
}

/*
 * How many connections may be open?  Asks the kernel for as many descriptors
 * as it gives.
 */
static unsigned int
reserve_descriptors(void)
{
	struct rlimit limit;
	rlim_t		others = max_safe_fds + OTHER_FILES;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 100;
	if (limit.rlim_cur < MAX_CONNECTIONS + others)
	{
		rlim_t		wanted = Min(limit.rlim_max, MAX_CONNECTIONS + others);
		struct rlimit more = {wanted, limit.rlim_max};

		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			limit = more;
	}
	if (limit.rlim_cur <= others + 100)
		return 100;
	return Min(limit.rlim_cur - others, MAX_CONNECTIONS);
}

/*
 * Say in the log what is served; the first of the workers does.
 */
static void
report_served(bool tls)
{
	const char *signatures;
	bool		standby = RecoveryInProgress();

	if (http_served.authentication == HTTP_AUTHENTICATION_TRUST)
		signatures = "signatures are not checked";
	else if (strcmp(http_region, "*") == 0)
		signatures = "requests may be signed for any region";
	else
		signatures = psprintf("requests must be signed for region %s",
							  http_region);
	ereport(LOG,
			(errmsg("dynamo serves %sdatabase \"%s\" by %s on %s, port %d",
					standby ? "eventually consistent reads of " : "",
					http_served.database, tls ? "HTTPS" : "HTTP",
					http_served.addresses, http_served.port),
			 errdetail("The region is %s; %s.", wire_region, signatures),
			 standby ? errhint("This server is a standby. It serves writes as well once it is promoted.") : 0));

	if (!is_installed())
		ereport(LOG,
				(errmsg("dynamo waits for its extension to be created in database \"%s\"",
						http_served.database),
				 errhint("Until then requests get ServiceUnavailable. Use CREATE EXTENSION dynamo.")));
}

/*
 * Is the extension there, be it of no use?  What keeps it from that is an error
 * to each request, and no reason for the process to end.
 */
static bool
is_installed(void)
{
	volatile bool found = true;

	PG_TRY();
	{
		StartTransactionCommand();
		found = identity_keys_exist();
		CommitTransactionCommand();
	}
	PG_CATCH();
	{
		EmitErrorReport();
		FlushErrorState();
		AbortOutOfAnyTransaction();
	}
	PG_END_TRY();
	return found;
}

/*
 * "others" is the descriptor of peer_node.c.
 */
static void
serve_events(struct MHD_Daemon *daemon, bool tls, int others,
			 const int *sockets,
			 int nsockets)
{
	const union MHD_DaemonInfo *epoll;
	long		stats_due = 0;
	bool		more = false;
	int			watch = http_connection_init(CurrentMemoryContext, tls);
	WaitEventSet *set = compat_create_wait_events(5 + HTTP_MAX_SOCKETS);

	epoll = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(set, WL_SOCKET_READABLE, epoll->epoll_fd, NULL, NULL);
	AddWaitEventToSet(set, WL_SOCKET_READABLE, watch, NULL, &watch);
	AddWaitEventToSet(set, WL_SOCKET_READABLE, others, NULL, &others);
	for (int i = 0; i < nsockets; i++)
		AddWaitEventToSet(set, WL_SOCKET_READABLE, sockets[i], NULL,
						  unconstify(int *, &sockets[i]));

	for (;;)
	{
		long		timeout = more ? 0 : turn_timeout(daemon);
		WaitEvent	events[5 + HTTP_MAX_SOCKETS];
		int			n;

		/* Counters that were too fresh to be reported wait for a quiet turn. */
		if (stats_due > 0 && (timeout < 0 || timeout > STATS_DELAY))
			timeout = STATS_DELAY;
		n = WaitEventSetWait(set, timeout, events, lengthof(events),
							 PG_WAIT_EXTENSION);
		for (int i = 0; i < n; i++)
		{
			if (events[i].events & WL_LATCH_SET)
				ResetLatch(MyLatch);
			else if (events[i].user_data == &watch)
				http_connection_run();
			else if (events[i].user_data == &others)
				peer_run();
			else if (events[i].user_data != NULL)
				accept_waiting(daemon, *(int *) events[i].user_data);
		}
		http_housekeeping(tls);
		more = take_library_turn(daemon);
		peer_settle();
		http_listen_again();
		http_connection_settle();
		http_arrival_settle();
		http_segment_settle();
		identity_key_use_settle();
		stats_due = pgstat_report_stat(n == 0 && timeout > 0);
	}
}

/*
 * Read, execute and answer what there is.  A flush takes so long that it pays
 * to take in first what has arrived while the others were executed.  What is for
 * other nodes leaves before parts of the same requests are executed here.  True: there
 * may be more to do at once.
 */
static bool
take_library_turn(struct MHD_Daemon *daemon)
{
	bool		more = true;

	MHD_run(daemon);
	for (int i = 0; http_queue_run() && i < MAX_GATHER; i++)
		MHD_run(daemon);
	peer_push();
	for (int i = 0; i < MAX_GATHER && (more = http_queue_run_parts()); i++)
	{
		peer_run();
		(void) http_queue_run();
		peer_push();
	}
	if (http_queue_release())
		MHD_run(daemon);
	return more;
}

/*
 * What signals have asked for.  No request is being executed: to end here is
 * no failure, and a cancel has come too late.
 */
void
http_housekeeping(bool tls)
{
	if (ProcDiePending)
		proc_exit(0);
	PG_TRY();
	{
		dynamo_ignore_cancels();
		CHECK_FOR_INTERRUPTS();
		if (catchupInterruptPending)
			ProcessCatchupInterrupt();
		if (ConfigReloadPending)
			reload(tls);
	}
	PG_CATCH();
	{
		EmitErrorReport();
		FlushErrorState();
		AbortOutOfAnyTransaction();
	}
	PG_END_TRY();
}

static void
reload(bool tls)
{
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	if (tls && served_tls_wanted() && !http_tls_load())
		ereport(LOG,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("dynamo goes on with the certificate it has")));
}

/*
 * The daemon closes what is beyond its limit.
 */
static void
accept_waiting(struct MHD_Daemon *daemon, int listening)
{
	struct sockaddr_storage address;
	socklen_t	len;
	int			fd;

	while ((fd = http_accept(listening, &address, &len)) >= 0)
		(void) MHD_add_connection(daemon, fd, (struct sockaddr *) &address,
								  len);

	/* Out of descriptors: do not spin.  The loop resets the latch. */
	if (errno == EMFILE || errno == ENFILE)
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 10, PG_WAIT_EXTENSION);
}

/*
 * Milliseconds until there is something to do without any event; -1: never.
 */
static long
turn_timeout(struct MHD_Daemon *daemon)
{
	MHD_UNSIGNED_LONG_LONG library;
	long		timeout = http_queue_timeout();
	long		handshake = http_connection_timeout();
	long		arrival = http_arrival_timeout();
	long		others = peer_timeout();
	long		spare = http_segment_timeout();

	if (spare >= 0 && (timeout < 0 || spare < timeout))
		timeout = spare;
	if (handshake >= 0 && (timeout < 0 || handshake < timeout))
		timeout = handshake;
	if (arrival >= 0 && (timeout < 0 || arrival < timeout))
		timeout = arrival;
	if (others >= 0 && (timeout < 0 || others < timeout))
		timeout = others;
	if (MHD_get_timeout(daemon, &library) == MHD_YES)
	{
		library = Min(library, (MHD_UNSIGNED_LONG_LONG) 60000);
		timeout = timeout < 0 ? (long) library : Min(timeout, (long) library);
	}
	return timeout;
}

/*
 * SIGTERM.  A request may take long to end, or never do, and others shall have
 * the port.
 */
static void
end_soon(SIGNAL_ARGS)
{
	int			save_errno = errno;

	http_stop_listening();
	errno = save_errno;
	compat_die();
}

/*
 * A request takes more than a second.  In a signal handler.
 */
static void
be_slow(void)
{
	if (dynamo_worker_close())
		http_stop_listening();
}

/*
 * A request never ends.  In a signal handler.
 */
static void
be_lost(void)
{
	http_stop_listening();
	http_connection_abandon();
}
