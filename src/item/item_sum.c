/*-------------------------------------------------------------------------
 *
 * item_sum.c
 *	  Adding and subtracting numbers.
 *
 * Both are done by pairs of digits, in which the sortable form keeps a number.
 * The result is exact, or it is refused.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"

/*
 * Pairs of the longest sum: from the first pair of the greatest number to the
 * last one of the least, and one for the carry.
 */
#define SUM_PAIRS \
	(ITEM_NUMBER_MOST - ITEM_NUMBER_LEAST + ITEM_NUMBER_PAIRS + 1)

/* A result on its way; sum[0] is the pair of 100 ^ (exponent - 1). */
typedef struct Sum
{
	bool		negative;
	int			exponent;
	int			count;
	int8		pairs[SUM_PAIRS];
} Sum;

static int	compare_magnitude(const ItemPairs *a, const ItemPairs *b);
static void combine(Sum *sum, const ItemPairs *a, const ItemPairs *b,
					bool subtract);
static ItemValue sum_value(const Sum *sum);

/*
 * a + b, or a - b.  A result that cannot be kept exactly is an overflow.
 */
ItemValue
item_number_add(const ItemValue *a, const ItemValue *b, bool subtract)
{
	ItemPairs	left;
	ItemPairs	right;
	Sum			sum;

	item_pairs_read(a, &left);
	item_pairs_read(b, &right);
	if (subtract)
		right.negative = !right.negative;
	if (left.count == 0)
		left.exponent = right.exponent;
	else if (right.count == 0)
		right.exponent = left.exponent;

	if (left.negative == right.negative)
		combine(&sum, &left, &right, false);
	else if (compare_magnitude(&left, &right) >= 0)
		combine(&sum, &left, &right, true);
	else
		combine(&sum, &right, &left, true);
	return sum_value(&sum);
}

/*
 * Which is the greater one, whatever the signs?  Zero has been given the
 * other's exponent.
 */
static int
compare_magnitude(const ItemPairs *a, const ItemPairs *b)
{
	if (a->exponent != b->exponent)
		return a->exponent < b->exponent ? -1 : 1;
	return item_bytes_compare((const char *) a->pairs, a->count,
							  (const char *) b->pairs, b->count);
}

/*
 * |a| + |b|, or |a| - |b| if that is not negative, with the sign of "a".
 */
static void
combine(Sum *sum, const ItemPairs *a, const ItemPairs *b, bool subtract)
{
	int			carry = 0;
	int			a_first;
	int			b_first;

	sum->negative = a->negative;
	sum->exponent = Max(a->exponent, b->exponent) + 1;
	a_first = sum->exponent - a->exponent;
	b_first = sum->exponent - b->exponent;
	sum->count = Max(a_first + a->count, b_first + b->count);
	Assert(sum->count <= SUM_PAIRS);

	memset(sum->pairs, 0, sum->count);
	memcpy(sum->pairs + a_first, a->pairs, a->count);
	for (int i = b_first + b->count - 1; i >= 0; i--)
	{
		int			pair = i >= b_first ? b->pairs[i - b_first] : 0;
		int			result;

		if (i < b_first && carry == 0)
			break;
		result = sum->pairs[i] + (subtract ? -pair : pair) + carry;
		carry = result < 0 ? -1 : (result > 99 ? 1 : 0);
		sum->pairs[i] = result - carry * 100;
	}
}

/*
 * In the sortable form.
 */
static ItemValue
sum_value(const Sum *sum)
{
	uint8	   *bytes = palloc(ITEM_NUMBER_MAX_BYTES);
	ItemValue	value = {ITEM_N, 0, (char *) bytes};
	ItemPairs	number = {.negative = sum->negative};
	int			first = 0;
	int			end = sum->count;
	int			digits;

	while (first < end && sum->pairs[first] == 0)
		first++;
	while (first < end && sum->pairs[end - 1] == 0)
		end--;
	if (first < end)
	{
		number.exponent = sum->exponent - first;
		digits = 2 * (end - first) - (sum->pairs[first] < 10 ? 1 : 0) -
			(sum->pairs[end - 1] % 10 == 0 ? 1 : 0);
		if (digits > ITEM_NUMBER_DIGITS ||
			number.exponent > ITEM_NUMBER_MOST ||
			number.exponent < ITEM_NUMBER_LEAST)
			item_refuse_result();
		number.count = end - first;
		memcpy(number.pairs, sum->pairs + first, number.count);
	}
	item_pairs_write(&number, bytes, &value.len);
	return value;
}
