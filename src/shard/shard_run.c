/*-------------------------------------------------------------------------
 *
 * shard_run.c
 *	  Statements that Citus runs on all nodes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_request.h"
#include "meta/meta.h"
#include "peer/peer.h"
#include "shard/shard.h"
#include "utils/guc.h"

/*
 * Run a statement that Citus is to see, with one connection for each node.
 * Otherwise what it does could be invisible to the statements after it.
 * Values are those of meta_query().  The commit is to be on disk before Citus
 * tells other nodes to commit, whatever synchronous_commit is.  And a shard that
 * is made is on one node, however many copies are set: it has one owner.
 */
void
shard_run_on_nodes(const char *statement, int nargs, Oid *types, Datum *values)
{
	MemoryContext context = CurrentMemoryContext;
	int			nest_level = NewGUCNestLevel();

	dynamo_commit_first();
	(void) set_config_option("citus.multi_shard_modify_mode", "sequential",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) set_config_option("citus.shard_replication_factor", "1",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) set_config_option("client_min_messages", "warning",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	peer_note_asker();
	PG_TRY();
	{
		(void) meta_query(statement, nargs, types, values, NULL, NULL);
	}
	PG_CATCH();
	{
		dynamo_rethrow_from_nodes(context);
	}
	PG_END_TRY();
	AtEOXact_GUC(true, nest_level);
}

/*
 * "take" gets the value of an expression on the node that has the partition key
 * $1, where Citus sends the statement.  It has a row whether the key is there or
 * not.
 */
void
shard_run_at_key(const TableDef *def, const char *expression, int nargs,
				 Oid *types, Datum *values, MetaTakeRow take, void *arg)
{
	MemoryContext context = CurrentMemoryContext;

	peer_note_asker();
	PG_TRY();
	{
		(void) meta_query(psprintf("SELECT %s FROM "
								   "(SELECT pg_catalog.count(*) FROM "
								   "(SELECT FROM %s WHERE pk OPERATOR(pg_catalog.=) $1 LIMIT 1) AS one) AS n",
								   expression,
								   meta_relation_identity(def->relid)),
						  nargs, types, values, take, arg);
	}
	PG_CATCH();
	{
		dynamo_rethrow_from_nodes(context);
	}
	PG_END_TRY();
}
