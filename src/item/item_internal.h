/*-------------------------------------------------------------------------
 *
 * item_internal.h
 *	  What the files of this folder share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ITEM_INTERNAL_H
#define DYNAMO_ITEM_INTERNAL_H

#include "item/item_bytes.h"
#include "utils/memutils.h"

/* item_varint.c */
extern bool item_read_long_varint(const char **p, const char *end,
								  uint32 *value);

/*
 * False: it would end behind "end".  Nearly all are one byte long.
 */
static inline bool
item_read_varint(const char **p, const char *end, uint32 *value)
{
	if (*p < end && (uint8) **p < 0x80)
	{
		*value = (uint8) *(*p)++;
		return true;
	}
	return item_read_long_varint(p, end, value);
}

/*
 * An offset of "width" bytes; most are one byte or two.
 */
static inline uint32
item_read_end(const uint8 *p, int width)
{
	uint32		end = 0;

	if (width == 1)
		return *p;
	if (width == 2)
		return p[0] | p[1] << 8;
	for (int i = width; i-- > 0;)
		end = end << 8 | p[i];
	return end;
}

/*
 * item_format.c: members of a list at once, up to "most", as long as they are
 * of this type.  "limit" is where the list's bytes end.
 */
typedef struct ItemSpan
{
	const uint8 *data;
	uint32		len;
} ItemSpan;

extern int	item_next_spans(ItemIterator *it, ItemType type, ItemSpan *spans,
							int most, const uint8 **limit);

/* item_version.c */
extern void item_version_read(const Item *item, ItemNode *root);

/* item_digit.c */
extern char *item_ascii_digits(const char *text, uint32 *len);

/* item_number.c */
#define ITEM_NUMBER_DIGITS	38
#define ITEM_NUMBER_PAIRS	20
#define ITEM_NUMBER_LEAST	(-64)	/* exponents of pairs */
#define ITEM_NUMBER_MOST	63

/* A number taken apart: 0.PPPP... * 100 ^ exponent */
typedef struct ItemPairs
{
	bool		negative;
	int			count;			/* 0: zero; first and last are not 0 */
	int			exponent;
	uint8		pairs[ITEM_NUMBER_PAIRS];
} ItemPairs;

extern uint32 item_number_size(const ItemValue *number);
extern void item_pairs_read(const ItemValue *value, ItemPairs *number);
extern void item_pairs_write(const ItemPairs *number, uint8 *bytes,
							 uint32 *nbytes);
extern void item_refuse_result(void) pg_attribute_noreturn();

#endif							/* DYNAMO_ITEM_INTERNAL_H */
