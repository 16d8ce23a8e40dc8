/*-------------------------------------------------------------------------
 *
 * base_digest.c
 *	  SHA-256 and HMAC-SHA-256.
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
#include <gnutls/gnutls.h>

#include "base/base.h"

static void failed(int code) pg_attribute_noreturn();

/*
 * The hash of "len" bytes goes to "digest", DYNAMO_SHA256_LENGTH bytes.
 */
void
dynamo_sha256(const void *data, size_t len, void *digest)
{
	int			code = gnutls_hash_fast(GNUTLS_DIG_SHA256, data, len, digest);

	if (code < 0)
		failed(code);
}

/*
 * The same of data that come in pieces.  No error is raised: there may be no
 * memory to begin, and then there is NULL; what could not be added leaves a hash
 * of no use.  dynamo_sha256_end() takes the hash away; "digest" may be NULL.
 */
void *
dynamo_sha256_begin(void)
{
	gnutls_hash_hd_t hash;

	return gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) < 0 ? NULL : hash;
}

bool
dynamo_sha256_add(void *hash, const void *data, size_t len)
{
	return gnutls_hash(hash, data, len) >= 0;
}

void
dynamo_sha256_end(void *hash, void *digest)
{
	gnutls_hash_deinit(hash, digest);
}

/*
 * "digest" may be "key".
 */
void
dynamo_hmac_sha256(const void *key, size_t key_len,
				   const void *data, size_t len, void *digest)
{
	int			code = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_len,
										data, len, digest);

	if (code < 0)
		failed(code);
}

static void
failed(int code)
{
	ereport(ERROR,
			(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			 errmsg("could not compute a SHA-256 hash: %s",
					gnutls_strerror(code))));
}
