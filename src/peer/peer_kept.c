/*-------------------------------------------------------------------------
 *
 * peer_kept.c
 *	  Sessions that Citus keeps at other nodes, for a process that works for many
 *	  roles.
 *
 * Citus keeps one for each role and node, so that the next statement finds it.  A
 * process that works for all roles would have as many as there are roles.  So
 * while there are more than a setting says, Citus keeps none: a transaction that
 * has asked other nodes closes at its end all that are kept.
 *
 * Citus knows a session by the name of its role.  Where a role was renamed, or
 * dropped, and another has its name, what the other asks would be executed as the
 * one before.  So the roles that have asked are remembered by their names, and a
 * request of another one begins anew when all that is kept has been closed.  Work in
 * the background does not: the next transaction finds it closed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "peer/peer.h"
#include "process/process_watch.h"
#include "utils/builtins.h"
#include "utils/guc.h"

/* How many Citus keeps for a role and a node. */
#define KEPT_SETTING	"citus.max_cached_conns_per_worker"

/* Milliseconds for which a role counts that has asked other nodes. */
#define ROLE_TIME		60000

#define MAX_ROLES		256

typedef struct Asker
{
	Oid			role;
	int64		asked;			/* by dynamo_clock() */
} Asker;

/* A role of which Citus may have sessions. */
typedef struct Named
{
	NameData	name;
	Oid			role;
} Named;

static const int *most = NULL;	/* the setting; NULL: nobody counts */
static bool repeats = false;	/* what is refused is executed anew */
static Asker askers[MAX_ROLES];
static int	naskers = 0;
static int64 many_until = 0;
static Named named[MAX_ROLES];
static int	nnamed = 0;
static bool none = false;		/* Citus is to keep none */
static bool stale = false;		/* ... and to close what it has kept */

static void forget_askers(int64 now);
static void note_name(void);
static void close_kept(void);
static void set_kept(const char *value);

void
peer_bound_kept(const int *setting, bool again)
{
	most = setting;
	repeats = again;
}

/*
 * A statement of the current user is about to ask other nodes.
 */
void
peer_note_asker(void)
{
	int64		now;
	int			i;

	if (most == NULL)
		return;
	now = dynamo_clock();
	for (i = 0; i < naskers && askers[i].role != GetUserId(); i++)
		;
	if (i == naskers)
	{
		i = Min(naskers, MAX_ROLES - 1);
		naskers = i + 1;
		askers[i].role = GetUserId();
	}
	askers[i].asked = now;
	if (naskers > *most)
		forget_askers(now);
	if (naskers > *most)
		many_until = now + ROLE_TIME;
	note_name();
}

static void
forget_askers(int64 now)
{
	int			n = 0;

	for (int i = 0; i < naskers; i++)
	{
		if (askers[i].asked + ROLE_TIME >= now)
			askers[n++] = askers[i];
	}
	naskers = n;
}

/*
 * Raises that the request is to be executed anew, if there may be a session of
 * another role that has had the name.
 */
static void
note_name(void)
{
	Oid			role = GetUserId();
	char	   *name = GetUserNameFromId(role, false);
	int			i;

	for (i = 0; i < nnamed && strcmp(NameStr(named[i].name), name) != 0; i++)
		;
	if (i == nnamed && nnamed < MAX_ROLES)
	{
		namestrcpy(&named[i].name, name);
		named[i].role = role;
		nnamed++;
	}
	else if (i == nnamed || named[i].role != role)
		stale = true;
	pfree(name);
	if (stale && repeats)
		dynamo_route_refuse();
}

/*
 * Have Citus keep sessions, or none, from now on.  Not in a transaction.
 */
void
peer_settle_kept(void)
{
	bool		many = many_until != 0 && dynamo_clock() < many_until;

	if (stale)
		close_kept();
	if (many == none)
		return;
	none = many;
	set_kept(none ? "0" : NULL);
}

/*
 * Citus closes what it is not to keep whenever a transaction is rolled back.
 */
static void
close_kept(void)
{
	MemoryContext context = CurrentMemoryContext;

	set_kept("0");
	StartTransactionCommand();
	AbortOutOfAnyTransaction();
	MemoryContextSwitchTo(context);
	set_kept(none ? "0" : NULL);
	nnamed = 0;
	stale = false;
}

/*
 * NULL: as many as it does by itself.
 */
static void
set_kept(const char *value)
{
	if (GetConfigOption(KEPT_SETTING, true, false) == NULL)
		return;
	(void) set_config_option(KEPT_SETTING, value, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SET, true, 0, false);
}
