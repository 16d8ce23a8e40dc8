/*-------------------------------------------------------------------------
 *
 * meta_ring.c
 *	  Rings of tables: what is kept for a while, and never deleted row by row.
 *
 * Deleting rows would cost as much again as writing them, so they are
 * truncated away.  A ring is a row of tables, its pieces, that are used in
 * turn, each for a period.  What a piece has is older than what is in the next
 * one, and goes before the piece is used again:
 *
 *		 piece	  0   1   2   3   4   5   6   7
 *					  ^   ^   ^
 *				 before  now  next: oldest, to be truncated
 *
 * So no DDL is done at run time.  If a piece was not truncated in time, it
 * takes new rows beside the old ones, and all go when its turn comes again.
 *
 * Rows go straight into table and indexes: the columns are ours, and there is
 * nothing on a piece that only the executor could do.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "base/base_pause.h"
#include "base/compat.h"
#include "catalog/index.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_index.h"
#include "executor/tuptable.h"
#include "meta/meta.h"
#include "nodes/execnodes.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

static void insert_entries(Relation piece, HeapTuple tuple, Datum *values,
						   bool *nulls);
static void insert_entry(Relation piece, Relation index, HeapTuple tuple,
						 Datum *values, bool *nulls);
static Relation try_open(const MetaRing *ring, int n, LOCKMODE lockmode);
static bool is_plain(Relation index);
static bool is_empty(const MetaRing *ring, int n);

/*
 * The piece for what is of that time.
 */
int
meta_ring_piece(const MetaRing *ring, TimestampTz when)
{
	int			n = (int) ((when / ring->period) % ring->npieces);

	return n < 0 ? n + ring->npieces : n;	/* a clock before 2000 */
}

/*
 * Open a piece.
 */
Relation
meta_ring_open(const MetaRing *ring, int n, LOCKMODE lockmode)
{
	return dynamo_table_open(&ring->pieces[n], lockmode);
}

/*
 * The same unless the lock would have to be waited for: NULL.
 */
static Relation
try_open(const MetaRing *ring, int n, LOCKMODE lockmode)
{
	if (!ConditionalLockRelationOid(dynamo_member_get(&ring->pieces[n]),
									lockmode))
		return NULL;
	return dynamo_table_open(&ring->pieces[n], NoLock);
}

/*
 * Open the index by which a piece is read.  It is looked up whenever the piece
 * has been locked.  Otherwise REINDEX CONCURRENTLY, which puts another in its
 * place, would leave us with one that is gone.
 */
Relation
meta_ring_index(const MetaRing *ring, Relation piece)
{
	Relation	index = dynamo_table_index(piece, &ring->order,
										   AccessShareLock);

	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has lost its index on (%s)",
						RelationGetRelationName(piece), ring->columns)));
	return index;
}

/*
 * Store a row of that time.  The lock on the piece stays.  Otherwise it could
 * be truncated under a row not yet committed.
 */
void
meta_ring_insert(const MetaRing *ring, TimestampTz when, Datum *values,
				 bool *nulls)
{
	Relation	piece = meta_ring_open(ring, meta_ring_piece(ring, when),
									   RowExclusiveLock);
	HeapTuple	tuple = heap_form_tuple(RelationGetDescr(piece), values,
										nulls);

	heap_insert(piece, tuple, GetCurrentCommandId(true), 0, NULL);
	insert_entries(piece, tuple, values, nulls);
	heap_freetuple(tuple);
	table_close(piece, NoLock);
}

/*
 * REINDEX CONCURRENTLY makes a second index.  Neither may miss a row.
 * Otherwise readers of the new one would.
 */
static void
insert_entries(Relation piece, HeapTuple tuple, Datum *values, bool *nulls)
{
	List	   *indexes = RelationGetIndexList(piece);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		if (index->rd_index->indisready)
			insert_entry(piece, index, tuple, values, nulls);
		index_close(index, NoLock);
	}
	list_free(indexes);
}

/*
 * Our own index is a btree of columns, and not unique: it needs to know nothing
 * more.  Others are somebody else's.
 */
static void
insert_entry(Relation piece, Relation index, HeapTuple tuple, Datum *values,
			 bool *nulls)
{
	bool		plain = is_plain(index);
	IndexInfo  *info = plain ? makeNode(IndexInfo) : BuildIndexInfo(index);
	Datum		entry[INDEX_MAX_KEYS];
	bool		missing[INDEX_MAX_KEYS];

	if (plain)
	{
		for (int i = 0; i < index->rd_index->indnatts; i++)
		{
			int			column = index->rd_index->indkey.values[i];

			entry[i] = values[column - 1];
			missing[i] = nulls[column - 1];
		}
	}
	else
	{
		TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(piece),
														&TTSOpsHeapTuple);

		ExecStoreHeapTuple(tuple, slot, false);
		FormIndexDatum(info, slot, NULL, entry, missing);
		ExecDropSingleTupleTableSlot(slot);
	}
	(void) index_insert(index, entry, missing, &tuple->t_self, piece,
						info->ii_Unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
						false, info);
	compat_index_insert_cleanup(index, info);
	pfree(info);
}

static bool
is_plain(Relation index)
{
	return index->rd_rel->relam == BTREE_AM_OID &&
		!index->rd_index->indisunique &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL) &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
}

/*
 * Truncate a piece, unless it is empty, or somebody has it locked: then it is
 * tried again another time.  Was it truncated?
 *
 * The process that has chosen the piece may have stood still since then, and
 * its turn may have come again.  So once nobody else can write to it, the
 * clock and what it has are asked whether it may go.
 */
bool
meta_ring_trim(const MetaRing *ring, int n, const MetaTrim *trim)
{
	Relation	rel;
	Oid			piece;
	bool		goes;

	/* Usually it has been done; then do not stop readers. */
	if (is_empty(ring, n))
		return false;
	dynamo_pause("trim");
	rel = try_open(ring, n, AccessExclusiveLock);
	if (rel == NULL)
		return false;
	piece = RelationGetRelid(rel);

	/* A query of this session may be reading it: TRUNCATE would refuse. */
	goes = rel->rd_refcnt == 1 && RelationGetNumberOfBlocks(rel) > 0 &&
		trim->may_go(n, rel, GetCurrentTimestamp() + trim->ahead);
	if (goes && trim->note != NULL)
		trim->note(rel);
	table_close(rel, NoLock);
	if (goes)
		meta_truncate(piece);
	return goes;
}

static bool
is_empty(const MetaRing *ring, int n)
{
	Relation	rel = try_open(ring, n, AccessShareLock);
	bool		empty;

	if (rel == NULL)
		return false;
	empty = RelationGetNumberOfBlocks(rel) == 0;
	table_close(rel, AccessShareLock);
	return empty;
}
