/*-------------------------------------------------------------------------
 *
 * am_state.c
 *	  What a backend knows about a relation, for placement.
 *
 * It hangs from rd_amcache in one chunk.  Otherwise part of it would leak: the
 * relcache frees it with one pfree.  Whatever makes the relcache forget the
 * relation makes us forget it, too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "am/am.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "catalog/pg_am_d.h"
#include "utils/memutils.h"
#include "utils/rel.h"

const AmWatch *am_watch = NULL;

static void place_state_fill(AmPlaceState *state, Relation rel);

/*
 * What is known about the relation.  The pointer is good until the next call
 * that may receive invalidation messages: opening a relation, taking a lock.
 */
AmPlaceState *
am_place_state(Relation rel)
{
	AmPlaceState state;

	if (rel->rd_amcache == NULL)
	{
		memset(&state, 0, sizeof(state));
		state.extended = InvalidBlockNumber;
		for (int i = 0; i < AM_CLASSES; i++)
			state.open[i].block = InvalidBlockNumber;
		place_state_fill(&state, rel);
		if (rel->rd_amcache == NULL)
			rel->rd_amcache = MemoryContextAlloc(CacheMemoryContext,
												 sizeof(state));
		memcpy(rel->rd_amcache, &state, sizeof(state));
	}
	return (AmPlaceState *) rel->rd_amcache;
}

static void
place_state_fill(AmPlaceState *state, Relation rel)
{
	Oid			indexoid;
	Relation	index;

	state->watched = am_watch != NULL && am_watch->watches(rel);
	if (!rel->rd_rel->relhasindex)
		return;
	indexoid = compat_primary_key_index(rel);
	if (!OidIsValid(indexoid))
		return;

	index = index_open(indexoid, RowExclusiveLock);
	if (index->rd_rel->relam == BTREE_AM_OID &&
		IndexRelationGetNumberOfKeyAttributes(index) >= 2)
	{
		state->partition = index->rd_index->indkey.values[0];
		state->sort = index->rd_index->indkey.values[1];
		state->index = indexoid;
	}
	index_close(index, RowExclusiveLock);
}
