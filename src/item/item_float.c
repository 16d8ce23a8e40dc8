/*-------------------------------------------------------------------------
 *
 * item_float.c
 *	  Numbers as floating point numbers of 32 bits.
 *
 * The nearest one is what strtof() makes of a number's text.  A search does
 * that for each element of each vector it looks at, so the text is made only
 * where it decides.  A double computed from the first pairs of digits is off by
 * some units in its last place, and which float4 is nearest is clear from it
 * unless it lies next to the middle between two.
 *
 * Eight pairs are taken from memory at once, and put together by three
 * multiplications of the whole word: pairs to fours of digits, these to eights,
 * these to sixteen.  So a number takes about 40 instructions, and has no branch
 * that a vector's elements do not all take.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "item/item_internal.h"
#include "port/pg_bswap.h"

/* Pairs of digits in a word; more change no float4 that is clear. */
#define WORD_PAIRS		8

/* A byte of a number is a pair and one; of a negative one 101 less the pair. */
#define ALL_BYTES(b)	(UINT64CONST(0x0101010101010101) * (b))
#define PAIR_BASE		ALL_BYTES(1)
#define NEGATIVE_BASE	ALL_BYTES(101)
#define NEGATIVE_BELOW	0x80

/* Bits that a double has more than a float4, and how near is next to. */
#define SPARE_BITS		29
#define MIDDLE			(UINT64CONST(1) << (SPARE_BITS - 1))
#define MARGIN			UINT64CONST(256)

/* Numbers of a list that are taken at once. */
#define BATCH			64

/*
 * What the number of eight pairs, the first of which is after the point, is
 * multiplied with: 100 ^ (exponent - WORD_PAIRS), by the exponent from -64 on.
 */
static const double scales[ITEM_NUMBER_MOST - ITEM_NUMBER_LEAST + 1] = {
	1e-144, 1e-142, 1e-140, 1e-138, 1e-136, 1e-134, 1e-132, 1e-130, 1e-128,
	1e-126, 1e-124, 1e-122, 1e-120, 1e-118, 1e-116, 1e-114, 1e-112, 1e-110,
	1e-108, 1e-106, 1e-104, 1e-102, 1e-100, 1e-98, 1e-96, 1e-94, 1e-92, 1e-90,
	1e-88, 1e-86, 1e-84, 1e-82, 1e-80, 1e-78, 1e-76, 1e-74, 1e-72, 1e-70,
	1e-68, 1e-66, 1e-64, 1e-62, 1e-60, 1e-58, 1e-56, 1e-54, 1e-52, 1e-50,
	1e-48, 1e-46, 1e-44, 1e-42, 1e-40, 1e-38, 1e-36, 1e-34, 1e-32, 1e-30,
	1e-28, 1e-26, 1e-24, 1e-22, 1e-20, 1e-18, 1e-16, 1e-14, 1e-12, 1e-10,
	1e-8, 1e-6, 1e-4, 1e-2, 1e0, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12, 1e14, 1e16,
	1e18, 1e20, 1e22, 1e24, 1e26, 1e28, 1e30, 1e32, 1e34, 1e36, 1e38, 1e40,
	1e42, 1e44, 1e46, 1e48, 1e50, 1e52, 1e54, 1e56, 1e58, 1e60, 1e62, 1e64,
	1e66, 1e68, 1e70, 1e72, 1e74, 1e76, 1e78, 1e80, 1e82, 1e84, 1e86, 1e88,
	1e90, 1e92, 1e94, 1e96, 1e98, 1e100, 1e102, 1e104, 1e106, 1e108, 1e110
};

static inline bool clear_float4(const uint8 *bytes, uint32 len,
								const uint8 *limit, float *result);
static inline uint64 load_word(const uint8 *bytes, uint32 len,
							   const uint8 *limit);
static inline uint64 join_pairs(uint64 pairs);
static bool exact_float4(const uint8 *bytes, uint32 len, float *result);

bool
item_number_float4(const ItemValue *number, float *result)
{
	const uint8 *bytes = (const uint8 *) number->data;

	return clear_float4(bytes, number->len, bytes + number->len, result) ||
		exact_float4(bytes, number->len, result);
}

bool
item_list_float4(const ItemValue *list, uint32 count, float *elements)
{
	ItemIterator it;
	ItemSpan	spans[BATCH];
	const uint8 *limit;
	uint32		done = 0;

	if (item_iterate(list, &it) != count)
		return false;
	while (done < count)
	{
		int			n = item_next_spans(&it, ITEM_N, spans, BATCH, &limit);

		if (n == 0)
			return false;		/* there is no number */
		for (int i = 0; i < n && elements != NULL; i++)
		{
			if (!clear_float4(spans[i].data, spans[i].len, limit,
							  &elements[done + i]) &&
				!exact_float4(spans[i].data, spans[i].len,
							  &elements[done + i]))
				return false;
		}
		done += n;
	}
	return true;
}

/*
 * The nearest float4 if it can be told at once.  Memory up to "limit" may be
 * read.
 */
static inline bool
clear_float4(const uint8 *bytes, uint32 len, const uint8 *limit, float *result)
{
	uint64		negative;		/* all bits, or none */
	int			npairs;
	uint64		word;
	uint64		bits;
	double		value;
	float		nearest;
	uint32		nearest_bits;

	if (len < 2)
	{
		*result = 0;
		return true;
	}
	negative = bytes[0] < NEGATIVE_BELOW ? ~UINT64CONST(0) : 0;
	npairs = (int) len - 1 + (int) negative;	/* one byte more ends those */
	if (npairs < 1)
		return false;
	word = load_word(bytes + 1, len - 1, limit);

	/* Without a branch: signs of elements are as random as anything */
	word = (word ^ negative) - negative +
		((negative & NEGATIVE_BASE) | (~negative & (0 - PAIR_BASE)));
	word &= ~UINT64CONST(0) >> (64 - 8 * Min(npairs, WORD_PAIRS));
	value = (double) (int64) join_pairs(word) *
		scales[(bytes[0] ^ negative) & 0x7f];
	memcpy(&bits, &value, sizeof(bits));
	if ((bits & (2 * MIDDLE - 1)) - (MIDDLE - MARGIN) <= 2 * MARGIN ||
		!(value > 2 * FLT_MIN && value < FLT_MAX / 2))
		return false;
	nearest = (float) value;
	memcpy(&nearest_bits, &nearest, sizeof(nearest_bits));
	nearest_bits |= (uint32) negative & 0x80000000;
	memcpy(result, &nearest_bits, sizeof(nearest_bits));
	return true;
}

/*
 * Eight bytes, the first of them the lowest; what stands for those behind the
 * number is of no account.
 */
static inline uint64
load_word(const uint8 *bytes, uint32 len, const uint8 *limit)
{
	uint64		word = 0;

	if (likely(limit - bytes >= sizeof(word)))
		memcpy(&word, bytes, sizeof(word));
	else
		memcpy(&word, bytes, Min(len, sizeof(word)));
#ifdef WORDS_BIGENDIAN
	word = pg_bswap64(word);
#endif
	return word;
}

/*
 * The number of 16 digits whose pairs are the bytes of a word, the first of
 * them the lowest.
 */
static inline uint64
join_pairs(uint64 pairs)
{
	const uint64 bytes = UINT64CONST(0x00ff00ff00ff00ff);
	const uint64 shorts = UINT64CONST(0x0000ffff0000ffff);
	uint64		fours = (pairs & bytes) * 100 + (pairs >> 8 & bytes);
	uint64		eights = (fours & shorts) * 10000 + (fours >> 16 & shorts);

	return (eights & 0xffffffff) * 100000000 + (eights >> 32);
}

/*
 * By the number's text; false: it is beyond +-3.4028235E38.
 */
static bool
exact_float4(const uint8 *bytes, uint32 len, float *result)
{
	ItemValue	number = {ITEM_N, len, (const char *) bytes};
	StringInfoData text;
	bool		fits;

	initStringInfo(&text);
	item_number_append(&text, &number);
	fits = fabs(strtod(text.data, NULL)) <= ITEM_MAX_FLOAT4;
	if (fits)
		*result = strtof(text.data, NULL);
	pfree(text.data);
	return fits;
}
