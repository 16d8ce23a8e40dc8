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

static const uint8 shifts[4][4] = {
	{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}
};

static void md5_block(uint32 *state, const uint8 *block);
static inline void md5_step(uint32 *s, int i, uint32 f, uint32 x);

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
	static const uint8 padding[64] = {0x80};
	uint64		nbits = md5->length * 8;
	uint8		tail[8];

	item_md5_update(md5, padding, 1 + (64 + 55 - md5->length % 64) % 64);
	for (int i = 0; i < 8; i++)
		tail[i] = (uint8) (nbits >> (8 * i));
	item_md5_update(md5, tail, 8);
	for (int i = 0; i < ITEM_MD5_BYTES; i++)
		digest[i] = (uint8) (md5->state[i / 4] >> (8 * (i % 4)));
}

/*
 * One round over 64 bytes, as RFC 1321 has it: four times sixteen steps.
 */
static void
md5_block(uint32 *state, const uint8 *block)
{
	uint32		s[4];
	uint32		x[16];

	memcpy(s, state, sizeof(s));
	for (int i = 0; i < 16; i++)
		x[i] = block[4 * i] | block[4 * i + 1] << 8 |
			block[4 * i + 2] << 16 | (uint32) block[4 * i + 3] << 24;

	for (int i = 0; i < 16; i++)
		md5_step(s, i, (s[1] & s[2]) | (~s[1] & s[3]), x[i]);
	for (int i = 16; i < 32; i++)
		md5_step(s, i, (s[1] & s[3]) | (s[2] & ~s[3]), x[(5 * i + 1) % 16]);
	for (int i = 32; i < 48; i++)
		md5_step(s, i, s[1] ^ s[2] ^ s[3], x[(3 * i + 5) % 16]);
	for (int i = 48; i < 64; i++)
		md5_step(s, i, s[2] ^ (s[1] | ~s[3]), x[(7 * i) % 16]);

	for (int i = 0; i < 4; i++)
		state[i] += s[i];
}

/*
 * Step i with its value of the round's function and its word of the block.
 */
static inline void
md5_step(uint32 *s, int i, uint32 f, uint32 x)
{
	uint32		next = s[1] + pg_rotate_left32(s[0] + f + x + sines[i],
											   shifts[i / 16][i % 4]);

	s[0] = s[3];
	s[3] = s[2];
	s[2] = s[1];
	s[1] = next;
}
