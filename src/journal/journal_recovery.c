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
#include "base/base_extension.h"
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "journal/journal_internal.h"
#include "miscadmin.h"
#include "schema/schema_row.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

JournalCluster journal_cluster;

/* What takes moments of a cluster, by the name of one. */
static const DynamoColumn moment_name[] = {{UUIDOID}};
static DynamoMember take_moment = DYNAMO_FUNCTION("take_moment", moment_name);

static void check_days(int days);
static void check_moments(void);
static void begin(const TableDef *def, int days);
static void change_days(const RecoveryDef *recovery, int days);
static bool is_restored(const RecoveryDef *recovery);
static void begin_restored(Oid relid);

void
journal_enable(const char *table, int days)
{
	const TableDef *def;

	check_days(days);
	schema_lock_name(table);
	def = schema_open_own_table(table, ShareUpdateExclusiveLock);
	if (def->recovery != NULL)
	{
		change_days(def->recovery, days);
		return;
	}

	/* Every change after this transaction is in the journal: wait for all. */
	def = schema_open_own_table(table, ShareRowExclusiveLock);
	if (def->distributed)
	{
		check_moments();
		schema_check_watched(def);
		journal_cluster.lock(def, ShareRowExclusiveLock);
	}
	else
		schema_begin_capture(def);
	begin(def, days);
	schema_definition_changed(def->relid);
	if (def->distributed && journal_cluster.begun)
		dynamo_at_commit(journal_cluster.begun);
}

/*
 * The journal of all tables is kept for as long as one of them asks for.
 */
static void
check_days(int days)
{
	if (days < 1 || days > JOURNAL_MAX_DAYS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the period of point-in-time recovery is 1 to %d days, not %d",
						JOURNAL_MAX_DAYS, days)));
}

/*
 * An error: the SQL objects of an older version have no place for moments, and
 * nodes may have its library, which notes no changes of such a table.
 */
static void
check_moments(void)
{
	if (!OidIsValid(dynamo_member_find(&take_moment)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("point-in-time recovery of distributed tables needs the SQL objects of this version of dynamo"),
				 errhint("Run ALTER EXTENSION dynamo UPDATE.")));
}

/*
 * The caller keeps all writers away.
 */
static void
begin(const TableDef *def, int days)
{
	int32		id = journal_row_insert(def, days);

	journal_begin_window(id, GetCurrentTimestamp(),
						 GetTopFullTransactionId());
	if (schema_callbacks.start_marker)
		dynamo_at_commit(schema_callbacks.start_marker);
}

void
journal_disable(const char *table)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessExclusiveLock);
	if (def->recovery == NULL)
		return;
	if (def->distributed)
		journal_cluster.lock(def, AccessExclusiveLock);
	journal_row_delete(def->relid);
	if (def->stream == NULL && def->replication == NULL && !def->distributed)
		schema_end_capture(def->relid);
	schema_definition_changed(def->relid);
}

/*
 * The row and the window are this node's own: a moment is of use if this node's
 * part of it sees the transaction that begins recovery here, which is this one.
 */
void
journal_follow(const TableDef *def, int days,
			   void (*lock) (const TableDef *def, int lockmode))
{
	const RecoveryDef *recovery = journal_find(def->relid);

	if (days != 0)
		check_days(days);
	if (recovery == NULL && days > 0)
	{
		lock(def, ShareRowExclusiveLock);
		begin(def, days);
	}
	else if (recovery != NULL && days == 0)
	{
		lock(def, AccessExclusiveLock);
		journal_row_delete(def->relid);
	}
	else if (recovery != NULL && recovery->days != days)
		change_days(recovery, days);
}

/*
 * Forget the recovery of relations that are gone without a word: Citus makes
 * those of distributed tables anew.
 */
void
journal_forget_lost(void)
{
	ListCell   *lc;

	foreach(lc, journal_list())
	{
		const RecoveryDef *recovery = lfirst(lc);

		if (get_rel_name(recovery->relid) == NULL)
			journal_row_delete(recovery->relid);
	}
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

		if (is_restored(recovery))
			begin_restored(recovery->relid);
	}
}

/*
 * The same of the first such table whose OID is greater than *relid, which is
 * its OID then, even if it cannot be locked.  Stays as it is if there is none.
 * For the background, in a transaction of its own.
 */
void
journal_begin_next(Oid *relid)
{
	Oid			next = InvalidOid;
	ListCell   *lc;

	foreach(lc, journal_list())
	{
		const RecoveryDef *recovery = lfirst(lc);

		if (recovery->relid > *relid &&
			(!OidIsValid(next) || recovery->relid < next) &&
			is_restored(recovery))
			next = recovery->relid;
	}
	if (!OidIsValid(next))
		return;
	*relid = next;
	begin_restored(next);
}

/*
 * Has it no window?  A table whose rows are still being restored has no trigger
 * yet, and its lock is not asked for.
 */
static bool
is_restored(const RecoveryDef *recovery)
{
	JournalWindow window;

	return recovery->ended_at == 0 &&
		!journal_find_window(recovery->id, &window) &&
		OidIsValid(get_trigger_oid(recovery->relid, SCHEMA_STREAM_TRIGGER,
								   true));
}

static void
begin_restored(Oid relid)
{
	const RecoveryDef *recovery;

	LockRelationOid(relid, ShareRowExclusiveLock);
	recovery = journal_find(relid);
	if (recovery != NULL && is_restored(recovery))
		journal_begin_window(recovery->id, GetCurrentTimestamp(),
							 GetTopFullTransactionId());
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
