/*-------------------------------------------------------------------------
 *
 * shard_owner.c
 *	  Queries on tables of the extension, for roles that have no rights on
 *	  them.
 *
 * The queries are ours.  Citus runs them where the rows are, in a session of the
 * owner's.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_session.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"

static const DynamoColumn nodes_columns[] = {{INT4OID, true}};
static DynamoMember nodes_member = DYNAMO_INTERNAL_TABLE("nodes", nodes_columns);

/*
 * The table by which definitions are sent.
 */
Oid
shard_nodes(void)
{
	return dynamo_member_get(&nodes_member);
}

uint64
shard_run_as_owner(const char *query, int nargs, Oid *types, Datum *values,
				   MetaTakeRow take, void *arg)
{
	DynamoUser	before;
	uint64		n;

	dynamo_become(&before, meta_relation_owner(shard_nodes()), 0);
	n = meta_query(query, nargs, types, values, take, arg);
	dynamo_resume_user(&before);
	return n;
}
