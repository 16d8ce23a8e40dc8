/*-------------------------------------------------------------------------
 *
 * journal_recovery.c
 *	  Enabling and disabling point-in-time recovery: the row
 *	  (journal_row.c) and the triggers on the relation
 *	  (schema_capture.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/trigger.h"
#include "journal/journal_internal.h"
#include "miscadmin.h"
#include "schema/schema_row.h"
#include "storage/lmgr.h"
#include "utils/timestamp.h"

static bool is_distributed(const char *table);
static void change_days(const RecoveryDef *recovery, int days);

void
journal_enable(const char *table, int days)
{
	const TableDef *def = schema_find_table(table);
	int32		id;

	if (days < 1 || days > JOURNAL_MAX_DAYS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the period of point-in-time recovery is 1 to %d days, not %d",
						JOURNAL_MAX_DAYS, days)));
	schema_lock_name(table);
	if (is_distributed(table))
		schema_refuse_distributed(schema_find_table(table),
								  "have point-in-time recovery");
	def = schema_open_own_table(table, ShareUpdateExclusiveLock);
	if (def->recovery != NULL)
	{
		change_days(def->recovery, days);
		return;
	}

	/* Every change after this transaction is in the journal: wait for all. */
	def = schema_open_own_table(table, ShareRowExclusiveLock);
	schema_begin_capture(def);
	id = journal_row_insert(def, days);
	journal_begin_window(id, GetCurrentTimestamp(),
						 GetTopFullTransactionId());
	schema_definition_changed(def->relid);
	if (schema_callbacks.start_marker)
		dynamo_at_commit(schema_callbacks.start_marker);
}

void
journal_disable(const char *table)
{
	const TableDef *def;

	schema_lock_name(table);
	if (is_distributed(table))
		return;
	def = schema_open_own_table(table, AccessExclusiveLock);
	if (def->recovery == NULL)
		return;
	journal_row_delete(def->relid);
	if (def->stream == NULL && def->replication == NULL)
		schema_end_capture(def->relid);
	schema_definition_changed(def->relid);
}

/*
 * Is it a distributed table, of the current user's?  Such a table cannot have
 * what is enabled and disabled here, whatever the node.  The caller has locked
 * its name.
 */
static bool
is_distributed(const char *table)
{
	const TableDef *def = schema_find_table(table);

	if (def == NULL || !def->distributed)
		return false;
	schema_check_owner(def);
	return true;
}

void
journal_end(Oid relid)
{
	journal_row_set_ended(relid, GetCurrentTimestamp());
	schema_end_capture(relid);
	schema_definition_changed(relid);
}

/*
 * Begin the windows of tables that were restored from a dump.  Nobody may be
 * at work who has not seen that changes are to be noted.
 */
void
journal_begin_restored(void)
{
	ListCell   *lc;

	PreventCommandIfReadOnly("beginning point-in-time recovery");
	PreventCommandIfParallelMode("beginning point-in-time recovery");
	foreach(lc, journal_list())
	{
		const RecoveryDef *recovery = lfirst(lc);
		JournalWindow window;

		if (recovery->ended_at != 0 ||
			journal_find_window(recovery->id, &window))
			continue;
		LockRelationOid(recovery->relid, ShareRowExclusiveLock);
		if (journal_find(recovery->relid) == NULL ||
			journal_find_window(recovery->id, &window) ||
			!OidIsValid(get_trigger_oid(recovery->relid,
										SCHEMA_STREAM_TRIGGER, true)))
			continue;
		journal_begin_window(recovery->id, GetCurrentTimestamp(),
							 GetTopFullTransactionId());
	}
}

/*
 * Begin the window of a table anew, since the clock was set back.
 */
void
journal_begin_anew(const RecoveryDef *recovery, TimestampTz now)
{
	journal_begin_window(recovery->id, now, GetTopFullTransactionId());
	if (recovery->kept_from > now)
		journal_row_set_days(recovery->relid, recovery->days, now);
}

/*
 * A shorter period takes effect at once, a longer one as time goes by: what was
 * not promised before is gone.
 */
static void
change_days(const RecoveryDef *recovery, int days)
{
	TimestampTz kept = GetCurrentTimestamp() -
		Min(days, recovery->days) * USECS_PER_DAY;

	journal_row_set_days(recovery->relid, days,
						 Max(kept, recovery->kept_from));
	schema_definition_changed(recovery->relid);
}
