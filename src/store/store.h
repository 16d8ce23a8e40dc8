/*-------------------------------------------------------------------------
 *
 * store.h
 *	  What is known of stores that speak S3 without talking to one: endpoints,
 *	  addresses, documents.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_STORE_H
#define DYNAMO_STORE_H

#include "postgres.h"

#include <sys/socket.h>

#define STORE_MAX_HOST	253		/* bytes of a name in DNS */

/* Where a store is: what a URL says before its path. */
typedef struct StoreEndpoint
{
	bool		tls;
	char		host[STORE_MAX_HOST + 1];	/* in small letters; of IPv6 with
											 * brackets */
	int			port;
} StoreEndpoint;

/* store_endpoint.c */

extern void store_endpoint_init(void);

extern bool store_endpoint_read(const char *url, StoreEndpoint *endpoint);

extern bool store_endpoint_allowed(const StoreEndpoint *endpoint);
extern bool store_endpoint_is_loopback(const StoreEndpoint *endpoint);
extern bool store_endpoint_is_address(const StoreEndpoint *endpoint);

extern char *store_endpoint_url(const StoreEndpoint *endpoint,
								const char *bucket);

extern bool store_address_allowed(const struct sockaddr *address,
								  bool loopback);

/*
 * store_xml.c: what stands in documents of stores.
 *
 * "element" is called at the end of each element, with its name, that of the one
 * it is in, and its text: NULL, if it has others in it.  False ends the reading.
 * It may not raise errors, nor take memory of ours.
 */
typedef bool (*StoreElement) (void *arg, const char *parent, const char *name,
							  const char *text);

typedef struct StoreXml StoreXml;

extern StoreXml *store_xml_begin(StoreElement element, void *arg);

extern bool store_xml_add(StoreXml *xml, const char *text, size_t len,
						  bool last);

extern void store_xml_end(StoreXml *xml);

#endif							/* DYNAMO_STORE_H */
