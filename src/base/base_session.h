/*-------------------------------------------------------------------------
 *
 * base_session.h
 *	  The session of a process that works for many roles.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_SESSION_H
#define DYNAMO_BASE_SESSION_H

#include "postgres.h"

#include <sys/socket.h>

extern void dynamo_session_init(void);
extern void dynamo_session_user(Oid role);
extern void dynamo_session_enter(Oid role, int security);
extern void dynamo_session_leave(void);
extern void dynamo_session_settle(void);

/*
 * The address of the client is the current one's, in pg_stat_activity and for
 * aws:SourceIp.  NULL: it has none, and the one before stays.
 */
extern void dynamo_session_show_client(const struct sockaddr *address);

/*
 * From here to AtEOXact_GUC(.., result), names mean core's objects.
 */
extern int	dynamo_pin_search_path(void);

/*
 * Something is done as another role, which may not become yet another.
 * "security": further bits of the security context.  After an error the end of
 * the transaction, or subtransaction, does what dynamo_resume_user() does.
 */
typedef struct DynamoUser
{
	Oid			role;
	int			security;
} DynamoUser;

extern void dynamo_become(DynamoUser *before, Oid role, int security);
extern void dynamo_resume_user(const DynamoUser *before);

extern void dynamo_obey_cancels(void);
extern void dynamo_ignore_cancels(void);

/* Wait so long, or less: until something happens.  A cancel is obeyed. */
extern void dynamo_nap(long milliseconds);

#endif							/* DYNAMO_BASE_SESSION_H */
