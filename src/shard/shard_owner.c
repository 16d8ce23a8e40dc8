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
#include "miscadmin.h"
#include "shard/shard_internal.h"

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
