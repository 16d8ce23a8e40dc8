/*-------------------------------------------------------------------------
 *
 * token.h
 *	  ClientRequestTokens of transactions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TOKEN_H
#define DYNAMO_TOKEN_H

#include "postgres.h"

#include "codec/codec.h"
#include "engine/engine.h"

/* A ClientRequestToken, and the n actions that it was sent with. */
typedef struct ClientToken
{
	const char *text;
	const json_t *items;
	int			n;
	bool		shared;			/* all nodes of a cluster know it */
	Oid			shard;			/* ... its row goes into this relation here;
								 * InvalidOid: by Citus */
} ClientToken;

/* token.c */
extern EngineAt token_use_shards(ClientToken *token, DynamoRequest *request,
								 EngineGet *places, int n, int32 *groups,
								 EngineTable ***tables);
extern bool token_replay(const ClientToken *token, int64 **sizes);
extern void token_keep(const ClientToken *token, const int64 *sizes);

/* token_own.c; in a transaction of its own */
extern void tokens_expire(void);

/* ... asked for by other nodes */
extern char *token_settle(const char *token, const char *role, int64 id);

/* token_note.c: the same, with an answer for them */
extern StringInfo token_note(const char *request);

/* token_shared.c: the same */
extern bool token_shared_lock(const char *token, const char *role);

#endif							/* DYNAMO_TOKEN_H */
