/*-------------------------------------------------------------------------
 *
 * base_watch.h
 *	  The work that workers do for others, and what happens to a worker whose
 *	  work does not end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_WATCH_H
#define DYNAMO_BASE_WATCH_H

#include "postgres.h"

#include "base/base.h"
#include "datatype/timestamp.h"

/* Services that have workers. */
typedef enum DynamoService
{
	DYNAMO_HTTP,
	DYNAMO_MAINTENANCE,
	DYNAMO_BUILD,				/* has no launcher */
	DYNAMO_HANDLER,
	DYNAMO_JOB,					/* has no launcher */
	DYNAMO_MARKER				/* has no launcher */
} DynamoService;

#define DYNAMO_SERVICES (DYNAMO_MARKER + 1)

/* How far a worker has come with work that takes too long. */
typedef enum DynamoStage
{
	DYNAMO_WORKING,
	DYNAMO_ENDING,				/* cancelled in vain: the process is to end */
	DYNAMO_LOST					/* it does not end, either */
} DynamoStage;

/* What pieces of work have in common.  It has no padding. */
typedef struct DynamoKey
{
	DynamoService service;
	Oid			database;
	Oid			role;			/* for whom, or InvalidOid */
	Oid			relation;		/* of which table, or InvalidOid */
} DynamoKey;

/* A piece of work: a request, a batch. */
typedef struct DynamoWork
{
	DynamoKey	key;
	char		table[DYNAMO_MAX_NAME + 1];
	char		activity[DYNAMO_MAX_NAME + 64];
	TimestampTz began;
	int			took;			/* milliseconds so far */
} DynamoWork;

/*
 * base_watch.c: the work of this process.  Nothing happens in a process that
 * is not watched.
 */
extern int	dynamo_grace_period;	/* milliseconds */
extern bool dynamo_preloaded;	/* by shared_preload_libraries */
extern void dynamo_watch_init(void);
extern void dynamo_watch_start(DynamoService service, void (*slow) (void),
							   void (*lost) (void));
extern void dynamo_work_begin(const char *activity, int timeout);
extern bool dynamo_work_for(Oid role);
extern bool dynamo_work_claim(int limit);
extern bool dynamo_work_on(Oid relation, const char *table);
extern void dynamo_work_enter(Oid relation, const char *table);
extern void dynamo_work_leave(void);
extern void dynamo_work_end(void);
extern int	dynamo_work_refuse(int took);

/* base_worker.c: the workers, as they know of one another */
extern Size dynamo_workers_size(void);
extern void dynamo_worker_join(DynamoService service);
extern bool dynamo_worker_claim(Oid role, int limit);
extern void dynamo_worker_release(void);
extern void dynamo_worker_open(void);
extern bool dynamo_worker_close(void);
extern void dynamo_worker_report(DynamoStage stage, const DynamoWork *work);
extern void dynamo_workers_attend(DynamoService service);
extern void dynamo_workers_tend(DynamoService service);
extern void dynamo_workers_end_waiting(DynamoService service);
extern void dynamo_workers_end_one(DynamoService service);
extern int	dynamo_worker_rank(void);
extern int	dynamo_workers_here(DynamoService service);
extern void dynamo_worker_note_time(TimestampTz when);
extern TimestampTz dynamo_workers_time(DynamoService service);
extern bool dynamo_worker_has_joined(pid_t pid);
extern bool dynamo_worker_is_lost(pid_t pid);
extern bool dynamo_worker_is_lost_to(const DynamoKey *key);

/* What others may know of a worker. */
typedef struct DynamoWorkerState
{
	int			pid;
	DynamoService service;
	DynamoStage stage;
	bool		open;			/* takes new clients */
	int			parked;			/* requests that wait */
	uint64		requests;		/* executed since it began */
} DynamoWorkerState;

extern void dynamo_worker_tell(int parked, uint64 requests);
extern void dynamo_workers_each(void (*each) (const DynamoWorkerState *worker,
											  void *arg), void *arg);
extern int	(*dynamo_worker_refuse) (const DynamoWork *work, bool lost);

/* base_refusal.c: what is left alone for a while */
extern Size dynamo_refusals_size(void);
extern int	dynamo_refuse(const DynamoWork *work, bool lost);
extern bool dynamo_is_refused(const DynamoKey *key);

#endif							/* DYNAMO_BASE_WATCH_H */
