/*-------------------------------------------------------------------------
 *
 * stats_keys.c
 *	  The most accessed and the most throttled keys of a table or an index.
 *
 * Counting every key would take memory for every key.  A space-saving sketch
 * (Metwally, Agrawal, El Abbadi, 2005) has a few counters: a key that has none
 * takes over the one that counts least, and goes on from there.  So a key that
 * is asked for often is in it, and counts too much by "error" at most.
 *
 * There are a few sets of sketches, in shared memory.  A table takes one when
 * its keys are first counted.  A set has a lock of its own, held for the time
 * it takes to look through its counters.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_pause.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "stats/stats_internal.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

typedef struct Sketch
{
	uint64		hashes[STATS_SKETCH_KEYS];	/* 0: free */
	StatsKeyCount counts[STATS_SKETCH_KEYS];
} Sketch;

typedef struct KeySet
{
	LWLock		lock;			/* on all but "used" */
	bool		used;
	Oid			database;
	pg_uuid_t	id;				/* of the table */
	Oid			index;			/* InvalidOid: the table */
	Sketch		sketches[STATS_KEY_EVENTS][STATS_KEY_LEVELS];
} KeySet;

typedef struct KeySets
{
	LWLock		lock;			/* to take a set */
	KeySet		sets[FLEXIBLE_ARRAY_MEMBER];
} KeySets;

int			stats_max_key_sets;

static KeySets *keys = NULL;	/* NULL: no keys are counted */

static Size measure_keys(void);
static void attach_keys(void *memory, int tranche, bool made);

static bool serves(const KeySet *set, const pg_uuid_t *id, Oid index);
static KeySet *find_set(const pg_uuid_t *id, Oid index);
static KeySet *take_set(const pg_uuid_t *id, Oid index);
static KeySet *unused_set(void);
static void clear_set(KeySet *set);
static void count_key(Sketch *sketch, uint64 hash, const StatsKey *key,
					  int level);
static int	least(const Sketch *sketch);
static void keep_part(StatsKeyCount *count, int n, const StatsKeyPart *part);

DynamoShared stats_shared_keys = {
	.name = "dynamo keys", .measure = measure_keys, .attach = attach_keys
};

static Size
measure_keys(void)
{
	if (stats_max_key_sets == 0)
		return 0;
	return add_size(offsetof(KeySets, sets),
					mul_size(stats_max_key_sets, sizeof(KeySet)));
}

static void
attach_keys(void *memory, int tranche, bool made)
{
	keys = memory;
	if (!made)
		return;
	LWLockInitialize(&keys->lock, tranche);
	for (int i = 0; i < stats_max_key_sets; i++)
		LWLockInitialize(&keys->sets[i].lock, tranche);
}

/*
 * A key of the table, or of its index, was accessed or throttled.
 */
void
stats_count_key(const pg_uuid_t *id, Oid index, StatsKeyEvent event,
				const StatsKey *key)
{
	uint64		hash;
	KeySet	   *set;

	if (keys == NULL)
		return;
	set = find_set(id, index);
	if (set == NULL)
		set = take_set(id, index);
	if (set == NULL)
		return;
	hash = hash_bytes_extended((const unsigned char *) key->parts[0].data,
							   key->parts[0].len, key->parts[0].type) | 1;
	LWLockAcquire(&set->lock, LW_EXCLUSIVE);
	if (serves(set, id, index))
	{
		count_key(&set->sketches[event][0], hash, key, 1);
		if (key->parts[1].data != NULL)
			count_key(&set->sketches[event][1],
					  hash_bytes_extended((const unsigned char *) key->parts[1].data,
										  key->parts[1].len, hash) | 1,
					  key, 2);
	}
	LWLockRelease(&set->lock);
}

/*
 * "level" parts of the key count.  The caller has the lock.
 */
static void
count_key(Sketch *sketch, uint64 hash, const StatsKey *key, int level)
{
	int			n;
	StatsKeyCount *count;

	for (n = 0; n < STATS_SKETCH_KEYS; n++)
	{
		if (sketch->hashes[n] == hash)
		{
			sketch->counts[n].count++;
			return;
		}
	}
	n = least(sketch);
	count = &sketch->counts[n];
	count->error = count->count;
	count->count++;
	sketch->hashes[n] = hash;
	for (int i = 0; i < 2; i++)
	{
		static const StatsKeyPart none = {0};

		keep_part(count, i, i < level ? &key->parts[i] : &none);
	}
}

/*
 * The counter that counts least.
 */
static int
least(const Sketch *sketch)
{
	int			found = 0;

	for (int n = 1; n < STATS_SKETCH_KEYS; n++)
	{
		if (sketch->counts[n].count < sketch->counts[found].count)
			found = n;
	}
	return found;
}

/*
 * The beginning of a part, as much as there is room for.
 */
static void
keep_part(StatsKeyCount *count, int n, const StatsKeyPart *part)
{
	count->types[n] = part->type;
	count->lens[n] = part->len;
	if (part->data != NULL)
		memcpy(count->data[n], part->data, Min(part->len, STATS_KEY_BYTES));
}

/*
 * Is it the set of that table or index?  It may have become another's until
 * its lock is held: keys are secret to roles that may not see them.
 */
static bool
serves(const KeySet *set, const pg_uuid_t *id, Oid index)
{
	return set->used && set->index == index &&
		memcmp(&set->id, id, sizeof(*id)) == 0 &&
		set->database == MyDatabaseId;
}

static KeySet *
find_set(const pg_uuid_t *id, Oid index)
{
	for (int i = 0; i < stats_max_key_sets; i++)
	{
		KeySet	   *set = &keys->sets[i];

		if (serves(set, id, index))
			return set;
	}
	return NULL;
}

/*
 * NULL: all are taken.
 */
static KeySet *
take_set(const pg_uuid_t *id, Oid index)
{
	KeySet	   *set;

	/* Each access of a table that has found none would wait for the lock. */
	if (unused_set() == NULL)
		return NULL;
	LWLockAcquire(&keys->lock, LW_EXCLUSIVE);
	set = find_set(id, index);
	if (set == NULL && (set = unused_set()) != NULL)
	{
		LWLockAcquire(&set->lock, LW_EXCLUSIVE);
		clear_set(set);
		set->database = MyDatabaseId;
		set->id = *id;
		set->index = index;
		set->used = true;
		LWLockRelease(&set->lock);
	}
	LWLockRelease(&keys->lock);
	return set;
}

static KeySet *
unused_set(void)
{
	for (int i = 0; i < stats_max_key_sets; i++)
	{
		if (!keys->sets[i].used)
			return &keys->sets[i];
	}
	return NULL;
}

static void
clear_set(KeySet *set)
{
	memset(set->sketches, 0, sizeof(set->sketches));
	set->used = false;
}

/*
 * Forget the keys of the table, or of its index.
 */
void
stats_forget_keys(const pg_uuid_t *id, Oid index)
{
	KeySet	   *set = keys == NULL ? NULL : find_set(id, index);

	if (set == NULL)
		return;
	LWLockAcquire(&set->lock, LW_EXCLUSIVE);
	if (serves(set, id, index))
		clear_set(set);
	LWLockRelease(&set->lock);
}

/*
 * Free the sets of this database whose keys nobody wants to be counted, and of
 * databases that are gone.  A table or index may be gone; or somebody who did not
 * know yet that it is off has counted once more after stats_forget_keys().
 */
void
stats_sweep_keys(bool (*is_wanted) (const pg_uuid_t *id, Oid index, void *arg),
				 void *arg, bool (*database_is_there) (Oid database))
{
	for (int i = 0; keys != NULL && i < stats_max_key_sets; i++)
	{
		KeySet	   *set = &keys->sets[i];
		pg_uuid_t	id = set->id;
		Oid			index = set->index;

		if (!set->used ||
			(set->database == MyDatabaseId ? is_wanted(&id, index, arg) :
			 database_is_there(set->database)))
			continue;
		LWLockAcquire(&set->lock, LW_EXCLUSIVE);
		if (set->index == index && memcmp(&set->id, &id, sizeof(id)) == 0)
			clear_set(set);
		LWLockRelease(&set->lock);
	}
}

/*
 * Copy the counters of a table or index, STATS_SKETCH_KEYS at most, those that
 * count most first.  Returns how many there are.
 */
int
stats_copy_keys(const pg_uuid_t *id, Oid index, StatsKeyEvent event, int level,
				StatsKeyCount *counts)
{
	KeySet	   *set = keys == NULL ? NULL : find_set(id, index);
	int			n = 0;

	if (set == NULL)
		return 0;
	dynamo_pause("keys");
	LWLockAcquire(&set->lock, LW_SHARED);
	for (int i = 0; i < STATS_SKETCH_KEYS && serves(set, id, index); i++)
	{
		const StatsKeyCount *count = &set->sketches[event][level].counts[i];
		int			at = n;

		if (count->count == 0)
			continue;
		for (; at > 0 && counts[at - 1].count < count->count; at--)
			counts[at] = counts[at - 1];
		counts[at] = *count;
		n++;
	}
	LWLockRelease(&set->lock);
	return n;
}
