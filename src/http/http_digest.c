/*-------------------------------------------------------------------------
 *
 * http_digest.c
 *	  SHA-256 and HMAC-SHA-256 for signatures.
 *
 * A request's signature takes four digests of a few hundred bytes.  OpenSSL
 * spends more on finding the algorithm each time a digest begins, as core's
 * pg_cryptohash_init() has it do, than on computing them.  So where there is
 * OpenSSL we ask it ourselves: one context is made for the life of the
 * process, and only begun anew.  HMAC (RFC 2104) is done with it by hand.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#ifdef USE_OPENSSL
#include <openssl/evp.h>
#endif

#include "common/cryptohash.h"
#include "http/http_internal.h"
#include "utils/memutils.h"

#define BLOCK	64

static void sha256(const void *first, size_t first_len, const void *second,
				   size_t second_len, uint8 *result);

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
#ifdef USE_OPENSSL
static void
sha256(const void *first, size_t first_len, const void *second,
	   size_t second_len, uint8 *result)
{
	static EVP_MD_CTX *hash = NULL;
	const EVP_MD *algorithm = NULL; /* that of the last time */

	if (hash == NULL)
	{
		hash = EVP_MD_CTX_new();
		algorithm = EVP_sha256();
	}
	if (hash == NULL ||
		!EVP_DigestInit_ex(hash, algorithm, NULL) ||
		!EVP_DigestUpdate(hash, first, first_len) ||
		!EVP_DigestUpdate(hash, second, second_len) ||
		!EVP_DigestFinal_ex(hash, result, NULL))
		elog(ERROR, "could not compute a SHA-256 hash");
}
#else
static void
sha256(const void *first, size_t first_len, const void *second,
	   size_t second_len, uint8 *result)
{
	static pg_cryptohash_ctx *hash = NULL;

	if (hash == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		hash = pg_cryptohash_create(PG_SHA256);
		MemoryContextSwitchTo(old);
	}
	if (pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, first, first_len) < 0 ||
		pg_cryptohash_update(hash, second, second_len) < 0 ||
		pg_cryptohash_final(hash, result, HTTP_SHA256_LENGTH) < 0)
		elog(ERROR, "could not compute a SHA-256 hash: %s",
			 pg_cryptohash_error(hash));
}
#endif
