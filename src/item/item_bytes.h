/*-------------------------------------------------------------------------
 *
 * item_bytes.h
 *	  The bytes of values, for those who make them out of text, too.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ITEM_BYTES_H
#define DYNAMO_ITEM_BYTES_H

#include "item/item.h"
#include "utils/memutils.h"

/*
 * Unsigned bytewise order, the shorter first when one begins the other.  Most
 * differ in the first byte, and need no call.
 */
static inline int
item_bytes_compare(const char *a, uint32 alen, const char *b, uint32 blen)
{
	uint32		len = Min(alen, blen);
	int			cmp = len > 0 ? (uint8) *a - (uint8) *b : 0;

	if (cmp == 0 && len > 1)
		cmp = memcmp(a + 1, b + 1, len - 1);
	if (cmp != 0)
		return cmp;
	return alen < blen ? -1 : (alen > blen ? 1 : 0);
}

static inline bool
item_is_set(ItemType type)
{
	return type == ITEM_SS || type == ITEM_NS || type == ITEM_BS;
}

/* S, N or B: what a key attribute may be. */
static inline bool
item_is_scalar_key(ItemType type)
{
	return type == ITEM_S || type == ITEM_N || type == ITEM_B;
}

/* The type of a set's members. */
static inline ItemType
item_set_member_type(ItemType set)
{
	return set == ITEM_SS ? ITEM_S : (set == ITEM_NS ? ITEM_N : ITEM_B);
}

/*
 * Begin bytes of which there will be few, but which there may be a million of: in
 * initStringInfo() each would take a kilobyte.
 */
static inline void
item_begin_few(StringInfo out)
{
	out->maxlen = 64;
	out->data = palloc(out->maxlen);
	resetStringInfo(out);
}

/*
 * Where "len" more bytes can be written, and a NUL behind them.  The caller
 * adds what it has written to out->len, and sees to the NUL unless more follows
 * at once.
 */
static inline char *
item_room(StringInfo out, Size len)
{
	if (unlikely(len >= (Size) (out->maxlen - out->len)))
		enlargeStringInfo(out, (int) Min(len, MaxAllocSize));
	return out->data + out->len;
}

/* item_format.c */
extern bool item_bytes_valid(const char *data, uint32 len);
extern bool item_text_valid(const char *data, uint32 len);

/* item_value.c */
extern bool item_values_repeat(ItemValue *values, int count);

/* item_number.c */
extern bool item_number_valid(const char *data, uint32 len);

/*
 * item_key.c
 *
 * Layout of a partition key; item_key.c tells it in full.
 */
#define ITEM_KEY_HASH	4		/* bytes of the hash */
#define ITEM_KEY_LONG	0x80	/* in the kind: value cut, SHA-256 appended */
#define ITEM_KEY_WHOLE	1536	/* longest value that is kept whole */
#define ITEM_KEY_PREFIX	(ITEM_KEY_WHOLE - 32)	/* of a value that is cut */

/* item_merge.c */
extern Item *item_join(const Item *a, const Item *b);
extern Item *item_without(const Item *item, ItemValue *names, uint32 nnames);
extern bool item_value_contains(const ItemValue *value, const ItemValue *part);

#endif							/* DYNAMO_ITEM_BYTES_H */
