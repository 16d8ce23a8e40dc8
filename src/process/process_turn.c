/*-------------------------------------------------------------------------
 *
 * process_turn.c
 *	  Turns at work that a role has left to the background.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "base/base_session.h"
#include "base/compat.h"
#include "miscadmin.h"
#include "process/process_turn.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/* The longest pause before another attempt, in seconds. */
#define LAST_DELAY		60

void
dynamo_want_worker(const DynamoWorkers *workers)
{
	if (workers->start_worker != NULL)
		dynamo_at_commit(workers->start_worker);
}

bool
dynamo_may_work(const DynamoWorkers *workers, bool by_hand, Oid role, Oid relid,
				const char *table)
{
	return by_hand || workers->may_work == NULL ||
		workers->may_work(role, relid, table);
}

MemoryContext
dynamo_turn_begin(void)
{
	return MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext,
													   "dynamo turn",
													   ALLOCSET_DEFAULT_SIZES));
}

void
dynamo_turn_end(MemoryContext caller)
{
	MemoryContext context = MemoryContextSwitchTo(caller);

	MemoryContextDelete(context);
}

/*
 * A worker's session becomes the role's (see base_session.c).  In a session of
 * somebody else the work may leave nothing behind, as functions that REINDEX
 * calls; otherwise what it defers would run as the session's user.  The
 * search_path is one that nobody else can bend.
 */
ErrorData *
dynamo_turn_work(Oid role, bool by_hand, bool (*work) (void *arg), void *arg)
{
	ErrorData  *error;
	Oid			user;
	int			security;
	int			level;

	if (!by_hand)
	{
		dynamo_session_enter(role, 0);
		error = dynamo_attempt(work, arg);
		dynamo_session_leave();
		return error;
	}
	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(role, user == role ? security :
						   security | SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION);
	level = dynamo_pin_search_path();
	error = dynamo_attempt(work, arg);
	AtEOXact_GUC(false, level);
	SetUserIdAndSecContext(user, security);
	return error;
}

TimestampTz
dynamo_turn_again(int failures)
{
	int			delay = 1 << Min(Max(failures - 1, 0), 16);

	return GetCurrentTimestamp() + Min(delay, LAST_DELAY) * USECS_PER_SEC;
}

bool
dynamo_turn_waits(TimestampTz until)
{
	TimestampTz left = until - GetCurrentTimestamp();

	return left > 0 && left <= LAST_DELAY * USECS_PER_SEC;
}

bool
dynamo_acts_for(Oid role)
{
	return superuser() ||
		(OidIsValid(role) && has_privs_of_role(GetUserId(), role));
}

bool
dynamo_owns(Oid relid)
{
	return OidIsValid(relid) &&
		SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)) &&
		compat_relation_owner(relid, GetUserId());
}
