/*-------------------------------------------------------------------------
 *
 * stats_start.c
 *	  Settings of the statistics, and their start and end with the server.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "miscadmin.h"
#include "stats/stats_internal.h"
#include "storage/ipc.h"
#include "utils/guc.h"

static void define_settings(void);
static Size measure_stats(void);
static void attach_stats(void *memory, int tranche, bool made);
static void write_at_end(int code, Datum arg);

static DynamoShared shared_memory = {
	.name = "dynamo statistics", .measure = measure_stats, .attach = attach_stats
};

/*
 * Called once a process.
 */
void
stats_init(void)
{
	define_settings();
	stats_commit_init();
	dynamo_share(&stats_shared_keys);
	dynamo_share(&shared_memory);
}

static void
define_settings(void)
{
	if (process_shared_preload_libraries_in_progress)
		DefineCustomIntVariable("dynamo.stat_max_tables",
								"Maximum number of tables that statistics are kept of.",
								"Of all databases together. Requests on further tables are counted without a table. 0 keeps no statistics.",
								&stats_max_tables, 500, 0, 50000,
								PGC_POSTMASTER, 0, NULL, NULL, NULL);
	if (process_shared_preload_libraries_in_progress)
		DefineCustomIntVariable("dynamo.stat_max_key_sets",
								"Maximum number of tables and indexes whose hot keys are counted.",
								"Those that UpdateContributorInsights has enabled, in all databases together. 0 counts none.",
								&stats_max_key_sets, 16, 0, 1000,
								PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo.track_requests",
							 "Counts requests in the statistics.",
							 NULL,
							 &stats_track, true,
							 PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.log_min_duration_request",
							"Logs requests that take at least this long.",
							"-1 logs none, 0 all. What is in items and requests is not logged.",
							&stats_log_min_duration, -1, -1, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
}

static Size
measure_stats(void)
{
	return stats_max_tables == 0 ? 0 : stats_memory_size();
}

/*
 * The postmaster makes it, and reads what the last one has written; no other
 * process is there yet.
 */
static void
attach_stats(void *memory, int tranche, bool made)
{
	stats_memory = memory;
	if (made)
		stats_memory_make(tranche);
	if (IsUnderPostmaster)
		return;
	on_shmem_exit(write_at_end, (Datum) 0);
	if (made && !IsBinaryUpgrade)
		stats_file_read();
}

/*
 * Nothing is written unless the server has been shut down in order: as with
 * core's statistics, what comes next is a recovery, which begins anew.
 */
static void
write_at_end(int code, Datum arg)
{
	ControlFileData *control;
	bool		crc_is_good;

	if (code != 0 || stats_memory == NULL || IsBinaryUpgrade)
		return;
	control = get_controlfile(DataDir, &crc_is_good);
	if (crc_is_good && (control->state == DB_SHUTDOWNED ||
						control->state == DB_SHUTDOWNED_IN_RECOVERY))
		stats_file_write();
}
