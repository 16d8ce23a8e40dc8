/*-------------------------------------------------------------------------
 *
 * base_session.c
 *	  The session of a process that works for many roles.
 *
 * A worker is connected as a superuser, and runs what users have written: a
 * request as the role of its key, a batch as the owner of its table.  Such a
 * function must find the session of that role, and leave nothing in it.
 *
 *	  transaction begins
 *	  dynamo_session_enter()	the session is the role's
 *	  ... functions of users
 *	  dynamo_session_leave()	what they left in the transaction is gone
 *	  transaction commits, or aborts
 *	  dynamo_session_settle()	so is what outlives a transaction
 *
 * The role is the current user and the session's user.  Otherwise a policy
 * that asks session_user or is_superuser would see a superuser.  It cannot be
 * another by SET ROLE or SET SESSION AUTHORIZATION, nor reset: core refuses
 * these while SECURITY_LOCAL_USERID_CHANGE is set, which it is up to the end
 * of the transaction, deferred triggers included.  To be the session's user it
 * is set as core sets it when a session begins, so parallel workers have it
 * too.  Between transactions the process itself is the current user; the
 * session keeps its last user, since the next is mostly the same.
 *
 * What is left is cleared for the next transaction, of any role.  Where
 * nothing was left, that costs some tests of flags: settings are changed at a
 * nest level of their own and so undone by core; only a transaction that used
 * the temporary namespace has objects there, and they are dropped by it.
 * Sequences and random() forget when the role changes: their state is not read
 * by accident.  Plans are kept: core makes them anew for another search_path
 * or where another role's policies apply.  LISTEN is refused to background
 * workers by core.
 *
 * A cancel or a timeout is meant for the work at hand.  When that has been
 * committed or given up, it may still arrive, and is forgotten.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <netinet/in.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "base/base_session.h"
#include "base/compat.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "commands/prepare.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "utils/backend_status.h"
#include "utils/fmgrprotos.h"
#include "utils/guc_tables.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timeout.h"
#include "utils/wait_event.h"

/* Who the process is. */
static Oid	own_role;

/* Whose session it is, and what that role was when it became it. */
static Oid	session_role;
static NameData session_name;
static bool session_superuser;

/* Where the settings of the work at hand begin. */
static int	settings_level;

static void fix_setting(const char *name, const char *value);
static void change_user(Form_pg_authid row);
static void show_user(Oid role);

/*
 * The process has just connected to its database.  Some of what can be set
 * for all sessions of the database is not for this one: it begins as who it
 * is, and its users must not end it.
 */
void
dynamo_session_init(void)
{
	SetConfigOption("role", "none", PGC_SUSET, PGC_S_OVERRIDE);
	fix_setting("exit_on_error", "off");
	fix_setting("transaction_timeout", "0");	/* since PostgreSQL 17 */
	own_role = GetUserId();
	dynamo_ignore_cancels();
}

/*
 * The setting has this value for as long as the process lives.  Functions of
 * users cannot change it: for them it is one of those that follow a reload.
 */
static void
fix_setting(const char *name, const char *value)
{
	struct config_generic *setting = compat_setting(name);

	if (setting == NULL)
		return;
	SetConfigOption(name, value, PGC_SUSET, PGC_S_OVERRIDE);
	setting->context = PGC_SIGHUP;
}

/*
 * The session's user is the role from now on; the current user stays.  In a
 * transaction, whose end does not change it, and in no security context.
 */
void
dynamo_session_user(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	Form_pg_authid row;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	row = (Form_pg_authid) GETSTRUCT(tuple);
	if (role != session_role || row->rolsuper != session_superuser ||
		strcmp(NameStr(row->rolname), NameStr(session_name)) != 0)
		change_user(row);
	ReleaseSysCache(tuple);
}

static void
change_user(Form_pg_authid row)
{
	Oid			user;
	int			security;

	GetUserIdAndSecContext(&user, &security);
	SetConfigOption("session_authorization", NameStr(row->rolname),
					PGC_BACKEND, PGC_S_OVERRIDE);
	SetUserIdAndSecContext(user, security);
	session_role = row->oid;
	session_name = row->rolname;
	session_superuser = row->rolsuper;
	ResetSequenceCaches();
	DirectFunctionCall1(setseed,
						Float8GetDatum(pg_prng_double(&pg_global_prng_state)));
	show_user(row->oid);
}

/*
 * Show the role at work in pg_stat_activity.
 */
static void
show_user(Oid role)
{
	PGSTAT_BEGIN_WRITE_ACTIVITY(MyBEEntry);
	MyBEEntry->st_userid = role;
	PGSTAT_END_WRITE_ACTIVITY(MyBEEntry);
}

/*
 * Functions of users run from here on, as the role.  "security" is what their
 * security context shall have besides.
 */
void
dynamo_session_enter(Oid role, int security)
{
	/* What another role has done before in this transaction is over. */
	SetUserIdAndSecContext(own_role, 0);
	dynamo_session_user(role);
	SetUserIdAndSecContext(role, security | SECURITY_LOCAL_USERID_CHANGE);
	settings_level = NewGUCNestLevel();
}

/*
 * They have run, and the transaction is about to commit.  The role stays: it
 * owns what core does then.
 */
void
dynamo_session_leave(void)
{
	/* Closing a portal may run functions, too, and they queue triggers. */
	AfterTriggerFireDeferred();
	PortalHashTableDeleteAll();
	AfterTriggerFireDeferred();
	PortalHashTableDeleteAll();

	AtEOXact_GUC(false, settings_level);
	if (MyXactFlags & XACT_FLAGS_ACCESSEDTEMPNAMESPACE)
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		ResetTempTableNamespace();
		PopActiveSnapshot();
	}
}

/*
 * The transaction has ended, well or not.
 */
void
dynamo_session_settle(void)
{
	SetUserIdAndSecContext(own_role, 0);
	DropAllPreparedStatements();
	LockReleaseSession(USER_LOCKMETHOD);
}

/*
 * Work begins that may be cancelled; what was meant for other work is
 * forgotten.
 */
void
dynamo_obey_cancels(void)
{
	QueryCancelPending = false;
	QueryCancelHoldoffCount = 0;
}

/*
 * There is nothing to cancel any more.  To be called again after an error,
 * which lets go of what holds interrupts off.
 */
void
dynamo_ignore_cancels(void)
{
	static const DisableTimeoutParams timeouts[] = {
		{STATEMENT_TIMEOUT, false},
		{LOCK_TIMEOUT, false}
	};

	QueryCancelHoldoffCount = 1;
	disable_timeouts(timeouts, lengthof(timeouts));
	QueryCancelPending = false;
}

int
dynamo_pin_search_path(void)
{
	int			nest_level = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	return nest_level;
}

void
dynamo_become(DynamoUser *before, Oid role, int security)
{
	GetUserIdAndSecContext(&before->role, &before->security);
	SetUserIdAndSecContext(role, before->security | security |
						   SECURITY_LOCAL_USERID_CHANGE);
}

void
dynamo_resume_user(const DynamoUser *before)
{
	SetUserIdAndSecContext(before->role, before->security);
}

/*
 * It stays there until the next one.
 */
void
dynamo_session_show_client(const struct sockaddr *address)
{
	volatile PgBackendStatus *entry = MyBEEntry;
	PgBackendStatus *shown;
	size_t		len;

	if (entry == NULL || address == NULL)
		return;
	len = address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
		sizeof(struct sockaddr_in);
	shown = unvolatize(PgBackendStatus *, entry);
	if (memcmp(&shown->st_clientaddr.addr, address, len) == 0)
		return;
	PGSTAT_BEGIN_WRITE_ACTIVITY(entry);
	memcpy(&shown->st_clientaddr.addr, address, len);
	shown->st_clientaddr.salen = len;
	PGSTAT_END_WRITE_ACTIVITY(entry);
}

void
dynamo_nap(long milliseconds)
{
	(void) WaitLatch(MyLatch,
					 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}
