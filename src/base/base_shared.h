/*-------------------------------------------------------------------------
 *
 * base_shared.h
 *	  Memory that all processes of a server share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_SHARED_H
#define DYNAMO_BASE_SHARED_H

#include "postgres.h"

/* A piece of it. */
typedef struct DynamoShared
{
	const char *name;			/* of the tranche of its locks, too */
	Size		size;			/* bytes; 0: measure() tells */

	/* Asked once settings are known; 0: the piece is not wanted. */
	Size		(*measure) (void);

	/*
	 * This process knows the piece from now on.  "made": it is new and all
	 * zero, and its locks are to be initialized with that tranche.  Nobody
	 * else attaches meanwhile.
	 */
	void		(*attach) (void *memory, int tranche, bool made);

	/* base_shared.c's */
	bool		attached;
	struct DynamoShared *next;
} DynamoShared;

/*
 * Called while the module is loaded.  Where the server preloads it, the piece
 * is requested, and attached when the server starts.  Elsewhere nothing
 * happens until dynamo_attach_shared().
 */
extern void dynamo_share(DynamoShared *shared);

/*
 * The same for a process of a server that does not preload the module: the
 * piece is made of what memory is to spare, or this raises an error.
 */
extern void dynamo_attach_shared(DynamoShared *shared);

#endif							/* DYNAMO_BASE_SHARED_H */
