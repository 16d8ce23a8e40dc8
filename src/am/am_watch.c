/*-------------------------------------------------------------------------
 *
 * am_watch.c
 *	  Telling a layer above what changes in a relation.
 *
 * Triggers do that for ordinary tables.  The shards of a distributed table are
 * made and dropped as they move, and nobody could keep triggers on them.
 * Whatever writes to a relation comes through its access method.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "am/am.h"
#include "am/am_internal.h"
#include "executor/tuptable.h"
#include "utils/snapmgr.h"

/*
 * May somebody want to know?
 */
static bool
is_watched(Relation rel)
{
	return am_watch != NULL && am_place_state(rel)->watched;
}

/*
 * Rows have been inserted.
 */
void
am_tell_insert(Relation rel, TupleTableSlot **slots, int n)
{
	if (is_watched(rel))
		am_watch->inserted(rel, slots, n);
}

/*
 * The row version "otid" has been replaced by us, or deleted: "slot" is NULL.
 */
void
am_tell_change(Relation rel, ItemPointer otid, TupleTableSlot *slot)
{
	TupleTableSlot *old;

	if (!is_watched(rel))
		return;
	old = table_slot_create(rel, NULL);
	if (!table_tuple_fetch_row_version(rel, otid, SnapshotAny, old))
		elog(ERROR, "row version is gone that was just replaced");
	am_watch->changed(rel, old, slot);
	ExecDropSingleTupleTableSlot(old);
}

/*
 * All rows are about to go.
 */
void
am_tell_truncate(Relation rel)
{
	if (is_watched(rel))
		am_watch->emptied(rel);
}
