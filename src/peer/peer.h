/*-------------------------------------------------------------------------
 *
 * peer.h
 *	  Calls of other nodes of a cluster, from a process that must not wait.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_PEER_H
#define DYNAMO_PEER_H

#include "postgres.h"

#include "base/base_route.h"
#include "datatype/timestamp.h"
#include "libpq-fe.h"

/* A request at another node */
typedef struct PeerCall PeerCall;

typedef enum PeerSent
{
	PEER_SENT,
	PEER_NO_ROOM,				/* for now */
	PEER_NO_WAY					/* the node is down */
} PeerSent;

/*
 * peer_node.c
 *
 * Once a process.  "timeout" and "sessions" are settings: the milliseconds after
 * which a call is cancelled, 0 for never; and how many connections to a node
 * there may be.  What is made lives in "context".  Returns a descriptor that is
 * readable when peer_run() has something to do.
 */
extern int	peer_init(MemoryContext context, const int *timeout,
					  const int *sessions);

/* May this process call others? */
extern bool peer_possible(void);

/*
 * Call a node with a message of base_message.h, which is copied; it leaves with
 * the next peer_push().  peer_reach() tells whether it could leave, and begins
 * to connect if need be.  Not in a transaction.
 */
extern PeerSent peer_reach(const DynamoNode *node);
extern PeerSent peer_send(const DynamoNode *node, const char *message,
						  int len, bool writes, PeerCall **call);

/*
 * The same in a transaction, or when it has just ended, over a connection that is
 * there, and leaves at once; NULL: there is none, or it was lost.  peer_await()
 * waits a moment for the answer, for nothing else; false: it is not there yet.
 */
extern bool peer_is_there(const DynamoNode *node);
extern PeerCall *peer_send_now(const DynamoNode *node, const char *message,
							   int len);
extern bool peer_await(const PeerCall *call);
extern void peer_wait(void);

extern void peer_push(void);
extern void peer_run(void);
extern void peer_settle(void);
extern long peer_timeout(void); /* milliseconds; see there */
extern bool peer_call_is_done(const PeerCall *call);

/* Of one that is done, until it is forgotten; NULL: the connection was lost */
extern const char *peer_call_answer(const PeerCall *call, int *len);
extern bool peer_call_writes(const PeerCall *call);
extern void peer_forget(PeerCall *call);

/*
 * peer_kept.c: of a process that works for many roles.  The setting says for how
 * many of them Citus may keep sessions.  "again": what refuses a request, so that the
 * process executes it anew, may be raised in peer_note_asker().
 */
extern void peer_bound_kept(const int *setting, bool again);
extern void peer_note_asker(void);
extern void peer_settle_kept(void);

/*
 * peer_conninfo.c: "timeout" as above.  peer_connect() is not for a transaction,
 * and the other one is.  That waits for locks for so many milliseconds.
 */
extern PGconn *peer_connect(const DynamoNode *node, int timeout);
extern PGconn *peer_connect_within(const DynamoNode *node, int lock_wait,
								   int timeout);

/* ... and, for a process that waits: is it there, or refused, in time? */
extern bool peer_connects(PGconn *conn);
extern bool peer_connects_until(PGconn *conn, TimestampTz end);
extern bool peer_wakes(PGconn *conn, int events, long milliseconds);

#endif							/* DYNAMO_PEER_H */
