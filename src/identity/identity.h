/*-------------------------------------------------------------------------
 *
 * identity.h
 *	  Who sends a request: access keys, signatures, and the roles that may be
 *	  served.  Knows requests as far as they are signed, and no connection.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_IDENTITY_H
#define DYNAMO_IDENTITY_H

#include "postgres.h"

#include "base/base.h"
#include "utils/timestamp.h"

/*
 * identity_key.c
 */

/* What an id may be at most, as on AWS. */
#define IDENTITY_ID_LENGTH	128

/* An access key, as the process remembers it. */
typedef struct IdentityKey
{
	char		id[IDENTITY_ID_LENGTH + 1]; /* hash key */
	Oid			role;
	TimestampTz expires_at;		/* DT_NOEND: never */
	TimestampTz noted;			/* when its use was last put on record */
	char	   *secret;
	char		date[9];		/* of the signing key below, or empty */
	char		region[64];
	const char *service;
	uint8		signing_key[DYNAMO_SHA256_LENGTH];
} IdentityKey;

/* Is the table of keys there?  In a transaction, as all below */
extern bool identity_keys_exist(void);

/*
 * The key of that name, if it is good now: NULL if not.  It stays until the next
 * transaction.
 */
extern IdentityKey *identity_find_key(const char *id);
extern bool identity_key_exists(const char *id);
extern void identity_key_drop_orphans(void);

/*
 * identity_key_use.c: a request has proved to know the key's secret; between
 * requests, write that down.  The latter takes a transaction of its own, and
 * reports errors to the log.
 */
extern void identity_key_used(IdentityKey *key);
extern void identity_key_use_settle(void);

/* In a transaction of maintenance: keys of roles that are gone */
extern void identity_drop_orphans(void);

/*
 * identity_role.c: LOGIN; the same, and VALID UNTIL and a limit of connections
 * other than 0; may it connect to this database?  The last raises 42501.
 */
extern bool identity_role_may_log_in(Oid role);
extern bool identity_role_is_open(Oid role);
extern void identity_role_check_connect(Oid role);

/*
 * identity_sigv4.c
 */

/* What is called for each header; it raises no error */
typedef void (*IdentityHeader) (void *arg, const char *name, size_t namelen,
								const char *value);

/*
 * What of a request is signed.  The hash of its body may have been computed, or
 * begun, while it came; afterwards it has been, and "hasher" is NULL.
 */
typedef struct IdentityRequest
{
	const char *method;
	const char *uri;			/* path and query as sent */
	const char *body;			/* as sent; NULL: there is none */
	size_t		body_len;
	void	  **hasher;			/* dynamo_sha256_begin()'s, or NULL there */
	bool	   *hashed;
	uint8	   *hash;			/* SHA-256 */
	const char *region;			/* that it must be signed for; "*": any */
	void		(*each_header) (void *request, IdentityHeader visit, void *arg);
	void	   *request;		/* for that */
} IdentityRequest;

/* Why not, in the service's words: in the current context */
typedef struct IdentityRefusal
{
	DynamoException exception;
	const char *message;
} IdentityRefusal;

/* Services that requests are signed for; told apart by their addresses. */
extern const char identity_dynamodb[];

extern bool identity_authenticate(const IdentityRequest *request,
								  const char *service, Oid *role,
								  IdentityRefusal *refusal);

/* A part of a URI without its %XX, in the current context */
extern char *identity_decode(const char *text, size_t len);

#endif							/* DYNAMO_IDENTITY_H */
