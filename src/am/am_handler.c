/*-------------------------------------------------------------------------
 *
 * am_handler.c
 *	  The table access method "dynamo": heap's routine with a few callbacks
 *	  in front of it.
 *
 * Each callback here prepares what heap's of the same name then does: where
 * the tuple goes (am_place.c), whether the update is HOT (am_hot.c), in which
 * order a rewrite copies, under which name an index build scans (am_build.c).
 * Pages, WAL records, visibility and locks are heap's, so everything that was
 * proven about heap holds here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/hio.h"
#include "access/tableam.h"
#include "am/am.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "catalog/pg_am_d.h"
#include "fmgr.h"
#include "utils/guc.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(dynamo_tableam_handler_1);
PG_FUNCTION_INFO_V1(dynamo_tableam_handler);

static TableAmRoutine dynamo_methods;
static const TableAmRoutine *heap;

/*
 * The pin that placement takes is released here at the latest.  Otherwise
 * VACUUM would wait for a page that somebody only remembers.
 */
static void
dynamo_tuple_insert(Relation rel, TupleTableSlot *slot, CommandId cid,
					compat_options options, struct BulkInsertStateData *bistate)
{
	BulkInsertStateData place;

	if (am_place_tuple(rel, slot, &place))
	{
		heap->tuple_insert(rel, slot, cid, options, &place);
		ReleaseBulkInsertStatePin(&place);
	}
	else
		heap->tuple_insert(rel, slot, cid, options, bistate);
	am_tell_insert(rel, &slot, 1);
}

static void
dynamo_tuple_insert_speculative(Relation rel, TupleTableSlot *slot,
								CommandId cid, compat_options options,
								struct BulkInsertStateData *bistate,
								uint32 spec_token)
{
	BulkInsertStateData place;

	if (am_place_tuple(rel, slot, &place))
	{
		heap->tuple_insert_speculative(rel, slot, cid, options, &place,
									   spec_token);
		ReleaseBulkInsertStatePin(&place);
	}
	else
		heap->tuple_insert_speculative(rel, slot, cid, options, bistate,
									   spec_token);
}

static void
dynamo_tuple_complete_speculative(Relation rel, TupleTableSlot *slot,
								  uint32 spec_token, bool succeeded)
{
	heap->tuple_complete_speculative(rel, slot, spec_token, succeeded);
	if (succeeded)
		am_tell_insert(rel, &slot, 1);
}

static void
dynamo_multi_insert(Relation rel, TupleTableSlot **slots, int nslots,
					CommandId cid, compat_options options,
					struct BulkInsertStateData *bistate)
{
	if (am_has_collections(rel))
		am_multi_insert(rel, slots, nslots, cid, options);
	else
		heap->multi_insert(rel, slots, nslots, cid, options, bistate);
	am_tell_insert(rel, slots, nslots);
}

static TM_Result
dynamo_tuple_delete(compat_delete_parameters)
{
	TM_Result	result = heap->tuple_delete(compat_delete_arguments);

	if (result == TM_Ok)
		am_tell_change(rel, tid, NULL);
	return result;
}

static TM_Result
dynamo_tuple_update(compat_update_parameters)
{
	TM_Result	result;

	am_place_new_version(rel, otid, slot);
	result = am_hot_update(compat_update_arguments);
	if (result == TM_Ok)
		am_tell_change(rel, otid, slot);
	return result;
}

/*
 * TRUNCATE, and the beginning of each relation, which has no rows: then the file is
 * the one that it has.
 */
static void
dynamo_relation_set_new_file(Relation rel, const compat_file * file,
							 char persistence, TransactionId *freeze_xid,
							 MultiXactId *min_multi)
{
	if (memcmp(&compat_file_of(rel), file, sizeof(*file)) != 0)
		am_tell_truncate(rel);
	heap->compat_set_new_file(rel, file, persistence, freeze_xid, min_multi);
}

/*
 * TRUNCATE where this transaction has made the file, so that no rollback needs what
 * is in it.
 */
static void
dynamo_relation_truncate(Relation rel)
{
	am_tell_truncate(rel);
	heap->relation_nontransactional_truncate(rel);
}

/*
 * CLUSTER and VACUUM FULL.  VACUUM FULL names no index.  If there are
 * collections we sort by the primary one, so that each lies on as few pages as
 * possible.
 */
static void
dynamo_relation_copy_for_cluster(compat_copy_parameters)
{
	Relation	primary = NULL;

	if (index == NULL && am_has_collections(old))
	{
		primary = index_open(am_place_state(old)->index, AccessShareLock);
		index = primary;
		use_sort = true;
	}
	heap->relation_copy_for_cluster(compat_copy_arguments);
	if (primary != NULL)
		index_close(primary, NoLock);
}

/*
 * TOAST tables know no collections and are read by core as heap.
 */
static Oid
dynamo_relation_toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}

/*
 * Called when the module is loaded, or by the handler, whichever is first.
 */
void
am_init(void)
{
	if (heap != NULL)
		return;
	heap = GetHeapamTableAmRoutine();

	DefineCustomBoolVariable("dynamo.placement",
							 "Puts a new row on a page of its collection, if one has room.",
							 "Rows of a table that uses access method "
							 "\"dynamo\" belong to one collection if they "
							 "share the first column of a primary key of two "
							 "or more columns.",
							 &am_placement, true, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo.attribute_hot",
							 "Makes an update HOT if no index entry changes.",
							 "When off, an update of a table that uses access "
							 "method \"dynamo\" is HOT only if it changes no "
							 "column that an index reads, as in heap.",
							 &am_attribute_hot, true, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	am_build_init();
	am_hot_init();

	dynamo_methods = *heap;
	dynamo_methods.tuple_insert = dynamo_tuple_insert;
	dynamo_methods.tuple_insert_speculative = dynamo_tuple_insert_speculative;
	dynamo_methods.tuple_complete_speculative = dynamo_tuple_complete_speculative;
	dynamo_methods.multi_insert = dynamo_multi_insert;
	dynamo_methods.tuple_delete = dynamo_tuple_delete;
	dynamo_methods.tuple_update = dynamo_tuple_update;
	dynamo_methods.relation_copy_for_cluster = dynamo_relation_copy_for_cluster;
	dynamo_methods.index_build_range_scan = am_index_build_range_scan;
	dynamo_methods.index_validate_scan = am_index_validate_scan;
	dynamo_methods.compat_set_new_file = dynamo_relation_set_new_file;
	dynamo_methods.relation_nontransactional_truncate = dynamo_relation_truncate;
	dynamo_methods.relation_toast_am = dynamo_relation_toast_am;
}

/*
 * Is it a relation of this access method?
 */
bool
am_is_of(Relation rel)
{
	return rel->rd_tableam == &dynamo_methods;
}

/*
 * The number at the end is that of the format of tables: of the keys in their
 * rows and index entries, which have no room to say it, of their hashes, and of
 * the order of btrees.  pg_proc keeps the name that a database was made with, so
 * a library that knows another format cannot read a table at all, and an answer
 * made of misread keys is impossible.  A new format takes the next number; the
 * name of one that is not read any more stays, and raises an error.
 */
Datum
dynamo_tableam_handler_1(PG_FUNCTION_ARGS)
{
	am_init();
	PG_RETURN_POINTER(&dynamo_methods);
}

/*
 * Before formats had numbers, there were several of this name.
 */
Datum
dynamo_tableam_handler(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("tables of extension \"dynamo\" in this database are of a format before %d",
					1),
			 errdetail("This library reads format %d alone.", 1),
			 errhint("Dump the database with the library that has made it, and restore the dump with this one.")));
}
