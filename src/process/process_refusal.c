/*-------------------------------------------------------------------------
 *
 * process_refusal.c
 *	  Work that is refused for a while, because it cost too much.
 *
 * Work that could not be cancelled has held a worker, and a process is gone
 * with all its connections.  The client, or the next round, would try again at
 * once.  So what this role does on this table is refused for as long as the
 * work took, and for twice as long each time it happens again, up to
 * MAX_LENGTH, unless there was no trouble for MEMORY.  Other roles may go on
 * with the table.  Otherwise one role could shut out others: what a policy or
 * a trigger does may depend on the role.  A role with MANY_TABLES refused
 * tables is refused altogether, and so is one whose table is not known.
 *
 * Work that a process is lost to is refused until that process ends, and then
 * for a while.
 *
 * There is room for a few refusals.  If there are more, those that would end
 * first give way.
 *
 * A holder of the lock may ask for that of the workers' states, and not the
 * other way.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "port/atomics.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/lwlock.h"

#define MAX_REFUSALS	64
#define MANY_TABLES		3

/* In milliseconds. */
#define MIN_LENGTH		1000
#define MAX_LENGTH		3600000

/*
 * How long a refusal is remembered that has ended.  Otherwise two tables in
 * turn could hold workers half of the time, neither of them twice in a row.
 */
#define MEMORY			3600000

#define NO_END			(PG_INT64_MAX - MEMORY)

typedef struct Refusal
{
	DynamoKey	key;
	int			length;			/* milliseconds; 0: never used */
	int64		since;			/* both by dynamo_clock() */
	int64		until;
	bool		lost;			/* until no process is lost to it */
} Refusal;

typedef struct Refusals
{
	pg_atomic_uint64 until;		/* then none is left */
	LWLock		lock;
	Refusal		all[MAX_REFUSALS];
} Refusals;

static Refusals *refusals;

static void attach_refusals(void *memory, int tranche, bool made);
static Refusal *place_for(const DynamoKey *key);
static int	next_length(const Refusal *refusal, const DynamoWork *work);
static void set_until(Refusal *refusal, int64 until);
static bool covers(const DynamoKey *key);
static bool holds(Refusal *refusal, int64 now);

DynamoShared dynamo_shared_refusals = {
	.name = "dynamo refusals", .size = sizeof(Refusals), .attach = attach_refusals
};

static void
attach_refusals(void *memory, int tranche, bool made)
{
	refusals = memory;
	if (!made)
		return;
	pg_atomic_init_u64(&refusals->until, 0);
	LWLockInitialize(&refusals->lock, tranche);
}

/*
 * Leave the like of this work alone from now on; where a process is lost to
 * it, until that has ended.  Returns for how many seconds.
 */
int
dynamo_refuse(const DynamoWork *work, bool lost)
{
	int64		now = dynamo_clock();
	Refusal    *refusal;
	int			length;

	if (!OidIsValid(work->key.role))
		return 0;				/* nobody to refuse it to */
	dynamo_attach_shared(&dynamo_shared_refusals);
	LWLockAcquire(&refusals->lock, LW_EXCLUSIVE);
	refusal = place_for(&work->key);
	length = next_length(refusal, work);
	if (length != refusal->length)
		refusal->since = now;
	refusal->length = length;
	refusal->lost |= lost;
	set_until(refusal, refusal->lost ? NO_END : now + length);
	LWLockRelease(&refusals->lock);
	return (length + 999) / 1000;
}

/*
 * Where a refusal of this stands, or may stand: one that was never used, or
 * is the first to end.
 */
static Refusal *
place_for(const DynamoKey *key)
{
	Refusal    *place = &refusals->all[0];

	for (int i = 0; i < MAX_REFUSALS; i++)
	{
		Refusal    *refusal = &refusals->all[i];

		if (refusal->length > 0 &&
			memcmp(&refusal->key, key, sizeof(*key)) == 0)
			return refusal;
		if (refusal->until < place->until)
			place = refusal;
	}
	memset(place, 0, sizeof(*place));
	place->key = *key;
	return place;
}

/*
 * How long it is refused this time.  Several workers may have been at it at
 * once; then it happened once.
 */
static int
next_length(const Refusal *refusal, const DynamoWork *work)
{
	int			first = Min(Max(work->took, MIN_LENGTH), MAX_LENGTH);

	if (refusal->length == 0)
		return first;
	if (refusal->lost || work->began < refusal->since)
		return refusal->length;
	if (work->began < refusal->until + MEMORY)
		return Min(2 * refusal->length, MAX_LENGTH);
	return first;
}

static void
set_until(Refusal *refusal, int64 until)
{
	int64		last = until;

	refusal->until = until;
	for (int i = 0; i < MAX_REFUSALS; i++)
		last = Max(last, refusals->all[i].until);
	pg_atomic_write_u64(&refusals->until, (uint64) last);
}

/*
 * Is this to be left alone?  Costs next to nothing if nothing ever was.
 */
bool
dynamo_is_refused(const DynamoKey *key)
{
	int64		until;
	bool		refused;

	dynamo_attach_shared(&dynamo_shared_refusals);
	until = (int64) pg_atomic_read_u64(&refusals->until);
	if (until == 0 || dynamo_clock() >= until)
		return false;
	LWLockAcquire(&refusals->lock, LW_EXCLUSIVE);
	refused = covers(key);
	LWLockRelease(&refusals->lock);
	return refused;
}

static bool
covers(const DynamoKey *key)
{
	int64		now = dynamo_clock();
	int			tables = 0;

	for (int i = 0; i < MAX_REFUSALS; i++)
	{
		Refusal    *refusal = &refusals->all[i];
		DynamoKey	wanted = *key;

		wanted.relation = refusal->key.relation;
		if (refusal->length == 0 ||
			memcmp(&refusal->key, &wanted, sizeof(wanted)) != 0 ||
			!holds(refusal, now))
			continue;
		tables++;
		if (refusal->key.relation == key->relation ||
			!OidIsValid(refusal->key.relation))
			return true;
	}
	return tables >= MANY_TABLES;
}

static bool
holds(Refusal *refusal, int64 now)
{
	if (refusal->lost && !dynamo_worker_is_lost_to(&refusal->key))
	{
		refusal->lost = false;
		set_until(refusal, now + refusal->length);
	}
	return now < refusal->until;
}
