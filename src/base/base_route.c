/*-------------------------------------------------------------------------
 *
 * base_route.c
 *	  Requests whose rows are on another node of a cluster.
 *
 * A request leaves before it has changed anything, and is sent to the other
 * node as it came.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "base/base_request.h"
#include "miscadmin.h"

/*
 * The request comes to its rows.  Does it matter on which node they are?  What
 * it does from here on reaches rows elsewhere as plain SQL does.
 */
DynamoRoute
dynamo_route_take(DynamoRequest *request)
{
	DynamoRoute route;

	if (request == NULL)
		return DYNAMO_ROUTE_NONE;
	route = request->route;
	request->route = DYNAMO_ROUTE_NONE;
	return route;
}

/*
 * All rows of the request are on another node, and it has changed nothing.  If
 * this returns, it ends at once, and the door it came by has that node execute
 * it. A node that was asked as the owner raises that this was wrong.
 */
void
dynamo_route_to(DynamoRoute route, DynamoRequest *request, const char *host,
				int port)
{
	if (route == DYNAMO_ROUTE_OWNER)
		dynamo_route_refuse();
	request->elsewhere = MemoryContextAlloc(request->context,
											sizeof(DynamoNode));
	dynamo_node_init(request->elsewhere, host, port);
}

/*
 * This node was asked for what it cannot do, and has done nothing.
 */
void
dynamo_route_refuse(void)
{
	dynamo_rule_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_RULE_OWNER,
					  DYNAMO_UNAVAILABLE);
}

/*
 * A node that the current user asks.
 */
void
dynamo_node_init(DynamoNode *node, const char *host, int port)
{
	strlcpy(node->host, host, sizeof(node->host));
	node->port = port;
	node->role_oid = GetUserId();
	strlcpy(node->role, GetUserNameFromId(node->role_oid, false),
			sizeof(node->role));
}

/*
 * The same for a request that only another node can execute, by whichever door
 * it came.
 */
void
dynamo_route_leave(DynamoRequest *request, const char *host, int port)
{
	dynamo_route_to(dynamo_route_take(request), request, host, port);
}
