/*-------------------------------------------------------------------------
 *
 * item_order.c
 *	  The order of values of one type, S, N or B: unsigned bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"

static int	compare(const void *a, const void *b, void *arg);

/*
 * Order of two values of one type, S, N or B: the sign of the result.
 */
int
item_value_compare(const ItemValue *a, const ItemValue *b)
{
	Assert(a->type == b->type);
	return item_bytes_compare(a->data, a->len, b->data, b->len);
}

/*
 * The same for bsearch().
 */
int
item_value_order(const void *a, const void *b)
{
	return item_value_compare(a, b);
}

void
item_values_sort(ItemValue *values, uint32 count)
{
	qsort_interruptible(values, count, sizeof(ItemValue), compare, NULL);
}

static int
compare(const void *a, const void *b, void *arg)
{
	return item_value_compare(a, b);
}
