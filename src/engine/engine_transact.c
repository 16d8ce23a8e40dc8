/*-------------------------------------------------------------------------
 *
 * engine_transact.c
 *	  Several writes, all or none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"

bool
engine_transact_write(EngineWrite *writes, int nwrites, EngineReason *reasons)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("transactions are not supported yet")));
	return false;
}
