/*-------------------------------------------------------------------------
 *
 * am_internal.h
 *	  What the files of the access method share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_AM_INTERNAL_H
#define DYNAMO_AM_INTERNAL_H

#include "postgres.h"

#include "access/tableam.h"
#include "base/base.h"
#include "storage/buf.h"

/*
 * Collections come in shares: a page of class c is meant for residents that
 * hold 1, 2, 3, 6, 12, ... tuples each.  The last class covers the most tuples
 * a page takes.
 */
#define AM_CLASSES	9

/*
 * A page this backend still lets newcomers of a class into.
 */
typedef struct AmOpenPage
{
	BlockNumber block;			/* InvalidBlockNumber: none */
	Buffer		buffer;			/* the block's when it was opened */
	int			admissions;		/* newcomers it still takes */
} AmOpenPage;

/*
 * What placement knows about a relation; hangs from rd_amcache, so it goes
 * with the relcache entry at any invalidation.
 */
typedef struct AmPlaceState
{
	Oid			index;			/* the primary index, or InvalidOid if the
								 * relation has no collections */
	AttrNumber	partition;		/* the first column of its key */
	AttrNumber	sort;			/* the second */
	bool		watched;		/* are changes told to am_watch? */
	BlockNumber nblocks;		/* length at the last look */
	BlockNumber extended;		/* the page this backend added last */
	int			alone;			/* how many it has added in a row; less than
								 * none if others did meanwhile */
	bool		warm[AM_CLASSES];	/* has this backend opened one before? */
	AmOpenPage	open[AM_CLASSES];
} AmPlaceState;

/*
 * A tuple's neighbours: index entries of its collection on either side of
 * where its own belongs, by the heap pages they point to.
 */
#define AM_WINDOW	32			/* entries looked at on either side */

typedef struct AmNeighbours
{
	Buffer		leaf;			/* where the tuple's entry belongs */
	int			nentries;
	int			npages;
	struct
	{
		BlockNumber block;
		int			count;		/* entries that point there */
		bool		tried;		/* does not need another look */
	}			page[2 * AM_WINDOW];	/* the nearest neighbour's first */
} AmNeighbours;

/*
 * Where this backend last put a tuple of a collection.  Buffers are those that
 * the pages were in then.
 */
typedef struct AmMemo
{
	BlockNumber block;
	Buffer		buffer;			/* the block's */
	Buffer		leaf;			/* of the primary index; may be invalid */
	uint32		tag:24;			/* which collection: am_memo.c */
	uint32		ntuples:8;		/* it has as far as known, 255 for more */
} AmMemo;

/*
 * A tuple, or several of one collection, looking for a page.
 */
typedef struct AmPlacement
{
	int			need;			/* bytes a page must have free for the first
								 * tuple, fillfactor respected */
	int			item;			/* bytes one takes, line pointer included */
	int			capacity;		/* how many such an empty page takes */
	int			ntuples;		/* how many there are */
} AmPlacement;

/* am_build.c */
extern void am_build_init(void);
extern double am_index_build_range_scan(Relation table, Relation index,
										struct IndexInfo *index_info,
										bool allow_sync, bool anyvisible,
										bool progress,
										BlockNumber start_block,
										BlockNumber nblocks,
										IndexBuildCallback callback,
										void *callback_state,
										TableScanDesc scan);
extern void am_index_validate_scan(Relation table, Relation index,
								   struct IndexInfo *index_info,
								   Snapshot snapshot,
								   struct ValidateIndexState *state);

/* am_hot.c */
extern bool am_attribute_hot;
extern void am_hot_init(void);
extern TM_Result am_hot_update(compat_update_parameters);

/* am_state.c */
extern AmPlaceState *am_place_state(Relation rel);

/* am_watch.c */
extern void am_tell_insert(Relation rel, TupleTableSlot **slots, int n);
extern void am_tell_change(Relation rel, ItemPointer otid,
						   TupleTableSlot *slot);
extern void am_tell_truncate(Relation rel);

/* am_place.c */
extern bool am_placement;
extern bool am_has_collections(Relation rel);
extern bool am_place_tuple(Relation rel, TupleTableSlot *slot,
						   struct BulkInsertStateData *place);
extern void am_place_new_version(Relation rel, ItemPointer otid,
								 TupleTableSlot *slot);
extern int	am_place_several(Relation rel, TupleTableSlot **slots,
							 int nslots, struct BulkInsertStateData *place);

/* am_neighbours.c */
extern void am_neighbours_find(Relation rel, TupleTableSlot *slot,
							   AmNeighbours *seen);

/* am_memo.c */
extern AmMemo *am_memo_recall(Relation rel, uint32 collection);
extern int	am_memo_count(const AmMemo *entry);
extern void am_memo_add(AmMemo *entry, int ntuples);
extern AmMemo *am_memo_store(Relation rel, uint32 collection, Buffer buffer,
							 Buffer leaf, int ntuples);

/* am_pin.c */
extern bool am_page_exists(Relation rel, BlockNumber block);
extern void am_page_prefetch(const AmMemo *memo);
extern Buffer am_page_pin(Relation rel, BlockNumber block, Buffer recent);
extern Buffer am_page_with_room(Relation rel, BlockNumber block,
								Buffer recent, const AmPlacement *p);
extern int	am_page_space(Buffer buffer);

/* am_page.c */
extern void am_placement_init(AmPlacement *p, Relation rel, Size len,
							  int ntuples);
extern Size am_tuple_length(TupleTableSlot *slot);
extern Buffer am_page_choose(Relation rel, const AmPlacement *p, int share);
extern bool am_page_alone(Relation rel);

/* am_image.c */
extern Datum am_plain(Datum value, Form_pg_attribute att);
extern void am_free_plain(Datum plain, Datum value);
extern bool am_same_image(Datum a, Datum b, Form_pg_attribute att);
extern uint32 am_image_hash(Datum value, Form_pg_attribute att);
extern uint32 am_collection_hash(Relation rel, TupleTableSlot *slot);

/* am_multi.c */
extern void am_multi_insert(Relation rel, TupleTableSlot **slots, int nslots,
							CommandId cid, int options);

#endif							/* DYNAMO_AM_INTERNAL_H */
