/*-------------------------------------------------------------------------
 *
 * item_md5.c
 *	  MD5, after RFC 1321.
 *
 * The service orders partitions by MD5, so we must compute it; where OpenSSL
 * runs in FIPS mode PostgreSQL's own entry refuses.  Nothing here is meant to
 * protect anything.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "port/pg_bitutils.h"

/* floor(2^32 * abs(sin(i + 1))) */
static const uint32 sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee,
	0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
	0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
	0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039,
	0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391
};

/* The functions of the four rounds. */
#define F(x, y, z)	((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z)	((y) ^ ((z) & ((x) ^ (y))))
#define H(x, y, z)	((x) ^ (y) ^ (z))
#define I(x, y, z)	((y) ^ ((x) | ~(z)))

/* Step i with word k of the block; the registers change places each step. */
#define STEP(function, a, b, c, d, i, k, shift) \
	((a) = (b) + pg_rotate_left32((a) + function(b, c, d) + \
								  word_of(block, (k) % 16) + sines[i], shift))

/* Four steps, after which each register is in its place again. */
#define STEPS(function, i, factor, offset, s1, s2, s3, s4) \
	do { \
		STEP(function, a, b, c, d, (i), factor * (i) + offset, s1); \
		STEP(function, d, a, b, c, (i) + 1, factor * ((i) + 1) + offset, s2); \
		STEP(function, c, d, a, b, (i) + 2, factor * ((i) + 2) + offset, s3); \
		STEP(function, b, c, d, a, (i) + 3, factor * ((i) + 3) + offset, s4); \
	} while (0)

/*
 * The sixteen steps of a round, from step i on.  No loop: so the compiler knows
 * which word and which constant each step takes.
 */
#define ROUND(function, i, factor, offset, s1, s2, s3, s4) \
	do { \
		STEPS(function, (i), factor, offset, s1, s2, s3, s4); \
		STEPS(function, (i) + 4, factor, offset, s1, s2, s3, s4); \
		STEPS(function, (i) + 8, factor, offset, s1, s2, s3, s4); \
		STEPS(function, (i) + 12, factor, offset, s1, s2, s3, s4); \
	} while (0)

static void md5_block(uint32 *state, const uint8 *block);

void
item_md5_init(ItemMd5 *md5)
{
	md5->state[0] = 0x67452301;
	md5->state[1] = 0xefcdab89;
	md5->state[2] = 0x98badcfe;
	md5->state[3] = 0x10325476;
	md5->length = 0;
}

void
item_md5_update(ItemMd5 *md5, const void *bytes, size_t len)
{
	const uint8 *p = bytes;

	while (len > 0)
	{
		size_t		used = md5->length % 64;
		size_t		part = Min(len, 64 - used);

		memcpy(md5->block + used, p, part);
		md5->length += part;
		p += part;
		len -= part;
		if (used + part == 64)
			md5_block(md5->state, md5->block);
	}
}

void
item_md5_final(ItemMd5 *md5, uint8 *digest)
{
	uint64		nbits = md5->length * 8;
	size_t		used = md5->length % 64;

	md5->block[used++] = 0x80;
	if (used > 56)
	{
		memset(md5->block + used, 0, 64 - used);
		md5_block(md5->state, md5->block);
		used = 0;
	}
	memset(md5->block + used, 0, 56 - used);
	for (int i = 0; i < 8; i++)
		md5->block[56 + i] = (uint8) (nbits >> (8 * i));
	md5_block(md5->state, md5->block);
	for (int i = 0; i < ITEM_MD5_BYTES; i++)
		digest[i] = (uint8) (md5->state[i / 4] >> (8 * (i % 4)));
}

/*
 * Word k of a block, little endian.
 */
static inline uint32
word_of(const uint8 *block, int k)
{
	const uint8 *p = block + 4 * k;

	return p[0] | p[1] << 8 | p[2] << 16 | (uint32) p[3] << 24;
}

/*
 * 64 bytes, as RFC 1321 has it: four rounds of sixteen steps.
 */
static void
md5_block(uint32 *state, const uint8 *block)
{
	uint32		a = state[0];
	uint32		b = state[1];
	uint32		c = state[2];
	uint32		d = state[3];

	ROUND(F, 0, 1, 0, 7, 12, 17, 22);
	ROUND(G, 16, 5, 1, 5, 9, 14, 20);
	ROUND(H, 32, 3, 5, 4, 11, 16, 23);
	ROUND(I, 48, 7, 0, 6, 10, 15, 21);

	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}
