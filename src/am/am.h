/*-------------------------------------------------------------------------
 *
 * am.h
 *	  The table access method "dynamo".
 *
 * Heap, with two decisions changed: where a new tuple goes, and whether an
 * update may be HOT.  Both can be left to the access method alone; the two
 * hint calls below only spare it work that its caller has done already.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_AM_H
#define DYNAMO_AM_H

#include "postgres.h"

#include "storage/itemptr.h"
#include "utils/rel.h"

/*
 * am_place.c
 *
 * The caller has just descended the primary index to where the next tuple it
 * inserts into "rel" belongs, and saw these neighbours of the same collection
 * there (nearest first; none: the collection is new to the table).  Valid for
 * the next insert into that relation only.  May be incomplete: if none of
 * these pages has room, the access method looks for itself.
 */
extern void am_place_hint(Relation rel, const ItemPointerData *neighbours,
						  int nneighbours);

/*
 * am_hot.c
 *
 * The caller knows whether the next update of "rel" changes any attribute or
 * expression that an index (predicate included) reads.  Valid for the next
 * update of that relation only.
 *
 * "false" must be true of every index that RelationGetIndexList() gives at
 * that time, those of other makers and those still being built included, or
 * else indexes are corrupted.  A caller that knows of its own indexes only
 * says nothing where there are others.
 */
extern void am_update_hint(Relation rel, bool index_keys_change);

extern void am_init(void);

#endif							/* DYNAMO_AM_H */
