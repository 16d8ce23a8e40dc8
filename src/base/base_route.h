/*-------------------------------------------------------------------------
 *
 * base_route.h
 *	  Requests whose rows are on another node of a cluster.
 *
 * A process that serves many clients lets a request leave for the node that
 * has its rows (src/http).  That node is asked as the owner, and says so if it
 * is not, or no longer.  All others reach rows elsewhere as plain SQL does.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_ROUTE_H
#define DYNAMO_BASE_ROUTE_H

#include "postgres.h"

#include "base/compat.h"

#define DYNAMO_MAX_HOST	255

typedef enum DynamoRoute
{
	DYNAMO_ROUTE_NONE,			/* rows elsewhere are reached from here */
	DYNAMO_ROUTE_AWAY,			/* the request may leave */
	DYNAMO_ROUTE_OWNER			/* it has come here as to the owner */
} DynamoRoute;

/* A node, and who asks it. */
typedef struct DynamoNode
{
	char		host[DYNAMO_MAX_HOST + 1];
	int			port;
	char		role[NAMEDATALEN];
} DynamoNode;

extern void dynamo_route_grant(DynamoRoute route);
extern void dynamo_route_begin(bool routed);
extern DynamoRoute dynamo_route_take(void);
extern void dynamo_route_to(DynamoRoute route, const char *host, int port)
			pg_attribute_noreturn();
extern void dynamo_route_leave(const char *host, int port);
extern bool dynamo_route_left(void);
extern const DynamoNode *dynamo_route_found(void);

#endif							/* DYNAMO_BASE_ROUTE_H */
