/*-------------------------------------------------------------------------
 *
 * http_digest.c
 *	  SHA-256 and HMAC-SHA-256 for signatures.
 *
 * A request's signature takes four digests of a few hundred bytes.  Core's
 * pg_cryptohash_init() has OpenSSL look the algorithm up each time, which
 * takes longer than the digest itself.  GnuTLS, which HTTPS needs anyway, goes
 * on with a handle that was used before, so one is made for the life of the
 * process.  HMAC (RFC 2104) is done with it by hand.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <gnutls/crypto.h>

#include "http/http_internal.h"

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
static void
sha256(const void *first, size_t first_len, const void *second,
	   size_t second_len, uint8 *result)
{
	static gnutls_hash_hd_t hash = NULL;

	if (hash == NULL && gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) < 0)
		elog(ERROR, "could not make a SHA-256 context");
	if (gnutls_hash(hash, first, first_len) < 0 ||
		gnutls_hash(hash, second, second_len) < 0)
	{
		gnutls_hash_deinit(hash, NULL);
		hash = NULL;
		elog(ERROR, "could not compute a SHA-256 hash");
	}
	gnutls_hash_output(hash, result);
}
