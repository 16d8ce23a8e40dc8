/*-------------------------------------------------------------------------
 *
 * stats_memory.c
 *	  The shared memory of the statistics: entries of tables, and their cells.
 *
 * An entry or a cell is taken under the lock and stays where it is until the
 * table is gone; counting in it takes no lock.  A process remembers where the
 * entry of a table is beside the table's definition (StatsRef).  An entry that
 * was freed and taken again has another generation, by which what somebody
 * remembers is known to be old.  What is counted at the very moment in which
 * an entry is freed may go to another table, once: the table that it is for
 * has just been dropped.
 *
 * Where there is no room for a table, or no cell for an operation on it, its
 * requests are counted with those that concern no table, and once more as
 * untracked, when they end (stats_request.c).  What has been counted for a
 * table that is gone joins them, too.  Otherwise the sums of a database would
 * shrink.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "stats/stats_internal.h"
#include "storage/shmem.h"

/* How long nobody looks for room again where there was none; milliseconds. */
#define RETRY_DELAY		10000

int			stats_max_tables;
StatsMemory *stats_memory = NULL;

static const char *operation_names[STATS_MAX_OPERATIONS];
static int	noperations = 0;

static const pg_uuid_t no_id = {{0}};

static int	table_count(void);
static int	cell_count(void);
static StatsTable *look_up(Oid database, const pg_uuid_t *id);
static StatsCell *take_cell(StatsTable *table, int operation);
static bool concerns_none(const StatsTable *table);
static int	kept_cells(const StatsTable *table);
static void free_cell(uint32 number);
static StatsIndex *take_index(StatsTable *table, Oid relid);
static void free_table(StatsTable *table);
static void forget_table(StatsTable *table);
static void move_counters(StatsCell *from, StatsCell *to);
static void move(pg_atomic_uint64 *from, pg_atomic_uint64 *to);
static void clear_table(StatsTable *table);
static void clear_index(StatsIndex *index);
static void free_indexes(StatsTable *table, uint32 generation,
						 bool (*has_index) (const pg_uuid_t *id, Oid relid,
											void *arg),
						 void *arg);

static int
table_count(void)
{
	return stats_max_tables + MORE_TABLES;
}

static int
cell_count(void)
{
	return stats_max_tables * CELLS_PER_TABLE + MORE_CELLS;
}

Size
stats_memory_size(void)
{
	Size		size = CACHELINEALIGN(sizeof(StatsMemory));

	size = add_size(size, CACHELINEALIGN(mul_size(table_count(),
												  sizeof(StatsTable))));
	size = add_size(size, CACHELINEALIGN(mul_size(cell_count(),
												  sizeof(StatsCell))));
	return add_size(size, cell_count() * sizeof(bool));
}

/*
 * Make it where stats_memory is, which is all zero.
 */
void
stats_memory_make(int tranche)
{
	StatsMemory *made = stats_memory;
	char	   *next = (char *) made;

	LWLockInitialize(&made->lock, tranche);
	made->ntables = table_count();
	made->ncells = cell_count();
	made->free_cells = made->ncells;
	pg_atomic_init_u64(&made->untracked, 0);
	next += CACHELINEALIGN(sizeof(StatsMemory));
	made->tables = (StatsTable *) next;
	next += CACHELINEALIGN(made->ntables * sizeof(StatsTable));
	made->cells = (StatsCell *) next;
	next += CACHELINEALIGN(made->ncells * sizeof(StatsCell));
	made->cell_used = (bool *) next;
	Assert((char *) &made->cell_used[made->ncells] ==
		   (char *) made + stats_memory_size());
}

bool
stats_available(void)
{
	return stats_memory != NULL;
}

/*
 * The names that the numbers of operations stand for: what a file says is only
 * understood by a server that has the same.  They must live as long as the
 * process.
 */
void
stats_name_operations(const char *const *names, int n)
{
	Assert(n <= STATS_MAX_OPERATIONS);
	noperations = n;
	for (int i = 0; i < n; i++)
		operation_names[i] = names[i];
}

const char *
stats_operation_name(int operation)
{
	return operation < noperations ? operation_names[operation] : "";
}

uint32
stats_operations_hash(void)
{
	uint32		hash = 0;

	for (int i = 0; i < noperations; i++)
		hash = hash_combine(hash,
							hash_bytes((const unsigned char *) operation_names[i],
									   strlen(operation_names[i])));
	return hash;
}

/*
 * What stats_table() gives, for one that is not remembered.
 */
StatsTable *
stats_look_for(StatsRef *ref)
{
	TimestampTz now;

	if (stats_memory == NULL)
		return NULL;

	now = GetCurrentTimestamp();
	if (ref->table == NULL && ref->retry_at > now &&
		ref->retry_at <= TimestampTzPlusMilliseconds(now, RETRY_DELAY))
		return NULL;
	LWLockAcquire(&stats_memory->lock, LW_EXCLUSIVE);
	ref->table = stats_take_table(MyDatabaseId, &ref->id);
	if (ref->table != NULL)
		ref->generation = ref->table->generation;
	LWLockRelease(&stats_memory->lock);
	if (ref->table == NULL)
		ref->retry_at = TimestampTzPlusMilliseconds(now, RETRY_DELAY);
	return ref->table;
}

/*
 * The entry of what concerns no table of this database.
 */
StatsTable *
stats_no_table(void)
{
	static StatsRef ref;

	return stats_table(&ref);
}

static StatsTable *
look_up(Oid database, const pg_uuid_t *id)
{
	for (int i = 0; i < stats_memory->ntables; i++)
	{
		StatsTable *table = &stats_memory->tables[i];

		if (table->used && table->database == database &&
			memcmp(&table->id, id, sizeof(*id)) == 0)
			return table;
	}
	return NULL;
}

/*
 * Find the entry or take one.  The caller has the lock; NULL: there is no
 * room.  Some entries are kept for what concerns no table.
 */
StatsTable *
stats_take_table(Oid database, const pg_uuid_t *id)
{
	StatsTable *table = look_up(database, id);
	bool		no_table = memcmp(id, &no_id, sizeof(*id)) == 0;
	int			first = no_table ? 0 : MORE_TABLES;

	if (table != NULL)
		return table;
	for (int i = first; i < stats_memory->ntables; i++)
	{
		table = &stats_memory->tables[i];
		if (table->used)
			continue;
		clear_table(table);
		table->database = database;
		table->id = *id;
		table->generation = ++stats_memory->generation;
		table->used = true;
		return table;
	}
	return NULL;
}

static void
clear_table(StatsTable *table)
{
	table->since = GetCurrentTimestamp();
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
		pg_atomic_init_u32(&table->cells[i], 0);
	pg_atomic_init_u64(&table->ttl_deletions, 0);
	pg_atomic_init_u64(&table->stream_records, 0);
	for (int i = 0; i < STATS_MAX_INDEXES; i++)
		clear_index(&table->indexes[i]);
}

static void
clear_index(StatsIndex *index)
{
	pg_atomic_init_u64(&index->reads, 0);
	for (int k = 0; k < lengthof(index->counters); k++)
		pg_atomic_init_u64(&index->counters[k], 0);
	pg_atomic_init_u32(&index->relid, InvalidOid);
}

/*
 * Where requests of an operation on the table are counted: where there is no
 * cell, with those that concern no table.  NULL: there is no room.
 */
StatsCell *
stats_cell(StatsTable *table, int operation)
{
	uint32		number = pg_atomic_read_u32(&table->cells[operation]);

	if (likely(number != 0))
		return &stats_memory->cells[number - 1];
	return take_cell(table, operation);
}

static StatsCell *
take_cell(StatsTable *table, int operation)
{
	uint32		number = 0;

	/* Each request that has found none would wait for the lock. */
	if (stats_memory->free_cells > kept_cells(table))
	{
		LWLockAcquire(&stats_memory->lock, LW_EXCLUSIVE);
		number = pg_atomic_read_u32(&table->cells[operation]);
		if (number == 0 && table->used)
		{
			number = stats_take_cell(table);
			pg_write_barrier();
			pg_atomic_write_u32(&table->cells[operation], number);
		}
		LWLockRelease(&stats_memory->lock);
	}
	if (number != 0)
		return &stats_memory->cells[number - 1];
	if (concerns_none(table))
		return NULL;
	table = stats_no_table();
	return table ? stats_cell(table, operation) : NULL;
}

static bool
concerns_none(const StatsTable *table)
{
	return memcmp(&table->id, &no_id, sizeof(no_id)) == 0;
}

/*
 * How many cells have to be left when the table takes one.
 */
static int
kept_cells(const StatsTable *table)
{
	return concerns_none(table) ? 0 : KEPT_CELLS;
}

/*
 * The number of a cell that is all zero, for that table; 0: there is none.  The
 * caller has the lock.
 */
uint32
stats_take_cell(const StatsTable *table)
{
	if (stats_memory->free_cells <= kept_cells(table))
		return 0;
	for (int i = 0; i < stats_memory->ncells; i++)
	{
		StatsCell  *cell = &stats_memory->cells[i];

		if (stats_memory->cell_used[i])
			continue;
		for (int k = 0; k < STATS_OUTCOMES; k++)
			pg_atomic_init_u64(&cell->outcomes[k], 0);
		for (int k = 0; k < STATS_COUNTERS; k++)
			pg_atomic_init_u64(&cell->counters[k], 0);
		for (int k = 0; k < STATS_BUCKETS; k++)
			pg_atomic_init_u64(&cell->buckets[k], 0);
		stats_memory->cell_used[i] = true;
		stats_memory->free_cells--;
		return i + 1;
	}
	return 0;
}

/*
 * The caller has the lock.
 */
static void
free_cell(uint32 number)
{
	stats_memory->cell_used[number - 1] = false;
	stats_memory->free_cells++;
}

/*
 * Where what an index does is counted; NULL: there is no room.
 */
StatsIndex *
stats_index(StatsTable *table, Oid relid)
{
	for (int i = 0; i < STATS_MAX_INDEXES; i++)
	{
		if (pg_atomic_read_u32(&table->indexes[i].relid) == relid)
			return &table->indexes[i];
	}
	return take_index(table, relid);
}

static StatsIndex *
take_index(StatsTable *table, Oid relid)
{
	StatsIndex *found = NULL;

	LWLockAcquire(&stats_memory->lock, LW_EXCLUSIVE);
	for (int i = 0; i < STATS_MAX_INDEXES && found == NULL && table->used; i++)
	{
		Oid			taken = pg_atomic_read_u32(&table->indexes[i].relid);

		if (taken == relid || taken == InvalidOid)
			found = &table->indexes[i];
	}
	if (found != NULL)
		pg_atomic_write_u32(&found->relid, relid);
	LWLockRelease(&stats_memory->lock);
	return found;
}

/*
 * What has been counted for an operation on the table.  False: nothing.
 */
bool
stats_copy(StatsTable *table, int operation, StatsCellCopy *copy)
{
	uint32		number = pg_atomic_read_u32(&table->cells[operation]);
	StatsCell  *cell;

	memset(copy, 0, sizeof(*copy));
	if (number == 0)
		return false;
	cell = &stats_memory->cells[number - 1];
	for (int i = 0; i < STATS_OUTCOMES; i++)
		copy->outcomes[i] = pg_atomic_read_u64(&cell->outcomes[i]);
	for (int i = 0; i < STATS_COUNTERS; i++)
		copy->counters[i] = pg_atomic_read_u64(&cell->counters[i]);
	for (int i = 0; i < STATS_BUCKETS; i++)
		copy->buckets[i] = pg_atomic_read_u64(&cell->buckets[i]);
	return true;
}

void
stats_add(StatsCellCopy *sum, const StatsCellCopy *copy)
{
	for (int i = 0; i < STATS_OUTCOMES; i++)
		sum->outcomes[i] += copy->outcomes[i];
	for (int i = 0; i < STATS_COUNTERS; i++)
		sum->counters[i] += copy->counters[i];
	for (int i = 0; i < STATS_BUCKETS; i++)
		sum->buckets[i] += copy->buckets[i];
}

/*
 * What has been counted for an index: STATS_TIME counters.  False: nothing.
 */
bool
stats_copy_index(const StatsTable *table, Oid relid, uint64 *reads,
				 uint64 *counters)
{
	for (int i = 0; i < STATS_MAX_INDEXES; i++)
	{
		StatsIndex *index = unconstify(StatsIndex *, &table->indexes[i]);

		if (pg_atomic_read_u32(&index->relid) != relid)
			continue;
		*reads = pg_atomic_read_u64(&index->reads);
		for (int k = 0; k < STATS_TIME; k++)
			counters[k] = pg_atomic_read_u64(&index->counters[k]);
		return true;
	}
	return false;
}

/*
 * Free the entries of tables of this database that are gone, and the places of
 * indexes that are.  "is_there" tells of a table's id whether it is known, and
 * "has_index" whether it has that index; they are called without the lock and
 * may read catalogs.
 */
void
stats_sweep(bool (*is_there) (const pg_uuid_t *id, void *arg),
			bool (*has_index) (const pg_uuid_t *id, Oid relid, void *arg),
			void *arg)
{
	if (stats_memory == NULL)
		return;
	for (int i = 0; i < stats_memory->ntables; i++)
	{
		StatsTable *table = &stats_memory->tables[i];
		pg_uuid_t	id;
		uint32		generation;
		bool		ours;

		LWLockAcquire(&stats_memory->lock, LW_SHARED);
		ours = table->used && table->database == MyDatabaseId &&
			memcmp(&table->id, &no_id, sizeof(no_id)) != 0;
		id = table->id;
		generation = table->generation;
		LWLockRelease(&stats_memory->lock);
		if (!ours)
			continue;
		if (is_there(&id, arg))
		{
			free_indexes(table, generation, has_index, arg);
			continue;
		}

		(void) stats_no_table();	/* takes what the table leaves */
		LWLockAcquire(&stats_memory->lock, LW_EXCLUSIVE);
		if (table->used && table->generation == generation)
			free_table(table);
		LWLockRelease(&stats_memory->lock);
	}
}

/*
 * Only where no place is left: an index that is being built again keeps what
 * it has counted until then.  One that was made anew has another OID.
 */
static void
free_indexes(StatsTable *table, uint32 generation,
			 bool (*has_index) (const pg_uuid_t *id, Oid relid, void *arg),
			 void *arg)
{
	pg_uuid_t	id = table->id;

	for (int i = 0; i < STATS_MAX_INDEXES; i++)
	{
		if (pg_atomic_read_u32(&table->indexes[i].relid) == InvalidOid)
			return;
	}
	for (int i = 0; i < STATS_MAX_INDEXES; i++)
	{
		StatsIndex *index = &table->indexes[i];
		Oid			relid = pg_atomic_read_u32(&index->relid);

		if (has_index(&id, relid, arg))
			continue;
		LWLockAcquire(&stats_memory->lock, LW_EXCLUSIVE);
		if (table->generation == generation &&
			pg_atomic_read_u32(&index->relid) == relid)
			clear_index(index);
		LWLockRelease(&stats_memory->lock);
	}
}

/*
 * The caller has the lock.
 */
static void
free_table(StatsTable *table)
{
	StatsTable *heir = look_up(table->database, &no_id);

	table->generation = 0;
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		uint32		number = pg_atomic_read_u32(&table->cells[i]);
		uint32		heirs = heir ? pg_atomic_read_u32(&heir->cells[i]) : 0;

		if (number == 0)
			continue;
		if (heirs != 0)
		{
			move_counters(&stats_memory->cells[number - 1],
						  &stats_memory->cells[heirs - 1]);
			free_cell(number);
		}
		else if (heir != NULL)
			pg_atomic_write_u32(&heir->cells[i], number);
		else
			free_cell(number);
		pg_atomic_write_u32(&table->cells[i], 0);
	}
	if (heir != NULL)
	{
		move(&table->ttl_deletions, &heir->ttl_deletions);
		move(&table->stream_records, &heir->stream_records);
	}
	table->used = false;
}

static void
move_counters(StatsCell *from, StatsCell *to)
{
	for (int i = 0; i < STATS_OUTCOMES; i++)
		move(&from->outcomes[i], &to->outcomes[i]);
	for (int i = 0; i < STATS_COUNTERS; i++)
		move(&from->counters[i], &to->counters[i]);
	for (int i = 0; i < STATS_BUCKETS; i++)
		move(&from->buckets[i], &to->buckets[i]);
}

static void
move(pg_atomic_uint64 *from, pg_atomic_uint64 *to)
{
	pg_atomic_fetch_add_u64(to, pg_atomic_exchange_u64(from, 0));
}

/*
 * Free what was counted for databases that are gone.  "is_there" is called
 * without the lock.
 */
void
stats_sweep_databases(bool (*is_there) (Oid database))
{
	if (stats_memory == NULL)
		return;
	for (int i = 0; i < stats_memory->ntables; i++)
	{
		StatsTable *table = &stats_memory->tables[i];
		Oid			database = table->database;

		if (!table->used || is_there(database))
			continue;
		LWLockAcquire(&stats_memory->lock, LW_EXCLUSIVE);
		if (table->used && table->database == database)
			forget_table(table);
		LWLockRelease(&stats_memory->lock);
	}
}

/*
 * The caller has the lock.
 */
static void
forget_table(StatsTable *table)
{
	table->generation = 0;
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		uint32		number = pg_atomic_read_u32(&table->cells[i]);

		if (number == 0)
			continue;
		free_cell(number);
		pg_atomic_write_u32(&table->cells[i], 0);
	}
	table->used = false;
}

/*
 * Call "each" for all entries of this database, the one of no table included.
 */
void
stats_each(void (*each) (StatsTable *table, void *arg), void *arg)
{
	if (stats_memory == NULL)
		return;
	for (int i = 0; i < stats_memory->ntables; i++)
	{
		StatsTable *table = &stats_memory->tables[i];

		if (table->used && table->database == MyDatabaseId)
			each(table, arg);
	}
}

void
stats_count_untracked(void)
{
	if (stats_memory != NULL)
		pg_atomic_fetch_add_u64(&stats_memory->untracked, 1);
}

/*
 * Requests of this cluster that found no room since the server's start.
 */
uint64
stats_untracked(void)
{
	return stats_memory == NULL ? 0 :
		pg_atomic_read_u64(&stats_memory->untracked);
}

/*
 * Forget all that was counted for this database.
 */
void
stats_reset(void)
{
	if (stats_memory == NULL)
		return;
	LWLockAcquire(&stats_memory->lock, LW_EXCLUSIVE);
	for (int i = 0; i < stats_memory->ntables; i++)
	{
		StatsTable *table = &stats_memory->tables[i];

		if (table->used && table->database == MyDatabaseId)
			forget_table(table);
	}
	LWLockRelease(&stats_memory->lock);
}
