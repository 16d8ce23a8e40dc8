/*-------------------------------------------------------------------------
 *
 * process_turn.h
 *	  Turns at work that a role has left to the background: a step of a job, a
 *	  batch of an event source mapping.
 *
 * A background process takes turns, or a session by hand.  Either way the work
 * is done as the role, in a subtransaction, so that its failure can be noted in
 * the transaction around it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_PROCESS_TURN_H
#define DYNAMO_PROCESS_TURN_H

#include "postgres.h"

#include "datatype/timestamp.h"

/* Background processes for one kind of work, given by the layer above. */
typedef struct DynamoWorkers
{
	/* Start one, after commit; NULL: there are none. */
	void		(*start_worker) (void);

	/* Is one to work for that role, on that table, now?  NULL: yes */
	bool		(*may_work) (Oid role, Oid relid, const char *table);
} DynamoWorkers;

/* Start one when the transaction has committed, so that it sees its work. */
extern void dynamo_want_worker(const DynamoWorkers *workers);

/* Is the work to be done now? */
extern bool dynamo_may_work(const DynamoWorkers *workers, bool by_hand,
							Oid role, Oid relid, const char *table);

/*
 * A turn has a memory context of its own, for by hand transactions do not end
 * the one around them.  The first returns the caller's, for the second.
 */
extern MemoryContext dynamo_turn_begin(void);
extern void dynamo_turn_end(MemoryContext caller);

/* Do work as that role, as dynamo_attempt() does. */
extern ErrorData *dynamo_turn_work(Oid role, bool by_hand,
								   bool (*work) (void *arg), void *arg);

/* When to try again what has failed so many times: 1, 2, 4 to 60 seconds on. */
extern TimestampTz dynamo_turn_again(int failures);

/* Is that still to come?  What is further away has been noted by a clock that was
 * set back since. */
extern bool dynamo_turn_waits(TimestampTz until);

/* May the current user know of, and change, what a role has left to us? */
extern bool dynamo_acts_for(Oid role);

/* Is there such a relation, and the current user its owner? */
extern bool dynamo_owns(Oid relid);

#endif							/* DYNAMO_PROCESS_TURN_H */
