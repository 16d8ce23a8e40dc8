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

#endif							/* DYNAMO_AM_INTERNAL_H */
