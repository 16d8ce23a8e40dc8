/*-------------------------------------------------------------------------
 *
 * stats.h
 *	  Counters of requests in shared memory.
 *
 * There are entries for tables, and cells in which the requests of one
 * operation on one table are counted.  Counters are atomic and only grow, so
 * they are written and read without a lock.  Without shared memory, where
 * dynamo is not preloaded, nothing is counted: stats_available() is false and
 * all else does nothing.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_STATS_H
#define DYNAMO_STATS_H

#include "postgres.h"

#include "base/base.h"
#include "port/atomics.h"
#include "portability/instr_time.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* Operations have numbers below this; the names are given by a layer above. */
#define STATS_MAX_OPERATIONS	96

/* Indexes of a table that are counted. */
#define STATS_MAX_INDEXES		25

/*
 * A latency histogram is log-linear: four buckets for each doubling, from
 * 2^STATS_FIRST nanoseconds on.  The first holds all that is shorter, the last
 * all that is longer.
 */
#define STATS_FIRST				12	/* 4 microseconds */
#define STATS_DOUBLINGS			24	/* up to 69 seconds */
#define STATS_STEPS				4
#define STATS_BUCKETS			(STATS_DOUBLINGS * STATS_STEPS + 2)

/* What became of a request. */
typedef enum StatsOutcome
{
	STATS_SUCCESS,
	STATS_USER_ERROR,
	STATS_CONDITION_FAILED,
	STATS_CONFLICT,
	STATS_THROTTLED,
	STATS_SYSTEM_ERROR
} StatsOutcome;

#define STATS_OUTCOMES (STATS_SYSTEM_ERROR + 1)

/* What is counted beside. Units are halves: an eventual read is one. */
typedef enum StatsCounter
{
	STATS_RETURNED,				/* items */
	STATS_READ,					/* half read units */
	STATS_WRITTEN,				/* half write units */
	STATS_TIME					/* nanoseconds, of successful requests */
} StatsCounter;

#define STATS_COUNTERS (STATS_TIME + 1)

/* Requests of one operation on one table. */
typedef struct StatsCell
{
	pg_atomic_uint64 outcomes[STATS_OUTCOMES];
	pg_atomic_uint64 counters[STATS_COUNTERS];
	pg_atomic_uint64 buckets[STATS_BUCKETS];	/* of successful requests */
} StatsCell;

/* What Query and Scan have read by an index, and writes have written to it. */
typedef struct StatsIndex
{
	pg_atomic_uint32 relid;		/* InvalidOid: free */
	pg_atomic_uint64 reads;		/* requests */
	pg_atomic_uint64 counters[STATS_TIME];
} StatsIndex;

/*
 * A table, known by its TableId: a new one when a table is made anew, the same
 * when it is renamed.  All zero: what concerns no table, in a database.
 */
typedef struct StatsTable
{
	bool		used;
	Oid			database;
	pg_uuid_t	id;
	uint32		generation;		/* another one each time the entry is taken;
								 * 0: it is being freed */
	TimestampTz since;			/* counting began */
	pg_atomic_uint32 cells[STATS_MAX_OPERATIONS];	/* number; 0: none yet */
	pg_atomic_uint64 ttl_deletions;
	pg_atomic_uint64 stream_records;
	StatsIndex	indexes[STATS_MAX_INDEXES];
} StatsTable;

/*
 * Where a definition remembers its table's entry, so that it is at hand in
 * nanoseconds: see stats_table().
 */
typedef struct StatsRef
{
	pg_uuid_t	id;
	StatsTable *table;			/* NULL: not looked up, or there is no room */
	uint32		generation;
	TimestampTz retry_at;		/* no room: not before */

	/* whose keys are counted: a bit for each index, the last for the table */
	bool		keys_known;		/* the following are set */
	uint32		accessed_keys;
	uint32		throttled_keys;
} StatsRef;

/* Copies of counters, for those who show them. */
typedef struct StatsCellCopy
{
	uint64		outcomes[STATS_OUTCOMES];
	uint64		counters[STATS_COUNTERS];
	uint64		buckets[STATS_BUCKETS];
} StatsCellCopy;

/* stats_start.c */
extern void stats_init(void);

/* stats_memory.c */
extern int	stats_max_tables;	/* setting */
extern bool stats_available(void);
extern void stats_name_operations(const char *const *names, int n);
extern const char *stats_operation_name(int operation);
extern StatsTable *stats_look_for(StatsRef *ref);
extern StatsTable *stats_no_table(void);
extern StatsCell *stats_cell(StatsTable *table, int operation);
extern StatsIndex *stats_index(StatsTable *table, Oid relid);
extern bool stats_copy(StatsTable *table, int operation, StatsCellCopy *copy);
extern bool stats_copy_index(const StatsTable *table, Oid relid,
							 uint64 *reads, uint64 *counters);
extern void stats_add(StatsCellCopy *sum, const StatsCellCopy *copy);
extern void stats_sweep(bool (*is_there) (const pg_uuid_t *id, void *arg),
						bool (*has_index) (const pg_uuid_t *id, Oid relid,
										   void *arg),
						void *arg);
extern void stats_each(void (*each) (StatsTable *table, void *arg), void *arg);
extern uint64 stats_untracked(void);
extern void stats_sweep_databases(bool (*is_there) (Oid database));
extern void stats_reset(void);

/*
 * The entry of a table; NULL: nothing is counted, or there is no room.
 */
static inline StatsTable *
stats_table(StatsRef *ref)
{
	if (likely(ref->table != NULL &&
			   ref->table->generation == ref->generation))
		return ref->table;
	return stats_look_for(ref);
}

/* stats_histogram.c */
extern int	stats_bucket(uint64 nanoseconds);
extern double stats_bucket_end(int bucket);
extern uint64 stats_requests(const StatsCellCopy *copy);
extern double stats_quantile(const StatsCellCopy *copy, double q);

/*
 * stats_request.c
 *
 * A request lies in the memory of the function that has begun it.  It is counted when it ends; one that never does did not happen.
 * Where a function takes a request, NULL is none.
 */
typedef struct StatsShare
{
	StatsTable *table;
	Oid			index;			/* InvalidOid: the table's own */
	bool		reads;			/* a read by the index */
	uint32		counters[STATS_TIME];
} StatsShare;

#define STATS_SHARES	6

typedef struct StatsRequest
{
	int			operation;
	instr_time	began;
	bool		opened;			/* has it opened a table? */
	StatsTable *table;			/* the first */
	int			nshares;
	StatsShare	shares[STATS_SHARES];
	uint64		totals[STATS_TIME];

	/* for the log; empty: not known */
	char		role_name[NAMEDATALEN];
	char		table_name[DYNAMO_MAX_NAME + 1];	/* of the first */
} StatsRequest;

/*
 * Is there a request, and is it counted?
 */
static inline bool
stats_counting(const StatsRequest *request)
{
	return request != NULL && !INSTR_TIME_IS_ZERO(request->began);
}

extern bool stats_track;		/* settings */
extern int	stats_log_min_duration;
extern void stats_begin(StatsRequest *request, int operation);
extern void stats_note_role(StatsRequest *request);
extern void stats_opened(StatsRequest *request, StatsRef *ref,
						 const char *name);
extern void stats_makes(StatsRequest *request, const char *name);
extern void stats_count(StatsRequest *request, StatsTable *table, Oid index,
						uint32 returned, uint32 read, uint32 written);
extern void stats_end(StatsRequest *request, StatsOutcome outcome,
					  const char *(*id) (void *arg), void *arg);
extern void stats_add_on(StatsRequest *request);

/* stats_commit.c */
extern void stats_commit_init(void);
extern void stats_ttl_deleted(StatsRef *ref, uint64 n);
extern void stats_stream_recorded(StatsRef *ref);

/*
 * stats_keys.c: hot keys
 */
#define STATS_SKETCH_KEYS	50	/* counters of a sketch */
#define STATS_KEY_BYTES		64	/* kept of each part of a key */

typedef enum StatsKeyEvent
{
	STATS_KEY_ACCESSED,
	STATS_KEY_THROTTLED
} StatsKeyEvent;

#define STATS_KEY_EVENTS	(STATS_KEY_THROTTLED + 1)
#define STATS_KEY_LEVELS	2	/* partition keys; whole keys */

/* A partition key or a sort key; data NULL: there is none. */
typedef struct StatsKeyPart
{
	int			type;
	uint32		len;
	const char *data;
} StatsKeyPart;

typedef struct StatsKey
{
	StatsKeyPart parts[2];
} StatsKey;

typedef struct StatsKeyCount
{
	uint64		count;
	uint64		error;			/* "count" is too much by this at most */
	int			types[2];
	uint32		lens[2];		/* of the whole part; 0: there is none */
	char		data[2][STATS_KEY_BYTES];
} StatsKeyCount;

extern int	stats_max_key_sets; /* setting */
extern void stats_count_key(const pg_uuid_t *id, Oid index,
							StatsKeyEvent event, const StatsKey *key);
extern void stats_forget_keys(const pg_uuid_t *id, Oid index);
extern void stats_sweep_keys(bool (*is_wanted) (const pg_uuid_t *id, Oid index,
												void *arg),
							 void *arg, bool (*database_is_there) (Oid database));
extern int	stats_copy_keys(const pg_uuid_t *id, Oid index,
							StatsKeyEvent event, int level,
							StatsKeyCount *counts);

/* stats_file.c: the caller holds the memory, or nobody else uses it */
extern void stats_file_read(void);
extern void stats_file_write(void);

#endif							/* DYNAMO_STATS_H */
