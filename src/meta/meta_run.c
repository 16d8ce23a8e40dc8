/*-------------------------------------------------------------------------
 *
 * meta_run.c
 *	  Running DDL statements, and what all DDL on relations needs to know.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/base_session.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "utils/builtins.h"
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
