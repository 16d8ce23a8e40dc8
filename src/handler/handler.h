/*-------------------------------------------------------------------------
 *
 * handler.h
 *	  Event source mappings: functions that are called with the changes to a
 *	  table, in batches, as AWS Lambda calls its functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_HANDLER_H
#define DYNAMO_HANDLER_H

#include "postgres.h"

#include "codec/codec.h"
#include "nodes/pg_list.h"
#include "process/process_turn.h"
#include "schema/schema.h"
#include "stream/stream.h"

/* Limits of AWS Lambda, and the values that it takes by default. */
#define HANDLER_MAX_BATCH		10000
#define HANDLER_BATCH			100
#define HANDLER_MAX_WINDOW		300 /* seconds */
#define HANDLER_MAX_RETRIES		10000
#define HANDLER_MAX_AGE			604800	/* seconds */
#define HANDLER_MIN_AGE			60
#define HANDLER_MAX_FACTOR		10
#define HANDLER_MAX_FILTERS		10
#define HANDLER_MAX_PATTERN		4096	/* characters */
#define HANDLER_MAX_CRITERIA	(HANDLER_MAX_FILTERS * 2 * HANDLER_MAX_PATTERN)
#define HANDLER_MAX_PAYLOAD		(6 * 1024 * 1024)	/* bytes */

/* How a mapping is to be handled. */
typedef struct HandlerSettings
{
	int			batch_size;		/* records */
	int			window;			/* seconds to wait for a whole batch */
	int			max_retries;	/* -1: no limit */
	int			max_age;		/* seconds; -1: no limit */
	int			factor;			/* lanes of a shard */
	bool		bisect;
	const char *filter;			/* FilterCriteria; NULL: none */
} HandlerSettings;

/* Where a new mapping begins. */
typedef enum HandlerStart
{
	HANDLER_LATEST,
	HANDLER_TRIM_HORIZON,
	HANDLER_AT_TIMESTAMP
} HandlerStart;

/*
 * handler_mapping.c: what SQL asks for, as the current user.  Raises 22023 for
 * values out of range, 42501 without the rights, and what stream_check_read()
 * raises.
 */
extern int32 handler_create(const char *table, Oid function,
							const HandlerSettings *settings, Oid on_failure,
							HandlerStart start, TimestampTz at, bool enabled);
extern const StreamMapping *handler_find(int32 id, bool of_table);
extern const StreamMapping *handler_lock(int32 id); /* to change it */
extern bool handler_may_know(const StreamMapping *mapping);

/* InvalidOid: the function stays; on_failure is replaced if so said */
extern void handler_update(const StreamMapping *mapping, Oid function,
						   const HandlerSettings *settings,
						   bool replace_on_failure, Oid on_failure,
						   bool enabled);
extern void handler_delete(int32 id);

/* handler_settings.c: raises 22023 for what somebody has edited */
extern void handler_read_settings(const StreamMapping *mapping,
								  HandlerSettings *settings);

/*
 * handler_pattern.c: the patterns of a FilterCriteria in JSON (NULL: none), of
 * json_t *; NIL lets everything pass.  Raises 22023 for what is none.
 */
extern List *handler_load_filters(const char *criteria);
extern bool handler_matches(List *patterns, const json_t *record);

/* handler_run.c */
extern int64 handler_run(int32 id); /* records handled */

/* handler_lag.c: milliseconds since the oldest change to come; -1: none */
extern int64 handler_lag(int32 id);
extern int64 handler_largest_lag(void); /* of those that are enabled */

/*
 * handler_turn.c
 *
 * One batch of one lane, in the current transaction.  What becomes of it is
 * part of that transaction.  If the transaction fails nevertheless, a new one
 * is to call handler_note_failure() with the same turn.
 */
typedef enum HandlerOutcome
{
	HANDLER_IDLE,				/* there is nothing to do now */
	HANDLER_BUSY,				/* somebody else is at it */
	HANDLER_DONE,				/* records were handled, or given up */
	HANDLER_FAILED				/* the failure is noted */
} HandlerOutcome;

typedef struct HandlerTurn
{
	int32		mapping;
	int			lane;
	bool		by_hand;		/* by a session, whose cancels are its own */
	int64		limit;			/* no records after that number; 0: any */

	/* out */
	int64		count;			/* records handled, or given up */
	bool		given_up;
	bool		cancelled;		/* the function took too long */
	bool		called;			/* the function was, with what follows */
	int64		from;			/* the position before */
	int64		to;				/* the last number of the batch */
	int64		half;			/* the last of its first half */
	int			size;			/* its records */
} HandlerTurn;

extern HandlerOutcome handler_take_turn(HandlerTurn *turn);
extern void handler_note_failure(HandlerTurn *turn, const char *message);

/*
 * handler_list.c: what workers have to do in their database.  A transaction
 * each.
 */
typedef struct HandlerLane
{
	int32		mapping;
	int			lane;
} HandlerLane;

typedef struct HandlerLanes
{
	int			mappings;		/* that are enabled */
	List	   *due;			/* of HandlerLane * */
} HandlerLanes;

extern void handler_list(HandlerLanes *lanes);
extern void handler_advance(void);	/* from streams that have ended */
extern void handler_drop_orphans(void);

/* Given by the layers above. */
extern DynamoWorkers handler_callbacks;

#endif							/* DYNAMO_HANDLER_H */
