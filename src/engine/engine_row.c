/*-------------------------------------------------------------------------
 *
 * engine_row.c
 *	  A row without an item.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "utils/rel.h"

/*
 * A row without an item: somebody has taken NOT NULL off the column.
 */
void
engine_no_item(const EngineTable *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("relation \"%s\" has a row whose item is null",
					RelationGetRelationName(table->rel)),
			 errtable(table->rel)));
}
