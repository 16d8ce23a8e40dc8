/*-------------------------------------------------------------------------
 *
 * am.h
 *	  The table access method "dynamo".
 *
 * Heap, with two decisions changed: where a new tuple goes, and whether an
 * update may be HOT.  Both can be left to the access method alone; the hint
 * below only spares it work that its caller has done already.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_AM_H
#define DYNAMO_AM_H

#include "postgres.h"

#include "utils/rel.h"

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
