/*-------------------------------------------------------------------------
 *
 * token_internal.h
 *	  What the files of this folder share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TOKEN_INTERNAL_H
#define DYNAMO_TOKEN_INTERNAL_H

#include "postgres.h"

#include "access/htup.h"
#include "base/base_request.h"
#include "token/token.h"
#include "utils/array.h"
#include "utils/timestamp.h"

#define TOKEN_LIFETIME		(10 * USECS_PER_MINUTE)

/*
 * What is noted of a token stays longer than what stands for the writes: it is
 * noted anew when it is older than the first, and is of no use for the node that
 * executes when it is older than the second.
 */
#define TOKEN_NOTE_LIFETIME	(2 * TOKEN_LIFETIME)
#define TOKEN_NOTE_RENEWED	(1 * USECS_PER_MINUTE)
#define TOKEN_NOTE_GOOD		(5 * USECS_PER_MINUTE)
#define TOKEN_NOTE_LENGTH	(DYNAMO_SHA256_LENGTH + sizeof(int64) + sizeof(int32))

/* What token_settle() says if the request was not executed. */
#define TOKEN_BUSY			"busy"
#define TOKEN_CLOSED		"closed"

/* What is kept for a token. */
typedef struct TokenRow
{
	bytea	   *request;		/* a digest */
	ArrayType  *sizes;			/* of int8 */
	TimestampTz created_at;
} TokenRow;

/* token_own.c */
extern const TokenRow *token_own_claim(const char *token);
extern void token_own_store(const char *token, const TokenRow *row);
extern bool token_own_is_closed(const TokenRow *row);
extern char *token_own_name(const char *token, int64 id);

/* token_note.c */
extern char *token_note_text(const char *token, const bytea *digest,
							 int32 group);
extern const TokenRow *token_note_claim(Oid shard, const char *token);
extern void token_note_store(Oid shard, const char *token,
							 const TokenRow *row);

/* token_shared.c */
extern bool token_shared_claim(const char *token, List **rows);
extern void token_shared_store(const char *token, const TokenRow *row);
extern bool token_shared_is_past(const TokenRow *row);
extern bytea *token_shared_write_claim(const char *digest,
									   const DynamoClaim *claim);
extern bool token_shared_read_claim(const TokenRow *row, DynamoClaim *claim);
extern void token_shared_expire(void);
extern void token_reach_disk(HeapTuple row);
extern void token_refuse_second(void) pg_attribute_noreturn();

#endif							/* DYNAMO_TOKEN_INTERNAL_H */
