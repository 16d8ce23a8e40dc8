/*-------------------------------------------------------------------------
 *
 * http_digest.c
 *	  SHA-256 and HMAC-SHA-256 for signatures.
 *
 * A request's signature takes four digests of a few hundred bytes, and where
 * OpenSSL computes them most of the time goes into making its contexts.  So
 * one context is made for the life of the process, under a resource owner of
 * its own, and HMAC (RFC 2104) is done with it by hand.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "http/http_internal.h"
#include "utils/resowner.h"

#define BLOCK	64

static void sha256(const void *first, size_t first_len, const void *second,
				   size_t second_len, uint8 *result);
static pg_cryptohash_ctx *context(void);

void
http_sha256(const void *data, size_t len, uint8 *result)
{
	sha256(data, len, NULL, 0, result);
}

/*
 * "result" may be "key".
 */
void
http_hmac(const uint8 *key, size_t key_len, const void *data, size_t len,
		  uint8 *result)
{
	uint8		hashed_key[HTTP_SHA256_LENGTH];
	uint8		inner[BLOCK];
	uint8		outer[BLOCK];
	uint8		hash[HTTP_SHA256_LENGTH];

	if (key_len > BLOCK)
	{
		http_sha256(key, key_len, hashed_key);
		key = hashed_key;
		key_len = sizeof(hashed_key);
	}
	memset(inner, 0x36, BLOCK);
	memset(outer, 0x5c, BLOCK);
	for (size_t i = 0; i < key_len; i++)
	{
		inner[i] ^= key[i];
		outer[i] ^= key[i];
	}
	sha256(inner, BLOCK, data, len, hash);
	sha256(outer, BLOCK, hash, sizeof(hash), result);
}

/*
 * Of two pieces; the second may be empty.
 */
static void
sha256(const void *first, size_t first_len, const void *second,
	   size_t second_len, uint8 *result)
{
	pg_cryptohash_ctx *hash = context();

	if (pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, first, first_len) < 0 ||
		(second_len > 0 &&
		 pg_cryptohash_update(hash, second, second_len) < 0) ||
		pg_cryptohash_final(hash, result, HTTP_SHA256_LENGTH) < 0)
		elog(ERROR, "could not compute a SHA-256 hash: %s",
			 pg_cryptohash_error(hash));
}

static pg_cryptohash_ctx *
context(void)
{
	static pg_cryptohash_ctx *hash = NULL;

	if (hash == NULL)
	{
		ResourceOwner old = CurrentResourceOwner;

		CurrentResourceOwner = ResourceOwnerCreate(NULL, "dynamo http");
		hash = pg_cryptohash_create(PG_SHA256);
		CurrentResourceOwner = old;
	}
	return hash;
}
