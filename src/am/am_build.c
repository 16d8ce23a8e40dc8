/*-------------------------------------------------------------------------
 *
 * am_build.c
 *	  Index builds: heap's scans, run under heap's name.
 *
 * heapam's two build scans read through heap_getnext(), which refuses a
 * relation whose rd_tableam is not heap's own.  For the time of the call the
 * relcache entry therefore carries heap's routine.
 *
 * The entry may be rebuilt while the scan runs: expressions of the index are
 * evaluated inside it, the catalogs are read, messages are received (a GRANT
 * on the table takes no lock that conflicts with an index build, and a reset
 * of the message queue rebuilds every entry).  A rebuild asks our handler
 * again.  Relcache callbacks run right after it, so one of ours puts heap's
 * routine back.  Otherwise the next heap_getnext() would fail.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "am/am_internal.h"
#include "utils/rel.h"

/*
 * Builds in progress in this backend, innermost first.  More than one only if
 * an index expression builds an index, which is silly but possible.  A link
 * lives on the stack of the call it belongs to.
 */
typedef struct BuildScan
{
	Relation	table;
	const TableAmRoutine *routine;	/* the one to give back */
	struct BuildScan *outer;
} BuildScan;

static BuildScan *builds = NULL;

static void build_begin(BuildScan *build, Relation table);
static void build_end(BuildScan *build);
static void put_routine_back(Oid relid);

void
am_build_init(void)
{
	dynamo_watch_relations(put_routine_back);
}

/*
 * TableAmRoutine.index_build_range_scan
 */
double
am_index_build_range_scan(Relation table, Relation index,
						  struct IndexInfo *index_info, bool allow_sync,
						  bool anyvisible, bool progress,
						  BlockNumber start_block, BlockNumber nblocks,
						  IndexBuildCallback callback, void *callback_state,
						  TableScanDesc scan)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();
	BuildScan	build;
	double		result;

	build_begin(&build, table);
	PG_TRY();
	{
		result = heap->index_build_range_scan(table, index, index_info,
											  allow_sync, anyvisible, progress,
											  start_block, nblocks,
											  callback, callback_state, scan);
	}
	PG_FINALLY();
	{
		build_end(&build);
	}
	PG_END_TRY();

	return result;
}

/*
 * TableAmRoutine.index_validate_scan
 */
void
am_index_validate_scan(Relation table, Relation index,
					   struct IndexInfo *index_info, Snapshot snapshot,
					   struct ValidateIndexState *state)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();
	BuildScan	build;

	build_begin(&build, table);
	PG_TRY();
	{
		heap->index_validate_scan(table, index, index_info, snapshot, state);
	}
	PG_FINALLY();
	{
		build_end(&build);
	}
	PG_END_TRY();
}

static void
build_begin(BuildScan *build, Relation table)
{
	build->table = table;
	build->routine = table->rd_tableam;
	build->outer = builds;
	builds = build;
	table->rd_tableam = GetHeapamTableAmRoutine();
}

/*
 * The caller's reference kept the entry in its place, on error as well: this
 * runs before the resource owner lets go of anything.  A nested build of the
 * same table gives back heap's routine, its outer one ours.
 */
static void
build_end(BuildScan *build)
{
	builds = build->outer;
	build->table->rd_tableam = build->routine;
}

static void
put_routine_back(Oid relid)
{
	for (BuildScan *build = builds; build != NULL; build = build->outer)
	{
		if (relid == InvalidOid || relid == RelationGetRelid(build->table))
			build->table->rd_tableam = GetHeapamTableAmRoutine();
	}
}
