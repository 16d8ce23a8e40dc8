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
#include "utils/builtins.h"

static const DynamoColumn nodes_columns[] = {{INT4OID, true}};
static DynamoMember nodes_member = DYNAMO_INTERNAL_TABLE("nodes", nodes_columns);

static const DynamoColumn tokens_columns[] = {
	{TEXTOID, true}, {TEXTOID, true}, {BYTEAOID, true}, {INT8ARRAYOID, true},
	{TIMESTAMPTZOID, true}
};
static DynamoMember tokens_member = DYNAMO_INTERNAL_TABLE("shared_tokens", tokens_columns);

/*
 * The table by which definitions are sent.
 */
Oid
shard_nodes(void)
{
	return dynamo_member_get(&nodes_member);
}

/*
 * The table of tokens that all nodes know.
 */
Oid
shard_tokens(void)
{
	return dynamo_member_get(&tokens_member);
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

/*
 * What a node gives for a query of one value, in a transaction of its own, as
 * the owner; NULL: it does not answer, or refuses to, or Citus does not know it.
 */
char *
shard_ask_group_as_owner(int32 group, const char *query)
{
	DynamoUser	before;
	const char *host;
	int			port;
	char	   *answer = NULL;

	dynamo_become(&before, meta_relation_owner(shard_nodes()), 0);
	if (shard_group_node(group, &host, &port))
		answer = shard_ask_node(host, port, query);
	dynamo_resume_user(&before);
	return answer;
}

/*
 * Is a backup of a distributed table still to be made by another node, which has been
 * asked for it?  The coordinator asks, who drops such tables.  A node that does not
 * answer makes none now.
 */
bool
shard_backs_up(const char *table)
{
	Oid			types[] = {TEXTOID};
	Datum		values[] = {CStringGetTextDatum(table)};

	return shard_is_coordinator() &&
		shard_run_as_owner("SELECT FROM pg_catalog.pg_dist_node AS n, LATERAL pg_catalog.master_run_on_worker("
						   "ARRAY[n.nodename], ARRAY[n.nodeport], ARRAY[pg_catalog.format("
						   "'SELECT pg_catalog.count(*) FROM dynamo_internal.jobs AS j WHERE j.kind OPERATOR(pg_catalog.=) ''B'' "
						   "AND j.ended_at IS NULL AND j.table_name OPERATOR(pg_catalog.=) %L', $1)], false) AS a "
						   "WHERE n.noderole = 'primary'::noderole AND n.groupid <> 0 AND a.success AND a.result <> '0'",
						   lengthof(types), types, values, NULL, NULL) > 0;
}
