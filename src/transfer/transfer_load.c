/*-------------------------------------------------------------------------
 *
 * transfer_load.c
 *	  The kinds of jobs that load items.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "transfer/transfer_load_internal.h"

void
transfer_load_init(void)
{
	job_register(&transfer_import_handler);
	job_register(&transfer_bulk_handler);
}
