/*-------------------------------------------------------------------------
 *
 * stats_internal.h
 *	  Shared memory of the statistics, for its files alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_STATS_INTERNAL_H
#define DYNAMO_STATS_INTERNAL_H

#include "postgres.h"

#include "base/base_shared.h"
#include "stats/stats.h"
#include "storage/lwlock.h"

/*
 * Cells for each table that there is room for, and beside them; the last ones are
 * kept for what concerns no table, or a table without a cell.
 */
#define CELLS_PER_TABLE		6
#define KEPT_CELLS			STATS_MAX_OPERATIONS
#define MORE_CELLS			(STATS_MAX_OPERATIONS + KEPT_CELLS)

/* Entries for what concerns no table: one a database. */
#define MORE_TABLES			8

typedef struct StatsMemory
{
	LWLock		lock;			/* to take or free an entry or a cell */
	uint32		generation;
	int			ntables;
	int			ncells;
	int			free_cells;
	pg_atomic_uint64 untracked; /* requests that found no room */
	bool	   *cell_used;
	StatsTable *tables;
	StatsCell  *cells;			/* number n is cells[n - 1] */
} StatsMemory;

extern StatsMemory *stats_memory;	/* NULL: nothing is counted */

/* stats_keys.c */
extern DynamoShared stats_shared_keys;

/* stats_memory.c */
extern Size stats_memory_size(void);
extern void stats_memory_make(int tranche);
extern StatsTable *stats_take_table(Oid database, const pg_uuid_t *id);
extern uint32 stats_take_cell(const StatsTable *table);
extern void stats_count_untracked(void);
extern uint32 stats_operations_hash(void);

#endif							/* DYNAMO_STATS_INTERNAL_H */
