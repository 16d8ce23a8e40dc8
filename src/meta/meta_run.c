/*-------------------------------------------------------------------------
 *
 * meta_run.c
 *	  Running DDL statements, and what all DDL on relations needs to know.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/base_request.h"
#include "base/base_session.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dynamo_run);

/*
 * Run a statement whose every name is qualified.  Still no name inside it, or
 * inside someone's event trigger, is to be looked up in the caller's path.
 */
void
meta_run_ddl(const char *statement)
{
	(void) meta_query(statement, 0, NULL, NULL, NULL, NULL);
}

/*
 * Run a statement that Citus is to see, with one connection for each node.
 * Otherwise what it does could be invisible to the statements after it.
 * Values are those of meta_query().  The commit is to be on disk before Citus
 * tells other nodes to commit, whatever synchronous_commit is.
 */
void
meta_run_on_nodes(const char *statement, int nargs, Oid *types, Datum *values)
{
	int			nest_level = NewGUCNestLevel();

	dynamo_commit_first();
	(void) set_config_option("citus.multi_shard_modify_mode", "sequential",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) set_config_option("client_min_messages", "warning",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	(void) meta_query(statement, nargs, types, values, NULL, NULL);
	AtEOXact_GUC(true, nest_level);
}

/*
 * For the extension's script, which has no other way to run a statement that
 * it has put together.
 */
Datum
dynamo_run(PG_FUNCTION_ARGS)
{
	meta_run_ddl(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	PG_RETURN_VOID();
}

/*
 * Empty a relation of the extension, which the current user need not own.
 */
void
meta_truncate(Oid relid)
{
	DynamoUser	before;

	dynamo_become(&before, meta_relation_owner(relid), 0);
	meta_run_ddl(psprintf("TRUNCATE ONLY %s",
						  meta_relation_identity(relid)));
	dynamo_resume_user(&before);
}

Oid
meta_relation_owner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/*
 * A relation's name as SQL has it; NULL: it is gone.
 */
char *
meta_relation_identity(Oid relid)
{
	char	   *schema = get_namespace_name(get_rel_namespace(relid));
	char	   *name = get_rel_name(relid);

	return schema && name ? quote_qualified_identifier(schema, name) : NULL;
}
