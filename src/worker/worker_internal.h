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

#include "portability/instr_time.h"
#include "worker/worker.h"

/*
 * Milliseconds that a worker stays in one database while there is work.  The
 * launcher takes a visit of that length for one that was not finished.
 */
#define WORKER_VISIT	10000

/* dynamo.ttl_interval, in seconds; 0: off */
extern int	worker_ttl_interval;

/* dynamo.maintenance_timeout, in milliseconds; 0: none */
extern int	worker_timeout;

/* Milliseconds on a clock that nobody sets. */
static inline int64
worker_clock(void)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	return (int64) INSTR_TIME_GET_MILLISEC(now);
}

/* worker_launcher.c */
extern PGDLLEXPORT void worker_launcher_main(Datum arg);

/* worker_run.c */
extern void worker_connect(Oid database);
extern bool worker_is_wanted(void);
extern void worker_be_patient(int wait);
extern void worker_serve(const int *limit);
extern bool worker_run(const char *activity, int elevel,
					   void (*work) (void *arg), void *arg);
extern void worker_begin_visit(long duration);
extern bool worker_rest(long rest);

/* SQLSTATE and message of the last that failed */
#define WORKER_MESSAGE	1024
extern int	worker_error;
extern char worker_message[WORKER_MESSAGE];
extern void worker_housekeeping(void);

/* worker_visit.c */
extern PGDLLEXPORT void worker_visit_main(Datum arg);

/* worker_build.c */
extern PGDLLEXPORT void worker_build_main(Datum arg);
extern void worker_build(bool is_visit);
extern bool worker_start_builder(void);

/* worker_join.c */
extern void worker_tell_nodes(void);

/* worker_expire.c */
extern void worker_expire(void);

/* worker_marker.c */
extern PGDLLEXPORT void worker_marker_main(Datum arg);
extern void worker_marker_init(void);
extern void worker_start_marker(void);
extern void worker_tend_recovery(void);

/* worker_handler.c */
extern PGDLLEXPORT void worker_handler_main(Datum arg);
extern void worker_handler_init(void);
extern void worker_start_handlers(void);

/* worker_job.c */
extern PGDLLEXPORT void worker_job_main(Datum arg);
extern void worker_job_init(void);
extern bool worker_start_jobs(void);
extern void worker_work_on_jobs(void);

#endif							/* DYNAMO_WORKER_INTERNAL_H */
