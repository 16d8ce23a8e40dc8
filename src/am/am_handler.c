/*-------------------------------------------------------------------------
 *
 * am_handler.c
 *	  The table access method "dynamo": heap's routine with a few callbacks
 *	  in front of it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "am/am.h"
#include "am/am_internal.h"
#include "catalog/pg_am.h"
#include "fmgr.h"

PG_FUNCTION_INFO_V1(dynamo_tableam_handler);

static TableAmRoutine dynamo_methods;

static Oid
dynamo_relation_toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}

void
am_init(void)
{
	static bool initialized = false;

	if (initialized)
		return;
	initialized = true;

	am_build_init();

	dynamo_methods = *GetHeapamTableAmRoutine();
	dynamo_methods.index_build_range_scan = am_index_build_range_scan;
	dynamo_methods.index_validate_scan = am_index_validate_scan;
	dynamo_methods.relation_toast_am = dynamo_relation_toast_am;
}

Datum
dynamo_tableam_handler(PG_FUNCTION_ARGS)
{
	am_init();
	PG_RETURN_POINTER(&dynamo_methods);
}
