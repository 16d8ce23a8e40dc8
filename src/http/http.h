/*-------------------------------------------------------------------------
 *
 * http.h
 *	  DynamoDB's wire protocol, served by background workers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_HTTP_H
#define DYNAMO_HTTP_H

/* http_launcher.c: settings, and the launcher when the server preloads us */
extern int	http_init(void);	/* how many processes it needs */

#endif							/* DYNAMO_HTTP_H */
