/*-------------------------------------------------------------------------
 *
 * item_float.c
 *	  Numbers as floating point numbers of 32 bits.
 *
 * The nearest one is what strtof() makes of a number's text.  A search does
 * that for each element of each vector it looks at, so the text is made only
 * where it decides: a double computed from the digits is off by a few units in
 * its last place, and which float4 is nearest is clear from it unless it lies
 * next to the middle between two.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "item/item_internal.h"

/* Powers of ten up to this are a double or next to one. */
#define MAX_POWER		38

/* Pairs of digits that a uint64 holds. */
#define FLOAT_PAIRS		9

/* Bits that a double has more than a float4, and how near is next to. */
#define SPARE_BITS		29
#define MARGIN			64

static const double powers[MAX_POWER + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25,
	1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37,
	1e38
};

static bool nearly(const ItemValue *number, double *result);
static bool is_clear(double value);

/*
 * The nearest float4; false: the number is beyond +-3.4028235E38.
 */
bool
item_number_float4(const ItemValue *number, float *result)
{
	StringInfoData text;
	double		value;
	bool		fits;

	if (nearly(number, &value) && is_clear(value))
	{
		*result = (float) value;
		return true;
	}
	initStringInfo(&text);
	item_number_append(&text, number);
	fits = fabs(strtod(text.data, NULL)) <= ITEM_MAX_FLOAT4;
	if (fits)
		*result = strtof(text.data, NULL);
	pfree(text.data);
	return fits;
}

/*
 * A double that is off by some units in its last place; false: such a one is
 * not to be had at once.
 */
static bool
nearly(const ItemValue *number, double *result)
{
	ItemPairs	pairs;
	uint64		digits = 0;
	int			n;
	int			power;
	double		value;

	item_pairs_read(number, &pairs);
	n = Min(pairs.count, FLOAT_PAIRS);
	for (int i = 0; i < n; i++)
		digits = digits * 100 + pairs.pairs[i];
	power = 2 * (pairs.exponent - n);
	value = (double) digits;
	if (power < -MAX_POWER || power > MAX_POWER)
		return false;
	value = power < 0 ? value / powers[-power] : value * powers[power];
	*result = pairs.negative ? -value : value;
	return true;
}

/*
 * Has a double the same nearest float4 as all those next to it?  Said of those
 * alone that are not small or great.
 */
static bool
is_clear(double value)
{
	uint64		bits;
	uint64		spare;
	uint64		middle = UINT64CONST(1) << (SPARE_BITS - 1);

	if (value == 0)
		return true;
	if (fabs(value) < 2 * FLT_MIN || fabs(value) > FLT_MAX / 2)
		return false;
	memcpy(&bits, &value, sizeof(bits));
	spare = bits & ((UINT64CONST(1) << SPARE_BITS) - 1);
	return spare < middle - MARGIN || spare > middle + MARGIN;
}
