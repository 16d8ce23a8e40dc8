/*-------------------------------------------------------------------------
 *
 * process_watch.h
 *	  The work that workers do for others, and what happens to a worker whose
 *	  work does not end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_PROCESS_WATCH_H
#define DYNAMO_PROCESS_WATCH_H

#include "postgres.h"

#include "base/base.h"
#include "base/base_shared.h"
#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "portability/instr_time.h"

/*
 * Milliseconds on a clock that nobody sets, the same for all processes of the
 * server.  What waits or is refused does so by this one.
 */
static inline int64
dynamo_clock(void)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	return (int64) INSTR_TIME_GET_MILLISEC(now);
}

/* What workers do. */
typedef enum DynamoService
{
	DYNAMO_HTTP,
	DYNAMO_MAINTENANCE,
	DYNAMO_BUILD,
	DYNAMO_HANDLER,
	DYNAMO_JOB,
	DYNAMO_MARKER,
	DYNAMO_CLUSTER,
	DYNAMO_REPLICA
} DynamoService;

#define DYNAMO_SERVICES (DYNAMO_REPLICA + 1)

/* process_want.c: as views call it */
extern const char *dynamo_service_name(DynamoService service);

/* What has waited so long is late; milliseconds. */
#define DYNAMO_LATE		1500

/* A set of them has a bit for each. */
#define DYNAMO_BIT(service) (1U << (service))

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
	int64		began;			/* by dynamo_clock() */
	int			took;			/* milliseconds so far */
} DynamoWork;

/*
 * process_watch.c: the work of this process.  Nothing happens in a process that
 * is not watched.
 */
extern int	dynamo_grace_period;	/* milliseconds */
extern void dynamo_watch_init(void);
extern void dynamo_watch_start(bool serves, void (*slow) (void),
							   void (*lost) (void));
extern bool dynamo_work_as(DynamoService service, int limit);
extern void dynamo_work_begin(const char *activity, int timeout);
extern bool dynamo_work_for(Oid role);
extern bool dynamo_work_claim(int limit);
extern bool dynamo_work_on(Oid relation, const char *table);
extern void dynamo_work_enter(Oid relation, const char *table);
extern void dynamo_work_leave(void);
extern void dynamo_work_end(void);
extern int	dynamo_work_refuse(int took);
extern void dynamo_work_yields(bool now);
extern bool dynamo_work_must_yield(void);
extern bool dynamo_work_is_left(void);
extern void dynamo_end_process(SIGNAL_ARGS);

/* process_worker.c: the workers, as they know of one another */
extern DynamoShared dynamo_shared_workers;
extern void dynamo_worker_join(bool serves);
extern bool dynamo_worker_do(DynamoService service, int limit);
extern int	dynamo_workers_doing(DynamoService service);
extern void dynamo_worker_rest(void);
extern bool dynamo_worker_claim(Oid role, int limit);
extern void dynamo_worker_release(void);
extern void dynamo_worker_open(void);
extern bool dynamo_worker_close(void);
extern void dynamo_worker_report(DynamoStage stage, const DynamoWork *work);
extern void dynamo_workers_attend(void);
extern void dynamo_workers_tend(void);
extern void dynamo_workers_end_one(int too_long);
extern void dynamo_workers_rotate(int tenure);
extern bool dynamo_worker_is_told_to_leave(void);
extern int	dynamo_worker_rank(void);
extern bool dynamo_worker_is_dispensable(void);
extern bool dynamo_workers_wake(Oid database);
extern bool dynamo_workers_attend_to(Oid database);
extern bool dynamo_worker_has_joined(pid_t pid);
extern bool dynamo_worker_is_lost(pid_t pid);
extern bool dynamo_worker_is_lost_to(const DynamoKey *key);

/* What others may know of a worker. */
typedef struct DynamoWorkerState
{
	int			pid;
	Oid			database;
	bool		serves;			/* HTTP */
	DynamoService service;		/* of what it does, or did last */
	TimestampTz joined;
	TimestampTz since;			/* it does that; 0: it is idle */
	DynamoStage stage;
	bool		open;			/* takes new clients */
	int			parked;			/* requests that wait */
	uint64		requests;		/* executed since it began */
} DynamoWorkerState;

extern void dynamo_worker_tell(int parked, uint64 requests);
extern void dynamo_workers_each(void (*each) (const DynamoWorkerState *worker,
											  void *arg), void *arg);
extern int	(*dynamo_worker_refuse) (const DynamoWork *work, bool lost);

/*
 * process_want.c: what there is to do in a database, and for how long nobody has
 * done it.  Times are dynamo_clock()'s, but for the oldest piece's, which is from
 * somebody's items.
 */
typedef struct DynamoWants
{
	Oid			database;
	uint32		wanted;			/* asked for, and not looked at yet */
	int64		since[DYNAMO_SERVICES]; /* that */
	uint32		kept;			/* what a process stays for */
	int64		kept_since[DYNAMO_SERVICES];
	int64		up_to[DYNAMO_SERVICES]; /* done, of what is kept; 0: none */
	int			waiting[DYNAMO_SERVICES];	/* pieces that nobody is at */
	int			useful[DYNAMO_SERVICES];	/* processes that find some */
	TimestampTz oldest[DYNAMO_SERVICES];	/* piece that is known to be left;
											 * 0: none */
} DynamoWants;

extern DynamoShared dynamo_shared_wants;
extern void dynamo_want(DynamoService service);
extern void dynamo_want_in(Oid database, uint32 services);
extern uint32 dynamo_wants_take(void);
extern void dynamo_keep(DynamoService service, bool kept);
extern uint32 dynamo_kept(void);
extern void dynamo_note_done(DynamoService service, int64 up_to,
							 int waiting, int useful);
extern void dynamo_note_oldest(DynamoService service, TimestampTz oldest);
extern int64 dynamo_done_up_to(DynamoService service);
extern void dynamo_wants_nothing(Oid database);
extern List *dynamo_wants_list(void);	/* of DynamoWants * */
extern int64 dynamo_want_lag(const DynamoWants *wants, DynamoService service);

/* process_refusal.c: what is left alone for a while */
extern DynamoShared dynamo_shared_refusals;
extern int	dynamo_refuse(const DynamoWork *work, bool lost);
extern bool dynamo_is_refused(const DynamoKey *key);

#endif							/* DYNAMO_PROCESS_WATCH_H */
