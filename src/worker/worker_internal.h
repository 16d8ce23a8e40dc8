/*-------------------------------------------------------------------------
 *
 * worker_internal.h
 *	  What the files of the maintenance workers share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_WORKER_INTERNAL_H
#define DYNAMO_WORKER_INTERNAL_H

#include "postgres.h"

#include "process/process_watch.h"
#include "worker/worker.h"

/* dynamo.ttl_interval, in seconds; 0: off */
extern int	worker_ttl_interval;

/* dynamo.maintenance_timeout, in milliseconds; 0: none */
extern int	worker_timeout;

/* worker_background.c */
extern PGDLLEXPORT void worker_background_main(Datum arg);

/* worker_run.c */
extern void worker_connect(Oid database);
extern bool worker_is_wanted(void);
extern bool worker_begin(DynamoService service, int limit, long duration);
extern bool worker_put_off;		/* the last has returned false */
extern void worker_wait_at_most(int wait);
extern bool worker_has_time(void);
extern long worker_due(DynamoService service, bool asked, int64 due);
extern bool worker_run(const char *activity, int elevel,
					   void (*work) (void *arg), void *arg);
extern void worker_housekeeping(void);

/* SQLSTATE and message of the last that failed */
#define WORKER_MESSAGE	1024
extern int	worker_error;
extern char worker_message[WORKER_MESSAGE];

/*
 * A turn of each kind of work.  "asked" is whether somebody has asked for it.
 * Milliseconds until it is to be called again; 0: at once, there is more; -1:
 * when somebody asks.
 */
extern long worker_mark(bool asked);
extern long worker_handle(bool asked);
extern long worker_work_on_jobs(bool asked);
extern long worker_visit(bool asked);
extern long worker_tell(bool asked);
extern long worker_replicate(bool asked);
extern long worker_build(bool asked);

/* worker_visit.c: its parts */
extern void worker_expire_begin(void);	/* worker_expire.c */
extern long worker_expire(void);	/* milliseconds to rest; -1: all is done */

/* Settings, and what sessions call */
extern int	worker_handler_timeout; /* milliseconds */
extern void worker_build_init(void);
extern void worker_handler_init(void);
extern void worker_job_init(void);
extern void worker_marker_init(void);
extern void worker_join_init(void);

#endif							/* DYNAMO_WORKER_INTERNAL_H */
