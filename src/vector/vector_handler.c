/*-------------------------------------------------------------------------
 *
 * vector_handler.c
 *	  The index access method "dynamo_vector".
 *
 * It keeps entries (vector_entry.c) and the places of their rows.  Searches read
 * it by themselves (vector_scan.c), but for those of distributed tables, which are
 * planned (vector_order.c).  Core calls it for the rest: entries of new rows,
 * builds, VACUUM.  All changes are logged by generic records, which any server can
 * replay.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "base/compat.h"
#include "catalog/index.h"
#include "catalog/pg_opclass.h"
#include "commands/vacuum.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "vector/vector_internal.h"

PG_FUNCTION_INFO_V1(dynamo_vector_handler_1);

/* A build's. */
typedef struct Build
{
	Relation	index;
	double		entries;
	MemoryContext context;		/* of a row */
} Build;

static void make_meta(Relation index, ForkNumber fork);
static void build_row(Relation index, ItemPointer tid, Datum *values,
					  bool *isnull, bool alive, void *state);

static IndexBuildResult *
build_index(Relation table, Relation index, IndexInfo *info)
{
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));
	Build		state = {.index = index};

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	make_meta(index, MAIN_FORKNUM);
	state.context = AllocSetContextCreate(CurrentMemoryContext,
										  "dynamo vector build",
										  ALLOCSET_DEFAULT_SIZES);
	result->heap_tuples = table_index_build_scan(table, index, info, true,
												 true, build_row, &state,
												 NULL);
	result->index_tuples = state.entries;
	MemoryContextDelete(state.context);
	return result;
}

static void
build_empty(Relation index)
{
	make_meta(index, INIT_FORKNUM);
}

/*
 * The init fork of an unlogged index is what is left after a crash, and on a
 * standby.  Generic records are not written of unlogged relations.
 */
static void
make_meta(Relation index, ForkNumber fork)
{
	Buffer		buffer = ReadBufferExtended(index, fork, P_NEW, RBM_NORMAL,
											NULL);
	GenericXLogState *state;
	Page		page;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	state = GenericXLogStart(index);
	page = GenericXLogRegisterBuffer(state, buffer, GENERIC_XLOG_FULL_IMAGE);
	vector_page_init(page, VECTOR_PAGE_META, sizeof(VectorMeta));
	*vector_page_meta(page) = (VectorMeta)
	{
		.magic = VECTOR_MAGIC, .version = VECTOR_VERSION
	};
	GenericXLogFinish(state);
	if (fork == INIT_FORKNUM)
	{
		START_CRIT_SECTION();
		log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
	}
	UnlockReleaseBuffer(buffer);
}

static void
build_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		  bool alive, void *arg)
{
	Build	   *state = arg;
	MemoryContext caller;

	if (isnull[0])
		return;
	caller = MemoryContextSwitchTo(state->context);
	vector_insert(index,
				  (const VectorEntry *) PG_DETOAST_DATUM(values[0]), tid);
	state->entries++;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(state->context);
}

static bool
insert_entry(Relation index, Datum *values, bool *isnull, ItemPointer tid,
			 Relation table, IndexUniqueCheck unique, bool unchanged,
			 struct IndexInfo *info)
{
	if (!isnull[0])
		vector_insert(index,
					  (const VectorEntry *) PG_DETOAST_DATUM(values[0]), tid);
	return false;
}

/*
 * Core asks no more of an operator class than its type.
 */
static bool
validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	bool		valid = HeapTupleIsValid(tuple) &&
	((Form_pg_opclass) GETSTRUCT(tuple))->opckeytype == InvalidOid;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return valid;
}

/*
 * An index has no storage parameters.  Core calls this for those that are given,
 * and for none, too, if it checks assertions.
 */
static bytea *
options(Datum reloptions, bool validate)
{
	if (validate && DatumGetPointer(reloptions) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("indexes of access method \"dynamo_vector\" have no storage parameters")));
	return NULL;
}

/*
 * The number in the function's name is that of the pages' format: a library that
 * does not know it does not have the function.
 */
Datum
dynamo_vector_handler_1(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *am = makeNode(IndexAmRoutine);

	am->amstrategies = VECTOR_ORDER_STRATEGY;
	am->amoptsprocnum = 0;
	am->amcanorderbyop = true;
	am->amparallelvacuumoptions = VACUUM_OPTION_PARALLEL_BULKDEL;
	am->amkeytype = InvalidOid;
	am->ambuild = build_index;
	am->ambuildempty = build_empty;
	am->aminsert = insert_entry;
	am->ambulkdelete = vector_bulk_delete;
	am->amvacuumcleanup = vector_vacuum_cleanup;
	am->amcostestimate = vector_estimate_cost;
	am->amoptions = options;
	am->amvalidate = validate;
	am->ambeginscan = vector_begin_ordered;
	am->amrescan = vector_restart_ordered;
	am->amgettuple = vector_next_ordered;
	am->amendscan = vector_end_ordered;
	PG_RETURN_POINTER(am);
}
