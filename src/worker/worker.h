/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  Maintenance in the background: expired items and old stream records.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_WORKER_H
#define DYNAMO_WORKER_H

/* worker_launcher.c: setting, and the launcher when the server preloads us */
extern void worker_init(void);

#endif							/* DYNAMO_WORKER_H */
