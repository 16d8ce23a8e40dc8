/*-------------------------------------------------------------------------
 *
 * journal_init.c
 *	  Point-in-time recovery follows the definitions of its tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "journal/journal_internal.h"

static void read_recovery(TableDef *def);
static bool captures(Oid relid);

void
journal_init(void)
{
	static const SchemaFollower follower = {
		.read = read_recovery,
		.dropped = journal_row_delete,
		.captures = captures
	};

	journal_ledger_init(journal_mark_if_due, journal_mark_set_back);
	schema_follow(&follower);
}

static void
read_recovery(TableDef *def)
{
	def->recovery = journal_find(def->relid);
}

static bool
captures(Oid relid)
{
	const RecoveryDef *recovery = journal_find(relid);

	return recovery != NULL && recovery->ended_at == 0;
}
