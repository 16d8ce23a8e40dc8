/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  Maintenance in the background: expired items and old stream records.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_WORKER_H
#define DYNAMO_WORKER_H

/* What the layers beside give when they initialize. */
typedef struct WorkerCallbacks
{
	void		(*drop_orphan_keys) (void); /* access keys of roles gone */
} WorkerCallbacks;

extern WorkerCallbacks worker_callbacks;

/* worker_launcher.c: setting, and the launcher when the server preloads us */
extern void worker_init(void);

#endif							/* DYNAMO_WORKER_H */
