/*-------------------------------------------------------------------------
 *
 * api_scatter.c
 *	  Batches whose items are on several nodes of a cluster: their parts.
 *
 * A part is a request of the same operation about the items of one node.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "shard/shard.h"

/*
 * The request leaves in parts, one for each node of its n items, which are in
 * these groups of Citus.  "append" appends a value for RequestItems with some of the
 * items; "rest" are the other members, each after a comma.
 */
void
api_scatter(DynamoRequest *request, const EngineGet *items,
			const int32 *groups, int n, const char *rest,
			void (*append) (StringInfo out, const bool *chosen, void *arg),
			void *arg)
{
	MemoryContext old = MemoryContextSwitchTo(request->context);
	bool	   *chosen = palloc(sizeof(bool) * n);
	bool	   *left = palloc(sizeof(bool) * n);
	int32		own_group = shard_node_group();

	memset(left, true, sizeof(bool) * n);
	for (int i = 0; i < n; i++)
	{
		DynamoPart *part;

		if (!left[i])
			continue;
		for (int k = 0; k < n; k++)
		{
			chosen[k] = left[k] && groups[k] == groups[i];
			if (chosen[k])
				left[k] = false;
		}
		part = palloc(sizeof(DynamoPart));
		engine_node_of(&items[i], &part->node);
		part->here = groups[i] == own_group;
		part->items = makeStringInfo();
		append(part->items, chosen, arg);
		part->rest = pstrdup(rest);
		request->parts = lappend(request->parts, part);
	}
	MemoryContextSwitchTo(old);
}
