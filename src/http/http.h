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

/* http_key_use.c: in a transaction of maintenance */
extern void http_drop_orphan_keys(void);

#endif							/* DYNAMO_HTTP_H */
