/*-------------------------------------------------------------------------
 *
 * sql_module.c
 *	  The module's entry: magic block and initialization.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_handler.h"
#include "archive/archive.h"
#include "control/control.h"
#include "fmgr.h"
#include "global/global.h"
#include "http/http.h"
#include "identity/identity.h"
#include "miscadmin.h"
#include "operation/operation.h"
#include "plan/plan.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "replica/replica.h"
#include "shard/shard.h"
#include "sql/sql.h"
#include "token/token.h"
#include "utils/guc.h"
#include "worker/worker.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

/*
 * Each layer initializes those it stands on.  This file alone looks at layers
 * beside its own.
 */
void
_PG_init(void)
{
	static char *release;
	int			needed = 1;		/* the launcher */

	dynamo_watch_init();
	operation_init();
	operation_explain_init();
	plan_init();
	dynamo_launcher_init();
	needed += http_init();		/* asks for slots before the background does */
	needed += worker_init();
	dynamo_check_processes(needed);
	replica_init();
	global_init();
	archive_restore_init();
	control_throughput_init();
	shard_callbacks.joined = control_joined;
	worker_callbacks.drop_orphan_keys = identity_drop_orphans;
	worker_callbacks.expire_tokens = tokens_expire;
	worker_callbacks.scaled_tables = control_scaled_tables;
	worker_callbacks.scale_table = control_scale_table;
	worker_callbacks.is_wanted = archive_is_wanted;
	worker_callbacks.counts_keys = api_counts_keys;

	/*
	 * Releases of one version have the same SQL objects, so none of these
	 * tells it.
	 */
	DefineCustomStringVariable("dynamo.version",
							   "The release of the library, as 1.0.1.",
							   NULL,
							   &release, DYNAMO_RELEASE,
							   PGC_INTERNAL, GUC_NOT_IN_SAMPLE | GUC_DISALLOW_IN_FILE,
							   NULL, NULL, NULL);

	/*
	 * No other "dynamo.NAME" is a setting: one that is misspelt is refused. A
	 * session that loads the library by itself has not all of them, and
	 * leaves those in peace that stand in postgresql.conf.
	 */
	if (process_shared_preload_libraries_in_progress)
		MarkGUCPrefixReserved("dynamo");
}
