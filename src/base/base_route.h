/*-------------------------------------------------------------------------
 *
 * base_route.h
 *	  Requests whose rows are on another node of a cluster.
 *
 * A process that serves many clients lets a request leave for the node that
 * has its rows (src/http), or a batch in parts for the nodes that have them.  That node is asked as the owner, and says so if it
 * is not, or no longer.  All others reach rows elsewhere as plain SQL does.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_ROUTE_H
#define DYNAMO_BASE_ROUTE_H

#include "postgres.h"

#include "base/compat.h"
#include "lib/stringinfo.h"

#define DYNAMO_MAX_HOST	255

typedef enum DynamoRoute
{
	DYNAMO_ROUTE_NONE,			/* rows elsewhere are reached from here */
	DYNAMO_ROUTE_AWAY,			/* the request may leave, or its parts */
	DYNAMO_ROUTE_PARTS,			/* it has to leave in parts, if only in one */
	DYNAMO_ROUTE_OWNER			/* it has come here as to the owner */
} DynamoRoute;

/* A node, and who asks it. */
typedef struct DynamoNode
{
	char		host[DYNAMO_MAX_HOST + 1];
	int			port;
	char		role[NAMEDATALEN];
	Oid			role_oid;		/* here: its name may become another's */
} DynamoNode;

/*
 * What a node is to do of a batch: "items" is a value for RequestItems, and
 * "rest" the other members of the request, each after a comma.
 */
typedef struct DynamoPart
{
	DynamoNode	node;
	bool		here;			/* it is this one */
	StringInfo	items;
	const char *rest;
} DynamoPart;

/*
 * What the node that has a ClientRequestToken's row has noted of a request: the
 * node that executes it.  "id" is another one each time that the row is a new
 * one; 0: nothing is noted.
 */
typedef struct DynamoClaim
{
	int64		id;
	int64		noted_at;		/* by that node's clock */
	int32		group;			/* Citus' number of the node that executes */
} DynamoClaim;

struct DynamoRequest;

extern void dynamo_route_refuse(void) pg_attribute_noreturn();
extern DynamoRoute dynamo_route_take(struct DynamoRequest *request);
extern void dynamo_node_init(DynamoNode *node, const char *host, int port);
extern void dynamo_route_to(DynamoRoute route, struct DynamoRequest *request,
							const char *host, int port);
extern void dynamo_route_leave(struct DynamoRequest *request, const char *host,
							   int port);

#endif							/* DYNAMO_BASE_ROUTE_H */
