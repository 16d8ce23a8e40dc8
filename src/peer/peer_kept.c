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
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "peer/peer.h"
#include "process/process_watch.h"
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

static const int *most = NULL;	/* the setting; NULL: nobody counts */
static Asker askers[MAX_ROLES];
static int	naskers = 0;
static int64 many_until = 0;

static void forget_askers(int64 now);

void
peer_bound_kept(const int *setting)
{
	most = setting;
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
 * Have Citus keep sessions, or none, from now on.  Not in a transaction.
 */
void
peer_settle_kept(void)
{
	static bool none = false;
	bool		many = many_until != 0 && dynamo_clock() < many_until;

	if (many == none || GetConfigOption(KEPT_SETTING, true, false) == NULL)
		return;
	none = many;
	(void) set_config_option(KEPT_SETTING, many ? "0" : NULL, PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SET, true, 0, false);
}
