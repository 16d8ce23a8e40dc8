/*-------------------------------------------------------------------------
 *
 * process_watch.c
 *	  A watch over the work of this process.
 *
 * A request or a batch runs functions of users, in triggers and policies.
 * When its time is over it is cancelled.  But a function may catch that and go
 * on, or never check for interrupts.  So if the work still runs after
 * dynamo.grace_period, its process is ended, as by pg_terminate_backend(),
 * which no function can catch.  Code that never checks for interrupts does not
 * notice that, either.  Only a signal that would take the whole server with it
 * could end such a process.  So after another grace period it counts as lost:
 * it drops its clients, and its launcher starts another in its place.
 *
 *		begin --timeout--> cancelled --grace--> ending --grace--> lost
 *
 * A timer of ours fires every TICK milliseconds, and only while there is work:
 * a request sets no timer unless the last has run out.  It counts ticks and
 * reads no clock.  Otherwise work would end because somebody sets the clock.
 *
 * Work that yields notes when it is cancelled, and that is no failure of it.  So
 * SIGTERM cancels it first, and the process ends when it is noted; or after the
 * grace period, for a function may catch that cancel, too.  Otherwise a job that
 * takes long would fail because the server was restarted some times.
 *
 * The work's table is the one that the client named.  What a user's function
 * does on other tables counts for the table it belongs to.  Otherwise it could
 * have other tables refused; hence the depth.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>
#include <signal.h>

#include "base/compat.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#define TICK		500

/* The first tick comes sooner: this many are more than a second. */
#define SLOW_TICKS	3

int			dynamo_grace_period;

static bool watched = false;
static TimeoutId ticking;
static void (*call_slow) (void);
static void (*call_lost) (void);

/* The work at hand, or the last.  The handler reads all of it. */
static DynamoWork work;
static const char *activity;
static volatile sig_atomic_t under_way = false;
static volatile int ticks;
static volatile DynamoStage stage = DYNAMO_WORKING;
static int	timeout;			/* milliseconds; 0: none */
static int	depth;				/* functions of users around us */
static bool claimed;

/* The process is to end, and does when the work has yielded. */
static volatile sig_atomic_t yields = false;
static volatile sig_atomic_t leaving = false;
static volatile int left_ticks; /* since then */

static bool is_ticking(void);
static void tick(void);
static void look_at_work(void);
static bool is_overdue(int64 graces);
static void show(void);
static void note_table(Oid relation, const char *table);
static void note_time(int took);

/*
 * Called once a process.
 */
void
dynamo_watch_init(void)
{
	dynamo_worker_refuse = dynamo_refuse;
	DefineCustomIntVariable("dynamo.grace_period",
							"Time for cancelled work to end, before its process is ended.",
							"Applies to HTTP requests and to maintenance.",
							&dynamo_grace_period, 10000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	if (!process_shared_preload_libraries_in_progress)
		return;
	dynamo_preloaded = true;
	dynamo_share(&dynamo_shared_workers);
	dynamo_share(&dynamo_shared_refusals);
	dynamo_share(&dynamo_shared_slots);
	dynamo_share(&dynamo_shared_wants);
}

/*
 * Watch what this process does from now on.  "slow" is called when work takes
 * longer than a second, "lost" when the process is lost; both may be NULL, and
 * are called by a signal handler, so that they may do little more than make
 * system calls.
 */
void
dynamo_watch_start(bool serves, void (*slow) (void), void (*lost) (void))
{
	work.key.service = serves ? DYNAMO_HTTP : DYNAMO_MAINTENANCE;
	work.key.database = MyDatabaseId;
	call_slow = slow;
	call_lost = lost;
	dynamo_worker_join(serves);
	ticking = RegisterTimeout(USER_TIMEOUT, tick);
	watched = true;
}

/*
 * What this process does from now on is work of that service, as one of at
 * most "limit" in its database.  False: so many do.
 */
bool
dynamo_work_as(DynamoService service, int limit)
{
	if (!dynamo_worker_do(service, limit))
		return false;
	work.key.service = service;
	return true;
}

/*
 * Work begins that will be cancelled after "limit" milliseconds (0: never).
 * The caller cancels it.  "what" must live as long as the work.
 */
void
dynamo_work_begin(const char *what, int limit)
{
	work.key.role = InvalidOid;
	work.key.relation = InvalidOid;
	activity = what;
	timeout = limit;
	depth = 0;
	ticks = 0;
	under_way = true;
	if (watched && !is_ticking())
		enable_timeout_after(ticking, TICK);
}

/*
 * Core's timers go by the clock: if that was set back, one that was under way
 * fires when the clock has caught up.
 */
static bool
is_ticking(void)
{
	return get_timeout_active(ticking) &&
		get_timeout_finish_time(ticking) <=
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), TICK);
}

void
dynamo_work_end(void)
{
	under_way = false;
	debug_query_string = NULL;
	if (claimed)
		dynamo_worker_release();
	claimed = false;
}

/*
 * The work of this process yields from here on; then no longer, and the process
 * ends if it was told to.  It may be pieces that begin and end in between.
 */
void
dynamo_work_yields(bool now)
{
	yields = now;
	if (!now && leaving)
		(void) kill(MyProcPid, SIGTERM);
}

/*
 * The process is to end, as it has found itself.  False: at once, for its work does
 * not yield.
 */
bool
dynamo_work_must_yield(void)
{
	if (yields && !leaving)
	{
		left_ticks = 0;
		leaving = true;
	}
	return yields;
}

/*
 * Is the process to end as soon as its work has yielded?  A piece that begins now
 * is not cancelled any more.
 */
bool
dynamo_work_is_left(void)
{
	return leaving;
}

/*
 * The handler of SIGTERM of processes whose work may yield.  It cancels once: the
 * next one may come while that is noted.
 */
void
dynamo_end_process(SIGNAL_ARGS)
{
	int			save_errno = errno;

	if (!yields || proc_exit_inprogress)
	{
		compat_die();
		return;
	}
	if (leaving)
		return;
	leaving = true;
	left_ticks = 0;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
	errno = save_errno;
}

/*
 * It is done for this role.  False: it is not to be done now.
 */
bool
dynamo_work_for(Oid role)
{
	work.key.role = role;
	show();
	return !watched || !dynamo_is_refused(&work.key);
}

/*
 * Take one of the "limit" workers that a role may have at a time (0: all).
 * False: others have them.
 */
bool
dynamo_work_claim(int limit)
{
	if (watched && limit > 0)
		claimed = dynamo_worker_claim(work.key.role, limit);
	return claimed || limit <= 0;
}

/*
 * It is done on this table.  False: it is not to be done now.
 */
bool
dynamo_work_on(Oid relation, const char *table)
{
	if (!watched || depth > 0)
		return true;
	if (relation != work.key.relation)
	{
		note_table(relation, table);
		show();
	}
	return !dynamo_is_refused(&work.key);
}

/*
 * Functions of a user may be called from here on, because they belong to this
 * table; then no longer.
 */
void
dynamo_work_enter(Oid relation, const char *table)
{
	if (depth++ == 0)
		note_table(relation, table);
}

void
dynamo_work_leave(void)
{
	depth--;
}

/*
 * Show in pg_stat_activity, and beside messages in the log, what is done on
 * which table for whom.
 */
static void
show(void)
{
	static char text[lengthof(work.activity) + lengthof(work.table) +
					 NAMEDATALEN + 8];
	static char role[NAMEDATALEN];
	char	   *end;

	if (!watched || work.key.service != DYNAMO_HTTP)
		return;
	if (!OidIsValid(work.key.relation))
	{
		char	   *name = GetUserNameFromId(work.key.role, true);

		strlcpy(role, name ? name : "", sizeof(role));
	}

	/* Each request comes here: printf() would cost more than all the rest. */
	end = stpcpy(text, activity);
	if (OidIsValid(work.key.relation))
		end = stpcpy(stpcpy(end, " "), work.table);
	stpcpy(stpcpy(end, " as "), role);
	debug_query_string = text;
	pgstat_report_activity(STATE_RUNNING, text);
}

static void
note_table(Oid relation, const char *table)
{
	static Oid	noted = InvalidOid;

	if (relation != noted)
		strlcpy(work.table, table, sizeof(work.table));
	noted = relation;
	work.key.relation = relation;
}

static void
note_time(int took)
{
	work.took = took;
	work.began = dynamo_clock() - took;
}

/*
 * What was done last has cost this many milliseconds and is not worth it:
 * leave it alone for a while.  Returns for how many seconds.
 */
int
dynamo_work_refuse(int took)
{
	note_time(took);
	return dynamo_refuse(&work, false);
}

/*
 * In a signal handler.
 */
static void
tick(void)
{
	if (!under_way)
		return;
	ticks++;
	look_at_work();
	enable_timeout_after(ticking, TICK);
}

static void
look_at_work(void)
{
	if (ticks == SLOW_TICKS && call_slow != NULL)
		call_slow();
	if (leaving && yields && ++left_ticks * (int64) TICK > dynamo_grace_period)
	{
		yields = false;
		(void) kill(MyProcPid, SIGTERM);
	}
	if (stage == DYNAMO_WORKING && is_overdue(1))
	{
		stage = DYNAMO_ENDING;
		strlcpy(work.activity, activity, sizeof(work.activity));
		note_time((ticks - 1) * TICK);
		dynamo_worker_report(stage, &work);
		kill(MyProcPid, SIGTERM);
	}
	else if (stage == DYNAMO_ENDING && is_overdue(2))
	{
		stage = DYNAMO_LOST;
		if (call_lost != NULL)
			call_lost();
		dynamo_worker_report(stage, &work);
	}
}

/*
 * Have so many grace periods gone by since it should have been cancelled?
 */
static bool
is_overdue(int64 graces)
{
	int64		took = (int64) (ticks - 1) * TICK;

	return timeout > 0 && took >= timeout + graces * dynamo_grace_period;
}
