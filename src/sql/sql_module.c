/*-------------------------------------------------------------------------
 *
 * sql_module.c
 *	  The module's entry: magic block and initialization.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api.h"
#include "fmgr.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

/*
 * Each layer initializes those it stands on.
 */
void
_PG_init(void)
{
	api_init();
}
