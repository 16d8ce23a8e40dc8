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

extern void dynamo_session_init(void);
extern void dynamo_session_user(Oid role);
extern void dynamo_session_enter(Oid role, int security);
extern void dynamo_session_leave(void);
extern void dynamo_session_settle(void);

extern int	dynamo_pin_search_path(void);

extern void dynamo_obey_cancels(void);
extern void dynamo_ignore_cancels(void);

#endif							/* DYNAMO_BASE_SESSION_H */
