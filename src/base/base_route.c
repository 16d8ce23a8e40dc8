/*-------------------------------------------------------------------------
 *
 * base_route.c
 *	  Requests whose rows are on another node of a cluster.
 *
 * As with a budget (base_budget.c), what is granted is for the next request
 * and for that one alone.  A request that leaves does so by an error, before
 * it has changed anything, and is sent to the other node as it came.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "base/base_route.h"
#include "miscadmin.h"

static DynamoRoute granted = DYNAMO_ROUTE_NONE;
static DynamoRoute current = DYNAMO_ROUTE_NONE;
static DynamoNode found;
static bool left = false;

static void note_node(const char *host, int port);

/*
 * How the next request reaches rows elsewhere.
 */
void
dynamo_route_grant(DynamoRoute route)
{
	granted = route;
}

/*
 * A request begins.  "routed" is whether it is executed where its rows are.
 */
void
dynamo_route_begin(bool routed)
{
	current = routed ? granted : DYNAMO_ROUTE_NONE;
	granted = DYNAMO_ROUTE_NONE;
	left = false;
}

/*
 * The request comes to its rows.  Does it matter on which node they are?  What
 * it calls from here on, such as triggers, reaches rows elsewhere as plain SQL
 * does.
 */
DynamoRoute
dynamo_route_take(void)
{
	DynamoRoute route = current;

	current = DYNAMO_ROUTE_NONE;
	return route;
}

/*
 * All rows of the request are on another node, and it has changed nothing.
 * Raises what has the request sent there, or tells the sender that this was
 * wrong.
 */
void
dynamo_route_to(DynamoRoute route, const char *host, int port)
{
	if (route == DYNAMO_ROUTE_OWNER)
		dynamo_rule_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_RULE_OWNER,
						  DYNAMO_UNAVAILABLE);
	note_node(host, port);

	/* No subtransaction of ours turns such an error into an answer. */
	ereport(ERROR,
			(errcode(ERRCODE_QUERY_CANCELED),
			 err_generic_string(PG_DIAG_CONSTRAINT_NAME, DYNAMO_RULE_ELSEWHERE),
			 errmsg("the rows are on another node")));
}

/*
 * The request can be executed on another node only, and has done nothing yet.
 * If this returns, it ends at once, and its runner asks that node.
 */
void
dynamo_route_leave(const char *host, int port)
{
	DynamoRoute route = dynamo_route_take();

	if (route != DYNAMO_ROUTE_NONE)
		dynamo_route_to(route, host, port);
	note_node(host, port);
	left = true;
}

bool
dynamo_route_left(void)
{
	return left;
}

static void
note_node(const char *host, int port)
{
	strlcpy(found.host, host, sizeof(found.host));
	found.port = port;
	strlcpy(found.role, GetUserNameFromId(GetUserId(), false),
			sizeof(found.role));
}

/*
 * Where the request was that has left last.
 */
const DynamoNode *
dynamo_route_found(void)
{
	return &found;
}
