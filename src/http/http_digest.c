/*-------------------------------------------------------------------------
 *
 * http_digest.c
 *	  SHA-256 and HMAC-SHA-256 for signatures.
 *
 * A request's signature takes four digests of a few hundred bytes.  Core's
 * pg_cryptohash_init() has OpenSSL look the algorithm up each time, which
 * takes longer than the digest itself, so GnuTLS does it, which HTTPS needs
 * anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <gnutls/crypto.h>

#include "http/http_internal.h"

void
http_sha256(const void *data, size_t len, uint8 *result)
{
	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data, len, result) < 0)
		elog(ERROR, "could not compute a SHA-256 hash");
}

/*
 * "result" may be "key".
 */
void
http_hmac(const uint8 *key, size_t key_len, const void *data, size_t len,
		  uint8 *result)
{
	if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_len, data, len,
						 result) < 0)
		elog(ERROR, "could not compute an HMAC");
}
