/*-------------------------------------------------------------------------
 *
 * region_init.c
 *	  What is to be done when the module is loaded.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "region/region_internal.h"

void
region_init(void)
{
	region_version_init();
	region_stable_init();
	region_replica_init();
}
